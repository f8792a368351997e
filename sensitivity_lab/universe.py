"""What a dataset may hold: the values, and how many copies of each."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_lab.exact import Exact, exact_number, sequence, whole_number
from sensitivity_lab.text import number_repr

Dataset = tuple[Any, ...]
Indices = tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Universe:
    """The values that datasets are drawn from, and how many copies of each there are.

    Make one with `Universe.population` (known records, each in a dataset at most once) or
    `Universe.value_range` (any number of copies of each value).

    >>> Universe.population([2, 1, 2])
    Universe.population([1, 2, 2])
    >>> Universe.value_range([1, 2, 3], name="proficiency")
    Universe.value_range([1, 2, 3], name='proficiency')

    Below, m is the number of records and v that of different values.
    Cost: one copy of what is given; it is sorted once, when first needed.
    Source: def-universe in the book's chapter on neighbours.
    """

    source: Any  # a numpy array of ints or floats; else a tuple of numbers (and None)
    unlimited: bool
    name: str | None

    @classmethod
    def population(cls, records: Iterable[Any], *, name: str | None = None) -> Universe:
        """Return the universe of known records: each is in a dataset at most once.

        >>> Universe.population([1, 2, 2]).count(size=2)
        2

        Two records with equal values are two records. A pandas Series brings its name.
        Cost: arrays stay arrays; they are sorted once, when first needed: O(m log m).
        Raises ValueError for an empty universe, NaN or infinities, TypeError for text.
        Source: def-universe in the book's chapter on neighbours.
        """
        return cls._of(records, False, name, "records")

    @classmethod
    def value_range(cls, values: Iterable[Any], *, name: str | None = None) -> Universe:
        """Return the universe of values that a record may take: copies never run out.

        >>> list(Universe.value_range([1, 2]).datasets(size=2))
        [(1, 1), (1, 2), (2, 2)]

        Cost and errors: as `Universe.population`. A value that is named twice counts once.
        Source: thm-vehicle-copies in the book's chapter on the vehicle: how many copies are enough.
        """
        return cls._of(values, True, name, "values")

    @classmethod
    def _of(cls, source: Any, unlimited: bool, name: str | None, what: str) -> Universe:
        if name is None and isinstance(source, pd.Series):
            name = None if source.name is None else str(source.name)
        return cls(_checked_source(source, what), unlimited, name)

    @cached_property
    def _distinct(self) -> tuple[Any, np.ndarray]:
        """The distinct values ascending (array, or tuple for mixed numbers) and their counts."""
        if isinstance(self.source, np.ndarray):
            ordered = self.sorted_records
            first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
            return ordered[first], np.diff(np.append(first, len(ordered)))
        first_seen: dict[Any, Any] = {}
        counted: Counter[Any] = Counter()
        for value in self.source:
            key = None if value is None else exact_number(value)
            first_seen.setdefault(key, value)
            counted[key] += 1
        keys = sorted(key for key in first_seen if key is not None)
        keys += [None] * (None in first_seen)
        return tuple(first_seen[key] for key in keys), np.array([counted[key] for key in keys])

    @cached_property
    def values(self) -> Dataset:
        """The distinct values, ascending, as the caller gave them; a missing record is last.

        >>> Universe.population([2, None, 1, 2]).values
        (1, 2, None)

        Cost: one sort, O(m log m), once.
        """
        values = self._distinct[0]
        return tuple(values.tolist()) if isinstance(values, np.ndarray) else values

    @cached_property
    def exact_values(self) -> tuple[Exact | None, ...]:
        """The distinct values as exact rationals; None for a missing record.

        >>> Universe.value_range([1, 0.5]).exact_values
        (Fraction(1, 2), 1)

        Cost: `exact_number` of each of the v values, once.
        """
        return tuple(None if value is None else exact_number(value) for value in self.values)

    @cached_property
    def scaled(self) -> tuple[np.ndarray, int]:
        """The distinct values as integers over one denominator: (v integers, denominator).

        >>> Universe.value_range([0.5, 0.1]).scaled
        (array([1, 5]), 10)

        The integers are int64, or Python ints where 64 bits are too few.
        Cost: O(v) in NumPy for floats of at most 15 digits, else one Fraction for each value; once.
        """
        values = self._distinct[0]
        if isinstance(values, np.ndarray) and values.dtype.kind == "i":
            return values.astype(np.int64), 1
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            scaled = _decimal_integers(values)
            if scaled is not None:
                return scaled
        exact = [Fraction(value) for value in self.exact_values if value is not None]
        scale = math.lcm(*(value.denominator for value in exact))
        integers = [int(value * scale) for value in exact]
        small = max(map(abs, integers)) < 2**62
        return np.array(integers, dtype=np.int64 if small else object), scale

    @cached_property
    def sorted_records(self) -> np.ndarray:
        """The m records (of a range, the values as named), ascending, as the caller gave them.

        >>> Universe.population([2, 1, 2]).sorted_records
        array([1, 2, 2])

        Cost: one sort, O(m log m), once.
        """
        if isinstance(self.source, np.ndarray):
            return np.sort(self.source)
        values, counts = self._distinct
        given = np.empty(len(values), dtype=object)
        given[:] = values
        return np.repeat(given, counts)

    @cached_property
    def sorted_scaled(self) -> tuple[np.ndarray, int]:
        """The m records of a population, ascending, as integers over one denominator.

        >>> Universe.population([2, 0.5, 2]).sorted_scaled
        (array([1, 4, 4]), 2)

        Cost: as `sorted_records` and `scaled`, once.
        """
        records = self.sorted_records
        if records.dtype.kind == "i":
            return records.astype(np.int64, copy=False), 1
        scaled = _decimal_integers(records) if records.dtype.kind == "f" else None
        if scaled is not None:
            return scaled
        integers, scale = self.scaled
        return np.repeat(integers, self._distinct[1]), scale

    @cached_property
    def value_of(self) -> list[int]:
        """The position among `values` of each of a population's m records, ascending.

        >>> Universe.population([20, 10, 20]).value_of
        [0, 1, 1]

        Cost: O(m), once.
        """
        return np.repeat(np.arange(self.distinct), self._distinct[1]).tolist()

    @property
    def has_missing(self) -> bool:
        """Whether a record may be missing (None).

        >>> Universe.value_range([1, None]).has_missing
        True
        """
        return not isinstance(self.source, np.ndarray) and None in self.source

    @property
    def distinct(self) -> int:
        """How many different values there are.

        >>> Universe.population([1, 2, 2]).distinct
        2
        """
        return len(self._distinct[1])

    @property
    def records(self) -> float:
        """How many records there are: an int for a population, infinity for a range.

        >>> Universe.population([1, 2, 2]).records, Universe.value_range([1, 2]).records
        (3, inf)
        """
        return math.inf if self.unlimited else len(self.source)

    def copies(self, size: int) -> list[int]:
        """Return how many copies of each distinct value a dataset of `size` can hold.

        >>> Universe.population([1, 2, 2, 2]).copies(2), Universe.value_range([1, 2]).copies(2)
        ([1, 2], [2, 2])

        Cost: O(v).
        """
        if self.unlimited:
            return [size] * len(self._distinct[1])
        return [int(copies) for copies in np.minimum(self._distinct[1], size)]

    def count(self, size: int) -> int:
        """Return how many datasets of `size` records there are; none is built.

        >>> Universe.population(range(1, 11)).count(size=6)
        210

        Cost: O(size²) arithmetic for each distinct multiplicity.
        Raises ValueError for a size that is negative, not whole, or above the population.
        Source: the coefficient of x^size in ∏(1 + x + … + x^copies); Stanley (2012), Enumerative
        Combinatorics 1, section 1.2.
        """
        size = self.checked_size(size)
        if self.unlimited:
            return math.comb(len(self._distinct[1]) + size - 1, size)
        groups = list(zip(*np.unique(self._distinct[1], return_counts=True), strict=True))
        if len(groups) == 1 and groups[0][0] == 1:
            return math.comb(len(self.source), size)
        ways = np.array([1], dtype=object)
        for copies, values in groups:
            ways = np.convolve(ways, _bounded_power(int(copies), int(values), size))[: size + 1]
        return int(ways[size])

    def count_at_least(self, size: int, limit: int) -> int:
        """Return `count(size)` where it is at most `limit`, else a number between the two.

        >>> Universe.population(range(10**5)).count_at_least(50_000, limit=10**6)
        4999950000

        The counts are symmetric, and rise up to half the population: a small size that passes the
        limit settles it cheaply.
        Cost: `count` at the sizes 1, 2, 4, … until one passes the limit.
        Source: Stanley (1989), Annals of the New York Academy of Sciences 576, proposition 1.
        """
        goal = int(min(size, self.records - size))
        smaller = 1
        while smaller < goal:
            if (counted := self.count(smaller)) > limit:
                return counted
            smaller *= 2
        return self.count(goal)

    def datasets(self, size: int) -> Iterator[Dataset]:
        """Yield every dataset of `size` records once, as a sorted tuple, in lexicographic order.

        >>> list(Universe.population([1, 2, 2]).datasets(size=2))
        [(1, 2), (2, 2)]

        Cost: `count(size)` tuples, one at a time. Errors: as `count`.
        Source: def-dataset in the book's chapter on neighbours.
        """
        size = self.checked_size(size)
        return (
            tuple(self.values[i] for i in indices) for indices in multisets(self.copies(size), size)
        )

    def checked_size(self, size: Any) -> int:
        """Return `size` as an int, or refuse one that no dataset of this universe has.

        >>> Universe.population([1, 2, 2]).checked_size(3)
        3

        Raises ValueError for a size above the population, and as `whole_number`.
        """
        checked = whole_number(size, "size", 0)
        if checked > self.records:
            raise ValueError(
                f"size must be at most {self.records}, the records in the population, got size={size}"
            )
        if checked > sys.maxsize:
            raise ValueError(f"size must be at most {sys.maxsize}, got size={size}")
        return checked

    def indices(self, dataset: Iterable[Any], what: str = "dataset") -> Indices:
        """Return the positions of a dataset's records among `values`, sorted; refuse strangers.

        >>> Universe.population([10, 20, 20]).indices((20, 10))
        (0, 1)

        Cost: O(v + n log n) for n records; `what` names them in a message.
        Raises ValueError for values outside the universe or too many copies of one, TypeError for
        what is no dataset.
        """
        records = sequence(dataset, what)
        position = {value: i for i, value in enumerate(self.exact_values)}
        found = []
        for record in records:
            key = None if record is None else exact_number(record, f"{what} record")
            if key not in position:
                raise ValueError(f"{what} must hold values of the universe, got {record!r}")
            found.append(position[key])
        found.sort()
        copies = self.copies(len(found))
        for i, held in Counter(found).items():
            if held > copies[i]:
                raise ValueError(
                    f"{what} must hold at most {copies[i]} records of value {self.values[i]!r}, got {held}"
                )
        return tuple(found)

    def __repr__(self) -> str:
        kind = "value_range" if self.unlimited else "population"
        name = "" if self.name is None else f", name={self.name!r}"
        return f"Universe.{kind}({_abridged(self)}{name})"


def check_universe(universe: Any) -> None:
    """Refuse what is not a universe.

    >>> check_universe(Universe.value_range([1, 2]))

    Raises TypeError.
    """
    if not isinstance(universe, Universe):
        raise TypeError(f"universe must be a Universe, got {universe!r}")


def multisets(copies: Sequence[int], size: int) -> Iterator[Indices]:
    """Yield every multiset of `size` indices i, each at most copies[i] times, lexicographically.

    >>> list(multisets([1, 2], 2))
    [(0, 1), (1, 1)]

    Cost: each multiset as it is asked for; none is held.
    """
    held = [i for i, limit in enumerate(copies) if limit]
    if all(copies[i] == 1 for i in held):
        return combinations(held, size)
    if all(copies[i] >= size for i in held):
        return combinations_with_replacement(held, size)
    room = [sum(copies[i] for i in held[j:]) for j in range(len(held) + 1)]
    return _mixed_multisets(copies, held, room, 0, size)


def _mixed_multisets(
    copies: Sequence[int], held: list[int], room: list[int], j: int, size: int
) -> Iterator[Indices]:
    """Multisets from held[j:]; room[j] is how many records those can supply."""
    if size == 0:
        yield ()
        return
    if room[j] < size:
        return
    for taken in range(min(copies[held[j]], size), -1, -1):
        head = (held[j],) * taken
        for tail in _mixed_multisets(copies, held, room, j + 1, size - taken):
            yield head + tail


def _bounded_power(copies: int, values: int, size: int) -> np.ndarray:
    """Coefficients 0..size of (1 + x + … + x^copies)^values, by inclusion and exclusion."""
    coefficients = [
        sum(
            (-1) ** i
            * math.comb(values, i)
            * math.comb(j - i * (copies + 1) + values - 1, values - 1)
            for i in range(min(values, j // (copies + 1)) + 1)
        )
        for j in range(size + 1)
    ]
    return np.array(coefficients, dtype=object)


def _checked_source(source: Any, what: str) -> np.ndarray | Dataset:
    """Return the values as an array of ints or floats where that loses nothing, else a tuple."""
    if isinstance(source, (str, bytes, dict, pd.DataFrame)) or not isinstance(source, Iterable):
        raise TypeError(f"{what} must be a sequence of numbers, got {source!r}")
    array = source.to_numpy() if isinstance(source, pd.Series) else source
    if isinstance(array, np.ma.MaskedArray):
        array = array.tolist()  # what is masked becomes None: sorting would lay it bare
    if not isinstance(array, np.ndarray):
        array = _as_array(list(array))
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {array.shape}")
    if len(array) == 0:
        raise ValueError(f"{what} must not be empty, got {source!r}")
    if isinstance(array, np.ndarray) and array.dtype.kind == "i":
        return array.copy()  # the caller may change theirs before ours is first sorted
    if isinstance(array, np.ndarray) and array.dtype == np.float64:
        if not np.isfinite(array).all():
            raise ValueError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
        return array.copy()
    for value in array:
        if value is not None:
            exact_number(value, what)
    if all(value is None for value in array):
        raise ValueError(f"{what} must hold at least one number, got only None")
    if isinstance(array, np.ndarray) and array.dtype.kind in "bu":
        return tuple(array.tolist())
    return tuple(array)  # short floats keep their own type


def _as_array(values: list[Any]) -> np.ndarray | list[Any]:
    """An array where all are ints of 64 bits or all are floats; else the list as it is."""
    kinds = set(map(type, values))
    if kinds == {float}:
        return np.array(values)
    if kinds == {int} and -(2**63) <= min(values) and max(values) < 2**63:
        return np.array(values, dtype=np.int64)
    return values


def _decimal_integers(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """Floats with at most 15 significant digits as integers over a power of ten, else None.

    A decimal of at most 15 digits is the shortest text of the float nearest to it, so finding
    any such decimal for every float finds its text, without writing it.
    """
    for digits in range(16):
        integers = np.rint(values * 10.0**digits)
        if np.abs(integers).max() >= 1e15:
            return None
        if np.array_equal(integers / 10.0**digits, values):
            return integers.astype(np.int64), 10**digits
    return None


def _abridged(universe: Universe, most: int = 12) -> str:
    """The values as a list, copies repeated; of many, the first and last and how many."""
    counts = universe._distinct[1]
    total = len(counts) if universe.unlimited else int(counts.sum())
    if total <= most:
        copies = [1] * len(counts) if universe.unlimited else counts.tolist()
        shown = [
            value
            for value, times in zip(universe.values, copies, strict=True)
            for _ in range(times)
        ]
        return number_repr(shown)
    first, last = Universe(universe._distinct[0][:: len(counts) - 1], True, None).values
    ends = f"[{number_repr(first)}, …, {number_repr(last)}]"
    return f"{ends}, {total:,} {'values' if universe.unlimited else 'records'}"
