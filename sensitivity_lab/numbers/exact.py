"""Exact numbers: what a value means, and differences of square roots settled without rounding.

What a caller gives is checked here, too; `brief` writes any value for a message.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import total_ordering, wraps
from itertools import islice
from numbers import Integral, Rational, Real
from operator import length_hint
from reprlib import Repr
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np

from sensitivity_lab.did_you_mean import way_out
from sensitivity_lab.numbers.errors import TooLarge

P = ParamSpec("P")
T = TypeVar("T")
Exact = int | Fraction
MOST_LISTED = 20_000_000  # entries of a sequence that is listed: each becomes a Python object
MOST_DRAWN = 10_000_000  # entries of an iterator, which may have no end

LONGEST_TOLD = 400  # characters of another error's message
MOST_EXPONENT = 100_000  # a Decimal of a larger exponent is a few letters that no memory can hold


def exact_number(value: Any, what: str = "value") -> Exact:
    """Return the exact rational that `value` stands for: an int where it is whole."""
    if not is_real(value):
        raise TypeError(f"{what} must be a number, got {brief(value)}")
    if isinstance(value, (Integral, np.bool_)):
        return int(value)
    if isinstance(value, Rational):
        return simplest(Fraction(value))
    if not is_finite(value):
        raise ValueError(f"{what} must be finite, got {_decimal_text(value)}")
    try:
        decimal = value if isinstance(value, Decimal) else Decimal(_decimal_text(value))
        lowest = int(decimal.as_tuple().exponent)  # of what is no number it is a letter
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"{what} must be written in decimals, got {brief(value)}") from error
    if decimal and max(-lowest, decimal.adjusted()) > MOST_EXPONENT:
        raise ValueError(
            f"{what} must lie within 10 to the power of ±{MOST_EXPONENT:,}, got {brief(value)}"
        )
    return simplest(Fraction(decimal)) if decimal else 0


def _decimal_text(value: Any) -> str:
    """A number's digits; a float's own, whatever a subclass makes of them."""
    if isinstance(value, (np.float16, np.float32)):
        value = float(value)  # of which it writes fewer digits
    return float.__repr__(value) if isinstance(value, float) else str(value)


def is_real(value: Any) -> bool:
    """Whether a value is a real number; numpy's time spans, which pass for integers, are none."""
    no_span = not isinstance(value, np.timedelta64)
    return no_span and isinstance(value, (Real, Decimal, np.bool_))


def is_missing(value: Any) -> bool:
    """Whether a value stands for one that is not there: None, NaN, NaT or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except Exception:  # NA is neither equal to itself nor not
        return type(value).__name__ == "NAType"


def is_finite(value: Any) -> bool:
    """Whether a number is neither NaN nor infinite; `math.isfinite` fails on some Decimals."""
    if isinstance(value, Decimal):
        return value.is_finite()
    if isinstance(value, Rational):  # 10**400 is too large for a float
        return True
    return bool(np.isfinite(value)) if isinstance(value, np.floating) else math.isfinite(value)


def simplest(value: Fraction) -> Exact:
    """Return an int where the fraction is whole."""
    return value.numerator if value.denominator == 1 else value


def number_as_float(value: Exact) -> float | None:
    """The float that stands for a number, if there is one."""
    if abs(Fraction(value)) > Fraction(sys.float_info.max):
        return None
    nearest = float(value)
    return nearest if exact_number(nearest) == value else None


def as_float(value: Any) -> float:
    """A number as a float: 0 and infinity where floats end, NaN where there is none."""
    try:
        return math.nan if value is None else float(value)
    except OverflowError:  # `float` alone knows what it rounds to its largest number
        return math.inf


def by_name(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that says what to type where a call names a parameter wrongly, or none.

    >>> @by_name
    ... def ask(query, *, size):
    ...     return size
    >>> ask(max, sizes=3)
    Traceback (most recent call last):
    ...
    TypeError: ask takes size, not sizes: size=6 or size=range(1, 11)
    """
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True  # pytest shows the caller's own line
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            raise TypeError(way_out(function.__name__, signature, args, kwargs)) from None
        return function(*args, **kwargs)

    return called


def whole_number(value: Any, what: str, least: int) -> int:
    """Return `value` as an int, or refuse what is not a whole number of at least `least`."""
    whole = isinstance(value, (int, np.integer)) and is_real(value) and not isinstance(value, bool)
    if whole and value >= least:
        return int(value)
    kind = ValueError if is_real(value) else TypeError
    raise kind(f"{what} must be a whole number of at least {least}, got {what}={brief(value)}")


