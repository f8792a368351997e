"""Where C, A and B can lie for a variance's D(c, a, b) with a ≥ b: C is a run of W.

B is a run of the sorted records, and W the records that are not B. In W, A is the i lowest and the
a − i highest of what is not C; all else is unused. As one letter for each record, ascending:

    W:  A..A . . C....C . . . A..A        a = 3, i = 2, c = 3:  AA..CCC...A

Most often C ∪ B is a run of all records. The lemmas are thm-places, thm-mixes, thm-exchange and
thm-split on the book's page of proofs, and the bounds are thm-reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sensitivity_beyond.proofs.scatter.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Centred,
    FilteredMaximum,
    Layouts,
    Runs,
    around,
    best_below,
    different,
    first_starts,
    first_true,
    in_chunks,
    mirrored,
    outermost,
)
from sensitivity_beyond.proofs.sorted_records import consecutive
from sensitivity_lab.proved.worst_pair import Run

MOST_LAYOUTS = 30_000_000  # beyond this a D is left to others


def enter_runs(maximum: FilteredMaximum) -> bool:
    """Enter the layouts with C a run that may be widest, cut down by a bound;
    or say that there are too many."""
    m, (c, a, b) = maximum.centred.count, maximum.share
    one_sided = a == b > 0 and not maximum.root  # all unused lie on one side of C (thm-exchange, 5)
    windows = Windows(maximum, only_ends=one_sided)
    if a >= b and windows.reach < maximum.floor:
        return True
    anywhere = b > c  # an unused record may lie between B and C (thm-exchange, 7)
    if anywhere and not one_sided:
        if (a + 1) * (m - b - c) * m > MOST_LAYOUTS:
            return False
        w = m - b  # the records of W
        for i in range(a + 1):  # below C, with unused records on both sides of it, and B anywhere
            starts = np.arange(i, w - (a - i) - c + 1, dtype=np.intp)
            s = np.tile(np.arange(w + 1, dtype=np.intp), len(starts))
            start = np.repeat(starts, w + 1)
            maximum.enter(around(s, b, [(start, start + c)], [(0, i), (w - (a - i), w)]))
    windows.enter()
    both_ways = (_Apart(maximum, anywhere, mirrored) for mirrored in (False, True))
    return b == 0 or all(apart.enter() for apart in both_ways)


class Windows:
    """The layouts whose C ∪ B is a run of all records,
    and what the gap is at most with each run."""

    def __init__(self, maximum: FilteredMaximum, *, only_ends: bool) -> None:
        self.maximum = maximum
        m, (c, a, b) = maximum.centred.count, maximum.share
        stop = m - c - b + 1
        low = min(a, stop)
        high = max(stop - a, low)
        middle = [] if only_ends else _in_blocks(low, high)
        # of starts of the runs, in order: those near an end of the records apart
        self.blocks = [*_in_blocks(0, low), *middle, *_in_blocks(high, stop)]
        self.first_starts = first_starts(maximum.centred, c + b, a)
        i = np.arange(a + 1, dtype=np.intp)
        # Σx and Σx² of A by i, where A is clear of the run: (a + 1,) floats each
        self.frames = maximum.centred.floats([(0, i), (m - (a - i), m)])
        reaches = ((first, self._reach((first, stop))) for first, stop in self.blocks)
        # of each block the farthest reach, and the first start that has it
        self.tops = [(float(reach.max()), first + int(reach.argmax())) for first, reach in reaches]
        # for a ≥ b no D is wider, or it is 0 at most
        self.reach = max(reach for reach, _ in self.tops)

    def enter(self) -> None:
        """Enter the best layout of the best run, then of every run that may have a wider one."""
        if self.reach < self.maximum.floor:
            return
        c, _, b = self.maximum.share
        numbers = self.maximum.centred.numbers
        start = next(start for reach, start in self.tops if reach == self.reach)
        self._enter_starts(np.array([start], dtype=np.intp))
        for (top, _), block in zip(self.tops, self.blocks, strict=True):
            if top >= self.maximum.floor:
                near = np.flatnonzero(self._reach(block) >= self.maximum.floor)
                if len(near):
                    self._enter_starts(different(numbers, block[0] + near, c + b))

    def _reach(self, block: Run) -> np.ndarray:
        """What the gap is at most with C ∪ B at each start of a block, in floats."""
        maximum, (first, stop) = self.maximum, block
        m, (c, a, b) = maximum.centred.count, maximum.share
        n = c + b
        total, square = maximum.centred.floats([(slice(first, stop), slice(first + n, stop + n))])
        low, low_doubt = maximum.variances(total, square, maximum.lower)
        # thm-split: the best i never falls in the start
        ends = np.clip([first, *self.first_starts, stop], first, stop)
        i = np.repeat(np.arange(a + 1, dtype=np.intp), np.diff(ends))
        if first >= a and stop <= m - n - a + 1:
            outer_total, outer_square = (part[i] for part in self.frames)
        else:
            s = np.arange(first, stop, dtype=np.intp)
            outer_total, outer_square = maximum.centred.floats(outermost(m, n, a, s, i))
        high = _high(maximum, total + outer_total, square + outer_square)
        reach: np.ndarray = high - low + low_doubt
        return reach

    def _enter_starts(self, starts: np.ndarray) -> None:
        """Enter the layouts with C ∪ B at `(N,)` starts: without B, only the best i has the gap."""
        maximum = self.maximum
        m, (c, a, b) = maximum.centred.count, maximum.share
        if not b:
            i = best_below(maximum.centred, c, a, starts)
            maximum.enter(Layouts([(starts, starts + c)], outermost(m, c, a, starts, i), []))
            return
        rows, n = max(BLOCK // (a + 1), 1), c + b
        for first in range(0, len(starts), rows):  # each with i of A below, and B best inside C
            s = np.repeat(starts[first : first + rows], a + 1)
            i = np.tile(np.arange(a + 1, dtype=np.intp), len(s) // (a + 1))
            whole = maximum.centred.floats([(s, s + n), *outermost(m, n, a, s, i)])
            lower = maximum.centred.floats([(s, s + n)])
            low, low_doubt = maximum.variances(*lower, maximum.lower)
            near = np.flatnonzero(_high(maximum, *whole) - low + low_doubt >= maximum.floor)
            if len(near):
                s, i = s[near], i[near]
                removed = outermost(m, n, a, s, i)
                at = _best_inside(maximum.centred, maximum.share, s, removed)
                maximum.enter(Layouts([(s, at), (at + b, s + n)], removed, [(at, at + b)]))


def _in_blocks(first: int, stop: int) -> list[Run]:
    return [(start, min(start + BLOCK, stop)) for start in range(first, stop, BLOCK)]


@dataclass(frozen=True)
class _Apart:
    """The layouts whose unused records in W are all above C, with some of A between B and C.

    W:  A..A C....C A..A . . . . A..A        p = 2, c = 3, q = 1:  AACCCA....AA
        p    c      q    unused  a − p − q
    """

    maximum: FilteredMaximum
    anywhere: bool
    mirrored: bool

    def enter(self) -> bool:
        """Enter those that may be widest, or say that there are too many."""
        high, low = self._bounds()
        rows = np.flatnonzero(high - np.minimum.accumulate(low) >= self.maximum.floor)
        lengths = rows + 1
        if lengths.sum(dtype=np.int64) > MOST_LAYOUTS:
            return False
        for some in in_chunks(lengths):
            both = np.repeat(rows[some], lengths[some])
            p = consecutive(np.zeros_like(some), lengths[some])
            near = high[both] - low[p] >= self.maximum.floor
            if not self._enter_pairs(p[near], both[near]):
                return False
        return True

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The higher answer at most for each p + q, the lower at least for each p:
        `(a + 1,)` each."""
        maximum = self.maximum
        m, (c, a, b) = maximum.centred.count, maximum.share
        n, i = c + b, np.arange(a + 1, dtype=np.intp)
        everything: Runs = [(0, i + n), (m - (a - i), m)]
        run: Runs = [(i, i + n)]
        if self.mirrored:
            everything, run = mirrored(everything, m), mirrored(run, m)
        total, square = maximum.centred.floats(everything)
        high = _high(maximum, total, square, self._about(total / (n + a)))
        if self.anywhere:
            return high, np.zeros_like(high)
        low, doubt = maximum.variances(*maximum.centred.floats(run), maximum.lower)
        return high, low - doubt

    def _about(self, means: np.ndarray) -> np.ndarray:
        """Σ(x − μ)² over the b records nearest to each of `(N,)` means, at most: `(N,)` floats."""
        centred, b = self.maximum.centred, self.maximum.share[2]
        numbers, last = centred.numbers, np.full(len(means), centred.count - b, dtype=np.intp)

        def nearer_below(s: np.ndarray) -> np.ndarray:
            both = numbers[s] + numbers[np.minimum(s + b, len(numbers) - 1)]
            return np.asarray(both.astype(float) >= 2 * means, dtype=bool)

        s = first_true(nearer_below, np.zeros_like(last), last)
        total, square = centred.floats([(s, s + b)])
        about: np.ndarray = square - 2 * means * total + b * means * means
        least: np.ndarray = np.maximum(about - 10 * ROUNDING * (square + b * means * means), 0)
        return least

    def _enter_pairs(self, p: np.ndarray, both: np.ndarray) -> bool:
        """Enter all places of B for `(N,)` p and p + q, or say that there are too many."""
        m, (c, a, b) = self.maximum.centred.count, self.maximum.share
        last = np.full_like(p, m - b) if self.anywhere else c + both
        first = np.concatenate([np.zeros_like(p), p + c + 1])
        lengths = np.concatenate([p, np.maximum(last - (p + c), 0)])
        if lengths.sum(dtype=np.int64) > MOST_LAYOUTS:
            return False
        p, both = np.tile(p, 2), np.tile(both, 2)
        for rows in in_chunks(lengths):
            s = consecutive(first[rows], lengths[rows])
            i, j = (np.repeat(part[rows], lengths[rows]) for part in (p, both))
            own = [(0, i), (i + c, j + c), (m - b - a + j, m - b)]
            layouts = around(s, b, [(i, i + c)], own)
            if self.mirrored:
                layouts = Layouts(*(mirrored(runs, m) for runs in layouts))
            self.maximum.enter(layouts)
        return True


