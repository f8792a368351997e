"""SQL as a function of a dataset: which tables it is asked over, and what its rows mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import narwhals as nw
import narwhals.selectors as ncs
import numpy as np

from sensitivity_beyond.tables import order
from sensitivity_beyond.tables.frames import is_table, taken
from sensitivity_beyond.tables.keyed import are_near
from sensitivity_beyond.tables.source import TableSource
from sensitivity_beyond.tables.sql import parsed as reading
from sensitivity_beyond.tables.sql.databases import Database
from sensitivity_beyond.tables.sql.dialects import database_of
from sensitivity_beyond.tables.sql.duckdb import DuckDB, Stack, Whole, engine, object_columns
from sensitivity_beyond.tables.sql.result_set import ResultSet, answer_of
from sensitivity_lab.extension import Asked
from sensitivity_lab.methods.workers import has_gap
from sensitivity_lab.numbers import gap
from sensitivity_lab.numbers.exact import brief, checked_seconds, sequence
from sensitivity_lab.numbers.text import listed, number_repr
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import AnswersDiffer, Query, checked_answer
from sensitivity_lab.records import Positions, Source

HELD = 4  # datasets of those answered together that are asked again one by one, at least
MOST_EMPTY = 16  # ways in which tables are empty that are asked about again
FEW = 8  # datasets that are asked one by one: together they would take longer
TIES = 3  # times that ties are broken at random, where a database's own order may hide them
BY_CHANCE = {  # what answers otherwise each time
    "'now'", "age of today", "ago", "clock_timestamp", "current_date", "current_localtime",
    "current_localtimestamp", "current_time", "current_timestamp", "gen_random_uuid",
    "get_current_time", "get_current_timestamp", "localtime", "localtimestamp", "nextval", "now",
    "rand", "random", "randomblob", "setseed", "statement_timestamp", "tablesample", "timeofday",
    "today", "transaction_timestamp", "txid_current", "uuid", "uuidv4", "uuidv7",
}  # fmt: skip
Tables = dict[str, Any]


def sql(
    statement: str,
    *,
    keys: str | Iterable[str] | None = None,
    connection: Any = None,
    seconds: float = reading.SECONDS,
) -> Query:
    """Return the query that a SQL statement is, asked of datasets of tables.

    >>> import sensitivity_lab as sl
    >>> staff = sl.Universe.product(department=["law", "art"], salary=[0, 50, 100], name="staff")
    >>> totals = sl.sql("SELECT department, SUM(salary) AS total FROM staff GROUP BY department")
    >>> sl.global_sensitivity(totals, staff, size=3, relation=sl.SymmetricDifference(1)).value
    100

    The engine is DuckDB, in this process (`pip install 'sensitivity-beyond[sql]'`). The tables are
    those of the universe: its dict of tables, or one that has its `name`; without a name, the table
    that the statement names. Other tables and views of `connection` are public, and the same for
    every dataset. A statement must read a table of the dataset, and none of the connection's in its
    place; nor a catalogue, a file, what only a session has, chance or the clock.

    One row of numbers is a number, or a vector. With columns of keys every row is a number under
    its key; several columns of numbers are keyed by (key, name of the column). The empty dataset
    is asked like any other: SUM is NULL on it, which is no number, so write COALESCE(SUM(…), 0).
    Every dataset is asked again in other orders of its rows, and of other databases than DuckDB
    with ties broken at random: an answer that depends on them, as with LIMIT and no ORDER BY, is
    none, but for the rounding of floats. Every witness is asked again alone.

    :param statement: one SELECT.
    :param keys: the name of a column of keys, or a list of them; by default all columns that are
        not numeric. A numeric one that names a group, or stands in one row beside others, is told:
        keys="region", or keys=[] where all are numbers.
    :param connection: a connection of DuckDB, or any other of DB-API 2, which is asked one dataset
        at a time; None for an empty database of this process. It is left as it was, but for what
        functions do beyond a rollback; under your own DuckDB's settings its views may read files.
    :param seconds: how long the statement may take on one dataset. DuckDB of this process has 4 GB.
    :raises ValueError: for what is no SELECT, or none that sqlglot reads, an unknown table or
        column; on a dataset for NULL and other results that are no finite numbers, two rows of one
        key, rows without keys, an order that matters, and whatever the statement raises there.
    :raises TypeError: for a statement or keys that are no text, and records that are no rows.
    :raises TimeoutError: within the ValueError of the dataset that took longer than `seconds`.
    :raises RuntimeError: where datasets answered together and alone are answered differently.

    Cost: three runs of the statement, or six, for some hundred thousand rows of datasets together;
    as many for each dataset where it holds a UNION, EXCEPT or INTERSECT, or cannot be nested.
    """
    if not isinstance(statement, str):
        raise TypeError(f"statement must be text, got {brief(statement)}")
    text = statement.strip().rstrip(";").rstrip()
    if not text:
        raise ValueError("statement must be a SELECT, got no text")
    if keys is not None:
        keys = (keys,) if isinstance(keys, str) else sequence(keys, "keys", "columns")
    for name in keys or ():
        if not isinstance(name, str):
            raise TypeError(f"keys must be a column's name or a list of names, got {brief(name)}")
    return Query(
        reading.shortened(text), Statement(text, keys, connection, checked_seconds(seconds))
    )


@dataclass(frozen=True)
class Statement(Asked):
    """A SELECT as a function of a dataset of tables."""

    text: str
    keys: tuple[str, ...] | None = None
    connection: Any = None
    seconds: float = reading.SECONDS
    whole: Whole | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._read  # noqa: B018 — what is no SELECT is refused when it is made

    def __reduce__(self) -> tuple[Any, ...]:
        if self.connection is not None:
            raise TypeError("a statement with a connection cannot be sent to another process")
        return type(self), (self.text, self.keys, None, self.seconds, self.whole)

    @property
    def _database(self) -> Database | DuckDB:
        return database_of(self.connection)

    @property
    def _read(self) -> reading.Parsed | None:
        """What the statement's text tells; None where only its database can tell."""
        return self._database.read(self.text)

    @property
    def _origins(self) -> Sequence[tuple[str, int]]:
        """Where the columns of its result come from."""
        return reading.UNKNOWN if self._read is None else self._read.origins

    def __call__(self, dataset: Any) -> Any:
        """The answer on one dataset, which is asked again with its rows in other orders."""
        part = dataset if isinstance(dataset, ByName) else self._part(dataset)
        first, *others = self._asked_each([part, *self._in_other_orders(part)])
        answer = answer_of(first, self.keys, self._origins)
        for (result,) in chain(zip(others, strict=True), self._with_ties_at_random([part])):
            again = answer_of(result, self.keys, self._origins)
            if not are_near(answer, again):
                raise order.OrderMatters(_order_matters(answer, again))
        return answer

    def python(self, query: Query) -> str | None:
        """The Python of a query that asks this statement of this process's own database."""
        if self.connection is not None or query != sql(self.text, keys=self.keys):
            return None
        plain = '"' not in self.text[-1:] and '"""' not in self.text and "\\" not in self.text
        written = f'"""{self.text}"""' if plain else repr(self.text)
        named = "" if self.keys is None else f", keys={list(self.keys)!r}"
        return f"sl.sql({written}{named})"

    def giver(self, records: Source, name: str | None) -> TablesOf:
        """What makes datasets of some records, as tables by name; `name` is the universe's."""
        if not isinstance(records, TableSource):
            raise TypeError(_no_tables(f"records such as {brief(records.values[0])}"))
        if None in records.whole:  # one table alone
            return TablesOf(records, self, (self._table() if name is None else name,))
        names = tuple(map(str, records.whole))
        if len({*map(str.lower, names)}) < len(names):
            raise ValueError(f"tables must differ in more than case, got {listed(names)}")
        return TablesOf(records, self, names)

    def over(self, records: Source, name: str | None) -> Statement:
        """The statement asked of tables that are parts of some records, which tell their types."""
        return replace(self, whole=self.giver(records, name).whole)

    def check_metric(self) -> None:
        raise ValueError("output_metric must be left out for a statement, which answers in numbers")

    def check(self, problem: Problem) -> None:
        """Refuse a statement that cannot be asked over some records, before it is asked."""
        whole = self.giver(problem.universe.source, problem.universe.name).whole
        self._require_its_tables(whole, whole)
        _require_one_kind(whole)
        columns = self._database.columns_of(self.text, whole)
        if None in columns.numeric:  # sqlite knows values, not types
            return
        rows = [(1,) * len(columns.names)]
        answer_of(columns._replace(rows=rows), self.keys, self._origins)

    def _require_its_tables(self, tables: Tables, whole: Whole) -> None:
        """Refuse a statement that reads no table of the dataset, or what is no public one."""
        read, database = self._read, self._database
        if read is None:  # the database says what it read
            return
        catalogues: list[str] = []
        ours = {name if database.by_case else name.lower() for name in tables}
        for name in read.qualified:
            *_, schema, last = name.replace('"', "").lower().split(".")
            if last in {known.lower() for known in ours}:
                raise ValueError(
                    f"statement must name the dataset's table {last} without a schema, got {name}, "
                    "which is another table"
                )
            if schema in reading.CATALOGUES or last.startswith(reading.CATALOGUE_TABLES):
                catalogues.append(name)
        others = {*read.tables, *read.sources} - ours
        catalogues += sorted(name for name in others if name.startswith(reading.CATALOGUE_TABLES))
        if catalogues:
            got = catalogues[0]
            raise ValueError(f"statement must not read a catalogue of the session, got {got}")
        if not ours & set(read.tables):
            raise ValueError(
                f"statement must name the table {' or '.join(tables)}, got "
                f"{listed(read.tables)} in {reading.shortened(self.text)}"
            )
        database.require_shared(read)
        if by_chance := sorted(read.calls & BY_CHANCE):
            got = f"got {listed(by_chance)}: write the value; a column so called needs another name"
            raise ValueError(f"statement must say the same whenever it is asked, {got}")

    def answers_together(self, given: TablesOf, datasets: Sequence[Positions]) -> list[Any] | None:
        """The answers on many datasets together; None for those to be asked alone, or for all."""
        database, read = self._database, self._read
        if not isinstance(database, DuckDB):
            return self._answers_one_by_one(given, datasets)
        assert read is not None
        if read.alone:
            return None
        filled = [i for i, dataset in enumerate(datasets) if len(dataset)]
        if len(filled) < len(datasets):
            rest = self.answers_together(given, [datasets[i] for i in filled])
            by = dict(zip(filled, rest or (), strict=False))
            return [by.get(i) for i in range(len(datasets))]
        if len(datasets) < FEW:
            return None
        try:
            stacks = self._stacked_in_orders(given.stacked(datasets))
            results = database.ask_all(self.text, stacks, len(datasets), given.whole, self.seconds)
            return self._compared(results, given, datasets)
        except (engine().Error, ImportError, TimeoutError):  # asked alone, one says so
            return None

    def sample(self, given: TablesOf, datasets: Sequence[Positions]) -> list[int]:
        """Which of some datasets are asked again alone:
        a few, and one for each way of empty tables."""
        many = len(datasets)
        spread = {round(i * (many - 1) / (HELD - 1)) for i in range(HELD)}
        if given.records.one_row_each or not isinstance(self._database, DuckDB):
            return sorted(spread)
        stacked = given.stacked(datasets).values()
        filled = np.array(
            [np.bincount(each, minlength=many) > 0 for each, _ in stacked], dtype=bool
        )
        first = np.unique(filled, axis=1, return_index=True)[1]
        return sorted(spread | set(first[:MOST_EMPTY].tolist()))

    def _answers_one_by_one(
        self, given: TablesOf, datasets: Sequence[Positions]
    ) -> list[Any] | None:
        """The answers of another database than DuckDB, one by one within few transactions."""
        parts = [given(dataset) for dataset in datasets]
        others = (self._in_other_orders(part, different=False) for part in parts)
        in_orders = map(self._asked_each, chain([parts], zip(*others, strict=True)))
        try:
            results = chain(in_orders, self._with_ties_at_random(parts))
            return self._compared(results, given, datasets)
        except order.OrderMatters:
            raise
        except (ValueError, TimeoutError):  # asked alone, the dataset at fault says so
            return None

    def _with_ties_at_random(self, parts: Sequence[ByName]) -> Iterator[list[ResultSet]]:
        """What the statement says where ties are broken at random, as no order of rows may show."""
        read = self._read
        loose = None if read is None else read.at_random
        for _ in range(TIES if loose else 0):
            try:
                yield self._asked_each(parts, loose)
            except ValueError:  # the database does not sort by chance there
                return

    def _asked_each(self, parts: Sequence[ByName], text: str | None = None) -> list[ResultSet]:
        """What the statement returns over each of some parts of one whole."""
        asked = text or self.text
        return self._database.ask_each(asked, parts, parts[0].whole, self.seconds)

    def _compared(
        self,
        in_each_order: Iterator[list[ResultSet]],
        given: TablesOf,
        datasets: Sequence[Positions],
    ) -> list[Any]:
        """The answers that results are, None for none; those in other orders must be the same."""
        results = next(in_each_order)
        answers = [self._answer(result) for result in results]
        for again in in_each_order:
            for i, answer in enumerate(answers):
                if answer is None or _same_rows(results[i].rows, again[i].rows):
                    continue
                other = self._answer(again[i])
                if not are_near(answer, other):
                    raise order.OrderMatters(
                        f"{_order_matters(answer, other)}, on {number_repr(given(datasets[i]))}"
                    )
        return answers

    def _answer(self, result: ResultSet) -> Any:
        """The answer that a result is, or None where it is none."""
        try:
            return answer_of(result, self.keys, self._origins)
        except ValueError:
            return None

    def _stacked_in_orders(self, stacked: Stack) -> Iterator[Stack]:
        """The rows of many datasets as they are, and in other orders."""
        yield stacked
        for orders in self._other_orders(stacked):
            tables = zip(stacked.items(), orders, strict=True)
            yield {name: (of[rows], taken(one, rows)) for (name, (of, one)), rows in tables}

    def _in_other_orders(self, part: ByName, *, different: bool = True) -> Iterator[ByName]:
        """A dataset with its rows in other orders; few rows have few that are `different`."""
        alone = {name: (np.zeros(len(one), dtype=np.intp), one) for name, one in part.items()}
        known = {tuple(tuple(range(len(one))) for one in part.values())}
        for orders in self._other_orders(alone):
            now = tuple(tuple(rows.tolist()) for rows in orders)
            if different and now in known:
                continue
            known.add(now)
            tables = zip(part.items(), orders, strict=True)
            yield ByName({name: taken(one, rows) for (name, one), rows in tables}, part.whole)

    def _other_orders(self, stacked: Stack) -> Iterator[tuple[np.ndarray, ...]]:
        """Other orders of the rows of each table; more of them where order may matter."""
        may_matter = self._read is None or self._read.ordered
        of_each = (order.other_orders(numbers, may_matter) for numbers, _ in stacked.values())
        return zip(*of_each, strict=True)

    def _part(self, dataset: Any) -> ByName:
        """A dataset of the caller's as tables by name, which tell their own types."""
        if isinstance(dataset, Mapping) and dataset and all(map(is_table, dataset.values())):
            tables = {str(name): one for name, one in dataset.items()}
        elif is_table(dataset):
            tables = {self._table(): dataset}
        else:
            raise TypeError(_no_tables(brief(dataset)))
        part = ByName(tables, Whole(tables) if self.whole is None else self.whole)
        self._require_its_tables(part, part.whole)
        return part

    def _table(self) -> str:
        """The one table that the statement names and the connection does not have."""
        named = set(() if self._read is None else self._read.tables)
        missing = sorted(self._database.unknown(named))
        if len(missing) == 1:
            return missing[0]
        if len(named) == 1:
            return named.pop()
        raise ValueError(
            "the dataset must be the one table that the statement names and the connection does "
            f"not have, got {listed(missing)}: name the universe, or give a dict of tables"
        )


