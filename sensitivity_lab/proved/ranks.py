"""What is proved of weighted sums of the sorted records: sum, mean, quantiles, and the range."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import LARGEST_OF_TWO, Family, Interval, Words
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair, shares
from sensitivity_lab.relations import Relation

# -- what each of n sorted records weighs, by its rank --

Step = tuple[int, int, int]  # ranks from start to stop − 1, and what each weighs


@dataclass(frozen=True)
class Steps:
    """The weights of n ranks, lowest first: whole numbers over `unit`, up to the ranks `ends`."""

    ends: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int

    @classmethod
    def of(cls, blocks: Iterable[tuple[Exact, int]]) -> Steps:
        """Steps of some weights, each of so many ranks in a row."""
        held = [(weight, count) for weight, count in blocks if count]
        unit = math.lcm(*(weight.denominator for weight, _ in held))
        ends = tuple(accumulate(count for _, count in held))
        return cls(ends, tuple(int(weight * unit) for weight, _ in held), unit)

    @cached_property
    def magnitude(self) -> int:
        """The sum of the weights' magnitudes, times `unit`."""
        return sum(abs(weight) * (stop - start) for start, stop, weight in self)

    @cached_property
    def sums(self) -> tuple[int, ...]:
        """What all ranks below each step weigh, and last all there are, times `unit`."""
        return (0, *accumulate(weight * (stop - start) for start, stop, weight in self))

    def __iter__(self) -> Iterator[Step]:
        return zip((0, *self.ends[:-1]), self.ends, self.weights, strict=True)

    def between(self, start: int, stop: int) -> Iterator[Step]:
        """The steps of the ranks from start to stop − 1."""
        i = bisect_right(self.ends, start)
        while start < stop:
            end = min(self.ends[i], stop)
            yield start, end, self.weights[i]
            start, i = end, i + 1

    def at(self, rank: int) -> int:
        """The weight of a rank, from 0, times `unit`."""
        return self.weights[bisect_right(self.ends, rank)]

    def highest(self, t: int) -> int:
        """What the t highest ranks weigh, times `unit`."""
        rank = self.ends[-1] - t
        i = bisect_left(self.ends, rank)
        return self.sums[-1] - self.sums[i + 1] + (self.ends[i] - rank) * self.weights[i]

    def listed(self) -> np.ndarray:
        """Every rank's weight times `unit`, as Python's ints."""
        return np.repeat(np.array(self.weights, dtype=object), np.diff(self.ends, prepend=0))


# -- what is proved --


class AtEnds(Family):
    """Queries of numbers whose widest pairs lie at the two ends, whatever values are between."""


# --- no answer falls as a record rises: sums, means, quantiles ---


class Monotone(AtEnds):
    """No weight is negative: what only one side has lies at the ends (thm-monotone)."""

    @abstractmethod
    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """Some p of the shared records are at the top, the others at the bottom (thm-endpoints)."""
        low, high = interval.low, interval.high
        steps = lru_cache(8)(self.steps)  # shares next to each other ask about equal sizes

        def d(c: int, a: int, b: int) -> WorstPair:
            higher, lower = steps(c + a), steps(c + b)
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


class Sum(Monotone):
    """All a at the top, all b at the bottom; the shared records cancel (thm-sum)."""

    falls = True
    at_ends = True
    adds = "number"

    def steps(self, n: int) -> Steps:
        return Steps((n,), (1,), 1)

    def words(self, norm: Norm) -> Words:
        unbounded = ("k·max(|L|, |U|)", "k·max(|L|, |U|)")
        return Words("sum", {"any": unbounded, "Change": ("min(k, n)·R", "k·R")})


class Mean(Monotone):
    """The shared records weigh 1/(c + a) − 1/(c + b): high if a < b, else low (thm-mean)."""

    falls = True
    at_ends = True

    def steps(self, n: int) -> Steps:
        return Steps((n,), (1,), n)

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


@dataclass(frozen=True)
class Quantile(Monotone):
    """The q-quantile with linear interpolation (thm-quantile); min and max are those of 0 and 1."""

    q: Exact

    def steps(self, n: int) -> Steps:
        # The rank at q(n − 1) is read, or the two next to it.
        position = self.q * (n - 1)
        lower = position // 1
        upper = position - lower
        read = 2 if upper else 1
        pair = ((1 - upper, 1), (upper, read - 1))
        return Steps.of([(0, lower), *pair, (0, n - lower - read)])

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
        """One size for every move: q(N − 1) is whole for the higher side (thm-quantile)."""
        # The gap depends on the size by the fraction of q(N − 1) alone, which has a period.
        q = Fraction(self.q)
        room = (1 - q) * q.denominator or 1  # records above the quantile in each period
        periods = max(-(-(least + 2 * relation.k) // q.denominator), math.ceil(relation.k / room))
        size = 1 + q.denominator * periods
        for removed, added in relation.moves:
            yield size - removed, removed, added, False
            yield size - added, added, removed, True

    def shared(self, least: int, most: int) -> range:
        return range(max(least, most - Fraction(self.q).denominator + 1), most + 1)


# --- and one that may fall ---


class Range(AtEnds):
    """The highest record minus the lowest (thm-l-range)."""

    among_records = False

    def steps(self, n: int) -> Steps:
        """1 for the highest record, −1 for the lowest."""
        return Steps.of([(-1, 1), (0, n - 2), (1, 1)] if n > 1 else [(0, 1)])

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

    def shared(self, least: int, most: int) -> range:
        return range(most, most + 1)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """Where two records are on the higher side, and it has one of its own, the gap is R."""
        n = max(least, 2) + relation.k
        return shares((n, *move) for move in relation.moves)
