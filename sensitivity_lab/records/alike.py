"""Records that are told apart and no more: a number for each, the same for those that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import exact_number, is_real
from sensitivity_lab.records.clipped import number_of
from sensitivity_lab.records.source import are_text, codes_of, hashed


@dataclass(frozen=True, eq=False)
class Alike:
    """The number of a universe's record, or of what it says in a column or to a function."""

    universe: Any
    of: Any = None

    def __call__(self, record: Any) -> int:
        """The number of one record."""
        return self._code_of[told_apart(record if self.of is None else number_of(self.of, record))]

    @cached_property
    def of_all(self) -> np.ndarray:
        """The number of each of the m records, (m,). Cost: one pass; of text in a column one dict."""
        codes = self._codes
        return codes if self.of is not None else np.repeat(codes, self.universe.source.counts)

    @property
    def _codes(self) -> np.ndarray:
        keys = self._keys
        if self.of is None and are_text(keys):
            return np.arange(len(keys), dtype=np.int64)  # a universe lists each of its records once
        return codes_of(keys)

    @cached_property
    def _keys(self) -> Sequence[Any]:
        """What tells the different records apart, or in a column all of them."""
        universe = self.universe
        said = universe.values if self.of is None else universe.said(self.of)
        return said if are_text(said) else list(map(told_apart, said))

    @cached_property
    def _code_of(self) -> dict[Any, int]:
        return dict(zip(self._keys, self._codes.tolist(), strict=True))


def told_apart(record: Any) -> Any:
    """What tells a record apart from others: itself, of a number how large it is."""
    if isinstance(record, str):
        return record
    if record is None:
        raise TypeError("values that are told apart must be there, got None")
    return exact_number(record) if is_real(record) else hashed(record, "values that are told apart")
