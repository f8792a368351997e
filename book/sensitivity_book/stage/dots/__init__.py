"""Dots on a line that can be pulled: games that a reader plays on a page and in JupyterLab."""
