"""The sweep: every dataset answered once, and no pair visited.

All datasets of one size form a level of a lattice. The largest and smallest answers among the
neighbours of every dataset follow from k passes between levels; so do the global sensitivity
and the first pair that attains it.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from sensitivity_lab.exact import RootGap
from sensitivity_lab.gap import Gap, Norm, gap_between, in_units
from sensitivity_lab.methods.evaluation import Answers
from sensitivity_lab.methods.walk import Best
from sensitivity_lab.relations import Move, Plan, neighbours_of
from sensitivity_lab.universe import Indices

LONGEST_VECTOR = 6  # L1 sweeps 2^5 sign patterns, each as a scalar


def can_sweep(answer: Any, norm: Norm) -> bool:
    """Whether the sweep serves such answers: scalars; short vectors in L∞, exact ones in L1.

    >>> can_sweep(0.5, 1), can_sweep((1, 2), 1), can_sweep((0.5, 2), 1), can_sweep((1, 2), 2)
    (True, True, False, False)

    Cost: linear in the answer's length.
    """
    if not isinstance(answer, tuple):
        return True
    exact = all(isinstance(number, (int, Fraction)) for number in answer)
    return 1 <= len(answer) <= LONGEST_VECTOR and (norm == math.inf or (norm == 1 and exact))


def keeps_order(answers: Answers, sizes: Iterable[int], norm: Norm) -> bool:
    """Whether the extremes of some answers have the widest gap: they are in one arithmetic.

    >>> from sensitivity_lab import Query, Universe
    >>> from sensitivity_lab.methods.lattice import Lattice
    >>> mixed = Query("mixed", lambda x: Fraction(1, 3) if len(x) > 1 else 0.3)
    >>> answers = Answers(mixed, Lattice(Universe.population([1, 2, 4]), largest=2))
    >>> keeps_order(answers, [2], norm=1), keeps_order(answers, [1, 2], norm=1)
    (True, False)

    A vector in L1 must be exact: a sum of floats depends on its order.
    Cost and errors: as `Answers.of`, for every size.
    """
    dimensions = {answers.of(size)[0].ndim for size in sizes}
    if norm == 1 and max(dimensions) > 1:
        return answers.arithmetics <= {"exact"}
    return len(answers.arithmetics) < 2


def sweep_lattice(answers: Answers, plan: Plan, norm: Norm) -> Best:
    """Find the best pair from the extremes among every dataset's neighbours.

    >>> from sensitivity_lab import SUM, Universe
    >>> from sensitivity_lab.methods.lattice import Lattice
    >>> answers = Answers(SUM, Lattice(Universe.population([1, 2, 4]), largest=2))
    >>> sweep_lattice(answers, {2: ((0, 0), (1, 1))}, norm=1)
    Best(gap=3, dataset=(0, 1), neighbour=(1, 2))

    A dataset S and its neighbour T share a core C = S ∩ T. Shrinking T's level down to the
    core's carries the extremes of the answers to every core; growing from there up to S's
    level carries them to every S. Equal to walking all pairs, for answers that `keeps_order`.
    Cost: O(datasets · k · n), for sizes up to n; for vectors in L1 times 2^(length − 1), in L∞
    times the length.
    Source: thm-share on the book's page of proofs, whose cores these are.
    """
    sizes = set(plan) | {size - r + a for size, moves in plan.items() for r, a in moves}
    arrays, common = answers.over_one_denominator(sizes)
    best: Best | None = None
    for size in sorted(plan):
        gaps = _LevelGaps(answers, arrays, size, largest_moves(plan[size]), norm)
        found = gaps.first(plan[size], best)
        best = found if found is not None else best
    assert best is not None
    return replace(best, gap=in_units(best.gap, common))


def largest_moves(moves: Iterable[Move]) -> list[Move]:
    """Of the moves to neighbours of one size, the one with the smallest core.

    >>> largest_moves([(0, 0), (0, 1), (1, 0), (1, 1)])
    [(0, 1), (1, 0), (1, 1)]

    A dataset and a neighbour that share more records than that core also share some core of
    that size, so the larger cores add nothing. Cost: linear in the moves.
    """
    widest: dict[int, Move] = {}
    for removed, added in moves:
        step = added - removed
        if step not in widest or removed > widest[step][0]:
            widest[step] = (removed, added)
    return sorted(widest.values())


class _LevelGaps:
    """How far each dataset of one size lies from its furthest neighbour."""

    def __init__(
        self,
        answers: Answers,
        arrays: dict[int, np.ndarray],
        size: int,
        moves: list[Move],
        norm: Norm,
    ) -> None:
        self.lattice, self.root = answers.lattice, answers.query.root
        self.arrays, self.size, self.norm = arrays, size, norm
        own = arrays[size]
        self.gaps: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # own, high, low
        for signs in _sign_patterns(own, norm):
            high, low = self._extremes(signs, moves)
            self.gaps.append((_signed(own, signs), high, low))

    def _extremes(
        self, signs: np.ndarray | None, moves: list[Move]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The largest and smallest signed answer among each dataset's neighbours."""
        high = low = None
        for removed, added in moves:
            core = self.size - removed
            answer = _signed(self.arrays[core + added], signs)
            top, bottom = answer, answer
            for level in range(core + added, core, -1):
                top, bottom = self.lattice.shrink(level, top, bottom)
            for level in range(core + 1, self.size + 1):
                top, bottom = self.lattice.grow(level, top, bottom)
            high = top if high is None else np.maximum(high, top)
            low = bottom if low is None else np.minimum(low, bottom)
        assert high is not None
        assert low is not None
        return high, low

    def first(self, moves: tuple[Move, ...], best: Best | None) -> Best | None:
        """The first pair of this level with the widest gap, if it improves on `best`."""
        gap, ranks = self._widest()
        if best is not None and gap < best.gap:
            return None
        rows = self.lattice.rows(self.size, ranks)
        dataset = tuple(rows[np.lexsort(rows.T[::-1])[0]].tolist()) if self.size else ()
        neighbour = self._first_neighbour(dataset, moves, gap)
        if best is None or best.improved_by(gap, dataset, neighbour):
            return Best(gap, dataset, neighbour)
        return None

    def _widest(self) -> tuple[Gap, np.ndarray]:
        """The widest gap of the level and the ranks of all datasets that have it."""
        if self.root:
            return self._widest_root()
        # An infinite gap is refused where its pair is known, by `gap_between`.
        with np.errstate(over="ignore"), decimal.localcontext() as context:
            context.traps[decimal.Overflow] = False
            gaps = np.maximum.reduce(
                [np.maximum(high - own, own - low) for own, high, low in self.gaps]
            )
        widest = gaps.max()
        gap = widest.item() if isinstance(widest, np.generic) else widest
        return gap, np.flatnonzero(gaps == widest)

    def _widest_root(self) -> tuple[Gap, np.ndarray]:
        """As `_widest`, for roots: floats shortlist, exact comparison settles."""
        own, high, low = self.gaps[0]
        roots = _float_roots(high, own, low)  # together: all in one scale
        gaps = np.maximum(roots[0] - roots[1], roots[1] - roots[2])
        near = gaps.max() - 1e-9 * max(roots[0].max(), roots[1].max())
        short = np.flatnonzero(gaps >= near)
        pairs = [
            ((int(high[rank]), int(own[rank])), (int(own[rank]), int(low[rank]))) for rank in short
        ]
        distinct = {pair for both in pairs for pair in both}
        widest = max(RootGap(*pair) for pair in distinct)
        winners = {pair for pair in distinct if RootGap(*pair) == widest}
        return widest, short[[not winners.isdisjoint(both) for both in pairs]]

    def _first_neighbour(self, dataset: Indices, moves: tuple[Move, ...], gap: Gap) -> Indices:
        """The first neighbour of a dataset at the given gap, found by walking only this one."""
        neighbours = list(neighbours_of(dataset, self.lattice.universe, moves))
        answers = self._answers([dataset, *neighbours])
        measure = gap_between(self.norm, self.root)
        wide = {answer for answer in set(answers) if measure(answers[0], answer) == gap}
        pairs = zip(neighbours, answers[1:], strict=True)
        return min(neighbour for neighbour, answer in pairs if answer in wide)

    def _answers(self, datasets: list[Indices]) -> list[Any]:
        """The numerators of some datasets' answers, as Python numbers or tuples of them."""
        answers: list[Any] = [None] * len(datasets)
        for size in {len(dataset) for dataset in datasets}:
            places = [i for i, dataset in enumerate(datasets) if len(dataset) == size]
            rows = np.array([datasets[i] for i in places], dtype=np.int64).reshape(
                len(places), size
            )
            ranks = self.lattice.below[rows, np.arange(1, size + 1)].sum(axis=1)
            found = self.arrays[size][ranks].tolist()
            for i, answer in zip(places, found, strict=True):
                answers[i] = tuple(answer) if isinstance(answer, list) else answer
        return answers


def _sign_patterns(answers: np.ndarray, norm: Norm) -> list[np.ndarray | None]:
    """Weights that turn a vector into scalars: ±1 for L1 (first sign fixed), one entry for L∞."""
    if answers.ndim == 1:
        return [None]
    length = answers.shape[1]
    if norm == math.inf:
        return list(np.eye(length, dtype=np.int64))
    return [np.array((1, *signs)) for signs in product((1, -1), repeat=length - 1)]


def _float_roots(*squares: np.ndarray) -> list[np.ndarray]:
    """Square roots as floats, all scaled alike if the squares are too large for floats."""
    shift = max(0, max(int(array.max()).bit_length() for array in squares) - 1000)
    return [np.sqrt((array >> shift if shift else array).astype(float)) for array in squares]


def _signed(answers: np.ndarray, signs: np.ndarray | None) -> np.ndarray:
    return answers if signs is None else answers @ signs
