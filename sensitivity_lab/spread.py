"""D(c, a, b) for variances and standard deviations on a population.

The lemmas on the book's page of proofs leave few places where the shared records C, the higher
side's A and the lower side's B can lie among the sorted records: each is made of a few runs.
The places are compared in floats, all near the top are settled in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.enumeration import Gap
from sensitivity_lab.exact import RootGap
from sensitivity_lab.records import Run, Solved, SortedRecords, Sums

Runs = Sequence[tuple[Any, Any]]  # starts and stops: whole numbers, or arrays of one length
MOST_PLACES = 30_000_000  # beyond this a D is left to others
# A sum of squares in floats is off by at most this share of Σx²: the sums are exact before they
# are rounded, and Σx, squared, adds 30 roundings of Σx² at the most (Cauchy and Schwarz).
ROUNDING = 1e-14
BLOCK = 1 << 16  # starts measured at a time: arrays of this length stay in a processor's cache
LARGEST = 2**400  # squares of larger records leave the floats


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
    """The centred records and their squares, in prefix sums."""

    def __init__(self, centred: np.ndarray) -> None:
        self.count = len(centred)
        self.largest = max(abs(int(centred[0])), abs(int(centred[-1])))
        self.numbers = centred if self.largest < 2**31 else centred.astype(object)
        self.sums = Sums(self.numbers, self.largest)
        self.squares = Sums(self.numbers * self.numbers, self.largest**2)

    def mirrored(self) -> Spread:
        """The records seen from the other end."""
        return Spread(-self.numbers[::-1])


class SpreadFinder:
    """D(c, a, b) for the variance (or its root) with a given `ddof`.

    >>> from sensitivity_lab.universe import Universe
    >>> records = SortedRecords.of(Universe.population([1, 2, 3, 10]))
    >>> SpreadFinder(records, ddof=0, root=False)(1, 1, 1).gap
    Fraction(20, 1)

    Proved, but for the standard deviation's 0 < a < b: there the gap may be a bound that no place
    is known to attain.
    Cost on m records: for a ≥ b, O(m·a + a³) and O(log m) for each place that may be widest (if
    b > c, O(m²·a)). For a < b ≤ c, O(m·a) and O(1) for each such place; there are O(m²·a), of
    which the bounds leave few.
    """

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.records, self.ddof, self.root = records, ddof, root
        middle = records[len(records) // 2]
        self.spread = Spread(records.whole - middle)

    @cached_property
    def mirror(self) -> Spread:
        """The records seen from the other end."""
        return self.spread.mirrored()

    def __call__(self, c: int, a: int, b: int) -> Solved | None:
        """Return the widest gap for (c, a, b), or None where there are too many places."""
        if self.spread.largest > LARGEST:
            return None
        contest = _Contest(self, c, a, b, root=self.root)
        either = self.root and 0 < a < b
        if a < b:
            _enter_outermost(contest)
        if (a >= b or either) and not _enter_runs(contest):
            return None
        found = contest.winner()
        if either and (bound := self._neither(c, a, b)) > found.gap:
            return replace(found, gap=bound, attained=False)
        return found

    def _neither(self, c: int, a: int, b: int) -> Gap:
        """The standard deviation's gap, at most, where neither place has it (thm-mixes-std)."""
        high, low = c + a, c + b
        if high == 1:
            return RootGap(0, 0)
        weight, most = (
            Fraction(
                (high - sign) * low * (low - self.ddof), (low - sign) * high * (high - self.ddof)
            )
            for sign in (1, -1)
        )
        contest = _Contest(self, c, a, b, weight=weight)
        _enter_outermost(contest)
        widest = contest.winner().gap
        assert not isinstance(widest, RootGap)
        return RootGap(max(widest, 0) * (1 - 1 / most), 0)


