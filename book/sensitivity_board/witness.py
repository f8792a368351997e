"""A witness in two lines: each dataset as it can be checked, and the answer on it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pandas as pd

from sensitivity_lab.audit.report import AuditRow
from sensitivity_lab.numbers.text import cell_text, dataset_text, number_text

LONGEST = 12  # runs of equal rows; of more, the last are counted


def witness_lines(row: AuditRow) -> tuple[str, ...]:
    """Return a line for each of the two datasets, with its answer; none where no pair is stored."""
    if row.answers is None:
        return ()
    write = str if _alike(*row.answers) else answer_text
    pair = zip((row.dataset, row.neighbour), row.answers, strict=True)
    return tuple(f"{data_line(data)} → {write(answer)}" for data, answer in pair)


def data_line(dataset: Any) -> str:
    """Write a dataset in a line: records as `dataset_text` does, tables by their columns and rows."""
    if isinstance(dataset, pd.DataFrame):
        return f"{', '.join(map(str, dataset.columns))}: {_rows(_values(dataset))}"
    if isinstance(dataset, dict):
        return "; ".join(_table(name, table) for name, table in dataset.items())
    return _nested(dataset) if _has_text(dataset) else dataset_text(dataset)


def answer_text(answer: Any) -> str:
    """Write an answer: a number, a vector, or a number for each group."""
    if isinstance(answer, dict):
        return ", ".join(f"{name}: {number_text(value)}" for name, value in answer.items()) or (
            "no groups"
        )
    return number_text(answer)


def _alike(one: Any, other: Any) -> bool:
    """Whether two answers are floats of which less than a thousandth differs."""
    if not isinstance(one, float) or not isinstance(other, float):
        return False
    return 0 < abs(one - other) < max(abs(one), abs(other)) / 1000


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and any(map(_has_text, value)))


def _nested(value: Any) -> str:
    """Records that hold text, or rows of their own, in brackets within brackets."""
    return f"({', '.join(map(_nested, value))})" if isinstance(value, tuple) else cell_text(value)


def _table(name: str, table: Any) -> str:
    if not isinstance(table, pd.DataFrame):
        return f"{name}: {_rows(table)}"
    columns = f" ({', '.join(map(str, table.columns))})" if len(table) else ""
    return f"{name}{columns}: {_rows(_values(table))}"


def _values(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(table.itertuples(index=False, name=None))


def _rows(rows: Iterable[Iterable[Any]]) -> str:
    """Rows in brackets, equal neighbours counted."""
    texts = (f"({', '.join(map(cell_text, row))})" for row in rows)
    runs = [(text, len(list(run))) for text, run in groupby(texts)]
    shown = [text if copies == 1 else f"{text} ×{copies}" for text, copies in runs[:LONGEST]]
    left = sum(copies for _, copies in runs[LONGEST:])
    return ", ".join([*shown, *([f"… {left:,} more …"] if left else [])]) or "no rows"
