"""`sl.sql` on DuckDB: what its results mean, what it refuses, and that many datasets together are as each alone."""

import datetime
import math
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, cycle
from multiprocessing import get_context

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import a_third

import sensitivity_lab as sl
from sensitivity_lab.records.keyed import Keyed
from sensitivity_lab.records.order import OrderMatters, are_near
from sensitivity_lab.records.people import AnyPeople, People
from sensitivity_lab.records.rows import Rows, rows_of, table
from sensitivity_lab.records.source import end_to_end
from sensitivity_lab.sql import duckdb as duck
from sensitivity_lab.sql import statement as statement_module
from sensitivity_lab.sql.result_set import ResultSet, answer_of

COLUMNS = {
    "d": ["law", "art", None, "law", "ict", "art", "law", "ict"],
    "s": [10, 20, 5, 15, 40, 20, 10, 0],
    "w": [0.1, 0.2, 0.7, 0.4, 0.3, 1.5, 0.1, 0.9],
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
FRAME = pd.DataFrame(COLUMNS)
STAFF = sl.Universe.population(FRAME, name="staff")
TOTALS = "SELECT d, SUM(s) AS total FROM staff GROUP BY d"


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request):
    return LIBRARIES[request.param]


def asked(text, frame=FRAME, **options):
    return sl.sql(text, **options)(frame)


def by_key(answer):
    return dict(zip(answer.labels, answer, strict=True))


def sensitivity(query, universe=STAFF, size=3, relation=None, **options):
    relation = relation or sl.SymmetricDifference(1)
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


# -- what a result means ---------------------------------------------------------------------


def test_one_row_is_a_number_or_a_vector():
    """Catches a scalar that comes as a vector, a vector out of order, and types that are lost."""
    assert asked("SELECT SUM(s) FROM staff") == 120
    assert asked("SELECT MAX(s), MIN(s) FROM staff") == (40, 0)
    for text, number in [
        ("SUM(s)::HUGEINT * 100000000000000000000", 12 * 10**21),
        ("SUM(s::DECIMAL(9, 2)) / 1", 120.0),
        ("SUM(s::DECIMAL(9, 2))", Decimal("120.00")),
        ("AVG(s)", 15.0),
        ("'123456789012345678901234567890123456789012'::BIGNUM", int("1234567890" * 4 + "12")),
    ]:
        found = asked(f"SELECT {text} FROM staff" + ("" if "(s" in text else " LIMIT 1"))
        assert (found, type(found)) == (number, type(number))


def test_columns_that_are_not_numeric_are_keys(library):
    """Catches a key that is counted as a number, a NULL key that is lost, and columns by position."""
    frame = library(COLUMNS)
    assert by_key(asked(TOTALS, frame)) == {"law": 35, "art": 40, "ict": 40, None: 5}
    both = asked(
        "SELECT d, COUNT(*) AS n, MAX(s) AS most FROM staff WHERE d > 'b' GROUP BY d", frame
    )
    assert by_key(both) == {
        ("law", "n"): 3, ("law", "most"): 15, ("ict", "n"): 2, ("ict", "most"): 40
    }  # fmt: skip
    two = asked("SELECT d, s > 10 AS high, COUNT(*) FROM staff WHERE d = 'law' GROUP BY ALL", frame)
    assert by_key(two) == {("law", True): 1, ("law", False): 2}
    dates = asked("SELECT DATE '2024-01-02' AS day, COUNT(*) FROM staff", frame)
    assert by_key(dates) == {datetime.date(2024, 1, 2): 8}
    for none in (asked(TOTALS, FRAME[:0]), asked(TOTALS + " HAVING SUM(s) > 999")):
        assert (none, none.labels) == ((), ())


def test_keys_names_key_columns():
    """Catches keys that are read as numbers though they are named, and a tuple in another order."""
    text = "SELECT s, COUNT(*) AS n FROM staff GROUP BY s"
    assert by_key(asked(text, keys="s"))[10] == 2
    text = "SELECT d, s, COUNT(*) AS n FROM staff WHERE d = 'law' GROUP BY d, s"
    assert by_key(asked(text, keys=["s", "d"])) == {(10, "law"): 2, (15, "law"): 1}
    prices = "SELECT s::DECIMAL(9, 1) AS s, COUNT(*) AS n FROM staff GROUP BY ALL"
    assert by_key(asked(prices, keys="s"))[Decimal("10.0")] == 2


