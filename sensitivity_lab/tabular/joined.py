"""Tables that are joined on the columns they share: how they hang together, and how many rows match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

from sensitivity_lab.exact import brief
from sensitivity_lab.tabular.rows import cells_of, table

Columns = tuple[str, ...]
Key = tuple[Any, ...]  # what a row has in some columns


@dataclass(frozen=True)
class Joined:
    """The natural join of some tables, each told by its name and the columns that count.

    >>> shop = Joined((("orders", ("customer", "order")), ("items", ("order", "item"))))
    >>> shop.links["items"], shop.hung
    (('order',), (('orders', 'items'),))

    Rows match that agree in every column of one name; what is missing matches nothing, as in SQL.
    """

    tables: tuple[tuple[str, Columns], ...]

    @cached_property
    def columns(self) -> dict[str, Columns]:
        """The columns of each table."""
        return dict(self.tables)

    @cached_property
    def links(self) -> dict[str, Columns]:
        """Of each table the columns that another has too: the rest has no part in the count."""
        times = Counter(column for _, columns in self.tables for column in columns)
        return {name: tuple(c for c in columns if times[c] > 1) for name, columns in self.tables}

    def shared(self, one: str, other: str) -> Columns:
        """The columns that two tables are joined on, in one order whichever is asked first."""
        return tuple(sorted({*self.links[one]} & {*self.links[other]}))

    @cached_property
    def hung(self) -> tuple[tuple[str, str], ...]:
        """Tables as they come off, each with the one it hangs from: all of it that others have.

        Books on databases call this the GYO reduction.
        """
        left, hung = dict(self.links), []
        while pair := _hanging(left):
            hung.append(pair)
            del left[pair[0]]
        return tuple(hung)

    @cached_property
    def core(self) -> Columns:
        """The tables that do not come off: one of an acyclic join, three or more of a cyclic one."""
        gone = {name for name, _ in self.hung}
        return tuple(name for name in self.links if name not in gone)

    @property
    def acyclic(self) -> bool:
        """Whether the tables hang together as a tree.

        >>> around = [("r", ("a", "b")), ("s", ("b", "c")), ("t", ("c", "a"))]
        >>> Joined(tuple(around[:2])).acyclic, Joined(tuple(around)).acyclic
        (True, False)
        """
        return len(self.core) == 1

    def keys(self, name: str, frame: Any) -> list[Key]:
        """What each row of a table has in its links.

        Raises TypeError for what is no table, ValueError for one without a column.
        """
        rows = table(frame, f"table {name}")
        for column in self.columns[name]:
            if column not in rows.columns:
                raise ValueError(
                    f"table {name} must have the column {column!r}, got the columns "
                    f"{', '.join(map(str, rows.columns))}"
                )
        if not self.links[name]:
            return [()] * len(rows)
        cells = (cells_of(rows.get_column(column)) for column in self.links[name])
        return list(zip(*cells, strict=True))

    def count(self, frames: Mapping[str, Any]) -> int:
        """How many rows the join has.

        Cost: linear in the rows of an acyclic join; of the tables that do not come off, two are
        joined at a time.
        """
        held = {name: self._part(name, frames) for name, _ in self.tables}
        for name, onto in self.hung:
            held[onto] = held[onto].weighted(held.pop(name))
        first, *rest = held.values()
        while rest:
            partner = max(rest, key=lambda part: len({*part.columns} & {*first.columns}))
            rest.remove(partner)
            first = first.joined(partner, {c for part in rest for c in part.columns})
        return sum(first.times.values())

    def _part(self, name: str, frames: Mapping[str, Any]) -> Part:
        if name not in frames:
            raise ValueError(
                f"dataset must have the table {name!r}, got the tables {', '.join(map(str, frames))}"
            )
        known = (key for key in self.keys(name, frames[name]) if None not in key)
        return Part(self.links[name], Counter(known))


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of one table, or of several joined: how often each key of some columns comes."""

    columns: Columns
    times: Mapping[Key, int]

    def picker(self, columns: Iterable[str]) -> Callable[[Key], Key]:
        """What picks some columns from a key."""
        return picker(self.columns, columns)

    def summed(self, columns: Columns) -> dict[Key, int]:
        """How often each key of fewer columns comes."""
        pick, sums = self.picker(columns), dict[Key, int]()
        for key, n in self.times.items():
            few = pick(key)
            sums[few] = sums.get(few, 0) + n
        return sums

    def weighted(self, other: Part) -> Part:
        """These rows, each as often as it matches rows of a part that hangs from them."""
        shared = tuple(column for column in other.columns if column in self.columns)
        matches, pick = other.summed(shared), self.picker(shared)
        times = {key: n * matches.get(pick(key), 0) for key, n in self.times.items()}
        return Part(self.columns, {key: n for key, n in times.items() if n})

    def joined(self, other: Part, needed: set[str]) -> Part:
        """The rows of both joined, told by the columns that are needed later."""
        both = {*self.columns} & {*other.columns}
        shared = tuple(column for column in self.columns if column in both)
        partners: dict[Key, list[tuple[Key, int]]] = {}
        pick = other.picker(shared)
        for key, n in other.times.items():
            partners.setdefault(pick(key), []).append((key, n))
        whole = (*self.columns, *(column for column in other.columns if column not in both))
        mine, theirs = self.picker(shared), other.picker(whole[len(self.columns) :])
        kept = tuple(column for column in whole if column in needed)
        keep, times = picker(whole, kept), Counter[Key]()
        for key, n in self.times.items():
            for partner, m in partners.get(mine(key), ()):
                times[keep(key + theirs(partner))] += n * m
        return Part(kept, times)


def picker(columns: Columns, picked: Iterable[str]) -> Callable[[Key], Key]:
    """What picks some of a key's columns, always as a tuple.

    >>> picker(("a", "b", "c"), ["c"])((1, 2, 3)), picker(("a",), [])((1,))
    ((3,), ())
    """
    places = [columns.index(column) for column in picked]
    if len(places) > 1:
        return itemgetter(*places)
    if not places:
        return lambda key: ()
    (place,) = places
    return lambda key: (key[place],)


def _hanging(links: Mapping[str, Columns]) -> tuple[str, str] | None:
    """A table whose columns that others have too are all in one of them, and that one."""
    for name, columns in links.items():
        others = [other for other in links if other != name]
        bound = {c for c in columns if any(c in links[other] for other in others)}
        for other in others:
            if bound <= {*links[other]}:
                return name, other
    return None


def checked_tables(schema: Any) -> tuple[tuple[str, Columns], ...]:
    """A schema as pairs of a table's name and its columns.

    >>> checked_tables({"items": ["order", "item"]})
    (('items', ('order', 'item')),)

    Raises TypeError for what is no dict of lists of names, ValueError for a table without columns
    or with one twice, and where there is no table.
    """
    if not isinstance(schema, Mapping):
        raise TypeError(f"schema must be a dict of tables and their columns, got {brief(schema)}")
    if not schema:
        raise ValueError("schema must have at least one table, got none")
    return tuple((_name(name, "a table"), _columns(name, schema[name])) for name in schema)


def _columns(name: str, columns: Any) -> Columns:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(
            f"in schema the columns of {name} must be a list of names, got {brief(columns)}"
        )
    names = tuple(_name(column, f"a column of {name}") for column in columns)
    if not names:
        raise ValueError(f"in schema table {name} must have at least one column, got none")
    if len({*names}) < len(names):
        raise ValueError(
            f"in schema the columns of {name} must be different, got {', '.join(names)}"
        )
    return names


def _name(name: Any, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"in schema the name of {what} must be text, got {brief(name)}")
    return name
