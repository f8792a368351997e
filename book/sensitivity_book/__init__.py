"""The book's own tools, in wings: see ARCHITECTURE.md."""
