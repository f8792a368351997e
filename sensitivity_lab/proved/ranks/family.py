"""What is proved of weighted sums of the sorted records: sum, mean, quantiles, L-statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sensitivity_lab.numbers.errors import NotProved, TooLarge
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.at_distance import AtDistance, Bounded, QuantileAtDistance, most_moved
from sensitivity_lab.proved.family import LARGEST_OF_TWO, Family, Interval, Words
from sensitivity_lab.proved.ranks.one_dataset import neighbours, outermost
from sensitivity_lab.proved.ranks.population import MOST_KNOWN, RanksOnPopulation, widest_range
from sensitivity_lab.proved.ranks.weights import (
    Gini,
    Ones,
    Quantiles,
    Trimmed,
    Weights,
    Winsorised,
    widest_place,
)
from sensitivity_lab.proved.sorted_records import Pool, SortedRecords
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair, shares
from sensitivity_lab.relations import Move, Relation
from sensitivity_lab.universe import Indices

MOST_SIZES = 200_000  # shares that a smallest size may ask about
LOWER, UPPER, HALF = Fraction(1, 4), Fraction(3, 4), Fraction(1, 2)
ALL, ALL_ALIKE, OF_PAIRS = Ones(), Trimmed(0), Gini()
HIGHEST_MINUS_LOWEST = Quantiles(((1, 1), (0, -1)))
BETWEEN_QUARTILES = Quantiles(((UPPER, 1), (LOWER, -1)))
MEAN_OF_QUARTILES = Quantiles(((LOWER, HALF), (UPPER, HALF)))
CLIP = "; clip cuts to [0, 1]"
PLACES = (
    "e(c, a, b) is the largest W(c + a, p + i) − W(c + b, p + j) over whole "
    "p from 0 to c, i from 0 to a and j from 0 to b; "
)
HIGHEST = "W(N, t), what the t highest of N records weigh, is "
SIZES = "E(a, b) is the largest e(c, a, b) over whole c with both sizes at least m; "


class LStatistic(Family):
    """A weighted sum of the sorted records."""

    weights: Weights

    among_records = False

    def words(self, norm: Norm) -> Words:
        texts = {
            "Add": "max(D(n, 0, k), D(n, k, 0))",
            "Remove": "max(D(n − k, 0, k), D(n − k, k, 0))",
            "AddRemove": LARGEST_OF_TWO,
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
            gap = Fraction(interval.width * height + low * levels, higher.unit * lower.unit)
            tops = ((c, p), (a, t - p), (b, s - p))
            common, removed, added = (((low, many - top), (high, top)) for many, top in tops)
            return WorstPair.of_copies(gap, common, removed, added)

        return d

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        return self.on_interval(Interval(values[0], values[-1]), norm)

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return RanksOnPopulation(records, self.weights)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        """The neighbours with the largest and the least answer, one of which lies furthest."""
        removed, added = move
        return neighbours(pool, move, self.weights.steps(len(pool.own) - removed + added))

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        raise NotProved(
            "min_size must be None for this query, of which no proof says which sizes are enough: "
            "give size, a number or a range"
        )


@dataclass(frozen=True)
class OwnWeights(LStatistic):
    """Weights that a caller gives, of which no more is known."""

    weights: Weights


def _texts(
    known: str,
    least: str,
    change: tuple[str, str],
    mixed: str = "R·max of E(r, j), E(j, r) over r + j ≤ k",
) -> dict[str, tuple[str, str]]:
    """The formulas of a query whose weights have one sum at every size, and known shares."""
    return {
        "Add": (f"R·max({known}(n, 0, k), {known}(n, k, 0))", least),
        "Remove": (f"R·max({known}(n − k, 0, k), {known}(n − k, k, 0))", least),
        "AddRemove": (LARGEST_OF_TWO, least),
        "SymmetricDifference": (
            f"R·max of {known}(n − r, r, j), {known}(n − r, j, r) over r + j ≤ k",
            mixed,
        ),
        "Change": change,
    }


# --- no answer falls as a record rises: sums, means, quantiles -----------------------------------


class Monotone(LStatistic):
    """Weights of which none is negative, and cheap: what only one side has lies at the two ends (thm-monotone)."""

    among_records = True

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        d = RanksOnPopulation(records, self.weights)
        return d.__call__  # which never asks what it may cost

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        return Family.shares_from(self, relation, least)


class Count(Family):
    """The difference of the sizes (thm-count)."""

    falls = True
    at_ends = True
    among_records = False
    adds = "one"
    of_anything = True

    def words(self, norm: Norm) -> Words:
        return Words("count", {"any": ("k", "k"), "Change": ("0", "0")}, conditions="none")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        low = interval.low
        return lambda c, a, b: WorstPair.of_copies(abs(a - b), *(((low, n),) for n in (c, a, b)))

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        return self.on_interval(Interval(values[0], values[-1]), norm)

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        def d(c: int, a: int, b: int) -> WorstPair:
            m = len(records)
            return WorstPair(abs(a - b), ((b, b + c),), ((m - a, m),), ((0, b),), records)

        return d

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        return outermost(pool, move)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        """The size never changes."""
        return lambda of: AtDistance(of, lambda t: of.moved(0, (0, 0), (), into=0))


class Sum(Monotone):
    """All a at the top, all b at the bottom; the shared records cancel (thm-sum)."""

    weights = ALL
    falls = True
    at_ends = True
    adds = "number"

    def words(self, norm: Norm) -> Words:
        unbounded = ("k·max(|L|, |U|)", "k·max(|L|, |U|)")
        return Words("sum", {"any": unbounded, "Change": ("min(k, n)·R", "k·R")})

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda of: AtDistance(of, lambda t: most_moved(of, t, divisor=1))


class Mean(Monotone):
    """The shared records weigh 1/(c + a) − 1/(c + b): high if a < b, else low (thm-mean)."""

    weights = ALL_ALIKE
    falls = True
    at_ends = True

    def words(self, norm: Norm) -> Words:
        least = "k·R/(m + k)"
        mixed = "R·max(k/(m + k), ⌈k/2⌉/(max(0, m − ⌊k/2⌋) + ⌈k/2⌉))"
        texts = {
            "Add": ("k·R/(n + k)", least),
            "Remove": ("k·R/n", least),
            "AddRemove": ("k·R/n if k < n, else k·R/(n + k)", least),
            "SymmetricDifference": (
                "k·R/n if k < n; R·max((n − 1)/n, 1/2) if k = n; R if k > n",
                mixed,
            ),
            "Change": ("min(k, n)·R/n", "min(k, m)·R/m"),
        }
        return Words("mean", texts)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda of: AtDistance(of, lambda t: most_moved(of, t, divisor=len(of)))


@dataclass(frozen=True)
class Quantile(Monotone):
    """The q-quantile with linear interpolation (thm-quantile); min and max are those of 0 and 1."""

    q: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Quantiles(((self.q, 1),)))

    def words(self, norm: Norm) -> Words:
        if self.q in (0, 1):
            return Words("quantile", {"any": ("R", "R")})
        least = "R·min(1, k·max(q, 1 − q))"
        texts = _texts("g", least, ("R·max of g(n − j, j, j) over j ≤ k", "R"), mixed=least)
        where = (
            "g(c, a, b) is the largest clip(t − l) − clip(t − l − δ) over whole l from 0 to c; "
            "t = q(c + a − 1) + 1; δ = qa + (1 − q)b"
        )
        return Words("quantile", texts, where=where + CLIP)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """One size that brings out every move's worst: q(N − 1) is whole for the higher side (thm-quantile)."""
        q = Fraction(self.q)
        room = (1 - q) * q.denominator or 1  # records above the quantile in each period
        periods = max(-(-(least + 2 * relation.k) // q.denominator), math.ceil(relation.k / room))
        return _both_ways(relation, 1 + q.denominator * periods)

    def shared(self, least: int, most: int) -> range:
        return range(max(least, most - Fraction(self.q).denominator + 1), most + 1)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda dataset: QuantileAtDistance(dataset, self.q)


def _both_ways(relation: Relation, size: int) -> Iterator[Share]:
    """Every move, with a size of the higher side."""
    for removed, added in relation.moves:
        yield size - removed, removed, added, False
        yield size - added, added, removed, True


@dataclass(frozen=True)
class Central(LStatistic):
    """The trimmed and the winsorised mean: two places decide (thm-l-central)."""

    weights: Trimmed | Winsorised

    among_records = True

    def words(self, norm: Norm) -> Words:
        where = (
            "e(c, a, b) is the larger of W(c + a, a + g(c + b)) and W(c + b, b + g(c + a)); "
            f"{SIZES}g(N) = ⌊{self.weights.cut}·N⌋; W(N, t) is {self.weights.text}"
        )
        texts = _texts("e", "R·max(E(0, k), E(k, 0))", self.weights.changed)
        return Words("l-central", texts, where=where)

    def shared(self, least: int, most: int) -> range:
        return range(least, min(most, least + Fraction(self.weights.cut).denominator - 1) + 1)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """As many sizes in a row as the cut's denominator has a widest gap among them."""
        period = Fraction(self.weights.cut).denominator
        if period * len(relation.moves) > MOST_SIZES:
            raise TooLarge(
                f"min_size asks about {period:,} sizes of {len(relation.moves):,} moves for this "
                f"cut, more than {MOST_SIZES:,}: give size, or a cut with a smaller denominator"
            )
        smallest = {move: max(least - min(move), 0) for move in relation.moves}
        sizes = {move: range(few, few + period) for move, few in smallest.items()}
        return shares((c + move[0], *move) for move, shared in sizes.items() for c in shared)


# --- the others ----------------------------------------------------------------------------------


class Range(LStatistic):
    """The highest record minus the lowest (thm-l-range)."""

    weights = HIGHEST_MINUS_LOWEST

    def words(self, norm: Norm) -> Words:
        return Words("l-range", {"any": ("R", "R"), "Change": ("R if n ≥ 2, else 0", "R")})

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return lambda *share: widest_range(records, share)

    def shared(self, least: int, most: int) -> range:
        return range(most, most + 1)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """Where two records are on the higher side, and it has one of its own, the gap is R."""
        n = max(least, 2) + relation.k
        return shares((n, *move) for move in relation.moves)


class InterquartileRange(LStatistic):
    """The upper quartile minus the lower (thm-l-quartiles)."""

    weights = BETWEEN_QUARTILES

    def words(self, norm: Norm) -> Words:
        least = "R·min(1, k·3/4)"
        texts = _texts("e", least, ("R·max of e(n − j, j, j) over j ≤ k", "R"), mixed=least)
        where = f"{PLACES}{HIGHEST}clip(t − (N − 1)/4) − clip(t − 3(N − 1)/4){CLIP}"
        return Words("l-quartiles", texts, where=where)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        return _of_whole_quarters(relation, least)


def _of_whole_quarters(relation: Relation, least: int) -> Iterator[Share]:
    """A size N, large enough, whose (N − 1)/4 is whole."""
    return _both_ways(relation, 1 + 4 * (-(-least // 4) + relation.k + 1))


class Midhinge(LStatistic):
    """Half the sum of the quartiles (thm-l-quartiles)."""

    weights = MEAN_OF_QUARTILES
    among_records = True

    def words(self, norm: Norm) -> Words:
        change = "R·max of e(n − j, j, j) over j ≤ k", "R·max of E(j, j) over j ≤ k"
        texts = _texts("e", "R·max(E(0, k), E(k, 0))", change)
        where = f"{PLACES}{SIZES}{HIGHEST}half of clip(t − (N − 1)/4) + clip(t − 3(N − 1)/4){CLIP}"
        return Words("l-quartiles", texts, where=where)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """The sizes at which both quartiles may move, and one with the most that one of them can."""
        for removed, added in relation.moves:
            few = max(least - min(removed, added), 0)
            for c in range(few, math.ceil((removed + added) / 2) + 3):
                yield c, removed, added, False
                yield c, added, removed, True
        yield from _of_whole_quarters(relation, least)


class GiniMeanDifference(LStatistic):
    """The mean distance of two records (thm-l-gini)."""

    weights = OF_PAIRS
    falls = True

    def words(self, norm: Norm) -> Words:
        change = "R·max of e(n − j, j, j) over j ≤ k", "R·max of e(m − j, j, j) over j ≤ k"
        texts = _texts("e", "R·max(e(m, 0, k), e(m, k, 0))", change)
        return Words("l-gini", texts, where=f"{PLACES}{SIZES}{HIGHEST}2t(N − t)/(N(N − 1))")

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        return Family.shares_from(self, relation, least)
