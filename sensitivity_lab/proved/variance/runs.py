"""Where C, A and B can lie for a variance's D(c, a, b) with a ≥ b: C is a run of W.

B is a run of the sorted records, and W the records that are not B. In W, A is the i lowest and the
a − i highest of what is not C; all else is unused. As one letter for each record, ascending:

    W:  A..A . . C....C . . . A..A        a = 3, i = 2, c = 3:  AA..CCC...A

The lemmas are thm-places, thm-mixes and thm-exchange on the book's page of proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sensitivity_lab.proved.variance.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Centred,
    FilteredMaximum,
    Layouts,
    Runs,
    around,
    consecutive,
)

MOST_LAYOUTS = 30_000_000  # beyond this a D is left to others


def enter_runs(maximum: FilteredMaximum) -> bool:
    """Enter the layouts of a ≥ b (thm-places, thm-mixes), or say that there are too many.

    Cost on m records: O(m·a + a³), and O(log m) for each layout that may be widest; if b > c,
    O(m²·a).
    """
    centred, m, (c, a, b) = maximum.centred, maximum.centred.count, maximum.share
    anywhere = b > c  # else no unused record lies between B and C (thm-exchange, 7)
    one_sided = a == b > 0 and not maximum.root  # all unused are on one side of C (thm-exchange, 5)
    if b and _count(m, maximum.share, anywhere, one_sided) > MOST_LAYOUTS:
        return False
    if b:
        maximum.enter(_one_sided(centred, maximum.share, anywhere))
        maximum.enter(_one_sided(centred.mirror, maximum.share, anywhere).mirrored(m))
    else:
        for layouts in _crowded(m, c, a):
            maximum.enter(layouts)
    if anywhere and not one_sided:
        for layouts in _two_sided(m, c, a, b):
            maximum.enter(layouts)
    elif not one_sided:
        _enter_windows(maximum)
    return True


def _count(m: int, share: tuple[int, int, int], anywhere: bool, one_sided: bool) -> int:
    """At most how many layouts `_one_sided` and `_two_sided` make."""
    c, a, b = share
    splits = (a + 1) * (a + 2) // 2  # of A into the p, the q and the rest of `_one_sided`
    two_sided = (a + 1) * (m - b - c) * m if anywhere and not one_sided else 0
    return splits * (m if anywhere else 2 * a + 2) + two_sided


def _crowded(m: int, c: int, a: int) -> Iterator[Layouts]:
    """Layouts without B whose C is so near to an end that A lies on both sides of it there.

        A..A C....C A..A . . . . A..A        c = 3, i = 3, s = 2:  AACCCA....AA
        s    c      i − s  unused  a − i

    and their mirror images; s, where C starts, is `(N,)` whole numbers.
    """
    for i in range(a + 1):
        rest = a - i
        s = np.arange(min(i, m - c + 1), dtype=np.intp)
        if len(s):
            yield Layouts([(s, s + c)], [(0, s), (s + c, c + i), (m - rest, m)], [])
        s = np.arange(max(m - c - rest + 1, 0), m - c + 1, dtype=np.intp)
        if len(s):
            yield Layouts([(s, s + c)], [(0, i), (m - c - rest, s), (s + c, m)], [])


def _one_sided(centred: Centred, share: tuple[int, int, int], anywhere: bool) -> Layouts:
    """Layouts whose unused records in W are all above C.

        W:  A..A C....C A..A . . . . A..A        p = 2, c = 3, q = 1:  AACCCA....AA
            p    c      q    unused  a − p − q

    B starts below C, inside C where that is best, or above C: among the q, or with `anywhere`
    higher too.
    """
    c, a, b = share
    m, w = centred.count, centred.count - b  # all records, and those of W
    p, q = np.array([(p, q) for p in range(a + 1) for q in range(a + 1 - p)], dtype=np.intp).T
    with_b_in_c = [(0, p), (p + c + b, p + c + b + q), (m - a + p + q, m)]
    inside = _best_inside(centred, share, p, with_b_in_c)
    last = np.full_like(p, w) if anywhere else p + c + q
    # B's starts for each p and q: the best inside C; below C; above C
    first = np.concatenate([inside, np.zeros_like(p), p + c + 1])
    lengths = np.maximum(np.concatenate([inside + 1, p, last + 1]) - first, 0)
    s = consecutive(first, lengths)
    p, q = (np.repeat(np.tile(part, 3), lengths) for part in (p, q))
    return around(s, b, [(p, p + c)], [(0, p), (p + c, p + c + q), (w - a + p + q, w)])


def _two_sided(m: int, c: int, a: int, b: int) -> Iterator[Layouts]:
    """Layouts with unused records on both sides of C in W, and B anywhere.

    W:  A..A . . C....C . . . A..A        i = 2, c = 3, start = 4:  AA..CCC...A
        i        c            a − i
    """
    w = m - b  # the records of W
    for i in range(a + 1):
        starts = np.arange(i, w - (a - i) - c + 1, dtype=np.intp)
        s = np.tile(np.arange(w + 1, dtype=np.intp), len(starts))
        start = np.repeat(starts, w + 1)
        yield around(s, b, [(start, start + c)], [(0, i), (w - (a - i), w)])


def _best_inside(
    centred: Centred, share: tuple[int, int, int], first: np.ndarray, removed: Runs
) -> np.ndarray:
    """Where B, inside C, makes the higher side vary most: its starts, `(N,)` whole numbers.

        C..C B..B C..C        C ∪ B starts at `first`, `(N,)`; c = 3, b = 2:  CBBCC

    `removed` are the runs of A. After thm-places: moving B up by one record, so that it gives w up
    and gains u, changes the higher side's sum of squares with the sign of −(n(u + w) − σ − σ′),
    σ and σ′ its sums before and after, n its size. That bracket never falls: bisection finds where
    it changes sign.
    """
    c, a, b = share
    numbers, sums = centred.numbers, centred.sums
    all_three = sums.whole(first, first + c + b) + sum(sums.whole(*run) for run in removed)
    low, high = first.copy(), first + c
    while (open_ := low < high).any():
        s = np.where(open_, (low + high) // 2, first)
        given_up, gained = numbers[s], numbers[np.minimum(s + b, len(numbers) - 1)]
        before_and_after = 2 * (all_three - sums.whole(s, s + b)) - (gained - given_up)
        rising = np.asarray((c + a) * (gained + given_up) < before_and_after, dtype=bool)
        low = np.where(open_ & rising, s + 1, low)
        high = np.where(open_ & ~rising, s, high)
    return low


@dataclass(frozen=True)
class _Frame:
    """The runs of A at both ends of all records, and the starts of C ∪ B that keep clear of them.

    A..A . . CCBBC . . . A..A        first = 2, removed = (0, 2) and (m − 1, m):  AA..CCBBC...A
    """

    first: int
    last: int
    removed: Runs


def _enter_windows(maximum: FilteredMaximum) -> None:
    """Enter the layouts with C ∪ B a window of all records, cut down by a bound.

    A..A . . CCBBC . . . A..A        B inside C or next to it, i of A below
    """
    m, (c, a, b) = maximum.centred.count, maximum.share
    n = c + b
    frames = [_Frame(i, m - n - (a - i), [(0, i), (m - (a - i), m)]) for i in range(a + 1)]
    kept = []
    for first in range(0, m - n + 1, BLOCK):
        reach = _reach(maximum, frames, first, min(first + BLOCK, m - n + 1))
        _enter_starts(maximum, frames, np.array([first + np.argmax(reach)], dtype=np.intp))
        near = np.flatnonzero(reach >= maximum.floor)
        kept.append((first + near, reach[near]))
    starts = np.concatenate([starts[reach >= maximum.floor] for starts, reach in kept])
    for first in range(0, len(starts), BLOCK):
        _enter_starts(maximum, frames, starts[first : first + BLOCK])


def _reach(maximum: FilteredMaximum, frames: list[_Frame], first: int, stop: int) -> np.ndarray:
    """What the gap is at most with C ∪ B at each start, in any frame: `(stop − first,)` floats.

    After thm-mixes: the higher side's sum of squares is at most what it would be with B too, which
    does not depend on where B is. −∞ where C ∪ B keeps clear of no frame.
    """
    c, a, b = maximum.share
    centred, divisor = maximum.centred, float(maximum.higher.divisor)
    totals, squares = centred.floats([(slice(first, stop), slice(first + c + b, stop + c + b))])
    low, low_doubt = maximum.variances(totals, squares, maximum.lower)
    highest, most = np.full(stop - first, -math.inf, dtype=float), squares.copy()
    for frame in frames:
        begin, end = max(frame.first - first, 0), min(frame.last + 1, stop) - first
        clear = slice(begin, max(end, begin))
        total, square = centred.floats(frame.removed)
        total, square = totals[clear] + total, squares[clear] + square
        np.maximum(most[clear], square, out=most[clear])
        total *= total  # in place: (Σx² − (Σx)²/n)/divisor, over C ∪ A ∪ B
        total /= c + a + b
        square -= total
        square /= divisor
        np.maximum(highest[clear], square, out=highest[clear])
    high, high_doubt = maximum.rooted(highest, most * (ROUNDING / divisor))
    return np.where(highest > -math.inf, high - low + high_doubt + low_doubt, -math.inf)


def _enter_starts(maximum: FilteredMaximum, frames: list[_Frame], starts: np.ndarray) -> None:
    """Enter every frame with C ∪ B at `(N,)` starts, and B where it is best inside C."""
    c, _, b = maximum.share
    for frame in frames:
        w = starts[(starts >= frame.first) & (starts <= frame.last)]
        if len(w) == 0:
            continue
        s = _best_inside(maximum.centred, maximum.share, w, frame.removed) if b else w
        maximum.enter(Layouts([(w, s), (s + b, w + c + b)], frame.removed, [(s, s + b)]))
