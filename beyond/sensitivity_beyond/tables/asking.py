"""What a query's `of` and `by` make of it: one of the numbers that records say,
and one by group."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np

from sensitivity_beyond.tables.columns import (
    Clipped,
    Columns,
    clipped_ends,
    column_of,
    fills,
    number_of,
    uncut,
)
from sensitivity_beyond.tables.frames import cells_of, entries, is_table, require_column, table
from sensitivity_beyond.tables.order import called_on
from sensitivity_beyond.tables.source import TableSource, said, tables_of
from sensitivity_lab.catalogue import CountsTrue
from sensitivity_lab.extension import Answering, Asked, TooFew
from sensitivity_lab.numbers.exact import Exact, brief, exact_number, name_of, sequence
from sensitivity_lab.numbers.text import counted, number_repr
from sensitivity_lab.problem import Problem
from sensitivity_lab.queries import Query, checked_answer
from sensitivity_lab.records import Positions, Source, ordered
from sensitivity_lab.universe import Dataset, Indices, Universe

INSTEAD = (
    "people may bring none; say least_rows=1 if everybody brings some, ask of a function of a "
    "person, as in MEAN.of(lambda rows: len(rows)), or pass a function of your own that answers on "
    "few rows, too"
)
MISSING = "say what a missing one counts as, as in SUM.of('pay', missing=0)"
MOST_GROUPS = 20_000  # whose answers are kept


class TakenForPerson(TypeError):
    """A row of a person is asked for what all their rows have."""


@dataclass(frozen=True)
class OfRecords(Asked):
    """A query of numbers, asked of what each record of a dataset says."""

    query: Any
    of: Any

    @property
    def cuts(self) -> bool:  # type: ignore[override]
        """Whether numbers are cut before it is asked of them."""
        return isinstance(self.of, Clipped)

    def __call__(self, dataset: Any) -> Any:
        """The answer on a dataset of records: a table's rows, or a sequence."""
        says = partial(number_of, self.of)
        numbers = [called_on(says, record) for record in records_listed(dataset)]
        if self.query.proved is not None and self.query.proved.tells_apart:
            return self.query.raw(tuple(numbers))
        if len(numbers) < (needed := self.query.smallest_size or 0):
            got = number_repr(dataset)
            if is_table(dataset):
                names = ", ".join(map(str, table(dataset, "dataset").columns))
                got = f"a table with the columns {names} and {counted(len(numbers), 'row')}"
            raise TooFew(f"needs at least {counted(needed, 'row')}, got {got}: {INSTEAD}")
        return self.query.raw(in_order(numbers))

    def ends(self, low: Exact, high: Exact) -> tuple[Exact, Exact]:
        return clipped_ends(self.of, low, high)


@dataclass(frozen=True)
class Grouping(Asked):
    """A query by group: on a dataset, its answer for each group by key."""

    query: Any
    of_what: Any
    by_what: Any
    keys: tuple[Any, ...] | None

    slow = True
    hint = (
        " (by group, counts and sums alone are solved over all datasets, of very many people for "
        "small k, and k move them at most k times as far as one; SUM.by and COUNT.by make a mean; "
        "one dataset is solved for VARIANCE and other exact queries of a column; where each "
        "group's size is public, ask each alone: under one change the largest is the answer)"
    )

    def __call__(self, dataset: Any) -> dict[Any, Any]:
        """The answers by key; groups too small for the query have none."""
        records = list(records_listed(dataset))
        return self.of_each(records)(range(len(records)))

    def of_each(self, records: Sequence[Any]) -> Callable[[Iterable[int]], dict[Any, Any]]:
        """The same on datasets of some records, by their positions:
        a group that comes again is not asked again."""
        of_key = partial(number_of, self.by_what)
        keys = [called_on(of_key, record, "by") for record in records]
        known = None if self.keys is None else set(self.keys)

        @lru_cache(MOST_GROUPS)
        def answer(group: bytes) -> Any:  # a fifth of the memory of a tuple with its ints
            asked = [records[i] for i in array("q", group)]
            of = self.of_what
            said = asked if of is None else [number_of(of, one) for one in asked]
            if of is not None and None in said and not self.query.takes_missing:
                raise ValueError(f"of says nothing of {brief(asked[said.index(None)])}: {MISSING}")
            return self._answer(said)

        def answers(dataset: Iterable[int]) -> dict[Any, Any]:
            groups = {key: array("q") for key in self.keys or ()}
            for i in dataset:
                if known is None or keys[i] in known:
                    groups.setdefault(keys[i], array("q")).append(i)
            found = {key: answer(group.tobytes()) for key, group in groups.items()}
            return {key: one for key, one in found.items() if one is not None}

        return answers

    def _answer(self, held: list[Any]) -> Any:
        if self.query.proved is not None and self.query.proved.adds == "one":
            return len(held)
        if len(held) < (self.query.smallest_size or 0):
            return 0 if self.keys is not None else None
        return self.query(held)

    def check(self, problem: Problem) -> None:
        """Refuse groups, and numbers by group, of a column that there is not."""
        source = tables_of(problem.universe)
        tables = [] if source is None else [*source.whole.values()]
        for asked, what in (("by", self.by_what), ("of", uncut(self.of_what))):
            names = what.names if isinstance(what, Columns) else [what] * isinstance(what, str)
            for name in names if len(tables) == 1 else ():
                require_column(table(tables[0], "table"), name, asked)
        told: Any = self.keys
        if self.keys and (source is None or source.one_row_each):
            told = said(problem.universe, self.by_what, "by")
        elif self.keys and isinstance(self.by_what, str) and len(tables) == 1:
            told = cells_of(table(tables[0], "table")[self.by_what])
        if self.keys and (groups := {*told}).isdisjoint(self.keys):
            raise ValueError(
                f"keys must name some group, got {brief(list(self.keys))}: "
                f"the groups are {brief([*ordered(groups)])}"
            )

    def giver(self, source: Source, name: str | None) -> Callable[[Positions], Any]:
        return ByGroup(self, source) if isinstance(source, TableSource) else source.giver()

    def fewer(self, universe: Universe) -> Universe | None:
        """The numbers of a column that is asked of: fewer datasets, and counted at once."""
        of, source = uncut(self.of_what), tables_of(universe)
        if not isinstance(of, str) or source is None or not source.one_row_each:
            return None
        numbers = said(universe, of)
        plain = getattr(numbers, "dtype", None) in (np.int64, np.float64)
        if not plain or not np.isfinite(numbers).all():
            return None
        return Universe.of(numbers, "of", unlimited=universe.unlimited)


