"""A statement with a connection is asked as the caller's own session would ask it,
and leaves no trace.

The value is the one that the caller would see with the dataset in the place of their table, or a
ValueError says which table, function or setting stands in the way. Never is it a silent other one.
"""

import sqlite3
from contextlib import closing
from itertools import product

import duckdb
import pandas as pd
import psycopg
import pytest
from conftest import a_third, in_turn

import sensitivity_lab as sl

FRAME = pd.DataFrame({"a": [0, 0, 1, 1]})
STAFF = sl.Universe.population(FRAME, name="staff")
GAPS = sl.Universe.population(pd.DataFrame({"a": [0.0, 0.0, 7.0, None]}), name="staff")


def seen(connection, text, value, *names, universe=STAFF):
    """The session's own value, or a refusal that has one of the names; `value` None asks for it."""
    before, found, refusal = state(connection), None, None
    try:
        query = sl.sql(text, connection=connection)
        found = sl.global_sensitivity(query, universe, size=2, relation=sl.Change(1))
    except ValueError as error:
        refusal = str(error).replace(text, "").lower()
    if found is None:
        assert any(name.lower() in refusal for name in names), refusal
    else:
        assert value is not None, f"{text} must be refused, got {found.value}"
        assert found.value == value
        assert found.check()
    assert state(connection) == before


# ruff: disable[E501]
TOLD = {  # what a session can tell of itself: settings, tables, functions, locks
    sqlite3.Connection: [
        "SELECT type, name, sql FROM sqlite_master",
        "SELECT type, name, sql FROM temp.sqlite_master",
        *(f"PRAGMA {name}" for name in ("query_only", "foreign_keys", "temp_store", "user_version", "recursive_triggers")),
    ],
    psycopg.Connection: [
        "SELECT name, setting FROM pg_settings",
        "SELECT relname, relnamespace::text, relkind FROM pg_class "
        "WHERE relpersistence = 't' OR relname !~ '^(pg|sql)_'",
        "SELECT relation::text, mode FROM pg_locks WHERE pid = pg_backend_pid() "
        "AND (locktype = 'advisory' OR relation >= 16384)",  # of no table of the catalogue
        "SELECT statement FROM pg_prepared_statements",
    ],
    duckdb.DuckDBPyConnection: [
        "SELECT name, value FROM duckdb_settings()",
        "SELECT database_name, schema_name, table_name FROM duckdb_tables()",
        "SELECT database_name, schema_name, view_name FROM duckdb_views()",
        "SELECT database_name, function_name FROM duckdb_functions() WHERE NOT internal",
        "SELECT name, value::VARCHAR FROM duckdb_variables()",
        "SELECT database_name, current_schema(), current_database() FROM duckdb_databases()",
    ],
}  # fmt: skip
# ruff: enable[E501]


def state(connection):
    """All that a session tells, and whether a transaction is open."""
    unprepared = {"prepare": False} if isinstance(connection, psycopg.Connection) else {}
    kept = [connection.execute(text, **unprepared).fetchall() for text in TOLD[type(connection)]]
    known = ("in_transaction", "row_factory", "prepare_threshold")
    status = connection.info.transaction_status if unprepared else None
    return [*map(sorted, kept), [getattr(connection, name, None) for name in known], status]


# -- what the dataset is ---------------------------------------------------------------------

PERMANENT = "CREATE TABLE staff (a INTEGER); INSERT INTO staff VALUES (5), (6)"


@pytest.fixture(params=["duckdb", "sqlite", "postgresql"])
def owner(request, tmp_path):
    """A session of each engine, whose own table has the dataset's name."""
    if request.param == "postgresql":
        made = postgresql(request.getfixturevalue("address"))
    elif request.param == "duckdb":
        made = duckdb.connect(str(tmp_path / "own.duckdb"))
    else:
        made = sqlite3.connect(tmp_path / "own.sqlite", isolation_level=None)
    run(made, PERMANENT)
    run(made, "CREATE TABLE rates (r INTEGER); INSERT INTO rates VALUES (1)")
    with closing(made):
        yield made


def postgresql(address):
    made = psycopg.connect(address, autocommit=True)
    run(made, "DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public")
    run(made, "DROP SCHEMA IF EXISTS sales CASCADE; CREATE SCHEMA sales")
    return made


