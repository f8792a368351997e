"""A search for wide pairs, where there are too many to enumerate: a find is a proof, no find is none.

search    the stages: known layouts, climbs from them, the widest pair made plainer
├─ pairs  who is in a pair, by position; the budget, and the widest pair that was asked about
├─ starts known layouts of records that stand in a line, and the best of each kind
└─ steps  from one pair to a wider one, or to a plainer one, a little at a time
"""
