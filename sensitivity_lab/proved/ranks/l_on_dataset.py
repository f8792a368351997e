"""The neighbours of one dataset with the largest and the least L-statistic (thm-l-local).

Its own records and the spare ones enter in order. A record stays or leaves, joins or does not; how many
have left and how many have joined says by how much the rank of the next differs from that in the dataset:

    own     2   3   .   13  17        rank   0   1   .   2   3
    spare   .   .   5   .   .         one that joins moves up what follows; one that leaves, down
"""

from __future__ import annotations

import numpy as np

from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.ranks.rank_weights import Steps
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices

MOST_CELLS = 50_000_000  # records × numbers that leave and join


def neighbours(pool: Pool, move: Move, steps: Steps) -> tuple[Indices, ...] | None:
    """The neighbours by a move with the largest and the least answer; None where there are too many."""
    removed, added = move
    n, m = len(pool.own), len(pool.spare)
    if steps.never_negative:
        return (
            joined(pool.own[removed:], pool.spare[m - added :]),
            joined(pool.own[: n - removed], pool.spare[:added]),
        )
    if (removed + 1) * (added + 1) * (n + m) > MOST_CELLS:
        return None
    merged = _Merged(pool, steps)
    return merged.best(move, 1), merged.best(move, -1)


class _Merged:
    """The dataset's own records and the spare ones, in order."""

    def __init__(self, pool: Pool, steps: Steps) -> None:
        n = len(pool.own)
        positions = np.concatenate([pool.own, pool.spare])
        order = np.argsort(positions, kind="stable")
        self.positions, self.is_own = positions[order], order < n
        whole = pool.universe.scaled[0].astype(object)
        middle = int(whole[self.positions[len(order) // 2]])
        x = (whole - middle)[self.positions]
        bound = max(steps.magnitude, 1) * max(map(abs, x[[0, -1]].tolist()))
        dtype = np.dtype(np.int64 if bound < 2**58 else object)
        self.x, self.never = x.astype(dtype), -8 * bound - 8
        self.weights = steps.over(steps.unit).astype(dtype)
        self.rank = np.cumsum(self.is_own, dtype=np.intp) - self.is_own  # own records below each

    def _weighed(self, shift: int) -> np.ndarray:
        """Each record times the weight of a rank that differs by a shift; 0 where there is none."""
        at = self.rank + shift
        held = (at >= 0) & (at < len(self.weights))
        weights = self.weights[np.clip(at, 0, len(self.weights) - 1)]
        product: np.ndarray = np.where(held, weights, weights.dtype.type(0)) * self.x
        return product

    def best(self, move: Move, sign: int) -> Indices:
        """The neighbour by a move with the largest answer, or for the sign −1 the least.

        `values[q, s]` has after every record the best total with q that left and s that joined.
        Up to the last who left or joined, the ranks have another shift; from there on they have
        s − q, whose totals are `stayed`: so it is their largest difference up to there.
        """
        removed, added = move
        stayed: dict[int, np.ndarray] = {}
        alone: dict[int, np.ndarray] = {}
        for shift in range(-removed, added + 1):
            alone[shift] = sign * self._weighed(shift)
            totals = np.where(self.is_own, alone[shift], alone[shift].dtype.type(0))
            stayed[shift] = np.cumsum(totals, dtype=totals.dtype)
        values: dict[tuple[int, int], np.ndarray] = {}
        entries: dict[tuple[int, int], np.ndarray] = {}
        for q in range(removed + 1):
            for s in range(added + 1):
                entered = np.full(len(self.x), self.never, dtype=self.x.dtype)
                if q:
                    before = np.concatenate([[self._start(q - 1, s)], values[q - 1, s][:-1]])
                    entered[self.is_own] = before[self.is_own]
                if s:
                    before = np.concatenate([[self._start(q, s - 1)], values[q, s - 1][:-1]])
                    joining = before + alone[s - 1 - q]
                    entered[~self.is_own] = joining[~self.is_own]
                gained = np.maximum.accumulate(entered - stayed[s - q])
                if not q and not s:
                    gained = np.zeros(len(self.x), dtype=self.x.dtype)
                values[q, s], entries[q, s] = gained + stayed[s - q], gained
        return self._traced(entries, move)

    def _start(self, q: int, s: int) -> int:
        """The total before any record: none has left or joined."""
        return 0 if not q and not s else self.never

    def _traced(self, entries: dict[tuple[int, int], np.ndarray], move: Move) -> Indices:
        """Who stays and joins: backwards, the first place with the best total is where one left or joined."""
        chosen = self.is_own.copy()
        (q, s), stop = move, len(self.x)
        while q or s:
            gained = entries[q, s][:stop]
            at = int(np.searchsorted(gained, gained[-1], side="left"))
            if self.is_own[at]:
                chosen[at], q = False, q - 1
            else:
                chosen[at], s = True, s - 1
            stop = at
        return joined(self.positions[chosen])
