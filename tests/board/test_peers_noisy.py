"""The mechanisms of StatDP and DP-Sniper: what their noise claims, what is exact, what is kept."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sensitivity_board.peers.noisy import (
    MECHANISMS,
    PROMISED,
    each_entry,
    enumerated,
    most_moved,
    one_entry,
    witness,
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


def test_every_bound_but_one_that_was_found_lies_below_the_exact_epsilon():
    """Catches a bound copied wrongly: they are lower bounds, at a confidence of 90%."""
    above = []
    for mechanism in MECHANISMS:
        for bound in (*(mechanism.sniper or ()), *(mechanism.statdp or ())):
            if bound > mechanism.kept(PROMISED):
                above.append((mechanism.name, bound))
    assert above == [("NoisyHist2", 10.0022)]


@pytest.mark.parametrize("mechanism", MECHANISMS[3:5], ids=["NoisyHist2", "PrefixSum"])
def test_the_shortest_witness_is_one_and_no_shorter_vector_has_any(mechanism):
    """Catches a witness of no neighbours, and one longer than it need be."""
    row = witness(mechanism)
    length = len(row.dataset)
    assert mechanism.neighbours(row.dataset, row.neighbour) == 1
    assert one_entry(row.dataset, row.neighbour) == row.found > mechanism.claimed(PROMISED)
    if length > 1:
        claim = mechanism.claimed(PROMISED)
        assert not enumerated(length - 1, mechanism.neighbours, claim).violations


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1), Fraction(10**6)])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: f"{one.name}, {one.relation}")
def test_the_ratio_is_what_the_promise_is_of_the_kept_epsilon(mechanism, epsilon):
    """Catches a ratio that is not promised over kept, at any ε."""
    assert mechanism.ratio(epsilon) == epsilon / mechanism.kept(epsilon)
    assert (witness(mechanism, epsilon) is not None) == (mechanism.ratio(epsilon) < 1)
