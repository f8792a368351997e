"""The names of `opendp.prelude`, none of which answers in a page."""

from opendp import Absent


def enable_features(*names: str) -> None:
    """Enable nothing: a first cell may ask for it."""


def __getattr__(name: str) -> Absent:
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent(f"dp.{name}")
