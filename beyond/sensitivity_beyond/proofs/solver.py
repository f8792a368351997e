"""The exact sensitivity without enumeration, of all datasets or of one, where that is proved.

Every relation asks for D(c, a, b) at a few shares, and every standard query has a D that is found
by looking at a few layouts of the sorted records. Of one dataset, `Query.proved` says which of its
own records a move gives up, and which spare ones it takes (thm-local on the book's page of proofs).
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

import sensitivity_beyond.proofs.distinct
import sensitivity_beyond.proofs.entries.bins
import sensitivity_beyond.proofs.ranks
import sensitivity_beyond.proofs.scatter.on_population
import sensitivity_beyond.proofs.scatter.values  # noqa: F401 — each registers its routes
from sensitivity_beyond.proofs.groups import gaps_by_group
from sensitivity_beyond.proofs.groups_at_one import widest_by_group
from sensitivity_beyond.proofs.people import OfPeople, gaps_by_group_of_people, gaps_of_people
from sensitivity_beyond.proofs.reach import widest, with_records
from sensitivity_beyond.proofs.routes import on_dataset, on_population, on_values
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords
from sensitivity_beyond.proofs.vectors import widest_of_vectors
from sensitivity_beyond.tables.asking import grouping
from sensitivity_beyond.tables.counting import as_sum
from sensitivity_beyond.tables.people import people_or_none
from sensitivity_lab.numbers.gap import gap_between
from sensitivity_lab.problem import Budget, Problem
from sensitivity_lab.proved.worst_pair import CopiesOf, D, Share, WorstPair, shares
from sensitivity_lab.queries import answers_at
from sensitivity_lab.universe import Indices

MOST_ASKED_AGAIN = 1_000  # records; beyond these, asking again would take as long as solving


def solve(problem: Problem, budget: Budget) -> WorstPair | None:
    """Return the widest gap over all moves (thm-share), or None where no proof covers it."""
    d = widest_gaps(problem)
    if d is None:
        return None
    every = _shares(problem)
    if isinstance(d, OfPeople) and not d.affordable(every):
        return None
    worst = widest(d, every, partial(budget.bar, desc="solver", unit=" shares"))
    if worst is not None and not _has_its_gap(problem, worst):
        raise ArithmeticError(
            f"the solver's witness for {problem.query.name} on {problem.universe} under "
            f"{problem.relation} does not have the value found: this is a fault of the package"
        )
    return worst


def widest_gaps(problem: Problem) -> D | None:
    """Return D for a problem's query and universe, or None where no proof covers it."""
    query, universe = problem.query, problem.universe
    if (by_group := grouping(query)) is not None:
        of_people = people_or_none(universe) is not None
        return (gaps_by_group_of_people if of_people else gaps_by_group)(problem, as_sum(by_group))
    if query.proved is None or universe.has_missing or problem.norm == 0:
        return None
    if not universe.numeric:
        return gaps_of_people(problem, widest_gaps)
    if not universe.unlimited:
        return on_population(query.proved, SortedRecords.of(universe), problem.norm)
    given = dict(zip(universe.exact_values, universe.values, strict=True))
    values = [value for value in universe.exact_values if value is not None]
    d = on_values(query.proved, values, problem.norm)
    return None if d is None else with_records(d, CopiesOf(given))


def _shares(problem: Problem) -> list[Share]:
    """Every (c, a, b), the nearest neighbours first; (c, 0, 0) only where there is no other."""
    every = ((size, move, of) for size, of in problem.plan.items() for move in of)
    moves = {(size, *move) for size, move, of in every if any(move) or of == ((0, 0),)}
    in_order = sorted(moves, key=lambda move: (move[1] + move[2], move[0] - move[1], move[1:]))
    return list(shares(in_order))


def _has_its_gap(problem: Problem, pair: WorstPair) -> bool:
    """Whether a witness of few records has its gap, asked again of the records as they are."""
    records, query = pair.records, problem.query
    if not (query.proved and query.proved.asked_again and isinstance(records, SortedRecords)):
        return True
    if not pair.attained or pair.size > MOST_ASKED_AGAIN:
        return True
    sides = (
        [n for run in side for n in records.whole[slice(*run)].tolist()] for side in pair.sides()
    )
    answers = [Fraction(query.function(side)) / records.scale**2 for side in sides]
    return bool(gap_between(1, query.root)(*answers) == pair.gap)


def solve_local(problem: Problem, dataset: Indices) -> WorstPair | None:
    """Return the widest gap at a dataset, with a neighbour that has it, or None without a proof."""
    query, universe = problem.query, problem.universe
    if (by_group := grouping(query)) is not None:
        if people_or_none(universe) is not None:
            return widest_of_vectors(problem, as_sum(by_group), dataset)
        return widest_by_group(problem, by_group, dataset)
    if query.proved is None or universe.has_missing or problem.norm == 0:
        return None
    if not universe.numeric:  # all rows of all people together
        return None
    pool = Pool(universe, dataset, max(added for _, added in problem.plan[len(dataset)]))
    neighbours: list[Indices] = []
    for move in problem.plan[len(dataset)]:
        candidates = on_dataset(query.proved, pool, move, problem.norm)
        if candidates is None:
            return None
        neighbours += candidates
    here, *there = (
        answers_at(query, universe, np.array([positions], dtype=np.int64))[0]
        for positions in (dataset, *neighbours)
    )
    gap = gap_between(problem.norm, query.root)
    gaps = [gap(here, answer) for answer in there]
    return WorstPair.between(max(gaps), dataset, neighbours[gaps.index(max(gaps))], universe)
