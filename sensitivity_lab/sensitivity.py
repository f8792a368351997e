"""How much can k records change the answer? Picks the method, and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Any

from sensitivity_lab.errors import NotProved, TooLarge
from sensitivity_lab.exact import brief, is_one_of, whole_number
from sensitivity_lab.methods.evaluation import Answers
from sensitivity_lab.methods.lattice import lattice_of
from sensitivity_lab.methods.local import solve_local
from sensitivity_lab.methods.solver import solve
from sensitivity_lab.methods.sweep import can_sweep, keeps_order, sweep_lattice
from sensitivity_lab.methods.walk import Best, count_pairs, walk
from sensitivity_lab.methods.workers import check_run
from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation, count_neighbours_of
from sensitivity_lab.results import Sensitivity, result
from sensitivity_lab.text import number_text
from sensitivity_lab.universe import Universe, check_universe

MAX_DATASETS = 10_000_000
AT_ONCE = 1_000_000  # datasets: with more to answer, "auto" asks the solver first
PAIRS_PER_DATASET = 20  # a walk may visit this many pairs for each dataset allowed
HELD_PER_DATASET = 20  # and hold this many records
READ_PER_DATASET = 100  # a sweep may read this many records
CELLS_PER_DATASET = 10  # and its table of ranks have this many cells
STEPS = 200_000  # with more for a sweep, one for each place and size, the solver is asked first
COUNTED = 4_000_000_000  # arithmetic to count the pairs of a walk, before any is visited
METHODS = ("auto", "sweep", "walk", "solver")
BEYOND_PROOF = "where each dataset has records of its own and the smaller has the larger answer"


def global_sensitivity(
    query: Query | Callable[[Any], Any],
    universe: Universe,
    *,
    size: Size,
    relation: Relation,
    norm: float = 1,
    method: str = "auto",
    max_datasets: int = MAX_DATASETS,
    progress: bool = False,
    executor: Executor | None = None,
) -> Sensitivity:
    """Return the largest distance between answers over all neighbouring pairs of datasets.

    >>> from sensitivity_lab import MEAN, Change
    >>> absences = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> found = global_sensitivity(MEAN, absences, size=6, relation=Change(1))
    >>> found.value, found.witness
    (Fraction(19, 6), ((1, 2, 3, 4, 5, 6), (2, 3, 4, 5, 6, 20)))

    `size` is the number of records of the dataset (the neighbour has what the relation gives),
    or a range in which both sizes lie. `norm` (1, 2 or infinity) measures vectors. `method` is
    "sweep" (each dataset answered once), "walk" (each pair visited: the reference), "solver" (no
    enumeration; standard queries, where a proof covers them; any valid witness) or "auto": the
    sweep where it serves, else the walk; with more than a million datasets the solver, if it can.
    A callable is asked about the empty dataset, too, where it is reached: if it fails there, the
    result's `not_asked` says so.

    `executor`, any `concurrent.futures.Executor`, answers a callable on many workers. With threads
    the callable must be thread-safe; a pool of processes needs one that is defined at the top of
    a module. Standard queries are quicker without, and do not use it.

    Cost: the sweep answers `universe.count(size)` datasets and those of the neighbours' sizes;
    the walk also visits every pair, and holds every dataset. Where these exceed what
    `max_datasets` allows and no solver is proved, it raises before any work.
    Raises ValueError or TypeError for bad input, or if no direction of the relation is feasible;
    RuntimeError if a worker dies.
    Source: Dwork, McSherry, Nissim and Smith (2006).
    """
    problem = Problem(as_query(query), universe, size, relation, norm)
    return settle(
        [problem], method=method, max_datasets=max_datasets, progress=progress, executor=executor
    )[0]


def local_sensitivity(
    query: Query | Callable[[Any], Any],
    dataset: Iterable[Any],
    universe: Universe,
    *,
    relation: Relation,
    norm: float = 1,
    method: str = "auto",
    max_datasets: int = MAX_DATASETS,
    progress: bool = False,
    executor: Executor | None = None,
) -> Sensitivity:
    """Return the largest distance between the answer on one dataset and on its neighbours.

    >>> from sensitivity_lab import MEAN, AddRemove
    >>> absences = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> found = local_sensitivity(MEAN, (1, 2, 3, 4, 5, 6), absences, relation=AddRemove(1))
    >>> found.value, found.witness[1]
    (Fraction(33, 14), (1, 2, 3, 4, 5, 6, 20))

    `method` is "walk" (the dataset's neighbours, one by one), "solver" (standard queries, without
    walking) or "auto": the walk; with more than a million neighbours, or 20 million records in
    them, the solver, if it can.
    `executor` answers a callable on many workers, as in `global_sensitivity`.
    Cost: `relation.count_neighbours(dataset, universe)` evaluations for the walk; for the solver
    O(k·m) arithmetic per move at the most, on m records.
    Errors: as `global_sensitivity`, and ValueError for a dataset outside the universe.
    Source: Nissim, Raskhodnikova and Smith (2007); thm-local on the book's page of proofs.
    """
    check_universe(universe)
    indices = universe.indices(dataset)
    problem = Problem(as_query(query), universe, len(indices), relation, norm)
    if not is_one_of(method, ("auto", "walk", "solver")):
        raise ValueError(
            f"method must be auto, walk or solver for one dataset, got method={brief(method)}"
        )
    max_datasets = whole_number(max_datasets, "max_datasets", 1)
    check_run(executor, progress, [problem.query])
    problem.require_feasible()
    neighbours = count_neighbours_of(indices, universe, problem.plan[len(indices)])
    records, most = neighbours * max(problem.sizes_answered), min(AT_ONCE, max_datasets)
    is_large = neighbours > most or records > HELD_PER_DATASET * most
    if method == "solver" or (method == "auto" and is_large):
        found = solve_local(problem, indices)
        if found is not None:
            return result(problem, found, "solver", 0)
        if method == "solver":
            raise NotProved(_no_proof(problem))
    within_budget(neighbours, max_datasets, "neighbours to walk")
    most = _room(HELD_PER_DATASET, max_datasets)
    within_budget(records, most, "records in the neighbours to walk")
    bests, answered = walk(
        [problem.query], universe, problem.plan, norm, progress, indices, executor
    )
    return result(problem, _pair(bests[0], universe), "walk", answered)


def _pair(best: Best, universe: Universe) -> WorstPair:
    return WorstPair.between(best.gap, best.dataset, best.neighbour, universe.values)


def _no_proof(problem: Problem, where: str = "here") -> str:
    return (
        f"method='solver' has no proof for {problem.query.name} under {problem.relation} "
        f"{where}; use method='auto', which enumerates"
    )


def settle(
    problems: Sequence[Problem],
    *,
    method: str,
    max_datasets: int,
    progress: bool = False,
    executor: Executor | None = None,
) -> list[Sensitivity]:
    """Answer problems together: all budgets are checked before any work.

    >>> from sensitivity_lab import MEAN, SUM, Change
    >>> school = Universe.population([1, 2, 3, 10])
    >>> asked = [Problem(query, school, 3, Change(1), norm=1) for query in (SUM, MEAN)]
    >>> [found.value for found in settle(asked, method="auto", max_datasets=100)]
    [9, 3]

    A query is answered once per dataset for all its relations; a walk visits a pair once for
    all queries that can make the same moves. Cost and errors: as `global_sensitivity`.
    """
    if not is_one_of(method, METHODS):
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got method={brief(method)}")
    max_datasets = whole_number(max_datasets, "max_datasets", 1)
    check_run(executor, progress, [problem.query for problem in problems])
    for problem in problems:
        problem.require_feasible()
    settled = _solved(problems, method, max_datasets, progress)
    rest = [problem for problem in problems if id(problem) not in settled]
    answers = _shared_answers(
        [problem for problem in rest if _may_sweep(problem, method, max_datasets)],
        executor,
        progress,
    )
    walks: dict[Any, list[Problem]] = {}
    for problem in rest:
        given = answers.get(id(problem))
        if given is None or not _sweepable(problem, given, max_datasets):
            _refuse_sweep(problem, method)
            key = (problem.universe, problem.relation, str(problem.plan), problem.norm)
            walks.setdefault(key, []).append(problem)
    for group in walks.values():
        _within_walk(group[0], max_datasets)
    for group in walks.values():
        settled |= _walked(group, progress, executor)
    for problem in rest:
        if id(problem) in settled:
            continue
        given = answers[id(problem)]
        if keeps_order(given, problem.sizes_answered, problem.norm):
            settled[id(problem)] = _swept(problem, given)
        else:
            _refuse_sweep(problem, method)
            _within_walk(problem, max_datasets)
            settled |= _walked([problem], progress, executor)
    return [settled[id(problem)] for problem in problems]


def _solved(
    problems: Sequence[Problem], method: str, max_datasets: int, progress: bool
) -> dict[int, Sensitivity]:
    """What the solver answers: all where it is asked for, else what is too large to enumerate."""
    settled = {}
    for problem in problems:
        where = "here"
        datasets = 0 if method == "solver" else _datasets_to_answer(problem, max_datasets)
        if method == "solver" or (method == "auto" and _is_large(problem, datasets, max_datasets)):
            found = solve(problem, progress)
            if found is not None and found.attained:
                settled[id(problem)] = result(problem, found, "solver", 0)
                continue
            where = "here" if found is None else BEYOND_PROOF
            if method == "solver":
                raise NotProved(_no_proof(problem, where))
        what = "datasets to answer"
        if method == "auto" and problem.query.proved:
            what += f" (no proved solver covers {problem.query.name} {where})"
        within_budget(datasets, max_datasets, what)
    return settled


def _refuse_sweep(problem: Problem, method: str) -> None:
    if method == "sweep":
        raise ValueError(
            "method='sweep' serves scalars of one arithmetic and short exact vectors in L1 or L∞, "
            f"not {problem.query.name} at norm={problem.norm}; use method='walk' or 'auto'"
        )


def _walked(
    group: list[Problem], progress: bool, executor: Executor | None
) -> dict[int, Sensitivity]:
    first = group[0]
    queries = [problem.query for problem in group]
    bests, answered = walk(
        queries, first.universe, first.plan, first.norm, progress, executor=executor
    )
    return {
        id(problem): result(problem, _pair(best, problem.universe), "walk", answered)
        for problem, best in zip(group, bests, strict=True)
    }


def _swept(problem: Problem, answers: Answers) -> Sensitivity:
    best = sweep_lattice(answers, problem.plan, problem.norm)
    answered = sum(answers.lattice.count(size) for size in problem.sizes_answered)
    return result(problem, _pair(best, problem.universe), "sweep", answered)


def _shared_answers(
    problems: Sequence[Problem], executor: Executor | None, progress: bool
) -> dict[int, Answers]:
    """By problem: one lattice per universe, up to the largest dataset; one `Answers` per query."""
    largest: dict[Universe, int] = {}
    for problem in problems:
        sizes = [largest.get(problem.universe, 0), *problem.sizes_answered]
        largest[problem.universe] = max(sizes)
    lattices = {universe: lattice_of(universe, size) for universe, size in largest.items()}
    shared: dict[tuple[Universe, int], Answers] = {}
    for problem in problems:
        key = (problem.universe, id(problem.query))
        if key not in shared:
            shared[key] = Answers(problem.query, lattices[problem.universe], executor, progress)
    return {id(q): shared[q.universe, id(q.query)] for q in problems}


def _datasets_to_answer(problem: Problem, limit: int) -> int:
    total = 0
    for size in sorted(problem.sizes_answered):
        total += problem.universe.count_at_least(size, limit)
        if total > limit:
            break
    return total


def _room(each: int, max_datasets: int) -> int:
    """How much memory may be taken: a smaller `max_datasets` than the default leaves it as it is."""
    return each * max(max_datasets, MAX_DATASETS)


def _table_cells(problem: Problem) -> int:
    """How many numbers the sweep's table of ranks has: the lattice's."""
    return int(problem.universe.distinct * max(problem.sizes_answered))


def _records(problem: Problem) -> int:
    """How many records all its datasets have together; for few datasets only."""
    return sum(size * problem.universe.count(size) for size in problem.sizes_answered)


def _is_large(problem: Problem, datasets: int, max_datasets: int) -> bool:
    """Whether the solver is asked before anything is enumerated."""
    most = min(AT_ONCE, max_datasets)
    return (
        datasets > most
        or _table_cells(problem) > CELLS_PER_DATASET * most
        or _records(problem) > READ_PER_DATASET * most
        or _steps(problem) > STEPS
        or _passed(problem, READ_PER_DATASET * most) > READ_PER_DATASET * most
    )


def _levels(problem: Problem) -> range:
    """The sizes that a sweep passes through."""
    cores = [size - removed for size, moves in problem.plan.items() for removed, _ in moves]
    return range(min(cores), max(problem.sizes_answered) + 1)


def _steps(problem: Problem) -> int:
    """How many steps a sweep takes, each for all datasets of a size at once."""
    levels = _levels(problem)
    return len(levels) * levels[-1]


def _passed(problem: Problem, limit: int) -> int:
    """How many records a sweep passes, or a number above the limit."""
    passed = 0
    for size in _levels(problem):
        passed += size * problem.universe.count_at_least(size, limit)
        if passed > limit:
            break
    return passed


def _may_sweep(problem: Problem, method: str, max_datasets: int) -> bool:
    """Whether the sweep's table can be made, and its datasets read; a walk needs neither."""
    needs = (
        (_table_cells(problem), CELLS_PER_DATASET, "cells in the table of the sweep"),
        (_records(problem), READ_PER_DATASET, "records in the datasets to answer"),
    )
    if method == "sweep":
        for count, each, what in needs:
            within_budget(count, _room(each, max_datasets), what)
    return method != "walk" and all(n <= _room(each, max_datasets) for n, each, _ in needs)


