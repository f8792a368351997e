"""D(c, a, b) for variances and standard deviations on a population.

The lemmas on the book's page of proofs leave few places where the shared records C, the higher
side's A and the lower side's B can lie among the sorted records: each is made of a few runs.
The places are compared in floats, all near the top are settled in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.enumeration import Gap
from sensitivity_lab.exact import RootGap
from sensitivity_lab.records import Run, Solved, SortedRecords, Sums

Runs = Sequence[tuple[Any, Any]]  # starts and stops: whole numbers, or arrays of one length
MOST_PLACES = 30_000_000  # beyond this a D is left to others
# A sum of squares in floats is off by at most this share of Σx²: the sums are exact before they
# are rounded, and Σx, squared, adds 16 roundings of Σx² at the most (Cauchy and Schwarz).
ROUNDING = 1e-14
BLOCK = 1 << 16  # starts measured at a time: arrays of this length stay in a processor's cache
LARGEST = 2**400  # squares of larger records leave the floats


@dataclass(frozen=True)
class Places:
    """Some ways to lay C, A and B out in runs; all arrays have one length."""

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

    Proved, and so served: b = 0, a = 0, and a = b. Other mixes return None.
    Cost: O(m·k) for b = 0 on m records; O(m) and a few places for a = 0; O(k² log m) for the
    variance's a = b; O(m·k log m) for the standard deviation's.
    """

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.records, self.ddof, self.root = records, ddof, root
        middle = records[len(records) // 2]
        self.spread = Spread(records.whole - middle)
        self.mirror: Spread | None = None

    def __call__(self, c: int, a: int, b: int) -> Solved | None:
        """Return the widest gap for (c, a, b), or None where no proof covers it."""
        if (a and b and a != b) or self.spread.largest > LARGEST:
            return None
        contest = _Contest(self, c, a, b)
        if b == 0:
            _enter_windows(contest, c, a)
        elif a == 0:
            _enter_inner(contest, c, b)
        elif not self._enter_changes(contest, c, a):
            return None
        return contest.winner()

    def _enter_changes(self, contest: _Contest, c: int, k: int) -> bool:
        """Enter all places for a = b = k, or say that there are too many."""
        m = len(self.records)
        anywhere = k > c  # B may then lie among the unused
        corners = (k + 1) * (k + 2) // 2 * (m if anywhere else 2 * k + 2)
        centres = (k + 1) * (m - k - c) * (m if anywhere else 1) if self.root else 0
        if corners + centres > MOST_PLACES:
            return False
        if self.mirror is None:
            self.mirror = self.spread.mirrored()
        contest.enter(_corners(self.spread, c, k, anywhere))
        contest.enter(_corners(self.mirror, c, k, anywhere).mirrored(m))
        if self.root:
            for places in _centres(self.spread, c, k, anywhere):
                contest.enter(places)
        return True


class _Contest:
    """Keeps every place whose gap may be the widest, and settles them exactly."""

    def __init__(self, finder: SpreadFinder, c: int, a: int, b: int) -> None:
        self.finder, self.spread = finder, finder.spread
        self.higher, self.lower = (c + a, c + a - finder.ddof), (c + b, c + b - finder.ddof)
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

    def measured(self, runs: Runs, size: tuple[int, int]) -> tuple[Any, Any]:
        """The variances (or roots) over some runs, and how far rounding may have moved each."""
        totals = sum(self.spread.sums.floats(start, stop) for start, stop in runs)
        squares = sum(self.spread.squares.floats(start, stop) for start, stop in runs)
        return self.varied(totals, squares, size)

    def varied(self, totals: Any, squares: Any, size: tuple[int, int]) -> tuple[Any, Any]:
        """The variances (or roots) of n records with these sums, and their doubts."""
        n, divisor = size
        variance = (squares - totals * (totals / n)) / divisor
        doubt = squares * (ROUNDING / divisor)
        return self.rooted(variance, doubt)

    def rooted(self, variance: Any, doubt: Any) -> tuple[Any, Any]:
        """The roots where they are asked for, with their doubts."""
        return _rooted(variance, doubt) if self.finder.root else (variance, doubt)

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
        weights = n * divisor, m * other
        gaps = (higher * weights[1] - lower * weights[0]).astype(float)
        if self.finder.root:
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
        return RootGap(*squares) if self.finder.root else squares[0] - squares[1]


def _rooted(square: Any, doubt: Any) -> tuple[Any, Any]:
    """Roots, and their doubt: d/√s where the square is clear of zero, √d where it is not."""
    root = np.sqrt(np.maximum(square, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(root > 0, doubt / np.where(root > 0, root, 1), math.inf)
    return root, np.minimum(slope, np.sqrt(doubt)) + 1e-15 * root


# --- b = 0: C is a window, A the outermost of the others ------------------------------------


def _enter_windows(contest: _Contest, c: int, a: int) -> None:
    """C at every start s, the i lowest and the a − i highest others (thm-places, b = 0)."""
    m = contest.spread.count
    layouts = [_Layout(i, m - c - (a - i), [(0, i), (m - (a - i), m)]) for i in range(a + 1)]
    promising = _promising_starts(contest, c, layouts)
    for layout in layouts:
        s = promising[(promising >= layout.first) & (promising <= layout.last)]
        if len(s):
            contest.enter(Places([(s, s + c)], layout.outer, []))
    for i in range(a + 1):
        for places in _crowded_windows(m, c, a, i):
            contest.enter(places)


@dataclass(frozen=True)
class _Layout:
    """Where A lies, and the starts of C that keep clear of it."""

    first: int
    last: int
    outer: Runs


def _promising_starts(contest: _Contest, c: int, layouts: list[_Layout]) -> np.ndarray:
    """The starts of C at which some layout may be widest; one root a start, whatever the layouts."""
    stop = contest.spread.count - c + 1
    found = []
    for first in range(0, stop, BLOCK):
        gap, doubt = _window_gaps(contest, c, layouts, first, min(first + BLOCK, stop))
        near = contest.near(gap, doubt)
        found.append((first + near, (gap + doubt)[near]))
    return np.concatenate([starts[reach >= contest.floor] for starts, reach in found])


def _window_gaps(
    contest: _Contest, c: int, layouts: list[_Layout], first: int, stop: int
) -> tuple[Any, Any]:
    """The widest gap of any layout for each start of C from `first` on, and its doubt."""
    spread, (n, divisor) = contest.spread, contest.higher
    windows = (slice(first, stop), slice(first + c, stop + c))
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
        total /= n
        square -= total
        square /= divisor
        np.maximum(widest[clear], square, out=widest[clear])
    high, high_doubt = contest.rooted(widest, most * (ROUNDING / divisor))
    return high - low, high_doubt + low_doubt


def _crowded_windows(m: int, c: int, a: int, i: int) -> Iterator[Places]:
    """C so near to an end that A lies on both sides of it there."""
    rest = a - i
    s = np.arange(min(i, m - c + 1))
    if len(s):
        yield Places([(s, s + c)], [(0, s), (s + c, c + i), (m - rest, m)], [])
    s = np.arange(max(m - c - rest + 1, 0), m - c + 1)
    if len(s):
        yield Places([(s, s + c)], [(0, i), (m - c - rest, s), (s + c, m)], [])


# --- a = 0: B is a window, C the outermost of the others ------------------------------------


def _enter_inner(contest: _Contest, c: int, b: int) -> None:
    """Enter all places that may be widest, cut down by a bound (thm-places, a = 0).

    Either C is the l lowest and the c − l highest records, and B lies between them (`gap`), or
    C ∪ B is the l lowest and the c + b − l highest, and B is a run of either part (`part`).
    With SS the sum of squares of C (of C ∪ B), the gap is at most what it would be if B sat at
    the mean; and a B whose mean lies too far off cannot make up for it.
    """
    m, n = contest.spread.count, c + b
    windows = contest.spread.sums.floats(slice(0, m - b + 1), slice(b, m + 1))
    windows /= b
    for kind, outer in (("gap", c), ("part", n)):
        reach = np.empty(outer + 1)  # the bound and its doubt
        for first in range(0, outer + 1, BLOCK):
            stop = min(first + BLOCK, outer + 1)
            _, deviation, doubt = _outermost(contest.spread, outer, np.arange(first, stop))
            reach[first:stop] = sum(_inner_bound(contest, deviation, doubt))
        best = np.array([np.argmax(reach)])
        total, _, _ = _outermost(contest.spread, outer, best)
        place = np.searchsorted(windows, total / outer)
        _enter_rows(contest, kind, c, b, best, (place - 1, place + 1))
        left = np.flatnonzero(reach > contest.floor)
        total, deviation, doubt = _outermost(contest.spread, outer, left)
        slack = _inner_slack(contest, kind, deviation, doubt)
        ratio = n / (c * b) if kind == "gap" else c / (n * b)
        mean, off = total / outer, np.sqrt(np.maximum(slack, 0) * ratio)
        near = (
            np.searchsorted(windows, mean - off, side="left") - 1,
            np.searchsorted(windows, mean + off, side="right") + 1,
        )
        _enter_rows(contest, kind, c, b, left, near)


def _outermost(spread: Spread, outer: int, lowest: np.ndarray) -> tuple[Any, Any, Any]:
    """For the l lowest and the outer − l highest records: Σx, SS, and the doubt of SS."""
    low, high = (0, lowest), (spread.count - outer + lowest, spread.count)
    total = spread.sums.floats(*low) + spread.sums.floats(*high)
    square = spread.squares.floats(*low) + spread.squares.floats(*high)
    return total, np.maximum(square - total * total / outer, 0), square * ROUNDING


def _inner_bound(contest: _Contest, deviation: Any, doubt: Any) -> tuple[Any, Any]:
    """The gap if B sat at the mean of C, and its doubt."""
    (_, one), (_, other) = contest.higher, contest.lower
    if not contest.finder.root:
        share = 1 / one - 1 / other
        return deviation * share, doubt * share
    root, root_doubt = _rooted(deviation, doubt)
    share = 1 / math.sqrt(one) - 1 / math.sqrt(other)
    return root * share, root_doubt * share


def _inner_slack(contest: _Contest, kind: str, deviation: Any, doubt: Any) -> Any:
    """How much SS may be lost by B's place before the gap falls below the widest so far."""
    (_, one), (_, other) = contest.higher, contest.lower
    floor = contest.floor - 1e-12 * abs(contest.floor)
    margin = 4 * doubt * (1 + other / one)
    if kind == "gap":  # C is given: the variance of C ∪ B must stay below this
        high = deviation / one
        most = np.maximum(np.sqrt(high) - floor, 0) ** 2 if contest.finder.root else high - floor
        return most * other - deviation + margin
    low = deviation / other  # C ∪ B is given: the variance of C must stay above this
    least = (np.sqrt(low) + floor) ** 2 if contest.finder.root else low + floor
    return deviation - least * one + margin


def _enter_rows(
    contest: _Contest, kind: str, c: int, b: int, l_all: np.ndarray, near: tuple[Any, Any]
) -> None:
    """Enter B at every start from near[0] to near[1] that its kind allows, for each l."""
    m, n = contest.spread.count, c + b
    first, last = near
    if kind == "gap":
        spans = [(np.maximum(first, l_all), np.minimum(last, m - c + l_all - b))]
    else:
        low = (np.maximum(first, 0), np.minimum(last, l_all - b))
        high = (np.maximum(first, m - n + l_all), np.minimum(last, m - b))
        spans = [low, high]
    if kind == "gap":  # the ends of the gap are always allowed
        spans[0] = tuple(np.clip(end, l_all, m - c + l_all - b) for end in near)
    for part, (starts, stops) in enumerate(spans):
        lengths = np.maximum(stops - starts + 1, 0)
        for rows in _in_chunks(lengths):
            ll = np.repeat(l_all[rows], lengths[rows])
            s = np.concatenate(
                [np.arange(i, j + 1) for i, j in zip(starts[rows], stops[rows], strict=True)]
            )
            if kind == "gap":
                common: Runs = [(np.zeros_like(ll), ll), (m - c + ll, np.full_like(ll, m))]
            elif part == 0:
                common = [(np.zeros_like(s), s), (s + b, ll), (m - n + ll, np.full_like(ll, m))]
            else:
                common = [(np.zeros_like(ll), ll), (m - n + ll, s), (s + b, np.full_like(ll, m))]
            contest.enter(Places(common, [], [(s, s + b)]))


def _in_chunks(lengths: np.ndarray, most: int = 1 << 20) -> Iterator[np.ndarray]:
    """Row numbers in groups whose lengths add up to about `most`, empty rows left out."""
    rows = np.flatnonzero(lengths)
    if len(rows) == 0:
        return
    groups = np.cumsum(lengths[rows]) // most
    yield from np.split(rows, np.flatnonzero(np.diff(groups)) + 1)


# --- a = b: B is a window, and A and C lie among the others ---------------------------------


def _corners(spread: Spread, c: int, k: int, anywhere: bool) -> Places:
    """In W, the records that are not B: p of A, C, q of A, the unused, the rest of A.

    The case a = b of thm-places with all unused records above C.
    """
    m = spread.count
    pairs = [(p, q) for p in range(k + 1) for q in range(k + 1 - p)]
    p, q = np.array(pairs, dtype=np.int64).T
    rest = k - p - q
    best = _best_inside(
        spread, c, k, p, [(0 * p, p), (p + c + k, p + c + k + q), (m - rest, m + 0 * p)]
    )
    rows = []
    for (pp, qq), inside in zip(pairs, best.tolist(), strict=True):
        last = m - k if anywhere else pp + c + qq
        starts = [inside, *range(pp), *range(pp + c + 1, last + 1)]
        rows += [(pp, qq, s) for s in starts]
    p, q, s = np.array(rows, dtype=np.int64).T
    higher = [
        (np.zeros_like(p), p),
        (p + c, p + c + q),
        (m - 2 * k + p + q, np.full_like(p, m - k)),
    ]
    return _around(s, k, [(p, p + c)], higher)


def _centres(spread: Spread, c: int, k: int, anywhere: bool) -> Iterator[Places]:
    """In W, the records that are not B: i of A, unused, C, unused, the rest of A.

    The case a = b of thm-places with unused records on both sides of C.
    """
    m = spread.count
    for i in range(k + 1):
        w = np.arange(i, m - k - (k - i) - c + 1)
        higher: Runs = [(0, i), (m - k - (k - i), m - k)]
        if anywhere:
            s = np.tile(np.arange(m - k + 1), len(w))
            w = np.repeat(w, m - k + 1)
        else:
            s = _best_inside(
                spread, c, k, w, [(0 * w, i + 0 * w), (m - (k - i) + 0 * w, m + 0 * w)]
            )
        yield _around(s, k, [(w, w + c)], higher)


def _around(s: np.ndarray, k: int, common: Runs, higher: Runs) -> Places:
    """Runs among the records that are not B, as runs of all records, with B at s."""

    def split(runs: Runs) -> Runs:
        before = [(start, np.maximum(start, np.minimum(stop, s))) for start, stop in runs]
        after = [(np.maximum(start, s) + k, np.maximum(stop, s) + k) for start, stop in runs]
        whole = np.zeros_like(s)
        return [(start + whole, stop) for start, stop in before] + after

    return Places(split(common), split(higher), [(s, s + k)])


def _best_inside(spread: Spread, c: int, k: int, p: np.ndarray, outer: Runs) -> np.ndarray:
    """Where B, inside C, makes the higher side vary most, for C ∪ B from p on.

    C ∪ B is given, so B is a run taken out of it. Moving B up by one changes the higher side's
    sum of squares with the sign of −(n(u + w) − σ − σ′), u and w the records that B gains and
    gives up, σ and σ′ the higher side's sums before and after; that bracket never falls, so
    bisection finds the maximum. `outer` are A's runs.
    """
    n = c + k
    numbers, sums = spread.numbers, spread.sums
    all_but_b = sums.whole(p, p + n) + sum(sums.whole(start, stop) for start, stop in outer)
    low, high = p.copy(), p + c
    while (open_ := low < high).any():
        s = np.where(open_, (low + high) // 2, p)
        given_up, gained = numbers[s], numbers[np.minimum(s + k, len(numbers) - 1)]
        taken = sums.whole(s, s + k)
        both = 2 * (all_but_b - taken) - (gained - given_up)
        rising = np.asarray(n * (gained + given_up) < both, dtype=bool)
        low = np.where(open_ & rising, s + 1, low)
        high = np.where(open_ & ~rising, s, high)
    return low
