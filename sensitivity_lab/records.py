"""A population in sorted order, with exact sums over runs of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.enumeration import Gap
from sensitivity_lab.exact import Exact
from sensitivity_lab.universe import Dataset, Universe

Run = tuple[int, int]  # records start..stop − 1 of the sorted population


class Sums:
    """Prefix sums of whole numbers, exact: in one or two int64 halves, or as Python ints."""

    def __init__(self, numbers: np.ndarray, largest: int) -> None:
        if numbers.dtype == object or largest >= 2**62:
            halves = [(1, numbers.astype(object))]
        elif largest * len(numbers) < 2**62:
            halves = [(1, numbers)]
        else:
            halves = [(2**31, numbers >> 31), (1, numbers & (2**31 - 1))]
        self.parts = [(unit, _prefix(half)) for unit, half in halves]

    def exact(self, runs: Sequence[Run]) -> int:
        """The sum over some runs."""
        return sum(
            unit * (int(prefix[stop]) - int(prefix[start]))
            for unit, prefix in self.parts
            for start, stop in runs
        )

    def floats(self, start: Any, stop: Any) -> Any:
        """The sums over the runs from `start` to `stop` (whole numbers, slices or arrays)."""
        parts = [(unit, prefix[stop] - prefix[start]) for unit, prefix in self.parts]
        return sum(unit * np.asarray(part).astype(float) for unit, part in parts)

    def whole(self, start: Any, stop: Any) -> Any:
        """The sums over runs given by arrays, exact: int64, or Python ints where that is too small."""
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
    """The records of a population, ascending: as given, and as whole numbers over `scale`."""

    given: np.ndarray
    whole: np.ndarray
    scale: int

    @classmethod
    def of(cls, universe: Universe) -> SortedRecords:
        """Return the sorted records of a population. Cost: one sort."""
        given = universe.sorted_records
        whole, scale = universe.sorted_scaled
        return cls(given, whole, scale)

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, place: int) -> int:
        return int(self.whole[place])

    @cached_property
    def largest(self) -> int:
        """The largest magnitude among the whole numbers."""
        return max(abs(self[0]), abs(self[-1]))

    @cached_property
    def sums(self) -> Sums:
        """Prefix sums of the whole numbers."""
        return Sums(self.whole, self.largest)

    def total(self, runs: Sequence[Run]) -> int:
        """The sum of the whole numbers over some runs; short runs need no prefix sums."""
        if "sums" not in self.__dict__ and sum(stop - start for start, stop in runs) < 1000:
            return sum(int(n) for start, stop in runs for n in self.whole[start:stop])
        return self.sums.exact(runs)

    def count(self, runs: Sequence[Run]) -> int:
        """How many records some runs have."""
        return sum(stop - start for start, stop in runs)

    def dataset(self, runs: Sequence[Run]) -> Dataset:
        """The records of some runs, as a sorted tuple."""
        places = [np.arange(start, stop) for start, stop in runs] or [np.arange(0)]
        return tuple(self.given[np.sort(np.concatenate(places))].tolist())


@dataclass(frozen=True)
class Copies:
    """A value range, whose runs are (value, number of copies)."""

    universe: Universe

    def count(self, runs: Sequence[tuple[Exact, int]]) -> int:
        """How many records some runs have."""
        return sum(copies for _, copies in runs)

    def dataset(self, runs: Sequence[tuple[Exact, int]]) -> Dataset:
        """The records of some runs, as a sorted tuple of the caller's values."""
        given = dict(zip(self.universe.exact_values, self.universe.values, strict=True))
        records = sorted(value for value, copies in runs for _ in range(copies))
        return tuple(given[value] for value in records)


@dataclass(frozen=True)
class Solved:
    """The widest gap, and the runs of records: shared, the higher side's, the lower's.

    `attained` says that those records have this gap; else it is only a bound. `swapped` says
    that the dataset is the lower side and its neighbour the higher.
    """

    records: SortedRecords | Copies
    gap: Gap
    common: tuple[Any, ...]
    higher: tuple[Any, ...]
    lower: tuple[Any, ...]
    attained: bool = True
    swapped: bool = False

    @property
    def size(self) -> int:
        """How many records the larger of the two datasets has."""
        count = self.records.count
        return count(self.common) + max(count(self.higher), count(self.lower))

    def pair(self) -> tuple[Dataset, Dataset]:
        """The dataset and its neighbour."""
        sides = [self.records.dataset(self.common + side) for side in (self.higher, self.lower)]
        return (sides[1], sides[0]) if self.swapped else (sides[0], sides[1])
