"""Smooth sensitivity: how far a dataset is from those at which one record moves the answer much.

The sensitivity at distance t, A⁽ᵗ⁾(x), is the largest local sensitivity within t changed records
of x. Discounted by e^(−βt), the largest of them is the smooth sensitivity of Nissim, Raskhodnikova
and Smith (2007): near x it changes slowly, so noise in proportion to it gives nothing away.
Records lie anywhere in an interval [L, U], and a change replaces one record by another. The
formulas for A⁽ᵗ⁾ are proved on the book's page of proofs, "At a distance from one dataset".
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.errors import NotProved
from sensitivity_lab.exact import (
    Exact,
    brief,
    checked_bounds,
    exact_number,
    simplest,
    whole_number,
)
from sensitivity_lab.proved.sorted_records import Run, Sums
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import change_one_distance
from sensitivity_lab.results import html_table
from sensitivity_lab.text import fields_repr, value_text
from sensitivity_lab.universe import Dataset, Universe

NEAR = 1e-12  # discounted values this near to the largest, in floats, are compared exactly
MOST_PAIRS = 10_000_000  # of ranks near the largest: where there are more, the value is rounded out
DIGITS = Context(prec=50, Emin=MIN_EMIN)
LARGEST = Fraction(sys.float_info.max)
# Of β beyond these the floats need to know no more: all distances count alike, or 0 alone.
MILDEST, HARSHEST = Fraction(1, 10**300), 10**300


@dataclass(frozen=True)
class SmoothSensitivity:
    """The smooth sensitivity of a query at one dataset, and what attains it.

    >>> from sensitivity_lab import MEDIAN
    >>> smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1)
    SmoothSensitivity(value=2.207276647028654, distance=1, local=6, bounds=(0, 10), beta=1)

    `local` is the exact sensitivity at distance `distance`; `value` is e^(−β·distance) times it,
    rounded up to a float, so that noise is never too small: no distance has more. `witness` is a dataset that many
    changes away, and its neighbour, whose answers are `local` apart; both in exact numbers.

    Source: Nissim, Raskhodnikova and Smith (2007).
    """

    value: float
    distance: int
    local: Exact
    query: Query = field(repr=False)
    bounds: tuple[Exact, Exact]
    beta: Exact
    _records: _Records = field(repr=False)
    _pair: _Pair = field(repr=False)
    _margin: float = field(default=0.0, repr=False)

    def __repr__(self) -> str:
        return fields_repr(self)

    def __float__(self) -> float:
        return self.value

    def _repr_html_(self) -> str:
        return html_table(
            {
                "smooth sensitivity": value_text(self.value),
                "query": self.query.name,
                "local sensitivity": f"{value_text(self.local)}, at distance {self.distance}",
                "bounds": ", ".join(map(value_text, self.bounds)),
                "beta": value_text(self.beta),
            }
        )

    @cached_property
    def witness(self) -> tuple[Dataset, Dataset]:
        """A dataset at this distance, and its neighbour one change further.

        >>> from sensitivity_lab import MEDIAN
        >>> smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1).witness
        ((1, 2, 3, 9, 10), (2, 3, 9, 10, 10))

        Cost: O(n log n), once.
        """
        return self._records.witness(self._pair)

    def check(self) -> bool:
        """Return whether the witness, asked again, lies within the bounds and has these values.

        >>> from sensitivity_lab import MEDIAN
        >>> smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1).check()
        True

        Cost: two evaluations of the query. That no other distance has more, it takes on trust.
        """
        near, far = self.witness
        low, high = self.bounds
        return (
            all(low <= side[0] and side[-1] <= high for side in self.witness)
            and change_one_distance(self._records.dataset(), near) <= self.distance
            and change_one_distance(near, far) <= 1
            and abs(self.query(near) - self.query(far)) == self.local
            and self.value == _rounded_up(self.local, self.beta * self.distance, self._margin)
        )


def smooth_sensitivity(
    query: Query, dataset: Iterable[Any], *, bounds: tuple[Any, Any], beta: Any
) -> SmoothSensitivity:
    """Return the largest local sensitivity around a dataset, discounted by e^(−β·distance).

    >>> from sensitivity_lab import MEDIAN
    >>> found = smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1)
    >>> found.value, found.distance, found.local
    (2.207276647028654, 1, 6)
    >>> found.witness
    ((1, 2, 3, 9, 10), (2, 3, 9, 10, 10))

    Serves count, sum, mean, variance, min, max, median and every quantile, on all datasets of
    this size with real records in `bounds`, where at most one record changes. The variance may
    need a value between whole numbers, which the witness shows. The search runs in floats, and
    all that come near the largest are settled exactly. In a quantile there can be too many of
    these: the value is then (1 + 10⁻¹²) times the largest of some, and no distance has more.

    Cost: O(n log n) for n records, which may be a NumPy array; O(n) for each row near the largest.
    Raises ValueError for records outside the bounds, bounds out of order, a β that is not above
    0, a query whose formula is not proved, and a value above the largest float.
    Source: Nissim, Raskhodnikova and Smith (2007); thm-at-distance-sum, thm-at-distance-quantile,
    thm-at-distance-variance and thm-at-distance-monotone on the book's page of proofs.
    """
    records = _Records.of(query, dataset, bounds)
    discount = exact_number(beta, "beta")
    if discount <= 0:
        raise ValueError(f"beta must be above 0, got beta={brief(beta)}")
    in_floats = float(min(max(discount, MILDEST), HARSHEST))
    if query.family[0] == "quantile" and records.top:
        found, margin = _Ranks(records, query.family[1]).nearly_widest(in_floats)
    else:
        found, margin = _nearly_widest(_finder(query, records), len(records), in_floats), 0.0
    distance, pair = _settled(found, discount)
    return SmoothSensitivity(
        value=_rounded_up(pair.gap, discount * distance, margin),
        distance=distance,
        local=pair.gap,
        query=query,
        bounds=records.bounds,
        beta=discount,
        _records=records,
        _pair=pair,
        _margin=margin,
    )


def sensitivity_at_distance(
    query: Query, dataset: Iterable[Any], *, bounds: tuple[Any, Any], distance: int
) -> Exact:
    """Return the largest local sensitivity within `distance` changed records of a dataset.

    >>> from sensitivity_lab import MEDIAN
    >>> ask = {"dataset": (1, 2, 3, 4, 9), "bounds": (0, 10)}
    >>> [sensitivity_at_distance(MEDIAN, **ask, distance=t) for t in range(6)]
    [1, 6, 7, 8, 9, 10]

    At distance 0 it is the local sensitivity; from distance n on, the global one.
    Cost: O(n log n) for the sort, then O(min(distance, n)) at the most. Queries and errors: as
    `smooth_sensitivity`. Source: Nissim, Raskhodnikova and Smith (2007); proofs: as `smooth_sensitivity`.
    """
    records = _Records.of(query, dataset, bounds)
    whole_number(distance, "distance", 0)
    return _finder(query, records)(min(distance, len(records))).gap


@dataclass(frozen=True)
class _Pair:
    """Two neighbours, told by what makes them of a sorted dataset x; values as in `_Records`.

    The first is x without the run `gone` and with copies of some values `joined`. The second has
    `into` in place of its record `out_of`: by default the lowest, or for a lower `into` the highest.
    """

    gap: Exact
    gone: Run
    joined: tuple[tuple[Any, int], ...]
    into: Any
    out_of: Any = None


@dataclass(frozen=True, eq=False)
class _Records:
    """A dataset in order, as whole numbers: each record is L + x / scale, and U is L + top / scale."""

    x: np.ndarray
    top: int
    scale: int
    bounds: tuple[Exact, Exact]

    @classmethod
    def of(cls, query: Any, dataset: Iterable[Any], bounds: Any) -> _Records:
        """Check what is asked, and sort. Cost: one sort."""
        low, high = checked_bounds(bounds)
        if not isinstance(query, Query) or query.family[:1] not in FINDERS:
            raise NotProved(
                "query must be count, sum, mean, variance, min, max, median or a quantile, whose "
                f"sensitivity at a distance is proved, got {query if isinstance(query, Query) else brief(query)}"
            )
        universe = Universe._of(dataset, unlimited=False, name=None, what="dataset")
        if universe.has_missing:
            raise ValueError("dataset must hold numbers, got None")
        whole, scale = universe.sorted_scaled
        if len(whole) < (query.smallest_size or 0):
            raise ValueError(
                f"dataset must have at least {query.smallest_size} records for {query.name}, "
                f"got {len(whole)}"
            )
        common = math.lcm(scale, Fraction(low).denominator, Fraction(high).denominator)
        lowest, top = int(low * common), int((high - low) * common)
        largest = max(abs(int(end)) for end in (whole[0], whole[-1])) * (common // scale)
        if max(largest, abs(lowest), abs(top), common // scale) >= 2**61:
            whole = whole.astype(object)
        x = whole * (common // scale) - lowest
        if x[0] < 0 or x[-1] > top:
            record = universe.sorted_records[0 if x[0] < 0 else -1]
            raise ValueError(
                f"dataset must lie within bounds={brief(bounds)}, got a record {brief(record)}"
            )
        return cls(x, top, common, (low, high))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Records) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        x = tuple(self.x) if self.x.dtype == object else self.x.tobytes()
        return x, self.top, self.scale, self.bounds

    def __len__(self) -> int:
        return len(self.x)

    def given(self, value: Any) -> Exact:
        """The number that a whole number stands for."""
        return simplest(self.bounds[0] + Fraction(value) / self.scale)

    def dataset(self) -> Dataset:
        """The dataset in exact numbers."""
        return tuple(map(self.given, self.x.tolist()))

    def witness(self, pair: _Pair) -> tuple[Dataset, Dataset]:
        """The two datasets of a pair, in exact numbers."""
        start, stop = pair.gone
        near = [*self.x[:start].tolist(), *self.x[stop:].tolist()]
        near = sorted(near + [value for value, copies in pair.joined for _ in range(copies)])
        out_of = pair.out_of if pair.out_of is not None else near[0 if pair.into > near[0] else -1]
        far = near.copy()
        far.remove(out_of)
        far = sorted([*far, pair.into])
        return tuple(map(self.given, near)), tuple(map(self.given, far))


Finder = Callable[[int], _Pair]  # the widest pair whose first dataset is within t changes


def _finder(query: Query, records: _Records) -> Finder:
    return FINDERS[query.family[:1]](records, *query.family[1:])


def _nearly_widest(find: Finder, n: int, beta: float) -> list[tuple[int, _Pair]]:
    """The distances whose discounted gap may be the largest, each with its widest pair."""
    most = find(n).gap
    best, found = -math.inf, []
    for t in range(n + 1):
        pair = find(t)
        value = _log(pair.gap) - beta * t
        best = max(best, value)
        found.append((value, t, pair))
        if pair.gap == most or _log(most) - beta * t < best - _doubt(best, most):  # none is wider
            break
    return [(t, pair) for value, t, pair in found if value >= best - _doubt(best, most)]


def _doubt(best: float, most: Exact) -> float:
    """How near to the largest discounted logarithm, of gaps up to `most`, is settled exactly."""
    return NEAR * max(1, abs(best), abs(_log(most))) if best > -math.inf else 0.0


def _log(gap: Exact) -> float:
    """The logarithm of a number of any length: that of its first digits, and a power of 2."""
    if gap == 0:
        return -math.inf
    shift = gap.numerator.bit_length() - gap.denominator.bit_length()
    return math.log(Fraction(gap) / Fraction(2) ** shift) + shift * math.log(2)


def _settled(found: Iterable[tuple[int, _Pair]], beta: Exact) -> tuple[int, _Pair]:
    """The largest discounted gap; e^(−βt) is irrational, so only equal distances can tie.

    Where all but nothing is left of any, the nearest distance has most.
    """

    def key(candidate: tuple[int, _Pair]) -> tuple[Fraction, bool, int]:
        t, pair = candidate
        return _discounted(pair.gap, beta * t), pair.gap > 0, -t

    return max(found, key=key)


def _discounted(gap: Exact, exponent: Exact) -> Fraction:
    """e^(−exponent) · gap, to 50 digits; exact where the exponent is 0."""
    ratio = Fraction(exponent)
    power = DIGITS.divide(Decimal(-ratio.numerator), Decimal(ratio.denominator))
    return gap * Fraction(DIGITS.exp(power))


def _rounded_up(gap: Exact, exponent: Exact, margin: float) -> float:
    """(1 + margin) · e^(−exponent) · gap as a float that is not below it."""
    value = _discounted(gap, exponent) * (1 + Fraction(margin))
    if value > LARGEST:
        raise ValueError(
            f"the smooth sensitivity must be at most {sys.float_info.max}, the largest float: "
            "scale the records and the bounds down"
        )
    nearest = float(value)
    above_zero = nearest > 0 or gap == 0  # e^(−exponent) itself may be below the smallest Decimal
    return nearest if nearest >= value and above_zero else math.nextafter(nearest, math.inf)


# --- A⁽ᵗ⁾, query by query ------------------------------------------------------------------


def _count(records: _Records) -> Finder:
    """The size never changes."""
    return lambda t: _Pair(0, (0, 0), (), into=0)


def _sum(records: _Records) -> Finder:
    """The lowest record goes to the top or the highest to the bottom: thm-at-distance-sum."""

    def find(t: int) -> _Pair:
        if t:  # first send one record to the bottom
            return _Pair(Fraction(records.top, records.scale), (0, 1), ((0, 1),), into=records.top)
        lowest, highest = int(records.x[0]), int(records.x[-1])
        rise, fall = records.top - lowest, highest
        into = records.top if rise >= fall else 0
        return _Pair(Fraction(max(rise, fall), records.scale), (0, 0), (), into)

    return lambda t: _shown(find(t), 1)


def _mean(records: _Records) -> Finder:
    """The sum's, over n."""
    total = _sum(records)
    return lambda t: _shown(total(t), len(records))


