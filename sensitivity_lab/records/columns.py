"""What a record says: a column or a function of it, cut to bounds, told apart,
or always the same."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact, brief, exact_number, is_real, number_as_float
from sensitivity_lab.records.source import are_text, hashed


class Said(ABC):
    """A function of a record that answers for all records of a universe at once, too."""

    @abstractmethod
    def __call__(self, record: Any) -> Any:
        """What one record says."""

    @abstractmethod
    def of_all(self, universe: Any) -> Any:
        """What each of a universe's m records says, (m,)."""


@dataclass(frozen=True)
class Clipped(Said):
    """The number that `of` makes of a record, or the record itself, cut to [low, high]."""

    of: Any
    low: Exact
    high: Exact

    def __call__(self, record: Any) -> Exact | None:
        return self._cut(record if self.of is None else number_of(self.of, record))

    def _cut(self, number: Any) -> Exact | None:
        return None if number is None else max(self.low, min(self.high, exact_number(number, "of")))

    def of_all(self, universe: Any) -> Any:
        """An array is clipped at once, where its own arithmetic holds the bounds."""
        numbers = universe.numbers_of(self.of)
        low, high = (number_as_float(end) for end in (self.low, self.high))
        in_floats = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
        if in_floats and low is not None and high is not None:
            return np.clip(numbers, low, high)
        whole = all(isinstance(end, int) and abs(end) < 2**63 for end in (self.low, self.high))
        if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "i" and whole:
            return np.clip(numbers.astype(np.int64), int(self.low), int(self.high))
        return list(map(self._cut, numbers))


@dataclass(frozen=True)
class Filled(Said):
    """What `of` makes of a record, and a number where that is missing."""

    of: Any
    missing: Exact

    def __call__(self, record: Any) -> Any:
        said = number_of(self.of, record)
        return self.missing if said is None else said

    def of_all(self, universe: Any) -> Any:
        said = universe.said(self.of)
        filled = (self.missing if number is None else number for number in said)
        return said if isinstance(said, np.ndarray) else list(filled)


@dataclass(frozen=True)
class Always(Said):
    """The same number of every record."""

    number: int

    def __call__(self, record: Any) -> int:
        return self.number

    def of_all(self, universe: Any) -> np.ndarray:
        return np.full(len(universe.source), self.number, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Alike(Said):
    """A number for each record of a universe, or for what it says:
    the same where these are equal."""

    universe: Any
    of: Any = None

    def __call__(self, record: Any) -> int:
        said = record if self.of is None else number_of(self.of, record)
        return self._code_of[told_apart(said)]

    def of_all(self, universe: Any) -> np.ndarray:
        _, codes = self._coded
        return codes if self.of is not None else np.repeat(codes, universe.source.counts)

    @cached_property
    def _coded(self) -> tuple[Sequence[Any], np.ndarray]:
        """What tells the different records apart, or in a column all of them; and its codes."""
        said = self.universe.values if self.of is None else self.universe.said(self.of)
        keys = said if are_text(said) else list(map(told_apart, said))
        return keys, codes_of(keys)

    @cached_property
    def _code_of(self) -> dict[Any, int]:
        keys, codes = self._coded
        return dict(zip(keys, codes.tolist(), strict=True))


def number_of(of: Any, record: Any) -> Any:
    """What a column, or a function, says of a record."""
    return record[of] if isinstance(of, str) else of(record)


def uncut(of: Any) -> Any:
    """What numbers are asked of before they are cut or filled in: a column, a function, or None."""
    return uncut(of.of) if isinstance(of, (Clipped, Filled)) else of


def fills(of: Any) -> bool:
    """Whether numbers take the place of what is missing."""
    return isinstance(of, Filled) or (isinstance(of, Clipped) and fills(of.of))


def column_of(of: Any) -> str | None:
    """The column that a query is asked of, as it is or cut to bounds; None for a function."""
    column = uncut(of)
    return column if isinstance(column, str) else None


def clipped_ends(of: Any, low: Exact, high: Exact) -> tuple[Exact, Exact]:
    """The ends of numbers from low to high, cut as the numbers are;
    what fills a gap lies between."""
    if isinstance(of, Filled) and not low <= of.missing <= high:
        raise ValueError(f"missing must lie within the bounds, got missing={brief(of.missing)}")
    if not isinstance(of, Clipped):
        return low, high
    low, high = clipped_ends(of.of, low, high)
    return max(of.low, min(of.high, low)), max(of.low, min(of.high, high))


def told_apart(record: Any) -> Any:
    """What tells a record apart from others: itself, of a number how large it is."""
    if isinstance(record, str):
        return record
    if record is None:
        raise TypeError("values that are told apart must be there, got None")
    return exact_number(record) if is_real(record) else hashed(record, "values that are told apart")


def codes_of(keys: Any) -> np.ndarray:
    """Equal keys as equal whole numbers, different keys as different ones."""
    if isinstance(keys, np.ndarray) and keys.dtype != object:
        return np.unique(keys, return_inverse=True)[1]
    code_of: dict[Any, int] = {}
    return np.array([code_of.setdefault(key, len(code_of)) for key in keys], dtype=np.int64)
