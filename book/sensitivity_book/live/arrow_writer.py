"""Write a frame of pandas in Arrow's format, with the types that DuckDB gives to frames.

Source: Apache Arrow, "Arrow Columnar Format"; DuckDB, "SQL on Pandas".
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_book.live.arrow_reader import (
    BATCH,
    BOOL,
    CONTINUES,
    DATE,
    DECIMAL,
    EPOCH,
    FLOAT,
    INT,
    MOMENT,
    SCHEMA,
    TEXT,
)  # fmt: skip
from sensitivity_book.live.flatbuffer import Number, Structs, Table, write

VERSION = 4  # of the format, its fifth
UNITS = ("s", "ms", "us", "ns")
SMALL, MIDDLE = 2**31, 2**63  # integers below fit in four bytes, or eight


@dataclass(frozen=True)
class Written:
    """A column: Arrow's word for its type, the details of it, its NULLs, and its buffers."""

    type: int
    details: Table
    null: np.ndarray
    buffers: Sequence[bytes]


def stream(frame: pd.DataFrame) -> bytes:
    """Return a frame as a stream in Arrow's format; the index is left out."""
    columns = {str(name): _written(str(name), frame.iloc[:, i]) for i, name in enumerate(frame)}
    if len(columns) < frame.shape[1]:
        raise TypeError("columns must have names of their own")
    fields = [
        Table([name, Number("B", 1), Number("B", one.type), one.details, None, []])
        for name, one in columns.items()
    ]
    schema = Table([None, fields])
    body, places = b"", []
    for one in columns.values():
        for buffer in (_packed(~one.null), *one.buffers):
            places.append((len(body), len(buffer)))
            body += buffer + bytes(-len(buffer) % 8)
    nodes = [(len(frame), int(one.null.sum())) for one in columns.values()]
    batch = Table([Number("q", len(frame)), Structs("qq", nodes), Structs("qq", places)])
    return _message(SCHEMA, schema, b"") + _message(BATCH, batch, body) + CONTINUES + bytes(4)


def _message(kind: int, header: Table, body: bytes) -> bytes:
    told = write(Table([Number("h", VERSION), Number("B", kind), header, Number("q", len(body))]))
    told += bytes(-len(told) % 8)
    return CONTINUES + struct.pack("<i", len(told)) + told + body


def _written(name: str, column: pd.Series) -> Written:
    kind, null = column.dtype, column.isna().to_numpy(bool)
    if isinstance(kind, pd.StringDtype):
        return _text(column.tolist(), null)
    if pd.api.types.is_bool_dtype(kind) and not pd.api.types.is_object_dtype(kind):
        return _flags(column.tolist(), null)
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        of_numpy: Any = getattr(kind, "numpy_dtype", kind)
        return _numbers(column.fillna(0).to_numpy(of_numpy), null)
    if isinstance(kind, np.dtype) and kind.kind == "M":
        unit = str(np.datetime_data(kind.str)[0])
        details = Table([Number("h", UNITS.index(unit))])
        return Written(MOMENT, details, null, [column.to_numpy().astype("<i8").tobytes()])
    if pd.api.types.is_object_dtype(kind):
        return _objects(name, column.tolist(), null)
    raise TypeError(f"column {name} must be of plain values in the page, got {kind}")


def _objects(name: str, values: list[Any], null: np.ndarray) -> Written:
    """A column of Python objects: the type is read off those that are there."""
    kinds = {type(value) for value, gone in zip(values, null, strict=True) if not gone}
    writers: dict[type, Callable[[list[Any], np.ndarray], Written]] = {
        str: _text,
        bool: _flags,
        np.bool_: _flags,
        int: _integers,
        float: lambda values, null: _numbers(_filled(values, null, 0.0, "f8"), null),
        Decimal: _decimals,
        date: _dates,
        datetime: _moments,
        pd.Timestamp: _moments,
    }
    writer = writers.get(next(iter(kinds))) if len(kinds) == 1 else None
    if writer is None:
        found = ", ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"
        raise TypeError(f"column {name} must be of plain values in the page, got {found}")
    return writer(values, null)


