"""The highest record minus the lowest, on a population (thm-l-range-population).

One side is a run of the records, as narrow as there is; the other has both ends of the population:

    A . . [ B B C C C C ] . . A        a ≥ 2: any run of C and B
    [ C C C C B B ] . . . . . A        a = 1: the lowest run, or the highest
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import WorstPair


class RangeOnPopulation:
    """D of the highest record minus the lowest."""

    def __init__(self, records: SortedRecords) -> None:
        self.records = records

    def __call__(self, c: int, a: int, b: int) -> WorstPair:
        """The widest pair of a share."""
        if a == 0:
            return self._with_none(c, b)
        if c == 0:
            return self._with_nothing_shared(a, b)
        return self._with_one(c, b) if a == 1 else self._with_both_ends(c, a, b)

    def _width(self, start: int, stop: int) -> int:
        return self.records[stop - 1] - self.records[start]

    def _widths(self, count: int) -> np.ndarray:
        """The widths of all runs of so many records: int64, or Python's ints where those wrap."""
        whole = self.records.whole
        x = whole.astype(np.int64 if self.records.largest < 2**62 else object)
        widths: np.ndarray = x[count - 1 :] - x[: len(x) - count + 1]
        return widths

    def _pair(self, gap: int, *parts: tuple[Run, ...]) -> WorstPair:
        common, removed, added = (tuple(run for run in part if run[0] < run[1]) for part in parts)
        value = Fraction(gap, self.records.scale)
        return WorstPair(value, common, removed, added, self.records)

    def _with_none(self, c: int, b: int) -> WorstPair:
        """C has both ends of the other side, if there are two."""
        if c >= 2 or b == 0:
            end = c + b
            return self._pair(0, ((0, c - 1), (end - 1, end)), (), ((c - 1, end - 1),))
        start = int(np.argmin(self._widths(1 + b)))
        stop = start + 1 + b
        return self._pair(
            -self._width(start, stop), ((start, start + 1),), (), ((start + 1, stop),)
        )

    def _with_nothing_shared(self, a: int, b: int) -> WorstPair:
        """B is a run, and A the lowest of the others with the highest."""
        m, widths = len(self.records), self._widths(b)
        gaps = -widths
        if a >= 2:  # only a run at an end takes that end from A
            held = np.full(len(widths), self._width(0, m), dtype=widths.dtype)
            held[0], held[-1] = self._width(b, m), self._width(0, m - b)
            gaps = held - widths
        start = int(np.argmax(gaps))
        run = start, start + b
        lowest = (0, 1) if start else (b, b + 1)
        own = (lowest, *self._highest(a - 1, run))
        return self._pair(int(gaps[start]), (), own, (run,))

    def _highest(self, count: int, run: Run) -> tuple[Run, ...]:
        """The highest so many records that are not in a run."""
        m = len(self.records)
        above = min(count, m - run[1])
        return (run[0] - (count - above), run[0]), (m - above, m)

    def _with_one(self, c: int, b: int) -> WorstPair:
        """The lowest records and the highest alone, or the highest and the lowest alone."""
        m, n = len(self.records), c + b
        up, down = self._width(n - 1, m), self._width(0, m - n + 1)
        if up >= down:
            return self._pair(up, ((0, c),), ((m - 1, m),), ((c, n),))
        return self._pair(down, ((m - c, m),), ((0, 1),), ((m - n, m - c),))

    def _with_both_ends(self, c: int, a: int, b: int) -> WorstPair:
        """C and B are the narrowest run; A has both ends, but one that C has."""
        m, n = len(self.records), c + b
        start = int(np.argmin(self._widths(n)))
        stop = start + n
        low = max(min(start, 1), a - (m - stop))
        shared, others = ((0, c), (c, n)) if start == 0 else ((stop - c, stop), (start, stop - c))
        gap = self._width(0, m) - self._width(start, stop)
        return self._pair(gap, (shared,), ((0, low), (m - (a - low), m)), (others,))
