"""Any query by group at one dataset: each group is a problem of one column (thm-grouped-local).

What leaves a group and what joins it moves that group's answer alone. So a group gains by how far
its furthest neighbour with x fewer and y more records lies, and a split says which groups have
which x and y.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nlargest
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from sensitivity_beyond.proofs.entries.splits import Choice, Entries, EntryPart, Splits
from sensitivity_beyond.proofs.groups import by_group
from sensitivity_beyond.proofs.routes import on_dataset
from sensitivity_beyond.proofs.sorted_records import Pool, joined
from sensitivity_beyond.tables.asking import Grouping
from sensitivity_beyond.tables.columns import Always, numbers_of
from sensitivity_lab.numbers.exact import Exact, is_real
from sensitivity_lab.numbers.gap import Norm, common_denominator
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.bins import Histogram
from sensitivity_lab.proved.splits import in_norm
from sensitivity_lab.proved.worst_pair import Run, WorstPair
from sensitivity_lab.queries import Query, answers_at
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices, Universe

MOST_ASKED = 50_000  # groups × ways
MOST_STEPS = 100_000_000  # ways × cells of a table; both are seconds


def widest_by_group(problem: Problem, grouping: Grouping, dataset: Indices) -> WorstPair | None:
    """Return the widest gap at a dataset, with a neighbour that has it, or None without a proof."""
    query, has_keys, norm = grouping.query, grouping.keys is not None, problem.norm
    if query.proved is None or query.root or problem.universe.has_missing:
        return None
    if isinstance(query.proved, Histogram):  # whose answer for a group is a vector
        return None
    members = Members.of(problem.universe, grouping, dataset)
    if members is None:
        return None
    moves, number = problem.plan[len(dataset)], len(members.runs)
    ways = ways_of(moves, MOST_ASKED // max(1, number))
    if ways is None:
        return None
    leaving, joining = (max(side) + 1 for side in zip(*moves, strict=True))
    few = sum(min(number, leaving + joining - x - y) for x, y in ways)
    if few * leaving * joining > MOST_STEPS:
        return None
    asked = [query if i < members.counted else None for i in range(number)]
    groups = [Group(members.pool(i, joining - 1), of, has_keys) for i, of in enumerate(asked)]
    try:
        gains = Gains(groups, ways, norm)
    except NotKnown:
        return None
    splits, best = Splits(gains, norm), (-1 if ways else 0, list[EntryPart]())
    for move in sorted(moves, key=sum) if ways else ():
        found = splits.best(*move)
        if found is None:
            return None
        best = max(best, found, key=lambda split: split[0])
    held = Counter(dataset)
    for i, x, y in best[1]:
        neighbour = gains.furthest[i, x, y].neighbour
        gone, joins = members.between(i, groups[i].pool.dataset, neighbour)
        held.subtract(gone)
        held.update(joins)
    gap = in_norm(best[0], gains.scale, norm) if ways else 0
    return WorstPair.between(gap, dataset, tuple(sorted(held.elements())), problem.universe)


@dataclass(frozen=True)
class Members:
    """The members of a universe by group, then by number;
    of equal ones of a range the first counts."""

    universe: Universe
    numbers: Any  # what each says, (m,)
    runs: Sequence[Run]  # of each group; what counts nowhere comes last
    counted: int  # groups
    rank: np.ndarray  # of each number among those of its group
    position: np.ndarray  # of each among the universe's values
    held: np.ndarray  # how many of each are in the dataset

    @classmethod
    def of(cls, universe: Universe, grouping: Grouping, dataset: Indices) -> Members | None:
        """The members of a universe, and how many are in a dataset;
        None where one says no number."""
        family = grouping.query.proved
        adds_one = family is not None and family.adds == "one"
        says = numbers_of(universe, Always(1) if adds_one else grouping.of_what)
        if not all(map(is_real, says)):
            return None
        records, runs, counted = by_group(universe, grouping, "one" if adds_one else "number")
        order, whole = records.given, records.whole
        numbers = says[order] if isinstance(says, np.ndarray) else [says[i] for i in order.tolist()]
        steps = np.cumsum(np.diff(whole, prepend=whole[:1]) != 0, dtype=np.int64)  # of all before
        rank = steps - np.repeat(steps[runs[:, 0]], runs[:, 1] - runs[:, 0])
        position = universe.source.positions_at(order)
        in_dataset = np.bincount(dataset, minlength=universe.distinct)[position]
        by_position = np.argsort(position, kind="stable")
        copy = np.argsort(by_position) - np.searchsorted(position[by_position], position)
        held = np.where(copy == 0, in_dataset, 0) if universe.unlimited else copy < in_dataset
        held = held.astype(np.int64)
        return cls(universe, numbers, runs.tolist(), counted, rank, position, held)

    def pool(self, i: int, most_added: int) -> Pool:
        """The numbers of a group, and which of them are in the dataset."""
        run = slice(*self.runs[i])
        said = self.numbers[run] if i < self.counted else self.rank[run]  # which are all 0
        numbers = Universe.of(said, "of", unlimited=self.universe.unlimited)
        own = np.repeat(self.rank[run], self.held[run])
        return Pool(numbers, tuple(own.tolist()), most_added)

    def between(self, i: int, own: Indices, neighbour: Indices) -> tuple[list[int], list[int]]:
        """Which records leave a group and which join it,
        so that one set of its numbers becomes another."""
        here, there = Counter(own), Counter(neighbour)
        run, unlimited = slice(*self.runs[i]), self.universe.unlimited
        rank, position, held = self.rank[run], self.position[run], self.held[run]
        gone, joining = list[int](), list[int]()
        for number, n in (here - there).items():
            of = rank == number
            gone += np.repeat(position[of], held[of])[:n].tolist()
        for number, n in (there - here).items():
            alike = position[(rank == number) & (unlimited | (held == 0))]
            joining += (np.repeat(alike[:1], n) if unlimited else alike[:n]).tolist()
        return gone, joining


# --- what a group gains ---


class Furthest(NamedTuple):
    """How far the furthest neighbour of a group's records lies, and it."""

    gain: Exact
    neighbour: Indices


