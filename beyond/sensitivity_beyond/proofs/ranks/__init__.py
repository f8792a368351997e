"""Weights of ranks."""
