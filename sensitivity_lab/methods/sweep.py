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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np

from sensitivity_lab.methods.walk import Answered
from sensitivity_lab.methods.workers import answers_in_blocks, block_edges, few_of, hold
from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import (
    Answer,
    Gap,
    Labelled,
    Norm,
    all_rational,
    arithmetics,
    by_key,
    common_denominator,
    gap_between,
    in_units,
    same_shape,
)
from sensitivity_lab.problem import Budget, Limits, Problem, within_budget
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query, Rows
from sensitivity_lab.relations import Move, neighbours_of
from sensitivity_lab.universe import Indices, Universe

LONGEST_VECTOR = 6  # entries that the sweep serves: L1 takes 2^5 sign patterns, each as a scalar


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
        """Whether it can answer: scalars, short vectors in L∞, exact ones in L1; not too many."""
        if not self._fits(problem):
            return False
        evaluations = self._evaluations_of(problem)
        passed = sum(evaluations.lattice.count(size) for size in _levels(problem))
        if passed > self.budget.most.passed:
            return False
        answer, norm = evaluations.first(min(problem.plan)), problem.norm
        if norm == 0 or not isinstance(answer, tuple):
            return norm != 0
        is_served = norm == math.inf or (norm == 1 and all_rational(answer))
        least = 0 if isinstance(answer, Labelled) else 1  # others may have keys
        return is_served and least <= len(answer) <= LONGEST_VECTOR

    def answer(self, problem: Problem) -> Answered | None:
        """The worst pair by the extremes of all neighbours; None where order fails."""
        evaluations = self._evaluations_of(problem)
        try:
            # Extremes have the widest gap only where all answers are in one arithmetic.
            dimensions = {evaluations.of(size)[0].ndim for size in problem.sizes_answered}
            met = evaluations.arithmetics
            is_sum = problem.norm == 1 and max(dimensions) > 1
            if met - {"exact"} if is_sum else len(met) > 1:
                return None
            arrays, common = evaluations.over_one_denominator(problem.sizes_answered)
        except NoArray:
            return None
        levels = _Levels(problem, evaluations.lattice, arrays)
        # The gaps of all levels come first: pairs are looked for where the widest is.
        ends = [(*levels.widest(size), size) for size in sorted(problem.plan)]
        widest = max(gap for gap, _, _ in ends)
        firsts = [(levels.first_dataset(size, at), gap) for gap, at, size in ends if gap == widest]
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
        universe = problem.universe
        if universe not in self._lattices:  # of equals one, up to the largest dataset asked
            alike = (each for each in self.problems if each.universe == universe)
            largest = max(max(each.sizes_answered) for each in alike if self._fits(each))
            self._lattices[universe] = lattice_of(universe.copies(largest), largest)
        made = Evaluations(problem.query, universe, self._lattices[universe], self.budget)
        self._evaluations.append(made)
        return made


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


@dataclass(frozen=True)
class _Levels:
    """How far each dataset lies from its furthest neighbour, level by level."""

    problem: Problem
    lattice: Lattice
    arrays: dict[int, np.ndarray]

    def widest(self, size: int) -> tuple[Gap, np.ndarray]:
        """The widest gap from datasets of a size, and the ranks of all that have it."""
        own, plan = self.arrays[size], self.problem.plan
        # Of the moves to one size the last, which removes most, has the smallest core: it reaches
        # all that the others do.
        to_size = {added - removed: (removed, added) for removed, added in sorted(plan[size])}
        moves = sorted(to_size.values())
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
            # Down to every core what extends it, then up to every dataset what extends its cores.
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
    # Squares may be too large for floats: all three sides are scaled alike, which keeps order.
    shift = max(0, max(int(side.max()).bit_length() for side in (high, own, low)) - 1000)
    roots = [np.sqrt((side >> shift if shift else side).astype(float)) for side in (high, own, low)]
    gaps = np.maximum(roots[0] - roots[1], roots[1] - roots[2])
    # Floats of roots are off by few units in 1e-16 of the largest: 1e-9 leaves no widest out.
    near = gaps.max() - 1e-9 * max(roots[0].max(), roots[1].max())
    short = np.flatnonzero(gaps >= near)
    ends = ([int(n) for n in side[short]] for side in (high, own, low))
    pairs = [((top, here), (here, bottom)) for top, here, bottom in zip(*ends, strict=True)]
    # Equal pairs are many: each is compared once, exactly.
    distinct = {pair for both in pairs for pair in both}
    widest = max(RootGap(*pair) for pair in distinct)
    winners = {pair for pair in distinct if RootGap(*pair) == widest}
    return widest, short[[not winners.isdisjoint(both) for both in pairs]]


