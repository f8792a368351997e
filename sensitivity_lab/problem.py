"""A checked problem: which query, datasets and relation, what is feasible; and its budget."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sensitivity_lab.numbers.errors import Infeasible, TooLarge
from sensitivity_lab.numbers.exact import brief, checked_norm, told, whole_number
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.numbers.text import number_text, one_line
from sensitivity_lab.of_and_by import Grouping
from sensitivity_lab.over_numbers import asks_rows, over_numbers, predicate_of
from sensitivity_lab.queries import Query, checked_answer
from sensitivity_lab.records.columns import fills, uncut
from sensitivity_lab.records.people import OfOneRow
from sensitivity_lab.records.rows import require_column, table
from sensitivity_lab.relations import Move, Plan, Relation, check_relation
from sensitivity_lab.universe import Giver, Universe, check_universe

Size = int | range
Item = TypeVar("Item")
LONGEST_REASON = 100  # letters that say how a function fails on nothing
NAMED = 6  # reasons why nothing is feasible; of more the rest is counted
MOST_MOVES = 2_000_000  # sizes × moves of one problem: its plan lists them
MAX_DATASETS = 10_000_000
AT_ONCE = 1_000_000  # datasets: with more to answer, "auto" asks the solver first
PAIRS_PER_DATASET = 20  # a walk may visit this many pairs for each dataset allowed
# What the machine lacks (memory, time, a connection) says nothing of the dataset; nor do the
# errors that every database module calls by these names (PEP 249).
LACKING = (MemoryError, OSError, RuntimeError, SystemError)
LACKING_IN_DATABASES = {"InterfaceError", "InternalError", "OperationalError"}


@dataclass(frozen=True)
class Problem:
    """One query, universe, size, relation and norm, checked; and what of it is feasible."""

    query: Query
    universe: Universe
    size: Size
    relation: Relation
    norm: Norm
    neighbours_in: range | None = None  # sizes of neighbours, where `size` is a whole number
    any_answer: bool = False  # answers need not be numbers: an output metric measures them

    def __post_init__(self) -> None:
        check_universe(self.universe)
        check_relation(self.relation)
        checked_norm(self.norm)
        if self.universe.holds_people:
            self._check_people()
        of_numbers = (self.query.exact or self.query.proved) and self.query.inner is None
        if of_numbers and not self.universe.numeric and not over_numbers(self.query, self.universe):
            raise TypeError(
                f"query {self.query.name} is asked of numbers, got records such as "
                f"{brief(self.universe.values[0])}: say what of a record it is asked of, as in "
                "MEAN.of('column') or SUM.of(function)"
            )
        takes_missing = self.query.takes_missing
        if self.universe.has_missing and not (takes_missing or fills(self.query.of_what)):
            raise ValueError(
                f"query {self.query.name} does not take missing records, got a universe that "
                "holds None; ask of a number in its place, as SUM.of(lambda x: x, missing=0) does, "
                "drop it, or wrap a callable in Query(..., takes_missing=True)"
            )
        if self.query.grouping is not None:
            self._check_columns(self.query.grouping)
        self._check_sizes()
        if self.query.together is not None:
            self.query.together.check(self.universe.source, self.universe.name)

    def _check_columns(self, grouping: Grouping) -> None:
        """Refuse groups, and numbers by group, of a column that there is not."""
        tables = [*self.universe.source.whole.values()]
        for asked, what in (("by", grouping.by_what), ("of", uncut(grouping.of_what))):
            if isinstance(what, str) and len(tables) == 1:
                require_column(table(tables[0], "table"), what, asked)

    def _check_people(self) -> None:
        """Refuse to ask rows of several tables, or to take a row for a person."""
        query, source = self.query, self.universe.source
        tables = [name for name in source.whole if name is not None]
        if tables and asks_rows(query):
            raise ValueError(
                f"query {query.name} is asked of the rows of one table, got several tables, "
                f"{', '.join(tables)}: ask of a function of a person, which gets them all, as in "
                f"SUM.of(lambda person: len(person[{tables[0]!r}]))"
            )
        if (predicate := predicate_of(query)) is not None:
            OfOneRow.check(predicate, source, "predicate")
        if query.grouping is not None:
            self._check_grouping(query.grouping)

    def _check_grouping(self, grouping: Grouping) -> None:
        """Refuse a function of a person whose rows may be in several groups."""
        if callable(grouping.by_what):
            OfOneRow.check(grouping.by_what, self.universe.source, "by")
        what = uncut(grouping.of_what)
        if what is not None and not isinstance(what, str):
            raise TypeError(
                f"of must name a column where people are asked by group, got {brief(what)}: a "
                "person's rows may be in several groups"
            )

    def _check_sizes(self) -> None:
        sizes = self.sizes
        if not sizes:
            raise ValueError(f"size must name at least one size, got {brief(self.size)}")
        least, most = sorted((sizes[0], sizes[-1]))
        self.universe.checked_size(least)
        self.universe.checked_size(most)
        require_few_moves(sizes, self.relation)
        if most < (need := self.query.smallest_size or 0):
            raise ValueError(f"size must be at least {need} for {self.query.name}, got {self.size}")

    @property
    def sizes(self) -> range:
        """The sizes of the datasets."""
        if isinstance(self.size, range):
            return self.size
        size = self.universe.checked_size(self.size)
        return range(size, size + 1)

    @cached_property
    def _plan_and_rest(self) -> tuple[Plan, tuple[str, ...], tuple[str, ...]]:
        """The plan, what is not feasible, and what is not asked."""
        plan: Plan = {}
        infeasible: dict[str, None] = {}  # sets that keep their order
        not_asked: dict[str, None] = {}
        for size in self.sizes:
            if size < (self.query.smallest_size or 0):
                infeasible[f"size {size}: {self._need}"] = None
                continue
            feasible = []
            for move in self.relation.moves:
                if not self._is_asked(size, move):
                    continue
                if obstacle := self._obstacle(size, move):
                    infeasible[obstacle] = None
                elif silence := self._silence(size, move):
                    not_asked[silence] = None
                else:
                    feasible.append(move)
            if feasible:
                plan[size] = tuple(feasible)
        return plan, tuple(infeasible), tuple(not_asked)

    @property
    def plan(self) -> Plan:
        """The feasible moves from each size; a function may be called on the empty dataset."""
        return self._plan_and_rest[0]

    @property
    def infeasible(self) -> tuple[str, ...]:
        """What no dataset of these sizes can do, and why."""
        return self._plan_and_rest[1]

    @property
    def not_asked(self) -> tuple[str, ...]:
        """What leads to the empty dataset where the function fails on it, and how it fails."""
        return self._plan_and_rest[2]

    @property
    def smallest_size(self) -> int:
        """The size from which on the query is asked: its own, or what its function bears."""
        if self.query.smallest_size is not None:
            return self.query.smallest_size
        return 1 if self.not_asked else 0

    @cached_property
    def sizes_answered(self) -> set[int]:
        """The sizes of all datasets and neighbours."""
        return {size + a - r for size, moves in self.plan.items() for r, a in ((0, 0), *moves)}

    @property
    def asks_records(self) -> bool:
        """Whether its query may be one of numbers that the universe's records say."""
        of_said = self.query.proved is not None and not self.universe.numeric
        return of_said or self.query.inner is not None

    @property
    def given(self) -> Giver:
        """What makes datasets, of positions, as the query's function is given them."""
        return self.query.giver(self.universe)

    def count_datasets(self, limit: int) -> int:
        """How many datasets have to be answered, or a number above the limit."""
        for universe in (*self._by_column, self.universe):
            total = 0
            for size in sorted(self.sizes_answered):
                total += universe.count_at_least(size, limit)
                if total > limit:
                    return total
        return total

    @property
    def words_by_group(self) -> str:
        """Of a query by group, what else is solved, for the end of a message."""
        by_group = (
            " (by group, counts and sums alone are solved over all datasets: SUM.by and COUNT.by "
            "make a mean; one dataset is solved for VARIANCE and other exact queries of a column; "
            "where each group's size is public, ask each alone: under one change the largest is "
            "the answer)"
        )
        return by_group if self.query.grouping else ""

    @property
    def _by_column(self) -> list[Universe]:
        """The numbers of a column that is asked of by group: of fewer datasets."""
        of = uncut(self.query.grouping.of_what) if self.query.grouping else None
        rows = isinstance(of, str) and self.universe.source.one_row_each
        said = self.universe.said(of) if rows else ()
        plain = getattr(said, "dtype", None) in (np.int64, np.float64) and np.isfinite(said).all()
        return [Universe.of(said, "of", unlimited=self.universe.unlimited)] if plain else []

    @cached_property
    def records(self) -> int:
        """How many records all datasets have together; to be asked for few datasets only."""
        return sum(size * self.universe.count(size) for size in self.sizes_answered)

    def require_feasible(self) -> None:
        """Refuse a problem whose relation has no feasible direction."""
        if not self.plan:
            raise Infeasible(
                f"no direction of {self.relation} is feasible at size={self.size}: "
                f"{self.why_infeasible}"
            )

    @property
    def why_infeasible(self) -> str:
        """What stands in the way, in words: the first few reasons."""
        reasons = (*self.infeasible, *self.not_asked)
        rest = [f"and {len(reasons) - NAMED:,} more"] if len(reasons) > NAMED else []
        return "; ".join((*reasons[:NAMED], *rest)) or "no neighbour has a size in the range"

    @property
    def _need(self) -> str:
        return f"{self.query.name} needs at least {self.query.smallest_size}"

    def _is_asked(self, size: int, move: Move) -> bool:
        """Whether the neighbour's size is asked about: one in the range, any if there is none."""
        asked = self.size if isinstance(self.size, range) else self.neighbours_in
        return asked is None or size - move[0] + move[1] in asked

    def _obstacle(self, size: int, move: Move) -> str:
        """Why a dataset of `size` cannot make a move, or nothing."""
        removed, added = move
        if removed > size:
            return f"{_move_name(move)}: the dataset has {size} records"
        if size - removed + added < (self.query.smallest_size or 0):
            return f"{_move_name(move)}: leaves {size - removed + added} records, {self._need}"
        if size + added > self.universe.records:
            left = int(self.universe.records) - size
            return f"{_move_name(move)}: records left to add: {left}"
        return ""

    def _silence(self, size: int, move: Move) -> str:
        """Why a feasible move is not asked about, or nothing."""
        if 0 not in (size, size - move[0] + move[1]) or not self._failure:
            return ""
        where = "size 0:" if size == 0 else f"{_move_name(move)}: leaves 0 records, where"
        return f"{where} {self.query.name} {self._failure}"

    @cached_property
    def _failure(self) -> str:
        """What a function without a smallest size does on the empty dataset, if it fails."""
        if self.query.smallest_size is not None:
            return ""
        return _failure_on(self.given(()), self.query, self.any_answer)


