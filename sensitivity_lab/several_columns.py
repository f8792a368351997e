"""Queries of several columns: each record has two numbers or more, and they are asked together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.exact import Exact, brief, sequence, simplest, whole_number
from sensitivity_lab.proved.covariance import Covariance
from sensitivity_lab.proved.points import Column, Entry, OfColumns, first_places, numbers_in
from sensitivity_lab.proved.vector_sum import VectorSum
from sensitivity_lab.queries import Query, TooFewRows
from sensitivity_lab.universe import Universe


def vector_sum(columns: Iterable[Any]) -> Query:
    """Return the sums of several numbers of each record, as a tuple.

    >>> vector_sum([0, 1])([(3, 0.5), (4, 0.25)])
    (7, Fraction(3, 4))

    `columns` are names of columns, where records are rows of a table; positions, where records are
    tuples; or functions of a record. Of people a name stands for the sum over a person's rows.

    >>> import pandas as pd
    >>> from sensitivity_lab import Change, global_sensitivity
    >>> staff = Universe.population(pd.DataFrame({"pay": [30, 50, 40], "days": [9, 2, 5]}))
    >>> asked = vector_sum(["pay", "days"])
    >>> found = global_sensitivity(asked, staff, size=2, relation=Change(1), norm=1, method="solver")
    >>> found.value, asked.name
    (27, 'vector_sum(pay, days)')

    >>> from sensitivity_lab import closed_form
    >>> closed_form(asked, bounds=((0, 50), (0, 9)), size=2, relation=Change(1), norm=1).value
    59

    Solved in L1 and L∞, and in L2 for one column or two; for more only where all but one record is
    shared. Cost, on m records: a selection for each column in L∞, for each of 2^(d − 1) patterns of
    signs in L1, for each direction that is looked at in L2.
    Raises TypeError for what is none of the three, ValueError for no column; asked in L1 of very
    many columns, or in L2 where very many directions matter, TooLarge.
    Source: thm-vector-sum and thm-vector-box on the book's page of proofs.
    """
    given = sequence(columns, "columns", "columns")
    if not given:
        raise ValueError("columns must be at least one, got none")
    proved = VectorSum(tuple(_column(column, "columns") for column in given))
    return Query(proved.name, Sums(proved), 0, rows=OnPoints(proved), proved=proved)


def covariance(x: Any, y: Any, *, ddof: int = 0) -> Query:
    """Return the covariance of two numbers of each record: that of `numpy.cov` with this ddof.

    >>> covariance(0, 1)([(0, 0), (2, 1), (4, 5)]), covariance(0, 1, ddof=1)([(0, 0), (2, 1)])
    (Fraction(10, 3), 1)

    `x` and `y` are columns as in `vector_sum`. `ddof` is 0 for a population, 1 for a sample
    (numpy's default). One record has a closed form and local solvers; the rest is enumerated.

    >>> from sensitivity_lab import Change, closed_form
    >>> closed_form(covariance(0, 1), bounds=((0, 10), (0, 2)), size=5, relation=Change(1)).value
    Fraction(16, 5)

    Cost: an answer is O(n) exact arithmetic, by n·Σxy − Σx·Σy.
    Raises TypeError for what is no column, ValueError for a ddof that is negative or not whole.
    Source: `numpy.cov`; its sensitivity: thm-covariance on the book's page of proofs.
    """
    ddof = whole_number(ddof, "ddof", 0)
    proved = Covariance((_column(x, "x"), _column(y, "y")), ddof)
    return Query(proved.name, Covaried(proved), ddof + 1, rows=OnPoints(proved), proved=proved)


def _column(given: Any, what: str) -> Column:
    """A column's name, a position as a function, or a function; or it is refused."""
    if isinstance(given, str) or callable(given):
        return given  # type: ignore[no-any-return]
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return Entry(whole_number(given, what, 0))
    raise TypeError(
        f"{what} must be a column's name, a position in a record, or a function of a record, "
        f"got {brief(given)}"
    )


@dataclass(frozen=True)
class Sums:
    """The sums of several columns.

    >>> Sums(VectorSum((Entry(0), Entry(1))))([(1, 2), (3, 4)])
    (4, 6)
    """

    proved: OfColumns

    def __call__(self, dataset: Any) -> tuple[Exact, ...]:
        """The sums on one dataset."""
        name = self.proved.name
        return tuple(sum(numbers_in(dataset, column, name)) for column in self.proved.columns)


@dataclass(frozen=True)
class Covaried:
    """The covariance of two columns: that of all rows, where people bring several.

    >>> Covaried(Covariance((Entry(0), Entry(1)), 0))([(0, 0), (2, 4)])
    2
    """

    proved: Covariance

    def __call__(self, dataset: Any) -> Exact:
        """The covariance of one dataset."""
        x, y = (numbers_in(dataset, column, self.proved.name) for column in self.proved.columns)
        n, ddof = len(x), self.proved.ddof
        if n <= ddof:
            raise TooFewRows(f"needs at least {ddof + 1} rows, got {n}")
        products = sum(one * other for one, other in zip(x, y, strict=True))
        return simplest(Fraction(n * products - sum(x) * sum(y)) / (n * (n - ddof)))


@dataclass(frozen=True)
class OnPoints:
    """The answers on many datasets at once, of the points that their records are."""

    proved: OfColumns

    def __call__(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        """Numerators for each row of positions, and their denominator."""
        places = first_places(universe)[rows]
        return self.proved.answers(self.proved.points(universe), places)


def python_of_columns(query: Query) -> str | None:
    """The Python that makes a query of named columns, or of positions; None for functions.

    >>> python_of_columns(covariance("x", 1, ddof=1)), python_of_columns(vector_sum([len]))
    ("sl.covariance('x', 1, ddof=1)", None)
    """
    proved = query.proved
    assert isinstance(proved, OfColumns)
    written = [
        repr(column.position if isinstance(column, Entry) else column)
        for column in proved.columns
        if isinstance(column, (str, Entry))
    ]
    if len(written) < len(proved.columns):
        return None
    if isinstance(proved, Covariance):
        ddof = f", ddof={proved.ddof}" if proved.ddof else ""
        made: Any = Covaried(proved)
        text = f"sl.covariance({', '.join(written)}{ddof})"
    else:
        made = Sums(proved)
        text = f"sl.vector_sum([{', '.join(written)}])"
    return text if query.function == made else None
