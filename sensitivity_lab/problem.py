"""A checked problem: which query, datasets and relation, what is feasible; and its budget."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterable, Iterator, Sized
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sensitivity_lab.extension import Asked
from sensitivity_lab.numbers.errors import Infeasible, TimeIsUp, TooLarge
from sensitivity_lab.numbers.exact import (
    brief,
    checked_seconds,
    name_of,
    proper_norm,
    told,
    whole_number,
)
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.numbers.text import number_text, one_line
from sensitivity_lab.queries import Query, checked_answer
from sensitivity_lab.relations import Move, Plan, Relation, check_relation
from sensitivity_lab.universe import Giver, Universe, check_universe

Size = int | range
Item = TypeVar("Item")
LONGEST_REASON = 100  # letters that say how a function fails on nothing
NAMED = 6  # reasons why nothing is feasible; of more the rest is counted
MOST_MOVES = 2_000_000  # sizes × moves of one problem: its plan lists them
MAX_DATASETS = 10_000_000
AT_ONCE = 1_000_000  # datasets: with more to answer, "auto" asks the solver first
LATE = 5  # seconds, after which a run shows a bar
GLIMPSE = 0.1  # of its seconds a run that is cut short looks for a lower bound
PAIRS_PER_DATASET = 20  # a walk may visit this many pairs for each dataset allowed
# What the machine lacks (memory, time, a connection) says nothing of the dataset; nor do the
# errors that every database module calls by these names (PEP 249).
LACKING = {"MemoryError", "OSError", "RuntimeError", "SystemError"}
LACKING |= {"InterfaceError", "InternalError", "OperationalError"}


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
        proper_norm(self.norm, known=(0, 1, 2))
        self.universe.source.check(self)
        if self.universe.has_missing and not self.query.takes_missing:
            raise ValueError(
                f"query {self.query.name} does not take missing records, got a universe that "
                "holds None; ask of a number in its place, as SUM.of(lambda x: x, missing=0) does, "
                "drop it, or wrap a callable in Query(..., takes_missing=True)"
            )
        sizes = self.sizes
        if not sizes:
            raise ValueError(f"size must name at least one size, got {brief(self.size)}")
        least, most = sorted((sizes[0], sizes[-1]))
        self.universe.checked_size(least)
        self.universe.checked_size(most)
        require_few_moves(sizes, self.relation)
        if most < (need := self.query.smallest_size or 0):
            raise ValueError(f"size must be at least {need} for {self.query.name}, got {self.size}")
        if self.asked is not None:
            self.asked.check(self)

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
        # A move is feasible, or something stands in its way, or the function fails on nothing.
        plan: Plan = {}
        infeasible: dict[str, None] = {}  # sets that keep their order
        not_asked: dict[str, None] = {}
        # A neighbour's size is asked about if it lies in the range; any is, if there is none.
        asked = self.size if isinstance(self.size, range) else self.neighbours_in
        need = f"{self.query.name} needs at least {self.query.smallest_size}"
        for size in self.sizes:
            if size < (self.query.smallest_size or 0):
                infeasible[f"size {size}: {need}"] = None
                continue
            feasible = []
            for move in self.relation.moves:
                other = size - move[0] + move[1]
                if asked is not None and other not in asked:
                    continue
                if obstacle := self._obstacle(size, move, need):
                    infeasible[obstacle] = None
                elif 0 in (size, other) and self._failure:
                    where = f"{_move_name(move)}: leaves 0 records, where" if size else "size 0:"
                    not_asked[f"{where} {self.query.name} {self._failure}"] = None
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

    @cached_property
    def sizes_answered(self) -> set[int]:
        """The sizes of all datasets and neighbours."""
        return {size + a - r for size, moves in self.plan.items() for r, a in ((0, 0), *moves)}

    @property
    def asked(self) -> Asked | None:
        """The query's function, where it is asked of what records say."""
        return self.query.function if isinstance(self.query.function, Asked) else None

    @property
    def given(self) -> Giver:
        """What makes datasets, of positions, as the query's function is given them."""
        return self.query.giver(self.universe)

    def count_datasets(self, limit: int) -> int:
        """How many datasets have to be answered, or a number above the limit."""
        fewer = self.asked.fewer(self.universe) if self.asked else None
        for universe in (fewer or self.universe, self.universe):  # too many of fewer are too many
            total = 0
            for size in sorted(self.sizes_answered):
                total += universe.count_at_least(size, limit)
                if total > limit:
                    return total
        return total

    @cached_property
    def records(self) -> int:
        """How many records all datasets have together; to be asked for few datasets only."""
        return sum(size * self.universe.count(size) for size in self.sizes_answered)

    def require_feasible(self) -> None:
        """Refuse a problem whose relation has no feasible direction."""
        if not self.plan:
            why = f"is feasible at size={self.size}: {self.why_infeasible}"
            raise Infeasible(f"no direction of {self.relation} {why}")

    @property
    def why_infeasible(self) -> str:
        """What stands in the way: the first few reasons."""
        reasons = [*self.infeasible, *self.not_asked]
        if len(reasons) > NAMED:
            reasons[NAMED:] = [f"and {len(reasons) - NAMED:,} more"]
        return "; ".join(reasons) or "no neighbour has a size in the range"

    def _obstacle(self, size: int, move: Move, need: str) -> str:
        """Why a dataset of `size` cannot make a move, or nothing."""
        removed, added = move
        if removed > size:
            return f"{_move_name(move)}: the dataset has {size} records"
        if size - removed + added < (self.query.smallest_size or 0):
            return f"{_move_name(move)}: leaves {size - removed + added} records, {need}"
        if size + added > self.universe.records:
            left = int(self.universe.records) - size
            return f"{_move_name(move)}: records left to add: {left}"
        return ""

    @cached_property
    def _failure(self) -> str:
        """What a function without a smallest size does on the empty dataset, if it fails."""
        if self.query.smallest_size is not None:
            return ""
        query, nothing = self.query, self.given(())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answer = query.function(nothing)
            except Exception as error:
                causes: list[BaseException] = [error]
                while cause := causes[-1].__cause__:
                    causes.append(cause)
                kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
                if kinds & LACKING:
                    raise ValueError(
                        f"query {query.name} failed on the empty dataset, which does not say that "
                        f"it has no value there (a ValueError would): {told(error)}"
                    ) from error
                return one_line(f"raised {told(error)}", LONGEST_REASON)
        try:
            if not self.any_answer:
                checked_answer(answer, query, nothing)
        except (TypeError, ValueError):
            return one_line(f"answered {brief(answer)}", LONGEST_REASON)
        return ""


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
    """What a run may take, whether it shows a bar (None: if it is long), and who answers."""

    max_datasets: int = MAX_DATASETS
    progress: bool | None = None
    executor: Executor | None = None
    seconds: float | None = None
    begun: float = 0

    def __post_init__(self) -> None:
        most = whole_number(self.max_datasets, "max_datasets", 1)
        object.__setattr__(self, "max_datasets", most)
        if not isinstance(self.progress, (bool, np.bool_, type(None))):
            raise TypeError(f"progress must be True, False or None, got {brief(self.progress)}")
        executor: Any = self.executor
        if isinstance(executor, type):
            name = name_of(executor)
            raise TypeError(f"executor must be made first, as {name}(4), got the class")
        if hasattr(executor, "get_executor"):
            raise TypeError(f"executor must be client.get_executor(), got {brief(executor)}")
        maps = all(callable(getattr(executor, name, None)) for name in ("map", "submit"))
        if executor is not None and not maps:
            got = brief(executor)
            raise TypeError(f"executor must be a concurrent.futures.Executor, got {got}")
        if self.seconds is not None:
            object.__setattr__(self, "seconds", checked_seconds(self.seconds))
        object.__setattr__(self, "begun", monotonic())

    def check_queries(self, queries: Iterable[Query]) -> None:
        """Refuse queries that the executor, a pool of processes, cannot be sent."""
        pooled = isinstance(self.executor, ProcessPoolExecutor)
        for query in queries if pooled else ():
            try:
                pickle.dumps(query if query.rows is None else None)
            except Exception as error:
                raise ValueError(
                    "executor is a pool of processes, which needs a function defined at the top of "
                    f"a module: query {query.name} cannot be sent to one ({error}); define it "
                    "there, or use a ThreadPoolExecutor"
                ) from error

    def bar(self, parts: Iterable[Item], **options: Any) -> Iterator[Item]:
        """Hand on some parts while there is time, with a bar at once or after a few seconds."""
        shown, late = None, monotonic() + (0 if self.progress else LATE)
        for done, part in enumerate(parts):
            now = monotonic()
            if self.seconds is not None and now - self.begun > (1 - GLIMPSE) * self.seconds:
                raise TimeIsUp
            if shown is None and now >= late and self.progress is not False:
                from tqdm.auto import tqdm  # in a notebook it loads the widgets

                total = len(parts) if isinstance(parts, Sized) else None
                shown = tqdm(initial=done, **{"total": total, **options})
            yield part
            if shown is not None:
                shown.update()
        if shown is not None:
            shown.close()

    @property
    def most(self) -> Limits:
        """What is refused if it is passed; a small `max_datasets` leaves the memory as it is."""
        return Limits.of(self.max_datasets, max(self.max_datasets, MAX_DATASETS))

    @property
    def quick(self) -> Limits:
        """What is enumerated without asking the solver first."""
        few = min(AT_ONCE, self.max_datasets)
        return Limits.of(few, few)


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


def _move_name(move: Move) -> str:
    """A move in words."""
    removed, added = move
    if removed == added:
        return f"change {removed}"
    parts = [f"remove {removed}"] * (removed > 0) + [f"add {added}"] * (added > 0)
    return " and ".join(parts)
