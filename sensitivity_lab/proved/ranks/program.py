"""The widest gap of any weights of ranks on a population, by a program over the records in order (thm-l-program).

The records enter one by one, the lowest first. What matters of those that have entered is how many
are in C, in A and in B, for these say which ranks the next record has:

    records   2   3   5   13  17  33  38  39
    role      B   .   A   C   C   A   .   A      ranks of S: A 0, C 1, C 2, A 3, A 4
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby

import numpy as np

from sensitivity_lab.proved.ranks.weights import Steps
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import WorstPair

UNUSED, SHARED, HIGHER, LOWER = range(4)  # a record's role: in none of the three, in C, in A, in B
ENTERS = ((0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0))  # by role: one more of A, of B, of C
MOST_CELLS = 10_000_000_000  # records × counts that can be reached: about a minute
MOST_HELD = 400_000_000  # bytes of tables
SLOWER = 25  # times, where the numbers need more than 64 bits


class RankProgram:
    """The program for one share of a population, with the weights of the two sizes.

    Cost: two passes over `cells`, in NumPy; memory `held`.
    """

    def __init__(
        self, records: SortedRecords, higher: Steps, lower: Steps, share: tuple[int, int, int]
    ) -> None:
        (c, a, b), m = share, len(records)
        self.records, self.share, self.sides = records, share, (higher, lower)
        self.unit = math.lcm(higher.unit, lower.unit)
        self.middle = (records[0] + records[-1]) // 2  # taken from all: a constant in the gap
        weights = sum(side.magnitude * (self.unit // side.unit) for side in self.sides)
        self.bound = max(weights, 1) * (records[-1] - records[0] + 1)  # of all sums
        fits = self.bound < 2**60  # five such bounds stay within 64 bits
        self.dtype = np.dtype(np.int64 if fits else object)
        self.stride = math.isqrt(m) + 1  # tables are kept of every so many records
        reached, states = min(c, m - c) + 1, (a + 1) * (b + 1)
        each, kept = 8 if fits else 50, -(-m // self.stride)
        self.cells = m * reached * states * (1 if fits else SLOWER)
        self.held = states * (kept * reached * each + self.stride * reached + 5 * c * each)

    def widest(self) -> WorstPair:
        """The widest gap, and the roles of the records that have it."""
        table, m = _Table(self), len(self.records)
        starts, kept = range(0, m, self.stride), []
        for start in starts:
            kept.append(table.kept(start))
            for i in range(start, min(start + self.stride, m)):
                table.enter(i)
        c, a, b = self.share
        total, place = int(table.values[a, b, c]), (a, b, c)
        roles = np.zeros(m, dtype=np.uint8)
        for start in reversed(starts):
            table.put_back(start, kept.pop())
            entered = range(start, min(start + self.stride, m))
            choices = [table.enter(i, choose=True) for i in entered]
            for i in reversed(entered):
                q, r, p = place
                roles[i] = role = int(choices[i - start][q, r, p - table.reached(i + 1).start])
                more_a, more_b, more_c = ENTERS[role]
                place = q - more_a, r - more_b, p - more_c
        higher, lower = (side.sums[-1] * (self.unit // side.unit) for side in self.sides)
        gap = Fraction(total + self.middle * (higher - lower), self.unit * self.records.scale)
        shared, own, others = (tuple(_runs(roles, role)) for role in (SHARED, HIGHER, LOWER))
        return WorstPair(gap, shared, own, others, self.records)


class _Table:
    """The best total for each number of A, of B and of C among the records that have entered."""

    def __init__(self, program: RankProgram) -> None:
        c, a, b = program.share
        dtype, m = program.dtype, len(program.records)
        higher, lower = (side.over(program.unit).astype(dtype) for side in program.sides)
        self.numbers = (program.records.whole.astype(object) - program.middle).astype(dtype)
        self.c, self.spare = c, m - c
        self.never = -4 * program.bound - 4
        shape = (a + 1, b + 1, c + 1)
        self.values, self.next = (np.full(shape, self.never, dtype=dtype) for _ in range(2))
        self.values[0, 0, 0] = 0
        of_shared = _windows(higher, a + 1, c)[:, None] - _windows(lower, b + 1, c)[None]
        self.weights = {  # by role, of the next record: (A, B, C that entered)
            SHARED: of_shared,
            HIGHER: _windows(higher, a, c + 1)[:, None],
            LOWER: -_windows(lower, b, c + 1)[None],
        }

    def reached(self, entered: int) -> slice:
        """The numbers of shared records, among so many that have entered, from which c can be reached."""
        return slice(max(0, entered - self.spare), min(self.c, entered) + 1)

    def kept(self, entered: int) -> np.ndarray:
        """A copy of the values that can be reached."""
        return self.values[..., self.reached(entered)].copy()

    def put_back(self, entered: int, kept: np.ndarray) -> None:
        """Return to what was kept."""
        self.values.fill(self.never)
        self.next.fill(self.never)
        self.values[..., self.reached(entered)] = kept

    def enter(self, i: int, choose: bool = False) -> np.ndarray:
        """Let a record enter; where asked, say what role was best in each cell."""
        band, old, new = self.reached(i + 1), self.values, self.next
        first = max(band.start, 1)
        new[..., band] = old[..., band]
        choice = np.zeros(new[..., band].shape if choose else 0, dtype=np.uint8)
        before = slice(first - 1, band.stop - 1)
        candidates = (
            (SHARED, np.s_[:, :, first : band.stop], old[..., before], before),
            (HIGHER, np.s_[1:, :, band], old[:-1, :, band], band),
            (LOWER, np.s_[:, 1:, band], old[:, :-1, band], band),
        )
        for role, cells, values, at in candidates:
            if not values.size:
                continue
            total = values + self.weights[role][..., at] * self.numbers[i]
            into = new[cells]
            if choose:
                shifted = (*cells[:2], slice(cells[2].start - band.start, None))
                np.copyto(choice[shifted], role, where=total > into)
            np.maximum(into, total, out=into)
        self.values, self.next = new, old
        return choice


def _windows(weights: np.ndarray, own: int, shared: int) -> np.ndarray:
    """The weight of the next record, (own, shared): by how many of its own side entered, and how many of C."""
    return np.array(
        [weights[some : some + shared] for some in range(own)], dtype=weights.dtype
    ).reshape(own, shared)


def _runs(roles: np.ndarray, role: int) -> Iterator[Run]:
    """The runs of records that have a role."""
    start = 0
    for held, same in groupby(roles.tolist()):
        stop = start + sum(1 for _ in same)
        if held == role:
            yield start, stop
        start = stop
