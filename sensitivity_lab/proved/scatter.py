"""The variance and the standard deviation: what is proved of them on an interval.

There thm-variance and thm-std say which pair is the widest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import Gap, Norm, rational
from sensitivity_lab.proved.family import LARGEST_OF_TWO, Family, Interval, Words
from sensitivity_lab.proved.worst_pair import D, Share, WorstPair, widest
from sensitivity_lab.relations import Relation, SymmetricDifference

CONDITIONS = "records take any real values from L to U; a grid may miss a mean that is needed"
LETTERS = "d is ddof; v(N) = i(N − i)/(N(N − d)), i = min(k, ⌊N/2⌋); "
HALVES = "s = ⌊c/2⌋⌈c/2⌉/c; D as proved"
ALL = "; h = ⌊m/2⌋⌈m/2⌉/(m(m − d))"  # the largest variance there is, over R²
ALL_MIXES = "the largest D(n − r, r, j), D(n − r, j, r) over r + j ≤ k"
FEWEST = "the largest D(max(0, m − b), a, b) over b ≤ a ≤ k − b"
# of the variance, and of its root
POPULATION_MIX = "R²·m·k/(m + k)² if k < m, else R²/4", "R·√(m·k)/(m + k) if k < m, else R/2"
STEPS = (
    "R²·min(k·max(m/(m + 1), h)/(m + 1 − d), h)",
    "R·min(k·max(√(m/((m + 1)·(m + 1 − d))), √h − √(h·(m − d)/(m + 1 − d))), √h)",
)
# up to this ddof SymmetricDifference(k) is known for at least m records (thm-sizes-mixed)
SETTLED = 3


@dataclass(frozen=True)
class Variance(Family):
    """The sum of squared deviations over n − ddof."""

    ddof: int

    among_records = False
    asked_again = True
    root: ClassVar[bool] = False

    def words(self, norm: Norm) -> Words:
        R, v, w = ("R", "√v", "u") if self.root else ("R²", "v", "w")
        least = f"{R}·max({v}(m + k), {v}(m + k + 1), {w}(m))"
        texts = {
            "Add": (f"{R}·max({v}(n + k), {w}(n))", least),
            "Remove": (f"{R}·max({v}(n), {w}(n − k))", least),
            "AddRemove": (LARGEST_OF_TWO, least),
            "SymmetricDifference": (ALL_MIXES, self._mixed),
            "Change": (f"{R}·{v}(n)", f"{R}·max({v}(m), {v}(m + 1))"),
        }
        step = "√(s/(c − d)) − √(s/(c + k − d))" if self.root else "s/(c − d) − s/(c + k − d)"
        halves = HALVES if self.ddof <= SETTLED else HALVES + ALL
        where = f"{LETTERS}{w}(c) = {step}, {halves}"
        return Words("std" if self.root else "variance", texts, CONDITIONS, where)

    @property
    def _mixed(self) -> str:
        """At most k added or removed, at least m records: by ddof 0, up to 3, and beyond."""
        if self.ddof == 0:
            return POPULATION_MIX[self.root]
        if self.ddof > SETTLED:
            return STEPS[self.root]
        return FEWEST if self.ddof < SETTLED else FEWEST.replace("largest ", "largest D(m, 0, 1), ")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """The lower side is constant (a ≥ b), or its own records sit at the shared mean."""
        low, high, width = interval.low, interval.high, Fraction(interval.width)

        def d(c: int, a: int, b: int) -> WorstPair:
            if a >= b:
                # The lower side is constant; the other has half of its records at either end.
                i = min(a, (c + a) // 2)
                gap = width**2 * Fraction(i * (c + a - i), (c + a) * (c + a - self.ddof))
                own = ((high, i), (low, a - i))
                return WorstPair.of_copies(gap, ((low, c),), own, ((low, b),))
            gap, i, j = max(_with_b_at_the_mean(c, a, b, self.ddof))
            mean = low + width * Fraction(j, c) if c else low
            common, own = ((high, j), (low, c - j)), ((high, i), (low, a - i))
            return WorstPair.of_copies(width**2 * gap, common, own, ((mean, b),))

        return d

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """With mixes, as few shared records as can be, or one more (thm-sizes-mixed)."""
        if not self._mixes(relation) or self.ddof > SETTLED:
            yield from super().shares_from(relation, least)
            return
        # Of each a the most b that the relation leaves, at the two smallest sizes.
        for a in range(1, relation.k + 1):
            b = min(a, relation.k - a)
            for c in (max(0, least - b), max(0, least - b) + 1):
                yield c, a, b, False

    def _mixes(self, relation: Relation) -> bool:
        return isinstance(relation, SymmetricDifference) and relation.k > 1

    def bound_from(self, interval: Interval, relation: Relation, least: int) -> Gap | None:
        """k single steps, adding first, stay within the sizes: at most k times one (thm-steps)."""
        if not self._mixes(relation) or self.ddof <= SETTLED:
            return None
        one_step = self.on_interval(interval, 1)
        step = widest(one_step, self.shares_from(SymmetricDifference(1), least))
        assert step
        # The largest variance there is: half of the fewest records at either end.
        half = Fraction((least // 2) * (least - least // 2), least * (least - self.ddof))
        all_of_it = interval.width**2 * half
        return self._steps(relation.k, step.gap, all_of_it)

    def _steps(self, k: int, step: Gap, all_of_it: Fraction) -> Gap:
        return min(k * rational(step), all_of_it)


class Deviation(Variance):
    """The root of the variance."""

    root = True
    among_records = True

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """The variance's root, if the lower side is constant or has all the extra (thm-std)."""
        low, high, width = interval.low, interval.high, Fraction(interval.width)
        variance = super().on_interval(interval, norm)

        def d(c: int, a: int, b: int) -> WorstPair:
            # The lower side has all the extra: half of C at either end, B in the middle.
            if a == 0 and b > 0:
                half = c // 2
                squares = Fraction(half * (c - half), c) * width**2
                gap = RootGap(squares / (c - self.ddof), squares / (c + b - self.ddof))
                middle = low + width * Fraction(half, c)
                common = ((high, half), (low, c - half))
                return WorstPair.of_copies(gap, common, (), ((middle, b),))
            of_variance = variance(c, a, b)
            assert of_variance
            shared = {value for value, times in of_variance.common if times}
            constant = a >= b or len(shared) < 2  # then the lower side does not vary at all
            gap = RootGap(rational(of_variance.gap), 0)
            return replace(of_variance, gap=gap, attained=constant)

        return d

    def _steps(self, k: int, step: Gap, all_of_it: Fraction) -> Gap:
        assert isinstance(step, RootGap)
        stepped = RootGap(k**2 * step.larger, k**2 * step.smaller)
        return min(stepped, RootGap(all_of_it, 0))


def _with_b_at_the_mean(c: int, a: int, b: int, ddof: int) -> Iterator[tuple[Fraction, int, int]]:
    """On [0, 1] with a < b: gaps for i of the a, and j of the c, at 1, the rest at 0."""
    upper, lower = (c + a) * (c + a - ddof), c * (c + b - ddof)
    for i in range(a + 1):
        ends = {0, c}
        curvature = Fraction(1, lower) - Fraction(1, upper) if c else Fraction(0)
        # As a function of j the gap bends down: its vertex may lie between the ends.
        if curvature < 0:
            slope = Fraction(c + a - 2 * i, upper) - Fraction(c, lower)
            vertex = math.floor(-slope / (2 * curvature))
            ends |= {min(max(vertex + step, 0), c) for step in (0, 1)}
        for j in ends:
            lower_variance = Fraction(j * (c - j), lower) if c else Fraction(0)
            yield Fraction((i + j) * (c + a - i - j), upper) - lower_variance, i, j
