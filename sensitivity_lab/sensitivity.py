"""How much can k records change the answer? The value, and the two datasets that attain it."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sensitivity_lab.enumeration import (
    Answers,
    Best,
    Lattice,
    Plan,
    can_sweep,
    count_pairs,
    gap_between,
    sweep_lattice,
    walk,
)
from sensitivity_lab.exact import RootGap, exact_number, simplest, whole_number
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Move, Relation, count_neighbours_of
from sensitivity_lab.universe import Dataset, Universe

MAX_DATASETS = 10_000_000
PAIRS_PER_DATASET = 20  # a walk may visit this many pairs for each dataset allowed
METHODS = ("auto", "sweep", "walk")
CONSTANTS = ("COUNT", "SUM", "MEAN", "MEDIAN", "VARIANCE", "STD", "MIN", "MAX")

Size = int | range


@dataclass(frozen=True)
class Sensitivity:
    """The largest distance between a query's answers on neighbouring datasets, with a witness.

    `value` is exact (int or Fraction) where the query is rational, a correctly rounded float
    for standard deviations and norm 2, a callable's own arithmetic else. `witness` is the first
    pair (dataset, neighbour) in lexicographic order that attains it. `datasets` counts the
    datasets that were answered; `infeasible` names the directions that no dataset can take.
    """

    value: Any
    witness: tuple[Dataset, Dataset]
    method: str
    query: Query
    relation: Relation
    universe: Universe
    size: Size
    norm: float
    datasets: int
    infeasible: tuple[str, ...]

    def __float__(self) -> float:
        return float(self.value)

    def check(self) -> bool:
        """Return whether the witness, asked again, is a neighbouring pair at this value.

        >>> from sensitivity_lab import MEAN, Change
        >>> school = Universe.population([1, 2, 3, 10])
        >>> global_sensitivity(MEAN, school, size=3, relation=Change(1)).check()
        True

        Cost: two evaluations of the query.
        """
        dataset, neighbour = self.witness
        for records in self.witness:
            self.universe.indices(records)
        answers = [_raw_answer(self.query, records) for records in self.witness]
        gap = gap_between(self.norm, self.query.root)(*answers)
        return self.relation.are_neighbours(dataset, neighbour) and _presented(gap) == self.value

    def snippet(self) -> Snippet:
        """Return Python that shows the witness, to paste in a bug report.

        Standard queries are imported; your own function you define where the comment says so.
        """
        dataset, neighbour = self.witness
        name = self.query.name.upper() if self.query.name.upper() in CONSTANTS else self.query.name
        lines = [
            "from decimal import Decimal" if "Decimal(" in repr(self.witness) else "",
            "from fractions import Fraction" if "Fraction(" in repr(self.witness) else "",
            "import sensitivity_lab as sl",
            f"query = sl.{name}" if self.query.exact else f"# define query here: {name}",
            f"dataset = {dataset!r}",
            f"neighbour = {neighbour!r}  # {self.relation.description}",
            f"assert sl.{self.relation}.are_neighbours(dataset, neighbour)",
            f"print(query(dataset), query(neighbour))  # {self.value} apart",
        ]
        return Snippet("\n".join(line for line in lines if line))

    def __repr__(self) -> str:
        return (
            f"Sensitivity(value={self.value!r}, witness={self.witness!r}, method={self.method!r}, "
            f"query={self.query.name!r}, relation={self.relation})"
        )

    def _repr_html_(self) -> str:
        dataset, neighbour = self.witness
        rows = {
            "sensitivity": _shown(self.value),
            "query": self.query.name,
            "relation": f"{self.relation}: {self.relation.description}",
            "dataset": f"{_listed(dataset)} → {_shown(self.query(dataset))}",
            "neighbour": f"{_listed(neighbour)} → {_shown(self.query(neighbour))}",
            "found by": f"{self.method}, {self.datasets:,} datasets answered",
        }
        if self.infeasible:
            rows["not feasible"] = "; ".join(self.infeasible)
        cells = "".join(
            f"<tr><th style='text-align:left'>{label}</th><td style='text-align:left'>"
            f"{html.escape(text)}</td></tr>"
            for label, text in rows.items()
        )
        return f"<table>{cells}</table>"


class Snippet(str):
    """Python source that displays as it would print."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


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
    "sweep" (each dataset answered once), "walk" (each pair visited: the reference) or "auto".
    `executor`, any `concurrent.futures.Executor`, answers a callable on many workers.

    Cost: the sweep answers `universe.count(size)` datasets and those of the neighbours' sizes;
    the walk also visits every pair. Over `max_datasets` it raises before any work.
    Raises ValueError or TypeError for bad input, or if no direction of the relation is feasible.
    Source: Dwork, McSherry, Nissim and Smith (2006), definition 3.
    """
    question = Question(as_query(query), universe, size, relation, norm)
    question.require_feasible()
    return settle(
        [question], method=method, max_datasets=max_datasets, progress=progress, executor=executor
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
) -> Sensitivity:
    """Return the largest distance between the answer on one dataset and on its neighbours.

    >>> from sensitivity_lab import MEAN, AddRemove
    >>> absences = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> found = local_sensitivity(MEAN, (1, 2, 3, 4, 5, 6), absences, relation=AddRemove(1))
    >>> found.value, found.witness[1]
    (Fraction(33, 14), (1, 2, 3, 4, 5, 6, 20))

    `method` is "walk" or "auto": one dataset's neighbours are walked.
    Cost: `relation.count_neighbours(dataset, universe)` evaluations.
    Errors: as `global_sensitivity`, and ValueError for a dataset outside the universe.
    Source: Nissim, Raskhodnikova and Smith (2007), definition 1.2.
    """
    _check_kind(universe, Universe, "universe", "a Universe")
    indices = universe.indices(dataset)
    question = Question(as_query(query), universe, len(indices), relation, norm)
    question.require_feasible()
    if method not in ("auto", "walk"):
        raise ValueError(f"method must be auto or walk for one dataset, got method={method!r}")
    neighbours = count_neighbours_of(indices, universe, question.plan[len(indices)])
    _within(neighbours, whole_number(max_datasets, "max_datasets", 1), "neighbours to walk")
    bests, answered = walk([question.query], universe, question.plan, norm, progress, only=indices)
    return question.sensitivity(bests[0], "walk", answered)


@dataclass(frozen=True)
class Question:
    """One query, universe, size, relation and norm, checked; and what of it is feasible."""

    query: Query
    universe: Universe
    size: Size
    relation: Relation
    norm: float

    def __post_init__(self) -> None:
        _check_kind(self.universe, Universe, "universe", "a Universe")
        if not isinstance(self.relation, Relation) or type(self.relation) is Relation:
            raise TypeError(
                "relation must be Add(k), Remove(k), AddRemove(k), SymmetricDifference(k) or Change(k), "
                f"got {self.relation!r}"
            )
        if self.norm not in (1, 2, math.inf):
            raise ValueError(f"norm must be 1, 2 or infinity, got norm={self.norm!r}")
        if self.universe.has_missing and not self.query.takes_missing:
            raise ValueError(
                f"query {self.query.name} does not take missing records, got a universe that holds None; "
                "wrap a callable in Query(..., takes_missing=True)"
            )
        self._check_sizes()

    def _check_sizes(self) -> None:
        sizes = self.sizes
        if len(sizes) == 0:
            raise ValueError(f"size must name at least one size, got {self.size}")
        for size in (min(sizes), max(sizes)):
            self.universe.checked_size(size)
        if max(sizes) < self.query.smallest_size:
            raise ValueError(
                f"size must be at least {self.query.smallest_size} for {self.query.name}, got size={self.size}"
            )

    @property
    def sizes(self) -> range:
        if isinstance(self.size, range):
            return self.size
        size = self.universe.checked_size(self.size)
        return range(size, size + 1)

    @cached_property
    def _sorted_moves(self) -> tuple[Plan, tuple[str, ...]]:
        plan: Plan = {}
        refused: dict[str, None] = {}
        for size in self.sizes:
            if size < self.query.smallest_size:
                refused[f"size {size}: {self.query.name} needs {self.query.smallest_size} or more"] = None
                continue
            reasons = {move: self._obstacle(size, move) for move in self.relation.moves}
            moves = tuple(move for move, reason in reasons.items() if reason is None)
            refused.update(dict.fromkeys(reason for reason in reasons.values() if reason))
            if moves:
                plan[size] = moves
        return plan, tuple(refused)

    @property
    def plan(self) -> Plan:
        """The feasible moves from each size."""
        return self._sorted_moves[0]

    @property
    def infeasible(self) -> tuple[str, ...]:
        """What no dataset of these sizes can do, and why."""
        return self._sorted_moves[1]

    @property
    def sizes_answered(self) -> set[int]:
        """The sizes of all datasets and neighbours."""
        return {size + a - r for size, moves in self.plan.items() for r, a in ((0, 0), *moves)}

    def require_feasible(self) -> None:
        if not self.plan:
            raise ValueError(
                f"no direction of {self.relation} is feasible at size={self.size}: "
                f"{'; '.join(self.infeasible)}"
            )

    def _obstacle(self, size: int, move: Move) -> str | None:
        """Why a dataset of `size` cannot make a move; "" if its neighbour's size is not asked for."""
        removed, added = move
        name, left, new_size = _move_name(move), size - removed, size - removed + added
        if left < 0:
            return f"{name}: the dataset has {size} records"
        if new_size < self.query.smallest_size:
            return f"{name}: leaves {new_size} records, {self.query.name} needs {self.query.smallest_size}"
        if size + added > self.universe.records:
            return f"{name}: {int(self.universe.records) - size} records are left to add"
        if isinstance(self.size, range) and new_size not in self.size:
            return ""
        return None

    def sensitivity(self, best: Best, method: str, answered: int) -> Sensitivity:
        values = self.universe.values
        witness = tuple(tuple(values[i] for i in side) for side in (best.dataset, best.neighbour))
        return Sensitivity(
            _presented(best.gap), witness, method, self.query, self.relation, self.universe,
            self.size, self.norm, answered, self.infeasible,
        )  # fmt: skip

