"""Records that are rows of pandas, polars and pyarrow tables: what a function is given of them."""

import datetime
import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sensitivity_lab as sl
from sensitivity_lab.records.rows import Row

UTC = datetime.UTC
CELLS = {
    "d": ["law", "art", None],
    "s": [0, 3, -2, 50],
    "w": [0.5, None, 2.25, 1.0],
    "t": [datetime.datetime(2024, 3, 31, hour, tzinfo=UTC) for hour in (0, 1, 5)],
    "c": ["low", "high"],
    "b": [True, False],
}
ZONE = "Europe/Vienna"
LEVELS = ["low", "high", "never"]


def in_pandas(rows):
    frame = pd.DataFrame(rows, columns=list(CELLS)).astype({"s": "int64", "b": "bool"})
    times = pd.to_datetime(frame["t"], utc=True).dt.tz_convert(ZONE)
    levels = pd.Categorical(frame["c"], categories=LEVELS, ordered=True)
    return frame.assign(w=frame["w"].astype("float64"), t=times, c=levels)


def in_polars(rows):
    kinds = {
        "d": pl.String, "s": pl.Int64, "w": pl.Float64, "t": pl.Datetime("us", "UTC"),
        "c": pl.Enum(LEVELS), "b": pl.Boolean,
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=kinds)
    return frame.with_columns(pl.col("t").dt.convert_time_zone(ZONE))


def in_pyarrow(rows):
    kinds = {
        "d": pa.string(), "s": pa.int64(), "w": pa.float64(), "t": pa.timestamp("us", ZONE),
        "c": pa.dictionary(pa.int32(), pa.string()), "b": pa.bool_(),
    }  # fmt: skip
    return pa.Table.from_pylist(rows, schema=pa.schema(kinds))


LIBRARIES = {"pandas": in_pandas, "polars": in_polars, "pyarrow": in_pyarrow}


def dicts(table):
    """The rows of a table of any of the libraries, in plain Python."""
    if isinstance(table, pd.DataFrame):
        rows = table.to_dict("records")
    else:
        rows = table.to_dicts() if isinstance(table, pl.DataFrame) else table.to_pylist()
    return [{name: plain(cell) for name, cell in row.items()} for row in rows]


def plain(cell):
    if cell is None or cell is pd.NaT or cell is pd.NA or cell != cell:
        return None
    return cell.astimezone(UTC).isoformat() if isinstance(cell, datetime.datetime) else cell


def schema(table):
    """The columns with their types, and what else a cell may be."""
    if isinstance(table, pd.DataFrame):
        return dict(table.dtypes)
    return dict(table.schema) if isinstance(table, pl.DataFrame) else table.schema


def multiset(rows):
    return tuple(sorted(repr(list(row.items())) for row in rows))


# -- what is asked: functions of rows as dicts, so that every library is asked the same -------


def total(rows):
    return sum(row["s"] for row in rows)


def mean(rows):
    return Fraction(total(rows), len(rows)) if rows else Fraction(1, 3)


def missing(rows):
    return sum(row["w"] is None for row in rows) * 2 - sum(row["d"] is None for row in rows)


def ratio(rows):
    known = [row for row in rows if row["w"] is not None]
    return Fraction(sum(row["s"] * row["b"] for row in known), 1 + len(known))


def product_of_columns(rows):
    """The numerator of a covariance, in quarters."""
    pairs = [(row["s"], int(4 * row["w"])) for row in rows if row["w"] is not None]
    return len(pairs) * sum(a * b for a, b in pairs) - sum(a for a, _ in pairs) * sum(
        b for _, b in pairs
    )


def latest(rows):
    return max((int(row["t"][11:13]) for row in rows), default=0)


def by_department(rows):
    return tuple(sum(row["s"] for row in rows if row["d"] == name) for name in ("law", "art", None))


SCALARS = (total, mean, missing, ratio, product_of_columns, latest)


def of_table(function, table):
    """A function of rows, asked of a table."""
    return function(dicts(table))


def some_rows(rng, most):
    """Rows of which some are equal."""
    rows = [{name: rng.choice(cells) for name, cells in CELLS.items()} for _ in range(most)]
    return [rng.choice(rows) for _ in range(rng.randint(1, most))]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("method", ["auto", "walk", "sweep"])