class Limits(NamedTuple):
    """The most that may be done for a number of datasets, with the memory of a number of them."""

    datasets: int  # answered
    pairs: int  # visited by a walk
    passed: int  # datasets of all sizes that a sweep passes through
    held: int  # records that a walk holds
    read: int  # records that a sweep reads
    cells: int  # numbers in a sweep's table of ranks
    steps: int = 200_000  # of a sweep, one for each position and size
    counted: int = 4_000_000_000  # arithmetic to count the pairs of a walk

    @classmethod
    def of(cls, datasets: int, memory: int) -> Limits:
        """The limits for so many datasets, and the memory of others."""
        pairs = PAIRS_PER_DATASET * datasets
        return cls(datasets, pairs, 4 * datasets, 20 * memory, 100 * memory, 10 * memory)


@dataclass(frozen=True)
class Budget:
    """How many datasets a run may answer, whether it shows a bar, and who answers a callable."""

    max_datasets: int = MAX_DATASETS
    progress: bool = False
    executor: Executor | None = None

    def __post_init__(self) -> None:
        most = whole_number(self.max_datasets, "max_datasets", 1)
        object.__setattr__(self, "max_datasets", most)
        if not isinstance(self.progress, (bool, np.bool_)):
            raise TypeError(f"progress must be True or False, got {brief(self.progress)}")
        if self.executor is not None:
            _check_executor(self.executor)

    def check_queries(self, queries: Iterable[Query]) -> None:
        """Refuse queries that the executor, a pool of processes, cannot be sent."""
        if isinstance(self.executor, ProcessPoolExecutor):
            for query in queries:
                if query.rows is None:
                    _check_picklable(query)

    def bar(self, parts: Iterable[Item], **options: Any) -> Iterable[Item]:
        """Return `parts`, with a progress bar as they are taken if it is to be shown."""
        if not self.progress:
            return parts
        from tqdm.auto import tqdm  # in a notebook it loads the widgets

        return tqdm(parts, **options)  # type: ignore[no-any-return]

    @property
    def most(self) -> Limits:
        """What is refused if it is passed; a small `max_datasets` leaves the memory as it is."""
        return Limits.of(self.max_datasets, max(self.max_datasets, MAX_DATASETS))

    @property
    def quick(self) -> Limits:
        """What is enumerated without asking the solver first."""
        few = min(AT_ONCE, self.max_datasets)
        return Limits.of(few, few)


