"""All datasets of some values in levels, one for each size,
and a query's answers on each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.methods.workers import (
    answers_in_blocks,
    ask_in_orders,
    block_edges,
    few_of,
)
from sensitivity_lab.numbers.gap import (
    Answer,
    Labelled,
    all_rational,
    arithmetics,
    by_key,
    common_denominator,
    same_shape,
)
from sensitivity_lab.problem import Budget, Item
from sensitivity_lab.queries import Query
from sensitivity_lab.universe import Giver, Universe


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
            window += last[size] - (last[size - limit - 1] if size > limit else 0)
            row.append(window)
        table.append(row)
    return np.array([[min(n, 2**62) for n in row] for row in table], dtype=np.int64)


LONGEST_VECTOR = 6  # entries that the sweep serves: L1 takes 2^5 sign patterns, each as a scalar


class NoArray(Exception):
    """Answers with keys that make no array of few columns: too many keys, or vectors among them."""


class Evaluations:
    """A query's answers on all datasets of a universe, one size at a time, each computed once."""

    def __init__(
        self, query: Query, universe: Universe, lattice: Lattice, budget: Budget | None = None
    ) -> None:
        self.query, self.universe, self.lattice = query, universe, lattice
        self.budget = budget or Budget()
        self.sizes: dict[int, tuple[np.ndarray, int]] = {}
        self.firsts: dict[int, Answer] = {}
        self.arithmetics: set[str] = set()  # of all answers so far
        self.columns: dict[Any, int] = {}  # of the keys of all answers so far

    def of(self, size: int) -> tuple[np.ndarray, int]:
        """Numerators by rank, (N,) or (N, length): int64, float64 or numbers;
        and their denominator."""
        if len(self.columns) > LONGEST_VECTOR:
            raise NoArray
        if size not in self.sizes:
            answers = self._by_rows(size) if self._answers_by_rows else self._one_by_one(size)
            self.sizes[size] = answers
        return self.sizes[size]

    def first(self, size: int) -> Answer:
        """The answer on the dataset of rank 0, which tells scalars from vectors."""
        if size not in self.firsts:
            (row,) = self.lattice.rows(size, np.zeros(1, dtype=np.int64)).tolist()
            self.firsts[size] = self.query.answers(self.given, [tuple(row)])[0]
        return self.firsts[size]

    @property
    def given(self) -> Giver:
        """What makes datasets as the query's function is given them."""
        return self.query.giver(self.universe)

    def over_one_denominator(self, sizes: Iterable[int]) -> tuple[dict[int, np.ndarray], int]:
        """Numerators of several sizes over one denominator: 1 where an answer is not rational."""
        parts = {size: self.of(size) for size in sizes}
        samples = [self.firsts.get(size, answers[0]) for size, (answers, _) in parts.items()]
        for sample in samples:
            same_shape(sample, samples[0], self.query.name)
        if self._has_keys(samples):  # a 0 for each key that was met only after some rows
            width = len(self.columns)
            for size, (rows, by) in parts.items():
                parts[size] = np.pad(rows, ((0, 0), (0, width - rows.shape[1]))), by
        if len({answers.dtype.kind == "f" for answers, _ in parts.values()}) == 2:
            return {size: _as_numbers(*part) for size, part in parts.items()}, 1
        common = math.lcm(*(by for _, by in parts.values()))
        return {size: _times(rows, common // by) for size, (rows, by) in parts.items()}, common

    def _has_keys(self, samples: Iterable[Any]) -> bool:
        """Whether the columns are keys. Raises NoArray where some are positions,
        or there are none."""
        with_keys = {isinstance(sample, Labelled) for sample in samples}
        if self._answers_by_rows or with_keys == {False}:
            return False
        if False in with_keys or not self.columns:
            raise NoArray
        return True

    @property
    def _answers_by_rows(self) -> bool:
        return self.query.rows is not None and not self.universe.has_missing

    def _by_rows(self, size: int) -> tuple[np.ndarray, int]:
        assert self.query.rows is not None
        parts = []
        denominator = 1
        for chunk in self._bar(list(self.lattice.chunks(size)), size):
            rows = self.lattice.rows(size, np.arange(chunk.start, chunk.stop, dtype=np.int64))
            answers, denominator = self.query.rows(rows, self.universe)
            parts.append(_roomy(answers))
        if not self.query.proved:
            self._require_same_as_function(parts[0][0], denominator, size)
        return np.concatenate(parts), denominator

    def _require_same_as_function(self, numerators: Any, denominator: int, size: int) -> None:
        """Hold a user's vectorised form to the function, on the first dataset of a size."""
        given = tuple(numerators) if np.ndim(numerators) else (numerators,)
        by_rows = tuple(Fraction(int(number), int(denominator)) for number in given)
        first, answer = self.first(size), by_rows if np.ndim(numerators) else by_rows[0]
        if by_rows != (first if isinstance(first, tuple) else (first,)):
            raise ValueError(
                f"rows of query {self.query.name} must answer as its function, got {answer} for "
                f"{first} on the first dataset of size {size}"
            )

    def _one_by_one(self, size: int) -> tuple[np.ndarray, int]:
        executor, count = self.budget.executor, self.lattice.count(size)
        some = self.lattice.rows(size, np.array(few_of(count), dtype=np.int64))
        ask_in_orders(self.query, self.given, some.tolist())
        rest, together = count - 1, self.query.together is not None
        edges = [1 + edge for edge in block_edges(rest, size, executor, together)]
        blocks = (
            self.lattice.rows(size, np.arange(*ends, dtype=np.int64)) for ends in pairwise(edges)
        )
        answered = answers_in_blocks(self.query, self.given, blocks, executor)
        answers = [self.first(size)]
        for block in self._bar(answered, size, len(edges) - 1):
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

    def _bar(self, parts: Iterable[Item], size: int, total: int | None = None) -> Iterable[Item]:
        return self.budget.bar(parts, total=total, desc=f"size {size}", unit=" blocks")


def _roomy(answers: np.ndarray) -> np.ndarray:
    """Whole numbers of few bits in 64, for gaps and common denominators need
    more than an answer."""
    if answers.dtype == np.uint64:
        return answers.astype(object)
    return answers.astype(np.int64, copy=False) if answers.dtype.kind in "biu" else answers


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


def _as_numbers(numerators: np.ndarray, denominator: int) -> np.ndarray:
    """Numerators as the Python numbers they stand for."""
    numbers = numerators.astype(object)
    return numbers if denominator == 1 else numbers * Fraction(1, denominator)


def _times(answers: np.ndarray, factor: int) -> np.ndarray:
    if factor == 1:
        return answers
    if answers.dtype.kind == "i" and factor * int(np.abs(answers).max(initial=1)) >= 2**59:
        answers = answers.astype(object)  # also where all are 0: the factor itself must fit
    return answers * factor
