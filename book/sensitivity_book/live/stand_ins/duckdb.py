"""DuckDB in the page: what `sensitivity_lab.sql` and a reader's own statements ask of it.

DuckDB itself runs beside Python, and answers at once; its results come in Arrow's format.  Each
connection made by `connect` has a database in memory of its own.  What is not here says so.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from itertools import count
from json import loads
from typing import Any, NoReturn

import pandas as pd
from sensitivity_book.live.arrow_reader import Result, id_of, read, stream_of
from sensitivity_book.live.arrow_writer import stream

try:
    from js import duck as _engine  # type: ignore[import-not-found]
except ImportError as error:
    raise ImportError("DuckDB is not in this page: run this cell on your computer") from error

__version__ = _engine.version().removeprefix("v")
SET_ALREADY = {
    "threads": "1",
    "preserve_insertion_order": "true",
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "memory_limit": "4gb",  # a page has no more
    "pandas_analyze_sample": "1000000",  # of its own frames it reads every row
}
MARKS = re.compile(  # of parameters, and what they are not looked for in
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|;|\?|\$(?P<name>\w+)""", re.DOTALL
)
ASKS = ("SELECT", "FROM", "WITH", "VALUES", "TABLE")  # how a statement that returns rows may begin
_numbers = count(1)  # of databases, and of tables that hold a frame


class Error(Exception):
    """What DuckDB says of a statement."""


class DatabaseError(Error):
    """An error of the database, which all of them are."""


_ERRORS = {
    name: type(f"{name}Exception", (DatabaseError,), {"__doc__": f"{name} error."})
    for name in (
        "Binder", "Catalog", "Constraint", "Conversion", "Internal", "InvalidInput",
        "NotImplemented", "OutOfRange", "Parser", "Permission", "Transaction",
    )
}  # fmt: skip
globals().update({kind.__name__: kind for kind in _ERRORS.values()})


class StatementType(Enum):
    """What a statement does, by its first word."""

    SELECT = "SELECT"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CREATE = "CREATE"
    DROP = "DROP"
    ALTER = "ALTER"
    COPY = "COPY"
    SET = "SET"
    INVALID = "another"


class Statement:
    """A statement, before it is run."""

    def __init__(self, type: StatementType, named_parameters: set[str]) -> None:
        self.type = type
        self.named_parameters = named_parameters


class Type:
    """A column's type."""

    def __init__(self, id: str) -> None:
        self.id = id


class Held:
    """A table of DuckDB's, for `register` alone: Arrow shows some of its types as others."""

    def __init__(self, content: bytes, types: Mapping[str, str]) -> None:
        self.content = content
        self.types = types


class _Database:
    """A database in memory, which goes with its last connection."""

    def __init__(self) -> None:
        self.name = f"database {next(_numbers)}"
        self.connections = 0
        _run(_HOLDER, f"ATTACH ':memory:' AS {_quoted(self.name)}")


class DuckDBPyConnection:
    """A connection, and the result of its last statement."""

    def __init__(self, database: _Database) -> None:
        self._database = database
        self._number: int | None = _engine.connect()
        self._registered: dict[str, str] = {}
        self._result = Result([], [])
        self._next = 0
        database.connections += 1
        _run(self._open, f"USE {_quoted(database.name)}")

    def __enter__(self) -> "DuckDBPyConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a connection of DuckDB has no {name} in the page")

    @property
    def _open(self) -> int:
        if self._number is None:
            raise Error("Connection Error: Connection already closed!")
        return self._number

    def cursor(self) -> "DuckDBPyConnection":
        """Another connection to the same database."""
        return DuckDBPyConnection(_is_open(self)._database)

    def execute(self, query: str, parameters: Any = None) -> "DuckDBPyConnection":
        """Run a statement; its rows are for `fetchall` and `fetchone`."""
        asked = query if parameters is None else _filled_in(query, parameters)
        self._result, self._next = _rows_of(self._open, asked), 0
        return self

    def executemany(self, query: str, parameters: Sequence[Any]) -> "DuckDBPyConnection":
        """Run a statement once for each set of parameters."""
        for each in parameters:
            self.execute(query, each)
        return self

    @property
    def description(self) -> list[tuple[Any, ...]]:
        """The name and the type of each column of the result."""
        return [(one.name, Type(one.id), *[None] * 5) for one in self._result.columns]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left of the result."""
        rows = self._result.rows[self._next :]
        self._next = len(self._result.rows)
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last."""
        rows = self._result.rows[self._next : self._next + 1]
        self._next += len(rows)
        return rows[0] if rows else None

    def sql(self, query: str) -> "DuckDBPyRelation":
        """A statement that is bound, and run when its rows are asked for."""
        return DuckDBPyRelation(_is_open(self), query)

    def register(self, name: str, frame: Any) -> "DuckDBPyConnection":
        """Let this connection see a frame of pandas as a table, as it is now."""
        if not isinstance(frame, Held | pd.DataFrame):
            raise Error(f"frame must be one of pandas in the page, got {type(frame).__name__}")
        try:
            content = frame.content if isinstance(frame, Held) else stream(frame)
        except TypeError as error:
            raise Error(str(error)) from error
        self.unregister(name)
        table = f"frame {next(_numbers)}"
        _insert(table, content)
        held = f"memory.main.{_quoted(table)}"
        types = frame.types if isinstance(frame, Held) else {}
        columns = [
            f"CAST({_quoted(one)} AS {type}) AS {_quoted(one)}" for one, type in types.items()
        ]
        seen = f"SELECT {', '.join(columns) or '*'} FROM {held}"
        _run(self._open, f"CREATE OR REPLACE TEMP VIEW {_quoted(name)} AS {seen}")
        self._registered[name] = held
        return self

    def unregister(self, name: str) -> "DuckDBPyConnection":
        """Take a frame away again."""
        if name in self._registered:
            _run(self._open, f"DROP VIEW IF EXISTS temp.{_quoted(name)}")
            _run(_HOLDER, f"DROP TABLE {self._registered.pop(name)}")
        return self

    def extract_statements(self, query: str) -> list[Statement]:
        """The statements of a text; those that are no SELECT count as one."""
        told = loads(
            read(_run(self._open, f"SELECT json_serialize_sql({_literal(query)})")).rows[0][0]
        )
        if not told["error"]:
            return [
                Statement(StatementType.SELECT, {each["key"] for each in one["named_param_map"]})
                for one in told["statements"]
            ]
        if told["error_type"] == "parser":
            _run(self._open, query)  # says so in full, and runs nothing
        word = re.search(r"\w+", query)
        kind = word.group().upper() if word else ""
        return [Statement(StatementType.__members__.get(kind, StatementType.INVALID), set())]

    def close(self) -> None:
        """End the connection, and its database with the last."""
        if self._number is None:
            return
        _engine.disconnect(self._number)
        self._number = None
        for held in self._registered.values():
            _run(_HOLDER, f"DROP TABLE {held}")
        self._registered.clear()
        self._database.connections -= 1
        if not self._database.connections:
            _run(_HOLDER, f"DETACH {_quoted(self._database.name)}")


