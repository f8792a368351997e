"""From rows to groups: any query by group at one dataset,
a problem of one column for each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sensitivity_beyond.proofs.entries.at_one import (
    MOST_ASKED,
    Asked,
    Group,
    ways_of,
    widest_split,
)
from sensitivity_beyond.proofs.groups import by_group
from sensitivity_beyond.proofs.sorted_records import Pool
from sensitivity_beyond.tables.asking import Grouping
from sensitivity_beyond.tables.columns import Always, numbers_of
from sensitivity_lab.numbers.exact import Exact, is_real
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.bins import Histogram
from sensitivity_lab.proved.worst_pair import Run, WorstPair
from sensitivity_lab.queries import Query, answers_at
from sensitivity_lab.universe import Indices, Universe


def widest_by_group(problem: Problem, grouping: Grouping, dataset: Indices) -> WorstPair | None:
    """Return the widest gap at a dataset, with a neighbour that has it, or None without a proof."""
    query = grouping.query
    if query.proved is None or query.root or problem.universe.has_missing:
        return None
    if isinstance(query.proved, Histogram):  # whose answer for a group is a vector
        return None
    members = Members.of(problem.universe, grouping, dataset)
    if members is None:
        return None
    smallest, has_keys = query.smallest_size or 0, grouping.keys is not None
    asked = Asked(query.proved, partial(_answers, query), smallest, has_keys)
    moves, number = problem.plan[len(dataset)], len(members.runs)
    ways = ways_of(moves, MOST_ASKED // max(1, number))
    if ways is None:
        return None
    most = max(added for _, added in moves)
    groups = [
        Group(members.pool(i, most), asked if i < members.counted else None) for i in range(number)
    ]
    found = widest_split(groups, moves, ways, problem.norm)
    if found is None:
        return None
    held = Counter(dataset)
    for i, neighbour in found[1].items():
        gone, joining = members.between(i, groups[i].pool.dataset, neighbour)
        held.subtract(gone)
        held.update(joining)
    neighbour = tuple(sorted(held.elements()))
    return WorstPair.between(found[0], dataset, neighbour, problem.universe)


def _answers(query: Query, universe: Universe, datasets: Sequence[Indices]) -> list[Exact]:
    """The answers on datasets of one size, as positions among a universe's numbers."""
    answers: list[Exact] = answers_at(query, universe, np.array(datasets, dtype=np.int64))
    return answers


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
        steps = np.cumsum(whole[1:] != whole[:-1], dtype=np.int64)
        steps = np.concatenate([[0], steps])  # of all before
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
        spare = np.ones_like(self.held) if self.universe.unlimited else 1 - self.held
        gone = [at for of, n in (here - there).items() for at in self._those(i, of, self.held)[:n]]
        joining = []
        for number, n in (there - here).items():
            alike = self._those(i, number, spare)
            joining += alike[:1] * n if self.universe.unlimited else alike[:n]
        return gone, joining

    def _those(self, i: int, number: int, times: np.ndarray) -> list[int]:
        """The records of a group that say a number, each so many times."""
        run = slice(*self.runs[i])
        many = times[run] * (self.rank[run] == number)
        return [*np.repeat(self.position[run], many).tolist()]
