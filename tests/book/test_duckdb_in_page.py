"""The page's `duckdb`, over the real engine: what is asked of it gets the real answers."""

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
from sensitivity_beyond.tables.sql import duckdb as duck
from sensitivity_book import live

import sensitivity_lab as sl

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


def answered(module: ModuleType, text: str, parameters: Any = None, **frames: pd.DataFrame) -> Any:
    """The names, types and rows that a statement returns, beside a table and frames."""
    with module.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b VARCHAR, c DECIMAL(9, 2))")
        rows = [(1, "x", Decimal("1.10")), (2, "y", None), (None, "x", Decimal("-0.05"))]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        for name, frame in frames.items():
            connection.register(name, frame.copy())
        done = connection.execute(text, parameters)
        told = [(name, kind.id) for name, kind, *_ in done.description]
        return told, repr(done.fetchall()), done.fetchone()


MOMENT = datetime(2020, 1, 1, 1, 2, 3, 4)
# ruff: disable[E501]
ASKED: list[tuple[str, Any]] = [
    ("SELECT 1::TINYINT a, -1::SMALLINT b, 7 c, -(2::BIGINT ** 62)::BIGINT d, 255::UTINYINT e, 18446744073709551615::UBIGINT f", None),
    ("SELECT 170141183460469231731687303715884105727::HUGEINT a, NULL::HUGEINT b, (-170141183460469231731687303715884105728)::HUGEINT c, 340282366920938463463374607431768211455::UHUGEINT d", None),
    ("SELECT -1.10::DECIMAL(5, 2) a, 0.1::DECIMAL(38, 30) b, 99999999999999999999999999999999999999::DECIMAL(38, 0) c, NULL::DECIMAL(9, 3) d", None),
    ("SELECT 0.1::DOUBLE a, 1.1::FLOAT b, 'inf'::DOUBLE c, -0.0::DOUBLE d, 5e-324::DOUBLE e", None),
    ("SELECT 'é' a, '' b, NULL::VARCHAR c, 'abc'::BLOB d", None),
    ("SELECT DATE '1960-02-29' a, TIMESTAMP '2020-01-01 01:02:03.123456' b, NULL::DATE c, TIME '10:00' d, NULL::TIMESTAMP e", None),
    ("SELECT TIMESTAMP_S '1950-01-01' a, TIMESTAMP_MS '1960-01-01 00:00:00.125' b, TIMESTAMP_NS '2020-01-01 00:00:00.123456789' c", None),
    ("SELECT CASE WHEN range % 3 > 0 THEN range END a, range % 2 = 0 b, SUM(range) OVER () c FROM range(5000)", None),
    ("SELECT CASE WHEN range % 7 > 0 THEN range % 2 = 0 END a, DATE '2020-01-01' + range::INTEGER b FROM range(5000)", None),
    ("SELECT 'x' a, 1::HUGEINT b, 0.5 c WHERE false", None),
    ("SELECT SUM(a), AVG(a), COUNT(*), MAX(b), MIN(c) FROM t", None),
    ("FROM t ORDER BY a DESC NULLS LAST", None),
    ("SELECT ? AS a, '?' AS b, $2 AS c -- ?", ["it's", 7]),
    ("SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e", [None, True, 0.1, Decimal("1.10"), 2**100]),
    ("SELECT ? AS a, ? AS b", [date(2020, 1, 1), MOMENT]),
    ("SELECT 1 AS a, 2 AS a", None),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("statement", "parameters"), ASKED)
def test_an_answer_is_the_one_that_duckdb_gives_itself(
    page: ModuleType, statement: str, parameters: Any
) -> None:
    """Catches a value rounded, shifted, cut or of another type; a wrong NULL, order or name."""
    assert answered(page, statement, parameters) == answered(real, statement, parameters)


COLUMNS: list[tuple[str, list[Any]]] = [
    ("int64", [1, -2]), ("float64", [1.5, None]), ("bool", [True, False]),
    ("int8", [-1, 2]), ("float32", [0.1, 1]), ("uint64", [2**64 - 1, 0]),
    ("Int64", [1, None]), ("boolean", [True, None]), ("Float64", [0.5, None]),
    ("str", ["é", None]), ("string", ["x", ""]),
    ("datetime64[us]", ["2020-01-01 01:02:03.5", None]),
    *((f"datetime64[{unit}]", [1, None]) for unit in ("s", "ms", "us", "ns")),
    *(("object", [one, None]) for one in (1, 2**31, True, 1.5, "x", date(1960, 2, 29), MOMENT)),
    ("object", [Decimal("1.10"), Decimal("-22.5")]),
]  # fmt: skip
FRAME = pd.DataFrame({f"c{i}": pd.Series(c, dtype=kind) for i, (kind, c) in enumerate(COLUMNS)})
MANY = pd.DataFrame({"a": range(1000)}).iloc[::-3]


