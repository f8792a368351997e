"""A database of any DB-API 2 module: its tables are temporary ones, and everything is undone.

Source: PEP 249, Python Database API Specification v2.0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from threading import RLock
from types import ModuleType, NoneType
from typing import Any, ClassVar

import narwhals as nw

from sensitivity_beyond.tables.frames import NAN, rows_of, table
from sensitivity_beyond.tables.lazy import pd
from sensitivity_beyond.tables.sql.parsed import SECONDS, Parsed, parsed, quoted, told_of, within
from sensitivity_beyond.tables.sql.result_set import ResultSet
from sensitivity_lab.numbers.exact import brief, is_real

Tables = Mapping[str, Any]  # the dataset's tables by name: pandas, polars or pyarrow
Cells = tuple[Any, ...]

AT_ONCE = 200  # datasets between two rollbacks: PostgreSQL keeps deleted rows until then
ONE_AT_A_TIME = RLock()  # a connection serves one thread: two would undo each other's transaction
SAVEPOINT = "SAVEPOINT sensitivity_lab"
TAKEN = "must be one the database takes"
UNDONE = "connection must have transactions that can be undone"
KINDS: dict[str, tuple[str, tuple[type, ...], type | None]] = {
    # what a column may hold: its type in SQL, and those of narwhals and of Python that hold it
    "boolean": ("boolean", (nw.Boolean,), bool),
    "large": ("numeric", (nw.UInt64, nw.UInt128, nw.Int128), None),
    "whole": ("bigint", (nw.dtypes.IntegerType,), int),
    "float": ("double precision", (nw.dtypes.FloatType,), float),
    "decimal": ("numeric", (nw.Decimal,), Decimal),
    "text": ("text", (nw.String, nw.Categorical, nw.Enum), str),
    "moment": ("timestamp", (nw.Datetime,), datetime),
    "zoned": ("timestamp with time zone", (), None),
    "date": ("date", (nw.Date,), date),
    "time": ("time", (nw.Time,), time),
    "span": ("interval", (nw.Duration,), timedelta),
    "bytes": ("bytea", (nw.Binary,), bytes),
}
WIDENING = ("boolean", "whole", "float", "decimal")  # kinds that one column can hold together
MARKS = {"qmark": "?", "numeric": ":{}", "format": "%s", "named": ":c{}", "pyformat": "%(c{})s"}


@dataclass(frozen=True)
class Database:
    """A connection and its module, by the standard's own words; a dialect says where it differs.

    What a dialect may say stands first, under its own line, and is all that it has to know.
    """

    connection: Any
    module: ModuleType

    # -- what a dialect says ------------------------------------------------------------------

    sql: ClassVar[str | None] = None  # the name by which sqlglot knows its SQL
    by_case: ClassVar[bool] = False  # "Staff" in quotes is not "staff"
    schema: ClassVar[str] = ""  # before a temporary table's name, where that tells it from others
    undoes_tables: ClassVar[bool] = False  # a rollback takes the tables that were made with it
    types: ClassVar[dict[str, str]] = {kind: written for kind, (written, *_) in KINDS.items()}

    def cursor(self) -> Any:
        """A new cursor, whose rows are tuples whatever the connection makes of its own."""
        return self.connection.cursor()

    def quoted(self, name: str) -> str:
        """A name that stands for itself in a statement."""
        return quoted(name)

    def cell(self, value: Any) -> Any:
        """A cell as the database takes it: a moment as Python's own, NaN as any other float."""
        if value is NAN:
            return math.nan
        if not isinstance(value, (pd.Timestamp, pd.Timedelta)):
            return value
        if value.nanosecond if isinstance(value, pd.Timestamp) else value.nanoseconds:
            raise ValueError(f"moments must be whole microseconds, got {value}")
        return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value.to_pytimedelta()

    def settle(self, cursor: Any, names: Sequence[str]) -> None:
        """Settle a transaction in which the tables have been made: nothing else is written now."""

    def scans(self, cursor: Any, text: str | None) -> dict[tuple[str, str], int]:
        """How often permanent tables were read, (schema, name);
        before a text is asked it is None."""
        return {}

    @contextmanager
    def undone(self, cursor: Any) -> Iterator[None]:
        """Undo all within, up to a savepoint: an open transaction stays open as it was."""
        with told_of(UNDONE):
            cursor.execute(SAVEPOINT)
        try:
            yield
        finally:
            with told_of(UNDONE):
                cursor.execute(f"ROLLBACK TO {SAVEPOINT}")
                cursor.execute(f"RELEASE {SAVEPOINT}")

    # -- what a statement asks ----------------------------------------------------------------

    def read(self, text: str) -> Parsed | None:
        """What a statement's text tells; None where only the database can tell."""
        return parsed(text, self.sql, self.by_case)

    def unknown(self, names: set[str]) -> set[str]:
        """Of some tables those that the dataset may be: here all, as no connection is asked."""
        return names

    def require_shared(self, read: Parsed) -> None:
        """Refuse what a session of ours would answer otherwise: here there is but the caller's."""

    def columns_of(self, text: str, whole: Tables) -> ResultSet:
        """The columns of a statement's result without rows: it is read, but not run."""
        nothing = f"SELECT * FROM (\n{text}\n) AS q WHERE 1 = 0"
        with self._opened() as cursor, self._over(cursor, whole):
            return self._answered(cursor, nothing, SECONDS)

    def ask_each(
        self, text: str, datasets: Sequence[Tables], whole: Tables, seconds: float
    ) -> list[ResultSet]:
        """What a statement says of each dataset, all of them parts of one whole."""
        answers: list[ResultSet] = []
        for start in range(0, len(datasets), AT_ONCE):
            with (
                self._opened() as cursor,
                self._over(cursor, whole),
                self._own_tables_read(cursor, text, whole),
            ):
                for tables in datasets[start : start + AT_ONCE]:
                    self._fill(cursor, tables)
                    answers.append(self._answered(cursor, text, seconds))
        return answers

    # -- how it is asked ----------------------------------------------------------------------

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """A cursor whose doings are undone at the end."""
        with ONE_AT_A_TIME:
            cursor = self.cursor()
            try:
                with self.undone(cursor):
                    yield cursor
            finally:
                cursor.close()

    @contextmanager
    def _over(self, cursor: Any, whole: Tables) -> Iterator[None]:
        """Empty temporary tables, of the types that the whole has."""
        made: list[str] = []
        try:
            for name, native in whole.items():
                columns = ", ".join(self._columns(name, table(native, f"table {name}")))
                with told_of(f"table {name} {TAKEN}"):
                    cursor.execute(f"CREATE TEMPORARY TABLE {self.quoted(name)} ({columns})")
                made.append(name)
            self.settle(cursor, made)
            yield
        finally:
            for name in () if self.undoes_tables else made:
                with suppress(Exception):  # a transaction that has failed is rolled back next
                    cursor.execute(f"DROP TABLE {self.quoted(name)}")

    def _columns(self, name: str, frame: nw.DataFrame[Any]) -> Iterator[str]:
        """The columns of a table with their types, as the database writes them."""
        for column in frame.columns:
            kind = _kind(frame, column)
            if kind not in self.types:
                got = f"{kind} values" if kind in KINDS else kind
                raise ValueError(
                    f"column {column} of table {name} must hold what its database can, got {got}"
                )
            yield f"{self.quoted(str(column))} {self.types[kind]}"

    def _fill(self, cursor: Any, tables: Tables) -> None:
        """Put the rows of a dataset into its tables, in place of those that are there."""
        for name, native in tables.items():
            frame, target = table(native, f"table {name}"), self.temporary(name)
            rows = [tuple(map(self.cell, row)) for row in rows_of(frame)]
            with told_of(f"table {name} {TAKEN}"):
                cursor.execute(f"DELETE FROM {target}")
                if not rows:
                    continue
                style, places = self.module.paramstyle, range(1, len(rows[0]) + 1)
                marks = ", ".join(map(MARKS[style].format, places))
                if style in ("format", "pyformat"):
                    target = target.replace("%", "%%")
                given: list[Any] = rows
                if style in ("named", "pyformat"):
                    given = [{f"c{i}": cell for i, cell in enumerate(row, 1)} for row in rows]
                cursor.executemany(f"INSERT INTO {target} VALUES ({marks})", given)

    def temporary(self, name: str) -> str:
        """The name of a temporary table, where the dialect can tell it from a permanent one."""
        return self.schema + self.quoted(name)

    @contextmanager
    def _own_tables_read(self, cursor: Any, text: str, own: Tables) -> Iterator[None]:
        """Refuse what reads a permanent table that has the name of one of the dataset's."""
        before = self.scans(cursor, None)
        yield
        names = {name.lower() for name in own}
        for (schema, name), times in self.scans(cursor, text).items():
            if name.lower() in names and times > before.get((schema, name), 0):
                raise ValueError(
                    f"statement must read the dataset's own tables, got {schema}.{name} of the "
                    "connection, which a view or a function names"
                )

    def _answered(self, cursor: Any, text: str, seconds: float) -> ResultSet:
        """What the statement returns."""
        stop = getattr(self.connection, "interrupt", getattr(self.connection, "cancel", None))
        with within(seconds, stop), told_of("statement must run in its database"):
            cursor.execute(text)
            described = cursor.description
            rows = [] if described is None else [tuple(row) for row in cursor.fetchall()]
        if described is None:
            raise ValueError(f"statement must return rows, got none from {brief(text)}")
        names = [str(column[0]) for column in described]
        numeric = [self._is_numeric(column[1], i, rows) for i, column in enumerate(described)]
        return ResultSet(names, numeric, rows)

    def _is_numeric(self, code: Any, i: int, rows: list[Cells]) -> bool | None:
        """Whether a column holds numbers: by its type, or where it has none by its values."""
        numbers = getattr(self.module, "NUMBER", None)
        if code is not None and numbers is not None:
            return bool(code == numbers)
        held = [row[i] for row in rows if row[i] is not None]
        return all(is_real(v) and not isinstance(v, bool) for v in held) if held else None


def _kind(frame: nw.DataFrame[Any], column: str) -> str:
    """What a column holds, by its type, or by its values where it has none; else what it is."""
    dtype = frame.schema[column]
    if isinstance(dtype, nw.Datetime):
        return "zoned" if dtype.time_zone else "moment"
    if not isinstance(dtype, (nw.Object, nw.Unknown)):
        known = (kind for kind, (_, of, _) in KINDS.items() if isinstance(dtype, of))
        return next(known, str(dtype))
    held = {type(value) for (value,) in rows_of(frame.select(column))} - {NoneType}
    known_as = {of: kind for kind, (*_, of) in KINDS.items() if of}
    kinds = {next((k for of, k in known_as.items() if issubclass(t, of)), t.__name__) for t in held}
    if len(kinds) > 1 and kinds <= set(WIDENING):
        return max(kinds, key=WIDENING.index)
    return " and ".join(sorted(kinds)) or "text"