@dataclass(frozen=True)
class ByGroup(Answering):
    """Datasets of rows, or of people, by group: what rows say is asked once, and no table built."""

    grouping: Grouping
    source: TableSource

    def __call__(self, positions: Positions) -> Any:
        return self.source.given(positions)

    def answers(self, query: Query, datasets: Sequence[Indices]) -> list[Any]:
        try:
            return [checked_answer(self._by_group(one), query, ()) for one in datasets]
        except Exception as error:  # a caller's own: asked alone, the first dataset tells which
            causes: list[BaseException | None] = [error]
            while causes[-1] is not None:
                causes.append(causes[-1].__cause__)
            if TakenForPerson in map(type, causes):  # which rows of a table do not tell
                raise
            return [query.answer(self(dataset)) for dataset in datasets]

    @cached_property
    def _by_group(self) -> Callable[[Iterable[int]], dict[Any, Any]]:
        rows, places = self.source.listed_once()
        answers = self.grouping.of_each(rows)
        if places is None:
            return answers
        return lambda people: answers(chain.from_iterable(places[i] for i in people))


def inner(query: Query) -> Query | None:
    """The query of numbers that one is, asked of what each record says."""
    return query.function.query if isinstance(query.function, OfRecords) else None


def of_what(query: Query) -> Any:
    """What of a record a query is asked of: a column, a function, or either cut to bounds."""
    return query.function.of if isinstance(query.function, OfRecords) else None


def grouping(query: Query) -> Grouping | None:
    """How a query asks by group."""
    return query.function if isinstance(query.function, Grouping) else None


def asks_rows(query: Query) -> bool:
    """Whether a query of people is asked of all their rows: it counts them, or names a column."""
    if inner(query) is not None:
        return column_of(of_what(query)) is not None
    if grouping(query) is not None:
        return True
    return query.proved is not None and query.proved.of_anything


def predicate_of(query: Query) -> Callable[[Any], Any] | None:
    """What a query counts records by, where it is a count that asks a function."""
    return query.function.predicate if isinstance(query.function, CountsTrue) else None


def over(query: Query, universe: Universe) -> Query:
    """A query as it is asked of a universe's datasets where they come as tables,
    which may not tell all types."""
    asked = getattr(query.function, "over", None)
    return replace(query, function=asked(universe.source, universe.name)) if asked else query


def require_whole(query: Query, asked: str) -> None:
    """Refuse a query by group, which is asked of nothing else, and a statement, which says all."""
    if isinstance(query.function, Grouping):
        words = " already" if asked == "by" else f": {asked} comes before by"
        raise ValueError(f"query {query.name} is by group{words}")
    if isinstance(query.function, Asked) and not isinstance(query.function, OfRecords):
        raise ValueError(f"{asked} must be said in the SQL itself, got {query.name}")


def asked_of(query: Query, what: Any, words: str) -> Query:
    """A query of numbers, asked of what of each record."""
    takes = query.takes_missing or fills(what)
    name, asked = f"{query.name} {words}", OfRecords(query, what)
    return Query(name, asked, query.smallest_size, takes, root=query.root, proved=query.proved)


def name_asked(what: Any, parameter: str) -> str:
    """The name of a column or of a function; refuse what says nothing of a record."""
    if isinstance(what, str):
        return what
    if callable(what):
        return name_of(what)
    raise TypeError(
        f"{parameter} must be a column's name, as 'pay', or a function of a record, as "
        f"lambda row: (row['team'], row['city']), got {brief(what)}"
    )


def in_order(numbers: Iterable[Any]) -> Dataset:
    """What records say, ascending, as functions receive numbers; what is missing comes last."""
    return tuple(sorted(numbers, key=lambda n: (n is None, 0 if n is None else exact_number(n))))


def records_listed(dataset: Any) -> Iterable[Any]:
    """The records of a dataset: a table's rows, or a sequence's entries."""
    tables = is_table(dataset) or isinstance(dataset, Mapping)
    return entries(dataset, "dataset") if tables else sequence(dataset, "dataset")