def _high(
    maximum: FilteredMaximum, total: np.ndarray, square: np.ndarray, short: float | np.ndarray = 0
) -> np.ndarray:
    """What the higher answer is at most, from the sums of C ∪ A ∪ B: `(N,)` floats."""
    divisor = float(maximum.higher.divisor)
    scatter = square - total * (total / sum(maximum.share)) - short
    high, doubt = maximum.rooted(scatter / divisor, square * (ROUNDING / divisor))
    most: np.ndarray = high + doubt
    return most


def _best_inside(
    centred: Centred, share: tuple[int, int, int], first: np.ndarray, removed: Runs
) -> np.ndarray:
    """Where B, inside C, makes the higher side vary most: its starts, `(N,)` whole numbers."""
    c, a, b = share
    numbers, sums = centred.numbers, centred.sums
    all_three = sums.whole(first, first + c + b) + sum(sums.whole(*run) for run in removed)

    def falls(s: np.ndarray) -> np.ndarray:
        given_up, gained = numbers[s], numbers[np.minimum(s + b, len(numbers) - 1)]
        before_and_after = 2 * (all_three - sums.whole(s, s + b)) - (gained - given_up)
        return np.asarray((c + a) * (gained + given_up) >= before_and_after, dtype=bool)

    return first_true(falls, first, first + c)
