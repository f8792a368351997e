"""What a dataset may hold: the values, and how many copies of each."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, combinations_with_replacement
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.exact import (
    MOST_LISTED,
    Exact,
    brief,
    drawn,
    exact_number,
    is_real,
    sequence,
    simplest,
    whole_number,
)
from sensitivity_lab.tabular.clipped import Always, Clipped
from sensitivity_lab.tabular.people import AnyPeople, People
from sensitivity_lab.tabular.records import Records, called_on
from sensitivity_lab.tabular.rows import Rows, all_rows, is_table
from sensitivity_lab.text import number_repr

Dataset = tuple[Any, ...]
Indices = tuple[int, ...]
SHORT_FLOATS = (np.float16, np.float32)  # kept as they are: as Python floats they print longer


Giver = Callable[[Indices], Any]  # makes the dataset at some positions


@dataclass(frozen=True)
class Listed:
    """Makes tuples of some values.

    >>> Listed((10, 20))((0, 1, 1))
    (10, 20, 20)
    """

    values: Dataset

    def __call__(self, positions: Indices) -> Dataset:
        """The values at some positions."""
        return tuple(self.values[i] for i in positions)


@dataclass(frozen=True, eq=False, repr=False)
class Universe:
    """The values that datasets are drawn from, and how many copies of each there are.

    Make one with `Universe.population` (known records, each in a dataset at most once) or
    `Universe.value_range` (any number of copies of each value).

    >>> Universe.population([2, 1, 2])
    Universe.population([1, 2, 2])
    >>> Universe.value_range([1, 2, 3], name="proficiency")
    Universe.value_range([1, 2, 3], name='proficiency')

    Two universes are equal where functions receive the same from both: the same kind, the same
    values of the same types with the same copies, and the same name, whatever order they were
    given in. Its arrays are read-only, and it can be pickled. Values that are equal as numbers
    are one value, and functions receive it in one form: a universe of 1 and 1.0, of 0.0 and -0.0
    or of 19.99 and numpy.float32(19.99) shows them one of the two.

    >>> Universe.population([2, 1]) == Universe.population([1, 2])
    True

    Below, m is the number of records and v that of different values.
    Cost: one copy of what is given; it is sorted once, when first needed.
    Source: def-universe in the book's chapter on neighbours.
    """

    # a read-only numpy array of ints or floats; a tuple of numbers (and None); or other records
    source: Any
    unlimited: bool
    name: str | None

    def __post_init__(self) -> None:
        if isinstance(self.source, np.ndarray) and self.source.flags.writeable:
            object.__setattr__(self, "source", _read_only(self.source.copy()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.unlimited, self.name)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Universe):
            return NotImplemented
        if self.numeric != other.numeric:
            return False
        if not self.numeric:
            same = (self.unlimited, self.name) == (other.unlimited, other.name)
            if self.unlimited:
                return same and bool(self.source.are_those_of(other.source))
            return same and bool(self.source == other.source)
        return (
            (self.unlimited, self.name) == (other.unlimited, other.name)
            and hash(self) == hash(other)
            and (self.unlimited or np.array_equal(self._distinct[1], other._distinct[1]))
            and _same_values(self._distinct[0], other._distinct[0])
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        if not self.numeric:
            return hash((self.unlimited, self.name, self.source))
        values = self._distinct[0]
        ends = [None if end is None else exact_number(end) for end in (values[0], values[-1])]
        return hash((self.unlimited, self.name, self.records, len(values), *ends))

    @classmethod
    def population(cls, records: Iterable[Any], *, name: str | None = None) -> Universe:
        """Return the universe of known records: each is in a dataset at most once.

        >>> Universe.population([1, 2, 2]).count(size=2)
        2

        Records are numbers, or anything that can be hashed, or the rows of a pandas, polars or
        pyarrow table, which functions then receive:

        >>> staff = Universe.population(pd.DataFrame({"team": ["law", "art"], "pay": [50, 40]}))
        >>> next(staff.datasets(size=1))
          team  pay
        0  art   40

        Two records with equal values are two records. A Series of pandas or polars brings its
        name; a pyarrow Array serves, too.
        Cost: arrays stay arrays; they are sorted once, when first needed: O(m log m).
        Raises ValueError for an empty universe, NaN or infinities, TypeError for text among
        numbers and for records that have no hash.
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
    def product(cls, *, name: str | None = None, **columns: Iterable[Any]) -> Universe:
        """Return the universe of all rows that combine some values: copies never run out.

        >>> anyone = Universe.product(department=["law", "art"], salary=[0, 50])
        >>> anyone.distinct
        4
        >>> next(anyone.datasets(size=2))
          department  salary
        0        art       0
        1        art       0

        Functions receive a pandas DataFrame. A column that is called `name` cannot be given so:
        make the table and pass it to `value_range`.
        Raises ValueError for a column without values, TypeError for what is no list.
        """
        return cls.value_range(all_rows(columns), name=name)  # type: ignore[arg-type]

    @classmethod
    def people(
        cls,
        tables: Any,
        *,
        id: str | None = None,
        most_rows: int | None = None,
        name: str | None = None,
    ) -> Universe:
        """Return the universe of people: a record is a person with all their rows.

        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 4]})
        >>> buyers = Universe.people(orders, id="customer")
        >>> buyers, buyers.count(size=1)
        (Universe.people(['a', 'b'], id='customer'), 2)
        >>> anybody = Universe.people(Universe.product(price=[0, 9]), most_rows=2)
        >>> anybody.distinct
        6

        With an `id`, the people named in a table, or in any table of a dict; functions receive all
        rows of the dataset's people, as the tables are, the id included. With `most_rows`, any
        people who bring at most so many rows of a universe of rows each; the column `person`
        numbers them. `SymmetricDifference(1)` over people is one person who joins or leaves with
        everything they have.

        Raises TypeError for what is no table, ValueError for one without the id's column, or with
        an id missing.
        """
        if (id is None) == (most_rows is None):
            raise ValueError(f"give either id or most_rows, got id={id!r}, most_rows={most_rows!r}")
        if id is not None:
            return cls(People.of_tables(tables, id), False, name)
        rows = tables.source if isinstance(tables, Universe) else tables
        if not isinstance(rows, Rows):
            rows = Rows(rows, "rows")
        most = whole_number(most_rows, "most_rows", 0)
        return cls(AnyPeople.of_rows(rows, most), True, name)

    @classmethod
    def _of(cls, source: Any, unlimited: bool, name: str | None, what: str) -> Universe:
        if name is None and nw.dependencies.is_into_series(source):
            given = getattr(source, "name", None)  # a column of pyarrow has none, polars' may be ""
            name = None if given in (None, "") else str(given)
        return cls(_checked_source(source, what), unlimited, name)

    @property
    def numeric(self) -> bool:
        """Whether the records are numbers (and None), which standard queries are asked of.

        >>> Universe.value_range([1, 2]).numeric, Universe.value_range(["no", "yes"]).numeric
        (True, False)
        """
        return not isinstance(self.source, Records)

    @property
    def holds_people(self) -> bool:
        """Whether a record is a person, who may bring several rows.

        >>> Universe.people(Universe.product(age=[30]), most_rows=1).holds_people
        True
        """
        return isinstance(self.source, (People, AnyPeople))

    @property
    def tabular(self) -> bool:
        """Whether functions receive tables.

        >>> Universe.product(age=[30, 40]).tabular
        True
        """
        return isinstance(self.source, Records) and self.source.tabular

    def _require_numbers(self) -> None:
        if not self.numeric:
            raise TypeError(
                f"universe must hold numbers here, got records such as {brief(self.values[0])}: ask "
                "of a column or a function of a record, as in MEAN.of(...)"
            )

    def given(self, positions: Iterable[int], exact: bool = False) -> Any:
        """Return the dataset at some positions among `values`, in the form that functions receive.

        >>> Universe.population([10, 20, 20]).given((0, 1))
        (10, 20)

        `exact` numbers are ints and Fractions. Cost: linear in the dataset.
        """
        return self.giver(exact)(tuple(positions))

    def numbers_of(self, what: Any) -> Any:
        """Return what a function of a record, or a column, makes of each of the m records.

        >>> Universe.population(["yes", "no"]).numbers_of(len)
        [2, 3]

        A range has each value once. Errors: whatever the function raises, as a ValueError.
        """
        if isinstance(what, Clipped):
            return what.of_all(self.numbers_of(what.of))
        if isinstance(what, Always):
            return np.full(len(self.source), what.number)
        if what is None:
            self._require_numbers()
            return self.sorted_records
        return self.said(what)

    def said(self, what: Any, asked: str = "of") -> Any:
        """Return what a column, or a function of a record, says of each of the m records.

        >>> Universe.population(["yes", "no"]).said(str.upper)
        ['NO', 'YES']

        Errors: as `numbers_of`; `asked` is what they call the function.
        """
        if isinstance(self.source, Records):
            return self.source.said(what, asked)
        if not callable(what):
            raise ValueError(f"{asked} must be a function of one record here, got {brief(what)}")
        return [called_on(what, record, asked) for record in self.sorted_records.tolist()]

    def each(self, positions: Iterable[int]) -> list[Any]:
        """Return the records at some positions, as functions of one record receive them.

        >>> Universe.population([10, 20]).each((1, 1))
        [20, 20]
        """
        if isinstance(self.source, Records):
            return list(self.source.each(list(positions)))
        return [self.values[i] for i in positions]

    def of_members(self, members: np.ndarray) -> Any:
        """Return the dataset of some of the m records, by their places in the universe's order.

        >>> Universe.population([20, 10, 20]).of_members(np.array([0, 2]))
        (10, 20)
        """
        if isinstance(self.source, Records):
            return self.source.at(members)
        return tuple(self.sorted_records[members].tolist())

    def positions_of_members(self, members: np.ndarray) -> np.ndarray:
        """Return where some of the m records stand among the values.

        >>> Universe.population([20, 10, 20]).positions_of_members(np.array([0, 2]))
        array([0, 1])
        """
        if isinstance(self.source, Records):
            return self.source.positions_at(members)
        return members if self.unlimited else np.array(self.value_of, dtype=np.int64)[members]

    def tables(self, positions: Iterable[int]) -> dict[str | None, Any] | None:
        """Return the dataset at some positions as tables by name, where datasets are tables.

        >>> Universe.population([1, 2]).tables((0,)) is None
        True
        """
        if isinstance(self.source, Records):
            return self.source.tables(list(positions))
        return None

    def giver(self, exact: bool = False) -> Giver:
        """Return what makes datasets of positions, as `given`; it can be sent to other processes.

        >>> Universe.population([10, 20, 20]).giver()((0, 1))
        (10, 20)
        """
        if isinstance(self.source, Records):
            return self.source.given
        return Listed(self.exact_values if exact else self.values)

    @cached_property
    def _distinct(self) -> tuple[Any, np.ndarray]:
        """The distinct values ascending (array, or tuple for mixed numbers) and their counts."""
        if isinstance(self.source, Records):
            return self.source.values, _read_only(self.source.counts)
        if isinstance(self.source, np.ndarray):
            ordered = self._ordered
            first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
            return _read_only(ordered[first]), _read_only(np.diff(np.append(first, len(ordered))))
        first_seen: dict[Any, Any] = {}
        counted: Counter[Any] = Counter()
        for value in self.source:
            key = None if value is None else exact_number(value)
            first_seen.setdefault(key, value)
            counted[key] += 1
        keys = sorted(key for key in first_seen if key is not None)
        keys += [None] * (None in first_seen)
        counts = np.array([counted[key] for key in keys])
        return tuple(first_seen[key] for key in keys), _read_only(counts)

    @cached_property
    def _ordered(self) -> np.ndarray:
        """An array's records, ascending."""
        return _read_only(np.sort(self.source))

    @cached_property
    def values(self) -> Dataset:
        """The distinct values, ascending, as the caller gave them; a missing record is last.

        >>> Universe.population([2, None, 1, 2]).values
        (1, 2, None)

        Cost: one sort, O(m log m), once.
        """
        return _as_given(self._distinct[0])

    @cached_property
    def exact_values(self) -> tuple[Exact | None, ...]:
        """The distinct values as exact rationals; None for a missing record.

        >>> Universe.value_range([1, 0.5]).exact_values
        (Fraction(1, 2), 1)

        Cost: `exact_number` of each of the v values, once; of an array, as `scaled`.
        """
        self._require_numbers()
        if not isinstance(self.source, np.ndarray):
            return tuple(None if value is None else exact_number(value) for value in self.values)
        integers, scale = self.scaled
        if scale == 1:
            return tuple(integers.tolist())
        return tuple(simplest(Fraction(integer, scale)) for integer in integers.tolist())

    @cached_property
    def scaled(self) -> tuple[np.ndarray, int]:
        """The distinct values as integers over one denominator: (v integers, denominator).

        >>> Universe.value_range([0.5, 0.1]).scaled
        (array([1, 5]), 10)

        The integers are int64, or Python ints where 64 bits are too few.
        Cost: O(v) in NumPy for ints and floats of at most 15 digits; for other floats v short
        texts, read in NumPy; else one Fraction for each value. Once.
        """
        self._require_numbers()
        values = self._distinct[0]
        if isinstance(values, np.ndarray):
            return _scaled_array(values)
        exact = [Fraction(value) for value in self.exact_values if value is not None]
        scale = math.lcm(*(value.denominator for value in exact))
        return _read_only(_integers([int(value * scale) for value in exact])), scale

    @cached_property
    def sorted_records(self) -> np.ndarray:
        """The m records (of a range, the values), ascending, as the caller gave them.

        >>> Universe.population([2, 1, 2]).sorted_records
        array([1, 2, 2])

        Cost: one sort, O(m log m), once.
        """
        if isinstance(self.source, np.ndarray) and self.source.dtype not in SHORT_FLOATS:
            return self._distinct[0] if self.unlimited else self._ordered
        values, counts = self._distinct
        given = np.empty(len(values), dtype=object)
        given[:] = _as_given(values)
        return _read_only(given if self.unlimited else np.repeat(given, counts))

    @cached_property
    def sorted_scaled(self) -> tuple[np.ndarray, int]:
        """The m records of a population, ascending, as integers over one denominator.

        >>> Universe.population([2, 0.5, 2]).sorted_scaled
        (array([1, 4, 4]), 2)

        Cost: as `sorted_records` and `scaled`, once.
        """
        self._require_numbers()
        if isinstance(self.source, np.ndarray):
            return _scaled_array(self._ordered)
        integers, scale = self.scaled
        return _read_only(np.repeat(integers, self._distinct[1])), scale

    @cached_property
    def value_of(self) -> Indices:
        """The position among `values` of each of a population's m records, ascending.

        >>> Universe.population([20, 10, 20]).value_of
        (0, 1, 1)

        Cost: O(m), once.
        """
        return tuple(np.repeat(np.arange(self.distinct), self._distinct[1]).tolist())

    @property
    def has_missing(self) -> bool:
        """Whether a record may be missing (None).

        >>> Universe.value_range([1, None]).has_missing
        True
        """
        return isinstance(self.source, tuple) and None in self.source

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

        Cost: O(v). Errors: as `whole_number`.
        """
        size = whole_number(size, "size", 0)
        if self.unlimited:
            return [size] * self.distinct
        copies: list[int] = self._copies(min(size, len(self.source))).tolist()
        return copies

    def _copies(self, size: int) -> np.ndarray:
        """As `copies`, in an array; for a `size` that is checked.

        >>> Universe.population([1, 2, 2, 2])._copies(2)
        array([1, 2])

        Cost: O(v).
        """
        counts = self._distinct[1]
        return np.full_like(counts, size) if self.unlimited else np.minimum(counts, size, dtype=int)

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
        Cost: `count` at the sizes 1, 2, 4, … until one passes the limit. Errors: as `count`, and
        `whole_number` for the limit.
        Source: Stanley (1989), Annals of the New York Academy of Sciences 576, proposition 1.
        """
        size, limit = self.checked_size(size), whole_number(limit, "limit", 0)
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

        Cost: `count(size)` tuples, one at a time. Errors: as `count`, and ValueError for a size that
        no list has.
        Source: def-dataset in the book's chapter on neighbours.
        """
        size = self.checked_size(size)
        if size > MOST_LISTED:
            raise TooLarge(
                f"size must be at most {MOST_LISTED:,} where datasets are built, got {size=}"
            )
        return (self.given(indices) for indices in multisets(self.copies(size), size))

    def checked_size(self, size: Any) -> int:
        """Return `size` as an int, or refuse one that no dataset of this universe has.

        >>> Universe.population([1, 2, 2]).checked_size(3)
        3

        Raises ValueError for a size above the population, and as `whole_number`.
        """
        checked = whole_number(size, "size", 0)
        if checked > self.records:
            raise ValueError(
                f"size must be at most {self.records}, the records in the population, got size={brief(size)}"
            )
        if checked > sys.maxsize:
            raise ValueError(f"size must be at most {sys.maxsize}, got size={brief(size)}")
        return checked

    def indices(self, dataset: Iterable[Any], what: str = "dataset") -> Indices:
        """Return the positions of a dataset's records among `values`, sorted; refuse strangers.

        >>> Universe.population([10, 20, 20]).indices((20, 10))
        (0, 1)

        Cost: O(n log v) in NumPy for an array and n records of its kind, else O(v + n log n).
        `what` names them in a message.
        Raises ValueError for values outside the universe or too many copies of one, TypeError for
        what is no dataset.
        """
        return tuple(self._places(dataset, what).tolist())

    def _places(self, dataset: Iterable[Any], what: str = "dataset") -> np.ndarray:
        """As `indices`, in an array.

        >>> Universe.population([10, 20, 20])._places((20, 10))
        array([0, 1])
        """
        found = None
        if isinstance(self.source, Records):
            found = self.source.positions(dataset, what)
        elif type(dataset) is np.ndarray and dataset.ndim == 1:  # no mask, no rows
            found = self._found_in_array(dataset)
        if found is None:
            records = sequence(dataset, what)
            found = self._found_in_array(records)
        if found is None:
            found = self._found_one_by_one(records, what)
        found.sort()
        held = np.bincount(found, minlength=self.distinct)
        too_many = np.flatnonzero(held > self._copies(len(found)))
        if len(too_many):
            i = int(too_many[0])
            raise ValueError(
                f"{what} must hold at most {self._distinct[1][i]} records of value "
                f"{brief(self.values[i])}, got {held[i]}"
            )
        return found

    def _found_in_array(self, records: np.ndarray | Dataset) -> np.ndarray | None:
        """The positions of records that are all of the array's own kind and in it, else None."""
        values, given = self._distinct[0], records
        if not isinstance(given, np.ndarray):
            given = _as_array(given)
        if not isinstance(values, np.ndarray) or not isinstance(given, np.ndarray):
            return None
        both_whole = values.dtype.kind == given.dtype.kind == "i"
        if not both_whole and values.dtype != given.dtype:
            return None
        found = np.searchsorted(values, given)
        found[found == len(values)] = 0
        return found if np.array_equal(values[found], given) else None

    def _found_one_by_one(self, records: Dataset, what: str) -> np.ndarray:
        position = {value: i for i, value in enumerate(self.exact_values)}
        found = []
        for record in records:
            key = None if record is None else exact_number(record, f"{what} record")
            if key not in position:
                raise ValueError(f"{what} must hold values of the universe, got {brief(record)}")
            found.append(position[key])
        return np.array(found, dtype=np.int64)

    def __repr__(self) -> str:
        kind = "value_range" if self.unlimited else "population"
        if isinstance(self.source, (People, AnyPeople)):
            id = f", id={self.source.id!r}" if isinstance(self.source, People) else ""
            name = "" if self.name is None else f", name={self.name!r}"
            return f"Universe.people({_abridged(self)}{id}{name})"
        name = "" if self.name is None else f", name={self.name!r}"
        return f"Universe.{kind}({_abridged(self)}{name})"


