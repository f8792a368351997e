"""The neighbours of one dataset that have the most and the fewest values (thm-count-distinct-local).

Of each value the dataset holds some records and some are spare. r records leave and j join.
"""

from __future__ import annotations

import numpy as np

from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.universe import Indices

MOST_CELLS = 30_000_000  # choices in a table; beyond these a dataset is left to others
TOO_MUCH = 2**62


def most_values(pool: Pool, r: int, j: int) -> Indices:
    """The neighbour with the most values: the copies leave, and what is new joins."""
    own, spare = pool.own, pool.spare
    free = np.bincount(spare, minlength=len(pool.universe.counts))
    stays = own[_first(np.where(_is_first(own), np.minimum(free[own], 1), 2), len(own) - r)]
    stayed = np.zeros(len(free), dtype=bool)
    stayed[stays] = True
    return joined(stays, spare[_first(~_is_first(spare) | stayed[spare], j)])


def fewest_values(pool: Pool, r: int, j: int) -> Indices | None:
    """The neighbour with the fewest values: those vanish of which there is little."""
    own, spare = pool.own, pool.spare
    v = len(pool.universe.counts)
    held, free = (np.bincount(of, minlength=v) for of in (own, spare))
    new = np.flatnonzero((held == 0) & (free > 0))
    new = new[np.argsort(-free[new], kind="stable")][:j]
    room = int(free[held > 0].sum(dtype=np.int64)) - j
    rooms = room + np.concatenate([[0], np.cumsum(free[new], dtype=np.int64)])
    chosen = _vanishing(held, free, r, rooms)
    if chosen is None:
        return None
    gone, taken = chosen
    vanished, welcome = np.zeros(v, dtype=bool), held > 0
    vanished[gone] = True
    welcome[gone] = False
    welcome[new[:taken]] = True
    stays = own[_first(~vanished[own], len(own))][r:]
    return joined(stays, spare[_first(~welcome[spare], j)])


def _vanishing(
    held: np.ndarray, free: np.ndarray, r: int, rooms: np.ndarray
) -> tuple[np.ndarray, int] | None:
    """Which values vanish, and how many new ones come, so that the fewest are left."""
    least = int(np.flatnonzero(rooms >= 0)[0])
    values = np.flatnonzero((held > 0) & (held <= r))
    values = values[np.lexsort((free[values], held[values]))]
    most = int(np.searchsorted(np.cumsum(held[values], dtype=np.int64), r, side="right"))
    if int(free[values[:most]].sum(dtype=np.int64)) <= rooms[least]:
        return values[:most], least
    rank = np.arange(len(values), dtype=np.int64) - np.searchsorted(held[values], held[values])
    values = values[(rank + 1) * held[values] <= r]
    if (len(values) + 1) * (most + 1) * (r + 1) > MOST_CELLS:
        return None
    layers = _least_spare(held[values], free[values], r, most)
    counts = np.searchsorted(layers[-1, :, r], rooms, side="right") - 1
    gains = np.where(rooms >= 0, counts - np.arange(len(rooms), dtype=np.int64), -r - len(rooms))
    y = int(np.argmax(gains))
    return values[_traced(layers, held[values], int(counts[y]), r)], y


def _least_spare(held: np.ndarray, free: np.ndarray, r: int, most: int) -> np.ndarray:
    """How few spare records some values can have: (values + 1, most + 1, r + 1)."""
    layers = np.full((len(held) + 1, most + 1, r + 1), TOO_MUCH, dtype=np.int64)
    layers[:, 0] = 0
    for i, (weight, spare) in enumerate(zip(held.tolist(), free.tolist(), strict=True)):
        before, after = layers[i], layers[i + 1]
        after[1:] = before[1:]
        chosen = before[:-1, : r + 1 - weight] + spare
        np.minimum(after[1:, weight:], chosen, out=after[1:, weight:])
    return layers


def _traced(layers: np.ndarray, held: np.ndarray, x: int, r: int) -> list[int]:
    """Which x of the values have so few spare records."""
    chosen = []
    for i in range(len(held) - 1, -1, -1):
        if layers[i + 1, x, r] < layers[i, x, r]:
            chosen.append(i)
            x, r = x - 1, r - int(held[i])
    return chosen


def _is_first(positions: np.ndarray) -> np.ndarray:
    """Whether each of some sorted positions is the first of its value."""
    first = np.ones(len(positions), dtype=bool)
    first[1:] = positions[1:] != positions[:-1]
    return first


def _first(keys: np.ndarray, count: int) -> np.ndarray:
    """Where the `count` smallest keys are; of equal ones the first."""
    return np.argsort(keys, kind="stable")[:count]
