"""A search for wide pairs, where there are too many to enumerate: a find is a proof, no find is none.

search    the stages: known layouts, climbs from them by small steps, a plainer pair
├─ pairs  who is in a pair, by position; the budget, and the widest pair that was asked about
└─ starts known layouts of records that stand in a line, and the best of each kind
"""
