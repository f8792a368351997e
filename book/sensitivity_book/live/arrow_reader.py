"""Read the tables that DuckDB hands out in Arrow's format, as rows of Python values, exactly.

Source: Apache Arrow, "Arrow Columnar Format".
"""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_book.live.flatbuffer import Read, root

MAGIC = b"ARROW1\0\0"  # opens a file; what follows is a stream
CONTINUES = b"\xff\xff\xff\xff"
SCHEMA, BATCH = 1, 3  # kinds of messages
NULL, INT, FLOAT, BINARY, TEXT, BOOL, DECIMAL, DATE, TIME, MOMENT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
LIST, STRUCT = 12, 13
PLAIN = {
    NULL: "null",
    BINARY: "blob",
    TEXT: "varchar",
    BOOL: "boolean",
    DECIMAL: "decimal",
    DATE: "date",
    TIME: "time",
    LIST: "list",
    STRUCT: "struct",
}
WHOLE = {8: "tinyint", 16: "smallint", 32: "integer", 64: "bigint"}
MOMENTS = ("timestamp_s", "timestamp_ms", "timestamp", "timestamp_ns")  # by their unit
NOT_TOLD = (
    re.compile(  # types that Arrow's would not tell from others, or that Python has no value for
        "UUID|BIT|BIGNUM|INTERVAL|ENUM|WITH TIME ZONE|MAP|UNION|VARIANT|GEOMETRY|HUGEINT",
        re.IGNORECASE,
    )
)
EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Column:
    """A column of a result: its name, its type as DuckDB calls it, and Arrow's word for it."""

    name: str
    id: str
    type: int
    details: Read
    parts: tuple["Column", ...]


@dataclass(frozen=True)
class Result:
    """What a statement returned."""

    columns: list[Column]
    rows: list[tuple[Any, ...]]


def read(content: bytes, types: Sequence[str] | None = None) -> Result:
    """Read a file or a stream in Arrow's format, given the types of its columns as DuckDB writes them."""
    columns: list[Column] = []
    rows: list[tuple[Any, ...]] = []
    for kind, header, body, _ in _messages(content):
        if kind == SCHEMA:
            columns = [_column(field) for field in header.tables(1)]
            told = types or [_told(column) for column in columns]
        elif kind == BATCH:
            batch = _Batch(header, body)
            read = [_as(type, batch.values(one)) for one, type in zip(columns, told, strict=True)]
            rows += zip(*read, strict=True)
        else:
            raise TypeError("result must have plain columns: cast an ENUM to VARCHAR")
    named = [replace(one, id=id_of(type)) for one, type in zip(columns, told, strict=True)]
    return Result(named, rows)


def id_of(type: str) -> str:
    """The name of a type as DuckDB writes it, without what it is of."""
    if type.endswith("]"):
        return "list" if type.endswith("[]") else "array"
    return type.split("(")[0].strip('"').lower()


def _told(column: Column) -> str:
    """The type of a column, from Arrow's alone."""
    if column.type == DECIMAL and column.details.number(0, "i") == 38:
        raise TypeError(f"column {column.name} must not be of 38 digits: cast it to VARCHAR")
    return column.id


def _as(type: str, values: list[Any]) -> list[Any]:
    """Values that are of one of DuckDB's types."""
    if type == "HUGEINT":
        return [None if value is None else int(value) for value in values]
    if type == "UHUGEINT":
        return [None if value is None else int(value) % 2**128 for value in values]
    if type.endswith("[]"):
        return [None if value is None else _as(type[:-2], value) for value in values]
    if found := NOT_TOLD.search(type):
        raise TypeError(
            f"result must not be of type {found.group()} in the page: cast it to VARCHAR"
        )
    return values


def stream_of(content: bytes) -> bytes:
    """The stream that a file holds: its messages, without what stands before and after them."""
    end = max(end for *_, end in _messages(content))
    start = len(MAGIC) if content.startswith(MAGIC) else 0
    return content[start:end] + CONTINUES + bytes(4)


def _messages(content: bytes) -> Iterator[tuple[int, Read, bytes, int]]:
    """Each message: its kind, its header, its body, and where it ends."""
    at = len(MAGIC) if content.startswith(MAGIC) else 0
    while content[at : at + 4] == CONTINUES:
        (size,) = struct.unpack_from("<i", content, at + 4)
        if size == 0:
            return
        message = root(content[at + 8 : at + 8 + size])
        end = at + 8 + size + message.number(3, "q")
        header = message.table(2)
        if header is not None:
            yield message.number(1, "B"), header, content[at + 8 + size : end], end
        at = end


