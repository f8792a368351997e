"""What the t highest of n records weigh, for every t; and where two such curves differ most (thm-l-interval)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from sensitivity_lab.proved.ranks.rank_weights import Steps

FEW = 100  # steps: beyond these every t is looked at, in NumPy
Place = tuple[int, int, int, int]  # the widest difference, over both units; p, t and s


def widest_place(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The largest W(t) − W'(s) with p ≤ t ≤ p + a and p ≤ s ≤ p + b for some p of the c shared records."""
    if len(higher.ends) + len(lower.ends) <= FEW:
        return _at_corners(higher, lower, share)
    return _everywhere(higher, lower, share)


class Curve:
    """W(t), what the t highest weigh, times their unit: a line between corners."""

    def __init__(self, steps: Steps) -> None:
        counts = [stop - start for start, stop in zip(steps.starts, steps.ends, strict=True)][::-1]
        self.slopes = steps.weights[::-1]
        self.corners = [0, *accumulate(counts)]
        added = (count * slope for count, slope in zip(counts, self.slopes, strict=True))
        self.sums = [0, *accumulate(added)]

    def at(self, t: int) -> int:
        """W(t)."""
        if t == self.corners[-1]:
            return self.sums[-1]
        i = bisect_right(self.corners, t) - 1
        return self.sums[i] + (t - self.corners[i]) * self.slopes[i]

    def between(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """W(t), and t, where W may be largest or least from start to stop: at these, and at corners."""
        for t in {start, stop, *(corner for corner in self.corners if start < corner < stop)}:
            yield self.at(t), t


def _at_corners(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The search where either curve may bend."""
    c, a, b = share
    above, below = Curve(higher), Curve(lower)
    bends = {
        corner - width
        for curve, most in ((above, a), (below, b))
        for corner in curve.corners
        for width in (0, most)
    }
    places = []
    for p in {0, c} | {p for p in bends if 0 <= p <= c}:
        up, t = max(above.between(p, p + a), key=lambda place: (place[0], -place[1]))
        down, s = min(below.between(p, p + b))
        places.append((up * lower.unit - down * higher.unit, -p, t, s))
    gap, minus_p, t, s = max(places)
    return gap, -minus_p, t, s


def _everywhere(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The search among all p."""
    c, a, b = share
    bound = higher.magnitude * lower.unit + lower.magnitude * higher.unit
    dtype = np.dtype(np.int64 if bound < 2**62 else object)
    above, below = (
        np.cumsum([0, *side.over(side.unit * other.unit)[::-1]], dtype=dtype)
        for side, other in ((higher, lower), (lower, higher))
    )
    gaps = _largest(above, a)[: c + 1] + _largest(-below, b)[: c + 1]
    p = int(np.argmax(gaps))
    t, s = p + int(np.argmax(above[p : p + a + 1])), p + int(np.argmin(below[p : p + b + 1]))
    return int(gaps[p]), p, t, s


def _largest(heights: np.ndarray, width: int) -> np.ndarray:
    """The largest from every place to `width` further: of two windows, again and again."""
    seen = 1
    while seen < width + 1:
        step = min(seen, width + 1 - seen)
        heights = np.maximum(heights[:-step], heights[step:])
        seen += step
    return heights
