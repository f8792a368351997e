"""D(c, a, b) for variances and standard deviations on a population.

The lemmas on the book's page of proofs leave few layouts of C, A and B among the sorted records:
each part lies in a few runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import Gap, rational
from sensitivity_lab.proved.scatter.filtered_maximum import Centred, FilteredMaximum
from sensitivity_lab.proved.scatter.outermost import enter_outermost
from sensitivity_lab.proved.scatter.reach import Reaches
from sensitivity_lab.proved.scatter.runs import InRuns
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import Share, WorstPair

LEAST = 5e-324  # the smallest positive float: no gap that decides is narrower
LARGEST = 2**400  # squares of larger records leave the floats


class OnPopulation:
    """D(c, a, b) for the variance, or with `root` the standard deviation, with a given `ddof`."""

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.ddof, self.root = ddof, root
        self.centred = Centred.of(records)
        self.unit = records.scale**2  # of a variance
        # by the two sizes: the a and the reach of a share that no smaller a of them exceeds
        self.reached: dict[tuple[int, int], tuple[int, float]] = {}

    def reaches(self, asked: Sequence[Share]) -> Sequence[float]:
        """At least D for each of some shares (thm-reach). Cost: as `Reaches`."""
        if self.centred.largest > LARGEST:
            return [math.inf] * len(asked)
        reaches: list[float] = Reaches(self.centred, asked, self.ddof, self.root).all.tolist()
        return reaches

    def floor(self, gap: Gap) -> float:
        """A gap in the unit of the centred records, rounded down."""
        if isinstance(gap, RootGap):
            scaled: Gap = RootGap(gap.larger * self.unit, gap.smaller * self.unit)
        else:
            scaled = rational(gap) * self.unit
        return math.nextafter(float(scaled), -math.inf)

    def __call__(self, c: int, a: int, b: int, floor: float = -math.inf) -> WorstPair | None:
        """D(c, a, b) where it is positive and at least `floor`; None where there are too many layouts.

        Where it is not, what is returned is the gap of some layout, at most D: the problem's
        widest gap is at least 0, so such a share never decides it.
        """
        if self.centred.largest > LARGEST:
            return None
        floor = max(floor, LEAST)
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, root=self.root, floor=floor)
        either = self.root and 0 < a < b  # thm-mixes-std: of one kind or of the other, or neither
        if a < b:
            enter_outermost(maximum)
        runs = InRuns(maximum)
        if (either or (a >= b and self._may_reach(runs))) and not runs.enter():
            return None
        widest = maximum.widest()
        if either:
            known = max(floor, self.floor(widest.gap))
            bound = self._bound_of_neither(c, a, b, known)
            if bound > widest.gap:
                return replace(widest, gap=bound, attained=False)
        return widest

    def _may_reach(self, runs: InRuns) -> bool:
        """Whether a share with a ≥ b may reach the floor: less of it than another, it does not."""
        (c, a, b), floor = runs.maximum.share, runs.maximum.floor
        sizes = c + a, c + b
        larger, reach = self.reached.get(sizes, (0, math.inf))
        if a <= larger and reach < floor:
            return False
        reach = runs.windows.reach
        if reach < floor:
            self.reached[sizes] = a, reach
        return reach >= floor

    def _bound_of_neither(self, c: int, a: int, b: int, known: float) -> Gap:
        """What the standard deviation's gap is at most where no layout of either kind has it."""
        high, low = c + a, c + b
        if high == 1:
            return RootGap(0, 0)
        # thm-mixes-std: D² ≤ (1 − 1/u)·M, and M is the largest V_S − t·V_T,
        # with t = ψ(high)/ψ(low) and u = φ(high)/φ(low)
        t, u = (
            Fraction(
                (high - sign) * low * (low - self.ddof), (low - sign) * high * (high - self.ddof)
            )
            for sign in (1, -1)
        )
        floor = max(known, 0) ** 2 / float(1 - 1 / u) * (1 - 1e-9)
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, weight=t, floor=floor)
        enter_outermost(maximum)
        most = rational(maximum.widest().gap)
        return RootGap(max(most, 0) * (1 - 1 / u), 0)
