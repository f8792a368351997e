"""What a dataset may hold: the values, and how many copies of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, combinations_with_replacement
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.did_you_mean import SaysWhich
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import MOST_LISTED, Exact, brief, by_name, whole_number
from sensitivity_lab.numbers.text import number_repr
from sensitivity_lab.records.columns import Said
from sensitivity_lab.records.numbers import read_only, source_given
from sensitivity_lab.records.people import AnyPeople, People, bounded_table
from sensitivity_lab.records.rows import Rows, all_rows
from sensitivity_lab.records.source import Source
from sensitivity_lab.records.truncation import Truncated, Truncation

Dataset = tuple[Any, ...]
Indices = tuple[int, ...]

LARGEST_SIZE = 2**63 - 1  # beyond it a range has no length, on most computers
MAKERS = (
    "Universe.population(...) makes one of known records or a table's rows, "
    "Universe.value_range(...) one of values that may come any number of times"
)
MOST_WRITTEN = 12  # values that a universe is written with

SHOWN = """population value_range product people truncated apply count datasets
name values distinct records numeric holds_people"""  # what a user calls

Giver = Callable[[Indices], Any]  # makes the dataset at some positions


class _Shown(SaysWhich, type):
    """Lists what a user calls; the methods ask for the machinery by its name."""

    def __dir__(cls) -> list[str]:
        return [
            name for name in super().__dir__() if name in SHOWN.split() or name.startswith("__")
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Universe(metaclass=_Shown):
    """The values that datasets are drawn from, and how many copies of each there are.

    Make one with `Universe.population` (known records, each in a dataset at most once),
    `Universe.value_range` or `Universe.product` (any number of copies), or `Universe.people`.

    >>> Universe.population([2, 1, 2])
    Universe.population([1, 2, 2])
    >>> Universe.value_range([1, 2, 3], name="proficiency")
    Universe.value_range([1, 2, 3], name='proficiency')

    Two universes are equal where functions receive the same from both: the same kind, values of the
    same types with the same copies, and name, in whatever order they were given. Its arrays are
    read-only, and it can be pickled. Values that are equal as numbers are one value, which
    functions receive in one form: of 1 and 1.0, or of 19.99 and numpy.float32(19.99), one of the
    two.

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

        Records are numbers, or anything that can be hashed, or the rows of a pandas, polars or
        pyarrow table, which functions then receive. Two records with equal values are two records.
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

        Cost and errors: as `Universe.population`. A value that is named twice counts once.
        Source: thm-vehicle-copies in the chapter *A blog, checked*: how many copies are enough.
        """
        return cls.of(values, "values", unlimited=True, name=name)

    @classmethod
    @by_name
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
    @by_name
    def people(
        cls,
        tables: Any,
        *,
        id: str | None = None,
        most_rows: int | None = None,
        least_rows: int = 0,
        name: str | None = None,
    ) -> Universe:
        """Return the universe of people: a record is a person with all their rows.

        >>> import pandas as pd
        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 4]})
        >>> buyers = Universe.people(orders, id="customer")
        >>> buyers, buyers.count(size=1)
        (Universe.people(['a', 'b'], id='customer'), 2)
        >>> anybody = Universe.people(Universe.product(price=[0, 9]), most_rows=2)
        >>> anybody.distinct
        6

        With an `id`, the people named in a table, or in any table of a dict; functions receive all
        rows of the dataset's people, as the tables are, the id included. With `most_rows`, any
        people who bring at most so many rows of a universe of rows each, and at least `least_rows`;
        the column `person` numbers them. A query that needs a row, as a mean does, needs a
        `least_rows`. `SymmetricDifference(1)` over people is one person who joins or leaves with
        everything they have.

        Raises TypeError for what is no table, ValueError for one without an id in every row.
        """
        if (id is None) == (most_rows is None):
            raise ValueError(
                f"give either id or most_rows, got id={brief(id)}, most_rows={brief(most_rows)}: "
                "people(rows, id='customer').truncated(rows=2) bounds what each brings"
            )
        least = whole_number(least_rows, "least_rows", 0)
        if id is not None:
            if least:
                raise ValueError(
                    f"least_rows must be 0 where people have ids, got least_rows={least}"
                )
            return cls(People(tables, id), False, name)
        given = tables.source if isinstance(tables, Universe) else tables
        rows = given if isinstance(given, Rows) else Rows(given, "rows")
        most = whole_number(most_rows, "most_rows", 0)
        if least > most:
            raise ValueError(f"least_rows must be at most most_rows, got {least} and {most}")
        return cls(AnyPeople(rows, most, least), True, name)

    def truncated(self, *, keep: str | None = None, **bounds: Any) -> Universe:
        """Return the same people with bounds on what each brings, applied in the order written.

        >>> import pandas as pd
        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 400]})
        >>> buyers = Universe.people(orders, id="customer")
        >>> buyers.truncated(clip={"price": (0, 100)}, rows=1).given([1])
          customer  price
        0        b      3
        >>> Universe.people(Universe.product(price=[0, 9]), most_rows=5).truncated(rows=2).distinct
        6

        :param rows: how many rows a person keeps: `rows=2`.
        :param groups: of how many groups of a column all rows stay: `groups=("shop", 1)`.
        :param clip: to which bounds a column's numbers are cut: `clip={"price": (0, 100)}`.
        :param keep: the column by which a person's rows come first, and so the groups that these
            are of. Where it does not tell two rows apart the others do, from left to right; what is
            missing comes last. Of people who may bring none it may be a real table's alone.

        Whoever had a row keeps one. Any people (`most_rows`) become whoever the bounds can leave:
        after `rows` and `clip` any mix of so many rows again, which solvers serve as before.
        Cost: O(N log N) for N rows. Raises TypeError for other bounds, a universe without people,
        cells without the order that is needed, ValueError for other columns and several tables.
        Source: thm-people-keep in the book's lookup *People, in detail*.
        """
        bounded = self._people.truncated(Truncation.of(bounds, keep))
        return Universe(bounded, self.unlimited, self.name)

    def apply(self, table: Any, *, id: str | None = None) -> Truncated:
        """Return a table of people's rows with this universe's bounds, and what they cost.

        >>> import pandas as pd
        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 400]})
        >>> anybody = Universe.people(Universe.product(price=[0, 9]), most_rows=2)
        >>> anybody.truncated(rows=1).apply(orders, id="customer").table["price"].tolist()
        [3, 5]

        `id` tells people apart, if not this universe's. Each is bounded alone, so neighbours stay
        neighbours. Cost and errors: as `truncated`.
        """
        return bounded_table(table, self._people.id if id is None else id, self._people.bounds)

    @property
    def _people(self) -> Any:
        if not self.holds_people:
            raise TypeError(f"universe must hold people, Universe.people(...), got {self}")
        return self.source

    @classmethod
    def of(cls, source: Any, what: str, *, unlimited: bool, name: str | None = None) -> Universe:
        """Return a population, or the range of some values; messages call them `what`."""
        if name is None and nw.dependencies.is_into_series(source):
            given = getattr(source, "name", None)  # a column of pyarrow has none, polars' may be ""
            name = None if given in (None, "") else str(given)
        return cls(source_given(source, what, once=unlimited), unlimited, name)

    @property
    def numeric(self) -> bool:
        """Whether the records are numbers (and None), which standard queries are asked of."""
        return self.source.numeric

    @property
    def holds_people(self) -> bool:
        """Whether a record is a person, who may bring several rows."""
        return self.source.id is not None

    @property
    def tabular(self) -> bool:
        """Whether functions receive tables."""
        return self.source.tabular

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

    def numbers_of(self, what: Any) -> Any:
        """Return what a query is asked of: what a column, or a function, makes of each of the m
        records.

        >>> Universe.population(["yes", "no"]).numbers_of(len)
        [2, 3]
        """
        if isinstance(what, Said):
            return what.of_all(self)
        if what is not None:
            return self.said(what)
        if not self.numeric:
            raise self.source.no_numbers()
        return self.sorted_records

    def said(self, what: Any, asked: str = "of") -> Any:
        """Return what a column, or a function of a record, says of each of the m records.

        >>> Universe.population(["yes", "no"]).said(str.upper)
        ['NO', 'YES']
        """
        return self.source.said(what, asked)

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

    @cached_property
    def sorted_scaled(self) -> tuple[np.ndarray, int]:
        """The m records, ascending, as integers over one denominator."""
        return self.source.sorted_scaled

    @cached_property
    def value_of(self) -> Indices:
        """The position among `values` of each of the m records, ascending."""
        return tuple(np.repeat(np.arange(self.distinct, dtype=np.intp), self.counts).tolist())

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
        if isinstance(size, (Mapping, list, tuple, np.ndarray)) or hasattr(type(size), "to_dict"):
            raise TypeError(
                f"size must be a number, or a range as range(2, 5), got {brief(size)}: where each "
                "group has a size of its own, ask each group alone"
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

    def indices(self, dataset: Iterable[Any], what: str = "dataset") -> Indices:
        """Return the positions of a dataset's records among `values`, sorted; refuse strangers.

        >>> Universe.population([10, 20, 20]).indices((20, 10))
        (0, 1)

        Raises ValueError for values outside the universe or too many copies of one, TypeError for
        what is no dataset; messages call them `what`.
        """
        return tuple(self.positions(dataset, what).tolist())

    def positions(self, dataset: Iterable[Any], what: str = "dataset") -> np.ndarray:
        """Return `indices` in an array.

        >>> Universe.population([10, 20, 20]).positions((20, 10))
        array([0, 1])
        """
        positions = self.source.positions(dataset, what)
        positions.sort()
        held = np.bincount(positions, minlength=self.distinct)
        too_many = np.flatnonzero(held > self.most_copies(len(positions)))
        if len(too_many):
            i = int(too_many[0])
            raise ValueError(
                f"{what} must hold at most {self.counts[i]} records of value "
                f"{brief(self.values[i])}, got {held[i]}"
            )
        return positions

    def __repr__(self) -> str:
        kind = "value_range" if self.unlimited else "population"
        if self.holds_people:
            kind = "people"
        known = self.holds_people and not self.unlimited
        id = f", id={self.source.id!r}" if known else ""
        name = "" if self.name is None else f", name={self.name!r}"
        bounds = "".join(map(str, getattr(self.source, "bounds", ())))
        return f"Universe.{kind}({self._abridged()}{id}{name}){bounds}"

    def _abridged(self) -> str:
        """The values as a list, copies repeated; of many, the first and last and how many."""
        counts = np.ones_like(self.counts) if self.unlimited else self.counts
        total = int(counts.sum(dtype=np.int64))
        if total <= MOST_WRITTEN:
            pairs = zip(self.values, counts.tolist(), strict=True)
            return number_repr([value for value, times in pairs for _ in range(times)])
        ends = f"[{number_repr(self.values[0])}, …, {number_repr(self.values[-1])}]"
        return f"{ends}, {total:,} {'values' if self.unlimited else 'records'}"


def multisets(copies: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of `size` indices i, each at most copies[i] times, lexicographically."""
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
        del chosen[kept:]
        while len(chosen) < size:
            chosen += [j] * min(copies[j], size - len(chosen))
            j += 1
        yield tuple(held[position] for position in chosen)
        rising = (p for p in range(size - 1, -1, -1) if room[chosen[p] + 1] >= size - p)
        kept = next(rising, -1)
        if kept < 0:
            return
        j = chosen[kept] + 1


def how_many(copies: np.ndarray, size: int) -> int:
    """Return how many multisets of `size` there are, each value at most `copies` times."""
    groups = list(zip(*np.unique(copies, return_counts=True), strict=True))
    if len(groups) == 1 and groups[0][0] == 1:
        return math.comb(len(copies), size)
    ways = np.array([1], dtype=object)
    for most, values in groups:
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
