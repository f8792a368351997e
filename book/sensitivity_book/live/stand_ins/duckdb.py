"""DuckDB in the page: what `sensitivity_lab.sql` and a reader's own statements ask of it.

DuckDB itself runs beside Python, and answers at once.  A result comes as exact text: DuckDB writes each row as
an array in JSON, in it each value as text.  A frame goes in likewise, and DuckDB's own reader of JSON takes it.
Each connection made by `connect` has a database in memory of its own.  What is not here says so.
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
ASKS = {"SELECT", "FROM", "WITH", "VALUES", "TABLE"}  # how a statement that returns rows may begin
SHOWS = {"DESCRIBE", "DESC", "SHOW", "SUMMARIZE"}  # and one that does so in brackets after FROM
BEGINS = re.compile(r"[\s(]*(\w+)")
ROW = re.compile(rb"\x1e\x1e(\[[^\x00-\x1f]*\])\x1e\x1e")  # such signs are escaped within JSON
PLAN = re.compile(rb"\[\s+\{")  # how the JSON of a plan begins
AT_ONCE = 10_000  # rows of a frame in one statement
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

# What a statement does, by its first word; another is INVALID.
StatementType = Enum("StatementType", "SELECT INSERT UPDATE DELETE CREATE DROP ALTER COPY SET INVALID")  # fmt: skip


class Held:
    """A table of DuckDB's, for `register`: it is there as long as somebody holds it."""

    def __init__(self, connection: int, made: str) -> None:
        self.name = f'memory.main."frame {next(_numbers)}"'
        _run(connection, f"CREATE TABLE {self.name} {made}")

    def __del__(self) -> None:
        with suppress(Exception):
            _run(_HOLDER, f"DROP TABLE {self.name}")


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
        self._registered: dict[str, Held] = {}
        self.description: list[tuple[Any, ...]] = []  # the name and the type of each column
        self._rows: list[tuple[Any, ...]] | None = []  # those that are left; None if not read
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
        assert self._open is not None
        return DuckDBPyConnection(self._database)

    def execute(self, query: str, parameters: Any = None) -> "DuckDBPyConnection":
        """Run a statement; its rows are for `fetchall` and `fetchone`."""
        asked = _alone(query if parameters is None else _filled_in(query, parameters))
        word = _first_word(asked)
        self.description, self._rows = [], None
        if word in ASKS | SHOWS:
            with suppress(Error):  # it fails below likewise, or returns no rows, as WITH may begin
                found = DuckDBPyRelation(self, asked)
                self._rows = found.fetchall()
                named = zip(found.columns, found.types, strict=True)
                self.description = [(name, kind, *[None] * 5) for name, kind in named]
                return self
        content = _run(self._open, asked)
        if word == "EXPLAIN" and (plan := PLAN.search(content)):
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
            raise Error("fetchall must follow a statement that begins with SELECT in the page")
        rows, self._rows = self._rows, []
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last."""
        rows = self.fetchall()
        self._rows = rows[1:]
        return rows[0] if rows else None

    def sql(self, query: str) -> "DuckDBPyRelation":
        """A statement that is bound, and run when its rows are asked for."""
        return DuckDBPyRelation(self, _alone(query))

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
        if name in self._registered:
            _run(self._open, f"DROP VIEW IF EXISTS temp.{_quoted(name)}")
            del self._registered[name]
        return self

    def extract_statements(self, query: str) -> list[SimpleNamespace]:
        """The type and the named parameters of each statement; those that are no SELECT count as one."""
        asked = f"SELECT json_serialize_sql({_literal(query)})"
        told = loads(_texts(self._open, ["VARCHAR"], asked)[0][0])
        if not told["error"]:
            named = [{each["key"] for each in one["named_param_map"]} for one in told["statements"]]
            of = StatementType.SELECT
            return [SimpleNamespace(type=of, named_parameters=names) for names in named]
        if told["error_type"] == "parser":
            _run(self._open, query)  # says so in full, and runs nothing
        of = StatementType.__members__.get(_first_word(query), StatementType.INVALID)
        return [SimpleNamespace(type=of, named_parameters=set())]

    def close(self) -> None:
        """End the connection, and its database with the last."""
        if self._number is None:
            return
        _engine.disconnect(self._number)
        self._number = None
        self._registered.clear()
        self._database.connections -= 1
        if not self._database.connections:
            _run(_HOLDER, f"DETACH {_quoted(self._database.name)}")


class DuckDBPyRelation:
    """A statement that is bound: its columns are known."""

    def __init__(self, connection: DuckDBPyConnection, query: str) -> None:
        self._number = connection._open
        self._query = f"FROM ({query}\n)" if _first_word(query) in SHOWS else query
        asked = f"SELECT column_name, column_type FROM (DESCRIBE {self._query}\n)"
        described = _texts(self._number, ["VARCHAR", "VARCHAR"], asked)
        self.columns, self._types = ([row[i] for row in described] for i in (0, 1))
        self.types = [SimpleNamespace(id=_id(type)) for type in self._types]

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a relation of DuckDB has no {name} in the page")

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows."""
        as_text, readers = zip(*map(_in_text, self._types), strict=True)
        rows = _texts(self._number, as_text, self._query)
        return [tuple(map(_value, readers, row)) for row in rows]

    def to_arrow_table(self) -> Held:
        """The rows, for `register`."""
        return Held(self._number, f"AS {self._query}")


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


