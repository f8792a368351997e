"""The widest gap of an L-statistic on a population.

Where no weight is negative the higher side has the top and the lower one the bottom (thm-monotone), and what is
left is where the shared records lie: stretches of ranks, each moved up by as much (thm-l-shifts):

    weights of the shared    −  −  −     +  +  −  −      +  +
    moved up by              nothing     one number      all there is

Any other weights are asked of `RankProgram`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise, starmap

import numpy as np

from sensitivity_lab.proved.ranks.weights import Step, Steps, Weights
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import Share, WorstPair

A_STEP = 2_000  # cells that take as long as a step of ranks
MOST_KNOWN = 8  # sizes whose weights are held: they may be long


class RanksOnPopulation:
    """D of an L-statistic on a population."""

    def __init__(self, records: SortedRecords, weights: Weights) -> None:
        self.records = records
        self.steps = lru_cache(MOST_KNOWN)(weights.steps)

    def __call__(self, c: int, a: int, b: int) -> WorstPair:
        """The widest pair of a share. Cost: as `affordable` counts."""
        return self.search(c, a, b).widest()

    def affordable(self, asked: Iterable[Share]) -> bool:
        """Whether some shares cost no more, all together, than may be spent without asking."""
        every = [share[:3] for share in asked]
        cells = 0
        for c, a, b in every:
            cells += A_STEP * sum(len(self.steps(c + own).ends) for own in (a, b))
            if cells > MOST_CELLS:
                return False
        for one in starmap(self.search, every):
            cells += one.cells
            if cells > MOST_CELLS or one.held > MOST_HELD:
                return False
        return True

    def search(self, c: int, a: int, b: int) -> Shifts | RankProgram:
        """The search that serves the weights of a share."""
        sides = self.steps(c + a), self.steps(c + b)
        kind = Shifts if all(side.never_negative for side in sides) else RankProgram
        return kind(self.records, *sides, (c, a, b))


class Shifts:
    """The search where A is the top and B the bottom: the shared records lie between."""

    def __init__(
        self, records: SortedRecords, higher: Steps, lower: Steps, share: tuple[int, int, int]
    ) -> None:
        self.records, self.share = records, share
        self.higher, self.lower = higher, lower
        self.unit = math.lcm(higher.unit, lower.unit)
        self.room = len(records) - sum(share)  # records between that are unused
        self.first, self.middle, self.last = stretches(self._shared())

    @property
    def cells(self) -> int:
        """How many sums are compared."""
        return sum(map(len, self.middle)) * (self.room + 1)

    @property
    def held(self) -> int:
        """How many bytes they take."""
        return 8 * (len(self.middle) + 4) * (self.room + 1) if self.middle else 0

    def _shared(self) -> Iterator[Step]:
        """The shared ranks by what they weigh: as that of S, minus that of T with all of B below."""
        c, _, b = self.share
        high, low = self.unit // self.higher.unit, self.unit // self.lower.unit
        bends = {0, c, *self.higher.ends, *(end - b for end in self.lower.ends)}
        for start, stop in pairwise(sorted(bend for bend in bends if 0 <= bend <= c)):
            yield start, stop, self.higher.at(start) * high - self.lower.at(start + b) * low

    def widest(self) -> WorstPair:
        """The widest pair. Cost: O(1) sums of runs a step, and O(m) a step of the middle."""
        c, a, b = self.share
        records, top = self.records, len(self.records) - a
        moved = [(self.first, 0), *zip(self.middle, self._moves(), strict=True)]
        moved.append((self.last, self.room))
        shared = [
            (start + b + up, stop + b + up, w) for steps, up in moved for start, stop, w in steps
        ]
        high, low = self.unit // self.higher.unit, self.unit // self.lower.unit
        own = ((top - c + i, top - c + j, w * high) for i, j, w in self.higher.between(c, c + a))
        others = ((i, j, -w * low) for i, j, w in self.lower.between(0, b))
        weighed = ((w, (start, stop)) for start, stop, w in chain(shared, own, others) if w)
        gap = Fraction(
            sum(w * records.total([run]) for w, run in weighed), records.scale * self.unit
        )
        return WorstPair(gap, _joined_runs(shared), ((top, top + a),), ((0, b),), records)

    def _moves(self) -> list[int]:
        """How far each stretch of the middle is moved up: never less than the one before it."""
        best: list[np.ndarray] = []
        for stretch in self.middle:
            gains = self._gains(stretch)
            best.append(gains + np.maximum.accumulate(best[-1]) if best else gains)
        moves, most = [], self.room
        for gains in reversed(best):
            most = int(np.argmax(gains[: most + 1]))
            moves.append(most)
        return moves[::-1]

    def _gains(self, stretch: Sequence[Step]) -> np.ndarray:
        """What a stretch adds to the gap, moved up by 0, 1, …: exact."""
        b, many = self.share[2], self.room + 1
        weights = sum(abs(weight) * (stop - start) for start, stop, weight in self._shared())
        fits = weights * max(self.records.largest, 1) < 2**62  # all gains together stay below that
        gains = np.zeros(many, dtype=np.dtype(np.int64 if fits else object))
        for start, stop, weight in stretch:
            if weight:
                ends = (slice(b + at, b + at + many) for at in (start, stop))
                gains += weight * self.records.sums.whole(*ends).astype(gains.dtype)
        return gains


def stretches(shared: Iterable[Step]) -> tuple[list[Step], list[list[Step]], list[Step]]:
    """First what weighs at most 0; then stretches that first weigh more, then less; last what weighs more."""
    found: list[list[Step]] = [[]]
    fallen = True
    for step in shared:
        weight = step[2]
        if weight > 0 and fallen:
            found.append([])
        fallen = weight < 0 or (fallen and weight == 0)
        found[-1].append(step)
    first, *middle = found
    last = [] if fallen or not middle else middle.pop()
    return first, middle, last


def _joined_runs(steps: Iterable[Step]) -> tuple[Run, ...]:
    """Runs in order, as few as they can be."""
    joined: list[Run] = []
    for start, stop, _ in steps:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return tuple(joined)


# --- the highest minus the lowest (thm-l-range-population) ---
#
# One side is a run of the records, as narrow as there is; the other has both ends of the population:
#
#     A . . [ B B C C C C ] . . A        a ≥ 2: any run of C and B
#     [ C C C C B B ] . . . . . A        a = 1: the lowest run, or the highest


def widest_range(records: SortedRecords, share: tuple[int, int, int]) -> WorstPair:
    """The widest pair of a share where D is positive, else some pair. Cost: one pass over the records."""
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


# --- any weights ---

UNUSED, SHARED, HIGHER, LOWER = range(4)  # a record's role: in none of the three, in C, in A, in B
ENTERS = ((0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0))  # by role: one more of A, of B, of C
MOST_CELLS = 10_000_000_000  # records × counts that can be reached: about a minute
MOST_HELD = 400_000_000  # bytes of tables
SLOWER = 25  # times, where the numbers need more than 64 bits


class RankProgram:
    """The program for one share of a population, with the weights of the two sizes (thm-l-program).

    The records enter one by one, the lowest first. What matters of those that have entered is how many
    are in C, in A and in B, for these say which ranks the next record has:

        records   2   3   5   13  17  33  38  39
        role      B   .   A   C   C   A   .   A      ranks of S: A 0, C 1, C 2, A 3, A 4

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
        total, place = int(table.values[a, b, c]), [a, b, c]
        roles = np.zeros(m, dtype=np.uint8)
        for start in reversed(starts):
            table.put_back(start, kept.pop())
            entered = range(start, min(start + self.stride, m))
            choices = [table.enter(i, choose=True) for i in entered]
            for i in reversed(entered):
                q, r, p = place
                roles[i] = role = int(choices[i - start][q, r, p - table.reached(i + 1).start])
                place = [n - more for n, more in zip(place, ENTERS[role], strict=True)]
        higher, lower = (side.sums[-1] * (self.unit // side.unit) for side in self.sides)
        gap = Fraction(total + self.middle * (higher - lower), self.unit * self.records.scale)
        shared, own, others = (_runs_of_role(roles, role) for role in (SHARED, HIGHER, LOWER))
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
    rows = [weights[some : some + shared] for some in range(own)]
    return np.array(rows, dtype=weights.dtype).reshape(own, shared)


def _runs_of_role(roles: np.ndarray, role: int) -> tuple[Run, ...]:
    """The runs of records that have a role."""
    ends = np.flatnonzero(np.diff(roles == role, prepend=False, append=False)).tolist()
    return tuple(zip(ends[::2], ends[1::2], strict=True))