def settle(
    questions: Sequence[Question],
    *,
    method: str,
    max_datasets: int,
    progress: bool = False,
    executor: Executor | None = None,
) -> list[Sensitivity]:
    """Answer feasible questions together: all budgets are checked before any work.

    A query is answered once per dataset for all its relations; a walk visits a pair once for
    all queries that can make the same moves.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got method={method!r}")
    max_datasets = whole_number(max_datasets, "max_datasets", 1)
    for question in questions:
        _within(_datasets_to_answer(question, max_datasets), max_datasets, "datasets to answer")
    answers = _shared_answers(questions, executor, progress)
    walks: dict[Any, list[Question]] = {}
    for question, given in zip(questions, answers, strict=True):
        if method == "walk" or not _sweepable(question, given, max_datasets):
            if method == "sweep":
                raise ValueError(
                    f"method='sweep' serves scalars and short vectors in L1 or L∞, not {question.query.name} "
                    f"at norm={question.norm}; use method='walk' or 'auto'"
                )
            key = (question.universe, question.relation, str(question.plan), question.norm)
            walks.setdefault(key, []).append(question)
    for group in walks.values():
        pairs = count_pairs(group[0].universe, group[0].plan)
        _within(pairs, PAIRS_PER_DATASET * max_datasets, "pairs to walk")
    walked = {id(q): found for group in walks.values() for q, found in _walked(group, progress)}
    return [
        walked[id(question)] if id(question) in walked else _swept(question, given)
        for question, given in zip(questions, answers, strict=True)
    ]


def _walked(group: list[Question], progress: bool) -> list[tuple[Question, Sensitivity]]:
    first = group[0]
    queries = [question.query for question in group]
    bests, answered = walk(queries, first.universe, first.plan, first.norm, progress)
    return [
        (question, question.sensitivity(best, "walk", answered))
        for question, best in zip(group, bests, strict=True)
    ]


def _swept(question: Question, answers: Answers) -> Sensitivity:
    best = sweep_lattice(answers, question.plan, question.norm)
    answered = sum(answers.lattice.count(size) for size in question.sizes_answered)
    return question.sensitivity(best, "sweep", answered)


def _shared_answers(
    questions: Sequence[Question], executor: Executor | None, progress: bool
) -> list[Answers]:
    """One lattice per universe, as large as the largest dataset asked about; one `Answers` per query."""
    largest: dict[Universe, int] = {}
    for question in questions:
        sizes = [largest.get(question.universe, 0), *question.sizes_answered]
        largest[question.universe] = max(sizes)
    lattices = {universe: Lattice(universe, size) for universe, size in largest.items()}
    shared: dict[tuple[Universe, int], Answers] = {}
    for question in questions:
        key = (question.universe, id(question.query))
        if key not in shared:
            shared[key] = Answers(question.query, lattices[question.universe], executor, progress)
    return [shared[question.universe, id(question.query)] for question in questions]


def _datasets_to_answer(question: Question, limit: int) -> int:
    total = 0
    for size in sorted(question.sizes_answered):
        total += question.universe.count_at_least(size, limit)
        if total > limit:
            break
    cells = len(question.universe.values) * max(question.sizes_answered)
    return max(total, cells // 10)  # the ranks' table must fit in memory too


def _sweepable(question: Question, answers: Answers, max_datasets: int) -> bool:
    """Whether the sweep serves the query, and the levels it passes through are few enough."""
    cores = [size - removed for size, moves in question.plan.items() for removed, _ in moves]
    levels = range(min(cores), max(question.sizes_answered) + 1)
    visited = sum(answers.lattice.count(size) for size in levels)
    return visited <= 4 * max_datasets and can_sweep(answers.first(min(question.plan)), question.norm)


def _within(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise ValueError(
            f"{count:,} {what} exceed the limit of {limit:,}; raise max_datasets, "
            "ask for a smaller size or k, or thin out the universe"
        )


def _check_kind(value: Any, kind: type, name: str, wanted: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {wanted}, got {value!r}")


def _move_name(move: Move) -> str:
    """A move in words.

    >>> _move_name((2, 0)), _move_name((1, 1)), _move_name((2, 1))
    ('remove 2', 'change 1', 'remove 2 and add 1')
    """
    removed, added = move
    if removed == added:
        return f"change {removed}"
    parts = [f"remove {removed}"] * (removed > 0) + [f"add {added}"] * (added > 0)
    return " and ".join(parts)


def _presented(gap: Any) -> Any:
    """A gap as the number a caller sees: roots as floats, whole fractions as ints."""
    if isinstance(gap, RootGap):
        return float(gap)
    return simplest(gap) if isinstance(gap, Fraction) else gap


def _raw_answer(query: Query, dataset: Dataset) -> Any:
    """The answer that gaps are measured between: the square, for a root query."""
    return query.answer(tuple(map(exact_number, dataset)) if query.exact else dataset)


def _shown(value: Any) -> str:
    """A number as a fraction and six digits, a vector entry by entry.

    >>> _shown(Fraction(19, 6)), _shown(3), _shown((1, 0.5))
    ('19/6 ≈ 3.16667', '3', '(1, 0.5)')
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, Fraction):
        return f"{value} ≈ {float(value):.6g}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _listed(dataset: Dataset) -> str:
    """A dataset's records; of more than 20, the first and the last ten."""
    shown = [str(record) for record in dataset]
    if len(shown) > 20:
        shown = [*shown[:10], f"… {len(shown) - 20:,} more …", *shown[-10:]]
    return f"({', '.join(shown)})"
