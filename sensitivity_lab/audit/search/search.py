"""The stages of a search: known layouts first, then climbs, then the widest pair made plainer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice, product
from typing import Any

import numpy as np

from sensitivity_lab.audit.search.pairs import Spent, Trials
from sensitivity_lab.audit.search.starts import (
    KINDS,
    Family,
    Line,
    boundary_positions,
    constants,
    ends,
    orders_of,
)
from sensitivity_lab.audit.search.steps import Steps, climb, shrink
from sensitivity_lab.audit.subject import Subject, Widest
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import brief, is_finite, is_real, whole_number
from sensitivity_lab.problem import Problem
from sensitivity_lab.relations import Move

STARTS, CLIMBS = 0.6, 0.95  # where in the budget a stage ends; what is left makes the pair plainer
MOST_MOVES = 8  # of which the starts are tried; the climbs draw from all
SPLITS = 16  # of a line, in search of a jump of the answer
SAMPLES = 6  # layouts of a family, tried before the best is refined
TRIALS = 10_000  # of a row, where none are named
MOST_TIMED = 10_000_000  # of a row that has a time to end
MOST_PAIRS = 100_000_000  # in all rows: some hours
MOST_READ = 10_000_000_000  # records, in all trials: some hours


def search(
    problem: Problem,
    subject: Subject,
    *,
    trials: int,
    seed: int | np.random.Generator,
    seconds: float | None = None,
    progress: bool = False,
) -> Widest:
    """Return the widest of `trials` neighbouring pairs, which is checked to be one.

    No maximum is claimed: the gap is a lower bound of the sensitivity. Cost: two answers a trial.
    """
    asked = Trials(problem, subject, most=trials, seconds=seconds, progress=progress)
    rng, universe = np.random.default_rng(seed), problem.universe
    orders, boundary = orders_of(universe, subject), boundary_positions(universe)
    families = list(_families(asked, orders, boundary))
    steps = Steps(universe, orders, boundary, rng)
    stages: tuple[tuple[float, Callable[[], None]], ...] = (
        (STARTS, lambda: _start(families, rng)),
        (CLIMBS, lambda: _climbs(families, steps, asked)),
        (1.0, lambda: shrink(asked)),
    )
    for until, stage in stages:
        asked.until = until
        with suppress(Spent):
            stage()
    return asked.widest()


def _families(
    asked: Trials, orders: Sequence[np.ndarray], boundary: Sequence[int]
) -> Iterator[Family]:
    """The layouts to start from: each kind, over each order, for the moves of a problem."""
    kinds = [*KINDS]
    if asked.universe.unlimited and len(boundary) > 1:
        kinds.append(constants(boundary))
    for kind, order, (size, (r, a)) in product(kinds, orders, far_moves(asked.problem)):
        line = Line.of(asked.universe, order, size + a)
        yield Family(kind, line, (size - r, r, a), False, asked)
        if r != a:
            yield Family(kind, line, (size - r, a, r), True, asked)


def _all_moves(problem: Problem) -> list[tuple[int, Move]]:
    return [(size, move) for size, moves in problem.plan.items() for move in moves]


def far_moves(problem: Problem) -> list[tuple[int, Move]]:
    """A few sizes and moves, those with most records first."""
    every = _all_moves(problem)
    moving = [step for step in every if step[1] != (0, 0)] or every
    moving.sort(key=lambda step: (-sum(step[1]), step[0]))
    if len(moving) <= MOST_MOVES:
        return moving
    spread = np.linspace(0, len(moving) - 1, MOST_MOVES // 2, dtype=np.intp).tolist()
    return [moving[i] for i in dict.fromkeys([*range(MOST_MOVES // 2), *spread])]


def _start(families: Sequence[Family], rng: np.random.Generator) -> None:
    """Look at every family, refine the best of each, then go on from layouts at random. Raises Spent."""
    for family in families:
        if family.kind.layout is ends:
            family.split_at_jumps(SPLITS)
        else:
            family.look_around(rng, samples=0)
    for family in _widest_first(families):
        family.refine()
    for _ in range(SAMPLES):
        for family in _widest_first(families):
            asked = len(family.tried)
            family.look_around(rng, SAMPLES)
            if len(family.tried) > asked:
                family.refine()


def _widest_first(families: Sequence[Family]) -> list[Family]:
    return sorted(families, key=lambda family: family.best.gap, reverse=True)


def _climbs(families: Sequence[Family], steps: Steps, asked: Trials) -> None:
    """Climb from the best of each family, from the widest pair, and from random ones. Raises Spent."""
    moves = _all_moves(asked.problem)
    known = iter(_widest_first([family for family in families if family.tried]))
    for turn in count():
        for family in islice(known, 1):
            climb(asked, steps, family.best)
        if asked.best is not None and turn % 2:
            climb(asked, steps, asked.best)
        climb(asked, steps, steps.random(*moves[steps.rng.integers(len(moves))]))


def checked_trials(trials: Any, seconds: Any) -> int:
    """Return how many pairs a row's search may try."""
    if trials is None:
        return TRIALS if seconds is None else MOST_TIMED
    return whole_number(trials, "trials", 1)


def checked_seconds(seconds: Any) -> float | None:
    """Return how long a row's search may take, in seconds; None is as long as its trials last."""
    if seconds is None:
        return None
    if not is_real(seconds):
        raise TypeError(f"seconds must be a number, got {brief(seconds)}")
    if not (is_finite(seconds) and seconds > 0):
        raise ValueError(f"seconds must be above 0 and finite, got seconds={brief(seconds)}")
    return float(seconds)


def checked_source(seed: Any, rng: Any) -> int | np.random.Generator:
    """Return what the random numbers of each row start from: a seed, or a generator to draw from."""
    first = whole_number(seed, "seed", 0)
    if rng is None:
        return first
    if first:
        raise ValueError(f"give either seed or rng, got seed={first} and rng={brief(rng)}")
    return rng if isinstance(rng, np.random.Generator) else whole_number(rng, "rng", 0)


def require_budget(problems: Sequence[Problem], trials: int, seconds: float | None) -> None:
    """Refuse a search that would try too many pairs or read too many records, if no time ends it."""
    pairs, records = trials * len(problems), trials * sum(map(_records_of_a_trial, problems))
    for number, most, what, fewer in (
        (pairs, MOST_PAIRS, "pairs to search", "trials or rows"),
        (records, MOST_READ, "records to read in a search", "trials, rows or records"),
    ):
        if seconds is None and number > most:
            raise TooLarge(f"{number:,} {what} exceed the limit of {most:,}; ask for fewer {fewer}")


def _records_of_a_trial(problem: Problem) -> int:
    """A step in a population copies all of it."""
    universe = problem.universe
    records = 0 if universe.unlimited else int(universe.records)
    return records + 2 * max(problem.sizes_answered)
