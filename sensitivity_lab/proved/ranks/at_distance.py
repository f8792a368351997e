"""A quantile at a distance from one dataset: which ranks are worst, and how far away they are."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.proved.at_distance import (
    NEAR,
    AtDistance,
    Bounded,
    Distances,
    doubt,
    logarithm,
    logarithms,
)
from sensitivity_lab.proved.worst_pair import WorstPair

MOST_PAIRS = 10_000_000  # of ranks near the largest: where there are more, the value is rounded out


class Ranks(AtDistance):
    """A quantile, which weighs the ranks r and r + 1 (from 1) by 1 − w and w."""

    def __init__(self, dataset: Bounded, q: Exact) -> None:
        self.dataset, n = dataset, len(dataset)
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

    def widest(self, t: int) -> WorstPair:
        """The widest pair whose first dataset is within t changes of x."""
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
        """The distances whose discounted gap may be the largest, each with its widest pair.

        And by what part some other may exceed these: 0 where all rows i that come near the
        largest were searched for every end j that does; `MOST_PAIRS` says how many are.
        """
        if not self.top:
            return super().nearly_widest(beta)
        above, below, most = self.above, self.below, int(self.above[-1])
        rows = len(below) - 1  # the last row, i = r, has no j = r: it is searched by itself
        with np.errstate(divide="ignore"):
            last = logarithms(above[1:] - below[-1]) - beta * np.arange(len(above) - 1, dtype=float)
            first = logarithms(above[0] - below[:-1]) - beta * np.arange(
                rows - 1, -1, -1, dtype=float
            )
            best = max(last.max(), first.max())
            widest_reach = (
                logarithm(most) - best + doubt(best, most)
            ) / beta  # no further is as wide
            reach = int(min(widest_reach, rows + len(above))) + 2
            start = max(0, rows - reach)
            ends, values = _row_maxima(above[: reach + 1], below[start:rows], beta)
        values -= beta * np.arange(rows - 1 - start, -1, -1, dtype=float)
        values = np.append(values, last.max())
        ends = np.append(ends, 1 + np.argmax(last))
        uncertain = doubt(values.max(), most)
        floor = values.max() - uncertain
        near = np.flatnonzero(values >= floor)
        pairs = [
            (start + row, j) for row, j in zip(near.tolist(), ends[near].tolist(), strict=True)
        ]
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
        steps = np.arange(len(above), dtype=np.intp) + (
            len(self.below) - 2 - row + first
        )  # j − i − 1
        with np.errstate(divide="ignore"):
            values = logarithms(above - self.below[row]) - beta * steps
        values[1:][above[1:] == above[:-1]] = -math.inf
        ends: list[int] = (first + np.flatnonzero(values >= floor)).tolist()
        return ends


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
        stops = np.cumsum(lengths, dtype=np.intp)
        starts = stops - lengths
        j = np.arange(stops[-1], dtype=np.intp) + np.repeat(low - starts, lengths)
        value = logarithms(above[j] - np.repeat(below[i], lengths)) - discounts[j]
        values[i] = np.maximum.reduceat(value, starts)
        at = np.flatnonzero(value == np.repeat(values[i], lengths))
        best[i] = j[at[np.searchsorted(at, starts)]]
    return best, values


def most_moved(dataset: Bounded, t: int, divisor: int) -> WorstPair:
    """Of a sum over `divisor`: the lowest record goes to the top or the highest to the bottom (thm-at-distance-sum)."""
    top, unit = dataset.top, dataset.scale * divisor
    if t:  # first send one record to the bottom
        return dataset.moved(Fraction(top, unit), (0, 1), ((0, 1),), into=top)
    rise, fall = top - int(dataset.x[0]), int(dataset.x[-1])
    into = top if rise >= fall else 0
    return dataset.moved(Fraction(max(rise, fall), unit), (0, 0), (), into)
