"""Is a claimed sensitivity right? Claims held to the truth, with what they cover.

audit                the way through: a row for each relation and size, its worst pair, its verdict
├─ claims            what is claimed for a row, and how it compares with the truth
├─ scope             what was asked, in words
├─ subject           the function: its answers, how far apart they lie, whether it stands by them
├─ orderings         every pair, where the order of records counts or a metric measures the answers
├─ random_search     some pairs, where there are too many, in three stages
│  ├─ starts         known layouts of records in lines, and the best of each kind
│  ├─ climb          from one pair to a wider one, a little at a time
│  └─ shrink         the widest pair, made plainer
├─ layouts, lines    who is in a pair; the records in an order
├─ trials            the budget of a search, and its widest pair
└─ report            rows and verdicts, and how they are shown
boundary_values      values worth an audit
"""
