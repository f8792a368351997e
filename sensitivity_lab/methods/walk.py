"""The walk: every dataset, every neighbour. The reference that faster routes are held to.

Among all neighbouring pairs it finds the pair whose answers lie furthest apart, and of several
the first in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from time import monotonic
from typing import NamedTuple

import numpy as np

from sensitivity_lab.methods.workers import answers_in_blocks, block_edges, few_of, hold
from sensitivity_lab.numbers.gap import (
    Answer,
    Gap,
    Told,
    all_rational,
    arithmetics,
    common_denominator,
    gap_between,
    in_units,
    same_shape,
)
from sensitivity_lab.problem import Budget, Limits, Problem, within_budget
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.relations import Plan, count_neighbours_of, neighbours_of
from sensitivity_lab.universe import Indices, Universe, multisets


@dataclass(frozen=True)
class Walk:
    """The walk over all pairs of a problem, or over those of one dataset."""

    budget: Budget
    only: Indices | None = None

    def check(self, problem: Problem) -> None:
        """Refuse a walk that would hold too many records, or visit too many pairs."""
        most = self.budget.most
        if self.only is not None:
            neighbours, records = self._neighbourhood(problem, self.only, most)
            words = problem.asked.hint if problem.asked else ""
            within_budget(neighbours, most.datasets, f"neighbours to walk{words}")
            within_budget(records, most.held, f"records in the neighbours to walk{words}")
            return
        within_budget(problem.records, most.held, "records in the datasets to walk")
        arithmetic = problem.universe.distinct * max(problem.sizes_answered) ** 2
        within_budget(arithmetic, most.counted, "steps to count the pairs to walk")
        within_budget(count_pairs(problem.universe, problem.plan), most.pairs, "pairs to walk")

    def fits(self, problem: Problem, limits: Limits) -> bool:
        """Whether the one dataset's neighbours are within some limits."""
        assert self.only is not None
        neighbours, records = self._neighbourhood(problem, self.only, limits)
        return neighbours <= limits.datasets and records <= limits.held

    def answer(self, problem: Problem) -> Answered:
        """Visit every dataset and every neighbour; answer the query once per dataset."""
        starts, datasets = self.datasets(problem)
        answers, common = answers_on(problem, datasets, self.budget)
        shown = self.budget.bar(starts, desc="walk", unit=" datasets")
        gap, dataset, neighbours = _widest(problem, shown, answers)
        # A neighbour that is no extreme can have the widest gap too, where floats tie by
        # rounding: so all are looked at, but only those of the first dataset that has it.
        gap_of = gap_between(problem.norm, problem.query.root)
        here = answers[dataset]
        neighbour = min(other for other in neighbours if gap_of(here, answers[other]) == gap)
        pair = WorstPair.between(in_units(gap, common), dataset, neighbour, problem.universe)
        return Answered(pair, len(datasets), "walk")

    def datasets(self, problem: Problem) -> tuple[list[Indices], list[Indices]]:
        """The datasets whose neighbours are visited, and all that are answered."""
        if self.only is not None:
            neighbours = _neighbours(problem, self.only)
            return [self.only], sorted({self.only, *neighbours})
        copies = {size: problem.universe.copies(size) for size in sorted(problem.sizes_answered)}
        datasets = [dataset for size, of in copies.items() for dataset in multisets(of, size)]
        return [dataset for dataset in datasets if len(dataset) in problem.plan], datasets

    def _neighbourhood(self, problem: Problem, dataset: Indices, limits: Limits) -> tuple[int, int]:
        """How many neighbours a dataset has, and records in them; or more than the limits."""
        largest = max(problem.sizes_answered)
        enough = min(limits.datasets, limits.held // max(1, largest))
        moves = problem.plan[len(dataset)]
        neighbours = count_neighbours_of(dataset, problem.universe, moves, enough)
        return neighbours, neighbours * largest


def _neighbours(problem: Problem, dataset: Indices) -> list[Indices]:
    moves = problem.plan[len(dataset)]
    return list(neighbours_of(dataset, problem.universe, moves))


def answers_on(
    problem: Problem, datasets: list[Indices], budget: Budget
) -> tuple[dict[Indices, Answer], int]:
    """The answer on each dataset; rational numbers as numerators, with their denominator."""
    query, executor = problem.query, budget.executor
    for _, alike in groupby(sorted(datasets, key=len), key=len):
        some = list(alike)
        hold(query, problem.given, [some[i] for i in few_of(len(some))])
    together = getattr(problem.given, "together", False)
    edges = block_edges(len(datasets), len(datasets[-1]), executor, together)
    blocks = (datasets[start:stop] for start, stop in pairwise(edges))
    shown = {"total": len(edges) - 1, "desc": "answers", "unit": " blocks"}
    answered = budget.bar(answers_in_blocks(query, problem.given, blocks, executor), **shown)
    answers: Sequence[Answer] = [answer for block in answered for answer in block]
    for answer in answers:
        same_shape(answer, answers[0], query.name)
    common = 1
    if problem.norm and all_rational(answers):  # norm 0 has no unit
        answers, common = common_denominator(answers)
    return dict(zip(datasets, answers, strict=True)), common


def _widest(
    problem: Problem, datasets: Iterable[Indices], answers: Mapping[Indices, Answer]
) -> tuple[Gap, Indices, list[Indices]]:
    """The widest gap from some datasets, the first of them that has it, and its neighbours."""
    gap_of = gap_between(problem.norm, problem.query.root)
    # The widest gap is one to an extreme only between numbers of one arithmetic.
    numbers = not isinstance(next(iter(answers.values())), (tuple, Told))
    is_ordered = numbers and (problem.query.root or len(arithmetics(answers.values())) < 2)
    best: tuple[Gap, Indices, list[Indices]] | None = None
    for dataset in datasets:
        neighbours = _neighbours(problem, dataset)
        others = [answers[neighbour] for neighbour in neighbours]
        # Answers without an order are compared one by one, and never made a set: where
        # arithmetics mix, 0 and 0.0 are equal, and lie differently far from 1/3.
        ends = (max(others), min(others)) if is_ordered else others
        gap = max(gap_of(answers[dataset], other) for other in ends)
        if best is None or gap > best[0] or (gap == best[0] and dataset < best[1]):
            best = gap, dataset, neighbours
    assert best is not None
    return best


def glimpse(problem: Problem, seconds: float, only: Indices | None) -> WorstPair | None:
    """The widest of the pairs that can be drawn at random in some seconds; None where none can."""
    rng, ends, universe = np.random.default_rng(0), monotonic() + seconds, problem.universe
    moves = [(size, *move) for size, of in problem.plan.items() for move in of]
    held = np.array(only or (), dtype=np.intp)
    spare = universe.counts - np.bincount(held, minlength=universe.distinct)
    best: WorstPair | None = None
    while monotonic() < ends:
        size, removed, added = moves[rng.integers(len(moves))]
        if universe.unlimited:
            drawn = rng.integers(universe.distinct, size=size + added)
        else:
            drawn = rng.permutation(np.repeat(np.arange(len(spare), dtype=np.intp), spare))
        own = drawn[added : added + size] if only is None else held
        other = np.concatenate([rng.permutation(own)[removed:], drawn[:added]])
        pair = [tuple(np.sort(side).tolist()) for side in (own, other)]
        answers = problem.query.answers(problem.given, pair)
        gap = gap_between(problem.norm, problem.query.root)(*answers)
        if best is None or gap > best.gap:
            best = WorstPair.between(gap, pair[0], pair[1], universe)
    return best


def count_pairs(universe: Universe, plan: Plan) -> int:
    """Count the neighbouring pairs of a plan; none is built. Beyond 2^53 the count is rounded."""
    moves = [(size - r, r, a) for size, of_size in plan.items() for r, a in of_size]
    # ways[c, r, a] counts how the values so far share c records, give up r and gain a.
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


class Answered(NamedTuple):
    """A problem's worst pair, how many datasets were answered to find it, and by which method."""

    pair: WorstPair
    datasets: int
    by: str  # the method's name
