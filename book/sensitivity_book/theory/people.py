"""Tables in which one person owns many rows: truncation by key, and joins of truncated tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from operator import itemgetter
from typing import Any

import pandas as pd

from sensitivity_book.theory.stability.domains import SYMMETRIC
from sensitivity_lab.numbers import whole_number

Tables = dict[str, pd.DataFrame]
Kept = tuple[Any, ...]
Step = tuple[Kept, Kept, Kept, Kept]  # a key's rows and what is kept of them, before and after

# --- truncation: of the rows that share a key, a bounded number is kept -------------------------


@dataclass(frozen=True)
class DropExcess:
    """Of the rows of one key, in a fixed order, keep the first `max_rows`.

    >>> DropExcess(2)("abc")
    'ab'

    `most` rows of a key are kept; one row added changes at most `moved` of them: it comes in,
    and another goes out. That holds for every rule that ranks rows by an order fixed beforehand
    (Tumult ranks by a hash), not for every rule that looks at one key's rows alone.
    Raises ValueError or TypeError unless `max_rows` is a whole number of at least 1.
    Proof: thm-people-truncation in chapters/people-in-detail.
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
    Proof: thm-people-truncation in chapters/people-in-detail.
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
    Proof: thm-people-truncation in chapters/people-in-detail.
    """
    rows = table.sort_values([*table])
    kept: pd.DataFrame = pd.concat([rows[:0], *(keep(held) for _, held in rows.groupby(on))])
    return kept


# --- joins of two private tables, each truncated first -------------------------------------------


def join_bound(left: Truncation, right: Truncation, *, rows_left: int, rows_right: int) -> int:
    """Return a bound on the rows of a private join that change: the formula of Tumult Core.

    >>> join_bound(DropExcess(2), DropExcess(2), rows_left=1, rows_right=1)
    8

    `rows_left` and `rows_right` say how many rows of each table may be added or removed. A left
    row moves `left.moved` rows of its key, each in up to `right.most` rows of the join, and the
    other way round. Proof: thm-people-join in chapters/people-in-detail, which also says when the
    bound is attained.
    """
    return right.most * left.moved * rows_left + left.most * right.moved * rows_right


@dataclass(frozen=True)
class JoinStability:
    """The most that a private join moves, and the two pairs of tables that attain it.

    >>> found = join_stability(DropNonUnique(), DropNonUnique(), rows_left=1, rows_right=0)
    >>> found.value, *map(len, (found.before["left"], found.after["left"], found.after["right"]))
    (1, 0, 1, 1)
    """

    value: int
    before: Tables
    after: Tables


def join_stability(
    left: Truncation,
    right: Truncation,
    *,
    rows_left: int,
    rows_right: int,
    values: Sequence[Any] = "abc",
    keys: int = 2,
    of: str = "rows",
) -> JoinStability:
    """Return the most that a private join moves, over all small tables.

    >>> found = join_stability(DropExcess(1), DropExcess(1), rows_left=1, rows_right=0)
    >>> found.value
    2
    >>> found.after["left"]
       key user
    0    0    a
    1    0    b
    """
    moved = {"rows": _rows_moved, "count": _count_moved}
    if of not in moved:
        raise ValueError(f"of must be 'rows' or 'count', got of={of!r}")
    whole_number(rows_left, "rows_left", 0)
    whole_number(rows_right, "rows_right", 0)
    steps_left, steps_right = _steps(left, values, rows_left), _steps(right, values, rows_right)
    # What the best single key gives, for each part of the allowance spent on it.
    best = {
        (i, j): max(((moved[of](*pair), pair) for pair in product(one, two)), key=itemgetter(0))
        for (i, one), (j, two) in product(enumerate(steps_left), enumerate(steps_right))
    }

    @cache
    def spread(keys: int, i: int, j: int) -> tuple[int, tuple[tuple[Step, Step], ...]]:
        if not keys:
            return 0, ()
        options = []
        for a, b in product(range(i, -1, -1), range(j, -1, -1)):
            gain, here = best[a, b]
            rest, elsewhere = spread(keys - 1, i - a, j - b)
            options.append((gain + rest, (here, *elsewhere)))
        return max(options, key=itemgetter(0))

    value, chosen = spread(whole_number(keys, "keys", 1), rows_left, rows_right)
    return JoinStability(value, _tables(chosen, after=False), _tables(chosen, after=True))


def _steps(truncation: Truncation, values: Sequence[Any], allowance: int) -> list[list[Step]]:
    """For each distance up to the allowance, the steps between groups of rows within it."""
    groups = [
        group for n in range(len(values) + 1) for group in combinations_with_replacement(values, n)
    ]
    within: list[list[Step]] = []
    for distance in range(allowance + 1):
        steps: dict[tuple[Kept, Kept], Step] = {}
        for one, other in product(groups, repeat=2):
            if abs(len(one) - len(other)) <= distance and SYMMETRIC(one, other) <= distance:
                kept = truncation(one), truncation(other)
                steps.setdefault(kept, (one, other, *kept))
        within.append(list(steps.values()))
    return within


def _rows_moved(left: Step, right: Step) -> int:
    """How many joined rows of one key are new or gone."""
    (*_, l1, l2), (*_, r1, r2) = left, right
    return int(SYMMETRIC(product(l1, r1), product(l2, r2)))


def _count_moved(left: Step, right: Step) -> int:
    """How much larger the number of joined rows of one key is afterwards."""
    (*_, l1, l2), (*_, r1, r2) = left, right
    return len(l2) * len(r2) - len(l1) * len(r1)


def _tables(chosen: Sequence[tuple[Step, Step]], *, after: bool) -> Tables:
    """The two tables whose keys hold the chosen groups."""

    def rows(side: int) -> Iterator[tuple[int, Any]]:
        for key, steps in enumerate(chosen):
            yield from ((key, value) for value in steps[side][after])

    return {
        name: pd.DataFrame(list(rows(side)), columns=["key", column])
        for side, (name, column) in enumerate([("left", "user"), ("right", "item")])
    }
