"""Queries that weigh the sorted records by rank: count, sum, mean, quantiles, the range."""