def run(connection, text):
    """Several statements, one by one."""
    for one in text.split("; "):
        connection.execute(one)


@pytest.mark.parametrize(
    "text",
    [
        "VALUES (1)",
        "SELECT COUNT(*) FROM rates",
        "WITH staff AS (SELECT 1 AS a) SELECT SUM(a) FROM staff",
        "SELECT COUNT(*) FROM (SELECT 1 AS a) AS staff",
        "SELECT SUM(staff) FROM (SELECT 1 AS staff) AS q",
    ],
)
def test_a_statement_that_does_not_read_the_dataset_is_refused(owner, text):
    """Catches a sensitivity of 0 of what was never asked about the dataset."""
    seen(owner, text, None, "staff")


@pytest.mark.parametrize(
    "text",
    ["SELECT SUM(a) FROM {}", "SELECT SUM(staff.a) + (SELECT SUM(x.a) FROM {} AS x) FROM staff"],
)
def test_a_qualified_name_is_the_dataset_or_refused(owner, text):
    """Catches `public.staff`, the caller's own table and never the dataset: 0 for 1, 1 for 2."""
    value = 2 if " + " in text else 1
    spelled = {
        duckdb.DuckDBPyConnection: ["own.main.staff", '"main"."STAFF"'],
        sqlite3.Connection: ['"main"."Staff"', "[main].staff"],
        psycopg.Connection: ["postgres.public.staff", '"public"."staff"'],
    }[type(owner)]
    for name in spelled:
        seen(owner, text.format(name), value, "staff")


def test_neither_the_catalogue_nor_another_database_is_the_dataset():
    """Catches `temp.sqlite_master`, `memory.main.staff` and the table of an attached database."""
    with closing(sqlite3.connect(":memory:")) as sqlite, duckdb.connect() as duck:
        for name in ("temp.sqlite_master", "sqlite_temp_master", "sqlite_master"):
            seen(sqlite, f"SELECT COUNT(*) FROM {name}", None, "staff", "sqlite")
            beside = f"SELECT COUNT(*) + (SELECT COUNT(*) FROM {name}) FROM staff"
            seen(sqlite, beside, None, "sqlite")
        run(duck, PERMANENT)
        run(duck, "ATTACH ':memory:' AS other; CREATE TABLE other.staff AS SELECT 1 AS a")
        for name in ("memory.main.staff", "memory.staff", "other.staff", "other.main.staff"):
            seen(duck, f"SELECT SUM(a) FROM {name}", None, "staff")


# -- views and functions over the caller's own table ------------------------------------------

BESIDE = "SELECT SUM(a) + (SELECT SUM(x.total) FROM {} AS x) FROM staff"


def test_a_view_over_the_callers_own_table_is_the_datasets_or_refused(owner):
    """Catches a view, or a macro of DuckDB's, that goes on reading the permanent table: 1 for 2."""
    run(owner, "CREATE VIEW salaries AS SELECT SUM(a) AS total FROM staff")
    run(owner, "CREATE VIEW over_salaries AS SELECT total FROM salaries")
    seen(owner, BESIDE.format("over_salaries"), 2, "salaries", "staff")
    seen(owner, "SELECT total FROM salaries", 1, "salaries", "staff")
    if isinstance(owner, duckdb.DuckDBPyConnection):
        run(owner, "CREATE MACRO paid() AS (SELECT SUM(a) FROM staff)")
        run(owner, "CREATE MACRO listed() AS TABLE SELECT SUM(a) AS total FROM staff")
        seen(owner, "SELECT SUM(a) + MAX(paid()) FROM staff", 2, "paid", "staff")
        seen(owner, BESIDE.format("listed()"), 2, "listed", "staff")
        run(owner, "CREATE TEMP VIEW odd AS SELECT SUM(a) AS total, X'41' AS blob FROM staff")
        seen(owner, BESIDE.format("odd"), 2, "odd")  # sqlglot does not read it