class _Contest:
    """Keeps every place whose gap may be the widest, and settles them exactly.

    The lower side's variance counts `weight` times.
    """

    def __init__(
        self,
        finder: SpreadFinder,
        c: int,
        a: int,
        b: int,
        *,
        root: bool = False,
        weight: Fraction = Fraction(1),
    ) -> None:
        self.finder, self.spread, self.root = finder, finder.spread, root
        self.share = (c, a, b)
        self.higher = (c + a, Fraction(c + a - finder.ddof))
        self.lower = (c + b, (c + b - finder.ddof) / weight)
        self.floor = -math.inf  # some place is at least this wide
        self.kept: list[tuple[np.ndarray, Places]] = []

    def enter(self, places: Places) -> None:
        """Measure some places, and keep those that may be widest."""
        high = self.measured([*places.common, *places.higher], self.higher)
        low = self.measured([*places.common, *places.lower], self.lower)
        gap, doubt = np.atleast_1d(high[0] - low[0]), np.atleast_1d(high[1] + low[1])
        near = self.near(gap, doubt)
        if len(near):
            self.kept.append((gap[near] + doubt[near], places.taken(near)))

    def near(self, gap: np.ndarray, doubt: np.ndarray) -> np.ndarray:
        """Where the gap may reach the widest so far, which these gaps may raise."""
        self.floor = max(self.floor, float((gap - doubt).max()))
        return np.flatnonzero(gap + doubt >= self.floor)

    def measured(self, runs: Runs, size: tuple[int, Fraction]) -> tuple[Any, Any]:
        """The variances (or roots) over some runs, and how far rounding may have moved each."""
        totals = sum(self.spread.sums.floats(start, stop) for start, stop in runs)
        squares = sum(self.spread.squares.floats(start, stop) for start, stop in runs)
        return self.varied(totals, squares, size)

    def varied(self, totals: Any, squares: Any, size: tuple[int, Fraction]) -> tuple[Any, Any]:
        """The variances (or roots) of n records with these sums, and their doubts."""
        n, divisor = size[0], float(size[1])
        variance = (squares - totals * (totals / n)) / divisor
        doubt = squares * (ROUNDING / divisor)
        return self.rooted(variance, doubt)

    def rooted(self, variance: Any, doubt: Any) -> tuple[Any, Any]:
        """The roots where they are asked for, with their doubts."""
        return _rooted(variance, doubt) if self.root else (variance, doubt)

    def winner(self) -> Solved:
        """The widest place. Whole numbers leave few near the top, and exact gaps settle those."""
        kept = [places.taken(np.flatnonzero(reach >= self.floor)) for reach, places in self.kept]
        higher, lower = (
            np.concatenate([self.scatter(side, size) for side in sides])
            for sides, size in (
                ([[*p.common, *p.higher] for p in kept], self.higher[0]),
                ([[*p.common, *p.lower] for p in kept], self.lower[0]),
            )
        )
        best: tuple[Gap, int] | None = None
        seen: set[tuple[int, int]] = set()
        for i in self.near_the_top(higher, lower).tolist():
            scatters = (higher[i], lower[i])
            if scatters in seen:
                continue
            seen.add(scatters)
            gap = self.exact_gap(*scatters)
            if best is None or gap > best[0]:
                best = (gap, i)
        assert best is not None
        return Solved(self.finder.records, best[0], *self.place(kept, best[1]))

    def scatter(self, runs: Runs, n: int) -> np.ndarray:
        """n·Σx² − (Σx)² over some runs, for each place, as Python ints."""
        total = sum(np.asarray(self.spread.sums.whole(*run)).astype(object) for run in runs)
        square = sum(np.asarray(self.spread.squares.whole(*run)).astype(object) for run in runs)
        return np.atleast_1d(np.asarray(n * square - total * total, dtype=object))

    def near_the_top(self, higher: np.ndarray, lower: np.ndarray) -> np.ndarray:
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

    def place(
        self, kept: list[Places], i: int
    ) -> tuple[tuple[Run, ...], tuple[Run, ...], tuple[Run, ...]]:
        """The runs of the i-th place that was kept."""
        for places in kept:
            if i < places.length:
                return places.at(i)
            i -= places.length
        raise IndexError(i)

    def exact_gap(self, higher: int, lower: int) -> Gap:
        scale = self.finder.records.scale**2
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


# --- B is a window; in W, the records that are not B, C is a run ------------------------------


