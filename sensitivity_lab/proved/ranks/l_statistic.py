"""L-statistics: weighted sums of the sorted records, by rank; on an interval all lie at its ends (thm-l-interval)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sensitivity_lab.numbers.errors import NotProved, TooLarge
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.pool import Pool
from sensitivity_lab.proved.ranks.l_on_dataset import neighbours
from sensitivity_lab.proved.ranks.l_on_population import OnPopulation
from sensitivity_lab.proved.ranks.l_range import RangeOnPopulation
from sensitivity_lab.proved.ranks.rank_curve import widest_place
from sensitivity_lab.proved.ranks.rank_weights import Gini, Quantiles, Trimmed, Weights, Winsorised
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair, shares
from sensitivity_lab.relations import Move, Relation
from sensitivity_lab.universe import Indices

MOST_SIZES = 200_000  # shares that a smallest size may ask about
PLACES = (
    "e(c, a, b) is the largest W(c + a, p + i) − W(c + b, p + j) over whole "
    "p from 0 to c, i from 0 to a and j from 0 to b; "
)
HIGHEST = "W(N, t), what the t highest of N records weigh, is "
SIZES = "E(a, b) is the largest e(c, a, b) over whole c with both sizes at least m; "
LOWER, UPPER, HALF = Fraction(1, 4), Fraction(3, 4), Fraction(1, 2)
HIGHEST_MINUS_LOWEST = Quantiles(((1, 1), (0, -1)))
BETWEEN_QUARTILES = Quantiles(((UPPER, 1), (LOWER, -1)))
MEAN_OF_QUARTILES = Quantiles(((LOWER, HALF), (UPPER, HALF)))
OF_PAIRS = Gini()
SHARED = "D(c, a, b) is the most by which answers of datasets that share (c, a, b) differ"


@dataclass(frozen=True)
class LStatistic(Family):
    """A weighted sum of the sorted records."""

    weights: Weights

    among_records = False

    def words(self, norm: Norm) -> Words:
        one, both = "max(D(n, 0, k), D(n, k, 0))", "the larger of Add(k)'s and Remove(k)'s"
        known = {
            "Add": one,
            "Remove": one.replace("n,", "n − k,"),
            "AddRemove": both,
            "SymmetricDifference": "the largest D(n − r, r, j), D(n − r, j, r) over r + j ≤ k",
            "Change": "the largest D(n − j, j, j) over j ≤ k",
        }
        texts = {name: (text, "not proved") for name, text in known.items()}
        return Words("l-interval", texts, where=SHARED)

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """All records lie at the ends: p of the shared at the top, i of the a and j of the b."""

        def d(c: int, a: int, b: int) -> WorstPair:
            higher, lower = self.weights.steps(c + a), self.weights.steps(c + b)
            height, *high = widest_place(higher, lower, (c, a, b))
            gap = interval.width * Fraction(height, higher.unit * lower.unit)
            levels = Fraction(higher.total, higher.unit) - Fraction(lower.total, lower.unit)
            return _at_the_ends(gap + interval.low * levels, interval, (c, a, b), high)

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


def _at_the_ends(
    gap: Fraction, interval: Interval, share: tuple[int, int, int], high: Sequence[int]
) -> WorstPair:
    """The pair with so many records at the top: of the shared, and of either dataset."""
    c, a, b = share
    p, s, t = high
    parts = ((c, p), (a, s - p), (b, t - p))
    common, removed, added = (
        ((interval.low, all_of - top), (interval.high, top)) for all_of, top in parts
    )
    return WorstPair.of_copies(gap, common, removed, added)


def _texts(known: str, least: str, change: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """The formulas of a query whose weights have one sum at every size, and known shares."""
    mixed = f"R·max of {known}(n − r, r, j), {known}(n − r, j, r) over r + j ≤ k"
    return {
        "Add": (f"R·max({known}(n, 0, k), {known}(n, k, 0))", least),
        "Remove": (f"R·max({known}(n − k, 0, k), {known}(n − k, k, 0))", least),
        "AddRemove": ("the larger of Add(k)'s and Remove(k)'s", least),
        "SymmetricDifference": (mixed, "R·max of E(r, j), E(j, r) over r + j ≤ k"),
        "Change": change,
    }


@dataclass(frozen=True)
class Central(LStatistic):
    """The trimmed and the winsorised mean: two places decide (thm-l-central)."""

    weights: Trimmed | Winsorised

    among_records = True

    def words(self, norm: Norm) -> Words:
        where = (
            "e(c, a, b) is the larger of W(c + a, a + g(c + b)) and W(c + b, b + g(c + a)); "
            + SIZES
            + f"g(N) = ⌊{self.weights.cut}·N⌋; W(N, t) is "
        )
        if isinstance(self.weights, Trimmed):
            change = ("R·min(1, k/h(n))", "R·min(1, k/min(h(m), h(m + 1)))")
            where += "(t − g(N))/h(N), cut to [0, 1]; h(N) = N − 2·g(N)"
        else:
            change = ("R·W(n, min(k, n) + g(n))", "R·max of E(j, j) over j ≤ k")
            where += "0 if t ≤ g(N), 1 if t ≥ N − g(N), else t/N"
        return Words("l-central", _texts("e", "R·max(E(0, k), E(k, 0))", change), where=where)

    def shared(self, least: int, most: int) -> range:
        return range(least, min(most, least + Fraction(self.weights.cut).denominator - 1) + 1)

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """The shared records at the top are as many as the lower side ignores, or all but those
        that the higher side ignores at the bottom."""
        cut, highest = self.weights.cut, self.weights.highest

        def d(c: int, a: int, b: int) -> WorstPair:
            above, below = cut * (c + a) // 1, cut * (c + b) // 1
            few = highest(c + a, a + below), min(below, c)
            many = highest(c + b, b + above), max(c - above, 0)
            part, p = few if few[0] >= many[0] else many
            return _at_the_ends(part * interval.width, interval, (c, a, b), (p, p + a, p))

        return d

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """As many sizes in a row as the cut's denominator has a widest gap among them."""
        period = Fraction(self.weights.cut).denominator
        if period * len(relation.moves) > MOST_SIZES:
            raise TooLarge(
                f"min_size asks about {period:,} sizes of {len(relation.moves):,} moves for this "
                f"cut, more than {MOST_SIZES:,}: give size, or a cut with a smaller denominator"
            )
        return shares(
            (c + removed, removed, added)
            for removed, added in relation.moves
            for c in _shared(least, removed, added, period)
        )


