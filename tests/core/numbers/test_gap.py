"""Gaps between answers, numbers and mappings alike."""

import random
from collections import Counter

import pytest

import sensitivity_lab as sl
from sensitivity_lab.numbers.gap import Labelled, gap_between


@pytest.mark.parametrize("method", ["auto", "walk", "sweep"])
def test_shapes_that_do_not_meet(method):
    """Catches a group-by that answers a bare 0 where there is no group."""
    universe, ask = sl.Universe.value_range([1, 2]), {"size": range(3), "relation": sl.AddRemove(1)}
    with pytest.raises(ValueError, match="answers of one shape, got a number and a vector"):
        sl.global_sensitivity(lambda x: {"law": len(x)} if x else 0, universe, **ask, method=method)


def by_digit(dataset):
    """How many records have each last digit: keys, up to ten of them."""
    return Counter(record % 10 for record in dataset)


def test_many_keys_are_soon_seen():
    """Catches a function that is asked twice on every dataset because its keys make no array."""
    calls = Counter()

    def counted(dataset):
        calls[dataset] += 1
        return by_digit(dataset)

    universe = sl.Universe.value_range(range(10))
    found = sl.global_sensitivity(counted, universe, size=4, relation=sl.Change(1))
    assert (found.method, calls.total() < 1.2 * found.datasets) == ("walk", True)


def test_gaps_of_floats_are_the_same_from_either_answer():
    """Catches a sum of floats in the order of whichever answer comes first."""
    rng = random.Random(0)
    for _ in range(300):
        few, more = (
            Labelled(tuple(rng.uniform(0, 1) for _ in keys), keys)
            for keys in (sorted(rng.sample(range(9), 4)), sorted(rng.sample(range(9), 6)))
        )
        assert gap_between(1, False)(few, more) == gap_between(1, False)(more, few)
