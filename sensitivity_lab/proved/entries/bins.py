"""Counts by kind of record: histograms, and predicates, which have one bin.

A record counts in one bin or in none, so a gap asks only how many of the a and of the b lie in
each bin; the shared records cancel (thm-histogram, thm-count).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact, RootGap
from sensitivity_lab.numbers.gap import Gap, Norm
from sensitivity_lab.proved.entries.groups import first_unused
from sensitivity_lab.proved.entries.splits import OUTSIDE, Rooms, Splits
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import D, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Dataset, Indices


@dataclass(frozen=True)
class CountWhere(Family):
    """The number of records for which a predicate is true: a histogram of one bin."""

    count: Callable[[Dataset], int]

    falls = True
    at_ends = True
    among_records = False
    of_anything = True

    def is_true(self, record: Any) -> bool:
        """Whether a dataset of this record alone counts one."""
        return bool(self.count((record,)))

    def words(self, norm: Norm) -> Words:
        texts = {"any": ("k", "k"), "Change": ("min(k, n)", "k")}
        return Words("count", texts, "the predicate is true for some value and false for another")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """The predicate's records are not known, so there is a value but no witness."""
        return lambda c, a, b: WorstPair(a, shown=False)

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        true = [value for value in values if self.is_true(value)]
        false = [value for value in values if value not in true]
        return between_bins(true[:1], false[0] if false else None, 1)

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        true = np.array([self.is_true(record) for record in records.given.tolist()], dtype=np.int64)
        order = np.argsort(true, kind="stable")  # the false, then the true
        by_truth = SortedRecords(records.given[order], true[order], 1, order)
        false = len(true) - int(np.count_nonzero(true))
        return _of_runs(by_truth, [(false, len(true))], [(0, false)], 1)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        bins = [0 if self.is_true(value) else -1 for value in pool.universe.values]
        neighbour = _by_bins(pool, np.array(bins, dtype=np.intp), move, norm)
        return None if neighbour is None else [neighbour]


@dataclass(frozen=True)
class Histogram(Family):
    """The counts in each bin: half-open, but the last."""

    edges: tuple[Exact, ...]

    falls = True
    at_ends = True

    def words(self, norm: Norm) -> Words:
        name = "∞" if norm == math.inf else str(int(norm))
        change = {
            "1": ("2·min(k, n)", "2·k"),
            "2": ("√2·min(k, n)", "√2·k"),
            "∞": ("min(k, n)", "k"),
        }
        texts = {"any": ("k", "k"), "Change": change[name]}
        return Words("histogram", texts, "the bounds reach two bins or more; one record per person")

    def words_within(self, interval: Interval, norm: Norm) -> Words:
        """As `words`; of bounds that reach fewer than two bins, what is left of the formula."""
        reached, outside = self._reached(interval)
        if len(reached) > 1:
            return self.words(norm)
        texts, which = {"any": ("0", "0")}, "no bin"
        if reached:
            change = ("min(k, n)", "k") if outside else ("0", "0")
            which = "one bin, and values beside it" if outside else "one bin alone"
            texts = {"any": ("k", "k"), "Change": change}
        return Words("histogram", texts, f"the bounds reach {which}; one record per person")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        reached, outside = self._reached(interval)
        return between_bins(reached, outside[0] if outside else None, norm)

    def _reached(self, interval: Interval) -> tuple[list[Exact], list[Exact]]:
        """A value within the bounds for every bin they reach, and those that no bin counts."""
        low, high = interval.low, interval.high
        reached = []
        for left, right in pairwise(self.edges):
            value = max(left, low)
            is_last = right == self.edges[-1]
            if value <= high and (value < right or (is_last and value == right)):
                reached.append(value)
        return reached, [value for value in (low, high) if self.bin_of(value) < 0]

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        """One value for each bin that holds any, and one that no bin counts."""
        reached: dict[int, Exact] = {}
        for value in values:
            reached.setdefault(self.bin_of(value), value)
        outside = [value for value in values if self.bin_of(value) < 0]
        reached.pop(-1, None)
        return between_bins(list(reached.values()), outside[-1] if outside else None, norm)

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        """Each bin is a run of the sorted records; those before and after are in none."""
        starts = self._starts(records.whole, records.scale)
        outside = [(0, starts[0]), (starts[-1], len(records))]
        return _of_runs(records, list(pairwise(starts)), outside, norm)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        whole, scale = pool.universe.scaled
        starts = self._starts(whole, scale)
        bins = np.full(len(whole), -1, dtype=np.intp)
        each = np.arange(len(starts) - 1, dtype=np.intp)
        bins[starts[0] : starts[-1]] = np.repeat(each, np.diff(starts))
        neighbour = _by_bins(pool, bins, move, norm)
        return None if neighbour is None else [neighbour]

    def _starts(self, whole: np.ndarray, scale: int) -> list[int]:
        """Where each bin's run of sorted whole numbers over a scale begins, and where the last ends."""
        scaled = [math.ceil(Fraction(edge) * scale) for edge in self.edges[:-1]]
        starts = [bisect_left(whole, edge, key=int) for edge in scaled]
        last = math.floor(Fraction(self.edges[-1]) * scale)
        return [*starts, max(bisect_right(whole, last, key=int), starts[-1])]

    def bin_of(self, value: Exact) -> int:
        """The bin of a value, or −1 for none."""
        if not self.edges[0] <= value <= self.edges[-1]:
            return -1
        return sum(value >= edge for edge in self.edges[1:-1])


