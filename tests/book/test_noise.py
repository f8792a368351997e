"""Noise for a sensitivity: each formula against an integral, a limit or another library."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm
from sensitivity_book.theory.privacy.noise import (
    TOLERANCE,
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    gaussian_crossing,
    gaussian_delta,
    gaussian_rho,
    laplace_deviation,
    laplace_scale,
    right_guesses,
)

EPSILONS = st.floats(0.01, 20)
DELTAS = st.floats(1e-12, 0.99)
SENSITIVITIES = st.floats(0.01, 1000)


def hockey_stick(sigma, sensitivity, epsilon):
    """The integral of (p − e^ε q)⁺ for normals p around the sensitivity and q around 0."""

    def excess(x):
        p, q = norm.pdf(x, sensitivity, sigma), norm.pdf(x, 0, sigma)
        return p - math.exp(epsilon) * q

    start = epsilon * sigma**2 / sensitivity + sensitivity / 2  # from here on p exceeds e^ε q
    end = max(start, sensitivity) + 12 * sigma
    value, _ = quad(excess, start, end, epsabs=1e-16, epsrel=1e-11, limit=200)
    return value


@pytest.mark.parametrize("epsilon", [0, 0.1, 1, 3, 10])
@pytest.mark.parametrize("sigma", [0.2, 0.7, 1, 2.5])
def test_gaussian_delta_is_the_hockey_stick_divergence(sigma, epsilon):
    """Catches a wrong term, a wrong sign, or a wrong scaling by the sensitivity."""
    for sensitivity in (0.5, 1, 3):
        exact = hockey_stick(sigma, sensitivity, epsilon)
        assert gaussian_delta(sigma, sensitivity, epsilon) == pytest.approx(
            exact, rel=1e-8, abs=1e-15
        )


def test_limits():
    """Catches overflow, underflow to a wrong side, and a δ below 0."""
    assert gaussian_delta(1, 1, 0) == pytest.approx(2 * norm.cdf(0.5) - 1, rel=1e-14)
    assert gaussian_delta(1e-3, 1, 1) == 1
    assert gaussian_delta(1e6, 1, 1) == 0
    assert gaussian_delta(1, 1, 1e4) == 0
    assert gaussian_delta(1e-3, 1, 1e4) == 1  # e^ε alone overflows
    assert gaussian_delta(0.01, 1, 5000) == pytest.approx(0.5, abs=0.01)


@given(SENSITIVITIES, EPSILONS, DELTAS)
def test_the_analytic_sigma_is_the_smallest(sensitivity, epsilon, delta):
    """Catches a σ on the wrong side of the root, or one that wastes noise."""
    sigma = analytic_gaussian_sigma(sensitivity, epsilon, delta)
    assert gaussian_delta(sigma, sensitivity, epsilon) <= delta * (1 + 1e-11)
    assert gaussian_delta(sigma * (1 - 1e-7), sensitivity, epsilon) > delta


@given(SENSITIVITIES, st.floats(0.001, 0.999), st.floats(1e-12, 0.5))
def test_the_analytic_sigma_is_at_most_the_classical(sensitivity, epsilon, delta):
    """Catches either formula off by a factor: theorem A.1 bounds theorem 8."""
    analytic = analytic_gaussian_sigma(sensitivity, epsilon, delta)
    classical = classical_gaussian_sigma(sensitivity, epsilon, delta)
    assert analytic <= classical * (1 + 2 * TOLERANCE)
    assert gaussian_delta(classical, sensitivity, epsilon) <= delta


@given(SENSITIVITIES, st.floats(1e-4, 100))
def test_rho_is_of_the_sigma_that_it_asks_for(sensitivity, rho):
    """Catches a lost factor 2."""
    sigma = sensitivity / math.sqrt(2 * rho)
    assert gaussian_rho(sigma, sensitivity) == pytest.approx(rho, rel=1e-12)


def test_laplace_is_tight():
    """Catches ε and Δ swapped: the densities' ratio reaches e^ε, and no more."""
    scale = laplace_scale(3, Fraction(1, 2))
    ratio = math.exp(-abs(5 - 3) / scale) / math.exp(-abs(5 - 0) / scale)
    assert scale == 6
    assert ratio == pytest.approx(math.exp(0.5))


@given(SENSITIVITIES, EPSILONS)
def test_the_laplace_deviation_is_that_of_the_distribution(sensitivity, epsilon):
    """Catches the mean distance taken for the deviation, or its square."""
    expected = laplace(scale=laplace_scale(sensitivity, epsilon)).std()
    assert laplace_deviation(sensitivity, epsilon) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize(
    ("sigma", "epsilon"),
    [(analytic_gaussian_sigma, 0.5), (analytic_gaussian_sigma, 2),
     (classical_gaussian_sigma, 0.5)],
)  # fmt: skip
def test_gaussian_noise_is_the_smaller_from_the_crossing_on(sigma, epsilon, rows):
    """Catches a crossing that is one group early or late, or that forgets the rows in a group."""

    def gaussian_is_smaller(g):
        laplace = math.sqrt(2) * rows * g / epsilon
        return sigma(rows * math.sqrt(g), epsilon, 1e-6) < laplace

    crossing = gaussian_crossing(epsilon, 1e-6, rows=rows, sigma=sigma)
    smaller = [gaussian_is_smaller(g) for g in range(1, crossing + 3)]
    assert smaller == [False] * (crossing - 1) + [True] * 3


@pytest.mark.parametrize("scale", [0.5, 1, 2])
def test_an_attackers_guesses_are_as_often_right_as_the_areas_say(scale):
    """Catches a game that is not the one of the formula: wrong if the noise crosses the middle."""
    assert right_guesses(scale) == pytest.approx(1 - math.exp(-1 / scale) / 2, abs=0.005)
    assert right_guesses(scale) == right_guesses(scale)
