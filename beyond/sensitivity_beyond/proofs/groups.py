"""Counts and sums by group over rows: D of a population by group,
and of rows that never run out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_beyond.proofs.entries.bins import BinsOfRuns
from sensitivity_beyond.proofs.entries.splits import Entries, Groups, of_population
from sensitivity_beyond.proofs.reach import with_records
from sensitivity_beyond.proofs.sorted_records import SortedRecords
from sensitivity_beyond.tables.asking import Grouping
from sensitivity_beyond.tables.columns import codes_of, numbers_of
from sensitivity_beyond.tables.lifting import Members
from sensitivity_beyond.tables.source import said
from sensitivity_lab.numbers.exact import simplest
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.splits import Ends, between_ends
from sensitivity_lab.proved.worst_pair import CopiesAt, D
from sensitivity_lab.records import in_whole_numbers
from sensitivity_lab.universe import Universe


def gaps_by_group(problem: Problem, grouping: Grouping) -> D | None:
    """Return D for a problem whose query is a sum or a count by group, or None without a proof."""
    adds = grouping.query.proved.adds if grouping.query.proved else None
    universe, norm = problem.universe, problem.norm
    if adds is None or universe.has_missing:
        return None
    if norm == 0 and adds == "number" and grouping.keys is None:
        return None
    records, runs, counted = by_group(universe, grouping, adds)
    if universe.unlimited:
        d = between_ends(_ends(universe, records, runs), norm)
        return with_records(d, CopiesAt(universe))
    entries: Entries = Groups(records, runs)
    if adds == "one":
        entries = BinsOfRuns(runs[:counted], runs[counted:].tolist())
    d = of_population(records, entries, norm)
    return with_records(d, Members(universe, records.given))


def by_group(
    universe: Universe, grouping: Grouping, adds: str
) -> tuple[SortedRecords, np.ndarray, int]:
    """The m records of a universe by group, then by number; each group's run;
    how many have a known key.

    As they were given the records are positions, (m,); the runs are (groups, 2).
    What is in no group comes last.
    """
    keys = grouping.keys
    codes, known = codes_by_group(universe, grouping.by_what, keys)
    whole, scale = np.ones(len(codes), dtype=np.int64), 1
    if adds == "number":
        whole, scale = in_whole_numbers(numbers_of(universe, grouping.of_what))
    if keys is not None:
        whole = np.where(codes < known, whole, 0)
    order = np.lexsort((whole, codes))
    stops = np.flatnonzero(np.diff(codes[order], append=-1)) + 1
    starts = np.concatenate([[0], stops[:-1]])
    counted = len(starts) if keys is None else int(np.count_nonzero(codes[order[starts]] < known))
    return SortedRecords(order, whole[order], scale), np.stack([starts, stops], axis=1), counted


def codes_by_group(
    universe: Universe, by_what: Any, keys: Sequence[Any] | None
) -> tuple[np.ndarray, int]:
    """The group of each of the m records as a whole number; of known keys its position among
    them, or else their number."""
    told = said(universe, by_what, "by")
    if keys is None:
        return codes_of(told), 0
    position_of = {key: i for i, key in enumerate(keys)}
    codes = [position_of.get(key, len(position_of)) for key in told]
    return np.array(codes, dtype=np.int64), len(position_of)


def _ends(universe: Universe, records: SortedRecords, runs: np.ndarray) -> list[Ends]:
    """The lowest and the highest number of each group, and the positions of who has them."""
    ends = runs.T - [[0], [1]]
    places = [universe.source.positions_at(records.given[end]).tolist() for end in ends]
    numbers = [
        [simplest(Fraction(int(n), records.scale)) for n in records.whole[end]] for end in ends
    ]
    return [Ends(*held) for held in zip(*numbers, *places, strict=True)]
