"""The kit for other people's tests: a claim that fails, and strategies for Hypothesis."""

import importlib
import sys
from itertools import product

import pandas as pd
import pytest
from conftest import CHECK_ALL, a_third
from hypothesis import find, given, settings

import sensitivity_lab as sl
from sensitivity_lab import testing

TEAMS = pd.DataFrame({"team": ["a", "a", "b", "b"], "pay": [1, 2, 1, 1]})
UNIVERSES = [
    sl.Universe.value_range([0, 1, 5]),
    sl.Universe.population([1, 1, 2, 7]),
    sl.Universe.population(["no", "yes", "no"]),
    sl.Universe.product(team=["a", "b"], pay=[1, 2]),
    sl.Universe.population(TEAMS),
    sl.Universe.people(TEAMS.assign(id=["x", "y", "x", "z"]), id="id"),
]
RELATIONS = [sl.Add(1), sl.Remove(2), sl.AddRemove(1), sl.SymmetricDifference(2)]
RELATIONS += [sl.Change(1), sl.Change(2)]
CERTAIN = {"database": None, "derandomize": True, "deadline": None}


def positions(universe, dataset):
    return tuple(sorted(universe.indices(dataset)))


def drawn(strategy, known, at_most):
    """What Hypothesis draws, as `known` knows it; by default of so many that it has seen all."""
    seen = set()

    @settings(max_examples=at_most * (1 + 2 * CHECK_ALL), **CERTAIN)
    @given(strategy)
    def draw(one):
        seen.add(known(one))

    draw()
    return seen


def drawn_pairs(universe, size, relation, at_most=130):
    strategy = testing.neighbouring_pairs(universe, size=size, relation=relation)
    return drawn(strategy, lambda pair: tuple(positions(universe, x) for x in pair), at_most)


def test_a_claim_is_asserted_without_hypothesis(monkeypatch):
    """Catches a test suite that must install Hypothesis to hold a function to its claim."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.setitem(sys.modules, "hypothesis.strategies", None)
    for name in ("", ".strategies"):
        monkeypatch.delitem(sys.modules, f"sensitivity_beyond.testing{name}")
    kit = importlib.import_module("sensitivity_beyond.testing")
    bits = sl.Universe.value_range([0, 1])
    held = kit.assert_sensitivity(sl.SUM, 1, bits, sizes=2, relations=[sl.Change(1)])
    assert held.headline == "exact"
    with pytest.raises(ImportError, match="needs Hypothesis: pip install"):
        kit.neighbouring_pairs(bits, size=2, relation=sl.Add(1))


@pytest.mark.parametrize(
    ("universe", "size", "relation"),
    a_third(a_third([*product(UNIVERSES, [2], RELATIONS)])),
    ids=str,
)
def test_pairs_are_all_neighbours_and_all_neighbours_are_pairs(universe, size, relation):
    """Catches a pair that the relation has not, and a strategy that keeps to a few pairs."""
    pairs = {
        (positions(universe, dataset), positions(universe, neighbour))
        for dataset in universe.datasets(size)
        for neighbour in relation.neighbours(dataset, universe)
    }
    found = drawn_pairs(universe, size, relation)
    assert found <= pairs
    assert len(found) >= min(len(pairs) / 2, 30)


@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
def test_datasets_of_every_size_can_be_drawn(universe):
    """Catches a dataset that never comes, and one with too many copies."""
    strategy = testing.datasets(universe, size=range(3))
    found = drawn(strategy, lambda dataset: positions(universe, dataset), 130)
    assert found == {positions(universe, d) for n in range(3) for d in universe.datasets(n)}


def total(dataset):
    """The sum of numbers, or the pay in a table or in all tables of a dict."""
    if isinstance(dataset, tuple):
        return sum(dataset)
    tables = dataset.values() if isinstance(dataset, dict) else [dataset]
    return sum(int(table["pay"].sum()) for table in tables if "pay" in table)


PAID = sl.Universe.product(team=["a", "b"], pay=range(20))
IN_TWO_TABLES = {
    "staff": TEAMS.assign(id=["x", "y", "x", "z"], pay=[1, 9, 1, 1]),
    "trips": pd.DataFrame({"id": ["x", "x", "w"], "km": [1, 2, 3]}),
}


@pytest.mark.parametrize(
    ("universe", "relation", "records"),
    [
        (sl.Universe.value_range(range(100)), sl.SymmetricDifference(2), (0, 1)),
        (PAID, sl.Change(2), (1, 1)),
        (sl.Universe.population(TEAMS.assign(pay=[3, 9, 9, 9])), sl.AddRemove(1), (0, 1)),
        (sl.Universe.people(IN_TWO_TABLES, id="id"), sl.SymmetricDifference(2), (0, 1)),
    ],
    ids=str,
)  # fmt: skip
def test_a_failing_pair_shrinks_in_every_universe(universe, relation, records):
    """Catches a universe, or a relation, whose failures stay as large as they were drawn."""
    pairs = testing.neighbouring_pairs(universe, size=range(5), relation=relation)
    certain = settings(derandomize=True, database=None)
    wide = find(pairs, lambda pair: total(pair[1]) - total(pair[0]) >= 7, settings=certain)
    assert tuple(len(positions(universe, side)) for side in wide) == records
    if universe.numeric:
        assert wide == ((), (7,))  # the first records that will do


def test_what_no_dataset_has_is_refused_when_the_strategy_is_made():
    """Catches an error in the middle of somebody's test run."""
    with pytest.raises(ValueError, match="size must be at most 4"):
        testing.datasets(UNIVERSES[1], size=5)
    with pytest.raises(sl.Infeasible, match="no direction"):
        testing.neighbouring_pairs(UNIVERSES[1], size=4, relation=sl.Add(1))
    with pytest.raises(TypeError, match="relation must be"):
        testing.neighbouring_pairs(UNIVERSES[1], size=4, relation="add")
