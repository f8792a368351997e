"""Gradients against sensitivities, and operator norms against balls and other libraries."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from conftest import QUERIES as STANDARD
from conftest import a_third
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sensitivity_book.theory.gradient import discrete_gradient, operator_norm

import sensitivity_lab as sl
from sensitivity_lab.definition import NORMS

ONE = sl.SymmetricDifference(1)
UNIVERSES = (
    sl.Universe.value_range([0, 1, 3]),
    sl.Universe.value_range([Fraction(-1, 2), 2]),
    sl.Universe.population([0, 1, 1, 4]),
)
SUM_AND_COUNT = sl.Query("sum and count", lambda x: (sum(x), len(x)), smallest_size=0)
QUERIES = [
    *STANDARD.values(), sl.quantile(0.3), sl.histogram([0, 1, 4]), sl.count_where(lambda v: v > 1),
    SUM_AND_COUNT,
]  # fmt: skip


def datasets(universe, sizes):
    return [x for n in sizes for x in universe.datasets(n)]


@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
@pytest.mark.parametrize("query", a_third(QUERIES), ids=str)
def test_the_norm_is_the_local_sensitivity(query, universe):
    """Catches a neighbour that the gradient misses or invents, and a norm that is not the gap's."""
    for x in datasets(universe, range(query.smallest_size, 5)):
        gradient = discrete_gradient(query, x, universe)
        for q in NORMS:
            found = sl.local_sensitivity(query, x, universe, relation=ONE, norm=q)
            assert gradient.norm(q) == found.value
            assert type(gradient.norm(q)) is type(found.value)


@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
@pytest.mark.parametrize("query", a_third(QUERIES), ids=str)
def test_forward_alone_gives_the_global_sensitivity(query, universe):
    """Catches a forward step that is missing: every pair is a forward step of its smaller end."""
    least, most = query.smallest_size, 3
    for q in NORMS:
        ask = {"size": range(least, most + 1), "relation": ONE, "norm": q}
        found = sl.global_sensitivity(query, universe, **ask)
        gradients = [
            discrete_gradient(query, x, universe) for x in datasets(universe, range(least, most))
        ]
        assert max(gradient.forward_norm(q) for gradient in gradients) == found.value


def test_steps_keep_the_arithmetic_of_the_query():
    """Catches a step that is rounded where it is rational, or made a Fraction where it is not."""
    universe = sl.Universe.value_range([1, 2])
    third = discrete_gradient(lambda x: Fraction(len(x), 3), (1,), universe)
    assert third.forward == (Fraction(1, 3), Fraction(1, 3))
    whole = discrete_gradient(lambda x: Fraction(3 * len(x), 3), (1,), universe)
    assert list(map(type, whole.forward)) == [int, int]
    decimal = discrete_gradient(lambda x: Decimal(len(x)), (1,), universe)
    assert (decimal.norm(), type(decimal.norm())) == (1, int)
    assert discrete_gradient(sl.STD, (1,), universe).forward == (0.0, 0.5)
    falls = discrete_gradient(sl.STD, (1, 2), universe).forward[0]
    assert falls == pytest.approx(math.sqrt(2) / 3 - 0.5)


matrices = arrays(
    int, array_shapes(min_dims=2, max_dims=2, max_side=3), elements=st.integers(-6, 6)
)
quick = settings(max_examples=60)


def length(v, q):
    steps = [abs(int(entry)) for entry in v]
    return {1: sum(steps), 2: math.hypot(*steps), math.inf: max(steps)}[q]


@quick
@given(matrices, st.sampled_from([1, math.inf]), st.sampled_from(NORMS))
def test_the_integer_ball_gives_the_operator_norm(rows, p, q):
    """Catches a corner that is missed: the ball of whole steps is searched without corners."""
    ball = [v for v in product((-1, 0, 1), repeat=rows.shape[1]) if length(v, p) <= 1]
    assert operator_norm(rows, p, q) == max(length(rows @ v, q) for v in ball)


@quick
@given(matrices)
def test_numpy_agrees_where_it_has_a_formula(rows):
    """Catches rows taken for columns: numpy has the norms with p = q."""
    for p in (1, math.inf):
        assert operator_norm(rows, p, p) == np.linalg.norm(rows, p)
    assert operator_norm(rows, 2, 2) == pytest.approx(np.linalg.norm(rows, 2), abs=1e-9)
