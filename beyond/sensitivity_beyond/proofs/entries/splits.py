"""How a and b records are split over entries so that the norm of what these gain is largest.

An entry that has x of the a and y of the b gains by how much the two can differ in it: a count
|x − y|, a sum what x and y of its records lie apart. A table, one entry after another, has the best
split of every a and b at once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sensitivity_beyond.proofs.sorted_records import SortedRecords, Sums
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.splits import in_norm, score_of
from sensitivity_lab.proved.worst_pair import D, Run, WorstPair

MOST_CELLS = 30_000_000  # numbers in a table, 240 MB; beyond these a split is left to others
GROWTH = 1.25  # a table that is too small is made anew, by this much larger
IMPOSSIBLE = -1  # no score is negative

EntryPart = tuple[int, int, int]  # (position, x, y): that entry has x of the a and y of the b
Split = tuple[int, list[EntryPart]]  # its score, and the entries that have any


class Choice(NamedTuple):
    """So many of the a and of the b, and with them up to `pairs` more of each, for one gain."""

    x: int
    y: int
    pairs: int
    gain: int


class Entries(ABC):
    """Where records can be put; gains are whole numbers over `scale`."""

    scale: int = 1
    largest: int = 1  # the most that a record can add to an entry

    def at_once(self, a: int, b: int, norm: Norm) -> Split | None:
        """A split of a and b that is plainly the best."""
        return None

    @abstractmethod
    def choices(self, a: int, b: int, norm: Norm) -> Mapping[int, Sequence[Choice]]:
        """By entry what the best split of a and b, or of fewer, needs; fewer `pairs` come first."""

    def runs(self, position: int, x: int, y: int) -> tuple[Sequence[Run], Sequence[Run]]:
        """Of a population: records of an entry by which x of the a and y of the
        b have their gain."""
        raise NotImplementedError


class Splits:
    """The best splits of any a and b over some entries, in one norm."""

    def __init__(self, entries: Entries, norm: Norm) -> None:
        self.entries, self.norm = entries, norm
        self._tables: dict[tuple[bool, bool], _Table] = {}  # those of one side alone are small

    def best(self, a: int, b: int) -> Split | None:
        """The score of the best split, and what each used entry has; None if it costs too much."""
        if (plain := self.entries.at_once(a, b, self.norm)) is not None:
            return plain
        sides = a > 0, b > 0
        before_a, before_b = self._tables[sides].most if sides in self._tables else (-1, -1)
        if a > before_a or b > before_b:
            for most in ((_roomier(a, before_a), _roomier(b, before_b)), (a, b)):
                choices = self.entries.choices(*most, self.norm)
                if (len(choices) + 1) * (most[0] + 1) * (most[1] + 1) <= MOST_CELLS:
                    most_gain = sum(most) * self.entries.largest
                    self._tables[sides] = _Table(choices, most, self.norm, most_gain)
                    break
            else:
                return None
        return self._tables[sides].best(a, b)


def _roomier(number: int, before: int) -> int:
    """Room for a number: what there was, if that is enough."""
    return before if number <= before else max(number, math.ceil(GROWTH * before))


class _Table:
    """The best score of every a and b up to two numbers, over some entries, one after another."""

    def __init__(
        self,
        choices: Mapping[int, Sequence[Choice]],
        most: tuple[int, int],
        norm: Norm,
        most_gain: int,
    ) -> None:
        self.most, self.norm = most, norm
        self.choices = {
            i: [choice._replace(gain=score_of([choice.gain], norm)) for choice in of_entry]
            for i, of_entry in choices.items()
        }
        shape = (len(choices) + 1, most[0] + 1, most[1] + 1)
        # int64 holds the largest score with room to add another
        dtype = np.int64 if score_of([most_gain], norm) < 2**62 else object
        self.after = np.full(shape, IMPOSSIBLE, dtype=dtype)
        self.after[0, 0, 0] = 0
        for level, position in enumerate(self.choices):
            self._fill(self.after[level], self.after[level + 1], self.choices[position])

    def _fill(self, before: np.ndarray, after: np.ndarray, choices: Sequence[Choice]) -> None:
        """Add an entry; `beside` has the best where it holds any pairs for no gain."""
        after[:] = before
        beside, pairs = before.copy(), 0
        for x, y, most_pairs, score in choices:
            while pairs < most_pairs:
                pairs += 1
                with_pair = beside[pairs:, pairs:]
                np.maximum(with_pair, before[:-pairs, :-pairs], out=with_pair)
            reached = beside[: len(after) - x, : after.shape[1] - y]
            scores = self._with(reached, score)
            np.maximum(after[x:, y:], scores, out=after[x:, y:], where=reached >= 0)

    def _with(self, reached: np.ndarray, score: Any) -> np.ndarray:
        """Some scores with that of another entry."""
        both: np.ndarray = np.maximum(reached, score) if self.norm == math.inf else reached + score
        return both

    def best(self, a: int, b: int) -> Split:
        """The best score of some a and b, and what each used entry has."""
        score, parts = int(self.after[-1, a, b]), []
        for level, (position, choices) in reversed([*enumerate(self.choices.items())]):
            before, held = self.after[level], self.after[level + 1, a, b]
            if before[a, b] != held:
                x, y = self._chosen(before[: a + 1, : b + 1], held, choices)
                parts.append((position, x, y))
                a, b = a - x, b - y
        return score, parts[::-1]

    def _chosen(self, before: np.ndarray, held: Any, choices: Sequence[Choice]) -> tuple[int, int]:
        """How many of each an entry has in the split that has a score, the last of its table."""
        a, b = before.shape
        for x, y, pairs, score in choices:
            if x < a and y < b:
                reached = before[a - 1 - x :: -1, b - 1 - y :: -1].diagonal()[: pairs + 1]
                hits = np.flatnonzero((reached >= 0) & (self._with(reached, score) == held))
                if len(hits):
                    return x + int(hits[0]), y + int(hits[0])
        raise AssertionError("a score that no choice has")


def of_population(records: SortedRecords, entries: Entries, norm: Norm) -> D:
    """D by the best splits over entries that are runs of a population; any left are shared."""
    splits = Splits(entries, norm)

    def d(c: int, a: int, b: int) -> WorstPair | None:
        found = splits.best(a, b)
        if found is None:
            return None
        score, parts = found
        placed = [entries.runs(*part) for part in parts]
        higher, lower = ([run for part in placed for run in part[side]] for side in (0, 1))
        ends = [(0, 0), *sorted([*higher, *lower]), (len(records),) * 2]
        unused = [(stop, start) for (_, stop), (start, _) in pairwise(ends)]
        shared = cut(unused, 0, c)
        gap = in_norm(score, entries.scale, norm)
        return WorstPair(gap, tuple(shared), tuple(higher), tuple(lower), records)

    return d


def cut(runs: Iterable[Run], skipped: int, count: int) -> list[Run]:
    """So many records of some runs, after the first few."""
    parts = []
    for start, stop in runs:
        first = min(start + skipped, stop)
        last = min(first + count, stop)
        skipped, count = skipped - (first - start), count - (last - first)
        parts += [(first, last)] * (first < last)
    return parts


# --- sums by group: an entry for each, and a group that has no record counts 0 (thm-grouped-sum) --


class Groups(Entries):
    """How far apart the sums of x and of y different records of a group can lie.

    Each group is a run of the records, ascending in `records.whole`; every record is in one.
    """

    def __init__(self, records: SortedRecords, runs: np.ndarray) -> None:
        self.starts, self.stops = runs.T
        self.sizes = self.stops - self.starts
        self.scale, whole = records.scale, records.whole
        # sorted by group first, so the largest need not be at an end
        self.largest = max(abs(int(whole.min())), abs(int(whole.max())))
        self.sums = Sums(whole, self.largest)
        self._ranked = lru_cache(maxsize=None)(self._rank)

    def choices(self, a: int, b: int, norm: Norm) -> Mapping[int, Sequence[Choice]]:
        """Of the groups that can have x and y only the few widest (thm-grouped-few)."""
        found: dict[int, list[Choice]] = defaultdict(list)
        for x in range(min(max(a, b), self.sizes.max()) + 1):
            for y in range(min(x, a, b, self.sizes.max() - x) + 1):
                most = a + b - x - y + 1
                # asked for powers of two, so that it is seldom asked anew
                ranked = self._ranked(x, y, 1 << most.bit_length()) if x else []
                for group, gain in ranked[:most]:
                    sides = dict.fromkeys([(x, y), (y, x)])  # a set's order is not the browser's
                    found[group] += [Choice(*s, 0, gain) for s in sides if s[0] <= a and s[1] <= b]
        return dict(sorted(found.items()))

    def _rank(self, x: int, y: int, most: int) -> list[tuple[int, int]]:
        """The `most` groups where they lie furthest apart: (group, how far), the widest first."""
        held = np.flatnonzero(self.sizes >= x + y)
        starts, stops = self.starts[held], self.stops[held]
        apart = np.maximum(
            self.sums.whole(stops - x, stops) - self.sums.whole(starts, starts + y),
            self.sums.whole(stops - y, stops) - self.sums.whole(starts, starts + x),
        )
        if most < len(held):
            enough = apart >= np.partition(apart, -most)[-most]
            held, apart = held[enough], apart[enough]
        order = np.argsort(-apart, kind="stable")[:most]
        return list(zip(held[order].tolist(), apart[order].tolist(), strict=True))

    def runs(self, position: int, x: int, y: int) -> tuple[Sequence[Run], Sequence[Run]]:
        """The highest of one and the lowest of the other."""
        start, stop = int(self.starts[position]), int(self.stops[position])
        x_on_top = [(stop - x, stop)], [(start, start + y)]
        y_on_top = [(start, start + x)], [(stop - y, stop)]
        (high, low), (lower, higher) = (map(self.sums.exact, runs) for runs in (x_on_top, y_on_top))
        return x_on_top if high - low >= higher - lower else y_on_top
