"""How to split a and b records over bins so that the norm of the differences is largest.

A bin that holds x of the a and y of the b adds |x − y| to the norm. Few bins need to be looked at
(thm-histogram-bins), and over these a table has the best split of every a and b at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from sensitivity_lab.numbers.gap import Norm

MOST_CELLS = 30_000_000  # numbers in a table, 240 MB; beyond these a split is left to others
GROWTH = 1.25  # a table that is too small is made anew, by this much larger
IMPOSSIBLE = -(2**62)

Part = tuple[int, int, int]  # (bin, x, y): it holds x of the a and y of the b
OUTSIDE = -1  # the bin of records that the query does not count


class Room(NamedTuple):
    """How many of the a, of the b, and of both a bin can hold."""

    a: int
    b: int
    both: int

    @property
    def turned(self) -> Room:
        """The same room, a and b exchanged."""
        return Room(self.b, self.a, self.both)

    def apart(self, difference: int) -> int:
        """How many of the b it can hold, at the most, beside so many more of the a."""
        return min(self.a - difference, self.b, (self.both - difference) // 2)


@dataclass(frozen=True)
class Rooms:
    """The rooms of some bins, (bins,) whole numbers each, and that of the records in no bin."""

    a: np.ndarray
    b: np.ndarray
    outside: Room
    apart: bool

    @classmethod
    def shared(cls, sizes: np.ndarray, outside: int) -> Rooms:
        """The rooms of a population: a record is in A or in B, not in both."""
        return cls(sizes, sizes, Room(outside, outside, outside), apart=False)

    @classmethod
    def of_dataset(cls, own: np.ndarray, spare: np.ndarray, outside: tuple[int, int]) -> Rooms:
        """The rooms of one dataset's own records, and of the spare ones."""
        return cls(own, spare, Room(*outside, sum(outside)), apart=True)

    def __getitem__(self, position: int) -> Room:
        if position == OUTSIDE:
            return self.outside
        a, b = int(self.a[position]), int(self.b[position])
        return Room(a, b, a + b if self.apart else a)

    def that_matter(self, a: int, b: int) -> list[int]:
        """The bins that the best split of a and b, or of fewer, needs; the largest first.

        Source: thm-histogram-bins.
        """
        by_a = _largest_first(self.a)
        if not self.apart:
            used = np.cumsum(self.a[by_a], dtype=np.int64)
            first_two = int(used[:2][-1]) if len(used) else 0
            within = int(np.searchsorted(used, a + b + first_two, side="right"))
            return [int(i) for i in by_a[: max(within, 2)]]
        by_b = _largest_first(self.b)
        most = _most_used(self.a[by_a], self.b[by_b], a, b)
        return list(dict.fromkeys([*by_a[:most].tolist(), *by_b[:most].tolist()]))


def _largest_first(rooms: np.ndarray) -> np.ndarray:
    """The positions of the rooms that are not empty, the largest first."""
    held = np.flatnonzero(rooms)
    return held[np.argsort(-rooms[held], kind="stable")]


def _most_used(of_a: np.ndarray, of_b: np.ndarray, a: int, b: int) -> int:
    """How many bins can be used where all but one of the a, and of the b, are full."""
    sums_a, sums_b = (
        np.concatenate([[0], np.cumsum(rooms[: a + b], dtype=np.int64)]) for rooms in (of_a, of_b)
    )
    for used in range(a + b, 0, -1):
        with_a = np.arange(max(used - b, 0), min(used, a) + 1, dtype=np.int64)
        full_a = _of_smallest(sums_a, used, with_a - 1)
        full_b = _of_smallest(sums_b, used, used - with_a - 1)
        if np.any((full_a <= a) & (full_b <= b)):
            return used
    return 0


def _of_smallest(sums: np.ndarray, used: int, count: np.ndarray) -> np.ndarray:
    """What the `count` smallest of the first `used` rooms hold; `sums` are those of the first ones."""
    last = len(sums) - 1
    first = np.minimum(used - np.maximum(count, 0), last)
    held: np.ndarray = sums[min(used, last)] - sums[first]
    return held


