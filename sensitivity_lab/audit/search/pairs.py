"""Pairs of neighbours by the positions of their records, and what a search may spend on them."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from sensitivity_lab.audit.subject import Subject, Widest
from sensitivity_lab.methods.workers import with_bar
from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.problem import Problem
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices, Universe


class Layout(NamedTuple):
    """The records that two neighbours share, those of the dataset alone, those of its neighbour alone.

    Where both sides have a value to themselves, they share it in truth, and fewer records move.
    """

    common: Indices
    removed: Indices
    added: Indices

    @classmethod
    def of(cls, parts: Iterable[Iterable[int]]) -> Layout:
        """The layout of three lists."""
        return cls(*map(tuple, parts))

    @classmethod
    def cut(cls, records: list[int], size: int, move: Move) -> Layout:
        """The layout of a list that has the shared records first, the neighbour's own last."""
        common = size - move[0]
        return cls.of([records[:common], records[common:size], records[size:]])

    @property
    def size(self) -> int:
        """How many records the dataset has."""
        return len(self.common) + len(self.removed)

    @property
    def move(self) -> Move:
        """How many records leave, and how many join."""
        return len(self.removed), len(self.added)

    def sides(self) -> tuple[Indices, Indices]:
        """The dataset and its neighbour, as sorted positions."""
        here, there = (tuple(sorted(self.common + own)) for own in (self.removed, self.added))
        return here, there

    def fits(self, universe: Universe) -> bool:
        """Whether a universe has as many copies as the two sides need together."""
        if universe.unlimited:
            return True
        held = Counter(chain(*self))
        return all(times <= universe.counts[value] for value, times in held.items())


def require_neighbours(problem: Problem, layout: Layout) -> None:
    """Refuse a layout that is no pair of neighbours of a problem: a search must never lead here."""
    here, there = map(Counter, layout.sides())
    moved = (here - there).total(), (there - here).total()
    asked = layout.move in problem.plan.get(layout.size, ())
    if not (asked and moved in problem.relation.moves and layout.fits(problem.universe)):
        raise RuntimeError(f"a search found what is no pair under {problem.relation}: {layout}")


class Spent(Exception):
    """A stage of a search has used what it may; no failure."""


@dataclass(frozen=True)
class Tried:
    """A layout, the answers on its two sides, and how far apart they lie."""

    gap: Gap
    layout: Layout
    answers: tuple[Any, Any]


class Trials:
    """Asks about pairs while the budget lasts: so many pairs, so many seconds, whichever ends first.

    A stage may use the budget up to a share of it, `until`. The first pair is always asked about.
    """

    def __init__(
        self,
        problem: Problem,
        subject: Subject,
        *,
        most: int,
        seconds: float | None = None,
        progress: bool = False,
    ) -> None:
        self.problem, self.subject, self.universe = problem, subject, problem.universe
        self.given, self.between = subject.given, subject.measure()
        self.most, self.seconds, self.until = most, seconds, 1.0
        self.asked = 0
        self.best: Tried | None = None
        self._start = time.monotonic()
        self._ticks = iter(with_bar(range(most), progress, desc="search", unit=" pairs"))

    @property
    def spent(self) -> float:
        """The share of the budget that is used."""
        by_time = (time.monotonic() - self._start) / self.seconds if self.seconds else 0.0
        return max(self.asked / self.most, by_time)

    def ask(self, layout: Layout) -> Tried:
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
