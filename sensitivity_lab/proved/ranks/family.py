"""What is proved of weighted sums of the sorted records: sum, mean, quantiles, and the range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.at_distance import AtDistance, Bounded, QuantileAtDistance, most_moved
from sensitivity_lab.proved.family import LARGEST_OF_TWO, Family, Interval, Words
from sensitivity_lab.proved.ranks.one_dataset import outermost, widest_and_narrowest
from sensitivity_lab.proved.ranks.population import widest_range, widest_shifted
from sensitivity_lab.proved.ranks.weights import OfMean, OfQuantile, OfRange, OfSum, Weights
from sensitivity_lab.proved.sorted_records import Pool, SortedRecords
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair, shares
from sensitivity_lab.relations import Move, Relation
from sensitivity_lab.universe import Indices


class AtEnds(Family):
    """Queries of numbers whose widest pairs lie at the two ends, whatever values are between."""

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        return self.on_interval(Interval(values[0], values[-1]), norm)


# --- no answer falls as a record rises: sums, means, quantiles -----------------------------------


class Monotone(AtEnds):
    """Weights of which none is negative: what only one side has lies at
    the two ends (thm-monotone)."""

    weights: Weights

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """Some p of the shared records are at the top, the others at the bottom (thm-endpoints)."""
        low, high = interval.low, interval.high

        def d(c: int, a: int, b: int) -> WorstPair:
            higher, lower = self.weights.steps(c + a), self.weights.steps(c + b)
            # what the highest weigh is a line in p but where a step ends: so some p there is best
            bends = {0, c, *(c - end for end in higher.ends), *(c + b - end for end in lower.ends)}

            def height(p: int) -> int:
                """How much more the p + a highest of the one side weigh than the p of the other."""
                return higher.highest(p + a) * lower.unit - lower.highest(p) * higher.unit

            p = max(sorted(p for p in bends if 0 <= p <= c), key=height)
            levels = higher.sums[-1] * lower.unit - lower.sums[-1] * higher.unit
            total = interval.width * height(p) + low * levels
            gap = Fraction(total, higher.unit * lower.unit)
            common = ((low, c - p), (high, p))
            return WorstPair.of_copies(gap, common, [(high, a)], [(low, b)])

        return d

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return lambda *share: widest_shifted(records, self.weights, share)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        return outermost(pool, move)


class Count(AtEnds):
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

    weights = OfSum()
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

    weights = OfMean()
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
        object.__setattr__(self, "weights", OfQuantile(self.q))

    def words(self, norm: Norm) -> Words:
        if self.q in (0, 1):
            return Words("quantile", {"any": ("R", "R")})
        least = "R·min(1, k·max(q, 1 − q))"
        texts = {
            "Add": ("R·max(g(n, 0, k), g(n, k, 0))", least),
            "Remove": ("R·max(g(n − k, 0, k), g(n − k, k, 0))", least),
            "AddRemove": (LARGEST_OF_TWO, least),
            "SymmetricDifference": (
                "R·max of g(n − r, r, j), g(n − r, j, r) over r + j ≤ k",
                least,
            ),
            "Change": ("R·max of g(n − j, j, j) over j ≤ k", "R"),
        }
        where = (
            "g(c, a, b) is the largest clip(t − l) − clip(t − l − δ) over whole l from 0 to c; "
            "t = q(c + a − 1) + 1; δ = qa + (1 − q)b; clip cuts to [0, 1]"
        )
        return Words("quantile", texts, where=where)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """One size that brings out every move's worst:
        q(N − 1) is whole for the higher side (thm-quantile)."""
        q = Fraction(self.q)
        room = (1 - q) * q.denominator or 1  # records above the quantile in each period
        periods = max(-(-(least + 2 * relation.k) // q.denominator), math.ceil(relation.k / room))
        size = 1 + q.denominator * periods
        for removed, added in relation.moves:
            yield size - removed, removed, added, False
            yield size - added, added, removed, True

    def shared(self, least: int, most: int) -> range:
        return range(max(least, most - Fraction(self.q).denominator + 1), most + 1)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda dataset: QuantileAtDistance(dataset, self.q)


# --- and one that may fall -----------------------------------------------------------------------


class Range(AtEnds):
    """The highest record minus the lowest (thm-l-range)."""

    weights = OfRange()
    among_records = False

    def words(self, norm: Norm) -> Words:
        return Words("l-range", {"any": ("R", "R"), "Change": ("R if n ≥ 2, else 0", "R")})

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """One of A is at the top, and every other record at the bottom."""
        low, high = interval.low, interval.high

        def d(c: int, a: int, b: int) -> WorstPair:
            top = min(a, 1)
            gap = interval.width if a and c + a > 1 else 0
            own = ((low, a - top), (high, top))
            return WorstPair.of_copies(gap, [(low, c)], own, [(low, b)])

        return d

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return lambda *share: widest_range(records, share)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        return widest_and_narrowest(pool, move)

    def shared(self, least: int, most: int) -> range:
        return range(most, most + 1)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """Where two records are on the higher side, and it has one of its own, the gap is R."""
        n = max(least, 2) + relation.k
        return shares((n, *move) for move in relation.moves)
