"""Maps held to enumeration, chains that may not be made, and distances between distributions."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from conftest import a_third
from scipy import integrate, stats
from sensitivity_book.theory.privacy import divergence
from sensitivity_book.theory.privacy.measurements import make_gaussian, make_laplace
from sensitivity_book.theory.stability import domains
from sensitivity_book.theory.stability.aggregations import make_count, make_mean, make_sum
from sensitivity_book.theory.stability.domains import CHANGE_ONE, SYMMETRIC, Answers, Records
from sensitivity_book.theory.stability.maps import audit_stability
from sensitivity_book.theory.stability.transformations import make_clamp, make_filter, make_resize

DISTANCES = (1, 2, 3, 4)
BOUNDS = [(0, 3), (-2, 3), (1, 3), (-3, -1), (-3, 3)]
# How neighbours are measured: rows come and go, their number known or not, or they change.
WORLDS = [*product((None, 2, 3, 5), [SYMMETRIC]), *product((None, 1, 4), [CHANGE_ONE])]


def inputs(rows, size, most=4):
    """Every multiset of rows of a size; of up to `most` where the size is not known."""
    sizes = range(most + 1) if size is None else [size]
    return [x for n in sizes for x in combinations_with_replacement(rows, n)]


def verdicts(transformation, rows):
    given = inputs(rows, transformation.input_domain.size)
    report = audit_stability(transformation, given, DISTANCES)
    assert report.check()
    return {row.verdict for row in report.rows}


@pytest.mark.parametrize(("size", "metric"), a_third(WORLDS), ids=str)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_maps_of_bounded_numbers(bounds, size, metric):
    """Catches a map too small, or larger than need be, at any d_in; and rows driven apart."""
    domain, (low, high) = Records(bounds, size), bounds
    grid = sorted({low, 0, high} if low < 0 < high else bounds)
    for make in (make_sum, make_count, *([make_mean] if size is not None else [])):
        transformation = make(domain, metric=metric)
        assert transformation.status == "exact"
        assert verdicts(transformation, grid) == {"exact"}, transformation
    clamp = make_clamp(Records(size=size), low, high, metric=metric)
    assert verdicts(clamp, [low - 5, low, high, high + 2]) == {"exact"}
    assert clamp.output_domain == domain
    for new, constant in ((1, low), (2, Fraction(low + high, 2)), (4, high), (6, low)):
        resize = make_resize(domain, new, constant, metric=metric)
        assert verdicts(resize, [low, high]) == {"exact"}, (new, constant)
        assert resize.output_domain.size == new


@pytest.mark.parametrize(("size", "metric"), WORLDS, ids=str)
def test_filter(size, metric):
    """Catches a known size that is kept where rows are dropped, and a bound never attained."""
    domain = Records(size=size)
    keeps_two = make_filter(domain, lambda x: x > 0, metric=metric)
    assert verdicts(keeps_two, [0, 1, 2]) == {"exact"}
    assert keeps_two.output_domain.size is None
    assert keeps_two.output_metric == SYMMETRIC
    assert keeps_two.status == "upper bound"
    # The same map, with a predicate that keeps nothing. At d_in = 1 nothing can change in datasets
    # of one size, and 0 is exact.
    keeps_none = make_filter(domain, lambda x: False, metric=metric)
    alone = {"exact"} if size is not None and metric == SYMMETRIC else set()
    assert verdicts(keeps_none, [0, 1]) == {"loose"} | alone


def test_a_chain_composes_functions_and_maps():
    """Catches functions or maps in the wrong order."""
    chain = make_resize(Records((0, 3)), 5, 0) >> make_mean(Records((0, 3), 5))
    assert chain([3, 3]) == Fraction(6, 5)
    assert [chain.map(d) * 5 for d in (0, *DISTANCES, 9)] == [0, 3, 6, 9, 12, 15]
    assert audit_stability(chain, inputs([0, 3], None, 6), DISTANCES).headline == "exact"
    assert chain.status == "upper bound"
    noisy = make_clamp(Records(), 0, 12) >> make_sum(Records((0, 12))) >> make_laplace(25)
    assert noisy.map(1) == Fraction(12, 25)
    assert noisy.distribution([100, 9, 7]).mean() == 28
    assert noisy.input_metric == SYMMETRIC
    assert noisy.output_measure == domains.MAX_DIVERGENCE
    assert "clamp to [0, 12] >> sum >> Laplace" in noisy.name


@pytest.mark.parametrize("d_in", [0, 1, Fraction(3, 2), 12])
def test_laplace_map_is_what_the_densities_say(d_in):
    """Catches a scale used as a variance: sup of |log p − log q| is d/scale, and is reached."""
    noise = make_laplace(25)
    p, q = noise.distribution(d_in), noise.distribution(0)
    grid = np.linspace(-200, 200, 4001)
    found = np.abs(p.logpdf(grid) - q.logpdf(grid)).max()
    assert found == pytest.approx(float(noise.map(d_in)), abs=1e-12)


@pytest.mark.parametrize("distance", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0, 0.3, 1])
def test_gaussian_map_is_what_the_densities_say(distance, epsilon):
    """Catches δ or ρ of another distance: held to integrals of the densities."""
    noise, rho = make_gaussian(3, epsilon=epsilon), make_gaussian(3)
    assert noise.output_measure == domains.delta_at(epsilon)
    assert rho.output_measure == domains.ZERO_CONCENTRATED
    x = np.linspace(-90, 120, 420_001)
    p, q = (noise.distribution(at).pdf(x) for at in (distance, 0))
    area = integrate.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), x)
    assert noise.map(distance) == pytest.approx(area, abs=1e-6)
    p, q = (noise.distribution(at).logpdf(x) for at in (distance, 0))
    for order in (1.5, 2, 7):
        moment = integrate.trapezoid(np.exp(order * p + (1 - order) * q), x)
        assert math.log(moment) / (order - 1) == pytest.approx(order * rho.map(distance), rel=1e-6)
    assert noise.map(0) == rho.map(0) == 0


def test_vector_noise_measures_the_right_norm():
    """Catches Laplace noise that is told an L2 distance, or Gaussian an L1 distance."""
    laplace, gaussian = make_laplace(2, Answers(3)), make_gaussian(2, Answers(3))
    assert (laplace.input_metric, gaussian.input_metric) == (domains.L1, domains.L2)
    move, zero = (1, -2, 2), (0, 0, 0)
    far = np.array([50.0, -50.0, 50.0])
    moved = laplace.distribution(move).logpdf(far) - laplace.distribution(zero).logpdf(far)
    assert moved.sum() == pytest.approx(float(laplace.map(domains.L1(move, zero))))
    assert gaussian.map(domains.L2(move, zero)) == pytest.approx(9 / 8)
    assert laplace(zero, np.random.default_rng(1)).shape == (3,)


def test_cells_have_the_ratio_of_their_densities():
    """Catches cells that lose a tail, or a divergence above that of the densities."""
    laplace = make_laplace(25)
    pair = (divergence.cells(laplace.distribution(at), [37.0, 50.0, 60.0]) for at in (37, 25))
    worst, event = divergence.worst_ratio(*pair)
    assert math.log(worst) == pytest.approx(12 / 25, abs=1e-12)
    assert event == ((37.0, 50.0), (50.0, 60.0), (60.0, math.inf))


def test_clamped_geometric_is_clamped_noise():
    """Catches an end that misses part of its tail: held to scipy's noise, clamped."""
    noise = stats.dlaplace(math.log(3), loc=2)
    wide = {k: noise.pmf(k) for k in range(-60, 61)}
    clamped = divergence.post_process(wide, lambda k: min(max(k, 0), 5))
    exact = divergence.clamped_geometric(2, 0, 5, Fraction(1, 3))
    assert sum(exact.values()) == 1
    assert {o: float(chance) for o, chance in exact.items()} == pytest.approx(clamped, abs=1e-12)


@pytest.mark.parametrize("d_in", [1, 2, 3])
def test_worst_pair_of_a_small_domain(d_in):
    """Catches a pair that is missed: the count with α = 1/2 loses a factor of 2 for each row."""
    datasets = inputs([0, 1], None, 3)

    def mechanism(dataset):
        return divergence.clamped_geometric(sum(dataset), 0, 3, Fraction(1, 2))

    loss = divergence.worst_pair(mechanism, datasets, d_in=d_in)
    assert loss.ratio == 2**d_in
    assert loss.epsilon == pytest.approx(d_in * math.log(2))
    p, q = (sum(mechanism(x)[o] for o in loss.event) for x in (loss.dataset, loss.neighbour))
    assert p == loss.ratio * q
    assert SYMMETRIC(loss.dataset, loss.neighbour) <= d_in
    changed = divergence.worst_pair(mechanism, datasets, metric=CHANGE_ONE, d_in=d_in)
    assert changed.ratio == 2**d_in
