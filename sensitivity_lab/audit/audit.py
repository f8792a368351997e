"""Does a claimed sensitivity hold? Exact, loose, or too small with the two datasets that prove it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from sensitivity_lab.audit.claims import amount, check_claim, claimed_at, claimed_for
from sensitivity_lab.audit.orderings import ORDERS, Edited, OrderedWalk
from sensitivity_lab.audit.random_search import require_budget, search
from sensitivity_lab.audit.report import Audit, AuditRow
from sensitivity_lab.audit.scope import (
    MOST_ROWS,
    Scope,
    and_more,
    checked_relations,
    checked_sizes,
    count_text,
)
from sensitivity_lab.audit.subject import Subject, Within, answers_stood_by, measured
from sensitivity_lab.errors import Infeasible, TooLarge
from sensitivity_lab.exact import brief, first_of, is_one_of, is_sequence, name_of, whole_number
from sensitivity_lab.methods.walk import Best
from sensitivity_lab.problem import MAX_DATASETS, Budget, Problem
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import presented
from sensitivity_lab.sensitivity import METHODS, settle
from sensitivity_lab.universe import Dataset, Indices, Universe, check_universe

MAX_PAIRS = 2_000_000
MOST_HELD = 20_000_000  # records: each row holds its two datasets
Pair = tuple[Any, Any, Any]  # gap, dataset, neighbour


def audit(
    function: Query | Callable[[Any], Any],
    claim: Any,
    universe: Universe,
    *,
    sizes: int | Iterable[int] | None = None,
    sizes_within: range | None = None,
    relations: Sequence[Relation],
    norm: float = 1,
    output_metric: Callable[[Any, Any], Any] | None = None,
    order: str | None = None,
    method: str = "auto",
    max_datasets: int = MAX_DATASETS,
    trials: int = 10_000,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool = False,
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

    - `function`: a `Query` or any callable. It is asked about the empty dataset, too, where a
      neighbour is empty: if it fails there, the row and the headline say what was not asked.
      A pandas Series is compared label by label.
    - `claim`: a number, or a function of parameters named `k` and `size`, or of one of them; they
      are given by name.
    - `sizes`: the sizes of the datasets, each a row: one, a list or a range, and the neighbour has
      what the relation gives.
    - `sizes_within`: in its place, a range in which the sizes of dataset and neighbour both lie.
    - `relations`: a list; each makes a row with every size.
    - `norm`: 1, 2 or infinity measures vectors. `output_metric(answer, other)` measures answers of
      any kind in its place.
    - `order`: None gives the function sorted records; "any" every ordering of dataset and
      neighbour (an at-most relation then holds two orderings of one dataset together); "kept"
      sequences whose records are inserted, deleted or, for `Change`, replaced in place. A standard
      query is given its records sorted all the same.
    - `method`: as `global_sensitivity`; or "search", which tries `trials` pairs in each row of a
      universe that is too large: a find is a proof, and that nothing is found proves nothing.
    - `max_datasets`: as `global_sensitivity`; it bounds sequences, too.
    - `executor`: answers a callable on many workers, but in a search, where each step waits for the
      last; the function must be thread-safe in a pool of threads. `progress` shows a bar.

    Ints and Fractions are compared exactly. Where the claim or the answers are floats (or
    Decimals), numbers that agree to 1e-9, relative, are the same. Rows where nothing is feasible
    say "infeasible". The function is asked twice more about the pair of each row before the
    verdict: if it then answers otherwise, it depends on more than the dataset, and is refused.

    Cost: as `global_sensitivity`; with an `output_metric` or an `order` every pair is walked.
    Errors: as `global_sensitivity`; ValueError or TypeError for a claim that is negative, NaN or
    no number, or has other parameters; ValueError if no row is feasible, over 10,000 rows, for
    datasets too large to hold, and for a function that is not deterministic.
    Source: def-audits-verdict and thm-audits-wider in the book's chapter on audits.
    """
    query = _as_function(function)
    subject = Subject.of(query, norm, output_metric)
    _check_options(output_metric, order, method, executor)
    Budget(max_datasets, progress, executor).check_queries([subject.query])
    check_claim(claim)
    check_universe(universe)
    asked = checked_relations(relations)
    given = checked_sizes(universe, sizes, sizes_within, asked)
    scope = Scope(
        universe=universe,
        sizes=given if sizes_within is None else None,
        sizes_within=sizes_within,
        relations=asked,
        norm=norm,
        measured_by=None if output_metric is None else _name(output_metric, "output_metric"),
        order=order,
        trials=whole_number(trials, "trials", 1) if method == "search" else None,
    )
    rows = [_row(subject, scope, relation, n, claim) for relation in asked for n in given]
    problems = [row.problem for row in rows if row.problem and not row.why]
    if not problems:
        raise Infeasible(f"no row is feasible: {and_more([row.why for row in rows])}")
    _require_room(problems)
    run = _Run(subject, scope, method, max_datasets, seed, executor, progress)
    widest = iter(run.widest(problems))
    judged = [row.judged(subject, scope, widest) for row in rows]
    return Audit(query.name, tuple(judged), scope, subject)


