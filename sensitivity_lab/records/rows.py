"""Records that are rows of a table: of pandas, polars or pyarrow, by way of narwhals."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from itertools import product
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.numbers.exact import brief, drawn, told
from sensitivity_lab.numbers.lazy import pd
from sensitivity_lab.records.source import Positions, Records, Stacked, end_to_end

SHORT: dict[str, type[np.floating[Any]]] = {"Float16": np.float16, "Float32": np.float32}


class NotANumber(float):
    """NaN as one object, for the rows that hold it to stay equal, also when they are pickled."""

    def __reduce__(self) -> str:
        return "NAN"


NAN = NotANumber("nan")


class Row(tuple[Any, ...]):
    """One row: its values in order, by name and by position; it equals the tuple of its values.

    >>> row = Row(("law", 50), columns=("department", "salary"))
    >>> row, row.salary, row["department"], row == ("law", 50)
    (Row(department='law', salary=50), 50, 'law', True)

    A missing value is None, whatever the table writes for it; NaN is NaN where the table's library
    tells it from what is missing, as polars does. A column that is called as something tuples have,
    such as count, is had by `row["count"]`.
    """

    columns: tuple[str, ...]

    def __new__(cls, values: Iterable[Any], columns: Iterable[str]) -> Row:
        """Hold the values and the names of their columns."""
        made = super().__new__(cls, values)
        made.columns = tuple(columns)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.columns

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.columns:
            raise AttributeError(f"row has no column {name!r}: it has {', '.join(self.columns)}")
        return self[self.columns.index(name)]

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.columns:
            raise KeyError(f"row has no column {key!r}: it has {', '.join(self.columns)}")
        return super().__getitem__(self.columns.index(key))

    def __repr__(self) -> str:
        inside = ", ".join(f"{n}={v!r}" for n, v in zip(self.columns, self, strict=True))
        return f"Row({inside})"


def is_table(value: Any) -> bool:
    """Whether a value is a table of one of the three libraries; `table` refuses a lazy one."""
    known = nw.dependencies
    return bool(known.is_into_dataframe(value) or known.is_polars_lazyframe(value))


def table(value: Any, what: str) -> nw.DataFrame[Any]:
    """A table of any of the libraries, in one form; its columns must have different names."""
    try:
        frame = nw.from_native(value, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"{what} must have columns of different names: {told(error)}") from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"{what} must be a table in memory, got a lazy frame: collect it first")
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"{what} must be a pandas or polars DataFrame or a pyarrow Table, got {brief(value)}"
        )
    return frame


def rows_of(frame: nw.DataFrame[Any]) -> list[Row]:
    """The rows of a table, missing values as None and numpy's numbers as Python's."""
    columns = tuple(map(str, frame.columns))
    nans = [_nan_of(column) for column in frame.iter_columns()]
    rows = [Row(map(_plain, row, nans), columns) for row in frame.iter_rows()]
    kinds = [_short_float(column) for column in frame.iter_columns()]
    if not any(kinds):
        return rows
    return [Row(map(_shortest, row, kinds), columns) for row in rows]


def cells_of(column: nw.Series[Any]) -> list[Any]:
    """The cells of a column, as `rows_of` has them."""
    if column.dtype.is_integer() and not column.null_count():
        return column.to_list()
    kind, nan = _short_float(column), _nan_of(column)
    return [_shortest(_plain(cell, nan), kind) for cell in column.to_list()]


def _nan_of(column: nw.Series[Any]) -> float | None:
    """What NaN is in a column: itself where the library tells it from what is missing, else None."""
    if not column.implementation.is_pandas():
        return NAN
    return NAN if getattr(column.to_native().dtype, "na_value", None) is pd.NA else None


def _short_float(column: nw.Series[Any]) -> type[np.floating[Any]] | None:
    """The kind of a column's floats where they are shorter than Python's."""
    return SHORT.get(str(column.dtype))


def _shortest(value: Any, kind: type[np.floating[Any]] | None) -> Any:
    """A short float as the number that its shortest text says."""
    return value if kind is None or value is None or value is NAN else float(str(kind(value)))


def _plain(value: Any, nan: float | None) -> Any:
    """One cell: None where it is missing, a Python number for numpy's, lists as tuples."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, np.ndarray)):
        return tuple(_plain(each, NAN) for each in value)
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if value != value:
        return nan if isinstance(value, float) else None
    return value


def require_one_missing(frame: nw.DataFrame[Any], what: str) -> None:
    """Refuse objects of pandas that write what is missing in two ways, which rows have as one."""
    native = frame.to_native()
    for name in frame.columns if frame.implementation.is_pandas() else ():
        if pd.api.types.is_object_dtype(native[name].dtype):
            ways = sorted({str(cell) for cell in native[name] if _plain(cell, None) is None})
            if len(ways) > 1:
                raise ValueError(
                    f"{what} must write what is missing in one way in column {name}, got "
                    f"{' and '.join(ways)}: functions tell them apart; write None for all, or note "
                    "in a column of its own which it is"
                )


