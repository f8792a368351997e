"""Quantiles: the gap is a weighted sum of ranks among the shared records (thm-quantile)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.at_distance import AtDistance, Bounded
from sensitivity_lab.proved.family import Interval, Words
from sensitivity_lab.proved.ranks.at_distance import Ranks
from sensitivity_lab.proved.ranks.monotone import Monotone, ends
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair
from sensitivity_lab.relations import Relation

WHERE = (
    "g(c, a, b) is the largest clip(t − l) − clip(t − l − δ) over whole l from 0 to c; "
    "t = q(c + a − 1) + 1; δ = qa + (1 − q)b; clip cuts to [0, 1]"
)


@dataclass(frozen=True)
class Quantile(Monotone):
    """The q-quantile with linear interpolation; min and max are those of 0 and 1."""

    q: Exact

    def words(self, norm: Norm) -> Words:
        if self.q in (0, 1):
            return Words("quantile", {"any": ("R", "R")})
        least = "R·min(1, k·max(q, 1 − q))"
        texts = {
            "Add": ("R·max(g(n, 0, k), g(n, k, 0))", least),
            "Remove": ("R·max(g(n − k, 0, k), g(n − k, k, 0))", least),
            "AddRemove": ("the larger of Add(k)'s and Remove(k)'s", least),
            "SymmetricDifference": (
                "R·max of g(n − r, r, j), g(n − r, j, r) over r + j ≤ k",
                least,
            ),
            "Change": ("R·max of g(n − j, j, j) over j ≤ k", "R"),
        }
        return Words("quantile", texts, where=WHERE)

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """The shared records sit at both ends, l of them at the bottom.

        With t = q(c + a − 1) − l + 1 the gap is R·(clip(t) − clip(t − δ)), δ = qa + (1 − q)b and
        clip to [0, 1]: a trapezium in t, symmetric about (1 + δ)/2, so the nearest l is best.
        """
        q, low, high = Fraction(self.q), interval.low, interval.high

        def d(c: int, a: int, b: int) -> WorstPair:
            delta = q * a + (1 - q) * b
            start = q * (c + a - 1) + 1
            best = min(max(round(start - (1 + delta) / 2), 0), c)
            part = _clip(start - best) - _clip(start - best - delta)
            shared = ((low, best), (high, c - best))
            return WorstPair.of_copies((high - low) * part, shared, ((high, a),), ((low, b),))

        return d

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        """The shared ranks weigh first ≤ 0, then ≥ 0.

        So the l ranks up to the last negative weight take the lowest records left, the others the
        highest.
        """

        def d(c: int, a: int, b: int) -> WorstPair:
            top, bottom = ends(records, a, b)
            weights = self._weights(c, a, b)
            negative = (rank + 1 for rank, weight in weights.items() if weight < 0 and rank < c)
            low = max(0, *negative, 0)
            shared = ((b, b + low), (top[0] - (c - low), top[0]))

            def record(rank: int) -> int:
                """The record of a rank among the shared, with the b below them and the a above."""
                return records[b + rank if rank < low else top[0] - c + rank]

            gap = sum((weight * record(rank) for rank, weight in weights.items()), Fraction(0))
            return WorstPair(gap / records.scale, shared, (top,), (bottom,), records)

        return d

    def _weights(self, c: int, a: int, b: int) -> dict[int, Fraction]:
        """By rank among the shared: its weight in the higher side's answer less the lower side's."""
        weights: dict[int, Fraction] = {}
        for rank, weight in self._ranks_read(c + a):
            weights[rank] = weights.get(rank, Fraction(0)) + weight
        for rank, weight in self._ranks_read(c + b):
            weights[rank - b] = weights.get(rank - b, Fraction(0)) - weight
        return weights

    def _ranks_read(self, size: int) -> list[tuple[int, Fraction]]:
        """The ranks that the quantile of `size` records reads, with their weights."""
        position = Fraction(self.q) * (size - 1)
        lower = math.floor(position)
        upper = position - lower
        read = [(lower, 1 - upper), (lower + 1, upper)]
        return read if lower < size - 1 else read[:1]

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """One size that brings out every move's worst.

        Where q(N − 1) is whole for the higher side, the widest gap of a move is R·min(1, δ) with
        δ = qa + (1 − q)b, and no size has a wider one (thm-quantile).
        """
        q = Fraction(self.q)
        room = (1 - q) * q.denominator or 1  # records above the quantile in each period
        periods = max(-(-(least + 2 * relation.k) // q.denominator), math.ceil(relation.k / room))
        whole = 1 + q.denominator * periods
        for removed, added in relation.moves:
            yield whole - removed, removed, added, False
            yield whole - added, added, removed, True

    def shared(self, least: int, most: int) -> range:
        return range(max(least, most - Fraction(self.q).denominator + 1), most + 1)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda dataset: Ranks(dataset, self.q)


def _clip(x: Fraction) -> Fraction:
    return min(max(x, Fraction(0)), Fraction(1))