def _column(field: Read) -> Column:
    type, details = field.number(2, "B"), field.table(3)
    assert details is not None
    name = field.text(0)
    parts = tuple(map(_column, field.tables(5)))
    if field.table(4) is not None:
        raise TypeError(f"column {name} must not be an ENUM: cast it to VARCHAR")
    id = _id(type, details)
    if id is None:
        raise TypeError(f"column {name} must be of a type that the page reads: cast it to VARCHAR")
    return Column(name, id, type, details, parts)


def _id(type: int, details: Read) -> str | None:
    """A type as DuckDB calls it."""
    if type == INT:
        return ("" if details.number(1, "B") else "u") + WHOLE[details.number(0, "i")]
    if type == FLOAT:
        return {1: "float", 2: "double"}.get(details.number(0, "h"))
    if type == MOMENT:
        return None if details.text(1) else MOMENTS[details.number(0, "h")]
    if type == DECIMAL and details.number(2, "i", 128) != 128:
        return None
    return PLAIN.get(type)


class _Batch:
    """The columns of a batch, which are read one after the other."""

    def __init__(self, header: Read, body: bytes) -> None:
        self.nodes = iter(header.structs(1, "qq"))
        self.places = iter(header.structs(2, "qq"))
        self.body = body
        self.there = np.empty(0, bool)
        if header.table(3) is not None:
            raise TypeError("result must not be compressed")

    def values(self, column: Column) -> list[Any]:
        """A column's values."""
        size, nulls = next(self.nodes)
        if column.type == NULL:
            return [None] * size
        known = self._buffer()
        self.there = np.array(_bits(known, size) if nulls else [True] * size, bool)
        there = self.there.tolist()  # the parts of a column have their own
        values = self._present(column, size)
        return [value if known else None for value, known in zip(values, there, strict=True)]

    def _buffer(self) -> bytes:
        start, size = next(self.places)
        return self.body[start : start + size]

    def _numbers(self, kind: str, size: int) -> list[Any]:
        values: list[Any] = np.frombuffer(self._buffer(), f"<{kind}", size).tolist()
        return values

    def _counts(self, kind: str, size: int) -> list[int]:
        """Numbers of days or of moments, 0 where NULL hides any."""
        counts = np.frombuffer(self._buffer(), f"<{kind}", size)
        known: list[int] = np.where(self.there, counts, 0).tolist()
        return known

    def _present(self, column: Column, size: int) -> list[Any]:
        """A column's values, where NULL stands anything."""
        type, details = column.type, column.details
        if type == STRUCT:
            names = [part.name for part in column.parts]
            parts = [self.values(part) for part in column.parts]
            return [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)]
        if type == LIST:
            ends = self._numbers("i4", size + 1) if size else [0]
            inner = self.values(column.parts[0])
            return [inner[a:b] for a, b in pairwise(ends)]
        if type in (TEXT, BINARY):
            ends = self._numbers("i4", size + 1) if size else [0]
            data = self._buffer()
            pieces = [data[a:b] for a, b in pairwise(ends)]
            return [piece.decode() for piece in pieces] if type == TEXT else pieces
        if type == INT:
            sign = "i" if details.number(1, "B") else "u"
            return self._numbers(f"{sign}{details.number(0, 'i') // 8}", size)
        if type == FLOAT:
            return self._numbers("f4" if column.id == "float" else "f8", size)
        if type == BOOL:
            return _bits(self._buffer(), size)
        if type == DECIMAL:
            return _decimals(self._buffer(), size, details.number(1, "i"))
        if type == DATE:
            return [(EPOCH + timedelta(days=days)).date() for days in self._counts("i4", size)]
        unit = details.number(0, "h", 1 if type == TIME else 0)
        moments = [_moment(count, unit) for count in self._counts("i8", size)]
        return [moment.time() for moment in moments] if type == TIME else list(moments)


def _bits(buffer: bytes, size: int) -> list[bool]:
    """Eight values a byte, from its lowest bit on."""
    packed = np.frombuffer(buffer, np.uint8)
    bits: list[bool] = np.unpackbits(packed, count=size, bitorder="little").astype(bool).tolist()
    return bits


def _decimals(buffer: bytes, size: int, scale: int) -> list[Decimal]:
    """Whole numbers of units in the last place; no context rounds them."""
    parts = [buffer[at : at + 16] for at in range(0, 16 * size, 16)]
    whole = [int.from_bytes(part, "little", signed=True) for part in parts]
    return [Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)) for n in whole]


def _moment(count: int, unit: int) -> datetime:
    """A moment so many seconds, or thousandths, millionths or billionths, after 1970 began."""
    if unit == 3:
        return EPOCH + timedelta(microseconds=count // 1000)
    return EPOCH + timedelta(microseconds=count * (1_000_000, 1_000, 1)[unit])
