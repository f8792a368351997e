"""A public size of each group: each is a problem of its own, and a split says which change (thm-grouped-local)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import brief, name_of, whole_number
from sensitivity_lab.numbers.gap import Norm, gap_between
from sensitivity_lab.of_and_by import Grouping, OfRecords
from sensitivity_lab.over_numbers import over_numbers
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.entries.bins import Histogram
from sensitivity_lab.proved.entries.one_dataset import MOST_ASKED, Furthest, widest_split
from sensitivity_lab.proved.worst_pair import CopiesAt, WorstPair
from sensitivity_lab.queries import Query
from sensitivity_lab.records.source import hashed
from sensitivity_lab.relations import Change, Move, Relation, check_relation
from sensitivity_lab.universe import Universe, check_universe

PLEASE = "where size is that of each group"


@dataclass(frozen=True)
class SizedGroup:
    """A group, how many of its records a dataset has, and what is asked of it."""

    universe: Universe
    size: int
    position: Sequence[int]  # of each of its values among those of the whole universe
    can_change: int  # records
    problems: Sequence[Problem]  # at most 1, 2, … of them change; none where its entry stays
    pairs: list[WorstPair] = field(default_factory=list)  # the widest of each problem

    def furthest(self, move: Move, norm: Norm) -> Furthest | None:
        """How far its entry moves at most where so many records change; None where so many cannot."""
        if move[0] > len(self.pairs):
            return None
        pair = self.pairs[move[0] - 1]
        gain = Fraction(pair.gap)  # type: ignore[arg-type]  # of a number, so no root
        return Furthest(int(gain > 0) if norm == 0 else gain, pair)

    def sides(self, pair: WorstPair | None) -> Iterator[dict[int, int]]:
        """Both sides of a pair, as copies at the whole universe's positions; without one any dataset twice."""
        if pair is not None:
            sides = list(map(pair.records.counted, pair.sides()))  # type: ignore[attr-defined]
        elif self.universe.unlimited:
            sides = [Counter({0: self.size})] * 2
        else:
            first = np.arange(self.size, dtype=np.intp)
            sides = [Counter(self.universe.source.positions_at(first).tolist())] * 2
        return ({self.position[at]: n for at, n in side.items()} for side in sides)


def checked_sizes(
    query: Query, universe: Universe, sizes: Mapping[Any, Any], relation: Relation
) -> dict[Any, int]:
    """The size of each group, where query, universe and relation are such that one can be public."""
    check_universe(universe)
    check_relation(relation)
    if query.grouping is None:
        raise TypeError(
            f"size must be a whole number or a range for {query.name}, got {brief(sizes)}: the size of "
            "each group is for a query by group, as MEAN.of('price').by('shop')"
        )
    if universe.holds_people:
        raise ValueError(
            f"universe must hold rows {PLEASE}, got {universe}, whose people may be in several groups: "
            "give the number of people, or make a universe of rows"
        )
    if type(relation) is not Change or not relation.restricts_columns:
        raise ValueError(
            f"relation must change records within their groups {PLEASE}, as "
            f"sl.Change({relation.k}, columns=['price']), got {relation}: else give one size, or a range"
        )
    return {key: whole_number(n, f"size[{brief(key)}]", 0) for key, n in sizes.items()}


def sized_groups(
    query: Query, universe: Universe, sizes: Mapping[Any, int], relation: Relation
) -> list[SizedGroup]:
    """The groups of a universe with what is asked of each, whose sizes are checked by name."""
    assert query.grouping
    assert isinstance(relation, Change)
    members = _members(universe, query.grouping, relation)
    if odd := [key for key in (*members, *sizes) if (key in members) != (key in sizes)]:
        missing, groups = odd[0] in members, f", none of {brief([*members])}"
        raise ValueError(
            "size must have an entry for each group of the universe, 0 where it has no records, and no "
            f"other, got {'none' if missing else 'one'} for {brief(odd[0])}{groups * (not missing)}"
        )
    for key, own in members.items():
        if not universe.unlimited and sizes[key] > len(own):
            raise ValueError(
                f"size[{brief(key)}] must be at most {len(own)}, the group's records in the universe, "
                f"got {brief(sizes[key])}"
            )
    asked = sum(min(relation.k, sizes[key]) for key in members)
    if asked > MOST_ASKED:
        raise TooLarge(
            f"size and relation must ask at most {MOST_ASKED:,} questions, one of each group for each "
            f"number of changes, got {asked:,}: ask for a smaller k"
        )
    return [_sized(query, universe, own, key, sizes[key], relation) for key, own in members.items()]


