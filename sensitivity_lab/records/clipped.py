"""Numbers of a record, cut to bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact, exact_number, number_as_float


@dataclass(frozen=True)
class Clipped:
    """The number that `of` makes of a record, or the record itself, cut to [low, high]."""

    of: Any
    low: Exact
    high: Exact

    def __call__(self, record: Any) -> Exact | None:
        """The clipped number of one record; what is missing stays so."""
        return self._cut(record if self.of is None else number_of(self.of, record))

    def _cut(self, number: Any) -> Exact | None:
        return None if number is None else max(self.low, min(self.high, exact_number(number, "of")))

    def of_all(self, numbers: Any) -> Any:
        """Clip many numbers: an array at once, where its own arithmetic holds the bounds."""
        low, high = (number_as_float(end) for end in (self.low, self.high))
        in_floats = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
        if in_floats and low is not None and high is not None:
            return np.clip(numbers, low, high)
        whole = all(isinstance(end, int) and abs(end) < 2**63 for end in (self.low, self.high))
        if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "i" and whole:
            return np.clip(numbers.astype(np.int64), int(self.low), int(self.high))
        return list(map(self._cut, numbers))


@dataclass(frozen=True)
class Always:
    """The same number of every record."""

    number: int

    def __call__(self, record: Any) -> int:
        """The number of one record."""
        return self.number


def clipped_ends(of: Any, low: Exact, high: Exact) -> tuple[Exact, Exact]:
    """The ends of numbers from low to high, cut as the numbers are."""
    if not isinstance(of, Clipped):
        return low, high
    low, high = clipped_ends(of.of, low, high)
    return max(of.low, min(of.high, low)), max(of.low, min(of.high, high))


def number_of(of: Any, record: Any) -> Any:
    """What a column, or a function, says of a record."""
    return record[of] if isinstance(of, str) else of(record)
