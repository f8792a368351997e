"""The neighbours of one dataset whose variance is largest and smallest (thm-local).

To vary most, a run of its records leaves and the outermost spare ones join; to vary least, a run
stays and a run of the spare ones joins:

    own    [ . . x x . . . ]   the run x leaves       own    [ . x x x x . . ]   the run x stays
    spare  [ x . . . . x x ]   the outermost join     spare  [ . . . x x . . ]   a run joins
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


class Outermost:
    """The search among the runs of one dataset and of what is spare."""

    def __init__(self, pool: Pool, move: Move) -> None:
        self.own, self.spare = pool.own, pool.spare
        self.removed, self.added = move
        whole = pool.universe.scaled[0]
        middle = int(whole[self.own[len(self.own) // 2]]) if len(self.own) else 0
        self.values = whole.astype(object) - middle  # small numbers, exact
        self.own_sums, self.spare_sums = self._prefix(self.own), self._prefix(self.spare)

    def most(self) -> Indices:
        """The i lowest and the other highest spare records join, for the best i and run."""
        own, spare, r, a = self.own, self.spare, self.removed, self.added
        total, square = _between(self.own_sums, 0, len(own))
        start = np.arange(len(own) - r + 1, dtype=np.intp)
        gone = _between(self.own_sums, start, start + r)
        outermost = [
            np.concatenate([spare[:i], spare[len(spare) - (a - i) :]]) for i in range(a + 1)
        ]
        widest = []  # for each i: the largest scatter, and where the run starts that leaves
        for outer in map(self.values.take, outermost):
            comes, squares = sum(outer.tolist()), sum((outer * outer).tolist())
            scatter = self._scatter(total + comes - gone[0], square + squares - gone[1])
            widest.append((scatter.max(), int(np.argmax(scatter))))
        i = max(range(a + 1), key=lambda i: widest[i][0])
        run = widest[i][1]
        return joined(own[:run], own[run + r :], outermost[i])

    def least(self) -> Indices:
        """The i lowest and the other highest of its records leave, for the best i and run."""
        own, spare, r, a = self.own, self.spare, self.removed, self.added
        start = np.arange(len(spare) - a + 1, dtype=np.intp)
        comes = _between(self.spare_sums, start, start + a)
        narrowest = []  # for each i: the smallest scatter, and where the run starts that joins
        for i in range(r + 1):
            stays = _between(self.own_sums, i, len(own) - r + i)
            scatter = self._scatter(stays[0] + comes[0], stays[1] + comes[1])
            narrowest.append((scatter.min(), int(np.argmin(scatter))))
        i = min(range(r + 1), key=lambda i: narrowest[i][0])
        run = narrowest[i][1]
        return joined(own[i : len(own) - r + i], spare[run : run + a])

    def _scatter(self, total: Any, square: Any) -> Any:
        """n·Σx² − (Σx)², which orders datasets of one size by their variance."""
        return (len(self.own) - self.removed + self.added) * square - total * total

    def _prefix(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Prefix sums of x and x², exact."""
        numbers = self.values[positions]
        zero = np.zeros(1, dtype=object)
        return (
            np.concatenate([zero, np.cumsum(numbers, dtype=object)]),
            np.concatenate([zero, np.cumsum(numbers * numbers, dtype=object)]),
        )


def _between(sums: tuple[np.ndarray, np.ndarray], start: Any, stop: Any) -> tuple[Any, Any]:
    """Σx and Σx² over runs from `start` to `stop`."""
    total, square = sums
    return total[stop] - total[start], square[stop] - square[start]
