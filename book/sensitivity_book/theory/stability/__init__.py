"""A small library of maps: transformations and measurements that chain, and what they speak of."""