@pytest.mark.parametrize(
    "body",
    [
        "LANGUAGE sql STABLE AS 'SELECT SUM(a) FROM public.staff'",
        "LANGUAGE sql STABLE BEGIN ATOMIC SELECT SUM(a) FROM staff; END",
        "LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT SUM(a) FROM staff); END'",
        "LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT SUM(a) FROM public.staff); END'",
        "LANGUAGE plpgsql SET search_path = public, pg_temp AS "
        "'BEGIN RETURN (SELECT SUM(a) FROM staff); END'",
    ],
)
def test_a_function_of_postgresql_over_the_callers_own_table(address, body):
    """Catches a function that reads the permanent table in silence: 1 for 2."""
    with closing(postgresql(address)) as connection:
        run(connection, PERMANENT)
        connection.execute(f"CREATE FUNCTION all_salaries() RETURNS bigint {body}")
        text = "SELECT SUM(a) + MAX(all_salaries()) FROM staff"
        seen(connection, text, 2, "all_salaries", "staff")


@pytest.mark.parametrize("path", ["public, pg_temp", "sales, public", "sales, pg_temp"])
def test_a_search_path_that_names_temporary_tables_last(address, path):
    """Catches what PostgreSQL advises for hardened roles: a permanent table or view, 0 for 1."""
    with closing(postgresql(address)) as connection:
        run(connection, "CREATE VIEW sales.staff AS SELECT 5 AS a")
        run(connection, f"{PERMANENT}; SET search_path TO {path}")
        seen(connection, "SELECT SUM(a) FROM staff", 1, "search_path", "staff")
        with connection.transaction(force_rollback=True):
            connection.execute(f"SET LOCAL search_path TO {path}")
            seen(connection, "SELECT SUM(a) FROM staff", 1, "search_path", "staff")


# -- public tables as the session sees them ---------------------------------------------------

TIMES = "SELECT COALESCE(SUM(a * r), 0) FROM staff, rates"


def test_what_is_the_sessions_own_hides_the_permanent_table(owner):
    """Catches the permanent rates, 1, where the session sees its own table or frame, 10."""
    run(owner, "CREATE TEMPORARY TABLE rates (r INTEGER); INSERT INTO rates VALUES (10)")
    seen(owner, TIMES, 10, "rates")
    if isinstance(owner, duckdb.DuckDBPyConnection):
        run(owner, "DROP TABLE temp.rates")
        owner.register("rates", pd.DataFrame({"r": [10]}))
        seen(owner, TIMES, 10, "rates")


@pytest.mark.parametrize(
    "change", in_turn(["UPDATE rates SET r = 10", "INSERT INTO rates VALUES (9)"])
)
@pytest.mark.parametrize("end", ["ROLLBACK", "COMMIT"])
def test_what_is_not_yet_committed_is_seen_and_stays_so(owner, change, end):
    """Catches the rates before the change, the caller's rows, a transaction that is ended."""
    run(owner, f"BEGIN; UPDATE staff SET a = 100; {change}")
    seen(owner, TIMES, 10, "rates", "transaction")
    assert owner.execute("SELECT SUM(r) FROM rates").fetchone() == (10,)
    owner.execute(end)  # there is one to end
    left = (1, 11) if end == "ROLLBACK" else (10, 200)
    assert owner.execute("SELECT SUM(r), (SELECT SUM(a) FROM staff) FROM rates").fetchone() == left


def test_without_a_transaction_none_is_left(owner):
    """Catches a transaction begun for the caller and not ended: the next writer would wait."""
    seen(owner, TIMES, 1)
    if isinstance(owner, sqlite3.Connection):
        path = owner.execute("PRAGMA database_list").fetchone()[2]
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
            run(other, "BEGIN IMMEDIATE; UPDATE rates SET r = 2; COMMIT")
    elif isinstance(owner, duckdb.DuckDBPyConnection):
        with pytest.raises(duckdb.TransactionException, match="no transaction"):
            owner.execute("ROLLBACK")
    run(owner, "BEGIN; UPDATE rates SET r = 2; COMMIT")
    seen(owner, TIMES, 2)


@pytest.mark.parametrize("owner", ["duckdb", "postgresql"], indirect=True)
def test_what_writes_by_a_function_is_refused(owner):
    """Catches a sequence that moves on: a rollback would not move it back."""
    run(owner, "CREATE SEQUENCE numbers")
    query = sl.sql("SELECT MAX(nextval('numbers')) FROM staff", connection=owner)
    with pytest.raises(ValueError, match="must say the same whenever"):
        sl.global_sensitivity(query, STAFF, size=2, relation=sl.Change(1))
    assert owner.execute("SELECT nextval('numbers')").fetchall() == [(1,)]


# -- a session's own names and settings of DuckDB ---------------------------------------------

