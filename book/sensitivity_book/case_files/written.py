"""Numbers and datasets as JSON, exactly, and read again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

RUNS = 20  # a longer dataset is written as runs of equal records


def written(value: Any) -> Any:
    """Return a number, text, dataset or table as what JSON can hold."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, pd.DataFrame):
        rows = [written(tuple(row)) for row in value.itertuples(index=False)]
        return {"columns": list(value.columns), "rows": rows}
    if isinstance(value, dict):
        return {"tables": {name: written(table) for name, table in value.items()}}
    if isinstance(value, (tuple, list, np.ndarray)):
        return _sequence([written(part) for part in value])
    return _number(value)


def _sequence(parts: list[Any]) -> Any:
    if len(parts) <= RUNS:
        return parts
    return {"runs": [[part, len(list(run))] for part, run in groupby(parts)]}


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (float, Fraction, Decimal)):
        return {"number": str(value)}
    raise TypeError(f"value must be a number, text, dataset or table, got {value!r}")


def read(stored: Any) -> Any:
    """Return what `written` wrote: sequences as tuples, tables as frames."""
    if isinstance(stored, list):
        return tuple(map(read, stored))
    if not isinstance(stored, dict):
        return stored
    if "number" in stored:
        return _read_number(stored["number"])
    if "runs" in stored:
        return tuple(_unrolled(stored["runs"]))
    if "tables" in stored:
        return {name: read(table) for name, table in stored["tables"].items()}
    return pd.DataFrame([read(row) for row in stored["rows"]], columns=stored["columns"])


def _read_number(text: str) -> Any:
    if "/" in text:
        return Fraction(text)
    return float(text) if text in ("inf", "-inf", "nan") else Decimal(text)


def _unrolled(runs: Iterable[Any]) -> list[Any]:
    return [read(part) for part, copies in runs for _ in range(copies)]
