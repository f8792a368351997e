"""SQL statements asked of any DB-API 2 connection: tables as temporary ones, and everything undone.

Source: PEP 249, Python Database API Specification v2.0.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from inspect import iscoroutinefunction
from itertools import islice
from threading import RLock
from types import ModuleType
from typing import Any

import narwhals as nw

from sensitivity_lab.numbers.exact import brief, is_real, told
from sensitivity_lab.numbers.lazy import pd
from sensitivity_lab.records.rows import NAN, Row, rows_of, table
from sensitivity_lab.sql.parsed import SECONDS, parsed, within
from sensitivity_lab.sql.result_set import ResultSet

Tables = Mapping[str, Any]  # the dataset's tables by name: pandas, polars or pyarrow
Row_ = tuple[Any, ...]

DIALECTS = {
    "sqlite3": "sqlite",
    "psycopg": "postgres",
    "psycopg2": "postgres",
}
SAVEPOINT = "sensitivity_lab"
AT_ONCE = 200  # datasets between two rollbacks: PostgreSQL keeps deleted rows until then
ONE_AT_A_TIME = RLock()  # a connection serves one thread: two would undo each other's transaction

# The names of types, by what a column holds; sqlite has no booleans, dates or decimals, whatever
# it calls them.
STANDARD = {
    "whole": "bigint",
    "large": "numeric",
    "float": "double precision",
    "decimal": "numeric",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
    "moment": "timestamp",
    "zoned": "timestamp with time zone",
    "time": "time",
    "span": "interval",
    "bytes": "bytea",
}
SQLITE = {
    "whole": "integer",
    "large": "integer",
    "float": "real",
    "decimal": "real",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
    "moment": "timestamp",
    "zoned": "timestamp",
    "time": "time",
    "bytes": "blob",
}
BY_DTYPE: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("boolean", (nw.Boolean,)),
    ("large", (nw.UInt64, nw.UInt128, nw.Int128)),
    ("decimal", (nw.Decimal,)),
    ("text", (nw.String, nw.Categorical, nw.Enum)),
    ("date", (nw.Date,)),
    ("time", (nw.Time,)),
    ("span", (nw.Duration,)),
    ("bytes", (nw.Binary,)),
)
BY_VALUE: tuple[tuple[str, type], ...] = (
    ("boolean", bool),
    ("whole", int),
    ("float", float),
    ("decimal", Decimal),
    ("text", str),
    ("moment", datetime),
    ("date", date),
    ("time", time),
    ("span", timedelta),
    ("bytes", bytes),
)
WIDENING = ("boolean", "whole", "float", "decimal")  # kinds that one column can hold together


@dataclass(frozen=True)
class Database:
    """A connection, with what its module says of itself."""

    connection: Any
    module: ModuleType

    @classmethod
    def of(cls, connection: Any) -> Database:
        """Return the database behind a connection.

        Raises TypeError for what is no DB-API 2 connection, ValueError for one that is closed, or
        stands in a transaction that has failed.
        """
        module = _module_of(connection)
        needed = ("cursor", "commit", "rollback", "close")
        if module is None or not all(callable(getattr(connection, n, None)) for n in needed):
            raise TypeError(
                "connection must be one of a DB-API 2 module, as sqlite3.connect(...) returns it, "
                f"got {brief(connection)}"
            )
        if iscoroutinefunction(connection.commit):
            raise TypeError(
                f"connection must not be an asynchronous one, got {type(connection).__name__}"
            )
        database = cls(connection, module)
        database.cursor().close()
        return database

    @property
    def name(self) -> str:
        """The module's name."""
        return self.module.__name__

    @property
    def dialect(self) -> str | None:
        """The name by which sqlglot knows its SQL, None where that is not known."""
        return DIALECTS.get(self.name)

    def cursor(self) -> Any:
        """A new cursor, whose rows are tuples whatever the connection makes of its own."""
        try:
            if self.name == "psycopg":
                return self.connection.cursor(row_factory=self.module.rows.tuple_row)
            if self.name == "psycopg2":
                return self.connection.cursor(cursor_factory=self.module.extensions.cursor)
            cursor = self.connection.cursor()
        except Exception as error:
            raise ValueError(f"connection must be open, got {told(error)}") from error
        if self.name == "sqlite3":
            cursor.row_factory = None
        return cursor

    def quoted(self, name: str) -> str:
        """A name that stands for itself in a statement."""
        return '"' + name.replace('"', '""') + '"'

    def temporary(self, name: str) -> str:
        """The name of a temporary table, where the dialect can tell it from a permanent one."""
        schema = {"sqlite": "temp.", "postgres": "pg_temp."}.get(self.dialect or "", "")
        return schema + self.quoted(name)

    @property
    def types(self) -> dict[str, str]:
        """The names of its types."""
        return SQLITE if self.dialect == "sqlite" else STANDARD

    @property
    def stop(self) -> Callable[[], object] | None:
        """What ends a statement from another thread, where the module has it."""
        ends: Callable[[], object] | None = getattr(
            self.connection, "interrupt", getattr(self.connection, "cancel", None)
        )
        return ends

    def filling(self, name: str, columns: Sequence[str]) -> tuple[str, Callable[[Row_], Any]]:
        """The statement that adds a row, and how it receives the row's cells."""
        count, style = range(len(columns)), self.module.paramstyle
        marks = {
            "qmark": ["?" for _ in count],
            "numeric": [f":{i + 1}" for i in count],
            "format": ["%s" for _ in count],
            "named": [f":c{i}" for i in count],
            "pyformat": [f"%(c{i})s" for i in count],
        }[style]
        target = self.temporary(name)
        if style in ("format", "pyformat"):
            target = target.replace("%", "%%")
        given = _numbered if style in ("named", "pyformat") else tuple
        return f"INSERT INTO {target} VALUES ({', '.join(marks)})", given


