"""Statements asked of a real PostgreSQL server: its numbers, its words, and that it is left as it was."""

import datetime
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pytest
from conftest import refused
from psycopg.rows import dict_row

import sensitivity_lab as sl
from sensitivity_lab.sql.databases import Database, ask, ask_each
from sensitivity_lab.sql.result_set import ResultSet

STAFF = pd.DataFrame({"department": ["law", "art", "law"], "salary": [50, 40, 60]})


@pytest.fixture
def connection(address: str) -> Iterator[psycopg.Connection]:
    """A connection to a database with a table `staff`, a public one, and a sequence."""
    with psycopg.connect(address, autocommit=True) as made:
        made.execute("DROP TABLE IF EXISTS staff, rates, extra; DROP SEQUENCE IF EXISTS numbers")
        made.execute("CREATE TABLE staff (kept text); INSERT INTO staff VALUES ('mine')")
        made.execute("CREATE TABLE rates (department text, rate numeric)")
        made.execute("INSERT INTO rates VALUES ('law', 1.1), ('art', 2)")
        made.execute("CREATE SEQUENCE numbers")
    with psycopg.connect(address) as made:
        yield made


def status(connection):
    return connection.info.transaction_status.name


def left_behind(connection):
    """Temporary tables and prepared statements of a session."""
    with connection.transaction(force_rollback=True):
        tables = "SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'"
        prepared = "SELECT statement FROM pg_prepared_statements"
        return connection.execute(f"{tables} UNION ALL {prepared}").fetchall()


def test_a_statement_is_answered_from_the_dataset_and_from_public_tables(connection):
    """Catches a permanent table that hides the dataset's, and numbers of another type."""
    text = """
        SELECT s.department, SUM(salary) AS total, AVG(salary * rate) AS mean, COUNT(*) > 1 AS many
        FROM staff AS s JOIN rates USING (department) GROUP BY s.department ORDER BY 1
    """
    answer = ask(connection, text, {"staff": STAFF})
    assert answer.names == ["department", "total", "mean", "many"]
    assert answer.numeric == [False, True, True, False]
    assert answer.rows == [
        ("art", 40, Decimal("80"), False),
        ("law", 110, Decimal("60.5"), True),
    ]
    assert isinstance(answer.rows[0][2], Decimal)


def test_every_type_arrives_as_itself(connection):
    """Catches a column that is written as text, a null that becomes a number, a lost microsecond."""
    moment = datetime.datetime(2024, 5, 1, 9, 30, 0, 250)
    frame = pl.DataFrame(
        {
            "whole": [1, None],
            "big": pl.Series([2**64 - 1, None], dtype=pl.UInt64),
            "short": pl.Series([0.1, None], dtype=pl.Float32),
            "money": [Decimal("0.10"), None],
            "on": [True, None],
            "day": [moment.date(), None],
            "at": [moment, None],
            "clock": [moment.time(), None],
            "long": [datetime.timedelta(hours=3), None],
            "level": pl.Series(["low", None], dtype=pl.Enum(["low", "high"])),
            "raw": [b"\0x", None],
        }
    )
    rows = ask(connection, "SELECT * FROM staff ORDER BY whole", {"staff": frame}).rows
    first = (1, 2**64 - 1, 0.1, Decimal("0.10"), True, moment.date(), moment, moment.time())
    assert rows == [(*first, datetime.timedelta(hours=3), "low", b"\0x"), (None,) * 11]
    zoned = pd.DataFrame({"at": pd.to_datetime(["2024-05-01T09:00+02:00"])})
    asked = ask(connection, "SELECT EXTRACT(EPOCH FROM at) FROM staff", {"staff": zoned})
    assert asked.rows == [(1714546800,)]
    finer = pd.DataFrame({"at": [pd.Timestamp("2024-05-01 09:00:00.000000001")]})
    with refused(ValueError, "whole microseconds"):
        ask(connection, "SELECT COUNT(*) FROM staff", {"staff": finer})
    with refused(ValueError, "column s of table staff", "List"):
        ask(connection, "SELECT 1", {"staff": pl.DataFrame({"s": [[1]]})})


