"""Does a claimed sensitivity hold? Exact, loose, or too small with the two datasets that prove it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from sensitivity_lab.audit.claims import amount, check_claim, claimed_at, claimed_for
from sensitivity_lab.audit.orderings import ORDERS, Edited, OrderedWalk
from sensitivity_lab.audit.report import Audit, AuditRow, Related
from sensitivity_lab.audit.scope import (
    MOST_ROWS,
    Scope,
    and_more,
    checked_relations,
    checked_sizes,
    count_text,
)
from sensitivity_lab.audit.search.search import (
    checked_seconds,
    checked_source,
    checked_trials,
    require_budget,
    search,
)
from sensitivity_lab.audit.subject import (
    Metric,
    PairPositions,
    Subject,
    Widest,
    answers_stood_by,
    measured,
)
from sensitivity_lab.methods.witness import marked_at
from sensitivity_lab.numbers.errors import Infeasible, TooLarge
from sensitivity_lab.numbers.exact import (
    brief,
    first_of,
    is_one_of,
    is_sequence,
    name_of,
    whole_number,
)
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.problem import MAX_DATASETS, Budget, Problem
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.records.rows import rows_of, table
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import Sensitivity, positions_of, presented
from sensitivity_lab.sensitivity import METHODS, settle
from sensitivity_lab.shown.tables import Marked, rows_on_a_line
from sensitivity_lab.universe import Universe, check_universe

MAX_PAIRS = 2_000_000
MOST_HELD = 20_000_000  # records: each row holds its two datasets


def audit(
    function: Query | Callable[[Any], Any],
    claim: Any,
    universe: Universe,
    *,
    sizes: int | Iterable[int] | None = None,
    sizes_within: range | None = None,
    relations: Sequence[Relation],
    norm: Norm = 1,
    output_metric: Callable[[Any, Any], Any] | None = None,
    order: str | None = None,
    method: str = "auto",
    max_datasets: int = MAX_DATASETS,
    trials: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,
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

    Ints and Fractions are compared exactly. Where the claim or the answers are floats (or
    Decimals), numbers that agree to 1e-9, relative, are the same. Rows where nothing is feasible
    say "infeasible". The function is asked twice more about the pair of each row before the
    verdict: if it then answers otherwise, it depends on more than the dataset, and is refused.

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
    :param relations: a list of them; each makes a row with every size.
    :param norm: 1, 2 or infinity: how vectors are measured; 0 counts the entries that differ.
    :param output_metric: instead of a norm, a function of two answers of any kind that gives the
        distance between them, a number of at least 0.
    :param order: None gives the function sorted records, and refuses one of tables whose answer
        depends on the order of their rows; "any" gives it every ordering of dataset and
        neighbour (an at-most relation then holds two orderings of one dataset together); "kept"
        sequences whose records are inserted, deleted or, for `Change`, replaced in place. A
        standard query is given its records sorted all the same.
    :param method: as `global_sensitivity`; or "search", which tries `trials` pairs in each row of
        a universe that is too large: first the layouts in which the standard queries are worst, then
        climbs. A find is a proof, and that nothing is found proves nothing.
    :param max_datasets: as `global_sensitivity`; it bounds sequences, too.
    :param trials: how many pairs a search tries in each row, with two calls of the function each
        (four of one of tables, for their other orders): 10,000, or as many as `seconds` allow.
    :param seconds: how long a search may take for each row; what it finds then depends on the machine.
    :param seed: that of a search, a whole number: with the same seed it tries the same pairs.
    :param rng: instead of a seed a NumPy generator, which each row draws from in turn, or a whole
        number, which is a seed; None is `seed`.
    :param executor: answers a callable on many workers, but in a search, where each step waits for
        the last; the function must be thread-safe in a pool of threads.
    :param progress: whether a bar is shown.
    :return: a row for each relation and size, and what the verdicts speak of.
    :raises TypeError: for a claim that is no number or has other parameters, and for what is no
        function, universe, size or relation.
    :raises ValueError: for a claim that is negative or NaN, options that do not go together, a
        function that fails or is not deterministic, and as `global_sensitivity`.
    :raises Infeasible: if no row is feasible.
    :raises TooLarge: over 10,000 rows, for datasets too large to hold, and over `max_datasets`.
    :raises NotProved: where `method` names a route that is not proved for the function.

    Cost: as `global_sensitivity`; with an `output_metric` or an `order` every pair is walked.
    Source: def-audits-verdict and thm-audits-wider in the book's chapter on audits. Why the order
    of records matters: Casacuberta, Shoemate, Vadhan and Wagaman (2022), "Widespread
    underestimation of sensitivity in differentially private libraries and how to fix it",
    doi:10.1145/3548606.3560708.
    """
    query = _as_function(function)
    check_universe(universe)
    subject = Subject.of(query, norm, output_metric, universe, any_order=order is None)
    _check_options(output_metric, order, method, executor)
    Budget(max_datasets, progress, executor).check_queries([subject.query])
    check_claim(claim)
    relations = checked_relations(relations)
    each_size = checked_sizes(universe, sizes, sizes_within, relations)
    _check_columns(relations, order, method)
    scope = Scope(
        universe=universe,
        sizes=each_size if sizes_within is None else None,
        sizes_within=sizes_within,
        relations=relations,
        norm=norm,
        measured_by=None if output_metric is None else _name(output_metric, "output_metric"),
        order=order,
        trials=checked_trials(trials, seconds) if method == "search" else None,
        seconds=checked_seconds(seconds) if method == "search" else None,
    )
    rows = [_row(subject, scope, relation, n, claim) for relation in relations for n in each_size]
    problems = [row.problem for row in rows if row.problem and row.is_asked]
    if not problems:
        raise Infeasible(f"no row is feasible: {and_more([row.why for row in rows])}")
    _require_room(problems)
    run = _Run(subject, scope, method, max_datasets, seed, rng, executor, progress)
    worst = iter(run.worst(problems))
    judged = [
        row.judged(subject, scope, next(worst)) if row.is_asked else row.blank for row in rows
    ]
    return Audit(query.name, tuple(judged), scope, subject)


