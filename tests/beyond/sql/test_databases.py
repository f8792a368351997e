"""Statements asked of sqlite3, of a real PostgreSQL,
and of modules that write parameters in other ways.

The dataset stands in the place of a table, numbers and words are the database's,
and nothing is left behind.
"""

import datetime
import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from functools import partial
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pytest
from conftest import refused
from sensitivity_beyond.tables.sql.dialects import database_of
from sensitivity_beyond.tables.sql.parsed import parsed
from sensitivity_beyond.tables.sql.result_set import ResultSet

import sensitivity_lab as sl

STAFF = pd.DataFrame({"department": ["law", "art", "law"], "salary": [50, 40, 60]})
MOMENT = datetime.datetime(2024, 5, 1, 9, 30, 0, 250)
ZONED = pl.Series([MOMENT.replace(tzinfo=datetime.UTC), None])


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
    """A session of a class of one's own, as pools and tracers make them."""
    factory = type("Firm", (sqlite3.Connection,), {})
    with closing(sqlite3.connect(":memory:", factory=factory)) as made:
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


def test_nothing_is_left_behind(connection, connect):
    """Catches a temporary table that stays, a change, an open transaction."""
    before = state(connection)
    ask_each(connection, "SELECT COUNT(*) FROM staff", [{}], {"staff": STAFF, "more": STAFF})
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


def test_odd_names_are_quoted(connection):
    """Catches a name that ends its quotes, or is read as a mark for a cell."""
    frame = pd.DataFrame({'a"b': [1], "100 %s": [2], "order": [np.int8(3)]})
    text = 'SELECT "a""b" + "100 %s" + "order" FROM "Odd %(table)s"'
    assert ask(connection, text, frame, "Odd %(table)s").rows == [(6,)]


def test_connections_that_cannot_be_asked_are_refused(connection):
    """Catches a temporary table in the way, a cursor taken for a connection, a closed one."""
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
        "WITH a AS (SELECT 1) INSERT INTO rates SELECT 'x', 1",
        "WITH gone AS (DELETE FROM rates RETURNING rate) SELECT SUM(rate) FROM gone",
        "SELECT * INTO extra FROM rates",
        "REPLACE INTO rates VALUES ('x', 1)",
        "PRAGMA user_version = 3",
        "SELECT 1 FROM some @@ words !!; COMMIT; DELETE FROM rates",
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


def test_a_tie_that_a_database_breaks_in_its_own_way_is_refused(connection):
    """Catches the first of many groups of one size, whatever the order of rows."""
    groups = "SELECT department, COUNT(*) AS n FROM staff GROUP BY department"
    query = sl.sql(f"{groups} ORDER BY n DESC LIMIT 1", connection=connection)
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


# -- types ------------------------------------------------------------------------------------

SHORT = 0.10000000149011612  # what a float32 of 0.1 is
CELLS = {
    "whole": [1, None],
    "short": pl.Series([0.1, None], dtype=pl.Float32),
    "money": [Decimal("0.10"), None],
    "on": [True, None],
    "day": [MOMENT.date(), None],
    "at": [MOMENT, None],
    "zoned": ZONED.dt.convert_time_zone("Asia/Tokyo"),
    "clock": [MOMENT.time(), None],
    "raw": [b"\0x", None],
}


def test_every_type_arrives_as_sqlite_has_it(sqlite):
    """Catches a boolean, a date or a decimal in another form, and a null that becomes a number."""
    frame, at = pl.DataFrame(CELLS), "2024-05-01 09:30:00.000250"
    assert ask(sqlite, "SELECT * FROM staff", frame).rows == [
        (1, SHORT, 0.1, 1, "2024-05-01", at, f"{at}+00:00", "09:30:00.000250", b"\0x"),
        (None,) * 9,
    ]
    whole = pl.DataFrame({"large": pl.Series([7], dtype=pl.UInt64), "money": [Decimal("7.0")]})
    kinds = "SELECT typeof(large), typeof(money) FROM staff"
    assert ask(sqlite, kinds, whole).rows == [("integer", "real")]
    asked = "SELECT julianday(at) - julianday(day) FROM staff WHERE \"on\" AND at > '2024-05-01'"
    ((days,),) = ask(sqlite, asked, frame).rows
    assert days == pytest.approx(9.5 / 24)
    with refused(ValueError, "column s of table staff"):
        ask(sqlite, "SELECT 1 FROM staff", pl.DataFrame({"s": [[1]]}))


def test_every_type_arrives_in_postgresql_as_itself(postgresql):
    """Catches a column written as text, a null that becomes a number, a lost microsecond."""
    frame = pl.DataFrame(CELLS).with_columns(
        big=pl.Series([2**64 - 1, None], dtype=pl.UInt64),
        long=pl.Series([datetime.timedelta(hours=3), None]),
        level=pl.Series(["low", None], dtype=pl.Enum(["low", "high"])),
    )
    text = "SELECT *, EXTRACT(EPOCH FROM zoned) AS seconds FROM staff ORDER BY whole"
    first, last = ask(postgresql, text, frame.drop("zoned").with_columns(frame["zoned"])).rows
    known = (1, SHORT, Decimal("0.10"), True, MOMENT.date(), MOMENT, MOMENT.time(), b"\0x")
    assert first[:11] == (*known, 2**64 - 1, datetime.timedelta(hours=3), "low")
    assert (first[-1], last) == (Decimal("1714555800.000250"), (None,) * 13)
    finer = pd.DataFrame({"at": [pd.Timestamp("2024-05-01 09:00:00.000000001")]})
    with refused(ValueError, "whole microseconds"):
        ask(postgresql, "SELECT COUNT(*) FROM staff", finer)
    with refused(ValueError, "column s of table staff", "List"):
        ask(postgresql, "SELECT 1 FROM staff", pl.DataFrame({"s": [[1]]}))


