"""Counts of people, each once, however many rows they bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sensitivity_beyond.tables.asking import Grouping, OfRecords, asks_rows, predicate_of
from sensitivity_beyond.tables.columns import Always, number_of
from sensitivity_beyond.tables.frames import is_table
from sensitivity_lab.catalogue import A_PREDICATE, SUM
from sensitivity_lab.numbers.exact import brief, name_of
from sensitivity_lab.queries import Query


class CountsPeople(OfRecords):
    """The number of people, each once, however many rows they bring; `COUNT` counts rows.

    >>> from sensitivity_lab import COUNT, Remove, Universe, count_people, global_sensitivity
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


def as_sum(grouping: Grouping) -> Grouping:
    """A count of some records by group as the sum of a number that each has: 1, or 0."""
    predicate, of = predicate_of(grouping.query), grouping.of_what
    if predicate is None:
        return grouping
    told = predicate if of is None else lambda record: predicate(number_of(of, record))
    return replace(grouping, query=SUM, of_what=_OneIf(told))


def _counting(name: str, of: Callable[[Any], int]) -> Query:
    return replace(SUM, name=name, function=CountsPeople(SUM, of), exact=False, rows=None)


def count_people_where(predicate: Callable[[Any], Any]) -> Query:
    """Return the number of people of whom the predicate, which gets all their rows, is true.

    >>> often = count_people_where(lambda rows: len(rows) > 1)
    >>> often([["tea", "tea"], ["tea"]])  # two people
    1

    Cost: two calls for each person, the second on their rows in another order; OrderMatters is
    raised for a predicate that depends on it, TypeError for what cannot be called.
    """
    if not callable(predicate):
        raise TypeError(f"predicate must be callable, got {brief(predicate)}: {A_PREDICATE}")
    return _counting(f"count_people_where({name_of(predicate)})", _OneIf(predicate))


count_people = _counting("count_people", Always(1))


def of_whom(query: Query) -> str:
    """What a result over people says beside a query's name:
    whether rows are asked, or people counted."""
    if asks_rows(query):
        return ", of all their rows"
    return ", each person once" if isinstance(query.function, CountsPeople) else ""
