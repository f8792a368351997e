"""DuckDB: one dataset by one statement, and thousands of datasets by one statement."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.numbers.exact import told
from sensitivity_lab.numbers.lazy import pd
from sensitivity_lab.records.rows import taken
from sensitivity_lab.sql.parsed import ORDERED, SECONDS, Parsed, within
from sensitivity_lab.sql.result_set import ResultSet

Tables = Mapping[str, Any]  # by name
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
    "SELECT name, value FROM duckdb_settings() WHERE scope = 'LOCAL' AND name <> 'schema' ORDER BY 1"
)
OWN_TABLES = "SELECT lower(table_name) FROM duckdb_tables() WHERE database_name = 'temp'"
OWN_VIEWS = (
    "SELECT lower(view_name), sql FROM duckdb_views() WHERE database_name = 'temp' AND NOT internal"
)
OWN_FUNCTIONS = "SELECT lower(function_name) FROM duckdb_functions() WHERE NOT internal"
TEMPORARY_FUNCTIONS = f"{OWN_FUNCTIONS} AND database_name = 'temp'"
PURE = {
    "generate_series",
    "json_each",
    "json_tree",
    "range",
    "repeat",
    "unnest",
}  # they read no table
_OWN: dict[tuple[int, bool], Any] = {}  # by process: the databases for one dataset, and for many
_ONE_AT_A_TIME = RLock()  # a caller's connection serves one thread


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
        return _like(connection)
    own = os.getpid(), many  # one made before a fork serves the parent alone
    if own not in _OWN:
        _OWN[own] = engine().connect(":memory:", config=SETTINGS)
    return _OWN[own].cursor()


def _like(connection: Any) -> Any:
    """A cursor that sees what the caller's own session sees, but for what is temporary there."""
    with _ONE_AT_A_TIME:
        try:
            first, second = (connection.sql("SELECT txid_current()").fetchall() for _ in range(2))
            settings = connection.sql(LOCAL).fetchall()
            cursor = connection.cursor()
        except engine().Error as error:
            raise ValueError(
                f"connection must be one that can be asked, got {told(error)}"
            ) from error
    if first == second:
        raise ValueError(
            "connection must have no open transaction, whose changes no other session sees: commit "
            "it or roll it back first"
        )
    known = dict(cursor.execute(LOCAL).fetchall())
    for name, value in settings:
        if known.get(name) != value:
            _set(cursor, name, value)
    return cursor


def _set(cursor: Any, name: str, value: str) -> None:
    try:
        cursor.execute(f"SET {name} = '{_escaped(value)}'")
        now = dict(cursor.execute(LOCAL).fetchall()).get(name)
    except engine().Error as error:
        raise ValueError(
            f"connection must have settings of its database, got {told(error)}"
        ) from error
    if now != value:
        raise ValueError(f"connection must have settings of its database, got {name}={value!r}")


def _escaped(text: str) -> str:
    return text.replace("'", "''")


@contextmanager
def _over(
    connection: Any, tables: Tables, types: Types | None = None, *, many: bool = False
) -> Iterator[Any]:
    """A cursor that sees some tables by name and writes nothing; they are gone with it."""
    cursor = _cursor(connection, many)
    try:
        _see(cursor, tables, types or {})
        yield cursor
    finally:
        cursor.close()


def _see(cursor: Any, tables: Tables, types: Types) -> None:
    """Let a cursor see some tables, in place of those of these names."""
    for name, one in tables.items():
        _register(cursor, name, _typed(one), types.get(name, {}))


def _register(cursor: Any, name: str, one: Any, types: Mapping[str, str]) -> None:
    """Let a cursor see a table; one that is a view, as pandas makes by [::-1], is copied."""
    held = f"rows of {name}" if types else name
    try:
        try:
            cursor.register(held, one)
        except engine().Error:
            cursor.register(held, nw.from_native(one, eager_only=True).clone().to_native())
    except engine().Error as error:
        raise ValueError(
            f"table {name} must be one that DuckDB takes, got {told(error)}"
        ) from error
    if types:
        columns = (
            f"CAST({_quoted(column)} AS {types[column]}) AS {_quoted(column)}"
            if column in types
            else _quoted(column)
            for column in map(str, one.columns)
        )
        cursor.execute(
            f"CREATE OR REPLACE TEMP VIEW {_quoted(name)} AS SELECT {', '.join(columns)} FROM {_quoted(held)}"
        )


def _typed(one: Any) -> Any:
    """A table whose columns all have types: in pandas an object column that holds nothing is text."""
    empty = [
        name
        for name in object_columns(one)
        if one[name].isna().all()  # DuckDB reads the types of objects off them
    ]
    return one.astype(dict.fromkeys(empty, "string")) if empty else one


