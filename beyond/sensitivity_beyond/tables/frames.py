"""Tables of pandas, polars and pyarrow in one form, by way of narwhals, and their rows."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_beyond.tables.lazy import pd
from sensitivity_lab.numbers.exact import brief, told
from sensitivity_lab.records import Positions


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


class Gap(float):
    """NaN in the place of a missing cell, which notes where it is compared with one."""

    noted: list[float]

    def __eq__(self, other: object) -> bool:
        return self._note(other)

    def __ne__(self, other: object) -> bool:
        return not self._note(other)

    __hash__ = float.__hash__

    def _note(self, other: object) -> bool:
        # Code that asks `is None` somewhere knows what a missing cell is.
        frame: Any = inspect.currentframe()
        steps = {step.opname for step in dis.get_instructions(frame.f_back.f_back.f_code)}
        if isinstance(other, Gap) and not any(step.endswith(("IS_OP", "_NONE")) for step in steps):
            self.noted.append(self)
        return False


def asked(function: Any, record: Any) -> Any:
    """What a function says of a record; refuse one that takes a missing cell for a present one."""
    cells = record if isinstance(record, Row) else (record,)
    gaps = [i for i, cell in enumerate(cells) if cell is None]
    if not gaps:
        return function(record)
    which = f"row[{record.columns[gaps[0]]!r}]" if isinstance(record, Row) else "record"
    hint = f"a missing one is None: ask {which} is None"
    try:
        says = again = function(record)
    except Exception as error:
        about = "None" in str(error) or "ufunc" in str(error)
        if type(error) not in (TypeError, AttributeError) or not about or hint in str(error):
            raise
        raise TypeError(f"{hint} ({error})") from error
    # None equals None, and NaN does not equal NaN: a function to which this matters means NaN.
    noted: list[float] = []
    placed = [Gap("nan") if cell is None else cell for cell in cells]
    for i in gaps:
        placed[i].noted = noted
    with suppress(Exception):
        again = function(placed[0] if record is None else type(record)(placed, record.columns))
    if noted and brief(again) != brief(says):
        raise ValueError(f"{hint} (what is missing must not be compared with itself)")
    return says


def is_table(value: Any) -> bool:
    """Whether a value is a table of one of the three libraries; `table` refuses a lazy one."""
    known = nw.dependencies
    return bool(known.is_into_dataframe(value) or known.is_polars_lazyframe(value))


def table(value: Any, what: str, *, of_rows: bool = False) -> nw.DataFrame[Any]:
    """A table of any of the libraries, in one form; its columns must have different names.

    Of rows that are records, the index of pandas may say no more than which row it was.
    """
    try:
        frame = nw.from_native(value, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"{what} must have columns of different names: {told(error)}") from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"{what} must be a table in memory, got a lazy frame: collect it first")
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(f"{what} must be a table of pandas, polars or pyarrow, got {brief(value)}")
    index = nw.maybe_get_index(frame) if of_rows else None
    if index is None:
        return frame
    named = [str(name) for name in index.names if name is not None]
    # What a filter, a sample or a concatenation leaves of row numbers may stay.
    numbers = not len(index) or (pd.api.types.is_integer_dtype(index.dtype) and index.min() >= 0)
    if named or not numbers:
        got = ", ".join(named) or f"of {', '.join(map(str, index[:3]))}"
        raise ValueError(
            f"{what} must have no index but row numbers, got the index {got}, which functions "
            "would not see: frame.reset_index() makes a column of it, "
            "frame.reset_index(drop=True) leaves it out"
        )
    return frame


def rows_of(frame: nw.DataFrame[Any], kind: type[Row] = Row) -> list[Row]:
    """The rows of a table, missing values as None and numpy's numbers as Python's."""
    names = tuple(map(str, frame.columns))
    cells = [cells_of(column) for column in frame.iter_columns()]
    return [kind(row, names) for row in (zip(*cells, strict=True) if cells else [()] * len(frame))]


def cells_of(column: nw.Series[Any]) -> list[Any]:
    """The cells of a column, as `rows_of` has them."""
    if column.dtype.is_integer() and not column.null_count():
        return column.to_list()
    # NaN is itself where the library tells it from what is missing.
    own = column.to_native().dtype if column.implementation.is_pandas() else None
    nan = NAN if own is None or getattr(own, "na_value", None) is pd.NA else None
    cells = [_plain_cell(cell, nan) for cell in column.to_list()]
    if column.dtype.is_temporal() and len({*cells}) < column.n_unique():
        raise ValueError(
            f"column {column.name} must hold whole microseconds, as Python's times do, got times "
            "that differ by less: cast it, or make whole numbers of it"
        )
    return cells


def _plain_cell(value: Any, nan: float | None) -> Any:
    """One cell: None where it is missing, a Python number for numpy's, lists as tuples."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, np.ndarray)):
        return tuple(_plain_cell(each, NAN) for each in value)
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if value != value:
        return nan if isinstance(value, float) else None
    return value


