"""The widest pairs, held to a plain list of all pairs."""

from fractions import Fraction

import pandas as pd
import pytest

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.testing import worst_pairs

RANGE = sl.Universe.value_range((0, 1, 5))
RELATIONS = [sl.Add(1), sl.Remove(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Change(2)]


def mean(dataset):
    return Fraction(sum(dataset), len(dataset)) if dataset else Fraction(0)


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_they_are_the_widest_of_all_pairs(relation):
    """Catches a pair that is left out, one that is there twice, and a wrong order."""
    related = oracle.range_pairs(RANGE.values, range(4), relation.kind, relation.k)
    pairs = {frozenset(pair) for pair in related if len({*pair}) == 2}
    every = sorted((abs(mean(x) - mean(y)) for x, y in pairs), reverse=True)
    found = list(worst_pairs(mean, RANGE, size=range(4), relation=relation, count=10_000))
    assert [pair.gap for pair in found] == every
    few = list(worst_pairs(mean, RANGE, size=range(4), relation=relation, count=7))
    assert few == found[:7]
    for pair in found:
        assert pair.answers == (mean(pair.dataset), mean(pair.neighbour))
        assert pair.gap == abs(pair.answers[0] - pair.answers[1])


def test_datasets_are_those_that_there_are():
    """Catches positions handed out in place of tables;
    a record that the population does not have."""
    staff, asked = sl.Universe.product(team=["a", "b"], pay=[0, 3]), {"relation": sl.Change(1)}
    pair = next(worst_pairs(lambda t: t["pay"].sum(), staff, size=2, **asked, count=1))
    assert isinstance(pair.dataset, pd.DataFrame)
    assert abs(pair.dataset["pay"].sum() - pair.neighbour["pay"].sum()) == pair.gap == 3
    (pair,) = worst_pairs(sl.SUM, sl.Universe.population([1, 1, 4]), size=2, **asked, count=99)
    assert (pair.gap, {pair.dataset, pair.neighbour}) == (3, {(1, 1), (1, 4)})
