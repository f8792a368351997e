"""The stored table of what a search reaches, measured again in part."""

import csv
import importlib.util

import pytest
from conftest import ROOT

STORED = ROOT / "book" / "sensitivity_book" / "data" / "recall.csv"


@pytest.fixture(scope="module")
def recall():
    """The benchmark that makes the table, with its smaller budget only."""
    spec = importlib.util.spec_from_file_location("recall", ROOT / "benchmarks" / "recall.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.BUDGETS = (1_000,)
    return module


def rows():
    with STORED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_case_stands_once_for_each_budget_and_both_searches():
    """Catches a table that is made of some cases, or has one of them twice."""
    keys = [(r["query"], r["relation"], r["universe"], r["calls"]) for r in rows()]
    assert len(set(keys)) == len(keys) == 13 * 6 * 5 * 2
    assert all(0 <= float(r[search]) <= 1 for r in rows() for search in ("random", "search"))


@pytest.mark.parametrize(
    ("search", "reached"), [("random", 0.24), ("search", 1)], ids=["random", "layouts"]
)
def test_the_changelog_has_the_shares_of_the_table(search, reached):
    """Catches words about the search that its table does not bear out."""
    shares = [float(r[search]) >= 0.99 for r in rows() if r["calls"] == "10000"]
    assert len(shares) == 390
    assert round(sum(shares) / len(shares), 2) == reached


@pytest.mark.parametrize(
    "case",
    [
        ("median", "Change(1)", "range"),
        ("variance", "Add(1)", "product"),
        ("mean", "Change(3)", "table"),
        ("histogram", "SymmetricDifference(2)", "ties"),
        ("quantile(0.9)", "Remove(1)", "lognormal"),
    ],
    ids="-".join,
)
def test_the_stored_shares_are_those_that_are_measured(recall, case):
    """Catches a table that an older search, solver or benchmark made."""
    (stored,) = [
        r
        for r in rows()
        if (r["query"], r["relation"], r["universe"]) == case and r["calls"] == "1000"
    ]
    (measured,) = recall.measured(case, seed=int(stored["seed"]))
    names = ("size", "calls", "seed", "exact", "random", "search")
    assert [float(stored[name]) for name in names] == [float(x) for x in measured[3:]]
