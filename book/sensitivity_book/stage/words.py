"""How a play writes numbers and names; static/stage.js writes them alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sensitivity_lab.numbers import Exact, true_minus


def digits(number: float) -> str:
    """Write a number to three digits that count, without an exponent, with a true minus."""
    written = np.format_float_positional(number, 3, unique=False, fractional=False, trim="-")
    return true_minus(written)


def percent(share: float) -> str:
    """Write a share in percent, and never as certain or impossible."""
    if share > 0.999:
        return "over 99.9\N{NO-BREAK SPACE}%"
    return f"{'under 0.1' if share < 0.001 else digits(100 * share)}\N{NO-BREAK SPACE}%"


def decimals(value: Exact) -> str:
    """Write a number in decimals: all of them if there are two at most, else two."""
    if 100 % Fraction(value).denominator == 0:
        return f"{float(value):g}"
    return f"{math.floor(100 * value + Fraction(1, 2)) / 100:.2f}"


def text(value: Exact) -> str:
    """Write a number as a fraction with its decimals, or as decimals if they are exact."""
    if 100 % Fraction(value).denominator == 0:
        return decimals(value)
    return f"{value}\N{NO-BREAK SPACE}≈\N{NO-BREAK SPACE}{decimals(value)}"


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
