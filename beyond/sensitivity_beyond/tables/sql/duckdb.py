"""DuckDB: one dataset by one statement, and thousands of datasets by one statement."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import starmap
from threading import RLock, Thread
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_beyond.tables.frames import taken
from sensitivity_beyond.tables.lazy import pd
from sensitivity_beyond.tables.sql import parsed as reading
from sensitivity_beyond.tables.sql.databases import Tables
from sensitivity_beyond.tables.sql.parsed import parsed as by_sqlglot
from sensitivity_beyond.tables.sql.result_set import ResultSet
from sensitivity_lab.numbers.text import listed

Types = Mapping[str, Mapping[str, str]]  # of each table's columns, where the table tells too little
Stack = Mapping[str, tuple[np.ndarray, Any]]  # of each table the dataset of each row, and the rows
NUMBERS = {
    "tinyint", "smallint", "integer", "bigint", "hugeint", "bignum",
    "utinyint", "usmallint", "uinteger", "ubigint", "uhugeint",
    "float", "double", "decimal",
}  # fmt: skip
SETTINGS = {
    "threads": "1",  # floats are added in one order
    "preserve_insertion_order": "true",
    "enable_external_access": "false",  # a statement reads no file and no network
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "memory_limit": "4GB",
    "pandas_analyze_sample": "1000000",  # rows whose values tell the type of a column of objects
}
REHEARSED = 32  # datasets, and rows of public tables, that are tried in a database of our own
HERE = "NOT internal AND database_name IN (current_database(), 'temp')"  # not of attached ones
VISIBLE = (
    f"SELECT lower(table_name) FROM duckdb_tables() WHERE {HERE} "
    f"UNION SELECT lower(view_name) FROM duckdb_views() WHERE {HERE}"
)
LOCAL = (  # `schema` says again what `search_path` does
    "SELECT name, value FROM duckdb_settings() WHERE scope = 'LOCAL' AND name <> 'schema' ORDER "
    "BY 1"
)
OWN_TABLES = "SELECT lower(table_name) FROM duckdb_tables() WHERE database_name = 'temp'"
OWN_VIEWS = (
    "SELECT lower(view_name), sql FROM duckdb_views() WHERE database_name = 'temp' AND NOT internal"
)
OWN_FUNCTIONS = "SELECT lower(function_name) FROM duckdb_functions() WHERE NOT internal"
TEMPORARY_FUNCTIONS = f"{OWN_FUNCTIONS} AND database_name = 'temp'"
HIDING_FUNCTIONS = (  # temporary ones that a sign, as +, or a word, as EXTRACT, may call
    f"{TEMPORARY_FUNCTIONS} AND lower(function_name) IN "
    "(SELECT function_name FROM duckdb_functions() WHERE internal)"
)
# functions that read no table
PURE = {"generate_series", "json_each", "json_tree", "range", "repeat", "unnest"}
_OWN: dict[tuple[int, bool], Any] = {}  # by process: the databases for one dataset, and for many
_ONE_AT_A_TIME = RLock()  # a caller's connection serves one thread


class Whole(dict[str, Any]):
    """The tables that datasets are parts of, by name."""

    @cached_property
    def types(self) -> Types:
        """The types of columns of Python objects,
        of which a part of the tables may tell too little."""
        named = {name: object_columns(one) for name, one in self.items()}
        objects = {name: self[name][columns] for name, columns in named.items() if columns}
        if not objects:
            return {}
        asked = {name: f"DESCRIBE {reading.quoted(name)}" for name in objects}
        with DuckDB().over(objects) as cursor:
            described = {name: cursor.execute(text).fetchall() for name, text in asked.items()}
        return {name: {row[0]: row[1] for row in rows} for name, rows in described.items()}


def engine() -> Any:
    """The module `duckdb`. Raises ImportError that says how to install it."""
    return reading.installed("duckdb")


def is_connection(connection: Any) -> bool:
    """Whether a connection is DuckDB's, or none is named."""
    if connection is None or "duckdb" not in sys.modules:
        return connection is None
    return isinstance(connection, engine().DuckDBPyConnection)