@pytest.mark.parametrize(
    ("text", "keys", "message"),
    [
        ("SELECT s FROM staff", None, "8 rows of s: say keys= with the name of a column"),
        ("SELECT s FROM staff WHERE s > 99", None, "got no row of s"),
        ("SELECT SUM(s) AS total FROM staff WHERE s > 99", None, r"column total .* COALESCE"),
        ("SELECT d, NULLIF(SUM(s), 5) AS t FROM staff GROUP BY d", None, r"column t .* COALESCE"),
        ("SELECT 'inf'::DOUBLE AS x", None, "column x must hold finite numbers, got inf"),
        ("SELECT 'nan'::DOUBLE AS x FROM staff LIMIT 1", None, "column x must hold finite"),
        ("SELECT d, s FROM staff WHERE d = 'law'", None, "one row for each key, got two for 'law'"),
        ("SELECT d FROM staff", None, "must have a numeric column beside its keys"),
        ("SELECT d, SUM(s) AS t FROM staff GROUP BY d", "t", "column d must be numeric or named"),
        ("SELECT d, SUM(s) AS t FROM staff GROUP BY d", "D", "got 'D' for the columns d, t"),
        ("SELECT d, 1 AS a, 2 AS a FROM staff LIMIT 1", None, "must have different names, got a, a"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused(text, keys, message):
    """Catches a NULL, an infinity or a clash of keys that becomes a number."""
    if "FROM" not in text:
        text += " FROM staff LIMIT 1"
    with pytest.raises(ValueError, match=message):
        asked(text, keys=keys)


def test_a_column_of_unknown_type_is_a_key_only_where_there_is_no_row():
    """Catches a NULL of unknown type that passes for a key: sqlite's SUM over nothing."""
    unknown = ResultSet(["d", "n"], [None, None], [])
    assert answer_of(unknown, None) == Keyed([], [])
    with pytest.raises(ValueError, match="column d must hold numbers, or be a key, got NULL alone"):
        answer_of(ResultSet(["d", "n"], [None, True], [(None, 0)]), None)
    found = answer_of(ResultSet(["d", "n"], [None, True], [(None, 0)]), ("d",))
    assert found == Keyed([None], [0])


# -- what is refused before any dataset is asked --------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELEC 1", r"statement must be SQL, got ParserException: .*SELEC"),
        ("SELECT 1; SELECT 2", "one statement, got 2"),
        ("-- nothing", "one statement, got 0"),
        (" ;", "must be a SELECT, got no text"),
        ("INSERT INTO staff VALUES (1)", "must be a SELECT, got INSERT"),
        ("DROP TABLE staff", "must be a SELECT, got DROP"),
        ("COPY staff TO 'x.csv'", "must be a SELECT, got COPY"),
        (
            "WITH a AS (DELETE FROM t RETURNING *) SELECT COUNT(*) FROM a",
            "only read, got DELETE|A CTE needs a SELECT",
        ),
        ("SELECT $low", "parameters written in, got low"),
        ("PIVOT staff ON d USING SUM(s)", "must be (a SELECT|one statement)"),  # DuckDB 1.4: two
    ],
)
def test_what_is_no_select_is_refused_when_it_is_made(text, message):
    """Catches a statement that writes, and one that fails only in the middle of a run."""
    with pytest.raises(ValueError, match=message):
        sl.sql(text)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        *(({"statement": text}, TypeError, "statement must be text") for text in (None, 5, b"SELECT 1")),
        *(({"keys": keys}, TypeError, "keys must be") for keys in (5, [5], {"d": 1}.values)),
        ({"keys": []}, ValueError, "keys must name at least one column"),
        ({"connection": "staff.db"}, TypeError, "connection must be"),
        *(({"seconds": each}, TypeError, "seconds must be") for each in ("1", None)),
        *(({"seconds": each}, ValueError, "seconds must be") for each in (0, -1, math.inf)),
    ],
)  # fmt: skip
def test_what_is_given_is_checked(given, kind, message):
    """Catches bytes that fail in the engine's own words, keys that name nothing, a time that none can keep."""
    with pytest.raises(kind, match=message):
        sl.sql(**{"statement": TOTALS} | given)


