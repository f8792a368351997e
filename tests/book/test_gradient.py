"""Gradients against sensitivities, and operator norms against balls and other libraries."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import count, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sensitivity_book.theory.gradient import discrete_gradient, operator_norm

import sensitivity_lab as sl
from sensitivity_lab.definition import NORMS
from sensitivity_lab.numbers.exact import exact_number

ONE = sl.SymmetricDifference(1)
UNIVERSES = (
    sl.Universe.value_range([0, 1, 3]),
    sl.Universe.value_range([Fraction(-1, 2), 2]),
    sl.Universe.population([0, 1, 1, 4]),
)
SUM_AND_COUNT = sl.Query("sum and count", lambda x: (sum(x), len(x)), smallest_size=0)
QUERIES = (
    sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.3), sl.MIN, sl.MAX, sl.VARIANCE,
    sl.variance(ddof=1), sl.STD, sl.std(ddof=1), sl.count_distinct, sl.histogram([0, 1, 4]),
    sl.count_where(lambda v: v > 1), SUM_AND_COUNT,
)  # fmt: skip


def datasets(universe, sizes):
    return [x for n in sizes for x in universe.datasets(n)]


# -- the gradient ------------------------------------------------------------------------------


@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_the_norm_is_the_local_sensitivity(query, universe):
    """Catches a neighbour that the gradient misses or invents, and a norm that is not the gap's."""
    for x in datasets(universe, range(query.smallest_size, 5)):
        gradient = discrete_gradient(query, x, universe)
        for q in NORMS:
            found = sl.local_sensitivity(query, x, universe, relation=ONE, norm=q)
            assert gradient.norm(q) == found.value
            assert type(gradient.norm(q)) is type(found.value)


@pytest.mark.parametrize("method", ["auto", "walk"])
@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_forward_alone_gives_the_global_sensitivity(query, universe, method):
    """Catches a forward step that is missing: every pair is a forward step of its smaller end."""
    least, most = query.smallest_size, 3
    for q in NORMS:
        ask = {"size": range(least, most + 1), "relation": ONE, "norm": q, "method": method}
        found = sl.global_sensitivity(query, universe, **ask)
        gradients = [
            discrete_gradient(query, x, universe) for x in datasets(universe, range(least, most))
        ]
        assert max(gradient.forward_norm(q) for gradient in gradients) == found.value


def test_each_step_is_a_difference_of_plain_formulas():
    """Catches a sign, a swapped pair of ends, a column in the wrong place: by counts alone."""
    values = (0, 1, 3)
    universe = sl.Universe.value_range(values)

    def mean(counts):
        n = sum(counts)
        return Fraction(sum(v * c for v, c in zip(values, counts, strict=True)), n) if n else None

    for counts in product(range(3), repeat=3):
        if sum(counts) == 0:
            continue
        x = [v for v, c in zip(values, counts, strict=True) for _ in range(c)]
        gradient = discrete_gradient(sl.MEAN, x, universe)
        for i in range(3):
            more, fewer = list(counts), list(counts)
            more[i], fewer[i] = counts[i] + 1, counts[i] - 1
            assert gradient.forward[i] == mean(more) - mean(counts)
            if fewer[i] < 0 or sum(fewer) == 0:
                assert gradient.backward[i] is None
            else:
                assert gradient.backward[i] == mean(counts) - mean(fewer)


def test_many_neighbours_at_once(monkeypatch):
    """Catches a block of neighbours that is cut short, or answers given to the wrong values."""
    universe = sl.Universe.population([0, 1, 1, 4, 0.5, Fraction(1, 3)])
    for query in QUERIES:
        steps = discrete_gradient(query, (0, 1, 4), universe)
        monkeypatch.setattr("sensitivity_book.theory.gradient.CELLS", 5)
        assert discrete_gradient(query, (0, 1, 4), universe) == steps
        monkeypatch.undo()


