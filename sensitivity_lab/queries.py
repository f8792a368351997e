"""What is asked of a dataset: the standard queries, each in a plain form and a vectorised one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_lab.exact import (
    Exact,
    brief,
    exact_number,
    is_finite,
    is_real,
    rounded_root_gap,
    sequence,
    simplest,
    whole_number,
)
from sensitivity_lab.labels import in_order_of_labels
from sensitivity_lab.text import number_repr
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
    query is the square root of what its function returns. `rows` is the same function over
    many datasets at once: (N, n) positions among the universe's values in, N integer
    answers (or N vectors of them) and their common denominator out. `family` names a standard
    query's kind and its options, for routes that know it by more than its answers.

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
            raise TypeError(f"function must be callable, got {self.function!r}")
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
                f"query {self.name} failed on dataset {number_repr(dataset)}: "
                f"{type(error).__name__}: {error}"
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
    return Query(getattr(query, "__name__", type(query).__name__), query)


def checked_answer(answer: Any, query: Query, dataset: Dataset) -> Any:
    """Return a number as int, Fraction, Decimal or float, a vector as a tuple of those.

    >>> checked_answer(np.array([1, 2]), SUM, (1, 2))
    (1, 2)

    The numbers of a pandas Series come in one order of their labels, whatever its own.
    Cost: linear in the answer's length. Raises TypeError for what is neither number nor vector,
    ValueError for NaN and infinities: with the query's name and the dataset.
    """
    if isinstance(answer, np.ndarray) and answer.ndim == 0:
        answer = answer.item()
    if isinstance(answer, str) or not (isinstance(answer, Iterable) and hasattr(answer, "__len__")):
        return _checked_number(answer, query, dataset)
    if isinstance(answer, (dict, set, frozenset, pd.DataFrame)):
        raise TypeError(
            f"query {query.name} must return a number or a vector, got {brief(answer)} on dataset {number_repr(dataset)}"
        )
    numbers = tuple(_checked_number(entry, query, dataset) for entry in answer)
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
            f"query {query.name} must return finite numbers, got {number} on dataset {number_repr(dataset)}"
        )
    return number if isinstance(number, Decimal) else float(number)


def _integers(rows: np.ndarray, universe: Universe, power: int = 1) -> tuple[np.ndarray, int]:
    """The records of each row as integers over a scale, roomy enough for n² sums of `power`s."""
    values, scale = universe.scaled
    largest = max(abs(int(values[0])), abs(int(values[-1])), 1)
    room = largest**power * max(rows.shape[1], 1) ** 2
    return (values if room < 2**59 else values.astype(object))[rows], scale


def _mean(x: Dataset) -> Exact:
    return simplest(Fraction(sum(x)) / len(x))


def _mean_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    x, scale = _integers(rows, universe)
    return x.sum(axis=1), scale * rows.shape[1]


def _sum_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    x, scale = _integers(rows, universe)
    return x.sum(axis=1), scale


def _quantile_position(q: Exact, size: int) -> tuple[int, int, Exact]:
    """Ranks either side of q(n − 1), and the weight of the upper one."""
    position = q * (size - 1)
    lower = position // 1
    return lower, min(lower + 1, size - 1), position - lower


@lru_cache(maxsize=256)
def _quantile(q: Exact, name: str) -> Query:
    def function(x: Dataset) -> Exact:
        lower, upper, weight = _quantile_position(q, len(x))
        return simplest(Fraction(x[lower] + weight * (x[upper] - x[lower])))

    def rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        lower, upper, weight = _quantile_position(q, rows.shape[1])
        top, bottom = weight.numerator, weight.denominator
        x, scale = _integers(rows[:, [lower, upper]], universe, power=1)
        if bottom * max(1, *(abs(int(end)) for end in universe.scaled[0][[0, -1]])) > 2**59:
            x = x.astype(object)
        return x[:, 0] * (bottom - top) + x[:, 1] * top, scale * bottom

    return Query(name, function, 1, exact=True, rows=rows, family=("quantile", q))


def quantile(q: Any) -> Query:
    """Return the q-quantile with linear interpolation, as `numpy.quantile` computes it.

    >>> quantile(0.25)((1, 2, 3, 4, 5, 6))
    Fraction(9, 4)

    Cost: an answer reads two of the sorted records. Raises ValueError for q outside [0, 1].
    Source: Hyndman and Fan (1996), definition 7.
    """
    exact = exact_number(q, "q")
    if not 0 <= exact <= 1:
        raise ValueError(f"q must lie in [0, 1], got q={q}")
    text = str(float(exact)) if exact_number(float(exact)) == exact else str(exact)
    return _quantile(exact, f"quantile({text})")


def _sum_of_squares(x: Dataset) -> Exact:
    """n · Σ(x − mean)², which is whole where the records are."""
    total = sum(x)
    squares: Exact = len(x) * sum(record * record for record in x) - total * total
    return squares


@lru_cache(maxsize=256)
def _spread(kind: str, ddof: int) -> Query:
    def function(x: Dataset) -> Exact:
        return simplest(Fraction(_sum_of_squares(x)) / (len(x) * (len(x) - ddof)))

    def rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        x, scale = _integers(rows, universe, power=2)
        n, total = rows.shape[1], x.sum(axis=1)
        return n * (x * x).sum(axis=1) - total * total, scale * scale * n * (n - ddof)

    name = kind if ddof == 0 else f"{kind}(ddof={ddof})"
    return Query(
        name,
        function,
        smallest_size=ddof + 1,
        exact=True,
        root=kind == "std",
        rows=rows,
        family=(kind, ddof),
    )


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
        raise ValueError(f"edges must be at least two strictly rising numbers, got {list(given)}")

    def bin_of(x: Exact) -> int:
        """The bin's number, or the number of bins for a record that is in none."""
        if not exact[0] <= x <= exact[-1]:
            return len(exact) - 1
        return min(bisect_right(exact, x), len(exact) - 1) - 1

    def function(x: Dataset) -> tuple[int, ...]:
        bins = [bin_of(record) for record in x]
        return tuple(bins.count(i) for i in range(len(exact) - 1))

    def rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        bins = np.array([bin_of(value) for value in universe.exact_values if value is not None])
        return np.stack([(bins[rows] == i).sum(axis=1) for i in range(len(exact) - 1)], axis=1), 1

    return Query(
        f"histogram({list(given)})",
        function,
        smallest_size=0,
        exact=True,
        rows=rows,
        family=("histogram", *exact),
    )


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
        raise TypeError(f"predicate must be callable, got {predicate!r}")

    def function(x: Dataset) -> int:
        return sum(bool(predicate(record)) for record in x)

    def rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        true = np.array([bool(predicate(value)) for value in universe.values], dtype=np.int64)
        return true[rows].sum(axis=1), 1

    name = f"count_where({getattr(predicate, '__name__', repr(predicate))})"
    return Query(name, function, smallest_size=0, rows=rows, family=("count_where",))


def _count_distinct_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64), 1
    return (np.diff(rows, axis=1) != 0).sum(axis=1) + 1, 1


def _count_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    return np.full(len(rows), rows.shape[1], dtype=np.int64), 1


def _end_rows(end: int) -> Rows:
    def rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        x, scale = _integers(rows[:, [end]], universe)
        return x[:, 0], scale

    return rows


COUNT = Query("count", len, smallest_size=0, exact=True, rows=_count_rows, family=("count",))
SUM = Query("sum", sum, smallest_size=0, exact=True, rows=_sum_rows, family=("sum",))
MEAN = Query("mean", _mean, 1, exact=True, rows=_mean_rows, family=("mean",))
MEDIAN = _quantile(Fraction(1, 2), "median")
MIN = Query("min", lambda x: x[0], 1, exact=True, rows=_end_rows(0), family=("quantile", 0))
MAX = Query("max", lambda x: x[-1], 1, exact=True, rows=_end_rows(-1), family=("quantile", 1))
VARIANCE = variance()
STD = std()
count_distinct = Query(
    "count_distinct",
    lambda x: len(set(x)),
    smallest_size=0,
    exact=True,
    rows=_count_distinct_rows,
    family=("count_distinct",),
)
