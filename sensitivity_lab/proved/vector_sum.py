"""Sums of several numbers of each record: the shared records cancel (thm-vector-sum).

What is left is a sum of points minus another, as long as can be: `proved.clouds` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sensitivity_lab.exact import Exact, RootGap
from sensitivity_lab.gap import Gap, Norm
from sensitivity_lab.proved.clouds import Cloud, Found, InThePlane, Ways
from sensitivity_lab.proved.family import Words
from sensitivity_lab.proved.points import (
    Box,
    Moved,
    OfColumns,
    Points,
    first_left,
    largest,
    runs_of,
)
from sensitivity_lab.proved.worst_pair import D, Parts, Values, WorstPair
from sensitivity_lab.relations import Move

CONDITIONS = "records take any values of each column from its L to its U, in any number of copies"
Sides = tuple[Parts, Parts, Parts]  # what both have, and what only either has
Furthest = Callable[[int, int], Found | None]


@dataclass(frozen=True)
class VectorSum(OfColumns):
    """The sums of several columns.

    >>> points = Points((np.array([0, 4, 3]), np.array([5, 0, 3])), (1, 1))
    >>> d = VectorSum(("x", "y")).on_points(points, 2)
    >>> pair = d(1, 1, 1)
    >>> pair.gap.larger, pair.common, pair.removed, pair.added
    (Fraction(41, 1), ((2, 3),), ((1, 2),), ((0, 1),))
    """

    falls: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"vector_sum({self.named})"

    def words(self, norm: Norm) -> Words:
        texts = {"any": ("k·‖M‖", "k·‖M‖"), "Change": ("min(k, n)·‖R‖", "k·‖R‖")}
        where = "M has max(|L|, |U|) of each column and R its U − L; ‖·‖ is the norm"
        return Words("vector-box", texts, CONDITIONS, where)

    def on_box(self, box: Box, norm: Norm) -> D:
        """All a at one corner and all b at the opposite one: every sum is as far as can be."""

        def d(c: int, a: int, b: int) -> WorstPair:
            ends = [
                (a * side.high - b * side.low, b * side.high - a * side.low) for side in box.sides
            ]
            upper = box.corner(up >= down for up, down in ends)
            lower = box.corner(up < down for up, down in ends)
            records = Values({upper: upper, lower: lower})
            gap = _norm_of([max(end) for end in ends], norm)
            return WorstPair(gap, ((lower, c),), ((upper, a),), ((lower, b),), records)

        return d

    def answers(self, points: Points, rows: np.ndarray) -> tuple[np.ndarray, int]:
        sums = []
        for column in points.together:
            room = largest(column) * max(rows.shape[1], 1)
            kind = np.int64 if room < 2**59 else object
            sums.append(column.astype(kind)[rows].sum(axis=1, dtype=kind))
        return np.stack(sums, axis=1), points.scale

    def on_points(self, points: Points, norm: Norm) -> D | None:
        def of_places(c: int, a: int, b: int, one: np.ndarray, other: np.ndarray) -> Sides:
            return first_left(np.concatenate([one, other]), c), runs_of(one), runs_of(other)

        return _longest(Cloud(points.together), points.scale, norm, of_places)

    def on_point_values(self, points: Points, norm: Norm) -> D | None:
        """All a are copies of one record, and all b of another."""

        def of_places(c: int, a: int, b: int, one: np.ndarray, other: np.ndarray) -> Sides:
            mine, theirs = (
                tuple((place, n) for place in side.tolist()) for side, n in ((one, a), (other, b))
            )
            return ((0, c),), mine, theirs

        return _longest(Cloud(points.together, copies=True), points.scale, norm, of_places)

    def on_neighbours(self, own: Points, spare: Points, move: Move, norm: Norm) -> Moved | None:
        removed, added = move
        furthest = _furthest(Cloud(spare.together), Cloud(own.together), norm)
        found = None if furthest is None else furthest(added, removed)
        if found is None:
            return None
        length, joins, leaves = found
        return _in_norm(length, own.scale, norm), leaves, joins


def _longest(cloud: Cloud, scale: int, norm: Norm, of_places: Callable[..., Sides]) -> D | None:
    """D on one cloud: `of_places` has the parts of a pair from (c, a, b) and the places on either side."""
    furthest = _furthest(cloud, cloud, norm)
    if furthest is None:
        return None

    def d(c: int, a: int, b: int) -> WorstPair | None:
        found = furthest(a, b)
        if found is None:
            return None
        length, one, other = found
        return WorstPair(_in_norm(length, scale, norm), *of_places(c, a, b, one, other))

    return d


def _furthest(plus: Cloud, minus: Cloud, norm: Norm) -> Furthest | None:
    """How the longest sum of a points of one cloud minus b of another is found, where that is proved."""
    columns = len(plus.columns)
    if norm == 0:
        return None
    if norm == 2 and columns == 2:
        return InThePlane(plus, minus).furthest
    if norm == 2 and columns > 2:
        return lambda a, b: _one_alone(plus, minus, a, b)
    ways = Ways(plus, minus, signed=norm == 1)

    def furthest(a: int, b: int) -> Found:
        length, one, other = ways.furthest(a, b)
        return (length**2 if norm == 2 else length), one, other

    return furthest


def _one_alone(plus: Cloud, minus: Cloud, a: int, b: int) -> Found | None:
    """The longest record, or copies of it, where only one side has any; else nothing is proved."""
    nothing = np.zeros(0, dtype=np.intp)
    if a == b == 0:
        return 0, nothing, nothing
    cloud, count = (plus, a) if a else (minus, b)
    if (a and b) or cloud.different(count) > 1:
        return None
    place, square = cloud.longest()
    alone = np.array([place], dtype=np.intp)
    sides = (alone, nothing) if a else (nothing, alone)
    return square * count**2, *sides


def _norm_of(vector: Sequence[Exact], norm: Norm) -> Gap:
    """The norm of a vector without negative entries.

    >>> _norm_of([1, 3], 1), _norm_of([1, 3], float("inf")), float(_norm_of([3, 4], 2))
    (4, 3, 5.0)
    """
    if norm == 2:
        return RootGap(Fraction(sum(entry * entry for entry in vector)), 0)
    return sum(vector) if norm == 1 else max(vector)


def _in_norm(length: int, scale: int, norm: Norm) -> Gap:
    """The gap that a length over `scale` stands for, or the square of one in L2.

    >>> _in_norm(6, 2, 1), float(_in_norm(36, 2, 2))
    (Fraction(3, 1), 3.0)
    """
    return RootGap(Fraction(length, scale**2), 0) if norm == 2 else Fraction(length, scale)
