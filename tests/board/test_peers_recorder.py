"""dp-recorder's reduced faults: found without a pair, and what its own pairs reach."""

import math
from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest
from sensitivity_board.peers.recorder import (
    REDUCED,
    RIGHT,
    exact_there,
    smallest,
    their_gap,
)

import sensitivity_lab as sl

BY_TEST = {reduced.test: reduced for reduced in (*REDUCED, RIGHT)}


def array(records):
    return np.array([math.nan if one is None else float(one) for one in records], dtype=np.float64)


# the functions of the seven tests, once more: of an array, as they are asked there
AGAIN = {
    "test_sensitivity_miscalibration": lambda x: [x.sum()],
    "test_nan_injection": lambda x: [np.clip(x, -5, 5).sum()],
    "test_noise_miscalibration": lambda x: [x.sum()],
    "test_buggy_private_mean": lambda x: [x.size],
    "test_domain_inference": lambda x: [np.unique(x).size],
    "test_double_spending": lambda x: [x.sum(), x.size],
    "test_correct_mechanism": lambda x: [(x == 1).sum()],
}


def gap(test, one, other):
    """How far the answers lie apart in L1, NaN read as infinity, which dp-recorder's metric does."""
    answers = [np.array(AGAIN[test](array(side)), dtype=np.float64) for side in (one, other)]
    apart = float(np.abs(answers[0] - answers[1]).sum())
    return math.inf if math.isnan(apart) else apart


def is_related(relation, one, other):
    """Whether one dataset becomes the other by at most one step of the relation, by labels."""
    left, joined = Counter(one) - Counter(other), Counter(other) - Counter(one)
    steps = left.total(), joined.total()
    if isinstance(relation, sl.Change):
        return steps[0] == steps[1] <= 1
    return sum(steps) <= 1


def every_dataset(values, sizes):
    return [one for size in sizes for one in combinations_with_replacement(values, size)]


@pytest.mark.parametrize("test", [reduced.test for reduced in REDUCED])
def test_each_fault_is_found_by_the_smallest_numbers(test):
    """Catches a witness that is no pair of neighbours, and one where smaller numbers have one."""
    reduced, row = BY_TEST[test], smallest(BY_TEST[test])
    assert row.verdict == "too small"
    assert is_related(reduced.relation, row.dataset, row.neighbour)
    assert gap(test, row.dataset, row.neighbour) == row.found > reduced.claimed
    largest = max((one for one in (*row.dataset, *row.neighbour) if one is not None), default=0)
    fewer = [*range(largest), *([None] if reduced.missing and largest else [])]
    datasets = every_dataset(fewer, range(reduced.smallest_size, 4))
    for one in datasets:
        for other in datasets:
            if is_related(reduced.relation, one, other):
                assert gap(test, one, other) <= reduced.claimed


@pytest.mark.parametrize("test", AGAIN)
def test_the_pair_of_each_test_is_one_of_its_relation(test):
    """Catches a pair copied wrongly, or held to a relation under which it is none."""
    reduced = BY_TEST[test]
    assert is_related(reduced.relation, *reduced.pair)
    assert their_gap(reduced) == gap(test, *reduced.pair)


@pytest.mark.parametrize("test", [test for test in AGAIN if test != "test_double_spending"])
def test_what_is_exact_there_is_the_widest_pair_of_its_values_and_size(test):
    """Catches an exact number over other values, other sizes or another relation than the pair's."""
    reduced = BY_TEST[test]
    size = len(reduced.pair[0])
    near = range(max(size - 1, reduced.smallest_size), size + 2)
    widest = max(
        gap(test, one, other)
        for one in every_dataset(reduced.values, [size])
        for other in every_dataset(reduced.values, near)
        if is_related(reduced.relation, one, other)
    )
    assert exact_there(reduced) == widest
