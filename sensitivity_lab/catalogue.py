"""The standard queries: each names its function, that over many datasets, and what is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab import extension
from sensitivity_lab.numbers.exact import (
    Exact,
    brief,
    by_name,
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
from sensitivity_lab.proved import ranks
from sensitivity_lab.proved.bins import CountWhere, Histogram
from sensitivity_lab.proved.distinct import Distinct
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.scatter import Deviation, Variance
from sensitivity_lab.queries import Query
from sensitivity_lab.records import told_apart
from sensitivity_lab.universe import Dataset, Universe

A_PREDICATE = "a function of a record, as lambda row: row['pay'] > 3"


def _standard(
    name: str, function: Any, proved: Family, smallest_size: int, **options: Any
) -> Query:
    given: dict[str, Any] = {"exact": True, "rows": getattr(function, "rows", None)} | options
    return Query(name, function, smallest_size, proved=proved, **given)


@dataclass(frozen=True)
class Weighed:
    """The sum of the sorted records, each times the weight of its rank.

    >>> RANGE((1, 2, 8)), MEDIAN((1, 2, 3, 9))
    (7, Fraction(5, 2))
    """

    by: ranks.Monotone | ranks.Range

    def __call__(self, x: Dataset) -> Exact:
        """The sum over one dataset."""
        steps = self.by.steps(len(x))
        total: Any = sum(weight * sum(x[start:stop]) for start, stop, weight in steps if weight)
        return simplest(Fraction(total) / steps.unit)

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        """The same over many datasets at once: whole numbers, and what they are over."""
        values, scale = universe.scaled
        steps = self.by.steps(rows.shape[1])
        largest = max(abs(int(values[0])), abs(int(values[-1])), 1)
        dtype = np.dtype(np.int64 if max(steps.magnitude, 1) * largest < 2**62 else object)
        weights = steps.listed()
        read = np.flatnonzero(weights)
        x = values.astype(dtype)[rows[:, read]]
        total: np.ndarray = (x * weights[read].astype(dtype)).sum(axis=1, dtype=dtype)
        return total, scale * steps.unit


def of_ranks(
    name: str,
    proved: ranks.Monotone | ranks.Range,
    smallest_size: int = 1,
    function: Callable[[Dataset], Exact] | None = None,
    made: partial[Query] | None = None,
) -> Query:
    """The query that weighs sorted records so; `function` is the same where it is quicker alone."""
    weighed = Weighed(proved)
    answers = function or weighed
    return _standard(name, answers, proved, smallest_size, rows=weighed.rows, made=made)


@by_name
def quantile(q: Any) -> Query:
    """Return the q-quantile with linear interpolation, as `numpy.quantile` computes it.

    >>> quantile(0.25)((1, 2, 3, 4, 5, 6))
    Fraction(9, 4)

    Cost: an answer reads two of the sorted records. Raises ValueError for q outside [0, 1].
    Source: Hyndman and Fan (1996), definition 7.
    """
    if isinstance(q, Iterable):
        several = "lambda x: [sl.quantile(q)(x) for q in (0.1, 0.5)]"
        raise TypeError(f"q must be one number, got {brief(q)}: a vector is {several}")
    exact = exact_number(q, "q")
    if not 0 <= exact <= 1:
        raise ValueError(f"q must lie in [0, 1], got q={dataset_text(q)}")
    near, made = number_as_float(exact), partial(quantile, exact)
    is_short = near is None and exact.denominator < 10**300
    text = str(exact) if is_short else number_repr(exact if near is None else near)
    return of_ranks(f"quantile({text})", ranks.Quantile(exact), made=made)


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

    Sensitivities are exact roots, shown as correctly rounded floats. Cost and errors: as
    `variance`. Source: `numpy.std`; its sensitivity: thm-std on the book's page of proofs.
    """
    return _scatter(std, Deviation, ddof)


def _scatter(maker: Callable[..., Query], family: type[Variance], ddof: Any) -> Query:
    ddof, kind = whole_number(ddof, "ddof", 0), maker.__name__
    name = f"{kind}(ddof={ddof})" if ddof else kind
    options = {"root": maker is std, "made": partial(maker, ddof=ddof)}
    return _standard(name, _Variance(ddof), family(ddof), ddof + 1, **options)


@by_name
def histogram(edges: Iterable[Any]) -> Query:
    """Return the counts of records in each bin, as `numpy.histogram` counts them.

    >>> histogram([0, 5, 10, 25])((1, 5, 6, 25, 30))
    (1, 2, 1)

    Bins are half-open, [a, b), but the last, [a, b]; records outside all bins are not counted.
    Cost: an answer is O(n · bins). Raises ValueError unless there are two edges or more, strictly
    rising. Source: `numpy.histogram`; its sensitivity: thm-histogram on the book's page of proofs.
    """
    listed = sequence(edges, "edges", "numbers, as [0, 10, 20]")
    given = tuple(n.item() if isinstance(n, (np.integer, np.float64)) else n for n in listed)
    exact, text = [exact_number(edge, "edges") for edge in given], number_repr(list(given))
    if len(exact) < 2 or any(a >= b for a, b in pairwise(exact)):
        raise ValueError(f"edges must be at least two strictly rising numbers, got {text}")
    proved = Histogram(tuple(exact))
    return _standard(
        f"histogram({text})", _Histogram(proved), proved, 0, made=partial(histogram, given)
    )


