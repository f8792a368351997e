"""Where C, A and B can lie for a variance's D(c, a, b) with a < b: C ∪ A is the outermost.

B is a run of the sorted records; of the others, C and A together are some of the lowest and some
of the highest. The lemmas are thm-places and thm-mixes on the book's page of proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sensitivity_lab.proved.sorted_records import Run
from sensitivity_lab.proved.variance.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Contest,
    Runs,
    Spread,
    around,
    counted,
)


@dataclass(frozen=True)
class _Zone:
    """Where B lies, and i of A at the bottom.

    Either B lies between the lowest and the highest of S = C ∪ A (`outside`), or S ∪ B is made
    of the lowest and the highest records and B is a run of either part. `outer` counts S, or
    S ∪ B; numbered in their order, the records from `sure[0]` to `sure[1]` are in C ∪ B wherever
    B starts, and it starts somewhere from `starts[0]` to `starts[1]`.
    """

    i: int
    outside: bool
    outer: int
    sure: Run
    starts: Run


def _outside(c: int, a: int) -> list[_Zone]:
    """B between the lowest and the highest of S."""
    return [_Zone(i, True, c + a, (i, i + c), (0, 0)) for i in range(a + 1)]


def _inside(c: int, a: int, b: int) -> list[_Zone]:
    """B next to C or inside it; below one of A's i lowest; above one of A's others."""
    n = c + a
    return [
        *(_Zone(i, False, n + b, (i, i + c + b), (i, i + c)) for i in range(a + 1)),
        *(_Zone(i, False, n + b, (i + b, i + b + c), (0, i - 1)) for i in range(1, a + 1)),
        *(_Zone(i, False, n + b, (i, i + c), (i + c + 1, n)) for i in range(a)),
    ]


def enter_outermost(contest: Contest) -> None:
    """Enter the places of a < b that may be widest, cut down by a bound (thm-places, thm-mixes).

    >>> from sensitivity_lab.proved.sorted_records import SortedRecords
    >>> from sensitivity_lab.universe import Universe
    >>> spread = Spread.of(SortedRecords.of(Universe.population([1, 2, 3, 10])))
    >>> contest = Contest(spread, (2, 0, 1), ddof=0)
    >>> enter_outermost(contest)
    >>> contest.winner().gap
    Fraction(193, 36)

    The gap is at most what it would be if B sat at a mean; and a B whose mean lies too far from
    it cannot make up for that.
    """
    m, (c, a, b) = contest.spread.count, contest.share
    means = contest.spread.sums.floats(slice(0, m - b + 1), slice(b, m + 1)) / b
    found = []
    for outer, zones in ((c + a, _outside(c, a)), (c + a + b, _inside(c, a, b))):
        first = outer if outer == m else 0  # then all are in, however they are split
        for start in range(first, outer + 1, BLOCK):
            lowest = np.arange(start, min(start + BLOCK, outer + 1))
            whole = _outermost(contest.spread, outer, lowest, (0, outer))
            for zone in zones:
                bound = _Bound.of(contest, zone, lowest, whole)
                best = np.argmax(bound.reach, keepdims=True)
                place = np.searchsorted(means, bound.mean[best])
                _enter_rows(contest, zone, lowest[best], (place - 1, place + 1), True)
                near = np.flatnonzero(bound.reach >= contest.floor)
                found.append((zone, lowest[near], bound.reach[near]))
    for zone, lowest, reach in found:
        left = lowest[reach >= contest.floor]
        whole = _outermost(contest.spread, zone.outer, left, (0, zone.outer))
        bound = _Bound.of(contest, zone, left, whole)
        off = bound.farthest(contest)
        first = np.searchsorted(means, bound.mean - off, side="left") - 1
        last = np.searchsorted(means, bound.mean + off, side="right") + 1
        _enter_rows(contest, zone, left, (first, last), False)


@dataclass(frozen=True)
class _Bound:
    """Sums of squares of S (or S ∪ B), at most, and of what is surely in C ∪ B, at least."""

    zone: _Zone
    most: Any
    least: Any
    mean: Any  # where B would be best
    reach: Any  # the gap, at most
    blur: Any  # how far rounding may have moved the mean

    @classmethod
    def of(
        cls, contest: Contest, zone: _Zone, lowest: np.ndarray, whole: tuple[Any, Any, Any]
    ) -> _Bound:
        """For the l lowest and the others highest, for each l; `whole` sums all of these."""
        total, most, doubt = whole
        sure, least, less = _outermost(contest.spread, zone.outer, lowest, zone.sure)
        most, least = most + 2 * doubt, np.maximum(least - 2 * less, 0)
        count = zone.sure[1] - zone.sure[0] if zone.outside else zone.outer
        mean = (sure if zone.outside else total) / max(count, 1)
        high, low = most / float(contest.higher[1]), least / float(contest.lower[1])
        reach = np.sqrt(high) - np.sqrt(low) if contest.root else high - low
        return cls(zone, most, least, mean, reach, np.sqrt(doubt * ROUNDING / max(count, 1)))

    def farthest(self, contest: Contest) -> Any:
        """How far B's mean may lie from the best before the gap falls below the widest so far."""
        c, a, b = contest.share
        one, other = float(contest.higher[1]), float(contest.lower[1])
        floor, root = contest.floor - 1e-12 * abs(contest.floor), contest.root
        if self.zone.outside:
            if c == 0:
                return np.full(len(self.most), math.inf)
            high = self.most / one
            most = np.maximum(np.sqrt(high) - floor, 0) ** 2 if root else high - floor
            squared = (most * other - self.least) * ((c + b) / (c * b))
        else:
            low = self.least / other
            least = np.maximum(np.sqrt(low) + floor, 0) ** 2 if root else low + floor
            squared = (self.most - least * one) * ((c + a) / (b * self.zone.outer))
        return np.sqrt(np.maximum(squared, 0)) * (1 + 1e-12) + self.blur