# --- statements ---------------------------------------------------------------------------------


def _run(number: int, query: str) -> bytes:
    """Run a statement, and return its result as DuckDB hands it out, in Arrow's format."""
    try:
        content = _engine.ask(number, query)
    except Exception as error:
        raise _error(error) from None
    return bytes(getattr(content, "to_bytes", lambda: content)())


def _texts(number: int, types: Sequence[str], query: str) -> list[list[Any]]:
    """The rows of a statement; each column is made one of these types, which hold nothing but text."""
    names = [f"c{i}" for i in range(len(types))]
    values = (f"CAST({name} AS {type})" for name, type in zip(names, types, strict=True))
    row = f"chr(30) || chr(30) || json_array({', '.join(values)}) || chr(30) || chr(30)"
    content = _run(number, f"SELECT {row} FROM ({query}\n) AS q({', '.join(names)})")
    return [loads(found) for found in ROW.findall(content)]


def _first_word(query: str) -> str:
    found = BEGINS.match(query)
    return found[1].upper() if found else ""


def _alone(query: str) -> str:
    """A statement without the semicolon at its end."""
    ends = [found.start() for found in MARKS.finditer(query) if found.group() == ";"]
    if ends and query[ends[0] + 1 :].strip():
        raise Error("execute takes one statement in the page, got several")
    return query[: ends[0]] if ends else query


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


# --- values: what text says, and how it is said --------------------------------------------------


def _bytes(text: str) -> bytes:
    parts = re.split(r"\\x(..)", text)  # what is no letter is written as two digits
    return b"".join(bytes.fromhex(one) if i % 2 else one.encode() for i, one in enumerate(parts))


WHOLE = ("tinyint", "smallint", "integer", "bigint", "hugeint")
MOMENTS = ("timestamp_s", "timestamp_ms", "timestamp", "timestamp_ns")
READERS: dict[str, Callable[[str], Any]] = {
    **{sign + name: int for name in WHOLE for sign in ("", "u")},
    **dict.fromkeys(MOMENTS, datetime.fromisoformat),
    **dict.fromkeys(("varchar", "json", "null"), str),
    "boolean": lambda text: text == "true",
    "float": lambda text: float(np.float32(text)),
    "double": float,
    "decimal": Decimal,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "blob": _bytes,
}


def _id(type: str) -> str:
    """The name of a type as DuckDB writes it, without what it is of."""
    if type.endswith("]"):
        return "list" if type.endswith("[]") else "array"
    return type.split("(")[0].strip('"').lower()


def _in_text(type: str) -> tuple[str, Callable[[Any], Any]]:
    """The type that has text where this one has values, and what reads a value of it."""
    name = _id(type)
    if name in READERS:
        return "VARCHAR", READERS[name]
    if name == "list":
        text, reader = _in_text(type[:-2])
        return f"{text}[]", lambda values: [_value(reader, value) for value in values]
    if name == "struct":
        fields = [(label, *_in_text(of)) for label, of in _fields(type)]
        texts = ", ".join(f"{label} {text}" for label, text, _ in fields)
        return f"STRUCT({texts})", lambda values: {
            key: _value(reader, value)
            for (key, value), (*_, reader) in zip(values.items(), fields, strict=True)
        }
    raise TypeError(f"result must not be of type {type} in the page: cast it to VARCHAR")