def check_universe(universe: Any) -> None:
    """Refuse what is not a universe.

    >>> check_universe(Universe.value_range([1, 2]))

    Raises TypeError.
    """
    if not isinstance(universe, Universe):
        raise TypeError(f"universe must be a Universe, got {brief(universe)}")


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
    return _mixed_multisets(held, [copies[i] for i in held], size)


def _mixed_multisets(held: list[int], copies: list[int], size: int) -> Iterator[Indices]:
    """Multisets of `size`, each the next after the one before: its last place that can rise does."""
    room = [*accumulate(reversed(copies), initial=0)][::-1]  # records that values from j on supply
    chosen: list[int] = []  # positions in `held`
    place, j = 0, 0
    while room[j] >= size - place:
        del chosen[place:]
        while len(chosen) < size:
            chosen += [j] * min(copies[j], size - len(chosen))
            j += 1
        yield tuple(held[position] for position in chosen)
        rising = (p for p in range(size - 1, -1, -1) if room[chosen[p] + 1] >= size - p)
        place = next(rising, -1)
        if place < 0:
            return
        j = chosen[place] + 1


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


def _checked_source(source: Any, what: str) -> np.ndarray | Dataset | Records:
    """Return the values as a read-only array of ints or floats where that loses nothing, else a tuple."""
    if is_table(source):
        return Rows(source, what)
    if isinstance(source, (str, bytes, dict)) or not isinstance(source, Iterable):
        raise TypeError(
            f"{what} must be a sequence of numbers or other records, or a table, got {brief(source)}"
        )
    array = _listed(source)
    if isinstance(array, np.ma.MaskedArray):
        array = array.tolist()  # what is masked becomes None: sorting would lay it bare
    if not isinstance(array, np.ndarray):
        array = _as_array(drawn(array, what))
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {array.shape}")
    if len(array) == 0:
        raise ValueError(f"{what} must not be empty, got {brief(source)}")
    if isinstance(array, np.ndarray) and _is_kept(array.dtype):
        if not np.isfinite(array).all():
            raise ValueError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
        return _read_only(array.copy())  # the caller may change theirs before ours is first sorted
    if not any(map(is_real, array)) and any(value is not None for value in array):
        return Records.of(array, what)
    for value in array:
        if value is not None:
            exact_number(value, what)
    if all(value is None for value in array):
        raise ValueError(f"{what} must hold at least one number, got only None")
    if isinstance(array, np.ndarray) and array.dtype.kind in "bu":
        return tuple(array.tolist())
    return tuple(array)


