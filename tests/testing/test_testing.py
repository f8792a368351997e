"""The kit for other people's tests: a claim that fails, and strategies for Hypothesis."""

import importlib
import sys
from itertools import product

import pandas as pd
import pytest
from conftest import CHECK_ALL
from hypothesis import find, given, settings

import sensitivity_lab as sl
from sensitivity_lab import testing

pytest_plugins = ["pytester"]

TEAMS = pd.DataFrame({"team": ["a", "a", "b", "b"], "pay": [1, 2, 1, 1]})
UNIVERSES = [
    sl.Universe.value_range([0, 1, 5]),
    sl.Universe.population([1, 1, 2, 7]),
    sl.Universe.population(["no", "yes", "no"]),
    sl.Universe.product(team=["a", "b"], pay=[1, 2]),
    sl.Universe.population(TEAMS),
    sl.Universe.people(TEAMS.assign(id=["x", "y", "x", "z"]), id="id"),
]
RELATIONS = [
    sl.Add(1),
    sl.Remove(2),
    sl.AddRemove(1),
    sl.SymmetricDifference(2),
    sl.Change(1),
    sl.Change(2),
]


def positions(universe, dataset):
    return tuple(sorted(universe.indices(dataset)))


def pairs_of(universe, size, relation):
    """Every pair of positions, by the relation's own list of neighbours."""
    return {
        (positions(universe, dataset), positions(universe, neighbour))
        for dataset in universe.datasets(size)
        for neighbour in relation.neighbours(dataset, universe)
    }


def drawn_pairs(universe, size, relation, at_most=400):
    """Every pair of positions that Hypothesis draws, by default of so many that it has seen all."""
    drawn = set()

    @settings(max_examples=at_most, database=None, derandomize=True, deadline=None)
    @given(testing.neighbouring_pairs(universe, size=size, relation=relation))
    def draw(pair):
        drawn.add(tuple(positions(universe, dataset) for dataset in pair))

    draw()
    return drawn


def all_or_most(drawn, pairs):
    """Few pairs are all drawn, of many at least half; and none is drawn besides."""
    assert drawn <= pairs
    assert len(drawn) >= (1 if len(pairs) <= 20 else 0.5) * len(pairs)


def test_a_claim_that_is_too_small_fails_with_its_pair():
    """Catches a failure that does not show the datasets, or hides how to see it again."""
    with pytest.raises(AssertionError) as failure:
        testing.assert_sensitivity(
            sl.SUM, 4, UNIVERSES[0], sizes=[1, 2], relations=[sl.Change(1), sl.Remove(1)]
        )
    text = str(failure.value)
    assert text.startswith("sum, Change(1), size 1: too small by ×1.25, claimed 4, exact 5\n")
    assert "\n  (0) → 0\n  (5) → 5\n" in text
    assert "dataset = (0,)\nneighbour = (5,)\n" in text
    assert "size 2" not in text


def test_no_line_of_the_package_is_in_a_failure(pytester):
    """Catches a test report that is full of somebody else's code."""
    pytester.makepyfile("""
        import sensitivity_lab as sl
        from sensitivity_lab.testing import assert_sensitivity

        def test_sum():
            bits = sl.Universe.value_range([0, 2])
            assert_sensitivity(sl.SUM, 1, bits, sizes=1, relations=[sl.Change(1)])
    """)
    report = pytester.runpytest_inprocess("-p", "no:cacheprovider").stdout.str()
    assert "too small by ×2, claimed 1, exact 2" in report
    assert "sensitivity_lab/" not in report.split("short test summary")[0]
    assert "def assert_sensitivity" not in report


def test_a_claim_that_holds_returns_what_was_held():
    """Catches a success that says nothing of its scope."""
    report = testing.assert_sensitivity(
        sl.SUM, 10, UNIVERSES[0], sizes_within=range(3), relations=[sl.SymmetricDifference(1)]
    )
    assert report.headline == "loose by ×2"
    assert "both sizes from 0 to 2" in report.scope


def test_a_claim_that_was_held_to_nothing_fails():
    """Catches a test that passes because the function could never be asked."""
    with pytest.raises(sl.Infeasible, match="no row is feasible"):
        testing.assert_sensitivity(max, 1, UNIVERSES[0], sizes=1, relations=[sl.Remove(1)])


@pytest.mark.parametrize(
    ("universe", "relation"),
    # Every relation meets two of the universes, and every universe two of the relations.
    [
        (u, r)
        for i, u in enumerate(UNIVERSES)
        for j, r in enumerate(RELATIONS)
        if (i + j) % 3 == 1 or CHECK_ALL
    ],
    ids=str,
)
def test_pairs_are_all_neighbours_and_all_neighbours_are_pairs(universe, relation):
    """Catches a pair that the relation does not have, and one that can never be drawn."""
    all_or_most(drawn_pairs(universe, 2, relation), pairs_of(universe, 2, relation))


@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
def test_datasets_of_every_size_can_be_drawn(universe):
    """Catches a dataset that never comes, and one with too many copies."""
    drawn = set()

    @settings(max_examples=130, database=None, derandomize=True, deadline=None)
    @given(testing.datasets(universe, size=range(3)))
    def draw(dataset):
        drawn.add(positions(universe, dataset))

    draw()
    assert drawn == {positions(universe, d) for n in range(3) for d in universe.datasets(n)}


