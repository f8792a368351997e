"""What the book's tools refuse, each read once: the parameter, the rule, and what was given."""

import math
from fractions import Fraction

import pytest
from conftest import refused
from sensitivity_book.theory.gradient import discrete_gradient, operator_norm
from sensitivity_book.theory.joins.bounds import elastic
from sensitivity_book.theory.joins.shapes import Shape, World
from sensitivity_book.theory.people import DropExcess, join_stability
from sensitivity_book.theory.privacy import divergence, noise
from sensitivity_book.theory.privacy.measurements import make_laplace
from sensitivity_book.theory.stability.aggregations import make_count, make_mean, make_sum
from sensitivity_book.theory.stability.domains import (
    ABSOLUTE,
    CHANGE_ONE,
    L1,
    Answers,
    Records,
    delta_at,
)
from sensitivity_book.theory.stability.transformations import make_clamp, make_filter
from sensitivity_book.theory.vectors import fixed_epochs, patterns

import sensitivity_lab as sl

PATH = Shape("path", (("r", "ab"), ("s", "bc")))
FAR = sl.Query("far", lambda x: 1e308 if len(x) > 1 else -1e308, smallest_size=0)
UNIT = Records((0, 1), 5)
# ruff: disable[E501]
REFUSED = [
    # gradients and norms
    (lambda: discrete_gradient(FAR, (1,), sl.Universe.value_range([1, 2])), "-1e+308", "1e+308"),
    (lambda: operator_norm([[1]], 3), "p must be 1, 2 or inf", "got p=3"),
    (lambda: operator_norm([[1]], 2, 1), "q must be 2 where p is 2, got q=1"),
    (lambda: operator_norm([[1] * 17], math.inf), "at most 16 columns for p=inf, got 17"),
    (lambda: operator_norm([[1e308] * 4] * 4, 2, 2), "the largest float: scale the matrix down"),
    (lambda: operator_norm(5), "matrix must be rows of numbers, got 5"),
    (lambda: operator_norm([]), "at least one row and one column, got []"),
    (lambda: operator_norm([[1], [1, 2]]), "rows of one length, got lengths [1, 2]"),
    # noise
    (lambda: noise.classical_gaussian_sigma(1, 1, 0.1), "epsilon must lie below 1, got epsilon=1", "analytic_gaussian_sigma"),
    (lambda: noise.classical_gaussian_sigma(1, 0, 0.1), "epsilon must lie above 0, got epsilon=0"),
    (lambda: noise.gaussian_delta(1, 1, -1), "epsilon must be at least 0, got epsilon=-1"),
    (lambda: noise.gaussian_delta(1, math.inf, 1), "sensitivity must be finite, got sensitivity=inf"),
    (lambda: noise.laplace_scale(True, 1), "sensitivity must be a number, got sensitivity=True"),
    (lambda: noise.analytic_gaussian_sigma(1, 1, 0), "delta must lie strictly between 0 and 1, got delta=0"),
    (lambda: make_laplace(0), "scale must lie above 0, got scale=0"),
    # domains, distances and maps
    (lambda: ABSOLUTE.read(-1), "d_in must be at least 0, got d_in=-1"),
    (lambda: delta_at(-1), "epsilon must be at least 0, got epsilon=-1"),
    (lambda: make_count(Records(), metric=L1), "metric must be SYMMETRIC or CHANGE_ONE, got metric=L1 distance"),
    (lambda: Records(rows="text"), "rows must be 'any' or 'number', got rows='text'"),
    (lambda: Records((1, 1)), "bounds must be two rising numbers, got (1, 1)"),
    (lambda: Records(size=0), "size must be", "got size=0"),
    (lambda: Records(size=2).read([1]), "data must be of the domain 'datasets of 2 numbers', got 1 rows"),
    (lambda: Records((0, 1)).read([2]), "data must be of the domain 'datasets of numbers in [0, 1]', got the row 2"),
    (lambda: Answers(whole=True).read(0.5), "data must be of the domain 'whole numbers', got 0.5"),
    (lambda: make_sum(Records()), "domain of a sum must hold numbers with bounds, got 'datasets of numbers'"),
    (lambda: make_mean(Records((0, 1))), "domain of a mean must have a known size", "in [0, 1]'"),
    (lambda: make_clamp(Records((5, 6)), 0, 1), "domain must have numbers within [0, 1], got", "[5, 6]'"),
    (lambda: make_sum(Records((0, 1))) >> 3, "then must be given a transformation", "got 'sum' and 3"),
    # chains whose two sides do not meet
    (lambda: make_filter(UNIT, bool, metric=CHANGE_ONE) >> make_count(Records(), metric=CHANGE_ONE), "'filter' and 'count' do not meet", "gives the symmetric distance", "takes the change-one distance"),
    (lambda: make_clamp(Records(), 0, 12) >> make_sum(Records((0, 10))), "'clamp to [0, 12]' and 'sum' do not meet", "numbers in [0, 12]", "numbers in [0, 10]"),
    (lambda: make_filter(UNIT, bool) >> make_mean(UNIT), "do not meet", "datasets of numbers in [0, 1]", "datasets of 5 numbers in [0, 1]"),
    (lambda: make_sum(UNIT) >> make_laplace(2, Answers(whole=True)), "do not meet", "gives numbers", "takes whole numbers"),
    # distributions
    (lambda: divergence.cells(None, [1, 1]), "edges must be finite and strictly rising, got [1, 1]"),
    (lambda: divergence.clamped_geometric(0, 0, 1, 1), "alpha must lie between 0 and 1, got alpha=1"),
    (lambda: divergence.worst_pair(lambda x: {0: 1}, [(), (1, 1)], d_in=1), "at most d_in=1 apart, got none"),
    (lambda: divergence.worst_ratio({0: 1}, {0: Fraction(1, 2)}), "chances that add up to 1, got 1/2"),
    # vectors, people and joins
    (lambda: [*patterns(3, 0)], "min_sep must be 1 or more, got 0"),
    (lambda: fixed_epochs(5, 2), "epochs must divide the 5 rounds, got 2"),
    (lambda: join_stability(DropExcess(1), DropExcess(1), rows_left=1, rows_right=1, of="pairs"), "of must be 'rows' or 'count', got of='pairs'"),
    (lambda: elastic(Shape("apart", (("r", "a"), ("s", "b"))), {("r", 0): 1, ("s", 0): 1}, 0), "s must share a column", "got b"),
    (lambda: World(PATH, [("r", i, 0) for i in range(99)]), "records must be at most", "got 99 of path"),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("call", "words"), [(call, words) for call, *words in REFUSED])
def test_what_is_refused_is_named(call, words):
    """Catches an input answered, or refused without its name, its rule and what was given."""
    with refused((TypeError, ValueError), *words):
        call()