def _enter_runs(contest: _Contest) -> bool:
    """Enter the places of a ≥ b (thm-places, thm-mixes), or say that there are too many.

    In W, A is the i lowest and the a − i highest of the records that are not C.
    """
    m, (c, a, b) = contest.spread.count, contest.share
    anywhere = b > c  # B may then lie among the unused
    beside = a == b > 0 and not contest.root  # all unused are then on one side of C
    corners = (a + 1) * (a + 2) // 2 * (m if anywhere else 2 * a + 2)
    centres = (a + 1) * (m - b - c) * m if anywhere and not beside else 0
    if b and corners + centres > MOST_PLACES:
        return False
    if b == 0:
        for places in _crowded_windows(m, c, a):
            contest.enter(places)
    else:
        contest.enter(_corners(contest.spread, c, a, b, anywhere))
        contest.enter(_corners(contest.finder.mirror, c, a, b, anywhere).mirrored(m))
    if anywhere and not beside:
        for places in _everywhere(m, c, a, b):
            contest.enter(places)
    elif not beside:
        _enter_windows(contest)
    return True


def _crowded_windows(m: int, c: int, a: int) -> Iterator[Places]:
    """C so near to an end that A lies on both sides of it there, without B."""
    for i in range(a + 1):
        rest = a - i
        s = np.arange(min(i, m - c + 1))
        if len(s):
            yield Places([(s, s + c)], [(0, s), (s + c, c + i), (m - rest, m)], [])
        s = np.arange(max(m - c - rest + 1, 0), m - c + 1)
        if len(s):
            yield Places([(s, s + c)], [(0, i), (m - c - rest, s), (s + c, m)], [])


def _corners(spread: Spread, c: int, a: int, b: int, anywhere: bool) -> Places:
    """In W: p of A, C, q of A, the unused, the rest of A. All unused records are above C."""
    m = spread.count
    p, q = np.array([(p, q) for p in range(a + 1) for q in range(a + 1 - p)]).T
    sides = [(0 * p, p), (p + c + b, p + c + b + q), (m - a + p + q, m + 0 * p)]
    inside = _best_inside(spread, (c, a, b), p, sides)
    last = m - b + 0 * p if anywhere else p + c + q
    groups = [(inside, inside + 1), (0 * p, p), (p + c + 1, last + 1)]
    lengths = [np.maximum(stops - starts, 0) for starts, stops in groups]
    s = np.concatenate(
        [_counted(starts, n) for (starts, _), n in zip(groups, lengths, strict=True)]
    )
    p, q = (np.concatenate([np.repeat(end, n) for n in lengths]) for end in (p, q))
    higher = [(0 * p, p), (p + c, p + c + q), (m - b - a + p + q, m - b + 0 * p)]
    return _around(s, b, [(p, p + c)], higher)