@dataclass(frozen=True)
class DuckDB:
    """DuckDB as statements ask it, like any `Database`: a caller's, or this process's in memory."""

    connection: Any = None
    by_case = False  # no name is another in another case

    def read(self, text: str) -> reading.Parsed:
        """What a statement is; refused is what is not exactly one SELECT."""
        return parsed(text)

    def unknown(self, names: set[str]) -> set[str]:
        """Of some tables those that are not the connection's: the dataset's."""
        return self._found(names)[1]

    def require_shared(self, read: reading.Parsed) -> None:
        """Refuse a statement whose answer another session of the database, as ours,
        may not have."""
        functions, temporary, hiding = set(read.sources) - PURE, set[str](), set[str]()
        if self.connection is not None:
            with _alone():
                functions -= self._first_column(OWN_FUNCTIONS)
                temporary = self._first_column(TEMPORARY_FUNCTIONS)
                hiding = self._first_column(HIDING_FUNCTIONS)
                (threads,) = map(int, self._first_column("SELECT current_setting('threads')"))
            if read.ordered and threads > 1:
                raise ValueError(
                    "connection must have one thread for a statement with LIMIT, FIRST, ROW_NUMBER "
                    f"or the like, for several break ties as they come, got {threads}: "
                    "SET threads = 1"
                )
        if functions:
            raise ValueError(
                "statement must read tables of the dataset and public ones alone, got the function "
                f"{min(functions)}: make a table of what it reads"
            )
        if refused := sorted(hiding | read.calls & (temporary | {"getvariable"})):
            raise ValueError(
                f"statement must not call what a session of its own has, got {', '.join(refused)}: "
                "write the value, or make the macro one that is not temporary"
            )

    def columns_of(self, text: str, whole: Whole) -> ResultSet:
        """The columns of a statement's result, without rows; it is bound and not run."""
        tables = {**self._public(text, whole), **whole}
        refusal = "statement must be one that can be run"
        with self.over(tables, whole.types) as cursor, reading.told_of(refusal, engine().Error):
            relation = cursor.sql(text)
            columns = list(relation.columns), list(map(_is_numeric, relation.types))
            scanned = set() if self.connection is None else _scanned(cursor, text)
        named = {name.lower() for name in tables}
        if hidden := sorted(name for name in scanned if name.split(".")[-1].lower() in named):
            raise ValueError(
                f"statement must read the dataset's own tables, got {hidden[0]} of the connection, "
                "which a view or function of it names in full"
            )
        return ResultSet(*columns, [])

    def ask_each(
        self, text: str, datasets: Sequence[Tables], whole: Whole, seconds: float
    ) -> list[ResultSet]:
        """What a statement returns over each of some datasets, all of them parts of one whole."""
        results = []
        with self.over(self._public(text, whole)) as cursor:
            for tables in datasets:
                _see(cursor, tables, whole.types)
                results.append(_result(cursor, text, seconds))
        return results

    def ask_all(
        self, text: str, stacks: Iterable[Stack], datasets: int, whole: Whole, seconds: float
    ) -> Iterator[list[ResultSet]]:
        """What a statement returns over each of many datasets,
        by one statement for each stack of them."""
        public: Tables | None = None
        for stacked in stacks:
            if public is None:
                public = self._public(text, stacked)
                # a few datasets are tried in our own before: what closes a database closes ours
                if self.connection is not None:
                    few = {name: _first(*each) for name, each in stacked.items()}
                    seen = {**self._heads(text, {*stacked, *public}), **public}
                    DuckDB()._ask_all(text, few, REHEARSED, whole.types, seen, seconds)
            yield self._ask_all(text, stacked, datasets, whole.types, public, seconds)

    def _ask_all(
        self, text: str, stacked: Stack, datasets: int, types: Types, public: Tables, seconds: float
    ) -> list[ResultSet]:
        """One statement for many datasets.

        members of staff           the statement, once for each number
        number  name  salary
             0   ada      50       WITH staff AS (the rows of its number)
             0   bob      70       SELECT * FROM (the statement)
             1   ada      50
        """
        members = {name: _numbered(*each) for name, each in stacked.items()}
        tables = {f"members of {name}": table for name, (table, _) in members.items()}
        known = {f"members of {name}": each for name, each in types.items()}
        own = ", ".join(
            f"{reading.quoted(name)} AS (SELECT * EXCLUDE ({reading.quoted(number)}) "
            f"FROM {reading.quoted(f'members of {name}')} AS m "
            f"WHERE m.{reading.quoted(number)} = d.number)"
            for name, (_, number) in members.items()
        )
        whole = (
            f"SELECT d.number, q.* FROM range({datasets}) AS d(number) JOIN LATERAL "
            f"(WITH {own} SELECT * FROM (\n{text}\n)) AS q ON TRUE"
        )
        try:
            with self.over({**public, **tables}, known, many=True) as cursor:
                together = _result(cursor, whole, seconds)
        except engine().Error:
            if self.connection is None:  # an internal error leaves it closed
                _OWN.pop((os.getpid(), True), None)
            raise
        rows: list[list[tuple[Any, ...]]] = [[] for _ in range(datasets)]
        for number, *row in together.rows:
            rows[number].append(tuple(row))
        return [ResultSet(together.names[1:], together.numeric[1:], each) for each in rows]

    # -- what the caller's session sees -------------------------------------------------------

    def _public(self, text: str, own: Mapping[str, Any]) -> Tables:
        """The tables beside a dataset's that no cursor sees. Raises ValueError for unknown ones."""
        public, unknown = self._found({*parsed(text).tables} - set(map(str.lower, own)))
        if unknown:
            raise ValueError(
                f"statement must name tables of the dataset, {listed(own)}, or of the connection, "
                f"got {listed(sorted(unknown))} in {reading.shortened(text)}"
            )
        return public

    def _found(self, names: set[str]) -> tuple[Tables, set[str]]:
        """Of some tables those that the caller's session alone sees,
        and the names that no table has."""
        if self.connection is None or not names:
            return {}, names
        with _alone():
            views = dict(self.connection.sql(OWN_VIEWS).fetchall())
            for name in sorted(names & set(views)):
                if _reads_tables(views[name]):
                    raise ValueError(
                        f"statement must not name a temporary view over tables, got {name}: make "
                        "it one that is not temporary, or write what it says into the statement"
                    )
            own = sorted(names & {*views, *self._first_column(OWN_TABLES)})
            borrowed = {name: _arrow(self.connection, name) for name in own}
        if rest := names - set(own):
            with self.over({}) as cursor:  # as any connection to the database sees it
                rest -= {name for (name,) in cursor.execute(VISIBLE).fetchall()}
        return borrowed, rest

    def _heads(self, text: str, known: set[str]) -> Tables:
        """The first rows of the tables that any connection sees."""
        with self.over({}) as cursor:
            names = {*parsed(text).tables} - set(map(str.lower, known))
            return {name: _arrow(cursor, name, f" LIMIT {REHEARSED}") for name in names}

    def _first_column(self, text: str) -> set[Any]:
        return {row[0] for row in self.connection.sql(text).fetchall()}

    # -- cursors ------------------------------------------------------------------------------

    @contextmanager
    def over(
        self, tables: Tables, types: Types | None = None, *, many: bool = False
    ) -> Iterator[Any]:
        """A cursor that sees some tables by name and writes nothing; they are gone with it."""
        with _ended_by_ctrl_c():
            own = self.connection is None
            cursor = _own(many).cursor() if own else self._like_the_callers()
            try:
                _see(cursor, tables, types or {})
                yield cursor
            finally:
                cursor.close()

    def _like_the_callers(self) -> Any:
        """A cursor that sees what the caller's own session sees,
        but for what is temporary there."""
        rule = "connection must be one that can be asked"
        with _alone(), reading.told_of(rule, engine().Error):
            first, second = (self._first_column("SELECT txid_current()") for _ in range(2))
            settings = self.connection.sql(LOCAL).fetchall()
            cursor = self.connection.cursor()
        if first == second:
            raise ValueError(
                "connection must have no open transaction, whose changes no other session sees: "
                "commit it or roll it back first"
            )
        known = dict(cursor.execute(LOCAL).fetchall())
        rule = "connection must have settings of its database"
        for name, value in settings:
            if known.get(name) == value:
                continue
            with reading.told_of(rule, engine().Error):
                escaped = value.replace("'", "''")
                cursor.execute(f"SET {name} = '{escaped}'")
                now = dict(cursor.execute(LOCAL).fetchall()).get(name)
            if now != value:
                raise ValueError(f"{rule}, got {name}={value!r}")
        return cursor


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C, of which DuckDB tells in words, end what is asked as it does elsewhere."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


