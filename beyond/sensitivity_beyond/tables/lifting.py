"""The `Image` of records in the numbers they say, and from these back to rows, groups and people.

If q is asked of f(record), the datasets of a universe become those of the numbers that f makes of
its records, neighbours become neighbours, and every pair of numbers comes from a pair of records
(thm-image on the book's page of proofs). So whatever answers a problem of numbers answers this
one, and its pair is told in records again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from typing import Any

import numpy as np

from sensitivity_beyond.tables.asking import (
    MISSING,
    asks_rows,
    in_order,
    inner,
    of_what,
    predicate_of,
)
from sensitivity_beyond.tables.columns import (
    Alike,
    Always,
    Clipped,
    Said,
    column_of,
    number_of,
    numbers_of,
)
from sensitivity_beyond.tables.counting import CountsPeople
from sensitivity_beyond.tables.frames import rows_of, table
from sensitivity_beyond.tables.order import called_on
from sensitivity_beyond.tables.people import OfOneRow, Persons, PersonsRow, people_or_none
from sensitivity_beyond.tables.rows import Rows
from sensitivity_beyond.tables.source import said, tables_of
from sensitivity_lab.catalogue import SUM, CountsTrue, count_where
from sensitivity_lab.extension import Lifted
from sensitivity_lab.numbers.exact import brief, exact_number, is_real
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.worst_pair import AtPositions, CopiesAt, CopiesOf, Run, WorstPair
from sensitivity_lab.queries import Query
from sensitivity_lab.records import in_whole_numbers
from sensitivity_lab.universe import Dataset, Indices, Universe


@dataclass(frozen=True, eq=False)
class Members(AtPositions[Run]):
    """Records of a universe whose parts are runs of an order of its m records."""

    order: np.ndarray

    def dataset(self, parts: Sequence[Run]) -> Dataset:
        """The records of some runs, in the universe's own order."""
        given: Dataset = self.universe.source.at(self._members(parts))
        return given

    def positions(self, parts: Sequence[Run]) -> list[int]:
        """Where the records of some runs stand among the universe's values, sorted."""
        positions = self.universe.source.positions_at(self._members(parts))
        return sorted(positions.tolist())

    def _members(self, parts: Sequence[Run]) -> np.ndarray:
        nothing = np.zeros(0, dtype=np.int64)
        runs = [self.order[start:stop] for start, stop in parts]
        return np.sort(np.concatenate([nothing, *runs]))


def lift(query: Query, universe: Universe) -> Image | None:
    """The numbers that a query is asked of over a universe;
    None where it is asked of the records."""
    people = people_or_none(universe)
    if people is not None and _adds_rows(query, people):
        added = query
        if (predicate := predicate_of(query)) is not None:  # to which no row is a person
            added = replace(query, function=CountsTrue(OfOneRow(predicate, people.row_kind)))
        return Image(universe, query, SUM, Added(added))
    if isinstance(query.function, CountsPeople) and people is None:
        raise TypeError(f"query {query.name} counts people, got {universe}: COUNT counts records")
    if (of_numbers := inner(query)) is not None:
        of_rows = people is not None and column_of(of_what(query)) is not None
        return None if of_rows else Image(universe, query, of_numbers, _told(query, universe))
    if not universe.numeric and tables_of(universe) is None and _tells_apart(query):
        return Image(universe, query, query, Alike(universe))
    if universe.numeric or query.proved is None or not query.proved.of_anything:
        return None
    if isinstance(query.function, CountsTrue):
        return Image(universe, query, count_where(bool), query.function.said)
    return Image(universe, query, query, Always(1))