def _within_walk(problem: Problem, max_datasets: int) -> None:
    """Refuse a walk that would hold too many records, or visit too many pairs."""
    most = _room(HELD_PER_DATASET, max_datasets)
    within_budget(_records(problem), most, "records in the datasets to walk")
    arithmetic = problem.universe.distinct * max(problem.sizes_answered) ** 2
    within_budget(arithmetic, COUNTED, "steps to count the pairs to walk")
    pairs = count_pairs(problem.universe, problem.plan)
    within_budget(pairs, PAIRS_PER_DATASET * max_datasets, "pairs to walk")


def _sweepable(problem: Problem, answers: Answers, max_datasets: int) -> bool:
    """Whether the sweep serves the query, and the levels it passes through are few enough."""
    visited = sum(answers.lattice.count(size) for size in _levels(problem))
    return visited <= 4 * max_datasets and can_sweep(answers.first(min(problem.plan)), problem.norm)


def within_budget(count: int, limit: int, what: str) -> None:
    """Refuse to count past the limit; say what can be done.

    >>> within_budget(210, 1000, "datasets to answer")

    Raises ValueError.
    """
    if count > limit:
        raise TooLarge(
            f"at least {number_text(count)} {what} exceed the limit of {number_text(limit)}; raise "
            "max_datasets, ask for a smaller size or k, or thin out the universe"
        )
