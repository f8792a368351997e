"""A sum or a count by group, solved: each record is told by its group and its number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.methods.image import Members
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.entries.groups import GroupedSum
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import AtPositions, D, WorstPair
from sensitivity_lab.queries import Grouping
from sensitivity_lab.records.numbers import in_whole_numbers
from sensitivity_lab.records.said import codes_of
from sensitivity_lab.universe import Universe


def gaps_by_group(problem: Problem, grouping: Grouping) -> D | None:
    """Return D for a problem whose query is a sum or a count by group, or None without a proof."""
    adds = grouping.query.proved.adds if grouping.query.proved else None
    if adds is None or problem.universe.holds_people or problem.universe.has_missing:
        return None
    if problem.norm == 0 and adds == "number" and grouping.keys is None:
        return None
    groups = _Groups(problem.universe, grouping, adds)
    if problem.universe.unlimited:
        d, told = GroupedSum().on_group_values(groups.ends, problem.norm), groups.at_ends
    else:
        d, told = GroupedSum().on_groups(groups.records, groups.runs, problem.norm), groups.at_runs

    def in_records(c: int, a: int, b: int) -> WorstPair | None:
        pair = d(c, a, b)
        return None if pair is None else told(pair)

    return in_records


@dataclass(frozen=True)
class _Groups:
    """The m records of a universe by group, and in each by their numbers."""

    universe: Universe
    grouping: Grouping
    adds: str

    @cached_property
    def codes(self) -> np.ndarray:
        """The group of each record, (m,): its position among the keys; what is in none comes last."""
        keys = self.universe.said(self.grouping.by_what, "by")
        if self.grouping.keys is None:
            return codes_of(keys)
        position_of = {key: i for i, key in enumerate(self.grouping.keys)}
        return np.array([position_of.get(key, len(position_of)) for key in keys], dtype=np.int64)

    @cached_property
    def numbers(self) -> tuple[np.ndarray, int]:
        """The number of each record, (m,) whole numbers, and what they are over."""
        whole, scale = np.ones(len(self.codes), dtype=np.int64), 1
        if self.adds == "number":
            whole, scale = in_whole_numbers(self.universe.numbers_of(self.grouping.of_what))
        known = self.grouping.keys
        return (whole if known is None else np.where(self.codes < len(known), whole, 0)), scale

    @cached_property
    def order(self) -> np.ndarray:
        """The records by group, then by number, (m,)."""
        return np.lexsort((self.numbers[0], self.codes))

    @property
    def records(self) -> SortedRecords:
        """The numbers in that order."""
        return SortedRecords(self.order, self.numbers[0][self.order], self.numbers[1])

    @property
    def runs(self) -> np.ndarray:
        """Where each group is in that order, (groups, 2)."""
        stops = np.flatnonzero(np.diff(self.codes[self.order], append=-1)) + 1
        return np.stack([np.concatenate([[0], stops[:-1]]), stops], axis=1)

    @property
    def ends(self) -> list[tuple[Exact, Exact]]:
        """The lowest and the highest number of each group."""
        whole, scale = self.records.whole, self.numbers[1]
        return [
            (Fraction(int(whole[start]), scale), Fraction(int(whole[stop - 1]), scale))
            for start, stop in self.runs.tolist()
        ]

    def at_runs(self, pair: WorstPair) -> WorstPair:
        """A pair of runs of that order, told in records."""
        return replace(pair, records=Members(self.universe, self.order))

    def at_ends(self, pair: WorstPair) -> WorstPair:
        """A pair of (group, lowest or highest number), told in records that have them."""
        at: dict[Any, int] = {}
        ends = zip(self.ends, self.runs.tolist(), strict=True)
        for group, ((low, high), (start, stop)) in enumerate(ends):
            first, last = self.order[start], self.order[stop - 1]
            at[group, high], at[group, low] = int(last), int(first)
        positions = self.universe.source.positions_at(np.array(list(at.values()), dtype=np.int64))
        position_of = dict(zip(at, positions.tolist(), strict=True))
        sides = (pair.common, pair.removed, pair.added)
        parts = [tuple((position_of[key], n) for key, n in side) for side in sides]
        return pair.in_copies(parts, records=AtPositions(self.universe))
