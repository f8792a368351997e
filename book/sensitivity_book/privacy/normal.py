"""The normal distribution's tails: how likely a number below x is, and one far out, scaled."""

from __future__ import annotations

import math
from fractions import Fraction

NEAR = (
    3.0  # up to here e^(z²) and erfc(z) are both within reach; beyond it few fractions are enough
)
FRACTIONS = 40  # that many bring the continued fraction to the last digit from there on


def chance_below(x: float) -> float:
    """Return the chance Φ(x) that a standard normal number lies below x."""
    return math.erfc(-x / math.sqrt(2)) / 2


def scaled_erfc(z: float) -> float:
    """Return e^(z²)·erfc(z) for z ≥ 0, where each factor alone would leave the floats.

    Source: 7.9 of the Digital Library of Mathematical Functions, dlmf.nist.gov.
    """
    if z < NEAR:
        square = z * z
        lost = float(Fraction(z) ** 2 - Fraction(square))
        return math.exp(square) * (1 + lost) * math.erfc(z)
    value = z
    for k in range(FRACTIONS, 0, -1):
        value = z + k / 2 / value
    return 1 / (math.sqrt(math.pi) * value)
