"""Tables in which one person owns many rows: bounding what a person adds, and joining."""
