"""A climb: from one pair to another that differs a little, as long as the gap is no narrower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sensitivity_lab.audit.layouts import Layout
from sensitivity_lab.audit.trials import Trials, Tried
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Universe

PATIENCE = 60  # steps without a wider gap before a climb ends
PALETTE = 3  # a random pair has at most so many different values, so that ties are met
COMMON, REMOVED, ADDED = range(3)  # the parts of a layout

Parts = list[list[int]]


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
        parts = layout.parts
        filled = [i for i, part in enumerate(parts) if part]
        if not filled:
            return layout
        step = self._below(4)
        if step == 0 and len(filled) > 1:
            self._trade(parts, filled)
        elif step == 1:
            self._replace_value(parts, self._one_of(filled))
        else:
            part = self._one_of(filled)
            self._replace(parts, part, self._below(len(parts[part])))
        return Layout.of(parts)

    def _below(self, number: int) -> int:
        return int(self.rng.integers(number))

    def _one_of(self, some: Sequence[int]) -> int:
        return some[self._below(len(some))]

    def _trade(self, parts: Parts, filled: Sequence[int]) -> None:
        """Two records of different parts trade places: the difference moves."""
        first, second = self.rng.permutation(filled)[:2].tolist()
        i, j = self._below(len(parts[first])), self._below(len(parts[second]))
        parts[first][i], parts[second][j] = parts[second][j], parts[first][i]

    def _replace(self, parts: Parts, part: int, i: int) -> None:
        """One record is replaced; where no copy is left, it trades places with a holder of it."""
        value = self._value(parts, parts[part][i])
        if self._free(parts, value) > 0:
            parts[part][i] = value
            return
        holders = [(p, j) for p, held in enumerate(parts) for j, v in enumerate(held) if v == value]
        p, j = holders[self._below(len(holders))]
        parts[p][j], parts[part][i] = parts[part][i], value

    def _replace_value(self, parts: Parts, part: int) -> None:
        """All copies of one value in a part are replaced, as far as there are copies of the other."""
        old = self._one_of(parts[part])
        new = self._value(parts, old)
        left = self._free(parts, new)
        for i, value in enumerate(parts[part]):
            if value == old and left > 0:
                parts[part][i] = new
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
