"""Counts by kind of record: histograms, and predicates, which have one bin.

A record counts in one bin or in none, so a gap asks only how many of the a and of the b lie in
each bin; the shared records cancel (thm-histogram, thm-count).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.splits import Ends, between_ends
from sensitivity_lab.proved.worst_pair import D, WorstPair
from sensitivity_lab.universe import Dataset


@dataclass(frozen=True)
class CountWhere(Family):
    """The number of records for which a predicate is true: a histogram of one bin."""

    count: Callable[[Dataset], int]

    falls = True
    at_ends = True
    among_records = False
    of_anything = True

    def is_true(self, record: Any) -> bool:
        """Whether a dataset of this record alone counts one."""
        return bool(self.count((record,)))

    def words(self, norm: Norm) -> Words:
        texts = {"any": ("k", "k"), "Change": ("min(k, n)", "k")}
        return Words("count", texts, "the predicate is true for some value and false for another")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """The predicate's records are not known, so there is a value but no witness."""
        return lambda c, a, b: WorstPair(a, shown=False)


@dataclass(frozen=True)
class Histogram(Family):
    """The counts in each bin: half-open, but the last."""

    edges: tuple[Exact, ...]

    falls = True
    at_ends = True

    def words(self, norm: Norm) -> Words:
        factor = {1: "2·", 2: "√2·", math.inf: ""}[norm]
        texts = {"any": ("k", "k"), "Change": (f"{factor}min(k, n)", f"{factor}k")}
        return Words("histogram", texts, "the bounds reach two bins or more; one record per person")

    def words_within(self, interval: Interval, norm: Norm) -> Words:
        """As `words`; of bounds that reach fewer than two bins, what is left of the formula."""
        # One value of each bin, and one of none, stand for all that the bounds reach.
        reached = {self.bin_of(value) for value in self._enough(interval)}
        outside, bins = None in reached, len(reached - {None})
        if bins > 1:
            return self.words(norm)
        texts, which = {"any": ("0", "0")}, "no bin"
        if bins:
            change = ("min(k, n)", "k") if outside else ("0", "0")
            which = "one bin, and values beside it" if outside else "one bin alone"
            texts = {"any": ("k", "k"), "Change": change}
        return Words("histogram", texts, f"the bounds reach {which}; one record per person")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        return between_bins(self._enough(interval), self.bin_of, norm)

    def _enough(self, interval: Interval) -> list[Exact]:
        """Values of an interval among which every bin has one that has any, and those outside."""
        low, high = interval.low, interval.high
        return [low, *(edge for edge in self.edges if low < edge < high), high]

    def bin_of(self, value: Exact) -> int | None:
        """The bin of a value, or None."""
        if not self.edges[0] <= value <= self.edges[-1]:
            return None
        return min(bisect_right(self.edges, value), self.number) - 1

    @property
    def number(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    def bins_of(self, whole: np.ndarray, scale: int) -> np.ndarray:
        """The bin of each of some sorted whole numbers; of what is in none their number."""
        starts, bins = self.starts(whole, scale), np.full(len(whole), self.number, dtype=np.intp)
        each = np.arange(self.number, dtype=np.intp)
        bins[starts[0] : starts[-1]] = np.repeat(each, np.diff(starts))
        return bins

    def starts(self, whole: np.ndarray, scale: int) -> list[int]:
        """Where each bin's run of sorted whole numbers begins, and the last ends."""
        scaled = [math.ceil(Fraction(edge) * scale) for edge in self.edges[:-1]]
        starts = [bisect_left(whole, edge, key=int) for edge in scaled]
        last = math.floor(Fraction(self.edges[-1]) * scale)
        return [*starts, max(bisect_right(whole, last, key=int), starts[-1])]


def between_bins(values: Sequence[Exact], bin_of: Callable[[Exact], int | None], norm: Norm) -> D:
    """D of a value for each bin that has any, and one that no bin counts."""
    first: dict[int | None, Exact] = {}
    for value in values:
        first.setdefault(bin_of(value), value)
    outside = [Ends(0, 0, value, value) for value in [first.pop(None, None)] if value is not None]
    return between_ends([*(Ends(1, 1, value, value) for value in first.values()), *outside], norm)
