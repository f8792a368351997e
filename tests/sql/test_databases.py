"""Statements asked of sqlite3, of a real PostgreSQL, and of modules that write parameters in other ways.

The dataset stands in the place of a table, numbers and words are the database's, and nothing is left behind.
"""

import datetime
import re
import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from functools import partial
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pytest
from conftest import refused

import sensitivity_lab as sl
from sensitivity_lab.sql.dialects import SQLite, database_of
from sensitivity_lab.sql.parsed import parsed
from sensitivity_lab.sql.result_set import ResultSet

STAFF = pd.DataFrame({"department": ["law", "art", "law"], "salary": [50, 40, 60]})
MOMENT = datetime.datetime(2024, 5, 1, 9, 30, 0, 250)


def by_sqlite(**options):
    return lambda given: partial(sqlite3.connect, given("tmp_path") / "firm.db", **options)


def by_postgresql(**options):
    return lambda given: partial(psycopg.connect, given("address"), **options)


MODES = {  # how to connect to a database, again and again, in each mode that it has
    "sqlite": by_sqlite(),
    "sqlite immediate": by_sqlite(isolation_level="IMMEDIATE"),
    "sqlite autocommit by the driver": by_sqlite(isolation_level=None),
    "postgresql": by_postgresql(),
    "postgresql autocommit": by_postgresql(autocommit=True),
}
if sys.version_info >= (3, 12):
    MODES |= {f"sqlite autocommit {on}": by_sqlite(autocommit=on) for on in (True, False)}


def ask_each(connection, text, datasets, whole=None):
    """What a statement says of each dataset, once it has been read."""
    database, given = database_of(connection), list(datasets)
    database.read(text)
    return database.ask_each(text, given, whole or {}, 60)


def ask(connection, text, staff=STAFF, name="staff"):
    return ask_each(connection, text, [{name: staff}], {name: staff})[0]


@pytest.fixture(params=MODES)
def connect(request):
    """How to connect to a database with a table `staff` and a public one, in each mode."""
    connect = MODES[request.param](request.getfixturevalue)
    with closing(connect()) as made:
        for name in ("staff", "rates"):
            made.execute(f"DROP TABLE IF EXISTS {name}")
        made.execute("CREATE TABLE staff (kept text)")
        made.execute("INSERT INTO staff VALUES ('mine')")
        made.execute("CREATE TABLE rates (department text, rate numeric)")
        made.execute("INSERT INTO rates VALUES ('law', 1.5), ('art', 2)")
        made.commit()
    return connect


@pytest.fixture
def connection(connect):
    with closing(connect()) as made:
        yield made


@pytest.fixture
def sqlite():
    with closing(sqlite3.connect(":memory:")) as made:
        yield made


@pytest.fixture
def postgresql(address):
    with psycopg.connect(address) as made:
        yield made


def state(connection):
    """Whether a transaction is open, and settings of a session."""
    if isinstance(connection, psycopg.Connection):
        is_open = connection.info.transaction_status.name == "INTRANS"
        return is_open, connection.prepare_threshold, connection.autocommit
    return (connection.in_transaction,)


# -- every session ---------------------------------------------------------------------------


def test_a_statement_is_answered_from_the_dataset_and_from_public_tables(connection):
    """Catches a permanent table that hides the dataset's, and a column of nothing but NULL."""
    text = """
        SELECT s.department, SUM(salary * rate) AS total, NULL AS none
        FROM staff AS s JOIN rates USING (department) GROUP BY s.department ORDER BY 1
    """
    for library in (pd.DataFrame, pl.from_pandas, pa.Table.from_pandas):
        names, numeric, rows = ask(connection, text, library(STAFF))
        assert (names, numeric[:2]) == (["department", "total", "none"], [False, True])
        assert not numeric[2]
        assert rows == [("art", 80, None), ("law", 165, None)]


def test_nothing_is_left_behind(connection, connect):
    """Catches a temporary table that stays and hides the user's own, a change, an open transaction."""
    before = state(connection)
    ask_each(connection, "SELECT COUNT(*) FROM staff", [{}], {"staff": STAFF, "more": STAFF})
    with refused(ValueError, "absent"):
        ask(connection, "SELECT absent FROM staff")
    with refused(ValueError, "table staff must be one the database takes"):
        ask(connection, "SELECT 1 FROM staff", pd.DataFrame({"a": ["\0"], "b": [2**63]}))
    assert state(connection) == before
    connection.execute("CREATE TEMPORARY TABLE more (a int)")  # there is none
    with closing(connect()) as other:
        for each in (connection, other):
            assert each.execute("SELECT * FROM staff").fetchall() == [("mine",)]