def _listed(source: Any) -> Any:
    """The entries of a pandas Series, or of a pyarrow Array; anything else as it is."""
    if isinstance(source, pd.Series):
        return _of_series(source)
    to_list = getattr(source, "to_pylist", None)  # pyarrow's scalars are no numbers
    return to_list() if callable(to_list) else source


def _of_series(source: pd.Series[Any]) -> Any:
    """The entries of a Series: among records that are no numbers, what is missing is None."""
    if pd.api.types.is_numeric_dtype(source.dtype) or not source.isna().any():
        return source.to_numpy()
    if any(is_real(value) for value in source.dropna()) or source.isna().all():
        return source.to_numpy()
    return [
        None if missing else value for value, missing in zip(source, source.isna(), strict=True)
    ]


def in_whole_numbers(numbers: Any) -> tuple[np.ndarray, int]:
    """Return numbers, in their order, as whole ones over one denominator.

    >>> in_whole_numbers([0.5, 2])
    (array([1, 4]), 2)
    """
    if isinstance(numbers, np.ndarray) and _is_kept(numbers.dtype) and np.isfinite(numbers).all():
        return _scaled_array(numbers)
    exact = [Fraction(exact_number(number, "of")) for number in numbers]
    scale = math.lcm(*(number.denominator for number in exact))
    return _integers([int(number * scale) for number in exact]), scale


