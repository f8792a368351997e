"""The widest gap on a population of a query that weighs the sorted records by rank."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np

from sensitivity_beyond.proofs.sorted_records import SortedRecords
from sensitivity_lab.proved.ranks import Monotone
from sensitivity_lab.proved.worst_pair import Run, WorstPair

# --- sums, means, quantiles (thm-monotone) ---
#
# A is the top and B the bottom. The shared ranks weigh at most 0 up to a turn, then at least 0:
#
#     B B C C C . . . . C C A A


def widest_shifted(
    records: SortedRecords, family: Monotone, share: tuple[int, int, int]
) -> WorstPair:
    """The widest pair of a share: what the shared ranks weigh says how many of them are low."""
    (c, a, b), m = share, len(records)
    higher, lower = family.steps(c + a), family.steps(c + b)
    unit = math.lcm(higher.unit, lower.unit)
    high, low = unit // higher.unit, unit // lower.unit
    bends = {0, c, *higher.ends, *(end - b for end in lower.ends)}
    shared = [  # as that of S, minus that of T with all of B below
        (start, stop, higher.at(start) * high - lower.at(start + b) * low)
        for start, stop in pairwise(sorted(bend for bend in bends if 0 <= bend <= c))
    ]
    turn = next((start for start, _, weight in shared if weight > 0), c)
    top = m - a - c  # from a rank among the shared to its place next to A
    placed = ((start, stop, weight, b if start < turn else top) for start, stop, weight in shared)
    own = ((start, stop, weight * high, top) for start, stop, weight in higher.between(c, c + a))
    others = ((start, stop, -weight * low, 0) for start, stop, weight in lower.between(0, b))
    gap = sum(
        weight * records.total([(start + up, stop + up)])
        for start, stop, weight, up in chain(placed, own, others)
        if weight
    )
    common = (b, b + turn), (top + turn, m - a)
    return WorstPair(Fraction(gap, records.scale * unit), common, ((m - a, m),), ((0, b),), records)


# --- the highest minus the lowest (thm-l-range-population) ---
#
# One side is a run of the records, as narrow as there is;
# the other has both ends of the population:
#
#     A . . [ B B C C C C ] . . A        a ≥ 2: any run of C and B
#     [ C C C C B B ] . . . . . A        a = 1: the lowest run, or the highest


def widest_range(records: SortedRecords, share: tuple[int, int, int]) -> WorstPair:
    """The widest pair of a share where D is positive, else some pair.
    Cost: one pass over the records."""
    c, a, b = share
    start = _start(records, share) if a else 0
    stop = start + c + b
    if c and not start:
        shared, others, own = (0, c), (c, stop), _highest(a, (0, stop), len(records))
    else:
        shared, others = (stop - c, stop), (start, stop - c)
        lowest = (0, 1) if start else (stop, stop + 1)
        own = [lowest, *_highest(a - 1, (start, stop), len(records))]
    parts = [[run for run in part if run[0] < run[1]] for part in ([shared], own, [others])]
    common, removed, added = parts
    gap = _width(records, common + removed) - _width(records, common + added)
    return WorstPair(Fraction(gap, records.scale), common, removed, added, records)


def _width(records: SortedRecords, runs: list[Run]) -> int:
    return records[max(stop for _, stop in runs) - 1] - records[min(start for start, _ in runs)]


def _highest(count: int, run: Run, m: int) -> list[Run]:
    """The highest so many of m records that are not in a run."""
    above = min(count, m - run[1])
    return [(run[0] - (count - above), run[0]), (m - above, m)]


def _start(records: SortedRecords, share: tuple[int, int, int]) -> int:
    """Where the best run of C and B begins."""
    (c, a, b), m = share, len(records)
    n = c + b
    if a == 1 and c:
        up, down = records[m - 1] - records[n - 1], records[m - n] - records[0]
        return 0 if up >= down else m - n
    x = records.whole.astype(np.int64 if records.largest < 2**62 else object)  # no width wraps
    gaps: np.ndarray = x[: m - n + 1] - x[n - 1 :]
    if c == 0 and a > 1:  # only a run at an end takes that end from A
        gaps += records[m - 1] - records[0]
        gaps[0] -= records[b] - records[0]
        gaps[-1] -= records[m - 1] - records[m - b - 1]
    return int(np.argmax(gaps))