@contextmanager
def _alone() -> Iterator[None]:
    """One thread at a time asks a caller's own connection."""
    with _ONE_AT_A_TIME, _ended_by_ctrl_c():
        yield


def _own(many: bool) -> Any:
    """This process's database in memory, for one dataset or for many;
    one made before a fork is the parent's."""
    own = os.getpid(), many
    if own not in _OWN:
        _OWN[own] = engine().connect(":memory:", config=SETTINGS)
    return _OWN[own]


# -- tables -----------------------------------------------------------------------------------


def _see(cursor: Any, tables: Tables, types: Types) -> None:
    """Let a cursor see some tables, in place of those of these names.

    A column of objects that holds nothing is text. A view, as pandas makes by [::-1], is copied.
    """
    for name, one in tables.items():
        if empty := [column for column in object_columns(one) if one[column].isna().all()]:
            one = one.astype(dict.fromkeys(empty, "string"))
        known = {reading.quoted(column): kind for column, kind in types.get(name, {}).items()}
        held = f"rows of {name}" if known else name
        with reading.told_of(f"table {name} must be one that DuckDB takes", engine().Error):
            try:
                cursor.register(held, one)
            except engine().Error:
                cursor.register(held, nw.from_native(one, eager_only=True).clone().to_native())
        if known:
            casts = ", ".join(
                f"CAST({column} AS {kind}) AS {column}" for column, kind in known.items()
            )
            asked = f"SELECT * REPLACE ({casts}) FROM {reading.quoted(held)}"
            cursor.execute(f"CREATE OR REPLACE TEMP VIEW {reading.quoted(name)} AS {asked}")


