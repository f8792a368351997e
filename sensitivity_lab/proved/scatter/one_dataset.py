"""A variance near one dataset: its widest neighbours (thm-local), and its widest pairs at a distance.

To vary most, a run of its records leaves and the outermost spare ones join; to vary least, a run
stays and a run of the spare ones joins:

    own    [ . . x x . . . ]   the run x leaves       own    [ . x x x x . . ]   the run x stays
    spare  [ x . . . . x x ]   the outermost join     spare  [ . . . x x . . ]   a run joins

At a distance the records that stay are pushed to one end (thm-at-distance-variance).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.proved.at_distance import AtDistance, Bounded
from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.sorted_records import Run, Sums
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


class Outermost:
    """The search among the runs of one dataset and of what is spare."""

    def __init__(self, pool: Pool, move: Move) -> None:
        self.own, self.spare = pool.own, pool.spare
        self.removed, self.added = move
        whole = pool.universe.scaled[0]
        middle = int(whole[self.own[len(self.own) // 2]]) if len(self.own) else 0
        self.values = whole.astype(object) - middle  # small numbers, exact
        self.own_sums, self.spare_sums = self._prefix(self.own), self._prefix(self.spare)

    def most(self) -> Indices:
        """The i lowest and the other highest spare records join, for the best i and run."""
        own, spare, r, a = self.own, self.spare, self.removed, self.added
        total, square = _between(self.own_sums, 0, len(own))
        start = np.arange(len(own) - r + 1, dtype=np.intp)
        gone = _between(self.own_sums, start, start + r)
        outermost = [
            np.concatenate([spare[:i], spare[len(spare) - (a - i) :]]) for i in range(a + 1)
        ]
        widest = []  # for each i: the largest scatter, and where the run starts that leaves
        for outer in map(self.values.take, outermost):
            comes, squares = sum(outer.tolist()), sum((outer * outer).tolist())
            scatter = self._scatter(total + comes - gone[0], square + squares - gone[1])
            widest.append((scatter.max(), int(np.argmax(scatter))))
        i = max(range(a + 1), key=lambda i: widest[i][0])
        run = widest[i][1]
        return joined(own[:run], own[run + r :], outermost[i])

    def least(self) -> Indices:
        """The i lowest and the other highest of its records leave, for the best i and run."""
        own, spare, r, a = self.own, self.spare, self.removed, self.added
        start = np.arange(len(spare) - a + 1, dtype=np.intp)
        comes = _between(self.spare_sums, start, start + a)
        narrowest = []  # for each i: the smallest scatter, and where the run starts that joins
        for i in range(r + 1):
            stays = _between(self.own_sums, i, len(own) - r + i)
            scatter = self._scatter(stays[0] + comes[0], stays[1] + comes[1])
            narrowest.append((scatter.min(), int(np.argmin(scatter))))
        i = min(range(r + 1), key=lambda i: narrowest[i][0])
        run = narrowest[i][1]
        return joined(own[i : len(own) - r + i], spare[run : run + a])

    def _scatter(self, total: Any, square: Any) -> Any:
        """n·Σx² − (Σx)², which orders datasets of one size by their variance."""
        return (len(self.own) - self.removed + self.added) * square - total * total

    def _prefix(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Prefix sums of x and x², exact."""
        numbers = self.values[positions]
        zero = np.zeros(1, dtype=object)
        return (
            np.concatenate([zero, np.cumsum(numbers, dtype=object)]),
            np.concatenate([zero, np.cumsum(numbers * numbers, dtype=object)]),
        )


def _between(sums: tuple[np.ndarray, np.ndarray], start: Any, stop: Any) -> tuple[Any, Any]:
    """Σx and Σx² over runs from `start` to `stop`."""
    total, square = sums
    return total[stop] - total[start], square[stop] - square[start]


Moved = tuple[int, Run, tuple[tuple[Exact, int], ...], Exact, Exact]  # as `Bounded.moved` has it


class VarianceAtDistance(AtDistance):
    """The widest pairs of a variance, from the n − 1 records that stay as low, or as high, as can be."""

    def __init__(self, dataset: Bounded, ddof: int) -> None:
        n, top = len(dataset), dataset.top
        self.dataset, self.divisor = dataset, (n - 1) * n * (n - ddof) * dataset.scale**2
        self.down = _PushedDown(dataset.x, top)
        self.up = _PushedDown(top - dataset.x[::-1], top)

    def widest(self, t: int) -> WorstPair:
        """The widest pair whose first dataset is within t changes."""
        n, top = len(self.dataset), self.dataset.top
        if n == 1:
            return self.dataset.moved(0, (0, 0), (), into=0)
        down, up = self.down.widest(t), self.up.widest(t)
        best = down if down[0] >= up[0] else _mirrored(up, n, top)
        return self.dataset.moved(Fraction(best[0], self.divisor), *best[1:])


def _mirrored(moved: Moved, n: int, top: int) -> Moved:
    """What stands from above, counted from below."""
    gap, (start, stop), joined, into, out_of = moved
    turned = tuple((top - value, copies) for value, copies in joined)
    return gap, (n - stop, n - start), turned, top - into, top - out_of


class _PushedDown:
    """The pairs in which the n − 1 records that stay are as low as can be."""

    def __init__(self, x: np.ndarray, top: int) -> None:
        self.x, self.top, self.sums = x, top, Sums(x, top)

    def widest(self, t: int) -> Moved:
        return max(self._pairs(t), key=lambda moved: moved[0])

    def _pairs(self, t: int) -> Iterator[Moved]:
        n, top = len(self.x), self.top
        stay, rest = n - t, n - 1
        if t:  # a new record at the top goes to the mean of the others
            total = self.sums.exact([(0, stay)])
            joined: Any = ((0, t - 1), (top, 1))
            yield (rest * top - total) ** 2, (stay, n), joined, Fraction(total, rest), top
        if t < n:  # the highest record goes to the mean of the others
            total, highest = self.sums.exact([(0, stay - 1)]), int(self.x[-1])
            gap, mean = (rest * highest - total) ** 2, Fraction(total, rest)
            yield gap, (stay - 1, n - 1), ((0, t),), mean, highest
        if t < n:  # a record near the mean goes to the top
            total = self.sums.exact([(0, stay)])
            peak = (top + (2 * total - rest * top) // (n + 1)) // 2  # of a parabola in the record
            at = int(np.searchsorted(self.x[:stay], peak, side="right"))
            for record in map(int, self.x[max(at - 1, 0) : min(at + 1, stay)]):
                gap = rest * (top - record) * (rest * (top + record) - 2 * (total - record))
                yield gap, (stay, n), ((0, t),), top, record
