"""What somebody types first: a number that may be a key is refused with its way out."""

import sqlite3

import duckdb
import pytest
from conftest import a_third

import sensitivity_lab as sl

ANYONE = sl.Universe.product(region=[1, 2], x=[0, 5, 7], name="t")
TOP = "ORDER BY n DESC, region LIMIT 1"
EACH = "SELECT region, COUNT(*) AS n FROM t GROUP BY region"
# ruff: disable[E501]
# fmt: off
KEYS = {  # the first column is numeric, and may be a key; of one engine, or of both
    "both": [
        f"{EACH} {TOP}", f"{EACH} HAVING COUNT(*) >= 2", EACH, f"SELECT * FROM ({EACH}) {TOP}", f"WITH c(region, n) AS ({EACH}) SELECT * FROM c {TOP}",
        f"WITH c AS (SELECT *, ROW_NUMBER() OVER ({TOP[:-8]}) AS i FROM ({EACH})) SELECT region, n FROM c WHERE i = 1", f"{EACH} UNION ALL SELECT 0, COUNT(*) FROM t",
        f"SELECT region + 0 AS region, COUNT(*) AS n FROM t GROUP BY 1 {TOP}", "SELECT DISTINCT region, 1 AS n FROM t ORDER BY region LIMIT 1",
        "SELECT region, x AS n FROM t ORDER BY x DESC, region LIMIT 1", f"SELECT region, SUM(x) OVER (PARTITION BY region) AS n FROM t {TOP}",
        "SELECT r.region, COUNT(x) AS n FROM (SELECT 1 AS region UNION ALL SELECT 2) AS r LEFT JOIN t ON t.region = r.region GROUP BY r.region",
        "SELECT n, COUNT(*) AS c FROM (SELECT COUNT(*) AS n FROM t GROUP BY region) AS s GROUP BY n ORDER BY c DESC, n LIMIT 1",
        "SELECT CASE WHEN x > 3 THEN 1 ELSE 0 END AS high, COUNT(*) AS c FROM t GROUP BY 1 ORDER BY c DESC, high LIMIT 1",
    ],
    "duckdb": [f"{EACH} QUALIFY ROW_NUMBER() OVER ({TOP[:-8]}) = 1", "SELECT max_by(region, x * 9 + region) AS region, MAX(x) AS n FROM t", "SELECT COALESCE(region, 0) AS region, COUNT(*) AS n FROM t GROUP BY ROLLUP (region)"],
    "sqlite": ["SELECT region, COUNT(*) FROM t WHERE region = 1"],
}
NUMBERS = {
    "both": [
        "SELECT COUNT(*), COALESCE(SUM(x), 0) FROM t", "SELECT MIN(x), MAX(x) FROM t", "SELECT MAX(x) - MIN(x) AS r FROM t", f"SELECT MAX(n) AS n FROM ({EACH}) AS s", f"SELECT n FROM ({EACH}) AS s ORDER BY n DESC LIMIT 1",
        "SELECT x FROM t ORDER BY x DESC LIMIT 1", "WITH s AS (SELECT COUNT(*) AS n, SUM(x) AS total FROM t) SELECT n, total FROM s", "SELECT a.m, b.m AS k FROM (SELECT MIN(x) AS m FROM t) AS a, (SELECT MAX(x) AS m FROM t) AS b",
        "SELECT SUM(CASE WHEN region = 1 THEN 1 ELSE 0 END) AS a, SUM(CASE WHEN region = 2 THEN 1 ELSE 0 END) AS b FROM t", "SELECT (SELECT COUNT(*) FROM t WHERE region = 1) - (SELECT COUNT(*) FROM t WHERE region = 2) AS d",
        "SELECT COUNT(DISTINCT region), COUNT(DISTINCT x) FROM t", "SELECT SUM(x) / 2 AS h FROM t", "SELECT COALESCE(SUM(x), 0) FROM t WHERE region IN (SELECT region FROM t GROUP BY region HAVING COUNT(*) > 1)", "SELECT AVG(x) FROM t", "SELECT 1.5 * COUNT(*) FROM t WHERE x > 0",
    ],
    "duckdb": ["SELECT MIN(COLUMNS(*)) FROM t", "SELECT count_if(x > 3), product(x + 1) FROM t", "SELECT COUNT(*) FILTER (region = 1) AS a, COUNT(*) FILTER (region = 2) AS b FROM t", "SELECT DISTINCT SUM(x) OVER () AS s FROM t", "SELECT CAST(AVG(x) AS DECIMAL(4, 1)) FROM t"],
    "sqlite": ["SELECT total(x), COUNT(*) FROM t", "SELECT SUM(region = 1), SUM(region = 2) FROM t"],
}
NO_NUMBER = ["SELECT COUNT(*), MAX(x) > 3 AS high FROM t", "SELECT bool_and(x > 0) AS high FROM t", "SELECT COUNT(*), MAX(CAST(x AS VARCHAR)) AS high FROM t"]
# fmt: on
# ruff: enable[E501]
CONNECT = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}


def found(text, connect, **keys):
    asked = sl.sql(text, connection=None if connect is duckdb.connect else connect(), **keys)
    return sl.global_sensitivity(asked, ANYONE, size=2, relation=sl.Change(1)).value


@pytest.mark.parametrize("engine", CONNECT)
def test_a_number_that_may_name_a_group_is_what_is_said(engine):
    """Catches a region's code that is read as a number: top-1 by count was 1 for 4."""
    connect = CONNECT[engine]
    for text in KEYS["both"] + KEYS[engine]:
        with pytest.raises(ValueError, match=r"column (\w+) must be .* keys='\1'.* keys=\[\]"):
            found(text, connect)
    top = KEYS["both"][0]
    assert (found(top, connect, keys="region"), found(top, connect, keys=[])) == (3, 2)
    for text in a_third(NUMBERS["both"] + NUMBERS[engine]):
        found(text, connect)  # what it is of such statements, `test_sql_fuzz` holds


def test_an_answer_that_is_no_number_is_no_key_unless_it_is_said():
    """Catches true or false beside a number that became its key: a count moved by 4."""
    for text in NO_NUMBER:
        with pytest.raises(ValueError, match=r"CAST\(… AS INT\)"):
            found(text, duckdb.connect)
    text = NO_NUMBER[0].replace("MAX(x) > 3", "CAST(MAX(x) > 3 AS INT)")
    assert found(text, duckdb.connect) == 1