@pytest.mark.parametrize(
    ("text", "keys", "message"),
    [
        ("SELECT COUNT(*) FROM staff, bonus", None, "got bonus in SELECT COUNT"),
        ("SELECT COUNT(*) FROM people", None, "must name the table staff, got people"),
        ("SELECT SUM(salary) FROM staff", None, '"salary" not found'),
        ("SELECT SUM(d) FROM staff", None, "No function matches"),
        ("SELECT d FROM staff", None, "must have a numeric column"),
        (TOTALS, "dept", "keys must name one column of the result each, got 'dept'"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_it_is(text, keys, message, monkeypatch):
    """Catches a run of hours that ends in an unknown name."""
    monkeypatch.setattr(duck.DuckDB, "ask_each", None)
    monkeypatch.setattr(duck.DuckDB, "ask_all", None)
    with pytest.raises(ValueError, match=message):
        sensitivity(sl.sql(text, keys=keys))


def test_records_that_are_no_rows_are_refused():
    """Catches numbers and text that are handed to SQL."""
    query = sl.sql("SELECT COUNT(*) FROM staff")
    for universe in (sl.Universe.value_range([1, 2]), sl.Universe.population(["a", "b"])):
        with pytest.raises(TypeError, match=r"must be asked of tables, got .* Universe.product"):
            sensitivity(query, universe, size=1)
    with pytest.raises(ValueError, match="TypeError: statement must be asked of tables"):
        query((1, 2))


@pytest.mark.parametrize(("name", "given"), [("of", ["s"]), ("by", ["d"]), ("clipped", [0, 1])])
def test_a_statement_is_no_query_of_numbers(name, given):
    """Catches a clipping that is silently left out."""
    with pytest.raises(ValueError, match=f"{name} must be said in the SQL itself, got"):
        getattr(sl.sql("SELECT SUM(s) FROM staff"), name)(*given)


def test_a_column_of_several_kinds_is_refused():
    """Catches keys that are numbers on one dataset and text on the next, or a nanosecond apart."""
    times = pd.to_datetime([1, 2], unit="ns")  # in Python both are one: 0 for 2
    for cells, words in ((["a", 1, None], "of one kind, got int, str"), (times, "microseconds")):
        universe = sl.Universe.population(pd.DataFrame({"k": cells}), name="staff")
        with pytest.raises(ValueError, match=f"column k must hold .*{words}"):
            sensitivity(sl.sql("SELECT k, COUNT(*) FROM staff GROUP BY k"), universe, size=1)


def test_a_statement_reads_no_file(tmp_path):
    """Catches a default database that reads what is on the disk."""
    path = tmp_path / "staff.csv"
    path.write_text("s\n1\n", encoding="utf-8")
    for source in (f"'{path}'", f"read_csv('{path}')"):
        with pytest.raises(ValueError, match=r"must name tables|got the function read_csv"):
            sl.sql(f"SELECT COUNT(*) FROM staff, {source}")({"staff": FRAME})


def test_a_statement_sees_no_variable():
    """Catches DuckDB's own habit of taking an unknown table from the caller's variables."""
    bonus = FRAME
    with duckdb.connect() as connection, pytest.raises(ValueError, match="got bonus"):
        asked("SELECT COUNT(*) FROM staff, bonus", {"staff": bonus}, connection=connection)


def test_without_duckdb_the_message_says_how_to_install_it(monkeypatch):
    """Catches a bare ModuleNotFoundError."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    duck.parsed.cache_clear()
    with pytest.raises(ImportError, match=r"pip install sensitivity-lab\[sql\]"):
        sl.sql(TOTALS)


# -- the names of tables ----------------------------------------------------------------------


def test_the_table_has_the_universes_name():
    """Catches a name that is ignored, and one that must be written as it is spelled."""
    query = sl.sql("SELECT COUNT(*) FROM STAFF")
    assert sensitivity(query).value == 1
    people = sl.Universe.population(FRAME, name="people")
    with pytest.raises(ValueError, match="must name the table people, got staff"):
        sensitivity(query, people)


def test_without_a_name_the_table_is_the_one_that_the_connection_has_not():
    """Catches a guess: which of two unknown tables the dataset is."""
    nameless = sl.Universe.population(FRAME)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE levels AS SELECT 'law' AS d, 3 AS level")
        text = "SELECT SUM(level) FROM staff JOIN levels USING (d)"
        query = sl.sql(text, connection=connection)
        assert query(FRAME) == 9
        assert sensitivity(query, nameless, size=8, relation=sl.Remove(1)).value == 3
    with pytest.raises(ValueError, match="levels, staff: name the universe, or give a dict"):
        sl.sql(text)(FRAME)
    for own in (
        "WITH levels AS (SELECT 'law' AS d, 3 AS level) ",
        "WITH Levels(d, level) AS (VALUES ('law', 3)) ",
    ):
        assert sl.sql(own + text)(FRAME) == 9


def test_a_table_may_be_hidden_by_the_statements_own():
    """Catches the dataset's table that is lost under a WITH of its own name."""
    text = "WITH staff AS (SELECT * FROM staff WHERE s > 10) SELECT COUNT(*) FROM staff"
    assert sl.sql(text)({"staff": FRAME}) == 4
    assert sensitivity(sl.sql(text)).value == 1


# -- other tables, many tables, people -------------------------------------------------------


def levels(connection):
    connection.execute(
        "CREATE TABLE levels AS SELECT * FROM (VALUES ('law', 3), ('art', 5)) v(d, level)"
    )


def test_the_tables_of_a_connection_are_public_and_constant():
    """Catches public rows that change, a registration that stays, and a shadowed table that is gone."""
    with duckdb.connect() as connection:
        levels(connection)
        connection.execute("CREATE TABLE staff AS SELECT 7 AS theirs")
        text = "SELECT COALESCE(SUM(level * s), 0) FROM staff JOIN levels USING (d)"
        query = sl.sql(text, connection=connection)
        found = sensitivity(query, relation=sl.Change(1))
        best = FRAME.assign(w=FRAME["d"].map({"law": 3, "art": 5}).fillna(0) * FRAME["s"])["w"]
        assert found.value == best.max() - best.min() == 100
        assert found.check()
        assert "→" in found._repr_html_()
        assert connection.execute("SELECT * FROM staff").fetchall() == [(7,)]
        seen = connection.execute("SHOW ALL TABLES").fetchall()
        assert {row[2] for row in seen} == {"levels", "staff"}
        assert found.snippet().count("define query") == 1


def test_a_connection_is_never_written_to():
    """Catches a statement that writes through a function, and a transaction that is left open."""
    with duckdb.connect() as connection:
        connection.execute("CREATE SEQUENCE numbers")
        with pytest.raises(ValueError, match="read-only"):
            asked("SELECT MAX(nextval('numbers')) FROM staff", connection=connection)
        assert connection.execute("SELECT nextval('numbers')").fetchall() == [(1,)]


def test_an_internal_error_of_duckdb_closes_no_database_of_the_callers(monkeypatch):
    """Catches a batch that takes the caller's database down: GROUPING SETS do, side by side."""
    with duckdb.connect() as connection:
        levels(connection)
        parsed = duck.parsed("SELECT COUNT(*) FROM staff JOIN levels USING (d)")
        monkeypatch.setattr(duck, "parsed", lambda text: parsed)
        text = "SELECT COALESCE(d, '') AS d, COUNT(*) AS n FROM staff JOIN levels USING (d) GROUP BY ROLLUP (d)"
        query = sl.sql(text, connection=connection)
        together = query.answers(query.giver(STAFF), list(combinations(range(7), 3)))
        assert len(together) == 35
        assert connection.execute("SELECT COUNT(*) FROM levels").fetchall() == [(2,)]


ORDERS = pd.DataFrame({"customer": ["a", "a", "b", "c", "c", "c"], "price": [5, 7, 20, 1, 1, 30]})
VISITS = pd.DataFrame({"customer": ["a", "b", "b", "d"], "page": ["x", "x", "y", "y"]})
TABLES = {"orders": ORDERS, "visits": VISITS}


def test_tables_whose_names_differ_in_case_are_refused():
    """Catches a table that hides another: SQL does not tell them apart."""
    buyers = sl.Universe.people({"orders": ORDERS, "Orders": ORDERS}, id="customer")
    with pytest.raises(ValueError, match="must differ in more than case, got orders, Orders"):
        sensitivity(sl.sql("SELECT COUNT(*) FROM orders"), buyers, 1)


def test_a_frame_of_any_layout_is_read(library):
    """Catches a view of a table, backwards or sliced, that the engine cannot read."""
    frame = library(COLUMNS)
    views = [frame[2:5]]
    if isinstance(frame, pd.DataFrame):
        views += [frame[::-1], frame[::2], frame.sample(frac=1, random_state=1)]
    for view in views:
        assert asked("SELECT COUNT(d) FROM staff", view) == sum(
            row["d"] is not None for row in rows_of(table(view, "view"))
        )
        assert sensitivity(sl.sql(TOTALS), sl.Universe.population(view, name="staff"), 1).value > 0


def test_rows_of_many_datasets_are_those_of_each():
    """Catches a row that is stacked under another dataset's number, and a person without rows."""
    kinds = Rows(pd.DataFrame({"s": [1, 2]}), "rows")
    for records in (kinds, People(TABLES, "customer"), AnyPeople(kinds, 2, 0)):
        datasets = [(0, 1), (), (1,), (0, 0, 1), (len(records.values) - 1,)]
        if isinstance(records, People):
            datasets[3] = (0, 3)
        for name, (numbers, rows) in records.stacked(datasets).items():
            for i, dataset in enumerate(datasets):
                part = rows[np.asarray(numbers) == i].reset_index(drop=True)
                pd.testing.assert_frame_equal(part, records.tables(dataset)[name])
    positions, numbers = end_to_end([])
    assert len(positions) == len(numbers) == 0


# -- the order of rows -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "SELECT s FROM staff LIMIT 1",
        "SELECT SUM(s) FROM (SELECT s FROM staff LIMIT 2)",
        "SELECT FIRST(s) FROM staff",
        "SELECT SUM(s * r) FROM (SELECT s, ROW_NUMBER() OVER () AS r FROM staff)",
        "SELECT d, COUNT(*) FROM (SELECT d FROM staff LIMIT 3) GROUP BY d",
        "SELECT MODE(s) FROM staff",
    ],
)
def test_an_answer_that_depends_on_the_order_of_rows_is_refused(text):
    """Catches LIMIT without ORDER BY and MODE with ties, alone and together."""
    frame = FRAME.assign(s=range(8))
    with pytest.raises(ValueError, match=r"order of rows.*ORDER BY"):
        asked(text, frame)
    query, universe = sl.sql(text), sl.Universe.population(frame, name="staff")
    with pytest.raises(ValueError, match=r"order of rows.*ORDER BY"):
        query.together.answers(query.giver(universe), list(combinations(range(8), 4)))


def test_an_order_that_is_said_is_no_fault():
    """Catches a refusal of LIMIT after ORDER BY, of floats that round with the order, or cancel."""
    assert asked("SELECT SUM(s) FROM (SELECT s FROM staff ORDER BY s DESC, d LIMIT 2)") == 60
    many = np.random.default_rng(3).random(500) * 10.0 ** np.arange(500).clip(0, 9)
    for cells in (many, [0.1, 0.2, 0.7, -0.3, -0.7]):
        found = asked("SELECT SUM(w) FROM staff", pd.DataFrame({"w": cells}))
        assert found == pytest.approx(sum(cells), abs=1e-15)


@pytest.mark.parametrize(
    "said", ["(random() < 1e-9)::INT", "epoch(now())", "epoch(current_timestamp)"]
)
def test_chance_and_the_clock_are_refused(said):
    """Catches noise that passes for an answer: a count with the seconds that passed was 1.004."""
    for text in (f"COUNT(*) + {said} FROM staff", "COUNT(*) FROM staff TABLESAMPLE 50%"):
        with pytest.raises(ValueError, match="same whenever it is asked"):
            asked(f"SELECT {text}")


# -- together and alone ------------------------------------------------------------------------

STATEMENTS = [
    TOTALS,
    "SELECT COUNT(*), COUNT(d), COUNT(DISTINCT s) FROM staff WHERE s > 5",
    "SELECT REGR_COUNT(s, w), MEDIAN(s), QUANTILE_CONT(w, 0.25) FROM staff",
    "SELECT COUNT(*) FROM staff AS a JOIN staff AS b ON a.d = b.d AND a.s < b.s",
    "SELECT COUNT(*) FROM staff AS a LEFT JOIN staff AS b ON a.s < b.s AND a.d = b.d",
    "SELECT AVG(r) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY d ORDER BY s, w) AS r FROM staff)",
    "SELECT SUM(x) FROM (SELECT SUM(s) OVER (ORDER BY s, w) AS x FROM staff)",
    "SELECT MAX(t) FROM (SELECT SUM(s) AS t FROM staff GROUP BY d)",
    "WITH t AS (SELECT d, SUM(s) AS t FROM staff GROUP BY d) SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.t <= b.t",
    "SELECT COUNT(*) FROM staff WHERE s > (SELECT AVG(s) FROM staff)",
    "SELECT COUNT(*) FROM staff AS a WHERE s >= ALL (SELECT s FROM staff AS b WHERE a.d = b.d)",
    "SELECT v.d, COUNT(staff.s) AS n FROM (VALUES ('law'), ('x')) AS v(d) LEFT JOIN staff ON v.d = staff.d GROUP BY v.d",
    "SELECT COUNT(*) FROM (SELECT SUM(s) AS t FROM staff WHERE s > 15) WHERE t IS NULL",
    "SELECT SUM(s) FROM (SELECT s FROM staff ORDER BY s DESC, w LIMIT 2)",
    "SELECT COUNT(*) FROM (SELECT DISTINCT d, s FROM staff)",
    "SELECT STRING_AGG(d, ',' ORDER BY d) AS names, COUNT(*) AS n FROM staff",
    "SELECT COUNT(*) FROM staff UNION ALL SELECT COUNT(*) FROM staff WHERE FALSE HAVING FALSE",
    "SELECT COUNT(*) FROM (SELECT SUM(s) FROM staff WHERE s > 30 UNION ALL SELECT SUM(s) FROM staff)",
    "SELECT COALESCE(d, '') AS d, GROUPING(d) = 1 AS whole, COUNT(*) FROM staff GROUP BY ROLLUP (d)",
    "SELECT COUNT(*) FROM range((SELECT COUNT(*) FROM staff)) AS r(x)",
    "SELECT SUM(n) FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT COUNT(*) FROM staff)) SELECT n FROM r)",
    "SELECT COUNT(*) FROM (SELECT 1 FROM staff LIMIT (SELECT COUNT(*) - 1 FROM staff))",
    "SELECT SUM(s) FROM staff -- with a comment",
    "FROM staff SELECT COUNT(*);",
    "SELECT 5 FROM staff HAVING COUNT(*) >= 0",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "library"), a_third([*zip(STATEMENTS, cycle(LIBRARIES.values()))])
)
def test_many_datasets_together_are_answered_as_each_alone(text, library):
    """Catches a row that is lost, or comes twice, where DuckDB answers all datasets in one plan.

    The libraries take turns: what is asked is the same tables of all of them. Alone, datasets do.
    """
    universe = sl.Universe.population(library(COLUMNS), name="staff")
    query = sl.sql(text)
    given = query.giver(universe)
    datasets = [one for size in (1, 2, 3) for one in combinations(range(universe.distinct), size)]
    together = dict(zip(datasets, query.answers(given, datasets), strict=True))
    for one in a_third(datasets):
        assert are_near(together[one], query.answer(given(one))), one


