"""Joins of tables, public and private, and how many joined rows a change moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from operator import itemgetter
from typing import Any

from sensitivity_book.people.tables import Row, Table
from sensitivity_book.people.truncation import Truncation, truncate
from sensitivity_book.stability.domains import SYMMETRIC
from sensitivity_lab.exact import whole_number


def join(left: Table, right: Table, on: str) -> Table:
    """Return one row for each pair of a left and a right row that agree in the column `on`.

    >>> people = Table(("name", "zip"), [("Susie", 37752)])
    >>> states = Table(("zip", "state"), [(37752, "TN"), (37752, "VA")])
    >>> join(people, states, "zip").rows
    (('Susie', 37752, 'TN'), ('Susie', 37752, 'VA'))

    With a public right table this is a public join. Cost: a sort of the joined rows. Raises
    ValueError for a side without the column, or if another column has the same name on both sides.
    Source: Tumult (2023).
    """
    place = right.place(on)
    added = right.columns[:place] + right.columns[place + 1 :]
    partners = right.groups(on)
    rows = [
        row + partner[:place] + partner[place + 1 :]
        for key, matches in left.groups(on).items()
        for row, partner in product(matches, partners.get(key, ()))
    ]
    return Table(left.columns + added, tuple(rows))


def join_private(
    left: Table, right: Table, on: str, keep_left: Truncation, keep_right: Truncation
) -> Table:
    """Return the join of two private tables, each cut down on the join column beforehand.

    >>> from sensitivity_book.people.truncation import DropExcess
    >>> users = Table(("id", "name"), [(1, "Ann"), (1, "Anne")])
    >>> buys = Table(("id", "item"), [(1, "tea")])
    >>> join_private(users, buys, "id", DropExcess(1), DropExcess(2)).rows
    ((1, 'Ann', 'tea'),)

    Cost and errors: as `join`. Source: Tumult (2023); what it moves is bounded by `join_bound`.
    """
    return join(truncate(left, keep_left, on), truncate(right, keep_right, on), on)


# --- the formula, and every pair of small tables ------------------------------------------


def join_bound(left: Truncation, right: Truncation, *, rows_left: int, rows_right: int) -> int:
    """Return a bound on the rows of a private join that change: the formula of Tumult Core.

    >>> from sensitivity_book.people.truncation import DropExcess
    >>> join_bound(DropExcess(2), DropExcess(2), rows_left=1, rows_right=1)
    8

    `rows_left` and `rows_right` say how many rows of each table may be added or removed. A left
    row moves `left.moved` rows of its key, each in up to `right.most` rows of the join, and the
    other way round. Proof: thm-people-join in notebooks/people-and-rows, which also says when the
    bound is attained.
    """
    return right.most * left.moved * rows_left + left.most * right.moved * rows_right


@dataclass(frozen=True)
class JoinStability:
    """The most that a private join moves, and the pairs of tables that attain it.

    >>> from sensitivity_book.people.truncation import DropNonUnique
    >>> found = join_stability(DropNonUnique(), DropNonUnique(), rows_left=1, rows_right=0)
    >>> found.value, [table.rows for table in found.before], [table.rows for table in found.after]
    (1, [(), ((0, 'a'),)], [((0, 'a'),), ((0, 'a'),)])
    """

    value: int
    before: tuple[Table, Table]
    after: tuple[Table, Table]


Kept = tuple[Any, ...]
Step = tuple[Kept, Kept, Kept, Kept]  # a key's rows and what is kept of them, before and after


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

    >>> from sensitivity_book.people.truncation import DropExcess
    >>> found = join_stability(DropExcess(1), DropExcess(1), rows_left=1, rows_right=0)
    >>> found.value, found.before[0].rows, found.after[0].rows
    (2, ((0, 'b'),), ((0, 'a'), (0, 'b')))

    The tables have the columns key and user, and key and item. Up to `rows_left` rows of the left
    and `rows_right` of the right are added or removed. A table has `keys` keys, and a key at most
    as many rows as there are `values`, copies included. `of` is "rows" for the rows of the join
    that change, "count" for the change of their number.

    Equal to visiting every pair of pairs of tables. A row touches one key and keys add up, so
    each key's changes are tried once, and the allowance is then spread over the keys.
    Cost: with v values a key has g = C(2v, v) groups of rows; g² steps from group to group on each
    side, and each different one with each of the other side. Raises ValueError or
    TypeError for a negative allowance, for no key, and for another `of`.
    Source: def-people-stability in notebooks/people-and-rows.
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
    """For each distance up to the allowance, the steps between groups of rows within it.

    Of the steps between the same kept rows, the first is enough.
    """
    groups = [
        group for n in range(len(values) + 1) for group in combinations_with_replacement(values, n)
    ]
    within: list[list[Step]] = []
    for distance in range(allowance + 1):
        found: dict[tuple[Kept, Kept], Step] = {}
        for one, other in product(groups, repeat=2):
            if abs(len(one) - len(other)) <= distance and SYMMETRIC(one, other) <= distance:
                kept = truncation(one), truncation(other)
                found.setdefault(kept, (one, other, *kept))
        within.append(list(found.values()))
    return within


def _rows_moved(left: Step, right: Step) -> int:
    """How many joined rows of one key are new or gone."""
    (*_, l1, l2), (*_, r1, r2) = left, right
    return int(SYMMETRIC(product(l1, r1), product(l2, r2)))


def _count_moved(left: Step, right: Step) -> int:
    """How much larger the number of joined rows of one key is afterwards."""
    (*_, l1, l2), (*_, r1, r2) = left, right
    return len(l2) * len(r2) - len(l1) * len(r1)


def _tables(chosen: Sequence[tuple[Step, Step]], *, after: bool) -> tuple[Table, Table]:
    """The two tables whose keys hold the chosen groups."""

    def rows(side: int) -> Iterator[Row]:
        for key, steps in enumerate(chosen):
            yield from ((key, value) for value in steps[side][after])

    return Table(("key", "user"), tuple(rows(0))), Table(("key", "item"), tuple(rows(1)))
