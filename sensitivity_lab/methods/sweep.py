"""The sweep: every dataset answered once, and no pair visited.

All datasets of one size form a level of a lattice. The largest and smallest answers among the
neighbours of every dataset follow from k passes between levels; so do the global sensitivity
and the first pair that attains it. A dataset S and its neighbour T share a core C = S ∩ T: T's
level shrinks to the core's, which carries the extremes to every core, and grows from there to
S's (thm-share on the book's page of proofs). Cost: O(datasets · k · n), for sizes up to n; for
vectors in L1 times 2^(length − 1), in L∞ times the length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, product

import numpy as np

from sensitivity_lab.methods.lattice import (
    LONGEST_VECTOR,
    Evaluations,
    Lattice,
    NoArray,
    lattice_of,
)
from sensitivity_lab.methods.walk import Answered
from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import (
    Answer,
    Gap,
    Labelled,
    Norm,
    all_rational,
    gap_between,
    in_units,
)
from sensitivity_lab.problem import Budget, Limits, Problem, within_budget
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.relations import Move, neighbours_of
from sensitivity_lab.universe import Indices, Universe


class Sweep:
    """The sweep for some problems together."""

    def __init__(self, problems: Sequence[Problem], budget: Budget) -> None:
        self.problems, self.budget = problems, budget
        self._lattices: dict[Universe, Lattice] = {}  # of equals one: it holds positions alone
        self._evaluations: list[Evaluations] = []

    def check(self, problem: Problem) -> None:
        """Refuse a table that is too large, and datasets with too many records to read."""
        most = self.budget.most
        within_budget(_cells(problem), most.cells, "cells in the table of the sweep")
        within_budget(problem.records, most.read, "records in the datasets to answer")

    def serves(self, problem: Problem) -> bool:
        """Whether the sweep can answer, as far as the first answer and the levels' sizes tell."""
        if not self._fits(problem):
            return False
        evaluations = self._evaluations_of(problem)
        passed = sum(evaluations.lattice.count(size) for size in _levels(problem))
        if passed > self.budget.most.passed:
            return False
        return can_sweep(evaluations.first(min(problem.plan)), problem.norm)

    def answer(self, problem: Problem) -> Answered | None:
        """The worst pair from the extremes of every dataset's neighbours;
        None where order fails."""
        evaluations = self._evaluations_of(problem)
        try:
            if not keeps_order(evaluations, problem.sizes_answered, problem.norm):
                return None
            arrays, common = evaluations.over_one_denominator(problem.sizes_answered)
        except NoArray:
            return None
        levels = _Levels(problem, evaluations.lattice, arrays)
        # The gaps of all levels come first: pairs are looked for where the widest is.
        ends = [(*levels.widest(size), size) for size in sorted(problem.plan)]
        widest = max(gap for gap, _, _ in ends)
        firsts = [
            (levels.first_dataset(size, ranks), gap) for gap, ranks, size in ends if gap == widest
        ]
        dataset, gap = min(firsts, key=lambda first: first[0])
        neighbour = levels.first_neighbour(dataset, gap)
        pair = WorstPair.between(in_units(gap, common), dataset, neighbour, problem.universe)
        datasets = sum(map(evaluations.lattice.count, problem.sizes_answered))
        return Answered(pair, datasets, "sweep")

    def _fits(self, problem: Problem) -> bool:
        most = self.budget.most
        return _cells(problem) <= most.cells and problem.records <= most.read

    def _evaluations_of(self, problem: Problem) -> Evaluations:
        """The evaluations of a problem's own query and universe, none of their equals."""
        for known in self._evaluations:
            if known.query is problem.query and known.universe is problem.universe:
                return known
        lattice = self._lattice_of(problem.universe)
        made = Evaluations(problem.query, problem.universe, lattice, self.budget)
        self._evaluations.append(made)
        return made

    def _lattice_of(self, universe: Universe) -> Lattice:
        """The lattice of a universe, up to the largest dataset of its problems."""
        if universe not in self._lattices:
            alike = (problem for problem in self.problems if problem.universe == universe)
            largest = max(max(each.sizes_answered) for each in alike if self._fits(each))
            self._lattices[universe] = lattice_of(universe.copies(largest), largest)
        return self._lattices[universe]


