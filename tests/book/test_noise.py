"""Noise for a sensitivity: each formula against an integral, a limit or another library."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.integrate import quad
from scipy.stats import laplace, norm
from sensitivity_book.theory.privacy import noise
from sensitivity_book.theory.privacy.distributions import Laplace, Normal, Uniform

EPSILONS = st.floats(0.01, 20)
SENSITIVITIES = st.floats(0.01, 1000)


def hockey_stick(sigma, sensitivity, epsilon):
    """The integral of (p − e^ε q)⁺ for normals p around the sensitivity and q around 0."""

    def excess(x):
        return norm.pdf(x, sensitivity, sigma) - math.exp(epsilon) * norm.pdf(x, 0, sigma)

    start = epsilon * sigma**2 / sensitivity + sensitivity / 2  # from here on p exceeds e^ε q
    end = max(start, sensitivity) + 12 * sigma
    return quad(excess, start, end, epsabs=1e-16, epsrel=1e-11, limit=200)[0]


@pytest.mark.parametrize("epsilon", [0, 0.1, 1, 3, 10])
@pytest.mark.parametrize("sigma", [0.2, 0.7, 1, 2.5])
def test_gaussian_delta_is_the_hockey_stick_divergence(sigma, epsilon):
    """Catches a wrong term, a wrong sign, or a wrong scaling by the sensitivity."""
    for sensitivity in (0.5, 1, 3):
        exact = hockey_stick(sigma, sensitivity, epsilon)
        found = noise.gaussian_delta(sigma, sensitivity, epsilon)
        assert found == pytest.approx(exact, rel=1e-8, abs=1e-15)


def test_limits():
    """Catches overflow, underflow to a wrong side, and a δ below 0."""
    delta = noise.gaussian_delta
    assert delta(1e-3, 1, 1) == delta(1e-3, 1, 1e4) == 1  # of 1e4, e^ε alone overflows
    assert delta(1e6, 1, 1) == delta(1, 1, 1e4) == 0
    assert delta(0.01, 1, 5000) == pytest.approx(0.5, abs=0.01)


@given(SENSITIVITIES, EPSILONS, st.floats(1e-12, 0.99))
def test_the_analytic_sigma_is_the_smallest(sensitivity, epsilon, delta):
    """Catches a σ on the wrong side of the root, or one that wastes noise."""
    sigma = noise.analytic_gaussian_sigma(sensitivity, epsilon, delta)
    assert noise.gaussian_delta(sigma, sensitivity, epsilon) <= delta * (1 + 1e-11)
    assert noise.gaussian_delta(sigma * (1 - 1e-7), sensitivity, epsilon) > delta


@given(SENSITIVITIES, st.floats(0.001, 0.999), st.floats(1e-12, 0.5))
def test_the_analytic_sigma_is_at_most_the_classical(sensitivity, epsilon, delta):
    """Catches either formula off by a factor: theorem A.1 bounds theorem 8."""
    analytic = noise.analytic_gaussian_sigma(sensitivity, epsilon, delta)
    classical = noise.classical_gaussian_sigma(sensitivity, epsilon, delta)
    assert analytic <= classical * (1 + 2 * noise.TOLERANCE)
    assert noise.gaussian_delta(classical, sensitivity, epsilon) <= delta


@given(SENSITIVITIES, EPSILONS)
def test_scales_and_deviations_are_those_of_the_distributions(sensitivity, budget):
    """Catches a lost factor 2, ε and Δ swapped, and the mean distance taken for the deviation."""
    sigma = sensitivity / math.sqrt(2 * budget)
    assert noise.gaussian_rho(sigma, sensitivity) == pytest.approx(budget, rel=1e-12)
    made = laplace(scale=noise.laplace_scale(sensitivity, budget))
    ratio = made.logpdf(0) - made.logpdf(sensitivity)
    assert ratio == pytest.approx(budget, rel=1e-9)
    assert noise.laplace_deviation(sensitivity, budget) == pytest.approx(made.std(), rel=1e-12)
    assert noise.laplace_scale(3, Fraction(1, 2)) == 6


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize(
    ("name", "epsilon"), [("analytic", 0.5), ("analytic", 2), ("classical", 0.5)]
)
def test_gaussian_noise_is_the_smaller_from_the_crossing_on(name, epsilon, rows):
    """Catches a crossing that is one group early or late, or that forgets the rows in a group."""
    sigma = getattr(noise, f"{name}_gaussian_sigma")
    crossing = noise.gaussian_crossing(epsilon, 1e-6, rows=rows, sigma=sigma)
    smaller = [
        sigma(rows * math.sqrt(g), epsilon, 1e-6) < math.sqrt(2) * rows * g / epsilon
        for g in range(1, crossing + 3)
    ]
    assert smaller == [False] * (crossing - 1) + [True] * 3


@pytest.mark.parametrize("scale", [0.5, 1, 2])
def test_an_attackers_guesses_are_as_often_right_as_the_areas_say(scale):
    """Catches a game that is not the one of the formula: wrong if the noise crosses the middle."""
    assert noise.right_guesses(scale) == pytest.approx(1 - math.exp(-1 / scale) / 2, abs=0.005)
    assert noise.right_guesses(scale) == noise.right_guesses(scale)


# ---- The book's distributions and special functions: each against scipy's

X = np.concatenate([np.linspace(-40, 90, 521), [37.0, -1000.0, 1000.0]])[:, None]
CENTRES = np.array([0.0, 100.0, -100.0])  # of the parts of a vector
CONTINUOUS = [
    (Laplace(37, 25), stats.laplace(37, 25)),
    (Laplace(-3, 0.25), stats.laplace(-3, 0.25)),
    (Laplace(CENTRES, 2), stats.laplace(CENTRES, 2)),
    (Normal(37, 2), stats.norm(37, 2)),
    (Normal(-3.5, 11), stats.norm(-3.5, 11)),
    (Normal(CENTRES, 2), stats.norm(CENTRES, 2)),
]


@pytest.mark.parametrize(("ours", "theirs"), CONTINUOUS)
def test_densities_chances_and_draws_are_scipys(ours, theirs):
    """Catches noise of another width or centre, a logarithm of something else, a tail that is one
    minus the other and has no digits left far out, and one draw that all parts of a vector
    share."""
    density = theirs.pdf(X)
    np.testing.assert_allclose(ours.pdf(X), density, rtol=2e-13, atol=1e-300)
    seen = density > 1e-300
    np.testing.assert_allclose(ours.logpdf(X)[seen], np.log(density[seen]), rtol=1e-11)
    np.testing.assert_allclose(ours.cdf(X), theirs.cdf(X), rtol=2e-12, atol=1e-300)
    np.testing.assert_allclose(ours.sf(X), theirs.sf(X), rtol=2e-12, atol=1e-300)
    one, two = np.random.default_rng(7), np.random.default_rng(7)
    for _ in range(50):
        np.testing.assert_array_equal(ours.rvs(one), theirs.rvs(random_state=two))
    np.testing.assert_array_equal(ours.mean(), theirs.mean())
    np.testing.assert_array_equal(ours.median(), theirs.median())


@pytest.mark.parametrize(("low", "width"), [(37, 1), (-3, 50)])
def test_a_uniform_number_is_scipys(low, width):
    """Catches a number beyond the ends that has a chance above 1 or below 0."""
    ours, theirs = Uniform(low, width), stats.uniform(low, width)
    for x in X[:, 0]:
        assert ours.cdf(x) == pytest.approx(theirs.cdf(x), rel=2e-12)
        assert ours.sf(x) == pytest.approx(theirs.sf(x), rel=2e-12)
    assert ours.median() == theirs.median()


@pytest.mark.parametrize("x", [-37, -12, -8, -5, -2, -1, -0.1, 0, 0.5, 2, 6, 40])
def test_the_chance_below_is_scipys(x):
    """Catches a root or a half that is lost, and digits that cancel in the lower tail."""
    bound = 1e-15 if x >= -2 else 1e-14 if x >= -8 else 3e-13
    assert noise.chance_below(x) == pytest.approx(special.ndtr(x), rel=2 * bound)
