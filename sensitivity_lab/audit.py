"""Does a claimed sensitivity hold? Exact, loose, or too small with the two datasets that prove it."""

from __future__ import annotations

import html
import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, groupby
from numbers import Integral, Rational
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_lab.closed_forms import checked_bounds
from sensitivity_lab.enumeration import Best, Gap, gap_between, same_shape
from sensitivity_lab.exact import is_one_of, is_real, is_sequence, sequence, simplest, whole_number
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.questions import Question
from sensitivity_lab.relations import Change, Relation, check_relation
from sensitivity_lab.results import Snippet, listed, presented, raw_answer, runnable
from sensitivity_lab.search import search
from sensitivity_lab.sensitivity import MAX_DATASETS, METHODS, settle
from sensitivity_lab.sequences import ORDERS, OrderedWalk, edits
from sensitivity_lab.universe import Universe, check_universe

RTOL = Fraction(1, 10**9)  # floats this close, relative to the larger, are the same number
TOO_SMALL, EXACT, LOOSE = "too small", "exact", "loose"
CLEAN_SEARCH, INFEASIBLE = "no violation found", "infeasible"
MAX_PAIRS = 2_000_000
COLUMNS = ["relation", "k", "size", "claimed", "exact", "ratio", "verdict", "dataset", "neighbour"]
ROWS_SHOWN = 4
LINE = 72  # characters
LONGEST_LINE = 12  # records; longer datasets are shown as runs of equal ones


# --- the report ----------------------------------------------------------------------------


@dataclass(frozen=True)
class AuditRow:
    """One claim held against one number: the widest gap between neighbours, with its witness.

    `found` is the exact sensitivity on the universe that was enumerated; after a search it is a
    lower bound. `answers` are those on the dataset and on its neighbour. An infeasible row has
    None in their place, and a `note` that says why.
    """

    relation: str
    k: Any
    size: int | None
    claimed: Any = None
    found: Any = None
    dataset: Any = None
    neighbour: Any = None
    answers: tuple[Any, Any] | None = None
    searched: bool = False
    note: str = ""
    related: Callable[[Any, Any], bool] | None = field(default=None, repr=False, compare=False)

    @property
    def exact(self) -> Any:
        """The exact sensitivity on the universe; None after a search."""
        return None if self.searched else self.found

    @property
    def ratio(self) -> Any:
        """Claimed over found: 1 where the two agree; None if infeasible."""
        return None if self.note else _ratio(self.claimed, self.found)

    @property
    def verdict(self) -> str:
        """One of "too small", "exact", "loose"; "no violation found" (a search); "infeasible"."""
        if self.note:
            return INFEASIBLE
        if self.ratio < 1:
            return TOO_SMALL
        if self.searched:
            return CLEAN_SEARCH
        return EXACT if self.ratio == 1 else LOOSE

    @property
    def place(self) -> str:
        """Which row this is, in words."""
        return f"{self.relation}({self.k})" + ("" if self.size is None else f", size {self.size}")

    def __str__(self) -> str:
        if self.verdict == INFEASIBLE:
            return f"{self.place}: infeasible ({self.note})"
        kind = "found" if self.searched else "exact"
        numbers = f"claimed {_brief(self.claimed)}, {kind} {_brief(self.found)}"
        line = f"{self.place}: {self.verdict}{_times(self)}, {numbers}"
        if self.verdict != TOO_SMALL:
            return line
        pair = zip((self.dataset, self.neighbour), self.answers or (), strict=True)
        return "\n".join([line, *(f"  {_text(data)} → {_text(a, _brief)}" for data, a in pair)])


