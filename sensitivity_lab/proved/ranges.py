"""D(c, a, b) on a range of values, whose copies never run out.

A range with ends L and U has the closed form of the interval [L, U] wherever that needs no value
between the ends. Histograms and predicates depend on which values there are; a variance whose
lower side has the extra records puts them at the value nearest to the mean of the others. The
lemma is thm-range on the book's page of proofs.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from sensitivity_lab.exact import Exact, RootGap
from sensitivity_lab.gap import Gap, rational
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.extremes import EXTREMES, D, Extreme, bins_gap


def range_finder(problem: Problem) -> D | None:
    """Return D for a query on a value range, or None where no proof covers it.

    >>> from sensitivity_lab import MEAN, Change, Universe
    >>> problem = Problem(MEAN, Universe.value_range([0, 6]), 3, Change(1), norm=1)
    >>> range_finder(problem)(2, 1, 1).gap
    Fraction(2, 1)

    Cost: one pass over the v values. D itself: O(1); for a spread with a < b, O(log c) exact
    arithmetic for each of the few values that B may have. Source: thm-range on the book's page of
    proofs.
    """
    kind, *options = problem.query.family
    values = [value for value in problem.universe.exact_values if value is not None]
    low, high = values[0], values[-1]
    if kind in ("count", "sum", "mean", "quantile"):
        return EXTREMES[kind](options, low, high, problem.norm, None)
    if kind == "histogram":
        return _histogram(values, tuple(options), problem.norm)
    if kind == "count_where":
        true = [value for value in values if problem.query((value,))]
        false = [value for value in values if value not in true]
        return bins_gap(true[:1], false[0] if false else None, 1)
    if kind in ("variance", "std"):
        return _spread(values, options[0], root=kind == "std")
    return None


def _histogram(values: list[Exact], edges: tuple[Exact, ...], norm: float) -> D:
    """One value for each bin that holds any, and one that no bin counts."""
    places: dict[int, Exact] = {}
    uncounted = None
    for value in values:
        if not edges[0] <= value <= edges[-1]:
            uncounted = value
        else:
            bin_ = sum(value >= edge for edge in edges[1:-1])
            places.setdefault(bin_, value)
    return bins_gap(list(places.values()), uncounted, norm)


def _spread(values: list[Exact], ddof: int, root: bool) -> D:
    """C and A at the ends; for a < b, B at the one value nearest to the mean of C."""
    low, high = values[0], values[-1]
    interval = EXTREMES["std" if root else "variance"]((ddof,), low, high, 1, None)
    width = high - low
    grid = [Fraction(value - low) / (width or 1) for value in values]

    def d(c: int, a: int, b: int) -> Extreme:
        if a >= b or width == 0 or c == 0:
            return interval(c, a, b)
        gap, i, j, x = _Mix(grid, c, a, b, ddof, root and a == 0).widest()
        common, higher, lower = (
            ((high, j), (low, c - j)),
            ((high, i), (low, a - i)),
            ((low + x * width, b),),
        )
        if isinstance(gap, RootGap):
            gap = RootGap(gap.larger * width**2, gap.smaller * width**2)
        else:
            gap = rational(gap) * width**2
        if root and a:  # √s − √t ≤ √(s − t): only a bound, unless the lower side is constant
            return Extreme(RootGap(max(rational(gap), 0), 0), common, higher, lower, attained=False)
        return Extreme(gap, common, higher, lower)

    return d


Place = tuple[Gap, int, int, Fraction]  # the gap, i, j, and where B is


@dataclass(frozen=True)
class _Mix:
    """Spreads for a < b: i of A and j of C at 1, their others at 0, all of B at one of a grid.

    With B at the mean of C the gap would be wider, and rise and fall once in j: a summit. So the
    search goes outwards from there, and ends where even that would be too little. B at one value
    x makes the gap rise and fall once in j, too: its best j is found by bisection. Of the i, 0
    and a have the widest gap, or those of `_corners` (thm-range-search).
    """

    grid: list[Fraction]
    c: int
    a: int
    b: int
    ddof: int
    as_roots: bool

    def widest(self) -> Place:
        """The widest gap of all, and the smallest i and j known to have it."""
        ends = [(i, j) for i in {0, self.a} for j in (0, self.c)]
        best = max(
            (self._place(i, j, self._nearest(j)) for i, j in (*ends, *self._corners())), key=_rank
        )
        for i in {0, self.a}:
            summit = self._summit(i)
            if summit is not None:
                best = self._outwards(i, summit, -1, best)
                best = self._outwards(i, summit + 1, 1, best)
        return best

    def _corners(self) -> list[tuple[int, int]]:
        """Half of A and C at 1, with as many or as few of C as can be."""
        half = (self.c + self.a) // 2
        return [(half - j, j) for j in (max(0, half - self.a), min(self.c, half))]

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

    def _outwards(self, i: int, j: int, step: int, best: Place) -> Place:
        """The best of the places from j on, or what was best before."""
        while 0 <= j <= self.c and self._gap(i, j, Fraction(j, self.c)) > best[0]:
            x = self._nearest(j)
            last = self._last(x, step)
            best = max(best, self._place(i, self._peak(i, x, *sorted((j, last))), x), key=_rank)
            j = last + step
        return best

    def _peak(self, i: int, x: Fraction, first: int, last: int) -> int:
        """The j from `first` to `last` with the widest gap for B at x."""
        while first < last:
            middle = (first + last) // 2
            if self._gap(i, middle + 1, x) > self._gap(i, middle, x):
                first = middle + 1
            else:
                last = middle
        return first

    def _nearest(self, j: int) -> Fraction:
        """The value of the grid that is nearest to the mean of C."""
        mean = Fraction(j, self.c)
        place = bisect_left(self.grid, mean)
        return min(self.grid[max(place - 1, 0) : place + 1], key=lambda x: abs(x - mean))

    def _last(self, x: Fraction, step: int) -> int:
        """The last j, upwards or downwards, for which no value is nearer to the mean than x."""
        place = bisect_left(self.grid, x) + step
        if not 0 <= place < len(self.grid):
            return self.c if step > 0 else 0
        end = self.c * (x + self.grid[place]) / 2
        return math.floor(end) if step > 0 else math.ceil(end)

    def _place(self, i: int, j: int, x: Fraction) -> Place:
        return self._gap(i, j, x), i, j, x

    def _gap(self, i: int, j: int, x: Fraction) -> Gap:
        c, high, low = self.c, self.c + self.a, self.c + self.b
        lower = Fraction(j * (c - j), c) + Fraction(c * self.b, low) * (x - Fraction(j, c)) ** 2
        higher = Fraction((i + j) * (high - i - j), high * (high - self.ddof))
        lower /= low - self.ddof
        return RootGap(higher, lower) if self.as_roots else higher - lower


def _rank(place: Place) -> tuple[Gap, int, int]:
    gap, i, j, _ = place
    return gap, -i, -j