class Splits:
    """The best splits of any a and b over some rooms, in one norm."""

    def __init__(self, rooms: Rooms, norm: Norm) -> None:
        self.rooms, self.norm = rooms, norm
        self._counted = int(np.count_nonzero(rooms.a + rooms.b))
        ends = [[*_largest_first(of)[:2].tolist(), OUTSIDE] for of in (rooms.a, rooms.b)]
        self._pairs = [(i, j) for i, j in product(*ends) if i != j]
        self._table: _Table | None = None

    def best(self, a: int, b: int) -> tuple[int, list[Part]] | None:
        """The norm (its square for L2) of the best split, and what each used bin holds."""
        return self._at_once(a, b) or self._from_table(a, b)

    def _at_once(self, a: int, b: int) -> tuple[int, list[Part]] | None:
        """All the a in one room and all the b in another, where no split can be better."""
        if not self._counted:
            return 0, _parts((OUTSIDE, a, b))
        highest = self._score(a, b) if self._counted > 1 else self._score(max(a, b), 0)
        for i, j in self._pairs:
            score = self._score(a if i != OUTSIDE else 0, b if j != OUTSIDE else 0)
            if score == highest and self.rooms[i].a >= a and self.rooms[j].b >= b:
                return score, _parts((i, a, 0), (j, 0, b))
        return None

    def _score(self, x: int, y: int) -> int:
        """The norm, or its square, of two differences."""
        return int(_together([_weight(x, self.norm), _weight(y, self.norm)], self.norm))

    def _from_table(self, a: int, b: int) -> tuple[int, list[Part]] | None:
        table = self._table
        if table is None or a > table.most[0] or b > table.most[1]:
            before = (0, 0) if table is None else table.most
            larger = (max(a, math.ceil(GROWTH * before[0])), max(b, math.ceil(GROWTH * before[1])))
            for most in (larger, (a, b)):
                positions = [*self.rooms.that_matter(*most), OUTSIDE]
                if (len(positions) + 1) * (most[0] + 1) * (most[1] + 1) <= MOST_CELLS:
                    self._table = table = _Table(self.rooms, positions, most, self.norm)
                    break
            else:
                return None
        return table.best(a, b)


class _Table:
    """The best score of every a and b up to two numbers, over some rooms, one room after another."""

    def __init__(
        self, rooms: Rooms, positions: list[int], most: tuple[int, int], norm: Norm
    ) -> None:
        self.rooms, self.positions, self.most, self.norm = rooms, positions, most, norm
        shape = (len(positions) + 1, most[0] + 1, most[1] + 1)
        self.after = np.full(shape, IMPOSSIBLE, dtype=np.int64)
        self.after[0, 0, 0] = 0
        for i, position in enumerate(positions):
            self._fill(i, position)

    def _weights(self, position: int) -> np.ndarray:
        """What a difference of 0, 1, … adds in a room: nothing in that of no bin."""
        most = max(self.most)
        if position == OUTSIDE:
            return np.zeros(most + 1, dtype=np.int64)
        weights: np.ndarray = _weight(np.arange(most + 1, dtype=np.int64), self.norm)
        return weights

    def _fill(self, i: int, position: int) -> None:
        """Add a room: for each difference of x and y only the best number of both matters."""
        before, after = self.after[i], self.after[i + 1]
        after[:] = before
        weights, room = self._weights(position), self.rooms[position]
        self._add(before, after, room, weights)
        self._add(before.T, after.T, room.turned, weights)

    def _add(self, before: np.ndarray, after: np.ndarray, room: Room, weights: np.ndarray) -> None:
        """Splits with at least as many of the a as of the b in a room."""
        most_a, most_b = before.shape[0] - 1, before.shape[1] - 1
        both = 0  # how many of each are in the room, at the most
        beside = before.copy()
        for difference in range(min(room.a, most_a), -1, -1):
            while both < min(room.apart(difference), most_a, most_b):
                both += 1
                np.maximum(beside[both:, both:], before[:-both, :-both], out=beside[both:, both:])
            reached = beside[: most_a + 1 - difference]
            scores = _together([reached, weights[difference]], self.norm)
            np.maximum(after[difference:], scores, out=after[difference:], where=reached >= 0)

    def best(self, a: int, b: int) -> tuple[int, list[Part]]:
        """The best score of some a and b, and what each used bin holds."""
        score, level, parts = int(self.after[-1, a, b]), len(self.positions), []
        while a or b:
            column = self.after[: level + 1, a, b]
            level = int(np.argmax(column == column[-1])) - 1  # the last room that adds anything
            x, y = self._in_room(level, a, b)
            parts.append((self.positions[level], x, y))
            a, b = a - x, b - y
        return score, parts[::-1]

    def _in_room(self, level: int, a: int, b: int) -> tuple[int, int]:
        """How many of each a room holds in the best split."""
        position = self.positions[level]
        room, weights = self.rooms[position], self._weights(position)
        x = np.arange(min(room.a, a) + 1, dtype=np.int64)[:, None]
        y = np.arange(min(room.b, b) + 1, dtype=np.int64)[None, :]
        rest = self.after[level, a - x, b - y]
        scores = _together([rest, weights[np.abs(x - y)]], self.norm)
        held = (x + y <= room.both) & (x + y > 0) & (rest >= 0)
        best = np.flatnonzero((scores == self.after[level + 1, a, b]) & held)[0]
        in_x, in_y = divmod(int(best), y.shape[1])
        return in_x, in_y


def _parts(*parts: Part) -> list[Part]:
    """The parts that hold any."""
    return [(position, x, y) for position, x, y in parts if x or y]


def _weight(difference: Any, norm: Norm) -> Any:
    """What a difference that is not negative adds to the norm, for L2 to its square."""
    return difference * difference if norm == 2 else difference


def _together(scores: Sequence[Any], norm: Norm) -> Any:
    """The score of several bins: the sum, or in L∞ the maximum."""
    first, second = scores
    return np.maximum(first, second) if norm == math.inf else first + second
