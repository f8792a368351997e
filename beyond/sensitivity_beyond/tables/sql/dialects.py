"""The dialects: one class a database, which says where it differs from
the standard of `Database`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from decimal import Decimal
from inspect import iscoroutinefunction
from types import ModuleType
from typing import Any

from sensitivity_beyond.tables.sql import duckdb as duck
from sensitivity_beyond.tables.sql.databases import UNDONE, Database
from sensitivity_beyond.tables.sql.parsed import told_of
from sensitivity_lab.numbers.exact import brief

STATUSES = ("IDLE", "ACTIVE", "INTRANS", "INERROR", "UNKNOWN")  # of PostgreSQL's transactions


class SQLite(Database):
    """SQLite, which has no booleans, dates or decimals, whatever it calls them."""

    sql = "sqlite"
    schema = "temp."
    undoes_tables = True
    types = {of: kind for of, kind in Database.types.items() if of != "span"} | {"decimal": "real"}

    def cursor(self) -> Any:
        """A cursor of tuples."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor

    def cell(self, value: Any) -> Any:
        """Moments in UTC as text, decimals as floats."""
        value = super().cell(value)
        if isinstance(value, datetime):
            moment = value if value.tzinfo is None else value.astimezone(UTC)
            return moment.isoformat(" ")
        if isinstance(value, (date, time)):
            return value.isoformat()
        if value != value:
            raise ValueError(
                "cells must not be NaN, which sqlite takes for NULL: write what is meant"
            )
        return float(value) if isinstance(value, Decimal) else value

    def scans(self, cursor: Any, text: str | None) -> dict[tuple[str, str], int]:
        """The tables that a statement's program opens; those of an index count as its table's."""
        try:
            steps = [] if text is None else cursor.execute(f"EXPLAIN {text}").fetchall()
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


class PostgreSQL(Database):
    """PostgreSQL by psycopg2, which opens a transaction by itself, but for those of autocommit."""

    sql = "postgres"
    by_case = True
    schema = "pg_temp."
    undoes_tables = True

    def cursor(self) -> Any:
        """A cursor of tuples."""
        return self.connection.cursor(cursor_factory=self.module.extensions.cursor)

    def settle(self, cursor: Any, names: Sequence[str]) -> None:
        """Refuse functions that write, and a path of schemas on which another table comes first."""
        cursor.execute("SET LOCAL transaction_read_only TO on")  # temporary tables can be filled
        cursor.execute("SET LOCAL max_parallel_workers_per_gather TO 0")  # one order of rows
        for name in names:
            names_of = self.quoted(name), self.temporary(name)
            found, own = (one.replace("'", "''") for one in names_of)
            cursor.execute(f"SELECT to_regclass('{found}') = to_regclass('{own}')")
            if not cursor.fetchall()[0][0]:
                raise ValueError(
                    "connection must look for temporary tables first, got a search_path on which "
                    f"{name} is another: leave pg_temp out of it, or name it first"
                )

    def scans(self, cursor: Any, text: str | None) -> dict[tuple[str, str], int]:
        """How often each permanent table was read in this transaction."""
        cursor.execute(
            "SELECT schemaname, relname, COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) "
            "FROM pg_stat_xact_all_tables WHERE schemaname NOT IN ('pg_catalog', 'pg_toast') "
            "AND schemaname !~ '^pg_(toast_)?temp_'"
        )
        return {(schema, name): times for schema, name, times in cursor.fetchall()}

    @contextmanager
    def undone(self, cursor: Any) -> Iterator[None]:
        """Up to a savepoint where a transaction is open, else to the start of a new one."""
        status = STATUSES[int(self.connection.info.transaction_status)]
        if status not in ("IDLE", "INTRANS"):
            raise ValueError(
                "connection must be idle or in a transaction that works, got the status "
                f"{status}: roll it back first"
            )
        if status == "INTRANS":
            with super().undone(cursor):
                yield
            return
        if self.connection.autocommit:
            cursor.execute("BEGIN")
        try:
            yield
        finally:
            with told_of(UNDONE):
                if self.connection.autocommit:
                    cursor.execute("ROLLBACK")
                self.connection.rollback()


class Psycopg(PostgreSQL):
    """PostgreSQL by psycopg, no statement of ours staying prepared."""

    def cursor(self) -> Any:
        """A cursor of tuples."""
        return self.connection.cursor(row_factory=self.module.rows.tuple_row)

    @contextmanager
    def undone(self, cursor: Any) -> Iterator[None]:
        """As psycopg2, with nothing prepared."""
        kept, self.connection.prepare_threshold = self.connection.prepare_threshold, None
        try:
            with super().undone(cursor):
                yield
        finally:
            self.connection.prepare_threshold = kept


# The dialects by the names of their modules;
# any other database is asked in the standard's own words.
DIALECTS: dict[str, type[Database]] = {
    "sqlite3": SQLite,
    "psycopg": Psycopg,
    "psycopg2": PostgreSQL,
}


def database_of(connection: Any) -> Database | duck.DuckDB:
    """Return the database behind a connection; None is DuckDB in this process.

    Raises TypeError for what is no DB-API 2 connection, ValueError for one that is closed.
    """
    if duck.is_connection(connection):
        return duck.DuckDB(connection)
    module = _module_of(connection)
    needed = ("cursor", "commit", "rollback", "close")
    if module is None or not all(callable(getattr(connection, n, None)) for n in needed):
        raise TypeError(
            "connection must be one of a DB-API 2 module, as sqlite3.connect(...) returns it, "
            f"got {brief(connection)}"
        )
    if iscoroutinefunction(connection.commit):
        kind = type(connection).__name__
        raise TypeError(f"connection must not be an asynchronous one, got {kind}")
    database = DIALECTS.get(module.__name__, Database)(connection, module)
    with told_of("connection must be open"):
        database.cursor().close()
    return database


def _module_of(connection: Any) -> ModuleType | None:
    """The DB-API 2 module that a connection's class, or one that it is made of, belongs to."""
    for kind in type(connection).__mro__:
        parts = kind.__module__.split(".")
        for n in range(len(parts), 0, -1):
            module = sys.modules.get(".".join(parts[:n]))
            if isinstance(getattr(module, "paramstyle", None), str):
                return module
    return None
