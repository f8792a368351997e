"""Statements asked of sqlite3, and of modules that write parameters in other ways: nothing is left behind."""

import datetime
import re
import sqlite3
import sys
from decimal import Decimal
from types import ModuleType, SimpleNamespace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import refused

import sensitivity_lab as sl
from sensitivity_lab.sql.databases import Database, ask, ask_each
from sensitivity_lab.sql.result_set import ResultSet

STAFF = pd.DataFrame({"department": ["law", "art", "law"], "salary": [50, 40, 60]})
MODES = {
    "as sqlite3 has it": {},
    "immediate": {"isolation_level": "IMMEDIATE"},
    "autocommit by the driver": {"isolation_level": None},
}
if sys.version_info >= (3, 12):
    MODES |= {"autocommit": {"autocommit": True}, "no autocommit": {"autocommit": False}}


@pytest.fixture(params=MODES.values(), ids=MODES)
def path_and_mode(request, tmp_path):
    """A file with a table `staff` and a public one, and how to connect to it."""
    path = tmp_path / "firm.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE staff (kept text)")
        made.execute("INSERT INTO staff VALUES ('mine')")
        made.execute("CREATE TABLE rates (department text, rate real)")
        made.execute("INSERT INTO rates VALUES ('law', 1.5), ('art', 2)")
    made.close()
    return path, request.param


@pytest.fixture
def connection(path_and_mode):
    path, mode = path_and_mode
    made = sqlite3.connect(path, **mode)
    yield made
    made.close()


def content(path):
    """All that a file holds, as the statements that make it again."""
    other = sqlite3.connect(path)
    lines = list(other.iterdump())
    other.close()
    return lines


def test_a_statement_is_answered_from_the_dataset_and_from_public_tables(connection):
    """Catches a permanent table that hides the dataset's, and a column of nothing but NULL."""
    text = """
        SELECT s.department, SUM(salary * rate) AS total, NULL AS none
        FROM staff AS s JOIN rates USING (department) GROUP BY s.department ORDER BY 1
    """
    rows = [("art", 80.0, None), ("law", 165.0, None)]
    expected = ResultSet(["department", "total", "none"], [False, True, None], rows)
    for library in (pd.DataFrame, pl.from_pandas, pa.Table.from_pandas):
        assert ask(connection, text, {"staff": library(STAFF)}) == expected


def test_nothing_is_left_behind(connection, path_and_mode):
    """Catches a temporary table that stays and hides the user's own, a change, an open transaction."""
    path, _ = path_and_mode
    before, open_before = content(path), connection.in_transaction
    ask(connection, "SELECT COUNT(*) FROM staff", {"staff": STAFF, "more": STAFF})
    with refused(ValueError, "no such column: absent"):
        ask(connection, "SELECT absent FROM staff", {"staff": STAFF})
    with refused(ValueError, "table staff", "too large"):
        ask(connection, "SELECT 1", {"staff": pl.DataFrame({"a": [2**63]})})
    assert connection.in_transaction is open_before
    assert connection.execute("SELECT * FROM sqlite_temp_master").fetchall() == []
    assert connection.execute("SELECT * FROM staff").fetchall() == [("mine",)]
    assert content(path) == before


def test_an_open_transaction_stays_open_as_it_was(connection, path_and_mode):
    """Catches a commit or a rollback of what the user has begun, also where the statement fails."""
    path, _ = path_and_mode
    before = content(path)
    if not connection.in_transaction:
        connection.execute("BEGIN")
    connection.execute("INSERT INTO staff VALUES ('begun')")
    ask(connection, "SELECT COUNT(*) FROM staff", {"staff": STAFF})
    with refused(ValueError, "absent"):
        ask(connection, "SELECT absent FROM staff", {"staff": STAFF})
    assert connection.in_transaction
    assert connection.execute("SELECT COUNT(*) FROM staff").fetchone() == (2,)
    assert content(path) == before
    connection.execute("COMMIT")
    assert content(path) != before


