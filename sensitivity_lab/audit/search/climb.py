"""Steps from a pair to one that differs a little: to a wider one, or as wide and plainer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np

from sensitivity_lab.audit.search.pairs import Layout, Trials, Tried
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Universe

PATIENCE = 60  # steps without a wider gap before a climb ends
PALETTE = 3  # a random pair has at most so many different values, so that ties are met
MOST_TARGETS = 4  # values that a rarer one is replaced by, to make a pair plainer

T = TypeVar("T")
Parts = list[list[int]]  # of a layout, to be changed


class Steps:
    """Makes pairs that differ a little from a pair, in a universe with some orders of its values."""

    def __init__(
        self,
        universe: Universe,
        orders: Sequence[np.ndarray],
        boundary: Sequence[int],
        rng: np.random.Generator,
    ) -> None:
        self.universe, self.orders, self.boundary, self.rng = universe, orders, boundary, rng
        self.ranks = [np.argsort(order) for order in orders]

    def random(self, size: int, move: Move) -> Layout:
        """A pair of a few values, or of any records of a population."""
        removed, added = move
        needed = size + added
        if self.universe.unlimited:
            palette = self.rng.integers(self.universe.distinct, size=self._below(PALETTE) + 1)
            drawn = self.rng.choice(palette, size=needed).tolist()
        else:
            everyone = self.rng.permutation(int(self.universe.records))[:needed]
            drawn = [self.universe.value_of[i] for i in everyone.tolist()]
        return Layout.of([drawn[: size - removed], drawn[size - removed : size], drawn[size:]])

    def beside(self, layout: Layout) -> Layout:
        """A pair one step away; the same one where there is no record, or no other value."""
        parts = [list(part) for part in layout]
        filled = [part for part in parts if part]
        if not filled:
            return layout
        step = self._below(4)
        if step == 0 and len(filled) > 1:
            self._trade(filled)
        elif step == 1:
            self._replace_value(parts, self._one_of(filled))
        else:
            part = self._one_of(filled)
            self._replace(parts, part, self._below(len(part)))
        return Layout.of(parts)

    def _below(self, number: int) -> int:
        return int(self.rng.integers(number))

    def _one_of(self, some: Sequence[T]) -> T:
        return some[self._below(len(some))]

    def _trade(self, filled: Parts) -> None:
        """Two records of different parts trade places: the difference moves."""
        first, second = (filled[i] for i in self.rng.permutation(len(filled))[:2].tolist())
        i, j = self._below(len(first)), self._below(len(second))
        first[i], second[j] = second[j], first[i]

    def _replace(self, parts: Parts, part: list[int], i: int) -> None:
        """One record is replaced; where no copy is left, it trades places with a holder of it."""
        value = self._value(parts, part[i])
        if self._free(parts, value) <= 0:
            holders = [(held, j) for held in parts for j, v in enumerate(held) if v == value]
            holder, j = self._one_of(holders)
            holder[j] = part[i]
        part[i] = value

    def _replace_value(self, parts: Parts, part: list[int]) -> None:
        """All copies of one value in a part are replaced, as far as there are copies of the other."""
        old = self._one_of(part)
        new = self._value(parts, old)
        left = self._free(parts, new)
        for i, value in enumerate(part):
            if value == old and left > 0:
                part[i] = new
                left -= 1

    def _free(self, parts: Parts, value: int) -> float:
        """How many copies of a value are not in use."""
        if self.universe.unlimited:
            return float("inf")
        return int(self.universe.counts[value]) - sum(part.count(value) for part in parts)

    def _value(self, parts: Parts, old: int) -> int:
        """Another value for one: near it, at the bounds of arithmetic, in use already, or any."""
        choice = self._below(4)
        if choice == 0:
            which = self._below(len(self.orders))
            far = int(self.rng.geometric(0.3)) * (1 - 2 * self._below(2))
            rank = int(self.ranks[which][old]) + far
            return int(self.orders[which][min(max(rank, 0), self.universe.distinct - 1)])
        if choice == 1 and self.boundary:
            return self._one_of(self.boundary)
        if choice == 2:
            return self._one_of([value for part in parts for value in part[:1] + part[-1:]])
        return self._below(self.universe.distinct)


def climb(trials: Trials, steps: Steps, start: Tried | Layout) -> None:
    """Step to pairs that are no narrower until `PATIENCE` in a row are no wider. Raises Spent."""
    held = trials.ask(start) if isinstance(start, Layout) else start
    patience = PATIENCE
    while patience:
        tried = trials.ask(steps.beside(held.layout))
        patience = PATIENCE if tried.gap > held.gap else patience - 1
        if tried.gap >= held.gap:
            held = tried


def shrink(trials: Trials) -> None:
    """Make the widest pair plainer, step by step, as long as its gap stays. Raises Spent."""
    assert trials.best is not None
    while True:
        held = trials.best
        plainer = (trials.ask(layout) for layout in _plainer(trials, held.layout))
        kept = next((tried for tried in plainer if tried.gap >= held.gap), None)
        if kept is None:
            return
        trials.best = kept


def _plainer(trials: Trials, layout: Layout) -> Iterator[Layout]:
    """The pairs with a shared record fewer, where sizes are free, then those with fewer values."""
    if layout.common and layout.move in trials.problem.plan.get(layout.size - 1, ()):
        for value, _ in Counter(layout.common).most_common():
            common = list(layout.common)
            common.remove(value)
            yield layout._replace(common=tuple(common))
    held = Counter(chain(*layout)).most_common()
    for old, _ in reversed(held):
        for new, _ in held[:MOST_TARGETS]:
            replaced = layout.replaced(old, new)
            if old != new and replaced.fits(trials.universe):
                yield replaced
