"""What is asked of a dataset: a function, with what the package must know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from sensitivity_lab.did_you_mean import SaysWhich, meant_by
from sensitivity_lab.numbers.exact import (
    as_python,
    brief,
    by_name,
    checked_bounds,
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
from sensitivity_lab.numbers.text import number_repr
from sensitivity_lab.of_and_by import Grouping, OfRecords, TooFewRows
from sensitivity_lab.proved.family import Family
from sensitivity_lab.records.columns import Clipped, Filled
from sensitivity_lab.records.keyed import Keyed, opened
from sensitivity_lab.records.order import InOrders, OrderMatters, are_near
from sensitivity_lab.records.source import hashed, is_table
from sensitivity_lab.universe import Dataset, Giver, Indices, Universe

Rows = Callable[[np.ndarray, Universe], tuple[np.ndarray, int]]
PLAIN = (tuple, list, np.ndarray)  # vectors as they are
MAKER = "sensitivity_lab.catalogue"  # it makes queries
UNLISTED = (str, set, frozenset)  # what can be listed, but is no vector


class AnswersDiffer(RuntimeError):
    """A dataset has another answer alone than together with others."""


@dataclass(frozen=True)
class Query(SaysWhich):
    """A function of a dataset, with what the package must know of it.

    >>> from sensitivity_lab import COUNT, MEAN, STD
    >>> MEAN((1, 2, 3, 5)), STD((1, 3)), COUNT(())
    (Fraction(11, 4), 1.0, 0)

    Any callable can be asked about as it is. Wrap it in a `Query` to name it, to say the
    smallest size it is defined on, or that it takes missing records (None):

    >>> span = Query("span", lambda dataset: dataset[-1] - dataset[0])
    >>> span((1, 2, 8))
    7

    `function` receives a sorted tuple and returns a number or a vector. Without a `smallest_size`
    it is tried on the empty dataset where that is asked about: if it fails there, the result says
    that this was not asked; for want of memory, time or a connection it is refused. A function of
    tables is asked about each dataset twice, the second time in another order of the rows, and
    refused where its answer depends on that. `exact` functions receive ints and Fractions, others
    the caller's own numbers. A Decimal in an answer is read as the Fraction that it is. The answer
    of a `root` query is the square root of what its function returns. `rows` answers N datasets at
    once, as rows(positions, universe), of an (N, n) array of positions among `universe.values`:
    N integers (or vectors of them) and their denominator; the first of each size is held to the
    function's. `proved` says what is proved of a standard query, for the routes that enumerate
    nothing.

    Queries of equal parts are equal, so two histograms of the same edges are one; a query can be
    pickled where its function can.

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
        if self.exact or not (is_table(dataset) or isinstance(dataset, Mapping)):
            dataset = sequence(dataset, "dataset")
            if self.smallest_size is not None and len(dataset) < self.smallest_size:
                raise ValueError(
                    f"query {self.name} needs a dataset of at least {self.smallest_size} "
                    f"record{'s' * (self.smallest_size > 1)}, got {len(dataset)}"
                )
        answer = self.raw(dataset)
        return rounded_root_gap(Fraction(answer), Fraction(0)) if self.root else answer

    @by_name
    def of(self, what: str | Callable[[Any], Any], *, missing: Any = None) -> Query:
        """Return this query asked of a number that each record has: a column, or a function of it.

        >>> from sensitivity_lab import MEAN, SUM
        >>> SUM.of(len)(("no", "yes")), MEAN.of("salary").name
        (5, 'mean of salary')

        `missing` is the number that a missing cell counts as, or None that the function returns:

        >>> MEAN.of(lambda word: len(word) or None, missing=9)(("no", ""))
        Fraction(11, 2)

        Over a universe it is the query itself over the numbers, so solvers and closed forms serve
        it. Over people a function gets all rows of a person, and a column is that of all people's
        rows together; a query that takes missing records gets None where a cell is null.
        Raises TypeError for what is neither text nor a function, and a `missing` that is no number,
        ValueError for a query that is asked of something already.
        Source: thm-image, and over people thm-people-rows, on the book's page of proofs.
        """
        words = f"of {_name_asked(what, 'of')}"
        if self.inner is not None:
            raise ValueError(f"query {self.name} is asked of something already")
        self._require_whole("of")
        if missing is None:
            return self._asked_of(what, words)
        filled = Filled(what, exact_number(missing, "missing"))
        return self._asked_of(filled, f"{words} (missing: {number_repr(missing)})")

    @by_name
    def clipped(self, low: Any, high: Any) -> Query:
        """Return this query asked of numbers that are cut to [low, high].

        >>> from sensitivity_lab import SUM
        >>> SUM.clipped(0, 100)((5, 300)), SUM.of("salary").clipped(0, 100).name
        (105, 'sum of salary clipped to [0, 100]')

        Raises ValueError for bounds that fall.
        """
        ends = checked_bounds((low, high))
        self._require_whole("clipped")
        query = self if self.inner is None else self.inner
        words = f"clipped to [{number_repr(low)}, {number_repr(high)}]"
        before = self.name.removeprefix(query.name).strip()
        return query._asked_of(Clipped(self.of_what, *ends), f"{before} {words}".strip())

    @by_name
    def by(self, column: str | Callable[[Any], Any], *, keys: Iterable[Any] | None = None) -> Query:
        """Return this query by group: a column, or a function of a record, names its group.

        >>> from sensitivity_lab import COUNT, SUM
        >>> counts = COUNT.by(len)(("no", "yes", "on"))
        >>> counts, counts.labels, SUM.of("salary").by("department").name
        ((2, 1), (2, 3), 'sum of salary by department')

        The answer has a number for each group that has records enough for the query. With `keys`
        it has just these: a group without records is there too, with 0, and records of other
        groups are left out. Counts and sums of any size are solved; of one dataset every exact
        standard query is; the others are enumerated.
        Raises TypeError for what is neither text nor a function, ValueError for a query that is by
        group already, and for keys that come twice.
        Source: thm-grouped-sum and thm-grouped-local on the book's page of proofs.
        """
        name = f"{self.name} by {_name_asked(column, 'by')}"
        self._require_whole("by")
        known = None if keys is None else sequence(keys, "keys", "keys")
        for key in known or ():
            hashed(key, "keys")
        if known is not None and len(set(known)) < len(known):
            raise ValueError(f"keys must be different, got {number_repr(list(known))}")
        grouping = Grouping(self if self.inner is None else self.inner, self.of_what, column, known)
        return Query(name, grouping, 0)

    def _require_whole(self, asked: str) -> None:
        """Refuse a query by group, asked of nothing else, and a statement, which says all."""
        if self.grouping is not None:
            words = " already" if asked == "by" else f": {asked} comes before by"
            raise ValueError(f"query {self.name} is by group{words}")
        if self.together is not None:
            raise ValueError(f"{asked} must be said in the SQL itself, got {self.name}")

    def _asked_of(self, what: Any, words: str) -> Query:
        asked, known = OfRecords(self, what), (self.smallest_size, self.takes_missing)
        return Query(f"{self.name} {words}", asked, *known, root=self.root, proved=self.proved)

    @property
    def inner(self) -> Query | None:
        """The query of numbers that this one is, asked of what each record says."""
        return self.function.query if isinstance(self.function, OfRecords) else None

    @property
    def of_what(self) -> Any:
        """What of a record that is asked of: a column, a function, or either cut to bounds."""
        return self.function.of if isinstance(self.function, OfRecords) else None

    @property
    def grouping(self) -> Grouping | None:
        """How it asks by group."""
        return self.function if isinstance(self.function, Grouping) else None

    @property
    def together(self) -> Any:
        """The statement of SQL that it asks, which answers many datasets at once; or None."""
        return self.function if hasattr(type(self.function), "answers_together") else None

    @property
    def is_own(self) -> bool:
        """Whether it is a caller's function of a whole dataset, of which nothing else is known."""
        known = self.together is not None or isinstance(self.function, (OfRecords, Grouping))
        return not (self.exact or known or self.proved is not None)

    def giver(self, universe: Universe, *, any_order: bool = True) -> Giver:
        """Return what makes datasets of a universe's positions, as the function is given them.

        >>> from sensitivity_lab import MEAN
        >>> MEAN.giver(Universe.population([0.5, 2]))((0, 1))
        (Fraction(1, 2), 2)

        Tables for a caller's own function come in other orders of their rows, too, if `any_order`.
        """
        if self.together is None:
            asked = any_order and self.is_own and universe.tabular
            return InOrders(universe.source) if asked else universe.source.giver(self.exact)
        given: Giver = self.together.giver(universe.source, universe.name)
        return given

    def over(self, universe: Universe) -> Query:
        """Return the query as it is asked of a universe's datasets where they come as tables.

        >>> Query("max", max).over(Universe.population([1]))
        Query(name='max', function=<built-in function max>, smallest_size=None, takes_missing=False)

        A statement must know the types of all columns: an empty table may not tell.
        """
        if self.together is None:
            return self
        return replace(self, function=self.together.over(universe.source, universe.name))

    def answers(self, given: Giver, datasets: Sequence[Indices]) -> list[Any]:
        """Return the answers on many datasets, as positions that `given` makes datasets of.

        >>> Query("max", max).answers(Universe.population([10, 20]).given, [(0,), (0, 1)])
        [10, 20]

        A caller's function of tables is called twice on each, on its rows in another order. Raises
        RuntimeError where answers that come together are not those one by one.
        """
        together = None if self.together is None else self.together.answers(given, datasets)
        if together is None and isinstance(given, InOrders):
            return [self.answer_in_orders(given, x, [given.shuffled(x)]) for x in datasets]
        if self.together is None or together is None:
            return [self.answer(given(dataset)) for dataset in datasets]
        answers = [
            self.answer(given(dataset)) if answer is None else checked_answer(answer, self, ())
            for dataset, answer in zip(datasets, together, strict=True)
        ]
        for i in self.together.sample(given, datasets):
            alone = self.answer(dataset := given(datasets[i]))
            if not are_near(answers[i], alone):
                raise AnswersDiffer(
                    f"query {self.name} must answer many datasets as it does each alone, got "
                    f"{brief(answers[i])} and alone {brief(alone)} on dataset "
                    f"{number_repr(dataset)}"
                )
        return answers

    def answer_in_orders(
        self, given: Giver, positions: Indices, others: Iterable[Any | None]
    ) -> Any:
        """Return the answer on a dataset, which must be that on its rows in other orders.

        >>> rows = Universe.product(pay=[5, 7])
        >>> most = Query("most", lambda table: int(table["pay"].max()))
        >>> given = most.giver(rows)
        >>> most.answer_in_orders(given, (0, 1), given.several((0, 1)))
        7

        Raises OrderMatters where it is another one, ValueError where it is so in the same order,
        too.
        """
        answer = self.answer(given(positions))
        for other in others:
            if other is None or self.are_one(answer, again := self.answer(other)):
                continue
            dataset = number_repr(given(positions))
            if not self.are_one(answer, then := self.answer(given(positions))):
                raise ValueError(
                    f"function must be deterministic: {self.name} answered {brief(answer)} on "
                    f"{dataset}, then {brief(then)}; fix its seed, or audit it without its noise"
                )
            raise OrderMatters(
                f"query {self.name} must not depend on the order of rows (sort inside the "
                "function, round what it returns if this is rounding, or ask audit(..., "
                f"order='any') or 'kept'), got {brief(answer)} on dataset {dataset} and "
                f"{brief(again)} on {number_repr(other)}"
            )
        return answer

    def are_one(self, answer: Any, again: Any) -> bool:
        """Whether two answers on one dataset are the same, but for the rounding of floats.

        >>> Query("sum", sum).are_one(0.1 + 0.2, 0.3)
        True
        """
        return are_near(answer, again)

    def answer(self, dataset: Dataset) -> Any:
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
        except TooFewRows as error:
            raise ValueError(f"query {self.name} {error}") from None
        except Exception as error:
            where = f"query {self.name} failed on dataset {number_repr(dataset)}: {told(error)}"
            if hasattr(dataset, "iloc") and (isinstance(error, KeyError) or "index" in str(error)):
                where += " (rows are numbered from 0: frame.reset_index() keeps an index)"
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

    def __str__(self) -> str:
        return self.name


