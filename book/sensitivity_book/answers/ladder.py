"""The ladder of a sensitivity: pairs of neighbours, each further apart than the last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from sensitivity_book.answers.kinds import Rung
from sensitivity_lab import Relation, Universe
from sensitivity_lab.numbers import Exact, dataset_text, number_text

Pair = tuple[tuple[Any, ...], tuple[Any, ...]]
STEPS = 6


def pairs(universe: Universe, size: int, relation: Relation) -> Iterator[Pair]:
    """Every pair of neighbours, the first of which has this size."""
    for x in universe.datasets(size):
        for y in relation.neighbours(x, universe):
            yield x, y


def ladder(
    query: Callable[[Any], Any], among: Iterable[Pair], name: str, steps: int = STEPS
) -> tuple[Rung, ...]:
    """Return the rungs nearest above 1/6, 2/6 … of the widest gap, and last the widest."""
    query = cache(query)  # a dataset is one side of many pairs
    first: dict[Exact, Pair] = {}
    for x, y in among:
        first.setdefault(abs(query(x) - query(y)), (x, y))
    gaps = sorted(gap for gap in first if gap)
    goals = [gaps[-1] * Fraction(step, steps) for step in range(1, steps + 1)]
    chosen = sorted({next(gap for gap in gaps if gap >= goal) for goal in goals})
    return tuple(Rung(gap, _words(query, first[gap], gap, name)) for gap in chosen)


def _words(query: Callable[[Any], Any], pair: Pair, gap: Exact, name: str) -> str:
    here, there = (number_text(query(side)) for side in pair)
    x, y = map(dataset_text, pair)
    return f"{x} has the {name} {here}, {y} has {there}: a gap of {number_text(gap)}."
