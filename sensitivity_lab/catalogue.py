"""The standard queries: each names its function, that over many datasets at once, and what is proved of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import (
    Exact,
    brief,
    exact_number,
    is_real,
    name_of,
    number_as_float,
    sequence,
    simplest,
    told,
    whole_number,
)
from sensitivity_lab.numbers.text import dataset_text, number_repr
from sensitivity_lab.order_statistics import (
    GINI_MEAN_DIFFERENCE,
    INTERQUARTILE_RANGE,
    MIDHINGE,
    RANGE,
    of_ranks,
    short_text,
)
from sensitivity_lab.proved.distinct import Distinct
from sensitivity_lab.proved.entries.bins import CountWhere, Histogram
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.ranks.family import Count, Mean, Quantile, Sum
from sensitivity_lab.proved.scatter.family import Deviation, Variance
from sensitivity_lab.queries import Grouping, OfRecords, OnRows, Query, in_order, records_listed
from sensitivity_lab.records.numbers import in_whole_numbers
from sensitivity_lab.records.people import OfOneRow, People, PersonsRow
from sensitivity_lab.records.rows import Rows, is_table, rows_of, table
from sensitivity_lab.records.said import (
    Alike,
    Always,
    Clipped,
    Filled,
    Said,
    column_of,
    number_of,
    told_apart,
)
from sensitivity_lab.records.source import called_on
from sensitivity_lab.universe import Dataset, Universe

A_PREDICATE = "a function of a record, as lambda row: row['pay'] > 3"


def _standard(
    name: str, function: Any, proved: Family, smallest_size: int, **options: Any
) -> Query:
    given: dict[str, Any] = {"exact": True, "rows": OnRows(function)} | options
    return Query(name, function, smallest_size, proved=proved, **given)


def quantile(q: Any) -> Query:
    """Return the q-quantile with linear interpolation, as `numpy.quantile` computes it.

    >>> quantile(0.25)((1, 2, 3, 4, 5, 6))
    Fraction(9, 4)

    Cost: an answer reads two of the sorted records. Raises ValueError for q outside [0, 1].
    Source: Hyndman and Fan (1996), definition 7.
    """
    exact = exact_number(q, "q")
    if not 0 <= exact <= 1:
        raise ValueError(f"q must lie in [0, 1], got q={dataset_text(q)}")
    made = partial(quantile, exact)
    return of_ranks(f"quantile({short_text(exact)})", Quantile(exact), made=made)


@dataclass(frozen=True)
class _Variance:
    """The sum of squared deviations from the mean over n − ddof; of `std`, the root of that.

    >>> VARIANCE((1, 2, 3)), STD((1, 3))
    (Fraction(2, 3), 1.0)
    """

    ddof: int

    def __call__(self, x: Dataset) -> Exact:
        n, total = len(x), sum(x)
        squares = n * sum(record * record for record in x) - total * total  # n · Σ(x − mean)²
        return simplest(Fraction(squares) / (n * (n - self.ddof)))

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        values, scale = universe.scaled
        n, largest = rows.shape[1], max(abs(int(values[0])), abs(int(values[-1])), 1)
        x = (values if (largest * n) ** 2 < 2**59 else values.astype(object))[rows]  # n² squares
        total = x.sum(axis=1)
        return n * (x * x).sum(axis=1) - total * total, scale * scale * n * (n - self.ddof)


def variance(*, ddof: int = 0) -> Query:
    """Return the variance: the sum of squared deviations over n − ddof.

    >>> variance(ddof=1)((1, 2, 3))
    1

    `ddof` is 0 for a population (numpy's default), 1 for a sample.
    Cost: an answer is O(n) exact arithmetic, by n·Σx² − (Σx)².
    Raises ValueError for a ddof that is negative or not whole.
    Source: `numpy.var`; its sensitivity: thm-variance on the book's page of proofs.
    """
    return _scatter(variance, Variance, ddof)


def std(*, ddof: int = 0) -> Query:
    """Return the standard deviation: the root of `variance(ddof=ddof)`.

    >>> std()((1, 3)), std(ddof=1)((1, 3))
    (1.0, 1.4142135623730951)

    Sensitivities are exact roots, shown as correctly rounded floats. Cost and errors: as `variance`.
    Source: `numpy.std`; its sensitivity: thm-std on the book's page of proofs.
    """
    return _scatter(std, Deviation, ddof)


def _scatter(maker: Callable[..., Query], family: type[Variance], ddof: Any) -> Query:
    ddof, kind = whole_number(ddof, "ddof", 0), maker.__name__
    name = f"{kind}(ddof={ddof})" if ddof else kind
    options = {"root": maker is std, "made": partial(maker, ddof=ddof)}
    return _standard(name, _Variance(ddof), family(ddof), ddof + 1, **options)


def histogram(edges: Iterable[Any]) -> Query:
    """Return the counts of records in each bin, as `numpy.histogram` counts them.

    >>> histogram([0, 5, 10, 25])((1, 5, 6, 25, 30))
    (1, 2, 1)

    Bins are half-open, [a, b), but the last, [a, b]; records outside all bins are not counted.
    Cost: an answer is O(n · bins). Raises ValueError unless there are two edges or more, strictly
    rising. Source: `numpy.histogram`; its sensitivity: thm-histogram on the book's page of proofs.
    """
    given = sequence(edges, "edges", "numbers, as [0, 10, 20]")
    exact = [exact_number(edge, "edges") for edge in given]
    if len(exact) < 2 or any(a >= b for a, b in pairwise(exact)):
        raise ValueError(
            f"edges must be at least two strictly rising numbers, got {number_repr(list(given))}"
        )

    name, edges = f"histogram({number_repr(list(given))})", tuple(exact)
    made = partial(histogram, given)
    return _standard(name, _Histogram(edges), Histogram(edges), 0, made=made)


@dataclass(frozen=True)
class _Histogram:
    """The counts of records in each bin, half-open but the last; those in none are not counted."""

    edges: tuple[Exact, ...]

    def __call__(self, x: Dataset) -> tuple[int, ...]:
        bins = [self._bin_of(record) for record in x]
        return tuple(bins.count(i) for i in range(len(self.edges) - 1))

    def _bin_of(self, x: Exact) -> int:
        """The bin's number, or the number of bins for a record that is in none."""
        if not self.edges[0] <= x <= self.edges[-1]:
            return len(self.edges) - 1
        return min(bisect_right(self.edges, x), len(self.edges) - 1) - 1

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        """Each bin holds a run of the universe's values, which are sorted."""
        whole, scale = universe.scaled
        *lower, last = (edge * scale for edge in self.edges)
        starts = [bisect_left(whole, edge, key=int) for edge in lower]
        starts.append(bisect_right(whole, last, key=int))  # of what is in no bin
        runs = len(starts) + 1  # with that before the first bin
        first = np.arange(len(rows), dtype=np.int64)[:, None] * runs
        run_of = np.searchsorted(starts, np.arange(len(whole), dtype=np.int64), side="right")
        held = np.bincount((run_of[rows] + first).ravel(), minlength=len(rows) * runs)
        return held.reshape(len(rows), runs)[:, 1:-1].astype(np.int64), 1


def count_where(predicate: Callable[[Any], Any]) -> Query:
    """Return the number of records for which `predicate` is true.

    >>> count_where(lambda age: age > 10)((5, 11, 12))
    2

    The predicate is asked of the caller's own numbers, or of whatever else a record is: a row has
    its columns by name. Over people it counts rows, and is asked of each; to count people write
    `SUM.of(lambda person: int(len(person) > 3))`.

    >>> count_where(lambda vote: vote == "yes")(("no", "yes"))
    1

    Cost: one call for each record, for each value where the sweep answers.
    Raises TypeError for a predicate that cannot be called.
    Source: its sensitivity: thm-count on the book's page of proofs.
    """
    if not callable(predicate):
        raise TypeError(f"predicate must be callable, got {brief(predicate)}: {A_PREDICATE}")

    name = f"count_where({name_of(predicate)})"
    function = _CountWhere(predicate)
    return _standard(name, function, CountWhere(function), 0, exact=False)


@dataclass(frozen=True)
class _CountWhere:
    """The number of records for which the predicate is true; of a table the rows."""

    predicate: Callable[[Any], Any]

    def __call__(self, x: Any) -> int:
        return sum(map(self.is_true, x if isinstance(x, tuple) else records_listed(x)))

    def said(self, record: Any) -> int:
        """Count one record."""
        return int(self.is_true(record))

    def is_true(self, record: Any) -> bool:
        """Ask the predicate of one record; where it fails, say on which."""
        try:
            return bool(self.predicate(record))
        except Exception as error:
            raise ValueError(f"predicate failed on {brief(record)}: {told(error)}") from error

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        true = np.array([*map(self.is_true, universe.values)], dtype=np.int64)
        return true[rows].sum(axis=1, dtype=np.int64), 1


def _count(x: Any) -> int:
    """The number of records; of a table, and over people, the rows.

    >>> COUNT((1, 2, 2)), COUNT(("no", "yes"))
    (3, 2)
    """
    if isinstance(x, tuple):
        return len(x)
    return len(table(x, "dataset")) if is_table(x) else len(tuple(records_listed(x)))


def _count_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    return np.full(len(rows), rows.shape[1], dtype=np.int64), 1


def _sum(x: Dataset) -> Exact:
    """The sum of the records.

    >>> SUM((1, 2, 2))
    5
    """
    return sum(x)


def _mean(x: Dataset) -> Exact:
    """The sum of the records over their number.

    >>> MEAN((1, 2, 2))
    Fraction(5, 3)
    """
    return simplest(Fraction(sum(x)) / len(x))


def _min(x: Dataset) -> Exact:
    """The lowest record.

    >>> MIN((2, 1, 2))
    1
    """
    return x[0]  # type: ignore[no-any-return]


def _max(x: Dataset) -> Exact:
    """The highest record.

    >>> MAX((2, 1, 2))
    2
    """
    return x[-1]  # type: ignore[no-any-return]


def _count_distinct(x: Dataset) -> int:
    """The number of different values among the records, which may be numbers, text or anything hashable.

    >>> count_distinct((1, 2, 2)), count_distinct(("no", "yes", "no"))
    (2, 2)

    Numbers are told apart by how large they are, 1 is 1.0. Cost: linear. Raises TypeError for a missing
    record, numbers among others, and a table: ask of a column, as in `count_distinct.of("name")`.
    Source: its sensitivity: thm-count-distinct-population on the book's page of proofs.
    """
    if is_table(x):
        raise TypeError("of must say which column of a table is asked about")
    listed = x if isinstance(x, tuple) else tuple(records_listed(x))
    if len(set(map(is_real, listed))) > 1:
        raise TypeError("records must be numbers or other records, not both")
    return len(set(map(told_apart, listed)))


def _count_distinct_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64), 1
    return (np.diff(rows, axis=1) != 0).sum(axis=1, dtype=np.int64) + 1, 1


