"""The widest gap of an L-statistic on a population.

Where no weight is negative the higher side has the top and the lower one the bottom (thm-monotone), and what is
left is where the shared records lie: stretches of ranks, each moved up by as much (thm-l-shifts):

    weights of the shared    −  −  −     +  +  −  −      +  +
    moved up by              nothing     one number      all there is

Any other weights are asked of `program`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

from sensitivity_lab.proved.ranks.program import MOST_CELLS, MOST_HELD, RankProgram
from sensitivity_lab.proved.ranks.weights import Step, Steps, Weights
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import Share, WorstPair

A_STEP = 2_000  # cells that take as long as a step of ranks
MOST_KNOWN = 8  # sizes whose weights are held: they may be long


class OnPopulation:
    """D of an L-statistic on a population."""

    def __init__(self, records: SortedRecords, weights: Weights) -> None:
        self.records = records
        self.steps = lru_cache(MOST_KNOWN)(weights.steps)

    def __call__(self, c: int, a: int, b: int) -> WorstPair:
        """The widest pair of a share. Cost: as `affordable` counts."""
        return self.search(c, a, b).widest()

    def affordable(self, asked: Iterable[Share]) -> bool:
        """Whether some shares cost no more, all together, than may be spent without asking."""
        cells, every = 0, list(asked)
        for c, a, b, _ in every:
            cells += A_STEP * sum(len(self.steps(c + own).ends) for own in (a, b))
            if cells > MOST_CELLS:
                return False
        for c, a, b, _ in every:
            one = self.search(c, a, b)
            cells += one.cells
            if cells > MOST_CELLS or one.held > MOST_HELD:
                return False
        return True

    def search(self, c: int, a: int, b: int) -> Shifts | RankProgram:
        """The search that serves the weights of a share."""
        sides = self.steps(c + a), self.steps(c + b)
        kind = Shifts if all(side.never_negative for side in sides) else RankProgram
        return kind(self.records, *sides, (c, a, b))


class Shifts:
    """The search where A is the top and B the bottom: the shared records lie between."""

    def __init__(
        self, records: SortedRecords, higher: Steps, lower: Steps, share: tuple[int, int, int]
    ) -> None:
        self.records, self.share = records, share
        self.higher, self.lower = higher, lower
        self.unit = math.lcm(higher.unit, lower.unit)
        self.room = len(records) - sum(share)  # records between that are unused
        self.first, self.middle, self.last = stretches(self._shared())

    @property
    def cells(self) -> int:
        """How many sums are compared."""
        return sum(map(len, self.middle)) * (self.room + 1)

    @property
    def held(self) -> int:
        """How many bytes they take."""
        return 8 * (len(self.middle) + 4) * (self.room + 1) if self.middle else 0

    def _shared(self) -> Iterator[Step]:
        """The shared ranks by what they weigh: as that of S, minus that of T with all of B below."""
        c, _, b = self.share
        high, low = self.unit // self.higher.unit, self.unit // self.lower.unit
        bends = {0, c, *self.higher.ends, *(end - b for end in self.lower.ends)}
        for start, stop in pairwise(sorted(bend for bend in bends if 0 <= bend <= c)):
            yield start, stop, self.higher.at(start) * high - self.lower.at(start + b) * low

    def widest(self) -> WorstPair:
        """The widest pair. Cost: O(1) sums of runs a step, and O(m) a step of the middle."""
        c, a, b = self.share
        records, top = self.records, len(self.records) - a
        moved = [(self.first, 0), *zip(self.middle, self._moves(), strict=True)]
        moved.append((self.last, self.room))
        shared = [
            (start + b + up, stop + b + up, w) for steps, up in moved for start, stop, w in steps
        ]
        high, low = self.unit // self.higher.unit, self.unit // self.lower.unit
        own = ((top - c + i, top - c + j, w * high) for i, j, w in self.higher.between(c, c + a))
        others = ((i, j, -w * low) for i, j, w in self.lower.between(0, b))
        total = sum(
            weight * records.total([(start, stop)])
            for start, stop, weight in chain(shared, own, others)
            if weight
        )
        gap = Fraction(total, records.scale * self.unit)
        return WorstPair(gap, _joined(shared), ((top, top + a),), ((0, b),), records)

    def _moves(self) -> list[int]:
        """How far each stretch of the middle is moved up: never less than the one before it."""
        best: list[np.ndarray] = []
        for stretch in self.middle:
            gains = self._gains(stretch)
            best.append(gains + np.maximum.accumulate(best[-1]) if best else gains)
        moves, most = [], self.room
        for gains in reversed(best):
            most = int(np.argmax(gains[: most + 1]))
            moves.append(most)
        return moves[::-1]

    def _gains(self, stretch: Sequence[Step]) -> np.ndarray:
        """What a stretch adds to the gap, moved up by 0, 1, …: exact."""
        b, many = self.share[2], self.room + 1
        weights = sum(abs(weight) * (stop - start) for start, stop, weight in self._shared())
        fits = weights * max(self.records.largest, 1) < 2**62  # all gains together stay below that
        gains = np.zeros(many, dtype=np.dtype(np.int64 if fits else object))
        for start, stop, weight in stretch:
            if weight:
                ends = (slice(b + at, b + at + many) for at in (start, stop))
                gains += weight * self.records.sums.whole(*ends).astype(gains.dtype)
        return gains


def stretches(shared: Iterable[Step]) -> tuple[list[Step], list[list[Step]], list[Step]]:
    """First what weighs at most 0; then stretches that first weigh more, then less; last what weighs more."""
    found: list[list[Step]] = [[]]
    fallen = True
    for step in shared:
        weight = step[2]
        if weight > 0 and fallen:
            found.append([])
        fallen = weight < 0 or (fallen and weight == 0)
        found[-1].append(step)
    first, *middle = found
    last = [] if fallen or not middle else middle.pop()
    return first, middle, last


def _joined(steps: Iterable[Step]) -> tuple[Run, ...]:
    """Runs in order, as few as they can be."""
    joined: list[Run] = []
    for start, stop, _ in steps:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return tuple(joined)
