"""The function under audit: its answers, how far apart two of them lie,
and whether it stands by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sensitivity_beyond.tables.asking import over
from sensitivity_beyond.tables.frames import own_copy
from sensitivity_beyond.tables.lifting import lift
from sensitivity_beyond.tables.order import are_one
from sensitivity_lab.extension import Answering
from sensitivity_lab.methods.workers import hold
from sensitivity_lab.numbers import gap as gaps
from sensitivity_lab.numbers.text import dataset_text, number_text, one_line
from sensitivity_lab.queries import MeasuredBy, Query, measured_by
from sensitivity_lab.results import presented
from sensitivity_lab.universe import Giver, Indices, Universe

LONGEST_TOLD = 200  # characters of a dataset or an answer in an error
PairPositions = tuple[Indices | None, Indices | None]  # of two inputs' records among the values


@dataclass(frozen=True)
class Widest:
    """Two neighbouring datasets as the function is given them, and how far apart it answers."""

    gap: Any  # as a caller sees it
    dataset: Any
    neighbour: Any
    at: PairPositions = (None, None)  # of their records, where these are no numbers


class Subject:
    """A function under audit, and what measures its answers: a norm or an output metric."""

    def __init__(
        self,
        query: Query,
        norm: gaps.Norm,
        metric: gaps.Metric | None,
        universe: Universe | None = None,
        *,
        any_order: bool = False,
    ) -> None:
        """Hold a query; there is no universe where inputs are given one by one."""
        self.norm, self.metric, self.universe = norm, metric, universe
        self.any_order = any_order  # tables are asked about in other orders of their rows, too
        self.image = None  # the numbers that records say, which are asked about instead
        of_numbers = query = query if universe is None else over(query, universe)
        if universe is not None and not (universe.numeric or query.is_own):
            self.image = lift(query, universe)
            of_numbers = query if self.image is None else self.image.query
        # the query, and what answers: it, or the query of numbers that it is
        self.query, self.asked = (
            one if metric is None else replace(measured_by(one, metric), name=query.name)
            for one in (query, replace(of_numbers, name=query.name))
        )

    @property
    def given(self) -> Giver:
        """What makes the datasets that `asked` is given, of positions."""
        assert self.universe is not None
        if self.image is not None:
            return partial(self.image.dataset, exact=self.asked.exact)
        if self.query.is_own and not self.any_order:
            return self.universe.source.giver()
        return self.query.giver(self.universe)

    @property
    def together(self) -> bool:
        """Whether many datasets are answered by one question."""
        return isinstance(self.given, Answering) and self.given.together

    def answer(self, dataset: Any, at: Indices | None = None) -> Any:
        """The answer that gaps are measured from, of a root query the square;
        tables tell no `at`."""
        return self.asked.raw(self._as_given(dataset, at))

    def shown(self, dataset: Any, at: Indices | None = None) -> Any:
        """The answer of a root query as a caller sees it: the root."""
        return self.asked(self._as_given(dataset, at))

    def _as_given(self, dataset: Any, at: Indices | None) -> Any:
        return own_copy(dataset) if self.image is None else self.given(at or ())

    def measure(self) -> Callable[[Any, Any], gaps.Gap]:
        """The function that measures two answers; it refuses answers of two shapes."""
        between, query = gaps.gap_between(self.norm, self.query.root), self.query

        def gap(a: Any, b: Any) -> gaps.Gap:
            gaps.same_shape(b, a, query.name)
            return between(a, b)

        return gap

    def distance(self, dataset: Any, neighbour: Any, at: PairPositions = (None, None)) -> Any:
        """How far apart the function answers on both, asked now, as a caller sees it."""
        here, there = self.answer(dataset, at[0]), self.answer(neighbour, at[1])
        return presented(self.measure()(here, there))

    def pair(self, gap: gaps.Gap, here: Indices, there: Indices) -> Widest:
        """Two datasets of positions as the function is given them,
        in several orders of their rows."""
        assert self.universe is not None
        hold(self.asked, self.given, (here, there))
        dataset, neighbour = self.universe.given(here), self.universe.given(there)
        apart = presented(gap)
        if self.together:  # floats may round differently one by one
            apart = self.distance(dataset, neighbour)
        at = (None, None) if self.universe.numeric else (here, there)
        return Widest(apart, dataset, neighbour, at)


def answers_stood_by(subject: Subject, worst: Widest) -> tuple[Any, Any]:
    """The answers on a pair, asked twice more (once if `exact`);
    noise, which changes, is refused."""
    ask = Subject.answer if subject.query.exact else _asked_twice
    sides = list(zip((worst.dataset, worst.neighbour), worst.at, strict=True))
    first, last = (ask(subject, side, at) for side, at in sides)
    apart = presented(subject.measure()(first, last))
    if apart != worst.gap:
        raise ValueError(
            f"function must be deterministic: {subject.query.name} answered "
            f"{number_text(worst.gap)} apart on {_short(worst.dataset)} and "
            f"{_short(worst.neighbour)}, asked again {number_text(apart)} apart, "
            f"{_short(first)} and {_short(last)}"
        )
    if subject.query.root or isinstance(subject.query, MeasuredBy):
        first, last = (subject.shown(side, at) for side, at in sides)
    return first, last


def _asked_twice(subject: Subject, dataset: Any, at: Indices | None) -> Any:
    answer, again = subject.answer(dataset, at), subject.answer(dataset, at)
    if subject.metric is None:
        alike = gaps.has_same_shape(answer, again) and bool(answer == again)
    else:  # two of a metric's kind are one answer if it finds no distance
        alike = are_one(answer, again)
    if not alike:
        raise ValueError(
            f"function must be deterministic: {subject.query.name} answered {_short(answer)} on "
            f"{_short(dataset)}, then {_short(again)}; fix its seed, or audit it without its noise"
        )
    return answer


def _short(value: object) -> str:
    """A dataset or an answer on a line of a message."""
    told = value.answer if isinstance(value, gaps.Told) else value
    return one_line(dataset_text(told), LONGEST_TOLD)
