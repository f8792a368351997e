"""Counts and sums by entry."""