@dataclass(frozen=True)
class _Histogram:
    """The counts of records in each bin, half-open but the last; those in none are not counted."""

    proved: Histogram

    def __call__(self, x: Dataset) -> tuple[int, ...]:
        bins = list(map(self.proved.bin_of, x))
        return tuple(bins.count(i) for i in range(self.proved.number))

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        counts = self.proved.number + 1  # with that of what is in no bin
        first = np.arange(len(rows), dtype=np.int64)[:, None] * counts
        bins = self.proved.bins_of(*universe.scaled)[rows] + first
        held = np.bincount(bins.ravel(), minlength=len(rows) * counts)
        return held.reshape(len(rows), counts)[:, :-1].astype(np.int64), 1


@by_name
def count_where(predicate: Callable[[Any], Any]) -> Query:
    """Return the number of records for which `predicate` is true.

    >>> count_where(lambda age: age > 10)((5, 11, 12))
    2

    The predicate is asked of the caller's own numbers, or of whatever else a record is: one of a
    table has its columns by name, and what is missing is None: `row["pay"] is None`.

    >>> count_where(lambda vote: vote == "yes")(("no", "yes"))
    1

    Cost: one call for each record, for each value where the sweep answers.
    Raises TypeError for a predicate that cannot be called.
    Source: its sensitivity: thm-count on the book's page of proofs.
    """
    if not callable(predicate):
        raise TypeError(f"predicate must be callable, got {brief(predicate)}: {A_PREDICATE}")
    name = f"count_where({name_of(predicate)})"
    function = CountsTrue(predicate)
    return _standard(name, function, CountWhere(function), 0, exact=False)


@dataclass(frozen=True)
class CountsTrue:
    """The number of records for which the predicate is true; of a table the rows."""

    predicate: Callable[[Any], Any]

    def __call__(self, x: Any) -> int:
        """The number over one dataset."""
        return sum(map(self.is_true, listed(x)))

    def said(self, record: Any) -> int:
        """Count one record."""
        return int(self.is_true(record))

    def is_true(self, record: Any) -> bool:
        """Ask the predicate of one record; where it fails, say on which."""
        try:
            return bool(extension.asked(self.predicate, record))
        except Exception as error:
            raise ValueError(f"predicate failed on {brief(record)}: {told(error)}") from error

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        """The same over many datasets at once."""
        true = np.array([*map(self.is_true, universe.values)], dtype=np.int64)
        return true[rows].sum(axis=1, dtype=np.int64), 1


def listed(dataset: Any) -> Sequence[Any]:
    """The records of a dataset that a count is asked of: a tuple, or whatever else it comes as."""
    if isinstance(dataset, tuple):
        return dataset
    if extension.is_foreign(dataset) or isinstance(dataset, Mapping):
        return extension.entries(dataset, "dataset")
    return sequence(dataset, "dataset")


def _count(x: Any) -> int:
    """The number of records.

    >>> COUNT((1, 2, 2)), COUNT(("no", "yes"))
    (3, 2)
    """
    return len(x) if extension.is_foreign(x) else len(listed(x))


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
    """The number of different values among the records, which may be numbers, text or anything
    hashable.

    >>> count_distinct((1, 2, 2)), count_distinct(("no", "yes", "no"))
    (2, 2)

    Numbers are told apart by how large they are, 1 is 1.0. Cost: linear. Raises TypeError for a
    missing record, numbers among others, and a table: ask of a column, as in
    `count_distinct.of("name")`.
    Source: its sensitivity: thm-count-distinct-population on the book's page of proofs.
    """
    if extension.is_foreign(x):
        raise TypeError("of must say which column of a table is asked about")
    records = listed(x)
    if len(set(map(is_real, records))) > 1:
        raise TypeError("records must be numbers or other records, not both")
    return len(set(map(told_apart, records)))


def _count_distinct_rows(rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64), 1
    return (np.diff(rows, axis=1) != 0).sum(axis=1, dtype=np.int64) + 1, 1


COUNT = _standard("count", _count, ranks.Count(), 0, rows=_count_rows, exact=False)
SUM = of_ranks("sum", ranks.Sum(), 0, _sum)
MEAN = of_ranks("mean", ranks.Mean(), 1, _mean)
MEDIAN = of_ranks("median", ranks.Quantile(Fraction(1, 2)))
MIN = of_ranks("min", ranks.Quantile(0), 1, _min)
MAX = of_ranks("max", ranks.Quantile(1), 1, _max)
RANGE = of_ranks("range", ranks.Range())
VARIANCE = variance()
STD = std()
count_distinct = _standard(
    "count_distinct", _count_distinct, Distinct(), 0, rows=_count_distinct_rows, exact=False
)

CONSTANTS = {
    "COUNT": COUNT, "SUM": SUM, "MEAN": MEAN, "MEDIAN": MEDIAN, "MIN": MIN, "MAX": MAX,
    "VARIANCE": VARIANCE, "STD": STD, "count_distinct": count_distinct,
    "RANGE": RANGE,
}  # fmt: skip
