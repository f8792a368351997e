"""OpenDP's claims of 2026: what no certificate lists is met by another route."""

import math

import numpy as np
import pytest
from scipy import stats
from sensitivity_board.cases import opendp_2026 as of

AT = "threshold 5, scale 1"


@pytest.fixture(scope="module")
def cases():
    return {(case.function, case.setting): case for case in of.opendp_2026_cases()}


def test_every_case_says_what_was_compared_and_every_gap_what_it_costs(cases):
    """Catches a card without its scope or note, and a cost where the claim is exact."""
    for case in cases.values():
        assert case.scope
        assert case.note
        assert bool(case.loss) == (case.verdict != "exact")


# --- thresholds ------------------------------------------------------------------------------


def test_the_chance_of_a_new_key_is_that_of_the_noise_alone(cases):
    """Catches a tail that begins one too early or too late, by sums of the distribution's terms."""
    laplace = sum(stats.dlaplace(1).pmf(step) for step in range(4, 200))
    weights = {step: math.exp(-step * step / 2) for step in range(-40, 41)}
    gaussian = {
        n: sum(w for s, w in weights.items() if s >= n) / sum(weights.values()) for n in (4, 5)
    }
    exact = {name: case.row.found for name, case in cases.items()}
    assert exact["count-by with a threshold", f"Laplace, {AT}"] == pytest.approx(laplace)
    assert exact["table with a threshold", f"Gaussian on ints, {AT}"] == pytest.approx(gaussian[4])
    polars = "Polars count by group with a threshold"
    assert exact[polars, f"Laplace, {AT}"] == pytest.approx(laplace / math.e)
    assert exact[polars, f"Gaussian, {AT}"] == pytest.approx(gaussian[5])
    floats = exact["table with a threshold", f"Laplace on floats, {AT}"]
    assert floats == pytest.approx(float(stats.laplace.sf(4)))


# --- the noisy maximum -----------------------------------------------------------------------


@pytest.mark.parametrize("scores", [(0, 0), (1, -1), (2, 0, 1), (0, 1, 1)])
def test_permute_and_flip_is_the_maximum_with_exponential_noise(scores):
    """Catches a wrong distribution: the same by an integral over the winner's noise."""
    steps = np.linspace(0, 40, 400_001)
    for position, chance in of.permute_and_flip(scores).items():
        density = np.exp(-steps)
        for other, score in enumerate(scores):
            if other != position:
                room = np.maximum(steps + scores[position] - score, 0)
                density = density * -np.expm1(-room)
        assert chance == pytest.approx(np.trapezoid(density, steps), abs=1e-6)
