"""D(c, a, b) for variances and standard deviations on a population.

The lemmas on the book's page of proofs leave few layouts of C, A and B among the sorted records:
each part lies in a few runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import Gap, rational
from sensitivity_lab.proved.scatter.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Centred,
    FilteredMaximum,
    best_below,
    outermost,
)
from sensitivity_lab.proved.scatter.outermost import enter_outermost
from sensitivity_lab.proved.scatter.runs import InRuns
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import Share, WorstPair

ROUNDED = 1 + 1e-9  # more than the few roundings of these sums and products


@dataclass(frozen=True)
class Reaches:
    """What D is at most for some shares of a variance, or with `root` of a deviation (thm-reach)."""

    centred: Centred
    asked: Sequence[Share]
    ddof: int
    root: bool

    @cached_property
    def all(self) -> np.ndarray:
        """The reach of every share: `(N,)` floats, in the unit of the centred records."""
        c, a, b = np.array([share[:3] for share in self.asked], dtype=np.int64).T
        high, low = c + a - self.ddof, c + b - self.ddof  # what the sums of squares are divided by
        most = np.maximum(high, low)
        v = _of_each(c + a, self._largest_scatters) / high
        x = _of_each(c + b, self._smallest_scatters) / ROUNDED
        g = self._farthest(c + b, a) * ROUNDED
        risen = np.maximum(g / most - x * ((most - low) / (most * low)), 0)
        if self.root:
            roots = np.sqrt(x / low + risen) + np.sqrt(x / low)
            risen = np.divide(risen, roots, out=np.zeros_like(risen), where=roots > 0)
            smaller = (1 - np.sqrt(high / most)) * np.sqrt(v)
        else:
            smaller = (most - high) / most * v
        reach: np.ndarray = (risen + smaller) * ROUNDED
        return reach

    def _largest_scatters(self, sizes: np.ndarray) -> np.ndarray:
        """What a sum of squares about the mean is at most, for `(N,)` numbers of records."""
        start = np.zeros_like(sizes)
        i = best_below(self.centred, 0, sizes, start)
        runs = outermost(self.centred.count, 0, sizes, start, i)
        total, square = self.centred.floats(runs)
        largest: np.ndarray = square - total * total / sizes + 2 * ROUNDING * square
        return largest

    def _smallest_scatters(self, sizes: np.ndarray) -> np.ndarray:
        """What it is at least: over n − 1, the smallest never falls in n (thm-reach)."""
        n, m = int(sizes[0]), self.centred.count
        if not self.root or n < 2:
            return np.zeros(len(sizes), dtype=float)
        smallest = math.inf
        for first in range(0, m - n + 1, BLOCK):
            stop = min(first + BLOCK, m - n + 1)
            total, square = self.centred.floats([(slice(first, stop), slice(first + n, stop + n))])
            scatter = square - total * total / n - 2 * ROUNDING * square
            smallest = min(smallest, float(scatter.min()))
        return max(smallest, 0) * ((sizes - 1) / (n - 1))

    def _farthest(self, sizes: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The a largest squares of distances from the mean of n records, at most: `(N,)` floats."""
        m, most, sums = self.centred.count, int(a.max()), self.centred.sums
        k = min(most, m // 2)
        ends = self.centred.numbers[np.r_[0:k, max(k, m - most) : m]].astype(float)
        farthest = np.zeros(len(sizes), dtype=float)
        for n in np.unique(sizes):
            these = sizes == n
            for mean in (sums.floats(0, n) / n, sums.floats(m - n, m) / n):
                squares = np.sort((ends - mean) ** 2)[::-1]
                summed = np.concatenate([[0.0], np.cumsum(squares, dtype=float)])
                farthest[these] = np.maximum(farthest[these], summed[a[these]])
        return farthest


def _of_each(sizes: np.ndarray, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What is said of each different size, ascending, for all of them."""
    different, which = np.unique(sizes, return_inverse=True)
    return ask(different)[which]


LEAST = 5e-324  # the smallest positive float: no gap that decides is narrower
LARGEST = 2**400  # squares of larger records leave the floats


class OnPopulation:
    """D(c, a, b) for the variance, or with `root` the standard deviation, with a given `ddof`."""

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.ddof, self.root = ddof, root
        self.centred = Centred.of(records)
        self.unit = records.scale**2  # of a variance
        # by the two sizes: the a and the reach of a share that no smaller a of them exceeds
        self.reached: dict[tuple[int, int], tuple[int, float]] = {}

    def reaches(self, asked: Sequence[Share]) -> Sequence[float]:
        """At least D for each of some shares (thm-reach). Cost: as `Reaches`."""
        if self.centred.largest > LARGEST:
            return [math.inf] * len(asked)
        reaches: list[float] = Reaches(self.centred, asked, self.ddof, self.root).all.tolist()
        return reaches

    def floor(self, gap: Gap) -> float:
        """A gap in the unit of the centred records, rounded down."""
        if isinstance(gap, RootGap):
            scaled: Gap = RootGap(gap.larger * self.unit, gap.smaller * self.unit)
        else:
            scaled = rational(gap) * self.unit
        return math.nextafter(float(scaled), -math.inf)

    def __call__(self, c: int, a: int, b: int, floor: float = -math.inf) -> WorstPair | None:
        """D(c, a, b) where it is positive and at least `floor`; None where there are too many layouts.

        Where it is not, what is returned is the gap of some layout, at most D: the problem's
        widest gap is at least 0, so such a share never decides it.
        """
        if self.centred.largest > LARGEST:
            return None
        floor = max(floor, LEAST)
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, root=self.root, floor=floor)
        either = self.root and 0 < a < b  # thm-mixes-std: of one kind or of the other, or neither
        if a < b:
            enter_outermost(maximum)
        runs = InRuns(maximum)
        if (either or (a >= b and self._may_reach(runs))) and not runs.enter():
            return None
        widest = maximum.widest()
        if either:
            known = max(floor, self.floor(widest.gap))
            bound = self._bound_of_neither(c, a, b, known)
            if bound > widest.gap:
                return replace(widest, gap=bound, attained=False)
        return widest

    def _may_reach(self, runs: InRuns) -> bool:
        """Whether a share with a ≥ b may reach the floor: less of it than another, it does not."""
        (c, a, b), floor = runs.maximum.share, runs.maximum.floor
        sizes = c + a, c + b
        larger, reach = self.reached.get(sizes, (0, math.inf))
        if a <= larger and reach < floor:
            return False
        reach = runs.windows.reach
        if reach < floor:
            self.reached[sizes] = a, reach
        return reach >= floor

    def _bound_of_neither(self, c: int, a: int, b: int, known: float) -> Gap:
        """What the standard deviation's gap is at most where no layout of either kind has it."""
        high, low = c + a, c + b
        if high == 1:
            return RootGap(0, 0)
        # thm-mixes-std: D² ≤ (1 − 1/u)·M, and M is the largest V_S − t·V_T,
        # with t = ψ(high)/ψ(low) and u = φ(high)/φ(low)
        t, u = (
            Fraction(
                (high - sign) * low * (low - self.ddof), (low - sign) * high * (high - self.ddof)
            )
            for sign in (1, -1)
        )
        floor = max(known, 0) ** 2 / float(1 - 1 / u) * (1 - 1e-9)
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, weight=t, floor=floor)
        enter_outermost(maximum)
        most = rational(maximum.widest().gap)
        return RootGap(max(most, 0) * (1 - 1 / u), 0)
