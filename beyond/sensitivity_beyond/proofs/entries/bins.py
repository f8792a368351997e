"""Counts by bin on values, on a population and at one dataset (thm-histogram, thm-count)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product

import numpy as np

from sensitivity_beyond.proofs.entries.splits import (
    Choice,
    Entries,
    Split,
    Splits,
    cut,
    of_population,
)
from sensitivity_beyond.proofs.routes import on_dataset, on_population, on_values
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords, joined
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.bins import CountWhere, Histogram, between_bins
from sensitivity_lab.proved.splits import score_of
from sensitivity_lab.proved.worst_pair import D, Run
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


class Bins(Entries):
    """How many of the a, of the b, and of both each bin has room for; the last counts nothing."""

    def __init__(self, a: np.ndarray, b: np.ndarray, both: np.ndarray) -> None:
        self.a, self.b, self.both = a, b, both
        self._largest_first = [_largest_first(of[:-1]) for of in (a, b)]

    def at_once(self, a: int, b: int, norm: Norm) -> Split | None:
        """All the a in one bin and all the b in another, where no split can be better."""
        nowhere = len(self.a) - 1
        by_a, by_b = ([*of[:2].tolist(), nowhere] for of in self._largest_first)
        counted = {*by_a, *by_b} - {nowhere}
        if not counted:
            return 0, [(nowhere, a, b)]
        highest = score_of([a, b] if len(counted) > 1 else [max(a, b)], norm)
        for i, j in product(by_a, by_b):
            if i != j and self.a[i] >= a and self.b[j] >= b:
                score = score_of([a if i in counted else 0, b if j in counted else 0], norm)
                if norm and score == highest:
                    return score, [part for part in ((i, a, 0), (j, 0, b)) if any(part[1:])]
        return None

    def choices(self, a: int, b: int, norm: Norm) -> Mapping[int, Sequence[Choice]]:
        """In each bin for each difference of x and y only the largest number of both matters."""
        by_a, by_b = self._largest_first
        most = a + b if norm == 0 else self._most_used(a, b)
        matter = dict.fromkeys([*by_a[:most].tolist(), *by_b[:most].tolist(), len(self.a) - 1])
        return {i: self._choices(i, a, b) for i in matter}

    def _most_used(self, a: int, b: int) -> int:
        """A number of bins that is enough: all but one of the a's, and of the b's, are full."""
        # so of g bins at most 1 + a/h have any a, where h is the g-th largest room, and likewise
        # for b; in a population one more may have both (thm-histogram-bins)
        rooms = np.zeros((2, a + b), dtype=np.int64)
        for room, of, by_size in zip(rooms, (self.a, self.b), self._largest_first, strict=True):
            largest = of[by_size[: a + b]]
            room[: len(largest)] = largest
        of_a, of_b = np.maximum(rooms, 1)
        used = np.minimum(a, 1 + a // of_a) + np.minimum(b, 1 + b // of_b)
        enough = np.arange(1, a + b + 1, dtype=np.int64)
        return int(enough[enough <= used + 1].max(initial=0))

    def _choices(self, i: int, a: int, b: int) -> list[Choice]:
        of_a, of_b, both = int(self.a[i]), int(self.b[i]), int(self.both[i])
        found = []
        for apart in range(max(min(of_a, a), min(of_b, b)) + 1):
            gain = apart if i < len(self.a) - 1 else 0
            for x, y, here, there in ((apart, 0, of_a, of_b), (0, apart, of_b, of_a)):
                pairs = min(here - apart, there, (both - apart) // 2, a - x, b - y)
                if pairs >= 0:
                    found.append(Choice(x, y, pairs, gain))
        return sorted(found, key=lambda choice: choice.pairs)


def _largest_first(rooms: np.ndarray) -> np.ndarray:
    """The positions of the rooms that are not empty, the largest first."""
    held = np.flatnonzero(rooms)
    return held[np.argsort(-rooms[held], kind="stable")]


class BinsOfRuns(Bins):
    """Bins that are runs of a population; what is in no bin may be several."""

    def __init__(self, bins: np.ndarray, outside: Sequence[Run]) -> None:
        sizes = np.append(bins[:, 1] - bins[:, 0], sum(stop - start for start, stop in outside))
        super().__init__(sizes, sizes, sizes)
        self._bins, self._outside = bins, outside

    def runs(self, position: int, x: int, y: int) -> tuple[Sequence[Run], Sequence[Run]]:
        """The x come before the y."""
        is_bin = position < len(self._bins)
        within = [tuple(self._bins[position].tolist())] if is_bin else self._outside
        return cut(within, 0, x), cut(within, x, y)


# -- a predicate: one bin --------------------------------------------------------------------------


@on_values.register
def _(family: CountWhere, values: Sequence[Exact], norm: Norm) -> D | None:
    return between_bins(values, lambda value: 0 if family.is_true(value) else None, 1)


@on_population.register
def _(family: CountWhere, records: SortedRecords, norm: Norm) -> D | None:
    true = np.array([family.is_true(record) for record in records.given.tolist()], dtype=np.int64)
    order = np.argsort(true, kind="stable")  # the false, then the true
    by_truth = SortedRecords(records.given[order], true[order], 1, order)
    false = len(true) - int(np.count_nonzero(true))
    bins = BinsOfRuns(np.array([[false, len(true)]], dtype=np.int64), [(0, false)])
    return of_population(by_truth, bins, 1)


@on_dataset.register
def _(family: CountWhere, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    bins = [0 if family.is_true(value) else 1 for value in pool.universe.values]
    return _by_bins(pool, np.array(bins, dtype=np.intp), 1, move, norm)


# -- a histogram -----------------------------------------------------------------------------------


@on_values.register
def _(family: Histogram, values: Sequence[Exact], norm: Norm) -> D | None:
    return between_bins(values, family.bin_of, norm)


@on_population.register
def _(family: Histogram, records: SortedRecords, norm: Norm) -> D | None:
    # Each bin is a run of the sorted records; those before and after are in none.
    starts = family.starts(records.whole, records.scale)
    outside = [(0, starts[0]), (starts[-1], len(records))]
    bins = BinsOfRuns(np.array([*pairwise(starts)], dtype=np.int64), outside)
    return of_population(records, bins, norm)


@on_dataset.register
def _(family: Histogram, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    return _by_bins(pool, family.bins_of(*pool.universe.scaled), family.number, move, norm)


# -- near one dataset ------------------------------------------------------------------------------


def _by_bins(
    pool: Pool, bins: np.ndarray, number: int, move: Move, norm: Norm
) -> Sequence[Indices] | None:
    """The neighbour of a dataset that loses and gains as many in each bin as is worst."""
    own, spare = bins[pool.own], bins[pool.spare]
    held, free = (np.bincount(of, minlength=number + 1) for of in (own, spare))
    found = _splits_of(tuple(held.tolist()), tuple(free.tolist()), norm).best(*move)
    if found is None:
        return None
    stays, joins = np.ones(len(own), dtype=bool), np.zeros(len(spare), dtype=bool)
    for position, out, into in found[1]:
        stays[np.flatnonzero(own == position)[:out]] = False
        joins[np.flatnonzero(spare == position)[:into]] = True
    return [joined(pool.own[stays], pool.spare[joins])]


@lru_cache(maxsize=4)
def _splits_of(held: tuple[int, ...], free: tuple[int, ...], norm: Norm) -> Splits:
    """The splits of one dataset, for all its moves."""
    own, spare = np.array(held, dtype=np.int64), np.array(free, dtype=np.int64)
    return Splits(Bins(own, spare, own + spare), norm)