def _shared(least: int, removed: int, added: int, many: int) -> range:
    """So many numbers of shared records, from the smallest that leaves both sizes large enough."""
    smallest = max(least - min(removed, added), 0)
    return range(smallest, smallest + many)


@dataclass(frozen=True)
class Range(LStatistic):
    """The highest record minus the lowest (thm-l-range)."""

    weights: Weights = HIGHEST_MINUS_LOWEST

    def words(self, norm: Norm) -> Words:
        return Words("l-range", {"any": ("R", "R"), "Change": ("R if n ≥ 2, else 0", "R")})

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return RangeOnPopulation(records)

    def shared(self, least: int, most: int) -> range:
        return range(most, most + 1)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """Where two records are on the higher side, and it has one of its own, the gap is R."""
        n = max(least, 2) + relation.k
        return shares((n, *move) for move in relation.moves)


@dataclass(frozen=True)
class InterquartileRange(LStatistic):
    """The upper quartile minus the lower (thm-l-quartiles)."""

    weights: Weights = BETWEEN_QUARTILES

    def words(self, norm: Norm) -> Words:
        least = "R·min(1, k·3/4)"
        change = ("R·max of e(n − j, j, j) over j ≤ k", "R")
        texts = _texts("e", least, change)
        texts["SymmetricDifference"] = (texts["SymmetricDifference"][0], least)
        where = PLACES + HIGHEST + "clip(t − (N − 1)/4) − clip(t − 3(N − 1)/4); clip cuts to [0, 1]"
        return Words("l-quartiles", texts, where=where)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        return _whole_quarters(relation, least)


@dataclass(frozen=True)
class Midhinge(LStatistic):
    """Half the sum of the quartiles (thm-l-quartiles)."""

    weights: Weights = MEAN_OF_QUARTILES

    among_records = True

    def words(self, norm: Norm) -> Words:
        change = "R·max of e(n − j, j, j) over j ≤ k", "R·max of E(j, j) over j ≤ k"
        where = (
            PLACES
            + SIZES
            + HIGHEST
            + "half of clip(t − (N − 1)/4) + clip(t − 3(N − 1)/4); clip cuts to [0, 1]"
        )
        return Words("l-quartiles", _texts("e", "R·max(E(0, k), E(k, 0))", change), where=where)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """The sizes at which both quartiles may move, and one with the most that one of them can."""
        for removed, added in relation.moves:
            few = max(least - min(removed, added), 0)
            for c in range(few, math.ceil((removed + added) / 2) + 3):
                yield c, removed, added, False
                yield c, added, removed, True
        yield from _whole_quarters(relation, least)


def _whole_quarters(relation: Relation, least: int) -> Iterator[Share]:
    """Every move at a size N of the higher side, large enough, whose (N − 1)/4 is whole."""
    whole = 1 + 4 * (-(-least // 4) + relation.k + 1)
    for removed, added in relation.moves:
        yield whole - removed, removed, added, False
        yield whole - added, added, removed, True


@dataclass(frozen=True)
class GiniMeanDifference(LStatistic):
    """The mean distance of two records (thm-l-gini)."""

    weights: Weights = OF_PAIRS

    falls = True

    def words(self, norm: Norm) -> Words:
        least = "R·max(e(m, 0, k), e(m, k, 0))"
        change = "R·max of e(n − j, j, j) over j ≤ k", "R·max of e(m − j, j, j) over j ≤ k"
        where = PLACES + SIZES + HIGHEST + "2t(N − t)/(N(N − 1))"
        return Words("l-gini", _texts("e", least, change), where=where)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        return Family.shares_from(self, relation, least)