def _check_executor(executor: Any) -> None:
    if isinstance(executor, type):
        raise TypeError(f"executor must be made first, as {executor.__name__}(4), got the class")
    if hasattr(executor, "get_executor"):
        raise TypeError(f"executor must be client.get_executor(), got {brief(executor)}")
    if not all(callable(getattr(executor, name, None)) for name in ("map", "submit")):
        raise TypeError(f"executor must be a concurrent.futures.Executor, got {brief(executor)}")


def _check_picklable(query: Query) -> None:
    try:
        pickle.dumps(query)
    except Exception as error:
        raise ValueError(
            f"executor is a pool of processes, which needs a function defined at the top of a "
            f"module: query {query.name} cannot be sent to one ({error}); define it there, or use "
            "a ThreadPoolExecutor"
        ) from error


def within_budget(count: int, limit: int, what: str) -> None:
    """Refuse to count past the limit; say what can be done."""
    if count > limit:
        raise TooLarge(
            f"at least {number_text(count)} {what} exceed the limit of {number_text(limit)}; "
            "raise max_datasets; ask for a smaller size or k; thin out the universe, to its ends "
            "and both sides of each constant in the query; ask sl.SUM, sl.MEAN or another standard "
            "query, which are solved; or let sl.audit(..., method='search') look for a lower bound"
        )


