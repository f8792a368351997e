"""Differences of square roots, settled without rounding."""

import math
from decimal import Context
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import DIGITS, root

from sensitivity_lab.exact import RootGap, exact_number, rounded_root_gap

squares = st.one_of(st.integers(0, 30), st.fractions(0, 30, max_denominator=20))


def sign(number):
    return (number > 0) - (number < 0)


@given(squares, squares, squares, squares)
def test_gaps_compare_as_their_decimals_do(a, b, c, d):
    """Catches a comparison that squares a negative number, or calls a near tie a tie."""
    one, other = RootGap(a, b), RootGap(c, d)
    difference = DIGITS.subtract(
        DIGITS.subtract(root(a), root(b)), DIGITS.subtract(root(c), root(d))
    )
    expected = 0 if abs(difference) < DIGITS.create_decimal("1e-90") else sign(difference)
    assert (one > other) - (one < other) == expected
    assert (one == other) == (expected == 0)


def test_gaps_of_small_squares_exhaustively():
    """Catches a mistake at zeros and equal roots, which random draws seldom reach."""
    for a, b, c, d in product(range(5), repeat=4):
        difference = math.sqrt(a) - math.sqrt(b) - math.sqrt(c) + math.sqrt(d)
        expected = 0 if abs(difference) < 1e-12 else sign(difference)
        one, other = RootGap(a, b), RootGap(c, d)
        assert (one > other) - (one < other) == expected, (a, b, c, d)


@given(squares, squares)
def test_gap_is_the_nearest_float(a, b):
    """Catches the double rounding of subtracting two float roots."""
    exactly = DIGITS.subtract(root(a), root(b))
    assert rounded_root_gap(Fraction(a), Fraction(b)) == float(exactly)


@pytest.mark.parametrize("n", [10**15, 10**30, 10**60])
def test_gap_under_cancellation(n):
    """Catches a gap of neighbours computed in doubles: √(n + 1) − √n loses every digit."""
    wide = Context(prec=400)
    exactly = wide.subtract(wide.sqrt(n + 1), wide.sqrt(n))
    assert rounded_root_gap(Fraction(n + 1), Fraction(n)) == float(exactly)
    assert RootGap(n + 1, n) > RootGap(n + 2, n + 1) > RootGap(0, 0)


def test_a_root_gap_beyond_floats_is_refused():
    """Catches a bare OverflowError, and a refusal of small gaps between large roots."""
    huge = Fraction(10) ** 800
    with pytest.raises(ValueError, match="a difference of roots must be at most"):
        rounded_root_gap(huge, Fraction(1))
    with pytest.raises(ValueError, match="a difference of roots must be at most"):
        rounded_root_gap(huge + 1, Fraction(2))
    assert rounded_root_gap(huge + 2 * 10**400 + 1, huge) == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_text(number):
    """Catches a float taken for its binary fraction, at any magnitude."""
    assert exact_number(number) == Fraction(repr(number))
