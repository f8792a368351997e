"""The widest gap of many layouts: a filter in floating point, and exact numbers for what it leaves.

A layout says which of the sorted records are in C, in A and in B, by runs of them. Most layouts
are dropped because their gap, in floats, is clearly below another's; whole numbers decide among
the rest: geometry's floating-point filter with an exact fallback (doi:10.1007/PL00009321).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sensitivity_beyond.proofs.sorted_records import SortedRecords, Sums
from sensitivity_lab.numbers.exact import Exact, RootGap
from sensitivity_lab.numbers.gap import Gap, rational
from sensitivity_lab.proved.worst_pair import WorstPair

Runs = Sequence[tuple[Any, Any]]  # starts and stops: whole numbers, or (N,) of them, or slices
# A sum of squares in floats is off by at most this part of Σx²: the sums are exact before they
# are rounded, and Σx, squared, adds 30 roundings of Σx² at the most (Cauchy and Schwarz).
ROUNDING = 1e-14
MOST_KEPT = 1 << 18  # layouts: beyond this the widest of them is settled at once
BLOCK = 1 << 16  # layouts measured at a time: arrays of this length stay in a processor's cache


class Layouts(NamedTuple):
    """N layouts of C, A and B: the runs of each part; an end is a whole number or `(N,)` of them.

    CC.A        C from 0 to 2, A from 3 to 4
    .CCA        C from 1 to 3, A from 3 to 4
    """

    common: Runs
    removed: Runs
    added: Runs

    @property
    def higher(self) -> Runs:
        """The runs of C ∪ A, the side whose answer is to be the higher."""
        return [*self.common, *self.removed]

    @property
    def lower(self) -> Runs:
        """The runs of C ∪ B."""
        return [*self.common, *self.added]

    @property
    def length(self) -> int:
        """How many layouts there are."""
        ends = [end for runs in self for run in runs for end in run]
        return max((len(end) for end in ends if isinstance(end, np.ndarray)), default=1)

    def at(self, i: int) -> Layouts:
        """One of the layouts, in whole numbers."""
        return self._with(lambda end: int(end[i] if isinstance(end, np.ndarray) else end))

    def taken(self, which: np.ndarray) -> Layouts:
        """Some of the layouts."""
        return self._with(lambda end: end[which] if isinstance(end, np.ndarray) else end)

    def _with(self, changed: Callable[[Any], Any]) -> Layouts:
        """The same runs, each end changed."""
        return Layouts(*([(changed(at), changed(to)) for at, to in runs] for runs in self))


def mirrored(runs: Runs, size: int) -> Runs:
    """The runs of the same records, counted from the other end."""
    return [(size - stop, size - start) for start, stop in runs]


class Centred:
    """The m records less the middle one, `(m,)` whole numbers, with prefix sums."""

    def __init__(self, records: SortedRecords, centred: np.ndarray) -> None:
        self.records, self.count = records, len(centred)
        self.largest = max(abs(int(centred.min())), abs(int(centred.max())))
        small = self.largest < 2**31  # then squares fit in 64 bits
        self.numbers = centred.astype(np.int64 if small else object, copy=False)
        self.sums = Sums(self.numbers, self.largest)
        self.squares = Sums(self.numbers * self.numbers, self.largest**2)

    @classmethod
    def of(cls, records: SortedRecords) -> Centred:
        """The records seen from below."""
        fits = records.largest < 2**62  # then no difference of two wraps
        whole = records.whole if fits else records.whole.astype(object)
        return cls(records, whole - records[len(records) // 2])

    def floats(self, runs: Runs) -> tuple[Any, Any]:
        """Σx and Σx² over some runs, rounded to floats: `(N,)` each."""
        totals = sum(self.sums.floats(start, stop) for start, stop in runs)
        squares = sum(self.squares.floats(start, stop) for start, stop in runs)
        return totals, squares

    def scatter(self, runs: Runs, n: int) -> np.ndarray:
        """n·Σx² − (Σx)² over some runs of n records in all: `(N,)` Python ints."""
        total = sum(np.asarray(self.sums.whole(*run)).astype(object) for run in runs)
        square = sum(np.asarray(self.squares.whole(*run)).astype(object) for run in runs)
        return np.atleast_1d(np.asarray(n * square - total * total, dtype=object))


class Side(NamedTuple):
    """How many records a side has, and by what their sum of squares is divided."""

    size: int
    divisor: Fraction


class FilteredMaximum:
    """Keeps every layout whose gap may be the widest, and settles them exactly."""

    def __init__(
        self,
        centred: Centred,
        share: tuple[int, int, int],
        ddof: int,
        *,
        root: bool = False,
        weight: Fraction = Fraction(1),
        floor: float = -math.inf,
    ) -> None:
        self.centred, self.share, self.root = centred, share, root
        c, a, b = share
        self.higher = Side(c + a, Fraction(c + a - ddof))
        self.lower = Side(c + b, (c + b - ddof) / weight)
        self.floor = floor  # what is below is dropped
        self.kept: list[tuple[np.ndarray, Layouts]] = []  # each with what its gap is at most

    @property
    def unused(self) -> int:
        """How many records are in no part."""
        return self.centred.count - sum(self.share)

    def enter(self, layouts: Layouts) -> None:
        """Measure some layouts, and keep those that may be widest."""
        high, high_doubt = self.variances(*self.centred.floats(layouts.higher), self.higher)
        low, low_doubt = self.variances(*self.centred.floats(layouts.lower), self.lower)
        gap, doubt = np.atleast_1d(high - low), np.atleast_1d(high_doubt + low_doubt)
        self.floor = max(self.floor, float((gap - doubt).max()))
        near = np.flatnonzero(gap + doubt >= self.floor)
        if len(near):
            self.kept.append((gap[near] + doubt[near], layouts.taken(near)))
        if sum(len(most) for most, _ in self.kept) > MOST_KEPT:  # keep the widest alone
            self.kept = [(np.full(1, math.inf, dtype=float), self._exactly_widest()[1])]

    def variances(self, totals: Any, squares: Any, side: Side) -> tuple[Any, Any]:
        """The variances, or their roots, of a side with these sums, and how far each may be off."""
        divisor = float(side.divisor)
        variance = (squares - totals * (totals / side.size)) / divisor
        return self.rooted(variance, squares * (ROUNDING / divisor))

    def rooted(self, square: Any, doubt: Any) -> tuple[Any, Any]:
        """The roots where they are asked for; their doubt is d/√s clear of zero, else √d."""
        if not self.root:
            return square, doubt
        root = np.sqrt(np.maximum(square, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(root > 0, doubt / np.where(root > 0, root, 1), math.inf)
        # 1e-15 is more than the roundings of the root and of a difference of two, 1.2e-16 each
        return root, np.minimum(slope, np.sqrt(doubt)) + 1e-15 * root

    def widest(self) -> WorstPair:
        """The widest layout, of equals the first: whole numbers leave few, exact gaps decide."""
        gap, layout = self._exactly_widest()
        return WorstPair(gap, *layout.at(0), self.centred.records)

    def _exactly_widest(self) -> tuple[Gap, Layouts]:
        c, a, b = self.share
        near = [(np.flatnonzero(most >= self.floor), layouts) for most, layouts in self.kept]
        kept = [layouts.taken(which) for which, layouts in near if len(which)]
        kept = kept or [Layouts([(0, c)], [(c, c + a)], [(c + a, c + a + b)])]  # any of the share
        scatter, (n, divisor), (m, other) = self.centred.scatter, self.higher, self.lower
        higher = np.concatenate([scatter(layouts.higher, n) for layouts in kept])
        lower = np.concatenate([scatter(layouts.lower, m) for layouts in kept])
        first: dict[tuple[int, int], int] = {}  # equal scatters have one gap
        for i in self._near_the_top(higher, lower).tolist():
            first.setdefault((higher[i], lower[i]), i)
        scale = self.centred.records.scale**2
        gaps: dict[int, Gap] = {}
        for (high, low), i in first.items():
            ends = Fraction(high, n * divisor * scale), Fraction(low, m * other * scale)
            gaps[i] = RootGap(*ends) if self.root else ends[0] - ends[1]
        i = best = max(gaps, key=gaps.__getitem__)
        for layouts in kept:  # it is the i-th of all
            if i < layouts.length:
                break
            i -= layouts.length
        return gaps[best], layouts.taken(np.array([i], dtype=np.intp))

    def _near_the_top(self, higher: np.ndarray, lower: np.ndarray) -> np.ndarray:
        """Which gaps, in floats that are right to the last digits, may be the widest."""
        (n, divisor), (m, other) = self.higher, self.lower
        weights = int(n * divisor * other.denominator), int(m * other * other.denominator)
        gaps = (higher * weights[1] - lower * weights[0]).astype(float)
        if self.root:  # the exact difference of the squares, over the sum of the roots
            roots = np.sqrt((higher * weights[1]).astype(float))
            roots += np.sqrt((lower * weights[0]).astype(float))
            gaps = np.divide(gaps, roots, out=np.zeros_like(gaps), where=roots > 0)
        doubt = 1e-15 * np.abs(gaps)  # at most six roundings of 1.2e-16: nothing cancels in floats
        return np.flatnonzero(gaps + doubt >= (gaps - doubt).max())


def scaled(gap: Gap, factor: Exact) -> Gap:
    """A gap of variances, or of their roots, where all variances are so many times as large."""
    if isinstance(gap, RootGap):
        return RootGap(gap.larger * factor, gap.smaller * factor)
    return rational(gap) * factor


def ordered(left_out: int, lowest: Any, start: Any, stop: Any) -> Runs:
    """The runs of records `start` to `stop` of an order that leaves so many
    out after the lowest."""
    low = np.minimum(start, lowest), np.minimum(stop, lowest)
    high = np.maximum(start, lowest) + left_out, np.maximum(stop, lowest) + left_out
    return [low, high]


def first_true(holds: Callable[[np.ndarray], Any], low: Any, high: Any) -> np.ndarray:
    """From `low` on, the first place below `high` where something holds that never ends;
    else `high`."""
    lowest, low, high = low, low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = np.where(open_, (low + high) // 2, lowest)
        found = np.asarray(holds(middle), dtype=bool)
        low = np.where(open_ & ~found, middle + 1, low)
        high = np.where(open_ & found, middle, high)
    reached: np.ndarray = low
    return reached


def different(numbers: np.ndarray, starts: np.ndarray, length: int) -> np.ndarray:
    """Of ascending starts those whose run of sorted numbers has not the values
    of the start's before."""
    one_up = np.diff(starts, prepend=-2) == 1
    equal = numbers[np.maximum(starts - 1, 0)] == numbers[starts + length - 1]
    others: np.ndarray = starts[~(one_up & np.asarray(equal, dtype=bool))]
    return others


