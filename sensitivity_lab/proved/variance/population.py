"""D(c, a, b) for variances and standard deviations on a population.

The lemmas on the book's page of proofs leave few places where the shared records C, the higher
side's A and the lower side's B can lie among the sorted records: each is made of a few runs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sensitivity_lab.exact import RootGap
from sensitivity_lab.gap import Gap, rational
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.variance.filtered_maximum import Contest, Spread
from sensitivity_lab.proved.variance.outermost import enter_outermost
from sensitivity_lab.proved.variance.runs import enter_runs
from sensitivity_lab.proved.worst_pair import WorstPair

LARGEST = 2**400  # squares of larger records leave the floats


class SpreadFinder:
    """D(c, a, b) for the variance (or its root) with a given `ddof`.

    >>> from sensitivity_lab.universe import Universe
    >>> records = SortedRecords.of(Universe.population([1, 2, 3, 10]))
    >>> SpreadFinder(records, ddof=0, root=False)(1, 1, 1).gap
    Fraction(20, 1)

    Proved, but for the standard deviation's 0 < a < b: there the gap may be a bound that no place
    is known to attain.
    Cost on m records: for a ≥ b, O(m·a + a³) and O(log m) for each place that may be widest (if
    b > c, O(m²·a)). For a < b ≤ c, O(m·a) and O(1) for each such place; there are O(m²·a), of
    which the bounds leave few.
    """

    def __init__(self, records: SortedRecords, ddof: int, root: bool) -> None:
        self.ddof, self.root = ddof, root
        self.spread = Spread.of(records)

    def __call__(self, c: int, a: int, b: int) -> WorstPair | None:
        """Return D(c, a, b) where it is positive; None where there are too many places.

        Where it is not, what is returned is the gap of some layout, at most D: the problem's
        widest gap is at least 0, so such a share never decides it.
        """
        if self.spread.largest > LARGEST:
            return None
        contest = Contest(self.spread, (c, a, b), self.ddof, root=self.root)
        either = self.root and 0 < a < b
        if a < b:
            enter_outermost(contest)
        if (a >= b or either) and not enter_runs(contest):
            return None
        found = contest.winner()
        if either and (bound := self._neither(c, a, b)) > found.gap:
            return replace(found, gap=bound, attained=False)
        return found

    def _neither(self, c: int, a: int, b: int) -> Gap:
        """The standard deviation's gap, at most, where neither place has it (thm-mixes-std)."""
        high, low = c + a, c + b
        if high == 1:
            return RootGap(0, 0)
        weight, most = (
            Fraction(
                (high - sign) * low * (low - self.ddof), (low - sign) * high * (high - self.ddof)
            )
            for sign in (1, -1)
        )
        contest = Contest(self.spread, (c, a, b), self.ddof, weight=weight)
        enter_outermost(contest)
        widest = rational(contest.winner().gap)
        return RootGap(max(widest, 0) * (1 - 1 / most), 0)
