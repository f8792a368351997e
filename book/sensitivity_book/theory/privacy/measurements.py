"""Measurements: answers with Laplace or Gaussian noise, each with its privacy map."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_book.theory.privacy.distributions import Laplace, Normal
from sensitivity_book.theory.privacy.noise import gaussian_delta, gaussian_rho
from sensitivity_book.theory.stability.domains import (
    ABSOLUTE,
    L1,
    L2,
    MAX_DIVERGENCE,
    ZERO_CONCENTRATED,
    Answers,
    delta_at,
)
from sensitivity_book.theory.stability.maps import Measurement
from sensitivity_lab.numbers import Exact, exact_number, simplest

NUMBER = Answers()


def _positive(value: Any, name: str) -> Exact:
    exact = exact_number(value, name)
    if exact <= 0:
        raise ValueError(f"{name} must lie above 0, got {name}={value}")
    return exact


def _floats(answer: Any) -> Any:
    return np.array(answer, dtype=float) if isinstance(answer, tuple) else float(answer)


def make_laplace(scale: Any, domain: Answers = NUMBER) -> Measurement:
    """Return the measurement that adds Laplace noise to a number, or to each part of a vector.

    >>> make_laplace(25).map(12)
    Fraction(12, 25)
    """
    exact = _positive(scale, "scale")
    return Measurement(
        name=f"Laplace noise of scale {exact}",
        function=lambda answer: Laplace(_floats(answer), float(exact)),
        input_domain=domain,
        input_metric=ABSOLUTE if domain.length is None else L1,
        output_measure=MAX_DIVERGENCE,
        privacy_map=lambda d_in: simplest(Fraction(d_in) / exact),
    )


def make_gaussian(sigma: Any, domain: Answers = NUMBER, *, epsilon: Any = None) -> Measurement:
    """Return the measurement that adds Gaussian noise to a number, or to each part of a vector.

    >>> make_gaussian(2).map(1), round(make_gaussian(2, epsilon=0.5).map(1), 6)
    (0.125, 0.05244)

    Exact, in floats, for the absolute distance, and the L2 distance of vectors: without `epsilon`
    the map gives ρ = d²/(2σ²), with it the smallest δ at that ε. No finite ε alone will do.
    Cost: a draw for each part. Raises ValueError unless σ lies above 0 and ε is at least 0.
    Source: Bun and Steinke (2016), proposition 1.6; Balle and Wang (2018), theorem 8.
    """
    width = float(_positive(sigma, "sigma"))
    measure = ZERO_CONCENTRATED if epsilon is None else delta_at(epsilon)

    def d_out(d_in: Any) -> float:
        if d_in == 0:
            return 0.0
        if epsilon is None:
            return gaussian_rho(width, float(d_in))
        return gaussian_delta(width, float(d_in), float(epsilon))

    return Measurement(
        name=f"Gaussian noise of σ {exact_number(sigma)}",
        function=lambda answer: Normal(_floats(answer), width),
        input_domain=domain,
        input_metric=ABSOLUTE if domain.length is None else L2,
        output_measure=measure,
        privacy_map=d_out,
    )
