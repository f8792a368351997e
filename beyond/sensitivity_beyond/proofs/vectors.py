"""Counts and sums by group over people: each adds a vector to the answer (thm-people-vectors).

A person's vector holds what their rows add to each group. Two neighbours' answers differ by what
the a people of one add less what the b people of the other add, so neither whom they share nor how
many matters: D(c, a, b) is the largest norm of such a difference.

    rows of a person   (tea, 3) (tea, 4) (milk, 1)      their vector of SUM.by   tea 7, milk 1

Few people need to be looked at: the norm of a difference is at most the sum of the norms. So those
with the largest norms come first, and a search ends where nobody left can reach beyond the best.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, chain, repeat, zip_longest
from typing import Any

import numpy as np

from sensitivity_beyond.proofs.groups import codes_by_group
from sensitivity_beyond.tables.asking import Grouping
from sensitivity_beyond.tables.columns import Always, Said, numbers_of
from sensitivity_beyond.tables.lifting import Members
from sensitivity_beyond.tables.people import OfOneRow, Persons, people_or_none
from sensitivity_beyond.tables.rows import Rows
from sensitivity_lab.numbers.exact import is_real
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.splits import in_norm
from sensitivity_lab.proved.worst_pair import CopiesAt, D, WorstPair
from sensitivity_lab.records import in_whole_numbers
from sensitivity_lab.universe import Indices, Universe

MOST_STEPS = 200_000_000  # numbers that a search adds: seconds
MOST_CELLS = 40_000_000  # numbers in its table
AT_ONCE = 1_000_000  # of them added up at a time
A_NODE = 5_000  # a pick that goes on takes as long as so many of them
FIRST = 1_000  # people of the largest norms, for each who is picked
MOST_PICKED = 60  # people, one after another

Many = np.ndarray | None  # how often each of m people can be picked, (m,)
Pick = tuple[int, list[int], list[int]]  # a score, and the a and the b people that have it


@dataclass(frozen=True, eq=False)
class Vectors:
    """What each of m people adds to the groups: N entries in the people's order, none of them 0."""

    people: int
    person: np.ndarray  # whose each entry is, (N,)
    group: np.ndarray
    whole: np.ndarray  # over `scale`
    scale: int

    @classmethod
    def of(cls, people: Persons, grouping: Grouping, norm: Norm) -> Vectors | None:
        """What everybody adds to a count or a sum by group; None where it is neither."""
        adds = grouping.query.proved.adds if grouping.query.proved else None
        by_keys = norm or grouping.keys is not None  # else L0 tells a key at 0 from none
        if adds is None or not (by_keys or adds == "one"):
            return None
        rows = Universe(Rows(people.natives[None], "rows"), False, None)
        says = numbers_of(rows, Always(1) if adds == "one" else grouping.of_what)
        if not isinstance(says, np.ndarray) and not all(map(is_real, says)):
            return None
        whole, scale = in_whole_numbers(says)
        codes, known = codes_by_group(rows, grouping.by_what, grouping.keys)
        order, starts = people.order[None], people.starts[None]
        whose = np.repeat(np.arange(len(starts) - 1, dtype=np.int64), np.diff(starts))
        counts = codes[order] < (known if grouping.keys is not None else math.inf)
        whose, codes, whole = whose[counts], codes[order][counts], whole[order][counts]
        if len(whole) and len(whole) * int(np.abs(whole).max()) >= 2**62:
            whole = whole.astype(object)
        groups = int(codes.max(initial=0)) + 1
        entry = whose * groups + codes
        in_order = np.argsort(entry, kind="stable")
        begins = np.flatnonzero(np.diff(entry[in_order], prepend=-1))
        sums = np.add.reduceat(whole[in_order], begins) if len(begins) else whole
        there = sums != 0
        person, group = np.divmod(entry[in_order][begins][there], groups)
        return cls(len(starts) - 1, person, group, sums[there], scale)

    def reaches(self, norm: Norm) -> np.ndarray:
        """The norm of each person's vector, of L2 its square, (m,)."""
        size = np.abs(self.whole)
        if norm == 0:
            size = np.ones(len(size), dtype=np.int64)
        elif norm == 2:
            large = len(size) and int(size.max()) ** 2 * len(size) >= 2**62
            size = (size.astype(object) if large else size) ** 2
        found = np.zeros(self.people, dtype=size.dtype)
        np.add.at(found, self.person, size)
        return found

    @property
    def are_aligned(self) -> bool:
        """Whether no group has entries of both signs."""
        up, down = (self.group[sign] for sign in (self.whole > 0, self.whole < 0))
        return not len(np.intersect1d(up, down))


