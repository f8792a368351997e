"""Datasets as positions: every multiset of a size, and how many there are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, combinations_with_replacement

import numpy as np


def multisets(copies: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of `size` indices i, each at most copies[i] times, lexicographically."""
    held = [i for i, limit in enumerate(copies) if limit]
    if all(copies[i] == 1 for i in held):
        return combinations(held, size)
    if all(copies[i] >= size for i in held):
        return combinations_with_replacement(held, size)
    return _mixed_multisets(held, [copies[i] for i in held], size)


def _mixed_multisets(held: list[int], copies: list[int], size: int) -> Iterator[tuple[int, ...]]:
    """Multisets of `size`, each the next after the one before: its last entry that can rise does."""
    room = [*accumulate(reversed(copies), initial=0)][::-1]  # records that values from j on supply
    chosen: list[int] = []  # positions in `held`
    kept, j = 0, 0
    while room[j] >= size - kept:
        del chosen[kept:]
        while len(chosen) < size:
            chosen += [j] * min(copies[j], size - len(chosen))
            j += 1
        yield tuple(held[position] for position in chosen)
        rising = (p for p in range(size - 1, -1, -1) if room[chosen[p] + 1] >= size - p)
        kept = next(rising, -1)
        if kept < 0:
            return
        j = chosen[kept] + 1


def how_many(copies: np.ndarray, size: int) -> int:
    """Return how many multisets of `size` there are, each value at most `copies` times."""
    groups = list(zip(*np.unique(copies, return_counts=True), strict=True))
    if len(groups) == 1 and groups[0][0] == 1:
        return math.comb(len(copies), size)
    ways = np.array([1], dtype=object)
    for most, values in groups:
        ways = np.convolve(ways, _bounded_power(int(most), int(values), size))[: size + 1]
    return int(ways[size])


def _bounded_power(copies: int, values: int, size: int) -> np.ndarray:
    """Coefficients 0..size of (1 + x + … + x^copies)^values, by inclusion and exclusion."""
    coefficients = [
        sum(
            (-1) ** i
            * math.comb(values, i)
            * math.comb(j - i * (copies + 1) + values - 1, values - 1)
            for i in range(min(values, j // (copies + 1)) + 1)
        )
        for j in range(size + 1)
    ]
    return np.array(coefficients, dtype=object)