def _fields(type: str) -> list[tuple[str, str]]:
    """The name and the type of each field of a STRUCT."""
    parts, depth = [""], 0
    for piece in re.findall(r'"(?:[^"]|"")*"|.', type[len("STRUCT(") : -1]):
        depth += (piece == "(") - (piece == ")")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return re.findall(r' *("(?:[^"]|"")*"|\S+) ?(.*)', "\n".join(parts))


def _value(reader: Callable[[Any], Any], text: Any) -> Any:
    return None if text is None else reader(text)


NUMPYS = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "uint8": "UTINYINT",
    "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT", "bool": "BOOLEAN",
    "float32": "FLOAT", "float64": "DOUBLE", "datetime64[s]": "TIMESTAMP_S",
    "datetime64[ms]": "TIMESTAMP_MS", "datetime64[us]": "TIMESTAMP", "datetime64[ns]": "TIMESTAMP_NS",
}  # fmt: skip
OBJECTS = {
    str: "VARCHAR", bool: "BOOLEAN", np.bool_: "BOOLEAN", float: "DOUBLE", date: "DATE",
    datetime: "TIMESTAMP", pd.Timestamp: "TIMESTAMP",
}  # fmt: skip


def _held(frame: pd.DataFrame) -> Held:
    """A table with the rows of a frame, of the types that DuckDB gives to frames; the index is left out."""
    if len(set(map(str, frame))) < frame.shape[1]:
        raise Error("columns must have names of their own")
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    types = [_type(str(name), column) for name, column in zip(frame, columns, strict=True)]
    named = ", ".join(
        f"{_quoted(str(name))} {type}" for name, type in zip(frame, types, strict=True)
    )
    held = Held(_HOLDER, f"({named})")
    rows = list(zip(*map(_said, columns), strict=True))
    values = ", ".join(f"CAST(r[{i}] AS {type})" for i, type in enumerate(types, 1))
    for start in range(0, len(rows), AT_ONCE):
        text = _literal(dumps(rows[start : start + AT_ONCE]))
        read = f"""SELECT unnest(from_json({text}, '[["VARCHAR"]]')) AS r"""
        _run(_HOLDER, f"INSERT INTO {held.name} SELECT {values} FROM ({read})")
    return held


def _said(column: pd.Series) -> list[str | None]:
    """The values of a column as text."""
    known = column.notna()
    return [
        str(value) if there else None for value, there in zip(column.tolist(), known, strict=True)
    ]


def _type(name: str, column: pd.Series) -> str:
    """The type that DuckDB gives to a column."""
    kind = column.dtype
    of_numpy = getattr(kind, "numpy_dtype", kind)
    if isinstance(kind, pd.StringDtype):
        return "VARCHAR"
    if isinstance(of_numpy, np.dtype) and of_numpy.name in NUMPYS:
        return NUMPYS[of_numpy.name]
    values = column.dropna().tolist() if pd.api.types.is_object_dtype(kind) else []
    kinds = {type(value) for value in values}
    one = kinds.pop() if len(kinds) == 1 else None
    if one is int and -(2**63) <= min(values) <= max(values) < 2**63:
        return "INTEGER" if -(2**31) <= min(values) <= max(values) < 2**31 else "BIGINT"
    if one is Decimal and all(value.is_finite() for value in values):
        scale = max(max(-value.as_tuple().exponent, 0) for value in values)
        before = max(max(value.adjusted() + 1, 0) for value in values)
        if before + scale <= 38:
            return f"DECIMAL({before + scale}, {scale})"
    if one in OBJECTS and not any(getattr(value, "tzinfo", None) for value in values):
        return OBJECTS[one]
    found = ", ".join(sorted({type(value).__name__ for value in values})) or kind
    raise Error(f"column {name} must be of plain values in the page, got {found}")


_HOLDER: int = _engine.connect()  # holds the frames, and makes the databases
