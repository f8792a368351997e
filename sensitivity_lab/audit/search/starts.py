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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np

from sensitivity_lab.audit.search.lines import Line
from sensitivity_lab.audit.search.pairs import Layout, Trials, Tried
from sensitivity_lab.numbers.gap import Gap

Shape = tuple[int, int, int]  # how many are shared, the dataset's alone, the neighbour's alone
Numbers = tuple[int, ...]  # where the parts of a layout lie


class Rest:
    """The records of a line that no part has yet: those between its ends."""

    def __init__(self, line: Line) -> None:
        self.line, self.low, self.high = line, 0, len(line)

    def ends(self, count: int, low: int) -> list[int]:
        """Take so many from the ends, `low` of them from the low one."""
        start, stop = self.low, self.high - (count - low)
        self.low, self.high = start + low, stop
        return self.line.run(start, low) + self.line.run(stop, count - low)

    def run(self, count: int, place: int) -> list[int]:
        """Take so many that follow one another; in a range a place is a value."""
        return self.line.run(self.low + place * self.line.copies, count)


def _places(line: Line, shape: Shape) -> int:
    """The last place at which a run can begin."""
    return (len(line) - sum(shape)) // line.copies


def ends(line: Line, shape: Shape, numbers: Numbers) -> Layout:
    """A at the top, B at the bottom, l of C next to B and the others next to A."""
    (c, a, b), (low,), rest = shape, numbers, Rest(line)
    removed, added = rest.ends(a, 0), rest.ends(b, b)
    return Layout.of([rest.ends(c, low), removed, added])


def shared_run(line: Line, shape: Shape, numbers: Numbers) -> Layout:
    """A outermost, i of it low; C and B together a run, in which B begins after so many of C."""
    (c, a, b), (low, place, before), rest = shape, numbers, Rest(line)
    removed, run = rest.ends(a, low), rest.run(c + b, place)
    return Layout.of([run[:before] + run[before + b :], removed, run[before : before + b]])


def outer(line: Line, shape: Shape, numbers: Numbers) -> Layout:
    """A outermost, i of it low; then C, l of it low; B a run of the others."""
    (c, a, b), (low, shared_low, place), rest = shape, numbers, Rest(line)
    removed, common = rest.ends(a, low), rest.ends(c, shared_low)
    return Layout.of([common, removed, rest.run(b, place)])


def different(line: Line, shape: Shape, numbers: Numbers) -> Layout:
    """C and B a run; A of different values that are not in it, as far as there are any."""
    (c, a, b), (place,) = shape, numbers
    run = line.run(place * line.copies, c + b)
    others = line.values[~np.isin(line.values, run)]
    if len(others) < a:
        return shared_run(line, shape, (0, place, 0))
    spread = np.linspace(0, max(len(others) - 1, 0), a, dtype=np.intp)
    return Layout.of([run[:c], others[spread].tolist(), run[c:]])


@dataclass(frozen=True)
class Kind:
    """A kind of layout, and up to where each of its numbers goes."""

    layout: Callable[[Line, Shape, Numbers], Layout]
    most: Callable[[Line, Shape], Numbers]


KINDS = (
    Kind(ends, lambda line, shape: (shape[0],)),
    Kind(
        shared_run,
        lambda line, shape: (shape[1], _places(line, shape), shape[0] if shape[2] else 0),
    ),
    Kind(
        outer,
        lambda line, shape: (shape[1], shape[0], _places(line, shape) if shape[2] else 0),
    ),
    Kind(different, lambda line, shape: (_places(line, shape),)),
)


def constants(positions: Sequence[int]) -> Kind:
    """The layouts in which each part has one value, out of a few, in a universe with copies enough."""

    def layout(line: Line, shape: Shape, numbers: Numbers) -> Layout:
        return Layout.of([positions[i]] * n for n, i in zip(shape, numbers, strict=True))

    return Kind(layout, lambda line, shape: tuple(len(positions) - 1 if n else 0 for n in shape))


@dataclass
class Family:
    """The layouts of a kind over one line, and the best of them so far.

    `is_mirrored` says that the neighbour's own records lie where the kind has the dataset's.
    """

    kind: Kind
    line: Line
    shape: Shape
    is_mirrored: bool
    trials: Trials
    tried: dict[Numbers, Tried] = field(default_factory=dict)

    @property
    def most(self) -> Numbers:
        """Up to where each number goes."""
        return self.kind.most(self.line, self.shape)

    @property
    def best(self) -> Numbers:
        """The numbers of the widest pair so far."""
        return max(self.tried, key=lambda numbers: self.tried[numbers].gap)

    @property
    def gap(self) -> Gap:
        """The widest gap so far."""
        return self.tried[self.best].gap

    def ask(self, numbers: Numbers) -> Gap:
        """The gap of one layout; each is asked about once."""
        if numbers not in self.tried:
            common, own, other = self.kind.layout(self.line, self.shape, numbers)
            sides = (other, own) if self.is_mirrored else (own, other)
            self.tried[numbers] = self.trials.ask(Layout(common, *sides))
        return self.tried[numbers].gap

    def look_around(self, rng: np.random.Generator, samples: int) -> None:
        """Ask about both ends, the middle, and some layouts at random."""
        most = self.most
        self.ask((0,) * len(most))
        self.ask(most)
        self.ask(tuple(number // 2 for number in most))
        for _ in range(samples):
            self.ask(_drawn(most, rng))

    def refine(self) -> None:
        """Climb from the best by steps that are halved where none leads to a wider gap."""
        held, steps = self.best, [max(1, number // 4) for number in self.most]
        gap = self.ask(held)
        while True:
            wider = next((n for n in self._beside(held, steps) if self.ask(n) > gap), None)
            if wider is not None:
                held, gap = wider, self.ask(wider)
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

    def split_at_jumps(self, splits: int) -> None:
        """Where one number says all, halve again and again where the answer moves most.

        A step of a quantile is one place in hundreds, with no slope beside it.
        """
        self.ask((0,))
        self.ask(self.most)
        for low, high in islice(self._widest_intervals(), splits):
            self.ask(((low + high) // 2,))

    def _widest_intervals(self) -> Iterator[tuple[int, int]]:
        """Again and again, the two neighbouring numbers between which the answer moves most."""
        between = self.trials.between
        while True:
            known = sorted(number for (number,) in self.tried)
            gaps = [
                (max(map(between, *(self.tried[n,].answers for n in pair))), pair)
                for pair in pairwise(known)
                if pair[1] - pair[0] > 1
            ]
            apart, widest = max(gaps, key=lambda each: each[0], default=(0, (0, 0)))
            if apart == 0:
                return
            yield widest


def _drawn(most: Numbers, rng: np.random.Generator) -> Numbers:
    """Numbers at random, half of them at an end."""
    drawn = []
    for number in most:
        at_end = rng.random() < 0.5
        drawn.append(int(rng.integers(2) * number if at_end else rng.integers(number + 1)))
    return tuple(drawn)