def require_few_moves(sizes: range, relation: Relation) -> None:
    """Refuse more sizes and moves than can be listed; none is."""
    asked = max(0, -((sizes.start - sizes.stop) // sizes.step))  # len() fails beyond 2⁶³
    if asked * len(relation.moves) > MOST_MOVES:
        raise TooLarge(
            f"size and relation must have at most {MOST_MOVES:,} sizes × moves, got "
            f"{number_text(asked)} sizes × {len(relation.moves):,} moves of {relation}: ask for "
            "fewer sizes or a smaller k"
        )


def _failure_on(nothing: Any, query: Query, any_answer: bool) -> str:
    """Call a query's function on the empty dataset; say how it fails, or nothing if it answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = query.function(nothing)
        except Exception as error:
            if _is_for_want(error):
                raise ValueError(
                    f"query {query.name} failed on the empty dataset, which does not say that it "
                    f"has no value there (a ValueError would): {told(error)}"
                ) from error
            return one_line(f"raised {told(error)}", LONGEST_REASON)
    try:
        if not any_answer:
            checked_answer(answer, query, nothing)
    except (TypeError, ValueError):
        return one_line(f"answered {brief(answer)}", LONGEST_REASON)
    return ""


def _is_for_want(error: BaseException | None) -> bool:
    """Whether an error, or one that it was raised from, is for want of something."""
    while error is not None:
        names = {kind.__name__ for kind in type(error).__mro__}
        if isinstance(error, LACKING) or names & LACKING_IN_DATABASES:
            return True
        error = error.__cause__
    return False


def _move_name(move: Move) -> str:
    """A move in words."""
    removed, added = move
    if removed == added:
        return f"change {removed}"
    parts = [f"remove {removed}"] * (removed > 0) + [f"add {added}"] * (added > 0)
    return " and ".join(parts)
