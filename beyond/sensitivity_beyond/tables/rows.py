"""Records that are rows of a table: of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_beyond.tables.frames import (
    cells_of,
    is_table,
    require_column,
    require_one_missing,
    rows_of,
    table,
    taken,
    with_own_cells,
)
from sensitivity_beyond.tables.lazy import pd
from sensitivity_beyond.tables.order import called_on
from sensitivity_beyond.tables.source import Stacked, Tables, TableSource, end_to_end, said_by_each
from sensitivity_lab.numbers.exact import brief, drawn
from sensitivity_lab.records import Positions, Values, require_values


class Rows(TableSource):
    """Rows of one table; equal rows are copies. Functions receive a table of the same library."""

    one_row_each = order_shows = True

    def __init__(self, source: Any, what: str) -> None:
        self.what, self.frame = what, with_own_cells(table(source, what, of_rows=True).clone())
        if len(self.frame) == 0:
            raise ValueError(f"{what} must not be empty, got a table without rows")
        require_one_missing(self.frame, what)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.frame.to_native(), self.what)

    def __len__(self) -> int:
        return len(self.frame)

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self.columns))

    @property
    def columns(self) -> list[str]:
        """The names of the table's columns."""
        return list(map(str, self.frame.columns))

    @cached_property
    def _held(self) -> tuple[Values, np.ndarray]:
        """The different rows, and where each of the table's rows stands among them, (m,)."""
        rows = rows_of(self.frame)
        values = Values(rows, self.what)
        position_of: dict[Any, int] = {row: i for i, row in enumerate(values.values)}
        return values, np.array([position_of[row] for row in rows], dtype=np.int64)

    @cached_property
    def values(self) -> tuple[Hashable, ...]:
        return self._held[0].values

    @cached_property
    def counts(self) -> np.ndarray:
        return self._held[0].counts

    @cached_property
    def _first(self) -> np.ndarray:
        """The first row of the table that each value is, (v,)."""
        return np.unique(self._held[1], return_index=True)[1]

    def given(self, positions: Positions) -> Any:
        return taken(self.frame, self._first[np.asarray(positions, dtype=np.int64)])

    def at(self, members: np.ndarray) -> Any:
        return taken(self.frame, members)

    def positions_at(self, members: np.ndarray) -> np.ndarray:
        return np.asarray(self._held[1][members])

    def said(self, what: Any, asked: str = "of") -> Any:
        if callable(what):
            return [called_on(what, row, asked) for row in rows_of(self.frame)]
        if not isinstance(what, str):
            return said_by_each(self, what, asked)
        require_column(self.frame, what, asked)
        column = self.frame[what]
        long = column.dtype in (nw.Int128, nw.UInt128)  # numpy has none
        plain = column.dtype.is_numeric() and not (long or column.is_null().any())
        return column.to_numpy() if plain else cells_of(column)

    def listed(self, dataset: Any, what: str) -> Iterable[Any]:
        if not is_table(dataset):
            return super().listed(dataset, what)
        frame = table(dataset, what, of_rows=True)
        if [*map(str, frame.columns)] != self.columns:
            raise ValueError(
                f"{what} must have the columns {', '.join(self.columns)} in this order, "
                f"got {', '.join(map(str, frame.columns))}"
            )
        return rows_of(frame)

    @property
    def whole(self) -> Tables:
        return {None: self.frame.to_native()}

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        positions, numbers = end_to_end(datasets)
        return {None: (numbers, self.given(positions))}


def all_rows(columns: Mapping[str, Iterable[Any]]) -> pd.DataFrame:
    """Every combination of some columns' values."""
    if not columns:
        raise ValueError("columns must be at least one, got none: product(salary=[0, 50])")
    lists = {name: different_values(name, values) for name, values in columns.items()}
    rows = zip(*product(*lists.values()), strict=True)
    return pd.DataFrame({name: _column(column) for name, column in zip(lists, rows, strict=True)})


def different_values(name: str, values: Any) -> list[Any]:
    """The values of a column, each once."""
    require_values(values, f"column {name}")
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"column {name} must be a list of values, got {brief(values)}")
    try:
        different = list(dict.fromkeys(drawn(values, f"column {name}")))
    except TypeError as error:
        raise TypeError(
            f"column {name} must hold values that can be hashed, got {brief(values)}: make tuples "
            "of lists"
        ) from error
    if not different:
        raise ValueError(f"column {name} must have at least one value, got none")
    return different


def _column(values: Sequence[Any]) -> Any:
    """A column's values; whole numbers stay whole where some are missing."""
    holds_missing = None in values and {type(None), int} == set(map(type, values))
    small = holds_missing and all(v is None or -(2**63) <= v < 2**63 for v in values)
    return pd.array(values, dtype="Int64") if small else list(values)
