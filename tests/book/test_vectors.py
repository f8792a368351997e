"""Vectors as records: sums, means and rounds of training, each number by a second route."""

import math
import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from sensitivity_book.theory.vectors import (
    by_every_contribution,
    chance_to_tell,
    diameter,
    fixed_epochs,
    gram,
    histogram,
    l1_bound_sum,
    multihot,
    participation,
    patterns,
    prefix_sums,
    published_bound,
    radius,
    square_root,
    sum_vec,
    tail,
    three_rounds,
    toeplitz,
    worst,
)

import sensitivity_lab as sl

LIMITS = [(1, None), (1, 2), (2, None), (2, 2), (3, None)]
IN_A_PLANE = [[2, 0, 0], [-2, 2, 0], [-1, -1, 2]]


def total(vectors, entries):
    return tuple(map(sum, zip(*vectors, strict=True))) if vectors else (0,) * entries


def some_encoders():
    """Small matrices of all kinds: with and without negative entries, square or not."""
    draw = random.Random(4)
    for _ in range(12):
        rows, n, low = draw.randint(1, 4), draw.randint(2, 5), draw.choice((-3, 0))
        yield [[draw.randint(low, 3) for _ in range(n)] for _ in range(rows)]


# -- sets of vectors ---------------------------------------------------------------------------

STATED = [  # entries, set, L1 sensitivity under add/remove and under change, by hand
    (2, sum_vec(2, 2), 6, 6),
    (3, sum_vec(3, 1), 3, 3),
    (1, sum_vec(1, 3), 7, 7),
    (3, histogram(3), 1, 2),
    (1, histogram(1), 1, 0),
    (4, multihot(4, 2), 2, 4),
    (3, multihot(3, 2), 2, 3),
    (2, l1_bound_sum(2, 3), 3, 6),
    (1, l1_bound_sum(1, 3), 3, 3),
]


@pytest.mark.parametrize(("entries", "vectors", "joined", "changed"), STATED)
def test_radius_and_diameter_are_sensitivities(entries, vectors, joined, changed):
    """Catches a theorem on sets that enumeration of datasets contradicts, in any of three norms."""
    universe = sl.Universe.value_range(vectors)
    asked = {"size": range(2), "universe": universe}
    for norm in (1, 2, math.inf):
        query = sl.Query("sum", lambda x: total(x, entries), smallest_size=0)
        added = sl.global_sensitivity(
            query, relation=sl.SymmetricDifference(1), norm=norm, **asked
        ).value
        swapped = sl.global_sensitivity(query, relation=sl.Change(1), norm=norm, **asked).value
        assert added == pytest.approx(radius(vectors, norm))
        assert swapped == pytest.approx(diameter(vectors, norm))
    assert (radius(vectors, 1), diameter(vectors, 1)) == (joined, changed)


@pytest.mark.parametrize(("most", "least"), [(1, 1), (2, 1), (2, 3), (3, 2)])
def test_a_floor_costs_two_over_one_more(most, least):
    """Catches thm-clipped-mean being wrong: on the line, with inner vectors as well as the ends."""

    def mean(x):
        return Fraction(sum(x), max(len(x), least))

    line = sl.Universe.value_range(range(-most, most + 1))
    sizes = range(least + 3)
    query = sl.Query("mean", mean, smallest_size=0)
    added = sl.global_sensitivity(query, line, size=sizes, relation=sl.SymmetricDifference(1))
    changed = sl.global_sensitivity(query, line, size=sizes, relation=sl.Change(1))
    assert added.value == Fraction(2 * most, least + 1)
    assert changed.value == Fraction(2 * most, least)


# -- one person in many rounds -----------------------------------------------------------------


@pytest.mark.parametrize(("min_sep", "most"), LIMITS)
def test_two_routes_to_participation(min_sep, most):
    """Catches a pattern or a sign that is left out, and a Gram matrix that is not CᵀC."""
    for encoder in some_encoders():
        found = participation(encoder, min_sep, most)
        assert found.squared == by_every_contribution(encoder, min_sep, most)
        u = np.zeros(len(encoder[0]))
        u[list(found.rounds)] = found.signs
        assert (np.array(encoder) @ u) @ (np.array(encoder) @ u) == found.squared
        assert found.value == pytest.approx(math.sqrt(found.squared))


@pytest.mark.parametrize(("min_sep", "most"), LIMITS)
def test_patterns_are_the_sets_of_rounds_that_are_far_apart(min_sep, most):
    """Catches a pattern that is counted twice, missed, or too dense."""
    n = 6
    allowed = {
        rounds
        for k in range((n if most is None else most) + 1)
        for rounds in combinations(range(n), k)
        if all(j - i >= min_sep for i, j in combinations(rounds, 2))
    }
    found = list(patterns(n, min_sep, most))
    assert len(found) == len(allowed)
    assert set(found) == allowed


