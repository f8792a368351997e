"""What is asked of a dataset: a function, with what the package must know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from sensitivity_lab import extension
from sensitivity_lab.did_you_mean import SaysWhich, meant_by
from sensitivity_lab.extension import Answering, Asked, OfQuery
from sensitivity_lab.numbers.exact import (
    as_python,
    brief,
    drawn,
    exact_number,
    is_finite,
    is_real,
    name_of,
    rounded_root_gap,
    sequence,
    simplest,
    told,
    whole_number,
)
from sensitivity_lab.numbers.gap import Metric, Told, in_order_of_labels
from sensitivity_lab.numbers.text import fields_repr, number_repr
from sensitivity_lab.proved.family import Family
from sensitivity_lab.universe import Dataset, Giver, Indices, Universe

Rows = Callable[[np.ndarray, Universe], tuple[np.ndarray, int]]
PLAIN = (tuple, list, np.ndarray)  # vectors as they are
UNLISTED = (str, set, frozenset)  # what can be listed, but is no vector


class AnswersDiffer(RuntimeError):
    """A dataset has another answer alone than together with others."""


@dataclass(frozen=True, repr=False)
class Query(SaysWhich, OfQuery):
    """A function of a dataset, with what the package must know of it.

    >>> from sensitivity_lab import COUNT, MEAN, STD
    >>> MEAN((1, 2, 3, 5)), STD((1, 3)), COUNT(())
    (Fraction(11, 4), 1.0, 0)

    Any callable can be asked about as it is. A `Query` names it, or says the smallest size it is
    defined on, or that it takes missing records (None):

    >>> span = Query("span", lambda dataset: dataset[-1] - dataset[0])
    >>> span((1, 2, 8))
    7

    `function` receives a sorted tuple and returns a number, a vector or a dict. Without a
    `smallest_size` it is tried on the empty dataset where that is reached: if it fails there, the
    result says that this was not asked. `exact` functions receive ints and Fractions, others the
    caller's own numbers; a Decimal in an answer is read as the Fraction that it is. Of a `root`
    query the answer is the square root of what the function returns. `rows` answers N datasets at
    once, as rows(positions, universe), of an (N, n) array of positions among `universe.values`:
    N integers (or vectors of them) and their denominator; the first of each size is held to the
    function's. `proved` says what is proved of it. Queries of equal parts are equal.

    Raises TypeError for a function that cannot be called, ValueError for a size below 0.
    """

    name: str
    function: Callable[[Any], Any]
    smallest_size: int | None = None
    takes_missing: bool = False
    exact: bool = field(default=False, repr=False)
    root: bool = field(default=False, repr=False)
    rows: Rows | None = field(default=None, repr=False, compare=False)
    proved: Family | None = field(default=None, repr=False)
    made: partial[Query] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name must be text, got {brief(self.name)}")
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {brief(self.function)}")
        if about := getattr(self.function, "__doc__", None):
            object.__setattr__(self, "__doc__", about)  # so that help() tells of this query
        if self.smallest_size is not None:
            whole_number(self.smallest_size, "smallest_size", 0)

    def __call__(self, dataset: Any) -> Any:
        """Return the answer on one dataset: exact where it is rational, else a float."""
        if isinstance(dataset, str):
            of = f"a column is asked of by {self.name}.of({dataset!r})"
            raise TypeError(f"dataset must be a sequence of records, got {dataset!r}: {of}")
        if self.exact or not (extension.is_foreign(dataset) or isinstance(dataset, Mapping)):
            dataset = sequence(dataset, "dataset")
            if self.smallest_size is not None and len(dataset) < self.smallest_size:
                raise ValueError(
                    f"query {self.name} needs a dataset of at least {self.smallest_size} "
                    f"record{'s' * (self.smallest_size > 1)}, got {len(dataset)}"
                )
        return self.shown(self.raw(dataset))

    def shown(self, answer: Any) -> Any:
        """Return an answer as a caller sees it: of a root query the root.

        >>> from sensitivity_lab import STD
        >>> STD.shown(9)
        3.0
        """
        return rounded_root_gap(Fraction(answer), Fraction(0)) if self.root else answer

    @property
    def is_own(self) -> bool:
        """Whether it is a caller's function of a whole dataset, of which nothing else is known."""
        return not (self.exact or isinstance(self.function, Asked) or self.proved is not None)

    def giver(self, universe: Universe) -> Giver:
        """Return what makes datasets of a universe's positions, as the function is given them.

        >>> from sensitivity_lab import MEAN
        >>> MEAN.giver(Universe.population([0.5, 2]))((0, 1))
        (Fraction(1, 2), 2)
        """
        if isinstance(self.function, Asked):
            return self.function.giver(universe.source, universe.name)
        return universe.source.giver(self.exact, self.is_own)

    def answers(self, given: Giver, datasets: Sequence[Indices]) -> list[Any]:
        """Return the answers on many datasets, as positions that `given` makes datasets of.

        >>> Query("max", max).answers(Universe.population([10, 20]).given, [(0,), (0, 1)])
        [10, 20]
        """
        if isinstance(given, Answering):
            return given.answers(self, datasets)
        return [self.answer(given(dataset)) for dataset in datasets]

    def bounds_of(self, low: Any, high: Any) -> tuple[Any, Any]:
        """Return the ends of an interval as they are once the query has made its numbers of them.

        >>> from sensitivity_lab import SUM
        >>> SUM.bounds_of(0, 12)
        (0, 12)
        """
        asked = self.function
        return asked.ends(low, high) if isinstance(asked, Asked) else (low, high)

    def answer(self, dataset: Any) -> Any:
        """Return the checked answer (its square for a root query) on sorted records.

        >>> from sensitivity_lab import STD
        >>> STD.answer((1, 4)), STD((1, 4))
        (Fraction(9, 4), 1.5)
        """
        return checked_answer(self.called(dataset), self, dataset)

    def called(self, dataset: Dataset) -> Any:
        """Return what the function returns, unchecked; where it fails, say on which dataset.

        >>> Query("max", max).called((1, 4))
        4
        """
        try:
            return self.function(dataset)
        except extension.TooFew as error:
            raise ValueError(f"query {self.name} {error}") from None
        except Exception as error:
            where = f"query {self.name} failed on dataset {number_repr(dataset)}: {told(error)}"
            where += extension.way_out(dataset, error)
            where += " (a sorted tuple: numpy.array(dataset))" * (
                "'tuple' object has" in str(error)
            )
            raise ValueError(where) from error

    def raw(self, dataset: Dataset) -> Any:
        """Return the answer that gaps are measured between, on records in any order.

        >>> from sensitivity_lab import STD
        >>> STD.raw((4, 1))
        Fraction(9, 4)
        """
        if self.exact:
            dataset = tuple(sorted(exact_number(record, "record") for record in dataset))
        return self.answer(dataset)

    def __sub__(self, other: Any) -> Any:
        own = "lambda data: sl.MEAN.of('a')(data) - sl.MEAN.of('b')(data)"
        raise TypeError(f"query {self.name} is combined in a function of your own: {own}")

    __add__ = __mul__ = __truediv__ = __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __sub__

    def __repr__(self) -> str:
        return fields_repr(self)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class MeasuredBy(Query):
    """A query whose answers may be of any kind, with the caller's metric that measures them."""

    metric: Metric = field(kw_only=True)

    def shown(self, answer: Any) -> Any:
        """The answer itself."""
        return answer.answer

    def answer(self, dataset: Any) -> Any:
        """The answer, told apart from others by the metric."""
        return Told(self.called(dataset), self.metric)


