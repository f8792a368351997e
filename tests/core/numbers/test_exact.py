"""Numbers taken exactly, and differences of square roots, settled without rounding."""

import math
import sys
from decimal import Context, Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
from conftest import Euro, nested
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab.definition import DIGITS, root
from sensitivity_lab.numbers.exact import (
    RootGap,
    brief,
    checked_bounds,
    exact_number,
    proper_norm,
    rounded_root_gap,
    whole_number,
)

squares = st.one_of(st.integers(0, 4), st.integers(0, 30), st.fractions(0, 30, max_denominator=20))


def sign(number):
    return (number > 0) - (number < 0)


@settings(max_examples=300)
@given(squares, squares, squares, squares)
@example(Fraction(7, 16), Fraction(1, 8), Fraction(1, 4), Fraction(1, 16))  # a root of 1 or less
def test_gaps_compare_as_their_decimals_do(a, b, c, d):
    """Catches a comparison that squares a negative number, or calls a near tie a tie."""
    one, other = RootGap(a, b), RootGap(c, d)
    difference = DIGITS.subtract(
        DIGITS.subtract(root(a), root(b)), DIGITS.subtract(root(c), root(d))
    )
    expected = 0 if abs(difference) < DIGITS.create_decimal("1e-90") else sign(difference)
    assert (one > other) - (one < other) == expected
    assert (one == other) == (expected == 0)


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
    for larger, smaller in ((huge, 1), (huge + 1, 2)):
        with pytest.raises(ValueError, match="a difference of roots must be at most"):
            rounded_root_gap(Fraction(larger), Fraction(smaller))
    assert rounded_root_gap(huge + 2 * 10**400 + 1, huge) == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_text(number):
    """Catches a float taken for its binary fraction, at any magnitude."""
    assert exact_number(number) == Fraction(repr(number))


def test_a_subclass_of_float_is_its_number_and_not_what_it_prints():
    """Catches a price that is read rounded, or not at all."""
    assert exact_number(Euro(1.4)) == Fraction(7, 5)
    assert sl.MEAN([Euro(1.4), Euro(2.4)]) == Fraction(19, 10)
    universe = sl.Universe.population([Euro(1.4), Euro(2.4), 3])
    found = sl.global_sensitivity(sl.SUM, universe, size=1, relation=sl.Change(1))
    assert found.value == Fraction(8, 5)
    with pytest.raises(ValueError, match="value must be finite, got nan"):
        exact_number(Euro(math.nan))


def test_numbers_whose_text_is_no_decimal_are_refused():
    """Catches the bare error of a parser."""

    class Third:
        def __float__(self):
            return 1 / 3

        def __str__(self):
            return "a third"

    Real.register(Third)
    with pytest.raises(ValueError, match="records must be written in decimals, got"):
        exact_number(Third(), "records")


@pytest.mark.parametrize(
    "text", ["1e9999999", "-1e999999999", "1e-99999999", "1e100001", "3e-100001"]
)
def test_exponents_beyond_reason_are_refused_at_once(text):
    """Catches a few letters that stand for more digits than there is memory."""
    number = Decimal(text)
    for ask in (
        lambda: exact_number(number, "records"),
        lambda: sl.Universe.population([1, number]),
        lambda: sl.MEAN([1, number]),
        lambda: sl.quantile(number),
        lambda: sl.histogram([0, number]),
        lambda: sl.closed_form(sl.SUM, bounds=(0, number), size=2, relation=sl.Add(1)),
        lambda: sl.Add(1).are_neighbours([1], [1, number]),
    ):
        with pytest.raises(ValueError, match="must lie within 10 to the power of ±100,000, got De"):
            ask()


@pytest.mark.parametrize("text", ["1e400", "1e99999", "1e-99999", "1.25e-400", "0e-9999999"])
def test_large_exponents_within_reason_are_exact(text):
    """Catches a bound that refuses what was answered, a float too narrow for a number."""
    assert exact_number(Decimal(text)) == (Fraction(text) if text[0] != "0" else 0)
    if np.finfo(np.longdouble).max > sys.float_info.max:
        assert exact_number(np.longdouble("1e400")) == 10**400


class Silent:
    """An object that cannot be printed."""

    def __repr__(self):
        raise RuntimeError("no")


BAD = [nested(20_000), Silent(), [Silent()], {"a": Silent()}, "x" * 10**6, ["1"] * 10**6]


@pytest.mark.parametrize("value", BAD, ids=[f"bad {i}" for i in range(len(BAD))])
def test_a_message_is_short_and_never_fails(value):
    """Catches an error about bad input that fails, or fills the screen, while it is written."""
    assert len(brief(value)) < 400
    for ask in (
        lambda: exact_number(value, "beta"),
        lambda: whole_number(value, "k", 1),
        lambda: proper_norm(value),
        lambda: checked_bounds(value),
        lambda: checked_bounds((0, value)),
        lambda: sl.Add(value),
        lambda: sl.closed_form(sl.SUM, bounds=(0, 1), size=value, relation=sl.Add(1)),
        lambda: sl.closed_form(value, bounds=(0, 1), size=1, relation=sl.Add(1)),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            ask()
        assert len(str(caught.value)) < 600


def test_a_value_of_several_lines_is_written_on_one():
    """Catches a message that breaks off in a table before it says what to type."""
    assert brief(np.eye(2, dtype=int)) == "array([[1, 0], [0, 1]])"


def test_whole_numbers_too_long_to_print_are_named_by_their_length():
    """Catches the bare error of the interpreter for more than 4,300 digits."""
    long = 10**5000
    assert brief(-long) == "a whole number of about 5,001 digits"
    assert brief(Fraction(1, long)) == "Fraction(1, a whole number of about 5,001 digits)"
    assert brief([long, 1]) == "[a whole number of about 5,001 digits, 1]"
    with pytest.raises(ValueError, match=r"k must be .*, got k=a whole number of about 5,001"):
        whole_number(-long, "k", 1)
    with pytest.raises(ValueError, match=r"bounds must rise, got bounds=\(a whole number of about"):
        checked_bounds((long, 0))
    assert exact_number(long) == long
