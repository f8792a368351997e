"""What is proved of weighted sums of the sorted records: a count, sum, mean and quantile, and the L-statistics.

One engine finds their gaps: `interval`, `population`, `one_dataset`. A query adds its weights, its
formulas in words, and what its proof says of sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sensitivity_lab.numbers.errors import NotProved, TooLarge
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.at_distance import AtDistance, Bounded
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.ranks.at_distance import Ranks, most_moved
from sensitivity_lab.proved.ranks.interval import widest_place
from sensitivity_lab.proved.ranks.narrowest import widest_range
from sensitivity_lab.proved.ranks.one_dataset import neighbours
from sensitivity_lab.proved.ranks.population import MOST_KNOWN, OnPopulation
from sensitivity_lab.proved.ranks.weights import (
    Gini,
    Ones,
    Quantiles,
    Trimmed,
    Weights,
    Winsorised,
)
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair, shares
from sensitivity_lab.relations import Move, Relation
from sensitivity_lab.universe import Indices

MOST_SIZES = 200_000  # shares that a smallest size may ask about
LOWER, UPPER, HALF = Fraction(1, 4), Fraction(3, 4), Fraction(1, 2)


@dataclass(frozen=True)
class LStatistic(Family):
    """A weighted sum of the sorted records."""

    weights: Weights

    among_records = False

    def words(self, norm: Norm) -> Words:
        texts = {
            "Add": "max(D(n, 0, k), D(n, k, 0))",
            "Remove": "max(D(n − k, 0, k), D(n − k, k, 0))",
            "AddRemove": "the larger of Add(k)'s and Remove(k)'s",
            "SymmetricDifference": "the largest D(n − r, r, j), D(n − r, j, r) over r + j ≤ k",
            "Change": "the largest D(n − j, j, j) over j ≤ k",
        }
        where = "D(c, a, b) is the most by which answers of datasets that share (c, a, b) differ"
        known = {name: (text, "not proved") for name, text in texts.items()}
        return Words("l-interval", known, where=where)

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """All records lie at the ends: p of the shared at the top, and t and s of the two sides in all."""
        steps = lru_cache(MOST_KNOWN)(self.weights.steps)
        low, high = interval.low, interval.high

        def d(c: int, a: int, b: int) -> WorstPair:
            higher, lower = steps(c + a), steps(c + b)
            height, p, t, s = widest_place(higher, lower, (c, a, b))
            levels = higher.sums[-1] * lower.unit - lower.sums[-1] * higher.unit
            gap = (interval.width * height + low * levels) * Fraction(1, higher.unit * lower.unit)
            tops = ((c, p), (a, t - p), (b, s - p))
            common, removed, added = (((low, many - top), (high, top)) for many, top in tops)
            return WorstPair(gap, common, removed, added)

        return d

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        return self.on_interval(Interval(values[0], values[-1]), norm)

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return OnPopulation(records, self.weights)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        """The neighbours with the largest and the least answer, one of which lies furthest."""
        removed, added = move
        return neighbours(pool, move, self.weights.steps(len(pool.own) - removed + added))

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        raise NotProved(
            "min_size must be None for this query, of which no proof says which sizes are enough: "
            "give size, a number or a range"
        )


# --- sums and means ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sum(LStatistic):
    """All a at the top, all b at the bottom; the shared records cancel (thm-sum)."""

    weights: Weights = Ones()

    falls = True
    at_ends = True
    among_records = True
    adds = "number"

    def words(self, norm: Norm) -> Words:
        unbounded = ("k·max(|L|, |U|)", "k·max(|L|, |U|)")
        return Words("sum", {"any": unbounded, "Change": ("min(k, n)·R", "k·R")})

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        return Family.shares_from(self, relation, least)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda dataset: AtDistance(dataset, lambda t: most_moved(dataset, t, divisor=1))


@dataclass(frozen=True)
class Mean(Sum):
    """The shared records weigh 1/(c + a) − 1/(c + b): high if a < b, else low (thm-mean)."""

    weights: Weights = Trimmed(0)

    adds = None

    def words(self, norm: Norm) -> Words:
        return Words(
            "mean",
            {
                "Add": ("k·R/(n + k)", "k·R/(m + k)"),
                "Remove": ("k·R/n", "k·R/(m + k)"),
                "AddRemove": ("k·R/n if k < n, else k·R/(n + k)", "k·R/(m + k)"),
                "SymmetricDifference": (
                    "k·R/n if k < n; R·max((n − 1)/n, 1/2) if k = n; R if k > n",
                    "R·max(k/(m + k), ⌈k/2⌉/(max(0, m − ⌊k/2⌋) + ⌈k/2⌉))",
                ),
                "Change": ("min(k, n)·R/n", "min(k, m)·R/m"),
            },
        )

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        """The sum's, over n."""
        return lambda dataset: AtDistance(
            dataset, lambda t: most_moved(dataset, t, divisor=len(dataset))
        )
