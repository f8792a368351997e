"""The variance and the standard deviation on a population, and near one dataset.

The lemmas on the book's page of proofs leave few layouts of C, A and B among the sorted records:
each part lies in a few runs (`outermost`, `runs`), among which `filtered_maximum` finds the widest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sensitivity_beyond.proofs.at_distance import AtDistance, Bounded, variance_at_distance
from sensitivity_beyond.proofs.routes import at_distance, on_dataset, on_population
from sensitivity_beyond.proofs.scatter.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Centred,
    FilteredMaximum,
    Layouts,
    best_below,
    outermost,
    scaled,
)
from sensitivity_beyond.proofs.scatter.outermost import enter_outermost
from sensitivity_beyond.proofs.scatter.runs import enter_runs
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords
from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import Gap, Norm, rational
from sensitivity_lab.proved.scatter import Deviation, Variance
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices

ROUNDED = 1 + 1e-9  # more than the few roundings of these sums and products
LEAST = 5e-324  # the smallest positive float: no gap that decides is narrower
LARGEST = 2**400  # squares of larger records leave the floats


class ScatterOnPopulation:
    """D(c, a, b) for the variance, or with `root` the standard deviation, with a given `ddof`."""

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.ddof, self.root = ddof, root
        self.centred = Centred.of(records)
        self.unit = records.scale**2  # of a variance

    def reaches(self, asked: Sequence[Share]) -> Sequence[float]:
        """At least D for each of some shares, in the unit of the centred records (thm-reach)."""
        if self.centred.largest > LARGEST:
            return [math.inf] * len(asked)
        c, a, b = np.array([share[:3] for share in asked], dtype=np.int64).T
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
        reaches: list[float] = ((risen + smaller) * ROUNDED).tolist()
        return reaches

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

    def floor(self, gap: Gap) -> float:
        """A gap in the unit of the centred records, rounded down."""
        return math.nextafter(float(scaled(gap, self.unit)), -math.inf)

    def __call__(self, c: int, a: int, b: int, floor: float = -math.inf) -> WorstPair | None:
        """D(c, a, b) where it is positive and at least `floor`, else at most D;
        None for too many layouts."""
        if self.centred.largest > LARGEST:
            return None
        floor = max(floor, LEAST)
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, root=self.root, floor=floor)
        either = self.root and 0 < a < b  # thm-mixes-std: of one kind or of the other, or neither
        if a < b:
            enter_outermost(maximum)
        if (either or a >= b) and not enter_runs(maximum):
            return None
        widest = maximum.widest()
        if either:
            known = max(floor, self.floor(widest.gap))
            bound = self._bound_of_neither(c, a, b, known)
            if bound > widest.gap:
                return replace(widest, gap=bound, attained=False)
        return widest

    def _bound_of_neither(self, c: int, a: int, b: int, known: float) -> Gap:
        """What the standard deviation's gap is at most where no layout of either kind has it."""
        high, low = c + a, c + b
        if high == 1:
            return RootGap(0, 0)
        # thm-mixes-std: D² ≤ (1 − 1/u)·M, and M is the largest V_S − t·V_T,
        # with t = ψ(high)/ψ(low) and u = φ(high)/φ(low)
        of = Fraction(low * (low - self.ddof), high * (high - self.ddof))
        t, u = (of * Fraction(high - sign, low - sign) for sign in (1, -1))
        floor = max(known, 0) ** 2 / float(1 - 1 / u) * (1 - 1e-9)
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, weight=t, floor=floor)
        enter_outermost(maximum)
        most = rational(maximum.widest().gap)
        return RootGap(max(most, 0) * (1 - 1 / u), 0)


def _of_each(sizes: np.ndarray, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What is said of each different size, ascending, for all of them."""
    different, which = np.unique(sizes, return_inverse=True)
    return ask(different)[which]


@on_population.register
def _(family: Variance, records: SortedRecords, norm: Norm) -> D | None:
    return ScatterOnPopulation(records, family.ddof, family.root)


@at_distance.register
def _(family: Variance) -> Callable[[Bounded], AtDistance] | None:
    return lambda dataset: variance_at_distance(dataset, family.ddof)


@at_distance.register
def _(family: Deviation) -> Callable[[Bounded], AtDistance] | None:
    return None


# -- near one dataset ------------------------------------------------------------------------------


@on_dataset.register
def _(family: Variance, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    """The neighbours by a move that vary most and least; the first of several (thm-local).

    To vary most, a run of its records leaves and the outermost spare ones join; to vary least, a
    run stays and a run of the spare ones joins:

        own    [ . . x x . . . ]   the run x leaves       own    [ . x x x x . . ]   the run x stays
        spare  [ x . . . . x x ]   the outermost join     spare  [ . . . x x . . ]   a run joins
    """
    (r, a), n, m = move, len(pool.own), len(pool.own) + len(pool.spare)
    both = np.concatenate([pool.own, pool.spare])
    numbers = pool.universe.scaled[0].astype(object)[both]
    records = SortedRecords(both, numbers, 1)
    centred = Centred(records, numbers - numbers[n // 2])
    start = np.arange(n - r + 1, dtype=np.intp)
    most = [[(0, start), (start + r, n), (n, n + i), (m - (a - i), m)] for i in range(a + 1)]
    start = np.arange(m - n - a + 1, dtype=np.intp)
    least = [[(i, n - r + i), (n + start, n + start + a)] for i in range(r + 1)]
    found = []
    for choices, sign in ((most, 1), (least, -1)):
        scatters = [sign * centred.scatter(runs, n - r + a) for runs in choices]
        best = max(range(len(choices)), key=lambda i: scatters[i].max())
        runs, _, _ = Layouts(choices[best], [], []).at(int(np.argmax(scatters[best])))
        found.append(tuple(sorted(records.dataset(runs))))
    return found