def _name_asked(what: Any, parameter: str) -> str:
    """The name of a column or of a function; refuse what says nothing of a record."""
    if isinstance(what, str):
        return what
    if callable(what):
        return name_of(what)
    raise TypeError(
        f"{parameter} must be a column's name, as 'pay', or a function of a record, as "
        f"lambda row: (row['team'], row['city']), got {brief(what)}"
    )


@dataclass(frozen=True)
class MeasuredBy(Query):
    """A query whose answers may be of any kind, with the caller's metric that measures them."""

    metric: Metric = field(kw_only=True)

    def __call__(self, dataset: Any) -> Any:
        """The answer itself."""
        return super().__call__(dataset).answer

    def answer(self, dataset: Any) -> Any:
        """The answer, told apart from others by the metric."""
        return Told(self.called(dataset), self.metric)

    def are_one(self, answer: Any, again: Any) -> bool:
        """Whether two answers are equal, or the metric finds no distance between them."""
        try:
            return are_near(answer.answer, again.answer) or float(answer.apart(again)) == 0
        except Exception:  # their own `==` may raise anything, and none can be asked beforehand
            return are_near(float(answer.apart(again)), 0.0)


def measured_by(query: Query, metric: Any) -> Query:
    """Return a query whose answers lie as far apart as a metric says.

    >>> from sensitivity_lab import symmetric_distance
    >>> measured_by(as_query(set), symmetric_distance).name
    'set, measured by symmetric_distance'
    """
    if not callable(metric):
        raise TypeError(f"output_metric must be callable, got {brief(metric)}")
    if query.together is not None:
        raise ValueError("output_metric must be left out for a statement, which answers in numbers")
    name = f"{query.name}, measured by {name_of(metric)}"
    asked = query.function if query.is_own else query
    return MeasuredBy(name, asked, query.smallest_size, query.takes_missing, metric=metric)


