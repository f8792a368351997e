"""A search of intervals: on a grid first, then its best pairs are moved by steps that halve until floats end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from sensitivity_lab.audit.boundary_values import breaking_values
from sensitivity_lab.audit.layouts import Layout, require_neighbours
from sensitivity_lab.audit.random_search import explored
from sensitivity_lab.audit.subject import Subject, WorstInputs
from sensitivity_lab.audit.trials import Spent, Trials, Tried
from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.problem import Problem
from sensitivity_lab.records.continuous import Continuous, IntervalRows
from sensitivity_lab.universe import Universe

CELLS = 64  # of the grid, in each interval
MOST_ROWS = 4_000  # of a grid of rows, if each interval has its ends and its middle
FINE = 16  # cells, from which on values that break arithmetic are in the grid, too
MOST_VALUES = 8  # of a pair, that are moved
ON_GRID = 0.6  # the share of the budget that the grid has
MOST_STARTS = 8  # different pairs of the grid, that are moved
FIRST_TRIALS = 60  # at least, of each; with a smaller budget fewer are moved
FIRST_HALVINGS = 12  # of each; then the widest goes on until floats end
NEAR = 2  # cells: pairs no further apart are one start


def search_interval(
    problem: Problem,
    subject: Subject,
    *,
    interval: Continuous | IntervalRows,
    trials: int,
    seed: int | np.random.Generator,
    seconds: float | None = None,
    progress: bool = False,
) -> WorstInputs:
    """Return the widest of `trials` neighbouring pairs of floats from an interval, or of rows with some.

    >>> from sensitivity_lab import Change, Query
    >>> humps = Query("humps", lambda dataset: math.sin(7 * dataset[0]))
    >>> problem = Problem(humps, Universe.interval(0, 1), 1, Change(1), norm=1)
    >>> unit, subject = Continuous(0.0, 1.0), Subject.of(humps, 1, None)
    >>> search_interval(problem, subject, interval=unit, trials=2000, seed=0).gap
    2.0

    Cost: two answers a trial.
    """
    on_grid = max(1, math.ceil(ON_GRID * trials))
    cells = _cells(interval)
    grid = Universe.value_range(interval.some(lambda each: _points(each, cells)))
    starts = Starts(lambda one, other: _are_alike(interval, grid, one, other, NEAR / cells))
    first = Trials(
        replace(problem, universe=grid),
        subject,
        most=on_grid,
        seconds=None if seconds is None else ON_GRID * seconds,
        progress=progress,
        notice=starts.notice,
    )
    best = explored(first, seed).best
    assert best is not None
    ends = math.inf if seconds is None else time.monotonic() + (1 - ON_GRID) * seconds
    mover = Mover(problem, subject, interval, trials - on_grid, ends)
    pairs = [Pair(grid, one.layout, one.gap, 0.5 / cells) for one in starts.with_first(best)]
    return mover.widest(pairs).inputs(problem, subject)


def _cells(interval: Continuous | IntervalRows) -> int:
    """How many cells each interval of a grid has."""
    if isinstance(interval, Continuous):
        return CELLS
    dimensions = len(interval.at_place)
    room = MOST_ROWS * 2**dimensions / len(interval.ends)
    return min(CELLS, max(2, int(room ** (1 / dimensions)) - 1))


def _points(interval: Continuous, cells: int) -> list[float]:
    """Evenly spaced values, and, in a fine grid, those that break arithmetic."""
    even: list[float] = np.linspace(interval.low, interval.high, cells + 1).tolist()
    breaking = breaking_values((interval.low, interval.high)) if cells >= FINE else []
    return sorted({*even, *breaking})


def _are_alike(
    interval: Continuous | IntervalRows, grid: Universe, one: Layout, other: Layout, share: float
) -> bool:
    """Whether two pairs are near each other record by record, whichever side comes first."""

    def near(here: tuple[int, ...], there: tuple[int, ...]) -> bool:
        return len(here) == len(there) and all(
            a == b or interval.are_near(grid.values[a], grid.values[b], share)
            for a, b in zip(here, there, strict=True)
        )

    return any(all(map(near, one.sides(), each.sides())) for each in (other, other.mirrored))


@dataclass
class Starts:
    """The few widest pairs so far of which no two are alike, the widest first.

    >>> starts = Starts(lambda one, other: one.removed == other.removed)
    >>> for gap, there in ((3, 0), (5, 1), (4, 1)):
    ...     starts.notice(Tried(gap, Layout((), (there,), (9,)), (0, gap)))
    >>> [start.gap for start in starts.kept]
    [5, 3]
    """

    are_alike: Callable[[Layout, Layout], bool]
    kept: list[Tried] = field(default_factory=list)

    def notice(self, tried: Tried) -> None:
        """Keep a pair that is wide enough, in the place of those like it."""
        if len(self.kept) == MOST_STARTS and tried.gap <= self.kept[-1].gap:
            return
        alike = [self.are_alike(one.layout, tried.layout) for one in self.kept]
        if any(one.gap >= tried.gap for one, is_so in zip(self.kept, alike, strict=True) if is_so):
            return
        others = [one for one, is_so in zip(self.kept, alike, strict=True) if not is_so]
        self.kept = sorted([*others, tried], key=lambda one: one.gap, reverse=True)[:MOST_STARTS]

    def with_first(self, best: Tried) -> list[Tried]:
        """The best pair, which has been made plain, and those that are not like it."""
        return [best, *(one for one in self.kept if not self.are_alike(one.layout, best.layout))]


@dataclass(frozen=True)
class Pair:
    """Two neighbours as positions in a universe of a few records, and the next step to move them."""

    universe: Universe
    layout: Layout
    gap: Gap
    step: float  # a share of an interval's width

    def inputs(self, problem: Problem, subject: Subject) -> WorstInputs:
        """The pair as a function is given it. Raises RuntimeError for what is no pair."""
        require_neighbours(replace(problem, universe=self.universe), self.layout)
        subject.ask_in_orders(self.universe, self.layout.sides())
        dataset, neighbour = map(self.universe.given, self.layout.sides())
        return WorstInputs(self.gap, dataset, neighbour)

    def near(self, interval: Continuous | IntervalRows) -> tuple[Universe, Layout]:
        """The universe of the pair's records and those a step from them, and the layout in it."""
        values, parts = self.universe.values, self.layout.parts
        held = [values[i] for i in sorted({i for part in parts for i in part})]
        moved = [near for record in held for near in interval.beside(record, self.step)]
        universe = Universe.value_range(interval.of_records(dict.fromkeys([*held, *moved])))
        place = {record: i for i, record in enumerate(universe.values)}
        return universe, Layout.of([[place[values[i]] for i in part] for part in parts])