@pytest.mark.parametrize(
    ("staff", "columns", "k"),
    [
        case
        for i, case in enumerate(
            product(
                (UNIVERSES[3], sl.Universe.population(TEAMS.iloc[[0, 1, 2, 3, 3]])),
                (["pay"], ["team"]),
                (1, 2),
            )
        )
        if i in (0, 3, 5) or CHECK_ALL
    ],
    ids=str,
)
def test_a_change_of_some_columns_keeps_the_others(staff, columns, k):
    """Catches a pair in which a person changed team, where only pay may change; and one never drawn."""
    relation = sl.Change(k, columns=columns)
    all_or_most(drawn_pairs(staff, 3, relation), pairs_of(staff, 3, relation))


def test_a_change_of_one_column_of_many_rows_is_drawn():
    """Catches a strategy that draws any two rows, and waits for two that are alike."""
    staff = sl.Universe.product(team=range(50), pay=[1, 2])
    relation = sl.Change(4, columns=["pay"])
    assert len(drawn_pairs(staff, 10, relation, at_most=50)) > 30


def test_many_changes_of_two_values_are_drawn():
    """Catches a strategy that waits until all that leave are alike, and all that come."""
    relation = sl.Change(12)
    assert len(drawn_pairs(sl.Universe.value_range([0, 1]), 12, relation, at_most=100)) > 20


def test_a_failing_pair_shrinks_to_the_first_records():
    """Catches a report with more records moved, or larger ones, than the failure needs."""
    votes = sl.Universe.value_range(range(100))
    pairs = testing.neighbouring_pairs(votes, size=range(6), relation=sl.SymmetricDifference(2))
    assert find(pairs, lambda pair: sum(pair[1]) - sum(pair[0]) > 30) == ((), (31,))


def total_pay(dataset):
    """The pay in a table, or in all tables of a dict."""
    tables = dataset.values() if isinstance(dataset, dict) else [dataset]
    return sum(int(table["pay"].sum()) for table in tables if "pay" in table)


@pytest.mark.parametrize(
    ("universe", "relation", "records"),
    [
        (sl.Universe.product(team=["a", "b"], pay=range(20)), sl.SymmetricDifference(2), (0, 1)),
        (sl.Universe.product(team=["a", "b"], pay=range(20)), sl.Change(2), (1, 1)),
        (
            sl.Universe.product(team=["a", "b"], pay=range(20)),
            sl.Change(2, columns=["pay"]),
            (1, 1),
        ),
        (sl.Universe.population(TEAMS.assign(pay=[3, 9, 9, 9])), sl.AddRemove(1), (0, 1)),
        (sl.Universe.population(TEAMS.assign(pay=[1, 9, 2, 1])), sl.SymmetricDifference(2), (0, 1)),
        (
            sl.Universe.people(sl.Universe.product(pay=range(8)), most_rows=2),
            sl.AddRemove(1),
            (0, 1),
        ),
        (
            sl.Universe.people(
                {
                    "staff": TEAMS.assign(id=["x", "y", "x", "z"], pay=[1, 9, 1, 1]),
                    "trips": pd.DataFrame({"id": ["x", "x", "w"], "km": [1, 2, 3]}),
                },
                id="id",
            ),
            sl.SymmetricDifference(2),
            (0, 1),
        ),
    ],
    ids=str,
)
def test_a_failing_pair_shrinks_in_every_universe(universe, relation, records):
    """Catches a universe, or a relation, whose failures stay as large as they were drawn."""
    pairs = testing.neighbouring_pairs(universe, size=range(5), relation=relation)
    certain = settings(derandomize=True, database=None)
    wide = find(pairs, lambda pair: total_pay(pair[1]) - total_pay(pair[0]) >= 7, settings=certain)
    assert tuple(len(positions(universe, side)) for side in wide) == records


def test_what_no_dataset_has_is_refused_when_the_strategy_is_made():
    """Catches an error in the middle of somebody's test run."""
    with pytest.raises(ValueError, match="size must be at most 4"):
        testing.datasets(UNIVERSES[1], size=5)
    with pytest.raises(sl.Infeasible, match="no direction"):
        testing.neighbouring_pairs(UNIVERSES[1], size=4, relation=sl.Add(1))
    with pytest.raises(TypeError, match="relation must be"):
        testing.neighbouring_pairs(UNIVERSES[1], size=4, relation="add")


def test_the_dataset_is_the_readers_own():
    """Catches a frame that one example changes for the next."""

    @settings(max_examples=50, database=None, derandomize=True, deadline=None)
    @given(testing.datasets(UNIVERSES[4], size=2))
    def spoil(frame):
        assert set(frame["pay"]) <= {1, 2}
        frame["pay"] = 0

    spoil()
    assert TEAMS["pay"].tolist() == [1, 2, 1, 1]


def test_a_claim_is_asserted_without_hypothesis(monkeypatch):
    """Catches a test suite that must install Hypothesis to hold a function to its claim."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.setitem(sys.modules, "hypothesis.strategies", None)
    for name in ("", ".strategies"):
        monkeypatch.delitem(sys.modules, f"sensitivity_lab.testing{name}")
    kit = importlib.import_module("sensitivity_lab.testing")
    bits = sl.Universe.value_range([0, 1])
    held = kit.assert_sensitivity(sl.SUM, 1, bits, sizes=2, relations=[sl.Change(1)])
    assert held.headline == "exact"
    for drawn in (
        lambda: kit.datasets(bits, size=2),
        lambda: kit.neighbouring_pairs(bits, size=2, relation=sl.Change(1)),
    ):
        with pytest.raises(ImportError, match="needs Hypothesis: pip install"):
            drawn()
