"""Where a search starts: the layouts in which, by the proofs, the standard queries are worst.

Records stand in a line. What a side has to itself lies at an end of it, or at both; what is shared
is two blocks at the ends, or a run; the other side's own are a run, at an end or inside. A few
whole numbers say how many lie where::

    ends         B C … C A      thm-monotone, thm-quantile (an outlier: A alone at its end)
    shared run   A … C B C … A  thm-variance, thm-places for a ≥ b
    outer        A C … B … C A  thm-places for a = 0, thm-mixes and thm-range for a < b
    all_different C B … A . A . A  thm-count-distinct
    constants    C at one value, A at one, B at one, of those that break arithmetic
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from sensitivity_beyond.audit.subject import Subject
from sensitivity_beyond.tables.columns import number_of
from sensitivity_lab.numbers.gap import rank_of_label
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices, Universe

MOST_ORDERS = 8  # of records with columns
MOST_READ = 200_000  # records whose columns are read

Shape = tuple[int, int, int]  # how many are shared, the dataset's alone, the neighbour's alone
Places = tuple[int, ...]  # where the parts of a layout lie
Kind = tuple[Callable[..., "Layout"], Places]  # makes layouts of numbers; up to where each goes


class Layout(NamedTuple):
    """The records that two neighbours share, those of the dataset alone,
    those of its neighbour alone."""

    common: Indices
    removed: Indices
    added: Indices

    @classmethod
    def of(cls, parts: Iterable[Iterable[int]]) -> Layout:
        """The layout of three lists."""
        return cls(*map(tuple, parts))

    @property
    def size(self) -> int:
        """How many records the dataset has."""
        return len(self.common) + len(self.removed)

    @property
    def move(self) -> Move:
        """How many records leave, and how many join."""
        return len(self.removed), len(self.added)

    def sides(self) -> tuple[Indices, Indices]:
        """The dataset and its neighbour, as sorted positions."""
        here, there = (tuple(sorted(self.common + own)) for own in (self.removed, self.added))
        return here, there

    def fits(self, universe: Universe) -> bool:
        """Whether a universe has as many copies as the two sides need together."""
        held = Counter(chain(*self))
        return universe.unlimited or all(n <= universe.counts[i] for i, n in held.items())


class Line:
    """Records in one order, (v,) positions of values:
    of a population all, of a range `copies` each."""

    def __init__(self, universe: Universe, order: np.ndarray, shape: Shape) -> None:
        """Lay some records out for pairs of a shape, by an order of the values."""
        of_range, self.shape = universe.unlimited, shape
        self.order = order if of_range else np.repeat(order, universe.counts[order])
        self.copies = max(1, sum(shape)) if of_range else 1
        # at which a run can begin; in a range a place is a value
        self.last_place = (len(self.order) * self.copies - sum(shape)) // self.copies

    def layout(
        self, *, low_a: int = 0, low_c: int = 0, high_c: int = 0, place: int = 0, before: int = 0
    ) -> Layout:
        """From the bottom so many of A and of C, at a place a run of C with B in it,
        then their rest::

        A … C … [C B C] … C A
        """
        c, a, b = self.shape
        start, top = low_a + low_c + place * self.copies, len(self.order) * self.copies - a + low_a
        after = (start + before + b, c - low_c - high_c - before)
        common = [(low_a, low_c), (start, before), after, (top - high_c, high_c)]
        parts = common, [(0, low_a), (top, a - low_a)], [(start + before, b)]
        return Layout.of(chain(*(self.records(*run) for run in part)) for part in parts)

    def records(self, first: int, many: int) -> list[int]:
        """The records of so many places that follow one another."""
        places = np.arange(first, first + many, dtype=np.intp)
        records: list[int] = self.order[places // self.copies].tolist()
        return records


# --- kinds of layout -----------------------------------------------------------------------------


def ends(line: Line) -> Kind:
    """A at the top, B at the bottom, l of C next to B and the others next to A."""
    c = line.shape[0]
    return lambda low: line.layout(high_c=c - low), (c,)


def shared_run(line: Line) -> Kind:
    """A outermost, i of it low; C and B together a run, in which B begins after so many of C."""
    c, a, b = line.shape
    most = (a, line.last_place, c if b else 0)
    return lambda low, at, before: line.layout(low_a=low, place=at, before=before), most


def outer(line: Line) -> Kind:
    """A outermost, i of it low; then C, l of it low; B a run of the others."""
    c, a, b = line.shape

    def lay(low: int, shared: int, place: int) -> Layout:
        return line.layout(low_a=low, low_c=shared, high_c=c - shared, place=place)

    return lay, (a, c, line.last_place if b else 0)


def all_different(line: Line) -> Kind:
    """C and B together a run, in which B begins after so many of C;
    A of values that are not in it."""
    c, a, b = line.shape

    def lay(place: int, before: int) -> Layout:
        run = line.records(place * line.copies, c + b)
        values = line.order[np.diff(line.order, prepend=-1) != 0]  # copies of one are neighbours
        values = values[~np.isin(values, run)]
        if len(values) < a:
            return line.layout(high_c=c - before)
        own = values[np.linspace(0, max(len(values) - 1, 0), a, dtype=np.intp)].tolist()
        return Layout.of([run[:before] + run[before + b :], own, run[before : before + b]])

    return lay, (line.last_place, c if b else 0)


KINDS: tuple[Callable[[Line], Kind], ...] = (ends, shared_run, outer, all_different)


def constants(positions: Sequence[int], line: Line) -> Kind:
    """Each part has one value, out of a few, in a universe with copies enough."""

    def lay(*numbers: int) -> Layout:
        return Layout.of([positions[i]] * n for n, i in zip(line.shape, numbers, strict=True))

    return lay, tuple(len(positions) - 1 if n else 0 for n in line.shape)


# --- orders and values that are worth a try ------------------------------------------------------


def orders_of(universe: Universe, subject: Subject) -> list[np.ndarray]:
    """The orders worth a try: by what a query asks of each record, the universe's own,
    by each entry."""
    own = np.arange(universe.distinct, dtype=np.intp)
    if universe.numeric or len(own) > MOST_READ:
        return [own]
    if subject.image is not None:
        of_what, records = subject.image.what, universe.source.each(range(len(own)))
        orders = [_sorted([number_of(of_what, record) for record in records]), own]
    else:  # of records that are tuples by length, and by each entry that all of them have
        values = universe.values
        are_tuples = all(isinstance(value, tuple) for value in values)
        columns = [list(map(len, values)), *zip(*values, strict=False)] if are_tuples else []
        orders = [own, *map(_sorted, columns)]
    different: dict[bytes, np.ndarray] = {}
    for order in orders:  # one that is another backwards makes the same lines
        different.setdefault(min(order.tobytes(), order[::-1].tobytes()), order)
    return [*different.values()][:MOST_ORDERS]


def _sorted(entries: Sequence[Any]) -> np.ndarray:
    """Positions by entry: numbers by value, then the rest by type and text."""
    order = sorted(range(len(entries)), key=lambda i: rank_of_label(entries[i]))
    return np.array(order, dtype=np.intp)
