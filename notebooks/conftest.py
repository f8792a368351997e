"""Plain `pytest --nbval notebooks/` compares as `make test` does: see `tests/nbval.cfg`."""

import os
from pathlib import Path

from sensitivity_book.stage.explorers.explorer import PAGE


def pytest_configure(config):
    os.environ.setdefault(PAGE, "opening")
    if not getattr(config.option, "nbval_sanitize_with", True):
        config.option.nbval_sanitize_with = str(Path(__file__).parents[1] / "tests" / "nbval.cfg")