COUNT = _standard("count", _count, Count(), 0, rows=_count_rows, exact=False)
SUM = of_ranks("sum", Sum(), 0, _sum)
MEAN = of_ranks("mean", Mean(), 1, _mean)
MEDIAN = of_ranks("median", Quantile(Fraction(1, 2)))
MIN = of_ranks("min", Quantile(0), 1, _min)
MAX = of_ranks("max", Quantile(1), 1, _max)
VARIANCE = variance()
STD = std()
count_distinct = _standard(
    "count_distinct", _count_distinct, Distinct(), 0, rows=_count_distinct_rows, exact=False
)

CONSTANTS = {
    "COUNT": COUNT, "SUM": SUM, "MEAN": MEAN, "MEDIAN": MEDIAN, "MIN": MIN, "MAX": MAX,
    "VARIANCE": VARIANCE, "STD": STD, "count_distinct": count_distinct,
    "RANGE": RANGE, "INTERQUARTILE_RANGE": INTERQUARTILE_RANGE, "MIDHINGE": MIDHINGE,
    "GINI_MEAN_DIFFERENCE": GINI_MEAN_DIFFERENCE,
}  # fmt: skip


class _CountPeople(OfRecords):
    """The number of people, each once, however many rows they bring; `COUNT` counts rows.

    >>> from sensitivity_lab import Remove, global_sensitivity
    >>> people = Universe.people(Universe.product(price=[0, 9]), most_rows=4)
    >>> ask = {"size": 1, "relation": Remove(1)}
    >>> [global_sensitivity(query, people, **ask).value for query in (count_people, COUNT)]
    [1, 4]

    Raises TypeError for a universe without people, and a table, which does not say whose a row is.
    """

    def __call__(self, dataset: Any) -> Any:
        """The number of people in a sequence of them."""
        if is_table(dataset) or isinstance(dataset, Mapping):
            raise TypeError("count people over a universe: a table does not say whose a row is")
        return super().__call__(dataset)