def taken(frame: nw.DataFrame[Any], positions: Positions) -> Any:
    """Some rows of a table, as a new one of its own library, numbered from 0."""
    rows = frame[np.asarray(positions, dtype=np.int64).tolist()]
    return with_own_cells(nw.maybe_reset_index(rows)).to_native()


def with_own_cells(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """A table whose lists, in cells of pandas, are its own: a function could change them in place."""
    if not frame.implementation.is_pandas():
        return frame
    native = frame.to_native()
    nested = [
        name
        for name, kind in native.dtypes.items()
        if pd.api.types.is_object_dtype(kind)
        and any(isinstance(cell, (list, np.ndarray)) for cell in native[name])
    ]
    if not nested:
        return frame
    copies = {name: native[name].map(deepcopy) for name in nested}
    return nw.from_native(native.assign(**copies), eager_only=True)


def own_copy(dataset: Any) -> Any:
    """A dataset again, as tables of its own where it is some: a function may change what it gets."""
    if isinstance(dataset, Mapping):
        return {name: own_copy(one) for name, one in dataset.items()}
    return (
        with_own_cells(table(dataset, "dataset").clone()).to_native()
        if is_table(dataset)
        else dataset
    )


class Rows(Records):
    """Rows of one table; equal rows are copies. Functions receive a table of the same library."""

    tabular = True

    def __init__(self, source: Any, what: str) -> None:
        self.what, self.frame = what, with_own_cells(table(source, what).clone())
        if len(self.frame) == 0:
            raise ValueError(f"{what} must not be empty, got a table without rows")
        require_one_missing(self.frame, what)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.frame.to_native(), self.what)

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def _listed(self) -> Records:
        return Records.of(rows_of(self.frame), self.what)

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The different rows."""
        return self._listed.values

    @property
    def counts(self) -> np.ndarray:
        """How many copies of each there are."""
        return self._listed.counts

    @cached_property
    def first(self) -> np.ndarray:
        """The first row of the table that each value is, (v,)."""
        position_of: dict[Row, int] = {}
        for i, row in enumerate(rows_of(self.frame)):
            position_of.setdefault(row, i)
        return np.array([position_of[row] for row in self.values], dtype=np.intp)  # type: ignore[index]

    def __hash__(self) -> int:
        return hash((type(self).__name__, *map(str, self.frame.columns)))

    def given(self, positions: Positions) -> Any:
        return taken(self.frame, self.first[np.asarray(positions, dtype=np.int64)])

    def at(self, members: np.ndarray) -> Any:
        return taken(self.frame, members)

    def positions_at(self, members: np.ndarray) -> np.ndarray:
        position_of = {row: i for i, row in enumerate(self.values)}
        rows = rows_of(nw.from_native(self.at(members), eager_only=True))
        return np.array([position_of[row] for row in rows], dtype=np.int64)

    def said(self, what: Any, asked: str = "of") -> Any:
        if not isinstance(what, str):
            return super().said(what, asked)
        if what not in self.frame.columns:
            raise ValueError(
                f"{asked} must name a column, one of {', '.join(map(str, self.frame.columns))}, "
                f"got {what!r}"
            )
        column = self.frame[what]
        plain = column.dtype.is_numeric() and not column.is_null().any()
        return column.to_numpy() if plain else cells_of(column)

    @property
    def members(self) -> Iterable[Any]:
        return rows_of(self.frame)

    def listed(self, dataset: Any, what: str) -> Iterable[Any]:
        if not is_table(dataset):
            return super().listed(dataset, what)
        frame, ours = table(dataset, what), list(map(str, self.frame.columns))
        if list(map(str, frame.columns)) != ours:
            raise ValueError(
                f"{what} must have the columns {', '.join(ours)}, "
                f"got {', '.join(map(str, frame.columns))}"
            )
        return rows_of(frame)

    def tables(self, positions: Positions) -> dict[str | None, Any] | None:
        return {None: self.given(positions)}

    @property
    def whole(self) -> dict[str | None, Any]:
        return {None: self.frame.to_native()}

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        positions, numbers = end_to_end(datasets)
        return {None: (numbers, self.given(positions))}


def all_rows(columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Every combination of some columns' values."""
    if not columns:
        raise ValueError("columns must be at least one, got none: product(salary=[0, 50])")
    lists = {name: different_values(name, values) for name, values in columns.items()}
    rows = zip(*product(*lists.values()), strict=True)
    return pd.DataFrame({name: _column(column) for name, column in zip(lists, rows, strict=True)})


def different_values(name: str, values: Any) -> list[Any]:
    """The values of a column, each once."""
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
