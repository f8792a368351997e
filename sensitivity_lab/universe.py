"""What a dataset may hold: the values, and how many copies of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, combinations_with_replacement
from typing import Any

import numpy as np

from sensitivity_lab.did_you_mean import SaysWhich
from sensitivity_lab.extension import METHODS, OfUniverse, is_foreign
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import MOST_LISTED, Exact, brief, by_name, whole_number
from sensitivity_lab.numbers.text import number_repr
from sensitivity_lab.records import Source, read_only, require_values, source_given

Dataset = tuple[Any, ...]
Indices = tuple[int, ...]

LARGEST_SIZE = 2**63 - 1  # beyond it a range has no length, on most computers
MAKERS = (
    "Universe.population(...) makes one of known records, Universe.value_range(...) "
    "one of values that may come any number of times"
)
MOST_WRITTEN = 12  # values that a universe is written with

SHOWN = f"""population value_range count datasets name values distinct records numeric
{METHODS["OfUniverse"]}""".split()

Giver = Callable[[Indices], Any]  # makes the dataset at some positions


class _Shown(SaysWhich, type):
    """Lists what a user calls; the methods ask for the machinery by its name."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name in SHOWN or name.startswith("__")]


@dataclass(frozen=True, eq=False, repr=False)
class Universe(OfUniverse, metaclass=_Shown):
    """The values that datasets are drawn from, and how many copies of each there are.

    Make one with `Universe.population` (known records, each in a dataset at most once),
    or `Universe.value_range` (any number of copies).

    >>> Universe.population([2, 1, 2])
    Universe.population([1, 2, 2])
    >>> Universe.value_range([1, 2, 3], name="proficiency")
    Universe.value_range([1, 2, 3], name='proficiency')

    Two universes are equal where functions receive the same from both: the same kind, values of the
    same types with the same copies, and name, in whatever order. It can be pickled. Values that are
    equal as numbers are one value, which functions receive in one form: of 1 and 1.0 either.

    >>> Universe.population([2, 1]) == Universe.population([1, 2])
    True

    Below, m is the number of records and v that of different values. Cost: one copy, and a sort.
    Source: def-universe in the book's lookup on neighbours.
    """

    source: Source = None  # type: ignore[assignment]  # who leaves it out is told of the makers
    unlimited: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, Source):
            raise TypeError(f"universe must come from a method, got {brief(self.source)}: {MAKERS}")

    def __dir__(self) -> list[str]:
        return dir(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.unlimited, self.name)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Universe):
            return NotImplemented
        return (
            (self.unlimited, self.name, hash(self)) == (other.unlimited, other.name, hash(other))
            and self.source.are_those_of(other.source)
            and (self.unlimited or np.array_equal(self.counts, other.counts))
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.unlimited, self.name, self.records, self.source))

    @classmethod
    @by_name
    def population(cls, records: Iterable[Any], *, name: str | None = None) -> Universe:
        """Return the universe of known records: each is in a dataset at most once.

        >>> Universe.population([1, 2, 2]).count(size=2)
        2

        Records are numbers, or anything that can be hashed, or a table, whose parts functions then
        receive. Two records with equal values are two records.
        A Series of pandas or polars brings its name; a pyarrow Array serves, too. A Decimal is read
        as the Fraction that it is; a function of your own still receives the Decimal.
        Cost: arrays stay arrays; they are sorted once, when first needed: O(m log m).
        Raises ValueError for an empty universe, NaN or infinities, TypeError for text among
        numbers and for records that have no hash.
        Source: def-universe in the book's lookup on neighbours.
        """
        return cls.of(records, "records", unlimited=False, name=name)

    @classmethod
    @by_name
    def value_range(cls, values: Iterable[Any], *, name: str | None = None) -> Universe:
        """Return the universe of values that a record may take: copies never run out.

        >>> list(Universe.value_range([1, 2]).datasets(size=2))
        [(1, 1), (1, 2), (2, 2)]

        Cost and errors: as `Universe.population`; a tuple of two numbers, which may be meant as
        bounds, is refused. A value that is named twice counts once.
        Source: thm-vehicle-copies in the chapter *A blog, checked*: how many copies are enough.
        """
        require_values(values, "values")
        return cls.of(values, "values", unlimited=True, name=name)

    @classmethod
    def of(cls, source: Any, what: str, *, unlimited: bool, name: str | None = None) -> Universe:
        """Return a population, or the range of some values; messages call them `what`."""
        if name is None and hasattr(type(source), "to_numpy") and not is_foreign(source):
            named = getattr(source, "name", None)  # as a column is; one of polars may have ""
            name = str(named) if named else None
        return cls(source_given(source, what, once=unlimited), unlimited, name)

    @property
    def numeric(self) -> bool:
        """Whether the records are numbers (and None), which standard queries are asked of."""
        return self.source.numeric

    @cached_property
    def counts(self) -> np.ndarray:
        """How many copies of each value there are, (v,) whole numbers."""
        return read_only(self.source.counts)

    def given(self, positions: Iterable[int], exact: bool = False) -> Any:
        """Return the dataset at some positions among `values`, as functions, or `exact` ones,
        receive it.

        >>> Universe.population([10, 20, 20]).given((0, 1))
        (10, 20)
        """
        return self.source.giver(exact)(tuple(positions))

    @cached_property
    def values(self) -> Dataset:
        """The distinct values, ascending, as the caller gave them; a missing record is last."""
        return self.source.values

    @cached_property
    def exact_values(self) -> tuple[Exact | None, ...]:
        """The distinct values as exact rationals; None for a missing record."""
        return self.source.exact_values

    @cached_property
    def scaled(self) -> tuple[np.ndarray, int]:
        """The distinct values as integers, of 64 bits where these do, over one denominator."""
        return self.source.scaled

    @cached_property
    def sorted_records(self) -> np.ndarray:
        """The m records (of a range, the values), ascending, as the caller gave them."""
        return read_only(self.source.sorted_records)

    @property
    def has_missing(self) -> bool:
        """Whether a number may be missing (None)."""
        return self.source.has_missing

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.counts)

    @property
    def records(self) -> float:
        """How many records there are: an int for a population, infinity for a range."""
        return math.inf if self.unlimited else len(self.source)

    def copies(self, size: int) -> list[int]:
        """Return how many copies of each distinct value a dataset of `size` can hold.

        >>> Universe.population([1, 2, 2, 2]).copies(2), Universe.value_range([1, 2]).copies(2)
        ([1, 2], [2, 2])
        """
        size = whole_number(size, "size", 0)
        if self.unlimited:
            return [size] * self.distinct
        return [*self.most_copies(min(size, len(self.source))).tolist()]

    def most_copies(self, size: int) -> np.ndarray:
        """Return `copies` in an array, for a `size` that is checked.

        >>> Universe.population([1, 2, 2, 2]).most_copies(2)
        array([1, 2])
        """
        if self.unlimited:
            return np.full(self.distinct, size, dtype=np.intp)
        return np.asarray(np.minimum(self.counts, size, dtype=np.intp))

    def count(self, size: int) -> int:
        """Return how many datasets of `size` records there are; none is built.

        >>> Universe.population(range(1, 11)).count(size=6)
        210

        Cost: O(size²) arithmetic for each distinct multiplicity. Raises ValueError for other sizes.
        Source: the coefficient of x^size in ∏(1 + x + … + x^copies); Stanley (2012), section 1.2.
        """
        size = self.checked_size(size)
        if self.unlimited:
            return math.comb(len(self.counts) + size - 1, size)
        return how_many(self.counts, size)

    def count_at_least(self, size: int, limit: int) -> int:
        """Return `count(size)` where it is at most `limit`, else a number between the two.

        >>> Universe.population(range(10**5)).count_at_least(50_000, limit=10**6)
        4999950000

        The counts are symmetric, and rise up to half the population: Stanley (1989), proposition 1.
        """
        size, limit = self.checked_size(size), whole_number(limit, "limit", 0)
        # Sizes are doubled up to the goal: the first count beyond the limit is enough.
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

        Cost: `count(size)` tuples, one at a time. Raises ValueError for sizes that no list has.
        Source: def-dataset in the book's lookup on neighbours.
        """
        size = self.checked_size(size)
        if size > MOST_LISTED:
            raise TooLarge(f"size must be at most {MOST_LISTED:,} to build datasets, got {size=}")
        return (self.given(indices) for indices in multisets(self.copies(size), size))

    def checked_size(self, size: Any) -> int:
        """Return `size` as an int, or refuse one that no dataset of this universe has.

        >>> Universe.population([1, 2, 2]).checked_size(3)
        3
        """
        if isinstance(size, Sized) and not isinstance(size, (str, range)):
            raise TypeError(
                f"size must be a number, or a range as range(2, 5), got {brief(size)}: where parts "
                "of the data have sizes of their own, ask of each alone"
            )
        checked = whole_number(size, "size", 0)
        if checked > self.records:
            raise ValueError(
                f"size must be at most {self.records}, the records in the population, got "
                f"size={brief(size)}"
            )
        if checked > LARGEST_SIZE:
            raise ValueError(f"size must be at most {LARGEST_SIZE}, got size={brief(size)}")
        return checked

    def indices(self, dataset: Iterable[Any]) -> Indices:
        """Return the positions of a dataset's records among `values`, sorted; refuse strangers.

        >>> Universe.population([10, 20, 20]).indices((20, 10))
        (0, 1)

        Raises ValueError for values outside the universe or too many copies of one, TypeError for
        what is no dataset.
        """
        return tuple(self.positions(dataset).tolist())

    def positions(self, dataset: Iterable[Any]) -> np.ndarray:
        """Return `indices` in an array.

        >>> Universe.population([10, 20, 20]).positions((20, 10))
        array([0, 1])
        """
        positions = self.source.positions(dataset, "dataset")
        positions.sort()
        held = np.bincount(positions, minlength=self.distinct)
        too_many = np.flatnonzero(held > self.most_copies(len(positions)))
        if len(too_many):
            i = int(too_many[0])
            raise ValueError(
                f"dataset must hold at most {self.counts[i]} records of value "
                f"{brief(self.values[i])}, got {held[i]}"
            )
        return positions

    def __repr__(self) -> str:
        kind = "value_range" if self.unlimited else "population"
        name = "" if self.name is None else f", name={self.name!r}"
        counts = np.ones_like(self.counts) if self.unlimited else self.counts
        total = int(counts.sum(dtype=np.int64))
        if total <= MOST_WRITTEN:  # copies repeated; of more the first and last, and how many
            pairs = zip(self.values, counts.tolist(), strict=True)
            shown = number_repr([value for value, times in pairs for _ in range(times)])
        else:
            ends = f"[{number_repr(self.values[0])}, …, {number_repr(self.values[-1])}]"
            shown = f"{ends}, {total:,} {'values' if self.unlimited else 'records'}"
        return self.source.written(kind, shown, name)


def multisets(copies: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of `size` indices i, each at most copies[i] times, lexicographically."""
    # Two kinds of copies are Python's own: each value once, or as often as one likes.
    held = [i for i, limit in enumerate(copies) if limit]
    if all(copies[i] == 1 for i in held):
        return combinations(held, size)
    if all(copies[i] >= size for i in held):
        return combinations_with_replacement(held, size)
    return _mixed_multisets(held, [copies[i] for i in held], size)


