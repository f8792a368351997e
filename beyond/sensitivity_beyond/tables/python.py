"""Python that makes a dataset again, a table in its own library, or a query; and snippets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any

import narwhals as nw

from sensitivity_beyond.tables.asking import Grouping, OfRecords
from sensitivity_beyond.tables.columns import Clipped, Columns, Filled, There
from sensitivity_beyond.tables.frames import is_table, rows_of, table
from sensitivity_beyond.tables.lazy import pd
from sensitivity_beyond.tables.sql.statement import Statement
from sensitivity_lab.catalogue import CONSTANTS
from sensitivity_lab.numbers.exact import exact_number, number_as_float
from sensitivity_lab.queries import Query

LONGEST_WRITTEN = 4000  # bits: Python writes longer ints in hexadecimals only


def source_of(dataset: Any) -> str:
    """Return Python that makes a dataset again: a table, a dict of tables, or a tuple."""
    if isinstance(dataset, Mapping):
        lines = [f"    {_record_text(name)}: {source_of(one)},\n" for name, one in dataset.items()]
        return "{\n" + "".join(lines) + "}"
    if not is_table(dataset):
        return _record_text(dataset)
    return _table_text(nw.from_native(dataset, eager_only=True))


def _record_text(value: Any) -> str:
    """Python for a record, or for a tuple of them."""
    if type(value) is not tuple:  # one with names has a repr of its own
        return literal(value)
    return f"({', '.join(map(_record_text, value))}{',' * (len(value) == 1)})"


def literal(value: Any) -> str:
    """Return Python for one cell; a list was made a tuple, to be a record's."""
    if type(value) is tuple:
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if type(value) is Fraction:
        return f"Fraction({literal(value.numerator)}, {literal(value.denominator)})"
    if type(value) is int and value.bit_length() > LONGEST_WRITTEN:
        return hex(value)
    if isinstance(value, (pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval)):
        return f"pd.{value!r}"
    return repr(value)


def _table_text(frame: nw.DataFrame[Any]) -> str:
    """Python for a table; pandas is told types that it would not find, others find their own."""
    native, rows = frame.to_native(), rows_of(frame)
    columns = {name: [row[i] for row in rows] for i, name in enumerate(frame.columns)}
    texts = {name: f"[{', '.join(map(literal, cells))}]" for name, cells in columns.items()}
    if not frame.implementation.is_pandas():
        make = "pl.DataFrame" if frame.implementation.is_polars() else "pa.table"
        return f"{make}({_in_braces(texts)})"
    named: dict[str, str] = {}
    for name, cells in columns.items():
        kind = native.dtypes[name]
        if _is_found(kind, cells):
            continue
        if isinstance(kind, pd.CategoricalDtype):  # groups of none are groups, too
            categories = ", ".join(map(literal, kind.categories.tolist()))
            named[name] = f"pd.CategoricalDtype([{categories}], ordered={kind.ordered})"
        elif pd.api.types.is_object_dtype(kind) and any(cell is None for cell in native[name]):
            texts[name] = f"pd.Series({texts[name]}, dtype='object')"  # else None becomes NaN
        else:
            named[name] = repr(str(kind))
    cast = f".astype({_in_braces(named)})" * bool(named)
    return f"pd.DataFrame({_in_braces(texts)}){cast}"


def _in_braces(texts: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in texts.items()) + "}"


def _is_found(kind: Any, cells: list[Any]) -> bool:
    """Whether pandas makes this type of some cells by itself."""
    lists = [list(cell) if isinstance(cell, tuple) else cell for cell in cells]
    try:
        return bool(pd.DataFrame({0: lists})[0].dtype == kind)
    except Exception:  # cells of several kinds
        return False


def own_numbers(records: Iterable[Any]) -> list[str]:
    """Where the kinds of number come from that Python and numpy have not, if a text names them."""
    known = ("builtins", "fractions", "decimal", "numpy", "datetime", "pandas")
    kinds = set()
    for record in records:
        kind = type(record)
        named = isinstance(record, Enum) or f"{kind.__name__}(" in repr(record)
        if named and kind.__module__.split(".")[0] not in known:
            kinds.add((kind.__module__, kind.__name__))
    return [
        f"# define {name} here" if module == "__main__" else f"from {module} import {name}"
        for module, name in sorted(kinds)
    ]


def cells_of(dataset: Any) -> Iterable[Any]:
    """The records of a dataset, or the cells of its tables."""
    tables = dataset.values() if isinstance(dataset, Mapping) else [dataset]
    if not all(map(is_table, tables)):
        return dataset  # type: ignore[no-any-return]
    return [cell for one in tables for row in rows_of(table(one, "dataset")) for cell in row]


class Snippet(str):
    """Python source that displays as it would print.

    >>> Snippet("print(1)")
    print(1)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def comment(text: Any) -> str:
    """A comment of one line, whatever somebody's name of a function has in it."""
    return f"# {' '.join(str(text).split())}"


def runnable(lines: Sequence[str]) -> Snippet:
    """Lines of Python with the imports that their numbers need."""
    used = "\n".join(lines)
    imports = {
        "Decimal(": "from decimal import Decimal",
        "Fraction(": "from fractions import Fraction",
        "datetime.": "import datetime",
        "np.": "import numpy as np",
        "pd.": "import pandas as pd",
        "pl.DataFrame(": "import polars as pl",
        "pa.table(": "import pyarrow as pa",
        "zoneinfo.": "import zoneinfo",
    }
    needed = [line for text, line in imports.items() if text in used]
    return Snippet("\n".join([*needed, *lines]))


# -- queries ----------------------------------------------------------------------------------


def python_of(query: Query) -> str | None:
    """The Python that makes a standard query, with `sl` for the package; None for any other."""
    if isinstance(query.function, Statement):
        return query.function.python(query)
    if isinstance(query.function, Grouping):
        by, keys = query.function.by_what, query.function.keys
        asked = _python_of_what(query.function.query, query.function.of_what)
        by = list(by.names) if isinstance(by, Columns) else by
        said = "" if keys is None else f", keys={list(keys)!r}"
        return None if asked is None or callable(by) else f"{asked}.by({by!r}{said})"
    if isinstance(query.function, OfRecords):
        return _python_of_what(query.function.query, query.function.of)
    for name, constant in CONSTANTS.items():
        if query == constant:
            return f"sl.{name}"
    if not query.made or query != query.made():
        return None
    options = [f"{name}={value}" for name, value in query.made.keywords.items()]
    given = ", ".join([*map(_number_text, query.made.args), *options])
    return f"sl.{query.made.func.__name__}({given})"


def _number_text(value: Any) -> str:
    """Numbers as Python: a float's text where that means the number, else an int or a Fraction."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_number_text, value))}]"
    number = exact_number(value)
    decimal = None if isinstance(number, int) else number_as_float(number)
    return repr(number if decimal is None else decimal)


def _python_of_what(query: Query, what: Any) -> str | None:
    """The Python of a query of a column, or of its numbers cut to bounds."""
    if what is None:
        return python_of(query)
    if isinstance(what, Clipped):
        asked = _python_of_what(query, what.of)
        ends = f"{_number_text(what.low)}, {_number_text(what.high)}"
        return None if asked is None else f"{asked}.clipped({ends})"
    if isinstance(what, There):
        return f"sl.COUNT.of({what.of!r})" if isinstance(what.of, str) else None
    column, missing = what, ""
    if isinstance(what, Filled):
        column, missing = what.of, f", missing={_number_text(what.missing)}"
    asked = python_of(query)
    return f"{asked}.of({column!r}{missing})" if asked and isinstance(column, str) else None