def test_the_empty_dataset():
    """Catches a query that is asked on nothing although it has no answer there."""
    universe = sl.Universe.value_range([2, 5])
    assert discrete_gradient(sl.SUM, (), universe).forward == (2, 5)
    assert discrete_gradient(sl.SUM, (), universe).backward == (None, None)
    assert discrete_gradient(sl.SUM, (5,), universe).backward == (None, 5)
    assert discrete_gradient(sl.MEAN, (5,), universe).backward == (None, None)
    with pytest.raises(ValueError, match="size must be at least 1 for mean, got size=0"):
        discrete_gradient(sl.MEAN, (), universe)
    assert discrete_gradient(len, (5,), universe).backward == (None, 1)
    assert discrete_gradient(max, (5,), universe).backward == (None, None)
    with pytest.raises(ValueError, match=r"size 0: max raised ValueError"):
        discrete_gradient(max, (), universe)


def test_copies_run_out_in_a_population():
    """Catches a step to a dataset that the population does not hold."""
    universe = sl.Universe.population([0, 0, 6])
    full = discrete_gradient(sl.SUM, (0, 0, 6), universe)
    assert (full.forward, full.backward) == ((None, None), (0, 6))
    assert full.forward_norm() == 0
    only = discrete_gradient(sl.MEAN, (6,), sl.Universe.population([6]))
    assert (only.forward, only.backward, only.norm()) == ((None,), (None,), 0)


def test_a_jacobian_has_a_column_per_value():
    """Catches columns that are mixed up with rows, and a norm that is not taken by column."""
    gradient = discrete_gradient(SUM_AND_COUNT, (4, 3, 3), sl.Universe.value_range([3, 4]))
    assert gradient.dataset == (3, 3, 4)
    assert gradient.values == (3, 4)
    assert gradient.forward == gradient.backward == ((3, 1), (4, 1))
    assert [gradient.norm(q) for q in NORMS] == [5, math.sqrt(17), 4]


def test_steps_keep_the_arithmetic_of_the_query():
    """Catches a step that is rounded where it is rational, or made a Fraction where it is not."""
    universe = sl.Universe.value_range([1, 2])
    third = discrete_gradient(lambda x: Fraction(len(x), 3), (1,), universe)
    assert third.forward == (Fraction(1, 3), Fraction(1, 3))
    whole = discrete_gradient(lambda x: Fraction(3 * len(x), 3), (1,), universe)
    assert list(map(type, whole.forward)) == [int, int]
    decimal = discrete_gradient(lambda x: Decimal(len(x)), (1,), universe)
    assert decimal.norm() == Decimal(1)
    assert isinstance(decimal.norm(), Decimal)
    assert discrete_gradient(sl.STD, (1,), universe).forward == (0.0, 0.5)
    falls = discrete_gradient(sl.STD, (1, 2), universe).forward[0]
    assert falls == pytest.approx(math.sqrt(2) / 3 - 0.5)


def test_a_missing_record_is_a_value_with_a_column():
    """Catches a column that is dropped, or a crash, where None is a legal record."""
    present = sl.Query("present", lambda x: sum(v is not None for v in x), 0, takes_missing=True)
    gradient = discrete_gradient(present, (None, 1), sl.Universe.value_range([1, None]))
    assert (gradient.values, gradient.forward, gradient.backward) == ((1, None), (1, 0), (1, 0))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda u: discrete_gradient(sl.SUM, (1,), [1]), TypeError, "universe must be a Univer"),
        (lambda u: discrete_gradient("sum", (1,), u), TypeError, "query must be a Query or"),
        (lambda u: discrete_gradient(sl.SUM, (7,), u), ValueError, "universe, got 7"),
        (
            lambda u: discrete_gradient(lambda x: x[: len(x)], (1,), u),
            ValueError,
            "one shape, got a vector of length",
        ),
        (
            lambda u: discrete_gradient(sl.SUM, (1,), u).norm(3),
            ValueError,
            "q must be 1, 2 or infinity, got q=3",
        ),
        (
            lambda u: discrete_gradient(sl.SUM, (1,), u).forward_norm(0),
            ValueError,
            "q must be 1, 2 or infinity, got q=0",
        ),
    ],
)
def test_bad_gradients_are_refused(call, error, text):
    """Catches an error that comes late, or does not name the parameter and the value."""
    with pytest.raises(error, match=text):
        call(sl.Universe.value_range([1, 2]))


# -- the operator norm -------------------------------------------------------------------------

matrices = st.tuples(st.integers(1, 3), st.integers(1, 3)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-6, 6), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)
quick = settings(max_examples=60, deadline=None)