@dataclass(frozen=True)
class Audit:
    """What became of a claim: a row for each relation, k and size.

    "Too small" is a proof, and its row carries the witness. "Exact" and "loose" speak of the
    universe that was enumerated: on a wider one the same claim has the same ratio or a smaller.
    """

    function: str
    rows: tuple[AuditRow, ...]
    scope: str
    answer: Callable[[Any], Any] = field(repr=False, compare=False)
    gap: Callable[[Any, Any], Any] = field(repr=False, compare=False)

    @property
    def violations(self) -> tuple[AuditRow, ...]:
        """The rows whose claim is too small: smallest size first, then smallest k."""
        bad = [row for row in self.rows if row.verdict == TOO_SMALL]
        return tuple(sorted(bad, key=lambda row: (row.size or 0, row.k)))

    @property
    def worst(self) -> AuditRow:
        """The feasible row with the smallest ratio of claimed to found; of several the first."""
        return min(
            (row for row in self.rows if row.verdict != INFEASIBLE), key=lambda row: row.ratio
        )

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        if self.violations:
            return f"too small{_times(self.worst)}"
        kinds = {row.verdict for row in self.rows} - {INFEASIBLE}
        if LOOSE not in kinds:
            return kinds.pop()
        loosest = max((row for row in self.rows if row.verdict == LOOSE), key=lambda r: r.ratio)
        return f"loose{_times(loosest)}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a tidy table; `ratio` is a float, NaN where a row is infeasible.

        After a search the column `exact` is called `found`: it holds lower bounds.
        """
        searched = any(row.searched for row in self.rows)
        columns = [*COLUMNS]
        columns[columns.index("exact")] = "found" if searched else "exact"
        rows = [[getattr(row, column) for column in columns] for row in self.rows]
        table = pd.DataFrame(rows, columns=columns, dtype=object)
        return table.astype({"relation": str, "ratio": float, "verdict": str})

    def check(self) -> bool:
        """Return whether every witness, asked again, is a related pair at its distance.

        Cost: two evaluations of the function for each row.
        """
        return all(
            row.related(row.dataset, row.neighbour)
            and self.gap(self.answer(row.dataset), self.answer(row.neighbour)) == row.found
            for row in self.rows
            if row.related is not None
        )

    def snippet(self) -> Snippet:
        """Return Python that shows the smallest violation (else the worst row), for a bug report."""
        row = (*self.violations, self.worst)[0]
        name = self.function if self.function.isidentifier() else "function"
        hint = "" if name == self.function else f": {self.function}"
        lines = [f"# {row.place}: claimed {row.claimed}, and the answers are {row.found} apart"]
        lines += [
            f"# define {name} here{hint}",
            f"dataset = {row.dataset!r}",
            f"neighbour = {row.neighbour!r}",
        ]
        for side, answer in zip(("dataset", "neighbour"), row.answers or (), strict=True):
            lines.append(f"print({name}({side}))  # {answer!r}")
        return runnable(lines)

    def raise_if_too_small(self) -> None:
        """Raise AssertionError, with the witness and a snippet, if any claim is too small.

        For the test suite of a library: one line, and a failure explains itself.
        """
        if self.violations:
            raise AssertionError(f"{self}\n\n{self.snippet()}")

    def __str__(self) -> str:
        counts = [
            f"{count} {verdict}"
            for verdict in (TOO_SMALL, LOOSE, EXACT, CLEAN_SEARCH, INFEASIBLE)
            if (count := sum(row.verdict == verdict for row in self.rows))
        ]
        rows = self.violations or self.rows
        lines = [f"{self.function}: {self.headline} (rows: {', '.join(counts)})"]
        lines += map(str, rows[:ROWS_SHOWN])
        if len(rows) > ROWS_SHOWN:
            lines.append(f"… and {len(rows) - ROWS_SHOWN} more")
        return "\n".join([*lines, fill(self.scope, LINE)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = self.to_frame().drop(columns="k")
        table["relation"] = [f"{row.relation}({row.k})" for row in self.rows]
        for side in ("dataset", "neighbour"):
            table[side] = [None if data is None else _text(data) for data in table[side]]
        head = html.escape(f"{self.function}: {self.headline}")
        body = table.to_html(index=False, na_rep="", float_format=lambda x: f"{x:.6g}")
        return f"<p><strong>{head}</strong></p>{body}<p>{html.escape(self.scope)}</p>"


def _times(row: AuditRow) -> str:
    """By what factor a row's claim is off, as text: none where there is no number for it."""
    if row.verdict not in (TOO_SMALL, LOOSE) or row.ratio in (0, math.inf):
        return ""
    factor = 1 / Fraction(row.ratio) if row.verdict == TOO_SMALL else Fraction(row.ratio)
    if factor < Fraction("1.005"):
        return f" by ×(1 + {float(factor - 1):.2g})"
    return f" by ×{float(factor):.3g}"


