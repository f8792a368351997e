"""D(c, a, b) for variances and standard deviations on a population.

The lemmas on the book's page of proofs leave few layouts of C, A and B among the sorted records:
each part lies in a few runs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sensitivity_lab.exact import RootGap
from sensitivity_lab.gap import Gap, rational
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.variance.filtered_maximum import Centred, FilteredMaximum
from sensitivity_lab.proved.variance.outermost import enter_outermost
from sensitivity_lab.proved.variance.runs import enter_runs
from sensitivity_lab.proved.worst_pair import WorstPair

LARGEST = 2**400  # squares of larger records leave the floats


class OnPopulation:
    """D(c, a, b) for the variance, or with `root` the standard deviation, with a given `ddof`.

    >>> from sensitivity_lab.universe import Universe
    >>> records = SortedRecords.of(Universe.population([1, 2, 3, 10]))
    >>> OnPopulation(records, ddof=0, root=False)(1, 1, 1).gap
    Fraction(20, 1)

    Proved, but for the standard deviation's 0 < a < b: there the gap may be a bound that no layout
    is known to attain.
    Cost on m records: for a ≥ b, O(m·a + a³) and O(log m) for each layout that may be widest (if
    b > c, O(m²·a)). For a < b ≤ c, O(m·a) and O(1) for each such layout; there are O(m²·a), of
    which the bounds leave few.
    """

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.ddof, self.root = ddof, root
        self.centred = Centred.of(records)

    def __call__(self, c: int, a: int, b: int) -> WorstPair | None:
        """D(c, a, b) where it is positive; None where there are too many layouts.

        Where it is not, what is returned is the gap of some layout, at most D: the problem's
        widest gap is at least 0, so such a share never decides it.
        """
        if self.centred.largest > LARGEST:
            return None
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, root=self.root)
        either = self.root and 0 < a < b  # thm-mixes-std: of one kind or of the other, or neither
        if a < b:
            enter_outermost(maximum)
        if (a >= b or either) and not enter_runs(maximum):
            return None
        widest = maximum.widest()
        if either and (bound := self._bound_of_neither(c, a, b)) > widest.gap:
            return replace(widest, gap=bound, attained=False)
        return widest

    def _bound_of_neither(self, c: int, a: int, b: int) -> Gap:
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
        maximum = FilteredMaximum(self.centred, (c, a, b), self.ddof, weight=t)
        enter_outermost(maximum)
        most = rational(maximum.widest().gap)
        return RootGap(max(most, 0) * (1 - 1 / u), 0)
