"""Steps from a pair to one that differs a little: to a wider one, or as wide and plainer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class Steps:
    """Makes pairs that differ a little from a pair, in a universe with some orders of its values."""

    universe: Universe
    orders: Sequence[np.ndarray]
    boundary: Sequence[int]
    rng: np.random.Generator

    @cached_property
    def _places(self) -> list[np.ndarray]:
        """Where each value stands in each order."""
        return [np.argsort(order) for order in self.orders]

    def random(self, size: int, move: Move) -> Layout:
        """A pair of a few values, or of any records of a population."""
        needed = size + move[1]
        if self.universe.unlimited:
            palette = self.rng.integers(self.universe.distinct, size=self._below(PALETTE) + 1)
            drawn = self.rng.choice(palette, size=needed).tolist()
        else:
            everyone = self.rng.permutation(int(self.universe.records))[:needed]
            drawn = [self.universe.value_of[i] for i in everyone.tolist()]
        return Layout.cut(drawn, size, move)

    def beside(self, layout: Layout) -> Layout:
        """A pair one step away: two records of different parts trade places, or one, or all copies
        of one in its part, are replaced. The same pair where there is no record, or no other value.
        """
        records, ends = list(chain(*layout)), np.cumsum([0, *map(len, layout)]).tolist()
        parts = [range(*ends[i : i + 2]) for i in range(3) if layout[i]]
        if not parts:
            return layout
        part, step = self._one_of(parts), self._below(4)
        i = self._one_of(part)
        if step == 0 and len(parts) > 1:
            j = self._one_of(self._one_of([other for other in parts if other != part]))
            records[i], records[j] = records[j], records[i]
        else:
            copies = [j for j in part if records[j] == records[i]]
            self._replace(records, copies if step == 1 else [i], self._value(layout, records[i]))
        return Layout.cut(records, layout.size, layout.move)

    def _below(self, number: int) -> int:
        return int(self.rng.integers(number))

    def _one_of(self, some: Sequence[T]) -> T:
        return some[self._below(len(some))]

    def _replace(self, records: list[int], places: list[int], value: int) -> None:
        """Put a value in some places, as far as there are copies; where none is, a holder trades."""
        free = len(records)
        if not self.universe.unlimited:
            free = int(self.universe.counts[value]) - records.count(value)
        if free <= 0:
            holder = self._one_of([j for j, held in enumerate(records) if held == value])
            records[holder] = records[places[0]]
        for i in places[: max(free, 1)]:
            records[i] = value

    def _value(self, layout: Layout, old: int) -> int:
        """Another value for one: near it, at the bounds of arithmetic, in use already, or any."""
        choice = self._below(4)
        if choice == 0:
            which = self._below(len(self.orders))
            far = int(self.rng.geometric(0.3)) * (1 - 2 * self._below(2))
            place = int(self._places[which][old]) + far
            return int(self.orders[which][min(max(place, 0), self.universe.distinct - 1)])
        if choice == 1 and self.boundary:
            return self._one_of(self.boundary)
        if choice == 2:
            return self._one_of([value for part in layout for value in part[:1] + part[-1:]])
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
    while (held := trials.best) is not None:
        plainer = (trials.ask(layout) for layout in _plainer(trials, held.layout))
        trials.best = next((tried for tried in plainer if tried.gap >= held.gap), held)
        if trials.best is held:
            return


def _plainer(trials: Trials, layout: Layout) -> Iterator[Layout]:
    """The pairs with a shared record fewer, where sizes are free, then those with fewer values."""
    if layout.common and layout.move in trials.problem.plan.get(layout.size - 1, ()):
        for value, _ in Counter(layout.common).most_common():
            i = layout.common.index(value)
            yield layout._replace(common=layout.common[:i] + layout.common[i + 1 :])
    held = Counter(chain(*layout)).most_common()
    for old, _ in reversed(held):
        for new, _ in held[:MOST_TARGETS]:
            replaced = Layout.of([new if v == old else v for v in part] for part in layout)
            if old != new and replaced.fits(trials.universe):
                yield replaced
