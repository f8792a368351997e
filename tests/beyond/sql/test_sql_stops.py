"""A statement ends: by Ctrl-C, when its time is up, and when two threads meet on one connection."""

import os
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from functools import partial
from itertools import product
from threading import Semaphore
from unittest.mock import Mock

import duckdb
import psycopg
import pytest
from conftest import in_turn, refused, said
from sensitivity_beyond.tables.sql.duckdb import DuckDB, _heard
from sensitivity_beyond.tables.sql.parsed import Parsed

import sensitivity_lab as sl

STAFF = sl.Universe.product(a=[0, 1], name="staff")
FOREVER = (
    "SELECT COUNT(*) FROM staff, range(100000000) x, "
    "range(100000000) y WHERE x.range * y.range % 7 = a"
)
COUNTING = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
    SELECT (SELECT COUNT(*) FROM n) + COUNT(*) FROM staff
"""


def ask(text, **options):
    query = sl.sql(text, **options)
    return sl.global_sensitivity(query, STAFF, size=2, relation=sl.Change(1))


MAKERS = {  # of a connection to each engine; None is the package's own
    "none": lambda given: nullcontext(),
    "duckdb": lambda given: duckdb.connect(),
    "sqlite": lambda given: closing(sqlite3.connect(":memory:")),
    "postgresql": lambda given: psycopg.connect(given("address")),
}


@pytest.mark.parametrize("engine", MAKERS)
def test_a_statement_that_takes_too_long_is_stopped(engine, request):
    """Catches a statement that never ends, and a connection that is of no use afterwards."""
    text = FOREVER if engine in ("none", "duckdb") else COUNTING
    with MAKERS[engine](request.getfixturevalue) as connection:
        with refused(ValueError, "within seconds=0.2", "give it more"):
            ask(text, connection=connection, seconds=0.2)
        assert ask("SELECT COUNT(*) + SUM(a) FROM staff", connection=connection).value == 1


ENDED = """
import os, signal, threading
import duckdb, sensitivity_lab as sl
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell's children ignore it
connection = {connection}
query = sl.sql({text!r}, connection=connection)
universe = sl.Universe.product(a=[0, 1], name="staff")
threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    print(sl.audit(query, 1, universe, sizes=1, relations=[sl.AddRemove(1)]))
except KeyboardInterrupt:
    print("ended", connection and connection.sql("SELECT 7").fetchall())
"""
PAIRS = "SELECT COUNT(*) FROM range(100000000) x, range(100000000) y WHERE x.range < y.range"
EMPTY = f"SELECT CASE WHEN COUNT(*) > 0 THEN 1 ELSE ({PAIRS}) END FROM staff"


@pytest.mark.parametrize(
    ("connection", "text"), in_turn([*product(["None", "duckdb.connect()"], [FOREVER, EMPTY])])
)
def test_ctrl_c_ends_a_statement_of_duckdb(connection, text):
    """Catches an interrupt taken for a failed statement, or for an empty dataset not asked."""
    out, err = said(ENDED.format(connection=connection, text=text))
    assert out.startswith("ended"), out + err


@pytest.mark.parametrize("ended", [nullcontext(), pytest.raises(KeyboardInterrupt)])
def test_what_waits_deaf_to_signals_is_interrupted_until_it_hears(ended):
    """Catches a thread that waits for DuckDB's others, an interrupt before the statement runs."""
    heard = Semaphore(0)

    def ask():
        if isinstance(ended, nullcontext):
            return "answered"
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(3):  # the first is lost
            heard.acquire()
        raise RuntimeError("Query interrupted")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with ended:
            assert _heard(ask, heard.release, seconds=60) == "answered"
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_what_is_asked_beside_the_statement():
    """Catches an interrupt while a session tells of its tables, settings and functions."""
    session = DuckDB(Mock(**{"sql.side_effect": RuntimeError("Query interrupted")}))
    asks = [partial(session.unknown, {"staff"}), partial(session.require_shared, Parsed(()))]
    for ask in asks:
        with pytest.raises(KeyboardInterrupt):
            ask()


def test_two_threads_share_one_connection(address):
    """Catches two that undo each other's transaction, and a connection left broken."""
    asks = partial(ask, "SELECT COALESCE(SUM(a), 0) FROM staff")
    with psycopg.connect(address) as connection, ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(asks, connection=connection) for _ in range(4)]
        assert [each.result().value for each in asked] == [1] * 4
        assert connection.info.transaction_status.name == "IDLE"
        assert connection.prepare_threshold == 5
