"""Any query by group at one dataset: each group is a problem of one column (thm-grouped-local).

What leaves a group and what joins it moves that group's answer alone. So a group gains by how far
its furthest neighbour with x fewer and y more records lies, and a split says which groups have
which x and y.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from fractions import Fraction
from heapq import nlargest
from itertools import accumulate
from typing import NamedTuple

from sensitivity_beyond.proofs.entries.splits import Choice, Entries, EntryPart, Splits
from sensitivity_beyond.proofs.routes import on_dataset
from sensitivity_beyond.proofs.sorted_records import Pool, joined
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Gap, Norm, common_denominator
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.splits import in_norm
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices, Universe

MOST_ASKED = 50_000  # groups × ways
MOST_STEPS = 100_000_000  # ways × cells of a table; both are seconds


@dataclass(frozen=True)
class Asked:
    """What every group is asked."""

    family: Family
    answers: Callable[[Universe, Sequence[Indices]], Sequence[Exact]]  # on datasets of one size
    smallest: int  # of fewer records a group counts 0
    has_keys: bool  # else the answer has no entry for such a group


class Furthest(NamedTuple):
    """How far the furthest neighbour of a group's records lies, and it."""

    gain: Exact
    neighbour: Indices


@dataclass(frozen=True)
class Group:
    """The numbers in a group: those of the dataset, and the spare ones;
    what counts nowhere is not asked."""

    pool: Pool
    asked: Asked | None

    def furthest(self, move: Move, norm: Norm) -> Furthest | None:
        """The furthest neighbour by a move; None where there is none such.
        Raises NotKnown without a proof."""
        (x, y), own, spare = move, self.pool.own, self.pool.spare
        if x > len(own) or y > len(spare):
            return None
        some = joined(own[x:], spare[:y])
        if self.asked is None:
            return Furthest(0, some)
        found = [some]
        if len(some) >= self.asked.smallest:
            found = list(on_dataset(self.asked.family, self.pool, move, norm) or ())
        if not found:
            raise NotKnown
        (here,), there = self._answers([self.pool.dataset]), self._answers(found)
        apart = [abs(Fraction(answer - here)) for answer in there]
        gain = max(apart)
        furthest = found[apart.index(gain)]
        if norm == 0:  # whether the entry differs, if only by being there
            return Furthest(int(gain > 0 or self._is_there(own) != self._is_there(some)), furthest)
        return Furthest(gain, furthest)

    def _is_there(self, records: Sized) -> bool:
        """Whether an answer has an entry for some records of the group."""
        assert self.asked
        return self.asked.has_keys or len(records) >= max(1, self.asked.smallest)

    def _answers(self, datasets: Sequence[Indices]) -> Sequence[Exact]:
        assert self.asked
        if len(datasets[0]) < self.asked.smallest:
            return [0]
        return self.asked.answers(self.pool.universe, datasets)


class NotKnown(Exception):
    """A group is too large for what is proved of it."""


class Gains(Entries):
    """What groups gain by the ways in which a few records can leave and join them."""

    def __init__(self, groups: Sequence[Group], ways: Sequence[Move], norm: Norm) -> None:
        self.furthest: dict[tuple[int, int, int], Furthest] = {}
        most = max(map(sum, ways))
        for x, y in ways:
            all_of_them = ((i, group.furthest((x, y), norm)) for i, group in enumerate(groups))
            held = [(i, found) for i, found in all_of_them if found]
            # of the groups that can have x and y only the few widest (thm-grouped-few)
            for i, found in nlargest(most - x - y + 1, held, key=lambda one: one[1].gain):
                self.furthest[i, x, y] = found
        gains = [found.gain for found in self.furthest.values()]
        self.whole, self.scale = common_denominator(gains)
        self.largest = max(self.whole, default=0)

    def choices(self, a: int, b: int, norm: Norm) -> Mapping[int, Sequence[Choice]]:
        found: dict[int, list[Choice]] = defaultdict(list)
        for (i, x, y), gain in zip(self.furthest, self.whole, strict=True):
            if x <= a and y <= b:
                found[i].append(Choice(x, y, 0, gain))
        return dict(sorted(found.items()))


def ways_of(moves: Sequence[Move], limit: int) -> list[Move] | None:
    """How many of a group's records can leave and join it by some moves; None of too many ways."""
    reach = [0] * (1 + max(removed for removed, _ in moves))
    for removed, added in moves:
        reach[removed] = max(reach[removed], added)
    reach = [*accumulate(reversed(reach), max)][::-1]  # a group may have fewer of those that leave
    if len(reach) + sum(reach) > limit:
        return None
    return [(x, y) for x, most in enumerate(reach) for y in range(most + 1) if x + y]


def widest_split(
    groups: Sequence[Group], moves: Sequence[Move], ways: Sequence[Move], norm: Norm
) -> tuple[Gap, dict[int, Indices]] | None:
    """The widest gap by some moves, and by group the neighbour of its records;
    None without a proof."""
    if not ways:
        return 0, {}
    leaving, joining = (max(side) + 1 for side in zip(*moves, strict=True))
    few = sum(min(len(groups), leaving + joining - x - y) for x, y in ways)
    if few * leaving * joining > MOST_STEPS:
        return None
    try:
        gains = Gains(groups, ways, norm)
    except NotKnown:
        return None
    splits, best = Splits(gains, norm), (-1, list[EntryPart]())
    for move in sorted(moves, key=sum):
        found = splits.best(*move)
        if found is None:
            return None
        best = max(best, found, key=lambda split: split[0])
    neighbours = {i: gains.furthest[i, x, y].neighbour for i, x, y in best[1]}
    return in_norm(best[0], gains.scale, norm), neighbours