def test_an_open_transaction_stays_open_as_it_was(connection, connect):
    """Catches a commit or a rollback of what the user has begun, also where the statement fails."""
    count = "SELECT COUNT(*) FROM staff"
    if not state(connection)[0] and getattr(connection, "autocommit", True):
        connection.execute("BEGIN")
    connection.execute("INSERT INTO staff VALUES ('begun')")
    before = state(connection)
    ask(connection, count)
    with refused(ValueError, "absent"):
        ask(connection, "SELECT absent FROM staff")
    assert state(connection) == before
    with closing(connect()) as other:
        assert other.execute(count).fetchone() == (1,)
        other.rollback()
        assert connection.execute(count).fetchone() == (2,)
        connection.execute("INSERT INTO staff VALUES ('and still writable')")
        connection.execute("COMMIT")
        assert other.execute(count).fetchone() == (3,)


def test_many_datasets_are_answered_in_order(connection):
    """Catches rows of one dataset that stay for the next, among them the empty one's."""
    datasets = [{"staff": STAFF.head(n % 4)} for n in range(210)]
    text = "SELECT COUNT(*) AS n FROM staff"
    answers = ask_each(connection, text, datasets, {"staff": STAFF})
    assert answers == [ResultSet(["n"], [True], [(n % 4,)]) for n in range(210)]
    assert ask_each(connection, text, []) == []


def test_the_database_says_what_is_wrong(connection):
    """Catches a message without the database's own words."""
    for text, word in {
        "SELECT COUNT(*) FROM payroll": "payroll",
        "SELECT absent FROM staff": "absent",
        "SELECT most_often(salary) FROM staff": "most_often",
    }.items():
        with refused(ValueError, "statement must run", word):
            ask(connection, text)


def test_odd_names_are_quoted(connection):
    """Catches a name that ends its quotes, or is read as a mark for a cell."""
    frame = pd.DataFrame({'a"b': [1], "100 %s": [2], "order": [np.int8(3)]})
    text = 'SELECT "a""b" + "100 %s" + "order" FROM "Odd %(table)s"'
    assert ask(connection, text, frame, "Odd %(table)s").rows == [(6,)]


def test_connections_that_cannot_be_asked_are_refused(connection):
    """Catches a temporary table in the way, a cursor that is taken for a connection, and a closed one."""
    connection.execute("CREATE TEMPORARY TABLE staff (a int)")
    with refused(ValueError, "table staff", "already exists"):
        ask(connection, "SELECT 1 FROM staff")
    for other in (connection.cursor(), sqlite3, "firm.db", STAFF):
        with refused(TypeError, "connection must be one of a DB-API 2 module"):
            database_of(other)
    connection.close()
    with refused(ValueError, "connection must be open", "closed"):
        sl.sql("SELECT 1 FROM staff", connection=connection)


# -- statements -------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", None])
@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM staff",
        "WITH a AS (SELECT 1) INSERT INTO rates SELECT 'x', 1",
        "WITH gone AS (DELETE FROM rates RETURNING rate) SELECT SUM(rate) FROM gone",
        "SELECT * INTO extra FROM rates",
        "REPLACE INTO rates VALUES ('x', 1)",
        "CREATE TABLE extra (a int)",
        "DROP TABLE rates",
        "ATTACH 'other.db' AS other",
        "PRAGMA user_version = 3",
        "SELECT 1; DELETE FROM rates",
        "SELECT 'a' ; ; SELECT 2",
        "SELECT 1 FROM some @@ words !!; COMMIT; DELETE FROM rates",
        "VACUUM",
        "ROLLBACK",
        "CALL f()",
        "-- nothing",
        "",
        "SELECT 'open",
    ],
)
def test_statements_that_write_are_refused_where_they_are_read(text, dialect):
    """Catches a statement that reaches the database."""
    with refused(ValueError, "statement must be"):
        parsed(text, dialect, False)


def test_what_only_the_database_can_read_is_given_to_it(sqlite):
    """Catches a query refused because the parser does not know a word of it."""
    text = "SELECT COUNT(*) FROM staff NOT INDEXED WHERE salary IS NOT DISTINCT FROM 50;"
    assert ask(sqlite, text).rows == [(1,)]
    with refused(ValueError, "statement must run", "syntax error"):
        ask(sqlite, "SELECT FROM WHERE")


