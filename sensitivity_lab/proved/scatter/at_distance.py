"""A variance at a distance from one dataset: the records that stay pushed to one end.

The proof is thm-at-distance-variance on the book's page of proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.proved.at_distance import AtDistance, Bounded
from sensitivity_lab.proved.sorted_records import Run, Sums
from sensitivity_lab.proved.worst_pair import WorstPair

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
