"""Where C, A and B can lie for a variance's D(c, a, b) with a < b: C ∪ A is the outermost of W.

B is a run of the sorted records, and W the records that are not B. In W, S = C ∪ A is the l lowest
and the c + a − l highest; of S, A is the i lowest and the a − i highest. As one letter for each
record, ascending, B lies between the two parts of S, or in one of them:

    A..A C..C . . B..B . . C..C A..A        l = 4, i = 2, a = 3:  AACC..BBBBB.CCA
    A..A C..C B..B C..C . . C..C A..A       S ∪ B in two parts:   AACBBBBBC...CCA

The lemmas are thm-places and thm-mixes on the book's page of proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sensitivity_beyond.proofs.scatter.filtered_maximum import (
    BLOCK,
    ROUNDING,
    Centred,
    FilteredMaximum,
    around,
    different,
    in_chunks,
    ordered,
)
from sensitivity_beyond.proofs.sorted_records import consecutive
from sensitivity_lab.proved.worst_pair import Run


def enter_outermost(maximum: FilteredMaximum) -> None:
    """Enter the layouts of a < b that may be widest,
    cut down by a bound (thm-places, thm-mixes)."""
    centred, b = maximum.centred, maximum.share[2]

    @cache
    def means() -> Any:
        """The mean of every run of b records, ascending."""
        return centred.sums.floats(slice(0, centred.count - b + 1), slice(b, None)) / b

    kept = []
    # of every zone one layout, and where its bound reaches; then what reaches the widest of these
    for zone, lowest, whole in _zones(maximum):
        bound = _Bound(maximum, zone, lowest, whole)
        if bound.reach.max() < maximum.floor:
            continue
        _enter_best(maximum, bound, means())
        near = np.flatnonzero(bound.reach >= maximum.floor)
        kept.append((zone, lowest[near], bound.reach[near]))
    for zone, lowest, reach in kept:
        left = lowest[reach >= maximum.floor]
        if len(left):
            whole = _Part(centred, zone.outer, left, (0, zone.outer))
            _enter_near(maximum, _Bound(maximum, zone, left, whole), means())


def _enter_best(maximum: FilteredMaximum, bound: _Bound, means: np.ndarray) -> None:
    """Enter the layout whose gap may be widest, with B as near to the best mean as can be."""
    best = np.argmax(bound.reach, keepdims=True)
    start = np.searchsorted(means, bound.mean[best])
    for span in bound.zone.spans(maximum, bound.lowest[best]):
        # the nearest start that the span allows, where it allows none of these
        first, last = (np.clip(end, span.first, span.last) for end in (start - 1, start + 1))
        many = np.where(span.first <= span.last, last - first + 1, 0)
        _enter_span(maximum, bound.zone.i, span, first, many)


def _enter_near(maximum: FilteredMaximum, bound: _Bound, means: np.ndarray) -> None:
    """Enter every layout whose B has a mean near enough to the best."""
    farthest = bound.farthest(maximum)
    low, high = bound.mean - farthest, bound.mean + farthest
    # `blur` has what the sums may be off by; 1e-15 is more than the few roundings that follow
    first = np.searchsorted(means, low - 1e-15 * np.abs(low), side="left")
    last = np.searchsorted(means, high + 1e-15 * np.abs(high), side="right") - 1
    for span in bound.zone.spans(maximum, bound.lowest):
        start = np.maximum(first, span.first)
        many = np.maximum(np.minimum(last, span.last) - start + 1, 0)
        _enter_span(maximum, bound.zone.i, span, start, many)


class _Span(NamedTuple):
    """B's starts, from `first` to `last`, with the `left` lowest records of W in S: `(N,)` each."""

    left: np.ndarray
    first: int | np.ndarray
    last: int | np.ndarray


@dataclass(frozen=True)
class _Zone:
    """A part of the records in which B may lie, and i of A at the bottom.

    B is between the two parts of S, the unused next to it; or in the lower or in the upper part
    of S ∪ B, in whose order it goes from starts[0] to starts[1].
    """

    i: int
    outer: int
    sure: Run
    starts: Run | None = None

    @classmethod
    def every(cls, c: int, a: int, b: int) -> tuple[list[_Zone], list[_Zone]]:
        """B between them, where C is sure; B next to C or inside it, below one of A's i lowest,
        above one of A's others."""
        n = c + a + b
        return [cls(i, c + a, (i, i + c)) for i in range(a + 1)], [
            *(cls(i, n, (i, i + c + b), (i, i + c)) for i in range(a + 1)),
            *(cls(i, n, (i + b, i + b + c), (0, i - 1)) for i in range(1, a + 1)),
            *(cls(i, n, (i, i + c), (i + c + 1, c + a)) for i in range(a)),
        ]

    def spans(self, maximum: FilteredMaximum, lowest: np.ndarray) -> list[_Span]:
        """B's starts in the zone, for each of `(N,)` numbers of lowest among the outermost."""
        b, unused = maximum.share[2], maximum.unused
        if self.starts is None:
            return [_Span(lowest, lowest, lowest + unused)]
        first, last = self.starts
        # in the lower part B takes b of its records from S; in the upper the unused lie below it
        return [
            _Span(lowest - b, first, np.minimum(last, lowest - b)),
            _Span(lowest, np.maximum(first, lowest) + unused, last + unused),
        ]


