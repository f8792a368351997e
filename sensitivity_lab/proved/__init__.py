"""What is proved of a query, one file a family, in the order of the proofs."""
