"""SQL as a function of a dataset: which tables it is asked over, and what its rows mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.exact import brief, sequence
from sensitivity_lab.tabular import database, duck
from sensitivity_lab.tabular.order import OrderMatters, are_near
from sensitivity_lab.tabular.records import Positions, Records
from sensitivity_lab.tabular.result_set import ResultSet, answer_of
from sensitivity_lab.tabular.rows import Rows, is_table, taken
from sensitivity_lab.text import number_repr

HELD = 4  # datasets of those answered together that are asked again one by one, at least
MOST_EMPTY = 16  # ways in which tables are empty that are asked about again
FEW = 8  # datasets that are asked one by one: together they would take longer
Tables = dict[str, Any]


@dataclass(frozen=True)
class Statement:
    """A SELECT as a function of a dataset of tables.

    >>> import pandas as pd
    >>> total = Statement("SELECT SUM(salary) FROM staff")
    >>> total(pd.DataFrame({"salary": [10, 20]}))
    30
    """

    text: str
    keys: tuple[str, ...] | None = None
    connection: Any = None

    def __post_init__(self) -> None:
        self._tables_named()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.connection is not None:
            raise TypeError("a statement with a connection cannot be sent to another process")
        return type(self), (self.text, self.keys)

    def __call__(self, dataset: Any) -> Any:
        """The answer on one dataset, asked twice: the second time with its rows in reverse."""
        tables = self._named(dataset)
        public = self._public(tables)
        whole = getattr(dataset, "whole", tables)
        answer = answer_of(self._asked({**public, **tables}, whole), self.keys)
        again = answer_of(self._asked({**public, **_reversed(tables)}, whole), self.keys)
        if not are_near(answer, again):
            raise OrderMatters(_order_matters(answer, again))
        return answer

    def giver(self, records: Any, name: str | None) -> TablesOf:
        """What makes datasets of some records, as tables by name; `name` is the universe's.

        Raises TypeError for records that are no rows, ValueError for tables that the statement
        does not name.
        """
        if not (isinstance(records, Records) and records.tabular):
            raise TypeError(_no_tables(f"records such as {brief(_first_of(records))}"))
        names = list(records.whole)
        if len({str(name).lower() for name in names}) < len(names):
            raise ValueError(
                f"tables must differ in more than case, got {_listed([*map(str, names)])}"
            )
        if names == [None]:
            return TablesOf(records, (self._table() if name is None else name,))
        return TablesOf(records, tuple(map(str, names)))

    def check(self, records: Any, name: str | None) -> None:
        """Refuse a statement that cannot be asked over some records, before it is asked.

        Raises as `giver`, and ValueError with the engine's message for unknown tables and columns.
        """
        given = self.giver(records, name)
        named = self._tables_named()
        if named and not {table.lower() for table in given.names} & set(map(str.lower, named)):
            raise ValueError(
                f"statement must name the table {' or '.join(given.names)}, got "
                f"{_listed(named)} in {self._brief}"
            )
        whole = given.whole
        _require_one_kind(whole)
        columns_of = duck.columns_of if self._by_duckdb else database.columns_of
        columns = columns_of(self.connection, self.text, {**self._public(whole), **whole})
        if None in columns.numeric:  # sqlite knows values, not types
            return
        answer_of(columns._replace(rows=[(1,) * len(columns.names)]), self.keys)

    def answers(self, given: TablesOf, datasets: Sequence[Positions]) -> list[Any] | None:
        """The answers on many datasets together; None for those to be asked alone, or for all.

        Raises OrderMatters for a dataset whose answer does.
        """
        if not self._by_duckdb:
            return self._answers_of_database(given, datasets)
        if _parsed(self.text).alone:
            return None
        if any(len(dataset) == 0 for dataset in datasets):
            filled = [i for i, dataset in enumerate(datasets) if len(dataset)]
            rest = self.answers(given, [datasets[i] for i in filled])
            by = dict(zip(filled, rest or (), strict=False))
            return [by.get(i) for i in range(len(datasets))]
        if len(datasets) < FEW:
            return None
        stacked = given.stacked(datasets)
        try:
            results, again = self._asked_together(stacked, len(datasets))
        except (duck.engine().Error, ImportError):  # asked alone, the dataset at fault says so
            return None
        return self._compared(results, again, given, datasets)

    def sample(self, given: TablesOf, datasets: Sequence[Positions]) -> list[int]:
        """Which of some datasets are asked again, alone: a few, evenly spread, and one for each way
        in which tables are empty, for there DuckDB's answers have been seen to differ.
        """
        spread = {round(i * (len(datasets) - 1) / (HELD - 1)) for i in range(HELD)}
        if isinstance(given.records, Rows) or not self._by_duckdb:  # each record has a row
            return sorted(spread)
        numbers = [numbers for numbers, _ in given.stacked(datasets).values()]
        filled = np.array(
            [np.bincount(each, minlength=len(datasets)) > 0 for each in numbers], dtype=bool
        )
        first = np.unique(filled, axis=1, return_index=True)[1]
        return sorted(spread | set(first[:MOST_EMPTY].tolist()))

    def _answers_of_database(
        self, given: TablesOf, datasets: Sequence[Positions]
    ) -> list[Any] | None:
        """The answers of another database than DuckDB, one by one within few transactions."""
        ask_each = partial(database.ask_each, self.connection, self.text, whole=given.whole)
        try:
            results = ask_each(map(given, datasets))
            again = ask_each(_reversed(given(dataset)) for dataset in datasets)
        except ValueError:  # asked alone, the dataset at fault says so
            return None
        return self._compared(results, again, given, datasets)

    def _compared(
        self,
        results: list[ResultSet],
        again: list[ResultSet],
        given: TablesOf,
        datasets: Sequence[Positions],
    ) -> list[Any]:
        """The answers that results are, None for none; those of rows in reverse must be the same."""
        answers = [self._answer(result) for result in results]
        for i, answer in enumerate(answers):
            if answer is None or _same_rows(results[i].rows, again[i].rows):
                continue
            other = self._answer(again[i])
            if not are_near(answer, other):
                raise OrderMatters(
                    f"{_order_matters(answer, other)}, on {number_repr(given(datasets[i]))}"
                )
        return answers

    def _answer(self, result: ResultSet) -> Any:
        """The answer that a result is, or None where it is none."""
        try:
            return answer_of(result, self.keys)
        except ValueError:
            return None

    def _asked_together(
        self, stacked: duck.Stack, datasets: int
    ) -> tuple[list[ResultSet], list[ResultSet]]:
        """The results with the rows as they are, and in reverse."""
        public = self._public(stacked)
        if self.connection is not None:
            seen = {*_parsed(self.text).tables} - {name.lower() for name in (*stacked, *public)}
            duck.rehearsed(self.connection, self.text, stacked, public, seen)
        results, again = (
            duck.ask_all(self.connection, self.text, each, datasets, public)
            for each in (stacked, _backwards(stacked))
        )
        return results, again

    def _public(self, tables: Mapping[str, Any]) -> Tables:
        """The tables beside a dataset's that no cursor sees. Raises ValueError for unknown ones."""
        if not self._by_duckdb:
            return {}
        rest = {*_parsed(self.text).tables} - set(map(str.lower, tables))
        rest -= duck.tables_of(self.connection) if rest else set()
        public = duck.borrowed(self.connection, rest)
        if unknown := sorted(rest - set(public)):
            raise ValueError(
                f"statement must name tables of the dataset, {_listed(list(tables))}, or of the "
                f"connection, got {_listed(unknown)} in {self._brief}"
            )
        return dict(public)

    def _asked(self, tables: Tables, whole: Tables) -> ResultSet:
        if self._by_duckdb:
            return duck.ask(self.connection, self.text, tables)
        return database.ask(self.connection, self.text, tables, whole)

    @property
    def _by_duckdb(self) -> bool:
        return duck.is_connection(self.connection)

    def _named(self, dataset: Any) -> Tables:
        """A dataset's tables by name."""
        if isinstance(dataset, Mapping) and dataset and all(map(is_table, dataset.values())):
            return {str(name): one for name, one in dataset.items()}
        if is_table(dataset):
            return {self._table(): dataset}
        raise TypeError(_no_tables(brief(dataset)))

    def _table(self) -> str:
        """The one table that the statement names and the connection does not have."""
        named = set(self._tables_named() or ())
        rest = named - (duck.tables_of(self.connection) if self._by_duckdb else set())
        borrowed = duck.borrowed(self.connection, rest) if self._by_duckdb else {}
        missing = sorted(rest - set(borrowed))
        if len(missing) == 1:
            return missing[0]
        if len(named) == 1:
            return named.pop()
        raise ValueError(
            "the dataset must be the one table that the statement names and the connection does "
            f"not have, got {_listed(missing)}: name the universe, or give a dict of tables"
        )

    def _tables_named(self) -> tuple[str, ...] | None:
        """The tables that the statement names; None where only its database can tell."""
        if self._by_duckdb:
            return _parsed(self.text).tables
        return database.named_in(self.text, database.Database.of(self.connection).dialect)

    @property
    def _brief(self) -> str:
        return name_of_statement(self.text)