def _sign_patterns(answers: np.ndarray, norm: Norm) -> list[np.ndarray | None]:
    """Weights that turn a vector into scalars: ±1 for L1, one entry for L∞."""
    if answers.ndim == 1:
        return [None]
    length = answers.shape[1]
    if norm == math.inf:
        return list(np.eye(length, dtype=np.int64))
    return [np.array((1, *signs), dtype=np.int64) for signs in product((1, -1), repeat=length - 1)]


def _signed(answers: np.ndarray, signs: np.ndarray | None) -> np.ndarray:
    return answers if signs is None else answers @ signs


# -- the levels --


class Lattice:
    """All datasets of positions among some values, ranked within each size.

            W, for the values 10, 20, 30        the level of 2 records, and its deletions
                      s = 0  1  2  3            rank  dataset   without 1st  without 2nd
            no value      1  0  0  0            0     10 20     20: rank 1   10: rank 0
            10            1  1  0  0            1     10 30     30: rank 2   10: rank 0
            10, 20        1  2  1  0            2     20 30     30: rank 2   20: rank 1
            10, 20, 30    1  3  3  1
            the dataset (1, 2) of positions has rank W[1][1] + W[2][2] = 1 + 1 = 2

    Source: the combinatorial number system, here with copies: Knuth (2011), The Art of Computer
        Programming 4A, section 7.2.1.3.
    """

    chunk = 1 << 17  # rows handled at once, and
    cells = 1 << 22  # records in them: these bound the memory

    def __init__(self, copies: Sequence[int], largest: int) -> None:
        self.below = _counts_below(copies, largest)
        self.small: dict[int, list[np.ndarray]] = {}  # the deletions of small levels

    def count(self, size: int) -> int:
        """How many datasets the level has."""
        return int(self.below[-1, size])

    def chunks(self, size: int) -> Iterator[slice]:
        """The ranks of the level, in runs that fit in memory."""
        rows = min(self.chunk, max(1, self.cells // max(1, size)))
        for start in range(0, self.count(size), rows):
            yield slice(start, min(start + rows, self.count(size)))

    def rows(self, size: int, ranks: np.ndarray) -> np.ndarray:
        """The datasets of the given ranks: (N,) int64 in, (N, size) value positions out."""
        # From the last record to the first: the largest value with a count that the rank reaches.
        left = ranks.copy()
        rows = np.empty((len(left), size), dtype=np.int64)
        for i in range(size - 1, -1, -1):
            column = self.below[:, i + 1]
            rows[:, i] = np.searchsorted(column, left, side="right") - 1
            left -= column[rows[:, i]]
        return rows

    def deletions(self, size: int, chunk: slice) -> Iterable[np.ndarray]:
        """For each position, the ranks of the chunk's datasets without the record there."""
        if self.count(size) * size > self.chunk:
            return self._deletions(size, chunk)
        if size not in self.small:
            self.small[size] = list(self._deletions(size, chunk))
        return self.small[size]

    def _deletions(self, size: int, chunk: slice) -> Iterator[np.ndarray]:
        rows = self.rows(size, np.arange(chunk.start, chunk.stop, dtype=np.int64))
        # Without record i those before keep their places, and those after move one place down.
        before = np.zeros(len(rows), dtype=np.int64)
        after = sum((self.below[rows[:, i], i] for i in range(1, size)), before.copy())
        for i in range(size):
            yield before + after
            before += self.below[rows[:, i], i + 1]
            if i + 1 < size:
                after -= self.below[rows[:, i + 1], i + 1]

    def shrink(self, size: int, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each dataset one record smaller, the extremes over all that extend it by one."""
        smaller_high, smaller_low = self._none_yet(size - 1, high.dtype)
        for chunk in self.chunks(size):
            # A dataset hands its extremes on to each that it is with one record less.
            for ranks in self.deletions(size, chunk):
                np.maximum.at(smaller_high, ranks, high[chunk])
                np.minimum.at(smaller_low, ranks, low[chunk])
        return smaller_high, smaller_low

    def _none_yet(self, size: int, dtype: np.dtype[Any]) -> list[np.ndarray]:
        """For each dataset of `size` a highest and a lowest answer that every other passes."""
        whole = np.iinfo(dtype) if dtype.kind == "i" else None
        ends = (whole.min, whole.max) if whole else (-math.inf, math.inf)
        return [np.full(self.count(size), end, dtype=dtype) for end in ends]

    def grow(self, size: int, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each dataset of `size`, the extremes over all that it extends by one record."""
        larger_high, larger_low = self._none_yet(size, high.dtype)
        for chunk in self.chunks(size):
            for ranks in self.deletions(size, chunk):
                np.maximum(larger_high[chunk], high[ranks], out=larger_high[chunk])
                np.minimum(larger_low[chunk], low[ranks], out=larger_low[chunk])
        return larger_high, larger_low


def lattice_of(copies: Sequence[int], largest: int) -> Lattice:
    """The lattice of some copies; of the small ones, the last few are kept."""
    is_small = len(copies) * largest <= 10_000
    return _kept_lattice(tuple(copies), largest) if is_small else Lattice(copies, largest)


_kept_lattice = lru_cache(maxsize=16)(Lattice)


def _counts_below(copies: Sequence[int], largest: int) -> np.ndarray:
    """W[v][s]: how many datasets of s records the v smallest values make; capped at 2^62."""
    table = [[1] + [0] * largest]
    for limit in copies:
        last = table[-1]
        row, window = [], 0
        for size in range(largest + 1):
            # A window over the row before: of this value none, one, and up to `limit` copies.
            window += last[size] - (last[size - limit - 1] if size > limit else 0)
            row.append(window)
        table.append(row)
    return np.array([[min(n, 2**62) for n in row] for row in table], dtype=np.int64)


class NoArray(Exception):
    """Answers with keys that make no array of few columns."""


class Evaluations:
    """A query's answers on all datasets of a universe, each computed once."""

    def __init__(self, query: Query, universe: Universe, lattice: Lattice, budget: Budget) -> None:
        self.query, self.universe, self.lattice, self.budget = query, universe, lattice, budget
        self.given = query.giver(universe)
        self.rows = None if universe.has_missing else query.rows
        self.sizes: dict[int, tuple[np.ndarray, int]] = {}
        self.firsts: dict[int, Answer] = {}
        self.arithmetics: set[str] = set()  # of all answers so far
        self.columns: dict[Any, int] = {}  # of the keys of all answers so far

    def of(self, size: int) -> tuple[np.ndarray, int]:
        """Numerators by rank, (N,) or (N, length), and their denominator."""
        if len(self.columns) > LONGEST_VECTOR:
            raise NoArray
        if size not in self.sizes:
            answers = self._by_rows(size, self.rows) if self.rows else self._one_by_one(size)
            self.sizes[size] = answers
        return self.sizes[size]

    def first(self, size: int) -> Answer:
        """The answer on the dataset of rank 0, which tells scalars from vectors."""
        if size not in self.firsts:
            (row,) = self.lattice.rows(size, np.zeros(1, dtype=np.int64)).tolist()
            self.firsts[size] = self.query.answers(self.given, [tuple(row)])[0]
        return self.firsts[size]

    def over_one_denominator(self, sizes: Iterable[int]) -> tuple[dict[int, np.ndarray], int]:
        """Numerators of several sizes over one denominator."""
        parts = {size: self.of(size) for size in sizes}
        samples = [self.firsts.get(size, answers[0]) for size, (answers, _) in parts.items()]
        for sample in samples:
            same_shape(sample, samples[0], self.query.name)
        with_keys = {isinstance(sample, Labelled) for sample in samples}
        if not self.rows and with_keys != {False}:
            if False in with_keys or not self.columns:
                raise NoArray
            width = len(self.columns)  # a 0 for each key that was met only after some rows
            for size, (rows, by) in parts.items():
                parts[size] = np.pad(rows, ((0, 0), (0, width - rows.shape[1]))), by
        if len({answers.dtype.kind == "f" for answers, _ in parts.values()}) == 2:
            # Floats beside rationals: each as the Python number that it stands for.
            numbers = {size: rows.astype(object) for size, (rows, _) in parts.items()}
            scales = {size: Fraction(1, by) for size, (_, by) in parts.items() if by > 1}
            return {size: n * scales.get(size, 1) for size, n in numbers.items()}, 1
        common = math.lcm(*(by for _, by in parts.values()))
        return {size: _times(rows, common // by) for size, (rows, by) in parts.items()}, common

    def _by_rows(self, size: int, answers_of: Rows) -> tuple[np.ndarray, int]:
        parts, denominator = [], 1
        chunks = list(self.lattice.chunks(size))
        for chunk in self.budget.bar(chunks, desc=f"size {size}", unit=" blocks"):
            rows = self.lattice.rows(size, np.arange(chunk.start, chunk.stop, dtype=np.int64))
            answers, denominator = answers_of(rows, self.universe)
            # Gaps and common denominators need more room than an answer of few bits has.
            wide, is_whole = answers.dtype == np.uint64, answers.dtype.kind in "biu"
            kind = object if wide else np.int64 if is_whole else answers.dtype
            parts.append(answers.astype(kind, copy=False))
        if not self.query.proved:
            # A caller's form is held to the function, on the first dataset of a size.
            given, first = parts[0][0], self.first(size)
            numerators = given if np.ndim(given) else [given]
            by_rows = tuple(Fraction(int(number), int(denominator)) for number in numerators)
            if by_rows != (first if isinstance(first, tuple) else (first,)):
                answer = by_rows if np.ndim(given) else by_rows[0]
                raise ValueError(
                    f"rows of query {self.query.name} must answer as its function, got {answer} "
                    f"for {first} on the first dataset of size {size}"
                )
        return np.concatenate(parts), denominator

    def _one_by_one(self, size: int) -> tuple[np.ndarray, int]:
        executor, count = self.budget.executor, self.lattice.count(size)
        some = self.lattice.rows(size, np.array(few_of(count), dtype=np.int64))
        hold(self.query, self.given, some.tolist())
        rest, together = count - 1, getattr(self.given, "together", False)
        edges = [1 + edge for edge in block_edges(rest, size, executor, together)]
        # The first dataset is known already: blocks begin at the second.
        ranks = (np.arange(*ends, dtype=np.int64) for ends in pairwise(edges))
        blocks = (self.lattice.rows(size, those) for those in ranks)
        answered = answers_in_blocks(self.query, self.given, blocks, executor)
        answers = [self.first(size)]
        bar = {"total": len(edges) - 1, "desc": f"size {size}", "unit": " blocks"}
        for block in self.budget.bar(answered, **bar):
            answers += block
            self._note_keys(block)
        for answer in answers:
            same_shape(answer, answers[0], self.query.name)
        self._note_keys(answers[:1])
        self.arithmetics |= arithmetics(answers)
        if isinstance(answers[0], Labelled):  # a column for each key, 0 where an answer has none
            nothing = 0.0 if self.arithmetics == {"float"} else 0
            by_keys = map(by_key, answers)
            answers = [tuple(of.get(key, nothing) for key in self.columns) for of in by_keys]
        return _as_numerators(answers)

    def _note_keys(self, answers: Iterable[Answer]) -> None:
        """Give every new key a column, up to one more than there may be."""
        for answer in answers:
            if isinstance(answer, Labelled):
                for label in answer.labels:
                    self.columns.setdefault(label, len(self.columns))
            if len(self.columns) > LONGEST_VECTOR:
                raise NoArray


def _as_numerators(answers: list[Answer]) -> tuple[np.ndarray, int]:
    """Answers as one array: rationals over a common denominator, floats as they are."""
    flat = [n for answer in answers for n in (answer if isinstance(answer, tuple) else (answer,))]
    if all_rational(flat):
        numerators, common = common_denominator(flat)
        small = max(map(abs, numerators), default=0) < 2**59  # sums of six entries, and gaps, fit
        array = np.array(numerators, dtype=np.int64 if small else object)
    elif all(isinstance(number, float) for number in flat):
        array, common = np.array(flat, dtype=np.float64), 1
    else:
        array, common = np.empty(len(flat), dtype=object), 1
        array[:] = flat
    return (array.reshape(len(answers), -1) if isinstance(answers[0], tuple) else array), common


def _times(answers: np.ndarray, factor: int) -> np.ndarray:
    if factor == 1:
        return answers
    if answers.dtype.kind == "i" and factor * int(np.abs(answers).max(initial=1)) >= 2**59:
        answers = answers.astype(object)  # also where all are 0: the factor itself must fit
    return answers * factor
