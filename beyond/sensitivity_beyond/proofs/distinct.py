"""The number of different values, of some values, on a population, and near one dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from sensitivity_beyond.proofs.at_distance import AtDistance, Bounded
from sensitivity_beyond.proofs.routes import at_distance, on_dataset, on_population, on_values
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords, consecutive, joined, peak
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.distinct import Distinct
from sensitivity_lab.proved.worst_pair import D, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


@on_values.register
def _(family: Distinct, values: Sequence[Exact], norm: Norm) -> D | None:
    v = len(values)

    # C and B repeat the lowest value; A has as many others as there are.
    def d(c: int, a: int, b: int) -> WorstPair:
        new = min(a, v - 1 if c else v)
        others = [*((value, 1) for value in values[v - new :]), (values[-1], a - new)]
        gap = new - (1 if b and not c else 0)
        return WorstPair.of_copies(gap, ((values[0], c),), others, ((values[0], b),))

    return d


@on_population.register
def _(family: Distinct, records: SortedRecords, norm: Norm) -> D | None:
    # B and C fill the values of which there are most copies (thm-count-distinct-population).
    return DistinctOnPopulation(records)


@on_dataset.register
def _(family: Distinct, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    # The neighbours with the most and with the fewest values (thm-count-distinct-local).
    fewest = fewest_values(pool, *move)
    if fewest is None:
        return None
    # The most: the copies leave, and what is new joins.
    (r, j), own, spare = move, pool.own, pool.spare
    free = np.bincount(spare, minlength=len(pool.universe.counts))
    stays = own[_first(np.where(_is_first(own), np.minimum(free[own], 1), 2), len(own) - r)]
    stayed = np.zeros(len(free), dtype=bool)
    stayed[stays] = True
    most = joined(stays, spare[_first(~_is_first(spare) | stayed[spare], j)])
    return [most, fewest]


@at_distance.register
def _(family: Distinct) -> Callable[[Bounded], AtDistance] | None:
    # One record moves the count by one wherever the dataset is (thm-at-distance-distinct).
    return lambda dataset: AtDistance(dataset, lambda t: _moved_by_one(dataset))


class DistinctOnPopulation:
    """D on a population of m records of v values."""

    def __init__(self, records: SortedRecords) -> None:
        starts = np.concatenate([[0], np.flatnonzero(records.whole[1:] != records.whole[:-1]) + 1])
        copies = np.diff(starts, append=len(records))
        by_copies = np.argsort(-copies, kind="stable")
        starts, copies = starts[by_copies], copies[by_copies]
        self.held = np.concatenate([[0], np.cumsum(copies, dtype=np.int64)])
        order = np.concatenate([starts, consecutive(starts + 1, copies - 1)])  # one of each first
        given, whole = records.given[order], records.whole[order]
        self.records = SortedRecords(given, whole, records.scale, order)
        self.v = len(copies)

    def __call__(self, c: int, a: int, b: int) -> WorstPair:
        """The widest gap of a share; c + a + b ≤ m."""
        # C ∪ B has the fewest values, or where C cannot have them all the best.
        low, high = int(np.searchsorted(self.held, c + b)), min(self.v, c + b)
        t = low if c >= low else peak(lambda t: self._gap(t, c, a, b), low, high)
        new = min(a, self.v - t)
        if c >= t:  # C has one of each of the t values, and B repeats them
            first = self.v + c - t  # of the other copies that C leaves
            common = [(0, t), (self.v, first)]
            higher = [(t, t + new), (first + b, first + b + a - new)]
            lower = [(first, first + b)]
        else:  # C has one of each of c values, and of as many as can be of the others A has, too
            too = min(t - c, int(self.held[t]) - c - b)
            again = min(a - new, too)
            last = self.v + b - (t - c - too)  # of the other copies that B has
            common = [(0, c)]
            higher = [(t, t + new), (c, c + again), (last, last + a - new - again)]
            lower = [(c + too, t), (self.v, last)]
        common, higher, lower = (
            [run for run in runs if run[0] < run[1]] for runs in (common, higher, lower)
        )
        return WorstPair(self._gap(t, c, a, b), common, higher, lower, self.records)

    def _gap(self, t: int, c: int, a: int, b: int) -> int:
        """The gap where C ∪ B has t values, those with most copies."""
        shared, spare = min(c, t), int(self.held[t]) - c - b
        return min(a + shared, self.v, self.v - t + shared + spare) - t


def _moved_by_one(dataset: Bounded) -> WorstPair:
    """A dataset, and one that has a copy less, or one value less if there are no copies."""
    x, top = dataset.x, dataset.top
    if len(x) < 2 or not top:
        return dataset.moved(0, (0, 0), (), into=0)
    equal = np.flatnonzero(x[1:] == x[:-1])
    if not len(equal):
        return dataset.moved(1, (0, 0), (), into=int(x[1]), out_of=int(x[0]))
    if x[0] > 0 or x[-1] < top:  # an end is a new value, else what lies between two neighbours
        new: Exact = 0 if x[0] > 0 else top
    else:
        i = int(np.flatnonzero(x[1:] != x[:-1])[0])
        new = Fraction(int(x[i]) + int(x[i + 1]), 2)
    return dataset.moved(1, (0, 0), (), into=new, out_of=int(x[equal[0]]))


MOST_CELLS = 30_000_000  # choices in a table; beyond these a dataset is left to others
TOO_MUCH = 2**62  # more spare records than there are; with all of them it stays in 64 bits


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
    x, chosen = int(counts[y]), []  # which x of the values have so few spare records
    for i in range(len(values) - 1, -1, -1):
        if layers[i + 1, x, r] < layers[i, x, r]:
            chosen.append(i)
            x, r = x - 1, r - int(held[values[i]])
    return values[chosen], y


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


def _is_first(positions: np.ndarray) -> np.ndarray:
    """Whether each of some sorted positions is the first of its value."""
    first: np.ndarray = np.diff(positions, prepend=-1) != 0
    return first


def _first(keys: np.ndarray, count: int) -> np.ndarray:
    """Where the `count` smallest keys are; of equal ones the first."""
    return np.argsort(keys, kind="stable")[:count]