def test_nan_is_refused_where_it_would_be_null():
    """Catches NaN that becomes NULL in silence, as sqlite3 binds it."""
    frame = pl.DataFrame({"a": [1.0, float("nan"), None]})
    connection = sqlite3.connect(":memory:")
    with refused(ValueError, "must not be NaN", "sqlite"):
        ask(connection, "SELECT COUNT(a) FROM staff", {"staff": frame})
    assert ask(connection, "SELECT COUNT(a) FROM staff", {"staff": frame.to_pandas()}).rows == [
        (1,)
    ]


def test_many_datasets_are_answered_in_order():
    """Catches rows of one dataset that stay for the next, and a transaction for each of thousands."""
    connection = sqlite3.connect(":memory:")
    begun = []
    connection.set_trace_callback(lambda text: begun.append(text) if "SAVEPOINT s" in text else 0)
    datasets = [{"staff": STAFF.head(n % 4)} for n in range(450)]
    answers = ask_each(connection, "SELECT COUNT(*) AS n FROM staff", iter(datasets))
    assert answers == [ResultSet(["n"], [True], [(n % 4,)]) for n in range(450)]
    assert ask_each(connection, "SELECT 1", []) == []
    assert sum(text.startswith("SAVEPOINT") for text in begun) == 3


def test_rows_come_in_the_order_of_the_frame():
    """Catches an order of its own: who asks twice, in two orders, must have two orders."""
    text = "SELECT salary FROM staff LIMIT 1"
    assert ask(sqlite3.connect(":memory:"), text, {"staff": STAFF}).rows == [(50,)]
    assert ask(sqlite3.connect(":memory:"), text, {"staff": STAFF[::-1]}).rows == [(60,)]


def test_what_sqlite_has_not_is_what_the_docstring_says():
    """Catches a boolean, a date or a decimal in another form, and a null that becomes a number."""
    moment = datetime.datetime(2024, 5, 1, 9, 30)
    frame = pl.DataFrame(
        {
            "on": [True, None],
            "day": [moment.date(), None],
            "at": [moment, None],
            "zoned": pl.Series([moment, None], dtype=pl.Datetime("us", "UTC")),
            "clock": [moment.time(), None],
            "money": [Decimal("0.10"), None],
            "short": pl.Series([0.1, None], dtype=pl.Float32),
            "raw": [b"x", None],
        }
    )
    connection = sqlite3.connect(":memory:")
    assert ask(connection, "SELECT * FROM staff", {"staff": frame}).rows == [
        (1, "2024-05-01", "2024-05-01 09:30:00", "2024-05-01 09:30:00+00:00", "09:30:00", 0.1, 0.1, b"x"),
        (None,) * 8,
    ]  # fmt: skip
    asked = "SELECT julianday(at) - julianday(day) FROM staff WHERE \"on\" AND at > '2024-05-01'"
    ((days,),) = ask(connection, asked, {"staff": frame}).rows
    assert days == pytest.approx(9.5 / 24)
    for cells in ([datetime.timedelta(1)], [[1]]):
        with refused(ValueError, "column s of table staff"):
            ask(connection, "SELECT 1", {"staff": pl.DataFrame({"s": cells})})


def test_rows_are_tuples_whatever_the_connection_makes_of_its_own():
    """Catches rows as dicts, which lose columns of one name."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = lambda cursor, row: {
        c[0]: v for c, v in zip(cursor.description, row, strict=True)
    }
    assert ask(connection, "SELECT 1 AS a, 2 AS a", {"staff": STAFF}).rows == [(1, 2)]


# -- statements ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM staff",
        "WITH a AS (SELECT 1) INSERT INTO rates SELECT 'x', 1",
        "REPLACE INTO rates VALUES ('x', 1)",
        "DROP TABLE rates",
        "ATTACH 'other.db' AS other",
        "PRAGMA user_version = 3",
        "SELECT 1; DELETE FROM rates",
        "SELECT 'a' ; ; SELECT 2",
        "VACUUM",
        "ROLLBACK",
        "-- nothing",
        "",
        "SELECT 'open",
    ],
)
def test_statements_that_write_are_refused_before_any_work(text):
    """Catches a statement that reaches the database."""
    connection, reached = sqlite3.connect(":memory:"), []
    connection.execute("CREATE TABLE rates (department text, rate real)")
    connection.set_trace_callback(reached.append)
    with refused(ValueError, "statement must be"):
        ask(connection, text, {"staff": STAFF})
    assert reached == []


def test_what_only_the_database_can_read_is_given_to_it():
    """Catches a query refused because the parser does not know a word of it."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rates (rate real)")
    text = "SELECT COUNT(*) FROM staff NOT INDEXED WHERE salary IS NOT DISTINCT FROM 50;"
    assert ask(connection, text, {"staff": STAFF}).rows == [(1,)]
    with refused(ValueError, "statement must run", "syntax error"):
        ask(connection, "SELECT FROM WHERE", {"staff": STAFF})
    with refused(TypeError, "statement must be text", "got 5"):
        ask(connection, 5, {"staff": STAFF})