class ByName(dict[str, Any]):
    """A dataset as tables by name, with the `whole` that it is a part of, which knows the types."""

    def __init__(self, tables: Tables, whole: Whole) -> None:
        super().__init__(tables)
        self.whole = whole


@dataclass(frozen=True)
class TablesOf(order.InOrders):
    """Makes datasets of some records as tables by name, which a database answers together."""

    statement: Statement
    names: tuple[str, ...]

    together = True

    def __call__(self, positions: Positions) -> ByName:
        """The dataset at some positions."""
        return ByName(self._named(self.records.tables(positions)), self.whole)

    @cached_property
    def whole(self) -> Whole:
        """The tables that the datasets are parts of."""
        return Whole(self._named(self.records.whole))

    def _named(self, tables: Mapping[str | None, Any]) -> Tables:
        return dict(zip(self.names, tables.values(), strict=True))

    def answers(self, query: Query, datasets: Sequence[Positions]) -> list[Any]:
        """The answers; those that come together are held to those of a sample, each asked alone."""
        together = self.statement.answers_together(self, datasets)
        if together is None:
            return [query.answer(self(dataset)) for dataset in datasets]
        answers = [
            query.answer(self(dataset)) if answer is None else checked_answer(answer, query, ())
            for dataset, answer in zip(datasets, together, strict=True)
        ]
        for i in self.statement.sample(self, datasets):
            alone = query.answer(dataset := self(datasets[i]))
            if not gap.are_near(answers[i], alone):
                raise AnswersDiffer(
                    f"query {query.name} must answer many datasets as it does each alone, got "
                    f"{brief(answers[i])} and alone {brief(alone)} on dataset "
                    f"{number_repr(dataset)}"
                )
        return answers

    def stands(self, problem: Problem, pair: WorstPair) -> WorstPair:
        """The pair with the gap that its two datasets have, each asked alone."""
        query, sides = problem.query, pair.at_positions()
        self.hold(query, sides)
        answers = [query.answer(self(side)) for side in sides]
        if not has_gap(problem, pair.gap, answers):
            raise AnswersDiffer(
                f"{query.name} must answer many datasets as it does each alone, got answers "
                f"{brief(pair.gap)} apart and alone {' and '.join(map(brief, answers))}"
            )
        return replace(pair, gap=gap.gap_between(problem.norm, query.root)(*answers))

    def several(self, positions: Positions) -> Iterator[ByName]:
        """The dataset with its people in other orders, where they are numbered as they come."""
        if self.records.order_shows and not self.records.one_row_each:
            yield from map(self, order.several_orders(tuple(positions), order.seeded(positions)))

    def stacked(self, datasets: Sequence[Positions]) -> dict[str, tuple[np.ndarray, Any]]:
        """The rows of many datasets, table by table, each with its dataset's number."""
        stacked = self.records.stacked(datasets)
        return dict(zip(self.names, stacked.values(), strict=True))


