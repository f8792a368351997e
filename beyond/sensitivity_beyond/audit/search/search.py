"""The stages of a search: known layouts first, then climbs by small steps, then a plainer pair."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, chain, count, islice, pairwise, product
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import numpy as np

from sensitivity_beyond.audit.boundary_values import boundary_positions
from sensitivity_beyond.audit.search import layouts
from sensitivity_beyond.audit.subject import Subject, Widest
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import checked_seconds, whole_number
from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.problem import Budget, Problem
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Universe

STARTS, CLIMBS = 0.6, 0.95  # where in the budget a stage ends; what is left makes the pair plainer
MOST_MOVES = 8  # of which the starts are tried; the climbs draw from all
SPLITS = 16  # of a line, in search of a jump of the answer
PATIENCE = 60  # steps without a wider gap before a climb ends
PALETTE = 3  # a random pair has at most so many different values, so that ties are met
MOST_TARGETS = 4  # values that a rarer one is replaced by, to make a pair plainer
TRIALS = 10_000  # of a row, where none are named
MOST_TIMED = 10_000_000  # of a row that has a time to end
MOST_PAIRS = 100_000_000  # in all rows: some hours
MOST_READ = 10_000_000_000  # records, in all trials: some hours

T = TypeVar("T")


def search(
    problem: Problem,
    subject: Subject,
    *,
    trials: int,
    seed: int | np.random.Generator,
    seconds: float | None = None,
    budget: Budget | None = None,
) -> Widest:
    """Return the widest of `trials` neighbouring pairs, a lower bound.
    Cost: two answers a trial."""
    asked = Trials(problem, subject, trials, seconds, budget or Budget())
    rng, universe = np.random.default_rng(seed), problem.universe
    orders, boundary = layouts.orders_of(universe, subject), boundary_positions(universe)
    families = list(_families(asked, orders, boundary))
    steps = SmallSteps(universe, orders, boundary, rng)
    for until, stage in (
        (STARTS, partial(look_at, families)),
        (CLIMBS, partial(climbs, families, steps, asked)),
        (1.0, partial(shrink, asked)),
    ):
        asked.until = until
        with suppress(Spent):
            stage()
    return asked.widest()


def look_at(families: Sequence[LayoutFamily]) -> None:
    """Look at every family, then refine the best of each, the widest first. Raises Spent."""
    for family in families:
        family.look_around()
    for family in _widest_first(families):
        family.refine()


def climbs(families: Sequence[LayoutFamily], steps: SmallSteps, asked: Trials) -> None:
    """Climb from the best of each family, from the widest pair, and from random ones.
    Raises Spent."""
    moves = _all_moves(asked.problem)
    known = iter(_widest_first([family for family in families if family.tried]))
    for turn in count():
        for family in islice(known, 1):
            climb(asked, steps, family.best)
        if asked.best is not None and turn % 2:
            climb(asked, steps, asked.best)
        drawn = steps.random(*moves[steps.rng.integers(len(moves))])
        climb(asked, steps, asked.ask(drawn))


# --- what is asked about, while the budget lasts -------------------------------------------------


class Spent(Exception):
    """A stage of a search has used what it may; no failure."""


@dataclass(frozen=True)
class Tried:
    """A layout, the answers on its two sides, and how far apart they lie."""

    gap: Gap
    layout: layouts.Layout
    answers: tuple[Any, Any]


@dataclass
class Trials:
    """Asks about pairs while the budget of a stage lasts, in pairs or in seconds;
    always about one."""

    problem: Problem
    subject: Subject
    most: int
    seconds: float | None = None
    budget: Budget = field(default_factory=Budget)
    until: float = 1.0  # the share of the budget that a stage may use up
    asked: int = 0
    best: Tried | None = None

    def __post_init__(self) -> None:
        self.given, self.between = self.subject.given, self.subject.measure()
        self._start = time.monotonic()
        self._ticks = iter(self.budget.bar(range(self.most), desc="search", unit=" pairs"))

    @property
    def spent(self) -> float:
        """The share of the budget that is used."""
        by_time = (time.monotonic() - self._start) / self.seconds if self.seconds else 0.0
        return max(self.asked / self.most, by_time)

    def ask(self, layout: layouts.Layout) -> Tried:
        """Ask about one pair. Raises Spent where the stage may ask about no more."""
        if self.best is not None and self.spent >= self.until:
            raise Spent
        next(self._ticks, None)
        self.asked += 1
        here, there = (self.subject.asked.answers(self.given, [at])[0] for at in layout.sides())
        tried = Tried(self.between(here, there), layout, (here, there))
        if self.best is None or tried.gap > self.best.gap:
            self.best = tried
        return tried

    def widest(self) -> Widest:
        """The widest pair, as the function was given it; a bar that counts pairs is filled."""
        assert self.best is not None
        if self.seconds is None:
            deque(self._ticks, maxlen=0)
        require_neighbours(self.problem, self.best.layout)
        return self.subject.pair(self.best.gap, *self.best.layout.sides())


def require_neighbours(problem: Problem, layout: layouts.Layout) -> None:
    """Refuse a layout that is no pair of neighbours of a problem: a search must never lead here."""
    here, there = map(Counter, layout.sides())
    moved = (here - there).total(), (there - here).total()
    asked = layout.move in problem.plan.get(layout.size, ())
    if not (asked and moved in problem.relation.moves and layout.fits(problem.universe)):
        raise RuntimeError(f"a search found what is no pair under {problem.relation}: {layout}")


# --- known layouts -------------------------------------------------------------------------------


@dataclass
class LayoutFamily:
    """The layouts of a kind, and the best of them so far."""

    lay: Callable[..., layouts.Layout]
    most: layouts.Places  # up to where each number goes
    is_mirrored: bool  # the neighbour's own records lie where the kind has the dataset's
    trials: Trials
    tried: dict[layouts.Places, Tried] = field(default_factory=dict)

    @property
    def best(self) -> Tried:
        """The widest pair so far."""
        return max(self.tried.values(), key=attrgetter("gap"))

    def ask(self, *numbers: int) -> Gap:
        """The gap of one layout; each is asked about once."""
        if numbers not in self.tried:
            common, own, other = self.lay(*numbers)
            sides = (other, own) if self.is_mirrored else (own, other)
            self.tried[numbers] = self.trials.ask(layouts.Layout(common, *sides))
        return self.tried[numbers].gap

    def look_around(self) -> None:
        """Ask about all corners and the middle;
        where one number says all, halve on at its jumps."""
        for numbers in product(*((0, most) for most in self.most)):
            self.ask(*numbers)
        self.ask(*(most // 2 for most in self.most))
        for _ in range(SPLITS if len(self.most) == 1 else 0):
            # again where the answer moves most: a quantile moves at one place in hundreds
            gaps: list[tuple[Gap, int]] = []
            for (low,), (high,) in pairwise(sorted(self.tried)):
                if high - low > 1:  # how far the answers move between, on either side
                    sides = self.tried[low,].answers, self.tried[high,].answers
                    gaps.append((max(map(self.trials.between, *sides)), (low + high) // 2))
            apart, middle = max(gaps, key=itemgetter(0), default=(0, 0))
            if apart == 0:
                return
            self.ask(middle)

    def refine(self) -> None:
        """Climb from the best by steps that are halved where none leads to a wider gap."""
        held = max(self.tried, key=lambda numbers: self.ask(*numbers))
        steps = [max(1, number // 4) for number in self.most]
        while True:
            beside = (  # one of the numbers a step up or down, within its bounds
                (*held[:i], moved, *held[i + 1 :])
                for i, (step, most) in enumerate(zip(steps, self.most, strict=True))
                for moved in (min(held[i] + step, most), max(held[i] - step, 0))
            )
            wider = (n for n in beside if n != held and self.ask(*n) > self.ask(*held))
            if (found := next(wider, None)) is not None:
                held = found
            elif max(steps) == 1:
                return
            else:
                steps = [max(1, step // 2) for step in steps]


def _families(
    asked: Trials, orders: Sequence[np.ndarray], boundary: Sequence[int]
) -> Iterator[LayoutFamily]:
    """The layouts to start from: each kind, over each order, for the moves of a problem."""
    universe, kinds = asked.problem.universe, layouts.KINDS
    if universe.unlimited and len(boundary) > 1:
        kinds = (*layouts.KINDS, partial(layouts.constants, boundary))
    every = _all_moves(asked.problem)
    moving = [step for step in every if step[1] != (0, 0)] or every
    moving.sort(key=lambda step: (-sum(step[1]), step[0]))  # those with most records first
    few = moving[:: -(-len(moving) // MOST_MOVES)]
    for kind, order, (size, (r, a)) in product(kinds, orders, few):
        for own in dict.fromkeys([(r, a), (a, r)]):
            lay, most = kind(layouts.Line(universe, order, (size - r, *own)))
            yield LayoutFamily(lay, most, own != (r, a), asked)


def _all_moves(problem: Problem) -> list[tuple[int, Move]]:
    return [(size, move) for size, moves in problem.plan.items() for move in moves]


def _widest_first(families: Sequence[LayoutFamily]) -> list[LayoutFamily]:
    return sorted(families, key=lambda family: family.best.gap, reverse=True)


# --- steps from a pair to one that differs a little -----------------------------------------------


@dataclass(frozen=True)
class SmallSteps:
    """Makes pairs that differ a little from a pair,
    in a universe with some orders of its values."""

    universe: Universe
    orders: Sequence[np.ndarray]
    boundary: Sequence[int]
    rng: np.random.Generator

    @cached_property
    def _places(self) -> list[np.ndarray]:
        """Where each value stands in each order."""
        return [np.argsort(order) for order in self.orders]

    def random(self, size: int, move: Move) -> layouts.Layout:
        """A pair of a few values, or of any records of a population."""
        needed = size + move[1]
        if self.universe.unlimited:
            palette = self.rng.integers(self.universe.distinct, size=self._below(PALETTE) + 1)
            drawn = self.rng.choice(palette, size=needed).tolist()
        else:
            everyone = self.rng.permutation(int(self.universe.records))[:needed]
            each = np.repeat(np.arange(self.universe.distinct, dtype=np.intp), self.universe.counts)
            drawn = each[everyone].tolist()
        return _cut(drawn, size, move)

    def beside(self, layout: layouts.Layout) -> layouts.Layout:
        """A pair one step away: two records of different parts trade places, or one, or all copies
        of one in its part, are replaced. The same pair where there is no record, or no other value.
        """
        records, edges = list(chain(*layout)), list(accumulate(map(len, layout), initial=0))
        parts = [range(*edge) for edge in pairwise(edges) if edge[0] < edge[1]]
        if not parts:
            return layout
        part, step = self._one_of(parts), self._below(4)
        i = self._one_of(part)
        if step == 0 and len(parts) > 1:
            j = self._one_of(self._one_of([other for other in parts if other != part]))
            records[i], records[j] = records[j], records[i]
        else:
            copies = [j for j in part if records[j] == records[i]]
            self._replace(records, copies if step == 1 else [i], self._value(layout, records[i]))
        return _cut(records, layout.size, layout.move)

    def _below(self, number: int) -> int:
        return int(self.rng.integers(number))

    def _one_of(self, some: Sequence[T]) -> T:
        return some[self._below(len(some))]

    def _replace(self, records: list[int], places: list[int], value: int) -> None:
        """Put a value in some places, as far as there are copies;
        where none is, a holder trades."""
        free = len(records)
        if not self.universe.unlimited:
            free = int(self.universe.counts[value]) - records.count(value)
        if free <= 0:
            holder = self._one_of([j for j, held in enumerate(records) if held == value])
            records[holder] = records[places[0]]
        for i in places[: max(free, 1)]:
            records[i] = value

    def _value(self, layout: layouts.Layout, old: int) -> int:
        """Another value for one: near it, at the bounds of arithmetic, in use already, or any."""
        choice = self._below(4)
        if choice == 0:
            which = self._below(len(self.orders))
            far = int(self.rng.geometric(0.3)) * (1 - 2 * self._below(2))
            place = int(self._places[which][old]) + far
            return int(self.orders[which][min(max(place, 0), self.universe.distinct - 1)])
        if choice == 1 and self.boundary:
            return self._one_of(self.boundary)
        if choice == 2:
            return self._one_of([value for part in layout for value in part[:1] + part[-1:]])
        return self._below(self.universe.distinct)


def _cut(records: list[int], size: int, move: Move) -> layouts.Layout:
    """The layout of a list that has the shared records first, the neighbour's own last."""
    common = size - move[0]
    return layouts.Layout.of([records[:common], records[common:size], records[size:]])