# --- what is asked ---------------------------------------------------------------------------


def _as_function(function: Query | Callable[[Any], Any]) -> Query:
    if not callable(function):
        raise TypeError(f"function must be a Query or a callable, got {brief(function)}")
    return as_query(function)


def _name(function: Metric, default: str) -> str:
    name = name_of(function)
    return default if name == "<lambda>" else name


def _check_options(metric: object, order: object, method: object, executor: object) -> None:
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


def _check_columns(relations: Sequence[Relation], order: str | None, method: str) -> None:
    """Refuse a change of some columns alone where records are edited in place or at random."""
    restricted = [relation for relation in relations if relation.restricts_columns]
    if restricted and (order == "kept" or method == "search"):
        raise ValueError(
            f"relations must change whole records for order='kept' and method='search', "
            f"got {restricted[0]}"
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

    @property
    def is_asked(self) -> bool:
        return not self.why

    @property
    def blank(self) -> AuditRow:
        """The row without its numbers."""
        return AuditRow(
            self.relation.kind,
            self.relation.k,
            self.size,
            note=self.why,
            not_asked=self.problem.not_asked if self.problem else (),
            infeasible=self.problem.infeasible if self.problem else (self.why,),
        )

    def judged(self, subject: Subject, scope: Scope, worst: Widest) -> AuditRow:
        """The row with its verdict, by the worst pair of its problem."""
        assert self.problem is not None
        universe, in_order = self.problem.universe, scope.order is not None  # marks tell no order
        row = replace(
            self.blank,
            claimed=self.claimed,
            searched=scope.trials is not None,
            lines=_lines(universe, worst) if in_order else None,
            marked=None if in_order else _marked(universe, worst),
        )
        return _witnessed(row, subject, worst, _related(self.problem, scope.order))


def _marked(universe: Universe, worst: Widest) -> Marked | None:
    """Two datasets that are tables as one, with the rows marked that leave and join."""
    here, there = worst.at
    if not universe.tabular or here is None or there is None:
        return None
    return marked_at(universe, here, there)


def _lines(universe: Universe, worst: Widest) -> tuple[str, str] | None:
    """Two datasets that are tables in a line each, where the order of rows counts."""
    if not universe.tabular:
        return None
    one, other = map(_rows_in_order, (worst.dataset, worst.neighbour))
    return one, other


def _rows_in_order(dataset: Any) -> str:
    """The first few rows of a dataset on one line, table by table."""
    tables = dataset if isinstance(dataset, Mapping) else {"": dataset}
    texts = [
        f"{name}{': ' * bool(name)}{rows_on_a_line(rows_of(table(one, 'dataset'))) or 'no rows'}"
        for name, one in tables.items()
    ]
    return "; ".join(texts)


def _witnessed(row: AuditRow, subject: Subject, worst: Widest, related: Related) -> AuditRow:
    """A row with its worst pair, and the answers that the function stands by."""
    return replace(
        row,
        found=worst.gap,
        dataset=worst.dataset,
        neighbour=worst.neighbour,
        at=worst.at,
        answers=answers_stood_by(subject, worst),
        related=related,
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


def _related(problem: Problem, order: str | None) -> Related:
    """What tells whether two datasets are a pair that the problem is about."""
    relation = problem.relation
    if order != "kept":
        return relation.are_neighbours
    (moves,) = problem.plan.values()
    return Edited(relation, problem.universe, moves)


# --- what is answered ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """How the worst pairs of some problems are found."""

    subject: Subject
    scope: Scope
    method: str
    max_datasets: int
    seed: int
    rng: int | np.random.Generator | None
    executor: Executor | None
    progress: bool

    def worst(self, problems: Sequence[Problem]) -> list[Widest]:
        """The worst pair of each problem; all budgets are checked first."""
        if self.method == "search":
            return self._searched(problems)
        if self.subject.metric is not None or self.scope.order is not None:
            return self._walked(problems)
        settled = settle(
            problems,
            method=self.method,
            budget=Budget(self.max_datasets, self.progress, self.executor),
        )
        return [
            Widest(each.value, each.witness[0], each.witness[1], _places_of(each))
            for each in settled
        ]

    def _searched(self, problems: Sequence[Problem]) -> list[Widest]:
        source, trials = checked_source(self.seed, self.rng), self.scope.trials
        assert trials is not None
        require_budget(problems, trials, self.scope.seconds)
        return [
            search(
                problem,
                self.subject,
                trials=trials,
                seconds=self.scope.seconds,
                seed=source,
                progress=self.progress,
            )
            for problem in problems
        ]

    def _walked(self, problems: Sequence[Problem]) -> list[Widest]:
        walk = OrderedWalk(self.subject, problems[0].universe, self.scope.order)
        return walk.worst(problems, Budget(self.max_datasets, self.progress, self.executor))


def _places_of(found: Sensitivity) -> PairPositions:
    """The positions of a witness's records, where these are no numbers."""
    if found.universe.numeric:
        return None, None
    here, there = (tuple(at.tolist()) for at in positions_of(found))
    return here, there


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
    whose input distance is at most d. A row's `relation` names the input metric, and its `k` is d.

    :param function: any callable; it is asked about each input as it is given.
    :param claim: a number of at least 0, or a function of d.
    :param inputs: a list of datasets, or of whatever else the function and `input_metric` take.
    :param distances: a list of numbers of at least 0, in the unit of `input_metric`; each makes a
        row.
    :param input_metric: a function of two inputs that gives a number of at least 0. It must be
        symmetric, and 0 between an input and itself.
    :param output_metric: the same for two answers.
    :param max_pairs: the most pairs of inputs that are compared.
    :return: a row for each distance.
    :raises TypeError: for what is no function, and for a claim or a distance that is no number.
    :raises ValueError: for a claim or a distance that is negative or NaN, a function or a metric
        that fails, and a function that is not deterministic.
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
    given = _few_inputs(inputs, whole_number(max_pairs, "max_pairs", 1))
    asked = [
        amount(distance, "distances") for distance in _listed(distances, "distances", "numbers")
    ]
    if len(asked) > MOST_ROWS:
        raise TooLarge(f"distances must make at most {MOST_ROWS:,} rows, got more")
    claims = [claimed_for(claim, distance) for distance in asked]
    subject = Subject.of(query, 1, output_metric)
    worst = _worst_by_distance(subject, given, asked, input_metric)
    name = _name(input_metric, "input_metric")
    rows = [
        _witnessed(
            AuditRow(name, distance, None, claimed), subject, pair, _Within(input_metric, distance)
        )
        for distance, claimed, pair in zip(asked, claims, worst, strict=True)
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


def _worst_by_distance(
    subject: Subject, inputs: list[Any], distances: list[Any], metric: Metric
) -> list[Widest]:
    """The worst pair of inputs for each distance; an input beside itself is at distance 0."""
    answers = [subject.answer(given) for given in inputs]
    between = subject.measure()
    _require_no_distance_to_itself(metric, inputs[0])
    itself = Widest(between(answers[0], answers[0]), inputs[0], inputs[0])
    worst = [itself] * len(distances)
    for (x, at_x), (y, at_y) in combinations(zip(inputs, answers, strict=True), 2):
        apart = measured(metric, "input_metric", x, y)
        reached = [i for i, distance in enumerate(distances) if apart <= distance]
        pair = Widest(between(at_x, at_y), x, y) if reached else itself
        for i in reached:
            worst[i] = max(worst[i], pair, key=lambda pair: pair.gap)  # of equals the first
    return [replace(pair, gap=presented(pair.gap)) for pair in worst]


def _require_no_distance_to_itself(metric: Metric, given: Any) -> None:
    itself = measured(metric, "input_metric", given, given)
    if itself != 0:
        raise ValueError(
            f"input_metric must be 0 between an input and itself, got {brief(itself)} on "
            f"{brief(given)}"
        )


@dataclass(frozen=True)
class _Within:
    """Whether two inputs lie within a distance of each other."""

    metric: Metric
    distance: Any

    def __call__(self, x: Any, y: Any) -> bool:
        return bool(measured(self.metric, "input_metric", x, y) <= self.distance)
