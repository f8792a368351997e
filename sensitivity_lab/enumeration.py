"""The walk: every dataset, every neighbour. The reference that faster routes are held to.

Among all neighbouring pairs it finds the pair whose answers lie furthest apart, and of several
the first in lexicographic order.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.exact import Exact, RootGap, brief
from sensitivity_lab.labels import Labelled
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Move, neighbours_of
from sensitivity_lab.universe import Indices, Universe, multisets
from sensitivity_lab.workers import answers_in_blocks, block_edges

Norm = float  # 1, 2 or infinity
Gap = Any  # int, Fraction, float, Decimal or RootGap: ordered and exact to compare
LONGEST_INT = 2**52  # the difference of two such ints is a float too
Plan = dict[int, tuple[Move, ...]]  # the feasible moves from a dataset of each size


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


def gap_between(norm: Norm, root: bool) -> Callable[[Any, Any], Gap]:
    """Return the function that measures how far apart two answers lie.

    >>> gap_between(1, False)((1, 5), (3, 4)), gap_between(math.inf, False)((1, 5), (3, 4))
    (3, 2)
    >>> float(gap_between(2, False)((0, 0), (3, 4))), float(gap_between(1, True)(4, 9))
    (5.0, 1.0)

    Cost: a gap is linear in the vectors' length. The function raises ValueError for two answers
    whose arithmetics do not meet, such as a Decimal and a float, or that lie further apart than
    the largest float.
    Source: def-norms in the book's chapter on norms.
    """

    def gap(a: Any, b: Any) -> Gap:
        try:
            if root:
                return RootGap(max(a, b), min(a, b))
            if not isinstance(a, tuple):
                found = abs(a - b)
            else:
                steps = [abs(x - y) for x, y in zip(a, b, strict=True)]
                if norm == 2 and math.inf not in steps:
                    return RootGap(sum(Fraction(step) ** 2 for step in steps), 0)
                found = max(steps, default=0) if norm == math.inf else sum(steps)
        except (TypeError, ArithmeticError) as error:
            raise no_distance(a, b, error) from error
        if found == math.inf:
            raise no_distance(a, b)
        return found

    return gap


def no_distance(a: Any, b: Any, error: Exception | None = None) -> ValueError:
    """Return the refusal of two answers whose difference their arithmetic cannot give.

    >>> raise no_distance(1e308, -1e308)
    Traceback (most recent call last):
    ValueError: query must give answers whose distance its own numbers can hold, got 1e+308 and -1e+308: scale them down, or answer in ints or Fractions
    """
    got = f"got {brief(a)} and {brief(b)}"
    if error is None or isinstance(error, decimal.Overflow):
        return ValueError(
            f"query must give answers whose distance its own numbers can hold, {got}: scale them "
            "down, or answer in ints or Fractions"
        )
    return ValueError(f"query must answer in one arithmetic, {got}: {error}")


def arithmetics(answers: Iterable[Any]) -> set[str]:
    """Return the arithmetics that answers are in; a short whole number is at home in each.

    >>> arithmetics([0, 0.5]), sorted(arithmetics([2**70, (0, 0.5)]))
    ({'float'}, ['exact', 'float'])

    Within one, a gap grows with the distance of its ends, rounded as it may be. In more than one
    a pair that lies less far apart can have the wider gap. Cost: linear in the numbers.
    """
    found = set()
    for answer in answers:
        for number in answer if isinstance(answer, tuple) else (answer,):
            if not isinstance(number, int) or abs(number) > LONGEST_INT:
                inexact = isinstance(number, (float, Decimal))
                found.add(type(number).__name__ if inexact else "exact")
    return found


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
            same_shape(answer, answers[0], query)
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


def common_denominator(numbers: Sequence[Exact]) -> tuple[list[int], int]:
    """Return rationals as numerators over their least common denominator.

    >>> common_denominator([1, Fraction(1, 2), Fraction(2, 3)])
    ([6, 3, 4], 6)

    Cost: two passes.
    """
    common = math.lcm(*(number.denominator for number in numbers))
    return [number.numerator * (common // number.denominator) for number in numbers], common


def in_units(gap: Gap, denominator: int) -> Gap:
    """Return a gap between numerators as the gap between the numbers.

    >>> in_units(7, 2)
    Fraction(7, 2)
    """
    if denominator == 1:
        return gap
    if isinstance(gap, RootGap):
        return RootGap(Fraction(gap.larger, denominator), Fraction(gap.smaller, denominator))
    return Fraction(gap, denominator)


def same_shape(answer: Any, first: Any, query: Query) -> None:
    """Refuse answers of different lengths or labels, and a number here, a vector there.

    >>> from sensitivity_lab import SUM
    >>> same_shape(3, 5, SUM)

    Cost: two lengths, or their labels. Raises ValueError.
    """
    if _shape(first) != _shape(answer):
        raise ValueError(
            f"query {query.name} must return answers of one shape, got {_shape_in_words(first)} "
            f"and {_shape_in_words(answer)}"
        )


def _shape(answer: Any) -> Any:
    if isinstance(answer, Labelled):
        return answer.labels
    return len(answer) if isinstance(answer, (tuple, np.ndarray)) else None


def _shape_in_words(answer: Any) -> str:
    if isinstance(answer, Labelled):
        return f"a vector with labels {brief(answer.labels)}"
    return "a number" if _shape(answer) is None else f"a vector of length {len(answer)}"


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