def test_objects_of_pandas_have_the_type_of_their_values(connection):
    """Catches a date or a boolean that becomes text where pandas knows no type."""
    frame = pd.DataFrame(
        {
            "on": pd.Series([True, None], dtype=object),
            "day": pd.Series([datetime.date(2024, 1, 2), None], dtype=object),
            "money": pd.Series([Decimal("1.5"), 2], dtype=object),
        }
    )
    text = "SELECT COUNT(*) FILTER (WHERE on_), MAX(day) - DATE '2024-01-01', SUM(money) FROM staff"
    assert ask(connection, text, {"staff": frame.rename(columns={"on": "on_"})}).rows == [
        (1, 1, Decimal("3.5"))
    ]
    with refused(ValueError, "column s of table staff", "text and whole"):
        ask(connection, text, {"staff": pd.DataFrame({"s": pd.Series(["a", 1], dtype=object)})})


def test_nan_is_no_null(connection):
    """Catches NaN that is sent as NULL: to PostgreSQL it is a number, above all others."""
    frame = pl.DataFrame({"a": [1.0, float("nan"), None]})
    text = "SELECT COUNT(a), COUNT(*) FILTER (WHERE a > 5), COUNT(*) FROM staff"
    assert ask(connection, text, {"staff": frame}).rows == [(2, 1, 3)]
    query = sl.sql("SELECT COUNT(a) FROM staff", connection=connection)
    universe = sl.Universe.population(frame, name="staff")
    assert sl.global_sensitivity(query, universe, size=1, relation=sl.Change(1)).value == 1


def test_many_datasets_are_answered_in_order(connection):
    """Catches rows of one dataset that stay for the next, among them the empty one's."""
    datasets = [{"staff": STAFF.head(n % 4)} for n in range(450)]
    answers = ask_each(connection, "SELECT COUNT(*) AS n FROM staff", datasets)
    assert answers == [ResultSet(["n"], [True], [(n % 4,)]) for n in range(450)]
    assert left_behind(connection) == []


@pytest.mark.parametrize("autocommit", [False, True])
def test_nothing_is_left_behind(connection, autocommit):
    """Catches a temporary table that stays and hides the user's own, and a transaction left open."""
    connection.autocommit = autocommit
    ask(connection, "SELECT COUNT(*) FROM staff", {"staff": STAFF})
    with refused(ValueError, 'column "nothing" does not exist'):
        ask(connection, "SELECT nothing FROM staff", {"staff": STAFF})
    assert status(connection) == "IDLE"
    assert connection.prepare_threshold == 5
    assert connection.autocommit is autocommit
    assert left_behind(connection) == []
    assert connection.execute("SELECT * FROM staff").fetchall() == [("mine",)]


@pytest.mark.parametrize("autocommit", [False, True])
def test_an_open_transaction_stays_open_as_it_was(connection, address, autocommit):
    """Catches a commit or a rollback of what the user has begun, also where the statement fails."""
    connection.autocommit = autocommit
    if autocommit:
        connection.execute("BEGIN")
    connection.execute("INSERT INTO staff VALUES ('begun')")
    ask(connection, "SELECT COUNT(*) FROM staff", {"staff": STAFF})
    with refused(ValueError, "nothing"):
        ask(connection, "SELECT nothing FROM staff", {"staff": STAFF})
    assert status(connection) == "INTRANS"
    count = "SELECT COUNT(*) FROM staff"
    with psycopg.connect(address) as other:
        assert other.execute(count).fetchone() == (1,)
        assert connection.execute(count).fetchone() == (2,)
        connection.execute("INSERT INTO staff VALUES ('and still writable')")
        connection.commit()
        assert other.execute(count).fetchone() == (3,)


