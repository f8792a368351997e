"""How numbers and datasets are written: equal where it says so, whole, and never an error."""

import datetime
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab.numbers.exact import exact_number
from sensitivity_lab.numbers.text import (
    cell_text,
    dataset_text,
    equals_text,
    number_repr,
    number_text,
    value_text,
)

HUGE = [10**400, 10**5000, -(10**5000), Fraction(10**5000, 3), Fraction(1, 10**5000)]
NUMBERS = st.one_of(
    st.integers(),
    st.fractions(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(
        lambda digits, power: digits * Fraction(10) ** power, st.integers(), st.integers(-999, 999)
    ),
)


@settings(max_examples=100)
@given(NUMBERS)
def test_an_equals_sign_stands_where_the_text_is_the_number(value):
    """Catches `3/2 ≈ 1.5`, `= 0.333333`, and a rounded number without a sign."""
    words = equals_text(value).replace(",", "").split()
    for sign, text in zip(words[::2], words[1::2], strict=True):
        assert (sign == "=") == (Fraction(text) == exact_number(value))
    assert equals_text(value) == f"= {value_text(value)}".replace("= ≈", "≈")


@settings(max_examples=100)
@given(st.integers(-10, 10), st.integers(-600, 600), st.integers(1, 99))
def test_six_digits_are_the_nearest_six(power, shift, part):
    """Catches numbers beyond the floats whose digits or exponent are another number's."""
    value = Fraction(part, 97) * Fraction(10) ** (shift + power)
    text = number_text(value).replace(",", "")
    assert "/" in text or abs(Fraction(text) - value) <= abs(value) / 10**5 / 2


@pytest.mark.parametrize("value", HUGE, ids=range(5))
def test_a_number_too_long_to_print_is_written_shortly(value):
    """Catches OverflowError and Python's refusal to write over 4,300 digits."""
    for text in (number_text, equals_text, number_repr, lambda value: dataset_text((value,))):
        assert len(text(value)) < 320
    assert len(number_text((value, 1))) < 20


def test_what_is_no_number_is_written_too():
    """Catches Python's RecursionError, an error of the value's own, and tables without a truth."""
    nest = []
    for _ in range(20_000):
        nest = [nest]
    for value in (nest, (1, nest), [np.array([1, 2])] * 20):
        for text in (number_text(value), dataset_text(value), number_repr(value)):
            assert 0 < len(text) <= 300


def test_ordinary_numbers():
    """Catches a lost form: groups of thousands, short fractions, other kinds of number."""
    written = {
        4000: "4,000",
        Fraction(1723, 300): "1723/300",
        Fraction(123_456, 789_012): "0.156469",
        0.1 + 0.2: "0.3",
        0.5299999713897705: "0.53",
        np.float32(0.1): "0.1",
        np.int64(-5): "-5",
        True: "1",
        Decimal("1e400"): "1e+400",
        math.inf: "inf",
        (1000, 0.5): "(1000, 0.5)",
        "2000": "2000",
    }
    assert {value: number_text(value) for value in written} == written
    assert equals_text((2**0.5, 1)) == "≈ (1.41421, 1)"
    assert equals_text(np.timedelta64(2, "D")) == "= 2 days"


def test_a_record_is_never_rounded():
    """Catches a witness that cannot be checked as it is printed."""
    records = (0.30000000000000004, Fraction(123_456, 789_013), 12345678.9, None, "Ann", 10**39)
    text = "(0.30000000000000004, 123456/789013, 12345678.9, None, Ann, 1" + "0" * 39 + ")"
    assert dataset_text(records) == text


def test_a_long_dataset_shows_its_runs_and_of_many_its_ends():
    """Catches a count of runs for one of records, and a run that is cut."""
    assert dataset_text((0,) * 12).count("0") == 12
    assert dataset_text((0,) * 13) == "(0 ×13)"
    many = [value for value in range(150) for _ in range(1 + value % 2)]
    text = dataset_text(tuple(many))
    assert text.startswith("(0, 1 ×2, 2, ")
    assert text.endswith(", 148, 149 ×2)")
    assert f"… {len(many) - 30} more …" in text


def test_a_repr_is_pythons_own_but_for_what_is_too_long():
    """Catches a repr that is no Python where it could be, and one that raises."""
    values = (1, 0.5, Fraction(1, 3), Decimal("0.1"), None, "a", np.int8(3))
    assert number_repr(values) == repr(values)
    assert number_repr([*values]) == repr([*values])
    assert number_repr(((1,), ())) == "((1,), ())"
    assert number_repr(10**299) == repr(10**299)
    assert number_repr((0, 10**5000)) == "(0, <about 1e+5000>)"
    assert number_repr(tuple(range(101))).count(",") == 20


@pytest.mark.parametrize("largest", [10**400, 10**5000, Fraction(10**5000, 3)], ids=range(3))
def test_universes_and_results_of_numbers_too_long_to_print_are_shown(largest):
    """Catches "Exceeds the limit (4300 digits)" from a repr, and OverflowError from a card."""
    ask = {"size": 2, "relation": sl.Change(1)}
    for make, records in (("value_range", [0, largest]), ("population", [0, largest, 1])):
        universe = getattr(sl.Universe, make)(records)
        assert len(repr(universe)) < 500
        found = sl.global_sensitivity(sl.MEAN, universe, **ask, method="sweep")
        assert len(repr(found)) < 1200
        assert f">{value_text(found.value)}</td>" in found._repr_html_()
    many = sl.Universe.value_range([-largest * i for i in range(40)])
    assert repr(many).startswith("Universe.value_range([<about -")
    assert len(repr(many)) < 1000
    assert "<about " in repr(sl.closed_form(sl.SUM, bounds=(0, largest), **ask))


def test_a_cell_is_a_short_line():
    """Catches a cell that breaks its table, or that hides what it is."""
    assert cell_text("x" * 100) == "x" * 39 + "…"
    texts = {"": "''", " a": "' a'", "a\tb": r"'a\tb'", "NULL": "'NULL'", True: "True", -2: "-2"}
    texts |= {0.1: "0.1", (1, None): "(1, None)", b"x": "b'x'"}
    texts[datetime.datetime(2024, 1, 2, 3)] = "2024-01-02 03:00:00"
    assert {value: cell_text(value) for value in texts} == texts