def types_of(whole: Tables) -> Types:
    """The types of the columns of Python objects in some tables, which a part of them may not tell."""
    objects = {name: one[object_columns(one)] for name, one in whole.items() if object_columns(one)}
    if not objects:
        return {}
    with _over(None, objects) as cursor:
        return {
            name: {
                column: kind
                for column, kind, *_ in cursor.execute(f"DESCRIBE {_quoted(name)}").fetchall()
            }
            for name in objects
        }


def object_columns(one: Any) -> list[Any]:
    """The names of a table's columns of Python objects, which pandas alone has."""
    if not isinstance(one, pd.DataFrame):
        return []
    return [name for name, kind in one.dtypes.items() if pd.api.types.is_object_dtype(kind)]


def parsed(text: str) -> Parsed:
    """Read a statement; refuse what is not exactly one SELECT."""
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
    named = [_name_parts(node) for node in _named(tree, frozenset())]
    calls = {node["function_name"].lower() for node in nodes if node.get("function_name")}
    sources = {
        node["function"]["function_name"].lower()
        for node in nodes
        if node.get("type") == "TABLE_FUNCTION"
    }
    several = any(len(node.get("group_sets") or ()) > 1 for node in nodes)
    return Parsed(
        tables=tuple(sorted({parts[0].lower() for parts in named if len(parts) == 1})),
        qualified=tuple(sorted({".".join(parts) for parts in named if len(parts) > 1})),
        calls=frozenset(calls),
        sources=tuple(sorted(sources)),
        ordered=bool(calls & ORDERED) or any(map(_is_ordered, nodes)),
        alone=several or "SET_OPERATION_NODE" in kinds,
    )


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All nodes of a statement's tree."""
    if isinstance(tree, dict):
        yield tree
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for part in parts:
        yield from _nodes(part)