@dataclass(frozen=True)
class Group:
    """The numbers in a group: those of the dataset, and the spare ones;
    what counts nowhere is not asked."""

    pool: Pool
    query: Query | None
    has_keys: bool  # else the answer has no entry for a group of too few records, which counts 0

    def furthest(self, move: Move, norm: Norm) -> Furthest | None:
        """The furthest neighbour by a move; None where there is none such.
        Raises NotKnown without a proof."""
        (x, y), own, spare = move, self.pool.own, self.pool.spare
        if x > len(own) or y > len(spare):
            return None
        some = joined(own[x:], spare[:y])
        if self.query is None:
            return Furthest(0, some)
        found, smallest = [some], self.query.smallest_size or 0
        if len(some) >= smallest:
            assert self.query.proved
            found = list(on_dataset(self.query.proved, self.pool, move, norm) or ())
        if not found:
            raise NotKnown
        (here,), there = (self._answers(self.query, of) for of in ([self.pool.dataset], found))
        apart = [abs(Fraction(answer - here)) for answer in there]
        gain = max(apart)
        furthest = found[apart.index(gain)]
        if norm == 0:  # whether the entry differs, if only by being there
            is_there, was = (len(of) >= max(1, smallest) for of in (some, own))
            return Furthest(int(gain > 0 or (not self.has_keys and is_there != was)), furthest)
        return Furthest(gain, furthest)

    def _answers(self, query: Query, datasets: Sequence[Indices]) -> Sequence[Exact]:
        """The answers on datasets of one size, as positions among the numbers."""
        if len(datasets[0]) < (query.smallest_size or 0):
            return [0]
        return list(answers_at(query, self.pool.universe, np.array(datasets, dtype=np.int64)))


class NotKnown(Exception):
    """A group is too large for what is proved of it."""


class Gains(Entries):
    """What groups gain by the ways in which a few records can leave and join them."""

    def __init__(self, groups: Sequence[Group], ways: Sequence[Move], norm: Norm) -> None:
        self.furthest: dict[tuple[int, int, int], Furthest] = {}
        most = max(map(sum, ways), default=0)
        for x, y in ways:
            all_of_them = ((i, group.furthest((x, y), norm)) for i, group in enumerate(groups))
            held = [(i, found) for i, found in all_of_them if found]
            # of the groups that can have x and y only the few widest (thm-grouped-few)
            for i, found in nlargest(most - x - y + 1, held, key=lambda one: one[1].gain):
                self.furthest[i, x, y] = found
        gains = [found.gain for found in self.furthest.values()]
        self.whole, self.scale = common_denominator(gains)
        self.largest = max(self.whole, default=0)

    def choices(self, a: int, b: int, norm: Norm) -> Mapping[int, Sequence[Choice]]:
        found: dict[int, list[Choice]] = defaultdict(list)
        for (i, x, y), gain in zip(self.furthest, self.whole, strict=True):
            if x <= a and y <= b:
                found[i].append(Choice(x, y, 0, gain))
        return dict(sorted(found.items()))


def ways_of(moves: Sequence[Move], limit: int) -> list[Move] | None:
    """How many of a group's records can leave and join it by some moves; None of too many ways."""
    reach = [0] * (1 + max(removed for removed, _ in moves))
    for removed, added in moves:
        reach[removed] = max(reach[removed], added)
    reach = [*accumulate(reversed(reach), max)][::-1]  # a group may have fewer of those that leave
    if len(reach) + sum(reach) > limit:
        return None
    return [(x, y) for x, most in enumerate(reach) for y in range(most + 1) if x + y]