class Part(dict[str, Any]):
    """A dataset as tables by name, with the `whole` that it is a part of, which knows the types."""

    def __init__(self, tables: Tables, whole: Tables) -> None:
        super().__init__(tables)
        self.whole = whole


@dataclass(frozen=True)
class TablesOf:
    """Makes datasets of some records as tables by name.

    >>> import pandas as pd
    >>> from sensitivity_lab.tabular.rows import Rows
    >>> TablesOf(Rows(pd.DataFrame({"a": [1, 2]}), "records"), ("staff",))((0,))
    {'staff':    a
    0  1}
    """

    records: Any
    names: tuple[str, ...]

    def __call__(self, positions: Positions) -> Tables:
        """The dataset at some positions."""
        return Part(self._named(self.records.tables(positions)), self.whole)

    @property
    def whole(self) -> Tables:
        """The tables that the datasets are parts of."""
        return self._named(self.records.whole)

    def _named(self, tables: Mapping[str | None, Any]) -> Tables:
        return dict(zip(self.names, tables.values(), strict=True))

    def stacked(self, datasets: Sequence[Positions]) -> dict[str, tuple[np.ndarray, Any]]:
        """The rows of many datasets, table by table, each with its dataset's number."""
        stacked = self.records.stacked(datasets)
        return dict(zip(self.names, stacked.values(), strict=True))