@dataclass(frozen=True)
class _OneIf:
    """1 of a person of whom a predicate is true, else 0."""

    predicate: Callable[[Any], Any]

    def __call__(self, person: Any) -> int:
        return int(bool(self.predicate(person)))


def _counting(name: str, of: Callable[[Any], int]) -> Query:
    return replace(SUM, name=name, function=_CountPeople(SUM, of), exact=False, rows=None)


def count_people_where(predicate: Callable[[Any], Any]) -> Query:
    """Return the number of people of whom the predicate, which gets all their rows, is true.

    >>> often = count_people_where(lambda rows: len(rows) > 1)
    >>> often([["tea", "tea"], ["tea"]])  # two people
    1

    Cost: two calls for each person, the second on their rows in another order; OrderMatters is raised for
    a predicate that depends on it, TypeError for what cannot be called.
    """
    if not callable(predicate):
        raise TypeError(f"predicate must be callable, got {brief(predicate)}: {A_PREDICATE}")
    return _counting(f"count_people_where({name_of(predicate)})", _OneIf(predicate))


count_people = _counting("count_people", Always(1))


@dataclass(frozen=True)
class OverNumbers:
    """A query of numbers, and what of each record of a universe these numbers are."""

    query: Query
    of_what: Any

    def dataset(self, universe: Universe, positions: Iterable[int], exact: bool = False) -> Dataset:
        """What the records at some positions say, ascending; `exact` numbers in that form."""
        said = in_order(map(partial(number_of, self.of_what), universe.source.each(positions)))
        return tuple(map(exact_number, said)) if exact else said


