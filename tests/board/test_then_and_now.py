"""Then and now: what libraries were about to randomise, met by sums that are made here."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from sensitivity_board.cases import sums_asked as asked
from sensitivity_board.cases import then_and_now as then

NEXT = 1 + 2.0**-52
MEAN = then.MEAN
INTS = f"bounds (0, {2**62:,})"


@pytest.fixture(scope="module")
def table():
    return then.then_and_now()


# --- the answers by another route -----------------------------------------------------------------


def one_after_another(records):
    return reduce(lambda total, value: total + value, records, 0.0)


def short(name, *functions):
    """The settings of a table with all datasets of up to three records."""
    return [one for one in asked.watched(name) if not one.long and one.function in functions]


@pytest.mark.parametrize("tool", ["sum", "mean", "var"])
def test_diffprivlib_randomises_what_numpy_says(tool):
    """Catches an answer that was stored beside another dataset: numpy is asked here."""
    settings = short("diffprivlib_sums", tool)
    assert settings
    for one in settings:
        for records, answer in one.answered.items():
            dtype = np.int64 if one.setting.startswith("dtype") else np.float64
            assert getattr(np, tool)(np.array(records, dtype=dtype)) == answer


def test_the_others_add_one_after_another():
    """Catches an answer of another dataset, and a library that begins to correct its rounding."""
    for name in ("pydp", "pipelinedp_sums", "smartnoise_sums"):
        for one in short(name, "sum", "SUM"):
            if one.setting.startswith("floats"):
                for records, answer in one.answered.items():
                    assert answer == one_after_another(records)


def test_the_sum_of_a_mean_is_about_the_middle_as_it_is_rounded():
    """Catches a middle that is taken elsewhere: the smallest witness is one record."""
    assert 1 + (NEXT - 1) / 2 == 1  # the middle is no float
    for name in ("pydp", "pipelinedp_sums"):
        wide, narrow = short(name, MEAN)
        for one, middle in ((wide, 1.5), (narrow, 1.0)):
            for records, answer in one.answered.items():
                assert answer == one_after_another([value - middle for value in records])
        smallest = asked.widest(narrow, asked.joined)[0]
        assert (smallest.size, smallest.pair) == (1, ((), (NEXT,)))
        assert smallest.gap == 2 * narrow.claim(1) == NEXT - 1


def test_the_long_sums_move_as_the_paper_says():
    """Catches a long dataset that is not the one it is said to be.

    With m ones, each of the m/2 pairs that follow adds the spacing at m, m/2⁵², and with one fewer
    none does: the gap is 1 + m²/2⁵³.
    """
    for name, m in (("pydp", 2**27), ("pipelinedp_sums", 2**17), ("smartnoise_sums", 2**19)):
        (tool,) = [one for one in asked.watched(name) if "(-1.0, 1.0)" in one.setting]
        x, y = tool.answers
        assert [asked.size_of(side) for side in (x, y)] == [2 * m, 2 * m - 1]
        assert x[0] == ((1.0,), m)
        up, down = x[1][0]
        spacing = Fraction(m, 2**52)
        assert (Fraction(up) + Fraction(down), x[1]) == (spacing / 2**51, y[1])
        assert 0 < up - spacing / 2 < spacing / 1000
        assert Fraction(tool.answers[x]) - Fraction(tool.answers[y]) == 1 + Fraction(m**2, 2**53)
    (numpys,) = [one for one in asked.watched("diffprivlib_sums") if "(-1.0" in one.setting]
    assert asked.exact_gap(*numpys.answers.values()) == 1  # it adds in pairs, and holds


def test_the_smallest_witness_of_a_narrow_sum_by_hand():
    """Catches a claim of ours that the arithmetic does not bear out.

    Above 2 floats are two steps of 2⁻⁵² apart. 1 + (1 + 2⁻⁵²) lies half-way and goes to the even
    one, 2; two records of 1 + 2⁻⁵² make 2 + 2·2⁻⁵², which is a float.
    """
    (tool,) = short("diffprivlib_sums", "sum")[:1]
    two = asked.widest(tool, asked.changed)[1]
    assert (1.0 + NEXT, NEXT + NEXT) == (2.0, 2.0 + 2 * 2.0**-52)
    assert two.answers == (2.0, 2.0 + 2 * 2.0**-52)
    assert (two.gap, tool.claim(2)) == (2 * 2.0**-52, 2.0**-52)


def test_totals_that_wrap_are_told_only_where_the_noise_wraps_too():
    """Catches an accusation that forgets the noise: PyDP's releases go round with the total."""
    for one in asked.watched("pydp"):
        assert (one.modulus is not None) == one.setting.startswith(("ints", "dtype"))
        if one.modulus:
            for dataset, answer in one.answers.items():
                assert answer == sum(sum(records) * times for records, times in dataset)
    for name in ("diffprivlib_sums", "pipelinedp_sums"):
        (wraps,) = [one for one in asked.watched(name) if INTS in one.setting]
        assert wraps.modulus is None
        assert wraps.answered[2**62, 2**62] == -(2**63)
        assert wraps.answered[2**62,] == 2**62


def test_neighbours_differ_by_one_record():
    """Catches two records taken for one, a size that changes where it is public, and an order that counts."""
    pairs = [((), (1,)), ((), (1, 1)), ((1,), (2,)), ((1, 2), (3, 1)), ((1, 2), (3, 4))]
    assert [asked.joined(*pair) for pair in pairs] == [True, False, False, False, False]
    assert [asked.changed(*pair) for pair in pairs] == [False, False, True, True, False]


def test_the_2021_sums_of_opendp_by_another_route():
    """Catches answers of 2021 that are not those of the arithmetic they are said to use."""
    for one in asked.watched("opendp_2021"):
        for records, answer in one.answered.items():
            if one.setting.startswith("floats"):
                assert answer == one_after_another(records)
            else:
                total = sum(records)
                wrapped = (total + 2**31) % 2**32 - 2**31
                assert answer == (wrapped if "known" in one.function else min(total, 2**31 - 1))