def as_query(query: Query | Callable[[Any], Any]) -> Query:
    """Return `query` itself, or a plain callable wrapped as one."""
    if isinstance(query, Query):
        return query
    if not callable(query):
        raise TypeError(f"query must be a Query or a callable, got {brief(query)}{_meant(query)}")
    if str(getattr(query, "__module__", "")) == MAKER:
        raise TypeError(
            f"query must be made first, as sl.quantile(0.9), got {name_of(query)} itself"
        )
    return Query(name_of(query), query)


def _meant(query: Any) -> str:
    """What somebody meant who gave this for a query, for the end of a message."""
    if isinstance(query, Universe) or is_table(query):
        return ": the query comes first, then the universe"
    if isinstance(query, (list, tuple)):
        return ": sl.sweep([sl.SUM, sl.MEAN], ...) asks several"
    if is_real(query):
        return ": give the query itself, as sl.MEAN, not its answer"
    if not isinstance(query, str):
        return ""
    is_sql = query.lstrip()[:6].upper() in ("SELECT", "WITH ")
    return ": a statement is sl.sql('SELECT …')" if is_sql else meant_by(query, ())


def checked_answer(answer: Any, query: Query, dataset: Dataset) -> Any:
    """Return a number as int, Fraction or float, a vector as a tuple of those."""
    try:
        return _checked(answer, query.name)
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


def _checked(answer: Any, name: str) -> Any:
    if isinstance(answer, np.ndarray) and answer.ndim == 0:
        answer = answer[()]  # not item(), which makes whole numbers of time spans
    answer = as_python(answer)
    if not is_real(answer) and not isinstance(answer, (Keyed, *PLAIN)):
        answer = opened(answer, f"answer of {name}")
    if isinstance(answer, Keyed):
        numbers = [_checked_number(entry, name) for entry in answer.entries]
        try:
            labelled = in_order_of_labels(numbers, answer.keys)
        except (TypeError, ValueError) as error:
            raise type(error)(f"query {name} must label each number once: {error}") from error
        labelled.with_columns = answer.with_columns
        return labelled
    is_listed = isinstance(answer, Iterable) and hasattr(answer, "__len__")
    if isinstance(answer, UNLISTED) or not is_listed:
        return _checked_number(answer, name)
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