class DuckDBPyRelation:
    """A statement that is bound: its columns are known."""

    def __init__(self, connection: DuckDBPyConnection, query: str) -> None:
        self._connection = connection
        self._query = query
        described = _described(connection._open, query)
        self.columns = [name for name, _ in described]
        self._types = [type for _, type in described]
        self.types = [Type(id_of(type)) for type in self._types]

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a relation of DuckDB has no {name} in the page")

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows."""
        return read(_run(self._connection._open, self._query), self._types).rows

    def to_arrow_table(self) -> Held:
        """The rows, for `register`."""
        content = _run(self._connection._open, self._query)
        return Held(stream_of(content), dict(zip(self.columns, self._types, strict=True)))


def connect(
    database: str = ":memory:", read_only: bool = False, config: Mapping[str, Any] | None = None
) -> DuckDBPyConnection:
    """Make a database in memory, and return a connection to it."""
    if database not in (":memory:", "") or read_only:
        raise Error(f"database must be ':memory:' in the page, got {database!r}")
    for name, value in (config or {}).items():
        if SET_ALREADY.get(name) != str(value).lower():
            raise Error(f"config must be what DuckDB has in the page, got {name}={value}")
    return DuckDBPyConnection(_Database())


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"duckdb has no {name} in the page")


def _is_open(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    assert connection._open is not None
    return connection


def _run(number: int, query: str) -> bytes:
    """Run a statement, and return its result in Arrow's format."""
    try:
        content = _engine.ask(number, query)
    except Exception as error:
        raise _error(error) from None
    return bytes(getattr(content, "to_bytes", lambda: content)())


def _rows_of(number: int, query: str) -> Result:
    """Run a statement, and read its result by the types that DuckDB tells of it."""
    ends = [found.end() for found in MARKS.finditer(query) if found.group() == ";"]
    if ends and query[ends[0] :].strip():
        raise Error("execute takes one statement in the page, got several")
    begins = re.match(r"[\s(]*(\w+)", query)
    types = None
    if begins and begins[1].upper() in ASKS:
        with suppress(Error):  # it fails below likewise, or returns no rows, as WITH may begin
            types = [type for _, type in _described(number, query)]
    return read(_run(number, query), types)


def _described(number: int, query: str) -> list[tuple[str, str]]:
    """The name and the type of each column that a statement returns; it is not run."""
    rows = read(_run(number, f"DESCRIBE {query}")).rows
    return [(name, type) for name, type, *_ in rows]


def _insert(table: str, content: bytes) -> None:
    try:
        _engine.insert(_HOLDER, table, content)
    except Exception as error:
        raise _error(error) from None


def _error(error: Exception) -> Error:
    """DuckDB's error by the kind that its text begins with; the place is told once."""
    text = getattr(error, "message", str(error))
    *parts, last = text.split("\n\nLINE ")
    if parts and parts[-1] == last:
        text = "\n\nLINE ".join(parts)
    name = text.split(" Error:")[0].replace(" ", "")
    kind: type[Error] = _ERRORS.get(name, DatabaseError)
    return kind(text)


def _filled_in(query: str, parameters: Any) -> str:
    """A statement with a value at each of its marks; a column without a name is called by its value."""
    named = isinstance(parameters, Mapping)
    values = dict(parameters) if named else {str(i + 1): v for i, v in enumerate(parameters)}
    used: list[str] = []

    def value(match: re.Match[str]) -> str:
        mark = match.group()
        if mark != "?" and not match["name"]:
            return mark
        name = match["name"] or str(1 + used.count("?"))
        used.extend({mark, name})
        if name not in values:
            raise _ERRORS["InvalidInput"](f"Invalid Input Error: no value for parameter {name}")
        return _literal(values[name])

    filled = MARKS.sub(value, query)
    if extra := sorted(set(values) - set(used)):
        raise _ERRORS["InvalidInput"](f"Invalid Input Error: no parameter {', '.join(extra)}")
    return filled


def _literal(value: Any) -> str:
    """A value as SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(value).upper()
    if isinstance(value, str) and "\0" not in value:
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        return f"'{value!r}'::DOUBLE"
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, datetime) and value.tzinfo is None:
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, date) and not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    raise Error(f"parameter must be a plain value in the page, got {value!r}")


def _quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


_HOLDER: int = _engine.connect()  # holds the frames, and makes the databases