def _brief(value: Any) -> str:
    """A number as it is, a float to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _text(data: Any, entry: Callable[[Any], str] = str) -> str:
    """A dataset or an answer on one line: of a long one its runs, of many runs the ends.

    >>> _text((0, 1, 1)), _text((0, *[1] * 126))
    ('(0, 1, 1)', '(0, 1 ×126)')
    """
    if not isinstance(data, tuple):
        return entry(data)
    if len(data) <= LONGEST_LINE:
        return f"({', '.join(map(entry, data))})"
    runs = [(record, len(list(run))) for record, run in groupby(data)]
    return listed(tuple(entry(v) + (f" ×{n}" if n > 1 else "") for v, n in runs))


# --- a claim and its verdict ---------------------------------------------------------------


def _number(value: Any, what: str) -> Any:
    """A number of at least 0 as int, Fraction, Decimal or float; infinity is one."""
    if not is_real(value):
        raise TypeError(f"{what} must be a number of at least 0, got {value!r}")
    if isinstance(value, (Integral, np.bool_)):
        number: Any = int(value)
    elif isinstance(value, Rational):
        number = simplest(Fraction(value))
    else:
        number = value if isinstance(value, Decimal) else float(str(value))
    nan = number.is_nan() if isinstance(number, Decimal) else math.isnan(number)
    if nan or number < 0:
        raise ValueError(f"{what} must be a number of at least 0, got {value}")
    return number


def _measured(metric: Callable[[Any, Any], Any], name: str, x: Any, y: Any) -> Any:
    """A metric's number for a pair; where it fails, say on which."""
    try:
        apart = metric(x, y)
    except Exception as error:
        raise ValueError(
            f"{name} failed on {x!r} and {y!r}: {type(error).__name__}: {error}"
        ) from error
    return _number(apart, name)


def _claim_at(claim: Any, **place: Any) -> Any:
    """The claimed number for a place: k and size, or a distance."""
    if not callable(claim):
        return _number(claim, "claim")
    given = tuple(place.values())
    try:
        inspect.signature(claim).bind(*given)
    except (TypeError, ValueError):  # it takes k alone, or has no signature to read
        given = given[:1]
    at = ", ".join(f"{name}={value}" for name, value in place.items())
    try:
        claimed = claim(*given)
    except Exception as error:
        raise ValueError(f"claim failed at {at}: {type(error).__name__}: {error}") from error
    return _number(claimed, f"claim at {at}")


def _ratio(claimed: Any, found: Any) -> Any:
    """Claimed over found: exact for ints and Fractions; 1 where floats agree to 1e-9.

    >>> _ratio(1, Fraction(2, 3)), _ratio(0.30000000000000004, 0.3), _ratio(0, 0), _ratio(2, 0)
    (Fraction(3, 2), 1, 1, inf)
    """
    if claimed == found:
        return 1
    if found == 0 or claimed == math.inf:
        return math.inf
    if claimed == 0 or found == math.inf:
        return 0
    ratio = Fraction(claimed) / Fraction(found)
    if isinstance(claimed, (int, Fraction)) and isinstance(found, (int, Fraction)):
        return simplest(ratio)
    return 1 if abs(ratio - 1) <= RTOL else float(ratio)


# --- audits of a query ---------------------------------------------------------------------