def require_column(frame: nw.DataFrame[Any], name: str, asked: str) -> None:
    """Refuse the name of a column that a table has not, and say where it is instead."""
    if name in frame.columns:
        return
    index, way_out = nw.maybe_get_index(frame), ""
    if index is not None and name in index.names:
        way_out = ": it is in the index, of which frame.reset_index() makes a column"
    elif any(isinstance(column, tuple) for column in frame.columns):
        joined = "['_'.join(map(str, names)) for names in frame.columns]"
        way_out = (
            f": columns have several levels, give each one name, as by frame.columns = {joined}"
        )
    columns = ", ".join(map(str, frame.columns))
    raise ValueError(f"{asked} must name a column, one of {columns}, got {name!r}{way_out}")


def require_one_missing(frame: nw.DataFrame[Any], what: str) -> None:
    """Refuse objects of pandas that write what is missing in two ways, which rows have as one."""
    native = frame.to_native()
    for name in frame.columns if frame.implementation.is_pandas() else ():
        if pd.api.types.is_object_dtype(native[name].dtype):
            ways = sorted({str(cell) for cell in native[name] if _plain_cell(cell, None) is None})
            if len(ways) > 1:
                raise ValueError(
                    f"{what} must write what is missing in one way in column {name}, got "
                    f"{' and '.join(ways)}: functions tell them apart; write None for all, or note "
                    "in a column of its own which it is"
                )


def taken(one: Any, positions: Positions) -> Any:
    """Some rows of a table, as a new one of its own library, numbered from 0."""
    frame: nw.DataFrame[Any] = nw.from_native(one, eager_only=True)
    places = np.asarray(positions, dtype=np.int64)
    if not frame.implementation.is_pandas():
        return frame[places.tolist()].to_native()
    native = frame.to_native().take(places)  # at once: datasets are many
    native.index = pd.RangeIndex(len(places))
    if object not in native.dtypes.tolist():
        return native
    return with_own_cells(nw.from_native(native, eager_only=True)).to_native()


def pieces(native: Any, lengths: np.ndarray) -> Iterator[Any]:
    """A table cut into pieces of so many rows, each numbered from 0:
    quicker than to take each alone."""
    frame = nw.from_native(native, eager_only=True)
    stops = np.cumsum(lengths, dtype=np.int64).tolist()
    for start, stop in zip([0, *stops], stops, strict=False):
        if frame.implementation.is_pandas():
            yield native.iloc[start:stop].reset_index(drop=True)
        else:
            yield frame[start:stop].to_native()


def with_own_cells(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """A table whose lists, in cells of pandas, are its own:
    a function could change them in place."""
    if not frame.implementation.is_pandas():
        return frame
    native = frame.to_native()
    copies = {
        name: native[name].map(deepcopy)
        for name, kind in native.dtypes.items()
        if pd.api.types.is_object_dtype(kind)
        and any(isinstance(cell, (list, np.ndarray)) for cell in native[name])
    }
    return nw.from_native(native.assign(**copies), eager_only=True) if copies else frame


def own_copy(dataset: Any) -> Any:
    """A dataset again, as tables of its own where it is some:
    a function may change what it gets."""
    if isinstance(dataset, Mapping):
        return {name: own_copy(one) for name, one in dataset.items()}
    if not is_table(dataset):
        return dataset
    return with_own_cells(table(dataset, "dataset").clone()).to_native()


def entries(dataset: Any, what: str) -> list[Row]:
    """The rows of a caller's table."""
    if isinstance(dataset, Mapping):
        several = ", ".join(map(str, dataset))
        raise TypeError(
            f"of must be a function of a person where there are several tables, {several}: it gets "
            "them all"
        )
    return rows_of(table(dataset, what))


def way_out(dataset: Any, error: BaseException) -> str:
    """What the failure of a function on a table may be due to."""
    asks_index = isinstance(error, KeyError) or "index" in str(error).lower()
    if hasattr(dataset, "iloc") and asks_index:
        return " (rows are numbered from 0: frame.reset_index() keeps an index)"
    return ""
