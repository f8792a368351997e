"""A query of records as one of the numbers that they say, which solvers and sweeps answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sensitivity_lab.catalogue import SUM, CountsPeople, CountsTrue, count_where
from sensitivity_lab.numbers.exact import exact_number, is_real
from sensitivity_lab.of_and_by import in_order
from sensitivity_lab.queries import Query
from sensitivity_lab.records.columns import Alike, Always, Clipped, Said, column_of, number_of
from sensitivity_lab.records.numbers import in_whole_numbers
from sensitivity_lab.records.people import OfOneRow, People, PersonsRow
from sensitivity_lab.records.rows import Rows, rows_of, table
from sensitivity_lab.records.source import called_on
from sensitivity_lab.universe import Dataset, Universe


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
        """Of people who are named, all rows at once; counts, and what fails, person by person."""
        if isinstance(universe.source, People) and self.query.inner in (None, SUM):
            with suppress(Exception):
                return self._at_once(universe.source)
        return universe.said(self.query)

    def _at_once(self, people: People) -> Any:
        asked, rows = self.query.function, people.natives[None]
        if isinstance(asked, CountsTrue):
            said = map(asked.said, rows_of(table(rows, "rows"), PersonsRow))
            return people.added(np.fromiter(said, dtype=np.int64), 1)
        of = self.query.of_what or Always(1)
        known = Universe(Rows(rows, "rows"), False, None)
        return people.added(*in_whole_numbers(known.numbers_of(of)))


def over_numbers(query: Query, universe: Universe) -> OverNumbers | None:
    """The query of numbers that a query is over a universe, where it is one; else None."""
    if universe.holds_people and _adds_rows(query, universe):
        return OverNumbers(SUM, Added(_of_one_row(query, universe)))
    if isinstance(query.function, CountsPeople) and not universe.holds_people:
        raise TypeError(f"query {query.name} counts people, got {universe}: COUNT counts records")
    if query.inner is not None:
        of_rows = universe.holds_people and column_of(query.of_what) is not None
        return None if of_rows else OverNumbers(query.inner, _told(query, universe))
    if not universe.numeric and not universe.tabular and _tells_apart(query):
        return OverNumbers(query, Alike(universe))
    if universe.numeric or query.proved is None or not query.proved.of_anything:
        return None
    if isinstance(query.function, CountsTrue):
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
    """What a result over people says beside a query's name: whether rows are asked, or people."""
    if asks_rows(query):
        return ", of all their rows"
    return ", each person once" if isinstance(query.function, CountsPeople) else ""


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
    return replace(query, function=CountsTrue(OfOneRow.over(predicate, people.source)))


def predicate_of(query: Query) -> Callable[[Any], Any] | None:
    """What a query counts records by, where it is a count that asks a function."""
    return query.function.predicate if isinstance(query.function, CountsTrue) else None
