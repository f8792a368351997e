"""Shapes of joins, and the exact sensitivities of all datasets of a small universe at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import sensitivity_lab as sl

Record = tuple[Any, ...]  # the name of a table, then a row of it
MOST_RECORDS = 20  # of a world: it answers two to the power of these datasets


@dataclass(frozen=True)
class Shape:
    """A counting join: tables, each with a letter for every column; equal letters are joined."""

    name: str
    parts: tuple[tuple[str, str], ...]

    def __call__(self, records: Sequence[Record]) -> int:
        """How many rows the join has."""
        return sum(1 for _ in self.results(records))

    def results(self, records: Sequence[Record], parts: Any = None) -> Iterator[dict[Any, Any]]:
        """Each row of the join of all parts, or of some: values by letter, positions by part."""
        yield from self._extended(records, tuple(self.parts_at(parts)), {})

    def parts_at(self, which: Any = None) -> list[int]:
        """The positions of all parts, or of some, in order."""
        return list(range(len(self.parts))) if which is None else sorted(which)

    def _extended(
        self, records: Sequence[Record], left: tuple[int, ...], bound: dict[Any, Any]
    ) -> Iterator[dict[Any, Any]]:
        if not left:
            yield bound
            return
        table, letters = self.parts[left[0]]
        for place, (name, *row) in enumerate(records):
            if name == table and all(
                bound.get(c, v) == v for c, v in zip(letters, row, strict=True)
            ):
                more = dict(zip(letters, row, strict=True)) | {left[0]: place}
                yield from self._extended(records, left[1:], bound | more)

    @cached_property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """Each table, with the positions of its parts."""
        found: dict[str, tuple[int, ...]] = {}
        for i, (table, _) in enumerate(self.parts):
            found[table] = (*found.get(table, ()), i)
        return found

    def boundary(self, parts: Iterable[int]) -> list[str]:
        """The letters that some parts share with the others."""
        within = {*parts}
        inside, outside = set[str](), set[str]()
        for i, (_, letters) in enumerate(self.parts):
            (inside if i in within else outside).update(letters)
        return sorted(inside & outside)

    @property
    def query(self) -> sl.Query:
        """The count as a query, of records that begin with the name of their table."""
        return sl.Query(self.name, self, smallest_size=0)


@dataclass(frozen=True, eq=False)
class World:
    """All datasets of a small universe of records, numbered: bit i says that record i is in it."""

    shape: Shape
    records: Sequence[Record]

    def __post_init__(self) -> None:
        if len(self.records) > MOST_RECORDS:
            raise sl.TooLarge(
                f"records must be at most {MOST_RECORDS}, "
                f"got {len(self.records)} of {self.shape.name}"
            )

    @cached_property
    def answers(self) -> np.ndarray:
        """The count on every dataset, (2ᴺ,): the rows of the whole join that have all they need."""
        return self._held(
            self._needed(row, range(len(self.shape.parts)))
            for row in self.shape.results(self.records)
        )

    def matches(self, parts: frozenset[int]) -> np.ndarray:
        """The most rows of the join of some parts that agree on its boundary, (2ᴺ,): T."""
        shared, of_key = self.shape.boundary(parts), dict[Record, list[int]]()
        for row in self.shape.results(self.records, parts):
            of_key.setdefault(tuple(row[c] for c in shared), []).append(self._needed(row, parts))
        most = np.zeros(1 << len(self.records), dtype=np.int64)
        for needed in of_key.values():
            most = np.maximum(most, self._held(needed))
        return most

    def _needed(self, row: dict[Any, Any], parts: Iterable[int]) -> int:
        """The records that a row of a join is made of, as a dataset's number."""
        return sum(1 << place for place in {row[i] for i in parts})

    def _held(self, needed: Iterable[int]) -> np.ndarray:
        """How many of some datasets each dataset holds, (2ᴺ,)."""
        found = np.zeros(1 << len(self.records), dtype=np.int64)
        for number in needed:
            found[number] += 1
        for place in self._places:
            halves = found.reshape(-1, 2, 1 << place)
            halves[:, 1] += halves[:, 0]
        return found

    @cached_property
    def local(self) -> np.ndarray:
        """The local sensitivity of every dataset, (2ᴺ,)."""
        moved = [
            np.abs(self._next_to(self.answers, place) - self.answers) for place in self._places
        ]
        most: np.ndarray = np.maximum.reduce(moved)
        return most

    @property
    def _places(self) -> range:
        return range(len(self.records))

    def _next_to(self, of_all: np.ndarray, place: int) -> np.ndarray:
        """What holds of each dataset's neighbour by one record."""
        return np.flip(of_all.reshape(-1, 2, 1 << place), axis=1).reshape(-1)

    def at_distances(self) -> Iterator[np.ndarray]:
        """The largest local sensitivity within k = 0, 1, 2, … records of every dataset,
        (2ᴺ,) each."""
        here = self.local
        for _ in range(len(self.records) + 1):
            yield here
            here = np.maximum.reduce([here, *(self._next_to(here, i) for i in self._places)])

    def smooth(self, beta: float) -> np.ndarray:
        """The smooth sensitivity of every dataset: the largest e^(−βk) of what is at distance k.

        Source: Nissim, Raskhodnikova and Smith (2007).
        """
        discounted = [here * np.exp(-beta * k) for k, here in enumerate(self.at_distances())]
        most: np.ndarray = np.maximum.reduce(discounted)
        return most

    def dataset(self, number: int) -> tuple[Record, ...]:
        """The records of a dataset, by its number."""
        return tuple(record for i, record in enumerate(self.records) if number >> i & 1)

    def number(self, dataset: Sequence[Record]) -> int:
        """The number of a dataset of different records."""
        return sum(1 << self.records.index(record) for record in dataset)
