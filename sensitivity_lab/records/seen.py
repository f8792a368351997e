"""What a function can tell a value by: more than `==`, for which 1 is True and None is no NaN."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Rational
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.numbers.lazy import pd

PLAIN = {int, bool, str, type(None)}  # kinds of which equals are the same


def as_seen(value: Any) -> Any:
    """Return what equals that of another value only where no function tells the two apart."""
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return kind, *_all_as_seen(value)
    if nw.dependencies.is_into_dataframe(value):
        frame = nw.from_native(value, eager_only=True)
        cells = tuple(_all_as_seen(column.to_list()) for column in frame.iter_columns())
        return kind, _schema(value), cells
    if isinstance(value, Mapping):
        return kind, *_all_as_seen(value.items())
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(map(as_seen, value))
    has_text = kind.__repr__ is not object.__repr__  # type: ignore[comparison-overlap]
    if isinstance(value, (Rational, str)) or not has_text:
        return kind, value
    try:
        text = repr(value)
    except Exception:  # numbers within it may be too long for a text
        text = ""
    return kind, text, value if value is pd.NA or value == value else None  # NaN


def _all_as_seen(values: Any) -> tuple[Any, ...]:
    """As `as_seen`, of each of some values; of a million in no more than a few steps."""
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= PLAIN:
        return kinds.pop(), tuple(values)
    return tuple(map(as_seen, values))


def _schema(native: Any) -> tuple[Any, ...]:
    """The columns of a table with all that their types say, and what else is noted of it."""
    if isinstance(native, pd.DataFrame):
        types = [
            (as_seen(name), repr(kind), as_seen(list(getattr(kind, "categories", ()))))
            for name, kind in native.dtypes.items()
        ]
        return tuple(types), as_seen(native.columns.names), as_seen(native.attrs)
    if nw.dependencies.is_polars_dataframe(native):
        return (repr(native.schema),)
    dictionaries = [
        [chunk.dictionary.to_pylist() for chunk in column.chunks]
        for column in native.columns
        if hasattr(column.type, "value_type") and hasattr(column.type, "index_type")
    ]
    return native.schema.serialize().to_pybytes(), as_seen(dictionaries)
