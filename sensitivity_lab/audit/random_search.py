"""A search for wide pairs where there are too many to enumerate: a find is a proof, no find is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sensitivity_lab.audit.subject import Subject, WorstInputs
from sensitivity_lab.errors import TooLarge
from sensitivity_lab.gap import Gap
from sensitivity_lab.methods.workers import with_bar
from sensitivity_lab.problem import Problem
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices, Universe

PATIENCE = 40  # steps without a wider gap before a climb ends
PALETTE = 3  # a climb starts from at most so many different values, so that ties are met
MOST_PAIRS = 100_000_000  # in all rows: some hours
MOST_READ = 10_000_000_000  # records, in all trials: some hours


def search(
    problem: Problem, subject: Subject, *, trials: int, seed: int, progress: bool = False
) -> WorstInputs:
    """Return the widest of `trials` neighbouring pairs, met on climbs from random starts.

    >>> from sensitivity_lab import SUM, Change
    >>> problem = Problem(SUM, Universe.value_range(range(10)), 3, Change(1), norm=1)
    >>> search(problem, Subject.of(SUM, 1, None), trials=500, seed=0).gap
    9

    No maximum is claimed: the gap is a lower bound of the sensitivity. Cost: two answers a trial.
    """
    rng = np.random.default_rng(seed)
    steps = [(size, move) for size, moves in problem.plan.items() for move in moves]
    climb: _Climb | None = None
    worst: WorstInputs | None = None
    for _ in with_bar(range(trials), progress, desc="search", unit=" pairs"):
        if climb is None or climb.patience == 0:
            size, move = steps[rng.integers(len(steps))]
            climb = _Climb(subject, problem.universe, size, move, rng)
        tried = climb.tried()
        if worst is None or tried.gap > worst.gap:
            worst = tried
    assert worst is not None
    return worst


class _Climb:
    """A climb holds one pair, and steps to one that differs in a record if its gap is as wide.

    The records of a pair of size n, of which r leave and a join, stand in one list; what is behind
    them is not in use (in a range there is nothing)::

        |<---- n - r ---->|<-- r -->|<-- a -->| … the rest of a population
        |     common      | removed |  added  |
    """

    def __init__(
        self,
        subject: Subject,
        universe: Universe,
        size: int,
        move: Move,
        rng: np.random.Generator,
    ) -> None:
        self.subject, self.universe, self.rng = subject, universe, rng
        self.size, (self.removed, self.added) = size, move
        self.between = subject.measure()
        self.records = _start(universe, self.in_use, rng)
        self.held: Gap | None = None
        self.patience = PATIENCE

    @property
    def in_use(self) -> int:
        """How many records the pair is made of."""
        return self.size + self.added

    def tried(self) -> WorstInputs:
        """The start, or a pair one step from the one held; it is held if its gap is as wide."""
        records = self.records
        if self.held is not None:
            records = _step(self.universe, records, self.in_use, self.rng)
        common, joined = records[: self.size - self.removed], records[self.size : self.in_use]
        here = _positions(self.universe, records[: self.size])
        there = _positions(self.universe, [*common, *joined])
        dataset, neighbour = map(self.universe.given, (here, there))
        answers = self.subject.answer(dataset, here), self.subject.answer(neighbour, there)
        gap = self.between(*answers)
        is_wider = self.held is None or gap > self.held
        self.patience = PATIENCE if is_wider else self.patience - 1
        if is_wider or gap == self.held:
            self.held, self.records = gap, records
        at = (None, None) if self.universe.numeric else (here, there)
        return WorstInputs(gap, dataset, neighbour, at)


def require_budget(problems: Sequence[Problem], trials: int) -> None:
    """Refuse a search that would try too many pairs or read too many records, before any work.

    >>> from sensitivity_lab import MEAN, Change
    >>> problem = Problem(MEAN, Universe.value_range([0, 1]), 10**6, Change(1), norm=1)
    >>> require_budget([problem], trials=100)
    """
    pairs = trials * len(problems)
    if pairs > MOST_PAIRS:
        raise TooLarge(
            f"{pairs:,} pairs to search exceed the limit of {MOST_PAIRS:,}; "
            "ask for fewer trials or rows"
        )
    read = trials * sum(_records_of_a_trial(problem) for problem in problems)
    if read > MOST_READ:
        raise TooLarge(
            f"{read:,} records to read in a search exceed the limit of {MOST_READ:,}; "
            "ask for fewer trials, rows or records"
        )


def _records_of_a_trial(problem: Problem) -> int:
    """A step in a population copies all of it."""
    universe = problem.universe
    records = 0 if universe.unlimited else int(universe.records)
    return records + 2 * max(problem.sizes_answered)


def _start(universe: Universe, needed: int, rng: np.random.Generator) -> list[int]:
    """Records for a dataset and what joins it: values of a range, or all records of a population."""
    if not universe.unlimited:
        return list(rng.permutation(int(universe.records)).tolist())
    palette = rng.integers(universe.distinct, size=rng.integers(1, PALETTE + 1))
    return list(rng.choice(palette, size=needed).tolist())


def _step(
    universe: Universe, records: list[int], needed: int, rng: np.random.Generator
) -> list[int]:
    """The records with one of those in use replaced; in a population two are exchanged."""
    stepped = records.copy()
    if not needed:  # the empty dataset beside itself
        return stepped
    one = int(rng.integers(needed))
    if universe.unlimited:
        stepped[one] = int(rng.integers(universe.distinct))
    else:
        other = int(rng.integers(len(records)))
        stepped[one], stepped[other] = stepped[other], stepped[one]
    return stepped


def _positions(universe: Universe, records: list[int]) -> Indices:
    """Where some records stand among the values, sorted."""
    values = records if universe.unlimited else [universe.value_of[record] for record in records]
    return tuple(sorted(values))
