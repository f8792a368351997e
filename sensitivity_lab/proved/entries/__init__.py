"""Queries that count or sum in entries: histograms, predicates, counts and sums by group."""