def test_a_function_that_changes_its_table_changes_no_answer(library, method):
    """Catches a table that two calls share, or that is the universe's own."""
    frame = LIBRARIES[library](some_rows(random.Random(4), 5))
    before = multiset(dicts(frame))

    def spoils(table):
        answer = total(dicts(table))
        if library == "pandas":
            table["s"] = 99
            table.loc[:, "w"] = 7.0
            del table["d"]
        if library == "polars" and len(table):
            table[0, "s"] = 99
            table.insert_column(0, pl.Series("new", [1] * len(table)))
        return answer

    universe = sl.Universe.population(frame)
    ask = {"size": 2, "relation": sl.SymmetricDifference(1)}
    found = sl.global_sensitivity(spoils, universe, method=method, **ask)
    plain = sl.global_sensitivity(lambda table: total(dicts(table)), universe, **ask)
    assert found.value == plain.value
    assert found.check()
    assert found.check()
    ask = {"sizes": 2, "relations": [ask["relation"]]}
    verdict = sl.audit(spoils, found.value, universe, **ask)
    searched = sl.audit(spoils, 0, universe, method="search", trials=20, **ask)
    assert verdict.rows[0].verdict == "exact"
    for row in (*verdict.rows, *searched.rows):
        assert [total(dicts(side)) for side in (row.dataset, row.neighbour)] == list(row.answers)
    assert multiset(dicts(frame)) == before
    assert multiset(row for d in universe.datasets(1) for row in dicts(d)) == tuple(
        sorted(set(before))
    )


def test_the_given_table_may_change_afterwards():
    """Catches a universe that follows later changes to the caller's table."""
    frame = pd.DataFrame({"s": [1, 2]})
    universe = sl.Universe.population(frame)
    frame.loc[0, "s"] = 99
    frame["new"] = 0
    assert universe.values == ((1,), (2,))
    assert list(next(universe.datasets(1)).columns) == ["s"]


def test_whole_numbers_stay_whole_beside_none():
    """Catches 2^60 + 1 rounded to a float because another value is missing."""
    universe = sl.Universe.product(s=[2**60 + 1, None, 2**60], b=[True])
    assert sorted(row.s for row in universe.values if row.s is not None) == [2**60, 2**60 + 1]
    known = lambda table: sum(row["s"] or 0 for row in dicts(table))  # noqa: E731
    found = sl.global_sensitivity(known, universe, size=1, relation=sl.Change(1))
    assert found.value == 2**60 + 1
    assert found.check()
    mixed = sl.Universe.product(a=[1, 2.5], b=["x", None], c=[0, 1])
    assert mixed.distinct == 8
    assert {str(kind) for kind in next(mixed.datasets(1)).dtypes} >= {"float64", "int64"}


# -- what a row is ---------------------------------------------------------------------------


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


def test_what_is_missing_is_none():
    """Catches the NaN of pandas, NaT, NA and null taken for records that do not equal themselves."""
    nullable = {"a": pd.array([1, None], dtype="Int64"), "t": [pd.NaT, pd.Timestamp("2024")]}
    for frame in (
        pd.DataFrame(nullable),
        pd.DataFrame({"a": [1.0, math.nan], "t": [None, "x"]}),
        pl.DataFrame({"a": [1.0, None], "t": [None, "x"]}),
        pa.table({"a": [1.0, None], "t": pa.array([None, "x"])}),
    ):
        doubled = pd.concat([frame, frame]) if isinstance(frame, pd.DataFrame) else frame
        universe = sl.Universe.population(doubled)
        assert sorted(row.index(None) for row in universe.values) == [0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_short_floats_say_their_shortest_text(dtype):
    """Catches float32(0.1) read as 0.10000000149 in a row, and as 0.1 in the column."""
    column = np.array([0.1, 19.99, 0.3], dtype=dtype)
    want = Fraction(str(column[1])) - Fraction(str(column[0]))
    frames = [pd.DataFrame({"x": column})]
    if dtype == np.float32:
        frames += [pl.DataFrame({"x": column}), pa.table({"x": column})]
    for frame in frames:
        universe = sl.Universe.population(frame)
        for of, method in product(("x", lambda row: row.x), ("auto", "walk", "solver")):
            found = sl.global_sensitivity(
                sl.SUM.of(of), universe, size=1, relation=sl.Change(1), method=method
            )
            assert found.value == want
            assert found.check()
            assert schema(found.witness[0]) == schema(frame)
