"""A checked question: which query, datasets and relation, and which moves are feasible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sensitivity_lab.enumeration import Plan
from sensitivity_lab.exact import checked_norm
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Move, Relation, check_relation
from sensitivity_lab.universe import Universe, check_universe

Size = int | range


@dataclass(frozen=True)
class Question:
    """One query, universe, size, relation and norm, checked; and what of it is feasible.

    >>> from sensitivity_lab import MEAN, AddRemove
    >>> question = Question(MEAN, Universe.population([1, 2, 3]), 1, AddRemove(1), norm=1)
    >>> question.plan
    {1: ((0, 1),)}

    Raises ValueError or TypeError for bad input, as `global_sensitivity`.
    """

    query: Query
    universe: Universe
    size: Size
    relation: Relation
    norm: float
    neighbours_in: range | None = None  # sizes of neighbours, where `size` is a whole number

    def __post_init__(self) -> None:
        check_universe(self.universe)
        check_relation(self.relation)
        checked_norm(self.norm)
        if self.universe.has_missing and not self.query.takes_missing:
            raise ValueError(
                f"query {self.query.name} does not take missing records, got a universe that "
                "holds None; wrap a callable in Query(..., takes_missing=True)"
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
                f"size must be at least {self.query.smallest_size} for {self.query.name}, "
                f"got size={self.size}"
            )

    @property
    def sizes(self) -> range:
        """The sizes of the datasets.

        >>> from sensitivity_lab import MEAN, Change
        >>> Question(MEAN, Universe.population([1, 2, 3]), 2, Change(1), norm=1).sizes
        range(2, 3)
        """
        if isinstance(self.size, range):
            return self.size
        size = self.universe.checked_size(self.size)
        return range(size, size + 1)

    @cached_property
    def _plan_and_obstacles(self) -> tuple[Plan, tuple[str, ...]]:
        plan: Plan = {}
        obstacles: dict[str, None] = {}  # a set that keeps its order
        for size in self.sizes:
            if size < self.query.smallest_size:
                obstacles[f"size {size}: {self._need}"] = None
                continue
            asked = [move for move in self.relation.moves if self._is_asked(size, move)]
            reasons = {move: self._obstacle(size, move) for move in asked}
            obstacles.update(dict.fromkeys(reason for reason in reasons.values() if reason))
            if feasible := tuple(move for move, reason in reasons.items() if not reason):
                plan[size] = feasible
        return plan, tuple(obstacles)

    @property
    def plan(self) -> Plan:
        """The feasible moves from each size.

        >>> from sensitivity_lab import MEAN, Change
        >>> Question(MEAN, Universe.population([1, 2, 3]), range(1, 4), Change(1), norm=1).plan
        {1: ((0, 0), (1, 1)), 2: ((0, 0), (1, 1)), 3: ((0, 0),)}

        Cost: linear in sizes × moves, once.
        """
        return self._plan_and_obstacles[0]

    @property
    def infeasible(self) -> tuple[str, ...]:
        """What no dataset of these sizes can do, and why.

        >>> from sensitivity_lab import MEAN, AddRemove
        >>> Question(MEAN, Universe.population([1, 2, 3]), 1, AddRemove(1), norm=1).infeasible
        ('remove 1: leaves 0 records, mean needs at least 1',)

        Cost: as `plan`, with which it is found.
        """
        return self._plan_and_obstacles[1]

    @property
    def sizes_answered(self) -> set[int]:
        """The sizes of all datasets and neighbours.

        >>> from sensitivity_lab import MEAN, AddRemove
        >>> Question(MEAN, Universe.value_range([1, 2]), 2, AddRemove(1), norm=1).sizes_answered
        {1, 2, 3}

        Cost: linear in the plan.
        """
        return {size + a - r for size, moves in self.plan.items() for r, a in ((0, 0), *moves)}

    def require_feasible(self) -> None:
        """Refuse a question whose relation has no feasible direction.

        >>> from sensitivity_lab import MEAN, Change
        >>> Question(MEAN, Universe.value_range([1, 2]), 2, Change(1), norm=1).require_feasible()

        Cost: as `plan`. Raises ValueError, with every direction and its obstacle.
        """
        if not self.plan:
            raise ValueError(
                f"no direction of {self.relation} is feasible at size={self.size}: "
                f"{'; '.join(self.infeasible) or 'no neighbour has a size in the range'}"
            )

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
        if size - removed + added < self.query.smallest_size:
            return f"{_move_name(move)}: leaves {size - removed + added} records, {self._need}"
        if size + added > self.universe.records:
            left = int(self.universe.records) - size
            return f"{_move_name(move)}: records left to add: {left}"
        return ""


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
