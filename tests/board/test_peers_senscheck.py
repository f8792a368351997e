"""SensCheck's six wrong annotations: the witnesses are the smallest, and what is called right holds."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from sensitivity_board.peers.senscheck import (
    ANNOTATIONS,
    factor,
    smallest,
)

BY_NAME = {annotation.name: annotation for annotation in ANNOTATIONS}

# what each function does and what its type states, said once more with NumPy: (function, stated)
AGAIN = {
    "solo_double1": (lambda a: a + a, lambda d: d[0]),
    "solo_plus1": (lambda a, b: a + b, lambda d: d[0]),
    "solo_plus2": (lambda a, b: a * b, lambda d: d[0] + d[1]),
    "add_pair_solo1": (lambda a, b: a + b, lambda d: d[0]),
    "add_pair_solo2": (lambda a, b: a * b, lambda d: d[0] + d[1]),
    "add_dependently_typed_matrix_solo1": (lambda a, b: a + b, lambda d: d[1]),
}


def claimed_and_found(name, x, y):
    """What a type states of two calls, and how far the answers lie apart, by NumPy."""
    function, stated = AGAIN[name]
    here, there = ([np.array(part, dtype=np.float64) for part in call] for call in (x, y))
    moved = [float(np.linalg.norm(a - b)) for a, b in zip(here, there, strict=True)]
    return stated(moved), float(np.linalg.norm(function(*here) - function(*there)))


def every_call(annotation, most):
    return list(product(*(product(range(most + 1), repeat=n) for n in annotation.entries)))


def total(x, y):
    return sum(sum(part) for call in (x, y) for part in call)


@pytest.mark.parametrize("name", AGAIN)
def test_no_smaller_pair_shows_an_annotation_too_small(name):
    """Catches a witness that is not one, and one with larger numbers than are needed."""
    row = smallest(BY_NAME[name])
    claimed, found = claimed_and_found(name, row.dataset, row.neighbour)
    assert (row.claimed, row.found) == (pytest.approx(claimed), pytest.approx(found))
    assert found > claimed + 0.5
    broken = [
        total(x, y)
        for x, y in combinations(every_call(BY_NAME[name], 2), 2)
        if (pair := claimed_and_found(name, x, y))[1] > pair[0] + 1e-9
    ]
    assert total(row.dataset, row.neighbour) == min(broken)


# pairs of pairs stop at 2: with 3 there are 32,640 of them
RANGES = [
    (one.name, most) for one in ANNOTATIONS for most in (2, 3) if sum(one.entries) * most < 12
]


@pytest.mark.parametrize(("name", "most"), RANGES)
def test_the_factor_is_the_largest_over_every_pair(name, most):
    """Catches a factor read off the witness alone, or off another range of numbers."""
    annotation = BY_NAME[name]
    pairs = [
        claimed_and_found(name, x, y) for x, y in combinations(every_call(annotation, most), 2)
    ]
    expected = max(found / claimed if claimed else math.inf for claimed, found in pairs if found)
    assert factor(annotation, most) == pytest.approx(expected)
