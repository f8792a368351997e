"""The function under audit: its answers, and how far apart two of them lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from sensitivity_lab.audit.claims import amount
from sensitivity_lab.catalogue import OverNumbers, over_numbers
from sensitivity_lab.methods.workers import ask_in_orders
from sensitivity_lab.numbers.exact import brief, told
from sensitivity_lab.numbers.gap import Gap, Norm, gap_between, has_same_shape, same_shape
from sensitivity_lab.numbers.text import dataset_text, number_text
from sensitivity_lab.queries import Query
from sensitivity_lab.records.order import are_near
from sensitivity_lab.records.rows import own_copy
from sensitivity_lab.results import presented
from sensitivity_lab.universe import Dataset, Giver, Indices, Universe

LONGEST_TOLD = 200  # characters of a dataset or an answer in an error
Metric = Callable[[Any, Any], Any]  # the caller's own: two inputs, or two answers, to a number
PairPositions = tuple[Indices | None, Indices | None]  # of two inputs' records among the values
Related = Callable[[Any, Any], bool]  # whether two inputs are a pair that is asked about


@dataclass(frozen=True)
class AnyAnswer(Query):
    """A query whose answers an output metric measures: they need not be numbers."""

    metric: Metric | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is a caller's function of a whole dataset."""
        return self.metric is not None

    def are_one(self, answer: Any, again: Any) -> bool:
        """Whether two answers on one dataset are equal, or as good as no distance apart."""
        if _say_they_are_equal(answer, again):
            return True
        apart = measured(self.metric, "output_metric", answer, again) if self.metric else 1
        return are_near(float(apart), 0.0)

    def answer(self, dataset: Any) -> Any:
        """Return what the function returns, unchecked. Errors: as `Query.called`."""
        return self.called(dataset)


@dataclass(frozen=True)
class Said:
    """Makes what the records at some positions of a universe say, as a query of numbers takes it."""

    over: OverNumbers
    universe: Universe

    def __call__(self, positions: Indices) -> Dataset:
        """The numbers, ascending."""
        return self.over.dataset(self.universe, positions, self.over.query.exact)


@dataclass(frozen=True)
class Subject:
    """A function under audit, and what measures its answers: a norm or an output metric."""

    query: Query
    norm: Norm
    metric: Metric | None
    said: Said | None = None
    any_order: bool = False  # tables are asked about in other orders of their rows, too

    @classmethod
    def of(
        cls,
        query: Query,
        norm: Norm,
        metric: Metric | None,
        universe: Universe | None = None,
        *,
        any_order: bool = False,
    ) -> Subject:
        """Return the subject that a query is: with a metric its answers can be anything."""
        if universe is not None:
            query = query.over(universe)
        over = None
        if universe is not None and not universe.numeric:
            over = over_numbers(query, universe)
        said = None
        if universe is not None and over is not None:
            asked = replace(over.query, name=query.name)
            said = Said(replace(over, query=_answering(asked, metric)), universe)
        return cls(_answering(query, metric), norm, metric, said, any_order)

    @property
    def asked(self) -> Query:
        """What answers: the query, or the query of numbers that it is."""
        return self.query if self.said is None else self.said.over.query

    def giver(self, universe: Universe) -> Giver:
        """Return what makes the datasets that `asked` is given, of positions."""
        if self.said is not None:
            return self.said
        return self.query.giver(universe, any_order=self.any_order)

    def ask_in_orders(self, universe: Universe, datasets: Iterable[Indices]) -> None:
        """Ask about some datasets in several orders of their rows; errors: as `ask_in_orders`."""
        ask_in_orders(self.asked, self.giver(universe), datasets)

    def answer(self, dataset: Any, at: Indices | None = None) -> Any:
        """Return the answer that gaps are measured from: of a root query the square.

        `at` are the positions of the dataset's records where these are no numbers: tables do not
        tell who brings no rows.
        """
        return self.asked.raw(self._given(dataset, at))

    def shown(self, dataset: Any, at: Indices | None = None) -> Any:
        """Return the answer as a caller sees it: the root of a root query."""
        if not self.query.root:
            return self.answer(dataset, at)
        return self.asked(self._given(dataset, at))

    def _given(self, dataset: Any, at: Indices | None) -> Any:
        return own_copy(dataset) if self.said is None else self.said(at or ())

    def measure(self) -> Callable[[Any, Any], Gap]:
        """Return the function that measures two answers; it refuses answers of two shapes."""
        if self.metric is not None:
            metric = self.metric
            return lambda a, b: measured(metric, "output_metric", a, b)
        between, query = gap_between(self.norm, self.query.root), self.query

        def gap(a: Any, b: Any) -> Gap:
            same_shape(b, a, query.name)
            return between(a, b)

        return gap

    def distance(self, dataset: Any, neighbour: Any, at: PairPositions = (None, None)) -> Any:
        """Ask the function about both, and return how far apart it answers, as a caller sees it."""
        here, there = self.answer(dataset, at[0]), self.answer(neighbour, at[1])
        return presented(self.measure()(here, there))