def object_columns(one: Any) -> list[Any]:
    """The names of a table's columns of Python objects, which pandas alone has."""
    if not isinstance(one, pd.DataFrame):
        return []
    return [name for name, kind in one.dtypes.items() if pd.api.types.is_object_dtype(kind)]


def _arrow(connection: Any, name: str, most: str = "") -> Any:
    """A table, or its first rows."""
    return connection.sql(f"SELECT * FROM {reading.quoted(name)}{most}").to_arrow_table()


def _first(numbers: np.ndarray, table: Any) -> tuple[np.ndarray, Any]:
    """The rows of the first few datasets."""
    kept = np.flatnonzero(numbers < REHEARSED)
    return numbers[kept], taken(table, kept)


def _numbered(numbers: np.ndarray, table: Any) -> tuple[Any, str]:
    """A table with a column of numbers, and that column's name, which is longer than all others."""
    frame = nw.from_native(table, eager_only=True)
    name = "n" * (1 + max(map(len, map(str, frame.columns)), default=0))
    column = nw.new_series(name, numbers, nw.Int64, backend=frame.implementation)
    return frame.with_columns(column).to_native(), name


# -- results ----------------------------------------------------------------------------------


def _result(cursor: Any, text: str, seconds: float) -> ResultSet:
    """What a statement returns."""

    def ask() -> ResultSet:
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        result = _rows_of(cursor.execute(text))
        cursor.execute("ROLLBACK")
        return result

    interrupt = getattr(cursor, "interrupt", None)  # a page has neither this nor threads
    return ask() if interrupt is None else _heard(ask, interrupt, seconds)


