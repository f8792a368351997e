"""Bounds on what a person brings: rows, groups of a column, numbers cut to an interval;
one after another.

Rows have no order, so which ones a person keeps is settled by their cells, one column after
another: the same rows are bounded alike, however they stand in a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_beyond.tables.frames import NAN, cells_of
from sensitivity_beyond.tables.lazy import pd
from sensitivity_lab.numbers.exact import Exact, brief, checked_bounds, whole_number
from sensitivity_lab.numbers.text import counted, listed

Frame = nw.DataFrame[Any]
Cost = tuple[str, int, int, int]  # a bound, the rows dropped, the cells cut, of how many people


@dataclass(frozen=True)
class Truncation:
    """Bounds in their order, each a name and what it says;
    and the column by which rows come first."""

    steps: tuple[tuple[str, Any], ...]
    keep: str | None = None

    @classmethod
    def of(cls, bounds: Mapping[str, Any], keep: Any) -> Truncation:
        """Bounds as a caller wrote them."""
        if not bounds:
            raise ValueError("bounds must be at least one of rows, groups and clip, got none")
        for name, what in bounds.items():
            if name == "rows":
                whole_number(what, "rows", 1)
            elif name == "groups" and isinstance(what, tuple) and len(what) == 2:
                whole_number(what[1], "groups", 1)
            elif name == "clip" and isinstance(what, Mapping) and what:
                for ends in what.values():
                    checked_bounds(ends)
            else:
                examples = "rows=2, groups=('shop', 1) or clip={'price': (0, 100)}"
                raise TypeError(f"bounds must be {examples}, got {name}={brief(what)}")
        return cls(tuple(bounds.items()), keep)

    def check(self, columns: Sequence[str], id: str | None) -> None:
        """Refuse what is no column of a table, and bounds on who somebody is."""
        said, others = dict(self.steps), [column for column in columns if column != id]
        bounded = [*said.get("clip", {}), *said.get("groups", ())[:1]]
        first = [] if self.keep in (None, id) else [self.keep]
        for name in (*bounded, *first):
            if name not in others:
                raise ValueError(f"bounds must name one of {listed(others)}, got {brief(name)}")

    def cut(self, frame: Frame) -> Frame:
        """A table with its numbers in their bounds."""
        for column, ends in dict(self.steps).get("clip", {}).items():
            frame = frame.with_columns(_clipped(frame[column], *checked_bounds(ends)))
        return frame

    def bounded(self, frame: Frame, people: np.ndarray) -> tuple[Frame, np.ndarray, list[Cost]]:
        """A table of people's rows bounded, in the table's order; whose they are;
        what each bound cost."""
        costs: list[Cost] = []
        for name, what in self.steps:
            rows = cells = 0
            if name == "clip":
                cut = self.cut(frame)
                pairs = (zip(cells_of(frame[c]), cells_of(cut[c]), strict=True) for c in what)
                unlike = [[a is not b and a != b for a, b in cells] for cells in pairs]
                differ = np.array(unlike, dtype=bool)
                frame, cells, hit = cut, int(np.count_nonzero(differ)), people[differ.any(axis=0)]
            else:
                kept = self._kept(name, what, frame, people)
                rows, hit = int(np.count_nonzero(~kept)), people[~kept]
                frame, people = frame[np.flatnonzero(kept).tolist()], people[kept]
            costs.append((f"{name}={what}", rows, cells, len(np.unique(hit))))
        return frame, people, costs

    def _kept(self, name: str, what: Any, frame: Frame, people: np.ndarray) -> np.ndarray:
        """Which rows a bound leaves: each person's first, or all in the first of their groups."""
        order = self._order(frame, people)
        who = people[order]
        start = np.searchsorted(who, who)  # where each row's person begins
        if name == "rows":
            is_kept = np.arange(len(who), dtype=np.int64) - start < what
        else:
            group = _joined_ranks(who, _ranks(frame[what[0]])[order])
            first = np.unique(group, return_index=True)[1]  # where each group begins
            begun = np.zeros(len(who) + 1, dtype=np.int64)
            begun[first + 1] = 1
            begun = np.cumsum(begun, dtype=np.int64)
            is_kept = (begun[first] - begun[start[first]] < what[1])[group]
        kept = np.zeros(len(who), dtype=bool)
        kept[order[is_kept]] = True
        return kept

    def _order(self, frame: Frame, people: np.ndarray) -> np.ndarray:
        """The rows by person, and a person's by their cells: that of `keep` first,
        then from left to right."""
        place = np.unique(people, return_inverse=True)[1]
        for name in dict.fromkeys([*([self.keep] if self.keep else []), *frame.columns]):
            if len(place) == 0 or place.max() + 1 == len(place):
                break  # no two are alike
            place = _joined_ranks(place, _ranks(frame[name]))
        return np.argsort(place, kind="stable")

    def __str__(self) -> str:
        steps = (*self.steps, ("keep", self.keep)) if self.keep else self.steps
        return f".truncated({', '.join(f'{name}={what!r}' for name, what in steps)})"