def test_the_union_that_loses_a_row_together_is_asked_alone():
    """Catches trust in a plan that is known to drop a row of NULL: the count is 2 on any dataset."""
    text = "SELECT COUNT(*) FROM (SELECT SUM(s) FROM staff WHERE s > 30 UNION ALL SELECT SUM(s) FROM staff)"
    assert duck.parsed(text).alone
    assert duck.parsed(
        "SELECT d, COUNT(*) FROM staff GROUP BY ROLLUP (d)"
    ).alone  # that closes DuckDB
    assert sensitivity(sl.sql(text)).value == 0


def test_the_empty_dataset_is_asked_alone(monkeypatch):
    """Catches an empty dataset in a batch, whose rows some plans lose."""
    query, seen = sl.sql("SELECT COUNT(*) FROM staff"), []
    stacked = query.together.giver(STAFF.source, "staff").__class__.stacked

    def watched(self, datasets):
        seen.extend(datasets)
        return stacked(self, datasets)

    monkeypatch.setattr(statement_module.TablesOf, "stacked", watched)
    datasets = [(), *((i,) for i in range(7)), (1, 2)]
    assert query.answers(query.giver(STAFF), datasets) == [0] + [1] * 7 + [2]
    assert () not in seen
    assert len(seen) == 8


def test_an_answer_together_that_is_not_the_one_alone_is_refused(monkeypatch):
    """Catches a batch that is believed: here it answers one more than each dataset alone."""
    whole = duck.DuckDB._ask_all

    def wrong(*given):
        return [one._replace(rows=[(one.rows[0][0] + 1,)]) for one in whole(*given)]

    monkeypatch.setattr(duck.DuckDB, "_ask_all", wrong)
    query = sl.sql("SELECT COUNT(*) FROM staff")
    with pytest.raises(
        RuntimeError, match="must answer many datasets as it does each alone, got 2 and alone 1"
    ):
        query.answers(query.giver(STAFF), [(i % 7,) for i in range(10)])