@pytest.mark.parametrize(
    "frame", [FRAME, FRAME.iloc[:0, :16], MANY], ids=["all", "no rows", "many"]
)
def test_a_frame_has_the_types_and_values_that_duckdb_sees_in_it(
    page: ModuleType, frame: pd.DataFrame
) -> None:
    """Catches a column whose type or value is not the one that DuckDB reads itself."""
    for ask in ("DESCRIBE frame", "FROM frame"):
        assert answered(page, ask, frame=frame) == answered(real, ask, frame=frame)


REFUSED = [
    "uuid()", "INTERVAL 1 DAY", "TIMESTAMPTZ '2020-01-01'", "'101'::BIT", "MAP {'a': 1}",
    "[1, NULL, 3]", "[[1.5], []]", "NULL::HUGEINT[]", "{'a': 1, 'b': [NULL, 'x']}",
    "'a'::ENUM('a', 'b')", "[1]::INTEGER[1]", "row(1, 2)",
]  # fmt: skip


@pytest.mark.parametrize("value", REFUSED)
def test_a_type_that_is_not_read_is_refused(page: ModuleType, value: str) -> None:
    """Catches a value that comes back as text or as another number, without a word."""
    with pytest.raises(TypeError, match="cast it to VARCHAR"):
        page.connect().execute(f"SELECT {value} AS a")


OTHERS = [
    pd.Series(["a"], dtype="category"),
    *(pd.Series(one, dtype=object) for one in ([2**70], [1, "a"], [[1]], [None], [Decimal("NaN")])),
    pd.to_datetime(pd.Series(["2020-01-01"])).dt.tz_localize("UTC"),
    pd.Series([1j]),
]


@pytest.mark.parametrize("column", OTHERS)
def test_a_column_that_is_not_written_is_refused(page: ModuleType, column: pd.Series) -> None:
    """Catches a column that is written as something else than it is."""
    with pytest.raises(page.Error, match="column a must be"):
        page.connect().register("t", pd.DataFrame({"a": column}))


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
    first.close()
    assert cursor.execute("FROM t").fetchall() == [(7,)]
    with pytest.raises(page.Error, match="closed"):
        first.execute("SELECT 1")
    left = "SELECT * FROM duckdb_tables() WHERE database_name = 'memory'"
    assert page._engine.root.execute(left).fetchall() == []


def test_what_is_not_there_says_so(page: ModuleType) -> None:
    """Catches a call that is answered wrongly in the page instead of refused."""
    connection = page.connect()
    for call in (lambda: page.sql, lambda: connection.df, lambda: connection.sql("SELECT 1").df):
        with pytest.raises(AttributeError, match="in the page"):
            call()
    for call in (
        lambda: page.connect("file.db"),
        lambda: connection.execute("SELECT 1; SELECT 2").fetchall(),
        lambda: connection.execute("SELECT ?", [object()]),
        lambda: connection.execute("SELECT 1", [1]),
        lambda: connection.extract_statements("SELEC"),
    ):
        with pytest.raises(page.Error):
            call()


def test_sql_reads_a_readers_own_tables(page: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a plan, or a table of one session, that is lost on the way to another."""
    staff = sl.Universe.product(team=["art", "law"], salary=[0, 50, 100], name="staff")
    text = """SELECT team, bonus, COALESCE(SUM(salary), 0) AS total
        FROM teams JOIN bonuses USING (team) LEFT JOIN staff USING (team) GROUP BY team, bonus"""
    found = []
    for module in (page, real):
        monkeypatch.setitem(sys.modules, "duckdb", module)
        duck._OWN.clear()
        duck.parsed.cache_clear()
        office = module.connect()
        office.execute("CREATE TABLE teams AS SELECT unnest(['art', 'law']) AS team")
        office.register("bonuses", pd.DataFrame({"team": ["art", "law"], "bonus": [1.5, 2.25]}))
        asked = sl.sql(text, keys=["team"], connection=office)
        one = sl.SymmetricDifference(1)
        found.append(repr(sl.global_sensitivity(asked, staff, size=2, relation=one)))
    assert found[0] == found[1]


def test_a_clock_is_refused(page: ModuleType) -> None:
    """Catches a clock that passes in the page's DuckDB, by a quoted name too."""
    days = pd.DataFrame({"day": [3, 4]})
    assert sl.sql('SELECT SUM("day") FROM days')(days) == 7
    with pytest.raises(ValueError, match="whenever it is asked, got localtime: write"):
        sl.sql('SELECT COUNT("localtime") FROM days')(days)
