"""Results as JSON: numbers as they are, fractions and all else that JSON has not as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from sensitivity_beyond.tables.frames import Row, is_table, rows_of, table
from sensitivity_lab.closed_form import ClosedForm
from sensitivity_lab.did_you_mean import SaysWhich
from sensitivity_lab.methods.witness import CompactWitness
from sensitivity_lab.numbers.exact import is_real
from sensitivity_lab.numbers.gap import Labelled
from sensitivity_lab.numbers.text import own_text
from sensitivity_lab.queries import Query
from sensitivity_lab.results import Sensitivity

MOST_BITS = 10_000  # readers of JSON, Python's among them, refuse an int of over 4,300 digits


class Travels(SaysWhich):
    """A result that is written as JSON.

    >>> import sensitivity_lab as sl
    >>> school = sl.Universe.population([1, 2, 3, 10])
    >>> found = sl.global_sensitivity(sl.MEAN, school, size=2, relation=sl.Add(1))
    >>> plain = found.to_dict()
    >>> plain["value"], plain["witness"]
    ('17/6', [[1, 2], [1, 2, 10]])
    >>> plain["query"], plain["relation"], plain["universe"]
    ('mean', 'Add(1)', 'Universe.population([1, 2, 3, 10])')

    The keys are the names of what the result shows, beside ``"type"``, the name of its class. A
    fraction is text as ``"17/6"``. A dataset is a list; of a table it has a dict for each row. An
    answer by key is a list of pairs. All else is its own text. To go on with a result, pickle it.
    """

    also: ClassVar[tuple[str, ...]] = ()  # properties that are written beside the fields

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, text and numbers."""
        names = [field.name for field in fields(self) if field.repr]  # type: ignore[arg-type]
        held = {
            name: _written(getattr(self, name)) for name in (*names, *getattr(self, "also", ()))
        }
        return {"type": type(self).__name__} | held

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as a JSON text; `indent` as `json.dumps` takes it."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


def _written(value: Any) -> Any:
    """A value as JSON has it, or as its own text."""
    if isinstance(value, (Travels, Sensitivity, ClosedForm)):
        return value.to_dict()
    if isinstance(value, Query):
        return value.name
    if isinstance(value, Labelled):
        return [
            [_written(label), _written(n)] for label, n in zip(value.labels, value, strict=True)
        ]
    if isinstance(value, Row):
        return dict(zip(value.columns, map(_written, value), strict=True))
    if isinstance(value, Mapping):
        return {str(name): _written(one) for name, one in value.items()}
    if is_table(value):
        value = rows_of(table(value, "dataset"))
    if isinstance(value, (tuple, list, CompactWitness)):
        return list(map(_written, value))
    if isinstance(value, np.generic) and is_real(value):
        value = value.item()
    if isinstance(value, Fraction):
        return f"{_whole(value.numerator)}/{_whole(value.denominator)}"
    if type(value) is int:
        return _whole(value)
    if value is None or type(value) in (bool, str) or (type(value) is float and isfinite(value)):
        return value
    return own_text(value)


def _whole(number: int) -> int | str:
    return number if number.bit_length() < MOST_BITS else hex(number)
