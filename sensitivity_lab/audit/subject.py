"""The function under audit: its answers, and how far apart two of them lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sensitivity_lab.audit.claims import amount
from sensitivity_lab.exact import brief, told
from sensitivity_lab.gap import Gap, gap_between, same_shape
from sensitivity_lab.queries import Query
from sensitivity_lab.results import presented
from sensitivity_lab.text import dataset_text, number_text

LONGEST_TOLD = 200  # characters of a dataset or an answer in an error
Measure = Callable[[Any, Any], Any]


class AnyAnswer(Query):
    """A query whose answers an output metric measures: they need not be numbers.

    >>> AnyAnswer("tail", lambda dataset: dataset[1:]).answer((1, 2, 3))
    (2, 3)
    """

    def answer(self, dataset: Any) -> Any:
        """Return what the function returns, unchecked. Errors: as `Query.called`."""
        return self.called(dataset)


@dataclass(frozen=True)
class Subject:
    """A function under audit, and what measures its answers: a norm or an output metric.

    >>> from sensitivity_lab import STD
    >>> subject = Subject.of(STD, norm=1, metric=None)
    >>> subject.answer((1, 4)), subject.shown((1, 4)), subject.distance((1, 4), (4, 4))
    (Fraction(9, 4), 1.5, 1.5)
    """

    query: Query
    norm: float
    metric: Measure | None

    @classmethod
    def of(cls, query: Query, norm: float, metric: Measure | None) -> Subject:
        """Return the subject that a query is: with a metric its answers can be anything."""
        if metric is not None:
            function = query if query.exact else query.function
            query = AnyAnswer(query.name, function, query.smallest_size, query.takes_missing)
        return cls(query, norm, metric)

    def answer(self, dataset: Any) -> Any:
        """Return the answer that gaps are measured from: of a root query the square.

        Cost: one call of the function. Errors: as `Query.answer`.
        """
        return self.query.raw(dataset)

    def shown(self, dataset: Any) -> Any:
        """Return the answer as a caller sees it: the root of a root query."""
        return self.query(dataset) if self.query.root else self.answer(dataset)

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

    def distance(self, dataset: Any, neighbour: Any) -> Any:
        """Ask the function about both, and return how far apart it answers, as a caller sees it."""
        return presented(self.measure()(self.answer(dataset), self.answer(neighbour)))


@dataclass(frozen=True)
class Within:
    """Whether two inputs lie within a distance of each other.

    >>> from sensitivity_lab import symmetric_distance
    >>> Within(symmetric_distance, 1)((1, 2), (1,))
    True
    """

    metric: Measure
    distance: Any

    def __call__(self, x: Any, y: Any) -> bool:
        """Cost: one call of the metric."""
        return bool(measured(self.metric, "input_metric", x, y) <= self.distance)


def answers_stood_by(subject: Subject, found: Any, dataset: Any, neighbour: Any) -> tuple[Any, Any]:
    """Return the answers on a pair, asked twice more; refuse a function that changes them.

    >>> from sensitivity_lab import Query
    >>> answers_stood_by(Subject.of(Query("first", min), 1, None), 2, (0, 4), (2, 4))
    (0, 2)

    Without this a function with noise in it would get a verdict, and a wrong one. An `exact` query
    is asked once more. Cost: four answers, or two. Raises ValueError.
    """
    ask = Subject.answer if subject.query.exact else _asked_twice
    first, last = (ask(subject, records) for records in (dataset, neighbour))
    apart = presented(subject.measure()(first, last))
    if apart != found:
        raise ValueError(
            f"function must be deterministic: {subject.query.name} answered "
            f"{number_text(found)} apart on {_short(dataset)} and {_short(neighbour)}, "
            f"asked again {number_text(apart)} apart, {_short(first)} and {_short(last)}"
        )
    return (
        (subject.shown(dataset), subject.shown(neighbour)) if subject.query.root else (first, last)
    )


def _asked_twice(subject: Subject, dataset: Any) -> Any:
    answer, again = subject.answer(dataset), subject.answer(dataset)
    if not _alike(subject, answer, again):
        raise ValueError(
            f"function must be deterministic: {subject.query.name} answered {_short(answer)} on "
            f"{_short(dataset)}, then {_short(again)}; fix its seed, or audit it without its noise"
        )
    return answer


def _alike(subject: Subject, answer: Any, again: Any) -> bool:
    """Whether two answers are one; those of a metric's kind are if it finds no distance."""
    if subject.metric is None:
        try:
            return bool(presented(subject.measure()(answer, again)) == 0)
        except ValueError:  # of two shapes
            return False
    try:
        if answer == again:
            return True
    except Exception:  # tables have no truth
        pass
    return bool(subject.measure()(answer, again) == 0)


def _short(value: Any) -> str:
    """A dataset or an answer on a line of a message."""
    text = " ".join(dataset_text(value).split())
    return text if len(text) <= LONGEST_TOLD else f"{text[: LONGEST_TOLD - 1]}…"


def measured(metric: Measure, name: str, x: Any, y: Any) -> Any:
    """Return a metric's number for a pair; where it fails, say on which.

    >>> measured(lambda a, b: abs(a - b), "output_metric", 1, 3)
    2

    Raises ValueError for whatever the metric raises, and as `amount`.
    """
    try:
        apart = metric(x, y)
    except Exception as error:
        raise ValueError(f"{name} failed on {brief(x)} and {brief(y)}: {told(error)}") from error
    return amount(apart, name)
