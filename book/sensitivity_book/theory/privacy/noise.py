"""How much noise a sensitivity asks for: Laplace and Gaussian, calibrated and judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from numbers import Real
from typing import Any

import numpy as np

TOLERANCE = 1e-12  # relative; how far above the smallest sigma the analytic one may lie


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """Return the scale b of the Laplace noise that is ε-private for an L1 sensitivity.

    >>> laplace_scale(3, 0.5)
    6.0
    """
    return _positive(sensitivity, "sensitivity") / _positive(epsilon, "epsilon")


def laplace_deviation(sensitivity: float, epsilon: float) -> float:
    """Return the standard deviation of the Laplace noise that is ε-private: √2 Δ/ε, Δ in L1.

    >>> round(laplace_deviation(3, 0.5), 4)
    8.4853
    """
    return math.sqrt(2) * laplace_scale(sensitivity, epsilon)


def classical_gaussian_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """Return the textbook's σ of the Gaussian noise for an L2 sensitivity: √(2 ln(1.25/δ)) Δ/ε.

    >>> round(classical_gaussian_sigma(1, 0.5, 1e-6), 4)
    10.5976

    More than is needed: see `analytic_gaussian_sigma`. Raises ValueError for ε ≥ 1, where the
    proof does not hold. Source: Dwork and Roth (2014), theorem A.1.
    """
    if _positive(epsilon, "epsilon") >= 1:
        raise ValueError(
            f"epsilon must lie below 1, got epsilon={epsilon}: the classical formula is proved "
            "only there; use analytic_gaussian_sigma"
        )
    factor = math.sqrt(2 * math.log(1.25 / _probability(delta, "delta")))
    return factor * _positive(sensitivity, "sensitivity") / float(epsilon)


def gaussian_delta(sigma: float, sensitivity: float, epsilon: float) -> float:
    """Return the smallest δ for which Gaussian noise of this σ is (ε, δ)-private.

    >>> gaussian_delta(1, 1, 0)  # how far two unit normals, 1 apart, can be told apart
    0.38292492254802624

    Equal to Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) for the L2 sensitivity Δ; right to 12 digits
    where ε ≥ 0.01 and δ ≥ 10⁻¹⁵, and to 15 decimals everywhere. Raises ValueError or TypeError
    unless σ and Δ are positive and ε ≥ 0. Source: Balle and Wang (2018), theorem 8.
    """
    ratio = _positive(sensitivity, "sensitivity") / _positive(sigma, "sigma")
    if _real(epsilon, "epsilon") < 0:
        raise ValueError(f"epsilon must be at least 0, got epsilon={epsilon}")
    shift = float(epsilon) / ratio
    near, far = ratio / 2 - shift, ratio / 2 + shift
    # e^ε Φ(−far) as ½ exp(−near²/2) erfcx(far/√2): no factor can overflow, however large ε.
    lost = 0.5 * math.exp(-near * near / 2) * scaled_erfc(far / math.sqrt(2))
    return max(chance_below(near) - lost, 0.0)


def analytic_gaussian_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """Return the smallest σ for which Gaussian noise is (ε, δ)-private, for any ε ≥ 0.

    >>> sigma = analytic_gaussian_sigma(1, 0.5, 1e-6)
    >>> round(sigma, 4), gaussian_delta(sigma, 1, 0.5) <= 1e-6
    (8.0576, True)

    At most one part in 10¹² above the smallest, as far as `gaussian_delta` is right.
    Cost: some dozens of `gaussian_delta`.
    Raises ValueError or TypeError unless Δ > 0, ε ≥ 0 and 0 < δ < 1.
    Source: Balle and Wang (2018), theorem 8; the root is found by halving an interval.
    """
    _positive(sensitivity, "sensitivity")
    target = _probability(delta, "delta")

    def suffices(sigma: float) -> bool:
        return gaussian_delta(sigma, 1, epsilon) <= target

    upper = 1.0
    while not suffices(upper):
        upper *= 2
    lower = upper
    while suffices(lower):
        lower /= 2
    while upper - lower > TOLERANCE * lower:
        middle = (lower + upper) / 2
        lower, upper = (lower, middle) if suffices(middle) else (middle, upper)
    return float(sensitivity) * upper


def gaussian_crossing(
    epsilon: float,
    delta: float,
    *,
    rows: float = 1,
    sigma: Callable[[float, float, float], float] = analytic_gaussian_sigma,
) -> int:
    """Return the least number of groups for which Gaussian noise is smaller than Laplace noise.

    >>> gaussian_crossing(0.5, 1e-6), gaussian_crossing(0.5, 1e-6, sigma=classical_gaussian_sigma)
    (9, 15)
    """
    return next(
        g
        for g in count(1)
        if sigma(rows * math.sqrt(g), epsilon, delta) < laplace_deviation(rows * g, epsilon)
    )


def gaussian_rho(sigma: float, sensitivity: float) -> float:
    """Return the ρ for which Gaussian noise of this σ is ρ-zCDP: Δ²/(2σ²), Δ in L2.

    >>> gaussian_rho(2, 1)
    0.125

    Raises ValueError or TypeError unless both numbers are positive.
    Source: Bun and Steinke (2016), proposition 1.6.
    """
    return (_positive(sensitivity, "sensitivity") / _positive(sigma, "sigma")) ** 2 / 2


def _real(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {name}={value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {name}={value}")
    return float(value)


def _positive(value: float, name: str) -> float:
    if _real(value, name) <= 0:
        raise ValueError(f"{name} must lie above 0, got {name}={value}")
    return float(value)


def _probability(value: float, name: str) -> float:
    if not 0 < _real(value, name) < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {name}={value}")
    return float(value)


def right_guesses(scale: float, games: int = 100_000) -> float:
    """Return the share of games in which an attacker names rightly whether a record of 2 is there.

    >>> round(right_guesses(1.0), 2)
    0.82
    """
    rng = np.random.default_rng(2)
    there = rng.random(games) < 0.5
    left_over = 2 * there + rng.laplace(0, scale, games)
    return float(np.mean((left_over > 1) == there))


# --- the normal distribution's tails -----------------------------------------------------------

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