def test_a_sensitivity_is_asked_through_a_connection(sqlite):
    """Catches a universe without a name, public tables, and refusals that come too late."""
    sqlite.execute("CREATE TABLE rates (department text, rate real)")
    sqlite.execute("INSERT INTO rates VALUES ('law', 3), ('art', 1)")
    anyone = sl.Universe.product(department=["law", "art"], salary=[0, 50])
    people = sl.Universe.product(department=["law", "art"], salary=[0, 50], name="people")

    def found(text, universe):
        query = sl.sql(text, connection=sqlite)
        return sl.global_sensitivity(query, universe, size=2, relation=sl.SymmetricDifference(1))

    text = "SELECT COALESCE(SUM(salary * rate), 0) FROM people JOIN rates USING (department)"
    assert found(text, people).value == 150
    assert found("SELECT COUNT(*) FROM whoever WHERE salary > 0", anyone).value == 1
    with refused(ValueError, "name the universe"):
        found(text, anyone)
    with refused(ValueError, "no such table: payroll"):
        found(text.replace("rates", "payroll"), people)
    with refused(ValueError, "statement must be a query that writes nothing"):
        found("DELETE FROM rates", people)


def test_a_tie_that_a_database_breaks_in_its_own_way_is_refused(connection):
    """Catches the first of many groups of one size, whatever the order of rows."""
    first = (
        "SELECT department, COUNT(*) AS n FROM staff GROUP BY department ORDER BY n DESC LIMIT 1"
    )
    query = sl.sql(first, connection=connection)
    with refused(ValueError, "order of rows"):
        query(pd.DataFrame({"department": [f"{i:02}" for i in range(40)]}))
    assert query(STAFF).labels == ("law",)


def test_names_in_quotes_are_told_by_case_where_the_database_does(sqlite, postgresql):
    """Catches "Staff" that passes for staff in PostgreSQL, where it is another table."""
    text = 'SELECT COUNT(*) FROM "Staff"'
    assert sl.sql(text, connection=sqlite)({"staff": STAFF}) == 3
    assert sl.sql(text, connection=postgresql)({"Staff": STAFF}) == 3
    with refused(ValueError, "must name the table staff, got Staff"):
        sl.sql(text, connection=postgresql)({"staff": STAFF})


def test_what_writes_by_a_function_is_refused_by_postgresql(postgresql):
    """Catches a sequence that moves on: a rollback would not move it back."""
    postgresql.execute("CREATE SEQUENCE IF NOT EXISTS lasting")
    postgresql.commit()
    with refused(ValueError, "nextval", "read-only"):
        ask(postgresql, "SELECT nextval('lasting') FROM staff")
    assert postgresql.execute("SELECT is_called FROM lasting").fetchone() == (False,)


# -- types ------------------------------------------------------------------------------------

CELLS = {
    "whole": [1, None],
    "short": pl.Series([0.1, None], dtype=pl.Float32),
    "money": [Decimal("0.10"), None],
    "on": [True, None],
    "day": [MOMENT.date(), None],
    "at": [MOMENT, None],
    "zoned": pl.Series([MOMENT, None])
    .dt.replace_time_zone("UTC")
    .dt.convert_time_zone("Asia/Tokyo"),
    "clock": [MOMENT.time(), None],
    "raw": [b"\0x", None],
}


def test_every_type_arrives_as_sqlite_has_it(sqlite):
    """Catches a boolean, a date or a decimal in another form, and a null that becomes a number."""
    frame, at = pl.DataFrame(CELLS), "2024-05-01 09:30:00.000250"
    assert ask(sqlite, "SELECT * FROM staff", frame).rows == [
        (1, 0.1, 0.1, 1, "2024-05-01", at, f"{at}+00:00", "09:30:00.000250", b"\0x"),
        (None,) * 9,
    ]
    whole = pl.DataFrame(
        {"whole": [7], "large": pl.Series([7], dtype=pl.UInt64), "money": [Decimal("7.0")]}
    )
    kinds = "SELECT typeof(whole), typeof(large), typeof(money) FROM staff"
    assert ask(sqlite, kinds, whole).rows == [("integer", "integer", "real")]
    asked = "SELECT julianday(at) - julianday(day) FROM staff WHERE \"on\" AND at > '2024-05-01'"
    ((days,),) = ask(sqlite, asked, frame).rows
    assert days == pytest.approx(9.5 / 24)
    for cells in ([datetime.timedelta(1)], [[1]]):
        with refused(ValueError, "column s of table staff"):
            ask(sqlite, "SELECT 1 FROM staff", pl.DataFrame({"s": cells}))


