"""A claim: a number, or a function that names what it is a function of; and how it compares."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import brief, exact_number, is_finite, is_real, simplest, told

NAMES = ("k", "size")  # what the function of a claim may be given
RTOL = Fraction(1, 10**9)  # floats this close, relative to the larger, are the same number


def amount(value: Any, what: str) -> Any:
    """Return a number of at least 0 as int, Fraction, Decimal or float; infinity is one."""
    if not is_real(value):
        raise TypeError(f"{what} must be a number of at least 0, got {brief(value)}")
    number = _plain(value, what)
    nan = number.is_nan() if isinstance(number, Decimal) else number != number
    if nan or number < 0:
        raise ValueError(f"{what} must be a number of at least 0, got {brief(number)}")
    return number


def _plain(value: Any, what: str) -> Any:
    """A number of any library as one of Python's; a short float is read as it is written."""
    if isinstance(value, (Integral, np.bool_)):
        return int(value)
    if isinstance(value, Rational):
        return simplest(Fraction(value))
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Decimal):
        if is_finite(value):
            exact_number(value, what)
        return value
    number = float(str(value))
    return exact_number(value, what) if math.isinf(number) and is_finite(value) else number


def claim_takes(claim: Any) -> tuple[str, ...]:
    """Return which of k and size a claim is given, by name: none where it is a number."""
    if not callable(claim):
        return ()
    parameters = _parameters(claim)
    takes = tuple(name for name in NAMES if any(_can_be(p, name) for p in parameters))
    needed = [p for p in parameters if _is_needed(p)]
    if not takes or not all(any(_can_be(p, name) for name in NAMES) for p in needed):
        raise TypeError(
            "claim must be a number or a function of parameters named k and size, or of one of "
            "them, such as lambda k, size: k / size; got a function of "
            f"{', '.join(map(str, parameters)) or 'no names that can be read'}"
        )
    return takes


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function; of one in C without a signature, none."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # inspect has no other way to say that there is no signature
        return []


def _can_be(p: inspect.Parameter, name: str) -> bool:
    """Whether a parameter is given what is passed by this name."""
    by_name = p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    return p.kind is p.VAR_KEYWORD or (by_name and p.name == name)


def _is_needed(p: inspect.Parameter) -> bool:
    """Whether a function cannot be called without this parameter."""
    return p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)


def check_claim(claim: Any) -> None:
    """Refuse a claim that is no number, or a function that cannot be given k and size by name."""
    if not claim_takes(claim):
        amount(claim, "claim")


def claimed_at(claim: Any, *, k: int, size: int) -> Any:
    """Return the number that is claimed for a k and a size."""
    if not callable(claim):
        return amount(claim, "claim")
    named = {"k": k, "size": size}
    given = {name: named[name] for name in claim_takes(claim)}
    return _called(lambda: claim(**given), at=f"k={brief(k)}, size={brief(size)}")


def claimed_for(claim: Any, distance: Any) -> Any:
    """Return the number that is claimed for a distance, of which a map's claim is a function."""
    if not callable(claim):
        return amount(claim, "claim")
    return _called(lambda: claim(distance), at=f"distance={brief(distance)}")


def _called(claim: Callable[[], Any], at: str) -> Any:
    """The number that a claim gives; where it fails, say at what."""
    try:
        claimed = claim()
    except Exception as error:  # the claim is the caller's: it may raise anything
        raise ValueError(f"claim failed at {at}: {told(error)}") from error
    return amount(claimed, f"claim at {at}")


def ratio(claimed: Any, gap: Any) -> Any:
    """Return the claim over the gap: exact for ints and Fractions; 1 where floats agree to 1e-9."""
    if claimed == gap:
        return 1
    if gap == 0 or claimed == math.inf:
        return math.inf
    if claimed == 0 or gap == math.inf:
        return 0
    quotient = Fraction(claimed) / Fraction(gap)
    if isinstance(claimed, (int, Fraction)) and isinstance(gap, (int, Fraction)):
        return simplest(quotient)
    if abs(quotient - 1) <= RTOL:
        return 1
    return float(quotient) if 1e-300 < quotient < 1e300 else quotient