@dataclass(frozen=True, eq=False)
class Image(Lifted):
    """The numbers that a function makes of a universe's records."""

    universe: Universe
    of: Query  # the query of records
    query: Query  # of the numbers
    what: Any  # of each record the numbers are

    @property
    def named(self) -> bool:  # type: ignore[override]
        """Whether the query itself says what of a record the numbers are;
        rows that are counted it does not."""
        return self.what is of_what(self.of)

    def asked_by(self, problem: Problem) -> Problem:
        """A problem of records as one of the numbers."""
        return replace(problem, query=self.query, universe=self.numbers)

    def dataset(self, positions: Iterable[int], exact: bool = False) -> Dataset:
        """The numbers that the records at some positions say, ascending;
        `exact` numbers in that form."""
        numbers = map(partial(number_of, self.what), self.universe.source.each(positions))
        ordered = in_order(numbers)
        return tuple(map(exact_number, ordered)) if exact else ordered

    @cached_property
    def made(self) -> Any:
        """The number of each of the m records. Cost: a call for each; of a column, one sort."""
        made = numbers_of(self.universe, self.what)
        for number in () if isinstance(made, np.ndarray) else made:
            if not (is_real(number) or (number is None and self.query.takes_missing)):
                raise TypeError(
                    f"what {self.of.name} is asked of must be a number for every record, "
                    f"got {brief(number)}{_way_out(number, self.query)}"
                )
        return made

    @cached_property
    def numbers(self) -> Universe:
        what = f"what {self.of.name} is asked of"
        return Universe.of(self.made, what, unlimited=self.universe.unlimited)

    @cached_property
    def order(self) -> np.ndarray:
        """The m records in the order of their numbers, (m,)."""
        if isinstance(self.made, np.ndarray):
            return np.argsort(self.made, kind="stable")
        keys = [(n is None, 0 if n is None else exact_number(n)) for n in self.made]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each different number begins in that order, (v,)."""
        known = Universe.of(self.made, "of", unlimited=False)
        return np.concatenate([[0], np.cumsum(known.counts, dtype=np.intp)[:-1]])

    @cached_property
    def number_of(self) -> np.ndarray:
        """The position of each record's number among the different ones, (v,)."""
        positions = self.universe.source.positions_at(self.order)
        each = np.arange(len(self.starts), dtype=np.intp)
        number_of = np.zeros(self.universe.distinct, dtype=np.int64)
        number_of[positions] = np.repeat(each, np.diff(self.starts, append=len(self.order)))
        return number_of

    def back(self, pair: WorstPair) -> WorstPair:
        """A pair of numbers as a pair of records."""
        records: Any = pair.records
        if not isinstance(records, (AtPositions, CopiesOf)):  # parts are runs of sorted numbers
            turned = records.order  # a proof may sort them by something else
            order = self.order if turned is None else self.order[turned]
            return replace(pair, records=Members(self.universe, order))
        common, removed, added = self._by_number(pair)
        if self.universe.unlimited:
            first = self.universe.source.positions_at(self.order[self.starts]).tolist()
            parts = [[(first[i], n) for i, n in side] for side in (common, removed, added)]
            return pair.in_copies(parts, CopiesAt(self.universe))
        first, shared = self.starts.tolist(), Counter(dict(common))
        own = [[(first[i] + shared[i], n) for i, n in side] for side in (removed, added)]
        placed = [(first[i], n) for i, n in common], *own
        runs = [tuple((start, start + n) for start, n in part) for part in placed]
        members = Members(self.universe, self.order)
        return replace(pair, common=runs[0], removed=runs[1], added=runs[2], records=members)

    def _by_number(self, pair: WorstPair) -> list[list[tuple[int, int]]]:
        """The parts of a pair of numbers, each named by its position among the different ones."""
        position_of: Any = range(self.numbers.distinct)
        if not isinstance(pair.records, AtPositions):
            position_of = {value: i for i, value in enumerate(self.numbers.exact_values)}
        return [[(position_of[key], n) for key, n in part] for part in pair.parts]

    def of_dataset(self, dataset: Indices) -> Indices:
        """One dataset of records as a dataset of numbers, both as positions."""
        return tuple(sorted(self.number_of[list(dataset)].tolist()))

    def back_at(self, dataset: Indices, pair: WorstPair) -> WorstPair:
        """A dataset of records, and that which loses and gains the numbers of a pair."""
        _, removed, added = self._by_number(pair)
        held = Counter(dataset)
        most = sum(n for _, n in added)
        spare = Counter(dict(enumerate(self.universe.copies(len(dataset) + most))))
        spare.subtract(held)
        for number, n in removed:
            held -= Counter(self._some(held, number, n))
        for number, n in added:
            held += Counter(self._some(spare, number, n))
        neighbour = tuple(sorted(held.elements()))
        return WorstPair.between(pair.gap, dataset, neighbour, self.universe)

    def _some(self, records: Counter[int], number: int, n: int) -> list[int]:
        """So many of some records that have a number."""
        alike = (i for i in np.flatnonzero(self.number_of == number).tolist())
        return [i for i in alike for _ in range(records[i])][:n]


def _way_out(number: Any, query: Query) -> str:
    """How what a record says becomes a number."""
    if number is None and _tells_apart(query):
        one = "count_distinct.of('pay', missing=-1) counts a missing one as one more value"
        return f": {one}, COUNT(DISTINCT pay) in sl.sql leaves it out"
    if number is None:
        others = ", or leave it out, as AVG(pay) in sl.sql and a function of the rows do"
        return f": {MISSING}" + others * (query != SUM)
    how = "row['day'].toordinal()" if isinstance(number, date) else "float(row['pay'])"
    return f": make a number of it, as in SUM.of(lambda row: {how})"


@dataclass(frozen=True)
class Added(Said):
    """What a person's rows come to, where a query adds what it says of each row."""

    query: Query

    def __call__(self, person: Any) -> Any:
        """Of one person, who comes as a table."""
        return self.query(person)

    def of_all(self, universe: Universe) -> Any:
        """All rows at once; counts of a column, and whatever fails, person by person."""
        if isinstance(universe.source, Persons) and inner(self.query) in (None, SUM):
            with suppress(Exception):
                return self._at_once(universe.source)
        return said(universe, self.query)

    def _at_once(self, people: Persons) -> Any:
        asked, rows = self.query.function, people.natives[None]
        if isinstance(asked, CountsTrue):
            told = map(asked.said, rows_of(table(rows, "rows"), PersonsRow))
            return people.added(np.fromiter(told, dtype=np.int64), 1)
        of = of_what(self.query) or Always(1)
        known = Universe(Rows(rows, "rows"), False, None)
        return people.added(*in_whole_numbers(numbers_of(known, of)))


def _tells_apart(query: Query) -> bool:
    """Whether a query asks only which records are equal."""
    return query.proved is not None and query.proved.tells_apart


def _told(query: Query, universe: Universe) -> Any:
    """What the numbers are that a query is asked of; text is told apart where no more is asked."""
    what = of_what(query)
    if not _tells_apart(query) or isinstance(what, Clipped):
        return what
    (first,) = universe.source.each([0])
    is_number = is_real(called_on(partial(number_of, what), first))
    return what if is_number else Alike(universe, what)


def _adds_rows(query: Query, people: Persons) -> bool:
    """Whether a query is asked of rows, and of those of two people is the sum of both."""
    proved, column = query.proved, column_of(of_what(query))
    if proved is None or not asks_rows(query):
        return False
    anybody = people.brings is not None  # whose numbers are those of a whole dataset
    if (anybody and column == people.id) or None not in people.whole:
        return False
    return proved.of_anything or (column is not None and proved.adds is not None)