def length(v, q):
    steps = [abs(entry) for entry in v]
    return {1: sum(steps), 2: math.sqrt(sum(s * s for s in steps)), math.inf: max(steps)}[q]


@quick
@given(matrices, st.sampled_from([1, math.inf]), st.sampled_from(NORMS))
def test_the_integer_ball_gives_the_operator_norm(rows, p, q):
    """Catches a corner that is missed: the ball of whole steps is searched without corners."""
    ball = [v for v in product((-1, 0, 1), repeat=len(rows[0])) if length(v, p) <= 1]
    stretched = [[sum(a * b for a, b in zip(row, v, strict=True)) for row in rows] for v in ball]
    assert operator_norm(rows, p, q) == max(length(w, q) for w in stretched)


@quick
@given(matrices)
def test_numpy_agrees_where_it_has_a_formula(rows):
    """Catches rows taken for columns: numpy has the norms with p = q."""
    for p in (1, math.inf):
        assert operator_norm(rows, p, p) == np.linalg.norm(np.array(rows), p)
    squared = np.linalg.eigvalsh(np.array(rows).T @ np.array(rows)).max()
    assert operator_norm(rows, 2, 2) ** 2 == pytest.approx(max(squared, 0), abs=1e-9)


def test_norms_are_exact():
    """Catches arithmetic in floats: tenths are tenths, and thirds are thirds."""
    assert operator_norm([[0.1], [0.2]]) == Fraction(3, 10)
    assert operator_norm([[Fraction(1, 3), Fraction(-2, 3)]], math.inf) == 1
    assert operator_norm(np.array([[3, 0], [4, 1]]), 1, 2) == 5.0


@pytest.mark.parametrize("scale", [1e-300, 1, 8e307, Fraction(1, 10**400), Fraction(10**200, 3)])
def test_norms_of_every_magnitude(scale):
    """Catches an infinity near the largest float, and a zero near the smallest."""
    exact = exact_number(scale)
    rows = [[exact, 0], [0, exact * 2]]
    assert operator_norm(rows, 2, 2) == float(2 * Fraction(exact))
    assert operator_norm([[0, 0]], 2, 2) == 0


@pytest.mark.parametrize("entry", [1e308, 10**400, Fraction(10**900, 7)])
def test_norms_above_the_floats_are_refused(entry):
    """Catches an infinity as an answer, and numpy's own error: the true norm is no float."""
    with pytest.raises(
        ValueError, match=r"a norm for p=2 must be at most 1\.79.*, the largest float"
    ):
        operator_norm([[entry, entry], [entry, entry]], 2, 2)
    assert operator_norm([[entry, entry]]) == exact_number(entry)


def test_a_matrix_without_an_end_is_refused(monkeypatch):
    """Catches rows that are listed for ever."""
    monkeypatch.setattr("sensitivity_lab.numbers.exact.MOST_DRAWN", 100)
    for endless in (count(), [count()], (count() for _ in range(2))):
        with pytest.raises(ValueError, match=r"matrix( row)? must have at most 100 entries"):
            operator_norm(endless)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[1]], 3), ValueError, "p must be 1, 2 or infinity, got p=3"),
        (([[1]], 1, 3), ValueError, "q must be 1, 2 or infinity, got q=3"),
        (([[1]], 2, 1), ValueError, "q must be 2 where p is 2, got q=1"),
        (([],), ValueError, r"at least one row and one column, got \[\]"),
        (([[]],), ValueError, "at least one row and one column"),
        (([[1], [1, 2]],), ValueError, r"rows of one length, got lengths \[1, 2\]"),
        (([["1"]],), TypeError, "matrix entry must be a number, got '1'"),
        (([[math.nan]],), ValueError, "matrix entry must be finite, got nan"),
        (([[1] * 17], math.inf), ValueError, "at most 16 columns for p=inf, got 17"),
        (([1, 2],), TypeError, "matrix must be rows of numbers, got"),
        ((5,), TypeError, "matrix must be rows of numbers, got 5"),
    ],
)
def test_bad_matrices_are_refused(arguments, error, text):
    """Catches an error that does not name the parameter, the rule and the value."""
    with pytest.raises(error, match=text):
        operator_norm(*arguments)
