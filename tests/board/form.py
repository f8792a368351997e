"""In which form the board is asked: in full where a change touches it and with CHECK_ALL=1, else in short.

Short is: the pinned verdicts, the page, what is asked in a few seconds, and of what takes longer a part,
another at the next commit.
"""

import subprocess

from conftest import CHECK_ALL, ROOT, in_turn

PATHS = "book/sensitivity_board", "tests/board", "sensitivity_lab/audit"


def git(*asked: str) -> tuple[int, str]:
    """What git says, after its exit code: above 1 where there is no git, or no such commit."""
    try:
        done = subprocess.run(["git", *asked], cwd=ROOT, capture_output=True, encoding="utf-8")
    except OSError:
        return 2, ""
    return done.returncode, done.stdout.strip()


def touched(*paths: str) -> bool:
    """Whether these differ from the main branch, or on it from the commit before; where git cannot tell, too."""
    before = "main~1" if git("rev-parse", "HEAD") == git("rev-parse", "main") else "main"
    return git("diff", "--quiet", before, "--", *paths)[0] != 0


FULL = CHECK_ALL or touched(*PATHS)


def some(options: list) -> list:
    """All of these in full, one of them in short."""
    return options if FULL else in_turn(options)
