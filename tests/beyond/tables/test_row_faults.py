"""What is refused where records are rows and people: one clear error, before any work."""

import math
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import nested, refused

import sensitivity_lab as sl

FRAME = pd.DataFrame({"d": ["law", "art", "law"], "s": [1, 2, 1]})
ORDERS = pd.DataFrame({"who": ["b", "a", "b"], "price": [3, 5, 4]})
STAFF = sl.Universe.population(FRAME)
BUYERS = sl.Universe.people(ORDERS, id="who")
TWO = sl.Universe.people({"orders": ORDERS, "visits": ORDERS}, id="who")
ANYBODY = sl.Universe.people(FRAME, most_rows=1)
ONE = {"size": 1, "relation": sl.Change(1)}


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("tables", "options", "error", "words"),
    [
        (ORDERS, {"id": "customer"}, ValueError, "table must have the id's column 'customer', got the columns who"),
        (ORDERS, {"id": 3}, TypeError, "id must be the name of a column, got 3"),
        ({"one": ORDERS, "other": FRAME}, {"id": "who"}, ValueError, "table other must have the id's column 'who'"),
        (ORDERS.assign(who=["a", None, "b"]), {"id": "who"}, ValueError, "table must have an id in every row, got none in row 1"),
        (ORDERS.iloc[:0], {"id": "who"}, ValueError, "tables must not be empty, got no row"),
        ({}, {"id": "who"}, ValueError, "tables must be at least one, got none"),
        ([("a", 1)], {"id": "who"}, TypeError, "table must be a table of pandas, polars or pyarrow"),
        (pl.DataFrame({"who": [1]}).lazy(), {"id": "who"}, TypeError, "table must be a table in memory, got a lazy frame"),
        (pd.DataFrame([[1, 2]], columns=["who", "who"]), {"id": "who"}, ValueError, "table must have columns of different names"),
        (FRAME, {"most_rows": -1}, ValueError, "most_rows must be a whole number of at least 0, got most_rows=-1"),
        (FRAME, {"most_rows": 1, "least_rows": 2}, ValueError, "least_rows must be at most most_rows, got 2 and 1"),
        (ORDERS, {"id": "who", "least_rows": 1}, ValueError, "least_rows must be 0 where people have ids, got 1"),
        (FRAME, {}, ValueError, "give id, of people in a table, or most_rows, of anybody"),
        (ORDERS, {"id": "who", "most_rows": 1}, ValueError, "column 'who', which numbers people: people(rows, id='who').truncated"),
        ([1, 2], {"most_rows": 1}, TypeError, "rows must be a table of pandas, polars or pyarrow"),
        (FRAME.assign(person=1), {"most_rows": 1}, ValueError, "rows must not have a column 'person'"),
        (pl.DataFrame({"t": pl.Series([1, 2]).cast(pl.Datetime("ns"))}), {"most_rows": 1}, ValueError, "column t must hold whole microseconds"),
        (pd.DataFrame({"s": range(2000)}), {"most_rows": 2}, sl.TooLarge, "people must be at most 1,000,000, got more from 2,000 rows"),
    ],
    ids=range(18),
)  # fmt: skip
# ruff: enable[E501]
def test_people_who_are_none(tables, options, error, words):
    """Catches an id that is nowhere, or that nobody has, found out when a function fails on it."""
    with refused(error, words):
        sl.Universe.people(tables, **options)


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("dataset", "universe", "words"),
    [
        (pd.DataFrame({"d": ["law"], "s": [7]}), STAFF, "dataset must hold records of the universe, got Row(d='law', s=7)"),
        (pd.DataFrame({"d": ["law"]}), STAFF, "dataset must have the columns d, s in this order, got d"),
        (pd.concat([FRAME, FRAME]), STAFF, "dataset must hold at most 1 records of value"),
        (ORDERS.iloc[:1], BUYERS, "dataset must hold all rows of each of its people, and no others, in table"),
        (ORDERS.assign(price=0), BUYERS, "dataset must hold all rows of each of its people"),
        (ORDERS.assign(who="z"), BUYERS, "dataset must hold records of the universe, got 'z'"),
        (ORDERS[["price"]], BUYERS, "dataset must have the id's column 'who'"),
        (["a", "a"], BUYERS, "dataset must hold at most 1 records of value 'a', got 2"),
        ({"orders": ORDERS}, TWO, "dataset must have the tables orders, visits, got orders"),
        ({"orders": ORDERS, "visits": ORDERS.iloc[:1]}, TWO, "no others, in table visits"),
        (ORDERS, TWO, "dataset must have the tables orders, visits, got None"),
        ([[("law", 9)]], ANYBODY, "dataset must hold records of the universe"),
        (FRAME, ANYBODY, "dataset must have the id's column 'person'"),
    ],
    ids=range(13),
)  # fmt: skip
# ruff: enable[E501]
def test_datasets_outside_the_universe(dataset, universe, words):
    """Catches a dataset with a row, a person or a part of a person that there is not."""
    with refused(ValueError, words):
        universe.indices(dataset)
    with refused(ValueError, words):
        sl.local_sensitivity(len, dataset, universe, relation=sl.Change(1))