def checked_seconds(seconds: Any) -> float:
    """Return how long something may take, or refuse what is no finite number above 0."""
    if not is_real(seconds):
        raise TypeError(f"seconds must be a number, got {brief(seconds)}")
    if not (is_finite(seconds) and seconds > 0):
        raise ValueError(f"seconds must be above 0 and finite, got seconds={brief(seconds)}")
    return float(seconds)


def is_one_of(value: Any, names: Iterable[str | None]) -> bool:
    """Whether a value is one of some names; an array, which compares entry by entry, is not."""
    return (value is None or isinstance(value, str)) and value in names


def sequence(values: Any, what: str, of: str = "records") -> tuple[Any, ...]:
    """Return `values` as a tuple, or refuse what is not a sequence: text is none."""
    if not is_sequence(values):
        raise TypeError(f"{what} must be a sequence of {of}, got {brief(values)}")
    return drawn(values, what)


def drawn(values: Iterable[Any], what: str) -> tuple[Any, ...]:
    """Return values as a tuple, or refuse more of them than a list in memory should have."""
    try:
        length = length_hint(values)  # 0 where they say nothing of it
    except OverflowError:  # a range beyond 2^63
        length = sys.maxsize
    except Exception as error:
        raise ValueError(f"{what} must have a length or none, got {told(error)}") from error
    most = MOST_LISTED if length else MOST_DRAWN
    entries = first_of(values, most + 1, what) if length <= most else ()
    if max(length, len(entries)) > most:
        known = f"got {length:,}" if length else "got more, from what has no length"
        raise TooLarge(f"{what} must have at most {most:,} entries, {known}")
    return entries


def first_of(values: Iterable[Any], most: int, what: str) -> tuple[Any, ...]:
    """Return the first entries of what can be listed; where it fails, say how."""
    try:
        return tuple(islice(values, most))
    except Exception as error:
        raise ValueError(f"{what} must be readable to the end, got {told(error)}") from error


def is_sequence(values: Any) -> bool:
    """Whether values can be listed; text is one value, and so is an array without a dimension."""
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes))


def proper_norm(norm: Any, what: str = "norm", known: tuple[int, ...] = (1, 2)) -> None:
    """Refuse what is not infinity or known: 0, which counts the entries that differ, is no norm."""
    if not isinstance(norm, Real) or norm not in (*known, math.inf):
        words = f"{', '.join(map(str, known))} or infinity (math.inf)"
        raise ValueError(f"{what} must be {words}, got {what}={brief(norm)}")


def checked_bounds(bounds: Any) -> tuple[Exact, Exact]:
    """Return the bounds (L, U) as exact numbers, or refuse what is not a rising pair."""
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise TypeError(f"bounds must be a pair (L, U), got {brief(bounds)}")
    low, high = (exact_number(end, "bounds") for end in bounds)
    if low > high:
        raise ValueError(f"bounds must rise, got bounds={brief(bounds)}")
    return low, high


def as_python(value: Any) -> Any:
    """A scalar of pyarrow as Python's own; anything else as it is."""
    return value.as_py() if hasattr(type(value), "as_py") else value


def brief(value: Any) -> str:
    """Write any value for a message, shortened, on a line, but for tables; this never fails."""
    try:
        tables = value if isinstance(value, dict) else {"": value}
        if tables and all(hasattr(type(one), "columns") for one in tables.values()):
            texts = (f"{name}:\n{one}" if name else str(one) for name, one in tables.items())
            return "\n".join(["", *texts, ""])
        text = _BRIEF.repr(value)
        return " ".join(text.split()) if "\n" in text else text
    except Exception:
        return f"a value of type {type(value).__name__} that cannot be shown"


def told(error: BaseException) -> str:
    """Write an error for the message of another: its kind and what it says, on a line."""
    try:
        text = " ".join(f"{type(error).__name__}: {error}".split())
    except Exception:
        text = type(error).__name__
    return text if len(text) <= LONGEST_TOLD else f"{text[: LONGEST_TOLD - 1]}…"


def name_of(function: Any) -> str:
    """Return a function's own name, or that of its type where it has none."""
    try:
        name = function.__name__
    except Exception:
        name = None
    return name if isinstance(name, str) else type(function).__name__