def test_every_type_arrives_in_postgresql_as_itself(postgresql):
    """Catches a column that is written as text, a null that becomes a number, a lost microsecond."""
    frame = pl.DataFrame(CELLS).with_columns(
        big=pl.Series([2**64 - 1, None], dtype=pl.UInt64),
        long=pl.Series([datetime.timedelta(hours=3), None]),
        level=pl.Series(["low", None], dtype=pl.Enum(["low", "high"])),
    )
    text = "SELECT *, EXTRACT(EPOCH FROM zoned) AS seconds FROM staff ORDER BY whole"
    first, last = ask(postgresql, text, frame.drop("zoned").with_columns(frame["zoned"])).rows
    known = (1, 0.1, Decimal("0.10"), True, MOMENT.date(), MOMENT, MOMENT.time(), b"\0x")
    assert first[:11] == (*known, 2**64 - 1, datetime.timedelta(hours=3), "low")
    assert (first[-1], last) == (Decimal("1714555800.000250"), (None,) * 13)
    finer = pd.DataFrame({"at": [pd.Timestamp("2024-05-01 09:00:00.000000001")]})
    with refused(ValueError, "whole microseconds"):
        ask(postgresql, "SELECT COUNT(*) FROM staff", finer)
    with refused(ValueError, "column s of table staff", "List"):
        ask(postgresql, "SELECT 1 FROM staff", pl.DataFrame({"s": [[1]]}))


def test_objects_of_pandas_have_the_type_of_their_values(postgresql):
    """Catches a date or a boolean that becomes text where pandas knows no type."""
    cells = {
        "on_": [True, None],
        "day": [datetime.date(2024, 1, 2), None],
        "money": [Decimal("1.5"), 2],
        "none": [None, None],
    }
    frame = pd.DataFrame({name: pd.Series(each, dtype=object) for name, each in cells.items()})
    text = (
        "SELECT COUNT(*) FILTER (WHERE on_), MAX(day) - DATE '2024-01-01', SUM(money), "
        "MAX(pg_typeof(none)::text) FROM staff"
    )
    assert ask(postgresql, text, frame).rows == [(1, 1, Decimal("3.5"), "text")]
    with refused(ValueError, "column s of table staff", "text and whole"):
        ask(postgresql, text, pd.DataFrame({"s": pd.Series(["a", 1], dtype=object)}))


def test_nan_is_no_null(sqlite, postgresql):
    """Catches NaN that becomes NULL in silence: to PostgreSQL it is a number, above all others."""
    frame = pl.DataFrame({"a": [1.0, float("nan"), None]})
    text = "SELECT COUNT(a), COUNT(*) FILTER (WHERE a > 5), COUNT(*) FROM staff"
    assert ask(postgresql, text, frame).rows == [(2, 1, 3)]
    with refused(ValueError, "must not be NaN", "sqlite"):
        ask(sqlite, text, frame)
    assert ask(sqlite, text, frame.to_pandas()).rows == [(1, 0, 3)]


# -- connections ------------------------------------------------------------------------------


def test_a_transaction_that_has_failed_and_one_that_must_be_awaited_are_refused(postgresql):
    """Catches a session of PostgreSQL that answers nothing."""
    with refused(TypeError, "asynchronous"):
        database_of(object.__new__(psycopg.AsyncConnection))
    with pytest.raises(psycopg.errors.UndefinedColumn):
        postgresql.execute("SELECT nothing")
    with refused(ValueError, "connection must be idle", "INERROR"):
        ask(postgresql, "SELECT 1 FROM staff")


class _Firm(sqlite3.Connection):
    """A connection of a class of one's own."""


def test_a_class_of_ones_own_is_known_by_what_it_is_made_of():
    """Catches a subclass, as pools and tracers make them, taken for an unknown database."""
    with closing(sqlite3.connect(":memory:", factory=_Firm)) as connection:
        assert isinstance(database_of(connection), SQLite)