def audit(
    function: Query | Callable[[Any], Any],
    claim: Any,
    universe: Universe,
    *,
    size: int | Iterable[int],
    relations: Sequence[Relation],
    norm: float = 1,
    output_metric: Callable[[Any, Any], Any] | None = None,
    order: str | None = None,
    method: str = "auto",
    trials: int = 10_000,
    seed: int = 0,
    max_datasets: int = MAX_DATASETS,
) -> Audit:
    """Hold a claimed sensitivity against every pair of neighbours, size by size.

    >>> from sensitivity_lab import Change
    >>> def spread(dataset):
    ...     return dataset[-1] - dataset[0]
    >>> audit(spread, 1, Universe.value_range([0, 1, 2]), size=range(1, 4), relations=[Change(1)])
    spread: too small by ×2 (rows: 2 too small, 1 loose)
    Change(1), size 2: too small by ×2, claimed 1, exact 2
      (0, 0) → 0
      (0, 2) → 2
    Change(1), size 3: too small by ×2, claimed 1, exact 2
      (0, 0, 0) → 0
      (0, 0, 2) → 2
    Held against all pairs from Universe.value_range([0, 1, 2]); "exact" and
    "loose" speak of these.

    `claim` is a number, a function of k, or one of (k, size): whichever its signature takes.
    `size` is one size or several, each a row: with a `range` the neighbour's size lies in it too,
    else it is what the relation gives. Rows where nothing is feasible say "infeasible".
    Ints and Fractions are compared exactly. Where the claim or the answers are floats (or
    Decimals), numbers that agree to 1e-9, relative, are the same.

    `output_metric(answer, other)` measures answers that are no numbers or vectors; `norm` is then
    not used. `order` gives the function sequences: "any" every ordering of dataset and neighbour
    (an at-most relation then holds two orderings of one dataset together), "kept" sequences
    whose records are inserted, deleted or, for `Change`, replaced in place.
    `method="search"` tries `trials` pairs in each row of a universe that is too large: what it
    finds is a proof, and that it finds nothing proves nothing.

    Cost: as `global_sensitivity`; with an `output_metric` or an `order` every pair is walked.
    Errors: as `global_sensitivity`; ValueError or TypeError for a claim that is negative, NaN or
    no number, and if no row is feasible. `max_datasets` bounds sequences, too.
    """
    query = _as_function(function)
    _check_options(output_metric, order, method)
    places = _places(query, universe, size, relations, norm)
    questions = {place: q for place, q in places.items() if isinstance(q, Question)}
    if not questions:
        raise ValueError(f"no row is feasible: {'; '.join(map(str, places.values()))}")
    claims = {place: _claim_at(claim, k=place[0].k, size=place[1]) for place in questions}
    subject = _Subject(query, norm, output_metric)
    asked = list(questions.values())
    if method == "search":
        trials, seed = whole_number(trials, "trials", 1), whole_number(seed, "seed", 0)
        pairs = [_searched(subject, question, trials, seed) for question in asked]
    elif output_metric is None and order is None:
        settled = settle(asked, method=method, max_datasets=max_datasets)
        pairs = [(found.value, *found.witness) for found in settled]
    else:
        limit = whole_number(max_datasets, "max_datasets", 1)
        pairs = _walked(subject, universe, order, asked, limit)
    widest = dict(zip(questions, pairs, strict=True))
    rows = tuple(
        _row(subject, place, question, order, claims[place], widest[place], method == "search")
        if isinstance(question, Question)
        else AuditRow(type(place[0]).__name__, place[0].k, place[1], note=question)
        for place, question in places.items()
    )
    scope = _scope(universe, rows, order, trials)
    return Audit(query.name, rows, scope, subject.answer, subject.final_gap)


Place = tuple[Relation, int]
Pair = tuple[Any, Any, Any]  # gap, dataset, neighbour