@dataclass(frozen=True)
class Added(Said):
    """What a person's rows come to, where a query adds what it says of each row."""

    query: Query

    def __call__(self, person: Any) -> Any:
        """Of one person, who comes as a table."""
        return self.query(person)

    def of_all(self, universe: Universe) -> Any:
        """Of people who are named, all rows at once; whatever fails says so person by person."""
        if isinstance(universe.source, People):
            with suppress(Exception):
                return self._at_once(universe.source)
        return universe.said(self.query)

    def _at_once(self, people: People) -> Any:
        asked, rows = self.query.function, people.natives[None]
        if isinstance(asked, _CountWhere):
            said = map(asked.said, rows_of(table(rows, "rows"), PersonsRow))
            return people.added(np.fromiter(said, dtype=np.int64), 1)
        of = self.query.of_what or Always(1)
        known = Universe(Rows(rows, "rows"), False, None)
        return people.added(*in_whole_numbers(known.numbers_of(of)))


def over_numbers(query: Query, universe: Universe) -> OverNumbers | None:
    """The query of numbers that a query is over a universe, where it is one; else None."""
    if universe.holds_people and _adds_rows(query, universe):
        return OverNumbers(SUM, Added(_of_one_row(query, universe)))
    if isinstance(query.function, _CountPeople) and not universe.holds_people:
        raise TypeError(f"query {query.name} counts people, got {universe}: COUNT counts records")
    if query.inner is not None:
        of_rows = universe.holds_people and column_of(query.of_what) is not None
        return None if of_rows else OverNumbers(query.inner, _told(query, universe))
    if not universe.numeric and not universe.tabular and _tells_apart(query):
        return OverNumbers(query, Alike(universe))
    if universe.numeric or query.proved is None or not query.proved.of_anything:
        return None
    if isinstance(query.function, _CountWhere):
        return OverNumbers(count_where(bool), query.function.said)
    return OverNumbers(query, Always(1))


