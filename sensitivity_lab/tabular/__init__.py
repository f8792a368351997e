"""Records that are no numbers: text, tuples, rows of tables, people with their rows."""
