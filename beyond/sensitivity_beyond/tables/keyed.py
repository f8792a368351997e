"""Answers with keys: what a function returns as a table, as numbers by key."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import narwhals as nw

from sensitivity_beyond.tables.frames import is_table, table
from sensitivity_beyond.tables.lazy import pd
from sensitivity_lab.numbers import gap
from sensitivity_lab.numbers.exact import is_real, told
from sensitivity_lab.numbers.text import listed
from sensitivity_lab.queries import Keyed

Column = nw.Series[Any]


def are_near(answer: Any, again: Any) -> bool:
    """Whether two answers are one, of keys in any order:
    floats within a billionth, the rest equal."""
    if not (isinstance(answer, Keyed) and isinstance(again, Keyed)):
        return gap.are_near(answer, again)
    if answer.keys == again.keys:
        return gap.are_near(tuple(answer.entries), tuple(again.entries))
    mine = dict(zip(answer.keys, answer.entries, strict=True))
    yours = dict(zip(again.keys, again.entries, strict=True))
    return mine.keys() == yours.keys() and all(gap.are_near(n, yours[k]) for k, n in mine.items())


def opened(answer: Any, what: str, dataset: Any) -> Any:
    """The keys and entries of a table that is answered on a dataset; anything else as it is."""
    try:
        known = nw.from_native(answer, pass_through=True, allow_series=True)
    except ValueError as error:  # two columns of one name, for one
        raise ValueError(f"{what} must be a table that can be read, got {told(error)}") from error
    except Exception:  # an object of any kind may fail where it is looked at
        return answer
    if not isinstance(known, (nw.DataFrame, nw.LazyFrame)):
        return answer
    given = dataset.values() if isinstance(dataset, Mapping) else [dataset]
    columns = (table(one, what).columns for one in given if is_table(one))
    return _of_table(table(answer, what), what, {*chain(*columns)})


def _of_table(frame: nw.DataFrame[Any], what: str, given: set[str]) -> Any:
    """The keys and entries of a table, row by row; the number that a single cell without key is.

    A column that was `given` may be the key of a single row.
    """
    numeric: list[Column] = []
    others: list[Column] = []
    for column in frame.iter_columns():
        (numeric if _is_numeric(column) else others).append(column)
    keys = _keys(frame, others, what)
    if not len(frame):
        return Keyed([], [])
    if not numeric:
        raise ValueError(
            f"{what} must have a numeric column, got columns "
            f"{listed(column.name for column in others)}"
        )
    entries = [*chain(*zip(*(column.to_list() for column in numeric), strict=True))]
    names = [column.name for column in numeric]
    if keys is None and len(numeric) > 1 and given & {*names}:
        raise ValueError(
            f"{what} must say whether {listed(names)} are a vector or a number with its key, "
            "got one row: make a list of it, or have the key as text or as the index"
        )
    if keys is None:
        return entries[0] if len(entries) == 1 else Keyed(names, entries)
    named = frame.implementation.is_pandas() and frame.to_native().columns.names != [None]
    if len(numeric) > 1 or named:  # a pivot's columns are keys, of which one answer may have one
        keys = [(key, name) for key in keys for name in names]
    return Keyed(keys, entries, len(numeric) > 1 or named)


def _keys(frame: nw.DataFrame[Any], others: list[Column], what: str) -> list[Any] | None:
    """The key of each row, or None for at most one row without."""
    index = nw.maybe_get_index(frame)
    counts = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
    labels = None if index is None or (counts and index.name is None) else index.tolist()
    if labels is not None and others:
        raise ValueError(
            f"{what} must have its keys in the index or in columns, got an index beside "
            f"{listed(column.name for column in others)}: reset the index, "
            "or drop the columns that are not numeric"
        )
    if labels is not None:
        return list(labels)
    if others:
        parts = [column.to_list() for column in others]
        return parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
    if len(frame) > 1:
        raise ValueError(
            f"{what} must have a key for each row, got {len(frame):,} rows of numbers: "
            "set an index "
            "with a name, or keep a column of keys as text"
        )
    return None


def _is_numeric(column: Column) -> bool:
    """Whether a column holds numbers: by its type, or of objects by what they are."""
    if column.dtype != nw.Object:
        return bool(column.dtype.is_numeric())
    held = [v for v in column.to_list() if not (pd.api.types.is_scalar(v) and pd.isna(v))]
    return bool(held) and all(is_real(v) and not isinstance(v, bool) for v in held)
