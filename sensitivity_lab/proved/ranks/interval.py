"""The widest gap of any weights of ranks on an interval, where all records lie at its ends (thm-l-interval).

Which records are the highest says everything: p of the c shared ones are at the top, and with them t of the one
side and s of the other in all. W(t) is what the t highest weigh.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from sensitivity_lab.proved.ranks.weights import Steps

FEW = 100  # steps: beyond these every t is looked at, in NumPy
Place = tuple[int, int, int, int]  # the widest difference, over both units; p, t and s


def widest_place(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The largest W(t) − W'(s) with p ≤ t ≤ p + a and p ≤ s ≤ p + b for some p of the c shared records.

    Cost: O(1) for weights in few steps, whatever the size; else O(n log(a + b)) in NumPy.
    """
    few = len(higher.ends) + len(lower.ends) <= FEW
    return (at_corners if few else everywhere)(higher, lower, share)


def at_corners(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The search where either W may bend: it is a line between the corners, where a step ends."""
    c, a, b = share
    rises = higher.never_negative and lower.never_negative  # then t = p + a and s = p are best
    above, below = ((0, *(n.ends[-1] - end for end in n.ends)) for n in (higher, lower))
    bends = {0, c}
    bends.update(corner - a for corner in above)
    bends.update(below)
    if not rises:
        bends.update(above)
        bends.update(corner - b for corner in below)
    best: Place | None = None
    for p in sorted(p for p in bends if 0 <= p <= c):
        highs = (p + a,) if rises else _bends(above, p, p + a)
        lows = (p,) if rises else _bends(below, p, p + b)
        up, t = max((higher.highest(t), -t) for t in highs)
        down, s = min((lower.highest(s), s) for s in lows)
        gap = up * lower.unit - down * higher.unit
        if best is None or gap > best[0]:
            best = gap, p, -t, s
    assert best is not None
    return best


def _bends(corners: Collection[int], start: int, stop: int) -> set[int]:
    """Where W may be largest or least from start to stop: at these, and at corners."""
    return {start, stop, *(corner for corner in corners if start < corner < stop)}


def everywhere(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The search among all p."""
    c, a, b = share
    bound = higher.magnitude * lower.unit + lower.magnitude * higher.unit
    dtype = np.dtype(np.int64 if bound < 2**62 else object)  # a gap is one difference of two sums
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
