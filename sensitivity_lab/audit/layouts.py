"""Who is in a pair of neighbours, by the positions of their values: those shared, and each side's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sensitivity_lab.problem import Problem
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices, Universe


@dataclass(frozen=True)
class Layout:
    """The records that two neighbours share, those of the dataset alone, those of its neighbour alone."""

    common: Indices
    removed: Indices
    added: Indices

    @classmethod
    def of(cls, parts: Sequence[Sequence[int]]) -> Layout:
        """The layout of three lists."""
        common, removed, added = map(tuple, parts)
        return cls(common, removed, added)

    @classmethod
    def between(cls, dataset: Indices, neighbour: Indices) -> Layout:
        """The layout of two datasets of positions."""
        here, there = Counter(dataset), Counter(neighbour)
        parts = (here & there, here - there, there - here)
        return cls.of([list(part.elements()) for part in parts])

    @property
    def parts(self) -> list[list[int]]:
        """The three lists, to be changed."""
        return [list(self.common), list(self.removed), list(self.added)]

    @property
    def size(self) -> int:
        """How many records the dataset has."""
        return len(self.common) + len(self.removed)

    @property
    def move(self) -> Move:
        """How many records leave, and how many join."""
        return len(self.removed), len(self.added)

    @property
    def distinct(self) -> int:
        """How many different values there are in both."""
        return len({*self.common, *self.removed, *self.added})

    @property
    def mirrored(self) -> Layout:
        """The same layout, with what either side has to itself traded."""
        return Layout(self.common, self.added, self.removed)

    def sides(self) -> tuple[Indices, Indices]:
        """The dataset and its neighbour, as sorted positions. Cost: two sorts."""
        return (
            tuple(sorted(self.common + self.removed)),
            tuple(sorted(self.common + self.added)),
        )

    def fits(self, universe: Universe) -> bool:
        """Whether a universe has as many copies as the two sides need together."""
        if universe.unlimited:
            return True
        held = Counter(self.common + self.removed + self.added)
        return all(times <= universe.counts[value] for value, times in held.items())


def require_neighbours(problem: Problem, layout: Layout) -> None:
    """Refuse a layout that is no pair of neighbours of a problem."""
    here, there = map(Counter, layout.sides())
    moved = (here - there).total(), (there - here).total()
    asked = layout.move in problem.plan.get(layout.size, ())
    if not (asked and moved in problem.relation.moves and layout.fits(problem.universe)):
        raise RuntimeError(f"a search found what is no pair under {problem.relation}: {layout}")