class Furthest:
    """Which a of some people, and which b of others, lie furthest apart."""

    def __init__(self, vectors: Vectors, norm: Norm, own: Many = None, spare: Many = None) -> None:
        """`own` says how often each person can be among the a, `spare` among the b. Without `spare`
        nobody is on both sides; without either none runs out."""
        self.vectors, self.norm, self.own, self.spare = vectors, norm, own, spare
        self.reaches = vectors.reaches(1 if norm == math.inf else norm)
        self.ask = cache(self._ask)

    def _ask(self, a: int, b: int) -> Pick | None:
        """The widest for some a and b; None where no search finds it soon."""
        own = np.full(self.vectors.people, a + b, dtype=np.int64) if self.own is None else self.own
        spare = own if self.spare is None else self.spare
        if self.norm == math.inf:
            return self._in_one_group(a, b, own, spare)
        useful = np.flatnonzero(own + spare)
        order = useful[np.argsort(-self.reaches[useful], kind="stable")]
        number = FIRST * (a + b)
        while True:
            try:
                return Search(self, order, number, (a, b), (own, spare)).widest()
            except NotSettled:
                if number >= len(order):
                    return None
                number *= 8

    def _in_one_group(self, a: int, b: int, own: np.ndarray, spare: np.ndarray) -> Pick:
        """In L∞ one group decides: there the a have the most and the b the least, or turned."""
        of, by_group = self.vectors, np.argsort(self.vectors.group, kind="stable")
        person, whole = of.person[by_group], of.whole[by_group]
        begins = np.flatnonzero(np.diff(of.group[by_group], prepend=-1))
        ends = [*begins.tolist(), len(whole)]
        high, low = (
            f(f.reduceat(whole, begins), 0) if len(begins) else begins
            for f in (np.maximum, np.minimum)
        )
        most = np.maximum(a * high - b * low, b * high - a * low)
        everybody = np.arange(of.people, dtype=np.int64)
        best: Pick = 0, _first(own, a, everybody), _first(spare, b, everybody[::-1])
        for i in np.argsort(-most, kind="stable").tolist():
            if most[i] <= best[0]:
                break
            column = np.zeros(of.people, dtype=whole.dtype)
            column[person[ends[i] : ends[i + 1]]] = whole[ends[i] : ends[i + 1]]
            ascending = np.argsort(column, kind="stable")
            for turned in (ascending[::-1], ascending):
                sides = _first(own, a, turned), _first(spare, b, turned[::-1])
                most_of_a, least_of_b = (int(column[of].sum(dtype=whole.dtype)) for of in sides)
                score = abs(most_of_a - least_of_b)
                best = max(best, (score, sides[0], sides[1]), key=lambda pick: pick[0])
        return best


def _first(many: np.ndarray, n: int, order: np.ndarray) -> list[int]:
    """The first n people of an order, each as often as there are."""
    found: list[int] = np.repeat(order, np.minimum(many[order], n))[:n].tolist()
    return found


class NotSettled(Exception):
    """Others may be in the widest pick, or a search would take too long."""


