"""DuckDB: one dataset by one statement, and thousands of datasets by one statement."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from sensitivity_lab.exact import told
from sensitivity_lab.tabular.result_set import ResultSet
from sensitivity_lab.tabular.rows import taken

Tables = Mapping[str, Any]  # by name
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
}
REHEARSED = 32  # datasets, and rows of public tables, that are tried in a database of our own
HERE = "NOT internal AND database_name IN (current_database(), 'temp')"  # not of attached ones
VISIBLE = (
    f"SELECT lower(table_name) FROM duckdb_tables() WHERE {HERE} "
    f"UNION SELECT lower(view_name) FROM duckdb_views() WHERE {HERE}"
)
_OWN: dict[tuple[int, bool], Any] = {}  # by process: the databases for one dataset, and for many


def engine() -> Any:
    """The module `duckdb`. Raises ImportError that says how to install it."""
    try:
        import duckdb
    except ImportError as error:
        raise ImportError(
            "sql needs DuckDB, which is not installed: pip install sensitivity-lab[sql]"
        ) from error
    return duckdb


def is_connection(connection: Any) -> bool:
    """Whether a connection is DuckDB's, or none is named."""
    if connection is None or "duckdb" not in sys.modules:
        return connection is None
    return isinstance(connection, engine().DuckDBPyConnection)


def _cursor(connection: Any, many: bool) -> Any:
    """A connection of our own to a database: the caller's, or this process's in memory."""
    if connection is not None:
        return connection.cursor()
    own = os.getpid(), many  # one made before a fork serves the parent alone
    if own not in _OWN:
        _OWN[own] = engine().connect(":memory:", config=SETTINGS)
    return _OWN[own].cursor()


@contextmanager
def _over(connection: Any, tables: Tables, many: bool = False) -> Iterator[Any]:
    """A cursor that sees some tables by name and writes nothing; they are gone with it."""
    cursor = _cursor(connection, many)
    try:
        for name, one in tables.items():
            _register(cursor, name, _typed(one))
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        yield cursor
    finally:
        cursor.close()


def _register(cursor: Any, name: str, one: Any) -> None:
    """Let a cursor see a table; one that is a view, as pandas makes by [::-1], is copied."""
    try:
        cursor.register(name, one)
    except engine().Error:
        cursor.register(name, nw.from_native(one, eager_only=True).clone().to_native())


def _typed(one: Any) -> Any:
    """A table whose columns all have types: in pandas an object column that holds nothing is text."""
    empty = [
        name
        for name in object_columns(one)
        if one[name].isna().all()  # DuckDB reads the types of objects off them
    ]
    return one.astype(dict.fromkeys(empty, "string")) if empty else one


def object_columns(one: Any) -> list[Any]:
    """The names of a table's columns of Python objects, which pandas alone has.

    >>> object_columns(pd.DataFrame({"a": [1, 2], "b": [None, True]}))
    ['b']
    """
    if not isinstance(one, pd.DataFrame):
        return []
    return [name for name, kind in one.dtypes.items() if pd.api.types.is_object_dtype(kind)]


@dataclass(frozen=True)
class Parsed:
    """What a statement is, as far as its text tells: the tables that it names, in lower case.

    >>> parsed("SELECT * FROM Staff JOIN levels USING (level)")
    Parsed(tables=('levels', 'staff'), alone=False)

    `alone` says whether datasets must be asked one by one: side by side, DuckDB 2.0 loses rows of
    a UNION, and fails at GROUPING SETS.
    """

    tables: tuple[str, ...]
    alone: bool


def parsed(text: str) -> Parsed:
    """Read a statement; refuse what is not exactly one SELECT.

    Raises ValueError, with DuckDB's own message where the text is no SQL.
    """
    duckdb = engine()
    with _over(None, {}) as cursor:
        try:
            statements = cursor.extract_statements(text)
        except duckdb.Error as error:
            raise ValueError(f"statement must be SQL, got {told(error)}") from error
        if len(statements) != 1:
            raise ValueError(f"statement must be one statement, got {len(statements)}")
        if statements[0].named_parameters:
            names = ", ".join(sorted(statements[0].named_parameters))
            raise ValueError(f"statement must have no parameters, got {names}")
        if statements[0].type != duckdb.StatementType.SELECT:
            raise ValueError(f"statement must be a SELECT, got {statements[0].type.name}")
        asked = "SELECT json_serialize_sql($text)"
        tree = json.loads(cursor.execute(asked, {"text": text}).fetchone()[0])
    if tree["error"]:
        raise ValueError(f"statement must be a SELECT, got {tree['error_message']}")
    return _of_tree(tree)


def _of_tree(tree: Any) -> Parsed:
    nodes = list(_nodes(tree))
    kinds = {node["type"] for node in nodes if isinstance(node.get("type"), str)}
    for kind in sorted(kinds):
        if kind.endswith("_QUERY_NODE"):
            raise ValueError(f"statement must only read, got {kind.removesuffix('_QUERY_NODE')}")
    own = {
        entry["key"].lower() for node in nodes for entry in node.get("cte_map", {}).get("map", ())
    }
    named = {
        node["table_name"].lower()
        for node in nodes
        if node.get("type") == "BASE_TABLE" and not node["schema_name"] and not node["catalog_name"]
    }
    several = any(len(node.get("group_sets") or ()) > 1 for node in nodes)
    return Parsed(tuple(sorted(named - own)), several or "SET_OPERATION_NODE" in kinds)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All nodes of a statement's tree."""
    if isinstance(tree, dict):
        yield tree
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for part in parts:
        yield from _nodes(part)


def tables_of(connection: Any) -> set[str]:
    """The names of a database's tables and views, in lower case, that any connection to it sees."""
    with _over(connection, {}) as cursor:
        return {name for (name,) in cursor.execute(VISIBLE).fetchall()}


