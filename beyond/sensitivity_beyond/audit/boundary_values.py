"""Values that break arithmetic: the few of a dtype, within bounds, that are worth a try."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from sensitivity_lab.numbers.exact import Exact, brief, checked_bounds, exact_number
from sensitivity_lab.universe import Universe

LARGEST = 10**300  # numbers that floats hold with room
Scalar = Any  # a number of the dtype: numpy types its own by their width
Limits: TypeAlias = "np.finfo[Any] | np.iinfo[Any]"  # as text: numpy 2.1 has no finfo[...]


def breaking_values(
    bounds: tuple[Any, Any], dtype: Any = float, *, outside: bool = False, missing: bool = False
) -> list[Any]:
    """Return the few values within `bounds` on which arithmetic in a dtype is likeliest to break.

    >>> breaking_values((0, 100), np.int8)
    [np.int8(0), np.int8(1), np.int8(99), np.int8(100)]
    >>> breaking_values((-1.0, 1.0))
    [-1.0, -0.9999999999999999, 0.0, 5e-324, 0.9999999999999999, 1.0]

    They are the bounds, the numbers next to them inwards, zero, the smallest positive number and,
    for floats, the whole numbers around the first that has no successor (2**53 for float64).
    `outside` adds the numbers next to the bounds outwards and the extremes of the dtype; `missing`
    adds None, for functions that take missing records. Give them to `Universe.value_range`: with
    few values, datasets of thousands of records stay cheap to enumerate.

    :param bounds: the least and the greatest value, both numbers that the dtype has.
    :param dtype: a numpy dtype of ints or floats, or what numpy makes one of.
    :param outside: whether values beyond the bounds are wanted, too.
    :param missing: whether None is.
    :raises ValueError: for bounds that do not fit the dtype.
    :raises TypeError: for a dtype of no real numbers, or for `outside` or `missing` that is not
        True or False.

    Cost: at most 15 values.
    Source: the faults that such values bring out: Casacuberta, Shoemate, Vadhan and Wagaman (2022),
    "Widespread underestimation of sensitivity in differentially private libraries and how to fix
    it", doi:10.1145/3548606.3560708.
    """
    try:
        # Python's own int has no width; to numpy it has that of an address, 32 bits in a browser
        kind: np.dtype[Any] = np.dtype(np.int64 if dtype is int else dtype)
    except Exception as error:  # whatever the dtype's own attributes raise
        raise TypeError(f"dtype must be one of numpy's, got {brief(dtype)}") from error
    if kind.kind not in "iuf":
        raise TypeError(f"dtype must hold ints or floats, got {brief(dtype)}")
    for what, wanted in (("outside", outside), ("missing", missing)):
        if not isinstance(wanted, bool):
            raise TypeError(f"{what} must be True or False, got {what}={brief(wanted)}")
    info: Limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    lower, upper = (_fitted_bound(bound, info, bounds) for bound in checked_bounds(bounds))
    number = kind.type
    values = [lower, upper, _beside(lower, 1), _beside(upper, -1), number(0)]
    if isinstance(info, np.finfo):
        last = 2 ** (info.nmant + 1)  # last + 1 is no number of this dtype
        values += [info.smallest_subnormal, *map(number, (last - 1, last, 1 - last, -last))]
    else:
        values.append(number(1))
    values = [value for value in values if lower <= value <= upper]
    if outside:
        least, most = number(info.min), number(info.max)
        values += [least, most, max(_beside(lower, -1), least), min(_beside(upper, 1), most)]
    own = kind in (np.dtype(np.float64), np.dtype(np.int64))  # Python has these two itself
    found = [value.item() if own else value for value in sorted(set(values))]
    return [*found, None] if missing else found


def _fitted_bound(bound: Exact, info: Limits, bounds: object) -> Scalar:
    """A bound as a number of the dtype."""
    whole = info.dtype.kind != "f"
    ends: list[Any] = [info.min, info.max]
    least, most = (exact_number(end) for end in ends)
    if not least <= bound <= most or (whole and bound != int(bound)):
        raise ValueError(f"bounds must be numbers of {info.dtype}, got {brief(bounds)}")
    number: Any = bound
    if not whole and abs(Fraction(bound)) > sys.float_info.max:  # of a longdouble, which reads text
        number = f"{Decimal(bound.numerator) / bound.denominator}"
    return min(max(info.dtype.type(number), ends[0]), ends[1])


def _beside(value: Scalar, direction: int) -> Scalar:
    """The next number of the same dtype, up or down; the last one stays."""
    if value.dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond the last lies infinity
            return np.nextafter(value, value.dtype.type(direction * math.inf))
    info = np.iinfo(value.dtype)
    return value.dtype.type(min(max(int(value) + direction, int(info.min)), int(info.max)))


def boundary_positions(universe: Universe) -> list[int]:
    """Where the values stand that break arithmetic, or those next to them; of records none."""
    if not universe.numeric or universe.distinct < 2:
        return []
    values: list[Exact] = [value for value in universe.exact_values if value is not None]
    at = {0, 1, len(values) - 2, len(values) - 1} - {-1}
    if universe.has_missing:
        at.add(len(values))
    if -LARGEST <= values[0] and values[-1] <= LARGEST:
        wanted = [exact_number(value) for value in breaking_values((values[0], values[-1]))]
        at |= {min(bisect_left(values, value), len(values) - 1) for value in (*wanted, 1)}
    return sorted(at)
