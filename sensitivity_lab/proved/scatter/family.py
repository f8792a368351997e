"""The variance and the standard deviation: what is proved of them, and where each proof stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sensitivity_lab.numbers.exact import Exact, RootGap
from sensitivity_lab.numbers.gap import Gap, Norm, rational
from sensitivity_lab.proved.at_distance import AtDistance, Bounded
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.pool import Pool
from sensitivity_lab.proved.scatter.one_dataset import Outermost, VarianceAtDistance
from sensitivity_lab.proved.scatter.population import OnPopulation
from sensitivity_lab.proved.scatter.values import (
    deviation_on_interval,
    half_and_half,
    variance_on_interval,
    variance_on_values,
)
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import D, Share, widest
from sensitivity_lab.relations import Move, Relation, SymmetricDifference
from sensitivity_lab.universe import Indices

CONDITIONS = "records take any real values from L to U; a grid may miss a mean that is needed"
LETTERS = "d is ddof; v(N) = i(N − i)/(N(N − d)), i = min(k, ⌊N/2⌋); "
HALVES = "s = ⌊c/2⌋⌈c/2⌉/c; D as proved"
ALL = "; h = ⌊m/2⌋⌈m/2⌉/(m(m − d))"  # the largest variance there is, over R²
LARGER = "the larger of Add(k)'s and Remove(k)'s"
ALL_MIXES = "the largest D(n − r, r, j), D(n − r, j, r) over r + j ≤ k"
FEWEST = "the largest D(max(0, m − b), a, b) over b ≤ a ≤ k − b"
SETTLED = (
    3  # up to this ddof SymmetricDifference(k) is known for at least m records (thm-sizes-mixed)
)


@dataclass(frozen=True)
class Variance(Family):
    """The sum of squared deviations over n − ddof."""

    ddof: int

    among_records = False
    asked_again = True
    root: ClassVar[bool] = False

    def words(self, norm: Norm) -> Words:
        steps = "R²·min(k·max(m/(m + 1), h)/(m + 1 − d), h)"
        mixed = self._mixed("R²·m·k/(m + k)² if k < m, else R²/4", steps)
        least = "R²·max(v(m + k), v(m + k + 1), w(m))"
        texts = {
            "Add": ("R²·max(v(n + k), w(n))", least),
            "Remove": ("R²·max(v(n), w(n − k))", least),
            "AddRemove": (LARGER, least),
            "SymmetricDifference": (ALL_MIXES, mixed),
            "Change": ("R²·v(n)", "R²·max(v(m), v(m + 1))"),
        }
        where = f"{LETTERS}w(c) = s/(c − d) − s/(c + k − d), {self._halves}"
        return Words("variance", texts, CONDITIONS, where)

    def _mixed(self, population: str, steps: str) -> str:
        """At most k added or removed, at least m records: by ddof 0, up to 3, and beyond."""
        alone = FEWEST.replace("largest ", "largest D(m, 0, 1), ")
        known = {0: population, 1: FEWEST, 2: FEWEST, SETTLED: alone}
        return known.get(self.ddof, steps)

    @property
    def _halves(self) -> str:
        return HALVES if self.ddof <= SETTLED else HALVES + ALL

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        return variance_on_interval(interval, self.ddof)

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        return variance_on_values(values, self.ddof, self.root)

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        return OnPopulation(records, self.ddof, self.root)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        neighbours = Outermost(pool, move)
        return neighbours.most(), neighbours.least()

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda dataset: VarianceAtDistance(dataset, self.ddof)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """With mixes up to ddof 3, as few shared records as can be, or one more (thm-sizes-mixed)."""
        if not self._mixes(relation) or self.ddof > SETTLED:
            yield from super().shares_from(relation, least)
            return
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
        all_of_it = interval.width**2 * half_and_half(least, self.ddof)
        return self._steps(relation.k, step.gap, all_of_it)

    def _steps(self, k: int, step: Gap, all_of_it: Fraction) -> Gap:
        return min(k * rational(step), all_of_it)


@dataclass(frozen=True)
class Deviation(Variance):
    """The root of the variance."""

    root = True
    among_records = True

    def words(self, norm: Norm) -> Words:
        steps = "R·min(k·max(√(m/((m + 1)·(m + 1 − d))), √h − √(h·(m − d)/(m + 1 − d))), √h)"
        mixed = self._mixed("R·√(m·k)/(m + k) if k < m, else R/2", steps)
        least = "R·max(√v(m + k), √v(m + k + 1), u(m))"
        texts = {
            "Add": ("R·max(√v(n + k), u(n))", least),
            "Remove": ("R·max(√v(n), u(n − k))", least),
            "AddRemove": (LARGER, least),
            "SymmetricDifference": (ALL_MIXES, mixed),
            "Change": ("R·√v(n)", "R·max(√v(m), √v(m + 1))"),
        }
        where = f"{LETTERS}u(c) = √(s/(c − d)) − √(s/(c + k − d)), {self._halves}"
        return Words("std", texts, CONDITIONS, where)

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        return deviation_on_interval(interval, self.ddof)

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return None

    def _steps(self, k: int, step: Gap, all_of_it: Fraction) -> Gap:
        assert isinstance(step, RootGap)
        stepped = RootGap(k**2 * step.larger, k**2 * step.smaller)
        return min(stepped, RootGap(all_of_it, 0))