class _Subject:
    """The function under audit, and how far apart its answers lie."""

    def __init__(self, query: Query, norm: float, metric: Callable[[Any, Any], Any] | None) -> None:
        self.query, self.metric = query, metric
        self.between = gap_between(norm, query.root)
        self.first: Any = None

    def answer(self, dataset: Any) -> Any:
        """The answer, checked if it is to be a number or a vector."""
        if self.metric is not None:
            return self.query.called(dataset)
        answer = raw_answer(self.query, dataset)
        self.first = answer if self.first is None else self.first
        same_shape(answer, self.first, self.query)
        return answer

    def gap(self, answer: Any, other: Any) -> Gap:
        """The distance between two answers, ready to be compared."""
        if self.metric is None:
            return self.between(answer, other)
        return _measured(self.metric, "output_metric", answer, other)

    def final_gap(self, answer: Any, other: Any) -> Any:
        """The distance as a caller sees it."""
        return presented(self.gap(answer, other))

    def shown_answer(self, dataset: Any) -> Any:
        """The answer as a caller sees it: the root of a root query."""
        return self.query(dataset) if self.query.exact else self.answer(dataset)


def _as_function(function: Any) -> Query:
    if not callable(function):
        raise TypeError(f"function must be a Query or a callable, got {function!r}")
    return as_query(function)


def _check_options(metric: Any, order: Any, method: str) -> None:
    if metric is not None and not callable(metric):
        raise TypeError(f"output_metric must be callable, got {metric!r}")
    if not is_one_of(method, (*METHODS, "search")):
        raise ValueError(f"method must be one of {', '.join(METHODS)}, search, got {method!r}")
    if not is_one_of(order, ORDERS):
        raise ValueError(f"order must be None, 'any' or 'kept', got order={order!r}")
    if order is not None and method not in ("auto", "walk"):
        raise ValueError(f"method must be auto or walk where order is given, got method={method!r}")
    if metric is not None and method not in ("auto", "walk", "search"):
        raise ValueError(
            f"method must be auto, walk or search with an output_metric, got method={method!r}"
        )


def _places(
    query: Query, universe: Universe, size: Any, relations: Any, norm: float
) -> dict[Place, Question | str]:
    """A question for each relation and size, or why there is none."""
    if not is_sequence(relations):
        raise TypeError(f"relations must be a list of relations, got {relations!r}")
    asked = list(relations)
    for relation in asked:
        check_relation(relation)
    sizes = list(size) if is_sequence(size) else [size]
    for name, given in (("relations", asked), ("size", sizes)):
        if not given:
            raise ValueError(f"{name} must not be empty, got {size if name == 'size' else asked}")
    check_universe(universe)
    within = size if isinstance(size, range) else None
    places: dict[Place, Question | str] = {}
    for relation in asked:
        for given in sizes:
            n = universe.checked_size(given)
            if n < query.smallest_size:
                places[relation, n] = f"size {n}: {query.name} needs {query.smallest_size}"
                continue
            question = Question(query, universe, n, relation, norm, within)
            why = "; ".join(question.infeasible) or "no neighbour has a size in the range"
            places[relation, n] = question if question.plan else why
    return places


def _searched(subject: _Subject, question: Question, trials: int, seed: int) -> Pair:
    values = question.universe.values
    best = search(
        question,
        lambda indices: subject.answer(tuple(values[i] for i in indices)),
        subject.gap,
        trials=trials,
        seed=seed,
    )
    return _pair(best, question.universe)


def _walked(
    subject: _Subject, universe: Universe, order: str | None, questions: list[Question], limit: int
) -> list[Pair]:
    values = universe.values
    walk = OrderedWalk(
        universe,
        order,
        lambda indices: subject.answer(tuple(values[i] for i in indices)),
        subject.gap,
        extremes=subject.metric is None,
    )
    for question in questions:
        walk.require_budget(question, limit)
    return [_pair(walk.widest(question), universe) for question in questions]


