"""Two datasets shown: as small tables, and as Python that makes them again."""