def test_objects_of_pandas_have_the_type_of_their_values(postgresql):
    """Catches a date or a boolean that becomes text where pandas knows no type."""
    day, none = datetime.date(2024, 1, 2), [None, None]
    cells = {"on_": [True, None], "day": [day, None], "money": [Decimal("1.5"), 2], "none": none}
    frame = pd.DataFrame({name: pd.Series(each, dtype=object) for name, each in cells.items()})
    text = "SELECT BOOL_AND(on_), MAX(day), SUM(money), MAX(pg_typeof(none)::text) FROM staff"
    assert ask(postgresql, text, frame).rows == [(True, day, Decimal("3.5"), "text")]
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


@pytest.fixture
def pretended(monkeypatch):
    """Makes a connection of a DB-API 2 module that is not there, which answers 1 to all."""

    def of(name, **module):
        made = ModuleType(name)
        vars(made).update(module)
        monkeypatch.setitem(sys.modules, name, made)
        connection = MagicMock(spec=["cursor", "commit", "rollback", "close", "info", "autocommit"])
        type(connection).__module__ = f"{name}.connections"
        cursor = connection.cursor.return_value
        cursor.description = [("n", 3)]
        cursor.fetchall = lambda: [] if "pg_stat_xact" in str(cursor.execute.call_args) else [(1,)]
        return connection

    return of


def told(connection):
    """What a pretended connection was told, by statements and by its methods."""
    said = [args[0] if args else name for name, args, _ in connection.mock_calls]
    return [each for each in said if each not in ("cursor", "cursor().close")]


SAVED = "SAVEPOINT sensitivity_lab"
UNDONE = [f"ROLLBACK TO {SAVED}", f"RELEASE {SAVED}"]


@pytest.mark.parametrize(
    ("written", "marks"),
    [
        ("qmark", "?, ?"), ("numeric", ":1, :2"), ("named", ":c1, :c2"), ("format", "%s, %s"),
        ("pyformat", "%(c1)s, %(c2)s"),
    ],
)  # fmt: skip
def test_parameters_are_written_as_the_module_says(pretended, written, marks):
    """Catches marks of another style, a per cent sign read as one, a table that stays."""
    connection = pretended("another_database", paramstyle=written)
    text, frame = 'SELECT SUM(b) FROM "50% staff"', pl.DataFrame({"a": ["law", "art"], "b": [5, 4]})
    assert ask(connection, text, frame, "50% staff").rows == [(1,)]
    rows = [("law", 5), ("art", 4)]
    named = [{"c1": one, "c2": other} for one, other in rows]
    into = f'INSERT INTO "50{"%%" if "format" in written else "%"} staff" VALUES ({marks})'
    given = connection.cursor.return_value.executemany.call_args.args
    assert given == (into, named if written in ("named", "pyformat") else rows)
    made = 'CREATE TEMPORARY TABLE "50% staff" ("a" text, "b" bigint)'
    filled = [SAVED, made, 'DELETE FROM "50% staff"', into, text, 'DROP TABLE "50% staff"']
    assert told(connection) == [*filled, *UNDONE]
    beside = "SELECT COUNT(*) + (SELECT COUNT(*) FROM main.staff) FROM staff"
    with refused(ValueError, "table staff without a schema"):  # it cannot tell what it scans
        sl.sql(beside, connection=connection)({"staff": STAFF})


@pytest.mark.parametrize(
    ("status", "autocommit", "first", "last"),
    [
        (0, False, [], ["rollback"]),
        (0, True, ["BEGIN"], ["ROLLBACK", "rollback"]),
        (2, False, [SAVED], UNDONE),
    ],
)
def test_what_psycopg2_is_told(pretended, status, autocommit, first, last):
    """Catches a transaction left open where none was, and one rolled back that was open."""
    extensions = SimpleNamespace(cursor=tuple)
    connection = pretended("psycopg2", paramstyle="pyformat", NUMBER=3, extensions=extensions)
    connection.info.transaction_status, connection.autocommit = status, autocommit
    frame = pl.DataFrame({"a`": [Decimal("0.5")]})
    assert ask(connection, "SELECT 1 AS n FROM staff", frame).rows == [(1,)]
    made = 'CREATE TEMPORARY TABLE "staff" ("a`" numeric)'
    settled = "SET LOCAL transaction_read_only TO on"
    assert told(connection)[: len(first) + 2] == [*first, made, settled]
    assert told(connection)[-len(last) :] == last
    connection.cursor.assert_called_with(cursor_factory=tuple)
