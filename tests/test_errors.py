"""Bad input: the text names the parameter, the rule and the value, and comes before any work."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import sensitivity_lab as sl

SCHOOL = sl.Universe.population([1, 2, 3, 10])
METHODS = ("auto", "walk", "sweep")


def refused(error, *words):
    """A context in which `error` must be raised with every one of the words in its text."""
    everything = "".join(f"(?=.*{re.escape(word)})" for word in words)
    return pytest.raises(error, match=f"(?s){everything}")


@pytest.mark.parametrize("make", [sl.Universe.population, sl.Universe.value_range])
@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([], ValueError, ["empty", "[]"]),
        (np.array([]), ValueError, ["empty"]),
        ([1.0, math.nan], ValueError, ["finite", "nan"]),
        ([1, math.inf], ValueError, ["finite", "inf"]),
        (np.array([1.0, -math.inf]), ValueError, ["finite", "-inf"]),
        (pd.Series([1.0, None]), ValueError, ["finite", "nan"]),
        ([Decimal("NaN")], ValueError, ["finite", "NaN"]),
        ([Decimal("Infinity")], ValueError, ["finite", "Infinity"]),
        (np.array([1, np.nan], dtype=np.float32), ValueError, ["finite", "nan"]),
        (["a", "b"], TypeError, ["number", "'a'"]),
        ([1, "2"], TypeError, ["number", "'2'"]),
        (np.array(["1", "2"]), TypeError, ["number", "'1'"]),
        ("123", TypeError, ["number", "'123'"]),
        (7, TypeError, ["number", "7"]),
        ([1j], TypeError, ["number", "1j"]),
        ([[1, 2], [3, 4]], TypeError, ["number", "[1, 2]"]),
        (np.zeros((2, 2)), ValueError, ["one-dimensional", "(2, 2)"]),
        ([None, None], ValueError, ["at least one number", "None"]),
    ],
)
def test_universe(make, values, error, words):
    """Catches a universe that holds what no exact arithmetic can."""
    with refused(error, *words):
        make(values)


@pytest.mark.parametrize(
    "relation", [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]
)
@pytest.mark.parametrize(
    ("k", "error"),
    [(0, ValueError), (-1, ValueError), (1.5, ValueError), (math.nan, ValueError), ("1", TypeError),
     (None, TypeError), (True, (TypeError, ValueError))],
)  # fmt: skip
def test_k(relation, k, error):
    """Catches a distance of no record, or of half a record."""
    with refused(error, "k must be a whole number of at least 1", f"got k={k!r}"):
        relation(k)


@pytest.mark.parametrize("q", [1.2, -0.1, Fraction(3, 2), Decimal("1.01")])
def test_quantile_outside(q):
    """Catches a percentage given for a fraction."""
    with refused(ValueError, "q must lie in [0, 1]", f"got q={q}"):
        sl.quantile(q)


@pytest.mark.parametrize(
    ("q", "error"), [(math.nan, ValueError), ("half", (TypeError, ValueError)), (None, TypeError)]
)
def test_quantile_no_number(q, error):
    """Catches text or NaN taken for a fraction."""
    with refused(error, "q must", str(q)):
        sl.quantile(q)


@pytest.mark.parametrize("edges", [[], [1], [2, 1], [1, 1, 2]])
def test_histogram_edges(edges):
    """Catches bins that are empty, or that overlap."""
    with refused(ValueError, "edges must", "rising", str(edges)):
        sl.histogram(edges)


@pytest.mark.parametrize("make", [sl.variance, sl.std])
@pytest.mark.parametrize(("ddof", "error"), [(-1, ValueError), (0.5, ValueError), ("1", TypeError)])
def test_ddof(make, ddof, error):
    """Catches a divisor that no variance has."""
    with refused(error, "ddof must be a whole number of at least 0", f"got ddof={ddof!r}"):
        make(ddof=ddof)


class Counting:
    """A callable that counts its calls: it must see none when the input is bad."""

    def __init__(self):
        self.calls = 0

    def __call__(self, dataset):
        self.calls += 1
        return sum(dataset)


OPTIONS = {"size": 2, "relation": sl.Change(1)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"size": 5}, ValueError, ["size", "at most 4", "got size=5"]),
        ({"size": -1}, ValueError, ["size", "at least 0", "got size=-1"]),
        ({"size": 2.5}, ValueError, ["size", "whole number", "got size=2.5"]),
        ({"size": "2"}, TypeError, ["size", "'2'"]),
        ({"size": None}, TypeError, ["size", "None"]),
        ({"size": True}, (TypeError, ValueError), ["size", "True"]),
        ({"size": range(2, 2)}, ValueError, ["size", "range(2, 2)"]),
        ({"size": range(2, 7)}, ValueError, ["size", "at most 4", "6"]),
        ({"size": range(-1, 2)}, ValueError, ["size", "-1"]),
        ({"relation": "Change"}, TypeError, ["relation", "'Change'"]),
        ({"relation": sl.Change}, TypeError, ["relation", "Change"]),
        ({"relation": None}, TypeError, ["relation", "None"]),
        ({"norm": 3}, ValueError, ["norm", "1, 2", "3"]),
        ({"norm": "L1"}, (TypeError, ValueError), ["norm", "'L1'"]),
        ({"method": "guess"}, ValueError, ["method", "walk", "'guess'"]),
        ({"method": None}, (TypeError, ValueError), ["method", "None"]),
        ({"max_datasets": 0}, ValueError, ["max_datasets", "0"]),
        ({"max_datasets": 1}, ValueError, ["max_datasets", "at least", "limit of 1"]),
        ({"relation": sl.Add(3)}, ValueError, ["feasible", "Add(3)"]),
        ({"relation": sl.Remove(3)}, ValueError, ["feasible", "Remove(3)"]),
        ({"relation": sl.AddRemove(3)}, ValueError, ["feasible", "AddRemove(3)"]),
    ],
)
def test_global_sensitivity(method, options, error, words):
    """Catches bad input that is found out late: the query is never asked."""
    query = Counting()
    with refused(error, *words):
        sl.global_sensitivity(query, SCHOOL, **(OPTIONS | {"method": method} | options))
    assert query.calls == 0


@pytest.mark.parametrize(
    ("query", "universe", "words"),
    [
        ("mean", SCHOOL, ["query", "callable", "'mean'"]),
        (3, SCHOOL, ["query", "callable", "3"]),
        (sl.MEAN, [1, 2, 3, 10], ["universe", "[1, 2, 3, 10]"]),
        (sl.MEAN, None, ["universe", "None"]),
    ],
)
def test_what_is_asked(query, universe, words):
    """Catches a list passed for a universe, or a name for a query."""
    with refused(TypeError, *words):
        sl.global_sensitivity(query, universe, **OPTIONS)
    with refused(TypeError, *words):
        sl.local_sensitivity(query, (1, 2), universe, relation=sl.Change(1))


@pytest.mark.parametrize(
    ("dataset", "error", "words"),
    [
        ((1, 4), ValueError, ["dataset", "universe", "4"]),
        ((1, 1), ValueError, ["dataset", "1", "2"]),
        ((1, math.nan), ValueError, ["finite", "nan"]),
        ((1, "2"), TypeError, ["number", "'2'"]),
        ("12", TypeError, ["dataset", "'12'"]),
        (5, TypeError, ["dataset", "5"]),
    ],
)
def test_local_dataset(dataset, error, words):
    """Catches a dataset that the universe does not hold."""
    query = Counting()
    with refused(error, *words):
        sl.local_sensitivity(query, dataset, SCHOOL, relation=sl.Change(1))
    assert query.calls == 0


@pytest.mark.parametrize("relation", [sl.Remove(3), sl.Add(3)])
def test_local_with_no_feasible_direction(relation):
    """Catches a zero, or a bare max() error, where there is no neighbour at all."""
    query = Counting()
    with refused(ValueError, "feasible", str(relation)):
        sl.local_sensitivity(query, (1, 2), SCHOOL, relation=relation)
    assert query.calls == 0


def fails_on_ten(dataset):
    if 10 in dataset:
        raise ZeroDivisionError("no tens")
    return sum(dataset)


def of_changing_length(dataset):
    return list(dataset)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        (fails_on_ten, ValueError, ["fails_on_ten", "ZeroDivisionError", "no tens", ", 10)"]),
        (
            lambda x: math.nan if 10 in x else 0.0,
            ValueError,
            ["<lambda>", "finite", "nan", ", 10)"],
        ),
        (
            lambda x: np.float64(-math.inf) if 10 in x else 0.0,
            ValueError,
            ["finite", "inf", ", 10)"],
        ),
        (lambda x: [0, math.nan] if 10 in x else [0, 0], ValueError, ["finite", "nan", ", 10)"]),
        (lambda x: "many", TypeError, ["number or a vector", "'many'", "(1, 2)"]),
        (lambda x: None, TypeError, ["number or a vector", "None", "(1, 2)"]),
        (lambda x: {"a": 1}, TypeError, ["number or a vector", "{'a': 1}", "(1, 2)"]),
        (lambda x: ["a"], TypeError, ["number or a vector", "(1, 2)"]),
        (lambda x: 1j, TypeError, ["number or a vector", "1j", "(1, 2)"]),
    ],
)
def test_query_that_fails(method, query, error, words):
    """Catches a failure that does not say on which dataset."""
    with refused(error, *words):
        sl.global_sensitivity(query, SCHOOL, **OPTIONS, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "query", [of_changing_length, lambda x: len(x) if len(x) == 2 else [len(x)]]
)
@pytest.mark.parametrize("size", [2, range(1, 4)])
def test_vector_whose_length_changes(method, query, size):
    """Catches a comparison of vectors of different lengths, within one size or between sizes."""
    with refused(ValueError, "length"):
        sl.global_sensitivity(query, SCHOOL, size=size, relation=sl.AddRemove(1), method=method)


def test_query_on_too_few_records():
    """Catches a division by zero that does not say why."""
    with refused(ValueError, "query variance(ddof=1)", "at least 2 records", "got 1"):
        sl.variance(ddof=1)((5,))


def test_predicate():
    """Catches a threshold passed where a predicate is wanted."""
    with refused(TypeError, "predicate", "5"):
        sl.count_where(5)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"relations": []}, ValueError, ["relations", "[]"]),
        ({"relations": [1]}, TypeError, ["relation", "1"]),
        ({"queries": []}, ValueError, ["queries", "[]"]),
        ({"queries": ["mean"]}, TypeError, ["query", "'mean'"]),
        ({"columns": {}}, ValueError, ["columns", "{}"]),
        ({"columns": {"a": [1, 2]}}, TypeError, ["universe", "[1, 2]"]),
        ({"size": 9}, ValueError, ["size", "at most 4", "9"]),
    ],
)
def test_sweep(options, error, words):
    """Catches bad input in a table, before the first row is computed."""
    query = Counting()
    given = {
        "queries": [query],
        "columns": {"a": SCHOOL},
        "size": 2,
        "relations": [sl.Change(1)],
    } | options
    with refused(error, *words):
        sl.sweep(given.pop("queries"), given.pop("columns"), **given)
    assert query.calls == 0


def test_sweep_finds_the_last_bad_relation_before_the_first_row():
    """Catches work that is thrown away."""
    query = Counting()
    with refused(TypeError, "relation", "'x'"):
        sl.sweep([query], {"a": SCHOOL}, size=2, relations=[sl.Change(1), "x"])
    assert query.calls == 0
