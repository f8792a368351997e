"""Vectors as records: what a person adds to rounds of training."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb, sqrt
from typing import Any

from sensitivity_lab.numbers import Exact, simplest

Vector = tuple[int, ...]
Matrix = Sequence[Sequence[Exact]]
Rounds = tuple[int, ...]


def length(vector: Collection[Any], norm: float = 2) -> Any:
    """The L1, L2 or L∞ norm of a vector, exact in L1 and L∞."""
    if norm == 2:
        return math.hypot(*vector)
    sizes = [abs(entry) for entry in vector]
    return sum(sizes) if norm == 1 else max(sizes, default=0)


# --- one person in many rounds: the exact sensitivity of a matrix mechanism ---------------------
#
# In round j a person adds a vector u_j, of length at most 1, or stays away. A matrix mechanism with
# the encoder C publishes the rows of C·u with noise, u being the rounds one below the other. What
# the person moves is the length of C·u, whose square is the sum of X[i][j]·⟨u_i, u_j⟩ over the
# rounds that the person takes part in, where X = CᵀC is the Gram matrix. All numbers here are such
# squares, and exact. If a person's vectors are replaced, each may move by 2, and every length
# doubles.


@dataclass(frozen=True)
class Participation:
    """What one person moves at most: the square, the rounds taken part in, a sign for each."""

    squared: Exact
    rounds: Rounds
    signs: tuple[int, ...]

    @property
    def value(self) -> float:
        """The sensitivity in L2."""
        return sqrt(self.squared)


# --- encoders ---------------------------------------------------------------------------------


def identity(n: int) -> list[list[Exact]]:
    """Every round published by itself, as DP-SGD does."""
    return toeplitz([1], n)


def prefix_sums(n: int) -> list[list[Exact]]:
    """Every total so far."""
    return toeplitz([1] * n, n)


def square_root(n: int, bands: int | None = None) -> list[list[Exact]]:
    """The matrix whose square has all prefix sums; with `bands`, cut to its first diagonals.

    Source: Choquette-Choo and others, "(Amplified) banded matrix factorization",
        doi:10.48550/arXiv.2306.08153.
    """
    first = [simplest(Fraction(comb(2 * k, k), 4**k)) for k in range(n)]
    return toeplitz(first[:bands], n)


def toeplitz(column: Sequence[Exact], n: int) -> list[list[Exact]]:
    """The lower triangular n × n matrix with these numbers down each column,
    from the diagonal on."""
    below = [*column, *[0] * n]
    return [[below[i - j] if i >= j else 0 for j in range(n)] for i in range(n)]


def gram(encoder: Matrix) -> list[list[Exact]]:
    """CᵀC: the products of the columns."""
    columns: list[tuple[Exact, ...]] = list(zip(*encoder, strict=True))
    return [[sum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]


# --- the exact number, by two routes ----------------------------------------------------------


def patterns(n: int, min_sep: int = 1, most: int | None = None) -> Iterator[Rounds]:
    """The rounds that a person may take part in:
    at least `min_sep` apart, at most `most` of them."""
    if min_sep < 1:
        raise ValueError(f"min_sep must be 1 or more, got {min_sep}")

    def onward(first: int, left: int) -> Iterator[Rounds]:
        yield ()
        if left:
            for i in range(first, n):
                yield from ((i, *rest) for rest in onward(i + min_sep, left - 1))

    yield from onward(0, n if most is None else most)


def participation(encoder: Matrix, min_sep: int = 1, most: int | None = None) -> Participation:
    """Return how far a person moves the mechanism, if each contribution is a number in [−1, 1].

    Source: thm-clipped-participation, chapters/participation.
    """
    return worst(encoder, patterns(len(encoder[0]), min_sep, most))


def fixed_epochs(n: int, epochs: int) -> list[Rounds]:
    """The rounds of a person who is in the same place of every epoch,
    as when data are not shuffled."""
    if n % epochs:
        raise ValueError(f"epochs must divide the {n} rounds, got {epochs}")
    return [tuple(range(first, n, n // epochs)) for first in range(n // epochs)]


def worst(encoder: Matrix, ways: Iterable[Rounds]) -> Participation:
    """Return how far a person moves the mechanism who takes part in one of these ways."""
    products = gram(encoder)
    plus = all(entry >= 0 for row in products for entry in row)
    best = Participation(0, (), ())
    for rounds in ways:
        for signs in [(1,) * len(rounds)] if plus else _signs(len(rounds)):
            pairs = list(zip(rounds, signs, strict=True))
            squared = sum(products[i][j] * s * t for i, s in pairs for j, t in pairs)
            if squared > best.squared:
                best = Participation(squared, rounds, signs)
    return best


@cache
def _signs(k: int) -> list[tuple[int, ...]]:
    """Every way to sign k numbers, up to turning all: the first is plus."""
    return [(1, *rest) for rest in product((1, -1), repeat=k - 1)] if k else [()]


def by_every_contribution(encoder: Matrix, min_sep: int = 1, most: int | None = None) -> Exact:
    """The same square by the definition: the longest C·u over all u of −1, 0 and 1."""
    n = len(encoder[0])
    best: Exact = 0
    for u in product((-1, 0, 1), repeat=n):
        taken = [i for i in range(n) if u[i]]
        apart = all(j - i >= min_sep for i, j in pairwise(taken))
        if apart and (most is None or len(taken) <= most):
            moved = [sum(c * x for c, x in zip(row, u, strict=True)) for row in encoder]
            best = max(best, sum(entry**2 for entry in moved))
    return best


def three_rounds(products: Matrix) -> Exact:
    """Return the square for a person in three rounds out of three, with vectors of any dimension.

    Of the products with t = ⟨u₁, u₂⟩ fixed, the third vector adds 2·|y·u₁ + z·u₂| if it points that
    way. What is left to choose is t, from −1 to 1; three such vectors lie in a plane
    (thm-clipped-participation).
    """
    (a, x, y), (_, b, z), (_, _, c) = products
    tops = [2 * x * t + 2 * _size(y + t * z) for t in (-1, 1)]
    if x * y * z < 0:  # else the slope is 0 nowhere, and an end is highest
        root = abs(Fraction(y * z) / x)
        t = (root**2 - y**2 - z**2) / (2 * y * z)
        if -1 < t < 1:
            tops.append(2 * x * t + 2 * root)
    return simplest(Fraction(a + b + c + max(tops)))


def _size(number: Exact) -> Exact:
    return number if number >= 0 else -number


# --- a published bound ------------------------------------------------------------------------


def published_bound(encoder: Matrix, min_sep: int = 1, most: int | None = None) -> Exact:
    """Return the square of the published upper bound: every round picks a pattern of its own.

    Source: Choquette-Choo and others, algorithm 4, doi:10.48550/arXiv.2306.08153.
    """
    rows = [_best_pattern([_size(x) for x in row], min_sep, most) for row in gram(encoder)]
    return _best_pattern(rows, min_sep, most)


def _best_pattern(numbers: Sequence[Exact], min_sep: int, most: int | None) -> Exact:
    """The largest sum of numbers at the rounds of one pattern, from the last round to the first."""
    n = len(numbers)
    best: list[Exact] = [0] * (n + min_sep)
    for _ in range(n if most is None else most):
        further = best
        best = [0] * (n + min_sep)
        for i in reversed(range(n)):
            best[i] = max(numbers[i] + further[i + min_sep], best[i + 1])
    return best[0]
