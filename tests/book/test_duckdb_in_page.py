"""The page's `duckdb`, over the real engine: what `sql` and a reader ask of it gets the real answers."""

import importlib.util
import io
import sys
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import duckdb as real
import pandas as pd
import pyarrow as pa
import pytest
from sensitivity_book import live

import sensitivity_lab as sl
from sensitivity_lab.sql import duckdb as duck

pytestmark = pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")
STAND_IN = Path(live.__file__).parent / "stand_ins" / "duckdb.py"


class Engine:
    """DuckDB as the page's script offers it: results in Arrow's format, errors as text."""

    def __init__(self) -> None:
        self.root = real.connect()
        self.connections: dict[int, Any] = {}

    def version(self) -> str:
        """The version, as the engine tells it."""
        return f"v{real.__version__}"

    def connect(self) -> int:
        """A new connection's number."""
        self.connections[len(self.connections)] = self.root.cursor()
        return len(self.connections) - 1

    def disconnect(self, number: int) -> None:
        """End a connection."""
        self.connections[number].close()

    def ask(self, number: int, text: str) -> bytes:
        """A statement's result."""
        table = self.connections[number].execute(text).to_arrow_table()
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue()

    def insert(self, number: int, name: str, content: bytes) -> None:
        """Make a table of a stream."""
        arrived = pa.ipc.open_stream(content).read_all()  # noqa: F841, the statement names it
        self.connections[number].execute(f'CREATE TABLE memory.main."{name}" AS FROM arrived')


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The page's `duckdb`, which `sql` imports for this test."""
    monkeypatch.setitem(sys.modules, "js", SimpleNamespace(duck=Engine()))
    spec = importlib.util.spec_from_file_location("duckdb", STAND_IN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "duckdb", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(duck, "_OWN", {})
    duck.parsed.cache_clear()
    yield module
    duck.parsed.cache_clear()


ASKED: list[tuple[str, Any]] = [
    ("SELECT SUM(a), AVG(a), COUNT(*), MAX(b), MIN(c) FROM t", None),
    ("SELECT b, SUM(a) AS s FROM t GROUP BY b ORDER BY b", None),
    ("WITH x AS (SELECT a FROM t) SELECT a / 2, a // 2 FROM x;", None),
    ("FROM t ORDER BY a DESC NULLS LAST", None),
    ("(SELECT COALESCE(SUM(a), 0) FROM t WHERE a > 10)", None),
    ("SELECT ? AS a, '?' AS b, $2 AS c -- ?", ["it's", 7]),
    ("SELECT $a || $b AS c", {"a": "x", "b": "y"}),
    ("SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e", [None, True, 0.1, Decimal("1.10"), 2**100]),
    ("SELECT ? AS a, ? AS b", [date(2020, 1, 1), datetime(2020, 1, 1, 1, 2, 3, 4)]),
    ("SELECT 1 AS a, 2 AS a", None),
]


@pytest.mark.parametrize(("statement", "parameters"), ASKED)
def test_rows_names_and_types_are_the_real_ones(
    page: ModuleType, statement: str, parameters: Any
) -> None:
    """Catches a result whose values, order, names or types differ from those of DuckDB's own module."""
    answers = []
    for module in (real, page):
        with module.connect() as connection:
            connection.execute("CREATE TABLE t (a INTEGER, b VARCHAR, c DECIMAL(9, 2))")
            rows = [(1, "x", Decimal("1.10")), (2, "y", None), (None, "x", Decimal("-0.05"))]
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            done = connection.execute(statement, parameters)
            told = [(name, kind.id) for name, kind, *_ in done.description]
            answers.append((told, repr(done.fetchall()), done.fetchone()))
    assert answers[0] == answers[1]


def test_connections_have_a_database_each_and_cursors_share_it(page: ModuleType) -> None:
    """Catches tables that leak into another database, or frames that outlive their connection."""
    first, second = page.connect(), page.connect()
    first.execute("CREATE TABLE t AS SELECT 7 AS a")
    first.register("frame", pd.DataFrame({"a": [8]}))
    cursor = first.cursor()
    assert cursor.execute("FROM t").fetchall() == [(7,)]
    for connection, table in ((second, "t"), (cursor, "frame"), (second, "frame")):
        with pytest.raises(page.CatalogException, match="does not exist"):
            connection.execute(f"FROM {table}")
    assert duck.DuckDB(first).tables() == {"t"}
    assert duck.DuckDB(second).tables() == set()
    first.close()
    assert cursor.execute("FROM t").fetchall() == [(7,)]
    with pytest.raises(page.Error, match="closed"):
        first.execute("SELECT 1")
    assert (
        page._engine.root.execute(
            "SELECT * FROM duckdb_tables() WHERE database_name = 'memory'"
        ).fetchall()
        == []
    )


def test_a_table_that_one_connection_sees_is_handed_on_with_its_types(page: ModuleType) -> None:
    """Catches one of DuckDB's longest integers that becomes a decimal on its way."""
    connection = page.connect()
    connection.execute(
        "CREATE TEMP TABLE t AS SELECT 2::HUGEINT ** 100 AS a, 1::HUGEINT AS b, 'x' AS c"
    )
    connection.register("same", connection.sql("FROM t").to_arrow_table())
    assert (
        connection.execute("DESCRIBE same").fetchall()
        == connection.execute("DESCRIBE t").fetchall()
    )
    assert connection.execute("FROM same").fetchall() == connection.execute("FROM t").fetchall()


@pytest.mark.parametrize(
    "text", ["SELECT 1", "SELECT 1; SELECT $x", "INSERT INTO t VALUES (1)", "DROP TABLE t"]
)
def test_statements_are_told_apart(page: ModuleType, text: str) -> None:
    """Catches a statement that writes and is taken for one that reads, or a parameter that is lost."""
    told = [
        [
            (one.type.name, set(one.named_parameters))
            for one in module.connect().extract_statements(text)
        ]
        for module in (real, page)
    ]
    assert told[0] == told[1]


def test_what_is_not_there_says_so(page: ModuleType) -> None:
    """Catches a call that is answered wrongly in the page instead of refused."""
    connection = page.connect()
    for call in (lambda: page.sql, lambda: connection.df, lambda: connection.sql("SELECT 1").df):
        with pytest.raises(AttributeError, match="in the page"):
            call()
    refused = [
        lambda: page.connect("file.db"),
        lambda: page.connect(config={"threads": "2"}),
        lambda: connection.execute("SELECT 1; SELECT 2"),
        lambda: connection.execute("SELECT ?", [object()]),
        lambda: connection.execute("SELECT ?", []),
        lambda: connection.execute("SELECT 1", [1]),
        lambda: connection.register("t", [1]),
        lambda: connection.extract_statements("SELEC"),
    ]
    for call in refused:
        with pytest.raises(page.Error):
            call()


def test_it_says_where_to_run_if_the_page_has_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a page without DuckDB that fails without a word that a reader can act on."""
    monkeypatch.delitem(sys.modules, "js", raising=False)
    spec = importlib.util.spec_from_file_location("duckdb", STAND_IN)
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(ImportError, match="run this cell on your computer"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT SUM(salary) FROM staff",
        "SELECT AVG(salary) FROM staff",
        "SELECT team, COUNT(*) FROM staff GROUP BY team",
        "SELECT COUNT(*) FROM staff AS a JOIN staff AS b ON a.team = b.team AND a.salary < b.salary",
    ],
)
def test_sql_has_the_sensitivities_of_the_real_module(page: ModuleType, statement: str) -> None:
    """Catches an answer of `sql` in the page that is not the one beside it on the page."""
    staff = sl.Universe.product(team=["art", "law"], salary=[0, 50, 100], name="staff")
    found = [
        sl.global_sensitivity(sl.sql(statement), staff, size=2, relation=sl.SymmetricDifference(1))
        for _ in with_each_engine()
    ]
    assert repr(found[0]) == repr(found[1])


def with_each_engine() -> Iterator[None]:
    """First the page's module, then the real one."""
    yield
    sys.modules["duckdb"] = real
    duck._OWN.clear()
    duck.parsed.cache_clear()
    yield