def _mixed_multisets(held: list[int], copies: list[int], size: int) -> Iterator[tuple[int, ...]]:
    """Multisets of `size`, each the next after the one before: its last that can rise does."""
    room = [*accumulate(reversed(copies), initial=0)][::-1]  # records that values from j on supply
    chosen: list[int] = []  # positions in `held`
    kept, j = 0, 0
    while room[j] >= size - kept:
        # Keep what does not rise, and fill up with the lowest values that are left.
        del chosen[kept:]
        while len(chosen) < size:
            chosen += [j] * min(copies[j], size - len(chosen))
            j += 1
        yield tuple(held[position] for position in chosen)
        # The last entry rises that leaves enough records above it for the places behind.
        rising = (p for p in range(size - 1, -1, -1) if room[chosen[p] + 1] >= size - p)
        kept = next(rising, -1)
        if kept < 0:
            return
        j = chosen[kept] + 1


def how_many(copies: np.ndarray, size: int) -> int:
    """Return how many multisets of `size` there are, each value at most `copies` times."""
    kinds = list(zip(*np.unique(copies, return_counts=True), strict=True))
    if len(kinds) == 1 and kinds[0][0] == 1:
        return math.comb(len(copies), size)
    # A polynomial for each multiplicity: the coefficient of x^size counts the multisets.
    ways = np.array([1], dtype=object)
    for most, values in kinds:
        ways = np.convolve(ways, _bounded_power(int(most), int(values), size))[: size + 1]
    return int(ways[size])


def _bounded_power(copies: int, values: int, size: int) -> np.ndarray:
    """Coefficients 0..size of (1 + x + … + x^copies)^values, by inclusion and exclusion."""

    def coefficient(j: int) -> int:
        left = [(i, j - i * (copies + 1)) for i in range(min(values, j // (copies + 1)) + 1)]
        ways = ((i, math.comb(rest + values - 1, values - 1)) for i, rest in left)
        return sum((-1) ** i * math.comb(values, i) * free for i, free in ways)

    return np.array([*map(coefficient, range(size + 1))], dtype=object)


def check_universe(universe: Any) -> None:
    """Refuse what is not a universe."""
    if not isinstance(universe, Universe):
        raise TypeError(f"universe must be a Universe, got {brief(universe)}: {MAKERS}")
