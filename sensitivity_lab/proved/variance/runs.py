"""Where C, A and B can lie for a variance's D(c, a, b) with a ≥ b: in W, C is a run.

B is a run of the sorted records, W the records that are not B; in W, A is the i lowest and the
a − i highest of the records that are not C. The lemmas are thm-places and thm-mixes on the book's
page of proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sensitivity_lab.proved.variance.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Contest,
    Places,
    Runs,
    Spread,
    around,
    counted,
)

MOST_PLACES = 30_000_000  # beyond this a D is left to others


def enter_runs(contest: Contest) -> bool:
    """Enter the places of a ≥ b (thm-places, thm-mixes), or say that there are too many.

    >>> from sensitivity_lab.proved.sorted_records import SortedRecords
    >>> from sensitivity_lab.universe import Universe
    >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
    >>> contest = Contest(spread, (1, 1, 1), ddof=0)
    >>> enter_runs(contest), contest.winner().gap
    (True, Fraction(20, 1))

    Cost on m records: O(m·a + a³), and O(log m) for each place that may be widest; if b > c,
    O(m²·a).
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
        contest.enter(_corners(contest.spread.mirror, c, a, b, anywhere).mirrored(m))
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
    s = np.concatenate([counted(starts, n) for (starts, _), n in zip(groups, lengths, strict=True)])
    p, q = (np.concatenate([np.repeat(end, n) for n in lengths]) for end in (p, q))
    higher = [(0 * p, p), (p + c, p + c + q), (m - b - a + p + q, m - b + 0 * p)]
    return around(s, b, [(p, p + c)], higher)


def _everywhere(m: int, c: int, a: int, b: int) -> Iterator[Places]:
    """In W: i of A, unused, C, unused, the rest of A; and B anywhere."""
    for i in range(a + 1):
        starts = np.arange(i, m - b - (a - i) - c + 1)
        s = np.tile(np.arange(m - b + 1), len(starts))
        w = np.repeat(starts, m - b + 1)
        yield around(s, b, [(w, w + c)], [(0, i), (m - b - (a - i), m - b)])


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


def _enter_windows(contest: Contest) -> None:
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


def _window_reach(contest: Contest, layouts: list[_Layout], first: int, stop: int) -> Any:
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


def _enter_starts(contest: Contest, layouts: list[_Layout], starts: np.ndarray) -> None:
    """Enter every layout with C ∪ B at some starts, and B where it is best."""
    c, _, b = contest.share
    for layout in layouts:
        w = starts[(starts >= layout.first) & (starts <= layout.last)]
        if len(w) == 0:
            continue
        outer = [(start + 0 * w, stop + 0 * w) for start, stop in layout.outer]
        s = _best_inside(contest.spread, contest.share, w, outer) if b else w
        contest.enter(Places([(w, s), (s + b, w + c + b)], layout.outer, [(s, s + b)]))
