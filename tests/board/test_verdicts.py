"""What becomes of a claim, what it costs, and the domains that chapters share."""

import math
from fractions import Fraction

import pytest
from sensitivity_book.verdicts import price, price_text, verdict

import sensitivity_lab as sl

NUMBERS = [1, 2, Fraction(1, 3), 0.5, math.sqrt(2)]


@pytest.mark.parametrize("claimed", NUMBERS)
@pytest.mark.parametrize("exact", NUMBERS)
def test_a_verdict_says_on_which_side_the_claim_is(claimed, exact):
    """Catches "loose" and "too small" the wrong way round."""
    expected = "exact" if claimed == exact else "too small" if claimed < exact else "loose"
    assert verdict(claimed, exact) == expected


def row(claimed, found):
    return sl.AuditRow("Change", 1, 5, claimed=claimed, found=found)


def test_the_price_of_a_claim_is_the_budget_of_its_noise():
    """Catches a price that is not the ε of Laplace noise of scale `claimed`, or the ρ of a Gauss."""
    claimed, exact = 3, 7
    # at an output below both answers the log of the ratio of Laplace densities is the distance
    assert price(row(claimed, exact)) == pytest.approx(exact / claimed)
    sigma = claimed / math.sqrt(2)  # ρ = 1 at the claim
    assert price(row(claimed, exact), power=2) == pytest.approx(exact**2 / (2 * sigma**2))
    assert price(row(0, exact)) == math.inf


def test_a_price_is_written_in_three_digits():
    """Catches "inf" on a page, and a price of another power."""
    assert price_text(row(3, 4)) == "1.33"
    assert price_text(row(3, 4), power=2) == "1.78"
    assert price_text(row(0, 4)) == "∞"
