"""Two neighbours whose answers lie furthest apart, and the widest of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import starmap
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from sensitivity_lab.numbers.exact import simplest
from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.universe import Dataset, Indices, Universe

Run = tuple[int, int]  # records start..stop − 1 of a sorted population


class Copies(NamedTuple):
    """Copies of a value."""

    value: Any
    times: int


Part = TypeVar("Part", contravariant=True)  # a run, or copies
Parts = Sequence[Run | Copies]  # some records of a pair
Share = tuple[int, int, int, bool]  # c, a, b, and whether the dataset is the side with b


def records_in(parts: Parts) -> int:
    """How many records some parts have."""
    runs, copies = apart(parts)
    return sum(stop - start for start, stop in runs) + sum(times for _, times in copies)


def apart(parts: Parts) -> tuple[list[Run], list[Copies]]:
    """The runs among some parts, and the copies."""
    copies = [part for part in parts if isinstance(part, Copies)]
    return [part for part in parts if not isinstance(part, Copies)], copies


class Parted(Protocol[Part]):
    """The records that the parts of a pair are parts of: all runs, or all copies."""

    def dataset(self, parts: Sequence[Part]) -> Dataset:
        """The records of some parts, as a sorted tuple."""

    def multiset(self, parts: Sequence[Part]) -> frozenset[tuple[Any, int]]:
        """The different records of some parts, each with its number of copies."""


@dataclass(frozen=True)
class CopiesOf:
    """Records that are copies of values; `given` has the caller's record for each value."""

    given: Mapping[Any, Any] | None = None

    def dataset(self, parts: Sequence[Copies]) -> Dataset:
        ascending = sorted(_copies(parts).items())
        given = (lambda x: simplest(Fraction(x))) if self.given is None else self.given.__getitem__
        return tuple(record for x, times in ascending for record in [given(x)] * times)

    def multiset(self, parts: Sequence[Copies]) -> frozenset[tuple[Any, int]]:
        return frozenset(_copies(parts).items())


@dataclass(frozen=True)
class AtPositions(Generic[Part]):
    """Records of a universe, which stand somewhere among its values."""

    universe: Universe

    def dataset(self, parts: Sequence[Part]) -> Dataset:
        given: Dataset = self.universe.given(self.positions(parts))
        return given

    def positions(self, parts: Sequence[Part]) -> list[int]:
        """Where the records of some parts stand among the universe's values, sorted."""
        raise NotImplementedError

    def multiset(self, parts: Sequence[Part]) -> frozenset[tuple[Any, int]]:
        values = self.universe.values
        return frozenset((values[i], n) for i, n in Counter(self.positions(parts)).items())


class CopiesAt(AtPositions[Copies]):
    """Copies of values, each named by its position."""

    def positions(self, parts: Sequence[Copies]) -> list[int]:
        return sorted(_copies(parts).elements())


def _copies(parts: Sequence[Copies]) -> Counter[Any]:
    """How many copies there are of each value."""
    copies: Counter[Any] = Counter()
    for value, times in parts:
        copies[value] += times
    return +copies


@dataclass(frozen=True)
class WorstPair:
    """The widest gap and its two datasets: shared records, and those of each (def-share)."""

    gap: Gap
    common: Parts = ()
    removed: Parts = ()
    added: Parts = ()
    records: Parted[Any] = field(default=CopiesOf(), repr=False)
    attained: bool = True
    shown: bool = True

    @classmethod
    def between(
        cls, gap: Gap, dataset: Indices, neighbour: Indices, universe: Universe
    ) -> WorstPair:
        """The pair of two datasets of positions among a universe's values."""
        here, there = Counter(dataset), Counter(neighbour)
        parts = ((here & there).items(), (here - there).items(), (there - here).items())
        return cls(gap).in_copies(parts, CopiesAt(universe))

    @classmethod
    def of_copies(cls, gap: Gap, *parts: Iterable[tuple[Any, int]], **options: Any) -> WorstPair:
        """The pair of so many copies of some values: shared, removed and added."""
        return cls(gap, **options).in_copies(parts)

    @property
    def size(self) -> int:
        """How many records the larger of the two datasets has."""
        return records_in(self.common) + max(records_in(self.removed), records_in(self.added))

    def in_copies(
        self, parts: Iterable[Iterable[tuple[Any, int]]], records: Parted[Any] = CopiesOf()
    ) -> WorstPair:
        """The same gap of so many copies of some values."""
        common, removed, added = (tuple(starmap(Copies, part)) for part in parts)
        return replace(self, common=common, removed=removed, added=added, records=records)

    @property
    def parts(self) -> tuple[Any, Any, Any]:
        """What both datasets share, what only the first has, and what only the other."""
        return self.common, self.removed, self.added

    def reversed(self) -> WorstPair:
        """The same pair, the other dataset first."""
        return replace(self, removed=self.added, added=self.removed)

    def sides(self) -> tuple[Any, Any]:
        """The parts of the dataset, and those of its neighbour."""
        return (*self.common, *self.removed), (*self.common, *self.added)

    def at_positions(self) -> list[Indices]:
        """Where the records of both stand among their universe's values."""
        assert isinstance(self.records, AtPositions)
        return [tuple(self.records.positions(side)) for side in self.sides()]

    def pair(self) -> tuple[Dataset, Dataset]:
        """The dataset and its neighbour. Cost: O(n log n) for n records: both are built."""
        dataset, neighbour = map(self.records.dataset, self.sides())
        return dataset, neighbour


# The widest gap for (c, a, b) by which the side with a exceeds that with b, that side first.
D = Callable[[int, int, int], WorstPair | None]


def shares(moves: Iterable[tuple[int, int, int]]) -> Iterator[Share]:
    """Every (c, a, b), from either side, of datasets of a size and what they remove and add."""
    for size, removed, added in moves:
        yield size - removed, removed, added, False
        if removed != added:
            yield size - removed, added, removed, True


def widest(d: D, asked: Iterable[Share]) -> WorstPair | None:
    """The widest of several pairs, the first of equals (thm-share)."""
    best: WorstPair | None = None
    # Ties are kept by the first, so the nearest neighbours stay in front.
    for c, a, b, is_reversed in asked:
        pair = d(c, a, b)
        if pair is None:
            return None
        if best is None or (pair.gap, pair.attained) > (best.gap, best.attained):
            best = pair.reversed() if is_reversed else pair
    return best
