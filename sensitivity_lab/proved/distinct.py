"""The number of different values: the a bring new ones (thm-count-distinct)."""

from __future__ import annotations

import math
from fractions import Fraction

from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.worst_pair import D, WorstPair


class Distinct(Family):
    """The number of different values."""

    falls = True
    at_ends = True
    among_records = False
    tells_apart = True

    def words(self, norm: Norm) -> Words:
        least = "min(k, v) if m = 0, else min(k, v − 1)"
        texts = {
            "Add": ("min(k, v) if n = 0, else min(k, v − 1)", least),
            "Remove": ("min(k, v) if k = n, else min(k, v − 1)", least),
            "AddRemove": ("min(k, v) if k = n or n = 0, else min(k, v − 1)", least),
            "SymmetricDifference": (
                "min(k, v − 1) if k < n; max(min(n, v), min(k, v − 1)) if k ≥ n > 0; "
                "min(k, v) if n = 0",
                least,
            ),
            "Change": ("0 if n = 0, else min(k, v − 1, n − 1)", "min(k, v − 1)"),
        }
        conditions = "the bounds hold v values; a real interval holds infinitely many"
        return Words("count-distinct", texts, conditions)

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        low, width = interval.low, Fraction(interval.width)
        values = interval.values if width else 1
        most = math.inf if values is None else values

        def d(c: int, a: int, b: int) -> WorstPair:
            # A has a new value each, while there are any; C, or else B, holds one already.
            gap = min(a, most - 1) if c else min(a, most) - (1 if b else 0)
            new = tuple((low + width * Fraction(i + 1, a), 1) for i in range(a))
            return WorstPair.of_copies(
                int(gap), ((low, c),), new, ((low, b),), shown=values is None
            )

        return d
