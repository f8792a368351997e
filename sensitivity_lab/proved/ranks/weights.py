"""What each of n sorted records weighs, by its rank: exact numbers, in steps of ranks that weigh the same."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
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
        alike = [
            (int(weight * unit), sum(count for _, count in same))
            for weight, same in groupby(held, key=lambda block: block[0])
        ]
        ends = tuple(accumulate(count for _, count in alike))
        return cls(ends, tuple(weight for weight, _ in alike), unit)

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
        """The weights of n ranks. Raises ValueError for what is not n exact numbers."""
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
        """The weights of n ranks."""
        return Steps((n,), (1,), 1)


@dataclass(frozen=True)
class Trimmed:
    """The mean of what is left without ⌊cut·n⌋ records at each end."""

    cut: Exact

    text = "(t − g(N))/h(N), cut to [0, 1]; h(N) = N − 2·g(N)"  # of W(N, t)
    changed = ("R·min(1, k/h(n))", "R·min(1, k/min(h(m), h(m + 1)))")

    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""
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
        """The weights of n ranks."""
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
        """The weights of n ranks."""
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
        """The weights of n ranks, of which no two are equal."""
        _check_listed(n)
        weights = tuple(2 * (2 * rank - n - 1) for rank in range(1, n + 1))
        return Steps(tuple(range(1, n + 1)), weights, n * (n - 1) or 1)


def _check_listed(n: int) -> None:
    if n > MOST_RANKS:
        raise TooLarge(f"weights are listed for at most {MOST_RANKS:,} records, got n={n:,}")