AFTERNOON = "TIMESTAMPTZ '2024-01-01 04:00:00+00'"
SALES = """
    CREATE TABLE rates (r INTEGER); INSERT INTO rates VALUES (1); CREATE SCHEMA sales;
    CREATE TABLE sales.rates (r INTEGER); INSERT INTO sales.rates VALUES (10); {}
""".replace(";\n   ", ";")
# ruff: disable[E501]
SESSIONS = [  # what the session has said, the statement, the value that it sees, and words to tell
    ("SET integer_division=true", "SELECT SUM(a)::INTEGER / 2 FROM staff", 1, "integer_division"),
    ("SET default_null_order='nulls_first'", "SELECT COALESCE(a, 9) FROM staff ORDER BY a LIMIT 1", 9,
     "default_null_order"),
    ("SET TimeZone='Asia/Tokyo'", f"SELECT SUM(a * EXTRACT(hour FROM {AFTERNOON})) FROM staff", 13, "timezone"),
    ("SET error_on_division_by_zero=false", "SELECT COALESCE(SUM(1 // a), 5) FROM staff", 4,
     "error_on_division_by_zero"),
    ("SET threads=4", "SELECT a FROM (SELECT a, COUNT(*) FROM staff GROUP BY a ORDER BY 2 LIMIT 1)", None, "thread"),
    ("SET VARIABLE factor = 10", "SELECT SUM(a * COALESCE(getvariable('factor'), 2)) FROM staff", 10,
     "variable", "factor"),
    ("CREATE MACRO tax(x) AS x; CREATE TEMP MACRO tax(x) AS x * 10", "SELECT SUM(tax(a)) FROM staff", 10, "tax"),
    ('CREATE TEMP MACRO "+"(x, y) AS x - y', "SELECT SUM(0 + a) FROM staff", -1, "+"),
    ("CREATE TEMP MACRO date_part(part, x) AS 7", f"SELECT SUM(a * EXTRACT(hour FROM {AFTERNOON})) FROM staff", 7,
     "date_part"),
    (SALES.format("USE sales"), TIMES, 10, "sales", "rates"),
    (SALES.format("SET search_path='sales,main'"), TIMES, 10, "sales", "rates"),
    ("CREATE TABLE rates AS SELECT 1 AS r; CREATE TEMP VIEW rates AS SELECT 10 AS r", TIMES, 10, "rates"),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("case", "begun"), [*product(a_third(SESSIONS), (False, True))])
def test_the_session_of_duckdb_is_the_callers(case, begun):
    """Catches a second session, with other settings, macros, variables or names."""
    said, text, value, *names = case
    with duckdb.connect(config={"threads": 1}) as connection:  # more break ties as they come
        run(connection, " ".join(said.split()))
        if begun:
            connection.execute("BEGIN")
            names.append("transaction")
        universe = GAPS if "null_order" in said else STAFF  # the least is 9, for NULL, or 0
        seen(connection, text, value, *names, universe=universe)
        if begun:
            connection.execute("ROLLBACK")


# -- settings of PostgreSQL and SQLite --------------------------------------------------------


def test_settings_of_postgresql_are_the_sessions(address):
    """Catches a zone, a form of dates or a schema that is not the session's."""
    with closing(postgresql(address)) as connection:
        run(connection, "SET TimeZone TO 'Asia/Tokyo'; SET DateStyle TO 'SQL, DMY'")
        hours = f"SELECT SUM(a * EXTRACT(hour FROM {AFTERNOON})) FROM staff"
        seen(connection, hours, 13)
        seen(connection, "SELECT SUM(a * EXTRACT(day FROM '03/04/2024'::date)) FROM staff", 3)
        run(connection, "CREATE TABLE rates (r int); INSERT INTO rates VALUES (1)")
        run(connection, "CREATE TABLE sales.rates (r int); INSERT INTO sales.rates VALUES (10)")
        run(connection, "SET search_path TO sales, public")
        seen(connection, TIMES, 10)


def test_functions_and_factories_of_sqlite_are_the_sessions():
    """Catches a second connection, which knows no function of the caller's."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function("tax", 1, lambda x: x * 10, deterministic=True)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA case_sensitive_like = ON")
        seen(connection, "SELECT SUM(tax(a)) FROM staff", 10)
        seen(connection, "SELECT SUM(a * ('A' LIKE 'a')) FROM staff", 0)
