"""The widest pairs, held to a plain list of all pairs."""

from fractions import Fraction
from unittest.mock import Mock

import pandas as pd
import pytest
from sensitivity_beyond.testing import worst_pairs

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle

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
    """Catches positions handed out for tables; a record that the population does not have."""
    staff, asked = sl.Universe.product(team=["a", "b"], pay=[0, 3]), {"relation": sl.Change(1)}
    pair = next(worst_pairs(lambda t: t["pay"].sum(), staff, size=2, **asked, count=1))
    assert isinstance(pair.dataset, pd.DataFrame)
    assert abs(pair.dataset["pay"].sum() - pair.neighbour["pay"].sum()) == pair.gap == 3
    (pair,) = worst_pairs(sl.SUM, sl.Universe.population([1, 1, 4]), size=2, **asked, count=99)
    assert (pair.gap, {pair.dataset, pair.neighbour}) == (3, {(1, 1), (1, 4)})


PAIR = sl.Universe.value_range([0, 1])


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"count": 0}, ValueError, "count must be"),
        ({"universe": [0, 1]}, TypeError, "universe must be a Universe"),
        ({"universe": PAIR, "size": 90, "max_datasets": 3}, sl.TooLarge, "pairs to walk"),
        ({"size": 0, "relation": sl.Remove(1)}, sl.Infeasible, "remove 1"),
    ],
)
def test_what_is_refused_before_the_first_pair(wrong, error, words):
    """Catches a refusal that waits until the first pair is asked for."""
    query = Mock(spec=[], side_effect=sum, __name__="asked too early")
    ask = {"universe": PAIR, "size": 2, "relation": sl.Change(1)}
    with pytest.raises(error, match=words):
        worst_pairs(query, **ask | wrong)
    query.assert_not_called()
