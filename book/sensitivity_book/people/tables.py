"""Tables in which one person may own many rows, and how far apart two of them lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any

from sensitivity_book.stability.domains import SYMMETRIC
from sensitivity_lab.exact import whole_number

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """Rows under named columns, in any number of copies; kept sorted, so their order is no matter.

    >>> Table(("name", "age"), [("Susie", 40), ("Ann", 31)]).rows
    (('Ann', 31), ('Susie', 40))

    Cost: one sort. Raises ValueError for a column named twice, or a row without a value for each
    column.
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

        Cost: linear in the rows. Raises ValueError for a column that the table does not have.
        """
        places = [self.place(column) for column in columns]
        found: dict[Row, list[Row]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[i] for i in places), []).append(row)
        return {values: tuple(rows) for values, rows in found.items()}

    def place(self, column: str) -> int:
        """Return the place of a column in each row.

        >>> Table(("name", "item")).place("item")
        1

        Raises ValueError for a column that the table does not have.
        """
        if column not in self.columns:
            raise ValueError(f"column must be one of {self.columns}, got {column!r}")
        return self.columns.index(column)


def all_tables(columns: Mapping[str, Iterable[Any]], most_rows: int) -> list[Table]:
    """Return every table of at most `most_rows` rows, equal rows included, smallest first.

    >>> len(all_tables({"name": ["Ann", "Bob"], "item": ["tea", "jam"]}, 2))
    15

    Cost: C(r + m, m) tables, for r different rows and at most m of them in a table. Raises
    ValueError or TypeError unless `most_rows` is a whole number of at least 0.
    """
    most_rows = whole_number(most_rows, "most_rows", 0)
    rows = list(product(*columns.values()))
    return [
        Table(tuple(columns), chosen)
        for size in range(most_rows + 1)
        for chosen in combinations_with_replacement(rows, size)
    ]


# --- what is done to a table -------------------------------------------------------------


def flat_map(
    table: Table, function: Callable[..., Iterable[Row]], columns: Sequence[str], *, max_rows: int
) -> Table:
    """Return a table with up to `max_rows` new rows in place of each row.

    >>> books = Table(("title", "genres"), [("Emma", "romance satire")])
    >>> flat_map(books, lambda title, genres: [(title, g) for g in genres.split()],
    ...          ("title", "genre"), max_rows=3).rows
    (('Emma', 'romance'), ('Emma', 'satire'))

    `function` takes a row's values and gives rows under the new `columns`; what it gives beyond
    `max_rows` is dropped. Cost: one call for each row, and a sort. Raises ValueError unless
    `max_rows` is at least 1. One row moves at most `max_rows`: thm-people-row-by-row in
    notebooks/people-and-rows. Source: Tumult (2023).
    """
    whole_number(max_rows, "max_rows", 1)
    rows = [new for row in table.rows for new in list(function(*row))[:max_rows]]
    return Table(tuple(columns), tuple(rows))


def counts_by(table: Table, column: str, values: Iterable[Any]) -> tuple[int, ...]:
    """Return how many rows have each of the values.

    >>> counts_by(Table(("item",), [("tea",), ("tea",)]), "item", ["jam", "tea"])
    (0, 2)

    Cost: linear in the rows. Raises ValueError for a column that the table does not have.
    """
    groups = table.groups(column)
    return tuple(len(groups.get((value,), ())) for value in values)


# --- what is protected -------------------------------------------------------------------


def row_distance(table: Table, other: Table) -> int:
    """Return how many rows must be removed from and added to one table to make the other.

    >>> row_distance(Table(("n",), [(1,), (1,)]), Table(("n",), [(1,), (2,)]))
    2

    Cost: linear in the rows. Source: def-neighbour-distances in notebooks/neighbours.
    """
    return int(SYMMETRIC(table.rows, other.rows))


def id_distance(column: str) -> Callable[[Any, Any], int]:
    """Return the distance that counts the IDs in `column` whose rows are not the same.

    >>> before = Table(("name", "item"), [("Ann", "tea")])
    >>> after = Table(("name", "item"), [("Ann", "tea"), ("Bob", "jam"), ("Bob", "tea")])
    >>> id_distance("name")(before, after), row_distance(before, after)
    (1, 2)

    An ID that only one side has counts 1: all its rows arrive or leave at once. An ID that both
    have, with different rows, counts 2: it leaves and comes back. Each side is a table, or a
    tuple of tables that all have the ID column. Cost: linear in the rows. Raises ValueError for a
    table without the column. Source: the metric `AddRemoveKeys` of Tumult Core.
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
    Source: Tumult (2023); def-protected-change in notebooks/people-and-rows.
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

    Source: Tumult (2023); def-protected-change in notebooks/people-and-rows.
    """
    return AddMaxRows(1)


@dataclass(frozen=True)
class AddRowsWithID:
    """The protected change "all rows with one ID are added or removed", however many they are.

    >>> before = Table(("name",))
    >>> after = Table(("name",), [("Ann",), ("Ann",)])
    >>> AddRowsWithID("name").metric(before, after)
    1

    Source: Tumult (2023); def-protected-change in notebooks/people-and-rows.
    """

    id: str
    distance = 1

    @property
    def metric(self) -> Callable[[Any, Any], int]:
        """The distance that the change is measured by."""
        return id_distance(self.id)
