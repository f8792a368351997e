"""Tables in which one person may own many rows: what is done to them, and how far they move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations_with_replacement, product
from operator import itemgetter
from typing import Any

import pandas as pd

from sensitivity_lab.exact import whole_number

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """Rows under named columns, in any number of copies; kept sorted, so their order is no matter.

    >>> Table(("name", "age"), [("Susie", 40), ("Ann", 31)]).rows
    (('Ann', 31), ('Susie', 40))

    Raises ValueError for a column named twice, or a row without a value for each column.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(sorted(map(tuple, self.rows))))
        if len(set(self.columns)) < len(self.columns):
            raise ValueError(f"columns must have different names, got {self.columns}")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row must have {len(self.columns)} values, got row={row}")

    def groups(self, *columns: str) -> dict[Row, tuple[Row, ...]]:
        """Return the rows by their values in some columns.

        >>> Table(("name", "item"), [("Ann", "tea"), ("Ann", "jam")]).groups("name")
        {('Ann',): (('Ann', 'jam'), ('Ann', 'tea'))}

        Raises ValueError for a column that the table does not have.
        """
        places = [self._place(column) for column in columns]
        found: dict[Row, list[Row]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[i] for i in places), []).append(row)
        return {values: tuple(rows) for values, rows in found.items()}

    def _place(self, column: str) -> int:
        if column not in self.columns:
            raise ValueError(f"column must be one of {self.columns}, got {column!r}")
        return self.columns.index(column)


def all_tables(columns: Mapping[str, Iterable[Any]], most_rows: int) -> list[Table]:
    """Return every table of at most `most_rows` rows, equal rows included, smallest first.

    >>> len(all_tables({"name": ["Ann", "Bob"], "item": ["tea", "jam"]}, 2))
    15

    Cost: C(r + m, m) tables, for r different rows and at most m of them in a table.
    """
    most_rows = whole_number(most_rows, "most_rows", 0)
    rows = list(product(*columns.values()))
    return [
        Table(tuple(columns), chosen)
        for size in range(most_rows + 1)
        for chosen in combinations_with_replacement(rows, size)
    ]


# --- what is protected -------------------------------------------------------------------


def row_distance(table: Table, other: Table) -> int:
    """Return how many rows must be removed from and added to one table to make the other.

    >>> row_distance(Table(("n",), [(1,), (1,)]), Table(("n",), [(1,), (2,)]))
    2
    """
    return _apart(table.rows, other.rows)


def _apart(rows: Iterable[Any], others: Iterable[Any]) -> int:
    held, wanted = Counter(rows), Counter(others)
    return (held - wanted).total() + (wanted - held).total()


def id_distance(column: str) -> Callable[[Any, Any], int]:
    """Return the distance that counts the IDs in `column` whose rows are not the same.

    An ID that only one side has counts 1: all its rows arrive or leave at once. An ID that both
    have, with different rows, counts 2: it leaves and comes back. Each side is a table, or a
    tuple of tables that all have the ID column.

    >>> before = Table(("name", "item"), [("Ann", "tea")])
    >>> after = Table(("name", "item"), [("Ann", "tea"), ("Bob", "jam"), ("Bob", "tea")])
    >>> id_distance("name")(before, after), row_distance(before, after)
    (1, 2)

    Source: the metric `AddRemoveKeys` of Tumult Core.
    """

    def distance(side: Any, other: Any) -> int:
        owned, others = (_rows_by_id(tables, column) for tables in (side, other))
        differing = (i for i in owned | others if owned.get(i) != others.get(i))
        return sum((i in owned) + (i in others) for i in differing)

    distance.__name__ = "id_distance"
    return distance


def _rows_by_id(tables: Table | Sequence[Table], column: str) -> dict[Row, list[Any]]:
    """Each ID's rows, with the number of the table that holds them."""
    owned: dict[Row, list[Any]] = {}
    for number, table in enumerate([tables] if isinstance(tables, Table) else tables):
        for key, rows in table.groups(column).items():
            owned.setdefault(key, []).append((number, rows))
    return owned


