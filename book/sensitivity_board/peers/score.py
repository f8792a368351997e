"""What this package makes of somebody else's benchmark, as one row of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler


@dataclass(frozen=True)
class Score:
    """One benchmark of a peer: how much of it was asked, and how much was found."""

    benchmark: str
    source: str
    asked: int
    found: int
    what: str
    worst: str

    def __post_init__(self) -> None:
        if not 0 <= self.found <= self.asked:
            raise ValueError(f"found must lie between 0 and asked = {self.asked}, got {self.found}")

    @property
    def tally(self) -> str:
        """How many were found of those asked, in words."""
        return f"{self.found} of {self.asked}"


def score_table(scores: Iterable[Score]) -> pd.DataFrame:
    """Return the scores as a table, a row each, in the order given."""
    columns = ["benchmark", "found", "what is found", "smallest witness"]
    rows = [(one.benchmark, one.tally, one.what, one.worst) for one in scores]
    return pd.DataFrame(rows, columns=columns)


def wrapped(table: pd.DataFrame, name: str) -> Styler:
    """Return a table for a page: small, without row numbers, and its cells break into lines."""
    cells = {"text-align": "left", "vertical-align": "top"}
    broken: list[Any] = [
        {"selector": "th, td", "props": "white-space: normal"},
        {"selector": "th", "props": "text-align: left !important"},
    ]
    style = Styler(table, uuid=name, cell_ids=False).hide().set_properties(None, **cells)
    style = style.set_table_styles(broken).format(_breakable)
    return style.set_table_attributes('style="font-size: .8em"')


def _breakable(cell: Any) -> str:
    """A cell as text, of which a long name may break after an underscore."""
    return str(cell).replace("_", "_<wbr>")
