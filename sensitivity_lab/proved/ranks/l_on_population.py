"""The widest gap of an L-statistic on a population.

Where no weight is negative the higher side has the top and the lower one the bottom (thm-monotone), and what is
left is where the shared records lie: stretches of ranks, each moved up by as much (thm-l-shifts):

    weights of the shared    −  −  −     +  +  −  −      +  +
    moved up by              nothing     one number      all there is

Any other weights are asked of `rank_program`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sensitivity_lab.proved.ranks.rank_program import MOST_CELLS, MOST_HELD, RankProgram
from sensitivity_lab.proved.ranks.rank_weights import Steps, Weights
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import Share, WorstPair

A_BLOCK = 2_000  # cells that take as long as a block of ranks
MOST_KNOWN = 8  # sizes whose weights are held


class Block(NamedTuple):
    """Ranks among the shared that follow one another, and what each weighs in the gap."""

    start: int
    stop: int
    weight: int


class OnPopulation:
    """D of an L-statistic on a population."""

    def __init__(self, records: SortedRecords, weights: Weights) -> None:
        self.records, self.weights = records, weights
        self._known: dict[int, Steps] = {}

    def __call__(self, c: int, a: int, b: int) -> WorstPair:
        """The widest pair of a share. Cost: as `affordable` counts."""
        asked = self._outside(c, a, b)
        return asked.widest() if asked is not None else self._program(c, a, b).widest()

    def affordable(self, asked: Iterable[Share]) -> bool:
        """Whether some shares cost no more, all together, than may be spent without asking."""
        cells, every = 0, list(asked)
        for c, a, b, _ in every:
            cells += A_BLOCK * sum(len(self._steps(c + own).ends) for own in (a, b))
            if cells > MOST_CELLS:
                return False
        for c, a, b, _ in every:
            outside = self._outside(c, a, b)
            one = outside if outside is not None else self._program(c, a, b)
            cells += one.cells
            if cells > MOST_CELLS or one.held > MOST_HELD:
                return False
        return True

    def _steps(self, n: int) -> Steps:
        if n not in self._known:
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            self._known[n] = self.weights.steps(n)
        return self._known[n]

    def _outside(self, c: int, a: int, b: int) -> Outside | None:
        higher, lower = self._steps(c + a), self._steps(c + b)
        if higher.never_negative and lower.never_negative:
            return Outside(self.records, higher, lower, (c, a, b))
        return None

    def _program(self, c: int, a: int, b: int) -> RankProgram:
        return RankProgram(self.records, self._steps(c + a), self._steps(c + b), (c, a, b))


class Outside:
    """The search where A is the top and B the bottom: the shared records lie between."""

    def __init__(
        self, records: SortedRecords, higher: Steps, lower: Steps, share: tuple[int, int, int]
    ) -> None:
        self.records, self.share = records, share
        self.higher, self.lower = higher, lower
        self.unit = math.lcm(higher.unit, lower.unit)
        self.room = len(records) - sum(share)  # records between that are unused
        blocks = list(_blocks(higher, lower, share, self.unit))
        self.first, self.middle, self.last = _stretches(blocks)

    @property
    def cells(self) -> int:
        """How many sums are compared."""
        return sum(map(len, self.middle)) * (self.room + 1)

    @property
    def held(self) -> int:
        """How many bytes they take."""
        return 8 * (len(self.middle) + 4) * (self.room + 1) if self.middle else 0

    def widest(self) -> WorstPair:
        """The widest pair. Cost: O(1) sums of runs a block, and O(m) a block of the middle."""
        c, a, b = self.share
        records, top = self.records, len(self.records) - a
        moved = [(self.first, 0), *zip(self.middle, self._shifts(), strict=True)]
        moved.append((self.last, self.room))
        lying = [(block, b + shift) for stretch, shift in moved for block in stretch]
        total = sum(
            block.weight * records.sums.exact([(block.start + at, block.stop + at)])
            for block, at in lying
            if block.weight
        )
        own = self.unit // self.higher.unit, self.unit // self.lower.unit
        total += own[0] * sum(self.higher.at(c + i) * records[top + i] for i in range(a))
        total -= own[1] * sum(self.lower.at(i) * records[i] for i in range(b))
        gap = Fraction(total, records.scale * self.unit)
        shared = _joined((block.start + at, block.stop + at) for block, at in lying)
        return WorstPair(gap, shared, ((top, top + a),), ((0, b),), records)

    def _shifts(self) -> list[int]:
        """How far each stretch of the middle is moved up: never less than the one before it."""
        best: list[np.ndarray] = []
        for stretch in self.middle:
            gains = self._gains(stretch)
            best.append(gains + np.maximum.accumulate(best[-1]) if best else gains)
        shifts, most = [], self.room
        for gains in reversed(best):
            most = int(np.argmax(gains[: most + 1]))
            shifts.append(most)
        return shifts[::-1]

    def _gains(self, stretch: Sequence[Block]) -> np.ndarray:
        """What a stretch adds to the gap, moved up by 0, 1, …: exact."""
        b, many = self.share[2], self.room + 1
        weights = sum(abs(block.weight) * (block.stop - block.start) for block in self._all())
        fits = weights * max(self.records.largest, 1) < 2**62
        dtype = np.dtype(np.int64 if fits else object)
        gains = np.zeros(many, dtype=dtype)
        for start, stop, weight in stretch:
            if weight:
                ends = (slice(b + at, b + at + many) for at in (start, stop))
                gains += weight * self.records.sums.whole(*ends).astype(dtype)
        return gains

    def _all(self) -> Iterator[Block]:
        for stretch in (self.first, *self.middle, self.last):
            yield from stretch


def _blocks(higher: Steps, lower: Steps, share: tuple[int, int, int], unit: int) -> Iterator[Block]:
    """The shared ranks by what they weigh: as that of S, minus that of T with all of B below."""
    c, _, b = share
    bends = {0, c, *higher.ends, *(end - b for end in lower.ends)}
    for start, stop in pairwise(sorted(bend for bend in bends if 0 <= bend <= c)):
        up = higher.at(start) * (unit // higher.unit)
        yield Block(start, stop, up - lower.at(start + b) * (unit // lower.unit))


def _stretches(
    blocks: Sequence[Block],
) -> tuple[list[Block], list[list[Block]], list[Block]]:
    """First what weighs at most 0; then stretches that first weigh more, then less; last what weighs more."""
    stretches: list[list[Block]] = [[]]
    fallen = True
    for block in blocks:
        if block.weight > 0 and fallen:
            stretches.append([])
        fallen = block.weight < 0 or (fallen and block.weight == 0)
        stretches[-1].append(block)
    first, *middle = stretches
    last = [] if fallen or not middle else middle.pop()
    return first, middle, last


def _joined(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Runs in order, as few as they can be."""
    joined: list[Run] = []
    for start, stop in runs:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return tuple(joined)
