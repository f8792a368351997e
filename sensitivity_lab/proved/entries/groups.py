"""Sums by group: one entry for each group, and a group that has no record counts 0.

A record is a group and a value. The shared records cancel, so a gap asks only how many of the a and
of the b are in each group, and then for the highest of one and the lowest of the other
(thm-grouped-sum). D does not depend on c.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.entries.splits import Choice, Entries, in_norm, score_of
from sensitivity_lab.proved.sorted_records import Run, SortedRecords, Sums
from sensitivity_lab.proved.worst_pair import D, WorstPair


class Groups(Entries):
    """How far apart the sums of x and of y different records of a group can lie.

    Each group is a run of the records, ascending in `records.whole`; every record is in one.
    """

    def __init__(self, records: SortedRecords, runs: np.ndarray) -> None:
        self.starts, self.stops = runs.T
        self.sizes = self.stops - self.starts
        self.scale, whole = records.scale, records.whole
        # sorted by group first, so the largest need not be at an end
        self.largest = max(abs(int(whole.min())), abs(int(whole.max())))
        self.sums = Sums(whole, self.largest)
        self._ranked = lru_cache(maxsize=None)(self._rank)

    def choices(self, a: int, b: int, norm: Norm) -> Mapping[int, Sequence[Choice]]:
        """Of the groups that can have x and y only the few widest (thm-grouped-few)."""
        found: dict[int, list[Choice]] = defaultdict(list)
        for x in range(min(max(a, b), self.sizes.max()) + 1):
            for y in range(min(x, a, b, self.sizes.max() - x) + 1):
                most = a + b - x - y + 1
                # asked for powers of two, so that it is seldom asked anew
                ranked = self._ranked(x, y, 1 << most.bit_length()) if x else []
                for group, gain in ranked[:most]:
                    sides = {(x, y), (y, x)}
                    found[group] += [Choice(*s, 0, gain) for s in sides if s[0] <= a and s[1] <= b]
        return dict(sorted(found.items()))

    def _rank(self, x: int, y: int, most: int) -> list[tuple[int, int]]:
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

    def runs(self, position: int, x: int, y: int) -> tuple[Sequence[Run], Sequence[Run]]:
        """The highest of one and the lowest of the other."""
        start, stop = int(self.starts[position]), int(self.stops[position])
        x_on_top = [(stop - x, stop)], [(start, start + y)]
        y_on_top = [(start, start + x)], [(stop - y, stop)]
        above, below = (
            self.sums.exact(x_runs) - self.sums.exact(y_runs)
            for x_runs, y_runs in (x_on_top, y_on_top)
        )
        return x_on_top if above >= -below else y_on_top


class Ends(NamedTuple):
    """The lowest and the highest number of a group whose records never run out; who has them."""

    low: Exact
    high: Exact
    lowest: Any
    highest: Any

    @property
    def reach(self) -> tuple[Exact, Exact]:
        """How far the ends lie from 0, up and down: the larger, and the smaller."""
        return max(self.high, -self.low), min(self.high, -self.low)

    def apart(self, x: int, y: int) -> Exact:
        """How far apart the sums of x and of y records can lie."""
        larger, smaller = self.reach
        return max(x, y) * larger + min(x, y) * smaller

    def records(self, x: int, y: int) -> tuple[Any, Any]:
        """The record of which the x, and that of which the y, are copies."""
        x_on_top = x * self.high - y * self.low == self.apart(x, y)
        return (self.highest, self.lowest) if x_on_top else (self.lowest, self.highest)


def between_ends(groups: Sequence[Ends], norm: Norm) -> D:
    """The best of a few splits over groups whose values never run out (thm-grouped-range)."""
    far = sorted(groups, key=lambda group: group.reach, reverse=True)
    front = far[:1]  # the others reach no further on either side than one of these
    for group in far[1:]:
        if group.reach[1] > front[-1].reach[1]:
            front.append(group)

    def score(split: Sequence[tuple[Ends, int, int]]) -> Exact:
        found: Exact = score_of([group.apart(x, y) for group, x, y in split], norm)
        return found

    def d(c: int, a: int, b: int) -> WorstPair:
        splits = [[(group, a, b)] for group in front]
        if len(far) > 1:
            splits += [[(far[0], a, 0), (far[1], 0, b)], [(far[0], 0, b), (far[1], a, 0)]]
        if norm == 0:
            splits += _one_to_a_group(far, a, b)
        best = max(splits, key=score)
        told = [(group.records(x, y), x, y) for group, x, y in best]
        return WorstPair.of_copies(
            in_norm(score(best), 1, norm),
            [(groups[0].lowest, c)],
            [(high, x) for (high, _), x, _ in told],
            [(low, y) for (_, low), _, y in told],
        )

    return d


def _one_to_a_group(far: Sequence[Ends], a: int, b: int) -> list[list[tuple[Ends, int, int]]]:
    """Records of one side only in each of as many groups as can be, where these are two or more."""
    reached = min(a + b, len(far))
    if reached < 2:
        return []
    of_a = min(a, max(reached - b, 1))
    sides = [(x, 0) for x in _shared_out(a, of_a)] + [
        (0, y) for y in _shared_out(b, reached - of_a)
    ]
    return [[(group, x, y) for group, (x, y) in zip(far, sides, strict=False)]]


def _shared_out(records: int, groups: int) -> list[int]:
    """One record for each group, and to the last all that are left."""
    return [1] * (groups - 1) + [records - groups + 1] if groups else []
