"""Sets of vectors that one record may be: how long the longest is, and how far two are apart."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import product
from typing import Any

Vector = tuple[int, ...]


def length(vector: Collection[Any], norm: float = 2) -> Any:
    """The L1, L2 or L∞ norm of a vector, exact in L1 and L∞."""
    if norm == 2:
        return math.hypot(*vector)
    sizes = [abs(entry) for entry in vector]
    return sum(sizes) if norm == 1 else max(sizes, default=0)


def radius(vectors: Collection[Vector], norm: float = 2) -> Any:
    """The length of the longest: how far a record moves a sum that joins or leaves.

    Source: thm-clipped-set, notebooks/clipped-vectors.
    """
    return max(length(vector, norm) for vector in vectors)


def diameter(vectors: Collection[Vector], norm: float = 2) -> Any:
    """The widest distance of two: how far a record moves a sum that is replaced.

    Source: thm-clipped-set, notebooks/clipped-vectors.
    """
    return max(
        length([a - b for a, b in zip(x, y, strict=True)], norm) for x in vectors for y in vectors
    )


# --- what a client of Prio3 may send ----------------------------------------------------------
# Source: Barnes and others, "Verifiable distributed aggregation functions", draft-irtf-cfrg-vdaf.


def sum_vec(entries: int, bits: int) -> list[Vector]:
    """Prio3SumVec, and Prio3Sum with one entry: every entry from 0 to 2^bits − 1."""
    return list(product(range(2**bits), repeat=entries))


def histogram(entries: int) -> list[Vector]:
    """Prio3Histogram: one entry is 1, and all others are 0.

    >>> histogram(2)
    [(0, 1), (1, 0)]
    """
    return [vector for vector in product((0, 1), repeat=entries) if sum(vector) == 1]


def multihot(entries: int, weight: int) -> list[Vector]:
    """Prio3MultihotCountVec: at most `weight` entries are 1, and all others are 0."""
    return [vector for vector in product((0, 1), repeat=entries) if sum(vector) <= weight]


def l1_bound_sum(entries: int, most: int) -> list[Vector]:
    """Prio3L1BoundSum: no entry is negative, and together they are at most `most`."""
    return [vector for vector in product(range(most + 1), repeat=entries) if sum(vector) <= most]
