"""In which form the board is asked: in full where a change touches it and with CHECK_ALL=1, else in
short: the pinned verdicts, the page, what takes seconds; of the rest a part, another each commit.
"""

from conftest import CHECK_ALL, git, in_turn

PATHS = "book/sensitivity_board", "tests/board", "beyond/sensitivity_beyond/audit"


def touched(*paths: str) -> bool:
    """Whether these differ from main, or on it from the commit before; also if git cannot tell."""
    on_main = git("rev-parse", "HEAD") == git("rev-parse", "main")
    before = git("rev-parse", "main~1" if on_main else "main")
    return not before or git("diff", "--name-only", before, "--", *paths) != ""


FULL = CHECK_ALL or touched(*PATHS)


def some(options: list) -> list:
    """All of these in full, one of them in short."""
    return options if FULL else in_turn(options)
