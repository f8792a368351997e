"""Order: every ordering of a dataset ("any"), and sequences that are edited in place ("kept")."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, pairwise, product
from operator import itemgetter
from typing import Any

from sensitivity_beyond.audit.subject import Subject, Widest
from sensitivity_lab.methods import workers
from sensitivity_lab.methods.walk import count_pairs
from sensitivity_lab.numbers.gap import arithmetics, same_shape
from sensitivity_lab.problem import PAIRS_PER_DATASET, Budget, Problem, within_budget
from sensitivity_lab.relations import Move, Relation, neighbours_of
from sensitivity_lab.universe import Indices, Universe, multisets

AnsweredReading = tuple[Any, Indices]  # an answer, and the reading it was given to


def orderings(dataset: Iterable[int]) -> Iterator[Indices]:
    """Yield every different order of a dataset's records, in lexicographic order."""
    records = sorted(dataset)
    if not records:
        yield ()
    for i, first in enumerate(records):
        if i == 0 or records[i - 1] != first:
            for rest in orderings(records[:i] + records[i + 1 :]):
                yield first, *rest


def count_sequences(universe: Universe, size: int) -> int:
    """Count the sequences of `size` records by their generating function ∏ Σ xʲ/j!;
    none is built."""
    if universe.unlimited:
        return int(universe.distinct**size)
    ways = [1] + [0] * size  # by length, of the values so far
    for copies in universe.copies(size):
        most = [range(min(copies, n) + 1) for n in range(size + 1)]
        ways = [sum(math.comb(n, j) * ways[n - j] for j in own) for n, own in enumerate(most)]
    return ways[size]


def edits(
    sequence: Indices, moves: Iterable[Move], copies: Sequence[int], *, in_place: bool
) -> list[Indices]:
    """The sequences that the moves lead to, each once, in order;
    `copies` says how many there may be."""
    values = range(len(copies))
    edited: set[Indices] = set()
    for removed, added in moves:
        if in_place:  # records are replaced where they stand
            for places in combinations(range(len(sequence)), removed):
                held = [values if i in places else [old] for i, old in enumerate(sequence)]
                edited |= {*product(*held)}
            continue
        left = set(combinations(sequence, len(sequence) - removed))
        for _ in range(added):  # records are inserted anywhere
            cuts = [(s[:place], s[place:]) for s in left for place in range(len(s) + 1)]
            left = {(*before, value, *after) for before, after in cuts for value in values}
        edited |= left
    return sorted(s for s in edited if all(copies[i] >= held for i, held in Counter(s).items()))


def moves_kept(relation: Relation, size: int, moves: Iterable[Move]) -> tuple[Move, ...]:
    """Moves of datasets as those of sequences,
    whose records may change places where none are left."""
    nets = {added - removed for removed, added in moves}
    return tuple((r, a) for r, a in relation.moves if r <= size and a - r in nets)


def are_edits(
    relation: Relation,
    universe: Universe,
    moves: Iterable[Move],
    sequence: Sequence[Any],
    other: Sequence[Any],
) -> bool:
    """Whether a relation's moves lead from a sequence of records to another, where they stand."""
    position = {value: i for i, value in enumerate(universe.values)}
    start, end = (tuple(position[record] for record in side) for side in (sequence, other))
    copies = universe.copies(len(start) + relation.k)
    return end in edits(start, moves, copies, in_place=relation.in_place)


