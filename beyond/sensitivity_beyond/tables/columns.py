"""What a record says: a column or a function of it, cut to bounds, told apart,
or always the same."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_beyond.tables.frames import asked
from sensitivity_beyond.tables.source import said
from sensitivity_lab.numbers.exact import Exact, brief, exact_number, number_as_float
from sensitivity_lab.records import are_text, told_apart
from sensitivity_lab.universe import Universe


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
        numbers = numbers_of(universe, self.of)
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
        says = said(universe, self.of)
        filled = (self.missing if number is None else number for number in says)
        return says if isinstance(says, np.ndarray) else list(filled)


@dataclass(frozen=True)
class There(Filled):
    """1 where what `of` makes of a record is there, 0 where it is missing."""

    def __call__(self, record: Any) -> int:
        return int(number_of(self.of, record) is not None)

    def of_all(self, universe: Any) -> Any:
        there = [says is not None for says in said(universe, self.of)]
        return np.array(there, dtype=np.int64)


@dataclass(frozen=True)
class Columns:
    """Several columns of a record, side by side."""

    names: tuple[str, ...]

    def __call__(self, record: Any) -> tuple[Any, ...]:
        return tuple(record[name] for name in self.names)


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
        says = record if self.of is None else number_of(self.of, record)
        return self._code_of[told_apart(says)]

    def of_all(self, universe: Any) -> np.ndarray:
        _, codes = self._coded
        return codes if self.of is not None else np.repeat(codes, universe.source.counts)

    @cached_property
    def _coded(self) -> tuple[Sequence[Any], np.ndarray]:
        """What tells the different records apart, or in a column all of them; and its codes."""
        says = self.universe.values if self.of is None else said(self.universe, self.of)
        if not isinstance(says, np.ndarray) and any(one is None for one in says):
            raise TypeError(
                "values that are told apart must be there, got None: lambda row: row['name'] or "
                "'none' makes it one more value, COUNT(DISTINCT name) in sl.sql leaves it out"
            )
        keys = says if are_text(says) else list(map(told_apart, says))
        return keys, codes_of(keys)

    @cached_property
    def _code_of(self) -> dict[Any, int]:
        keys, codes = self._coded
        return dict(zip(keys, codes.tolist(), strict=True))


def number_of(of: Any, record: Any) -> Any:
    """What a column, or a function, says of a record."""
    return record[of] if isinstance(of, str) else asked(of, record)


def numbers_of(universe: Universe, what: Any) -> Any:
    """What a query is asked of: what a column, or a function, makes of each of the m records."""
    if isinstance(what, Said):
        return what.of_all(universe)
    if what is not None:
        return said(universe, what)
    if not universe.numeric:
        raise universe.source.no_numbers()
    return universe.sorted_records


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
    if isinstance(of, There):
        return 0, 1
    if isinstance(of, Filled) and not low <= of.missing <= high:
        raise ValueError(f"missing must lie within the bounds, got missing={brief(of.missing)}")
    if not isinstance(of, Clipped):
        return low, high
    low, high = clipped_ends(of.of, low, high)
    return max(of.low, min(of.high, low)), max(of.low, min(of.high, high))


def codes_of(keys: Any) -> np.ndarray:
    """Equal keys as equal whole numbers, different keys as different ones."""
    if isinstance(keys, np.ndarray) and keys.dtype != object:
        return np.unique(keys, return_inverse=True)[1]
    code_of: dict[Any, int] = {}
    return np.array([code_of.setdefault(key, len(code_of)) for key in keys], dtype=np.int64)
