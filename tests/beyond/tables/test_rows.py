"""Records that are rows of pandas, polars and pyarrow tables: what a function is given of them."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import in_turn
from sensitivity_beyond.tables.frames import Row
from worlds import LIBRARIES, plain_rows, schema

import sensitivity_lab as sl


def total(table):
    return sum(x for _, x, _ in plain_rows(table))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("method", in_turn(["auto", "walk", "sweep"]))
def test_a_function_that_changes_its_table_changes_no_answer(library, method):
    """Catches a table that two calls share, or that is the universe's own."""
    cells = {"t": list("abacb"), "x": [0, 3, 0, -2, 50], "z": [0.5, None, 0.5, 2.25, 1.0]}
    frame = LIBRARIES[library](pd.DataFrame(cells))
    before = Counter(plain_rows(frame))

    def spoils(table):
        answer = total(table)
        if library == "pandas":
            table["x"] = 99
            table.loc[:, "z"] = 7.0
            del table["t"]
        if library == "polars" and len(table):
            table[0, "x"] = 99
            table.insert_column(0, pl.Series("new", [1] * len(table)))
        return answer

    universe = sl.Universe.population(frame)
    ask = {"size": 2, "relation": sl.SymmetricDifference(1)}
    found = sl.global_sensitivity(spoils, universe, method=method, **ask)
    assert found.value == sl.global_sensitivity(total, universe, **ask).value
    assert found.check()
    ask = {"sizes": 2, "relations": [ask["relation"]]}
    verdict = sl.audit(spoils, found.value, universe, **ask)
    searched = sl.audit(spoils, 0, universe, method="search", trials=20, **ask)
    assert verdict.rows[0].verdict == "exact"
    for row in (*verdict.rows, *searched.rows):
        assert [total(side) for side in (row.dataset, row.neighbour)] == list(row.answers)
    assert Counter(plain_rows(frame)) == before
    assert sorted(row for d in universe.datasets(1) for row in plain_rows(d)) == sorted(before)


@pytest.mark.parametrize("make", [sl.Universe.population, sl.Universe.value_range])
@pytest.mark.parametrize("values", [[1, 2, 2], [1.5, 2.0], [3, None, 1], ["no", "yes"]], ids=str)
def test_columns_of_other_libraries(make, values):
    """Catches scalars of pyarrow taken for no numbers, and numbers that are too wide for numpy."""
    want = make(values)
    for column in (pl.Series(values), pa.array(values), pa.chunked_array([values[:1], values[1:]])):
        assert make(column) == want
    assert make(pl.Series("age", values)).name == "age"
    assert make(pl.Series("age", values), name="years").name == "years"
    assert make(pl.DataFrame({"n": [2**100]}, schema={"n": pl.Int128})).source.said("n") == [2**100]


def test_whole_numbers_stay_whole_beside_none():
    """Catches 2^60 + 1 rounded to a float because another value is missing."""
    universe = sl.Universe.product(s=[2**60 + 1, None, 2**60], b=[True])
    assert sorted(row.s for row in universe.values if row.s is not None) == [2**60, 2**60 + 1]
    known = lambda table: int(table["s"].sum())  # noqa: E731
    found = sl.global_sensitivity(known, universe, size=1, relation=sl.Change(1))
    assert found.value == 2**60 + 1
    assert found.check()


def test_a_row():
    """Catches a column called as a tuple's own method, which a row would answer with the method."""
    row = Row((3, 5, 7), columns=("count", "index", "columns"))
    assert [row["count"], row["index"], row["columns"], row[0]] == [3, 5, 7, 3]
    with pytest.raises(KeyError, match="row has no column 's': it has count, index, columns"):
        row["s"]
    frame = pd.DataFrame({"count": [1, 5], "index": [3, 3]})
    universe = sl.Universe.population(frame)
    for of in ("count", lambda row: row["count"]):
        found = sl.global_sensitivity(sl.SUM.of(of), universe, size=1, relation=sl.Change(1))
        assert found.value == 4
        assert found.check()


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_short_floats_are_the_numbers_that_they_are(dtype):
    """Catches float32(0.1) read as 0.1, in a row or in the column: the table's own sum moves on."""
    column = np.array([0.1, 19.99, 0.3], dtype=dtype)
    want = Fraction(str(float(column[1]))) - Fraction(str(float(column[0])))
    frames = [pd.DataFrame({"x": column})]
    if dtype == np.float32:
        frames += [pl.DataFrame({"x": column}), pa.table({"x": column})]
    for frame in frames:
        universe = sl.Universe.population(frame)
        for of, method in product(("x", lambda row: row.x), ("auto", "walk", "solver")):
            ask = {"size": 1, "relation": sl.Change(1), "method": method}
            found = sl.global_sensitivity(sl.SUM.of(of), universe, **ask)
            assert found.value == want
            assert found.check()
            assert schema(found.witness[0]) == schema(frame)


def test_tables_are_compared_row_by_row():
    """Catches what both datasets hold counted as changed."""
    law, art, relation = {"team": "law", "pay": 1}, {"team": "art", "pay": 1}, sl.Change(1)
    x = pd.DataFrame([law, art, art])
    for rows, want in (([art, art, law], True), ([art, art, art], True), ([law, law, law], False)):
        y = pd.DataFrame(rows)
        assert relation.are_neighbours(x, y) is relation.are_neighbours(y, x) is want
