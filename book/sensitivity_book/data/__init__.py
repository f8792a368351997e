"""Worked examples and stored results, as tables; the files beside say where they are from."""
