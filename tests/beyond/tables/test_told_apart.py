"""A universe is what functions can tell apart: types of columns and cells, NaN beside null."""

import copy
import pickle
from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from itertools import combinations, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import refused
from sensitivity_beyond.tables.frames import rows_of, table
from sensitivity_beyond.tables.python import source_of

import sensitivity_lab as sl

NAN = float("nan")
CHANGE = {"relation": sl.Change(1)}
TEXTS = (pa.string(), pa.large_string())
EAST = timezone(timedelta(hours=1))
NINE = datetime(2024, 1, 1, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Mark:
    """A record with a field."""

    of: object


Named = namedtuple("Named", "a b")


def column(values, dtype=None):
    return pd.DataFrame({"a": pd.Series(values, dtype=dtype)})


def masked(values, mask):
    return pd.DataFrame({"a": pd.arrays.FloatingArray(np.array(values), np.array(mask))})


def noted(frame, **notes):
    frame.attrs.update(notes)
    return frame


# In each group, records that equal each other in pairs: `==` and `hash` of their rows say so.
GROUPS = {
    "whole numbers": lambda: {
        "int64": column([1, 2]), "int32": column([1, 2], "int32"), "Int64": column([1, 2], "Int64"),
        "arrow": column([1, 2], "int64[pyarrow]"), "float64": column([1.0, 2.0]),
    },
    "ones": lambda: {
        f"{type(one)} {one}": column([one, "x"], object)
        for one in (1, True, 1.0, np.int64(1), Decimal(1), Decimal("1.00"))
    },
    "text": lambda: {
        str(kind): column(["x", "y"], kind)
        for kind in (object, "str", "string", "string[python]", *map(pd.ArrowDtype, TEXTS))
    },
    "categories": lambda: {
        "two": column(pd.Categorical(["x", "y"])),
        "four": column(pd.Categorical(["x", "y"], categories=["y", "w", "v", "x"])),
        "ordered": column(pd.Categorical(["x", "y"], ordered=True)),
    },
    "missing numbers": lambda: {
        "float64": column([1.0, NAN]), "Float64": column([1.0, None], "Float64"),
        "Float64 with NaN": masked([1.0, NAN], [False, False]),
        "arrow": column([1.0, None], "double[pyarrow]"), "Int64": column([1, None], "Int64"),
    },
    "missing objects": lambda: {
        str(missing): column(["x", missing], object) for missing in (None, NAN, pd.NA, pd.NaT)
    },
    "notes": lambda: {
        "none": column([1, 2]), "attrs": noted(column([1, 2]), unit="kg"),
        "named columns": column([1, 2]).rename_axis(columns="of"),
    },
    "labels": lambda: {"text": pd.DataFrame({"1": [1, 2]}), "whole": pd.DataFrame({1: [1, 2]})},
    "zones": lambda: {
        "utc": column([NINE]), "east": column([NINE.astimezone(EAST)]),
        "nanoseconds": column([NINE], "datetime64[ns, UTC]"),
    },
    "polars": lambda: {
        "null": pl.DataFrame({"a": [1.0, None]}), "NaN": pl.DataFrame({"a": [1.0, NAN]}),
        "short": pl.DataFrame({"a": [1.0, None]}, schema={"a": pl.Float32}),
    },
    "lists of polars": lambda: {
        "null": pl.DataFrame({"a": [[1.0, None]]}), "NaN": pl.DataFrame({"a": [[1.0, NAN]]}),
        "array": pl.DataFrame({"a": [[1.0, None]]}, schema={"a": pl.Array(pl.Float64, 2)}),
    },
    "texts of polars": lambda: {
        str(kind): pl.DataFrame({"a": ["x", "y"]}, schema={"a": kind})
        for kind in (pl.String, pl.Enum(["x", "y"]), pl.Enum(["y", "x"]))
    },
    "pyarrow": lambda: {
        "null": pa.table({"a": [1.0, None]}), "NaN": pa.table({"a": [1.0, NAN]}),
        "noted": pa.table({"a": [1.0, None]}).replace_schema_metadata({"unit": "kg"}),
        "field": pa.table(
            [[1.0, None]], schema=pa.schema([pa.field("a", pa.float64(), metadata={"u": "kg"})])
        ),
    },
    "texts of pyarrow": lambda: {
        "string": pa.table({"a": ["x", "y"]}),
        "codes": pa.table({"a": pa.array(["x", "y"]).dictionary_encode()}),
        "turned": pa.table({"a": pa.DictionaryArray.from_arrays([1, 0], ["y", "x"])}),
    },
    "lists of pyarrow": lambda: {
        "null": pa.table({"a": [[1.0, None]]}), "NaN": pa.table({"a": [[1.0, NAN]]}),
    },
    "lists in cells": lambda: {
        str(each): column([each]) for each in ([1, 2], [True, 2], np.array([1, 2]), [1.0, 2])
    },
    "tuples": lambda: {
        str(each): [each]
        for each in ((1, 2), (1.0, 2), (True, 2), (Decimal("1.0"), 2), Named(1, 2))
    },
    "nests": lambda: {str(zero): [((zero, 1), "x")] for zero in (0, 0.0, -0.0, False)},
    "sets": lambda: {"whole": [frozenset({1})], "bool": [frozenset({True})]},
    "fields": lambda: {"whole": [Mark(1)], "bool": [Mark(True)], "nest": [Mark((1,))]},
    "moments": lambda: {"utc": [NINE], "east": [NINE.astimezone(EAST)]},
}  # fmt: skip


def people(rows):
    """Two people, one of whom brings each row."""
    is_arrow, ids = isinstance(rows, pa.Table), ["ann", "bob"]
    given = rows.append_column("id", [ids]) if is_arrow else rows.assign(id=ids)
    return sl.Universe.people(given, id="id")


MAKERS = {
    "population": sl.Universe.population, "value_range": sl.Universe.value_range,
    "any people": lambda rows: sl.Universe.people(rows, most_rows=1), "people": people,
}  # fmt: skip


LISTED = ("tuples", "nests", "sets", "fields", "moments")  # no tables, so that no people bring them


@pytest.mark.parametrize(
    ("group", "make"),
    [
        *product(GROUPS, ["population", "value_range"]),
        *product([group for group in GROUPS if group not in LISTED], ["any people"]),
        *product(["ones", "categories", "missing objects", "texts of pyarrow"], ["people"]),
    ],
)
def test_universes_are_equal_only_where_functions_receive_the_same(group, make):
    """Catches `==` that forgets a dtype, categories, metadata, or the type of a cell."""
    kinds, again = GROUPS[group](), GROUPS[group]()
    made = {kind: MAKERS[make](records) for kind, records in kinds.items()}
    for one, other in combinations(made, 2):
        assert made[one] != made[other], (one, other)
    for kind, universe in made.items():
        anew = MAKERS[make](again[kind])
        for other in (anew, pickle.loads(pickle.dumps(universe)), copy.deepcopy(universe)):
            assert universe == other, kind
            assert hash(universe) == hash(other), kind


def codes(rows):
    return int(rows["a"].cat.codes.sum())


def not_one(rows):
    return int((rows["a"] != 1).sum())


def kinds_of_cells(rows):
    return len("".join(type(cell).__name__ for cell in rows["a"]))


FOUR = pd.Categorical(["x", "y"], categories=["y", "w", "v", "x"])
TWO_KINDS = pl.DataFrame({"a": [1.0, NAN]}), pl.DataFrame({"a": [1.0, None]})
TURNS = {
    "categories": (codes, column(pd.Categorical(["x", "y"])), column(FOUR), (1, 3)),
    "NaN and NA": (not_one, column([1.0, NAN]), column([1.0, None], "Float64"), (1, 0)),
    "NaN and null": (sl.sql("SELECT COUNT(a) FROM t"), *TWO_KINDS, (0, 1)),
    "types of cells": (kinds_of_cells, column([1, ""], object), column([1.0, ""], object), (0, 2)),
}


@pytest.mark.parametrize("case", TURNS)
def test_universes_asked_in_turn_give_each_its_own_answer(case):
    """Catches datasets that are kept for one universe and given for another that equals it."""
    query, *frames, right = TURNS[case]
    asked = list(zip(map(sl.Universe.population, frames), right, strict=True))
    for universe, value in (*asked, *reversed(asked)):
        found = sl.global_sensitivity(query, universe, size=1, **CHANGE)
        assert (found.value, found.check()) == (value, True)


def test_one_table_asks_universes_that_look_alike_each_for_itself():
    """Catches a sweep of several columns that answers the second from the first one's datasets."""
    universes = {str(i): sl.Universe.population(TURNS["categories"][i]) for i in (1, 2)}
    swept = sl.sweep([sl.Query("codes", codes)], universes, size=1, relations=[sl.Change(1)])
    assert swept["sensitivity"].tolist() == [1, 3]


BOTH = {
    "polars": pl.DataFrame({"a": [1.0, NAN, None]}),
    "polars, short": pl.DataFrame({"a": [1.0, NAN, None]}, schema={"a": pl.Float32}),
    "pyarrow": pa.table({"a": [1.0, NAN, None]}),
    "pandas, arrow": pd.DataFrame({"a": pd.arrays.ArrowExtensionArray(pa.array([1.0, NAN, None]))}),
    "pandas, nullable": masked([1.0, NAN, 5.0], [False, False, True]),
}


def nulls(rows):
    frame = table(rows, "rows")
    native = frame.to_native()
    if isinstance(native, pd.DataFrame):
        return int(native["a"].isna().sum())
    return frame["a"].null_count()


@pytest.mark.parametrize("library", BOTH)
def test_nan_and_null_are_two_records(library):
    """Catches NaN and null in one record: functions and SQL tell them apart, but were given one."""
    universe = sl.Universe.population(BOTH[library])
    assert universe.distinct == 3
    counts = sl.sql("SELECT COUNT(a) FROM t")
    for query in (nulls, counts, sl.count_where(lambda row: row.a is None)):
        found = sl.global_sensitivity(query, universe, size=1, **CHANGE)
        assert (found.value, found.check()) == (1, True)
        if library != "pandas, nullable":  # no constructor of pandas keeps NaN beside NA
            for side in found.witness:
                again = eval(source_of(side), {"pd": pd, "pl": pl, "pa": pa})
                assert rows_of(table(again, "t")) == rows_of(table(side, "t"))
    travelled = pickle.loads(pickle.dumps(universe))
    assert travelled == universe
    assert travelled.values == pickle.loads(pickle.dumps(universe.values)) == universe.values


def test_a_dataset_with_null_is_no_dataset_of_a_universe_with_nan():
    """Catches a caller's null that is taken for the universe's NaN, and answered for it."""
    universe = sl.Universe.population(pl.DataFrame({"a": [1.0, NAN]}))
    ask = {"universe": universe, **CHANGE}
    with refused(ValueError, "dataset must hold records of the universe", "Row(a=None)"):
        sl.local_sensitivity(nulls, pl.DataFrame({"a": [None]}, schema={"a": pl.Float64}), **ask)
    assert sl.local_sensitivity(nulls, pl.DataFrame({"a": [NAN]}), **ask).value == 0


def test_objects_that_are_missing_in_two_ways_are_refused():
    """Catches rows in which None, NaN, NA and NaT are one record, though functions differ."""
    for missing in combinations([None, NAN, pd.NA, pd.NaT], 2):
        with refused(ValueError, "missing in one way in column a", "write None for all"):
            sl.Universe.population(column(["x", *missing], object))
        sl.Universe.population(column(["x", missing[0], missing[0]], object))


def test_numbers_of_nan_are_refused():
    """Catches a mean over NaN, which has none, and a group of NaN that no record is ever in."""
    universe = sl.Universe.population(pl.DataFrame({"a": [1.0, NAN]}))
    for query in (sl.MEAN.of("a"), sl.MEDIAN.of(lambda row: row.a)):
        with refused(ValueError, "must be finite", "nan"):
            sl.global_sensitivity(query, universe, size=1, **CHANGE)
    groups = sl.global_sensitivity(sl.COUNT.by("a"), universe, size=1, **CHANGE)
    assert groups.value == 2
    with refused(TypeError, "keys must equal themselves", "nan"):
        sl.COUNT.by("a", keys=[1.0, NAN])


def test_pandas_missing_numbers_stay_missing():
    """Catches NaN, NaT or NA of pandas' own types that is no longer None in a row."""
    for kind in ("float64", "float32", "str", "Int64", "datetime64[ns]"):
        frame = column([None], kind)
        assert rows_of(table(frame, "frame")) == [(None,)]
