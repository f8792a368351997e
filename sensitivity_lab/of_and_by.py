"""What a query's `of` and `by` make of it: one of numbers that records say, and one by group."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from sensitivity_lab.numbers.exact import exact_number, sequence
from sensitivity_lab.numbers.text import counted, number_repr
from sensitivity_lab.records.columns import number_of
from sensitivity_lab.records.rows import rows_of, table
from sensitivity_lab.records.source import called_on, is_table
from sensitivity_lab.universe import Dataset

INSTEAD = (
    "people may bring none; say least_rows=1 if everybody brings some, ask of a function of a "
    "person, as in MEAN.of(lambda rows: len(rows)), or pass a function of your own that answers on "
    "few rows, too"
)
MOST_GROUPS = 20_000  # whose answers are kept


class TooFewRows(Exception):
    """People bring fewer rows than a query of a column is defined on."""


@dataclass(frozen=True)
class OfRecords:
    """A query of numbers, asked of what each record of a dataset says."""

    query: Any
    of: Any

    def __call__(self, dataset: Any) -> Any:
        """The answer on a dataset of records: a table's rows, or a sequence."""
        said = partial(number_of, self.of)
        numbers = [called_on(said, record) for record in records_listed(dataset)]
        if self.query.proved is not None and self.query.proved.tells_apart:
            return self.query.raw(tuple(numbers))
        if len(numbers) < (self.query.smallest_size or 0):
            raise TooFewRows(
                f"needs at least {counted(self.query.smallest_size or 0, 'row')}, "
                f"got {_described(dataset)}: {INSTEAD}"
            )
        return self.query.raw(in_order(numbers))


@dataclass(frozen=True)
class Grouping:
    """A query by group: on a dataset, its answer for each group by key."""

    query: Any
    of_what: Any
    by_what: Any
    keys: tuple[Any, ...] | None

    def __call__(self, dataset: Any) -> dict[Any, Any]:
        """The answers by key; groups too small for the query have none."""
        records = list(records_listed(dataset))
        return self.of_each(records)(range(len(records)))

    def of_each(self, records: Sequence[Any]) -> Callable[[Iterable[int]], dict[Any, Any]]:
        """The same on datasets of some records, by position: each group is asked once."""
        of_key = partial(number_of, self.by_what)
        keys = [called_on(of_key, record, "by") for record in records]
        known = None if self.keys is None else set(self.keys)

        @lru_cache(MOST_GROUPS)
        def answer(group: bytes) -> Any:  # a fifth of the memory of a tuple with its ints
            asked = [records[i] for i in array("q", group)]
            of = self.of_what
            return self._answer(asked if of is None else [number_of(of, one) for one in asked])

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


def _described(dataset: Any) -> str:
    """A dataset that has few records, in words: a table by its columns and rows."""
    if not is_table(dataset):
        return number_repr(dataset)
    given = table(dataset, "dataset")
    names = ", ".join(map(str, given.columns))
    return f"a table with the columns {names} and {counted(len(given), 'row')}"


def in_order(numbers: Iterable[Any]) -> Dataset:
    """What records say, ascending, as functions receive numbers; what is missing comes last."""
    return tuple(sorted(numbers, key=lambda n: (n is None, 0 if n is None else exact_number(n))))


def records_listed(dataset: Any) -> Iterable[Any]:
    """The records of a dataset: a table's rows, or a sequence's entries."""
    if isinstance(dataset, Mapping):
        raise TypeError(
            "of must be a function of a person where there are several tables, "
            f"{', '.join(dataset)}: it gets them all"
        )
    return rows_of(table(dataset, "dataset")) if is_table(dataset) else sequence(dataset, "dataset")
