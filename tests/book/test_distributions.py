"""The book's distributions and special functions: each against scipy's."""

import numpy as np
import pytest
from scipy import special, stats
from sensitivity_book.theory.privacy.distributions import (
    Laplace,
    Normal,
    Uniform,
)
from sensitivity_book.theory.privacy.noise import chance_below

X = np.concatenate([np.linspace(-40, 90, 521), [37.0, -1000.0, 1000.0]])
CONTINUOUS = [
    (Laplace(37, 25), stats.laplace(37, 25)),
    (Laplace(-3, 0.25), stats.laplace(-3, 0.25)),
    (Normal(37, 2), stats.norm(37, 2)),
    (Normal(-3.5, 11), stats.norm(-3.5, 11)),
]
EVERY = [
    *CONTINUOUS,
    (Uniform(37, 1), stats.uniform(37, 1)),
    (Uniform(-3, 50), stats.uniform(-3, 50)),
]


@pytest.mark.parametrize(("ours", "theirs"), CONTINUOUS)
def test_densities_are_scipys(ours, theirs):
    """Catches a density of another width or centre, and a logarithm of something else."""
    np.testing.assert_allclose(ours.pdf(X), theirs.pdf(X), rtol=2e-13, atol=1e-300)
    seen = theirs.pdf(X) > 1e-300  # scipy takes the logarithm of a density that may be 0
    np.testing.assert_allclose(ours.logpdf(X[seen]), theirs.logpdf(X[seen]), rtol=1e-11)


@pytest.mark.parametrize(("ours", "theirs"), EVERY)
def test_chances_are_scipys(ours, theirs):
    """Catches a tail that is one minus the other, which has no digits left far out."""
    for x in X.tolist():
        assert float(ours.cdf(x)) == pytest.approx(theirs.cdf(x), rel=2e-12, abs=1e-300)
        assert float(ours.sf(x)) == pytest.approx(theirs.sf(x), rel=2e-12, abs=1e-300)
    assert ours.median() == theirs.median()


@pytest.mark.parametrize(("ours", "theirs"), CONTINUOUS)
def test_draws_are_scipys(ours, theirs):
    """Catches noise of another scale: the same generator gives the same draws."""
    one, two = np.random.default_rng(7), np.random.default_rng(7)
    assert [ours.rvs(one) for _ in range(50)] == [theirs.rvs(random_state=two) for _ in range(50)]
    assert ours.mean() == theirs.mean()


def test_vectors_are_drawn_part_by_part():
    """Catches one draw that all parts share, and a part with another's centre."""
    centres = np.array([0.0, 100.0, -100.0])
    for ours, theirs in (
        (Laplace(centres, 2), stats.laplace(centres, 2)),
        (Normal(centres, 2), stats.norm(centres, 2)),
    ):
        one, two = np.random.default_rng(1), np.random.default_rng(1)
        assert ours.rvs(one).tolist() == theirs.rvs(random_state=two).tolist()
        np.testing.assert_allclose(ours.cdf(centres + 1), theirs.cdf(centres + 1), rtol=1e-14)


# --- special functions ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "x", [-37.0, -12.0, -8.0, -5.0, -2.0, -1.0, -0.1, 0.0, 0.5, 2.0, 6.0, 40.0]
)
def test_the_chance_below_is_scipys(x):
    """Catches a root or a half that is lost, and digits that cancel in the lower tail."""
    bound = 1e-15 if x >= -2 else 1e-14 if x >= -8 else 3e-13
    assert chance_below(x) == pytest.approx(special.ndtr(x), rel=2 * bound)
