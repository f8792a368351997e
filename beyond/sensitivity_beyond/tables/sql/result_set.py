"""What a SQL statement returns, as the answer of a query: a number, a vector, or numbers by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from sensitivity_beyond.tables.sql.parsed import CELL, KEY, NUMBER, UNKNOWN, of_columns
from sensitivity_lab.numbers.exact import brief, is_finite, is_real
from sensitivity_lab.numbers.text import listed
from sensitivity_lab.queries import Keyed

Number = int | float | Decimal


class ResultSet(NamedTuple):
    """The rows that a statement returns, with the columns' names and which hold numbers."""

    names: list[str]
    numeric: list[bool | None]
    rows: list[tuple[Any, ...]]


def answer_of(
    result: ResultSet,
    keys: tuple[str, ...] | None,
    told: Sequence[tuple[str, int]] = UNKNOWN,
) -> Number | tuple[Number, ...] | Keyed:
    """Return the answer that a result is; `keys` names key columns, `told` whence they come."""
    at = _key_columns(result, told) if keys is None else _columns_named(result, keys)
    if not result.rows and None in result.numeric:  # any of these columns may be a key
        return Keyed([], [])
    numbers = [i for i in range(len(result.names)) if i not in at]
    if not numbers:
        raise ValueError(
            f"result must have a numeric column beside its keys, got {listed(result.names)}: "
            "CAST(… AS INT) makes a number of what is true or false"
        )
    if at:
        return _by_key(result, at, numbers)
    if len(result.rows) != 1:
        got = f"{len(result.rows):,} rows" if result.rows else "no row"
        raise ValueError(
            f"result must be one row where no column is a key, got {got} of "
            f"{listed(result.names)}: say keys= with the name of a column, or aggregate"
        )
    entries = _numbers_of_row(result, numbers, result.rows[0])
    return entries[0] if len(entries) == 1 else tuple(entries)


def _key_columns(result: ResultSet, told: Sequence[tuple[str, int]]) -> list[int]:
    """Which columns are keys where none is named: all that are not numeric, if that is clear."""
    names, at = result.names, [i for i, numeric in enumerate(result.numeric) if not numeric]
    of, numbers = of_columns(names, told), len(names) - len(at)
    for i, (name, numeric) in enumerate(zip(names, result.numeric, strict=True)):
        if numeric is None and result.rows:
            raise ValueError(
                f"column {name} must hold numbers, or be a key, got NULL alone: write "
                f"COALESCE, or say keys={name!r}"
            )
        if numeric and (of[i] == KEY or (of[i] == CELL and numbers > 1)):
            with_it = [names[j] for j in sorted({*at, i})]
            beside = "" if numbers > 1 else " and select a COUNT(*)"
            raise ValueError(
                f"column {name} must be a key or a number, got one that may be either: say keys="
                f"{with_it if at else repr(name)}{beside} if it names what the numbers are of, or "
                f"keys={[names[j] for j in at]} if it is a number of the answer"
            )
        if numeric is False and of[i] == NUMBER and numbers:
            raise ValueError(
                f"column {name} must be a key or a number, got what is no number: say keys="
                f"{[names[j] for j in at]} for a key, or CAST(… AS INT) of what is true or false"
            )
    return at


def _columns_named(result: ResultSet, keys: tuple[str, ...]) -> list[int]:
    """The columns that `keys` names; all others must hold numbers."""
    for key in keys:
        if result.names.count(key) != 1:
            raise ValueError(
                f"keys must name one column of the result each, got {key!r} for the columns "
                f"{listed(result.names)}"
            )
    at = [result.names.index(key) for key in keys]
    for i, numeric in enumerate(result.numeric):
        if numeric is False and i not in at:
            raise ValueError(
                f"column {result.names[i]} must be numeric or named in keys, got keys={list(keys)}"
            )
    return at


def _by_key(result: ResultSet, at: list[int], numbers: list[int]) -> Keyed:
    """The numbers of all rows by key."""
    names = [result.names[i] for i in numbers]
    if len(set(names)) < len(names):
        raise ValueError(f"columns must have different names, got {listed(names)}")
    held: dict[Any, Number] = {}
    for row in result.rows:
        parts = tuple(_hashable(row[i]) for i in at)
        key = parts[0] if len(parts) == 1 else parts
        for name, number in zip(names, _numbers_of_row(result, numbers, row), strict=True):
            label = key if len(names) == 1 else (key, name)
            if label in held:
                raise ValueError(
                    f"result must have one row for each key, got two for {brief(key)} of "
                    f"{listed([result.names[i] for i in at])}"
                )
            held[label] = number
    return Keyed(list(held), list(held.values()))


def _hashable(value: Any) -> Any:
    """A key; lists and structures as tuples."""
    if isinstance(value, Mapping):
        return tuple((name, _hashable(part)) for name, part in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


def _numbers_of_row(
    result: ResultSet, columns: Sequence[int], row: tuple[Any, ...]
) -> list[Number]:
    """The numbers of a row in some columns, each finite."""
    for i in columns:
        if row[i] is None:
            raise ValueError(
                f"column {result.names[i]} must hold a number in every row, got NULL: "
                "write COALESCE(…, 0), or leave the row out"
            )
        if not is_real(row[i]):
            raise ValueError(f"column {result.names[i]} must hold numbers, got {brief(row[i])}")
        if not is_finite(row[i]):
            raise ValueError(
                f"column {result.names[i]} must hold finite numbers, got {brief(row[i])}: "
                "catch it in the statement, as with COALESCE and NULLIF"
            )
    return [row[i] for i in columns]