def ask(connection: Any, text: str, tables: Tables, whole: Tables | None = None) -> ResultSet:
    """Return what a statement says of one dataset, given as tables by name."""
    return ask_each(connection, text, [tables], whole)[0]


def ask_each(
    connection: Any,
    text: str,
    datasets: Iterable[Tables],
    whole: Tables | None = None,
    seconds: float = SECONDS,
) -> list[ResultSet]:
    """Return what a statement says of each dataset, in order."""
    database = Database.of(connection)
    parsed(text, database.dialect)
    given = iter(datasets)
    answers: list[ResultSet] = []
    while some := list(islice(given, AT_ONCE)):
        known = some if whole is None else [whole]
        with (
            undone(database) as cursor,
            _made(database, cursor, known),
            _own_tables_read(database, cursor, text, known[0]),
        ):
            for tables in some:
                _fill(database, cursor, tables)
                answers.append(_answered(database, cursor, text, seconds))
    return answers


def columns_of(connection: Any, text: str, tables: Tables) -> ResultSet:
    """Return the columns of a statement's result without rows: it is read, but not run."""
    database = Database.of(connection)
    parsed(text, database.dialect)
    with undone(database) as cursor, _made(database, cursor, [tables]):
        return _answered(database, cursor, f"SELECT * FROM (\n{text}\n) AS q WHERE 1 = 0", SECONDS)


# -- the statement ---------------------------------------------------------------------------


def _answered(database: Database, cursor: Any, text: str, seconds: float) -> ResultSet:
    """What the statement returns."""
    try:
        with within(seconds, database.stop):
            cursor.execute(text)
            described = cursor.description
            rows = [] if described is None else [tuple(row) for row in cursor.fetchall()]
    except TimeoutError:
        raise
    except Exception as error:
        raise ValueError(f"statement must run in its database, got {told(error)}") from error
    if described is None:
        raise ValueError(f"statement must return rows, got none from {brief(text)}")
    names = [str(column[0]) for column in described]
    numeric = [_is_numeric(database, column[1], i, rows) for i, column in enumerate(described)]
    return ResultSet(names, numeric, rows)


def _is_numeric(database: Database, code: Any, i: int, rows: list[Row_]) -> bool | None:
    """Whether a column holds numbers: by its type, or where it has none by its values."""
    numbers = getattr(database.module, "NUMBER", None)
    if code is not None and numbers is not None:
        return bool(code == numbers)
    held = [row[i] for row in rows if row[i] is not None]
    return all(is_real(v) and not isinstance(v, bool) for v in held) if held else None


# -- the tables ------------------------------------------------------------------------------


@contextmanager
def _made(database: Database, cursor: Any, datasets: Sequence[Tables]) -> Iterator[None]:
    """The tables of some datasets, empty; PostgreSQL then refuses functions that write."""
    made: list[str] = []
    try:
        for name in datasets[0]:
            frames = [table(tables[name], f"table {name}") for tables in datasets]
            columns = ", ".join(_columns(database, name, frames))
            with _told_of(name):
                cursor.execute(f"CREATE TEMPORARY TABLE {database.quoted(name)} ({columns})")
            made.append(name)
        if database.dialect == "postgres":  # temporary tables can still be filled
            cursor.execute("SET LOCAL transaction_read_only TO on")
            cursor.execute("SET LOCAL max_parallel_workers_per_gather TO 0")  # one order of rows
            for name in made:
                _require_found_first(database, cursor, name)
        yield
    finally:
        if database.dialect not in ("sqlite", "postgres"):
            for name in made:
                with suppress(Exception):  # a transaction that has failed is rolled back next
                    cursor.execute(f"DROP TABLE {database.quoted(name)}")


