"""Intervals of floats, alone or as columns: too many values to list, so that only a search tries some."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import brief, checked_bounds
from sensitivity_lab.records.rows import Rows, all_rows, different_values, rows_of, taken
from sensitivity_lab.records.source import Positions, Records

Record = Any  # a float, or a row as a tuple
Points = Callable[["Continuous"], Sequence[float]]  # some values of an interval


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

        Raises ValueError for bounds that do not rise, or that no float holds, or whose difference
        none does; TypeError for what is no number.
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
        if math.isinf(ends[1] - ends[0]):
            raise ValueError(
                f"high − low must be a float, got {brief(low)} and {brief(high)}: it is infinite"
            )
        return cls(*ends)

    def some(self, points: Points) -> Any:
        """A few of the values, as a universe takes them.

        >>> Continuous(0.0, 1.0).some(lambda interval: [interval.low, interval.high])
        [0.0, 1.0]
        """
        return list(points(self))

    def of_records(self, records: Iterable[Record]) -> Any:
        """Some records, as a universe takes them."""
        return list(records)

    def beside(self, record: Record, step: float) -> list[Record]:
        """The values a step away, which is a share of the width, as far as there are any.

        >>> Continuous(0.0, 10.0).beside(9.5, 0.1)
        [8.5]
        """
        moved = [record + way * step * (self.high - self.low) for way in (1, -1)]
        return [value for value in moved if self.low <= value <= self.high and value != record]

    def are_near(self, one: Record, other: Record, share: float) -> bool:
        """Whether two values are at most a share of the width apart."""
        return bool(abs(one - other) <= share * (self.high - self.low))

    def refuse(self) -> TooLarge:
        """Return the refusal to go through all values, with what can be done instead.

        >>> raise Continuous(0.0, 1.0).refuse()
        Traceback (most recent call last):
        sensitivity_lab.numbers.errors.TooLarge: an interval has too many values to list: search it by audit(..., method='search'), ask closed_form(..., bounds=(0.0, 1.0)), or list some in Universe.value_range
        """
        return TooLarge(
            "an interval has too many values to list: search it by audit(..., method='search'), ask "
            f"closed_form(..., bounds=({self.low}, {self.high})), or list some in "
            "Universe.value_range"
        )


class IntervalRows(Records):
    """All rows that combine listed values with the floats of some intervals.

    >>> staff = IntervalRows({"d": ["law", "art"], "s": Continuous(0.0, 9.0)})
    >>> staff.some(lambda interval: [interval.high])
         d    s
    0  law  9.0
    1  art  9.0

    Raises as `all_rows`.
    """

    tabular = True

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = {
            name: column if isinstance(column, Continuous) else different_values(name, column)
            for name, column in columns.items()
        }
        self.at_place = {
            i: column
            for i, column in enumerate(self.columns.values())
            if isinstance(column, Continuous)
        }
        self.ends = Rows(self.some(lambda interval: [interval.low, interval.high]), "rows")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.columns,)

    def __eq__(self, other: object) -> bool:
        return self.are_those_of(other)

    def __hash__(self) -> int:
        return hash((*self.columns, *self.at_place.items()))

    def __repr__(self) -> str:
        """The columns, as `Universe.product` takes them."""
        texts = {
            name: f"Universe.interval({column.low!r}, {column.high!r})"
            if isinstance(column, Continuous)
            else brief(column)
            for name, column in self.columns.items()
        }
        return ", ".join(f"{name}={text}" for name, text in texts.items())

    @property
    def _content(self) -> tuple[Any, ...]:
        return self.ends._content, self.at_place

    @property
    def values(self) -> tuple[Any, ...]:
        """There are too many: raises TooLarge."""
        raise self.refuse()

    @property
    def counts(self) -> np.ndarray:
        """As `values`."""
        raise self.refuse()

    def given(self, positions: Positions) -> Any:
        """The empty table: no other has rows that are numbered."""
        if len(positions):
            raise self.refuse()
        return taken(self.ends.frame, [])

    def tables(self, positions: Positions) -> dict[str | None, Any] | None:
        return {None: self.given(positions)}

    @property
    def whole(self) -> dict[str | None, Any]:
        return self.ends.whole

    def some(self, points: Points) -> Any:
        """The rows with a few of the values of each interval, as a table."""
        return all_rows(
            {
                name: points(column) if isinstance(column, Continuous) else column
                for name, column in self.columns.items()
            }
        )

    def of_records(self, records: Iterable[Record]) -> Any:
        """Some rows as a table, in the order and with columns of the types that all have."""
        rows = sorted(records, key=self._place)
        columns = dict(zip(self.columns, zip(*rows, strict=True), strict=True))
        kinds = self.ends.frame.to_native().dtypes
        return pd.DataFrame(
            {name: pd.Series(cells, dtype=kinds[name]) for name, cells in columns.items()}
        )

    @cached_property
    def _ranks(self) -> list[dict[Any, int]]:
        """Where each cell stands in its column, as it was given."""
        columns = zip(*rows_of(self.ends.frame), strict=True)
        return [{cell: i for i, cell in enumerate(dict.fromkeys(column))} for column in columns]

    def _place(self, record: Record) -> tuple[float, ...]:
        """Where a row stands: by its first column, then by the next."""
        return tuple(
            cell if i in self.at_place else self._ranks[i][cell] for i, cell in enumerate(record)
        )

    def beside(self, record: Record, step: float) -> list[Record]:
        """The rows with one of their intervals' values a step away.

        >>> staff = IntervalRows({"d": ["law", "art"], "s": Continuous(0.0, 8.0)})
        >>> staff.beside(("law", 1.0), 0.25)
        [('law', 3.0)]
        """
        return [
            (*record[:i], value, *record[i + 1 :])
            for i, interval in self.at_place.items()
            for value in interval.beside(record[i], step)
        ]

    def are_near(self, one: Record, other: Record, share: float) -> bool:
        """Whether two rows differ in intervals alone, by at most a share of the width in each."""
        return all(
            self.at_place[i].are_near(a, b, share) if i in self.at_place else a == b
            for i, (a, b) in enumerate(zip(one, other, strict=True))
        )

    def refuse(self) -> TooLarge:
        """Return the refusal to go through all rows, with what can be done instead.

        >>> raise IntervalRows({"s": Continuous(0.0, 8.0)}).refuse()
        Traceback (most recent call last):
        sensitivity_lab.numbers.errors.TooLarge: column s is an interval, with too many values to list: search it by audit(..., method='search'), or give some values in a list
        """
        name = list(self.columns)[next(iter(self.at_place))]
        return TooLarge(
            f"column {name} is an interval, with too many values to list: search it by "
            "audit(..., method='search'), or give some values in a list"
        )
