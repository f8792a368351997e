"""Vectors as records: sums, means and rounds of training, each number by a second route."""

import math
import random
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from sensitivity_book.theory.vectors import (
    by_every_contribution,
    gram,
    participation,
    patterns,
    prefix_sums,
    published_bound,
    square_root,
    three_rounds,
    toeplitz,
)

IN_A_PLANE = [[2, 0, 0], [-2, 2, 0], [-1, -1, 2]]


def some_encoders():
    """Small matrices of all kinds: with and without negative entries, square or not."""
    draw = random.Random(4)
    for _ in range(12):
        rows, n, low = draw.randint(1, 4), draw.randint(2, 5), draw.choice((-3, 0))
        yield [[draw.randint(low, 3) for _ in range(n)] for _ in range(rows)]


@pytest.mark.parametrize(("min_sep", "most"), [(1, None), (1, 2), (2, None), (2, 2), (3, None)])
def test_two_routes_to_participation_and_its_published_bound(min_sep, most):
    """Catches a pattern or sign left out, a wrong Gram matrix, a search that misses the best."""
    for encoder in some_encoders():
        n, matrix = len(encoder[0]), np.array(encoder)
        found = participation(encoder, min_sep, most)
        assert found.squared == by_every_contribution(encoder, min_sep, most)
        u = np.zeros(n)
        u[list(found.rounds)] = found.signs
        assert (matrix @ u) @ (matrix @ u) == found.squared
        assert found.value == pytest.approx(math.sqrt(found.squared))
        every = (some for k in range(n + 1) for some in combinations(range(n), k))
        ways = {way for way in every if all(j - i >= min_sep for i, j in pairwise(way))}
        ways = {way for way in ways if most is None or len(way) <= most}
        assert sorted(patterns(n, min_sep, most)) == sorted(ways)
        size = np.abs(matrix.T @ matrix)
        rows = [max(sum(row[i] for i in way) for way in ways) for row in size]
        bound = published_bound(encoder, min_sep, most)
        assert bound == max(sum(rows[i] for i in way) for way in ways)
        assert found.squared <= max(size[np.ix_(way, way)].sum() for way in ways) <= bound


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
    for encoder in (IN_A_PLANE, *(draw.integers(-3, 4, (40, 3, 3)))):
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