def _text(values: list[Any], null: np.ndarray) -> Written:
    pieces = [b"" if gone else value.encode() for value, gone in zip(values, null, strict=True)]
    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return Written(TEXT, Table([]), null, [ends.astype("<i4").tobytes(), b"".join(pieces)])


def _flags(values: list[Any], null: np.ndarray) -> Written:
    return Written(BOOL, Table([]), null, [_packed(_filled(values, null, False, "?"))])


def _numbers(values: np.ndarray, null: np.ndarray) -> Written:
    """Numbers of one of NumPy's types."""
    size, kind = values.dtype.itemsize, values.dtype.kind
    if kind == "f" and size < 4:
        raise TypeError("floats must have four bytes or eight")
    buffers = [values.astype(values.dtype.newbyteorder("<")).tobytes()]
    if kind == "f":
        return Written(FLOAT, Table([Number("h", 1 if size == 4 else 2)]), null, buffers)
    return Written(INT, Table([Number("i", 8 * size), Number("B", kind == "i")]), null, buffers)


def _integers(values: list[Any], null: np.ndarray) -> Written:
    """Python's integers: of four bytes if all fit, else of eight."""
    known = [value for value, gone in zip(values, null, strict=True) if not gone]
    if not -MIDDLE <= min(known) <= max(known) < MIDDLE:
        raise TypeError("integers must have less than 64 bits in the page")
    small = -SMALL <= min(known) <= max(known) < SMALL
    return _numbers(_filled(values, null, 0, "i4" if small else "i8"), null)


def _decimals(values: list[Any], null: np.ndarray) -> Written:
    """Decimals, all with the places of the one that has most."""
    known = [value for value, gone in zip(values, null, strict=True) if not gone]
    tuples = [value.as_tuple() for value in known]
    if not all(isinstance(each.exponent, int) for each in tuples):
        raise TypeError("decimals must be finite")
    scale = max(max(-int(each.exponent), 0) for each in tuples)
    before = max(max(len(each.digits) + int(each.exponent), 0) for each in tuples)
    if before + scale > 38:
        raise TypeError("decimals must have at most 38 digits")
    units = [0 if gone else _units(value, scale) for value, gone in zip(values, null, strict=True)]
    details = Table([Number("i", before + scale), Number("i", scale), Number("i", 128)])
    buffer = b"".join(unit.to_bytes(16, "little", signed=True) for unit in units)
    return Written(DECIMAL, details, null, [buffer])


def _units(value: Decimal, scale: int) -> int:
    """How many units in the last of so many places a number is."""
    sign, digits, exponent = value.as_tuple()
    whole: int = int("".join(map(str, digits))) * 10 ** (int(exponent) + scale)
    return -whole if sign else whole


def _dates(values: list[Any], null: np.ndarray) -> Written:
    first = EPOCH.date()
    days = [0 if gone else (day - first).days for day, gone in zip(values, null, strict=True)]
    return Written(DATE, Table([Number("h", 0)]), null, [np.array(days, "<i4").tobytes()])


def _moments(values: list[Any], null: np.ndarray) -> Written:
    if any(value.tzinfo for value, gone in zip(values, null, strict=True) if not gone):
        raise TypeError("moments must have no zone in the page")
    stamps = pd.Series(values, dtype="datetime64[us]").to_numpy().astype("<i8")
    return Written(MOMENT, Table([Number("h", 2)]), null, [stamps.tobytes()])


def _filled(values: list[Any], null: np.ndarray, by: Any, kind: str) -> np.ndarray:
    """Values with something in place of NULL."""
    return np.array([by if gone else value for value, gone in zip(values, null, strict=True)], kind)


def _packed(flags: np.ndarray) -> bytes:
    return np.packbits(flags, bitorder="little").tobytes()