def _require_one_kind(tables: Tables) -> None:
    """Refuse objects of several kinds, of which SQL takes the type of some,
    and times too fine for Python."""
    for table in tables.values():
        for name in object_columns(table):
            kinds = sorted({type(value).__name__ for value in table[name].dropna()})
            if len(kinds) > 1:
                raise ValueError(f"column {name} must hold values of one kind, got {listed(kinds)}")
        frame = nw.from_native(table, eager_only=True)
        for times in frame.select(ncs.datetime()).iter_columns():
            finer = times.drop_nulls().dt.nanosecond() % 1000 != 0
            if finer.any():  # keys that differ by less are one in Python
                got = "got nanoseconds: cast it, or make whole numbers of it"
                raise ValueError(f"column {times.name} must hold whole microseconds, {got}")


def _same_rows(rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> bool:
    """Whether two results have the same different rows, in any order; False may be either."""
    try:
        known = set(rows)
        return len(known) == len(rows) == len(others) and known == set(others)
    except TypeError:  # lists among them
        return False


def _order_matters(answer: Any, again: Any) -> str:
    return (
        "statement must not depend on the order of rows (say which come first, as with ORDER BY "
        f"before LIMIT, without ties), got {brief(answer)} and, in another order, {brief(again)}"
    )


def _no_tables(got: str) -> str:
    return (
        f"statement must be asked of tables, got {got}: make the universe of rows, as by "
        "Universe.product(salary=[0, 50]) or Universe.population(frame)"
    )