@dataclass(frozen=True)
class AddMaxRows:
    """The protected change "at most `max_rows` rows are added or removed".

    It leads to the tables that lie within `distance` by `metric`.

    >>> AddMaxRows(3).distance, AddMaxRows(3).metric is row_distance
    (3, True)

    Raises ValueError or TypeError unless `max_rows` is a whole number of at least 1.
    """

    max_rows: int

    def __post_init__(self) -> None:
        whole_number(self.max_rows, "max_rows", 1)

    @property
    def distance(self) -> int:
        """How far the change leads."""
        return self.max_rows

    @property
    def metric(self) -> Callable[[Any, Any], int]:
        """The distance that it is measured by."""
        return row_distance


def AddOneRow() -> AddMaxRows:
    """Return the protected change of a single row.

    >>> AddOneRow()
    AddMaxRows(max_rows=1)
    """
    return AddMaxRows(1)


@dataclass(frozen=True)
class AddRowsWithID:
    """The protected change "all rows with one ID are added or removed", however many they are.

    >>> before = Table(("name",))
    >>> after = Table(("name",), [("Ann",), ("Ann",)])
    >>> AddRowsWithID("name").metric(before, after)
    1
    """

    id: str
    distance = 1

    @property
    def metric(self) -> Callable[[Any, Any], int]:
        """The distance that the change is measured by."""
        return id_distance(self.id)


# --- what is done to tables --------------------------------------------------------------


def flat_map(
    table: Table, function: Callable[..., Iterable[Row]], columns: Sequence[str], *, max_rows: int
) -> Table:
    """Return a table with up to `max_rows` new rows in place of each row.

    `function` takes a row's values and gives rows under the new `columns`; what it gives beyond
    `max_rows` is dropped.

    >>> books = Table(("title", "genres"), [("Emma", "romance satire")])
    >>> flat_map(books, lambda title, genres: [(title, g) for g in genres.split()],
    ...          ("title", "genre"), max_rows=3).rows
    (('Emma', 'romance'), ('Emma', 'satire'))
    """
    whole_number(max_rows, "max_rows", 1)
    rows = [new for row in table.rows for new in list(function(*row))[:max_rows]]
    return Table(tuple(columns), tuple(rows))


def join(left: Table, right: Table, on: str) -> Table:
    """Return one row for each pair of a left and a right row that agree in the column `on`.

    >>> people = Table(("name", "zip"), [("Susie", 37752)])
    >>> states = Table(("zip", "state"), [(37752, "TN"), (37752, "VA")])
    >>> join(people, states, "zip").rows
    (('Susie', 37752, 'TN'), ('Susie', 37752, 'VA'))

    With a public right table this is a public join. Raises ValueError if another column has
    the same name on both sides.
    """
    place = right._place(on)
    added = right.columns[:place] + right.columns[place + 1 :]
    partners = right.groups(on)
    rows = [
        row + partner[:place] + partner[place + 1 :]
        for key, matches in left.groups(on).items()
        for row, partner in product(matches, partners.get(key, ()))
    ]
    return Table(left.columns + added, tuple(rows))


@dataclass(frozen=True)
class DropExcess:
    """Of the rows that share a key, keep the first `max_rows` in sorted order.

    >>> DropExcess(2)("cab")
    ('a', 'b')

    `most` rows of a key are kept; one row added changes at most `moved` of them: it comes in,
    and another goes out. That holds for every rule that ranks rows by an order fixed beforehand
    (Tumult ranks by a hash), not for every rule that looks at one key's rows alone.
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
    """
    kept = (truncation(rows) for rows in table.groups(*on).values())
    return Table(table.columns, tuple(row for rows in kept for row in rows))


def join_private(
    left: Table, right: Table, on: str, keep_left: Truncation, keep_right: Truncation
) -> Table:
    """Return the join of two private tables, each cut down on the join column beforehand.

    >>> users = Table(("id", "name"), [(1, "Ann"), (1, "Anne")])
    >>> buys = Table(("id", "item"), [(1, "tea")])
    >>> join_private(users, buys, "id", DropExcess(1), DropExcess(2)).rows
    ((1, 'Ann', 'tea'),)
    """
    return join(truncate(left, keep_left, on), truncate(right, keep_right, on), on)


