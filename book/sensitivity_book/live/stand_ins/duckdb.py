"""DuckDB in the page: what `sensitivity_beyond.tables.sql` and a reader's own statements ask of it.

DuckDB itself runs beside Python, and answers at once.  A result comes as exact text: DuckDB writes
each row as an array in JSON, in it each value as text.  A frame goes in likewise, and DuckDB's own
reader of JSON takes it. Each connection made by `connect` has a database in memory of its own.
What is not here says so.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from itertools import count
from json import JSONDecoder, dumps, loads
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pandas as pd

try:
    from js import duck as _engine  # type: ignore[import-not-found]
except ImportError as error:
    raise ImportError("DuckDB is not in this page: run this cell on your computer") from error

__version__ = _engine.version().removeprefix("v")
MARKS = re.compile(  # of parameters, after what they are not looked for in
    r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/)|\?|\$(\w+)""", re.DOTALL
)
ASKS = {"SELECT", "FROM", "WITH", "VALUES", "TABLE"}  # how a statement that returns rows may begin
SHOWS = {"DESCRIBE", "DESC", "SHOW", "SUMMARIZE"}  # and one that does so in brackets after FROM
ROW = re.compile(rb"\x1e\x1e(\[[^\x00-\x1f]*\])\x1e\x1e")  # such signs are escaped within JSON
PLAN = re.compile(rb"\[\s+\{")  # how the JSON of a plan begins
AT_ONCE = 10_000  # rows of a frame in one statement
_numbers = count(1)  # of databases, and of tables that hold a frame
# What a statement does, by its first word; another is INVALID.
StatementType = Enum(
    "StatementType", "SELECT INSERT UPDATE DELETE CREATE DROP ALTER COPY SET INVALID"
)


class Error(Exception):
    """What DuckDB says of a statement."""


KINDS = (
    "Binder Catalog Constraint Conversion Internal InvalidInput NotImplemented OutOfRange Parser "
    "Permission"
)
_ERRORS = {f"{name}Exception": type(f"{name}Exception", (Error,), {}) for name in KINDS.split()}
globals().update(_ERRORS)


class _InPage:
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} has no {name} in the page")


class Held:
    """A database of DuckDB's, or a table: it is there as long as somebody holds it."""

    def __init__(self, name: str, number: int, made: str, gone: str) -> None:
        self.name, self._gone = name, gone
        _run(number, made)

    def __del__(self) -> None:
        with suppress(Exception):
            _run(_HOLDER, self._gone)


class DuckDBPyConnection(_InPage):
    """A connection, and the result of its last statement."""

    def __init__(self, database: Held) -> None:
        self._database: Held | None = database
        self._number: int | None = _engine.connect()
        self._registered: dict[str, Held] = {}
        self.description: list[tuple[Any, ...]] = []  # the name and the type of each column
        self._rows: list[tuple[Any, ...]] | None = []  # those that are left; None if not read
        _run(self._number, f"USE {database.name}")

    def __enter__(self) -> "DuckDBPyConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _open(self) -> int:
        if self._number is None:
            raise Error("Connection Error: Connection already closed!")
        return self._number

    def cursor(self) -> "DuckDBPyConnection":
        """Another connection to the same database."""
        assert self._open is not None
        assert self._database is not None
        return DuckDBPyConnection(self._database)

    def execute(self, query: str, parameters: Any = None) -> "DuckDBPyConnection":
        """Run a statement; its rows are for `fetchall` and `fetchone`."""
        asked = query if parameters is None else _filled_in(query, parameters)
        self.description, self._rows = [], None
        if _first_word(asked) in ASKS | SHOWS:
            with suppress(Error):  # it fails below likewise, or returns no rows, as WITH may begin
                found = self.sql(asked)
                self._rows = found.fetchall()
                named = zip(found.columns, found.types, strict=True)
                self.description = [(name, kind, *[None] * 5) for name, kind in named]
                return self
        content = _run(self._open, asked)
        if _first_word(asked) == "EXPLAIN" and (plan := PLAN.search(content)):
            text = content[plan.start() :].decode("utf-8", "replace")
            self._rows = [("physical_plan", text[: JSONDecoder().raw_decode(text)[1]])]
        return self

    def executemany(self, query: str, parameters: Sequence[Any]) -> "DuckDBPyConnection":
        """Run a statement once for each set of parameters."""
        for each in parameters:
            self.execute(query, each)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left of the result."""
        if self._rows is None:
            raise Error("fetchall must follow one statement that begins with SELECT in the page")
        rows, self._rows = self._rows, []
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last."""
        rows = self.fetchall()
        self._rows = rows[1:]
        return rows[0] if rows else None

    def sql(self, query: str) -> "DuckDBPyRelation":
        """A statement that is bound, and run when its rows are asked for."""
        return DuckDBPyRelation(self._open, query.rstrip("; \n\t"))

    def register(self, name: str, frame: Any) -> "DuckDBPyConnection":
        """Let this connection see a frame of pandas as a table, as it is now."""
        if not isinstance(frame, Held | pd.DataFrame):
            raise Error(f"frame must be one of pandas in the page, got {type(frame).__name__}")
        held = frame if isinstance(frame, Held) else _held(frame)
        self.unregister(name)
        _run(self._open, f"CREATE OR REPLACE TEMP VIEW {_quoted(name)} AS FROM {held.name}")
        self._registered[name] = held
        return self

    def unregister(self, name: str) -> "DuckDBPyConnection":
        """Take a frame away again."""
        if self._registered.pop(name, None):
            _run(self._open, f"DROP VIEW IF EXISTS temp.{_quoted(name)}")
        return self

    def extract_statements(self, query: str) -> list[SimpleNamespace]:
        """The type and the named parameters of each statement;
        those that are no SELECT count as one."""
        told = loads(_texts(self._open, 1, f"SELECT json_serialize_sql({_literal(query)})")[0][0])
        kind = StatementType.__members__.get(_first_word(query), StatementType.INVALID)
        if not told["error"]:
            named = [{each["key"] for each in one["named_param_map"]} for one in told["statements"]]
            return [SimpleNamespace(type=StatementType.SELECT, named_parameters=n) for n in named]
        if told["error_type"] == "parser":
            _run(self._open, query)  # says so in full, and runs nothing
        return [SimpleNamespace(type=kind, named_parameters=set())]

    def close(self) -> None:
        """End the connection, and its database with the last."""
        if self._number is not None:
            _engine.disconnect(self._number)
        self._number = self._database = None
        self._registered.clear()


