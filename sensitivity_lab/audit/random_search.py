"""A search for wide pairs where there are too many to enumerate: a find is a proof, no find is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.gap import Gap
from sensitivity_lab.methods.walk import Best
from sensitivity_lab.methods.workers import with_bar
from sensitivity_lab.problem import Problem
from sensitivity_lab.universe import Indices, Universe

PATIENCE = 40  # steps without a wider gap before a climb ends
PALETTE = 3  # a climb starts from at most so many different values, so that ties are met
MOST_PAIRS = 100_000_000  # in all rows: some hours
MOST_READ = 10_000_000_000  # records, in all trials: some hours


def search(
    problem: Problem,
    answer: Callable[[Indices], Any],
    gap: Callable[[Any, Any], Gap],
    *,
    trials: int,
    seed: int,
    progress: bool = False,
) -> Best:
    """Return the widest of `trials` neighbouring pairs, found by climbing from random starts.

    >>> from sensitivity_lab import MEAN, Change
    >>> problem = Problem(MEAN, Universe.value_range(range(10)), 3, Change(1), norm=1)
    >>> search(problem, sum, lambda a, b: abs(a - b), trials=500, seed=0).gap
    9

    A climb holds one pair, and steps to one that differs in a record if its gap is as wide.
    No maximum is claimed: the gap is a lower bound of the sensitivity. `answer` and `gap` work on
    positions among the universe's values. Cost: two answers a trial.
    """
    rng = np.random.default_rng(seed)
    universe = problem.universe
    steps = [(size, move) for size, moves in problem.plan.items() for move in moves]
    best: Best | None = None
    held: Gap | None = None
    rest = 0
    for _ in with_bar(range(trials), progress, desc="search", unit=" pairs"):
        if not rest:  # a new climb
            size, (removed, added) = steps[rng.integers(len(steps))]
            held, records, rest = None, _start(universe, size + added, rng), PATIENCE
        stepped = records if held is None else _step(universe, records, size + added, rng)
        pair = (
            _dataset(universe, stepped[:size]),
            _dataset(universe, [*stepped[: size - removed], *stepped[size : size + added]]),
        )
        found = gap(answer(pair[0]), answer(pair[1]))
        rest = PATIENCE if held is None or found > held else rest - 1
        if held is None or found >= held:
            held, records = found, stepped
        if best is None or found > best.gap:
            best = Best(found, *pair)
    assert best is not None
    return best


def require_budget(problems: Sequence[Problem], trials: int) -> None:
    """Refuse a search that would try too many pairs or read too many records, before any work.

    >>> from sensitivity_lab import MEAN, Change
    >>> problem = Problem(MEAN, Universe.value_range([0, 1]), 10**6, Change(1), norm=1)
    >>> require_budget([problem], trials=100)

    Cost: linear in the plans. Raises ValueError.
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
    """Records for a dataset and what joins it: positions in a range, places in a population."""
    if not universe.unlimited:
        return list(rng.permutation(int(universe.records)).tolist())
    palette = rng.integers(universe.distinct, size=rng.integers(1, PALETTE + 1))
    return list(rng.choice(palette, size=needed).tolist())


def _step(
    universe: Universe, records: list[int], needed: int, rng: np.random.Generator
) -> list[int]:
    """The records with one of those in use replaced; in a population two trade places."""
    stepped = records.copy()
    if not needed:  # the empty dataset beside itself
        return stepped
    place = int(rng.integers(needed))
    if universe.unlimited:
        stepped[place] = int(rng.integers(universe.distinct))
    else:
        other = int(rng.integers(len(records)))
        stepped[place], stepped[other] = stepped[other], stepped[place]
    return stepped


def _dataset(universe: Universe, records: list[int]) -> Indices:
    """The sorted positions of the records' values."""
    if universe.unlimited:
        return tuple(sorted(records))
    return tuple(sorted(universe.value_of[record] for record in records))
