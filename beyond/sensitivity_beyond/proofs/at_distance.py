"""How far a query moves within t changed records of one dataset.

A⁽ᵗ⁾(x) is the largest local sensitivity within t changes of x. Each family says for every t which
pair has it; here are the dataset, its pairs, and the search over all t, discounted by e^(−βt).
The formulas are proved on the book's page of proofs, "At a distance from one dataset".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from sensitivity_beyond.proofs.sorted_records import Sums, consecutive
from sensitivity_lab.numbers.exact import Exact, brief, simplest
from sensitivity_lab.numbers.gap import rational
from sensitivity_lab.proved.worst_pair import Parts, Run, WorstPair, apart
from sensitivity_lab.universe import Dataset, Universe

NEAR = 1e-12  # discounted values this near to the largest, in floats, are compared exactly
Distances = list[tuple[int, WorstPair]]  # some t, each with its widest pair


class Bounded:
    """A dataset in order, as whole numbers: each record is L + x / scale,
    and U is L + top / scale."""

    def __init__(self, universe: Universe, bounds: tuple[Exact, Exact]) -> None:
        """Hold the records of a population within some bounds."""
        self.bounds, (low, high) = bounds, bounds
        whole, scale = universe.source.sorted_scaled
        self.scale = math.lcm(scale, Fraction(low).denominator, Fraction(high).denominator)
        lowest, self.top = int(low * self.scale), int((high - low) * self.scale)
        factor = self.scale // scale
        largest = max(abs(int(end)) for end in (whole[0], whole[-1])) * factor
        if max(largest, abs(lowest), abs(self.top), factor) >= 2**61:
            whole = whole.astype(object)
        self.x = whole * factor - lowest
        if self.x[0] < 0 or self.x[-1] > self.top:
            record = universe.sorted_records[0 if self.x[0] < 0 else -1]
            raise ValueError(
                f"dataset must lie within bounds={brief(bounds)}, got a record {brief(record)}"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bounded) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        x = tuple(self.x) if self.x.dtype == object else self.x.tobytes()
        return x, self.top, self.scale, self.bounds

    def __len__(self) -> int:
        return len(self.x)

    def moved(
        self,
        gap: Exact,
        gone: Run,
        joined: tuple[tuple[Exact, int], ...],
        into: Exact,
        out_of: Exact | None = None,
    ) -> WorstPair:
        """x without a run and with some copies;
        and that with `into` instead of its farthest record."""
        near = [run for run in ((0, gone[0]), (gone[1], len(self))) if run[0] < run[1]]
        copies = [(value, times) for value, times in joined if times]
        if out_of is None:
            ends: list[Exact] = [int(self.x[i]) for start, stop in near for i in (start, stop - 1)]
            ends += [value for value, _ in copies]
            out_of = min(ends) if into > min(ends) else max(ends)
        common, left = (*copies, (out_of, -1)), ((out_of, 1),)
        pair = WorstPair.of_copies(simplest(Fraction(gap)), common, left, ((into, 1),))
        return replace(pair, common=(*near, *pair.common), records=self)

    def dataset(self, parts: Parts | None = None) -> Dataset:
        """The records of some parts, or all of them, in exact numbers."""
        copies = self.multiset([(0, len(self))] if parts is None else parts)
        return tuple(record for x, times in sorted(copies) for record in [x] * times)

    def multiset(self, parts: Parts) -> frozenset[tuple[Any, int]]:
        """The different records of some parts, each with its number of copies."""
        copies: Counter[Exact] = Counter()
        runs, others = apart(parts)
        for start, stop in runs:
            copies.update(self.x[start:stop].tolist())
        for value, times in others:
            copies[value] += times
        low = self.bounds[0]
        return frozenset(
            (simplest(low + Fraction(x) / self.scale), times) for x, times in (+copies).items()
        )


class AtDistance:
    """The widest pair within t changes of a dataset, and the t whose discounted gap is largest."""

    def __init__(self, dataset: Bounded, widest: Callable[[int], WorstPair]) -> None:
        """`widest` gives the widest pair whose first dataset is within t changes."""
        self.dataset, self.widest = dataset, widest

    def nearly_widest(self, beta: float) -> tuple[Distances, float]:
        """The distances whose discounted gap may be the largest, each with its widest pair."""
        n = len(self.dataset)
        most = rational(self.widest(n).gap)
        best, candidates = -math.inf, []
        for t in range(n + 1):
            pair = self.widest(t)
            value = logarithm(rational(pair.gap)) - beta * t
            best = max(best, value)
            candidates.append((value, t, pair))
            if pair.gap == most or logarithm(most) - beta * t < best - doubt(best, most):
                break  # no further one is wider
        least = best - doubt(best, most)
        return [(t, pair) for value, t, pair in candidates if value >= least], 0.0


def doubt(best: float, most: Exact) -> float:
    """How near to the largest discounted logarithm, of gaps up to `most`, is settled exactly."""
    return NEAR * max(1, abs(best), abs(logarithm(most))) if best > -math.inf else 0.0


def logarithm(gap: Exact) -> float:
    """The logarithm of a number of any length: that of its first digits, and a power of 2."""
    if gap == 0:
        return -math.inf
    shift = gap.numerator.bit_length() - gap.denominator.bit_length()
    return math.log(Fraction(gap) / Fraction(2) ** shift) + shift * math.log(2)


def logarithms(gaps: np.ndarray) -> Any:
    """Logarithms of whole numbers, which were subtracted before they were rounded."""
    if gaps.dtype == object:  # they may be above the largest float
        return np.array([math.log(gap) if gap else -math.inf for gap in gaps.tolist()], dtype=float)
    return np.log(gaps.astype(float))


# --- sums; and quantiles: which ranks are worst, and how far away they are ---

MOST_PAIRS = 10_000_000  # of ranks near the largest: where there are more, the value is rounded out


class QuantileAtDistance(AtDistance):
    """A quantile, which weighs the ranks r and r + 1 (from 1) by 1 − w and w."""

    def __init__(self, dataset: Bounded, q: Exact) -> None:
        super().__init__(dataset, self._widest)
        n = len(dataset)
        position = q * (n - 1)
        self.n, self.r, w = n, int(position // 1) + 1, Fraction(position % 1)
        upper, lower = w.numerator, w.denominator - w.numerator
        self.unit, self.top = w.denominator * dataset.scale, dataset.top
        fits = w.denominator * max(self.top, 1) < 2**61
        x = dataset.x if fits else dataset.x.astype(object)
        bottom, top = (np.full(2, end, dtype=x.dtype) for end in (0, self.top))
        x = np.concatenate([bottom, x, top])  # x[1 + i] is the record of rank i
        self.light = upper <= lower  # the rank r + 1 is best high; else it is best low
        if self.light:
            self.first = 0
            self.above = (lower - upper) * x[self.r + 1 : -1] + upper * x[self.r + 2 :]
            self.below = lower * x[1 : self.r + 2]
        else:
            self.first = -1
            self.above = upper * x[self.r + 2 :]
            self.below = (upper - lower) * x[1 : self.r + 3] + lower * x[: self.r + 2]

    def _widest(self, t: int) -> WorstPair:
        i = np.arange(max(self.first, self.r - 1 - t), min(self.r, self.n - t) + 1, dtype=np.intp)
        gaps = self.above[i + t + 1 - self.r] - self.below[i - self.first]
        best = int(i[np.argmax(gaps)])
        return self._pair(best, best + t + 1)

    def _gap(self, i: int, j: int) -> int:
        return int(self.above[j - self.r]) - int(self.below[i - self.first])

    def _pair(self, i: int, j: int) -> WorstPair:
        t = j - i - 1
        rises = i + t >= self.r
        start = i if self.light else i + 1
        stop = min(start + t, self.n)
        low = (self.r if rises else self.r - 1) - i
        joined = ((0, low), (self.top, stop - start - low))
        gap = Fraction(self._gap(i, j), self.unit)
        return self.dataset.moved(gap, (start, stop), joined, into=self.top if rises else 0)

    def nearly_widest(self, beta: float) -> tuple[Distances, float]:
        """As that of any query; and by what part another may exceed these where
        too many come near."""
        if not self.top:
            return super().nearly_widest(beta)
        above, below, most = self.above, self.below, int(self.above[-1])
        rows = len(below) - 1  # the last row, i = r, has no j = r: it is searched by itself
        with np.errstate(divide="ignore"):
            last = logarithms(above[1:] - below[-1]) - beta * np.arange(len(above) - 1, dtype=float)
            first = logarithms(above[0] - below[:-1]) - beta * np.arange(rows, dtype=float)[::-1]
            best = max(last.max(), first.max())
            widest_reach = (logarithm(most) - best + doubt(best, most)) / beta
            reach = int(min(widest_reach, rows + len(above))) + 2  # no further is as wide
            start = max(0, rows - reach)
            ends, values = _row_maxima(above[: reach + 1], below[start:rows], beta)
        values -= beta * np.arange(rows - 1 - start, -1, -1, dtype=float)
        values = np.append(values, last.max())
        ends = np.append(ends, 1 + np.argmax(last))
        uncertain = doubt(values.max(), most)
        floor = values.max() - uncertain
        near = np.flatnonzero(values >= floor)
        pairs = [*zip((start + near).tolist(), ends[near].tolist(), strict=True)]
        searched = near[: MOST_PAIRS // len(above) + 1].tolist()
        for row in searched:
            pairs += [(start + row, j) for j in self._near_ends(start + row, beta, floor)]
        widest: dict[int, tuple[int, int, int]] = {}
        for row, column in pairs:
            a, b = self.first + row, self.r + column
            candidate = self._gap(a, b), a, b
            widest[b - a - 1] = max(widest.get(b - a - 1, candidate), candidate)
        candidates = [(t, self._pair(a, b)) for t, (_, a, b) in widest.items()]
        return candidates, 0.0 if len(searched) == len(near) else max(NEAR, uncertain / 1000)

    def _near_ends(self, row: int, beta: float, floor: float) -> list[int]:
        """The j of a row whose discounted gaps reach the floor, but for those that gain nothing."""
        first = int(row == len(self.below) - 1)  # j = i = r is no pair
        above = self.above[first:]
        nearest = len(self.below) - 2 - row + first  # j − i − 1
        steps = np.arange(nearest, nearest + len(above), dtype=np.int64)
        with np.errstate(divide="ignore"):
            values = logarithms(above - self.below[row]) - beta * steps
        values[1:][above[1:] == above[:-1]] = -math.inf
        return [first + j for j in np.flatnonzero(values >= floor).tolist()]


def _row_maxima(above: np.ndarray, below: np.ndarray, beta: float) -> tuple[Any, Any]:
    """For each i the first j with the largest log(above[j] − below[i]) − βj, and that value."""
    rows, columns = len(below), len(above)
    best, values = np.zeros(rows, dtype=np.intp), np.zeros(rows)
    discounts = beta * np.arange(columns, dtype=float)
    for level in range(rows.bit_length() - 1, -1, -1):
        step = 1 << level
        i = np.arange(step - 1, rows, 2 * step, dtype=np.intp)
        low = np.where(i >= step, best[i - step], 0)
        high = np.where(i + step < rows, best[np.minimum(i + step, rows - 1)], columns - 1)
        lengths = high - low + 1
        starts = np.cumsum(lengths, dtype=np.intp) - lengths
        j = consecutive(low, lengths)
        value = logarithms(above[j] - np.repeat(below[i], lengths)) - discounts[j]
        values[i] = np.maximum.reduceat(value, starts)
        at = np.flatnonzero(value == np.repeat(values[i], lengths))
        best[i] = j[at[np.searchsorted(at, starts)]]
    return best, values


def most_moved(dataset: Bounded, t: int, divisor: int) -> WorstPair:
    """Of a sum over `divisor`: the lowest record goes to the top or the highest
    to the bottom (thm-at-distance-sum)."""
    top, unit = dataset.top, dataset.scale * divisor
    if t:  # first send one record to the bottom
        return dataset.moved(Fraction(top, unit), (0, 1), ((0, 1),), into=top)
    rise, fall = top - int(dataset.x[0]), int(dataset.x[-1])
    into = top if rise >= fall else 0
    return dataset.moved(Fraction(max(rise, fall), unit), (0, 0), (), into)


# --- variances: the records that stay are pushed to one end (thm-at-distance-variance) ---

Moved = tuple[int, Run, tuple[tuple[Exact, int], ...], Exact, Exact]  # as `Bounded.moved` has it


def variance_at_distance(dataset: Bounded, ddof: int) -> AtDistance:
    """The widest pairs of a variance, from the n − 1 records that stay as low, or as high,
    as can be."""
    n, top = len(dataset), dataset.top
    divisor = (n - 1) * n * (n - ddof) * dataset.scale**2
    either = [(x, top, Sums(x, top)) for x in (dataset.x, top - dataset.x[::-1])]

    def widest(t: int) -> WorstPair:
        if n == 1:
            return dataset.moved(0, (0, 0), (), into=0)
        down, up = (max(_pushed_down(*way, t), key=itemgetter(0)) for way in either)
        if down[0] >= up[0]:
            return dataset.moved(Fraction(down[0], divisor), *down[1:])
        gap, (start, stop), joins, into, out_of = up  # counted from above
        turned = tuple((top - value, copies) for value, copies in joins)
        places = (n - stop, n - start), turned, top - into, top - out_of
        return dataset.moved(Fraction(gap, divisor), *places)

    return AtDistance(dataset, widest)


def _pushed_down(x: np.ndarray, top: int, sums: Sums, t: int) -> Iterator[Moved]:
    """The pairs in which the n − 1 records that stay are as low as can be."""
    n = len(x)
    stay, rest = n - t, n - 1
    all_that_stay = sums.exact([(0, stay)])
    if t:  # a new record at the top goes to the mean of the others
        gap, mean = (rest * top - all_that_stay) ** 2, Fraction(all_that_stay, rest)
        yield gap, (stay, n), ((0, t - 1), (top, 1)), mean, top
    if t < n:  # the highest record goes to the mean of the others
        total, highest = sums.exact([(0, stay - 1)]), int(x[-1])
        gap, mean = (rest * highest - total) ** 2, Fraction(total, rest)
        yield gap, (stay - 1, n - 1), ((0, t),), mean, highest
        # a record near the mean goes to the top
        total = all_that_stay
        peak = (top + (2 * total - rest * top) // (n + 1)) // 2  # of a parabola in the record
        at = int(np.searchsorted(x[:stay], peak, side="right"))
        for record in map(int, x[max(at - 1, 0) : min(at + 1, stay)]):
            gap = rest * (top - record) * (rest * (top + record) - 2 * (total - record))
            yield gap, (stay, n), ((0, t),), top, record