def _cells(problem: Problem) -> int:
    """How many cells the table of ranks has."""
    return int(problem.universe.distinct * max(problem.sizes_answered))


def is_quick(problem: Problem, limits: Limits) -> bool:
    """Whether a sweep of not too many datasets is within some limits in all else."""
    levels, universe = _levels(problem), problem.universe
    passed = (size * universe.count_at_least(size, limits.read) for size in levels)
    return (
        _cells(problem) <= limits.cells
        and len(levels) * levels[-1] <= limits.steps
        and problem.records <= limits.read
        and all(records <= limits.read for records in accumulate(passed))
    )


def _levels(problem: Problem) -> range:
    """The sizes that a sweep passes through."""
    cores = [size - removed for size, moves in problem.plan.items() for removed, _ in moves]
    return range(min(cores), max(problem.sizes_answered) + 1)


def can_sweep(answer: Answer, norm: Norm) -> bool:
    """Whether the sweep serves such answers: scalars; short vectors in L∞, exact ones in L1."""
    if norm == 0:
        return False
    if not isinstance(answer, tuple):
        return True
    is_served = norm == math.inf or (norm == 1 and all_rational(answer))
    least = 0 if isinstance(answer, Labelled) else 1  # others may have keys
    return least <= len(answer) <= LONGEST_VECTOR and is_served


def keeps_order(evaluations: Evaluations, sizes: Iterable[int], norm: Norm) -> bool:
    """Whether the extremes of some answers have the widest gap: they are in one arithmetic."""
    dimensions = {evaluations.of(size)[0].ndim for size in sizes}
    if norm == 1 and max(dimensions) > 1:
        return evaluations.arithmetics <= {"exact"}
    return len(evaluations.arithmetics) < 2


def largest_moves(moves: Iterable[Move]) -> list[Move]:
    """Of the moves to neighbours of one size, the one with the smallest core."""
    return sorted({added - removed: (removed, added) for removed, added in sorted(moves)}.values())


