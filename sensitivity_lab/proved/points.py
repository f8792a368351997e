"""The records of a universe as points: several whole numbers of each; and queries asked of such."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from sensitivity_lab.errors import NotProved
from sensitivity_lab.exact import Exact, brief, checked_bounds, exact_number, is_real, sequence
from sensitivity_lab.gap import Gap, Norm
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.sorted_records import Run
from sensitivity_lab.proved.worst_pair import D
from sensitivity_lab.relations import Move
from sensitivity_lab.tabular.clipped import number_of
from sensitivity_lab.tabular.numbers import in_whole_numbers
from sensitivity_lab.tabular.people import is_number_of_people
from sensitivity_lab.tabular.records import called_on
from sensitivity_lab.tabular.rows import cells_of, is_table, rows_of, table
from sensitivity_lab.universe import Universe

Column = str | Callable[[Any], Any]  # its name, or a function of a record
Corner = tuple[Exact, ...]
Moved = tuple[Gap, np.ndarray, np.ndarray]  # a gap, the places of who leaves and of who joins
ROOM = 2**62  # whole numbers below it are held in 64 bits


@dataclass(frozen=True)
class Entry:
    """The entry of a record at a position.

    >>> Entry(1)((5, 7))
    7
    """

    position: int

    def __call__(self, record: Any) -> Any:
        """The entry of one record."""
        return record[self.position]


@dataclass(frozen=True, eq=False)
class Points:
    """Several numbers of each of m records: d arrays of whole ones, each over a scale.

    >>> points = Points.of(Universe.population([(0.5, 2), (1, 3)]), (min, max), "sums")
    >>> points.whole, points.scales
    ((array([1, 2]), array([2, 3])), (2, 1))

    They are in the universe's own order of its records.
    """

    whole: tuple[np.ndarray, ...]
    scales: tuple[int, ...]

    @classmethod
    def of(cls, universe: Universe, columns: tuple[Column, ...], name: str) -> Points:
        """Read some columns of a universe's m records; `name` is the query's, for messages.

        Cost: as `Universe.numbers_of` of each, once for a universe. Raises TypeError for what is
        no number, ValueError for what is not finite, and for a column that there is not.
        """
        known: list[tuple[Any, Points]] = universe.__dict__.setdefault("_points", [])
        for others, points in known:
            if others == columns:
                return points
        what = f"what {name} is asked of"
        read = [_whole(_said(universe, column), what) for column in columns]
        points = cls(tuple(whole for whole, _ in read), tuple(scale for _, scale in read))
        known.append((columns, points))
        return points

    def __len__(self) -> int:
        return len(self.whole[0])

    def taken(self, places: np.ndarray) -> Points:
        """The points of some records.

        >>> Points((np.array([5, 7]),), (1,)).taken(np.array([1])).whole
        (array([7]),)
        """
        return Points(tuple(column[places] for column in self.whole), self.scales)

    @cached_property
    def scale(self) -> int:
        """One denominator of all columns."""
        return math.lcm(*self.scales)

    @property
    def unit(self) -> int:
        """What a product of a record's two numbers is over.

        >>> Points((np.array([5]), np.array([1])), (10, 4)).unit
        40
        """
        one, other = self.scales
        return one * other

    @cached_property
    def together(self) -> tuple[np.ndarray, ...]:
        """All columns as whole numbers over that one.

        >>> Points((np.array([5]), np.array([1])), (10, 4)).together
        (array([10]), array([5]))
        """
        return tuple(
            times(column, self.scale // scale)
            for column, scale in zip(self.whole, self.scales, strict=True)
        )


@dataclass(frozen=True)
class Box:
    """What several numbers of a record may be: all in an interval, each in its own.

    >>> Box.of(((0, 10), (-1, 2)), columns=2).corner((True, False))
    (10, -1)
    """

    sides: tuple[Interval, ...]

    @classmethod
    def of(cls, bounds: Any, columns: int) -> Box:
        """A pair of bounds for each column, checked. Errors: as `checked_bounds`."""
        if not isinstance(bounds, (tuple, list)) or len(bounds) != columns:
            raise TypeError(
                f"bounds must be a pair (L, U) for each of {columns} columns, got {brief(bounds)}"
            )
        return cls(tuple(Interval(*checked_bounds(pair)) for pair in bounds))

    def corner(self, high: Iterable[bool]) -> Corner:
        """The corner at the high end of some of the sides."""
        ends = zip(self.sides, high, strict=True)
        return tuple(side.high if is_high else side.low for side, is_high in ends)


@dataclass(frozen=True)
class OfColumns(Family):
    """What is proved of a query of several columns: D of points in place of numbers."""

    of_numbers: ClassVar[bool] = False
    among_records: ClassVar[bool] = False

    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        """The query's name."""
        raise NotImplementedError

    @property
    def named(self) -> str:
        """Its columns in words.

        >>> from sensitivity_lab.proved.vector_sum import VectorSum
        >>> VectorSum(("pay", Entry(2))).named
        'pay, 2'
        """
        return ", ".join(map(_name, self.columns))

    def points(self, universe: Universe) -> Points:
        """The records of a universe as points. Cost and errors: as `Points.of`."""
        return Points.of(universe, self.columns, self.name)

    def serves(self, universe: Universe) -> bool:
        """Whether the answer depends on a universe's records by their points."""
        return not any(is_number_of_people(one, universe.source) for one in self.columns)

    def check(self, universe: Universe) -> None:
        """Refuse a universe without these columns, or where one holds what is no number."""
        if universe.interval_searched is None:
            self.points(universe)

    def answers(self, points: Points, rows: np.ndarray) -> tuple[np.ndarray, int]:
        """The answers on many datasets, rows of places of points: numerators, and a denominator."""
        raise NotImplementedError

    def on_box(self, box: Box, norm: Norm) -> D:
        """D for records anywhere in a box, in any number of copies."""
        raise NotImplementedError

    def on_points(self, points: Points, norm: Norm) -> D | None:
        """D for datasets drawn from a population; a pair's parts are runs of its records."""
        return None

    def on_point_values(self, points: Points, norm: Norm) -> D | None:
        """D for a range; a pair's parts are (place of a record, copies)."""
        return None

    def on_neighbours(self, own: Points, spare: Points, move: Move, norm: Norm) -> Moved | None:
        """How far the answer moves at most as some of a dataset's own leave and some spare join."""
        return None

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        raise NotProved(f"{self.name} has no closed form on an interval of one number")

    def words(self, norm: Norm) -> Words:
        raise NotProved(f"{self.name} has no closed form")


