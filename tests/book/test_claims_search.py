"""The engine that refutes claims, held to loops that are written out, and to the chapter's own."""

from fractions import Fraction
from itertools import combinations

import pytest
from conftest import a_third
from sensitivity_book.theory.research.search import (
    exceeds,
    of_populations,
    search,
    tally,
    where,
)
from sensitivity_book.theory.research.worlds import small_populations

import sensitivity_lab as sl


def gap(query, sides):
    """The widest gap between two datasets among pairs of them; None where there is none."""
    return max((abs(query(x) - query(y)) for x, y in sides), default=None)


def one_leaves(query, records, n, k):
    """Left: how far the answer moves when k of n records leave; right: when k + 1 do."""
    return tuple(
        gap(query, ((x, y) for x in combinations(records, n) for y in combinations(x, n - j)))
        if n - j >= query.smallest_size
        else None
        for j in (k, k + 1)
    )


def within_half(query, records, n, k):
    return 2 * k <= n


def by_loops(comparison, query, schools):
    """Every case with both sides, in the declared order, by plain loops."""
    for records in schools:
        for n in range(1, len(records) + 1):
            for k in range(1, len(records) + 1):
                left, right = comparison(query, records, n, k)
                if left is not None and right is not None:
                    yield records, n, k, left, right


def first_by_loops(comparison, query, schools):
    """The first case that refutes, with its sides, and how many cases there were up to it."""
    asked = 0
    for case in by_loops(comparison, query, schools):
        asked += 1
        if case[3] > case[4]:
            return case, asked
    return None, asked


# --- the engine ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", a_third([sl.SUM, sl.MEAN, sl.MEDIAN, sl.MAX, sl.VARIANCE]), ids=str
)
@pytest.mark.parametrize("condition", [None, within_half])
def test_the_engine_finds_the_first_case_that_loops_find(query, condition):
    """Catches a case that is skipped or counted twice, and a counterexample that is not the first."""
    comparison = where(condition, one_leaves) if condition else one_leaves
    found = search(of_populations(comparison, query), small_populations(5, 2))
    case, asked = first_by_loops(comparison, query, small_populations(5, 2))
    assert found.cases == asked
    assert found.counterexample == (case and (case[0], case[1:3]))


def test_floats_that_differ_by_rounding_alone_refute_nothing():
    """Catches a counterexample that is an error of addition."""

    def rounded(world):
        yield (), 0.1 + 0.2, 0.3
        yield (), 0.3, 0.1 + 0.2
        yield (), Fraction(3, 10) + Fraction(1, 10**12), Fraction(3, 10)

    assert search(rounded, [0]).cases == 3
    assert search(rounded, [0]).counterexample is not None
    assert tally(rounded, [0]) == {"smaller": 0, "equal": 2, "larger": 1}
    assert not exceeds(1.0, 1.0 + 1e-12)
    assert exceeds(1.0 + 1e-6, 1.0)


# --- the chapter ---------------------------------------------------------------------------