def test_the_database_says_what_is_wrong():
    """Catches a message without the database's own words."""
    connection = sqlite3.connect(":memory:")
    for text, words in {
        "SELECT COUNT(*) FROM payroll": "no such table: payroll",
        "SELECT absent FROM staff": "no such column: absent",
        "SELECT MOST_OFTEN(salary) FROM staff": "no such function: MOST_OFTEN",
    }.items():
        with refused(ValueError, "statement must run", words):
            ask(connection, text, {"staff": STAFF})


def test_a_sensitivity_is_asked_through_a_connection():
    """Catches a universe without a name, public tables, and refusals that come too late."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rates (department text, rate real)")
    connection.execute("INSERT INTO rates VALUES ('law', 3), ('art', 1)")
    anyone = sl.Universe.product(department=["law", "art"], salary=[0, 50])
    text = (
        "SELECT COALESCE(SUM(salary * rate), 0) AS paid FROM people JOIN rates USING (department)"
    )
    staff = sl.Universe.product(department=["law", "art"], salary=[0, 50], name="people")
    asked = {"size": 2, "relation": sl.SymmetricDifference(1)}
    assert sl.global_sensitivity(sl.sql(text, connection=connection), staff, **asked).value == 150
    total = sl.sql("SELECT COUNT(*) FROM whoever WHERE salary > 0", connection=connection)
    assert sl.global_sensitivity(total, anyone, **asked).value == 1
    with refused(ValueError, "name the universe"):
        sl.global_sensitivity(sl.sql(text, connection=connection), anyone, **asked)
    with refused(ValueError, "no such table: payroll"):
        absent = "SELECT COUNT(*) FROM people JOIN payroll USING (department)"
        sl.global_sensitivity(sl.sql(absent, connection=connection), staff, **asked)
    with refused(ValueError, "statement must be a query that writes nothing"):
        sl.sql("DELETE FROM rates", connection=connection)
    with refused(TypeError, "connection must be one of a DB-API 2 module"):
        sl.sql(text, connection="firm.db")
    connection.close()
    with refused(ValueError, "connection must be open"):
        sl.sql(text, connection=connection)


def test_an_answer_that_depends_on_the_order_of_rows_is_refused():
    """Catches the first row of a table, which is no function of a dataset."""
    staff = sl.Universe.product(salary=[0, 50, 70], name="staff")
    query = sl.sql("SELECT salary FROM staff LIMIT 1", connection=sqlite3.connect(":memory:"))
    with refused(ValueError, "must not depend on the order of rows"):
        sl.global_sensitivity(query, staff, size=2, relation=sl.Change(1))


# -- connections -----------------------------------------------------------------------------


def test_what_is_no_connection_is_refused():
    """Catches a module, a path or a cursor that is taken for a connection, and a closed one."""
    connection = sqlite3.connect(":memory:")
    for other in (sqlite3, "firm.db", connection.cursor(), None, STAFF):
        with refused(TypeError, "connection must be one of a DB-API 2 module"):
            ask(other, "SELECT 1", {"staff": STAFF})
    connection.execute("CREATE TEMPORARY TABLE staff (a int)")
    with refused(ValueError, "table staff", "already exists"):
        ask(connection, "SELECT 1", {"staff": STAFF})
    connection.close()
    with refused(ValueError, "connection must be open", "closed"):
        ask(connection, "SELECT 1", {"staff": STAFF})


class _Firm(sqlite3.Connection):
    """A connection of a class of one's own."""