def test_a_witness_that_alone_answers_otherwise_is_refused(monkeypatch):
    """Catches a wrong answer in the batch that no sample has met, but that makes the worst pair."""
    whole = duck.DuckDB._ask_all

    def wrong(*given):
        found = whole(*given)
        found[len(found) // 2 + 1] = ResultSet(["n"], [True], [(999,)])
        return found

    monkeypatch.setattr(duck.DuckDB, "_ask_all", wrong)
    with pytest.raises(
        RuntimeError, match=r"as it does each alone, got answers 99\d apart and alone"
    ):
        sensitivity(sl.sql("SELECT COUNT(*) FROM staff"), size=4)


def test_an_error_of_the_statement_names_the_dataset_and_the_engines_message():
    """Catches a fault on one dataset of a batch that is told without the dataset, or not at all."""
    text = "SELECT CASE WHEN COUNT(*) = 2 AND MIN(s) = 40 THEN error('too rich') ELSE COUNT(*) END FROM staff"
    ask = pd.DataFrame({"s": [40, 40, *range(8)]})
    with pytest.raises(ValueError, match=r"(?s)failed on dataset .*40.*too rich"):
        sensitivity(sl.sql(text), sl.Universe.population(ask, name="staff"), size=2)


# -- whole sensitivities ---------------------------------------------------------------------


def test_executors_answer_statements():
    """Catches a statement that cannot be sent to another process, and a connection that is."""
    query = sl.sql(TOTALS)
    value = sensitivity(query).value
    with ThreadPoolExecutor(2) as pool:
        assert sensitivity(query, executor=pool).value == value
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert sensitivity(query, executor=pool).value == value
        with (
            duckdb.connect() as connection,
            pytest.raises(ValueError, match="connection cannot be sent"),
        ):
            sensitivity(sl.sql(TOTALS, connection=connection), executor=pool)


@pytest.mark.parametrize("keys", [None, ["d"]])
def test_a_snippet_reproduces_the_witness(keys, library):
    """Catches a snippet that asks another question, or that cannot be run."""
    universe = sl.Universe.population(library(COLUMNS), name="staff")
    text = TOTALS + " HAVING MAX(d) <> 'it''s \"so\"'"
    found = sensitivity(sl.sql(text, keys=keys), universe, size=2)
    snippet = found.snippet()
    assert f'sl.sql("""{text}"""' in snippet
    space = {}
    exec(snippet.replace("print(", "answers = ("), space)
    here, there = map(by_key, space["answers"])
    assert sum(abs(here.get(k, 0) - there.get(k, 0)) for k in {*here, *there}) == found.value
    odd = sl.sql('SELECT COUNT(*) AS "n"\nFROM staff WHERE d <> \'\\\' AND "d" = "d"')
    line = next(x for x in sensitivity(odd, universe, 2).snippet().split("query = ")[1:])
    assert eval(line.split("\ndataset")[0], {"sl": sl}) == odd


def test_a_result_shows_the_statement_and_its_tables():
    """Catches a card that fails, or that asks under another name."""
    found = sensitivity(sl.sql(TOTALS))
    assert TOTALS in repr(found)
    card = found._repr_html_()
    assert TOTALS in card
    assert "dataset →" in card
    assert found.keys


def test_an_audit_asks_statements():
    """Catches an audit that cannot name the table, and a verdict that is wrong."""
    query, only = sl.sql("SELECT COALESCE(SUM(s), 0) FROM staff"), [sl.SymmetricDifference(1)]
    report = sl.audit(query, 39, STAFF, sizes=3, relations=only)
    assert report.rows[0].found == 40
    with pytest.raises(AssertionError):
        report.raise_if_too_small()
    for options in ({"order": "any"}, {"method": "search", "trials": 50}):
        rows = sl.audit(query, 40, STAFF, sizes=2, relations=only, **options).rows
        assert rows[0].found <= 40


# -- where many datasets together are known to lose rows -----------------------------------------

# DuckDB 2.0 loses the row of NULL that a total of nothing is, where a UNION in a lateral join has it.
LOSES_A_ROW = """
    WITH totals AS (SELECT SUM(pay) AS t FROM staff UNION ALL SELECT SUM(hours) FROM visits)
    SELECT SUM(COALESCE(t, 7)) AS n FROM totals
"""


@pytest.fixture
def visitors():
    """Fourteen people with visits; two have no row among the staff: one of the 91 pairs has none."""
    names = list("abcdefghijklmn")
    staff = pl.DataFrame({"who": [n for n in names if n not in "cd"], "pay": [0] * 12})
    visits = pl.DataFrame({"who": names, "hours": [1] * 14})
    return sl.Universe.people({"staff": staff, "visits": visits}, id="who")


@pytest.mark.parametrize("size", [1, 2])
def test_the_sample_asks_where_tables_are_empty(monkeypatch, visitors, size):
    """Catches a wrong answer that hides the gap: then no witness would tell, but for the sample."""
    asked = {"size": size, "relation": sl.Change(1)}
    query = sl.sql(LOSES_A_ROW)
    assert sl.global_sensitivity(query, visitors, **asked).value == 7
    kept = duck.parsed
    monkeypatch.setattr(duck, "parsed", lambda text: replace(kept(text), alone=False))
    with pytest.raises(RuntimeError, match="must answer many datasets as it does each alone"):
        sl.global_sensitivity(query, visitors, **asked)


@pytest.mark.parametrize("method", ["auto", "walk", "sweep"])
def test_people_without_names_have_no_number(method):
    """Catches a statement that counts with the numbers that people happen to have: 4 for sums of number times x."""
    anybody = sl.Universe.people(sl.Universe.product(x=[1, 5]), most_rows=1, least_rows=1, name="t")
    asked = {"size": 2, "relation": sl.Change(1), "method": method}
    for text in (
        "COALESCE(SUM(person * x), 0) FROM t",
        "COUNT(*) FROM t WHERE person % 2 = 0 AND x = 5",
    ):
        with pytest.raises(OrderMatters, match="must not depend on the order"):
            sl.global_sensitivity(sl.sql(f"SELECT {text}"), anybody, **asked)
    each = "(SELECT person, SUM(x) AS s FROM t GROUP BY person)"
    asks = sl.sql(f"SELECT COALESCE(MAX(s), 0) FROM {each}")
    assert sl.global_sensitivity(asks, anybody, **asked).value == 4
