"""dp-accounting's ε: every exact ε is met by another route."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from sensitivity_board.cases import accounting as ac
from sensitivity_book.theory.privacy.noise import gaussian_delta

ROOT_10 = math.sqrt(10)


@pytest.mark.parametrize(
    ("event", "relation", "gap"),
    [
        ("Gaussian", "ADD_OR_REMOVE_ONE", 1),
        ("Gaussian", "REPLACE_SPECIAL", 1),
        ("Gaussian", "REPLACE_ONE", 2),
        ("10 Gaussians", "ADD_OR_REMOVE_ONE", ROOT_10),
        ("10 Gaussians", "REPLACE_ONE", 2 * ROOT_10),
    ],
)
def test_a_gaussian_event_meets_its_curve(event, relation, gap):
    """Catches a pair that is not the widest, or another number of noises, by the closed form."""
    epsilon = optimize.brentq(lambda e: gaussian_delta(1, gap, e) - 1e-5, 0.1, 90, xtol=1e-13)
    assert ac.worst(event, relation).loss[0] == pytest.approx(epsilon, rel=1e-9)


def density(mixture, x):
    return sum(chance * stats.norm.pdf(x, centre) for chance, centre in mixture)


def integral(p, q, epsilon):
    """The δ of two densities, by adding up the excess on a fine grid."""
    steps = np.linspace(-14, 14, 560_001)
    excess = density(p, steps) - math.exp(epsilon) * density(q, steps)
    return integrate.trapezoid(np.maximum(excess, 0), steps)


MIXTURES = {
    "removed": (((0.9, 0.0), (0.1, 1.0)), ((1.0, 0.0),)),
    "changed": (((0.9, 0.0), (0.1, 1.0)), ((0.9, 0.0), (0.1, -1.0))),
    "drawn": (((0.5, -1.0), (0.5, 1.0)), ((1.0, -1.0),)),
    "of two humps": (((0.5, -2.0), (0.5, 2.0)), ((1.0, 0.0),)),
    "far first": (((1.0, -1.0),), ((0.5, -1.0), (0.5, 1.0))),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixture_has_the_slack_that_an_integral_finds(name):
    """Catches an event with an end too few, or a tail that has lost its digits."""
    p, q = MIXTURES[name]
    for epsilon in (0.05, 0.5, 1.5):
        here, there = ac.likelier(p, q, epsilon)
        slack = here - math.exp(epsilon) * there
        assert slack == pytest.approx(integral(p, q, epsilon), abs=1e-8)


@pytest.mark.parametrize(
    ("event", "relation", "name"),
    [
        ("Gaussian, Poisson sample of 1/10", "ADD_OR_REMOVE_ONE", "removed"),
        ("Gaussian, Poisson sample of 1/10", "REPLACE_ONE", "changed"),
        ("Gaussian, 1 of 2 drawn", "REPLACE_ONE", "drawn"),
    ],
)
def test_a_sampled_event_needs_what_an_integral_needs(event, relation, name):
    """Catches an ε that leaves another δ than 1e-5 on its own pair."""
    found = ac.worst(event, relation).loss[0]
    assert integral(*MIXTURES[name], found) == pytest.approx(1e-5, rel=1e-4)


@pytest.mark.parametrize("relation", ["ADD_OR_REMOVE_ONE", "REPLACE_ONE"])
def test_a_laplace_event_meets_an_integral(relation):
    """Catches a wrong distance between the centres, or a wrong closed form."""
    gap = {"ADD_OR_REMOVE_ONE": 1, "REPLACE_ONE": 2}[relation]
    epsilon = ac.worst("Laplace", relation).loss[0]
    steps = np.linspace(gap - 1e-4, 30, 3_000_001)
    excess = stats.laplace.pdf(steps, gap) - math.exp(epsilon) * stats.laplace.pdf(steps)
    assert integrate.trapezoid(np.maximum(excess, 0), steps) == pytest.approx(1e-5, rel=1e-3)


def test_randomized_response_meets_all_its_events():
    """Catches an outcome that is not the worst: each is asked, in both orders."""
    told = {"REPLACE_ONE": (0.25, 0.75), "REPLACE_SPECIAL": (0.5, 0.75)}
    for relation, (other, kept) in told.items():
        pairs = [((kept, 1 - kept), (other, 1 - other)), ((other, 1 - other), (kept, 1 - kept))]
        needed = max(math.log((p - 1e-5) / q) for x, y in pairs for p, q in zip(x, y, strict=True))
        assert ac.worst("randomized response", relation).loss[0] == pytest.approx(needed)