class DuckDBPyRelation(_InPage):
    """A statement that is bound: its columns are known."""

    def __init__(self, number: int, query: str) -> None:
        self._number = number
        self._query = f"FROM ({query}\n)" if _first_word(query) in SHOWS else query
        described = f"SELECT column_name, column_type FROM (DESCRIBE {self._query}\n)"
        found = _texts(number, 2, described)
        self.columns, self._types = [name for name, _ in found], [type for _, type in found]
        ids = (
            "list" if type.endswith("]") else type.split("(")[0].strip('"').lower()
            for type in self._types
        )
        self.types = [SimpleNamespace(id=one) for one in ids]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows."""
        for type, kind in zip(self._types, self.types, strict=True):
            if kind.id not in READERS:
                raise TypeError(
                    f"result must not be of type {type} in the page: cast it to VARCHAR"
                )
        readers = [READERS[kind.id] for kind in self.types]
        return [
            tuple(
                None if one is None else read(one) for read, one in zip(readers, row, strict=True)
            )
            for row in _texts(self._number, len(readers), self._query)
        ]

    def to_arrow_table(self) -> Held:
        """The rows, for `register`."""
        return _table(self._number, f"AS {self._query}")


def connect(database: str = ":memory:", config: Any = None) -> DuckDBPyConnection:
    """Make a database in memory, and return a connection to it."""
    from sensitivity_beyond.tables import SETTINGS  # DuckDB has them in the page already

    if database not in (":memory:", "") or config not in (None, {}, SETTINGS):
        raise Error(
            f"database must be ':memory:' in the page, as it is, got {database!r}, {config}"
        )
    name = f'"database {next(_numbers)}"'
    made, gone = f"ATTACH ':memory:' AS {name}", f"DETACH {name}"
    return DuckDBPyConnection(Held(name, _HOLDER, made, gone))


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"duckdb has no {name} in the page")


# --- statements ---------------------------------------------------------------------------------


def _run(number: int, query: str) -> bytes:
    """Run a statement, and return its result as DuckDB hands it out, in Arrow's format."""
    try:
        content = _engine.ask(number, query)
    except Exception as error:
        text = getattr(
            error, "message", str(error)
        )  # its kind comes first, its place may be told twice
        text = re.sub(r"(\n\nLINE .*)\1$", r"\1", text, flags=re.DOTALL)
        name = text.split(" Error:")[0].replace(" ", "")
        raise _ERRORS.get(f"{name}Exception", Error)(text) from None
    return bytes(getattr(content, "to_bytes", lambda: content)())


def _texts(number: int, columns: int, query: str) -> list[list[Any]]:
    """The rows of a statement, each value as text."""
    names = [f"c{i}" for i in range(columns)]
    values = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
    row = f"chr(30) || chr(30) || json_array({values}) || chr(30) || chr(30)"
    content = _run(number, f"SELECT {row} FROM ({query}\n) AS q({', '.join(names)})")
    return [loads(found) for found in ROW.findall(content)]


def _first_word(query: str) -> str:
    return query.lstrip(" \n\t(").split(None, 1)[0].upper() if query.strip(" \n\t(") else ""


