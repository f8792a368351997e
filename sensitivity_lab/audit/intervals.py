"""A search of an interval: on a grid first, then its pair is moved by steps that halve until floats end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sensitivity_lab.audit.boundary_values import breaking_values
from sensitivity_lab.audit.layouts import Layout, require_neighbours
from sensitivity_lab.audit.random_search import search
from sensitivity_lab.audit.subject import Subject, WorstInputs
from sensitivity_lab.audit.trials import Spent, Trials, Tried
from sensitivity_lab.problem import Problem
from sensitivity_lab.tabular.continuous import Continuous
from sensitivity_lab.universe import Universe

CELLS = 64  # of the grid
MOST_VALUES = 8  # of a pair, that are moved
ON_GRID = 0.6  # the share of the budget that the grid has


def search_interval(
    problem: Problem,
    subject: Subject,
    *,
    interval: Continuous,
    trials: int,
    seed: int | np.random.Generator,
    seconds: float | None = None,
    progress: bool = False,
) -> WorstInputs:
    """Return the widest of `trials` neighbouring pairs of floats from an interval.

    >>> from sensitivity_lab import Change, Query
    >>> humps = Query("humps", lambda dataset: math.sin(7 * dataset[0]))
    >>> problem = Problem(humps, Universe.interval(0, 1), 1, Change(1), norm=1)
    >>> unit, subject = Continuous(0.0, 1.0), Subject.of(humps, 1, None)
    >>> search_interval(problem, subject, interval=unit, trials=2000, seed=0).gap
    2.0

    Cost: two answers a trial.
    """
    on_grid = max(1, math.ceil(ON_GRID * trials))
    worst = search(
        replace(problem, universe=_grid(interval)),
        subject,
        trials=on_grid,
        seed=seed,
        seconds=None if seconds is None else ON_GRID * seconds,
        progress=progress,
    )
    ends = math.inf if seconds is None else time.monotonic() + (1 - ON_GRID) * seconds
    return _refined(problem, subject, interval, worst, most=trials - on_grid, ends=ends)


def _grid(interval: Continuous) -> Universe:
    """Evenly spaced values, and those that break arithmetic."""
    even = np.linspace(interval.low, interval.high, CELLS + 1).tolist()
    return Universe.value_range([*even, *breaking_values((interval.low, interval.high))])


def _refined(
    problem: Problem,
    subject: Subject,
    interval: Continuous,
    worst: WorstInputs,
    *,
    most: int,
    ends: float,
) -> WorstInputs:
    """The pair that moves to wider ones lead to, by steps that are halved where none is wider."""
    step = (interval.high - interval.low) / CELLS / 2
    while most > 0 and time.monotonic() < ends:
        near = _near(interval, worst, step)
        if near.distinct == len({*worst.dataset, *worst.neighbour}):
            break  # no float lies so near
        asked = Trials(replace(problem, universe=near), subject, most=most)
        wider = _wider(asked, worst, step)
        most -= asked.asked
        step, worst = (step / 2, worst) if wider is None else (step, wider)
    return worst


def _near(interval: Continuous, worst: WorstInputs, step: float) -> Universe:
    """The values of a pair, and those a step from them."""
    held = {*worst.dataset, *worst.neighbour}
    moved = {value + way * step for value in held for way in (-1, 1)}
    inside = {value for value in moved if interval.low <= value <= interval.high}
    return Universe.value_range(sorted(held | inside))


def _wider(asked: Trials, worst: WorstInputs, step: float) -> WorstInputs | None:
    """The first pair a step away that is wider, if there is one and the budget lasts."""
    try:
        found = next((tried for tried in _moved(asked, worst, step) if tried.gap > worst.gap), None)
    except Spent:
        return None
    if found is None:
        return None
    require_neighbours(asked.problem, found.layout)
    return asked.inputs()


def _moved(asked: Trials, worst: WorstInputs, step: float) -> Iterator[Tried]:
    """The pairs with a value a step up or down: in both datasets, in one part, or of one record."""
    universe = asked.universe
    place = {value: i for i, value in enumerate(universe.values)}
    layout = Layout.between(universe.indices(worst.dataset), universe.indices(worst.neighbour))
    for value in sorted({*worst.dataset, *worst.neighbour})[:MOST_VALUES]:
        for new in (place.get(value + step), place.get(value - step)):
            if new is not None and new != place[value]:
                for replaced in _replaced(layout, place[value], new):
                    yield asked.ask(replaced)


def _replaced(layout: Layout, old: int, new: int) -> list[Layout]:
    """The layouts with one value in the place of another, each once.

    >>> for layout in _replaced(Layout((0, 0), (0,), ()), 0, 1):
    ...     print(layout.parts)
    [[1, 1], [1], []]
    [[1, 1], [0], []]
    [[1, 0], [0], []]
    [[0, 0], [1], []]
    """
    parts = layout.parts
    found = [Layout.of([[new if value == old else value for value in part] for part in parts])]
    for i, part in enumerate(parts):
        whole = [new if value == old else value for value in part]
        one = [new, *part] if old in part else part
        if old in part:
            one.remove(old)
        found += [Layout.of([*parts[:i], each, *parts[i + 1 :]]) for each in (whole, one)]
    return [each for each in dict.fromkeys(found) if each != layout]