def _tells_apart(query: Query) -> bool:
    """Whether a query asks only which records are equal."""
    return query.proved is not None and query.proved.tells_apart


def _told(query: Query, universe: Universe) -> Any:
    """What the numbers are that a query is asked of; text is told apart where no more is asked."""
    if not _tells_apart(query) or isinstance(query.of_what, Clipped):
        return query.of_what
    (first,) = universe.source.each([0])
    is_number = is_real(called_on(partial(number_of, query.of_what), first))
    return query.of_what if is_number else Alike(universe, query.of_what)


def asks_rows(query: Query) -> bool:
    """Whether a query of people is asked of all their rows: it counts them, or names a column."""
    if query.inner is not None:
        return column_of(query.of_what) is not None
    if query.grouping is not None:
        return True
    return query.proved is not None and query.proved.of_anything


def of_whom(query: Query) -> str:
    """What a result over people says beside a query's name: whether rows are asked, or people counted."""
    if asks_rows(query):
        return ", of all their rows"
    return ", each person once" if isinstance(query.function, _CountPeople) else ""


def _adds_rows(query: Query, people: Universe) -> bool:
    """Whether a query is asked of rows, and of those of two people is the sum of both."""
    proved, column = query.proved, column_of(query.of_what)
    if proved is None or not asks_rows(query):
        return False
    anybody = people.source.brings is not None  # whose numbers are those of a whole dataset
    if (anybody and column == people.source.id) or None not in people.source.whole:
        return False
    return proved.of_anything or (column is not None and proved.adds is not None)


def _of_one_row(query: Query, people: Universe) -> Query:
    """A query whose predicate cannot take a row of some people for a person."""
    predicate = predicate_of(query)
    if predicate is None:
        return query
    return replace(query, function=_CountWhere(OfOneRow.over(predicate, people.source)))


def predicate_of(query: Query) -> Callable[[Any], Any] | None:
    """What a query counts records by, where it is a count that asks a function."""
    return query.function.predicate if isinstance(query.function, _CountWhere) else None


def python_of(query: Query) -> str | None:
    """The Python that makes a standard query, with `sl` for the package; None for any other."""
    if query.together is not None:
        return query.together.python(query)
    if query.grouping is not None:
        return _python_by_group(query.grouping)
    if query.inner is not None:
        return _python_of_what(query.inner, query.of_what)
    for name, constant in CONSTANTS.items():
        if query == constant:
            return f"sl.{name}"
    return _python_of_call(query.made) if query.made and query == query.made() else None


def _python_of_call(made: partial[Query]) -> str:
    """The call of the package's function that makes a query."""
    options = [f"{name}={value}" for name, value in made.keywords.items()]
    return f"sl.{made.func.__name__}({', '.join([*map(literal, made.args), *options])})"


def literal(value: Any) -> str:
    """Numbers as Python: a float's text where that means the number, else an int or a Fraction."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal, value))}]"
    number = exact_number(value)
    decimal = None if isinstance(number, int) else number_as_float(number)
    return repr(number if decimal is None else decimal)


def _python_by_group(grouping: Grouping) -> str | None:
    """The Python of a query by the groups of a column."""
    asked = _python_of_what(grouping.query, grouping.of_what)
    if asked is None or not isinstance(grouping.by_what, str):
        return None
    keys = "" if grouping.keys is None else f", keys={list(grouping.keys)!r}"
    return f"{asked}.by({grouping.by_what!r}{keys})"


def _python_of_what(query: Query, what: Any) -> str | None:
    """The Python of a query of a column, or of its numbers cut to bounds."""
    if what is None:
        return python_of(query)
    if isinstance(what, Clipped):
        asked = _python_of_what(query, what.of)
        ends = f"{literal(what.low)}, {literal(what.high)}"
        return None if asked is None else f"{asked}.clipped({ends})"
    column, missing = what, ""
    if isinstance(what, Filled):
        column, missing = what.of, f", missing={literal(what.missing)}"
    asked = python_of(query)
    return f"{asked}.of({column!r}{missing})" if asked and isinstance(column, str) else None
