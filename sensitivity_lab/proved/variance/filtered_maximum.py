"""Ways to lay C, A and B out among sorted records, and the contest for the widest gap.

The ways are compared in floats, all near the top are settled in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.exact import RootGap
from sensitivity_lab.gap import Gap
from sensitivity_lab.proved.sorted_records import Run, SortedRecords, Sums
from sensitivity_lab.proved.worst_pair import WorstPair

Runs = Sequence[tuple[Any, Any]]  # starts and stops: whole numbers, or arrays of one length
# A sum of squares in floats is off by at most this share of Σx²: the sums are exact before they
# are rounded, and Σx, squared, adds 30 roundings of Σx² at the most (Cauchy and Schwarz).
ROUNDING = 1e-14
BLOCK = 1 << 16  # places measured at a time: arrays of this length stay in a processor's cache


@dataclass(frozen=True)
class Places:
    """Some ways to lay C, A and B out in runs; all arrays have one length.

    >>> two = Places([(np.array([0, 1]), np.array([2, 3]))], [(3, 4)], [])
    >>> two.length, two.at(1), two.mirrored(4).at(1)
    (2, (((1, 3),), ((3, 4),), ()), (((1, 3),), ((0, 1),), ()))
    """

    common: Runs
    higher: Runs
    lower: Runs

    @property
    def length(self) -> int:
        """How many ways there are."""
        ends = [end for run in (*self.common, *self.higher, *self.lower) for end in run]
        return max((len(end) for end in ends if isinstance(end, np.ndarray)), default=1)

    def at(self, i: int) -> tuple[tuple[Run, ...], tuple[Run, ...], tuple[Run, ...]]:
        """The runs of one way."""

        def pick(end: Any) -> int:
            return int(end[i]) if isinstance(end, np.ndarray) else int(end)

        sides = (self.common, self.higher, self.lower)
        found = [tuple((pick(start), pick(stop)) for start, stop in runs) for runs in sides]
        return found[0], found[1], found[2]

    def taken(self, which: np.ndarray) -> Places:
        """Some of the ways."""

        def pick(end: Any) -> Any:
            return end[which] if isinstance(end, np.ndarray) else end

        sides = (self.common, self.higher, self.lower)
        return Places(*([(pick(start), pick(stop)) for start, stop in runs] for runs in sides))

    def mirrored(self, size: int) -> Places:
        """The same ways, counted from the other end."""
        sides = (self.common, self.higher, self.lower)
        turned = [[(size - stop, size - start) for start, stop in runs] for runs in sides]
        return Places(*turned)


class Spread:
    """The records less the middle one, and their squares, in prefix sums.

    >>> from sensitivity_lab.universe import Universe
    >>> spread = Spread.of(SortedRecords.of(Universe.population([3, 1, 2, 10])))
    >>> spread.numbers.tolist(), spread.mirror.numbers.tolist()
    ([-2, -1, 0, 7], [-7, 0, 1, 2])

    `largest` is the largest magnitude among them. Cost: O(m).
    """

    def __init__(self, records: SortedRecords, centred: np.ndarray) -> None:
        self.records, self.count = records, len(centred)
        self.largest = max(abs(int(centred[0])), abs(int(centred[-1])))
        small = self.largest < 2**31  # then squares fit in 64 bits
        self.numbers = centred.astype(np.int64 if small else object, copy=False)
        self.sums = Sums(self.numbers, self.largest)
        self.squares = Sums(self.numbers * self.numbers, self.largest**2)

    @classmethod
    def of(cls, records: SortedRecords) -> Spread:
        """The records seen from below.

        >>> from sensitivity_lab.universe import Universe
        >>> Spread.of(SortedRecords.of(Universe.population([4, 4, 6]))).largest
        2
        """
        fits = records.largest < 2**62  # then no difference of two wraps
        whole = records.whole if fits else records.whole.astype(object)
        return cls(records, whole - records[len(records) // 2])

    @cached_property
    def mirror(self) -> Spread:
        """The same records seen from above."""
        return Spread(self.records, -self.numbers[::-1])


class Contest:
    """Keeps every place whose gap may be the widest, and settles them exactly.

    >>> from sensitivity_lab.universe import Universe
    >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
    >>> contest = Contest(spread, (1, 1, 1), ddof=0)
    >>> contest.enter(Places([(0, 1)], [(1, 2)], [(2, 3)]))
    >>> contest.enter(Places([(0, 1)], [(3, 4)], [(1, 2)]))
    >>> contest.winner().gap
    Fraction(20, 1)

    `share` is (c, a, b). With `root` the gap is of the standard deviations; else the lower side's
    variance counts `weight` times. Cost: O(1) for each way entered, and exact arithmetic for each
    that rounding leaves near the top.
    """

    def __init__(
        self,
        spread: Spread,
        share: tuple[int, int, int],
        ddof: int,
        *,
        root: bool = False,
        weight: Fraction = Fraction(1),
    ) -> None:
        self.spread, self.share, self.root = spread, share, root
        c, a, b = share
        self.higher = (c + a, Fraction(c + a - ddof))
        self.lower = (c + b, (c + b - ddof) / weight)
        self.floor = -math.inf  # some place is at least this wide
        self.kept: list[tuple[np.ndarray, Places]] = []

    def enter(self, places: Places) -> None:
        """Measure some places, and keep those that may be widest.

        >>> from sensitivity_lab.universe import Universe
        >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
        >>> contest = Contest(spread, (1, 1, 0), ddof=0)
        >>> contest.enter(Places([(0, 1)], [(np.array([1, 3]), np.array([2, 4]))], []))
        >>> contest.winner().gap
        Fraction(81, 4)

        Cost: O(1) for each place.
        """
        high = self._measured([*places.common, *places.higher], self.higher)
        low = self._measured([*places.common, *places.lower], self.lower)
        gap, doubt = np.atleast_1d(high[0] - low[0]), np.atleast_1d(high[1] + low[1])
        near = self._near(gap, doubt)
        if len(near):
            self.kept.append((gap[near] + doubt[near], places.taken(near)))

    def _near(self, gap: np.ndarray, doubt: np.ndarray) -> np.ndarray:
        """Where the gap may reach the widest so far, which these gaps may raise."""
        self.floor = max(self.floor, float((gap - doubt).max()))
        return np.flatnonzero(gap + doubt >= self.floor)

    def _measured(self, runs: Runs, size: tuple[int, Fraction]) -> tuple[Any, Any]:
        """The variances (or roots) over some runs, and how far rounding may have moved each."""
        totals = sum(self.spread.sums.floats(start, stop) for start, stop in runs)
        squares = sum(self.spread.squares.floats(start, stop) for start, stop in runs)
        return self.varied(totals, squares, size)

    def varied(self, totals: Any, squares: Any, size: tuple[int, Fraction]) -> tuple[Any, Any]:
        """The variances (or roots) of n records with these sums, and their doubts.

        >>> from sensitivity_lab.universe import Universe
        >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
        >>> variance, doubt = Contest(spread, (1, 1, 1), 0).varied(4.0, 10.0, (2, Fraction(2)))
        >>> variance, doubt < 1e-13
        (1.0, True)
        """
        n, divisor = size[0], float(size[1])
        variance = (squares - totals * (totals / n)) / divisor
        doubt = squares * (ROUNDING / divisor)
        return self.rooted(variance, doubt)

    def rooted(self, variance: Any, doubt: Any) -> tuple[Any, Any]:
        """The roots where they are asked for, with their doubts.

        >>> from sensitivity_lab.universe import Universe
        >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
        >>> float(Contest(spread, (1, 1, 1), 0, root=True).rooted(9.0, 1e-14)[0])
        3.0
        """
        return _rooted(variance, doubt) if self.root else (variance, doubt)

    def winner(self) -> WorstPair:
        """The widest place. Whole numbers leave few near the top, and exact gaps settle those.

        >>> from sensitivity_lab.universe import Universe
        >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
        >>> contest = Contest(spread, (1, 1, 0), ddof=0)
        >>> contest.enter(Places([(0, 1)], [(3, 4)], []))
        >>> contest.winner().pair()
        ((1, 10), (1,))

        Cost: whole-number arithmetic for each place that was kept.
        """
        kept = [places.taken(np.flatnonzero(reach >= self.floor)) for reach, places in self.kept]
        higher, lower = (
            np.concatenate([self._scatter(side, size) for side in sides])
            for sides, size in (
                ([[*p.common, *p.higher] for p in kept], self.higher[0]),
                ([[*p.common, *p.lower] for p in kept], self.lower[0]),
            )
        )
        best: tuple[Gap, int] | None = None
        seen: set[tuple[int, int]] = set()
        for i in self._near_the_top(higher, lower).tolist():
            scatters = (higher[i], lower[i])
            if scatters in seen:
                continue
            seen.add(scatters)
            gap = self._exact_gap(*scatters)
            if best is None or gap > best[0]:
                best = (gap, i)
        assert best is not None
        return WorstPair(best[0], *self._place(kept, best[1]), self.spread.records)

    def _scatter(self, runs: Runs, n: int) -> np.ndarray:
        """n·Σx² − (Σx)² over some runs, for each place, as Python ints."""
        total = sum(np.asarray(self.spread.sums.whole(*run)).astype(object) for run in runs)
        square = sum(np.asarray(self.spread.squares.whole(*run)).astype(object) for run in runs)
        return np.atleast_1d(np.asarray(n * square - total * total, dtype=object))

    def _near_the_top(self, higher: np.ndarray, lower: np.ndarray) -> np.ndarray:
        """The places whose gaps, in floats that are right to the last digits, are widest.

        The difference of the variances is exact before it is rounded; over the sum of the roots
        it is the difference of the roots.
        """
        (n, divisor), (m, other) = self.higher, self.lower
        weights = int(n * divisor * other.denominator), int(m * other * other.denominator)
        gaps = (higher * weights[1] - lower * weights[0]).astype(float)
        if self.root:
            roots = np.sqrt((higher * weights[1]).astype(float))
            roots += np.sqrt((lower * weights[0]).astype(float))
            gaps = np.divide(gaps, roots, out=np.zeros_like(gaps), where=roots > 0)
        doubt = 1e-15 * np.abs(gaps)
        return np.flatnonzero(gaps + doubt >= (gaps - doubt).max())

    def _place(
        self, kept: list[Places], i: int
    ) -> tuple[tuple[Run, ...], tuple[Run, ...], tuple[Run, ...]]:
        """The runs of the i-th place that was kept."""
        for places in kept:
            if i < places.length:
                return places.at(i)
            i -= places.length
        raise IndexError(i)

    def _exact_gap(self, higher: int, lower: int) -> Gap:
        """The gap of two scatters, as `scatter` gives them."""
        scale = self.spread.records.scale**2
        squares = [
            Fraction(scatter, n * divisor * scale)
            for scatter, (n, divisor) in ((higher, self.higher), (lower, self.lower))
        ]
        return RootGap(*squares) if self.root else squares[0] - squares[1]


def _rooted(square: Any, doubt: Any) -> tuple[Any, Any]:
    """Roots, and their doubt: d/√s where the square is clear of zero, √d where it is not."""
    root = np.sqrt(np.maximum(square, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(root > 0, doubt / np.where(root > 0, root, 1), math.inf)
    return root, np.minimum(slope, np.sqrt(doubt)) + 1e-15 * root


def counted(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """start, start + 1, … for each start, so many.

    >>> counted(np.array([3, 7]), np.array([2, 3]))
    array([3, 4, 7, 8, 9])

    Cost: linear in what it returns.
    """
    shifts = starts - np.cumsum(lengths) + lengths
    counted: np.ndarray = np.arange(lengths.sum()) + np.repeat(shifts, lengths)
    return counted


def around(s: np.ndarray, b: int, common: Runs, higher: Runs) -> Places:
    """Runs of W, the records that are not B, as runs of all records, with B at s.

    >>> around(np.array([1]), 1, [(0, 2)], []).at(0)
    (((0, 1), (2, 3)), (), ((1, 2),))

    Cost: O(1) for each s.
    """

    def split(runs: Runs) -> Runs:
        before = [(start, np.maximum(start, np.minimum(stop, s))) for start, stop in runs]
        after = [(np.maximum(start, s) + b, np.maximum(stop, s) + b) for start, stop in runs]
        whole = np.zeros_like(s)
        return [(start + whole, stop) for start, stop in before] + after

    return Places(split(common), split(higher), [(s, s + b)])
