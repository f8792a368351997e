"""Is a claimed sensitivity right? Claims held to the truth, with what they cover.

audit                the way through: a row for each relation and size, its worst pair, its verdict
├─ asked             what is asked and claimed: checked, and in words
├─ subject           the function: its answers, how far apart they lie, whether it stands by them
├─ orderings         every pair, where the order of records counts or a metric measures the answers
├─ search            some pairs, where there are too many
└─ report            rows and verdicts, and how they are shown
runner               what a test runner wants of the audits in a test
worst_pairs          the widest pairs, for other auditors
boundary_values      values worth an audit
"""
