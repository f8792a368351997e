"""The neighbours of one dataset with the largest and the least L-statistic (thm-l-local).

Its own records and the spare ones enter in order. A record stays or leaves, joins or does not; how many
have left and how many have joined says by how much the rank of the next differs from that in the dataset:

    own     2   3   .   13  17        rank   0   1   .   2   3
    spare   .   .   5   .   .         one that joins moves up what follows; one that leaves, down
"""

from __future__ import annotations

from itertools import product

import numpy as np

from sensitivity_lab.proved.ranks.weights import Steps
from sensitivity_lab.proved.sorted_records import Pool, joined
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices

MOST_CELLS = 50_000_000  # records × numbers that leave and join


def outermost(pool: Pool, move: Move) -> tuple[Indices, Indices]:
    """The lowest of its records leave and the highest spare ones join, and the other way (thm-local)."""
    (removed, added), n, m = move, len(pool.own), len(pool.spare)
    highest = joined(pool.own[removed:], pool.spare[m - added :])
    return highest, joined(pool.own[: n - removed], pool.spare[:added])


def neighbours(pool: Pool, move: Move, steps: Steps) -> tuple[Indices, ...] | None:
    """The neighbours by a move with the largest and the least answer; None where there are too many."""
    removed, added = move
    if steps.never_negative:
        return outermost(pool, move)
    if (removed + 1) * (added + 1) * (len(pool.own) + len(pool.spare)) > MOST_CELLS:
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
        dtype = np.dtype(np.int64 if bound < 2**58 else object)  # 8 bounds and more fit in 2**62
        self.x, self.never = x.astype(dtype), -8 * bound - 8
        self.weights = steps.over(steps.unit).astype(dtype)
        self.rank = np.cumsum(self.is_own, dtype=np.intp) - self.is_own  # own records below each

    def _weighed(self, shift: int) -> np.ndarray:
        """Each record times the weight of a rank that differs by a shift; 0 where there is none."""
        at = self.rank + shift
        held = (at >= 0) & (at < len(self.weights))
        product: np.ndarray = self.x * self.weights[np.where(held, at, 0)]
        product[~held] = 0
        return product

    def best(self, move: Move, sign: int) -> Indices:
        """The neighbour by a move with the largest answer, or for the sign −1 the least."""
        # gained[q, s] has after every record the best total with q that left and s that joined, less
        # the sums of the own records at the rank shifted by s − q: so it is a running maximum
        removed, added = move
        weighed = {shift: sign * self._weighed(shift) for shift in range(-removed, added + 1)}
        own = {shift: np.where(self.is_own, each, 0) for shift, each in weighed.items()}
        stayed = {shift: np.cumsum(each, dtype=each.dtype) for shift, each in own.items()}
        gained = {(0, 0): np.zeros_like(self.x)}

        def before(q: int, s: int) -> np.ndarray:
            """The best total before each record."""
            start = 0 if (q, s) == (0, 0) else self.never
            return np.concatenate([[start], (gained[q, s] + stayed[s - q])[:-1]])

        for q, s in product(range(removed + 1), range(added + 1)):
            if q or s:
                entered = np.full_like(self.x, self.never)
                if q:
                    entered[self.is_own] = before(q - 1, s)[self.is_own]
                if s:
                    joining = before(q, s - 1) + weighed[s - 1 - q]
                    entered[~self.is_own] = joining[~self.is_own]
                gained[q, s] = np.maximum.accumulate(entered - stayed[s - q])
        return self._traced(gained, move)

    def _traced(self, gained: dict[tuple[int, int], np.ndarray], move: Move) -> Indices:
        """Who stays and joins: backwards, the first place with the best total is where one left or joined."""
        chosen = self.is_own.copy()
        (q, s), stop = move, len(self.x)
        while q or s:
            best = gained[q, s][:stop]
            stop = int(np.searchsorted(best, best[-1], side="left"))
            q, s = (q - 1, s) if self.is_own[stop] else (q, s - 1)
            chosen[stop] = not chosen[stop]
        return joined(self.positions[chosen])
