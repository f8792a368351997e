"""D(c, a, b) on an interval of values, query by query, with the records that attain it.

A dataset and its neighbour share c records; a further a belong to the one, b to the other.
D(c, a, b) is the most by which the query's answer on the first exceeds its answer on the second.
Where a docstring names a theorem, as in (thm-mean), that is its label on the book's page of
proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sensitivity_lab.exact import Exact, RootGap
from sensitivity_lab.gap import Gap, rational

Piece = tuple[Exact, int]  # a value, and how many records have it


@dataclass(frozen=True)
class Extreme:
    """The widest gap for some (c, a, b): the records in common, and those on either side.

    >>> Extreme(3, common=((0, 2),), higher=((9, 1),), lower=((0, 1),)).gap
    3

    Records are (value, copies). Source: def-share on the book's page of proofs.
    """

    gap: Gap
    common: tuple[Piece, ...] = ()
    higher: tuple[Piece, ...] = ()
    lower: tuple[Piece, ...] = ()
    attained: bool = True  # some pair of datasets has this gap
    shown: bool = True  # the records above are such a pair


D = Callable[[int, int, int], Extreme]


def _count(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The difference of the sizes (thm-count)."""

    def d(c: int, a: int, b: int) -> Extreme:
        return Extreme(abs(a - b), ((low, c),), ((low, a),), ((low, b),))

    return d


