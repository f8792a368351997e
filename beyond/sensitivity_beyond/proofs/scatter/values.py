"""D(c, a, b) for variances and standard deviations where records take any of some values.

C and A lie at the ends, as on an interval; for a < b all of B lies at one value, the nearest to the
mean of C or near it (thm-range, thm-range-search).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from sensitivity_beyond.proofs.routes import on_values
from sensitivity_beyond.proofs.scatter.filtered_maximum import scaled
from sensitivity_beyond.proofs.sorted_records import peak
from sensitivity_lab.numbers.exact import Exact, RootGap
from sensitivity_lab.numbers.gap import Gap, Norm, rational
from sensitivity_lab.proved.family import Interval
from sensitivity_lab.proved.scatter import Variance
from sensitivity_lab.proved.worst_pair import D, WorstPair


@on_values.register
def _(family: Variance, values: Sequence[Exact], norm: Norm) -> D | None:
    low, width = values[0], values[-1] - values[0]
    ends = Interval(values[0], values[-1])
    on_interval = family.on_interval(ends, norm)
    grid = [Fraction(value - low) / (width or 1) for value in values]

    def d(c: int, a: int, b: int) -> WorstPair | None:
        if a >= b or width == 0 or c == 0:
            return on_interval(c, a, b)
        gap, i, j, x = _Search(grid, c, a, b, family.ddof, family.root and a == 0).widest()
        gap = scaled(gap, width**2)
        common, higher = ((ends.high, j), (low, c - j)), ((ends.high, i), (low, a - i))
        lower = ((low + x * width, b),)
        if family.root and a:  # √s − √t ≤ √(s − t): only a bound, unless the lower side is constant
            return WorstPair.of_copies(
                RootGap(max(rational(gap), 0), 0), common, higher, lower, attained=False
            )
        return WorstPair.of_copies(gap, common, higher, lower)

    return d


Candidate = tuple[Gap, int, int, Fraction]  # the gap, i, j, and where B is


@dataclass(frozen=True)
class _Search:
    """Layouts for a < b: i of A and j of C at 1, their others at 0, all of B at one of a grid."""

    grid: list[Fraction]
    c: int
    a: int
    b: int
    ddof: int
    as_roots: bool

    def widest(self) -> Candidate:
        """The widest gap of all, and the smallest i and j known to have it."""
        ends = [(i, j) for i in {0, self.a} for j in (0, self.c)]
        half = (self.c + self.a) // 2  # of C and A at 1, with as many or as few of C as can be
        ends += [(half - j, j) for j in (max(0, half - self.a), min(self.c, half))]
        best = max((self._candidate(i, j, self._nearest(j)) for i, j in ends), key=_rank)
        for i in {0, self.a}:
            summit = self._summit(i)
            if summit is not None:
                best = self._outwards(i, summit, -1, best)
                best = self._outwards(i, summit + 1, 1, best)
        return best

    def _summit(self, i: int) -> int | None:
        """The last whole j before the gap with B at the mean falls; None if it peaks at an end."""
        c, high, low = self.c, self.c + self.a, self.c + self.b
        if self.as_roots:
            return c // 2
        weight, other = c * (low - self.ddof), high * (high - self.ddof)
        if weight <= other:  # convex in j
            return None
        peak = (weight * (high - 2 * i) - other * c) // (2 * (weight - other))
        return min(max(peak, 0), c)

    def _outwards(self, i: int, j: int, step: int, best: Candidate) -> Candidate:
        """The best from j on, or what was best before."""
        while 0 <= j <= self.c and self._gap(i, Fraction(j, self.c), j) > best[0]:
            x = self._nearest(j)
            at = bisect_left(self.grid, x) + step  # the last j for which no value is nearer than x
            last = self.c if step > 0 else 0
            if 0 <= at < len(self.grid):
                end = self.c * (x + self.grid[at]) / 2
                last = math.floor(end) if step > 0 else math.ceil(end)
            widest = peak(partial(self._gap, i, x), *sorted((j, last)))
            best = max(best, self._candidate(i, widest, x), key=_rank)
            j = last + step
        return best

    def _nearest(self, j: int) -> Fraction:
        """The value of the grid that is nearest to the mean of C."""
        mean = Fraction(j, self.c)
        at = bisect_left(self.grid, mean)
        return min(self.grid[max(at - 1, 0) : at + 1], key=lambda x: abs(x - mean))

    def _candidate(self, i: int, j: int, x: Fraction) -> Candidate:
        return self._gap(i, x, j), i, j, x

    def _gap(self, i: int, x: Fraction, j: int) -> Gap:
        c, high, low = self.c, self.c + self.a, self.c + self.b
        lower = Fraction(j * (c - j), c) + Fraction(c * self.b, low) * (x - Fraction(j, c)) ** 2
        higher = Fraction((i + j) * (high - i - j), high * (high - self.ddof))
        lower /= low - self.ddof
        return RootGap(higher, lower) if self.as_roots else higher - lower


def _rank(candidate: Candidate) -> tuple[Gap, int, int]:
    gap, i, j, _ = candidate
    return gap, -i, -j
