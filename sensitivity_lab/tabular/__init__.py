"""Records: numbers, text, tuples, rows of tables, people with their rows; and datasets of them."""