def test_a_class_of_ones_own_is_known_by_what_it_is_made_of():
    """Catches a subclass, as pools and tracers make them, taken for an unknown database."""
    assert Database.of(sqlite3.connect(":memory:", factory=_Firm)).dialect == "sqlite"


class _Cursor:
    """A cursor of sqlite3 whose parameters are written in another way."""

    def __init__(self, cursor, written):
        self.cursor, self.written = cursor, written

    def execute(self, text):
        self.cursor.execute(text)

    def executemany(self, text, rows):
        style = {"qmark": r"\?", "format": "%s", "numeric": r":\d+"}
        marks = style.get(self.written) or (r":c\d+" if self.written == "named" else r"%\(c\d+\)s")
        plain = re.sub(marks, "?", text)
        if self.written in ("format", "pyformat"):
            plain = plain.replace("%%", "%")
        for row in rows:
            self.cursor.execute(plain, tuple(row.values()) if isinstance(row, dict) else row)

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
    """Catches marks of another style, and a per cent sign in a name that is read as one."""
    module = ModuleType("another_database")
    module.paramstyle = written
    monkeypatch.setitem(sys.modules, "another_database", module)
    monkeypatch.setattr(_Connection, "__module__", "another_database.connections")
    connection = _Connection(written)
    assert Database.of(connection).dialect is None
    tables = {"50% staff": STAFF}
    assert ask(connection, 'SELECT SUM(salary) FROM "50% staff"', tables).rows == [(150,)]
    assert connection.inside.execute("SELECT * FROM sqlite_temp_master").fetchall() == []


class _Told:
    """A connection that answers 1 to every statement, and keeps what it was told."""

    def __init__(self, status, autocommit=False):
        self.server_status, self.autocommit, self.told = status, autocommit, []
        self.description, self.row_factory = [("n", 3)], None

    def get_transaction_status(self):
        return self.server_status

    def cursor(self, kind=None, *, cursor_factory=None):
        assert kind is tuple or cursor_factory is tuple
        return self

    def execute(self, text):
        self.told.append(text)

    def executemany(self, text, rows):
        self.told.append((text, rows))

    def fetchall(self):
        return [] if "pg_stat_xact" in self.told[-1] else [(1,)]

    def rollback(self):
        self.told.append("rollback()")

    def ping(self, reconnect):
        assert not reconnect

    def commit(self):
        raise AssertionError("nothing is to be committed")

    def close(self):
        pass


def told(monkeypatch, name, **state):
    """What a module's connection is told for one statement over one table."""
    module = ModuleType(name)
    module.paramstyle, module.NUMBER = "pyformat", 3
    module.cursors = module.extensions = SimpleNamespace(Cursor=tuple, cursor=tuple)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(_Told, "__module__", name)
    connection = _Told(**state)
    frame = pl.DataFrame({"a`": [Decimal("0.5")]})
    assert ask(connection, "SELECT 1 AS n", {"staff": frame}).rows == [(1,)]
    return connection.told


def test_what_psycopg2_is_told(monkeypatch):
    """Catches a transaction left open where none was, and one rolled back that was open."""
    begun = {
        (0, False): ([], ["rollback()"]),
        (0, True): (["BEGIN"], ["ROLLBACK", "rollback()"]),
        (2, False): (
            ["SAVEPOINT sensitivity_lab"],
            ["ROLLBACK TO SAVEPOINT sensitivity_lab", "RELEASE SAVEPOINT sensitivity_lab"],
        ),
    }
    for (status, autocommit), (first, last) in begun.items():
        texts = told(monkeypatch, "psycopg2", status=status, autocommit=autocommit)
        made = 'CREATE TEMPORARY TABLE "staff" ("a`" numeric)'
        assert texts[: len(first) + 1] == [*first, made]
        assert texts[len(first) + 1] == "SET LOCAL transaction_read_only TO on"
        assert texts[-len(last) :] == last
    with refused(ValueError, "connection must be idle", "INERROR"):
        told(monkeypatch, "psycopg2", status=3)