@dataclass
class Mover:
    """Moves pairs to wider ones a step away, while so many trials and the time last."""

    problem: Problem
    subject: Subject
    interval: Continuous | IntervalRows
    most: int
    ends: float

    def widest(self, pairs: list[Pair]) -> Pair:
        """The widest that pairs lead to: each by a few halvings, the best of them until floats end."""
        pairs = pairs[: max(1, self.most // (2 * FIRST_TRIALS))]
        share, last = self.most // (2 * len(pairs)), pairs[0].step / 2**FIRST_HALVINGS
        moved = [self._moved(pair, share, last) for pair in pairs] if len(pairs) > 1 else pairs
        best = max(moved, key=lambda pair: pair.gap)
        far = self._moved(replace(best, step=1.0), share, last=0.5)  # from end to end
        step = best.step if far.gap == best.gap else pairs[0].step
        return self._moved(replace(far, step=step), self.most, last=0.0)

    def _moved(self, pair: Pair, most: int, last: float) -> Pair:
        """What a pair leads to by steps that are halved where none is wider, down to a last one."""
        left = self.most - most
        while self.most > left and pair.step > last and time.monotonic() < self.ends:
            if not pair.layout.distinct:
                break  # two empty datasets
            universe, layout = pair.near(self.interval)
            if universe.distinct == layout.distinct:
                break  # no float lies so near
            trials = Trials(
                replace(self.problem, universe=universe), self.subject, most=self.most - left
            )
            wider = self._wider(trials, layout, pair)
            self.most -= trials.asked
            pair = replace(pair, step=pair.step / 2) if wider is None else wider
        return pair

    def _wider(self, trials: Trials, layout: Layout, pair: Pair) -> Pair | None:
        """The first pair a step away that is wider, if there is one and the budget lasts."""
        asked = self._asked(trials, layout, pair.step)
        try:
            found = next((tried for tried in asked if tried.gap > pair.gap), None)
        except Spent:
            return None
        if found is None:
            return None
        return replace(pair, universe=trials.universe, layout=found.layout, gap=found.gap)

    def _asked(self, trials: Trials, layout: Layout, step: float) -> Iterator[Tried]:
        """The pairs with a record a step away: in both datasets, in one part, or one alone."""
        values = trials.universe.values
        place = {record: i for i, record in enumerate(values)}
        for old in sorted({i for part in layout.parts for i in part})[:MOST_VALUES]:
            for record in self.interval.beside(values[old], step):
                for replaced in _replaced(layout, old, place[record]):
                    yield trials.ask(replaced)


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
