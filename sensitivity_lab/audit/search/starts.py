"""Where a search starts: the layouts in which, by the proofs, the standard queries are worst.

Records stand in a line. What a side has to itself lies at an end of it, or at both; what is shared is
two blocks at the ends, or a run; the other side's own are a run, at an end or inside. A few whole
numbers say how many lie where, and which they are best is climbed to by halving steps::

    ends         B C … C A      thm-monotone, thm-quantile (an outlier: A alone at its end)
    shared run   A … C B C … A  thm-variance, thm-places for a ≥ b
    outer        A C … B … C A  thm-places for a = 0, thm-mixes and thm-range for a < b
    different    C B … A . A . A  thm-count-distinct
    constants    C at one value, A at one, B at one, of those that break arithmetic
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from operator import itemgetter
from typing import Any

import numpy as np

from sensitivity_lab.audit.boundary_values import breaking_values
from sensitivity_lab.audit.search.pairs import Layout, Trials, Tried
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.numbers.exact import Exact, exact_number, is_finite, is_real
from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.records.said import number_of
from sensitivity_lab.universe import Universe

MOST_ORDERS = 8  # of records with columns
MOST_READ = 200_000  # records whose columns are read
SPLITS = 16  # of a line, in search of a jump of the answer
LARGEST = 10**300  # numbers that floats hold with room

Shape = tuple[int, int, int]  # how many are shared, the dataset's alone, the neighbour's alone
Numbers = tuple[int, ...]  # where the parts of a layout lie
Kind = tuple[Callable[..., Layout], Numbers]  # makes layouts of numbers; up to where each goes
Run = tuple[int, int]  # of places in a line that follow one another: the first, and how many


# --- records in a line ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """Records in one order, (v,) positions of values: of a population all, of a range `copies` each."""

    order: np.ndarray
    copies: int

    @classmethod
    def of(cls, universe: Universe, order: np.ndarray, needed: int) -> Line:
        """The line of some records for a pair of `needed`, by an order of the values."""
        if universe.unlimited:
            return cls(order, max(1, needed))
        return cls(np.repeat(order, universe.counts[order]), 1)

    def __len__(self) -> int:
        return len(self.order) * self.copies

    def last_place(self, shape: Shape) -> int:
        """The last place at which a run can begin; in a range a place is a value."""
        return (len(self) - sum(shape)) // self.copies

    def layout(self, *parts: list[Run]) -> Layout:
        """The layout of three parts, each of some runs."""
        return Layout.of(chain.from_iterable(map(self.records, part)) for part in parts)

    def records(self, run: Run) -> list[int]:
        """The records of a run."""
        places = np.arange(run[0], sum(run), dtype=np.intp)
        records: list[int] = self.order[places // self.copies].tolist()
        return records


def orders_of(universe: Universe, subject: Subject) -> list[np.ndarray]:
    """The orders of a universe's values that are worth a try: by what a query asks of each record,
    the universe's own, by each entry of records that have several.
    """
    own = np.arange(universe.distinct, dtype=np.intp)
    if universe.numeric or len(own) > MOST_READ:
        return [own]
    if subject.over is not None:
        of_what, records = subject.over.of_what, universe.source.each(range(len(own)))
        orders = [_sorted([number_of(of_what, record) for record in records]), own]
    else:
        orders = [own, *map(_sorted, _columns(universe.values))]
    different: dict[bytes, np.ndarray] = {}
    for order in orders:  # one that is another backwards makes the same lines
        different.setdefault(min(order.tobytes(), order[::-1].tobytes()), order)
    return [*different.values()][:MOST_ORDERS]


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


def _columns(values: Sequence[Any]) -> list[Sequence[Any]]:
    """The lengths of records that are tuples, and the entries that all of them have, by place."""
    if not all(isinstance(value, tuple) for value in values):
        return []
    return [list(map(len, values)), *zip(*values, strict=False)]


def _sorted(entries: Sequence[Any]) -> np.ndarray:
    """Positions by entry: numbers by value, then the rest by type and text."""

    def key(i: int) -> tuple[Any, ...]:
        entry = entries[i]
        if is_real(entry) and is_finite(entry):
            return 0, exact_number(entry)
        return 1, type(entry).__name__, repr(entry)

    return np.array(sorted(range(len(entries)), key=key), dtype=np.intp)


# --- kinds of layout -----------------------------------------------------------------------------


def ends(line: Line, shape: Shape) -> Kind:
    """A at the top, B at the bottom, l of C next to B and the others next to A."""
    (c, a, b), top = shape, len(line) - shape[1]

    def lay(low: int) -> Layout:
        return line.layout([(b, low), (top - (c - low), c - low)], [(top, a)], [(0, b)])

    return lay, (c,)


def shared_run(line: Line, shape: Shape) -> Kind:
    """A outermost, i of it low; C and B together a run, in which B begins after so many of C."""
    (c, a, b), top = shape, len(line) - shape[1]

    def lay(low: int, place: int, before: int) -> Layout:
        start = low + place * line.copies
        common = [(start, before), (start + before + b, c - before)]
        return line.layout(common, [(0, low), (top + low, a - low)], [(start + before, b)])

    return lay, (a, line.last_place(shape), c if b else 0)


def outer(line: Line, shape: Shape) -> Kind:
    """A outermost, i of it low; then C, l of it low; B a run of the others."""
    (c, a, b), top = shape, len(line) - shape[1]

    def lay(low: int, shared: int, place: int) -> Layout:
        common = [(low, shared), (top + low - (c - shared), c - shared)]
        start = low + shared + place * line.copies
        return line.layout(common, [(0, low), (top + low, a - low)], [(start, b)])

    return lay, (a, c, line.last_place(shape) if b else 0)


def different(line: Line, shape: Shape) -> Kind:
    """C and B together a run, in which B begins after so many of C; A of values that are not in it."""
    c, a, b = shape

    def lay(place: int, before: int) -> Layout:
        run = line.records((place * line.copies, c + b))
        values = line.order[np.diff(line.order, prepend=-1) != 0]  # copies of one are neighbours
        values = values[~np.isin(values, run)]
        if len(values) < a:
            return ends(line, shape)[0](before)
        own = values[np.linspace(0, max(len(values) - 1, 0), a, dtype=np.intp)].tolist()
        rest = run[:before] + run[before + b :]
        return Layout.of([rest, own, run[before : before + b]])

    return lay, (line.last_place(shape), c if b else 0)


KINDS = (ends, shared_run, outer, different)


def constants(positions: Sequence[int], line: Line, shape: Shape) -> Kind:
    """Each part has one value, out of a few, in a universe with copies enough."""

    def lay(*numbers: int) -> Layout:
        return Layout.of([positions[i]] * n for n, i in zip(shape, numbers, strict=True))

    return lay, tuple(len(positions) - 1 if n else 0 for n in shape)


# --- the best of a kind --------------------------------------------------------------------------


@dataclass
class Family:
    """The layouts of a kind, and the best of them so far.

    `is_mirrored` says that the neighbour's own records lie where the kind has the dataset's.
    """

    lay: Callable[..., Layout]
    most: Numbers  # up to where each number goes
    is_mirrored: bool
    trials: Trials
    tried: dict[Numbers, Tried] = field(default_factory=dict)

    @property
    def best(self) -> Tried:
        """The widest pair so far."""
        return max(self.tried.values(), key=lambda tried: tried.gap)

    def ask(self, *numbers: int) -> Gap:
        """The gap of one layout; each is asked about once."""
        if numbers not in self.tried:
            common, own, other = self.lay(*numbers)
            sides = (other, own) if self.is_mirrored else (own, other)
            self.tried[numbers] = self.trials.ask(Layout(common, *sides))
        return self.tried[numbers].gap

    def look_around(self) -> None:
        """Ask about the middle and all corners; where one number says all, halve on at its jumps."""
        for numbers in product(*((0, most) for most in self.most)):
            self.ask(*numbers)
        self.ask(*(most // 2 for most in self.most))
        if len(self.most) == 1:
            self._split_at_jumps()

    def _split_at_jumps(self) -> None:
        """Halve again and again where the answer moves most: a quantile moves at one place in hundreds."""
        for _ in range(SPLITS):
            gaps = [
                (self._apart(low, high), (low + high) // 2)
                for (low,), (high,) in pairwise(sorted(self.tried))
                if high - low > 1
            ]
            apart, middle = max(gaps, key=itemgetter(0), default=(0, 0))
            if apart == 0:
                return
            self.ask(middle)

    def _apart(self, *numbers: int) -> Gap:
        """How far the answers move between two numbers, on the dataset or on its neighbour."""
        return max(map(self.trials.between, *(self.tried[n,].answers for n in numbers)))

    def refine(self) -> None:
        """Climb from the best by steps that are halved where none leads to a wider gap."""
        held = max(self.tried, key=lambda numbers: self.ask(*numbers))
        steps = [max(1, number // 4) for number in self.most]
        while True:
            wider = (n for n in self._beside(held, steps) if self.ask(*n) > self.ask(*held))
            if (found := next(wider, None)) is not None:
                held = found
            elif max(steps) == 1:
                return
            else:
                steps = [max(1, step // 2) for step in steps]

    def _beside(self, numbers: Numbers, steps: Sequence[int]) -> Iterator[Numbers]:
        """The numbers with one of them a step up or down, within its bounds."""
        for i, (step, most) in enumerate(zip(steps, self.most, strict=True)):
            for moved in (min(numbers[i] + step, most), max(numbers[i] - step, 0)):
                if moved != numbers[i]:
                    yield (*numbers[:i], moved, *numbers[i + 1 :])
