"""A search for wide pairs, where there are too many to enumerate:
a find is a proof, no find is none."""
