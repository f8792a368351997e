"""Does a claimed sensitivity hold? Exact, loose,
or too small with the two datasets that prove it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from sensitivity_beyond.audit.claim_and_scope import (
    MOST_ROWS,
    ORDERS,
    Scope,
    and_more,
    checked_relations,
    checked_sizes,
    claimed_at,
    count_text,
    listed_few,
    names_taken,
)
from sensitivity_beyond.audit.orderings import OrderedWalk, are_edits, moves_kept
from sensitivity_beyond.audit.report import Audit, AuditRow
from sensitivity_beyond.audit.search.search import checked_spending, require_budget, search
from sensitivity_beyond.audit.subject import Subject, Widest, answers_stood_by
from sensitivity_beyond.tables.shown import marked_at
from sensitivity_lab.numbers.errors import Infeasible, TooLarge
from sensitivity_lab.numbers.exact import brief, by_name, is_one_of, name_of, whole_number
from sensitivity_lab.numbers.gap import Metric, Norm, amount, measured
from sensitivity_lab.problem import MAX_DATASETS, Budget, Problem
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import positions_of, presented
from sensitivity_lab.sensitivity import METHODS, GlobalMethod, settle
from sensitivity_lab.universe import Universe, check_universe

MAX_PAIRS = 2_000_000
MOST_HELD = 20_000_000  # records: each row holds its two datasets


@by_name
def audit(
    function: Query | Callable[[Any], Any],
    claim: Any,
    universe: Universe,
    *,
    sizes: int | Iterable[int] | None = None,
    sizes_within: range | None = None,
    relations: Relation | Sequence[Relation],
    norm: Norm = 1,
    output_metric: Callable[[Any, Any], Any] | None = None,
    order: Literal["any", "kept"] | None = None,
    method: GlobalMethod | Literal["search"] = "auto",
    max_datasets: int = MAX_DATASETS,
    trials: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Audit:
    """Hold a claimed sensitivity against every pair of neighbours, size by size.

    >>> from sensitivity_lab import Change
    >>> def spread(dataset):
    ...     return dataset[-1] - dataset[0]
    >>> audit(spread, 1, Universe.value_range([0, 1, 2]), sizes=[1, 2, 3], relations=[Change(1)])
    spread: too small by ×2 (rows: 2 too small, 1 loose)
    Change(1), size 2: too small by ×2, claimed 1, exact 2
      (0, 0) → 0
      (0, 2) → 2
    Change(1), size 3: too small by ×2, claimed 1, exact 2
      (0, 0, 0) → 0
      (0, 0, 2) → 2
    Held against all pairs from Universe.value_range([0, 1, 2]), sizes 1 to 3,
    under Change(1); "exact" and "loose" speak of these.

    Ints, Fractions and Decimals are compared exactly. Where the claim or the answers are floats,
    numbers that agree to 1e-9, relative, are the same. The function is asked twice more about the
    pair of each row: if it then answers otherwise, it is refused.

    :param function: a `Query`, or any callable that receives a sorted tuple of records and answers
        a number or a vector; a pandas Series is compared label by label. It is asked about the
        empty dataset, too, where a neighbour is empty: if it fails there, the row and the headline
        say what was not asked.
    :param claim: a number of at least 0, or a function of parameters named `k` and `size`, or of
        one of them; they are given by name.
    :param universe: the values that records can have, or a population that they come from.
    :param sizes: how many records the datasets have, each size a row: one, a list or a range. The
        neighbour has what the relation gives.
    :param sizes_within: instead of `sizes`, a range in which the sizes of dataset and neighbour
        both lie.
    :param relations: one or a list of them; each makes a row with every size.
    :param norm: as in `global_sensitivity`.
    :param output_metric: as in `global_sensitivity`.
    :param order: None gives the function sorted records, and refuses one of tables whose answer
        depends on the order of their rows; "any" gives it every ordering of dataset and
        neighbour; "kept" sequences whose records are inserted, deleted or, for `Change`, replaced
        in place. A standard query is given its records sorted all the same.
    :param method: as `global_sensitivity`; or "search", which tries `trials` pairs in each row of
        a universe that is too large: first the layouts in which the standard queries are worst,
        then climbs. A find is a proof, and that nothing is found proves nothing.
    :param max_datasets: as `global_sensitivity`; it bounds sequences, too.
    :param trials: how many pairs a search tries in each row, with two calls of the function each
        (four of one of tables, for their other orders): 10,000, or as many as `seconds` allow.
    :param seconds: how long it may take; of a search each row.
    :param seed: that of a search, a whole number: with the same seed it tries the same pairs.
    :param rng: instead, a NumPy generator, which each row draws from in turn; or a whole number.
    :param executor: answers a callable on many workers, but in a search.
    :param progress: whether a bar is shown; by default one comes after five seconds.
    :return: a row for each relation and size, and what the verdicts speak of.
    :raises TypeError: for a claim that is no number or has other parameters.
    :raises ValueError: for a claim that is negative or NaN, options that do not go together, a
        function that fails or is not deterministic; all else as `global_sensitivity`.
    :raises Infeasible: if no row is feasible.
    :raises TooLarge: over 10,000 rows, for datasets too large to hold, and over `max_datasets`.
    :raises NotProved: where `method` names a route that is not proved for the function.

    Cost: as `global_sensitivity`; with an `output_metric` or an `order` every pair is walked.
    Source: def-audits-verdict and thm-audits-wider in the book's chapter on audits. Why the order
    of records matters: Casacuberta and others (2022), doi:10.1145/3548606.3560708.
    """
    query = _as_function(function)
    check_universe(universe)
    subject = Subject(query, norm, output_metric, universe, any_order=order is None)
    relations = checked_relations(relations)
    if output_metric is not None and not callable(output_metric):
        raise TypeError(f"output_metric must be callable, got {brief(output_metric)}")
    if not is_one_of(method, (*METHODS, "search")):
        raise ValueError(f"method must be one of {', '.join(METHODS)}, search, got {brief(method)}")
    if not is_one_of(order, ORDERS):
        raise ValueError(f"order must be None, 'any' or 'kept', got order={brief(order)}")
    searched, walks = method == "search", method in ("auto", "walk")
    if order is not None and not walks:
        raise ValueError(
            f"method must be auto or walk where order is given, got method={brief(method)}"
        )
    if output_metric is not None and not (walks or searched):
        raise ValueError(
            f"method must be auto, walk or search with an output_metric, got method={brief(method)}"
        )
    if executor is not None and searched:
        raise ValueError(
            "executor must be None for method='search', where each step waits for the last; every "
            f"other method takes one, got {brief(executor)}"
        )
    budget = Budget(max_datasets, progress, executor, None if searched else seconds)
    budget.check_queries([subject.query])
    names = names_taken(claim)
    each_size = checked_sizes(universe, sizes, sizes_within, relations)
    pairs, time = checked_spending(trials, seconds) if searched else (None, None)
    of = each_size if sizes_within is None else None
    metric = None if output_metric is None else _name(output_metric, "output_metric")
    scope = Scope(universe, of, sizes_within, relations, norm, metric, order, pairs, time)

    def claimed(k: int, size: int) -> Any:
        given = {"k": k, "size": size}
        return claimed_at(claim, given, **{name: given[name] for name in names})

    blank = [_blank(subject, scope, each, n, claimed) for each in relations for n in each_size]
    problems = [problem for _, problem in blank if problem is not None]
    if not problems:
        raise Infeasible(f"no row is feasible: {and_more([row.note for row, _ in blank])}")
    records = 2 * sum(max(problem.sizes_answered) for problem in problems)
    if records > MOST_HELD:
        raise TooLarge(
            f"{count_text(records)} records, of two datasets in each row, exceed the limit of "
            f"{MOST_HELD:,}; ask for smaller or fewer sizes"
        )
    if rng is not None and seed:
        raise ValueError(f"give either seed or rng, got seed={brief(seed)} and rng={brief(rng)}")
    source = rng if isinstance(rng, np.random.Generator) else whole_number(rng or seed, "seed", 0)
    worst = iter(_worst(problems, subject, scope, method, budget, source))
    rows = [
        row if problem is None else _judged(row, problem, subject, scope.order, next(worst))
        for row, problem in blank
    ]
    return Audit(query.name, tuple(rows), scope, subject)


# --- what is asked ---------------------------------------------------------------------------


def _as_function(function: Query | Callable[[Any], Any]) -> Query:
    if not callable(function):
        raise TypeError(f"function must be a Query or a callable, got {brief(function)}")
    return as_query(function)


def _name(function: Metric, default: str) -> str:
    name = name_of(function)
    return default if name == "<lambda>" else name


def _blank(
    subject: Subject,
    scope: Scope,
    relation: Relation,
    size: int,
    claimed: Callable[[int, int], Any],
) -> tuple[AuditRow, Problem | None]:
    """A row before its verdict, with its problem; or without one, with why nothing is asked."""
    assert scope.universe is not None
    row, query = AuditRow(relation.kind, relation.k, size), subject.query
    needed = query.smallest_size or 0
    if size < needed:
        why = f"size {size}: {query.name} needs {needed}"
        return replace(row, note=why, infeasible=(why,)), None
    any_answer, question = subject.metric is not None, (size, relation, scope.norm)
    problem = Problem(query, scope.universe, *question, scope.sizes_within, any_answer)
    row = replace(row, not_asked=problem.not_asked, infeasible=problem.infeasible)
    if not problem.plan:
        return replace(row, note=problem.why_infeasible), None
    searched = scope.trials is not None
    return replace(row, claimed=claimed(relation.k, size), searched=searched), problem


# --- what is answered ------------------------------------------------------------------------


def _worst(
    problems: Sequence[Problem],
    subject: Subject,
    scope: Scope,
    method: str,
    budget: Budget,
    source: int | np.random.Generator,
) -> list[Widest]:
    """The worst pair of each problem; all budgets are checked first."""
    if scope.trials is not None:
        if scope.seconds is None:
            require_budget(problems, scope.trials)
        ask = partial(search, trials=scope.trials, seconds=scope.seconds, seed=source)
        return [ask(problem, subject, budget=budget) for problem in problems]
    if subject.metric is not None or scope.order is not None:
        return OrderedWalk(subject, scope.order).worst(problems, budget)
    pairs = []
    for found in settle(problems, method=method, budget=budget):
        pair = Widest(found.value, *found.witness)
        if not found.universe.numeric:
            here, there = (tuple(at.tolist()) for at in positions_of(found))
            pair = replace(pair, at=(here, there))
        pairs.append(pair)
    return pairs


def _judged(
    row: AuditRow, problem: Problem, subject: Subject, order: str | None, worst: Widest
) -> AuditRow:
    """A row with its verdict, by the worst pair of its problem;
    where order counts, nothing is marked."""
    relation, universe, (here, there) = problem.relation, problem.universe, worst.at
    marked, related = None, relation.are_neighbours
    if order is None and not universe.source.as_tuples and here is not None and there is not None:
        marked = marked_at(universe, here, there)
    if order == "kept":
        ((size, moves),) = problem.plan.items()
        related = partial(are_edits, relation, universe, moves_kept(relation, size, moves))
    return _witnessed(replace(row, marked=marked, related=related), subject, worst)


def _witnessed(row: AuditRow, subject: Subject, worst: Widest) -> AuditRow:
    """A row with its worst pair, and the answers that the function stands by."""
    answers = answers_stood_by(subject, worst)
    row = replace(row, dataset=worst.dataset, neighbour=worst.neighbour, at=worst.at)
    return replace(row, found=worst.gap, answers=answers)


# --- audits of a map -----------------------------------------------------------------------


@by_name
def audit_map(
    function: Callable[[Any], Any],
    claim: Any,
    inputs: Iterable[Any],
    *,
    distances: Iterable[Any],
    input_metric: Callable[[Any, Any], Any],
    output_metric: Callable[[Any, Any], Any],
    max_pairs: int = MAX_PAIRS,
) -> Audit:
    """Hold a stability map against every pair of some inputs, distance by distance.

    >>> from sensitivity_lab import symmetric_distance
    >>> def twice(dataset):
    ...     return (*dataset, *dataset)
    >>> audit_map(twice, lambda d: d, [(), (1,), (1, 2)], distances=[1, 2],
    ...           input_metric=symmetric_distance, output_metric=symmetric_distance)
    twice: too small by ×2 (rows: 2 too small)
    symmetric_distance(1): too small by ×2, claimed 1, exact 2
      () → ()
      (1) → (1, 1)
    symmetric_distance(2): too small by ×2, claimed 2, exact 4
      () → ()
      (1, 2) → (1, 2, 1, 2)
    Held against all pairs from 3 inputs, measured by symmetric_distance;
    "exact" and "loose" speak of these.

    For each d of `distances` the exact number is the largest output distance over all pairs
    whose input distance is at most d. A row's `relation` names the input metric, and its `k` is d.

    :param claim: a number of at least 0, or a function of d.
    :param inputs: a list of whatever the function and `input_metric` take.
    :param distances: a list of numbers of at least 0, in the unit of `input_metric`: the rows.
    :param input_metric: a function of two inputs that gives a number of at least 0. It must be
        symmetric, and 0 between an input and itself.
    :param output_metric: the same for two answers.
    :param max_pairs: the most pairs of inputs that are compared.
    :return: a row for each distance.
    :raises ValueError: for a claim or a distance that is negative or NaN, a function or a metric
        that fails, and a function that is not deterministic; TypeError for no number.
    :raises TooLarge: over `max_pairs` pairs or 10,000 rows, before any work.

    Cost: the function once for each input, the metrics once for each pair.
    Source: def-privacy-stable in the book's chapter on privacy. Stability maps: OpenDP Team (2026),
    "A framework to understand DP",
    https://docs.opendp.org/en/stable/theory/a-framework-to-understand-dp.html.
    """
    query = _as_function(function)
    for name, metric in (("input_metric", input_metric), ("output_metric", output_metric)):
        if not callable(metric):
            raise TypeError(f"{name} must be callable, got {brief(metric)}")
    enough = math.isqrt(2 * whole_number(max_pairs, "max_pairs", 1)) + 2  # makes more pairs
    given = listed_few(inputs, "inputs", "a sequence of datasets", enough)
    if (pairs := math.comb(len(given), 2)) > max_pairs:
        raise TooLarge(
            f"at least {pairs:,} pairs of inputs exceed the limit of {max_pairs:,}; "
            "raise max_pairs or thin out the inputs"
        )
    listed = listed_few(distances, "distances", "a sequence of numbers")
    asked = [amount(distance, "distances") for distance in listed]
    if len(asked) > MOST_ROWS:
        raise TooLarge(f"distances must make at most {MOST_ROWS:,} rows, got more")
    claims = [claimed_at(claim, {"distance": distance}, distance) for distance in asked]
    subject = Subject(query, 1, output_metric)
    worst = _worst_by_distance(subject, given, asked, input_metric)
    name, rows = _name(input_metric, "input_metric"), []
    for distance, claimed, pair in zip(asked, claims, worst, strict=True):
        related = partial(_lie_within, input_metric, distance)
        blank = AuditRow(name, distance, None, claimed, related=related)
        rows.append(_witnessed(blank, subject, pair))
    scope = Scope(inputs=len(given), measured_by=_name(output_metric, "output_metric"))
    return Audit(query.name, tuple(rows), scope, subject)


def _worst_by_distance(
    subject: Subject, inputs: Sequence[Any], distances: list[Any], metric: Metric
) -> list[Widest]:
    """The worst pair of inputs for each distance; an input beside itself is at distance 0."""
    answers = [subject.answer(given) for given in inputs]
    between, first = subject.measure(), inputs[0]
    itself = measured(metric, "input_metric", first, first)
    if itself != 0:
        raise ValueError(
            f"input_metric must be 0 between an input and itself, got {brief(itself)} on "
            f"{brief(first)}"
        )
    worst = [Widest(between(answers[0], answers[0]), first, first)] * len(distances)
    for (x, at_x), (y, at_y) in combinations(zip(inputs, answers, strict=True), 2):
        apart = measured(metric, "input_metric", x, y)
        reached = [i for i, distance in enumerate(distances) if apart <= distance]
        gap = between(at_x, at_y) if reached else 0
        for i in reached:
            if gap > worst[i].gap:
                worst[i] = Widest(gap, x, y)
    return [replace(pair, gap=presented(pair.gap)) for pair in worst]


def _lie_within(metric: Metric, distance: Any, x: Any, y: Any) -> bool:
    """Whether two inputs lie within a distance of each other."""
    return bool(measured(metric, "input_metric", x, y) <= distance)