def _members(universe: Universe, grouping: Grouping, relation: Change) -> dict[Any, np.ndarray]:
    """The universe's m records by group, which none leaves when it changes."""
    said = universe.said(grouping.by_what, "by")
    keys = [hashed(key, "by") for key in (said.tolist() if isinstance(said, np.ndarray) else said)]
    cells, by = _cells(universe, relation), grouping.by_what
    moves = len({*zip(cells, keys, strict=True)}) > len({*cells})
    if moves or by in (relation.columns or ()):
        raise ValueError(
            f"relation must keep each record in its group {PLEASE}, got {relation}, which may change what "
            f"{by if isinstance(by, str) else name_of(by)} says: leave it out of columns, or give one size"
        )
    members: dict[Any, list[int]] = defaultdict(list)
    for i, key in enumerate(keys):
        members[key].append(i)
    return {key: np.array(own, dtype=np.int64) for key, own in members.items()}


def _cells(universe: Universe, relation: Relation) -> list[int]:
    """What a change keeps of each of a universe's m records, as equal numbers."""
    kept = np.array(relation.kept(universe.values), dtype=np.int64)
    cells: list[int] = kept[
        universe.source.positions_at(np.arange(len(universe.source), dtype=np.intp))
    ].tolist()
    return cells


def _sized(
    query: Query, universe: Universe, own: np.ndarray, key: Any, size: int, relation: Relation
) -> SizedGroup:
    """A group with what is asked of it."""
    assert query.grouping is not None
    inner, keys = query.grouping.query, query.grouping.keys
    group = _universe(universe, own)
    can_change = size if universe.unlimited else min(size, len(own) - size)
    problems: list[Problem] = []
    stays = inner.proved is not None and inner.proved.adds == "one"  # it counts records
    if not stays and size >= max(1, inner.smallest_size or 0) and (keys is None or key in keys):
        alone = _alone(query)
        free = _free(alone, group, relation)
        group = group if free is None else _universe(group, free)
        for k in range(1, min(relation.k, can_change) + 1):
            one = replace(relation, k=k) if free is None else Change(k)
            problems.append(Problem(alone, group, size, one, 1))
    position_of = universe.source.position_of
    return SizedGroup(
        group, size, [position_of[value] for value in group.values], can_change, problems
    )


def _universe(universe: Universe, members: np.ndarray) -> Universe:
    return Universe.of(universe.source.at(members), "universe", unlimited=universe.unlimited)


def _alone(query: Query) -> Query:
    """What a query by group asks of one group: a number that solvers know, or else the same."""
    grouping = query.grouping
    assert grouping is not None
    inner: Query = grouping.query
    of = grouping.of_what
    if inner.proved and not inner.root and not isinstance(inner.proved, Histogram):
        if of is not None:
            known = inner.smallest_size, inner.takes_missing
            return Query(query.name, OfRecords(inner, of), *known, proved=inner.proved)
        if inner.proved.of_anything:
            return inner
    return replace(query, function=replace(grouping, keys=None))


def _free(alone: Query, group: Universe, relation: Relation) -> np.ndarray | None:
    """Records that change into each other freely, and say all that the group says; None if none do."""
    cells = np.array(_cells(group, relation), dtype=np.int64)
    if len({*cells.tolist()}) == 1:
        return np.arange(len(cells), dtype=np.int64)
    over = over_numbers(alone, group) if group.unlimited else None
    if over is None:  # a function of your own may depend on the order of a group's rows
        return None
    said = group.numbers_of(over.of_what)
    told = [hashed(one, "of") for one in (said.tolist() if isinstance(said, np.ndarray) else said)]
    for cell in dict.fromkeys(cells.tolist()):
        alike = np.flatnonzero(cells == cell)
        if len({told[i] for i in alike.tolist()}) == len({*told}):
            return alike
    return None


def widest_of_groups(problem: Problem, groups: Sequence[SizedGroup]) -> WorstPair:
    """The widest pair of datasets of these sizes, where each group has its own pairs."""
    k = min(problem.relation.k, sum(len(group.pairs) for group in groups))
    moves = [(j, j) for j in range(k + 1)]
    split = widest_split(groups, moves, moves[1:], problem.norm)
    if split is None:
        raise TooLarge(f"k must be smaller for so many groups, got {problem.relation}")
    here, there = Counter[int](), Counter[int]()
    for i, group in enumerate(groups):
        for both, side in zip((here, there), group.sides(split[1].get(i)), strict=True):
            both.update(side)
    gap, inner = split[0], problem.query.grouping and problem.query.grouping.query
    if inner and (inner.root or inner.proved is None):  # their own arithmetic says how far apart
        sides = [tuple(sorted(side.elements())) for side in (here, there)]
        gap = gap_between(problem.norm, False)(*problem.query.answers(problem.given, sides))
    parts = (side.items() for side in (here & there, here - there, there - here))
    return WorstPair(gap).in_copies(parts, CopiesAt(problem.universe))
