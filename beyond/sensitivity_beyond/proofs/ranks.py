"""Sums, means, quantiles and the range, which weigh the sorted records by rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, pairwise, product

import numpy as np

from sensitivity_beyond.proofs.at_distance import (
    AtDistance,
    Bounded,
    QuantileAtDistance,
    most_moved,
)
from sensitivity_beyond.proofs.routes import at_distance, on_dataset, on_population, on_values
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords, joined
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import Interval
from sensitivity_lab.proved.ranks import AtEnds, Count, Mean, Monotone, Quantile, Range, Sum
from sensitivity_lab.proved.worst_pair import D, Run, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


@on_values.register
def _(family: AtEnds, values: Sequence[Exact], norm: Norm) -> D | None:
    return family.on_interval(Interval(values[0], values[-1]), norm)


@on_population.register
def _(family: Count, records: SortedRecords, norm: Norm) -> D | None:
    def d(c: int, a: int, b: int) -> WorstPair:
        m = len(records)
        return WorstPair(abs(a - b), ((b, b + c),), ((m - a, m),), ((0, b),), records)

    return d


# --- sums, means, quantiles (thm-monotone) ---
#
# A is the top and B the bottom. The shared ranks weigh at most 0 up to a turn, then at least 0:
#
#     B B C C C . . . . C C A A


@on_population.register
def _(family: Monotone, records: SortedRecords, norm: Norm) -> D | None:
    # What the shared ranks weigh says how many of them are low.
    def d(c: int, a: int, b: int) -> WorstPair:
        m, higher, lower = len(records), family.steps(c + a), family.steps(c + b)
        unit = math.lcm(higher.unit, lower.unit)
        high, low = unit // higher.unit, unit // lower.unit
        bends = {0, c, *higher.ends, *(end - b for end in lower.ends)}
        shared = [  # as that of S, minus that of T with all of B below
            (start, stop, higher.at(start) * high - lower.at(start + b) * low)
            for start, stop in pairwise(sorted(bend for bend in bends if 0 <= bend <= c))
        ]
        turn = next((start for start, _, weight in shared if weight > 0), c)
        top = m - a - c  # from a rank among the shared to its place next to A
        placed = (
            (start, stop, weight, b if start < turn else top) for start, stop, weight in shared
        )
        own = (
            (start, stop, weight * high, top) for start, stop, weight in higher.between(c, c + a)
        )
        others = ((start, stop, -weight * low, 0) for start, stop, weight in lower.between(0, b))
        gap = sum(
            weight * records.total([(start + up, stop + up)])
            for start, stop, weight, up in chain(placed, own, others)
            if weight
        )
        common = (b, b + turn), (top + turn, m - a)
        return WorstPair(
            Fraction(gap, records.scale * unit), common, ((m - a, m),), ((0, b),), records
        )

    return d


# --- the highest minus the lowest (thm-l-range-population) ---
#
# One side is a run of the records, as narrow as there is;
# the other has both ends of the population:
#
#     A . . [ B B C C C C ] . . A        a ≥ 2: any run of C and B
#     [ C C C C B B ] . . . . . A        a = 1: the lowest run, or the highest


@on_population.register
def _(family: Range, records: SortedRecords, norm: Norm) -> D | None:
    # Where D is positive its widest pair, else some pair. Cost: one pass over the records.
    def d(c: int, a: int, b: int) -> WorstPair:
        start = _start(records, c, a, b) if a else 0
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

    return d


def _width(records: SortedRecords, runs: list[Run]) -> int:
    return records[max(stop for _, stop in runs) - 1] - records[min(start for start, _ in runs)]


def _highest(count: int, run: Run, m: int) -> list[Run]:
    """The highest so many of m records that are not in a run."""
    above = min(count, m - run[1])
    return [(run[0] - (count - above), run[0]), (m - above, m)]


def _start(records: SortedRecords, c: int, a: int, b: int) -> int:
    """Where the best run of C and B begins."""
    m, n = len(records), c + b
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


# --- near one dataset ---


@on_dataset.register(Count)
@on_dataset.register(Monotone)
def outermost(
    family: Count | Monotone | Range, pool: Pool, move: Move, norm: Norm
) -> tuple[Indices, Indices]:
    """The lowest of its records leave and the highest spare ones join, and the other way."""
    (removed, added), n, m = move, len(pool.own), len(pool.spare)
    highest = joined(pool.own[removed:], pool.spare[m - added :])
    return highest, joined(pool.own[: n - removed], pool.spare[:added])


@on_dataset.register
def widest_and_narrowest(
    family: Range, pool: Pool, move: Move, norm: Norm
) -> tuple[Indices, Indices]:
    """The neighbours with the largest and the least range (thm-local-range)."""
    removed, added = move
    kept = len(pool.own) - removed
    if kept + added < 2:  # whose range is 0, whichever record it is
        return outermost(family, pool, move, norm)
    x = pool.universe.scaled[0].astype(object)
    # of equal ones that whose highest change is the lowest: so the lowest leave and join
    return _widest(pool, move, x), _narrowest(pool, kept, added, x)


def _widest(pool: Pool, move: Move, x: np.ndarray) -> Indices:
    """Either the lowest leave or the lowest stays; either the lowest join or also the highest."""
    (removed, added), own, spare = move, pool.own, pool.spare
    stay, join = [own[removed:]], [spare[:added]]
    if removed < len(own):
        stay.append(np.append(own[0], own[removed + 1 :]))
    if added:
        join.append(np.append(spare[: added - 1], spare[-1]))
    each = [joined(*both) for both in product(stay, join)]
    return max(each, key=lambda dataset: x[dataset[-1]] - x[dataset[0]])


def _narrowest(pool: Pool, kept: int, added: int, x: np.ndarray) -> Indices:
    """The narrowest window with as many of its own records as stay, and spare ones as join."""
    starts = np.unique(np.concatenate([pool.own, pool.spare]))

    def last(part: np.ndarray, many: int) -> np.ndarray:
        """The last of so many records from each start, beyond all where there are fewer."""
        padded = np.concatenate([[-1], part, np.full(many, len(x), dtype=np.intp)])
        ends: np.ndarray = padded[np.searchsorted(part, starts) + many]
        return ends

    of_own, of_spare = last(pool.own, kept), last(pool.spare, added)
    ends = np.maximum(of_own, of_spare)
    held = np.flatnonzero(ends < len(x))
    widths = x[ends[held]] - x[starts[held]]
    narrow = held[widths == widths.min()]
    below = narrow[of_own[narrow] > of_spare[narrow]]  # where one that stays is above all that join
    at = below[-1] if len(below) else narrow[0]
    stop = int(np.searchsorted(pool.own, ends[at], side="right"))
    first = int(np.searchsorted(pool.spare, starts[at]))
    return joined(pool.own[stop - kept : stop], pool.spare[first : first + added])


# --- at a distance from one ---


@at_distance.register
def _(family: Count) -> Callable[[Bounded], AtDistance] | None:
    # The size never changes.
    return lambda of: AtDistance(of, lambda t: of.moved(0, (0, 0), (), into=0))


@at_distance.register
def _(family: Sum) -> Callable[[Bounded], AtDistance] | None:
    return lambda of: AtDistance(of, lambda t: most_moved(of, t, divisor=1))


@at_distance.register
def _(family: Mean) -> Callable[[Bounded], AtDistance] | None:
    return lambda of: AtDistance(of, lambda t: most_moved(of, t, divisor=len(of)))


@at_distance.register
def _(family: Quantile) -> Callable[[Bounded], AtDistance] | None:
    return lambda dataset: QuantileAtDistance(dataset, family.q)