def _count_where(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The predicate's records are not known, so there is a value but no witness (thm-count)."""

    def d(c: int, a: int, b: int) -> Extreme:
        return Extreme(a, shown=False)

    return d


def _sum(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """All a at the top, all b at the bottom; the shared records cancel (thm-sum)."""

    def d(c: int, a: int, b: int) -> Extreme:
        return Extreme(a * high - b * low, ((low, c),), ((high, a),), ((low, b),))

    return d


def _mean(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The shared records weigh 1/(c + a) − 1/(c + b): at the top if a < b, else at the bottom.

    The proof is thm-mean.
    """

    def d(c: int, a: int, b: int) -> Extreme:
        most = max(a, b)
        gap = Fraction(most, c + most) * (high - low) if most else Fraction(0)
        return Extreme(gap, ((high if a < b else low, c),), ((high, a),), ((low, b),))

    return d


def _quantile(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The shared records sit at both ends, l of them at the bottom (thm-quantile).

    With t = q(c + a − 1) − l + 1 the gap is R·(clip(t) − clip(t − δ)), δ = qa + (1 − q)b and
    clip to [0, 1]: a trapezium in t, symmetric about (1 + δ)/2, so the nearest l is best.
    """
    q = Fraction(options[0])

    def d(c: int, a: int, b: int) -> Extreme:
        delta = q * a + (1 - q) * b
        start = q * (c + a - 1) + 1
        best = min(max(round(start - (1 + delta) / 2), 0), c)
        share = _clip(start - best) - _clip(start - best - delta)
        return Extreme(
            (high - low) * share, ((low, best), (high, c - best)), ((high, a),), ((low, b),)
        )

    return d


def _clip(x: Fraction) -> Fraction:
    return min(max(x, Fraction(0)), Fraction(1))


def half_and_half(size: int, ddof: int) -> Fraction:
    """The largest variance of `size` records on [0, 1]: half at either end."""
    return Fraction((size // 2) * (size - size // 2), size * (size - ddof))


def _variance(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """Either the lower side is constant (a ≥ b), or its own records sit at the shared mean.

    The proof is thm-variance.
    """
    (ddof,) = options
    width = Fraction(high - low)

    def d(c: int, a: int, b: int) -> Extreme:
        if a >= b:
            i = min(a, (c + a) // 2)
            gap = width**2 * Fraction(i * (c + a - i), (c + a) * (c + a - ddof))
            return Extreme(gap, ((low, c),), ((high, i), (low, a - i)), ((low, b),))
        gap, i, j = max(_spread_out(c, a, b, ddof))
        middle = low + width * Fraction(j, c) if c else low
        common = ((high, j), (low, c - j))
        return Extreme(width**2 * gap, common, ((high, i), (low, a - i)), ((middle, b),))

    return d


def _spread_out(c: int, a: int, b: int, ddof: int) -> Iterator[tuple[Fraction, int, int]]:
    """On [0, 1] with a < b: gaps for i of the a, and j of the c, at 1, the rest at 0.

    For each i the gap is a quadratic in j, so its vertex and its ends hold the maximum.
    """
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


def _std(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The root of the variance's gap if the lower side is constant or has all the extra (thm-std).

    Otherwise √x − √y ≤ √(x − y) makes the root an upper bound.
    """
    (ddof,) = options
    variance = _variance(options, low, high, norm, values)
    width = Fraction(high - low)

    def d(c: int, a: int, b: int) -> Extreme:
        if a == 0 and b > 0:
            squares = Fraction((c // 2) * (c - c // 2), c) * width**2
            gap = RootGap(squares / (c - ddof), squares / (c + b - ddof))
            middle = low + width * Fraction(c // 2, c)
            return Extreme(gap, ((high, c // 2), (low, c - c // 2)), (), ((middle, b),))
        found = variance(c, a, b)
        shared = {value for value, copies in found.common if copies}
        constant = a >= b or len(shared) < 2  # then the lower side does not vary at all
        gap = RootGap(rational(found.gap), 0)
        return Extreme(gap, found.common, found.higher, found.lower, attained=constant)

    return d


def _histogram(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    places, uncounted = _places(options, low, high)
    return bins_gap(places, uncounted, norm)


def bins_gap(places: list[Exact], uncounted: Exact | None, norm: float) -> D:
    """All a in one place, all b in another: two bins, or a bin and outside, if both are there.

    >>> bins_gap([1, 6], None, norm=1)(c=2, a=3, b=1).gap
    4

    `places` has a value for every bin that can be reached; `uncounted` is in no bin.
    Cost: O(1) for each (c, a, b). Source: thm-histogram on the book's page of proofs.
    """

    def length(a: int, b: int) -> Gap:
        if norm == 2:
            return RootGap(a * a + b * b, 0)
        return a + b if norm == 1 else max(a, b)

    def d(c: int, a: int, b: int) -> Extreme:
        if len(places) > 1:
            one, other, gap = places[0], places[1], length(a, b)
        elif places and uncounted is not None:
            one, other, gap = places[0], uncounted, length(max(a, b), 0)
            one, other = (one, other) if a >= b else (other, one)
        elif places:
            one = other = places[0]
            gap = length(abs(a - b), 0)
        else:
            assert uncounted is not None
            one = other = uncounted
            gap = length(0, 0)
        return Extreme(gap, ((one, c),), ((one, a),), ((other, b),))

    return d


def _places(edges: tuple[Exact, ...], low: Exact, high: Exact) -> tuple[list[Exact], Exact | None]:
    """A value within the bounds for every bin they reach, and one that no bin counts, if any."""
    places = []
    for i, (left, right) in enumerate(pairwise(edges)):
        value = max(left, low)
        last = i == len(edges) - 2
        if value <= high and (value < right or (last and value == right)):
            places.append(value)
    outside = [value for value in (low, high) if not edges[0] <= value <= edges[-1]]
    return places, outside[0] if outside else None


def _count_distinct(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The a bring new values; the shared records and the b are all alike (thm-count-distinct)."""
    values = 1 if low == high else values
    most = math.inf if values is None else values

    def d(c: int, a: int, b: int) -> Extreme:
        if c:
            gap = min(a, most - 1)
        else:
            gap = min(a, most) - (1 if b else 0)
        new = tuple((low + Fraction(high - low) * Fraction(i + 1, a), 1) for i in range(a))
        return Extreme(int(gap), ((low, c),), new, ((low, b),), shown=values is None)

    return d


EXTREMES: dict[str, Callable[[Any, Exact, Exact, float, int | None], D]] = {
    "count": _count,
    "count_where": _count_where,
    "count_distinct": _count_distinct,
    "sum": _sum,
    "mean": _mean,
    "quantile": _quantile,
    "variance": _variance,
    "std": _std,
    "histogram": _histogram,
}
SPREADS = ("variance", "std")
FALLING = ("count", "count_where", "count_distinct", "sum", "mean", "histogram")  # D, in c ≥ 1
