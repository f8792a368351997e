"""The local sensitivity of one dataset without enumerating its neighbours, where that is proved.

By a move (r, a) the dataset gives up r of its own records and takes a of the spare ones. Which
ones, `Query.proved` says (thm-local on the book's page of proofs).
"""

from __future__ import annotations

import numpy as np

from sensitivity_lab.numbers.gap import Answer, gap_between
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.pool import Pool
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import answers_at
from sensitivity_lab.universe import Indices


def solve_local(problem: Problem, dataset: Indices) -> WorstPair | None:
    """Return the widest gap at a dataset, with a neighbour that has it, or None without a proof.

    Source: thm-local on the book's page
        of proofs.
    """
    query, universe = problem.query, problem.universe
    if query.proved is None or universe.has_missing or problem.norm == 0:
        return None
    if not universe.numeric:  # all rows of all people together
        return None
    pool = Pool(universe, dataset, max(added for _, added in problem.plan[len(dataset)]))
    neighbours: list[Indices] = []
    for move in problem.plan[len(dataset)]:
        candidates = query.proved.on_dataset(pool, move, problem.norm)
        if candidates is None:
            return None
        neighbours += candidates
    gap = gap_between(problem.norm, query.root)

    def answer(positions: Indices) -> Answer:
        only: Answer = answers_at(query, universe, np.array([positions], dtype=np.int64))[0]
        return only

    here = answer(dataset)
    gaps = [gap(here, answer(neighbour)) for neighbour in neighbours]
    widest = max(gaps)
    return WorstPair.between(widest, dataset, neighbours[gaps.index(widest)], universe)