@dataclass(frozen=True, repr=False, eq=False)
class Truncated:
    """A table with each person's rows bounded, and what that cost.

    `table` is of the caller's library, its rows in their order; `lost` has a row for each bound:
    the rows that it dropped, the cells that it cut, of how many people; `missing` counts the cells
    of each column that are. These numbers are of the data: neither they, nor bounds that are chosen
    by them, are public.
    """

    table: Any
    rows: int
    people: int
    costs: Sequence[Cost]
    missing: Mapping[str, int]

    @property
    def lost(self) -> pd.DataFrame:
        """What each bound cost."""
        columns = ["bound", "rows lost", "cells cut", "people"]
        return pd.DataFrame(self.costs, columns=columns).set_index("bound")

    def __repr__(self) -> str:
        gone = sum(rows for _, rows, *_ in self.costs)
        share = f" ({gone / self.rows:.1%})" if gone else ""
        words = f"{counted(self.rows, 'row')} of {self.people:,} people, {gone:,} lost{share}"
        gaps = (
            f"\n{counted(n, 'cell')} of {name} missing: SUM needs missing=0, or another number; "
            f"COUNT counts the row, COUNT.of not"
            for name, n in self.missing.items()
            if n
        )
        return f"<{words}>\n{self.lost.to_string()}{''.join(gaps)}"


def _clipped(column: nw.Series[Any], low: Exact, high: Exact) -> nw.Series[Any]:
    """A column of numbers cut to bounds, in its own type."""
    kind = column.dtype
    if kind.is_float():
        return column.clip(float(low), float(high)).cast(kind)
    if not kind.is_integer():
        raise TypeError(f"clip must name columns of numbers, got {column.name}, of {kind}")
    held = np.iinfo(str(kind).lower())
    if low.denominator > 1 or high.denominator > 1 or low > held.max or high < held.min:
        got = f"got {brief(low)} and {brief(high)}"
        raise ValueError(f"bounds of column {column.name} must be whole, within {kind}, {got}")
    return column.clip(max(int(low), int(held.min)), min(int(high), int(held.max))).cast(kind)


def _ranks(column: nw.Series[Any]) -> np.ndarray:
    """The place of each cell among a column's different ones; NaN, then None, come last."""
    cells = cells_of(column)
    try:
        known = sorted({cell for cell in cells if cell is not None and cell is not NAN})
    except TypeError as error:
        raise TypeError(
            f"column {column.name} must have an order ({error}), "
            "or keep name one that tells rows apart"
        ) from error
    rank_of: dict[Any, int] = {cell: i for i, cell in enumerate([*known, NAN, None])}
    return np.array([rank_of[cell] for cell in cells], dtype=np.int64)


def _joined_ranks(first: np.ndarray, then: np.ndarray) -> np.ndarray:
    """The place of each pair of places among the different pairs."""
    pairs = first * (then.max(initial=0) + 1) + then
    return np.unique(pairs, return_inverse=True)[1]