class Search:
    """The widest pick among the people who have the largest norms.

    People of one vector are a kind. Kinds are picked in turn, the larger norms first, while what
    is left to pick can reach beyond the best.
    """

    def __init__(
        self,
        of: Furthest,
        order: np.ndarray,
        number: int,
        picks: tuple[int, int],
        many: tuple[np.ndarray, np.ndarray],
    ) -> None:
        self.of, self.norm, self.picks, self.many = of, of.norm, picks, many
        self.shared = of.spare is None and of.own is not None
        self.kinds = self._kinds(order[:number])
        self.left = [
            [int(side[kind].sum(dtype=np.int64)) for kind in self.kinds.values()] for side in many
        ]
        reaches = list(map(int, of.reaches[order[: number + 1]]))
        # Norms are whole numbers; roots, which L2 needs, are rounded up after so many digits.
        self.digits = 64 + max(reaches, default=0).bit_length() if of.norm == 2 else 0
        self.reach = [self._root(int(of.reaches[kind[0]])) for kind in self.kinds.values()]
        self.are_all = number >= len(order)
        self.outside = 0 if self.are_all else self._root(reaches[number])
        self.aligned = of.norm == 2 and of.vectors.are_aligned
        self.table = self._table()
        self.steps = 0

    def _kinds(self, people: np.ndarray) -> dict[Any, list[int]]:
        """The people of each vector."""
        of, kinds = self.of.vectors, dict[Any, list[int]]()
        begins, ends = (np.searchsorted(of.person, people, side) for side in ("left", "right"))
        for person, begin, end in zip(people.tolist(), begins.tolist(), ends.tolist(), strict=True):
            vector = tuple(of.group[begin:end].tolist()), tuple(of.whole[begin:end].tolist())
            kinds.setdefault(vector, []).append(person)
        return kinds

    def _table(self) -> np.ndarray:
        """The vector of each kind, (kinds, groups)."""
        groups = dict.fromkeys(chain.from_iterable(of for of, _ in self.kinds))
        place = {group: i for i, group in enumerate(groups)}
        if len(self.kinds) * len(place) > MOST_CELLS:
            raise NotSettled
        largest = max((abs(n) for _, numbers in self.kinds for n in numbers), default=0)
        small = (largest * sum(self.picks)) ** 2 * len(place) < 2**62
        table = np.zeros((len(self.kinds), len(place)), dtype=np.int64 if small else object)
        for row, (of, numbers) in zip(table, self.kinds, strict=True):
            row[[place[group] for group in of]] = numbers
        return table

    def widest(self) -> Pick:
        """The widest pick. Raises NotSettled."""
        a, b = self.picks
        # At once the largest norms; then copies of one person; then one after another.
        counts = [np.zeros(len(self.table), dtype=np.int64)]
        for left, n in zip(self.left, self.picks, strict=True):
            free = np.array(left, dtype=np.int64) - (counts[-1] if self.shared else 0)
            counts.append(np.diff(np.minimum(np.cumsum(free, dtype=np.int64), n), prepend=0))
        self.found = [[*Counter(dict(enumerate(of.tolist()))).elements()] for of in counts[1:]]
        are_enough = [*map(len, self.found)] == [a, b]
        apart = (counts[1] - counts[2]) @ self.table
        self.best = int(self._scores(apart[None])[0]) if are_enough else -1
        nothing = np.zeros(self.table.shape[1], dtype=self.table.dtype)
        steps = [(max(a, 1), max(b, 1)), (1, 1)]
        if self.of.own is None and self.norm:
            steps.pop()  # nobody runs out: copies of one person are as good as any
        for step in steps:
            self._prepare(step)
            if self._most([0], self.turns) > self.best:
                if sum(self.turns) > MOST_PICKED:
                    raise NotSettled
                self._extend([], [nothing, nothing])
        with_outside = (([self.outside, 0], (a - 1, b)), ([0, self.outside], (a, b - 1)))
        for reached, turns in with_outside:
            if not self.are_all and min(turns) >= 0 and self._most(reached, turns) > self.best:
                raise NotSettled
        people: list[list[int]] = []
        for found, many in zip(self.found, self.many, strict=True):
            taken, chosen = set(chain(*people)), list[int]()
            for kind, times in Counter(found).items():
                of_kind = [*self.kinds.values()][kind]
                others_first = np.array(sorted(of_kind, key=taken.__contains__), dtype=np.int64)
                chosen += _first(many, times, others_first)
            people.append(chosen)
        return self.best, people[0], people[1]

    def _prepare(self, step: tuple[int, int]) -> None:
        """Pick so many of a kind at a time."""
        self.step, (a, b) = step, self.picks
        self.turns = a // step[0], b // step[1]
        # Of each side the kinds' reaches, each as often as it can be picked.
        self.begins, self.sums = [], []
        for of, s, n in zip(self.left, step, self.turns, strict=True):
            times = [min(left // s, n) for left in of]
            each = chain(chain.from_iterable(map(repeat, self.reach, times)), [self.outside] * n)
            self.begins.append([0, *accumulate(times)])
            self.sums.append([0, *accumulate(s * reach for reach in each)])

    def _extend(self, picked: list[int], sums: list[np.ndarray]) -> None:
        """Pick on; what was picked, first for one side, has these sums on the two."""
        turn, size, a = len(picked), len(self.reach), self.turns[0]
        side = int(turn >= a)
        kind = picked[-1] if turn > side * a else 0
        left = max(a - turn, 0), self.turns[1] - max(turn - a, 0)
        apart, step = sums[0] - sums[1], self.step[side]
        # The norms of what was picked: of both sides, or of what they are apart.
        of = np.stack(sums if self.aligned else [apart])
        reached = [self._root(int(score)) for score in self._scores(of)]

        def is_short(i: int) -> bool:
            return self._most(reached, left, i) <= self.best

        def is_left(i: int) -> bool:  # enough people of a kind, for another pick
            before = (
                self.step[at >= a]
                for at, other in enumerate(picked)
                if other == i and (self.shared or (at >= a) == side)
            )
            return self.left[side][i] - sum(before) >= step

        if sum(left) > 1:
            self._count(A_NODE)
            for i in range(kind, size):
                if is_short(i):
                    return
                if is_left(i):
                    more = sums[side] + step * self.table[i]
                    self._extend([*picked, i], [sums[0], more] if side else [more, sums[1]])
            return
        # The last pick: all kinds that can reach beyond the best, many at a time.
        sign, rows = step * (1 - 2 * side), max(1, AT_ONCE // max(1, self.table.shape[1]))
        while kind < (enough := bisect_left(range(size), True, kind, size, key=is_short)):
            stop = min(enough, kind + rows)
            self._count((stop - kind) * self.table.shape[1])
            scores = self._scores(apart + sign * self.table[kind:stop])
            for i in np.argsort(-scores, kind="stable").tolist():
                if scores[i] <= self.best:
                    break
                if is_left(kind + i):
                    every = [*picked, kind + i]
                    self.best, sides = int(scores[i]), (every[:a], every[a:])
                    self.found = [of.tolist() for of in map(np.repeat, sides, self.step)]
            kind = stop

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise NotSettled

    def _scores(self, apart: np.ndarray) -> np.ndarray:
        """The norm of some vectors, of L2 its square, (N,)."""
        if self.norm == 0:
            return np.asarray(np.count_nonzero(apart, axis=1))
        found: np.ndarray = (np.abs(apart) if self.norm == 1 else apart * apart).sum(
            axis=1, dtype=apart.dtype
        )
        return found

    # -- what can be reached: whole numbers, of L2 roots rounded up after some binary digits

    def _root(self, square: int) -> int:
        if self.norm != 2:
            return square
        large = square << 2 * self.digits
        root = math.isqrt(large)
        return root + (root * root < large)

    def _most(self, reached: Sequence[int], left: tuple[int, int], kind: int = 0) -> int:
        """At least the score of what was picked with so many more on each side, from a kind on."""
        sides = zip(self.sums, self.begins, (kind, 0) if left[0] else (0, kind), left, strict=True)
        tops = [sums[begins[at] + n] - sums[begins[at]] for sums, begins, at, n in sides]
        if self.aligned:  # what two sides add has no negative product: |u − w|² ≤ |u|² + |w|²
            both = zip_longest(reached, tops, fillvalue=0)
            return sum((r + t) ** 2 for r, t in both) >> 2 * self.digits
        total = sum(reached) + sum(tops)
        return total**2 >> 2 * self.digits if self.norm == 2 else total


# -- over all datasets, and at one -----------------------------------------------------------------


def of_one_row(grouping: Grouping, people: Persons) -> Grouping:
    """The same, whose functions cannot take a row of some people for a person."""
    kind = people.row_kind, people.id if people.brings else ""
    by, of = (
        OfOneRow(what, *kind) if callable(what) and not isinstance(what, Said) else what
        for what in (grouping.by_what, grouping.of_what)
    )
    return replace(grouping, by_what=by, of_what=of)


def gaps_of_vectors(problem: Problem, people: Persons, grouping: Grouping) -> D | None:
    """D of a count or a sum by group over people, or None without a proof."""
    universe, norm = problem.universe, problem.norm
    vectors = Vectors.of(people, grouping, norm)
    if vectors is None:
        return None
    own = None if universe.unlimited else universe.counts
    furthest = Furthest(vectors, norm, own)

    def d(c: int, a: int, b: int) -> WorstPair | None:
        found = furthest.ask(a, b)
        if found is None:
            return None
        score, of_a, of_b = found
        gap = in_norm(score, vectors.scale, norm)
        if universe.unlimited:
            ours, theirs = Counter(of_a), Counter(of_b)
            both = ours & theirs  # a smaller change does as much
            common = [(0, c), *both.items()]
            parts = [common, (ours - both).items(), (theirs - both).items()]
            return WorstPair(gap).in_copies(parts, CopiesAt(universe))
        runs = ((a + b, a + b + c),), ((0, a),), ((a, a + b),)
        return WorstPair(gap, *runs, records=members(*of_a, *of_b))

    @cache
    def members(*picked: int) -> Members:
        everybody = np.arange(vectors.people, dtype=np.int64)
        return Members(universe, np.append(picked, np.delete(everybody, picked)).astype(np.int64))

    return d


def widest_of_vectors(problem: Problem, grouping: Grouping, dataset: Indices) -> WorstPair | None:
    """The widest gap at a dataset of people, with a neighbour, or None without a proof."""
    universe, norm, people = problem.universe, problem.norm, people_or_none(problem.universe)
    assert people is not None
    vectors = Vectors.of(people, of_one_row(grouping, people), norm)
    if vectors is None:
        return None
    own = np.bincount(dataset, minlength=vectors.people)
    moves = problem.plan[len(dataset)]
    free = universe.most_copies(len(dataset) + max(added for _, added in moves))
    furthest, best = Furthest(vectors, norm, own, free - own), (-1, list[int](), list[int]())
    for move in moves:
        if (found := furthest.ask(*move)) is None:
            return None
        best = max(best, found, key=lambda pick: pick[0])
    held = Counter(dataset)
    held.subtract(best[1])
    held.update(best[2])
    gap = in_norm(best[0], vectors.scale, norm)
    return WorstPair.between(gap, dataset, tuple(sorted(held.elements())), universe)
