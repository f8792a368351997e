"""An interval of floats: too many values to list, so that only a search goes through some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.exact import brief, checked_bounds


@dataclass(frozen=True)
class Continuous:
    """Every float from `low` to `high`.

    >>> Continuous.of(0, 1)
    Continuous(low=0.0, high=1.0)
    """

    low: float
    high: float

    @classmethod
    def of(cls, low: Any, high: Any) -> Continuous:
        """The interval of two bounds, as floats.

        Raises ValueError for bounds that do not rise or that no float holds, TypeError for what is
        no number.
        """
        lower, upper = checked_bounds((low, high))
        try:
            ends = float(lower), float(upper)
        except OverflowError as error:
            raise ValueError(
                f"bounds must be floats, got {brief(low)} and {brief(high)}"
            ) from error
        if ends[0] >= ends[1]:
            raise ValueError(f"low must be below high, got {brief(low)} and {brief(high)}")
        return cls(*ends)

    def refuse(self) -> TooLarge:
        """Return the refusal to go through all values, with what can be done instead.

        >>> raise Continuous(0.0, 1.0).refuse()
        Traceback (most recent call last):
        sensitivity_lab.errors.TooLarge: an interval has too many values to list: search it by audit(..., method='search'), ask closed_form(..., bounds=(0.0, 1.0)), or list some in Universe.value_range
        """
        return TooLarge(
            "an interval has too many values to list: search it by audit(..., method='search'), ask "
            f"closed_form(..., bounds=({self.low}, {self.high})), or list some in "
            "Universe.value_range"
        )
