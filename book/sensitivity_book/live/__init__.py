"""Python in the reader's browser: what a page runs, and how it gets there."""
