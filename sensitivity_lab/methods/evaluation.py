"""A query evaluated on every dataset of a universe, once each, here or by many workers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from sensitivity_lab.methods.lattice import Lattice
from sensitivity_lab.methods.workers import (
    Part,
    answer_block,
    answers_in_blocks,
    ask_in_orders,
    block_edges,
    few_of,
    with_bar,
)
from sensitivity_lab.numbers.gap import (
    Answer,
    Labelled,
    Number,
    all_rational,
    arithmetics,
    by_key,
    common_denominator,
    same_shape,
)
from sensitivity_lab.problem import Budget
from sensitivity_lab.queries import Query
from sensitivity_lab.universe import Giver, Universe

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
        """Numerators by rank, (N,) or (N, length) for vectors, and their denominator.

        The array is int64 where that is exact, float64 where the query answers in floats, and
        holds Python numbers otherwise.
        Cost: one answer for each of the N datasets of the size, the first time.
        Raises ValueError for answers of two shapes, RuntimeError if a worker dies, NoArray as soon
        as there are more than six keys.

        """
        if len(self.columns) > LONGEST_VECTOR:
            raise NoArray
        if size not in self.sizes:
            answers = self._by_rows(size) if self._answers_by_rows else self._one_by_one(size)
            self.sizes[size] = answers
        return self.sizes[size]

    def first(self, size: int) -> Answer:
        """The answer on the dataset of rank 0, which tells scalars from vectors."""
        if size not in self.firsts:
            task = (
                self.query,
                self.given,
                self.lattice.rows(size, np.zeros(1, dtype=np.int64)),
            )
            self.firsts[size] = answer_block(task)[0]
        return self.firsts[size]

    @property
    def given(self) -> Giver:
        """What makes datasets as the query's function is given them."""
        return self.query.giver(self.universe)

    def over_one_denominator(self, sizes: Iterable[int]) -> tuple[dict[int, np.ndarray], int]:
        """The answers of several sizes as numerators over their least common denominator.

        Where the query's own arithmetic is not rational at every size, the denominator is 1 and
        the arrays hold its numbers as it gave them. Cost and errors: as `of`, for every size;
        NoArray also where vectors with keys meet some without, and where there is no key at all.

        """
        parts = {size: self.of(size) for size in sizes}
        samples = [self.firsts.get(size, answers[0]) for size, (answers, _) in parts.items()]
        for sample in samples:
            same_shape(sample, samples[0], self.query.name)
        if self._has_keys(samples):
            width = len(self.columns)
            parts = {size: (_widened(answers, width), by) for size, (answers, by) in parts.items()}
        if len({answers.dtype.kind == "f" for answers, _ in parts.values()}) == 2:
            return {size: _as_numbers(*part) for size, part in parts.items()}, 1
        common = math.lcm(*(denominator for _, denominator in parts.values()))
        return {
            size: _times(answers, common // denominator)
            for size, (answers, denominator) in parts.items()
        }, common

    def _has_keys(self, samples: Iterable[Any]) -> bool:
        """Whether the columns are keys. Raises NoArray where some are positions, or there are none."""
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
        first = self.first(size)
        if by_rows != (first if isinstance(first, tuple) else (first,)):
            answer = by_rows if np.ndim(numerators) else by_rows[0]
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
        if isinstance(answers[0], Labelled):
            nothing = 0.0 if self.arithmetics == {"float"} else 0
            answers = [self._in_columns(answer, nothing) for answer in answers]
        return _as_numerators(answers)

    def _note_keys(self, answers: Iterable[Answer]) -> None:
        """Give every new key a column, up to one more than there may be."""
        for answer in answers:
            if isinstance(answer, Labelled):
                for label in answer.labels:
                    self.columns.setdefault(label, len(self.columns))
            if len(self.columns) > LONGEST_VECTOR:
                raise NoArray

    def _in_columns(self, answer: Answer, nothing: Number) -> tuple[Number, ...]:
        """The entries of an answer with keys, a column for each key, nothing where it has none."""
        entries = [nothing] * len(self.columns)
        for key, entry in by_key(answer).items():
            entries[self.columns[key]] = entry
        return tuple(entries)

    def _bar(self, parts: Iterable[Part], size: int, total: int | None = None) -> Iterable[Part]:
        shown = self.budget.progress
        return with_bar(parts, shown, total=total, desc=f"size {size}", unit=" blocks")


def _roomy(answers: np.ndarray) -> np.ndarray:
    """Whole numbers of few bits in 64, for gaps and common denominators need more than an answer."""
    if answers.dtype == np.uint64:
        return answers.astype(object)
    return answers.astype(np.int64, copy=False) if answers.dtype.kind in "biu" else answers


def _as_numerators(answers: list[Answer]) -> tuple[np.ndarray, int]:
    """Answers as one array: rationals over a common denominator, floats as they are."""
    flat = [n for answer in answers for n in (answer if isinstance(answer, tuple) else (answer,))]
    if all_rational(flat):
        numerators, common = common_denominator(flat)
        small = max(map(abs, numerators), default=0) < 2**59
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


def _widened(answers: np.ndarray, width: int) -> np.ndarray:
    """Rows with a 0 for each key that was met only after them."""
    return np.pad(answers, ((0, 0), (0, width - answers.shape[1])))


def _times(answers: np.ndarray, factor: int) -> np.ndarray:
    if factor == 1:
        return answers
    if answers.dtype.kind == "i" and factor * int(np.abs(answers).max(initial=1)) >= 2**59:
        answers = answers.astype(object)  # also where all are 0: the factor itself must fit
    return answers * factor