@dataclass(frozen=True)
class _Levels:
    """How far each dataset lies from its furthest neighbour, level by level."""

    problem: Problem
    lattice: Lattice
    arrays: dict[int, np.ndarray]

    def widest(self, size: int) -> tuple[Gap, np.ndarray]:
        """The widest gap from datasets of a size, and the ranks of all that have it."""
        own, moves = self.arrays[size], largest_moves(self.problem.plan[size])
        patterns = _sign_patterns(own, self.problem.norm)
        ends = [(_signed(own, of), *self._extremes(size, moves, of)) for of in patterns]
        return _widest_root(*ends[0]) if self.problem.query.root else _widest(ends)

    def _extremes(
        self, size: int, moves: list[Move], signs: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The largest and smallest signed answer among each dataset's neighbours."""
        tops, bottoms = [], []
        for removed, added in moves:
            core = size - removed
            top = bottom = _signed(self.arrays[core + added], signs)
            for level in range(core + added, core, -1):
                top, bottom = self.lattice.shrink(level, top, bottom)
            for level in range(core + 1, size + 1):
                top, bottom = self.lattice.grow(level, top, bottom)
            tops.append(top)
            bottoms.append(bottom)
        return reduce(np.maximum, tops), reduce(np.minimum, bottoms)

    def first_dataset(self, size: int, ranks: np.ndarray) -> Indices:
        """The first of some datasets of a size, in lexicographic order."""
        if not size:
            return ()
        rows = self.lattice.rows(size, ranks)
        return tuple(rows[np.lexsort(rows.T[::-1])[0]].tolist())

    def first_neighbour(self, dataset: Indices, gap: Gap) -> Indices:
        """The first neighbour of a dataset at the given gap, found by walking only this one."""
        moves = self.problem.plan[len(dataset)]
        neighbours = list(neighbours_of(dataset, self.problem.universe, moves))
        answers = self._answers([dataset, *neighbours])
        gap_of = gap_between(self.problem.norm, self.problem.query.root)
        # A set, for many answers are equal: of one arithmetic, equals lie equally far.
        wide = {answer for answer in set(answers) if gap_of(answers[0], answer) == gap}
        pairs = zip(neighbours, answers[1:], strict=True)
        return min(neighbour for neighbour, answer in pairs if answer in wide)

    def _answers(self, datasets: list[Indices]) -> list[Answer]:
        """The numerators of some datasets' answers, as Python numbers or tuples of them."""
        answers: dict[Indices, Answer] = {}
        for size in {len(dataset) for dataset in datasets}:
            level = [dataset for dataset in datasets if len(dataset) == size]
            rows = np.array(level, dtype=np.int64).reshape(len(level), size)
            sizes = np.arange(1, size + 1, dtype=np.intp)
            ranks = self.lattice.below[rows, sizes].sum(axis=1, dtype=np.int64)
            for dataset, answer in zip(level, self.arrays[size][ranks].tolist(), strict=True):
                answers[dataset] = tuple(answer) if isinstance(answer, list) else answer
        return [answers[dataset] for dataset in datasets]


def _widest(ends: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> tuple[Gap, np.ndarray]:
    """The widest gap and the ranks that have it, from own, highest and lowest answers (N,)."""
    # An infinite gap is refused where its pair is known, by `gap_between`.
    with np.errstate(over="ignore"):
        gaps = np.maximum.reduce([np.maximum(high - own, own - low) for own, high, low in ends])
    widest = gaps.max()
    gap = widest.item() if isinstance(widest, np.generic) else widest
    return gap, np.flatnonzero(gaps == widest)


def _widest_root(own: np.ndarray, high: np.ndarray, low: np.ndarray) -> tuple[Gap, np.ndarray]:
    """As `_widest`, for roots: floats shortlist, exact comparison settles."""
    roots = _float_roots(high, own, low)  # together: all in one scale
    gaps = np.maximum(roots[0] - roots[1], roots[1] - roots[2])
    # Floats of roots are off by few units in 1e-16 of the largest: 1e-9 leaves no widest out.
    near = gaps.max() - 1e-9 * max(roots[0].max(), roots[1].max())
    short = np.flatnonzero(gaps >= near)
    ends = ([int(n) for n in side[short]] for side in (high, own, low))
    pairs = [((top, here), (here, bottom)) for top, here, bottom in zip(*ends, strict=True)]
    distinct = {pair for both in pairs for pair in both}
    widest = max(RootGap(*pair) for pair in distinct)
    winners = {pair for pair in distinct if RootGap(*pair) == widest}
    return widest, short[[not winners.isdisjoint(both) for both in pairs]]


def _sign_patterns(answers: np.ndarray, norm: Norm) -> list[np.ndarray | None]:
    """Weights that turn a vector into scalars: ±1 for L1 (first sign fixed), one entry for L∞."""
    if answers.ndim == 1:
        return [None]
    length = answers.shape[1]
    if norm == math.inf:
        return list(np.eye(length, dtype=np.int64))
    return [np.array((1, *signs), dtype=np.int64) for signs in product((1, -1), repeat=length - 1)]


def _float_roots(*squares: np.ndarray) -> list[np.ndarray]:
    """Square roots as floats, all scaled alike if the squares are too large for floats."""
    shift = max(0, max(int(array.max()).bit_length() for array in squares) - 1000)
    return [np.sqrt((array >> shift if shift else array).astype(float)) for array in squares]


def _signed(answers: np.ndarray, signs: np.ndarray | None) -> np.ndarray:
    return answers if signs is None else answers @ signs