def _heard(
    ask: Callable[[], ResultSet], interrupt: Callable[[], object], seconds: float
) -> ResultSet:
    """What is answered in a thread of its own, beside which this one hears Ctrl-C."""
    # Of several threads DuckDB's first may wait for the others, deaf to signals. An interrupt that
    # comes before the statement runs is lost, so it is said until it is obeyed.
    asked: Future[ResultSet] = Future()

    def run() -> None:
        try:
            asked.set_result(ask())
        except BaseException as error:
            asked.set_exception(error)

    thread = Thread(target=run, daemon=True)
    try:
        thread.start()
        wait([asked], seconds)
        late = not asked.done()
    finally:
        while thread.ident is not None and not asked.done():
            interrupt()
            wait([asked], 0.05)  # an interrupted join takes the thread for ended
    if late and (error := asked.exception()):
        raise reading.out_of_time(seconds) from error
    return asked.result()


def _rows_of(cursor: Any) -> ResultSet:
    """The rows of a cursor; the longest whole numbers, which come as text, are numbers."""
    kinds = [kind for _, kind, *_ in cursor.description]
    rows = cursor.fetchall()
    long = {i for i, kind in enumerate(kinds) if kind.id == "bignum"}

    def number(i: int, cell: Any) -> Any:
        return int(cell) if i in long and cell is not None else cell

    rows = [tuple(starmap(number, enumerate(row))) for row in rows] if long else rows
    return ResultSet([name for name, *_ in cursor.description], list(map(_is_numeric, kinds)), rows)


def _is_numeric(kind: Any) -> bool | None:
    """Whether a column holds numbers; None where it holds nothing but NULL."""
    return None if kind.id == "null" else kind.id in NUMBERS


def _scanned(cursor: Any, text: str) -> set[str]:
    """The permanent tables that DuckDB's plan of a statement reads, with their schemas."""
    nodes: list[dict[str, Any]] = []
    ((_, plan),) = cursor.execute(f"EXPLAIN (FORMAT json) {text}").fetchall()
    json.loads(plan, object_hook=nodes.append)
    return {node["Table"] for node in nodes if isinstance(node.get("Table"), str)}


# -- the statement ----------------------------------------------------------------------------


@cache
def parsed(text: str) -> reading.Parsed:
    """Read a statement; refuse what is not exactly one SELECT."""
    duckdb = engine()
    with DuckDB().over({}) as cursor, reading.told_of("statement must be SQL", duckdb.Error):
        statements = cursor.extract_statements(text)
    kinds = [statement.type.name for statement in statements]
    if "PIVOT" in text.upper() and (kinds != ["SELECT"] or text[:5].upper() == "PIVOT"):
        way = "\"SELECT * FROM (PIVOT staff ON team IN ('a', 'b') USING SUM(pay))\", keys=[]"
        raise ValueError(f"statement must be a SELECT, and list what a PIVOT is on: {way}")
    if len(statements) != 1:
        raise ValueError(f"statement must be one statement, got {len(statements)}")
    if statements[0].named_parameters:
        names = ", ".join(sorted(statements[0].named_parameters))
        raise ValueError(f"statement must have its parameters written in, got {names}")
    if kinds != ["SELECT"]:
        raise ValueError(f"statement must be a SELECT, got {kinds[0]}")
    read = by_sqlglot(text, reading.DUCKDB, by_case=False)
    assert read is not None
    return read


def _reads_tables(made: str) -> bool:
    """Whether a view names tables, by the statement that made it; one that is a frame does not."""
    text = made.split(" AS ", 1)[-1].rstrip().rstrip(";")  # of a frame it may be empty
    try:
        return bool(text and parsed(text).tables)
    except ValueError:
        return True