def _as_array(values: Dataset) -> np.ndarray | Dataset:
    """An array where all are ints of 64 bits or all are floats of one kind; else as they are."""
    kinds = set(map(type, values))
    if kinds == {int} and -(2**63) <= min(values) and max(values) < 2**63:
        return np.array(values, dtype=np.int64)
    if len(kinds) == 1 and kinds <= {float, *SHORT_FLOATS}:
        return np.array(values)
    return values


def _is_kept(dtype: np.dtype[Any]) -> bool:
    """Whether an array of a dtype is kept as it is."""
    return dtype.kind == "i" or dtype in (np.float64, *SHORT_FLOATS)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _as_given(values: np.ndarray | Dataset) -> Dataset:
    """Values as functions receive them: Python's own numbers, and short floats as they are."""
    if not isinstance(values, np.ndarray):
        return values
    return tuple(values if values.dtype in SHORT_FLOATS else values.tolist())


def _same_values(a: np.ndarray | Dataset, b: np.ndarray | Dataset) -> bool:
    """Whether values are the same, and in the same form: 1 is not 1.0, nor 0.0 the same as -0.0."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return (
            (a.dtype == b.dtype or a.dtype.kind == b.dtype.kind == "i")
            and np.array_equal(a, b)
            and np.array_equal(np.signbit(a), np.signbit(b))
        )
    return list(map(_form, _as_given(a))) == list(map(_form, _as_given(b)))


def _form(value: Any) -> tuple[Any, ...]:
    """A value with what a function can tell it by from others that equal it."""
    text = str(value) if isinstance(value, Decimal) or value == 0 else ""
    return type(value), value, text


def _scaled_array(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Numbers in an array as integers over one denominator."""
    if values.dtype.kind == "i":
        return _read_only(values.astype(np.int64, copy=False)), 1
    scaled = _short_decimals(values) if values.dtype == np.float64 else None
    integers, scale = _decimals(values) if scaled is None else scaled
    return _read_only(integers), scale