def _require_found_first(database: Database, cursor: Any, name: str) -> None:
    """Refuse a path of schemas on which a permanent table comes before the dataset's."""
    found, own = (
        one.replace("'", "''") for one in (database.quoted(name), database.temporary(name))
    )
    cursor.execute(f"SELECT to_regclass('{found}') = to_regclass('{own}')")
    if not cursor.fetchall()[0][0]:
        raise ValueError(
            f"connection must look for temporary tables first, got a search_path on which {name} is "
            "another: leave pg_temp out of it, or name it first"
        )


@contextmanager
def _own_tables_read(database: Database, cursor: Any, text: str, own: Tables) -> Iterator[None]:
    """Refuse what read a permanent table that has the name of one of the dataset's."""
    tell = {"sqlite": _opened_by_sqlite, "postgres": _read_by_postgres}.get(database.dialect or "")
    if tell is None:
        yield
        return
    before = tell(cursor, text)
    yield
    names = {name.lower() for name in own}
    for (schema, name), times in tell(cursor, text).items():
        is_new = database.dialect == "sqlite" or times > before.get((schema, name), 0)
        if name.lower() in names and is_new:
            raise ValueError(
                f"statement must read the dataset's own tables, got {schema}.{name} of the "
                "connection, which a view or a function names"
            )


def _read_by_postgres(cursor: Any, text: str) -> dict[tuple[str, str], int]:
    """How often each permanent table was read in this transaction."""
    cursor.execute(
        "SELECT schemaname, relname, COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) "
        "FROM pg_stat_xact_all_tables WHERE schemaname NOT IN ('pg_catalog', 'pg_toast') "
        "AND schemaname !~ '^pg_(toast_)?temp_'"
    )
    return {(schema, name): times for schema, name, times in cursor.fetchall()}


def _opened_by_sqlite(cursor: Any, text: str) -> dict[tuple[str, str], int]:
    """The permanent tables that a statement's program opens; those of an index count as its table's."""
    try:
        steps = cursor.execute(f"EXPLAIN {text}").fetchall()
    except Exception:  # it fails likewise when it is asked
        return {}
    databases = {at: name for at, name, _ in cursor.execute("PRAGMA database_list").fetchall()}
    opened = {}
    for _, step, _, root, at, *_ in steps:
        if step == "OpenRead" and databases.get(at) not in (None, "temp"):
            master = f'"{databases[at]}".sqlite_master'
            cursor.execute(f"SELECT tbl_name FROM {master} WHERE rootpage = {int(root)}")
            opened.update({(databases[at], name): 1 for (name,) in cursor.fetchall()})
    return opened


def _columns(database: Database, name: str, frames: Sequence[nw.DataFrame[Any]]) -> list[str]:
    """The columns of a table with their types, as the database writes them."""
    columns = []
    for column, dtype in frames[0].schema.items():
        kind = _kind(frames, column, dtype, name)
        if kind not in database.types:
            raise _refusal(name, column, f"{kind} values")
        columns.append(f"{database.quoted(str(column))} {database.types[kind]}")
    return columns


def _fill(database: Database, cursor: Any, tables: Tables) -> None:
    """Put the rows of a dataset into its tables, in place of those that are there."""
    for name, native in tables.items():
        frame = table(native, f"table {name}")
        text, given = database.filling(name, frame.columns)
        rows = [given(_cells(database, row)) for row in rows_of(frame)]
        with _told_of(name):
            cursor.execute(f"DELETE FROM {database.temporary(name)}")
            if rows:
                cursor.executemany(text, rows)


@contextmanager
def _told_of(name: str) -> Iterator[None]:
    """Tell which table the database refuses."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"table {name} must be one the database takes, got {told(error)}"
        ) from error


def _kind(frames: Sequence[nw.DataFrame[Any]], column: str, dtype: Any, name: str) -> str:
    """What a column holds in some datasets, by its type, or by its values where it has none."""
    if isinstance(dtype, (nw.Object, nw.Unknown)):
        types = {type(value) for frame in frames for (value,) in rows_of(frame.select(column))}
        return _kind_of_values(types - {type(None)}, name, column)
    kind = _kind_of_type(dtype)
    if kind is None:
        raise _refusal(name, column, str(dtype))
    return kind


def _kind_of_type(dtype: Any) -> str | None:
    """What columns of a type hold."""
    if isinstance(dtype, nw.Datetime):
        return "zoned" if dtype.time_zone else "moment"
    for kind, types in BY_DTYPE:
        if isinstance(dtype, types):
            return kind
    if not dtype.is_numeric():
        return None
    return "whole" if dtype.is_integer() else "float"


def _kind_of_values(types: set[type], name: str, column: str) -> str:
    """What values of some types are; text where there is none."""
    kinds = {
        next((kind for kind, known in BY_VALUE if issubclass(held, known)), str(held.__name__))
        for held in types
    }
    if len(kinds) > 1 and kinds <= set(WIDENING):
        kinds = {max(kinds, key=WIDENING.index)}
    if len(kinds) > 1 or not kinds <= set(STANDARD):
        raise _refusal(name, column, " and ".join(sorted(kinds)))
    return kinds.pop() if kinds else "text"


def _refusal(name: str, column: str, what: str) -> ValueError:
    return ValueError(
        f"column {column} of table {name} must hold what its database can, got {what}"
    )


def _cells(database: Database, row: Row) -> Row_:
    """The cells of a row, as its database takes them."""
    return tuple(map(_for_sqlite if database.dialect == "sqlite" else _plain_moment, row))


def _plain_moment(value: Any) -> Any:
    """A moment as Python's own, whose microseconds must be enough; NaN as any other float."""
    if value is NAN:
        return math.nan
    if not isinstance(value, (pd.Timestamp, pd.Timedelta)):
        return value
    if value.nanosecond if isinstance(value, pd.Timestamp) else value.nanoseconds:
        raise ValueError(f"moments must be whole microseconds, got {value}")
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value.to_pytimedelta()