@cache
def _parsed(text: str) -> duck.Parsed:
    return duck.parsed(text)


def _require_one_kind(tables: Tables) -> None:
    """Refuse a column of objects of several kinds, to which SQL would give the type of some."""
    for table in tables.values():
        for name in duck.object_columns(table):
            kinds = {type(value).__name__ for value in table[name].dropna()}
            if len(kinds) > 1:
                raise ValueError(
                    f"column {name} must hold values of one kind, got {_listed(sorted(kinds))}"
                )


def checked_text(statement: Any) -> str:
    """A statement's text. Raises TypeError for what is none, ValueError for an empty one."""
    if not isinstance(statement, str):
        raise TypeError(f"statement must be text, got {brief(statement)}")
    text = statement.strip().rstrip(";").rstrip()
    if not text:
        raise ValueError("statement must be a SELECT, got no text")
    return text


def checked_keys(keys: Any) -> tuple[str, ...] | None:
    """The names of key columns. Raises TypeError for what is no name, ValueError for none."""
    if keys is None:
        return None
    names = (keys,) if isinstance(keys, str) else sequence(keys, "keys", "columns")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"keys must be a column's name or a list of names, got {brief(name)}")
    if not names:
        raise ValueError("keys must name at least one column, got none")
    return names


def name_of_statement(text: str, most: int = 60) -> str:
    """A statement on one line, cut short.

    >>> name_of_statement("SELECT COUNT(*)\\n  FROM staff")
    'SELECT COUNT(*) FROM staff'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _same_rows(rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> bool:
    """Whether two results have the same different rows, in any order; False may be either."""
    try:
        known = set(rows)
        return len(known) == len(rows) == len(others) and known == set(others)
    except TypeError:  # lists among them
        return False


def _reversed(tables: Tables) -> Tables:
    """Tables with their rows in reverse."""
    return {name: _backward(one) for name, one in tables.items()}


def _backwards(stacked: duck.Stack) -> duck.Stack:
    return {name: (numbers[::-1], _backward(one)) for name, (numbers, one) in stacked.items()}


def _backward(one: Any) -> Any:
    frame = nw.from_native(one, eager_only=True)
    return taken(frame, np.arange(len(frame), dtype=np.intp)[::-1])


def _order_matters(answer: Any, again: Any) -> str:
    return (
        "statement must not depend on the order of rows (say which come first, as with ORDER BY "
        f"before LIMIT), got {brief(answer)} and, with the rows in reverse, {brief(again)}"
    )


def _no_tables(got: str) -> str:
    return (
        f"statement must be asked of tables, got {got}: make the universe of rows, as by "
        "Universe.product(salary=[0, 50]) or Universe.population(frame)"
    )


def _first_of(records: Any) -> Any:
    return records.values[0] if isinstance(records, Records) else next(iter(records))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