def _answering(query: Query, metric: Metric | None) -> Query:
    """A query, or with a metric one that answers anything."""
    if metric is None:
        return query
    function = query if query.exact else query.function
    named = query.name, function, query.smallest_size, query.takes_missing
    return AnyAnswer(*named, metric=metric if query.is_own else None)


@dataclass(frozen=True)
class WorstInputs:
    """Two inputs, as the function was given them, and how far apart it answers."""

    gap: Gap
    dataset: Any
    neighbour: Any
    # of their records among the values, where these are no numbers
    at: PairPositions = field(default=(None, None), repr=False)

    @property
    def apart(self) -> Any:
        """The gap as a caller sees it."""
        return presented(self.gap)

    @property
    def sides(self) -> list[tuple[Any, Indices | None]]:
        """The dataset, and its neighbour, each with the positions of its records."""
        return list(zip((self.dataset, self.neighbour), self.at, strict=True))


@dataclass(frozen=True)
class Within:
    """Whether two inputs lie within a distance of each other."""

    metric: Metric
    distance: Any

    def __call__(self, x: Any, y: Any) -> bool:
        """Whether the metric finds two inputs no further apart than the distance."""
        return bool(measured(self.metric, "input_metric", x, y) <= self.distance)


def answers_stood_by(subject: Subject, worst: WorstInputs) -> tuple[Any, Any]:
    """Return the answers on two inputs, asked twice more; refuse a function that changes them."""
    ask = Subject.answer if subject.query.exact else _asked_twice
    first, last = (ask(subject, side, at) for side, at in worst.sides)
    apart = presented(subject.measure()(first, last))
    if apart != worst.apart:
        raise ValueError(
            f"function must be deterministic: {subject.query.name} answered "
            f"{number_text(worst.apart)} apart on {_short(worst.dataset)} and "
            f"{_short(worst.neighbour)}, asked again {number_text(apart)} apart, "
            f"{_short(first)} and {_short(last)}"
        )
    if not subject.query.root:
        return first, last
    here, there = (subject.shown(side, at) for side, at in worst.sides)
    return here, there


def _asked_twice(subject: Subject, dataset: Any, at: Indices | None) -> Any:
    answer, again = subject.answer(dataset, at), subject.answer(dataset, at)
    if not _are_alike(subject, answer, again):
        raise ValueError(
            f"function must be deterministic: {subject.query.name} answered {_short(answer)} on "
            f"{_short(dataset)}, then {_short(again)}; fix its seed, or audit it without its noise"
        )
    return answer


def _are_alike(subject: Subject, answer: Any, again: Any) -> bool:
    """Whether two answers are one; those of a metric's kind are if it finds no distance."""
    if subject.metric is None:
        return has_same_shape(answer, again) and bool(answer == again)
    return _say_they_are_equal(answer, again) or bool(subject.measure()(answer, again) == 0)


def _say_they_are_equal(answer: Any, again: Any) -> bool:
    """Whether two answers of any kind say that they are equal; tables, for one, do not say."""
    try:
        return are_near(answer, again)
    except Exception:  # their own `==` may raise anything, and none can be asked beforehand
        return False


def _short(value: object) -> str:
    """A dataset or an answer on a line of a message."""
    text = " ".join(dataset_text(value).split())
    return text if len(text) <= LONGEST_TOLD else f"{text[: LONGEST_TOLD - 1]}…"


def measured(metric: Metric, name: str, x: Any, y: Any) -> Any:
    """Return a metric's number for two inputs or answers; where it fails, say on which."""
    try:
        apart = metric(x, y)
    except Exception as error:  # the metric is the caller's: it may raise anything
        raise ValueError(f"{name} failed on {brief(x)} and {brief(y)}: {told(error)}") from error
    return amount(apart, name)
