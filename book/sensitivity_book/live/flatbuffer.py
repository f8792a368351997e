"""Flatbuffers, as far as Arrow's messages need them: tables whose fields are found by offsets.

Source: FlatBuffers, "FlatBuffer Internals".
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

WORD = 8  # everything written here starts at a multiple of it, or of 4


@dataclass(frozen=True)
class Read:
    """A table in a buffer, and where it starts."""

    buffer: bytes
    start: int

    def place(self, field: int) -> int | None:
        """Where a field is, None if it is left out."""
        offsets = self.start - int(struct.unpack_from("<i", self.buffer, self.start)[0])
        (size,) = struct.unpack_from("<H", self.buffer, offsets)
        if 4 + 2 * field >= size:
            return None
        (offset,) = struct.unpack_from("<H", self.buffer, offsets + 4 + 2 * field)
        return self.start + offset if offset else None

    def number(self, field: int, form: str, default: int = 0) -> int:
        """A number, of a form that `struct` knows."""
        place = self.place(field)
        return (
            default if place is None else int(struct.unpack_from(f"<{form}", self.buffer, place)[0])
        )

    def table(self, field: int) -> "Read | None":
        """A table in this one."""
        place = self.place(field)
        return None if place is None else Read(self.buffer, self._follow(place))

    def text(self, field: int) -> str:
        """A text, empty if it is left out."""
        start, size = self._vector(field)
        return self.buffer[start : start + size].decode()

    def tables(self, field: int) -> Iterator["Read"]:
        """The tables of a vector."""
        start, size = self._vector(field)
        for place in range(start, start + 4 * size, 4):
            yield Read(self.buffer, self._follow(place))

    def structs(self, field: int, form: str) -> list[tuple[Any, ...]]:
        """The structs of a vector, of one form."""
        start, size = self._vector(field)
        end = start + size * struct.calcsize(f"<{form}")
        return list(struct.iter_unpack(f"<{form}", self.buffer[start:end]))

    def _follow(self, place: int) -> int:
        return place + int(struct.unpack_from("<I", self.buffer, place)[0])

    def _vector(self, field: int) -> tuple[int, int]:
        place = self.place(field)
        if place is None:
            return 0, 0
        start = self._follow(place)
        return start + 4, int(struct.unpack_from("<I", self.buffer, start)[0])


def root(buffer: bytes) -> Read:
    """The table that a buffer holds."""
    return Read(buffer, int(struct.unpack_from("<I", buffer)[0]))


@dataclass(frozen=True)
class Number:
    """A number to be written, in a form that `struct` knows."""

    form: str
    value: int


@dataclass(frozen=True)
class Structs:
    """A vector of structs to be written, of one form, whose parts all have eight bytes."""

    form: str
    rows: Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Table:
    """A table to be written; None is a field that is left out."""

    fields: Sequence["Number | Structs | Table | str | Sequence[Table] | None"]


def write(table: Table) -> bytes:
    """Return the buffer that holds a table; what a table names comes after it."""
    out = bytearray(WORD)
    struct.pack_into("<I", out, 0, _table(out, table))
    return bytes(out)


def _table(out: bytearray, table: Table) -> int:
    offsets, size = _laid_out(table)
    _pad(out, len(offsets) * 2 + 4)
    head = len(out)
    out += struct.pack(f"<HH{len(offsets)}H", 4 + 2 * len(offsets), size, *offsets)
    start = len(out)
    out += struct.pack("<i", start - head) + bytes(size - 4)
    for offset, field in zip(offsets, table.fields, strict=True):
        if isinstance(field, Number):
            struct.pack_into(f"<{field.form}", out, start + offset, field.value)
    for offset, field in zip(offsets, table.fields, strict=True):
        if field is not None and not isinstance(field, Number):
            there = _named(out, field)
            struct.pack_into("<I", out, start + offset, there - start - offset)
    return start


def _laid_out(table: Table) -> tuple[list[int], int]:
    """Where each field of a table is, 0 for none, and how large the table is."""
    offsets, size = [], 4
    for field in table.fields:
        if field is None:
            offsets.append(0)
            continue
        width = struct.calcsize(field.form) if isinstance(field, Number) else 4
        size += -size % width
        offsets.append(size)
        size += width
    return offsets, size


def _named(out: bytearray, field: "Structs | Table | str | Sequence[Table]") -> int:
    """Write what a table names, and return where it is."""
    if isinstance(field, Table):
        return _table(out, field)
    _pad(out, 4)
    start = len(out)
    if isinstance(field, str):
        text = field.encode()
        out += struct.pack("<I", len(text)) + text + b"\0"
    elif isinstance(field, Structs):
        out += struct.pack("<I", len(field.rows))
        out += b"".join(struct.pack(f"<{field.form}", *row) for row in field.rows)
    else:
        out += struct.pack("<I", len(field)) + bytes(4 * len(field))
        for i, table in enumerate(field):
            place = start + 4 + 4 * i
            there = _table(out, table)
            struct.pack_into("<I", out, place, there - place)
    return start


def _pad(out: bytearray, ahead: int) -> None:
    """Fill up, so that what follows so many bytes further starts at a multiple of eight."""
    out += bytes(-(len(out) + ahead) % WORD)