def _filled_in(query: str, parameters: Any) -> str:
    """A statement with a value at each of its marks;
    a column without a name is called by its value."""
    values = parameters if isinstance(parameters, Mapping) else dict(enumerate(parameters, 1))
    known = {str(name): value for name, value in values.items()}
    marks = [mark for mark in MARKS.finditer(query) if not mark[1]]
    names = [mark[2] or str(place) for place, mark in enumerate(marks, 1)]
    if set(names) != set(known):
        raise _ERRORS["InvalidInputException"](f"parameters must be {names}, got {sorted(known)}")
    filled = iter(names)
    return MARKS.sub(lambda mark: mark[1] or _literal(known[next(filled)]), query)


def _literal(value: Any) -> str:
    """A value as SQL writes it."""
    if value is None or isinstance(value, bool | np.bool_ | int):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, Decimal) and value.is_finite():
        return re.sub(r"^(-?)0\.(?=\d)", r"\1.", f"{value:f}" + "." * (f"{value:f}".isdecimal()))
    if (
        isinstance(value, str | float | date)
        and not getattr(value, "tzinfo", None)
        and "\0" not in str(value)
    ):
        kinds = ((str, "VARCHAR"), (float, "DOUBLE"), (datetime, "TIMESTAMP"), (date, "DATE"))
        kind = next(name for one, name in kinds if isinstance(value, one))
        return "'" + str(value).replace("'", "''") + f"'::{kind}"
    raise Error(f"parameter must be a plain value in the page, got {value!r}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- values: what text says, and how it is said --------------------------------------------------


def _bytes(text: str) -> bytes:
    parts = re.split(r"\\x(..)", text)  # what is no letter is written as two digits
    return b"".join(bytes.fromhex(one) if i % 2 else one.encode() for i, one in enumerate(parts))


WHOLE = ("tinyint", "smallint", "integer", "bigint", "hugeint")
READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys([f"{sign}{size}" for sign in ("", "u") for size in WHOLE], int),
    **dict.fromkeys(("timestamp_s", "timestamp_ms", "timestamp", "timestamp_ns"),
        datetime.fromisoformat),
    **dict.fromkeys(("varchar", "json", "null"), str),
    "boolean": lambda text: text == "true",
    "float": lambda text: float(np.float32(text)),
    "double": float, "decimal": Decimal, "date": date.fromisoformat, "time": time.fromisoformat,
    "blob": _bytes,
}  # fmt: skip
NUMPYS = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT",
    "uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT",
    "bool": "BOOLEAN", "float32": "FLOAT", "float64": "DOUBLE", "datetime64[s]": "TIMESTAMP_S",
    "datetime64[ms]": "TIMESTAMP_MS", "datetime64[us]": "TIMESTAMP",
    "datetime64[ns]": "TIMESTAMP_NS",
}  # fmt: skip


def _table(number: int, made: str) -> Held:
    name = f'memory.main."frame {next(_numbers)}"'
    return Held(name, number, f"CREATE TABLE {name} {made}", f"DROP TABLE {name}")


def _held(frame: pd.DataFrame) -> Held:
    """A table with the rows of a frame, of the types that DuckDB gives to frames;
    the index is left out."""
    if len(set(map(str, frame))) < frame.shape[1]:
        raise Error("columns must have names of their own")
    columns = {str(name): frame.iloc[:, i] for i, name in enumerate(frame)}
    types = {name: _type(name, column) for name, column in columns.items()}
    held = _table(_HOLDER, f"({', '.join(f'{_quoted(name)} {types[name]}' for name in types)})")
    said = (
        [None if gone else str(one) for one, gone in zip(c.tolist(), c.isna(), strict=True)]
        for c in columns.values()
    )
    rows = list(zip(*said, strict=True))
    values = ", ".join(f"CAST(r[{i}] AS {type})" for i, type in enumerate(types.values(), 1))
    for start in range(0, len(rows), AT_ONCE):
        text = _literal(dumps(rows[start : start + AT_ONCE]))
        read = f"""SELECT unnest(from_json({text}, '[["VARCHAR"]]')) AS r"""
        _run(_HOLDER, f"INSERT INTO {held.name} SELECT {values} FROM ({read})")
    return held


def _type(name: str, column: pd.Series) -> str:
    """The type that DuckDB gives to a column; of objects it is that of their values together."""
    kind = getattr(column.dtype, "numpy_dtype", column.dtype)
    if isinstance(kind, pd.StringDtype):
        return "VARCHAR"
    if getattr(kind, "name", "") in NUMPYS:
        return NUMPYS[kind.name]
    values = column.dropna().tolist() if pd.api.types.is_object_dtype(kind) else []
    kinds = {type(value) for value in values}
    with suppress(Error):
        rows = ", ".join({f"({_literal(value)})" for value in values})
        found = _texts(_HOLDER, 1, f"SELECT typeof(x) FROM (VALUES {rows}) AS t(x) LIMIT 1")[0][0]
        if len(kinds) == 1 and (found not in {"HUGEINT", "DOUBLE"} or kinds == {float}):
            return str(found)
    named = ", ".join(sorted(one.__name__ for one in kinds)) or kind
    raise Error(f"column {name} must be of plain values in the page, got {named}")


_HOLDER: int = _engine.connect()  # holds the frames, and makes the databases