def first_places(universe: Universe) -> np.ndarray:
    """Where among a universe's m records the first of each of its v values is, (v,).

    >>> first_places(Universe.population(["b", "a", "b"]))
    array([0, 1])
    """
    places = np.arange(len(universe.source), dtype=np.intp)[::-1]
    first = np.zeros(universe.distinct, dtype=np.intp)
    first[universe.positions_of_members(places)] = places
    return first


def numbers_in(dataset: Any, column: Column, name: str) -> list[Exact]:
    """What a column says of each record of a dataset, exactly.

    >>> numbers_in([(1, 0.5), (2, 0.25)], Entry(1), "sums")
    [Fraction(1, 2), Fraction(1, 4)]

    `name` is the query's, for messages. Errors: as `Points.of`.
    """
    what = f"what {name} is asked of"
    return [_exact(cell, what) for cell in _cells(dataset, column)]


def _cells(dataset: Any, column: Column) -> Iterable[Any]:
    if isinstance(dataset, Mapping):
        raise TypeError(
            f"columns are those of one table, got several: {', '.join(map(str, dataset))}"
        )
    if not is_table(dataset):
        records: Iterable[Any] = sequence(dataset, "dataset")
    else:
        frame = table(dataset, "dataset")
        if isinstance(column, str) and column in frame.columns:
            return cells_of(frame[column])
        records = rows_of(frame)
    return [called_on(partial(number_of, column), record) for record in records]


def _exact(cell: Any, what: str) -> Exact:
    if not is_real(cell):
        raise TypeError(f"{what} must be a number for every record, got {brief(cell)}")
    return exact_number(cell, what)


def _said(universe: Universe, column: Column) -> Any:
    """What a column says of each record; of people the sum over the rows of each."""
    if not universe.holds_people:
        return universe.numbers_of(column)
    if not isinstance(column, str):
        raise TypeError(
            f"columns must be names where people bring rows, got {_name(column)}: the sum over a "
            "person's rows is taken"
        )
    people = universe.each(range(universe.distinct))
    return [sum(numbers_in(person, column, column)) for person in people]