def in_chunks(lengths: np.ndarray, most: int = 1 << 20) -> Iterator[np.ndarray]:
    """Row numbers in groups whose lengths add up to about `most`, empty rows left out."""
    rows = np.flatnonzero(lengths)
    groups = np.cumsum(lengths[rows], dtype=np.int64) // most
    yield from np.split(rows, np.flatnonzero(np.diff(groups)) + 1) if len(rows) else ()


def around(s: np.ndarray, b: int, common: Runs, removed: Runs) -> Layouts:
    """Layouts of W, the records that are not B, as layouts of all records,
    with B at `(N,)` starts."""

    def split(runs: Runs) -> Runs:
        below = [(start + 0 * s, np.maximum(start, np.minimum(stop, s))) for start, stop in runs]
        above = [(np.maximum(start, s) + b, np.maximum(stop, s) + b) for start, stop in runs]
        return below + above

    return Layouts(split(common), split(removed), [(s, s + b)])


def outermost(m: int, n: Any, a: Any, s: Any, i: Any) -> Runs:
    """The runs of A around T, the n of m records that start at s: whole numbers, or `(N,)` of them.

    Of the records that are not in T, A is the i lowest and the a − i highest:

    A..A . . T....T . . . A..A        a = 3, i = 2:  AA..TTT...A
    A..A T....T A..A . . . . A        where T starts below i:  ATTTA...A
    """
    rest = m - n
    return [*ordered(n, s, 0, i), *ordered(n, s, rest - (a - i), rest)]