@dataclass(frozen=True)
class MaxRowsPerID:
    """Keep at most `most` rows of each ID: the first in sorted order.

    >>> MaxRowsPerID("name", 1)(Table(("name", "item"), [("Ann", "tea"), ("Ann", "jam")])).rows
    (('Ann', 'jam'),)
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
    """

    id: str
    group: str
    most: int

    def __call__(self, table: Table) -> Table:
        """Return the table within the bound."""
        place, keep = table._place(self.group), DropExcess(self.most)

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
    """

    id: str
    group: str
    most: int

    def __call__(self, table: Table) -> Table:
        """Return the table within the bound."""
        return truncate(table, DropExcess(self.most), self.id, self.group)


def counts_by(table: Table, column: str, values: Iterable[Any]) -> tuple[int, ...]:
    """Return how many rows have each of the values.

    >>> counts_by(Table(("item",), [("tea",), ("tea",)]), "item", ["jam", "tea"])
    (0, 2)
    """
    groups = table.groups(column)
    return tuple(len(groups.get((value,), ())) for value in values)


# --- private joins: the formula, and every pair of small tables ---------------------------


def join_bound(left: Truncation, right: Truncation, *, rows_left: int, rows_right: int) -> int:
    """Return a bound on the rows of a private join that change: the formula of Tumult Core.

    `rows_left` and `rows_right` say how many rows of each table may be added or removed. A left
    row moves `left.moved` rows of its key, each in up to `right.most` rows of the join, and the
    other way round.

    >>> join_bound(DropExcess(2), DropExcess(2), rows_left=1, rows_right=1)
    8
    """
    return right.most * left.moved * rows_left + left.most * right.moved * rows_right


@dataclass(frozen=True)
class JoinStability:
    """The most that a private join moves, and the pairs of tables that attain it."""

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

    The tables have the columns key and user, and key and item. Up to `rows_left` rows of the left
    and `rows_right` of the right are added or removed. A table has `keys` keys, and a key as many
    rows as there are `values`, copies included. `of` is "rows" for the rows of the join that
    change, "count" for the change of their number.

    >>> found = join_stability(DropExcess(1), DropExcess(1), rows_left=1, rows_right=0)
    >>> found.value, found.before[0].rows, found.after[0].rows
    (2, ((0, 'b'),), ((0, 'a'), (0, 'b')))

    Equal to visiting every pair of pairs of tables. A row touches one key and keys add up, so
    each key's changes are tried once, and the allowance is then spread over the keys.
    Cost: the square of the steps from one group to another, which are few.
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
            if abs(len(one) - len(other)) <= distance and _apart(one, other) <= distance:
                kept = truncation(one), truncation(other)
                found.setdefault(kept, (one, other, *kept))
        within.append(list(found.values()))
    return within


def _rows_moved(left: Step, right: Step) -> int:
    """How many joined rows of one key are new or gone."""
    (*_, l1, l2), (*_, r1, r2) = left, right
    return _apart(product(l1, r1), product(l2, r2))


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


# --- what libraries say ------------------------------------------------------------------


def library_figures() -> pd.DataFrame:
    """Return sensitivities and noise parameters that Tumult and PipelineDP gave, with versions.

    >>> figures = library_figures()
    >>> list(figures.columns)
    ['library', 'version', 'date', 'query', 'parameters', 'quantity', 'value']
    >>> sorted(set(figures["library"]))
    ['pipeline-dp', 'tmlt.analytics', 'tmlt.core']

    They were asked by `scripts/libraries/*/figures.py`, each in an environment of its own. A
    value is missing where the library refuses the query.
    """
    data = resources.files("sensitivity_lab.teaching") / "data"
    files = (data / f"{name}.csv" for name in ("tumult", "pipelinedp"))
    tables = [pd.read_csv(file.open(encoding="utf-8")) for file in files]
    return pd.concat(tables, ignore_index=True)