def between_bins(reached: Sequence[Exact], uncounted: Exact | None, norm: Norm) -> D:
    """All a in one room, all b in another: two bins, or a bin and outside, if both are there."""

    def length(a: int, b: int) -> Gap:
        if norm == 2:
            return RootGap(a * a + b * b, 0)
        return a + b if norm == 1 else max(a, b)

    def d(c: int, a: int, b: int) -> WorstPair:
        if len(reached) > 1:
            one, other, gap = reached[0], reached[1], length(a, b)
        elif reached and uncounted is not None:
            one, other, gap = reached[0], uncounted, length(max(a, b), 0)
            one, other = (one, other) if a >= b else (other, one)
        elif reached:
            one = other = reached[0]
            gap = length(abs(a - b), 0)
        else:
            assert uncounted is not None
            one = other = uncounted
            gap = length(0, 0)
        return WorstPair.of_copies(gap, ((one, c),), ((one, a),), ((other, b),))

    return d


def _of_runs(records: SortedRecords, bins: Sequence[Run], outside: Sequence[Run], norm: Norm) -> D:
    """How many of the a, and of the b, lie in each bin; any that are left are shared."""
    runs = np.array(bins, dtype=np.int64).reshape(-1, 2)
    not_counted = sum(stop - start for start, stop in outside)
    splits = Splits(Rooms.shared(runs[:, 1] - runs[:, 0], not_counted), norm)

    def places(position: int, first: int, stop: int) -> list[Run]:
        """Where those from `first` to `stop` of a bin's records are."""
        if position == OUTSIDE:
            return _cut(outside, first, stop)
        return [(bins[position][0] + first, bins[position][0] + stop)]

    def d(c: int, a: int, b: int) -> WorstPair | None:
        found = splits.best(a, b)
        if found is None:
            return None
        score, parts = found
        higher = [run for i, x, _ in parts if x for run in places(i, 0, x)]
        lower = [run for i, x, y in parts if y for run in places(i, x, x + y)]
        shared = first_unused([*higher, *lower], c, len(records))
        gap = RootGap(score, 0) if norm == 2 else score
        return WorstPair(gap, shared, tuple(higher), tuple(lower), records)

    return d


def _cut(runs: Sequence[Run], first: int, stop: int) -> list[Run]:
    """Some records of runs that follow one another, by their numbers."""
    parts = []
    for start, end in runs:
        length = end - start
        part = start + min(max(first, 0), length), start + min(max(stop, 0), length)
        parts.append(part)
        first, stop = first - length, stop - length
    return [part for part in parts if part[0] < part[1]]


def _by_bins(pool: Pool, bins: np.ndarray, move: Move, norm: Norm) -> Indices | None:
    """The neighbour of a dataset that loses and gains as many in each bin as is worst."""
    own, spare = bins[pool.own], bins[pool.spare]
    number = int(bins.max(initial=-1)) + 1
    held, free = (np.bincount(of + 1, minlength=number + 1) for of in (own, spare))
    found = _splits_of(tuple(held.tolist()), tuple(free.tolist()), norm).best(*move)
    if found is None:
        return None
    stays, joins = np.ones(len(own), dtype=bool), np.zeros(len(spare), dtype=bool)
    for position, out, into in found[1]:
        stays[np.flatnonzero(own == position)[:out]] = False
        joins[np.flatnonzero(spare == position)[:into]] = True
    return joined(pool.own[stays], pool.spare[joins])


@lru_cache(maxsize=4)
def _splits_of(held: tuple[int, ...], free: tuple[int, ...], norm: Norm) -> Splits:
    """The splits of one dataset, for all its moves; those in no bin come first."""
    own, spare = (np.array(of[1:], dtype=np.int64) for of in (held, free))
    return Splits(Rooms.of_dataset(own, spare, outside=(held[0], free[0])), norm)
