"""DuckDB: one dataset by one statement, and thousands of datasets by one statement."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.exact import told
from sensitivity_lab.tabular.result_set import ResultSet

Tables = Mapping[str, Any]  # by name
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
_OWN: dict[int, Any] = {}  # the connection of each process, by its number


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
    return connection is None or isinstance(connection, engine().DuckDBPyConnection)


def _cursor(connection: Any) -> Any:
    """A connection of our own to a database: the caller's, or this process's in memory."""
    if connection is not None:
        return connection.cursor()
    if os.getpid() not in _OWN:  # one made before a fork serves the parent alone
        _OWN[os.getpid()] = engine().connect(":memory:", config=SETTINGS)
    return _OWN[os.getpid()].cursor()


@contextmanager
def _over(connection: Any, tables: Tables) -> Iterator[Any]:
    """A cursor that sees some tables by name and writes nothing; they are gone with it."""
    cursor = _cursor(connection)
    try:
        for name, one in tables.items():
            cursor.register(name, one)
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        yield cursor
    finally:
        cursor.close()


@dataclass(frozen=True)
class Parsed:
    """What a statement is, as far as its text tells: the tables that it names, in lower case.

    >>> parsed("SELECT * FROM Staff JOIN levels USING (level)")
    Parsed(tables=('levels', 'staff'), combines=False)

    `combines` says whether it has a UNION, EXCEPT or INTERSECT.
    """

    tables: tuple[str, ...]
    combines: bool


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
    return Parsed(tuple(sorted(named - own)), "SET_OPERATION_NODE" in kinds)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All nodes of a statement's tree."""
    if isinstance(tree, dict):
        yield tree
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for part in parts:
        yield from _nodes(part)


def tables_of(connection: Any) -> set[str]:
    """The names of a connection's own tables and views, in lower case."""
    asked = (
        "SELECT lower(table_name) FROM duckdb_tables() WHERE NOT internal "
        "UNION SELECT lower(view_name) FROM duckdb_views()"
    )
    with _over(connection, {}) as cursor:
        return {name for (name,) in cursor.execute(asked).fetchall()}


def columns_of(connection: Any, text: str, tables: Tables) -> ResultSet:
    """The columns of a statement's result, without rows; it is bound and not run.

    Raises ValueError with DuckDB's own message.
    """
    with _over(connection, tables) as cursor:
        try:
            found = cursor.sql(text)
            return ResultSet(list(found.columns), list(map(_is_numeric, found.types)), [])
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


def ask_all(
    connection: Any, text: str, stacked: Mapping[str, tuple[np.ndarray, Any]], datasets: int
) -> list[ResultSet]:
    """What a statement returns over each of many datasets, in one statement.

    `stacked` has of each table the rows of all datasets, and the number of the dataset that each
    is a row of; the numbers are 0, 1, 2, …:

        members of staff           the statement, once for each number
        number  name  salary
             0   ada      50       WITH staff AS (the rows of its number)
             0   bob      70       SELECT * FROM (the statement)
             1   ada      50

    DuckDB takes the correlation apart and runs one plan over all rows.
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
    with _over(connection, tables) as cursor:
        together = _result(cursor.execute(whole))
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
