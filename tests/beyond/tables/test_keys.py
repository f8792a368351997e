"""Answers with keys: dicts, Series and tables, held to a brute force in plain dicts."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import in_turn
from sensitivity_book.theory.gradient import discrete_gradient

import sensitivity_lab as sl
from sensitivity_lab import definition
from sensitivity_lab.numbers.gap import Labelled, in_order_of_labels
from sensitivity_lab.queries import checked_answer

NORMS = (0, 1, 2, math.inf)


def sums(dataset):
    """Sums by the tens of some numbers, as a dict: keys in any order, of which one is None."""
    keys = ["law", "art", None]
    groups = {keys[n // 10]: sum(m % 10 for m in dataset if m // 10 == n // 10) for n in dataset}
    return dict(reversed(groups.items())) if len(dataset) % 2 else groups


def in_polars(dataset):
    groups = sums(dataset)
    schema = {"d": pl.String, "s": pl.Int64}
    return pl.DataFrame({"d": list(groups), "s": list(groups.values())}, schema=schema)


@pytest.mark.parametrize(("norm", "function"), [*zip(NORMS, [sums, in_polars] * 2, strict=True)])
def test_the_other_ways_to_ask_agree(function, norm):
    """Catches a route of its own that drops keys: tables, audits, searches, workers, gradients."""
    codes = [1, 2, 11, 13, 21]
    universe, relation = sl.Universe.population(codes), sl.SymmetricDifference(1)
    query = sl.Query("sums", function)
    expected = {0: 1, 1: 3, 2: 3, math.inf: 3}[norm]  # who joins brings 3 at most
    asked = {"size": 2, "relations": [relation], "norm": norm}
    assert sl.sweep([query], {"d": universe}, **asked)["sensitivity"].tolist() == [expected]
    compared = sl.compare([sl.COUNT], {"d": universe}, **asked)
    assert compared["closed_form"].tolist() == ([None] if norm == 0 else [1])
    asked = {"sizes": 2, "relations": [relation], "norm": norm}
    for options in ({}, {"order": "any"}, {"order": "kept"}, {"method": "search", "trials": 300}):
        report = sl.audit(query, expected, universe, **asked, **options)
        assert report.rows[0].found == expected
        assert report.check()
    dataset = (1, 11)
    local = sl.local_sensitivity(query, dataset, universe, relation=relation, norm=norm)
    steps = discrete_gradient(query, dataset, universe)
    assert not norm or steps.norm(norm) == local.value
    assert [step.labels for step in steps.backward if step is not None] == [("art", "law")] * 2


STAFF = pd.DataFrame({"d": ["law", "art", "law"], "y": [1, 1, 2], "s": [5, 6, 7]})


def read(answer):
    """An answer as the package understands it: a number, a tuple, or a dict of its keys."""
    found = checked_answer(answer, sl.Query("asked", len), (1, 2))
    return dict(zip(found.labels, found, strict=True)) if isinstance(found, Labelled) else found


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, {}),
        ({"b": 1, "a": np.int8(2)}, {"a": 2, "b": 1}),
        ({("a", 1): 3, (math.nan, 2): 4}, {("a", 1): 3, (None, 2): 4}),
        (pd.Series([5, 6], index=[1, 0]), {0: 6, 1: 5}),
        (pd.Series([], dtype=float), {}),
        (STAFF["d"].value_counts(), {"art": 1, "law": 2}),
        (pl.Series([5, 6]), (5, 6)),
        (pa.chunked_array([[5], [6]]), (5, 6)),
        (STAFF.groupby("d")[["s", "y"]].sum(),
         {("art", "s"): 6, ("art", "y"): 1, ("law", "s"): 12, ("law", "y"): 3}),
        (STAFF.groupby(["d", "y"])[["s"]].sum(), {("art", 1): 6, ("law", 1): 5, ("law", 2): 7}),
        (STAFF.groupby("d").agg({"s": ["min", "max"]}),
         {("art", ("s", "min")): 6, ("art", ("s", "max")): 6, ("law", ("s", "min")): 5,
          ("law", ("s", "max")): 7}),
        (pd.crosstab(STAFF["d"], STAFF["y"])[[2]], {("art", 2): 0, ("law", 2): 1}),
        (STAFF.iloc[:0].groupby("d", as_index=False)["s"].sum(), {}),
        (pl.from_pandas(STAFF.iloc[:0]).select("s"), {}),
        (pl.from_pandas(STAFF).group_by("d").agg(pl.col("s").sum()), {"art": 6, "law": 12}),
        (pa.table({"d": ["law", None], "e": [True, False], "s": [1, 2]}),
         {("law", True): 1, (None, False): 2}),
        (pl.DataFrame({"d": [["a"], ["b", "c"]], "s": [1, 2]}), {("a",): 1, ("b", "c"): 2}),
        (pd.DataFrame({"d": ["law", None], "s": [Fraction(1, 2), Decimal(3)]}),
         {"law": Fraction(1, 2), None: 3}),
        (pd.DataFrame({"d": pd.Categorical(["law", "art"]), "s": pd.Series([1, 2], dtype="Int64")}),
         {"art": 2, "law": 1}),
        (pd.DataFrame({"d": pd.Series([True, None], dtype=object), "s": [1, 2]}),
            {True: 1, None: 2}),
        (pd.DataFrame({"s": [1, 2]}, index=pd.RangeIndex(1, 3)), {1: 1, 2: 2}),
        (STAFF[["s"]].mean().to_frame().T, 6.0),
        (pl.DataFrame({"s": [6]}), 6),
        (pa.table({"s": [6], "t": [0.5]}), {"s": 6, "t": 0.5}),
        (pd.DataFrame({0: [1], 1: [2]}), {0: 1, 1: 2}),
        (pl.DataFrame(), {}),
    ],
)  # fmt: skip
def test_keys(answer, expected):
    """Catches a key that is lost, doubled or taken for an entry, in any form of an answer."""
    assert read(answer) == expected


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ({"a": math.nan}, ValueError, r"asked must return finite numbers, got nan on dataset \(1, 2\)"),
        ({"a": None}, TypeError, "must return a number or a vector, got None"),
        ({"a": (1, 2)}, TypeError, r"must return a number or a vector, got \(1, 2\)"),
        ({"a", "b"}, TypeError, "must return a number or a vector"),
        (pd.Series([1, None]), ValueError, "must return finite numbers, got nan"),
        (pd.Series([1, None], dtype="Int64"), TypeError, "number or a vector, got <NA>"),
        (pl.DataFrame({"d": ["a"], "s": [None]}, schema={"d": pl.String, "s": pl.Int64}), TypeError,
         "number or a vector, got None"),
        (pa.table({"s": pa.array([None], pa.int64())}), TypeError, "number or a vector, got None"),
        (pd.DataFrame({"d": ["a", "b"], "s": [Fraction(1), None]}), TypeError,
         "number or a vector, got (None|nan)"),
        (pl.DataFrame({"d": ["a"], "s": [math.inf]}), ValueError, "finite numbers, got inf"),
        (pd.Series([1, 2], index=["a", "a"]), ValueError,
         r"asked must label each number once: label 'a' comes twice on dataset \(1, 2\)"),
        ({math.nan: 1, None: 2}, ValueError, "must label each number once: label None comes twice"),
        (STAFF[["d", "s"]], ValueError, "must label each number once: label 'law' comes twice"),
        (pl.from_pandas(STAFF[["d", "s", "y"]]), ValueError, r"label \('law', 's'\) comes twice"),
        (STAFF[["s", "y"]], ValueError,
         r"answer of asked must have a key for each row, got 3 rows of numbers: set an index with a "
         r"name, or keep a column of keys as text on dataset \(1, 2\)"),
        (pl.DataFrame({"d": ["a", "b"], "e": ["a", "b"]}), ValueError,
         "answer of asked must have a numeric column, got columns d, e on dataset"),
        (STAFF.set_index("y"), ValueError,
         "must have its keys in the index or in columns, got an index beside d: reset the index, or "
         "drop the columns that are not numeric on dataset"),
        (pl.DataFrame({"s": [1]}).lazy(), TypeError, "in memory, got a lazy frame: collect it first on"),
        (pd.DataFrame([[1, 2]], columns=["s", "s"]), ValueError, "must be a table that can be read, got"),
        (pl.DataFrame({"d": [{"a": 1}], "s": [1]}), TypeError, "label {'a': 1} cannot be looked up on"),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_answers_that_are_refused(answer, error, words):
    """Catches an answer that is read as something else, and a message that says not what to do."""
    with pytest.raises(error, match=words):
        read(answer)


def test_equal_numbers_under_other_labels_differ():
    """Catches two answers, or verdicts, taken for one: in a set, by `!=`, after a pickle."""
    one, other = Labelled((1, 2), "ab"), Labelled((1, 2), "ac")
    assert one != other
    assert not one == other  # noqa: SIM201
    assert len({one, other, (1, 2), Labelled((1, 2), (0, 1))}) == 3
    assert pickle.loads(pickle.dumps(one)).labels == ("a", "b")
    assert in_order_of_labels([2, 1], ["b", "a"]) == one
    assert one != "ab"
    assert (1, 2) == Labelled((1, 2), (0, 1))
    assert (1, 2) != one


@pytest.mark.parametrize("query", [sl.MEAN, sl.STD, sl.MAX, sl.histogram([0, 1, 3]), sl.COUNT])
@pytest.mark.parametrize("relation", in_turn([sl.Change(1), sl.Remove(1)]))
def test_norm_0_of_standard_queries_is_enumerated(query, relation):
    """Catches a solver, a unit or a root that norm 0 has none of."""
    universe = sl.Universe.population([0, 0, 1, 3])
    ask = {"relation": relation, "norm": 0}
    found = sl.global_sensitivity(query, universe, size=3, **ask)
    pairs = definition.population_pairs((0, 0, 1, 3), 3, type(relation).__name__, 1)
    expected = max(definition.gap(query(x), query(y), 0) for x, y in pairs)
    assert (found.value, found.method) == (expected, "walk")
    assert found.check()
    assert sl.local_sensitivity(query, found.witness[0], universe, **ask).value == expected
    with pytest.raises(ValueError, match="method='sweep'"):
        sl.global_sensitivity(query, universe, size=3, **ask, method="sweep")
    with pytest.raises(ValueError, match="method='solver' has no proof"):
        sl.local_sensitivity(query, (0, 1, 3), universe, **ask, method="solver")
    with pytest.raises(ValueError, match=r"norm must be 1, 2 or infinity \(math.inf\), got norm=0"):
        sl.closed_form(query, bounds=(0, 3), size=3, **ask)
    report = sl.audit(query, expected, universe, sizes=3, relations=[relation], norm=0)
    assert (report.rows[0].verdict, "in L0" in str(report)) == ("exact", True)


def test_a_metric_of_numbers_is_the_norm():
    """Catches another answer of a standard query, of a column, or by group."""
    rows = sl.Universe.product(team=["a", "b"], pay=[0, 3, 5])
    ask = partial(sl.global_sensitivity, universe=rows, size=2, relation=sl.Change(1))
    for query in sl.MEAN.of("pay"), sl.SUM.of("pay").clipped(1, 4):
        assert ask(query, output_metric=lambda a, b: abs(a - b)).value == ask(query).value
    groups = ask(sl.COUNT.by("team"), output_metric=lambda a, b: len({*a.labels} ^ {*b.labels}))
    assert groups.value == 1