def _shown(pair: _Pair, divisor: int) -> _Pair:
    gap = simplest(Fraction(pair.gap) / divisor)
    return _Pair(gap, pair.gone, pair.joined, pair.into, pair.out_of)


def _variance(records: _Records, ddof: int) -> Finder:
    """The fixed records pushed to one end, either end: thm-at-distance-variance."""
    n, top = len(records), records.top
    sides = [_PushedDown(records.x, top), _PushedDown(top - records.x[::-1], top)]
    divisor = (n - 1) * n * (n - ddof) * records.scale**2

    def find(t: int) -> _Pair:
        if n == 1:
            return _Pair(0, (0, 0), (), into=0)
        down, up = (side.widest(t) for side in sides)
        return _shown(down if down.gap >= up.gap else _mirrored(up, n, top), divisor)

    return find


def _mirrored(pair: _Pair, n: int, top: int) -> _Pair:
    start, stop = pair.gone
    joined = tuple((top - value, copies) for value, copies in pair.joined)
    return _Pair(pair.gap, (n - stop, n - start), joined, top - pair.into, top - pair.out_of)


class _PushedDown:
    """The pairs for a variance in which the n − 1 records that stay are as low as can be.

    Gaps are |(a − μ)² − (b − μ)²| · (n − 1)², whole numbers, for a change of a to b.
    """

    def __init__(self, x: np.ndarray, top: int) -> None:
        self.x, self.top, self.sums = x, top, Sums(x, top)

    def widest(self, t: int) -> _Pair:
        """The widest pair whose first dataset is within t changes of x."""
        return max(self._pairs(t), key=lambda pair: pair.gap)

    def _pairs(self, t: int) -> Iterator[_Pair]:
        n, top = len(self.x), self.top
        stay, rest = n - t, n - 1
        if t:  # a new record at the top goes to the mean of the others
            total = self.sums.exact([(0, stay)])
            joined = ((0, t - 1), (top, 1))
            yield _Pair((rest * top - total) ** 2, (stay, n), joined, Fraction(total, rest), top)
        if t < n:  # the highest record goes to the mean of the others
            total, highest = self.sums.exact([(0, stay - 1)]), int(self.x[-1])
            gap, mean = (rest * highest - total) ** 2, Fraction(total, rest)
            yield _Pair(gap, (stay - 1, n - 1), ((0, t),), mean, highest)
        if t < n:  # a record near the mean goes to the top
            total = self.sums.exact([(0, stay)])
            peak = (top + (2 * total - rest * top) // (n + 1)) // 2  # of a parabola in the record
            place = int(np.searchsorted(self.x[:stay], peak, side="right"))
            for record in map(int, self.x[max(place - 1, 0) : min(place + 1, stay)]):
                gap = rest * (top - record) * (rest * (top + record) - 2 * (total - record))
                yield _Pair(gap, (stay, n), ((0, t),), top, record)


class _Ranks:
    """A quantile, which weighs the ranks r and r + 1 (from 1) by 1 − w and w.

    Its gap at distance t = j − i − 1 is Y_j − Z_i for some i ≤ r ≤ j: thm-at-distance-quantile.
    `above` holds Y_r, …, Y_(n+1), and `below` holds Z_first, …, Z_r, as whole numbers.
    """

    def __init__(self, records: _Records, q: Exact) -> None:
        n = len(records)
        position = q * (n - 1)
        self.n, self.r, w = n, int(position // 1) + 1, Fraction(position % 1)
        upper, lower = w.numerator, w.denominator - w.numerator
        self.unit, self.top = w.denominator * records.scale, records.top
        fits = w.denominator * max(self.top, 1) < 2**61
        x = records.x if fits else records.x.astype(object)
        bottom, top = (np.full(2, end, dtype=x.dtype) for end in (0, self.top))
        x = np.concatenate([bottom, x, top])  # x[1 + i] is the record of rank i
        self.light = upper <= lower  # the rank r + 1 is best high; else it is best low
        if self.light:
            self.first = 0
            self.above = (lower - upper) * x[self.r + 1 : -1] + upper * x[self.r + 2 :]
            self.below = lower * x[1 : self.r + 2]
        else:
            self.first = -1
            self.above = upper * x[self.r + 2 :]
            self.below = (upper - lower) * x[1 : self.r + 3] + lower * x[: self.r + 2]

    def widest(self, t: int) -> _Pair:
        """The widest pair whose first dataset is within t changes of x."""
        i = np.arange(max(self.first, self.r - 1 - t), min(self.r, self.n - t) + 1)
        gaps = self.above[i + t + 1 - self.r] - self.below[i - self.first]
        best = int(i[np.argmax(gaps)])
        return self._pair(best, best + t + 1)

    def _gap(self, i: int, j: int) -> int:
        return int(self.above[j - self.r]) - int(self.below[i - self.first])

    def _pair(self, i: int, j: int) -> _Pair:
        t = j - i - 1
        rises = i + t >= self.r
        start = i if self.light else i + 1
        stop = min(start + t, self.n)
        low = (self.r if rises else self.r - 1) - i
        joined = ((0, low), (self.top, stop - start - low))
        gap = simplest(Fraction(self._gap(i, j), self.unit))
        return _Pair(gap, (start, stop), joined, self.top if rises else 0)

    def nearly_widest(self, beta: float) -> tuple[list[tuple[int, _Pair]], float]:
        """The distances whose discounted gap may be the largest, each with its widest pair.

        And by what share some other may exceed these: 0 where all rows i that come near the
        largest were searched for every end j that does; `MOST_PAIRS` says how many are.
        """
        above, below, most = self.above, self.below, int(self.above[-1])
        rows = len(below) - 1  # the last row, i = r, has no j = r: it is searched by itself
        with np.errstate(divide="ignore"):
            last = _logs(above[1:] - below[-1]) - beta * np.arange(len(above) - 1)
            first = _logs(above[0] - below[:-1]) - beta * np.arange(rows - 1, -1, -1)
            best = max(last.max(), first.max())
            widest_reach = (_log(most) - best + _doubt(best, most)) / beta  # no further is as wide
            reach = int(min(widest_reach, rows + len(above))) + 2
            start = max(0, rows - reach)
            ends, values = _row_maxima(above[: reach + 1], below[start:rows], beta)
        values -= beta * np.arange(rows - 1 - start, -1, -1)
        values = np.append(values, last.max())
        ends = np.append(ends, 1 + np.argmax(last))
        doubt = _doubt(values.max(), most)
        floor = values.max() - doubt
        near = np.flatnonzero(values >= floor)
        pairs = [
            (start + row, j) for row, j in zip(near.tolist(), ends[near].tolist(), strict=True)
        ]
        searched = near[: MOST_PAIRS // len(above) + 1].tolist()
        for row in searched:
            pairs += [(start + row, j) for j in self._near_ends(start + row, beta, floor)]
        widest: dict[int, tuple[int, int, int]] = {}
        for row, column in pairs:
            a, b = self.first + row, self.r + column
            place = self._gap(a, b), a, b
            widest[b - a - 1] = max(widest.get(b - a - 1, place), place)
        found = [(t, self._pair(a, b)) for t, (_, a, b) in widest.items()]
        return found, 0.0 if len(searched) == len(near) else max(NEAR, doubt / 1000)

    def _near_ends(self, row: int, beta: float, floor: float) -> list[int]:
        """The j of a row whose discounted gaps reach the floor, but for those that gain nothing.

        A j whose end is no higher than the one before it is further away for no more.
        """
        first = int(row == len(self.below) - 1)  # j = i = r is no pair
        above = self.above[first:]
        steps = np.arange(len(above)) + (len(self.below) - 2 - row + first)  # j − i − 1
        with np.errstate(divide="ignore"):
            values = _logs(above - self.below[row]) - beta * steps
        values[1:][above[1:] == above[:-1]] = -math.inf
        ends: list[int] = (first + np.flatnonzero(values >= floor)).tolist()
        return ends


def _logs(gaps: np.ndarray) -> np.ndarray:
    """Logarithms of whole numbers, which were subtracted before they were rounded."""
    if gaps.dtype == object:  # they may be above the largest float
        return np.array([math.log(gap) if gap else -math.inf for gap in gaps.tolist()], dtype=float)
    logs: np.ndarray = np.log(gaps.astype(float))
    return logs


def _row_maxima(above: np.ndarray, below: np.ndarray, beta: float) -> tuple[Any, Any]:
    """For each i the first j with the largest log(above[j] − below[i]) − βj, and that value.

    The best j never falls in i (thm-at-distance-monotone): each row is searched between the best
    of its neighbours in a coarser grid of rows. Equal to searching all pairs.
    Cost: O((rows + columns) log rows), level by level in NumPy.
    """
    rows, columns = len(below), len(above)
    best, values = np.zeros(rows, dtype=np.int64), np.zeros(rows)
    discounts = beta * np.arange(columns)
    for level in range(rows.bit_length() - 1, -1, -1):
        step = 1 << level
        i = np.arange(step - 1, rows, 2 * step)
        low = np.where(i >= step, best[i - step], 0)
        high = np.where(i + step < rows, best[np.minimum(i + step, rows - 1)], columns - 1)
        lengths = high - low + 1
        starts = np.cumsum(lengths) - lengths
        j = np.arange(lengths.sum()) + np.repeat(low - starts, lengths)
        value = _logs(above[j] - np.repeat(below[i], lengths)) - discounts[j]
        values[i] = np.maximum.reduceat(value, starts)
        at = np.flatnonzero(value == np.repeat(values[i], lengths))
        best[i] = j[at[np.searchsorted(at, starts)]]
    return best, values


FINDERS: dict[tuple[str, ...], Callable[..., Finder]] = {
    ("count",): _count,
    ("sum",): _sum,
    ("mean",): _mean,
    ("variance",): _variance,
    ("quantile",): lambda records, q: _Ranks(records, q).widest,
}
