"""How wide a spread's gap can be at most on a population, share by share, for little (thm-reach)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sensitivity_lab.proved.scatter.filtered_maximum import BLOCK, ROUNDING, Centred
from sensitivity_lab.proved.scatter.split import best_below, outermost
from sensitivity_lab.proved.worst_pair import Share

ROUNDED = 1 + 1e-9  # more than the few roundings of these sums and products


@dataclass(frozen=True)
class Reaches:
    """What D is at most for some shares of the variance, or with `root` the standard deviation."""

    centred: Centred
    asked: Sequence[Share]
    ddof: int
    root: bool

    @cached_property
    def all(self) -> np.ndarray:
        """The reach of every share: `(N,)` floats, in the unit of the centred records."""
        c, a, b = np.array([share[:3] for share in self.asked], dtype=np.int64).T
        high, low = c + a - self.ddof, c + b - self.ddof  # what the sums of squares are divided by
        most = np.maximum(high, low)
        v = _of_each(c + a, self._largest_scatters) / high
        x = _of_each(c + b, self._smallest_scatters) / ROUNDED
        g = self._farthest(c + b, a) * ROUNDED
        risen = np.maximum(g / most - x * ((most - low) / (most * low)), 0)
        if self.root:
            roots = np.sqrt(x / low + risen) + np.sqrt(x / low)
            risen = np.divide(risen, roots, out=np.zeros_like(risen), where=roots > 0)
            smaller = (1 - np.sqrt(high / most)) * np.sqrt(v)
        else:
            smaller = (most - high) / most * v
        reach: np.ndarray = (risen + smaller) * ROUNDED
        return reach

    def _largest_scatters(self, sizes: np.ndarray) -> np.ndarray:
        """What a sum of squares about the mean is at most, for `(N,)` numbers of records."""
        start = np.zeros_like(sizes)
        i = best_below(self.centred, 0, sizes, start)
        runs = outermost(self.centred.count, 0, sizes, start, i)
        total, square = self.centred.floats(runs)
        largest: np.ndarray = square - total * total / sizes + 2 * ROUNDING * square
        return largest

    def _smallest_scatters(self, sizes: np.ndarray) -> np.ndarray:
        """What it is at least: over n − 1, the smallest never falls in n (thm-reach)."""
        n, m = int(sizes[0]), self.centred.count
        if not self.root or n < 2:
            return np.zeros(len(sizes), dtype=float)
        smallest = math.inf
        for first in range(0, m - n + 1, BLOCK):
            stop = min(first + BLOCK, m - n + 1)
            total, square = self.centred.floats([(slice(first, stop), slice(first + n, stop + n))])
            scatter = square - total * total / n - 2 * ROUNDING * square
            smallest = min(smallest, float(scatter.min()))
        return max(smallest, 0) * ((sizes - 1) / (n - 1))

    def _farthest(self, sizes: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The a largest squares of distances from the mean of n records, at most: `(N,)` floats."""
        m, most, sums = self.centred.count, int(a.max()), self.centred.sums
        k = min(most, m // 2)
        ends = self.centred.numbers[np.r_[0:k, max(k, m - most) : m]].astype(float)
        farthest = np.zeros(len(sizes), dtype=float)
        for n in np.unique(sizes):
            these = sizes == n
            for mean in (sums.floats(0, n) / n, sums.floats(m - n, m) / n):
                squares = np.sort((ends - mean) ** 2)[::-1]
                summed = np.concatenate([[0.0], np.cumsum(squares, dtype=float)])
                farthest[these] = np.maximum(farthest[these], summed[a[these]])
        return farthest


def _of_each(sizes: np.ndarray, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What is said of each different size, ascending, for all of them."""
    different, which = np.unique(sizes, return_inverse=True)
    return ask(different)[which]
