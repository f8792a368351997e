"""SQL as a query: what a statement reads, and how an engine is asked it on many datasets."""
