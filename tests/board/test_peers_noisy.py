"""The mechanisms of StatDP and DP-Sniper: what their noise claims, what is exact, what is kept."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sensitivity_board.peers.noisy import (
    MECHANISMS,
    each_entry,
    most_moved,
    one_entry,
)

LENGTHS = [1, 2, 3, 4, 5, 8, 10]


def steps_of(length, neighbours):
    """Every way in which neighbours may differ, as rows of −1, 0 and 1."""
    steps = np.array(list(product((-1, 0, 1), repeat=length)), dtype=np.int64)
    if neighbours is one_entry:
        steps = steps[np.count_nonzero(steps, axis=1) <= 1]
    return steps


@pytest.mark.parametrize("neighbours", [one_entry, each_entry])
@pytest.mark.parametrize("length", LENGTHS)
def test_the_exact_sensitivity_is_the_longest_step(length, neighbours):
    """Catches a number that is enumerated for the wrong neighbours, or reckoned wrongly beyond five."""
    longest = np.abs(steps_of(length, neighbours)).sum(axis=1, dtype=np.int64).max()
    assert most_moved(length, neighbours) == longest


def log_density(noisy, vector, scale):
    """The logarithm of the density of independent Laplace noise, up to a constant."""
    return -np.abs(noisy - vector).sum(axis=-1) / scale


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(7, 10), Fraction(3, 2)])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: f"{one.name}, {one.relation}")
def test_the_kept_epsilon_is_the_widest_ratio_of_densities(mechanism, epsilon):
    """Catches an ε that some output exceeds, or that none reaches."""
    scale = float(mechanism.scale(epsilon))
    steps = np.tile(steps_of(mechanism.length, mechanism.neighbours), mechanism.copies)
    width = mechanism.length * mechanism.copies
    far = np.full(width, 50.0)
    start = np.zeros(width, dtype=np.float64)
    rng = np.random.default_rng(3)
    anywhere = rng.uniform(-4, 4, (20, width))
    losses = [
        (log_density(noisy, steps, scale) - log_density(noisy, start, scale)).max()
        for noisy in (far, -far, *anywhere)
    ]
    kept = float(mechanism.kept(epsilon))
    assert max(losses) == pytest.approx(kept)
    assert max(losses[2:]) <= kept + 1e-9