def climb(trials: Trials, steps: SmallSteps, held: Tried) -> None:
    """Step to pairs that are no narrower until `PATIENCE` in a row are no wider. Raises Spent."""
    patience = PATIENCE
    while patience:
        tried = trials.ask(steps.beside(held.layout))
        patience = PATIENCE if tried.gap > held.gap else patience - 1
        if tried.gap >= held.gap:
            held = tried


def shrink(trials: Trials) -> None:
    """Make the widest pair plainer, step by step, as long as its gap stays. Raises Spent."""
    while (held := trials.best) is not None:
        plainer = (trials.ask(layout) for layout in _plainer(trials, held.layout))
        trials.best = next((tried for tried in plainer if tried.gap >= held.gap), held)
        if trials.best is held:
            return


def _plainer(trials: Trials, layout: layouts.Layout) -> Iterator[layouts.Layout]:
    """The pairs with a shared record fewer, where sizes are free, then those with fewer values."""
    if layout.common and layout.move in trials.problem.plan.get(layout.size - 1, ()):
        for value, _ in Counter(layout.common).most_common():
            i = layout.common.index(value)
            yield layout._replace(common=layout.common[:i] + layout.common[i + 1 :])
    held = Counter(chain(*layout)).most_common()
    for (old, _), (new, _) in product(reversed(held), held[:MOST_TARGETS]):
        replaced = layouts.Layout.of([new if v == old else v for v in part] for part in layout)
        if old != new and replaced.fits(trials.problem.universe):
            yield replaced


# --- what is asked of a search -------------------------------------------------------------------


def checked_spending(trials: Any, seconds: Any) -> tuple[int, float | None]:
    """How many pairs a row's search may try, and for how many seconds; None is until it has."""
    seconds = None if seconds is None else checked_seconds(seconds)
    if trials is None:
        return TRIALS if seconds is None else MOST_TIMED, seconds
    return whole_number(trials, "trials", 1), seconds


def require_budget(problems: Sequence[Problem], trials: int) -> None:
    """Refuse a search that would try too many pairs or read too many records."""
    universe, pairs = problems[0].universe, trials * len(problems)
    copied = 0 if universe.unlimited else int(universe.records)  # all of it, in each step
    records = sum(trials * (copied + 2 * max(of.sizes_answered)) for of in problems)
    for number, most, what, fewer in (
        (pairs, MOST_PAIRS, "pairs to search", "trials or rows"),
        (records, MOST_READ, "records to read in a search", "trials, rows or records"),
    ):
        if number > most:
            raise TooLarge(f"{number:,} {what} exceed the limit of {most:,}; ask for fewer {fewer}")
