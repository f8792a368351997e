"""A population in sorted order, with exact sums over runs of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.proved.worst_pair import Run
from sensitivity_lab.universe import Dataset, Indices, Universe


class Sums:
    """Prefix sums of whole numbers, exact: in one or two int64 halves, or as Python ints."""

    def __init__(self, numbers: np.ndarray, largest: int) -> None:
        if numbers.dtype == object or largest >= 2**62:
            halves = [(1, numbers.astype(object))]
        elif largest * len(numbers) < 2**62:
            halves = [(1, numbers)]
        else:
            halves = [(2**31, numbers >> 31), (1, numbers & (2**31 - 1))]
        self.parts = [(unit, np.zeros(len(half) + 1, dtype=half.dtype)) for unit, half in halves]
        for (_, half), (_, prefix) in zip(halves, self.parts, strict=True):
            np.cumsum(half, out=prefix[1:])

    def exact(self, runs: Sequence[Run]) -> int:
        """The sum over some runs."""
        return sum(int(self.whole(start, stop)) for start, stop in runs)

    def floats(self, start: Any, stop: Any) -> Any:
        """The sums over the runs from `start` to `stop` (whole numbers, slices or arrays)."""
        parts = [(unit, prefix[stop] - prefix[start]) for unit, prefix in self.parts]
        return sum(unit * np.asarray(part).astype(float) for unit, part in parts)

    def whole(self, start: Any, stop: Any) -> Any:
        """The same sums, exact: int64, or Python ints where that is too small."""
        parts = [(unit, prefix[stop] - prefix[start]) for unit, prefix in self.parts]
        if len(parts) == 1:
            return parts[0][1]
        return sum(unit * np.asarray(part).astype(object) for unit, part in parts)


def consecutive(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """start, start + 1, … for each of `(N,)` starts, so many as its length says, end to end."""
    stops = np.cumsum(lengths, dtype=np.intp)
    shifts = starts - stops + lengths
    each = np.arange(stops[-1] if len(stops) else 0, dtype=np.intp)
    joined: np.ndarray = each + np.repeat(shifts, lengths)
    return joined


def peak(height: Callable[[int], Any], low: int, high: int) -> int:
    """The first whole number from low to high with the largest height,
    which rises and then falls."""
    while low < high:
        middle = (low + high) // 2
        if height(middle + 1) > height(middle):
            low = middle + 1
        else:
            high = middle
    return low


@dataclass(frozen=True, eq=False)
class SortedRecords:
    """The m records of a population, ascending: as given, and as whole numbers over `scale`."""

    given: np.ndarray
    whole: np.ndarray
    scale: int
    order: np.ndarray | None = None  # where each is in the ascending order

    @classmethod
    def of(cls, universe: Universe) -> SortedRecords:
        """Return the sorted records of a population."""
        return cls(universe.sorted_records, *universe.source.sorted_scaled)

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, i: int) -> int:
        return int(self.whole[i])

    @cached_property
    def largest(self) -> int:
        """The largest magnitude among the whole numbers."""
        return max(abs(self[0]), abs(self[-1]))

    @cached_property
    def sums(self) -> Sums:
        """Prefix sums of the whole numbers. Cost: one pass, once."""
        return Sums(self.whole, self.largest)

    def total(self, runs: Sequence[Run]) -> int:
        """The sum of the whole numbers over some runs; short runs need no prefix sums."""
        if "sums" not in self.__dict__ and sum(stop - start for start, stop in runs) < 1000:
            return sum(int(n) for start, stop in runs for n in self.whole[start:stop])
        return self.sums.exact(runs)

    def dataset(self, runs: Sequence[Run]) -> Dataset:
        """The records of some runs, as a sorted tuple."""
        nothing = np.zeros(0, dtype=np.intp)
        positions = [np.arange(start, stop, dtype=np.intp) for start, stop in runs]
        chosen = np.concatenate([nothing, *positions])
        places = chosen if self.order is None else self.order[chosen]
        return tuple(self.given[chosen[np.argsort(places, kind="stable")]].tolist())

    def multiset(self, runs: Sequence[Run]) -> frozenset[tuple[Any, int]]:
        """The different records of some runs, each with its number of copies."""
        return frozenset(Counter(self.dataset(runs)).items())


class Pool:
    """A dataset and what is spare, as sorted positions among the universe's values:
    (n,) and (m,)."""

    def __init__(self, universe: Universe, dataset: Indices, most_added: int) -> None:
        """Of a range as many copies of each value are spare as can be asked for."""
        self.universe, self.dataset = universe, dataset
        self.own = np.array(dataset, dtype=np.intp)
        free = universe.most_copies(len(dataset) + most_added)
        free = np.minimum(free - np.bincount(self.own, minlength=len(free)), most_added)
        self.spare = np.repeat(np.arange(len(free), dtype=np.intp), free)


def joined(*parts: np.ndarray) -> Indices:
    """One sorted dataset of several parts."""
    return tuple(np.sort(np.concatenate(parts)).tolist())
