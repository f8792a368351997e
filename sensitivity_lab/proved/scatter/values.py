"""D(c, a, b) for variances and standard deviations where copies of a value never run out.

On an interval thm-variance and thm-std say it. On a range of values C and A lie at the ends, as
there; for a < b all of B lies at one value, the nearest to the mean of C or near it (thm-range,
thm-range-search).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from sensitivity_lab.numbers.exact import Exact, RootGap
from sensitivity_lab.numbers.gap import Gap, rational
from sensitivity_lab.proved.family import Interval
from sensitivity_lab.proved.scatter.filtered_maximum import scaled
from sensitivity_lab.proved.sorted_records import peak
from sensitivity_lab.proved.worst_pair import D, WorstPair


def variance_on_interval(interval: Interval, ddof: int) -> D:
    """Either the lower side is constant (a ≥ b), or its own records sit at the shared mean."""
    low, high, width = interval.low, interval.high, Fraction(interval.width)

    def d(c: int, a: int, b: int) -> WorstPair:
        if a >= b:
            i = min(a, (c + a) // 2)
            gap = width**2 * Fraction(i * (c + a - i), (c + a) * (c + a - ddof))
            return WorstPair.of_copies(gap, ((low, c),), ((high, i), (low, a - i)), ((low, b),))
        gap, i, j = max(_with_b_at_the_mean(c, a, b, ddof))
        mean = low + width * Fraction(j, c) if c else low
        common = ((high, j), (low, c - j))
        return WorstPair.of_copies(width**2 * gap, common, ((high, i), (low, a - i)), ((mean, b),))

    return d


def _with_b_at_the_mean(c: int, a: int, b: int, ddof: int) -> Iterator[tuple[Fraction, int, int]]:
    """On [0, 1] with a < b: gaps for i of the a, and j of the c, at 1, the rest at 0."""
    upper, lower = (c + a) * (c + a - ddof), c * (c + b - ddof)
    for i in range(a + 1):
        ends = {0, c}
        curvature = Fraction(1, lower) - Fraction(1, upper) if c else Fraction(0)
        if curvature < 0:
            slope = Fraction(c + a - 2 * i, upper) - Fraction(c, lower)
            vertex = math.floor(-slope / (2 * curvature))
            ends |= {min(max(vertex + step, 0), c) for step in (0, 1)}
        for j in ends:
            lower_variance = Fraction(j * (c - j), lower) if c else Fraction(0)
            yield Fraction((i + j) * (c + a - i - j), upper) - lower_variance, i, j


def deviation_on_interval(interval: Interval, ddof: int) -> D:
    """The root of the variance's gap if the lower side is constant or has
    all the extra (thm-std)."""
    low, high, width = interval.low, interval.high, Fraction(interval.width)
    variance = variance_on_interval(interval, ddof)

    def d(c: int, a: int, b: int) -> WorstPair:
        if a == 0 and b > 0:
            squares = Fraction((c // 2) * (c - c // 2), c) * width**2
            gap = RootGap(squares / (c - ddof), squares / (c + b - ddof))
            middle = low + width * Fraction(c // 2, c)
            return WorstPair.of_copies(gap, ((high, c // 2), (low, c - c // 2)), (), ((middle, b),))
        of_variance = variance(c, a, b)
        assert of_variance
        shared = {value for value, times in of_variance.common if times}
        constant = a >= b or len(shared) < 2  # then the lower side does not vary at all
        return replace(of_variance, gap=RootGap(rational(of_variance.gap), 0), attained=constant)

    return d


def half_and_half(size: int, ddof: int) -> Fraction:
    """The largest variance of `size` records on [0, 1]: half at either end."""
    return Fraction((size // 2) * (size - size // 2), size * (size - ddof))


def variance_on_values(values: Sequence[Exact], ddof: int, root: bool) -> D:
    """D on ascending values, with `root` of the standard deviation."""
    low, width = values[0], values[-1] - values[0]
    ends = Interval(values[0], values[-1])
    on_interval = (deviation_on_interval if root else variance_on_interval)(ends, ddof)
    grid = [Fraction(value - low) / (width or 1) for value in values]

    def d(c: int, a: int, b: int) -> WorstPair | None:
        if a >= b or width == 0 or c == 0:
            return on_interval(c, a, b)
        gap, i, j, x = _Search(grid, c, a, b, ddof, root and a == 0).widest()
        gap = scaled(gap, width**2)
        common, higher = ((ends.high, j), (low, c - j)), ((ends.high, i), (low, a - i))
        lower = ((low + x * width, b),)
        if root and a:  # √s − √t ≤ √(s − t): only a bound, unless the lower side is constant
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
            last = self._last(x, step)
            widest = peak(partial(self._gap, i, x), *sorted((j, last)))
            best = max(best, self._candidate(i, widest, x), key=_rank)
            j = last + step
        return best

    def _nearest(self, j: int) -> Fraction:
        """The value of the grid that is nearest to the mean of C."""
        mean = Fraction(j, self.c)
        at = bisect_left(self.grid, mean)
        return min(self.grid[max(at - 1, 0) : at + 1], key=lambda x: abs(x - mean))

    def _last(self, x: Fraction, step: int) -> int:
        """The last j, upwards or downwards, for which no value is nearer to the mean than x."""
        at = bisect_left(self.grid, x) + step
        if not 0 <= at < len(self.grid):
            return self.c if step > 0 else 0
        end = self.c * (x + self.grid[at]) / 2
        return math.floor(end) if step > 0 else math.ceil(end)

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