def _pair(best: Best, universe: Universe) -> Pair:
    dataset, neighbour = (
        tuple(universe.values[i] for i in side) for side in (best.dataset, best.neighbour)
    )
    return presented(best.gap), dataset, neighbour


def _row(
    subject: _Subject,
    place: Place,
    question: Question,
    order: str | None,
    claimed: Any,
    pair: Pair,
    searched: bool,
) -> AuditRow:
    relation, size = place
    found, dataset, neighbour = pair

    def related(x: Any, y: Any) -> bool:
        if order != "kept":
            return relation.are_neighbours(x, y)
        index = {value: i for i, value in enumerate(question.universe.values)}
        ends = [tuple(index[record] for record in side) for side in (x, y)]
        copies = question.universe.copies(len(x) + relation.k)
        moves = question.plan[size]
        return ends[1] in edits(ends[0], moves, copies, in_place=isinstance(relation, Change))

    return AuditRow(
        relation=type(relation).__name__,
        k=relation.k,
        size=size,
        claimed=claimed,
        found=found,
        dataset=dataset,
        neighbour=neighbour,
        answers=(subject.shown_answer(dataset), subject.shown_answer(neighbour)),
        searched=searched,
        related=related,
    )


def _scope(universe: Universe, rows: Sequence[AuditRow], order: str | None, trials: int) -> str:
    if any(row.searched for row in rows):
        return (
            f"Search: {trials:,} pairs a row, from {universe!r}. What it finds is a proof; "
            "a clean search proves nothing."
        )
    orders = {None: "", "any": ", in every order", "kept": ", as sequences edited in place"}
    return _held_against(f"{universe!r}{orders[order]}")


