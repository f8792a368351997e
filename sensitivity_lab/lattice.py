"""The sweep: every dataset answered once, and no pair visited.

All datasets of one size form a level of a lattice. The largest and smallest answers among the
neighbours of every dataset follow from k passes between levels; so do the global sensitivity
and the first pair that attains it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from typing import Any

import numpy as np

from sensitivity_lab.enumeration import (
    Best,
    Gap,
    Norm,
    Plan,
    common_denominator,
    gap_between,
    in_units,
    same_shape,
    with_bar,
)
from sensitivity_lab.exact import RootGap
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Move, neighbours_of
from sensitivity_lab.universe import Dataset, Indices, Universe


class Lattice:
    """All datasets of a universe, ranked within each size.

    Datasets of one size are ranked by their largest record, then the next (colexicographic
    order). With W[v][s] the number of datasets of s records among the v smallest values, a
    dataset x₀ ≤ … ≤ xₙ₋₁ has rank Σ W[xᵢ][i + 1], whatever the copies: all that come before it
    and agree above place i have i + 1 records below xᵢ. Deleting a record shifts those above it
    down one place, so the ranks of all n deletions are sums of prefixes.
    """

    chunk = 1 << 17  # rows handled at once: bounds the memory

    def __init__(self, universe: Universe, largest: int) -> None:
        self.universe = universe
        self.below = _counts_below(universe.copies(largest), largest)
        self.small: dict[int, list[np.ndarray]] = {}  # the deletions of small levels

    def count(self, size: int) -> int:
        """How many datasets the level has."""
        return int(self.below[-1, size])

    def chunks(self, size: int) -> Iterator[slice]:
        """The ranks of the level, in runs that fit in memory."""
        for start in range(0, self.count(size), self.chunk):
            yield slice(start, min(start + self.chunk, self.count(size)))

    def rows(self, size: int, ranks: np.ndarray) -> np.ndarray:
        """The datasets of the given ranks: (N,) int64 in, (N, size) value positions out."""
        left = ranks.copy()
        rows = np.empty((len(left), size), dtype=np.int64)
        for place in range(size - 1, -1, -1):
            column = self.below[:, place + 1]
            rows[:, place] = np.searchsorted(column, left, side="right") - 1
            left -= column[rows[:, place]]
        return rows

    def deletions(self, size: int, chunk: slice) -> Iterable[np.ndarray]:
        """For each place, the ranks of the chunk's datasets without the record there."""
        if self.count(size) * size > self.chunk:
            return self._deletions(size, chunk)
        if size not in self.small:
            self.small[size] = list(self._deletions(size, chunk))
        return self.small[size]

    def _deletions(self, size: int, chunk: slice) -> Iterator[np.ndarray]:
        rows = self.rows(size, np.arange(chunk.start, chunk.stop))
        after = sum(
            (self.below[rows[:, i], i] for i in range(1, size)), np.zeros(len(rows), dtype=np.int64)
        )
        before = np.zeros(len(rows), dtype=np.int64)
        for place in range(size):
            yield before + after
            before += self.below[rows[:, place], place + 1]
            if place + 1 < size:
                after -= self.below[rows[:, place + 1], place + 1]

    def shrink(self, size: int, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each dataset one record smaller, the extremes over all that extend it by one."""
        smaller_high = np.full(self.count(size - 1), _least(high.dtype), dtype=high.dtype)
        smaller_low = np.full(self.count(size - 1), _most(low.dtype), dtype=low.dtype)
        for chunk in self.chunks(size):
            for ranks in self.deletions(size, chunk):
                np.maximum.at(smaller_high, ranks, high[chunk])
                np.minimum.at(smaller_low, ranks, low[chunk])
        return smaller_high, smaller_low

    def grow(self, size: int, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each dataset of `size`, the extremes over all that it extends by one record."""
        larger_high = np.full(self.count(size), _least(high.dtype), dtype=high.dtype)
        larger_low = np.full(self.count(size), _most(low.dtype), dtype=low.dtype)
        for chunk in self.chunks(size):
            for ranks in self.deletions(size, chunk):
                np.maximum(larger_high[chunk], high[ranks], out=larger_high[chunk])
                np.minimum(larger_low[chunk], low[ranks], out=larger_low[chunk])
        return larger_high, larger_low


def lattice_of(universe: Universe, largest: int) -> Lattice:
    """The lattice of a universe; of the small ones, the last few are kept."""
    if universe.distinct * largest > 10_000:
        return Lattice(universe, largest)
    return _kept_lattice(universe, largest)


@lru_cache(maxsize=16)
def _kept_lattice(universe: Universe, largest: int) -> Lattice:
    return Lattice(universe, largest)


def _counts_below(copies: Sequence[int], largest: int) -> np.ndarray:
    """W[v][s]: how many datasets of s records the v smallest values make; capped at 2^62."""
    table = [[1] + [0] * largest]
    for limit in copies:
        last = table[-1]
        row, window = [], 0
        for size in range(largest + 1):
            window += last[size] - (last[size - limit - 1] if size > limit else 0)
            row.append(window)
        table.append(row)
    return np.array([[min(n, 2**62) for n in row] for row in table], dtype=np.int64)


def _least(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind == "i" else -math.inf


def _most(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).max if dtype.kind == "i" else math.inf


# --- answers -------------------------------------------------------------------------------


class Answers:
    """A query's answers on all datasets of a lattice, one size at a time, each computed once."""

    def __init__(
        self,
        query: Query,
        lattice: Lattice,
        executor: Executor | None = None,
        progress: bool = False,
    ) -> None:
        self.query, self.lattice, self.executor, self.progress = query, lattice, executor, progress
        self.sizes: dict[int, tuple[np.ndarray, int]] = {}
        self.firsts: dict[int, Any] = {}

    @property
    def datasets(self) -> int:
        """How many datasets have been answered."""
        return sum(len(answers) for answers, _ in self.sizes.values())

    def of(self, size: int) -> tuple[np.ndarray, int]:
        """Numerators by rank, (N,) or (N, length) for vectors, and their denominator.

        The array is int64 where that is exact, float64 where the query answers in floats, and
        holds Python numbers otherwise.
        """
        if size not in self.sizes:
            by_rows = self.query.rows is not None and not self.lattice.universe.has_missing
            self.sizes[size] = self._by_rows(size) if by_rows else self._one_by_one(size)
        return self.sizes[size]

    def first(self, size: int) -> Any:
        """The answer on the dataset of rank 0, which tells scalars from vectors."""
        if size not in self.firsts:
            task = (
                self.query,
                self._values(),
                self.lattice.rows(size, np.zeros(1, dtype=np.int64)),
            )
            self.firsts[size] = answer_block(task)[0]
        return self.firsts[size]

    def _values(self) -> Dataset:
        universe = self.lattice.universe
        return universe.exact_values if self.query.exact else universe.values

    def over_one_denominator(self, sizes: Iterable[int]) -> tuple[dict[int, np.ndarray], int]:
        """The answers of several sizes as numerators over their least common denominator.

        Where the query's own arithmetic is not rational at every size, the denominator is 1 and
        the arrays hold its numbers as it gave them.
        """
        parts = {size: self.of(size) for size in sizes}
        samples = [answers[0] for answers, _ in parts.values()]
        for sample in samples:
            same_shape(sample, samples[0], self.query)
        if len({answers.dtype.kind == "f" for answers, _ in parts.values()}) == 2:
            return {size: _as_numbers(*part) for size, part in parts.items()}, 1
        common = math.lcm(*(denominator for _, denominator in parts.values()))
        return {
            size: _times(answers, common // denominator)
            for size, (answers, denominator) in parts.items()
        }, common

    def _by_rows(self, size: int) -> tuple[np.ndarray, int]:
        assert self.query.rows is not None
        parts = []
        denominator = 1
        for chunk in self._bar(list(self.lattice.chunks(size)), size):
            rows = self.lattice.rows(size, np.arange(chunk.start, chunk.stop))
            answers, denominator = self.query.rows(rows, self.lattice.universe)
            parts.append(answers)
        return np.concatenate(parts), denominator

    def _one_by_one(self, size: int) -> tuple[np.ndarray, int]:
        rest = self.lattice.count(size) - 1
        blocks = 6 * worker_count(self.executor) if self.executor else 100
        edges = 1 + np.linspace(0, rest, min(blocks, rest) + 1).astype(int)
        tasks = [
            (self.query, self._values(), self.lattice.rows(size, np.arange(start, stop)))
            for start, stop in pairwise(edges.tolist())
        ]
        run = self.executor.map if self.executor else map
        try:
            blocks_done = self._bar(run(answer_block, tasks), size, len(tasks))
            answers = [self.first(size), *(answer for block in blocks_done for answer in block)]
        except BrokenExecutor as error:
            raise RuntimeError(
                f"a worker died while answering query {self.query.name} on datasets of size {size}; "
                "no result was kept"
            ) from error
        for answer in answers:
            same_shape(answer, answers[0], self.query)
        return _as_numerators(answers)

    def _bar(self, parts: Iterable[Any], size: int, total: int | None = None) -> Any:
        return with_bar(parts, self.progress, total=total, desc=f"size {size}", unit=" blocks")


def worker_count(executor: Executor) -> int:
    """How many workers an executor has: a pool's own count, a Dask client's, else this machine's."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def answer_block(task: tuple[Query, Dataset, np.ndarray]) -> list[Any]:
    """Answer a query on the datasets of one block: the unit of work of an executor."""
    query, values, rows = task
    return [query.answer(tuple(values[i] for i in row)) for row in rows.tolist()]


def _as_numerators(answers: list[Any]) -> tuple[np.ndarray, int]:
    """Answers as one array: rationals over a common denominator, floats as they are."""
    flat = [n for answer in answers for n in (answer if isinstance(answer, tuple) else (answer,))]
    if all(isinstance(number, (int, Fraction)) for number in flat):
        numerators, common = common_denominator(flat)
        small = max(map(abs, numerators), default=0) < 2**59
        array = np.array(numerators, dtype=np.int64 if small else object)
    elif all(isinstance(number, float) for number in flat):
        array, common = np.array(flat), 1
    else:
        array, common = np.empty(len(flat), dtype=object), 1
        array[:] = flat
    return (array.reshape(len(answers), -1) if isinstance(answers[0], tuple) else array), common


def _as_numbers(numerators: np.ndarray, denominator: int) -> np.ndarray:
    """Numerators as the Python numbers they stand for."""
    numbers = numerators.astype(object)
    return numbers if denominator == 1 else numbers * Fraction(1, denominator)


def _times(answers: np.ndarray, factor: int) -> np.ndarray:
    if factor == 1:
        return answers
    if answers.dtype.kind == "i" and answers.size and factor * int(np.abs(answers).max()) >= 2**59:
        answers = answers.astype(object)
    return answers * factor


# --- the sweep -----------------------------------------------------------------------------

LONGEST_VECTOR = 6  # L1 sweeps 2^5 sign patterns, each as a scalar


def can_sweep(answer: Any, norm: Norm) -> bool:
    """Whether the sweep serves answers like this one: scalars; short vectors in L∞, exact ones in L1.

    >>> can_sweep(0.5, 1), can_sweep((1, 2), 1), can_sweep((0.5, 2), 1), can_sweep((1, 2), 2)
    (True, True, False, False)
    """
    if not isinstance(answer, tuple):
        return True
    exact = all(isinstance(number, (int, Fraction)) for number in answer)
    return 1 <= len(answer) <= LONGEST_VECTOR and (norm == math.inf or (norm == 1 and exact))


def sweep_lattice(answers: Answers, plan: Plan, norm: Norm) -> Best:
    """Find the best pair from the extremes among every dataset's neighbours.

    A dataset S and its neighbour T share a core C = S ∩ T. Shrinking T's level down to the
    core's carries the extremes of the answers to every core; growing from there up to S's
    level carries them to every S. Equal to walking all pairs, in O(datasets · k · n).
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

    A dataset and a neighbour that share more records than that core also share some core of
    that size, so the larger cores add nothing.

    >>> largest_moves([(0, 0), (0, 1), (1, 0), (1, 1)])
    [(0, 1), (1, 0), (1, 1)]
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
        gaps = np.maximum.reduce(
            [np.maximum(high - own, own - low) for own, high, low in self.gaps]
        )
        widest = gaps.max()
        gap = widest.item() if isinstance(widest, np.generic) else widest
        return gap, np.flatnonzero(gaps == widest)

    def _widest_root(self) -> tuple[Gap, np.ndarray]:
        """As `_widest`, for roots: floats shortlist, exact comparison settles."""
        own, high, low = self.gaps[0]
        up, down = _float_roots(high, own), _float_roots(own, low)
        gaps = np.maximum(up[0] - up[1], down[0] - down[1])
        near = gaps.max() - 1e-9 * max(up[0].max(), down[0].max())
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