def _outermost(spread: Spread, outer: int, lowest: np.ndarray, part: Run) -> tuple[Any, Any, Any]:
    """Of the l lowest and the outer − l highest records, the part of this order: Σx, SS, doubt."""
    runs = _ordered(spread.count - outer, lowest, *part)
    total = sum(spread.sums.floats(*run) for run in runs)
    square = sum(spread.squares.floats(*run) for run in runs)
    count = max(part[1] - part[0], 1)
    return total, np.maximum(square - total * total / count, 0), square * ROUNDING


def _ordered(unused: int, lowest: np.ndarray, start: int, stop: int) -> Runs:
    """The runs of records `start` to `stop` of an order that skips so many after the lowest."""
    low = np.minimum(start, lowest), np.minimum(stop, lowest)
    high = np.maximum(start, lowest) + unused, np.maximum(stop, lowest) + unused
    return [low, high]


def _enter_rows(
    contest: Contest,
    zone: _Zone,
    lowest: np.ndarray,
    near: tuple[Any, Any],
    some: bool,
) -> None:
    """Enter B at every start from near[0] to near[1] that the zone allows, for each l.

    With `some`, at the nearest that it allows if none of these is.
    """
    c, a, b = contest.share
    n, unused = c + a, contest.spread.count - c - a - b
    first, last = zone.starts
    if zone.outside:
        spans = [(lowest, lowest, lowest + unused)]
    else:
        spans = [
            (lowest - b, first + 0 * lowest, np.minimum(last, lowest - b)),
            (lowest, np.maximum(first, lowest) + unused, last + unused + 0 * lowest),
        ]
    for low, least, most in spans:
        if some:
            starts, stops = np.clip(near[0], least, most), np.clip(near[1], least, most)
        else:
            starts, stops = np.maximum(near[0], least), np.minimum(near[1], most)
        lengths = np.where(most >= least, np.maximum(stops - starts + 1, 0), 0)
        for rows in _in_chunks(lengths):
            left = np.repeat(low[rows], lengths[rows])
            s = counted(starts[rows], lengths[rows])
            common = _ordered(unused, left, zone.i, zone.i + c)
            higher = [
                *_ordered(unused, left, 0, zone.i),
                *_ordered(unused, left, zone.i + c, n),
            ]
            contest.enter(around(s, b, common, higher))


def _in_chunks(lengths: np.ndarray, most: int = 1 << 20) -> Iterator[np.ndarray]:
    """Row numbers in groups whose lengths add up to about `most`, empty rows left out."""
    rows = np.flatnonzero(lengths)
    if len(rows) == 0:
        return
    groups = np.cumsum(lengths[rows]) // most
    yield from np.split(rows, np.flatnonzero(np.diff(groups)) + 1)
