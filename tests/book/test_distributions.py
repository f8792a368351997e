"""The book's distributions and special functions: each against scipy's."""

import numpy as np
import pytest
from scipy import special, stats
from sensitivity_book.theory.privacy.distributions import Laplace, Normal, Uniform
from sensitivity_book.theory.privacy.noise import chance_below

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
    assert chance_below(x) == pytest.approx(special.ndtr(x), rel=2 * bound)