def measured_by(query: Query, metric: Any) -> Query:
    """Return a query whose answers lie as far apart as a metric says.

    >>> from sensitivity_lab import symmetric_distance
    >>> measured_by(as_query(set), symmetric_distance).name
    'set, measured by symmetric_distance'
    """
    if not callable(metric):
        raise TypeError(f"output_metric must be callable, got {brief(metric)}")
    if isinstance(query.function, Asked):
        query.function.check_metric()
    name = f"{query.name}, measured by {name_of(metric)}"
    asked = query.function if query.is_own else query
    return MeasuredBy(name, asked, query.smallest_size, query.takes_missing, metric=metric)


def as_query(query: Query | Callable[[Any], Any]) -> Query:
    """Return `query` itself, or a plain callable wrapped as one."""
    if isinstance(query, Query):
        return query
    if not callable(query):
        raise TypeError(f"query must be a Query or a callable, got {brief(query)}{_meant(query)}")
    if str(getattr(query, "__module__", "")) == "sensitivity_lab.catalogue":
        got = f"got {name_of(query)} itself"
        raise TypeError(f"query must be made first, as sl.quantile(0.9), {got}")
    return Query(name_of(query), query)


def _meant(query: Any) -> str:
    """What somebody meant who gave this for a query, for the end of a message."""
    if isinstance(query, Universe) or extension.is_foreign(query):
        return ": the query comes first, then the universe"
    if isinstance(query, (list, tuple)):
        return ": sl.sweep([sl.SUM, sl.MEAN], ...) asks several"
    if is_real(query):
        return ": give the query itself, as sl.MEAN, not its answer"
    if not isinstance(query, str):
        return ""
    return meant_by(query.split()[0] if query.split() else query, ())


