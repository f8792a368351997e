"""The neighbours of one dataset where a query that weighs ranks answers the most and the least."""

from __future__ import annotations

from itertools import product

import numpy as np

from sensitivity_beyond.proofs.sorted_records import Pool, joined
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


def outermost(pool: Pool, move: Move) -> tuple[Indices, Indices]:
    """The lowest of its records leave and the highest spare ones join,
    and the other way (thm-local)."""
    (removed, added), n, m = move, len(pool.own), len(pool.spare)
    highest = joined(pool.own[removed:], pool.spare[m - added :])
    return highest, joined(pool.own[: n - removed], pool.spare[:added])


def widest_and_narrowest(pool: Pool, move: Move) -> tuple[Indices, Indices]:
    """The neighbours with the largest and the least range (thm-local-range)."""
    removed, added = move
    kept = len(pool.own) - removed
    if kept + added < 2:  # whose range is 0, whichever record it is
        return outermost(pool, move)
    x = pool.universe.scaled[0].astype(object)
    # of equal ones that whose highest change is the lowest: so the lowest leave and join
    return _widest(pool, move, x), _narrowest(pool, kept, added, x)


def _widest(pool: Pool, move: Move, x: np.ndarray) -> Indices:
    """Either the lowest leave or the lowest stays; either the lowest join or also the highest."""
    (removed, added), own, spare = move, pool.own, pool.spare
    stay, join = [own[removed:]], [spare[:added]]
    if removed < len(own):
        stay.append(np.append(own[0], own[removed + 1 :]))
    if added:
        join.append(np.append(spare[: added - 1], spare[-1]))
    each = [joined(*both) for both in product(stay, join)]
    return max(each, key=lambda dataset: x[dataset[-1]] - x[dataset[0]])


def _narrowest(pool: Pool, kept: int, added: int, x: np.ndarray) -> Indices:
    """The narrowest window with as many of its own records as stay, and spare ones as join."""
    starts = np.unique(np.concatenate([pool.own, pool.spare]))

    def last(part: np.ndarray, many: int) -> np.ndarray:
        """The last of so many records from each start, beyond all where there are fewer."""
        padded = np.concatenate([[-1], part, np.full(many, len(x), dtype=np.intp)])
        ends: np.ndarray = padded[np.searchsorted(part, starts) + many]
        return ends

    of_own, of_spare = last(pool.own, kept), last(pool.spare, added)
    ends = np.maximum(of_own, of_spare)
    held = np.flatnonzero(ends < len(x))
    widths = x[ends[held]] - x[starts[held]]
    narrow = held[widths == widths.min()]
    below = narrow[of_own[narrow] > of_spare[narrow]]  # where one that stays is above all that join
    at = below[-1] if len(below) else narrow[0]
    stop = int(np.searchsorted(pool.own, ends[at], side="right"))
    first = int(np.searchsorted(pool.spare, starts[at]))
    return joined(pool.own[stop - kept : stop], pool.spare[first : first + added])
