"""Truncation: how many rows of one key, or of one person, are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sensitivity_book.people.tables import Row, Table
from sensitivity_lab.exact import whole_number


@dataclass(frozen=True)
class DropExcess:
    """Of the rows that share a key, keep the first `max_rows` in sorted order.

    >>> DropExcess(2)("cab")
    ('a', 'b')

    `most` rows of a key are kept; one row added changes at most `moved` of them: it comes in,
    and another goes out. That holds for every rule that ranks rows by an order fixed beforehand
    (Tumult ranks by a hash), not for every rule that looks at one key's rows alone. Cost: one sort.
    Raises ValueError or TypeError unless `max_rows` is a whole number of at least 1.
    Proof: thm-people-truncation in notebooks/people-and-rows.
    """

    max_rows: int
    moved = 2

    def __post_init__(self) -> None:
        whole_number(self.max_rows, "max_rows", 1)

    def __call__(self, rows: Iterable[Any]) -> tuple[Any, ...]:
        """Return what is kept of the rows of one key."""
        return tuple(sorted(rows)[: self.max_rows])

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
    (('a',), ())

    At most one row of a key is kept (`most`), and one row added changes at most one (`moved`).
    Proof: thm-people-truncation in notebooks/people-and-rows.
    """

    most = 1
    moved = 1

    def __call__(self, rows: Iterable[Any]) -> tuple[Any, ...]:
        """Return what is kept of the rows of one key."""
        kept = tuple(rows)
        return kept if len(kept) <= 1 else ()

    def __str__(self) -> str:
        return "DropNonUnique"


Truncation = DropExcess | DropNonUnique


def truncate(table: Table, truncation: Callable[[Sequence[Row]], Iterable[Row]], *on: str) -> Table:
    """Return the table with each group of rows that agree in the columns `on` cut down.

    >>> buys = Table(("name", "item"), [("Ann", "jam"), ("Ann", "tea"), ("Bob", "tea")])
    >>> truncate(buys, DropExcess(1), "name").rows
    (('Ann', 'jam'), ('Bob', 'tea'))

    Cost: one sort. Raises ValueError for a column that the table does not have.
    Proof: thm-people-truncation in notebooks/people-and-rows.
    """
    kept = (truncation(rows) for rows in table.groups(*on).values())
    return Table(table.columns, tuple(row for rows in kept for row in rows))


# --- bounds on what one person contributes ------------------------------------------------


@dataclass(frozen=True)
class MaxRowsPerID:
    """Keep at most `most` rows of each ID: the first in sorted order.

    >>> MaxRowsPerID("name", 1)(Table(("name", "item"), [("Ann", "tea"), ("Ann", "jam")])).rows
    (('Ann', 'jam'),)

    A person moves a count by at most `most`. Source: Tumult (2023); proof:
    thm-people-contribution in notebooks/people-and-rows.
    """

    id: str
    most: int

    def __call__(self, table: Table) -> Table:
        """Return the table within the bound."""
        return truncate(table, DropExcess(self.most), self.id)


@dataclass(frozen=True)
class MaxGroupsPerID:
    """Keep the rows of at most `most` groups of each ID: the first values of the column `group`.

    >>> buys = Table(("name", "item"), [("Ann", "tea"), ("Ann", "jam"), ("Ann", "jam")])
    >>> MaxGroupsPerID("name", "item", 1)(buys).rows
    (('Ann', 'jam'), ('Ann', 'jam'))

    Source: Tumult (2023); proof: thm-people-contribution in notebooks/people-and-rows.
    """

    id: str
    group: str
    most: int

    def __call__(self, table: Table) -> Table:
        """Return the table within the bound."""
        place, keep = table.place(self.group), DropExcess(self.most)

        def first_groups(rows: Sequence[Row]) -> list[Row]:
            kept = keep({row[place] for row in rows})
            return [row for row in rows if row[place] in kept]

        return truncate(table, first_groups, self.id)


@dataclass(frozen=True)
class MaxRowsPerGroupPerID:
    """Keep at most `most` rows of each ID in each group.

    >>> buys = Table(("name", "item"), [("Ann", "tea"), ("Ann", "jam"), ("Ann", "jam")])
    >>> MaxRowsPerGroupPerID("name", "item", 1)(buys).rows
    (('Ann', 'jam'), ('Ann', 'tea'))

    With `MaxGroupsPerID` of g groups, a person moves counts by group by at most g·most in L1 and
    √g·most in L2. Source: Tumult (2023); proof: thm-people-contribution in
    notebooks/people-and-rows.
    """

    id: str
    group: str
    most: int

    def __call__(self, table: Table) -> Table:
        """Return the table within the bound."""
        return truncate(table, DropExcess(self.most), self.id, self.group)
