"""The records of a universe in a line: by their number, or a column, or what a query asks of them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.audit.boundary_values import breaking_values
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.numbers.exact import Exact, exact_number, is_finite, is_real
from sensitivity_lab.records.said import number_of
from sensitivity_lab.universe import Universe

MOST_ORDERS = 8  # of records with columns
MOST_READ = 200_000  # records whose columns are read
LARGEST = 10**300  # numbers that floats hold with room


@dataclass(frozen=True)
class Line:
    """Records in one order, (v,) positions of values: of a population all, of a range `copies` each."""

    order: np.ndarray
    copies: int

    def __len__(self) -> int:
        return len(self.order) * self.copies

    @cached_property
    def values(self) -> np.ndarray:
        """The different values, in order; copies of one follow one another."""
        different: np.ndarray = self.order[np.diff(self.order, prepend=-1) != 0]
        return different

    def run(self, start: int, count: int) -> list[int]:
        """So many records that follow one another, from a place on."""
        places = np.arange(start, start + count, dtype=np.int64) // self.copies
        run: list[int] = self.order[places].tolist()
        return run


def line_of(universe: Universe, order: np.ndarray, needed: int) -> Line:
    """The line of some records for a pair of `needed`, by an order of the values."""
    if universe.unlimited:
        return Line(order, max(1, needed))
    return Line(np.repeat(order, universe.counts[order]), 1)


def orders_of(universe: Universe, subject: Subject) -> list[np.ndarray]:
    """The orders of a universe's values that are worth a try: by what a query asks of each record,
    the universe's own, by each entry of records that have several.
    """
    own = np.arange(universe.distinct, dtype=np.intp)
    if universe.numeric or len(own) > MOST_READ:
        return [own]
    orders = [own]
    if subject.said is not None:
        of_what, records = subject.said.over.of_what, universe.source.each(range(len(own)))
        orders.insert(0, _sorted([number_of(of_what, record) for record in records]))
    else:
        orders += [_sorted(list(column)) for column in _columns(universe)]
    return _different(orders)[:MOST_ORDERS]


def boundary_positions(universe: Universe) -> list[int]:
    """Where the values stand that break arithmetic, or those next to them; of records none."""
    if not universe.numeric or universe.distinct < 2:
        return []
    values: list[Exact] = [value for value in universe.exact_values if value is not None]
    at = {0, 1, len(values) - 2, len(values) - 1} - {-1}
    if universe.has_missing:
        at.add(len(values))
    if -LARGEST <= values[0] and values[-1] <= LARGEST:
        wanted = [exact_number(value) for value in breaking_values((values[0], values[-1]))]
        at |= {min(bisect_left(values, value), len(values) - 1) for value in (*wanted, 1)}
    return sorted(at)


def _columns(universe: Universe) -> list[tuple[Any, ...]]:
    """The entries of records that are tuples of one length, by place; of other tuples the lengths."""
    values = universe.values
    lengths = [len(value) if isinstance(value, tuple) else -1 for value in values]
    if -1 in lengths:
        return []
    return list(zip(*values, strict=True)) if len(set(lengths)) == 1 else [tuple(lengths)]


def _sorted(entries: list[Any]) -> np.ndarray:
    """Positions by entry: numbers by value, then the rest by type and text."""
    keys = [_key(entry) for entry in entries]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def _key(entry: Any) -> tuple[Any, ...]:
    if is_real(entry) and is_finite(entry):
        return 0, exact_number(entry)
    return 1, type(entry).__name__, repr(entry)


def _different(orders: list[np.ndarray]) -> list[np.ndarray]:
    """Each order once, and none that is another backwards."""
    kept: list[np.ndarray] = []
    for order in orders:
        if not any(np.array_equal(order, each) for one in kept for each in (one, one[::-1])):
            kept.append(order)
    return kept