def best_below(centred: Centred, n: Any, a: Any, s: np.ndarray) -> np.ndarray:
    """The least i with the largest sum of squares of T ∪ A, for each of `(N,)` starts of T."""
    none = np.zeros_like(s)
    return first_true(lambda i: _bracket(centred, n, a, s, i) >= 0, none, none + a)


def first_starts(centred: Centred, n: int, a: int) -> np.ndarray:
    """For each i below a, the first start of T from which on more than i are best:
    `(a,)`, ascending."""
    i = np.arange(a, dtype=np.intp)
    last = np.full_like(i, centred.count - n)
    return first_true(lambda s: _bracket(centred, n, a, s, i) < 0, np.zeros_like(i), last + 1)


def _bracket(centred: Centred, n: Any, a: Any, s: np.ndarray, i: np.ndarray) -> Any:
    """N(l + h) − σ − σ′, exact: its sign says whether i below are better than i + 1 (thm-split)."""
    m, numbers, sums = centred.count, centred.numbers, centred.sums
    places = i, m - n - a + i  # of l and of h, in the order of what is not in T
    low, high = (numbers[np.minimum(at + n * (at >= s), m - 1)] for at in places)
    both = sum(sums.whole(*run) for run in [(s, s + n), *outermost(m, n, a, s, i)])
    return (n + a) * (low + high) - 2 * both - (low - high)
