"""A population in sorted order, with exact sums over runs of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.universe import Dataset, Universe

Run = tuple[int, int]  # records start..stop − 1 of the sorted population


class Sums:
    """Prefix sums of whole numbers, exact: in one or two int64 halves, or as Python ints.

    >>> Sums(np.array([1, 2, 4]), largest=4).exact([(0, 2), (2, 3)])
    7

    `largest` is the largest magnitude among the numbers. Cost: one pass, O(m) memory.
    """

    def __init__(self, numbers: np.ndarray, largest: int) -> None:
        if numbers.dtype == object or largest >= 2**62:
            halves = [(1, numbers.astype(object))]
        elif largest * len(numbers) < 2**62:
            halves = [(1, numbers)]
        else:
            halves = [(2**31, numbers >> 31), (1, numbers & (2**31 - 1))]
        self.parts = [(unit, _prefix(half)) for unit, half in halves]

    def exact(self, runs: Sequence[Run]) -> int:
        """The sum over some runs.

        >>> Sums(np.array([2**61, 2**61, -1]), largest=2**61).exact([(0, 3)]) == 2**62 - 1
        True

        Cost: a subtraction for each run.
        """
        return sum(
            unit * (int(prefix[stop]) - int(prefix[start]))
            for unit, prefix in self.parts
            for start, stop in runs
        )

    def floats(self, start: Any, stop: Any) -> Any:
        """The sums over the runs from `start` to `stop` (whole numbers, slices or arrays).

        >>> Sums(np.array([1, 2, 4]), largest=4).floats(np.array([0, 1]), np.array([2, 3]))
        array([3., 6.])

        Each is rounded once, or twice where the sums are in two halves. Cost: linear in the runs.
        """
        parts = [(unit, prefix[stop] - prefix[start]) for unit, prefix in self.parts]
        return sum(unit * np.asarray(part).astype(float) for unit, part in parts)

    def whole(self, start: Any, stop: Any) -> Any:
        """The sums over runs given by arrays, exact: int64, or Python ints where that is too small.

        >>> Sums(np.array([1, 2, 4]), largest=4).whole(np.array([0, 1]), np.array([2, 3]))
        array([3, 6])

        Cost: linear in the runs.
        """
        parts = [(unit, prefix[stop] - prefix[start]) for unit, prefix in self.parts]
        if len(parts) == 1:
            return parts[0][1]
        return sum(unit * part.astype(object) for unit, part in parts)


def _prefix(numbers: np.ndarray) -> np.ndarray:
    prefix = np.zeros(len(numbers) + 1, dtype=numbers.dtype)
    np.cumsum(numbers, out=prefix[1:])
    return prefix


@dataclass(frozen=True, eq=False)
class SortedRecords:
    """The m records of a population, ascending: as given, and as whole numbers over `scale`.

    >>> SortedRecords.of(Universe.population([2.5, 1.0]))
    SortedRecords(given=array([1. , 2.5]), whole=array([10, 25]), scale=10)
    """

    given: np.ndarray
    whole: np.ndarray
    scale: int
    order: np.ndarray | None = field(
        default=None, repr=False
    )  # where each is in the ascending order

    @classmethod
    def of(cls, universe: Universe) -> SortedRecords:
        """Return the sorted records of a population.

        >>> len(SortedRecords.of(Universe.population([20, 10, 20])))
        3

        Cost: one sort, O(m log m).
        """
        given = universe.sorted_records
        whole, scale = universe.sorted_scaled
        return cls(given, whole, scale)

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, i: int) -> int:
        return int(self.whole[i])

    @cached_property
    def largest(self) -> int:
        """The largest magnitude among the whole numbers.

        >>> SortedRecords.of(Universe.population([-3, 1, 2])).largest
        3
        """
        return max(abs(self[0]), abs(self[-1]))

    @cached_property
    def sums(self) -> Sums:
        """Prefix sums of the whole numbers. Cost: one pass, once.

        >>> SortedRecords.of(Universe.population([1, 2, 4])).sums.exact([(1, 3)])
        6
        """
        return Sums(self.whole, self.largest)

    def total(self, runs: Sequence[Run]) -> int:
        """The sum of the whole numbers over some runs; short runs need no prefix sums.

        >>> SortedRecords.of(Universe.population([1, 2, 4])).total([(0, 1), (2, 3)])
        5

        Cost: the records of short runs, else a subtraction for each run.
        """
        if "sums" not in self.__dict__ and sum(stop - start for start, stop in runs) < 1000:
            return sum(int(n) for start, stop in runs for n in self.whole[start:stop])
        return self.sums.exact(runs)

    def numbers(self, runs: Sequence[Run]) -> list[int]:
        """The whole numbers of some runs, run after run, as Python ints.

        >>> SortedRecords.of(Universe.population([1, 2, 4])).numbers([(2, 3), (0, 1)])
        [4, 1]

        Cost: linear in the records.
        """
        return [number for start, stop in runs for number in self.whole[start:stop].tolist()]

    def count(self, runs: Sequence[Run]) -> int:
        """How many records some runs have.

        >>> SortedRecords.of(Universe.population([1, 2, 4])).count([(0, 1), (2, 3)])
        2

        Cost: linear in the runs.
        """
        return sum(stop - start for start, stop in runs)

    def dataset(self, runs: Sequence[Run]) -> Dataset:
        """The records of some runs, as a sorted tuple.

        >>> SortedRecords.of(Universe.population([1, 2, 4])).dataset([(2, 3), (0, 1)])
        (1, 4)

        Cost: O(n log n) for n records.
        """
        nothing = np.zeros(0, dtype=np.intp)
        positions = [np.arange(start, stop, dtype=np.intp) for start, stop in runs]
        chosen = np.concatenate([nothing, *positions])
        places = chosen if self.order is None else self.order[chosen]
        return tuple(self.given[chosen[np.argsort(places, kind="stable")]].tolist())

    def multiset(self, runs: Sequence[Run]) -> frozenset[tuple[Any, int]]:
        """The different records of some runs, each with its number of copies.

        >>> sorted(SortedRecords.of(Universe.population([4, 4, 1])).multiset([(0, 3)]))
        [(1, 1), (4, 2)]

        Cost: O(n) for n records.
        """
        return frozenset(Counter(self.dataset(runs)).items())
