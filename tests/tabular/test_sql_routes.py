"""Four routes to what a statement says: DuckDB for many datasets at once and one by one, sqlite3, plain Python.

`oracle_sql` makes statements with their meaning. Each of the ten seeds asks a tenth of `SQL_CASES`
(default 150) statements of eight pairs of tables.
"""

import math
import os
import random
import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import oracle_sql
import polars as pl
import pytest

import sensitivity_lab as sl
from sensitivity_lab.tabular import duck, sql
from sensitivity_lab.tabular.database import ask_each

CASES = int(os.environ.get("SQL_CASES", "150"))
DATASETS = 8
TYPES = {"text": pl.String, "number": pl.Int64, "date": pl.Date, "truth": pl.Boolean}
SCHEMAS = {
    table: {
        name: pl.Float64 if 0.5 in cells else TYPES[kind] for name, (kind, cells) in columns.items()
    }
    for table, columns in oracle_sql.TABLES.items()
}
COMBINING = (" UNION ", " EXCEPT ", " INTERSECT ")


def frame(table, rows):
    return pl.DataFrame(rows, schema=SCHEMAS[table], orient="row")


def frames(dataset):
    return {table: frame(table, rows) for table, rows in dataset.items()}


VISITS = [("law", 2), ("art", None), (None, 1)]  # where visits are public too


def with_public_tables(connection):
    """A connection with public tables, and with one that the dataset's own hides."""
    connection.execute("CREATE TABLE rates (dept VARCHAR(9), rate BIGINT)")
    connection.execute("CREATE TABLE visits (dept VARCHAR(9), hours BIGINT)")
    connection.execute("CREATE TABLE staff (hidden BIGINT)")
    connection.executemany("INSERT INTO rates VALUES (?, ?)", oracle_sql.PUBLIC)
    connection.executemany("INSERT INTO visits VALUES (?, ?)", VISITS)
    connection.commit()
    return connection


@pytest.fixture(scope="module")
def quack():
    with with_public_tables(
        duckdb.connect(":memory:", config={"threads": 1}).begin()
    ) as connection:
        yield connection


@pytest.fixture(scope="module")
def lite():
    connection = with_public_tables(sqlite3.connect(":memory:"))
    yield connection
    connection.close()


def side_by_side(connection, text, datasets):
    """DuckDB's answers on all datasets by one statement."""
    stacked = {
        table: (
            np.array([i for i, dataset in enumerate(datasets) for _ in dataset[table]], dtype=int),
            frame(table, [row for dataset in datasets for row in dataset[table]]),
        )
        for table in oracle_sql.TABLES
    }
    return duck.ask_all(connection, text, stacked, len(datasets))


# -- row by row ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_four_routes_return_the_same_rows(quack, lite, seed):
    """Catches a route that loses a row, a null, a group or a duplicate, and a meaning that is wrong."""
    for case in range(seed, CASES, 10):
        select, rng = oracle_sql.statement(case), random.Random(case)
        datasets = [{table: [] for table in oracle_sql.TABLES}]
        datasets += [oracle_sql.dataset(rng) for _ in range(DATASETS - 1)]
        expected = [oracle_sql.alike(oracle_sql.meaning(select, one)) for one in datasets]
        routes = {
            "sqlite3": ask_each(lite, select.text, map(frames, datasets)),
            "alone": duck.ask_each(quack, select.text, map(frames, datasets)),
        }
        if not any(word in select.text for word in COMBINING):  # those are asked alone
            routes["side by side"] = side_by_side(quack, select.text, datasets)
        for route, results in routes.items():
            for result, rows, dataset in zip(results, expected, datasets, strict=True):
                told = f"{route}, case {case}: {select.text}\non {dataset}"
                assert result.names == list(select.columns), told
                assert oracle_sql.alike(result.rows) == rows, told


def test_the_statements_are_of_every_kind():
    """Catches a generator that has run dry: a construct that no statement has, rows that are never there."""
    made = [oracle_sql.statement(case) for case in range(CASES)]
    texts = " ".join(select.text for select in made)
    for word in [
        "COUNT(DISTINCT", "SUM(", "AVG(", "MIN(", "MAX(", "FILTER", "CASE", "COALESCE", "DISTINCT",
        "GROUP BY", "HAVING", " LEFT JOIN ", " JOIN ", "WITH ", "EXISTS", "NOT IN (SELECT", "OVER (",
        "ROWS UNBOUNDED", "LAG(", "RANK()", "UNION ALL", "UNION SELECT", "EXCEPT", "INTERSECT",
        "LIMIT", "rates AS", "visits AS", "IS NOT NULL", "'2024-01-15'", ".active",
    ]:  # fmt: skip
        assert word in texts, word
    rng = random.Random(0)
    answers = [oracle_sql.meaning(select, oracle_sql.dataset(rng)) for select in made]
    assert sum(len({*map(str, rows)}) > 1 for rows in answers) > CASES / 10
    assert sum(bool(rows) for rows in answers) > CASES / 2