def _short_decimals(values: np.ndarray) -> tuple[np.ndarray, int] | None:
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


def _decimals(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Floats as integers over a power of ten: each is written, and the texts are read in NumPy."""
    texts = list(map(str, _as_given(values)))
    mantissas, exponents = _read(texts)
    digits = max(0, -int(exponents.min()))
    return _times_powers_of_ten(mantissas, exponents + digits), 10**digits


def _read(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Decimals as (whole numbers, powers of ten): "-12.5" is -125 and -1, "1e-07" is 1 and -7.

    The text of a float has at most 17 digits, so 64 bits hold them.
    """
    exponents = np.zeros(len(texts), dtype=np.int64)
    for i, text in enumerate(texts):
        if "e" in text:
            texts[i], exponent = text.split("e")
            exponents[i] = int(exponent)
    mantissas = np.fromstring(" ".join(texts).replace(".", ""), dtype=np.int64, sep=" ")
    letters = np.array(texts, dtype=bytes)
    point = np.char.find(letters, b".")
    exponents -= np.where(point < 0, 0, np.char.str_len(letters) - point - 1)
    whole = (mantissas % 10 == 0) & (exponents == -1)  # 20.0 is 20, not 200 tenths
    mantissas[whole] //= 10
    exponents[whole] = 0
    return mantissas, exponents


def _times_powers_of_ten(mantissas: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """The products, in 64 bits where that is enough."""
    powers = np.where(mantissas == 0, 0, powers)
    most = int(powers.max())
    if most <= 18 and float((np.abs(mantissas) * 10.0**powers).max()) < 2**61:
        small: np.ndarray = mantissas * 10**powers
        return small
    tens = np.array([10**power for power in range(most + 1)], dtype=object)
    large: np.ndarray = mantissas.astype(object) * tens[powers]
    return large


def _integers(numbers: list[int]) -> np.ndarray:
    """Integers as an array, in 64 bits where that is enough."""
    return np.array(numbers, dtype=np.int64 if max(map(abs, numbers)) < 2**62 else object)


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
    first, last = universe.values[0], universe.values[-1]
    ends = f"[{number_repr(first)}, …, {number_repr(last)}]"
    return f"{ends}, {total:,} {'values' if universe.unlimited else 'records'}"