class _Brief(Repr):
    """Python's own forms, cut short; numbers too long for a line in words."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 12
        self.maxdeque = self.maxarray = 12
        self.maxstring = self.maxother = 200

    def repr_int(self, x: int, level: int) -> str:
        digits = 1 + int(x.bit_length() * math.log10(2))
        return repr(x) if digits <= 200 else f"a whole number of about {digits:,} digits"

    def repr_Fraction(self, x: Fraction, level: int) -> str:
        parts = (self.repr1(part, level) for part in (x.numerator, x.denominator))
        return f"Fraction({', '.join(parts)})"

    def repr_instance(self, x: Any, level: int) -> str:
        text = str(x) if isinstance(x, np.generic) and is_real(x) else repr(x)
        return text if len(text) <= self.maxother else f"{text[:150]} ... {text[-40:]}"


_BRIEF = _Brief()


class AsNumber:
    """A result that can be used as the number that its `value` is."""

    value: Any
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        if self.value % 1:
            got = f"got {self.value}: math.ceil is never too small"
            raise ValueError(f"int must be asked of a whole number, {got}")
        return int(self.value)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.value, digits)

    def __format__(self, how: str) -> str:
        whole = isinstance(self.value, int)  # a Fraction formats from Python 3.12 on
        return format(self.value if whole else float(self), how) if how else str(self)

    def __truediv__(self, epsilon: Any) -> Any:
        return self.value / (Fraction(epsilon) if isinstance(epsilon, Decimal) else epsilon)

    def __lt__(self, other: Any) -> Any:
        return self.value < getattr(other, "value", other)

    def __le__(self, other: Any) -> Any:
        return self.value <= getattr(other, "value", other)

    def __gt__(self, other: Any) -> Any:
        return self.value > getattr(other, "value", other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= getattr(other, "value", other)

    def __eq__(self, other: Any) -> Any:
        if type(other) is not type(self):
            return self.value == other
        return all(getattr(self, one.name) == getattr(other, one.name) for one in fields(other))

    def __hash__(self) -> int:
        return hash(self.value)


@total_ordering
class RootGap:
    """The number √larger − √smaller, compared exactly."""

    __slots__ = ("larger", "smaller")

    def __init__(self, larger: Exact, smaller: Exact) -> None:
        self.larger, self.smaller = larger, smaller

    def _sign_of_difference(self, other: RootGap) -> int:
        """Sign of (√a + √d) − (√c + √b), for gaps (a, b) and (c, d) of either sign."""
        # Squares of both sides differ by u and by two roots: no root is ever taken.
        u = self.larger + other.smaller - other.larger - self.smaller
        x, y = 4 * self.larger * other.smaller, 4 * other.larger * self.smaller
        return _sign_of_sum(u, x, y) if u >= 0 else -_sign_of_sum(-u, y, x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RootGap) and self._sign_of_difference(other) == 0

    def __lt__(self, other: Any) -> bool:
        return self._sign_of_difference(other) < 0

    __hash__ = None  # type: ignore[assignment]  # equal gaps can have different roots

    def __float__(self) -> float:
        return rounded_root_gap(Fraction(self.larger), Fraction(self.smaller))


def _sign_of_sum(u: Exact, x: Exact, y: Exact) -> int:
    """Sign of u + √x − √y for u, x, y ≥ 0: that of w + 2u√x with w = u² + x − y."""
    # Squared once more; the sign of w alone may settle it.
    w = u * u + x - y
    if w > 0:
        return 1
    cross = 4 * u * u * x - w * w
    return (cross > 0) - (cross < 0)


def rounded_root_gap(larger: Fraction, smaller: Fraction) -> float:
    """Return the float nearest to √larger − √smaller."""
    if larger == smaller:
        return 0.0
    bits = 64
    try:
        while True:
            # Bounds of both roots until the ends of their difference are one float.
            (low_1, high_1), (low_2, high_2) = (_root(n, bits) for n in (larger, smaller))
            if (least := float(low_1 - high_2)) == float(high_1 - low_2):
                return least
            bits *= 2
    except OverflowError as error:
        raise ValueError(
            f"a difference of roots must be at most {sys.float_info.max}, the largest float: "
            "scale the records down"
        ) from error


def _root(square: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Two numbers between which a root is, 2⁻ᵇⁱᵗˢ apart; twice the root where it is rational."""
    exactly = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if exactly**2 == square:
        return exactly, exactly
    floor = math.isqrt((square.numerator << (2 * bits)) // square.denominator)
    return Fraction(floor, 1 << bits), Fraction(floor + 1, 1 << bits)
