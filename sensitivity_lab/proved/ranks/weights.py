"""What each of n sorted records weighs, by its rank: exact numbers, in steps of ranks that weigh the same."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, Protocol

import numpy as np

from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import Exact, exact_number, name_of, sequence, told

MOST_RANKS = 5_000_000  # whose weights are listed
Step = tuple[int, int, int]  # ranks from start to stop − 1, and what each weighs


@dataclass(frozen=True)
class Steps:
    """The weights of n ranks, lowest first: whole numbers over `unit`, up to the ranks `ends`."""

    ends: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int

    @classmethod
    def of(cls, blocks: Iterable[tuple[Exact, int]]) -> Steps:
        """Steps of some weights, each of so many ranks in a row."""
        held = [(weight, count) for weight, count in blocks if count] or [(0, 0)]
        unit = math.lcm(*(weight.denominator for weight, _ in held))
        alike = [(weight, [n for _, n in same]) for weight, same in groupby(held, lambda of: of[0])]
        ends = tuple(accumulate(sum(counts) for _, counts in alike))
        return cls(ends, tuple(int(weight * unit) for weight, _ in alike), unit)

    @cached_property
    def never_negative(self) -> bool:
        """Whether no rank has a weight below 0."""
        return min(self.weights) >= 0

    @cached_property
    def magnitude(self) -> int:
        """The sum of the weights' magnitudes, times `unit`."""
        return sum(abs(weight) * (stop - start) for start, stop, weight in self)

    @cached_property
    def sums(self) -> tuple[int, ...]:
        """What all ranks below each step weigh, and last all there are, times `unit`."""
        return (0, *accumulate(weight * (stop - start) for start, stop, weight in self))

    def __iter__(self) -> Iterator[Step]:
        return zip((0, *self.ends[:-1]), self.ends, self.weights, strict=True)

    def between(self, start: int, stop: int) -> Iterator[Step]:
        """The steps of the ranks from start to stop − 1."""
        i = bisect_right(self.ends, start)
        while start < stop:
            end = min(self.ends[i], stop)
            yield start, end, self.weights[i]
            start, i = end, i + 1

    def at(self, rank: int) -> int:
        """The weight of a rank, from 0, times `unit`."""
        return self.weights[bisect_right(self.ends, rank)]

    def highest(self, t: int) -> int:
        """W(t), what the t highest ranks weigh, times `unit`."""
        rank = self.ends[-1] - t
        i = bisect_left(self.ends, rank)
        return self.sums[-1] - self.sums[i + 1] + (self.ends[i] - rank) * self.weights[i]

    def over(self, unit: int) -> np.ndarray:
        """Every rank's weight times a multiple of `unit`, as Python's ints."""
        weights = np.array([weight * (unit // self.unit) for weight in self.weights], dtype=object)
        return np.repeat(weights, np.diff(self.ends, prepend=0))


class Weights(Protocol):
    """What gives the weights of n sorted records."""

    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""


@dataclass(frozen=True)
class Given:
    """Weights that a caller's function gives, checked."""

    function: Callable[[int], Any]

    def steps(self, n: int) -> Steps:
        """Those of n ranks. Raises ValueError for what is not n exact numbers."""
        _check_listed(n)
        try:
            given = self.function(n)
        except Exception as error:
            raise ValueError(f"{name_of(self.function)} failed on n={n}: {told(error)}") from error
        weights = sequence(given, f"weights({n})", "numbers")
        if len(weights) != n:
            raise ValueError(f"weights({n}) must be {n} numbers, got {len(weights):,}")
        return Steps.of((exact_number(weight, f"weights({n})"), 1) for weight in weights)


@dataclass(frozen=True)
class Ones:
    """The weight 1 for every rank: the sum."""

    def steps(self, n: int) -> Steps:
        return Steps((n,), (1,), 1)


@dataclass(frozen=True)
class Trimmed:
    """The mean of what is left without ⌊cut·n⌋ records at each end."""

    cut: Exact

    text = "(t − g(N))/h(N), cut to [0, 1]; h(N) = N − 2·g(N)"  # of W(N, t)
    changed = ("R·min(1, k/h(n))", "R·min(1, k/min(h(m), h(m + 1)))")

    def steps(self, n: int) -> Steps:
        gone = self.cut * n // 1
        kept = n - 2 * gone
        return Steps.of([(0, gone), (Fraction(1, max(kept, 1)), kept), (0, gone)])


@dataclass(frozen=True)
class Winsorised:
    """The mean where ⌊cut·n⌋ records at each end take the value of the nearest that stays."""

    cut: Exact

    text = "0 if t ≤ g(N), 1 if t ≥ N − g(N), else t/N"  # of W(N, t)
    changed = ("R·W(n, min(k, n) + g(n))", "R·max of E(j, j) over j ≤ k")

    def steps(self, n: int) -> Steps:
        gone = self.cut * n // 1
        if not gone or n == 2 * gone + 1:
            middle = Fraction(2 * gone + 1, max(n, 1))
            return Steps.of([(0, gone), (middle, n - 2 * gone), (0, gone)])
        end, each = Fraction(gone + 1, n), Fraction(1, n)
        return Steps.of([(0, gone), (end, 1), (each, n - 2 * gone - 2), (end, 1), (0, gone)])


@dataclass(frozen=True)
class Quantiles:
    """A weighted sum of quantiles with linear interpolation: some (q, factor)."""

    parts: tuple[tuple[Exact, Exact], ...]

    def steps(self, n: int) -> Steps:
        weights: dict[int, Exact] = {}
        for q, factor in self.parts:
            position = q * (n - 1)
            lower = position // 1
            upper = position - lower
            for rank, weight in ((lower, 1 - upper), (lower + 1, upper)):
                if weight:
                    weights[rank] = weights.get(rank, 0) + factor * weight
        blocks: list[tuple[Exact, int]] = []
        done = 0
        for rank in sorted(weights):
            blocks += [(0, rank - done), (weights[rank], 1)]
            done = rank + 1
        return Steps.of([*blocks, (0, n - done)])


@dataclass(frozen=True)
class Gini:
    """Gini's mean difference: the record of rank r, from 1, weighs 2(2r − n − 1) / (n(n − 1))."""

    def steps(self, n: int) -> Steps:
        _check_listed(n)
        weights = tuple(2 * (2 * rank - n - 1) for rank in range(1, n + 1))
        return Steps(tuple(range(1, n + 1)), weights, n * (n - 1) or 1)


def _check_listed(n: int) -> None:
    if n > MOST_RANKS:
        raise TooLarge(f"weights are listed for at most {MOST_RANKS:,} records, got n={n:,}")


# --- the widest gap on an interval, where all records lie at its ends (thm-l-interval) ---
#
# Which records are the highest says everything: p of the c shared ones are at the top, and with them
# t of the one side and s of the other in all. W(t) is what the t highest weigh.


FEW = 100  # steps: beyond these every t is looked at, in NumPy
Place = tuple[int, int, int, int]  # the widest difference, over both units; p, t and s


def widest_place(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The largest W(t) − W'(s) with p ≤ t ≤ p + a and p ≤ s ≤ p + b for some p of the c shared records."""
    few = len(higher.ends) + len(lower.ends) <= FEW
    return (widest_at_corners if few else widest_everywhere)(higher, lower, share)


def widest_at_corners(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The search where either W may bend: it is a line between the corners, where a step ends."""
    c, a, b = share
    rises = higher.never_negative and lower.never_negative  # then t = p + a and s = p are best
    above, below = ((0, *(n.ends[-1] - end for end in n.ends)) for n in (higher, lower))
    bends = {0, c}
    bends.update(corner - a for corner in above)
    bends.update(below)
    if not rises:
        bends.update(above)
        bends.update(corner - b for corner in below)
    best: Place | None = None
    for p in sorted(p for p in bends if 0 <= p <= c):
        highs = (p + a,) if rises else _bends(above, p, p + a)
        lows = (p,) if rises else _bends(below, p, p + b)
        up, t = max((higher.highest(t), -t) for t in highs)
        down, s = min((lower.highest(s), s) for s in lows)
        gap = up * lower.unit - down * higher.unit
        if best is None or gap > best[0]:
            best = gap, p, -t, s
    assert best is not None
    return best


def _bends(corners: Collection[int], start: int, stop: int) -> set[int]:
    """Where W may be largest or least from start to stop: at these, and at corners."""
    return {start, stop, *(corner for corner in corners if start < corner < stop)}


def widest_everywhere(higher: Steps, lower: Steps, share: tuple[int, int, int]) -> Place:
    """The search among all p."""
    c, a, b = share
    bound = higher.magnitude * lower.unit + lower.magnitude * higher.unit
    dtype = np.dtype(np.int64 if bound < 2**62 else object)  # a gap is one difference of two sums
    above, below = (
        np.cumsum([0, *side.over(side.unit * other.unit)[::-1]], dtype=dtype)
        for side, other in ((higher, lower), (lower, higher))
    )
    gaps = _largest(above, a)[: c + 1] + _largest(-below, b)[: c + 1]
    p = int(np.argmax(gaps))
    t, s = p + int(np.argmax(above[p : p + a + 1])), p + int(np.argmin(below[p : p + b + 1]))
    return int(gaps[p]), p, t, s


def _largest(heights: np.ndarray, width: int) -> np.ndarray:
    """The largest from every place to `width` further: of two windows, again and again."""
    seen = 1
    while seen < width + 1:
        step = min(seen, width + 1 - seen)
        heights = np.maximum(heights[:-step], heights[step:])
        seen += step
    return heights