def _zones(maximum: FilteredMaximum) -> Iterator[tuple[_Zone, np.ndarray, _Part]]:
    """Every zone with every number of lowest, `(N,)` in a block, and all its outermost records."""
    m, (c, a, b) = maximum.centred.count, maximum.share
    for outer, zones in zip((c + a, c + a + b), _Zone.every(c, a, b), strict=True):
        first = outer if outer == m else 0  # then all are in, however they are split
        for start in range(first, outer + 1, BLOCK):
            lowest = np.arange(start, min(start + BLOCK, outer + 1), dtype=np.intp)
            lowest = different(maximum.centred.numbers, lowest, m - outer)
            whole = _Part(maximum.centred, outer, lowest, (0, outer))
            for zone in zones:
                yield zone, lowest, whole


class _Part:
    """Some of the outermost records: how many (1 at least), Σx, the sum of squares, its doubt."""

    def __init__(self, centred: Centred, outer: int, lowest: np.ndarray, part: Run) -> None:
        """Hold records part[0] to part[1] of the `outer` outermost,
        `lowest` of them the lowest: `(N,)`."""
        self.total, square = centred.floats(ordered(centred.count - outer, lowest, *part))
        self.count = max(part[1] - part[0], 1)
        self.square = np.maximum(square - self.total * self.total / self.count, 0)
        self.doubt = square * ROUNDING


class _Bound:
    """What B can do in a zone at most, for `(N,)` numbers of lowest records; floats,
    `(N,)` each."""

    def __init__(
        self, maximum: FilteredMaximum, zone: _Zone, lowest: np.ndarray, whole: _Part
    ) -> None:
        """Find the bound of a zone; `whole` has the sums of all its outermost records."""
        self.zone, self.lowest = zone, lowest
        sure = _Part(maximum.centred, zone.outer, lowest, zone.sure)
        self.most = whole.square + 2 * whole.doubt
        self.least = np.maximum(sure.square - 2 * sure.doubt, 0)
        # after thm-mixes: SS(S) ≤ SS(S ∪ B), and SS(C ∪ B) is at least that of a part of it
        high = self.most / float(maximum.higher.divisor)
        low = self.least / float(maximum.lower.divisor)
        self.reach = np.sqrt(high) - np.sqrt(low) if maximum.root else high - low  # at most
        centre = sure if zone.starts is None else whole
        self.mean = centre.total / centre.count  # where B would be best: the nearer, the wider
        self.blur = np.sqrt(whole.doubt * ROUNDING / centre.count)  # how far rounding may move it

    def farthest(self, maximum: FilteredMaximum) -> np.ndarray:
        """How far B's mean may lie from the best before the gap falls below the widest so far."""
        (c, a, b), floor = maximum.share, maximum.floor - 1e-12 * abs(maximum.floor)
        higher, lower = float(maximum.higher.divisor), float(maximum.lower.divisor)

        def moved(variance: Any, gap: float) -> Any:
            """The variance whose answer is `gap` above that of another."""
            if maximum.root:
                return np.maximum(np.sqrt(variance) + gap, 0) ** 2
            return variance + gap

        if self.zone.starts is not None:
            # SS(S) falls short of SS(S ∪ B) by at least b(c + a + b)/(c + a) times the square
            excess = self.most - moved(self.least / lower, floor) * higher
            squared = excess * ((c + a) / (b * self.zone.outer))
        elif c:
            # SS(C ∪ B) exceeds SS(C) by at least cb/(c + b) times the square of the distance
            excess = moved(self.most / higher, -floor) * lower - self.least
            squared = excess * ((c + b) / (c * b))
        else:
            squared = np.full(len(self.most), math.inf, dtype=float)
        farthest: np.ndarray = np.sqrt(np.maximum(squared, 0)) * (1 + 1e-12) + self.blur
        return farthest


def _enter_span(
    maximum: FilteredMaximum, i: int, span: _Span, starts: np.ndarray, lengths: np.ndarray
) -> None:
    """Enter so many starts of B from each of `(N,)` starts, with i of A at the bottom."""
    (c, a, b), unused = maximum.share, maximum.unused
    for rows in in_chunks(lengths):
        left = np.repeat(span.left[rows], lengths[rows])
        s = consecutive(starts[rows], lengths[rows])
        common = ordered(unused, left, i, i + c)
        removed = [*ordered(unused, left, 0, i), *ordered(unused, left, i + c, c + a)]
        maximum.enter(around(s, b, common, removed))