class _Cursor:
    """A cursor of sqlite3 whose parameters are written in another way, and whose tables no rollback takes."""

    def __init__(self, cursor, written):
        self.cursor, self.written = cursor, written

    def execute(self, text):
        if not text.startswith("ROLLBACK"):
            self.cursor.execute(text)

    def executemany(self, text, rows):
        by_sqlite = {
            "format": ("%s", "?"),
            "numeric": (r":(\d+)", r"?\1"),
            "pyformat": (r"%\((\w+)\)s", r":\1"),
        }
        plain = re.sub(*by_sqlite.get(self.written, ("", "")), text)
        self.cursor.executemany(plain.replace("%%", "%"), rows)

    def __getattr__(self, name):
        return getattr(self.cursor, name)


class _Connection:
    """A connection of a module of its own, which is sqlite3 within."""

    def __init__(self, written):
        self.written, self.inside = written, sqlite3.connect(":memory:")

    def cursor(self):
        return _Cursor(self.inside.cursor(), self.written)

    def commit(self):
        raise AssertionError("nothing is to be committed")

    rollback = close = commit


@pytest.mark.parametrize("written", ["qmark", "numeric", "named", "format", "pyformat"])
def test_parameters_are_written_as_the_module_says(monkeypatch, written):
    """Catches marks of another style, a per cent sign in a name that is read as one, a table that stays."""
    module = ModuleType("another_database")
    module.paramstyle = written
    monkeypatch.setitem(sys.modules, "another_database", module)
    monkeypatch.setattr(_Connection, "__module__", "another_database.connections")
    connection = _Connection(written)
    assert database_of(connection).sql is None
    text = "SELECT SUM(salary) FROM \"50% staff\" WHERE department <> 'art'"
    assert ask(connection, text, name="50% staff").rows == [(110,)]
    assert connection.inside.execute("SELECT * FROM sqlite_temp_master").fetchall() == []
    beside = "SELECT COUNT(*) + (SELECT COUNT(*) FROM main.staff) FROM staff"
    with refused(ValueError, "table staff without a schema"):  # it cannot tell what it scans
        sl.sql(beside, connection=connection)({"staff": STAFF})


class _Told:
    """A connection of psycopg2 that answers 1 to every statement, and keeps what it was told."""

    def __init__(self, status, autocommit):
        self.info, self.autocommit, self.told = (
            SimpleNamespace(transaction_status=status),
            autocommit,
            [],
        )
        self.description = [("n", 3)]

    def cursor(self, *, cursor_factory):
        assert cursor_factory is tuple
        return self

    def execute(self, text):
        self.told.append(text)

    def executemany(self, text, rows):
        self.told.append((text, rows))

    def fetchall(self):
        return [] if "pg_stat_xact" in self.told[-1] else [(1,)]

    def rollback(self):
        self.told.append("rollback()")

    def commit(self):
        raise AssertionError("nothing is to be committed")

    def close(self):
        pass


SAVED = ["ROLLBACK TO SAVEPOINT sensitivity_lab", "RELEASE SAVEPOINT sensitivity_lab"]


@pytest.mark.parametrize(
    ("status", "autocommit", "first", "last"),
    [
        (0, False, [], ["rollback()"]),
        (0, True, ["BEGIN"], ["ROLLBACK", "rollback()"]),
        (2, False, ["SAVEPOINT sensitivity_lab"], SAVED),
        (3, False, None, None),
    ],
)
def test_what_psycopg2_is_told(monkeypatch, status, autocommit, first, last):
    """Catches a transaction left open where none was, and one rolled back that was open."""
    module = ModuleType("psycopg2")
    module.paramstyle, module.NUMBER = "pyformat", 3
    module.extensions = SimpleNamespace(cursor=tuple)
    monkeypatch.setitem(sys.modules, "psycopg2", module)
    monkeypatch.setattr(_Told, "__module__", "psycopg2.extensions")
    connection, frame = _Told(status, autocommit), pl.DataFrame({"a`": [Decimal("0.5")]})
    if first is None:
        with refused(ValueError, "connection must be idle", "INERROR"):
            ask(connection, "SELECT 1 AS n FROM staff", frame)
        return
    assert ask(connection, "SELECT 1 AS n FROM staff", frame).rows == [(1,)]
    made = 'CREATE TEMPORARY TABLE "staff" ("a`" numeric)'
    assert connection.told[: len(first) + 2] == [
        *first, made, "SET LOCAL transaction_read_only TO on"
    ]  # fmt: skip
    assert connection.told[-len(last) :] == last
