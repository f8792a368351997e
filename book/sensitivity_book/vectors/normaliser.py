"""A noisy sum that is divided by a number of records: what the size of the noise gives away."""

from __future__ import annotations

import math


def chance_to_tell(first: int, second: int, dimension: int) -> float:
    """Return how often the better guess is right: was Gaussian noise divided by `first` or `second`?"""
    if first == second:
        return 0.5
    small, large = sorted((1 / first, 1 / second))
    border = 2 * dimension * math.log(large / small) / (small**-2 - large**-2)
    apart = tail(border / large**2, dimension) - tail(border / small**2, dimension)
    return 0.5 + apart / 2


def tail(square: float, dimension: int) -> float:
    """The chance that `dimension` standard normal numbers have squares with a larger sum than this."""
    if dimension % 2:
        raise ValueError(f"dimension must be even, got {dimension}")
    expected = square / 2
    return math.fsum(
        math.exp(k * math.log(expected) - expected - math.lgamma(k + 1))
        for k in range(dimension // 2)
    )
