"""D(c, a, b) on a range of values, whose copies never run out.

A range with ends L and U has the closed form of the interval [L, U] wherever that needs no value
between the ends. Histograms and predicates depend on which values there are; a variance whose
lower side has the extra records puts them at the value nearest to the mean of the others. The
lemma is thm-range on the book's page of proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from sensitivity_lab.enumeration import Gap
from sensitivity_lab.exact import Exact, RootGap
from sensitivity_lab.extremes import EXTREMES, D, Extreme, bins_gap
from sensitivity_lab.questions import Question

NEAR = 1e-9  # gaps this near to the widest, in floats, are settled exactly


def range_finder(question: Question) -> D | None:
    """Return D for a query on a value range, or None where no proof covers it.

    >>> from sensitivity_lab import MEAN, Change, Universe
    >>> question = Question(MEAN, Universe.value_range([0, 6]), 3, Change(1), norm=1)
    >>> range_finder(question)(2, 1, 1).gap
    Fraction(2, 1)

    Cost: one pass over the v values. D itself: O(1); for a spread with a < b, O(a·c) floats, and
    exact arithmetic for those nearly widest. Source: thm-range on the book's page of proofs.
    """
    kind, *options = question.query.family
    values = [value for value in question.universe.exact_values if value is not None]
    low, high = values[0], values[-1]
    if kind in ("count", "sum", "mean", "quantile"):
        return EXTREMES[kind](options, low, high, question.norm, None)
    if kind == "histogram":
        return _histogram(values, tuple(options), question.norm)
    if kind == "count_where":
        true = [value for value in values if question.query((value,))]
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
    grid = [Fraction(value - low) for value in values]
    shares = np.array([float(x / width) if width else 0.0 for x in grid])

    def d(c: int, a: int, b: int) -> Extreme:
        if a >= b or width == 0 or c == 0:
            return interval(c, a, b)
        found = [
            (gap_at(c, a, b, i, j, x), i, j, x)
            for i, j in _promising(c, a, b, ddof, root and a == 0, shares)
            for x in [_nearest(grid, Fraction(width * j, c))]
        ]
        gap, i, j, x = max(found, key=lambda place: place[0])
        common, higher, lower = (
            ((high, j), (low, c - j)),
            ((high, i), (low, a - i)),
            ((low + x, b),),
        )
        if root and a:  # √s − √t ≤ √(s − t): only a bound, unless the lower side is constant
            return Extreme(RootGap(max(gap, 0), 0), common, higher, lower, attained=False)
        return Extreme(gap, common, higher, lower)

    def gap_at(c: int, a: int, b: int, i: int, j: int, x: Fraction) -> Gap:
        """The gap with i of A and j of C at the top, and all of B at low + x."""
        shared = _squares(width, c, j)
        lower = shared + Fraction(c * b, c + b) * (x - Fraction(width * j, c)) ** 2
        if root and a == 0:
            return RootGap(shared / (c - ddof), lower / (c + b - ddof))
        return _squares(width, c + a, i + j) / (c + a - ddof) - lower / (c + b - ddof)

    return d


def _nearest(grid: list[Fraction], mean: Fraction) -> Fraction:
    return min(grid, key=lambda value: abs(value - mean))


def _squares(width: Exact, n: int, top: int) -> Fraction:
    """Σ(x − mean)² of n records, `top` of them at one end and the others at the other."""
    return Fraction(width * width * top * (n - top), n)


def _promising(
    c: int, a: int, b: int, ddof: int, as_roots: bool, grid: np.ndarray
) -> Iterator[tuple[int, int]]:
    """The (i, j), i of A and j of C at the top, whose gap is nearly the widest, in floats."""
    j = np.arange(c + 1)
    mean = j / c
    at = np.clip(np.searchsorted(grid, mean), 1, len(grid) - 1)
    off = np.minimum(np.abs(grid[at] - mean), np.abs(grid[at - 1] - mean))
    shared = j * (c - j) / c
    lower = (shared + c * b / (c + b) * off**2) / (c + b - ddof)
    i = np.arange(a + 1)[:, None]
    higher = (i + j) * (c + a - i - j) / ((c + a) * (c + a - ddof))
    gaps = np.sqrt(higher) - np.sqrt(lower) if as_roots else higher - lower
    for row, column in np.argwhere(gaps >= gaps.max() - NEAR):
        yield int(row), int(column)