# --- what is asked ---------------------------------------------------------------------------


def _as_function(function: Any) -> Query:
    if not callable(function):
        raise TypeError(f"function must be a Query or a callable, got {brief(function)}")
    return as_query(function)


def _name(function: Any, default: str) -> str:
    name = name_of(function)
    return default if name == "<lambda>" else name


def _check_options(metric: Any, order: Any, method: Any, executor: Any) -> None:
    if metric is not None and not callable(metric):
        raise TypeError(f"output_metric must be callable, got {brief(metric)}")
    if not is_one_of(method, (*METHODS, "search")):
        raise ValueError(f"method must be one of {', '.join(METHODS)}, search, got {brief(method)}")
    if not is_one_of(order, ORDERS):
        raise ValueError(f"order must be None, 'any' or 'kept', got order={brief(order)}")
    if order is not None and method not in ("auto", "walk"):
        raise ValueError(
            f"method must be auto or walk where order is given, got method={brief(method)}"
        )
    if metric is not None and method not in ("auto", "walk", "search"):
        raise ValueError(
            f"method must be auto, walk or search with an output_metric, got method={brief(method)}"
        )
    if executor is not None and method == "search":
        raise ValueError(
            "executor must be None for method='search', where each step waits for the last; every "
            f"other method takes one, got {brief(executor)}"
        )


def _require_room(problems: Sequence[Problem]) -> None:
    """Refuse rows whose pairs of datasets are too large to hold."""
    records = 2 * sum(max(problem.sizes_answered) for problem in problems)
    if records > MOST_HELD:
        raise TooLarge(
            f"{count_text(records)} records, of two datasets in each row, exceed the limit of "
            f"{MOST_HELD:,}; ask for smaller or fewer sizes"
        )


@dataclass(frozen=True)
class _Row:
    """A row before its verdict: a problem, if its size can be asked about, and what is claimed."""

    relation: Relation
    size: int
    problem: Problem | None
    claimed: Any
    why: str  # nothing is asked

    def judged(self, subject: Subject, scope: Scope, widest: Iterator[Pair]) -> AuditRow:
        """The row with its verdict; if anything is asked, by the next of the widest pairs."""
        row = AuditRow(
            type(self.relation).__name__,
            self.relation.k,
            self.size,
            note=self.why,
            not_asked=self.problem.not_asked if self.problem else (),
            infeasible=self.problem.infeasible if self.problem else (self.why,),
        )
        if self.problem is None or self.why:
            return row
        found, dataset, neighbour = next(widest)
        return replace(
            row,
            claimed=self.claimed,
            found=found,
            dataset=dataset,
            neighbour=neighbour,
            answers=answers_stood_by(subject, found, dataset, neighbour),
            searched=scope.trials is not None,
            related=_related(self.problem, scope.order),
        )


def _row(subject: Subject, scope: Scope, relation: Relation, size: int, claim: Any) -> _Row:
    """What is asked and claimed of one relation and size."""
    query, universe = subject.query, scope.universe
    assert universe is not None
    needed = query.smallest_size or 0
    if size < needed:
        return _Row(relation, size, None, None, f"size {size}: {query.name} needs {needed}")
    problem = Problem(
        query,
        universe,
        size,
        relation,
        scope.norm,
        scope.sizes_within,
        any_answer=subject.metric is not None,
    )
    if not problem.plan:
        return _Row(relation, size, problem, None, problem.why_infeasible)
    return _Row(relation, size, problem, claimed_at(claim, k=relation.k, size=size), "")


def _related(problem: Problem, order: str | None) -> Callable[[Any, Any], bool]:
    """What tells whether two datasets are a pair that the problem is about."""
    relation = problem.relation
    if order != "kept":
        return relation.are_neighbours
    (moves,) = problem.plan.values()
    return Edited(relation, problem.universe, moves)