@dataclass(frozen=True)
class Keyed:
    """The keys of an answer and the entry of each."""

    keys: list[Any]
    entries: list[Any]
    with_columns: bool | None = None  # whether keys name columns, too, where a table has keys


def keyed(answer: Any) -> Keyed | None:
    """The keys and entries of a dict or a pandas Series; None for anything else."""
    if isinstance(answer, Mapping):
        return Keyed(list(answer.keys()), list(answer.values()))
    if (
        hasattr(type(answer), "isna")
        and hasattr(type(answer), "index")
        and not extension.is_foreign(answer)
    ):
        return Keyed(answer.index.tolist(), answer.tolist())
    return None


def checked_answer(answer: Any, query: Query, dataset: Dataset) -> Any:
    """Return a number as int, Fraction or float, a vector as a tuple of those."""
    try:
        return _checked(answer, query.name, dataset)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{error} on dataset {number_repr(dataset)}{_way_out(answer)}") from error


def _way_out(answer: Any) -> str:
    """How an answer that is no number becomes one, or is measured as it is."""
    if answer is None:
        return ": None is what a function without a return gives"
    if isinstance(answer, (date, timedelta, np.datetime64, np.timedelta64)):
        return ": answer in one unit, as span.days or date.toordinal(), or give an output_metric"
    is_vector = isinstance(answer, PLAIN) and getattr(answer, "shape", None) != ()
    if is_vector and any(isinstance(entry, PLAIN) for entry in answer):
        return ": one vector is wanted, as numpy.ravel makes of a table"
    if isinstance(answer, (*UNLISTED, list, tuple)):
        return ": labels are measured by an output_metric, as output_metric=sl.symmetric_distance"
    if is_real(answer) and not is_finite(answer):
        return ": say what it answers there, as 0 where nothing is counted"
    return ": list what it yields" if isinstance(answer, Iterator) else ""


def _checked(answer: Any, name: str, dataset: Any) -> Any:
    if isinstance(answer, np.ndarray) and answer.ndim == 0:
        answer = answer[()]  # not item(), which makes whole numbers of time spans
    answer = as_python(answer)
    if not is_real(answer) and not isinstance(answer, (Keyed, *PLAIN)):
        answer = keyed(answer) or extension.opened(answer, f"answer of {name}", dataset)
    if isinstance(answer, Keyed):
        numbers = [_checked_number(entry, name) for entry in answer.entries]
        try:
            labelled = in_order_of_labels(numbers, answer.keys)
        except (TypeError, ValueError) as error:
            raise type(error)(f"query {name} must label each number once: {error}") from error
        labelled.with_columns = answer.with_columns
        return labelled
    # Text and sets can be listed, too, but have no order that could be compared.
    is_listed = isinstance(answer, Iterable) and hasattr(answer, "__len__")
    if isinstance(answer, UNLISTED) or not is_listed:
        return _checked_number(answer, name)
    if hasattr(type(answer), "to_pylist"):  # of pyarrow, whose own entries are no numbers
        answer = answer.to_pylist()
    entries = answer if isinstance(answer, PLAIN) else drawn(answer, f"answer of {name}")
    return tuple(_checked_number(entry, name) for entry in entries)


def _checked_number(number: Any, name: str) -> Any:
    number = as_python(number)
    if not is_real(number):
        raise TypeError(f"query {name} must return a number or a vector, got {brief(number)}")
    if isinstance(number, (Integral, np.bool_)):
        return int(number)
    if isinstance(number, Fraction):
        return simplest(number)
    if not is_finite(number):
        raise ValueError(f"query {name} must return finite numbers, got {brief(number)}")
    if isinstance(number, np.longdouble):  # longer than a float
        return simplest(Fraction(*number.as_integer_ratio()))
    if isinstance(number, Decimal):
        return exact_number(number, f"answer of {name}")
    return float(number)


def answers_at(query: Query, universe: Universe, rows: np.ndarray) -> list[Any]:
    """The answers (squares for a root query) on datasets whose value positions the rows hold."""
    if query.proved and query.rows is not None and not universe.has_missing:
        numerators, scale = query.rows(rows, universe)
        return [_over(numerator, scale) for numerator in numerators.tolist()]
    return query.answers(query.giver(universe), [tuple(row) for row in rows.tolist()])


def _over(numerator: Any, scale: int) -> Any:
    if isinstance(numerator, list):
        return tuple(_over(entry, scale) for entry in numerator)
    return simplest(Fraction(numerator, scale))
