"""The local sensitivity of one dataset without enumerating its neighbours, where that is proved.

By a move (r, a) the dataset S gives up r of its own records and takes a of the spare ones. Which
ones, thm-local on the book's page of proofs says: for a monotone query the lowest for the highest,
or the other way round; for a spread a run of S for the outermost spare records, or the outermost
of S for a run of spare ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.exact import Exact
from sensitivity_lab.gap import Gap, gap_between
from sensitivity_lab.methods.solver import Room, best_split
from sensitivity_lab.problem import Problem
from sensitivity_lab.queries import answers_at
from sensitivity_lab.relations import Move, Plan
from sensitivity_lab.universe import Indices

MONOTONE = ("sum", "mean", "quantile")
SPREADS = ("variance", "std")


def solve_local(problem: Problem, dataset: Indices) -> tuple[Gap, Indices] | None:
    """Return the widest gap at a dataset and a neighbour that has it, or None without a proof.

    >>> from sensitivity_lab import SUM, Change, Universe
    >>> school = Universe.population([1, 2, 9])
    >>> solve_local(Problem(SUM, school, 2, Change(1), norm=1), (0, 1))
    (8, (1, 2))

    Datasets are positions among the universe's values. Equal to walking all neighbours.
    Cost: O(k·m) arithmetic per move for spreads, O(n) for the others, on n records of m;
    histograms as `best_split`. Source: thm-local on the book's page of proofs.
    """
    if not problem.query.family or problem.universe.has_missing:
        return None
    kind = problem.query.family[0]
    if kind not in (*MONOTONE, *SPREADS, "count", "count_where", "histogram"):
        return None
    pool = _Pool(problem, dataset)
    found = [
        (pool.gap(neighbour), neighbour)
        for move in problem.plan[len(dataset)]
        for neighbour in pool.extremes(kind, move)
    ]
    return max(found, key=lambda pair: pair[0])


@dataclass(frozen=True)
class _Pool:
    """A dataset and what is spare, as sorted positions among the universe's values."""

    problem: Problem
    dataset: Indices

    @cached_property
    def own(self) -> np.ndarray:
        return np.array(self.dataset, dtype=np.int64)

    @cached_property
    def spare(self) -> np.ndarray:
        """The spare records: for a range, as many copies of each value as can be asked for."""
        universe, plan = self.problem.universe, self.problem.plan
        most = max(added for _, added in _moves(plan))
        free = universe._copies(len(self.dataset) + most)
        free = free - np.bincount(self.own, minlength=len(free))
        return np.repeat(np.arange(len(free)), np.minimum(free, most))

    @cached_property
    def values(self) -> np.ndarray:
        """The universe's values as whole numbers, centred on the dataset's middle."""
        whole = self.problem.universe.scaled[0]
        middle = int(whole[self.own[len(self.own) // 2]]) if len(self.own) else 0
        return whole.astype(object) - middle

    def gap(self, neighbour: Indices) -> Gap:
        """The distance between the answers."""
        there = self._answer(np.array(neighbour, dtype=np.int64))
        return gap_between(self.problem.norm, self.problem.query.root)(self._here, there)

    @cached_property
    def _here(self) -> Any:
        return self._answer(self.own)

    def _answer(self, places: np.ndarray) -> Any:
        return answers_at(self.problem.query, self.problem.universe, places[np.newaxis])[0]

    def extremes(self, kind: str, move: Move) -> Iterator[Indices]:
        """A few neighbours by a move, one of which lies furthest of all."""
        removed, added = move
        if kind in SPREADS:
            yield self._most_spread(removed, added)
            yield self._least_spread(removed, added)
        elif kind in ("count_where", "histogram"):
            yield self._by_bins(removed, added)
        else:
            n, m = len(self.own), len(self.spare)
            yield _joined(self.own[removed:], self.spare[m - added :])
            yield _joined(self.own[: n - removed], self.spare[:added])

    def _most_spread(self, removed: int, added: int) -> Indices:
        """A run of the dataset leaves; the i lowest and added − i highest spare records join."""
        n, m, size = len(self.own), len(self.spare), len(self.own) - removed + added
        start = np.arange(n - removed + 1)
        best: tuple[Exact, int, int] | None = None
        for i in range(added + 1):
            outer = np.concatenate([self.spare[:i], self.spare[m - (added - i) :]])
            total, square = self._sums(self.own, 0, n), self._sums_of(outer)
            gone = self._windows(self.own, start, removed)
            spread = _spread(size, total[0] + square[0] - gone[0], total[1] + square[1] - gone[1])
            place = int(np.argmax(spread))
            if best is None or spread[place] > best[0]:
                best = (spread[place], place, i)
        assert best is not None
        _, place, i = best
        kept = np.concatenate([self.own[:place], self.own[place + removed :]])
        return _joined(kept, self.spare[:i], self.spare[m - (added - i) :])

    def _least_spread(self, removed: int, added: int) -> Indices:
        """A run of the dataset stays; a run of the spare records joins."""
        n, m, size = len(self.own), len(self.spare), len(self.own) - removed + added
        start = np.arange(m - added + 1)
        best: tuple[Exact, int, int] | None = None
        for i in range(removed + 1):
            kept = self._sums(self.own, i, n - removed + i)
            joined = self._windows(self.spare, start, added)
            spread = _spread(size, kept[0] + joined[0], kept[1] + joined[1])
            place = int(np.argmin(spread))
            if best is None or spread[place] < best[0]:
                best = (spread[place], place, i)
        assert best is not None
        _, place, i = best
        return _joined(self.own[i : n - removed + i], self.spare[place : place + added])

    def _prefix(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        numbers = self.values[positions]
        zero = np.zeros(1, dtype=object)
        return (
            np.concatenate([zero, np.cumsum(numbers, dtype=object)]),
            np.concatenate([zero, np.cumsum(numbers * numbers, dtype=object)]),
        )

    @cached_property
    def _prefixes(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {"own": self._prefix(self.own), "spare": self._prefix(self.spare)}

    def _sums(self, side: np.ndarray, start: int, stop: int) -> tuple[Exact, Exact]:
        total, square = self._prefixes["own" if side is self.own else "spare"]
        return total[stop] - total[start], square[stop] - square[start]

    def _windows(self, side: np.ndarray, start: np.ndarray, length: int) -> tuple[Any, Any]:
        total, square = self._prefixes["own" if side is self.own else "spare"]
        return total[start + length] - total[start], square[start + length] - square[start]

    def _sums_of(self, positions: np.ndarray) -> tuple[Exact, Exact]:
        numbers = self.values[positions].tolist()
        return sum(numbers), sum(number * number for number in numbers)

    def _by_bins(self, removed: int, added: int) -> Indices:
        """How many leave and join in each bin, by dynamic programming over the bins."""
        kinds = self._kinds()
        own, spare = kinds[self.own], kinds[self.spare]
        last = int(kinds.max(initial=0))
        names = range(-1, last + 1)
        rooms = []
        for kind in names:
            held, free = int((own == kind).sum()), int((spare == kind).sum())
            rooms.append(Room(held, free, held + free, counted=kind >= 0))
        _, chosen = best_split(rooms, removed, added, self.problem.norm)
        kept, joined = [], []
        for kind, (out, into) in zip(names, chosen, strict=True):
            kept.append(self.own[own == kind][out:])
            joined.append(self.spare[spare == kind][:into])
        return _joined(*kept, *joined)

    def _kinds(self) -> np.ndarray:
        """The bin of each value of the universe; −1 for none."""
        universe, query = self.problem.universe, self.problem.query
        if query.family[0] == "count_where":
            return np.array([0 if query.function((value,)) else -1 for value in universe.values])
        counts = answers_at(query, universe, np.arange(universe.distinct)[:, np.newaxis])
        return np.array([count.index(1) if 1 in count else -1 for count in counts])


def _moves(plan: Plan) -> list[Move]:
    return [move for moves in plan.values() for move in moves]


def _spread(size: int, total: Any, square: Any) -> Any:
    """n·Σx² − (Σx)², which orders datasets of one size by their variance."""
    return size * square - total * total


def _joined(*parts: np.ndarray) -> Indices:
    return tuple(np.sort(np.concatenate(parts)).tolist())
