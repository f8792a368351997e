"""Truncation: of the rows that share a key, a bounded number is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sensitivity_lab.numbers.exact import whole_number


@dataclass(frozen=True)
class DropExcess:
    """Of the rows of one key, in a fixed order, keep the first `max_rows`.

    >>> DropExcess(2)("abc")
    'ab'

    `most` rows of a key are kept; one row added changes at most `moved` of them: it comes in,
    and another goes out. That holds for every rule that ranks rows by an order fixed beforehand
    (Tumult ranks by a hash), not for every rule that looks at one key's rows alone.
    Raises ValueError or TypeError unless `max_rows` is a whole number of at least 1.
    Proof: thm-people-truncation in notebooks/people-in-detail.
    """

    max_rows: int
    moved = 2

    def __post_init__(self) -> None:
        whole_number(self.max_rows, "max_rows", 1)

    def __call__(self, rows: Any) -> Any:
        """Return what is kept of one key's rows: a table, or any sequence."""
        return rows[: self.max_rows]

    def __str__(self) -> str:
        return f"DropExcess({self.max_rows})"

    @property
    def most(self) -> int:
        """The most rows of a key that are kept."""
        return self.max_rows


@dataclass(frozen=True)
class DropNonUnique:
    """Keep a row whose key no other row has; drop all rows that share one.

    >>> DropNonUnique()("a"), DropNonUnique()("ab")
    ('a', '')

    At most one row of a key is kept (`most`), and one row added changes at most one (`moved`).
    Proof: thm-people-truncation in notebooks/people-in-detail.
    """

    most = 1
    moved = 1

    def __call__(self, rows: Any) -> Any:
        """Return what is kept of one key's rows: a table, or any sequence."""
        return rows if len(rows) <= 1 else rows[:0]

    def __str__(self) -> str:
        return "DropNonUnique"


Truncation = DropExcess | DropNonUnique


def truncate(table: pd.DataFrame, keep: Callable[[Any], Any], on: str) -> pd.DataFrame:
    """Return a table of what `keep` leaves of each key's rows, which it gets in sorted order.

    >>> buys = pd.DataFrame({"name": ["Ann", "Bob", "Ann"], "item": ["tea", "tea", "jam"]})
    >>> truncate(buys, DropExcess(1), "name")
      name item
    2  Ann  jam
    1  Bob  tea

    Cost: one sort. Raises KeyError for a column that the table does not have.
    Proof: thm-people-truncation in notebooks/people-in-detail.
    """
    rows = table.sort_values([*table])
    kept: pd.DataFrame = pd.concat([rows[:0], *(keep(held) for _, held in rows.groupby(on))])
    return kept
