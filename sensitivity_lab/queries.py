"""What is asked of a dataset: the standard queries, each in a plain form and a vectorised one."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_lab.exact import (
    MOST_EXPONENT,
    Exact,
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
from sensitivity_lab.gap import in_order_of_labels
from sensitivity_lab.text import dataset_text, number_repr
from sensitivity_lab.universe import Dataset, Universe

Rows = Callable[[np.ndarray, Universe], tuple[np.ndarray, int]]


@dataclass(frozen=True)
class Query:
    """A function of a dataset, with what the package must know of it.

    >>> MEAN((1, 2, 3, 5)), STD((1, 3)), COUNT(())
    (Fraction(11, 4), 1.0, 0)

    Any callable can be asked about as it is. Wrap it in a `Query` to name it, to say the
    smallest size it is defined on, or that it takes missing records (None):

    >>> span = Query("span", lambda dataset: dataset[-1] - dataset[0])
    >>> span((1, 2, 8))
    7

    `function` receives a sorted tuple and returns a number or a vector. Without a
    `smallest_size` it is tried on the empty dataset where that is asked about: if it fails
    there, the result says that this was not asked. `exact` functions
    receive ints and Fractions, others the caller's own numbers. The answer of a `root`
    query is the square root of what its function returns. `rows` is the same function over many
    datasets at once: `rows(positions, universe)` receives N datasets as an (N, n) array of
    positions among `universe.values`, and returns N integer answers (or N vectors of them) and
    their common denominator; the first answer of each size is held to the function's. `family`
    names a standard query's kind and its options, for routes that know it by more than its answers.

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
    rows: Rows | None = field(default=None, repr=False)
    family: tuple[Any, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {brief(self.function)}")
        if about := getattr(self.function, "__doc__", None):
            object.__setattr__(self, "__doc__", about)  # so that help() tells of this query
        if self.smallest_size is not None:
            whole_number(self.smallest_size, "smallest_size", 0)

    def __call__(self, dataset: Iterable[Any]) -> Any:
        """Return the answer on one dataset: exact where it is rational, else a float."""
        records = sequence(dataset, "dataset")
        if self.smallest_size is not None and len(records) < self.smallest_size:
            raise ValueError(
                f"query {self.name} needs a dataset of at least {self.smallest_size} "
                f"record{'s' * (self.smallest_size > 1)}, got {len(records)}"
            )
        if self.exact:
            records = tuple(sorted(exact_number(record, "record") for record in records))
        answer = self.answer(records)
        return rounded_root_gap(Fraction(answer), Fraction(0)) if self.root else answer

    def answer(self, dataset: Dataset) -> Any:
        """Return the checked answer (its square for a root query) on sorted records.

        >>> STD.answer((1, 4)), STD((1, 4))
        (Fraction(9, 4), 1.5)

        Cost: one call of the function. Errors: as `called` and `checked_answer`.
        """
        return checked_answer(self.called(dataset), self, dataset)

    def called(self, dataset: Dataset) -> Any:
        """Return what the function returns, unchecked; where it fails, say on which dataset.

        >>> MAX.called((1, 4))
        4

        Cost: one call of the function. Raises ValueError for whatever the function raises.
        """
        try:
            return self.function(dataset)
        except Exception as error:
            raise ValueError(
                f"query {self.name} failed on dataset {number_repr(dataset)}: {told(error)}"
            ) from error

    def __str__(self) -> str:
        return self.name


def as_query(query: Query | Callable[[Any], Any]) -> Query:
    """Return `query` itself, or a plain callable wrapped as one.

    >>> as_query(max).name
    'max'

    Raises TypeError for what cannot be called.
    """
    if isinstance(query, Query):
        return query
    if not callable(query):
        raise TypeError(f"query must be a Query or a callable, got {brief(query)}")
    return Query(name_of(query), query)


def checked_answer(answer: Any, query: Query, dataset: Dataset) -> Any:
    """Return a number as int, Fraction, Decimal or float, a vector as a tuple of those.

    >>> checked_answer(np.array([1, 2]), SUM, (1, 2))
    (1, 2)

    The numbers of a pandas Series come in one order of their labels, whatever its own.
    Cost: linear in the answer's length. Raises TypeError for what is neither number nor vector,
    ValueError for NaN and infinities: with the query's name and the dataset.
    """
    if isinstance(answer, np.ndarray) and answer.ndim == 0:
        answer = answer[()]  # not item(), which makes whole numbers of time spans
    if isinstance(answer, str) or not (isinstance(answer, Iterable) and hasattr(answer, "__len__")):
        return _checked_number(answer, query, dataset)
    if isinstance(answer, (dict, set, frozenset, pd.DataFrame)):
        raise TypeError(
            f"query {query.name} must return a number or a vector, got {brief(answer)} on dataset {number_repr(dataset)}"
        )
    entries = (
        answer
        if isinstance(answer, (tuple, list, np.ndarray))
        else drawn(answer, f"answer of {query.name}")
    )
    numbers = tuple(_checked_number(entry, query, dataset) for entry in entries)
    return _by_label(numbers, answer, query, dataset) if isinstance(answer, pd.Series) else numbers


def _by_label(numbers: tuple[Any, ...], answer: Any, query: Query, dataset: Dataset) -> Any:
    try:
        return in_order_of_labels(numbers, answer.index.tolist())
    except ValueError as error:
        raise ValueError(
            f"query {query.name} must label each number once: {error} on dataset {number_repr(dataset)}"
        ) from error


def _checked_number(number: Any, query: Query, dataset: Dataset) -> Any:
    if not is_real(number):
        raise TypeError(
            f"query {query.name} must return a number or a vector, got {brief(number)} on dataset {number_repr(dataset)}"
        )
    if isinstance(number, (Integral, np.bool_)):
        return int(number)
    if isinstance(number, Fraction):
        return simplest(number)
    if not is_finite(number):
        raise ValueError(
            f"query {query.name} must return finite numbers, got {brief(number)} on dataset {number_repr(dataset)}"
        )
    if not isinstance(number, Decimal):
        return float(number)
    if number and abs(number.adjusted()) > MOST_EXPONENT:
        raise ValueError(
            f"query {query.name} must return numbers within 10 to the power of ±{MOST_EXPONENT:,}, "
            f"got {brief(number)} on dataset {number_repr(dataset)}"
        )
    return number


def _integers(rows: np.ndarray, universe: Universe, power: int = 1) -> tuple[np.ndarray, int]:
    """The records of each row as integers over a scale, roomy enough for n² sums of `power`s."""
    values, scale = universe.scaled
    largest = max(abs(int(values[0])), abs(int(values[-1])), 1)
    room = largest**power * max(rows.shape[1], 1) ** 2
    return (values if room < 2**59 else values.astype(object))[rows], scale


@dataclass(frozen=True)
class _Rows:
    """The vectorised form of a function that has one; equal where the functions are."""

    function: Any

    def __call__(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        return self.function.rows(rows, universe)  # type: ignore[no-any-return]


def _standard(name: str, function: Any, *family: Any, **options: Any) -> Query:
    return Query(name, function, rows=_Rows(function), family=family, **options)


@dataclass(frozen=True)
class _Quantile:
    """The q-quantile of sorted records, with linear interpolation between the two ranks.

    >>> MEDIAN((1, 2, 4, 9)), quantile(0.25)((1, 2, 4))
    (3, Fraction(3, 2))
    """

    q: Exact

    def __call__(self, x: Dataset) -> Exact:
        lower, upper, weight = self._place(len(x))
        return simplest(Fraction(x[lower] + weight * (x[upper] - x[lower])))

    def _place(self, size: int) -> tuple[int, int, Exact]:
        """Ranks either side of q(n − 1), and the weight of the upper one."""
        position = self.q * (size - 1)
        lower = position // 1
        return lower, min(lower + 1, size - 1), position - lower

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        lower, upper, weight = self._place(rows.shape[1])
        top, bottom = weight.numerator, weight.denominator
        x, scale = _integers(rows[:, [lower, upper]], universe, power=1)
        if bottom * max(1, *(abs(int(end)) for end in universe.scaled[0][[0, -1]])) > 2**59:
            x = x.astype(object)
        return x[:, 0] * (bottom - top) + x[:, 1] * top, scale * bottom


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
    text = str(float(exact)) if exact_number(float(exact)) == exact else str(exact)
    return _quantile(f"quantile({text})", exact)


def _quantile(name: str, q: Exact) -> Query:
    return _standard(name, _Quantile(q), "quantile", q, smallest_size=1, exact=True)


def _sum_of_squares(x: Dataset) -> Exact:
    """n · Σ(x − mean)², which is whole where the records are."""
    total = sum(x)
    squares: Exact = len(x) * sum(record * record for record in x) - total * total
    return squares


@dataclass(frozen=True)
class _Variance:
    """The sum of squared deviations from the mean over n − ddof; of `std`, the root of that.

    >>> VARIANCE((1, 2, 3)), STD((1, 3))
    (Fraction(2, 3), 1.0)
    """

    ddof: int

    def __call__(self, x: Dataset) -> Exact:
        return simplest(Fraction(_sum_of_squares(x)) / (len(x) * (len(x) - self.ddof)))

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        x, scale = _integers(rows, universe, power=2)
        n, total = rows.shape[1], x.sum(axis=1)
        return n * (x * x).sum(axis=1) - total * total, scale * scale * n * (n - self.ddof)


def _spread(kind: str, ddof: int) -> Query:
    name = kind if ddof == 0 else f"{kind}(ddof={ddof})"
    options: dict[str, Any] = {"smallest_size": ddof + 1, "exact": True, "root": kind == "std"}
    return _standard(name, _Variance(ddof), kind, ddof, **options)


def variance(*, ddof: int = 0) -> Query:
    """Return the variance: the sum of squared deviations over n − ddof.

    >>> variance(ddof=1)((1, 2, 3))
    1

    `ddof` is 0 for a population (numpy's default), 1 for a sample.
    Cost: an answer is O(n) exact arithmetic, by n·Σx² − (Σx)².
    Raises ValueError for a ddof that is negative or not whole.
    Source: `numpy.var`; its sensitivity: thm-variance on the book's page of proofs.
    """
    return _spread("variance", whole_number(ddof, "ddof", 0))


def std(*, ddof: int = 0) -> Query:
    """Return the standard deviation: the root of `variance(ddof=ddof)`.

    >>> std()((1, 3)), std(ddof=1)((1, 3))
    (1.0, 1.4142135623730951)

    Sensitivities are compared as exact roots and returned as correctly rounded floats.
    Cost and errors: as `variance`.
    Source: `numpy.std`; its sensitivity: thm-std on the book's page of proofs.
    """
    return _spread("std", whole_number(ddof, "ddof", 0))


def histogram(edges: Iterable[Any]) -> Query:
    """Return the counts of records in each bin, as `numpy.histogram` counts them.

    >>> histogram([0, 5, 10, 25])((1, 5, 6, 25, 30))
    (1, 2, 1)

    Bins are half-open, [a, b), but the last, [a, b]; records outside all bins are not counted.
    Cost: an answer is O(n · bins). Raises ValueError unless there are two edges or more, strictly
    rising. Source: `numpy.histogram`; its sensitivity: thm-histogram on the book's page of proofs.
    """
    given = sequence(edges, "edges", "numbers")
    exact = [exact_number(edge, "edges") for edge in given]
    if len(exact) < 2 or any(a >= b for a, b in pairwise(exact)):
        raise ValueError(
            f"edges must be at least two strictly rising numbers, got {number_repr(list(given))}"
        )

    name = f"histogram({number_repr(list(given))})"
    bins = _Histogram(tuple(exact))
    return _standard(name, bins, "histogram", *exact, smallest_size=0, exact=True)


@dataclass(frozen=True)
class _Histogram:
    """The counts of records in each bin, half-open but the last; those in none are not counted.

    >>> histogram([0, 5, 10])((1, 5, 10, 11))
    (1, 2)
    """

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
        ends = [*starts[1:], bisect_right(whole, last, key=int)]
        inside = [(a <= rows) & (rows < b) for a, b in zip(starts, ends, strict=True)]
        return np.stack([held.sum(axis=1) for held in inside], axis=1), 1


def count_where(predicate: Callable[[Any], Any]) -> Query:
    """Return the number of records for which `predicate` is true.

    >>> count_where(lambda age: age > 10)((5, 11, 12))
    2

    The predicate is asked of the caller's own numbers.
    Cost: one call for each record, for each value where the sweep answers.
    Raises TypeError for a predicate that cannot be called.
    Source: its sensitivity: thm-count on the book's page of proofs.
    """
    if not callable(predicate):
        raise TypeError(f"predicate must be callable, got {brief(predicate)}")

    name = f"count_where({name_of(predicate)})"
    return _standard(name, _CountWhere(predicate), "count_where", smallest_size=0)


@dataclass(frozen=True)
class _CountWhere:
    """The number of records for which the predicate is true.

    >>> count_where(bool)((0, 1, 2))
    2
    """

    predicate: Callable[[Any], Any]

    def __call__(self, x: Dataset) -> int:
        return sum(map(self.is_true, x))

    def is_true(self, record: Any) -> bool:
        """Ask the predicate of one record; where it fails, say on which."""
        try:
            return bool(self.predicate(record))
        except Exception as error:
            raise ValueError(f"predicate failed on {brief(record)}: {told(error)}") from error

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        true = np.array([*map(self.is_true, universe.values)], dtype=np.int64)
        return true[rows].sum(axis=1), 1


def _count(x: Dataset) -> int:
    """The number of records.

    >>> COUNT((1, 2, 2))
    3
    """
    return len(x)


def _count_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    return np.full(len(rows), rows.shape[1], dtype=np.int64), 1


def _sum(x: Dataset) -> Exact:
    """The sum of the records.

    >>> SUM((1, 2, 2))
    5
    """
    return sum(x)


def _sum_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    x, scale = _integers(rows, universe)
    return x.sum(axis=1), scale


def _mean(x: Dataset) -> Exact:
    """The sum of the records over their number.

    >>> MEAN((1, 2, 2))
    Fraction(5, 3)
    """
    return simplest(Fraction(sum(x)) / len(x))


def _mean_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    x, scale = _integers(rows, universe)
    return x.sum(axis=1), scale * rows.shape[1]


def _min(x: Dataset) -> Exact:
    """The lowest record.

    >>> MIN((2, 1, 2))
    1
    """
    return x[0]  # type: ignore[no-any-return]


def _min_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    x, scale = _integers(rows[:, [0]], universe)
    return x[:, 0], scale


def _max(x: Dataset) -> Exact:
    """The highest record.

    >>> MAX((2, 1, 2))
    2
    """
    return x[-1]  # type: ignore[no-any-return]


def _max_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    x, scale = _integers(rows[:, [-1]], universe)
    return x[:, 0], scale


def _count_distinct(x: Dataset) -> int:
    """The number of different values among the records.

    >>> count_distinct((1, 2, 2))
    2
    """
    return len(set(x))


def _count_distinct_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64), 1
    return (np.diff(rows, axis=1) != 0).sum(axis=1) + 1, 1


COUNT = Query("count", _count, smallest_size=0, exact=True, rows=_count_rows, family=("count",))
SUM = Query("sum", _sum, smallest_size=0, exact=True, rows=_sum_rows, family=("sum",))
MEAN = Query("mean", _mean, 1, exact=True, rows=_mean_rows, family=("mean",))
MEDIAN = _quantile("median", Fraction(1, 2))
MIN = Query("min", _min, 1, exact=True, rows=_min_rows, family=("quantile", 0))
MAX = Query("max", _max, 1, exact=True, rows=_max_rows, family=("quantile", 1))
VARIANCE = variance()
STD = std()
count_distinct = Query(
    "count_distinct",
    _count_distinct,
    smallest_size=0,
    exact=True,
    rows=_count_distinct_rows,
    family=("count_distinct",),
)
CONSTANTS = {
    "COUNT": COUNT, "SUM": SUM, "MEAN": MEAN, "MEDIAN": MEDIAN, "MIN": MIN, "MAX": MAX,
    "VARIANCE": VARIANCE, "STD": STD, "count_distinct": count_distinct,
}  # fmt: skip


def answers_at(query: Query, universe: Universe, rows: np.ndarray) -> list[Any]:
    """The answers (squares for a root query) on the datasets whose value positions the rows hold.

    >>> answers_at(MEAN, Universe.population([1, 2, 4]), np.array([[0, 1], [1, 2]]))
    [Fraction(3, 2), 3]

    A standard query answers all of them at once. Equal to calling it on each.
    Cost: one pass over the rows in NumPy; else one call of the function for each.
    """
    if query.family and query.rows is not None and not universe.has_missing:
        numerators, scale = query.rows(rows, universe)
        return [_over(numerator, scale) for numerator in numerators.tolist()]
    values = universe.exact_values if query.exact else universe.values
    return [query.answer(tuple(values[i] for i in row)) for row in rows.tolist()]


def _over(numerator: Any, scale: int) -> Any:
    if isinstance(numerator, list):
        return tuple(_over(entry, scale) for entry in numerator)
    return simplest(Fraction(numerator, scale))


def python_of(query: Query) -> str | None:
    """The Python that makes a standard query, with `sl` for the package; None for any other.

    >>> python_of(STD), python_of(quantile(0.25)), python_of(Query("mean", len))
    ('sl.STD', 'sl.quantile(0.25)', None)
    """
    for name, constant in CONSTANTS.items():
        if query == constant:
            return f"sl.{name}"
    kind, *options = query.family or ("none",)
    if kind == "quantile" and query == quantile(*options):
        return f"sl.quantile({_literal(options[0])})"
    if kind in ("variance", "std") and query == _spread(kind, *options):
        return f"sl.{kind}(ddof={options[0]})"
    if kind == "histogram" and query.function == _Histogram(tuple(options)):
        return f"sl.histogram([{', '.join(map(_literal, options))}])"
    return None


def _literal(number: Exact) -> str:
    """A float's text where that means the number, else an int or a Fraction."""
    if isinstance(number, int) or abs(number) > sys.float_info.max:
        return repr(number)
    decimal = float(number)
    return repr(decimal) if exact_number(decimal) == number else repr(number)
