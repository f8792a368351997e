"""Entries of an answer in which records can lie,
and how a and b of them are put so that it gains most.

An entry that has x of the a and y of the b gains by how much the two can differ in it: a count
|x − y|, a sum what x and y of its records lie apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from sensitivity_lab.numbers.exact import Exact, RootGap, simplest
from sensitivity_lab.numbers.gap import Gap, Norm
from sensitivity_lab.proved.worst_pair import D, WorstPair


def score_of(gains: Iterable[Any], norm: Norm) -> Any:
    """What the gains of several entries add up to: the norm, of L2 its square, of L0 how many."""
    if norm == 0:
        return sum(int(gain > 0) for gain in gains)
    if norm == 2:
        return sum(gain * gain for gain in gains)
    return sum(gains) if norm == 1 else max(gains)


def in_norm(score: Exact, scale: int, norm: Norm) -> Gap:
    """The gap that a score of gains over `scale` stands for."""
    if norm == 2:
        return RootGap(simplest(Fraction(score, scale**2)), 0)
    return simplest(Fraction(score, scale if norm else 1))


class Ends(NamedTuple):
    """The lowest and the highest number of an entry whose records never run out; who has them."""

    low: Exact
    high: Exact
    lowest: Any
    highest: Any

    @property
    def reach(self) -> tuple[Exact, Exact]:
        """How far the ends lie from 0, up and down: the larger, and the smaller."""
        return max(self.high, -self.low), min(self.high, -self.low)

    def apart(self, x: int, y: int) -> Exact:
        """How far apart the sums of x and of y records can lie."""
        larger, smaller = self.reach
        return max(x, y) * larger + min(x, y) * smaller

    def records(self, x: int, y: int) -> tuple[Any, Any]:
        """The record of which the x, and that of which the y, are copies."""
        x_on_top = x * self.high - y * self.low == self.apart(x, y)
        return (self.highest, self.lowest) if x_on_top else (self.lowest, self.highest)


def between_ends(entries: Sequence[Ends], norm: Norm) -> D:
    """The best of a few splits over entries whose values never run out (thm-grouped-range)."""
    far = sorted(entries, key=lambda entry: entry.reach, reverse=True)
    front = far[:1]  # the others reach no further on either side than one of these
    for entry in far[1:]:
        if entry.reach[1] > front[-1].reach[1]:
            front.append(entry)

    def score(split: Sequence[tuple[Ends, int, int]]) -> Any:
        return score_of([entry.apart(x, y) for entry, x, y in split], norm)

    def d(c: int, a: int, b: int) -> WorstPair:
        # All in one entry, or the a in the farthest and the b in the next, or the other way.
        splits = [[(entry, a, b)] for entry in front]
        if len(far) > 1:
            splits += [[(far[0], a, 0), (far[1], 0, b)], [(far[0], 0, b), (far[1], a, 0)]]
        if norm == 0:
            splits += _one_to_an_entry(far, a, b)
        best = max(splits, key=score)
        told = [(entry.records(x, y), x, y) for entry, x, y in best]
        removed = [(high, x) for (high, _), x, _ in told]
        added = [(low, y) for (_, low), _, y in told]
        gap = in_norm(score(best), 1, norm)
        return WorstPair.of_copies(gap, [(entries[0].lowest, c)], removed, added)

    return d


def _one_to_an_entry(far: Sequence[Ends], a: int, b: int) -> list[list[tuple[Ends, int, int]]]:
    """Records of one side alone in each of as many entries as can be, if two or more."""
    reached = min(a + b, len(far))
    if reached < 2:
        return []
    # L0 counts entries: each gets one record of one side, as far as they go.
    of_a = min(a, max(reached - b, 1))
    sides = [(x, 0) for x in _shared_out(a, of_a)]
    sides += [(0, y) for y in _shared_out(b, reached - of_a)]
    return [[(entry, x, y) for entry, (x, y) in zip(far, sides, strict=False)]]


def _shared_out(records: int, entries: int) -> list[int]:
    """One record for each entry, and to the last all that are left."""
    return [1] * (entries - 1) + [records - entries + 1] if entries else []
