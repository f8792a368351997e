"""Plain `pytest --nbval notebooks/` compares as `make test` does: see `tests/nbval.cfg`."""

from pathlib import Path


def pytest_configure(config):
    if not getattr(config.option, "nbval_sanitize_with", True):
        config.option.nbval_sanitize_with = str(Path(__file__).parents[1] / "tests" / "nbval.cfg")
