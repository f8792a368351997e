"""Worked examples and stored figures, as tables; the files beside say where they are from."""
