"""How much can k records change the answer? Picks the method, and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal, get_args

from sensitivity_lab import extension
from sensitivity_lab.extension import Lifted
from sensitivity_lab.methods.sweep import Sweep, is_quick
from sensitivity_lab.methods.walk import Answered, Walk, glimpse
from sensitivity_lab.methods.workers import stood_by
from sensitivity_lab.numbers.errors import NotProved, TimeIsUp
from sensitivity_lab.numbers.exact import brief, by_name, is_one_of, proper_norm
from sensitivity_lab.numbers.gap import Metric, Norm
from sensitivity_lab.problem import (
    GLIMPSE,
    MAX_DATASETS,
    Budget,
    Limits,
    Problem,
    Size,
    within_budget,
)
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query, as_query, measured_by
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import Sensitivity, presented, result
from sensitivity_lab.universe import Indices, Universe, check_universe

GlobalMethod = Literal["auto", "sweep", "walk", "solver"]
LocalMethod = Literal["auto", "walk", "solver"]
METHODS, LOCAL_METHODS = get_args(GlobalMethod), get_args(LocalMethod)
LONGEST_AT_ONCE = 2_000  # records: longer datasets are enumerated only if no solver serves
FEW = Limits.of(100, 1_000)  # datasets, each of which takes as long as many a proof
NEAR = Limits.of(10_000, 10_000)  # neighbours of one dataset
BEYOND_PROOF = "where each dataset has records of its own and the smaller has the larger answer"


@by_name
def global_sensitivity(
    query: Query | Callable[[Any], Any],
    universe: Universe,
    *,
    size: Size,
    relation: Relation,
    norm: Norm = 1,
    output_metric: Metric | None = None,
    method: GlobalMethod = "auto",
    max_datasets: int = MAX_DATASETS,
    seconds: float | None = None,
    progress: bool | None = None,
    executor: Executor | None = None,
) -> Sensitivity:
    """Return the largest distance between answers over all neighbouring pairs of datasets.

    >>> from sensitivity_lab import MEAN, Change
    >>> absences = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> found = global_sensitivity(MEAN, absences, size=6, relation=Change(1))
    >>> found.value, found.witness
    (Fraction(19, 6), ((1, 2, 3, 4, 5, 6), (2, 3, 4, 5, 6, 20)))

    :param query: a `Query`, or a callable that is given a dataset as a sorted tuple. A callable is
        asked about the empty dataset, too, where it is reached: if it fails there, the result's
        `not_asked` says so. It is asked again about the widest pair.
    :param universe: the records that a dataset can have.
    :param size: the number of records of the dataset (the neighbour has what the relation gives),
        or a range in which both sizes lie.
    :param relation: who is a neighbour: `Add(k)`, `Remove(k)`, `AddRemove(k)`,
        `SymmetricDifference(k)` or `Change(k)`.
    :param norm: 1, 2 or infinity; it measures vectors. 0 counts the entries that differ, and a key
        that one answer alone has, whatever its number.
    :param output_metric: instead of a norm, a function of two answers of any kind (sets, labels, a
        ranking) that gives the distance between them, such as `symmetric_distance`. Every pair is
        walked.
    :param method: "sweep" (each dataset answered once), "walk" (each pair visited: the reference),
        "solver" (no enumeration, where a proof covers it) or "auto": the sweep where it serves,
        else the walk; where these would take longer (a million datasets, a hundred that are slow,
        2,000 records) the solver, if it can.
    :param max_datasets: how many datasets may be answered. A walk may visit 20 times as many pairs.
    :param seconds: how long it may take; a call of a function is not cut short.
    :param progress: whether a bar is shown; by default one comes after five seconds.
    :param executor: any `concurrent.futures.Executor`; it answers a callable on many workers. A
        pool of processes needs one that is defined at the top of a module. Standard queries do not
        use it.
    :raises Infeasible: if no direction of the relation is feasible.
    :raises TooLarge: before any work, where the cost exceeds what `max_datasets` allows and no
        solver is proved.
    :raises NotProved: if the solver is asked for and no proof covers the problem.
    :raises ValueError: for bad input (TypeError for what has the wrong type).
    :raises TimeoutError: where `seconds` are over; its `at_least` is a lower bound.
    :raises RuntimeError: if a worker dies.

    Cost: the sweep answers `universe.count(size)` datasets and those of the neighbours' sizes;
    the walk also visits every pair, and holds every dataset.

    Source: Dwork, McSherry, Nissim and Smith (2006a), "Calibrating noise to sensitivity in private
    data analysis", doi:10.1007/11681878_14.
    """
    asked, by = _measured(query, norm, method, output_metric)
    told = output_metric is not None
    budget = Budget(max_datasets, progress, executor, seconds)
    problem = Problem(asked, universe, size, relation, norm, any_answer=told)
    return settle([problem], method=by, budget=budget)[0]


def _measured(
    query: Query | Callable[[Any], Any], norm: Norm, method: str, metric: Metric | None
) -> tuple[Query, str]:
    """The query, with a metric one that answers anything; it is walked."""
    asked = as_query(query)
    if metric is None:
        return asked, method
    proper_norm(norm, known=(0, 1, 2))
    if norm != 1:
        raise ValueError(f"norm must be left out where output_metric is given, got {brief(norm)}")
    if not is_one_of(method, ("auto", "walk")):
        raise ValueError(
            f"method must be auto or walk with an output_metric, got method={brief(method)}"
        )
    return measured_by(asked, metric), "walk"


@by_name
def local_sensitivity(
    query: Query | Callable[[Any], Any],
    dataset: Iterable[Any],
    universe: Universe,
    *,
    relation: Relation,
    norm: Norm = 1,
    output_metric: Metric | None = None,
    method: LocalMethod = "auto",
    max_datasets: int = MAX_DATASETS,
    seconds: float | None = None,
    progress: bool | None = None,
    executor: Executor | None = None,
) -> Sensitivity:
    """Return the largest distance between the answer on one dataset and on its neighbours.

    >>> from sensitivity_lab import MEAN, AddRemove
    >>> absences = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> found = local_sensitivity(MEAN, (1, 2, 3, 4, 5, 6), absences, relation=AddRemove(1))
    >>> found.value, found.witness[1]
    (Fraction(33, 14), (1, 2, 3, 4, 5, 6, 20))

    :param query: as in `global_sensitivity`.
    :param dataset: records of the universe, in any order.
    :param universe: the records that the neighbours can have.
    :param relation: who is a neighbour.
    :param norm: as in `global_sensitivity`, and so is `output_metric`.
    :param method: "walk" (the dataset's neighbours, one by one), "solver" (without walking) or
        "auto": the walk; where many neighbours, or long ones, would take longer, the solver.
    :param max_datasets: how many neighbours may be answered.
    :param seconds: how long it may take; `progress` and `executor` as in `global_sensitivity`.
    :raises ValueError: for a dataset outside the universe; other errors as `global_sensitivity`.

    Cost: `relation.count_neighbours(dataset, universe)` evaluations for the walk; for the solver
    O(k·m) arithmetic per move at the most, on m records.

    Source: Nissim, Raskhodnikova and Smith (2007), "Smooth sensitivity and sampling in private
    data analysis", doi:10.1145/1250790.1250803; thm-local on the book's page of proofs.
    """
    check_universe(universe)
    indices = universe.indices(dataset)
    asked, by = _measured(query, norm, method, output_metric)
    told = output_metric is not None
    problem = Problem(asked, universe, len(indices), relation, norm, any_answer=told)
    budget = Budget(max_datasets, progress, executor, seconds)
    _check([problem], by, LOCAL_METHODS, "auto, walk or solver for one dataset", budget)
    lifted = extension.lift(asked, universe)
    try:
        if lifted is None:
            answered = _locally(problem, indices, by, budget)
            return _result(problem, answered.pair, answered, is_local=True)
        answered = _locally(_of_numbers(problem, lifted), lifted.of_dataset(indices), by, budget)
        return _result(problem, lifted.back_at(indices, answered.pair), answered, is_local=True)
    except TimeIsUp:
        raise _cut_short([problem], budget, indices) from None


def _cut_short(
    problems: Sequence[Problem], budget: Budget, only: Indices | None = None
) -> TimeIsUp:
    """What says that the time is over; of one problem with a bound."""
    problem, seconds, one = problems[0], budget.seconds or 0, len(problems) == 1
    pair = glimpse(problem, GLIMPSE * seconds, only) if one else None
    asked = f"{problem.query.name} was" if one else f"all {len(problems)} questions were"
    met = pair and f"; at least {brief(presented(pair.gap))}, by pairs at random"
    error = TimeIsUp(f"seconds={brief(seconds)} were over before {asked} answered{met or ''}")
    if pair is not None:
        error.at_least, error.witness = presented(pair.gap), pair.pair()
    return error


def _locally(problem: Problem, own: Indices, method: str, budget: Budget) -> Answered:
    """One dataset by the walk, or by the solver where that is asked for, or there is too much."""
    walk = Walk(budget, own)
    few = FEW if problem.asked and problem.asked.slow else NEAR
    if method != "auto" or not walk.fits(problem, few):
        answered = None if method == "walk" else _proved(problem, method, budget, own)[0]
        if answered is not None:
            return answered
        walk.check(problem)
    return walk.answer(problem)


def settle(problems: Sequence[Problem], *, method: str, budget: Budget) -> list[Sensitivity]:
    """Answer problems together: all budgets are checked before anything is enumerated."""
    _check(problems, method, METHODS, f"one of {', '.join(METHODS)}", budget)
    # First to numbers, where records say some; then proofs; what is left is enumerated together.
    asked = {(id(each.query), id(each.universe)): each for each in problems}  # some have no hash
    made = {key: extension.lift(each.query, each.universe) for key, each in asked.items()}
    lifts = [made[id(problem.query), id(problem.universe)] for problem in problems]
    numbers = [
        problem if lifted is None else _of_numbers(problem, lifted)
        for problem, lifted in zip(problems, lifts, strict=True)
    ]
    try:
        solved = [_solved(problem, method, budget) for problem in numbers]
        rest = [problem for problem, known in zip(numbers, solved, strict=True) if known is None]
        enumerated = iter(_enumerated(rest, method, budget))
        answered = [next(enumerated) if known is None else known for known in solved]
    except TimeIsUp:
        raise _cut_short(problems, budget) from None
    return [
        _result(problem, lifted.back(one.pair) if lifted else one.pair, one)
        for problem, lifted, one in zip(problems, lifts, answered, strict=True)
    ]


def _of_numbers(problem: Problem, lifted: Lifted) -> Problem:
    """A problem of other records as one of the numbers that they say."""
    return replace(problem, query=lifted.query, universe=lifted.numbers)


def _result(
    problem: Problem, pair: WorstPair, found: Answered, is_local: bool = False
) -> Sensitivity:
    """The result of a problem; a caller's function must stand by its pair."""
    held = problem.query.is_own or problem.asked
    stood = stood_by(problem, pair) if held else pair
    return result(problem, stood, found.by, found.datasets, is_local)


def _check(
    problems: Sequence[Problem], method: str, known: Sequence[str], words: str, budget: Budget
) -> None:
    """Refuse a method that is not known, and what cannot be sent to a worker or is not feasible."""
    if not is_one_of(method, known):
        searched = ": sl.audit(..., method='search') does" * (is_one_of(method, ("search",)))
        raise ValueError(f"method must be {words}, got method={brief(method)}{searched}")
    budget.check_queries(problem.query for problem in problems)
    for problem in problems:
        problem.require_feasible()


def _solved(problem: Problem, method: str, budget: Budget) -> Answered | None:
    """What the solver answers: all where it is asked for, else what is too large to enumerate."""
    where, large = "here", method == "solver"
    if method == "auto":  # long datasets are not even counted before the solver is asked
        few = FEW if problem.asked and problem.asked.slow else budget.quick
        large = max(problem.sizes_answered) > LONGEST_AT_ONCE
        large = large or problem.count_datasets(budget.max_datasets) > few.datasets
        large = large or not is_quick(problem, few)
    if large:
        answered, where = _proved(problem, method, budget)
        if answered is not None:
            return answered
    what = "datasets to answer"
    if method == "auto" and problem.query.proved:
        what += f" (no proved solver covers {problem.query.name} {where})"
    else:
        what += problem.asked.hint if problem.asked else ""
    within_budget(problem.count_datasets(budget.max_datasets), budget.max_datasets, what)
    return None


def _proved(
    problem: Problem, method: str, budget: Budget, only: Indices | None = None
) -> tuple[Answered | None, str]:
    """What the solver answers, of one dataset if one is given; or none, and what has no proof.

    Where it alone is asked for it must answer; a bound that no pair may attain is no answer.
    """
    pair = extension.solve(problem, budget, only)
    if pair is not None and pair.attained:
        return Answered(pair, 0, "solver"), ""
    here = "here" if extension.is_installed() else "without sensitivity-beyond"
    where = here if pair is None else BEYOND_PROOF
    if method == "solver":
        extension.room("proofs.solver", "method='solver'")  # says what to install
        raise NotProved(
            f"method='solver' has no proof for {problem.query.name} under {problem.relation} "
            f"{where}; use method='auto', which enumerates"
        )
    return None, where


def _enumerated(problems: Sequence[Problem], method: str, budget: Budget) -> list[Answered]:
    """Each problem by the sweep where it serves, else by the walk; first all are checked."""
    if not problems:
        return []
    # All are checked before the first is answered: a refusal comes before any work.
    sweep, walk = Sweep(problems, budget), Walk(budget)
    if method == "sweep":
        for problem in problems:
            sweep.check(problem)
    chosen: list[Sweep | Walk] = []
    for problem in problems:
        by_sweep = method != "walk" and sweep.serves(problem)
        if not by_sweep:
            _check_walk(problem, walk, method)
        chosen.append(sweep if by_sweep else walk)
    done = []
    for problem, by in zip(problems, chosen, strict=True):
        answered = by.answer(problem)
        if answered is None:  # the answers turned out to be in more than one arithmetic
            _check_walk(problem, walk, method)
            answered = walk.answer(problem)
        done.append(answered)
    return done


def _check_walk(problem: Problem, walk: Walk, method: str) -> None:
    """Refuse a walk that is too large, or where the sweep alone is asked for."""
    if method == "sweep":
        raise ValueError(
            "method='sweep' serves scalars of one arithmetic and short exact vectors in L1 or L∞, "
            f"not {problem.query.name} at norm={problem.norm}; use method='walk' or 'auto'"
        )
    walk.check(problem)