def _named(tree: Any, hidden: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The tables that a tree names, but for those that a WITH around them makes."""
    if isinstance(tree, list):
        for part in tree:
            yield from _named(part, hidden)
    if not isinstance(tree, dict):
        return
    if tree.get("type") == "RECURSIVE_CTE_NODE":
        hidden = hidden | {tree["cte_name"].lower()}
    for made in tree.get("cte_map", {}).get("map", ()):
        yield from _named(made["value"], hidden)
        hidden = hidden | {made["key"].lower()}
    if tree.get("type") == "BASE_TABLE":
        parts = _name_parts(tree)
        if len(parts) > 1 or parts[0].lower() not in hidden:
            yield tree
    for key, part in tree.items():
        if key != "cte_map":
            yield from _named(part, hidden)


def _name_parts(node: Mapping[str, Any]) -> list[str]:
    """A table's name, with those of its catalogue and schema before it where they are given."""
    parts = (node["catalog_name"], node["schema_name"], node["table_name"])
    return [part for part in parts if part]


def _is_ordered(node: Mapping[str, Any]) -> bool:
    """Whether a part of a statement may go by the order of rows."""
    kind = node.get("type")
    return (
        kind in ("LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER")
        or (kind == "DISTINCT_MODIFIER" and bool(node.get("distinct_on_targets")))
        or any(str(node.get(end)).endswith("_ROWS") for end in ("start", "end"))
        or bool(node.get("sample"))
        or node.get("ref_type") in ("ASOF", "POSITIONAL")
    )


def tables_of(connection: Any) -> set[str]:
    """The names of a database's tables and views, in lower case, that any connection to it sees."""
    with _over(connection, {}) as cursor:
        return {name for (name,) in cursor.execute(VISIBLE).fetchall()}


def borrowed(connection: Any, names: set[str]) -> Tables:
    """Of some tables those that the caller's connection alone sees: temporary, or registered with it."""
    if connection is None or not names:
        return {}
    with _ONE_AT_A_TIME:
        seen = {name for (name,) in connection.sql(OWN_TABLES).fetchall()}
        views = dict(connection.sql(OWN_VIEWS).fetchall())
        for name in sorted(names & set(views)):
            if _reads_tables(views[name]):
                raise ValueError(
                    f"statement must not name a temporary view over tables, got {name}: make it one "
                    "that is not temporary, or write what it says into the statement"
                )
        return {name: _arrow(connection, name) for name in sorted(names & (seen | set(views)))}


def _reads_tables(made: str) -> bool:
    """Whether a view names tables, by the statement that made it; one that is a frame does not."""
    try:
        return bool(parsed(made.split(" AS ", 1)[-1].rstrip().rstrip(";")).tables)
    except ValueError:
        return False


def require_shared(connection: Any, names: set[str], read: Parsed) -> None:
    """Refuse a statement whose answer another session of a database, as ours, may not have."""
    functions = set(read.sources) - PURE
    own: set[str] = set()
    if connection is not None:
        with _ONE_AT_A_TIME:
            functions -= {name for (name,) in connection.sql(OWN_FUNCTIONS).fetchall()}
            own = {name for (name,) in connection.sql(TEMPORARY_FUNCTIONS).fetchall()}
            threads = int(connection.sql("SELECT current_setting('threads')").fetchall()[0][0])
        if read.ordered and threads > 1:
            raise ValueError(
                "connection must have one thread for a statement with LIMIT, FIRST, ROW_NUMBER or "
                f"the like, for several break ties as they come, got {threads}: SET threads = 1"
            )
    if functions:
        raise ValueError(
            "statement must read tables of the dataset and public ones alone, got the function "
            f"{min(functions)}: make a table of what it reads"
        )
    if refused := sorted(read.calls & (own | {"getvariable"})):
        raise ValueError(
            f"statement must not call what a session of its own has, got {', '.join(refused)}: "
            "write the value, or make the macro one that is not temporary"
        )


def _arrow(connection: Any, name: str, rows: int | None = None) -> Any:
    """A table, or its first rows."""
    most = "" if rows is None else f" LIMIT {rows}"
    return connection.sql(f"SELECT * FROM {_quoted(name)}{most}").to_arrow_table()


def columns_of(connection: Any, text: str, tables: Tables, types: Types) -> ResultSet:
    """The columns of a statement's result, without rows; it is bound and not run."""
    with _over(connection, tables, types) as cursor:
        try:
            relation = cursor.sql(text)
            columns = list(relation.columns), list(map(_is_numeric, relation.types))
            scanned = set() if connection is None else _scanned(cursor, text)
        except engine().Error as error:
            raise ValueError(f"statement must be one that can be run: {told(error)}") from error
    named = {name.lower() for name in tables}
    if hidden := sorted(name for name in scanned if name.split(".")[-1].lower() in named):
        raise ValueError(
            f"statement must read the dataset's own tables, got {hidden[0]} of the connection, "
            "which a view or function of it names in full"
        )
    return ResultSet(*columns, [])


def _scanned(cursor: Any, text: str) -> set[str]:
    """The permanent tables that DuckDB's plan of a statement reads, with their schemas."""
    plan = json.loads(cursor.execute(f"EXPLAIN (FORMAT json) {text}").fetchall()[0][1])
    return {node["Table"] for node in _nodes(plan) if isinstance(node.get("Table"), str)}


def ask_each(
    connection: Any,
    text: str,
    datasets: Iterable[Tables],
    types: Types | None = None,
    public: Tables | None = None,
    seconds: float = SECONDS,
) -> list[ResultSet]:
    """What a statement returns over each of some datasets, given as tables by name."""
    results = []
    with _over(connection, public or {}) as cursor:
        for tables in datasets:
            _see(cursor, tables, types or {})
            results.append(_result(cursor, text, seconds))
    return results


def _result(cursor: Any, text: str, seconds: float) -> ResultSet:
    """What a statement returns. DuckDB tells of Ctrl-C in words; it ends here as it does elsewhere."""
    try:
        with within(seconds, getattr(cursor, "interrupt", None)):
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            result = _rows_of(cursor.execute(text))
            cursor.execute("ROLLBACK")
            return result
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def _rows_of(cursor: Any) -> ResultSet:
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


def rehearsed(
    connection: Any,
    text: str,
    stacked: Stack,
    types: Types,
    public: Tables,
    seen: set[str],
    seconds: float,
) -> None:
    """Try a few datasets in our own database, with some rows of each public table."""
    with _over(connection, {}) as cursor:
        heads = {name: _arrow(cursor, name, REHEARSED) for name in seen}
    few = {name: _first(*each) for name, each in stacked.items()}
    ask_all(None, text, few, REHEARSED, types, {**heads, **public}, seconds)


def _first(numbers: np.ndarray, table: Any) -> tuple[np.ndarray, Any]:
    """The rows of the first few datasets."""
    frame, kept = nw.from_native(table, eager_only=True), np.flatnonzero(numbers < REHEARSED)
    return numbers[kept], taken(frame, kept)


def ask_all(
    connection: Any,
    text: str,
    stacked: Stack,
    datasets: int,
    types: Types | None = None,
    public: Tables | None = None,
    seconds: float = SECONDS,
) -> list[ResultSet]:
    """What a statement returns over each of many datasets, in one statement.

    members of staff           the statement, once for each number
    number  name  salary
         0   ada      50       WITH staff AS (the rows of its number)
         0   bob      70       SELECT * FROM (the statement)
         1   ada      50
    """
    members = {name: _numbered(*stacked[name]) for name in stacked}
    tables = {f"members of {name}": table for name, (table, _) in members.items()}
    known = {f"members of {name}": each for name, each in (types or {}).items()}
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
        with _over(connection, {**(public or {}), **tables}, known, many=True) as cursor:
            together = _result(cursor, whole, seconds)
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
