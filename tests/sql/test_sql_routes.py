"""Many datasets by one statement of DuckDB: where that is known to lose rows, and who would tell."""

from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

import sensitivity_lab as sl
from sensitivity_lab.sql import duckdb as duck

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


def test_why_unions_are_asked_one_by_one():
    """Catches a DuckDB that has learnt it: then the rule for UNION can go."""
    text = "SELECT COUNT(*) AS n FROM rates UNION ALL SELECT SUM(pay) FROM staff WHERE pay > 3"
    staff = pl.DataFrame({"pay": [3]})
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rates AS SELECT 2 AS rate FROM range(4)")
        database, whole = duck.DuckDB(connection), duck.Whole(staff=staff)
        alone = database.ask_each(text, [whole], whole, 9)[0].rows
        stack = {"staff": (np.array([0]), staff)}
        ((together,),) = database.ask_all(text, [stack], 1, whole, 9)
    assert sorted(alone, key=str) == [(4,), (None,)]
    assert together.rows == [(4,)]