def test_patterns_refuse_a_separation_of_none():
    """Catches a search without an end."""
    with pytest.raises(ValueError, match="min_sep must be 1 or more"):
        list(patterns(3, 0))


def test_epochs_are_equal_places():
    """Catches a person who moves within an epoch, and epochs that do not fit."""
    assert fixed_epochs(4, 4) == [(0, 1, 2, 3)]
    assert {len(rounds) for rounds in fixed_epochs(8, 2)} == {2}
    assert set(fixed_epochs(8, 2)) <= set(patterns(8, 4, 2))
    assert worst(prefix_sums(8), fixed_epochs(8, 2)).squared == 20
    with pytest.raises(ValueError, match="epochs must divide"):
        fixed_epochs(8, 3)


@pytest.mark.parametrize(("min_sep", "most"), LIMITS)
def test_the_published_bound_by_all_patterns(min_sep, most):
    """Catches an error in the fast search: each row's best pattern is found by trying all."""
    for encoder in some_encoders():
        n = len(encoder[0])
        ways = list(patterns(n, min_sep, most))
        size = [[abs(x) for x in row] for row in gram(encoder)]
        rows = [max(sum(row[i] for i in way) for way in ways) for row in size]
        bound = published_bound(encoder, min_sep, most)
        assert bound == max(sum(rows[i] for i in way) for way in ways)
        exact_of_sizes = max(sum(size[i][j] for i in way for j in way) for way in ways)
        assert participation(encoder, min_sep, most).squared <= exact_of_sizes <= bound


def test_the_root_squared_has_all_totals():
    """Catches a wrong coefficient of the square root."""
    root = square_root(6)
    squared = [[sum(row[k] * root[k][j] for k in range(6)) for j in range(6)] for row in root]
    assert squared == prefix_sums(6)
    assert square_root(4, bands=2) == toeplitz([1, Fraction(1, 2)], 4)


def test_three_rounds_in_a_plane():
    """Catches a wrong maximum: directions in steps of 1° reach it, and none in space exceeds it."""
    draw = np.random.default_rng(2)
    turns = np.exp(2j * np.pi * np.arange(360) / 360)
    u, v = np.meshgrid(turns, turns)
    for encoder in ([[2, 0, 0], [-2, 2, 0], [-1, -1, 2]], *(draw.integers(-3, 4, (40, 3, 3)))):
        products = gram(np.array(encoder).tolist())
        exact = float(three_rounds(products))
        rows = np.array(encoder, dtype=float)
        moved = sum(abs(a + b * u + c * v) ** 2 for a, b, c in rows)
        assert moved.max() <= exact + 1e-9
        assert moved.max() >= exact * (1 - 1e-3) - 1e-9
        unit = draw.normal(size=(500, 3, 3))
        unit /= np.linalg.norm(unit, axis=2, keepdims=True)
        assert (np.linalg.norm(rows @ unit, axis=(1, 2)) ** 2).max() <= exact + 1e-9
    assert three_rounds(gram(IN_A_PLANE)) == Fraction(76, 3)
    assert participation(IN_A_PLANE).squared == 24


# -- a divisor that tells on itself ------------------------------------------------------------


@pytest.mark.parametrize(("first", "second", "dimension"), [(1, 2, 2), (1, 2, 10), (3, 4, 6)])
def test_telling_divisors_apart_by_integration(first, second, dimension):
    """Catches a wrong border or tail: half the area between two densities of the length."""

    def density(r, spread):
        half = dimension / 2
        scale = 2 ** (half - 1) * math.gamma(half) * spread**dimension
        return r ** (dimension - 1) * np.exp(-(r**2) / (2 * spread**2)) / scale

    r = np.linspace(0, 12 * math.sqrt(dimension) / first, 400_001)
    between = np.abs(density(r, 1 / first) - density(r, 1 / second))
    area = float((between[1:] + between[:-1]).sum() * (r[1] - r[0]) / 2)
    assert chance_to_tell(first, second, dimension) == pytest.approx(0.5 + area / 4, abs=1e-6)
    assert chance_to_tell(second, first, dimension) == chance_to_tell(first, second, dimension)


def test_tails_and_what_is_refused():
    """Catches a tail off by one event, equal divisors, and an odd dimension."""
    assert tail(3, 4) == pytest.approx(math.exp(-1.5) * (1 + 1.5))
    assert chance_to_tell(7, 7, 4) == 0.5
    with pytest.raises(ValueError, match="dimension must be even"):
        chance_to_tell(1, 2, 3)