@pytest.mark.parametrize(
    ("of", "error", "words"),
    [
        ("x", ValueError, "of must name a column, one of d, s, w, t, got 'x'"),
        ("d", TypeError, "what mean of d is asked of must be a number for every record, got 'law'"),
        ("w", TypeError, "what mean of w is asked of must be a number for every record, got None"),
        ("t", TypeError, "what mean of t is asked of must be a number for every record, got"),
        (lambda row: row.w, TypeError, "must be a number for every record, got None"),
        (lambda row: row.x, ValueError, "of failed on record Row(d='law', s=1"),
        (lambda row: math.inf * row.s, ValueError, "must be finite, got inf"),
    ],
    ids=range(7),
)  # fmt: skip
def test_what_is_no_number(of, error, words):
    """Catches a null, a text or a date among the numbers, found out by the arithmetic."""
    frame = FRAME.assign(w=[1.5, math.nan, 2.5], t=pd.Timestamp("2024"))
    for made in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        universe = sl.Universe.population(made)
        with refused(error, words):
            sl.global_sensitivity(sl.MEAN.of(of), universe, **ONE)
    for universe in (sl.Universe.population(["a", "b"]), sl.Universe.population([1, 2])):
        with refused(ValueError, "of must be a function of one record here, got 's'"):
            sl.global_sensitivity(sl.SUM.of("s"), universe, **ONE)


def test_a_clipped_query_takes_no_number_of_values():
    """Catches a closed form for values that the cut has made fewer: 3 where 1 is true."""
    query = sl.count_distinct.clipped(0, 1)
    with pytest.raises(ValueError, match="values must be None where a cut may"):
        sl.closed_form(query, values=11, bounds=(0, 10), size=4, relation=sl.Change(4))
    marks = {"marks": sl.Universe.value_range(range(11))}
    table = sl.compare([query], marks, size=4, relations=[sl.Change(4)])
    assert table["sensitivity"].tolist() == table["closed_form"].tolist() == [1]


LISTS = sl.Universe.population(pl.DataFrame({"a": [[1], [2]]}))
SWEPT = {"column": "a", "query": "mean", "relation": "Change", "k": [1], "sensitivity": [1]}


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sl.Universe.people(FRAME, id=nested(3000), most_rows=1), ["id must be the name"]),
        (lambda: sl.Universe.population([pl.col("a")]), ["records must be hashable"]),
        (lambda: sl.Universe.product(), ["columns must be at least one, got none"]),
        (lambda: sl.Universe.product(s=[]), ["column s must have at least one value, got none"]),
        (lambda: sl.Universe.product(s="law"), ["column s must be a list of values, got 'law'"]),
        (lambda: sl.Universe.product(a=[0], b=[[1]]), ["column b must hold values that can be hashed"]),
        (lambda: sl.global_sensitivity(sl.SUM.of("a"), LISTS, **ONE), ["must be a number for every record", "(1,)"]),
        *((lambda name=name: sl.plot_sweep(pd.DataFrame(SWEPT | {name: [["x"]]})), [f"as {name}"])
          for name in ("column", "query", "relation")),
        (lambda: sl.AuditRow("Change", 1, 2, claimed="x", found=3), ["claimed must be a number"]),
        (lambda: sl.AuditRow("Change", 1, 2, claimed=Decimal("1E-99999999"), found=3).ratio, ["claimed must lie within"]),
    ],
    ids=range(12),
)  # fmt: skip
# ruff: enable[E501]
def test_what_is_made_by_hand_is_checked(call, words):
    """Catches "unhashable type", RecursionError, AttributeError, a ratio that hangs."""
    with refused((TypeError, ValueError), *words):
        call()


TWO_OF_A_NAME = pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"])


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (pl.DataFrame({"s": []}), ValueError, ["must not be empty", "without rows"]),
        (pa.table({}), ValueError, ["must not be empty", "got a table without rows"]),
        (pd.DataFrame({"a": [{"b": 1}]}), TypeError, ["must be hashable and comparable"]),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, ["of different names", "a"]),
        (TWO_OF_A_NAME, ValueError, ["of different names", "a"]),
    ],
)
@pytest.mark.parametrize(
    ("make", "what"), [(sl.Universe.population, "records"), (sl.Universe.value_range, "values")]
)
def test_tables_that_are_no_universe(make, what, values, error, words):
    """Catches a table that is read as something else."""
    with refused(error, what, *words):
        _ = make(values).values