# --- what is answered ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """How the widest pairs of some problems are found."""

    subject: Subject
    scope: Scope
    method: str
    max_datasets: int
    seed: int
    executor: Executor | None
    progress: bool

    def widest(self, problems: Sequence[Problem]) -> list[Pair]:
        """The widest pair of each problem; all budgets are checked first."""
        if self.method == "search":
            return self._searched(problems)
        if self.subject.metric is not None or self.scope.order is not None:
            return self._walked(problems)
        settled = settle(
            problems,
            method=self.method,
            budget=Budget(self.max_datasets, self.progress, self.executor),
        )
        return [(found.value, *found.witness) for found in settled]

    def _searched(self, problems: Sequence[Problem]) -> list[Pair]:
        seed, trials = whole_number(self.seed, "seed", 0), self.scope.trials
        assert trials is not None
        require_budget(problems, trials)
        values, gap = problems[0].universe.values, self.subject.measure()

        def answer(positions: Indices) -> Any:
            return self.subject.answer(tuple(values[i] for i in positions))

        found = (
            search(problem, answer, gap, trials=trials, seed=seed, progress=self.progress)
            for problem in problems
        )
        return [_pair(best, values) for best in found]

    def _walked(self, problems: Sequence[Problem]) -> list[Pair]:
        limit = whole_number(self.max_datasets, "max_datasets", 1)
        universe = problems[0].universe
        walk = OrderedWalk(self.subject, universe, self.scope.order)
        for problem in problems:
            walk.require_budget(problem, limit)
        sizes = set().union(*(problem.sizes_answered for problem in problems))
        walk.answer_all(sizes, self.executor, self.progress)
        return [_pair(walk.widest(problem, self.progress), universe.values) for problem in problems]


def _pair(best: Best, values: Dataset) -> Pair:
    dataset, neighbour = (tuple(values[i] for i in side) for side in (best.dataset, best.neighbour))
    return presented(best.gap), dataset, neighbour


# --- audits of a map -----------------------------------------------------------------------


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
    whose input distance is at most d; `claim` is a function of d, or a number. Inputs and
    answers can be anything that the metrics take; both metrics must be symmetric. A row's
    `relation` names the input metric, and its `k` is d.

    Cost: the function once for each input, the metrics once for each pair. Over `max_pairs` pairs
    it raises before any work. Errors: as `audit`.
    Source: def-privacy-stable in the book's chapter on privacy; OpenDP's stability maps.
    """
    query = _as_function(function)
    for name, metric in (("input_metric", input_metric), ("output_metric", output_metric)):
        if not callable(metric):
            raise TypeError(f"{name} must be callable, got {brief(metric)}")
    given = _few_inputs(inputs, whole_number(max_pairs, "max_pairs", 1))
    asked = [
        amount(distance, "distances") for distance in _listed(distances, "distances", "numbers")
    ]
    if len(asked) > MOST_ROWS:
        raise TooLarge(f"distances must make at most {MOST_ROWS:,} rows, got more")
    claims = [claimed_for(claim, distance) for distance in asked]
    subject = Subject.of(query, 1, output_metric)
    found = _widest_by_distance(subject, given, asked, input_metric)
    name = _name(input_metric, "input_metric")
    rows = [
        AuditRow(
            name,
            distance,
            None,
            claimed,
            *pair,
            answers_stood_by(subject, *pair),
            related=Within(input_metric, distance),
        )
        for distance, claimed, pair in zip(asked, claims, found, strict=True)
    ]
    scope = Scope(inputs=len(given), measured_by=_name(output_metric, "output_metric"))
    return Audit(query.name, tuple(rows), scope, subject)


def _few_inputs(inputs: Any, max_pairs: int) -> list[Any]:
    """The inputs, if they make few enough pairs."""
    enough = math.isqrt(2 * max_pairs) + 2  # make more pairs than the limit
    given = _listed(inputs, "inputs", "datasets", enough)
    pairs = math.comb(len(given), 2)
    if pairs > max_pairs:
        raise TooLarge(
            f"at least {pairs:,} pairs of inputs exceed the limit of {max_pairs:,}; "
            "raise max_pairs or thin out the inputs"
        )
    return given


def _listed(values: Any, what: str, of: str, most: int = MOST_ROWS + 1) -> list[Any]:
    """The first of some values, of which there must be any."""
    if not is_sequence(values):
        raise TypeError(f"{what} must be a sequence of {of}, got {brief(values)}")
    listed = list(first_of(values, most, what))
    if not listed:
        raise ValueError(f"{what} must not be empty, got []")
    return listed


def _widest_by_distance(
    subject: Subject, inputs: list[Any], distances: list[Any], metric: Callable[[Any, Any], Any]
) -> list[Pair]:
    """The widest pair of inputs for each distance; an input beside itself is at distance 0."""
    answers = [subject.answer(given) for given in inputs]
    gap = subject.measure()
    itself = measured(metric, "input_metric", inputs[0], inputs[0])
    if itself != 0:
        raise ValueError(
            f"input_metric must be 0 between an input and itself, got {brief(itself)} on "
            f"{brief(inputs[0])}"
        )
    widest: list[Pair] = [(gap(answers[0], answers[0]), inputs[0], inputs[0])] * len(distances)
    for (x, at_x), (y, at_y) in combinations(zip(inputs, answers, strict=True), 2):
        apart = measured(metric, "input_metric", x, y)
        reached = [i for i, distance in enumerate(distances) if apart <= distance]
        if reached:
            found = gap(at_x, at_y)
            for i in reached:
                if found > widest[i][0]:
                    widest[i] = found, x, y
    return widest
