"""The widest pairs, held to a plain list of all pairs."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pandas as pd
import pytest

import sensitivity_lab as sl
from sensitivity_lab.testing import worst_pairs

VALUES = (0, 1, 5)
RELATIONS = [sl.Add(1), sl.Remove(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Change(2)]


def mean(dataset):
    return Fraction(sum(dataset), len(dataset)) if dataset else Fraction(0)


def gaps_of_all_pairs(universe, sizes, relation):
    """Each unordered pair once, by the relation's own neighbours, widest gap first."""
    pairs = {
        frozenset((dataset, neighbour))
        for size in sizes
        for dataset in universe.datasets(size)
        for neighbour in relation.neighbours(dataset, universe)
        if len(neighbour) in sizes and neighbour != dataset
    }
    return sorted((abs(mean(x) - mean(y)) for x, y in map(tuple, pairs)), reverse=True)


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_they_are_the_widest_of_all_pairs(relation):
    """Catches a pair that is left out, one that is there twice, and a wrong order."""
    universe = sl.Universe.value_range(VALUES)
    every = gaps_of_all_pairs(universe, range(4), relation)
    found = list(worst_pairs(mean, universe, size=range(4), relation=relation, count=10_000))
    assert [pair.gap for pair in found] == every
    few = list(worst_pairs(mean, universe, size=range(4), relation=relation, count=7))
    assert few == found[:7]
    for pair in found:
        assert pair.answers == (mean(pair.dataset), mean(pair.neighbour))
        assert pair.gap == abs(pair.answers[0] - pair.answers[1])


def test_the_first_is_the_sensitivity_and_ties_go_to_the_smallest():
    """Catches a gap in other units, and a large pair where a small one shows the same."""
    universe = sl.Universe.value_range(VALUES)
    asked = {"size": range(1, 5), "relation": sl.Change(1)}
    for query in (sl.MEAN, sl.STD, sl.histogram([0, 2, 6])):
        first = next(worst_pairs(query, universe, **asked))
        assert first.gap == sl.global_sensitivity(query, universe, **asked).value
    sums = list(worst_pairs(sl.SUM, universe, **asked, count=3))
    assert [pair.dataset for pair in sums] == [(0,), (0, 0), (0, 1)]


def test_tables_come_as_tables():
    """Catches positions handed out in place of the user's records."""
    staff = sl.Universe.product(team=["a", "b"], pay=[0, 3])
    pair = next(
        worst_pairs(lambda t: t["pay"].sum(), staff, size=2, relation=sl.Change(1), count=1)
    )
    assert isinstance(pair.dataset, pd.DataFrame)
    assert abs(pair.dataset["pay"].sum() - pair.neighbour["pay"].sum()) == pair.gap == 3


def test_of_known_records_each_is_there_once():
    """Catches a dataset with a record that the population does not have."""
    pupils = sl.Universe.population([1, 1, 4])
    found = list(worst_pairs(sl.SUM, pupils, size=2, relation=sl.Change(1), count=99))
    every = set(combinations_with_replacement([1, 1, 4], 2))
    assert {pair.dataset for pair in found} | {pair.neighbour for pair in found} <= every
    assert [pair.gap for pair in found] == [3]


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        ({"count": 0}, ValueError, "count must be"),
        ({"universe": [0, 1]}, TypeError, "universe must be a Universe"),
        ({"max_datasets": 3}, sl.TooLarge, "pairs to walk"),
        ({"size": 0, "relation": sl.Remove(1)}, sl.Infeasible, "remove 1"),
    ],
)
def test_bad_input_is_refused_before_any_work(wrong, error, told):
    """Catches an error that comes only when the first pair is asked for."""
    asked = {"universe": sl.Universe.value_range(range(40)), "size": 3, "relation": sl.Change(1)}
    asked |= wrong

    def never(dataset):
        raise AssertionError("it was called")

    with pytest.raises(error, match=told):
        worst_pairs(never, asked.pop("universe"), **asked)
