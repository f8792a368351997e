"""The walk: every dataset, every neighbour. The reference that faster routes are held to.

Among all neighbouring pairs it finds the pair whose answers lie furthest apart, and of several
the first in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.gap import (
    Gap,
    Norm,
    arithmetics,
    common_denominator,
    gap_between,
    in_units,
    same_shape,
)
from sensitivity_lab.methods.workers import answers_in_blocks, block_edges
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Plan, neighbours_of
from sensitivity_lab.universe import Indices, Universe, multisets


@dataclass(frozen=True)
class Best:
    """The widest gap found, and the first pair that attains it (positions of values).

    >>> Best(2, (0, 1), (0, 3)).gap
    2
    """

    gap: Gap
    dataset: Indices
    neighbour: Indices

    def improved_by(self, gap: Gap, dataset: Indices, neighbour: Indices) -> bool:
        """Whether a pair is wider, or as wide and earlier.

        >>> Best(2, (0, 1), (0, 3)).improved_by(2, (0, 0), (0, 3))
        True
        """
        return gap > self.gap or (
            gap == self.gap and (dataset, neighbour) < (self.dataset, self.neighbour)
        )


def walk(
    queries: Sequence[Query],
    universe: Universe,
    plan: Plan,
    norm: Norm,
    progress: bool = False,
    only: Indices | None = None,
    executor: Executor | None = None,
) -> tuple[list[Best], int]:
    """Visit every dataset and every neighbour; answer each query once per dataset.

    >>> from sensitivity_lab import MAX
    >>> walk([MAX], Universe.population([1, 2, 9]), {2: ((1, 0),)}, norm=1)
    ([Best(gap=8, dataset=(0, 2), neighbour=(0,))], 6)

    `only` restricts the walk to the neighbours of one dataset; `executor` answers callables on
    many workers. Returns the best pair of each query, and how many datasets were answered.
    Cost: `count_pairs(universe, plan)` pairs, and an answer held for each dataset.
    Errors: as `Query.answer`, and ValueError for answers of two shapes.
    Source: the definition itself, def-global-sensitivity in the book's chapter "By hand".
    """
    sizes = sorted({size - r + a for size, moves in plan.items() for r, a in ((0, 0), *moves)})
    if only is None:
        datasets = [d for size in sizes for d in multisets(universe.copies(size), size)]
        starts = [dataset for dataset in datasets if len(dataset) in plan]
    else:
        datasets = sorted({only, *neighbours_of(only, universe, plan[len(only)])})
        starts = [only]
    asked = [_Asked(query, universe, datasets, norm, executor) for query in queries]
    for dataset in with_bar(starts, progress, desc="walk", unit=" datasets"):
        neighbours = list(neighbours_of(dataset, universe, plan[len(dataset)]))
        for query in asked:
            query.look(dataset, neighbours)
    return [query.found() for query in asked], len(datasets)


def with_bar(parts: Iterable[Any], shown: bool, **options: Any) -> Iterable[Any]:
    """Return `parts`, with a progress bar as they are taken if it is to be shown.

    >>> list(with_bar(range(3), False))
    [0, 1, 2]
    """
    if not shown:
        return parts
    from tqdm.auto import tqdm  # in a notebook it loads the widgets

    return tqdm(parts, **options)  # type: ignore[no-any-return]


class _Asked:
    """One query on a walk: its answers on all datasets, and the best pair so far."""

    best: Best | None = None

    def __init__(
        self,
        query: Query,
        universe: Universe,
        datasets: list[Indices],
        norm: Norm,
        executor: Executor | None,
    ) -> None:
        values = universe.exact_values if query.exact else universe.values
        edges = block_edges(len(datasets), len(datasets[-1]), executor)
        blocks = (datasets[start:stop] for start, stop in pairwise(edges))
        found = answers_in_blocks(query, values, blocks, executor)
        answers = [answer for block in found for answer in block]
        for answer in answers:
            same_shape(answer, answers[0], query.name)
        self.gap = gap_between(norm, query.root)
        self.scalar = not isinstance(answers[0], tuple)
        self.ordered = self.scalar and (query.root or len(arithmetics(answers)) < 2)
        self.common = 1
        if self.scalar and all(isinstance(answer, (int, Fraction)) for answer in answers):
            answers, self.common = common_denominator(answers)
        self.answers = dict(zip(datasets, answers, strict=True))

    def look(self, dataset: Indices, neighbours: list[Indices]) -> None:
        """Compare one dataset with all its neighbours."""
        answer = self.answers[dataset]
        others = [self.answers[neighbour] for neighbour in neighbours]
        if self.ordered:
            widest = max(self.gap(answer, end) for end in (max(others), min(others)))
        else:
            gaps = [self.gap(answer, other) for other in others]
            widest = max(gaps)
        if self.best is not None and widest < self.best.gap:
            return
        if self.ordered:  # floats can tie with an extreme by rounding, so all are looked at
            gap_to = {other: self.gap(answer, other) for other in set(others)}
            gaps = [gap_to[other] for other in others]
        neighbour = min(t for t, gap in zip(neighbours, gaps, strict=True) if gap == widest)
        if self.best is None or self.best.improved_by(widest, dataset, neighbour):
            self.best = Best(widest, dataset, neighbour)

    def found(self) -> Best:
        """The best pair, its gap no longer in units of the common denominator."""
        assert self.best is not None
        return replace(self.best, gap=in_units(self.best.gap, self.common))


def count_pairs(universe: Universe, plan: Plan) -> int:
    """Count the neighbouring pairs of a plan; none is built. Beyond 2^53 the count is rounded.

    >>> count_pairs(Universe.population(range(1, 11)), {6: ((0, 0), (1, 1))})
    5250

    A generating function: a value with up to m copies contributes z^c (x^r or y^a) for c shared
    copies and r that left or a that joined, c + max(r, a) ≤ m.
    Cost: O(n²k³) float arithmetic for each distinct value, for sizes up to n and moves up to k.
    """
    moves = [(size - r, r, a) for size, found in plan.items() for r, a in found]
    shared, most_r, most_a = (max(side) for side in zip(*moves, strict=True))
    ways = np.zeros((shared + 1, most_r + 1, most_a + 1))
    ways[0, 0, 0] = 1
    for copies in universe.copies(shared + max(most_r, most_a)):
        before, ways = ways, np.zeros_like(ways)
        for c in range(min(copies, shared) + 1):
            left = before[: shared + 1 - c]
            for r in range(min(copies - c, most_r) + 1):
                ways[c:, r:, :] += left[:, : most_r + 1 - r, :]
            for a in range(1, min(copies - c, most_a) + 1):
                ways[c:, :, a:] += left[:, :, : most_a + 1 - a]
    return int(sum(ways[move] for move in moves))