class OrderedWalk:
    """A walk over all pairs, with the answers of every reading of a dataset.

    A point of the walk is a multiset, or a sequence where the order is kept. Its readings are
    the sequences that the function is given for it: all orderings under "any", else itself::

        order     points             readings of the point
        None      {0, 1, 1}          (0, 1, 1)
        "any"     {0, 1, 1}          (0, 1, 1)  (1, 0, 1)  (1, 1, 0)
        "kept"    (1, 0, 1), …       (1, 0, 1)

    Of a point's numbers the least and the greatest are kept: no gap is wider than theirs, unless
    an output metric measures it.
    Source: ordered and unordered metrics are OpenDP's.
    """

    def __init__(self, subject: Subject, order: str | None) -> None:
        assert subject.universe is not None
        self.subject, self.universe, self.order = subject, subject.universe, order
        self.gap = subject.measure()
        self.answers: dict[Indices, list[AnsweredReading]] = {}

    def worst(self, problems: Sequence[Problem], budget: Budget) -> list[Widest]:
        """The worst pair of each problem; all budgets are checked first."""
        for problem in problems:
            self.require_budget(problem, budget.max_datasets)
        for size in sorted(set().union(*(problem.sizes_answered for problem in problems))):
            self._answer_all(size, budget)
        return [self._widest(problem, budget) for problem in problems]

    def require_budget(self, problem: Problem, limit: int) -> None:
        """Refuse a problem with too many datasets, sequences or pairs, before any work."""
        sizes = sorted(problem.sizes_answered)
        for size in sizes:  # a dataset has at least one ordering
            count = self.universe.count_at_least(size, limit)
            within_budget(count, limit, "datasets to answer")
        ways = {size: count_sequences(self.universe, size) for size in sizes if self.order}
        within_budget(sum(ways.values()), limit, "sequences to answer")
        # the pairs of readings to compare, or a few more
        relation, plan, v = problem.relation, problem.plan.items(), self.universe.distinct
        steps = [(n, *move) for n, moves in plan for move in moves_kept(relation, n, moves)]
        if self.order is None or (self.order == "any" and self.subject.metric is None):
            count = count_pairs(self.universe, problem.plan)
        elif self.order == "any":
            count = sum(ways[n] * ways[n - r + a] for n, r, a in steps)
        else:
            places = (lambda *_: 1) if relation.in_place else math.comb  # of those who join
            each = ((ways[n] * math.comb(n, r) * v**a, n - r + a, a) for n, r, a in steps)
            count = sum(many * places(n, a) for many, n, a in each)
        within_budget(count, PAIRS_PER_DATASET * limit, "pairs to walk")

    def _answer_all(self, size: int, budget: Budget) -> None:
        """Ask the function about every reading of a size, here or on an executor's workers."""
        points, asked, given = list(self._points(size)), self.subject.asked, self.subject.given
        workers.hold(asked, given, [points[i] for i in workers.few_of(len(points))])
        together = self.subject.together
        edges = workers.block_edges(len(points), size, budget.executor, together)
        groups = [points[start:stop] for start, stop in pairwise(edges)]
        as_given = sorted if self.subject.query.exact else tuple  # a standard query's are sorted
        blocks = ([(*as_given(r),) for p in group for r in self._readings(p)] for group in groups)
        answered = workers.answers_in_blocks(asked, given, blocks, budget.executor)
        bar = {"total": len(groups), "desc": f"size {size}", "unit": " blocks"}
        for group, block in zip(groups, budget.bar(answered, **bar), strict=True):
            answers = iter(block)
            for point in group:
                readings = [(next(answers), reading) for reading in self._readings(point)]
                self.answers[point] = self._ends(readings)

    def _readings(self, point: Indices) -> Iterable[Indices]:
        """The readings of a point; a query whose answer has no order has one."""
        ordered = not self.subject.query.exact and self.subject.image is None
        return orderings(point) if ordered and self.order == "any" else [point]

    def _ends(self, answered: list[AnsweredReading]) -> list[AnsweredReading]:
        """The answers that can be an end of the widest gap: of numbers the least and greatest."""
        if self.subject.metric is not None:
            return answered
        answers = [answer for answer, _ in answered]
        for answer in answers:
            same_shape(answer, answers[0], self.subject.query.name)
        if isinstance(answers[0], tuple) or len(arithmetics(answers)) > 1:
            return answered
        ends = {answers.index(min(answers)), answers.index(max(answers))}
        return [answered[i] for i in sorted(ends)]

    def _widest(self, problem: Problem, budget: Budget) -> Widest:
        """The pair of readings that lies furthest apart, and of several the first met."""
        points = [(point, moves) for n, moves in problem.plan.items() for point in self._points(n)]
        every = (
            (self.gap(answer, other), dataset, neighbour)
            for point, moves in budget.bar(points, desc="walk", unit=" datasets")
            for beside in self._neighbours(point, problem, moves)
            for answer, dataset in self.answers[point]
            for other, neighbour in self.answers[beside]
        )
        return self.subject.pair(*max(every, key=itemgetter(0)))

    def _points(self, size: int) -> Iterable[Indices]:
        datasets = multisets(self.universe.copies(size), size)
        return datasets if self.order != "kept" else sorted(chain(*map(orderings, datasets)))

    def _neighbours(
        self, point: Indices, problem: Problem, moves: tuple[Move, ...]
    ) -> list[Indices]:
        if self.order != "kept":
            return sorted(neighbours_of(point, self.universe, moves))
        moves = moves_kept(problem.relation, len(point), moves)
        copies = self.universe.copies(len(point) + max(added for _, added in moves))
        return edits(point, moves, copies, in_place=problem.relation.in_place)