def _counted(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """start, start + 1, … for each start, so many."""
    shifts = starts - np.cumsum(lengths) + lengths
    counted: np.ndarray = np.arange(lengths.sum()) + np.repeat(shifts, lengths)
    return counted


def _everywhere(m: int, c: int, a: int, b: int) -> Iterator[Places]:
    """In W: i of A, unused, C, unused, the rest of A; and B anywhere."""
    for i in range(a + 1):
        starts = np.arange(i, m - b - (a - i) - c + 1)
        s = np.tile(np.arange(m - b + 1), len(starts))
        w = np.repeat(starts, m - b + 1)
        yield _around(s, b, [(w, w + c)], [(0, i), (m - b - (a - i), m - b)])


def _around(s: np.ndarray, b: int, common: Runs, higher: Runs) -> Places:
    """Runs of W, as runs of all records, with B at s."""

    def split(runs: Runs) -> Runs:
        before = [(start, np.maximum(start, np.minimum(stop, s))) for start, stop in runs]
        after = [(np.maximum(start, s) + b, np.maximum(stop, s) + b) for start, stop in runs]
        whole = np.zeros_like(s)
        return [(start + whole, stop) for start, stop in before] + after

    return Places(split(common), split(higher), [(s, s + b)])


def _best_inside(
    spread: Spread, share: tuple[int, int, int], p: np.ndarray, outer: Runs
) -> np.ndarray:
    """Where B, inside C, makes the higher side vary most, for C ∪ B from p on.

    C ∪ B is given, so B is a run taken out of it. Moving B up by one changes the higher side's
    sum of squares with the sign of −(n(u + w) − σ − σ′), u and w the records that B gains and
    gives up, σ and σ′ the higher side's sums before and after, n its size; that bracket never
    falls, so bisection finds the maximum. `outer` are A's runs.
    """
    c, a, b = share
    numbers, sums = spread.numbers, spread.sums
    all_but_b = sums.whole(p, p + c + b) + sum(sums.whole(start, stop) for start, stop in outer)
    low, high = p.copy(), p + c
    while (open_ := low < high).any():
        s = np.where(open_, (low + high) // 2, p)
        given_up, gained = numbers[s], numbers[np.minimum(s + b, len(numbers) - 1)]
        taken = sums.whole(s, s + b)
        both = 2 * (all_but_b - taken) - (gained - given_up)
        rising = np.asarray((c + a) * (gained + given_up) < both, dtype=bool)
        low = np.where(open_ & rising, s + 1, low)
        high = np.where(open_ & ~rising, s, high)
    return low


# B inside C, or next to it: C ∪ B is a window of all records, A the outermost of the others.


def _enter_windows(contest: _Contest) -> None:
    """Enter C ∪ B at the starts that may be widest, cut down by a bound.

    The gap is at most what it would be if the higher side had B too, at its mean.
    """
    m, (c, a, b) = contest.spread.count, contest.share
    n = c + b
    layouts = [_Layout(i, m - n - (a - i), [(0, i), (m - (a - i), m)]) for i in range(a + 1)]
    found = []
    for first in range(0, m - n + 1, BLOCK):
        reach = _window_reach(contest, layouts, first, min(first + BLOCK, m - n + 1))
        _enter_starts(contest, layouts, np.array([first + np.argmax(reach)]))
        near = np.flatnonzero(reach >= contest.floor)
        found.append((first + near, reach[near]))
    starts = np.concatenate([starts[reach >= contest.floor] for starts, reach in found])
    for first in range(0, len(starts), BLOCK):
        _enter_starts(contest, layouts, starts[first : first + BLOCK])


@dataclass(frozen=True)
class _Layout:
    """Where A lies, and the starts of C ∪ B that keep clear of it."""

    first: int
    last: int
    outer: Runs


def _window_reach(contest: _Contest, layouts: list[_Layout], first: int, stop: int) -> Any:
    """A bound on the gap of any layout for each start from `first` on; −∞ where there is none."""
    c, a, b = contest.share
    spread, divisor = contest.spread, float(contest.higher[1])
    windows = (slice(first, stop), slice(first + c + b, stop + c + b))
    totals, squares = spread.sums.floats(*windows), spread.squares.floats(*windows)
    low, low_doubt = contest.varied(totals, squares, contest.lower)
    widest, most = np.full(stop - first, -math.inf), squares.copy()
    for layout in layouts:
        begin, end = max(layout.first - first, 0), min(layout.last + 1, stop) - first
        clear = slice(begin, max(end, begin))
        total = totals[clear] + sum(spread.sums.floats(*run) for run in layout.outer)
        square = squares[clear] + sum(spread.squares.floats(*run) for run in layout.outer)
        np.maximum(most[clear], square, out=most[clear])
        total *= total
        total /= c + a + b
        square -= total
        square /= divisor
        np.maximum(widest[clear], square, out=widest[clear])
    high, high_doubt = contest.rooted(widest, most * (ROUNDING / divisor))
    return np.where(widest > -math.inf, high - low + high_doubt + low_doubt, -math.inf)


def _enter_starts(contest: _Contest, layouts: list[_Layout], starts: np.ndarray) -> None:
    """Enter every layout with C ∪ B at some starts, and B where it is best."""
    c, _, b = contest.share
    for layout in layouts:
        w = starts[(starts >= layout.first) & (starts <= layout.last)]
        if len(w) == 0:
            continue
        outer = [(start + 0 * w, stop + 0 * w) for start, stop in layout.outer]
        s = _best_inside(contest.spread, contest.share, w, outer) if b else w
        contest.enter(Places([(w, s), (s + b, w + c + b)], layout.outer, [(s, s + b)]))


# --- B is a window; in W, C and A together are the outermost ----------------------------------


@dataclass(frozen=True)
class _Zone:
    """Where B lies, and i of A at the bottom.

    Either B lies between the lowest and the highest of S = C ∪ A (`outside`), or S ∪ B is made
    of the lowest and the highest records and B is a run of either part. `outer` counts S, or
    S ∪ B; numbered in their order, the records from `sure[0]` to `sure[1]` are in C ∪ B wherever
    B starts, and it starts somewhere from `starts[0]` to `starts[1]`.
    """

    i: int
    outside: bool
    outer: int
    sure: Run
    starts: Run


def _outside(c: int, a: int) -> list[_Zone]:
    """B between the lowest and the highest of S."""
    return [_Zone(i, True, c + a, (i, i + c), (0, 0)) for i in range(a + 1)]


def _inside(c: int, a: int, b: int) -> list[_Zone]:
    """B next to C or inside it; below one of A's i lowest; above one of A's others."""
    n = c + a
    return [
        *(_Zone(i, False, n + b, (i, i + c + b), (i, i + c)) for i in range(a + 1)),
        *(_Zone(i, False, n + b, (i + b, i + b + c), (0, i - 1)) for i in range(1, a + 1)),
        *(_Zone(i, False, n + b, (i, i + c), (i + c + 1, n)) for i in range(a)),
    ]


def _enter_outermost(contest: _Contest) -> None:
    """Enter the places of a < b that may be widest, cut down by a bound (thm-places, thm-mixes).

    The gap is at most what it would be if B sat at a mean; and a B whose mean lies too far from
    it cannot make up for that.
    """
    m, (c, a, b) = contest.spread.count, contest.share
    means = contest.spread.sums.floats(slice(0, m - b + 1), slice(b, m + 1)) / b
    found = []
    for outer, zones in ((c + a, _outside(c, a)), (c + a + b, _inside(c, a, b))):
        first = outer if outer == m else 0  # then all are in, however they are split
        for start in range(first, outer + 1, BLOCK):
            lowest = np.arange(start, min(start + BLOCK, outer + 1))
            whole = _outermost(contest.spread, outer, lowest, (0, outer))
            for zone in zones:
                bound = _Bound.of(contest, zone, lowest, whole)
                best = np.argmax(bound.reach, keepdims=True)
                place = np.searchsorted(means, bound.mean[best])
                _enter_rows(contest, zone, lowest[best], (place - 1, place + 1), True)
                near = np.flatnonzero(bound.reach >= contest.floor)
                found.append((zone, lowest[near], bound.reach[near]))
    for zone, lowest, reach in found:
        left = lowest[reach >= contest.floor]
        whole = _outermost(contest.spread, zone.outer, left, (0, zone.outer))
        bound = _Bound.of(contest, zone, left, whole)
        off = bound.farthest(contest)
        first = np.searchsorted(means, bound.mean - off, side="left") - 1
        last = np.searchsorted(means, bound.mean + off, side="right") + 1
        _enter_rows(contest, zone, left, (first, last), False)


@dataclass(frozen=True)
class _Bound:
    """Sums of squares of S (or S ∪ B), at most, and of what is surely in C ∪ B, at least."""

    zone: _Zone
    most: Any
    least: Any
    mean: Any  # where B would be best
    reach: Any  # the gap, at most
    blur: Any  # how far rounding may have moved the mean

    @classmethod
    def of(
        cls, contest: _Contest, zone: _Zone, lowest: np.ndarray, whole: tuple[Any, Any, Any]
    ) -> _Bound:
        """For the l lowest and the others highest, for each l; `whole` sums all of these."""
        total, most, doubt = whole
        sure, least, less = _outermost(contest.spread, zone.outer, lowest, zone.sure)
        most, least = most + 2 * doubt, np.maximum(least - 2 * less, 0)
        count = zone.sure[1] - zone.sure[0] if zone.outside else zone.outer
        mean = (sure if zone.outside else total) / max(count, 1)
        high, low = most / float(contest.higher[1]), least / float(contest.lower[1])
        reach = np.sqrt(high) - np.sqrt(low) if contest.root else high - low
        return cls(zone, most, least, mean, reach, np.sqrt(doubt * ROUNDING / max(count, 1)))

    def farthest(self, contest: _Contest) -> Any:
        """How far B's mean may lie from the best before the gap falls below the widest so far."""
        c, a, b = contest.share
        one, other = float(contest.higher[1]), float(contest.lower[1])
        floor, root = contest.floor - 1e-12 * abs(contest.floor), contest.root
        if self.zone.outside:
            if c == 0:
                return np.full(len(self.most), math.inf)
            high = self.most / one
            most = np.maximum(np.sqrt(high) - floor, 0) ** 2 if root else high - floor
            squared = (most * other - self.least) * ((c + b) / (c * b))
        else:
            low = self.least / other
            least = np.maximum(np.sqrt(low) + floor, 0) ** 2 if root else low + floor
            squared = (self.most - least * one) * ((c + a) / (b * self.zone.outer))
        return np.sqrt(np.maximum(squared, 0)) * (1 + 1e-12) + self.blur


def _outermost(spread: Spread, outer: int, lowest: np.ndarray, part: Run) -> tuple[Any, Any, Any]:
    """Of the l lowest and the outer − l highest records, the part of this order: Σx, SS, doubt."""
    runs = _ordered(spread.count - outer, lowest, *part)
    total = sum(spread.sums.floats(*run) for run in runs)
    square = sum(spread.squares.floats(*run) for run in runs)
    count = max(part[1] - part[0], 1)
    return total, np.maximum(square - total * total / count, 0), square * ROUNDING


def _ordered(unused: int, lowest: np.ndarray, start: int, stop: int) -> Runs:
    """The runs of records `start` to `stop` of an order that skips so many after the lowest."""
    low = np.minimum(start, lowest), np.minimum(stop, lowest)
    high = np.maximum(start, lowest) + unused, np.maximum(stop, lowest) + unused
    return [low, high]


def _enter_rows(
    contest: _Contest,
    zone: _Zone,
    lowest: np.ndarray,
    near: tuple[Any, Any],
    some: bool,
) -> None:
    """Enter B at every start from near[0] to near[1] that the zone allows, for each l.

    With `some`, at the nearest that it allows if none of these is.
    """
    c, a, b = contest.share
    n, unused = c + a, contest.spread.count - c - a - b
    first, last = zone.starts
    if zone.outside:
        spans = [(lowest, lowest, lowest + unused)]
    else:
        spans = [
            (lowest - b, first + 0 * lowest, np.minimum(last, lowest - b)),
            (lowest, np.maximum(first, lowest) + unused, last + unused + 0 * lowest),
        ]
    for low, least, most in spans:
        if some:
            starts, stops = np.clip(near[0], least, most), np.clip(near[1], least, most)
        else:
            starts, stops = np.maximum(near[0], least), np.minimum(near[1], most)
        lengths = np.where(most >= least, np.maximum(stops - starts + 1, 0), 0)
        for rows in _in_chunks(lengths):
            left = np.repeat(low[rows], lengths[rows])
            s = _counted(starts[rows], lengths[rows])
            common = _ordered(unused, left, zone.i, zone.i + c)
            higher = [
                *_ordered(unused, left, 0, zone.i),
                *_ordered(unused, left, zone.i + c, n),
            ]
            contest.enter(_around(s, b, common, higher))


def _in_chunks(lengths: np.ndarray, most: int = 1 << 20) -> Iterator[np.ndarray]:
    """Row numbers in groups whose lengths add up to about `most`, empty rows left out."""
    rows = np.flatnonzero(lengths)
    if len(rows) == 0:
        return
    groups = np.cumsum(lengths[rows]) // most
    yield from np.split(rows, np.flatnonzero(np.diff(groups)) + 1)
