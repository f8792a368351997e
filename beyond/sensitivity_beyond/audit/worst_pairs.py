"""The widest pairs of neighbours, not only the first: for auditors that are given pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import nlargest
from operator import itemgetter
from typing import Any, NamedTuple

from sensitivity_lab.methods.walk import Walk, answers_on
from sensitivity_lab.methods.workers import hold
from sensitivity_lab.numbers.exact import by_name, whole_number
from sensitivity_lab.numbers.gap import Gap, Norm, gap_between, in_units
from sensitivity_lab.problem import MAX_DATASETS, Budget, Problem, Size
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation, neighbours_of
from sensitivity_lab.results import presented
from sensitivity_lab.universe import Indices, Universe, check_universe


class Pair(NamedTuple):
    """Two neighbouring datasets, the answers on them, and how far apart these are.

    >>> Pair(2, (0,), (2,), (0, 2)).gap
    2
    """

    gap: Any
    dataset: Any
    neighbour: Any
    answers: tuple[Any, Any]


@by_name
def worst_pairs(
    function: Query | Callable[[Any], Any],
    universe: Universe,
    *,
    size: Size,
    relation: Relation,
    count: int = 10,
    norm: Norm = 1,
    max_datasets: int = MAX_DATASETS,
) -> Iterator[Pair]:
    """Return the pairs of neighbours whose answers lie furthest apart, the widest first.

    >>> from sensitivity_lab import SUM, Change
    >>> for pair in worst_pairs(SUM, Universe.value_range([0, 2, 5]), size=1, relation=Change(1)):
    ...     print(pair)
    Pair(gap=5, dataset=(0,), neighbour=(5,), answers=(0, 5))
    Pair(gap=3, dataset=(2,), neighbour=(5,), answers=(2, 5))
    Pair(gap=2, dataset=(0,), neighbour=(2,), answers=(0, 2))

    An auditor that tests a mechanism on pairs that it draws, or is handed, finds more with these.
    The first has the exact sensitivity. Of a pair and its mirror image only one is there, and none
    of a dataset and itself: where nothing else is a neighbour there is no pair, and the sensitivity
    is 0. Of equally wide pairs the smallest datasets come first.

    :param count: how many pairs at the most, from 1; all else is as `sl.global_sensitivity` has it.
    :return: an iterator of `Pair`; a dataset has the form that the function receives.

    Cost: every pair is visited, and `count` of them are held. Errors: as `sl.global_sensitivity`.
    """
    check_universe(universe)
    most = whole_number(count, "count", 1)
    problem = Problem(as_query(function), universe, size, relation, norm)
    problem.require_feasible()
    walk = Walk(Budget(max_datasets))
    walk.check(problem)
    # Of equal gaps the first that was visited is kept, which is the smallest.
    widest = nlargest(most, _gaps(problem, walk), key=itemgetter(0))

    def pair(gap: Gap, *sides: Indices) -> Pair:
        hold(problem.query, problem.given, sides)
        dataset, neighbour = map(universe.given, sides)
        answers = problem.query(dataset), problem.query(neighbour)
        return Pair(presented(gap), dataset, neighbour, answers)

    return (pair(*found) for found in widest)


def _gaps(problem: Problem, walk: Walk) -> Iterator[tuple[Gap, Indices, Indices]]:
    """Every pair with its gap, from the smallest datasets on; of a pair and its mirror one."""
    starts, datasets = walk.datasets(problem)
    answers, common = answers_on(problem, datasets, walk.budget)
    gap_of = gap_between(problem.norm, problem.query.root)
    for dataset in starts:
        moves = problem.plan[len(dataset)]
        for neighbour in neighbours_of(dataset, problem.universe, moves):
            # A pair is also visited from the neighbour, if that can move back: the visit from
            # the smaller dataset counts.
            shared = (Counter(dataset) & Counter(neighbour)).total()
            back = len(neighbour) - shared, len(dataset) - shared
            comes_later = (len(neighbour), neighbour) > (len(dataset), dataset)
            if comes_later or back not in problem.plan.get(len(neighbour), ()):
                gap = gap_of(answers[dataset], answers[neighbour])
                yield in_units(gap, common), dataset, neighbour
