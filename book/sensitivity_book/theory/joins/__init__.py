"""Counting joins of classical shapes: their exact sensitivities beside the published bounds."""