def _for_sqlite(value: Any) -> Any:
    """A cell as sqlite holds it: moments in UTC as text, decimals as floats."""
    value = _plain_moment(value)
    if isinstance(value, datetime):
        moment = value if value.tzinfo is None else value.astimezone(UTC)
        return moment.isoformat(" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value != value:
        raise ValueError("cells must not be NaN, which sqlite takes for NULL: write what is meant")
    return int(value) if isinstance(value, bool) else value


def _numbered(row: Row_) -> dict[str, Any]:
    """The cells of a row by the names that `filling` gives them."""
    return {f"c{i}": cell for i, cell in enumerate(row)}


# -- the transaction -------------------------------------------------------------------------


@contextmanager
def undone(database: Database) -> Iterator[Any]:
    """A cursor whose doings are undone at the end; an open transaction stays open as it was."""
    kinds = {
        "psycopg": _undone_by_psycopg,
        "psycopg2": _undone_by_psycopg2,
    }
    with ONE_AT_A_TIME:
        cursor = database.cursor()
        try:
            with kinds.get(database.name, _undone_by_savepoint)(database, cursor):
                yield cursor
        finally:
            cursor.close()


@contextmanager
def _undone_by_savepoint(database: Database, cursor: Any) -> Iterator[None]:
    """Up to a savepoint; sqlite opens a transaction by it where there is none, and ends it."""
    with _told_of_transaction():
        cursor.execute(f"SAVEPOINT {SAVEPOINT}")
    try:
        yield
    finally:
        with _told_of_transaction():
            cursor.execute(f"ROLLBACK TO SAVEPOINT {SAVEPOINT}")
            cursor.execute(f"RELEASE SAVEPOINT {SAVEPOINT}")


@contextmanager
def _undone_by_psycopg(database: Database, cursor: Any) -> Iterator[None]:
    """In psycopg's own nested transaction; no statement of ours stays prepared."""
    connection, kept = database.connection, database.connection.prepare_threshold
    _require_usable(connection.info.transaction_status.name)
    connection.prepare_threshold = None
    try:
        with connection.transaction(force_rollback=True):
            yield
    finally:
        connection.prepare_threshold = kept


@contextmanager
def _undone_by_psycopg2(database: Database, cursor: Any) -> Iterator[None]:
    """Up to a savepoint where a transaction is open, else to the start of a new one."""
    connection = database.connection
    status = connection.get_transaction_status()
    _require_usable(("IDLE", "ACTIVE", "INTRANS", "INERROR", "UNKNOWN")[status])
    if status:
        with _undone_by_savepoint(database, cursor):
            yield
        return
    if connection.autocommit:
        cursor.execute("BEGIN")
    try:
        yield
    finally:
        if connection.autocommit:
            cursor.execute("ROLLBACK")
        connection.rollback()


def _require_usable(status: str) -> None:
    """Refuse a connection to PostgreSQL that is busy, or whose transaction has failed."""
    if status not in ("IDLE", "INTRANS"):
        raise ValueError(
            "connection must be idle or in a transaction that works, got the status "
            f"{status}: roll it back first"
        )


@contextmanager
def _told_of_transaction() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"connection must have transactions that can be undone, got {told(error)}"
        ) from error


def _module_of(connection: Any) -> ModuleType | None:
    """The DB-API 2 module that a connection's class, or one that it is made of, belongs to."""
    for kind in type(connection).__mro__:
        parts = kind.__module__.split(".")
        for n in range(len(parts), 0, -1):
            module = sys.modules.get(".".join(parts[:n]))
            if isinstance(getattr(module, "paramstyle", None), str):
                return module
    return None
