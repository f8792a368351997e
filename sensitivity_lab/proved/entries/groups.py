"""Sums and counts by group: one entry for each group, and a group that has no record counts 0.

A record is a group and a value. The shared records cancel, so a gap asks only how many of the a and
of the b are in each group, and then for the highest of one and the lowest of the other
(thm-grouped-sum). D does not depend on c.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from sensitivity_lab.numbers.exact import Exact, RootGap
from sensitivity_lab.numbers.gap import Gap, Norm
from sensitivity_lab.proved.sorted_records import Run, SortedRecords, Sums
from sensitivity_lab.proved.worst_pair import D, Values, WorstPair

Ends = tuple[Exact, Exact]  # the lowest and the highest value of a group
Split = tuple[tuple[int, int, int], ...]  # (group, x, y): it has x of the a and y of the b


@dataclass(frozen=True)
class GroupedSum:
    """The sum of the values in each group; of records that are all 1 it counts them."""

    def on_groups(
        self, records: SortedRecords, groups: Sequence[Run] | np.ndarray, norm: Norm
    ) -> D:
        """D for a population; each group is a run of the records, ascending in `records.whole`.

        Every record is in one run. `norm` is 1, 2, infinity, or 0: how many entries differ. D asks
        for c + a + b ≤ m. Cost: one pass over the records; for each of the (a + b)² / 2 ways to
        split up to a + b records, one over the groups; then O((a + b)⁵), whatever m is.

        """
        runs = np.asarray(groups, dtype=np.int64).reshape(-1, 2)
        return _of_runs(_Extremes(records.whole, runs), records, norm)

    def on_group_values(self, groups: Sequence[Ends], norm: Norm) -> D:
        """D for a range; of each group only the lowest and the highest value matter."""
        return _between_ends(groups, norm)


class _Extremes:
    """How far apart the sums of x and of y different records of a group can lie."""

    def __init__(self, whole: np.ndarray, groups: np.ndarray) -> None:
        self.starts, self.stops = groups.T
        self.sizes = self.stops - self.starts
        # sorted by group first, so the largest need not be at an end
        largest = max(abs(int(whole.min())), abs(int(whole.max())))
        self.sums = Sums(whole, largest)

    def widest(self, x: int, y: int, most: int) -> list[tuple[int, int]]:
        """The `most` groups where they lie furthest apart: (group, how far), the widest first."""
        held = np.flatnonzero(self.sizes >= x + y)
        starts, stops = self.starts[held], self.stops[held]
        apart = np.maximum(
            self.sums.whole(stops - x, stops) - self.sums.whole(starts, starts + y),
            self.sums.whole(stops - y, stops) - self.sums.whole(starts, starts + x),
        )
        if most < len(held):
            enough = apart >= np.partition(apart, -most)[-most]
            held, apart = held[enough], apart[enough]
        order = np.argsort(-apart, kind="stable")[:most]
        return list(zip(held[order].tolist(), apart[order].tolist(), strict=True))

    def runs(self, group: int, x: int, y: int) -> tuple[Run, Run]:
        """Where the x and the y are in a group that has them as far apart as can be."""
        start, stop = int(self.starts[group]), int(self.stops[group])
        x_on_top = (stop - x, stop), (start, start + y)
        y_on_top = (start, start + x), (stop - y, stop)
        above, below = (
            self.sums.exact([x_run]) - self.sums.exact([y_run])
            for x_run, y_run in (x_on_top, y_on_top)
        )
        return x_on_top if above >= -below else y_on_top


def _of_runs(extremes: _Extremes, records: SortedRecords, norm: Norm) -> D:
    """The best splits over the groups; any records that are left are shared."""
    ranked = cache(extremes.widest)

    def widest(x: int, y: int, most: int) -> list[tuple[int, int]]:
        """As that of `extremes`, asked for powers of two, so that it is seldom asked anew."""
        return ranked(max(x, y), min(x, y), 1 << most.bit_length())[:most]

    @cache
    def splits(most: int) -> dict[tuple[int, int], tuple[Exact, Split]]:
        choices: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for x, y in _pairs_up_to(most):
            for group, apart in widest(x, y, most - x - y + 1):
                choices[group].append((x, y, apart))
        return _best_splits(choices, most, norm)

    def d(c: int, a: int, b: int) -> WorstPair:
        score, split = splits(a + b)[a, b]
        runs = [extremes.runs(*part) for part in split]
        higher, lower = tuple(run for run, _ in runs), tuple(run for _, run in runs)
        shared = first_unused([*higher, *lower], c, len(records))
        return WorstPair(_in_norm(score, records.scale, norm), shared, higher, lower, records)

    return d


def _pairs_up_to(most: int) -> list[tuple[int, int]]:
    """All (x, y) with 1 ≤ x + y ≤ most."""
    return [(x, total - x) for total in range(1, most + 1) for x in range(total + 1)]


def _best_splits(
    choices: dict[int, list[tuple[int, int, int]]], most: int, norm: Norm
) -> dict[tuple[int, int], tuple[Exact, Split]]:
    """The largest score, and its split, of all a and b with a + b ≤ most."""
    states: dict[tuple[int, int], tuple[Exact, Split]] = {(0, 0): (0, ())}
    for group, steps in sorted(choices.items()):
        reached = dict(states)
        for (used_a, used_b), (score, split) in states.items():
            for x, y, apart in steps:
                key = used_a + x, used_b + y
                if sum(key) > most:
                    continue
                total = _together((score, _scored(apart, norm)), norm)
                if key not in reached or total > reached[key][0]:
                    reached[key] = total, (*split, (group, x, y))
        states = reached
    return states


def _scored(apart: Exact, norm: Norm) -> Exact:
    """What one entry adds to the norm, to its square, or to how many differ."""
    if norm == 0:
        return int(apart > 0)
    return apart * apart if norm == 2 else apart


def _together(scores: Iterable[Exact], norm: Norm) -> Exact:
    """The score of several entries."""
    return max(scores) if norm == math.inf else sum(scores)


def _in_norm(score: Exact, scale: int, norm: Norm) -> Gap:
    """The gap that a score of values over `scale` stands for."""
    if norm == 0:
        return score
    return RootGap(Fraction(score, scale**2), 0) if norm == 2 else Fraction(score, scale)


def first_unused(used: list[Run], count: int, records: int) -> tuple[Run, ...]:
    """The first `count` of some records that are in none of the used runs."""
    taken = []
    for (_, start), (stop, _) in pairwise([(0, 0), *sorted(used), (records, records)]):
        taken.append((start, start + min(stop - start, count)))
        count -= taken[-1][1] - start
    return tuple(run for run in taken if run[0] < run[1])


def _between_ends(groups: Sequence[Ends], norm: Norm) -> D:
    """The best of a few splits over groups whose values never run out."""
    far = sorted(range(len(groups)), key=lambda group: _reach(groups[group]), reverse=True)
    front = far[:1]  # the others reach no further on either side than one of these
    for group in far[1:]:
        if _reach(groups[group])[1] > _reach(groups[front[-1]])[1]:
            front.append(group)
    keys = [(group, value) for group, ends in enumerate(groups) for value in ends]
    records = Values({key: key for key in keys})

    def score(split: Split) -> Exact:
        return _together([_scored(_apart(groups[g], x, y), norm) for g, x, y in split], norm)

    def d(c: int, a: int, b: int) -> WorstPair:
        narrow = max(front, key=lambda group: _apart(groups[group], a, b))
        splits: list[Split] = [((narrow, a, b),)]
        if len(far) > 1:
            splits += [((far[0], a, 0), (far[1], 0, b)), ((far[0], 0, b), (far[1], a, 0))]
        if norm == 0:
            splits += _one_to_a_group(far, a, b)
        best = max(splits, key=score)
        higher, lower = [], []
        for group, x, y in best:
            bottom, top = groups[group]
            x_value, y_value = (top, bottom) if _x_on_top(groups[group], x, y) else (bottom, top)
            higher.append(((group, x_value), x))
            lower.append(((group, y_value), y))
        shared = (((0, groups[0][0]), c),)
        gap = _in_norm(score(best), 1, norm)
        return WorstPair.of_copies(gap, shared, higher, lower, records=records)

    return d


def _reach(ends: Ends) -> tuple[Exact, Exact]:
    """How far the ends lie from 0, up and down: the larger, and the smaller."""
    low, high = ends
    return max(high, -low), min(high, -low)


def _apart(ends: Ends, x: int, y: int) -> Exact:
    """How far apart the sums of x and of y records between two ends can lie."""
    larger, smaller = _reach(ends)
    return max(x, y) * larger + min(x, y) * smaller


def _x_on_top(ends: Ends, x: int, y: int) -> bool:
    """Whether the x at the top and the y at the bottom lie as far apart as can be."""
    low, high = ends
    return x * high - y * low == _apart(ends, x, y)


def _one_to_a_group(far: Sequence[int], a: int, b: int) -> list[Split]:
    """Records of one side only in each of as many groups as can be, where these are two or more."""
    reached = min(a + b, len(far))
    if reached < 2:
        return []
    of_a = min(a, max(reached - b, 1))
    sides = [(x, 0) for x in _shared_out(a, of_a)] + [
        (0, y) for y in _shared_out(b, reached - of_a)
    ]
    return [tuple((group, x, y) for group, (x, y) in zip(far, sides, strict=False))]


def _shared_out(records: int, groups: int) -> list[int]:
    """One record for each group, and to the last all that are left."""
    return [1] * (groups - 1) + [records - groups + 1] if groups else []
