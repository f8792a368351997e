"""Vectors as records: what a person adds to a sum, to a mean and to rounds of training."""
