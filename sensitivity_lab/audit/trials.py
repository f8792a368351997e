"""What a search may spend, and the widest pair that it has asked about."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sensitivity_lab.audit.layouts import Layout
from sensitivity_lab.audit.subject import Subject, WorstInputs
from sensitivity_lab.methods.workers import with_bar
from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.problem import Problem
from sensitivity_lab.universe import Indices


class Spent(Exception):
    """A stage of a search has used what it may; no failure."""


@dataclass(frozen=True)
class Tried:
    """A layout, the answers on its two sides, and how far apart they lie."""

    gap: Gap
    layout: Layout
    answers: tuple[Any, Any]


class Trials:
    """Asks about pairs while the budget lasts: so many pairs, so many seconds, whichever ends first."""

    def __init__(
        self,
        problem: Problem,
        subject: Subject,
        *,
        most: int,
        seconds: float | None = None,
        progress: bool = False,
        notice: Callable[[Tried], None] | None = None,
    ) -> None:
        self.problem, self.subject = problem, subject
        self.universe = universe = problem.universe
        self.given, self.between, self.notice = subject.giver(universe), subject.measure(), notice
        self.most, self.seconds, self.until = most, seconds, 1.0
        self.asked = 0
        self.best: Tried | None = None
        self._start = time.monotonic()
        self._ticks = iter(with_bar(range(most), progress, desc="search", unit=" pairs"))

    @property
    def spent(self) -> float:
        """The share of the budget that is used, from 0 to 1."""
        by_count = self.asked / self.most
        if self.seconds is None:
            return by_count
        return min(1.0, max(by_count, (time.monotonic() - self._start) / self.seconds))

    def ask(self, layout: Layout) -> Tried:
        """Ask about one pair. Raises Spent where the stage may ask about no more."""
        if self.best is not None and self.spent >= self.until:
            raise Spent
        next(self._ticks, None)
        self.asked += 1
        here, there = layout.sides()
        answers = self._answer(here), self._answer(there)
        tried = Tried(self.between(*answers), layout, answers)
        if self.best is None or tried.gap > self.best.gap:
            self.best = tried
        if self.notice is not None:
            self.notice(tried)
        return tried

    def end(self) -> None:
        """Fill the bar of a search that is counted."""
        if self.seconds is None:
            deque(self._ticks, maxlen=0)

    def inputs(self) -> WorstInputs:
        """The widest pair, as the function was given it."""
        assert self.best is not None
        here, there = self.best.layout.sides()
        self.subject.ask_in_orders(self.universe, (here, there))
        dataset, neighbour = map(self.universe.given, (here, there))
        at = (None, None) if self.universe.numeric else (here, there)
        return WorstInputs(self.best.gap, dataset, neighbour, at)

    def _answer(self, positions: Indices) -> Any:
        return self.subject.asked.answers(self.given, [positions])[0]