def _held_against(what: str) -> str:
    return f'Held against all pairs from {what}; "exact" and "loose" speak of these.'


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
    Held against all pairs from 3 inputs; "exact" and "loose" speak of
    these.

    For each d of `distances` the exact number is the largest output distance over all pairs
    whose input distance is at most d; `claim` is a function of d, or a number. Inputs and
    answers can be anything that the metrics take; both metrics must be symmetric. A row's
    `relation` names the input metric, and its `k` is d.

    Cost: the function once for each input, the metrics once for each pair. Over `max_pairs` pairs
    it raises before any work. Errors: as `audit`.
    """
    query = _as_function(function)
    for name, metric in (("input_metric", input_metric), ("output_metric", output_metric)):
        if not callable(metric):
            raise TypeError(f"{name} must be callable, got {metric!r}")
    given = list(sequence(inputs, "inputs", "datasets"))
    asked = [
        _number(distance, "distances") for distance in sequence(distances, "distances", "numbers")
    ]
    for name, listed_ in (("inputs", given), ("distances", asked)):
        if not listed_:
            raise ValueError(f"{name} must not be empty, got {listed_}")
    claims = [_claim_at(claim, distance=distance) for distance in asked]
    pairs = math.comb(len(given), 2)
    if pairs > whole_number(max_pairs, "max_pairs", 1):
        raise ValueError(
            f"{pairs:,} pairs of inputs exceed the limit of {max_pairs:,}; "
            "raise max_pairs or thin out the inputs"
        )
    subject = _Subject(query, 1, output_metric)
    found = _widest_by_distance(subject, given, asked, input_metric)
    name = getattr(input_metric, "__name__", type(input_metric).__name__)
    rows = tuple(
        _map_row(subject, name, distance, claimed, pair, input_metric)
        for distance, claimed, pair in zip(asked, claims, found, strict=True)
    )
    scope = _held_against(f"{len(given):,} inputs")
    return Audit(query.name, rows, scope, subject.answer, subject.final_gap)


def _widest_by_distance(
    subject: _Subject, inputs: list[Any], distances: list[Any], metric: Callable[[Any, Any], Any]
) -> list[Pair]:
    """The widest pair of inputs for each distance; an input beside itself is at distance 0."""
    answers = [subject.answer(given) for given in inputs]
    widest: list[Pair] = [(0, inputs[0], inputs[0])] * len(distances)
    for (x, at_x), (y, at_y) in combinations(zip(inputs, answers, strict=True), 2):
        apart = _measured(metric, "input_metric", x, y)
        reached = [i for i, distance in enumerate(distances) if apart <= distance]
        if reached:
            gap = subject.gap(at_x, at_y)
            for i in reached:
                if gap > widest[i][0]:
                    widest[i] = gap, x, y
    return widest


def _map_row(
    subject: _Subject,
    name: str,
    distance: Any,
    claimed: Any,
    pair: Pair,
    metric: Callable[[Any, Any], Any],
) -> AuditRow:
    found, x, y = pair
    return AuditRow(
        relation=name,
        k=distance,
        size=None,
        claimed=claimed,
        found=found,
        dataset=x,
        neighbour=y,
        answers=(subject.answer(x), subject.answer(y)),
        related=lambda x, y: bool(metric(x, y) <= distance),
    )


# --- values that break arithmetic ------------------------------------------------------------


def breaking_values(
    bounds: tuple[Any, Any], dtype: Any = float, *, outside: bool = False, missing: bool = False
) -> list[Any]:
    """Return the few values within `bounds` on which arithmetic in a dtype is likeliest to break.

    >>> breaking_values((0, 100), np.int8)
    [np.int8(0), np.int8(1), np.int8(99), np.int8(100)]
    >>> breaking_values((-1.0, 1.0))
    [-1.0, -0.9999999999999999, 0.0, 5e-324, 0.9999999999999999, 1.0]

    They are the bounds, the numbers next to them inwards, zero, the smallest positive number and,
    for floats, the whole numbers around the first that has no successor (2**53 for float64).
    `outside` adds the numbers next to the bounds outwards and the extremes of the dtype; `missing`
    adds None, for functions that take missing records. Give them to `Universe.value_range`: with
    few values, datasets of thousands of records stay cheap to enumerate.

    Raises ValueError for bounds that do not fit the dtype, TypeError for a dtype of no real numbers.
    """
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"dtype must be one of numpy's, got {dtype!r}") from error
    if kind.kind not in "iuf":
        raise TypeError(f"dtype must hold ints or floats, got {dtype!r}")
    info: Any = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    checked_bounds(bounds)
    lower, upper = (_fitted(bound, info, bounds) for bound in bounds)
    values = [lower, upper, _beside(lower, 1), _beside(upper, -1), kind.type(0)]
    if kind.kind == "f":
        last = 2 ** (info.nmant + 1)  # last + 1 is no number of this dtype
        values += [info.smallest_subnormal, *map(kind.type, (last - 1, last, 1 - last, -last))]
    else:
        values.append(kind.type(1))
    values = [value for value in values if lower <= value <= upper]
    if outside:
        ends = [kind.type(info.min), kind.type(info.max)]
        values += [*ends, max(_beside(lower, -1), ends[0]), min(_beside(upper, 1), ends[1])]
    own = kind in (np.dtype(float), np.dtype(int))  # Python has these two itself
    numbers = [value.item() if own else value for value in sorted(set(values))]
    return [*numbers, None] if missing else numbers


def _fitted(bound: Any, info: Any, bounds: Any) -> Any:
    """A bound as a number of the dtype."""
    whole = info.dtype.kind != "f"
    least, most = (int(end) if whole else float(end) for end in (info.min, info.max))
    if not least <= bound <= most or (whole and bound != int(bound)):
        raise ValueError(f"bounds must be numbers of {info.dtype}, got {bounds}")
    return info.dtype.type(bound)


def _beside(value: Any, direction: int) -> Any:
    """The next number of the same dtype, up or down; the last one stays."""
    if value.dtype.kind == "f":
        return np.nextafter(value, value.dtype.type(direction * math.inf))
    info = np.iinfo(value.dtype)
    return value.dtype.type(min(max(int(value) + direction, int(info.min)), int(info.max)))
