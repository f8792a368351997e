"""What the book alone needs: scenarios, explorers, case files, a small library of maps."""
