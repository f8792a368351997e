"""What a record can be: a number, a value, a row of a table, a person; and datasets of them."""