# -- whole sensitivities ---------------------------------------------------------------------

RELATIONS = [sl.Change(1), sl.SymmetricDifference(1), sl.SymmetricDifference(2), sl.AddRemove(1)]
NORMS = [1, 2, math.inf, 0]


def answering(select):
    """A statement's meaning as a plain function of a dataset: a table, or several by name."""
    keys = [name for name in select.columns if name[0] == "k"]
    numbers = [name for name in select.columns if name[0] != "k"]

    def answer(dataset):
        tables = dataset if isinstance(dataset, dict) else {"staff": dataset}
        rows = {name: one.rows() for name, one in tables.items()}
        returned = oracle_sql.meaning(select, {"visits": VISITS} | rows)
        if not keys:
            return returned[0][0] if len(numbers) == 1 else returned[0]
        labelled = {}
        for row in returned:
            key = row[0] if len(keys) == 1 else row[: len(keys)]
            for name, number in zip(numbers, row[len(keys) :], strict=True):
                labelled[key if len(numbers) == 1 else (key, name)] = number
        return labelled

    return answer


def people(rng):
    """Departments as people: each brings rows of its own to either table, to one, or to both."""
    tables = {
        table: [(rng.choice(["law", "art", "tax", "zoo"]), *row[1:]) for row in rows]
        for table, rows in oracle_sql.dataset(rng).items()
    }
    tables["visits"].append(("law", 5))
    return sl.Universe.people(frames(tables), id="dept")


def rows_of_staff(rng):
    """Some rows of one table, each as often as there is room, or once."""
    rows = [row for _ in range(4) for row in oracle_sql.dataset(rng)["staff"]][:4]
    make = rng.choice([sl.Universe.value_range, sl.Universe.population])
    return make(frame("staff", rows), name="staff")


def problem(seed):
    """A universe, and a random statement that says different things of its records."""
    for case in range(seed, 100_000, 60):
        rng, select = random.Random(case), oracle_sql.statement(case, safe=True)
        universe = people(rng) if seed % 2 else rows_of_staff(rng)
        if " staff AS" in select.text:
            answer = answering(select)
            if len({str(answer(dataset)) for dataset in universe.datasets(size=1)}) > 1:
                return universe, select, rng
    raise AssertionError("no statement tells records apart")


@pytest.mark.parametrize("seed", range(6))
def test_sensitivities_are_those_of_the_meaning(quack, lite, seed):
    """Catches a wrong answer on some dataset, a label of another form, a public table that moves."""
    positive = 0
    for case in range(seed, 60, 6):
        universe, select, rng = problem(case)
        asked = {
            "size": rng.randint(1, min(3, universe.distinct - 1)),
            "relation": rng.choice(RELATIONS),
            "norm": rng.choice(NORMS),
        }
        expected = sl.global_sensitivity(answering(select), universe, **asked)
        keys = [name for name in select.columns if name[0] == "k"] or None
        for connection in (quack, lite):
            query = sl.sql(select.text, keys=keys, connection=connection)
            answer = sl.global_sensitivity(query, universe, **asked)
            assert answer.value == pytest.approx(expected.value, rel=1e-9), select.text
        positive += expected.value > 0
    assert positive > 5


# -- what the sample is for ------------------------------------------------------------------

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
    kept = sql._parsed
    monkeypatch.setattr(sql, "_parsed", lambda text: replace(kept(text), alone=False))
    with pytest.raises(RuntimeError, match="must answer many datasets as it does each alone"):
        sl.global_sensitivity(query, visitors, **asked)


def test_why_unions_are_asked_one_by_one(quack):
    """Catches a DuckDB that has learnt it: then the rule for UNION can go."""
    text = "SELECT COUNT(*) AS n FROM rates UNION ALL SELECT SUM(pay) FROM staff WHERE pay > 3"
    dataset = {"staff": [("law", 3, 1, 0.5, None, True)], "visits": []}
    alone = duck.ask_each(quack, text, [frames(dataset)])[0].rows
    (together,) = side_by_side(quack, text, [dataset])
    assert sorted(alone, key=str) == [(4,), (None,)]
    assert together.rows == [(4,)]
