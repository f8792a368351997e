"""The exact sensitivity without enumeration, where that is proved.

A dataset and its neighbour share c records; a further a belong to the one, b to the other.
D(c, a, b) is the most by which the query's answer on the first can exceed that on the second.
Every relation asks for D at a few (c, a, b), and every query here has a D that is found by
looking at a few places of the sorted records. The lemmas are on the book's page of proofs: where
a docstring names one, as in (thm-monotone), that is its label there.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.exact import Exact, RootGap
from sensitivity_lab.gap import Norm, gap_between
from sensitivity_lab.methods.workers import with_bar
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.extremes import D
from sensitivity_lab.proved.ranges import range_finder
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.variance.population import SpreadFinder
from sensitivity_lab.proved.worst_pair import Values, WorstPair
from sensitivity_lab.universe import Universe

Finder = Callable[[int, int, int], WorstPair | None]
MOST_ASKED_AGAIN = 1_000  # records; beyond these, asking again would take as long as solving


def solve(problem: Problem, progress: bool = False) -> WorstPair | None:
    """Return the widest gap over all moves of a problem, or None where no proof covers it.

    >>> from sensitivity_lab import SUM, Change
    >>> found = solve(Problem(SUM, Universe.population([1, 2, 9]), 2, Change(1), norm=1))
    >>> found.gap, found.pair()
    (Fraction(8, 1), ((2, 9), (1, 2)))

    Equal to enumerating every pair, if it is `attained`; else it is a bound. Cost on a
    population: sorting its records, then O(k²) places per move (histograms: O(k⁴) per bin;
    spreads: see `spread`); on a range, O(k·n) at the most.
    Source: thm-share on the book's page of proofs.
    """
    find = gap_finder(problem)
    if find is None:
        return None
    best: WorstPair | None = None
    for c, a, b, swapped in with_bar(_shares(problem), progress, desc="solver", unit=" shares"):
        found = find(c, a, b)
        if found is None:
            return None
        if best is None or found.gap > best.gap or (found.gap == best.gap and not best.attained):
            best = found.reversed() if swapped else found
    if best is not None and not _has_its_gap(problem, best):
        raise ArithmeticError(
            f"the solver's witness for {problem.query.name} on {problem.universe} under "
            f"{problem.relation} does not have the value found: this is a fault of the package"
        )
    return best


def _has_its_gap(problem: Problem, found: WorstPair) -> bool:
    """Whether a spread's witness has its gap, from the records as they are: not centred, no sums.

    For at most `MOST_ASKED_AGAIN` records; of more, `Sensitivity.check` asks when it is called.
    Cost: O(n), a tenth of what was solved or less.
    """
    records, query = found.records, problem.query
    if query.family[0] not in ("variance", "std") or not isinstance(records, SortedRecords):
        return True
    if not found.attained or found.size > MOST_ASKED_AGAIN:
        return True
    whole = [records.numbers(side) for side in found.sides()]
    answers = [Fraction(query.function(side)) / records.scale**2 for side in whole]
    return bool(gap_between(1, query.root)(*answers) == found.gap)


def _shares(problem: Problem) -> list[tuple[int, int, int, bool]]:
    """Every (c, a, b), from either side; (c, 0, 0) only where there is no other."""
    moves = {
        (size - removed, removed, added)
        for size, found in problem.plan.items()
        for removed, added in found
        if removed or added or found == ((0, 0),)
    }
    in_order = sorted(moves, key=lambda move: (move[1] + move[2], move))
    return [
        share
        for c, removed, added in in_order
        for share in ((c, removed, added, False), (c, added, removed, True))
        if not share[3] or removed != added
    ]


def gap_finder(problem: Problem) -> Finder | None:
    """Return D for a problem's query and universe, or None where no proof covers it.

    For a spread on a population it is D where that is positive, else a gap of at most D.

    >>> from sensitivity_lab import MAX, Change
    >>> find = gap_finder(Problem(MAX, Universe.population([1, 2, 9]), 2, Change(1), norm=1))
    >>> find(1, 1, 1).gap
    Fraction(7, 1)

    Source: def-share on the book's page of proofs.
    """
    query, universe = problem.query, problem.universe
    if not query.family or universe.has_missing:
        return None
    if universe.unlimited:
        on_range = range_finder(problem)
        return None if on_range is None else partial(_on_range, on_range, universe)
    kind, *options = query.family
    if kind == "count_where":
        options = [query.function]
    if kind not in FINDERS:
        return None
    return FINDERS[kind](SortedRecords.of(universe), options, problem.norm)


def _on_range(d: D, universe: Universe, c: int, a: int, b: int) -> WorstPair:
    """D on a range: its runs are values with numbers of copies."""
    found = d(c, a, b)
    given = dict(zip(universe.exact_values, universe.values, strict=True))
    return WorstPair(
        found.gap, found.common, found.higher, found.lower, Values(given), found.attained
    )


# --- monotone queries: the a at the top, the b at the bottom --------------------------------


def _ends(records: SortedRecords, a: int, b: int) -> tuple[Run, Run]:
    """The top a and the bottom b. For a monotone query some optimum has them there (thm-monotone)."""
    return (len(records) - a, len(records)), (0, b)


def _count(records: SortedRecords, c: int, a: int, b: int) -> WorstPair:
    top, bottom = _ends(records, a, b)
    return WorstPair(abs(a - b), ((b, b + c),), (top,), (bottom,), records)


def _sum(records: SortedRecords, c: int, a: int, b: int) -> WorstPair:
    """The shared records cancel."""
    top, bottom = _ends(records, a, b)
    gap = Fraction(records.total([top]) - records.total([bottom]), records.scale)
    return WorstPair(gap, ((b, b + c),), (top,), (bottom,), records)


def _mean(records: SortedRecords, c: int, a: int, b: int) -> WorstPair:
    """The shared records weigh 1/(c + a) − 1/(c + b): next to the top if a < b, else to the bottom."""
    top, bottom = _ends(records, a, b)
    shared = (top[0] - c, top[0]) if a < b else (b, b + c)
    sums = records.sums
    higher = Fraction(sums.exact([shared, top]), records.scale * (c + a))
    lower = Fraction(sums.exact([shared, bottom]), records.scale * (c + b))
    return WorstPair(higher - lower, (shared,), (top,), (bottom,), records)


def _quantile(records: SortedRecords, q: Exact, c: int, a: int, b: int) -> WorstPair:
    """The gap is a weighted sum of shared ranks, weights first ≤ 0, then ≥ 0 (thm-quantile).

    So the l ranks up to the last negative weight take the lowest records left, the others the
    highest.
    """
    top, bottom = _ends(records, a, b)
    weights: dict[int, Fraction] = {}
    for rank, weight in _ranks_read(q, c + a):
        weights[rank] = weights.get(rank, Fraction(0)) + weight
    for rank, weight in _ranks_read(q, c + b):
        weights[rank - b] = weights.get(rank - b, Fraction(0)) - weight
    low = max((rank + 1 for rank, weight in weights.items() if weight < 0 and rank < c), default=0)
    low = max(low, 0)
    shared = ((b, b + low), (top[0] - (c - low), top[0]))

    def record(rank: int) -> int:
        """The record of a rank among the shared, with the b below them and the a above."""
        if rank < low:
            return records[b + rank]
        return records[top[0] - c + rank]

    gap = sum((weight * record(rank) for rank, weight in weights.items()), Fraction(0))
    return WorstPair(gap / records.scale, shared, (top,), (bottom,), records)


def _ranks_read(q: Exact, size: int) -> list[tuple[int, Fraction]]:
    """The ranks that a quantile of `size` records reads, with their weights."""
    position = Fraction(q) * (size - 1)
    lower = math.floor(position)
    return [(lower, 1 - (position - lower)), (lower + 1, position - lower)][
        : 1 + (lower < size - 1)
    ]


# --- counts by kind of record ---------------------------------------------------------------


def _count_where(records: SortedRecords, options: Any, norm: Norm) -> Finder:
    """A histogram of one bin: the records for which the predicate is true."""
    (count,) = options
    true = np.array([count((value,)) for value in records.given.tolist()], dtype=np.int64)
    order = np.argsort(true, kind="stable")  # the false, then the true
    sorted_by_truth = SortedRecords(records.given[order], true[order], 1)
    false = len(true) - int(true.sum())
    return partial(_by_bins, sorted_by_truth, [(false, len(true))], [(0, false)], 1)


def _histogram(records: SortedRecords, edges: Any, norm: Norm) -> Finder:
    """Each bin is a run of the sorted records; those before and after are in none.

    Edges are compared as Python ints: NumPy would round those of 64 bits to floats.
    """
    scaled = [math.ceil(Fraction(edge) * records.scale) for edge in edges[:-1]]
    starts = [bisect_left(records.whole, edge, key=int) for edge in scaled]
    last = math.floor(Fraction(edges[-1]) * records.scale)
    end = max(bisect_right(records.whole, last, key=int), starts[-1])
    bins = list(pairwise([*starts, end]))
    return partial(_by_bins, records, bins, [(0, starts[0]), (end, len(records))], norm)


def _by_bins(
    records: SortedRecords, bins: list[Run], outside: list[Run], norm: Norm, c: int, a: int, b: int
) -> WorstPair:
    """How many of the a, and of the b, lie in each bin, by dynamic programming over the bins.

    The shared records cancel, so any that are left will do.
    """
    rooms = [
        Room(stop - start, stop - start, stop - start, place < len(bins))
        for place, (start, stop) in enumerate([*bins, *outside])
    ]
    score, chosen = best_split(rooms, a, b, norm)
    higher, lower, left = [], [], []
    for (start, stop), (x, y) in zip([*bins, *outside], chosen, strict=True):
        higher.append((start, start + x))
        lower.append((start + x, start + x + y))
        left.append((start + x + y, stop))
    gap = RootGap(score, 0) if norm == 2 else score
    return WorstPair(gap, _first_of(left, c), tuple(higher), tuple(lower), records)


@dataclass(frozen=True)
class Room:
    """How many of the a, of the b, and of both a bin can hold, and whether the query counts it.

    >>> Room(a=2, b=2, both=2, counted=True).both
    2
    """

    a: int
    b: int
    both: int
    counted: bool


def best_split(
    rooms: list[Room], a: int, b: int, norm: Norm
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Split a and b over bins so that the norm of the differences is largest.

    >>> best_split([Room(2, 2, 2, True), Room(1, 1, 1, True)], a=2, b=1, norm=1)
    (3, ((2, 0), (0, 1)))

    Returns the norm (its square for L2), and (x, y), how many of the a and of the b each bin
    holds. The state is how many of each are placed; a bin that counts adds |x − y|, its square,
    or takes the maximum, by the norm. Cost: O(a²b²) a bin.
    """
    weigh = {1: abs, 2: lambda step: step * step, math.inf: abs}[norm]
    states: dict[tuple[int, int], tuple[int, tuple[tuple[int, int], ...]]] = {(0, 0): (0, ())}
    for room in rooms:
        reached: dict[tuple[int, int], tuple[int, tuple[tuple[int, int], ...]]] = {}
        for (used_a, used_b), (score, chosen) in states.items():
            for x in range(min(a - used_a, room.a) + 1):
                for y in range(min(b - used_b, room.b, room.both - x) + 1):
                    step = weigh(x - y) if room.counted else 0
                    total = max(score, step) if norm == math.inf else score + step
                    key = (used_a + x, used_b + y)
                    if key not in reached or total > reached[key][0]:
                        reached[key] = (total, (*chosen, (x, y)))
        states = reached
    return states[a, b]


def _first_of(runs: list[Run], count: int) -> tuple[Run, ...]:
    """The first `count` records of some runs."""
    taken = []
    for start, stop in runs:
        taken.append((start, start + min(stop - start, count)))
        count -= taken[-1][1] - start
    return tuple(taken)


FINDERS: dict[str, Callable[[SortedRecords, Any, Norm], Finder]] = {
    "count": lambda records, options, norm: partial(_count, records),
    "sum": lambda records, options, norm: partial(_sum, records),
    "mean": lambda records, options, norm: partial(_mean, records),
    "quantile": lambda records, options, norm: partial(_quantile, records, options[0]),
    "count_where": _count_where,
    "histogram": _histogram,
    "variance": lambda records, options, norm: SpreadFinder(records, options[0], root=False),
    "std": lambda records, options, norm: SpreadFinder(records, options[0], root=True),
}
