"""The widest gap of any weights of ranks on a population, by a program over the records in order (thm-l-program).

The records enter one by one, the lowest first. What matters of those that have entered is how many
are in C, in A and in B, for these say which ranks the next record has:

    records   2   3   5   13  17  33  38  39
    role      B   .   A   C   C   A   .   A      ranks of S: A 0, C 1, C 2, A 3, A 4
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

import numpy as np

from sensitivity_lab.proved.ranks.rank_weights import Steps
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import WorstPair

UNUSED, SHARED, HIGHER, LOWER = range(4)  # a record's role: in none of the three, in C, in A, in B
MOST_CELLS = 10_000_000_000  # records × counts that can be reached: about a minute
MOST_HELD = 400_000_000  # bytes of tables
SLOWER = 25  # times, where the numbers need more than 64 bits


@dataclass(frozen=True)
class RankProgram:
    """The program for one share of a population, with the weights of the two sizes."""

    records: SortedRecords
    higher: Steps
    lower: Steps
    share: tuple[int, int, int]

    @property
    def cells(self) -> int:
        """How many cells a pass visits, as many more as it is slower beyond 64 bits."""
        slower = 1 if self._fits else SLOWER
        return len(self.records) * self._width * self._states * slower

    @property
    def held(self) -> int:
        """How many bytes the tables take."""
        kept = -(-len(self.records) // self._stride)
        each = 8 if self._fits else 50
        c = self.share[0]
        return self._states * (
            kept * self._width * each + self._stride * self._width + 5 * c * each
        )

    @property
    def _states(self) -> int:
        _, a, b = self.share
        return (a + 1) * (b + 1)

    @property
    def _width(self) -> int:
        """How many numbers of shared records can be reached at a time."""
        c = self.share[0]
        return min(c, len(self.records) - c) + 1

    @property
    def _stride(self) -> int:
        return math.isqrt(len(self.records)) + 1

    def _band(self, entered: int) -> tuple[int, int]:
        """The least and the most shared records among the first that have entered."""
        c = self.share[0]
        return max(0, entered - (len(self.records) - c)), min(c, entered)

    @property
    def _unit(self) -> int:
        return math.lcm(self.higher.unit, self.lower.unit)

    @cached_property
    def _numbers(self) -> np.ndarray:
        """The records, each less that half-way between the ends: a constant in the gap."""
        return self.records.whole.astype(object) - self._middle

    @property
    def _middle(self) -> int:
        return (self.records[0] + self.records[-1]) // 2

    @property
    def _bound(self) -> int:
        """What no sum of weighed records exceeds."""
        weights = sum(
            side.magnitude * self._unit // side.unit for side in (self.higher, self.lower)
        )
        return max(weights, 1) * (self.records[-1] - self.records[0] + 1)

    @property
    def _fits(self) -> bool:
        """Whether five such bounds stay within 64 bits."""
        return self._bound < 2**60

    def widest(self) -> WorstPair:
        """The widest gap, and the roles of the records that have it."""
        total, roles = self._solved()
        levels = sum(self._over(self.higher)) - sum(self._over(self.lower))
        gap = Fraction(total + self._middle * levels, self._unit * self.records.scale)
        shared, own, others = (tuple(_runs(roles, role)) for role in (SHARED, HIGHER, LOWER))
        return WorstPair(gap, shared, own, others, self.records)

    def _over(self, steps: Steps) -> list[int]:
        weights: list[int] = steps.over(self._unit).tolist()
        return weights

    def _solved(self) -> tuple[int, np.ndarray]:
        """The largest total, and each record's role."""
        table = _Table(self)
        m, stride = len(self.records), self._stride
        kept = []
        for start in range(0, m, stride):
            kept.append(table.kept(start))
            table.enter(start, min(start + stride, m))
        c, a, b = self.share
        total, place = int(table.values[a, b, c]), (a, b, c)
        roles = np.zeros(m, dtype=np.uint8)
        for start in range((m - 1) // stride * stride, -1, -stride):
            stop = min(start + stride, m)
            table.put_back(start, kept.pop())
            choices = table.enter(start, stop, choose=True)
            for i in range(stop - 1, start - 1, -1):
                roles[i], place = table.before(choices[i - start], i, place)
        return total, roles


class _Table:
    """The best total for each number of A, of B and of C among the records that have entered."""

    def __init__(self, program: RankProgram) -> None:
        c, a, b = program.share
        dtype = np.dtype(np.int64 if program._fits else object)
        higher, lower = (
            np.array(program._over(side), dtype=dtype) for side in (program.higher, program.lower)
        )
        self.program = program
        self.numbers = program._numbers.astype(dtype)
        self.never = -4 * program._bound - 4
        shape = (a + 1, b + 1, c + 1)
        self.values, self.next = (np.full(shape, self.never, dtype=dtype) for _ in range(2))
        self.values[0, 0, 0] = 0
        self.of_shared = np.stack(
            [
                np.stack([higher[q : q + c] - lower[r : r + c] for r in range(b + 1)])
                for q in range(a + 1)
            ]
        )
        self.of_higher = _windows(higher, a, c)[:, None]
        self.of_lower = -_windows(lower, b, c)[None]

    def kept(self, entered: int) -> np.ndarray:
        """A copy of the values that can be reached."""
        low, high = self.program._band(entered)
        return self.values[..., low : high + 1].copy()

    def put_back(self, entered: int, kept: np.ndarray) -> None:
        """Return to what was kept."""
        low, high = self.program._band(entered)
        self.values.fill(self.never)
        self.next.fill(self.never)
        self.values[..., low : high + 1] = kept

    def enter(self, start: int, stop: int, choose: bool = False) -> list[np.ndarray]:
        """Let some records enter; where asked, say of each what role was best in each cell."""
        chosen = []
        for i in range(start, stop):
            choice = self._enter(i, choose)
            if choice is not None:
                chosen.append(choice)
        return chosen

    def _enter(self, i: int, choose: bool) -> np.ndarray | None:
        low, high = self.program._band(i + 1)
        first, x = max(low, 1), self.numbers[i]
        band = slice(low, high + 1)
        old, new = self.values, self.next
        new[..., band] = old[..., band]
        choice = np.zeros(new[..., band].shape, dtype=np.uint8) if choose else None
        before = slice(first - 1, high)
        candidates = [
            (SHARED, np.s_[:, :, first : high + 1], old[..., before], self.of_shared[..., before]),
            (HIGHER, np.s_[1:, :, band], old[:-1, :, band], self.of_higher[..., band]),
            (LOWER, np.s_[:, 1:, band], old[:, :-1, band], self.of_lower[..., band]),
        ]
        for role, cells, values, weights in candidates:
            if not values.size:
                continue
            total = weights * x
            total = values + total
            into = new[cells]
            if choice is not None:
                shifted = (*cells[:2], slice(cells[2].start - low, None))
                np.copyto(choice[shifted], role, where=total > into)
            np.maximum(into, total, out=into)
        self.values, self.next = new, old
        return choice

    def before(
        self, choice: np.ndarray, i: int, place: tuple[int, int, int]
    ) -> tuple[int, tuple[int, int, int]]:
        """The role of a record in a cell, and the cell before it entered."""
        q, r, p = place
        role = int(choice[q, r, p - self.program._band(i + 1)[0]])
        steps = {UNUSED: (0, 0, 0), SHARED: (0, 0, 1), HIGHER: (1, 0, 0), LOWER: (0, 1, 0)}[role]
        return role, (q - steps[0], r - steps[1], p - steps[2])


def _windows(weights: np.ndarray, more: int, c: int) -> np.ndarray:
    """The weight of the next record by how many of its own, from none, and shared came before."""
    rows = [weights[own : own + c + 1] for own in range(more)]
    return np.stack(rows) if rows else np.zeros((0, c + 1), dtype=weights.dtype)


def _runs(roles: np.ndarray, role: int) -> Iterator[Run]:
    """The runs of records that have a role."""
    start = 0
    for held, same in groupby(roles.tolist()):
        stop = start + sum(1 for _ in same)
        if held == role:
            yield start, stop
        start = stop