def _whole(numbers: Any, what: str) -> tuple[np.ndarray, int]:
    """Numbers as whole ones over a scale, or refused."""
    numbers = _at_once(numbers)
    if not isinstance(numbers, np.ndarray) or numbers.dtype == object:
        numbers = [_exact(number, what) for number in numbers]
    elif numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        raise ValueError(f"{what} must be finite, got {numbers[~np.isfinite(numbers)][0]}")
    return in_whole_numbers(numbers)


def _at_once(numbers: Any) -> Any:
    """A list of ints of 64 bits, or of floats, as an array; anything else as it is.

    >>> _at_once([1, 2]), _at_once([1, 0.5])
    (array([1, 2]), [1, 0.5])
    """
    kinds = set() if isinstance(numbers, np.ndarray) else set(map(type, numbers))
    if kinds == {float}:
        return np.array(numbers, dtype=np.float64)
    small = kinds == {int} and -(2**63) <= min(numbers) and max(numbers) < 2**63
    return np.array(numbers, dtype=np.int64) if small else numbers


def _name(column: Column) -> str:
    """A column in words: its name, its position, or that of the function."""
    if isinstance(column, Entry):
        return str(column.position)
    return (
        column
        if isinstance(column, str)
        else str(getattr(column, "__name__", type(column).__name__))
    )


def times(numbers: np.ndarray, factor: int) -> np.ndarray:
    """Whole numbers times one, as Python ints where 64 bits are too few.

    >>> times(np.array([2**61]), 4)
    array([9223372036854775808], dtype=object)
    """
    if factor == 1:
        return numbers
    if numbers.dtype != object and max(largest(numbers), 1) * abs(factor) < ROOM:
        return numbers * np.int64(factor)
    return numbers.astype(object) * factor


def largest(numbers: np.ndarray) -> int:
    """The largest magnitude among whole numbers; 0 of none.

    >>> largest(np.array([-3, 2]))
    3
    """
    return max(abs(int(numbers.min())), abs(int(numbers.max()))) if len(numbers) else 0


def weighed(columns: tuple[np.ndarray, ...], weights: tuple[int, ...]) -> np.ndarray:
    """A sum of columns, each times a whole number; exact, as Python ints where 64 bits are too few.

    >>> weighed((np.array([1, 2]), np.array([10, 20])), (3, -1))
    array([ -7, -14])
    """
    sizes = [largest(column) * abs(weight) for column, weight in zip(columns, weights, strict=True)]
    small = sum(sizes) < ROOM and all(column.dtype != object for column in columns)
    kind = np.int64 if small and max(map(abs, weights)) < ROOM else object
    total = np.zeros(len(columns[0]), dtype=kind)
    for column, weight in zip(columns, weights, strict=True):
        if weight:
            total += column.astype(kind, copy=False) * (
                np.int64(weight) if kind is np.int64 else weight
            )
    return total


def exact_sum(numbers: np.ndarray) -> int:
    """The sum of whole numbers, as a Python int.

    >>> exact_sum(np.array([2**62, 2**62])) == 2**63
    True
    """
    if numbers.dtype != object and largest(numbers) * len(numbers) < ROOM:
        return int(numbers.sum(dtype=np.int64))
    return int(sum(numbers.tolist()))


def runs_of(places: np.ndarray) -> tuple[Run, ...]:
    """Some different places as runs of neighbouring ones.

    >>> runs_of(np.array([7, 2, 3]))
    ((2, 4), (7, 8))
    """
    if not len(places):
        return ()
    ordered = np.sort(places)
    breaks = np.flatnonzero(np.diff(ordered) > 1)
    starts = ordered[np.concatenate([[0], breaks + 1])]
    stops = ordered[np.concatenate([breaks, [len(ordered) - 1]])] + 1
    return tuple(zip(starts.tolist(), stops.tolist(), strict=True))


def first_left(taken: np.ndarray, count: int) -> tuple[Run, ...]:
    """The first `count` places that are not taken, as runs.

    >>> first_left(np.array([3, 0]), count=3)
    ((1, 3), (4, 5))
    """
    runs, start = [], 0
    for stop, after in [*runs_of(taken), (None, 0)]:
        end = start + count if stop is None else min(stop, start + count)
        if end > start:
            runs.append((start, end))
        count -= max(end - start, 0)
        start = after
    return tuple(runs)
