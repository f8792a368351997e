"""Make the board's file anew, and say what changed: python -m sensitivity_board."""

from sensitivity_board.claims import make_board

if __name__ == "__main__":
    make_board()