def test_what_writes_by_a_function_is_refused_by_the_database(connection):
    """Catches a sequence that moves on: a rollback would not move it back."""
    with refused(ValueError, "nextval", "read-only"):
        ask(connection, "SELECT nextval('numbers') FROM staff", {"staff": STAFF})
    assert connection.execute("SELECT is_called FROM numbers").fetchone() == (False,)


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM staff",
        "WITH gone AS (DELETE FROM rates RETURNING rate) SELECT SUM(rate) FROM gone",
        "SELECT * INTO extra FROM rates",
        "CREATE TABLE extra (a int)",
        "SELECT 1; DELETE FROM rates",
        "SELECT 1 FROM some @@ words !!; COMMIT; DELETE FROM rates",
        "COMMIT",
        "CALL f()",
        "",
    ],
)
def test_statements_that_write_are_refused_before_any_work(connection, text):
    """Catches a statement that reaches the server."""
    with refused(ValueError, "statement must be"):
        ask(connection, text, {"staff": STAFF})
    assert status(connection) == "IDLE"
    assert connection.execute("SELECT COUNT(*) FROM rates").fetchone() == (2,)


def test_the_database_says_what_is_wrong(connection):
    """Catches a message without the server's own words."""
    for text, words in {
        "SELECT COUNT(*) FROM payroll": 'relation "payroll" does not exist',
        "SELECT 1 / 0 FROM staff": "division by zero",
        "SELECT SUM(department) FROM staff": "function sum(text) does not exist",
    }.items():
        with refused(ValueError, "statement must run", words):
            ask(connection, text, {"staff": STAFF})
    with refused(ValueError, "table staff", "cannot contain NUL"):
        ask(connection, "SELECT 1", {"staff": pd.DataFrame({"a": ["\0"]})})


def test_odd_names_are_quoted(connection):
    """Catches a name that ends its quotes, or is read as a mark for a cell."""
    frame = pd.DataFrame({'a"b': [1], "100 %s": [2], "order": [np.int8(3)]})
    text = 'SELECT "a""b" + "100 %s" + "order" FROM "Odd %(table)s"'
    assert ask(connection, text, {"Odd %(table)s": frame}).rows == [(6,)]


def test_rows_are_tuples_whatever_the_connection_makes_of_its_own(connection):
    """Catches rows as dicts, which lose columns of one name."""
    connection.row_factory = dict_row
    assert ask(connection, "SELECT 1 AS a, 2 AS a", {"staff": STAFF}).rows == [(1, 2)]


def test_connections_that_cannot_be_asked_are_refused(connection, address):
    """Catches a closed connection, a failed transaction, a temporary table in the way."""
    with refused(TypeError, "asynchronous"):
        Database.of(object.__new__(psycopg.AsyncConnection))
    with pytest.raises(psycopg.errors.UndefinedColumn):
        connection.execute("SELECT nothing")
    with refused(ValueError, "connection must be idle", "INERROR"):
        ask(connection, "SELECT 1", {"staff": STAFF})
    connection.rollback()
    connection.execute("CREATE TEMPORARY TABLE staff (a int)")
    with refused(ValueError, "table staff", 'relation "staff" already exists'):
        ask(connection, "SELECT 1", {"staff": STAFF})
    connection.close()
    with refused(ValueError, "connection must be open", "closed"):
        ask(connection, "SELECT 1", {"staff": STAFF})


# -- against the meaning ---------------------------------------------------------------------


def test_a_sensitivity_is_that_of_the_meaning(connection):
    """Catches types that the empty dataset forgets, a universe without a name, an answer left out."""
    rows = {
        "department": ["law", "art"],
        "money": [Decimal("1.5"), Decimal(4)],
        "on_": [True, None],
    }
    anyone = sl.Universe.product(**rows)
    text = """
        SELECT department, COALESCE(SUM(LEAST(money, 3)) FILTER (WHERE on_), 0) AS total
        FROM staff GROUP BY department
    """
    query = sl.sql(text, connection=connection)
    for size, value in ((0, 3), (1, 3), (2, 3)):
        asked = {"size": size, "relation": sl.SymmetricDifference(1)}
        answer = sl.global_sensitivity(query, anyone, **asked)
        assert answer.value == value
    assert status(connection) == "IDLE"
    assert left_behind(connection) == []