def borrowed(connection: Any, names: set[str]) -> Tables:
    """Of some tables those that the caller's connection alone sees: temporary, or registered with it.

    They are read as Arrow tables, for a cursor sees none of them.
    """
    if connection is None or not names:
        return {}
    seen = {name for (name,) in connection.sql(VISIBLE).fetchall()}
    return {name: _arrow(connection, name) for name in sorted(names & seen)}


def _arrow(connection: Any, name: str, rows: int | None = None) -> Any:
    """A table, or its first rows."""
    most = "" if rows is None else f" LIMIT {rows}"
    return connection.sql(f"SELECT * FROM {_quoted(name)}{most}").to_arrow_table()


def columns_of(connection: Any, text: str, tables: Tables) -> ResultSet:
    """The columns of a statement's result, without rows; it is bound and not run.

    Raises ValueError with DuckDB's own message.
    """
    with _over(connection, tables) as cursor:
        try:
            relation = cursor.sql(text)
            return ResultSet(list(relation.columns), list(map(_is_numeric, relation.types)), [])
        except engine().Error as error:
            raise ValueError(f"statement must be one that can be run: {told(error)}") from error


def ask(connection: Any, text: str, tables: Tables) -> ResultSet:
    """What a statement returns over some tables, one dataset.

    >>> import pandas as pd
    >>> ask(None, "SELECT SUM(salary) AS total FROM staff", {"staff": pd.DataFrame({"salary": [1, 2]})})
    ResultSet(names=['total'], numeric=[True], rows=[(3,)])
    """
    with _over(connection, tables) as cursor:
        return _result(cursor.execute(text))


def _result(cursor: Any) -> ResultSet:
    kinds = [kind for _, kind, *_ in cursor.description]
    numeric = list(map(_is_numeric, kinds))
    long = [i for i, kind in enumerate(kinds) if kind.id == "bignum"]
    rows = cursor.fetchall()
    if long:
        rows = [_with_ints(row, long) for row in rows]
    return ResultSet([name for name, *_ in cursor.description], numeric, rows)


def _with_ints(row: Sequence[Any], long: Sequence[int]) -> tuple[Any, ...]:
    """A row whose longest whole numbers, which come as text, are numbers."""
    return tuple(
        int(value) if i in long and value is not None else value for i, value in enumerate(row)
    )


def _is_numeric(kind: Any) -> bool | None:
    """Whether a column holds numbers; None where it holds nothing but NULL."""
    return None if kind.id == "null" else kind.id in NUMBERS


def rehearsed(connection: Any, text: str, stacked: Stack, public: Tables, seen: set[str]) -> None:
    """Try a few datasets in our own database, with some rows of each public table.

    An internal error of DuckDB closes the database it happens in, which must not be the caller's.
    Raises whatever the trial does.
    """
    with _over(connection, {}) as cursor:
        heads = {name: _arrow(cursor, name, REHEARSED) for name in seen}
    few = {name: _first(*each) for name, each in stacked.items()}
    ask_all(None, text, few, REHEARSED, {**heads, **public})


def _first(numbers: np.ndarray, table: Any) -> tuple[np.ndarray, Any]:
    """The rows of the first few datasets."""
    frame, kept = nw.from_native(table, eager_only=True), np.flatnonzero(numbers < REHEARSED)
    return numbers[kept], taken(frame, kept)


def ask_all(
    connection: Any, text: str, stacked: Stack, datasets: int, public: Tables | None = None
) -> list[ResultSet]:
    """What a statement returns over each of many datasets, in one statement.

    `stacked` has of each table the rows of all datasets, and the number of the dataset that each
    is a row of; the numbers are 0, 1, 2, …:

        members of staff           the statement, once for each number
        number  name  salary
             0   ada      50       WITH staff AS (the rows of its number)
             0   bob      70       SELECT * FROM (the statement)
             1   ada      50

    DuckDB takes the correlation apart and runs one plan over all rows. `public` are further tables.
    Raises DuckDB's own errors.
    """
    members = {name: _numbered(*stacked[name]) for name in stacked}
    tables = {f"members of {name}": table for name, (table, _) in members.items()}
    own = ", ".join(
        f"{_quoted(name)} AS (SELECT * EXCLUDE ({_quoted(number)}) "
        f"FROM {_quoted(f'members of {name}')} AS m WHERE m.{_quoted(number)} = d.number)"
        for name, (_, number) in members.items()
    )
    whole = (
        f"SELECT d.number, q.* FROM range({datasets}) AS d(number) JOIN LATERAL "
        f"(WITH {own} SELECT * FROM (\n{text}\n)) AS q ON TRUE"
    )
    try:
        with _over(connection, {**(public or {}), **tables}, many=True) as cursor:
            together = _result(cursor.execute(whole))
    except engine().Error:
        if connection is None:  # an internal error leaves it closed
            _OWN.pop((os.getpid(), True), None)
        raise
    names, numeric = together.names[1:], together.numeric[1:]
    rows: list[list[tuple[Any, ...]]] = [[] for _ in range(datasets)]
    for number, *row in together.rows:
        rows[number].append(tuple(row))
    return [ResultSet(names, numeric, each) for each in rows]


def _numbered(numbers: np.ndarray, table: Any) -> tuple[Any, str]:
    """A table with a column of numbers, and that column's name, which no other column has."""
    frame = nw.from_native(table, eager_only=True)
    name = "dataset number"
    while name in map(str.lower, map(str, frame.columns)):
        name += "_"
    column = nw.new_series(name, numbers, nw.Int64, backend=frame.implementation)
    return frame.with_columns(column).to_native(), name


def _quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
