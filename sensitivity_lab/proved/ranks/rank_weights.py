"""What each of n sorted records weighs, by its rank: exact numbers, in steps of ranks that weigh the same."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, groupby
from typing import Any, Protocol

import numpy as np

from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import Exact, exact_number, name_of, sequence, told

MOST_RANKS = 5_000_000  # whose weights are listed


@dataclass(frozen=True)
class Steps:
    """The weights of n ranks, lowest first: whole numbers over `unit`, up to the ranks `ends`."""

    ends: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int

    @classmethod
    def of(cls, blocks: Iterable[tuple[Exact, int]]) -> Steps:
        """Steps of some weights, each of so many ranks in a row."""
        held = [(weight, count) for weight, count in blocks if count]
        unit = math.lcm(*(weight.denominator for weight, _ in held))
        alike = [
            (int(weight * unit), sum(count for _, count in same))
            for weight, same in groupby(held, key=lambda block: block[0])
        ]
        ends = tuple(accumulate(count for _, count in alike))
        return cls(ends, tuple(weight for weight, _ in alike), unit)

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self.ends[-1] if self.ends else 0

    @property
    def never_negative(self) -> bool:
        """Whether no rank has a weight below 0."""
        return min(self.weights, default=0) >= 0

    @property
    def total(self) -> int:
        """The sum of all weights, times `unit`."""
        return sum(weight * count for weight, count in self._counted())

    @property
    def magnitude(self) -> int:
        """The sum of the weights' magnitudes, times `unit`."""
        return sum(abs(weight) * count for weight, count in self._counted())

    def _counted(self) -> Iterator[tuple[int, int]]:
        for start, stop, weight in zip(self.starts, self.ends, self.weights, strict=True):
            yield weight, stop - start

    @property
    def starts(self) -> tuple[int, ...]:
        """The first rank of each step, from 0."""
        return (0, *self.ends[:-1])

    def at(self, rank: int) -> int:
        """The weight of a rank, from 0, times `unit`."""
        return self.weights[bisect_right(self.ends, rank)]

    def over(self, unit: int) -> np.ndarray:
        """Every rank's weight times a multiple of `unit`, as Python's ints."""
        counts = [count for _, count in self._counted()]
        weights = np.array([weight * (unit // self.unit) for weight in self.weights], dtype=object)
        return np.repeat(weights, counts)


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
        if n > MOST_RANKS:
            raise TooLarge(f"weights are listed for at most {MOST_RANKS:,} records, got n={n:,}")
        try:
            given = self.function(n)
        except Exception as error:
            raise ValueError(f"{name_of(self.function)} failed on n={n}: {told(error)}") from error
        weights = sequence(given, f"weights({n})", "numbers")
        if len(weights) != n:
            raise ValueError(f"weights({n}) must be {n} numbers, got {len(weights):,}")
        return Steps.of((exact_number(weight, f"weights({n})"), 1) for weight in weights)


@dataclass(frozen=True)
class Trimmed:
    """The mean of what is left without ⌊cut·n⌋ records at each end."""

    cut: Exact

    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""
        gone = self.cut * n // 1
        kept = n - 2 * gone
        return Steps.of([(0, gone), (Fraction(1, max(kept, 1)), kept), (0, gone)])

    def highest(self, n: int, t: int) -> Fraction:
        """The sum of the t highest weights of n."""
        gone = self.cut * n // 1
        return Fraction(min(max(t - gone, 0), n - 2 * gone), n - 2 * gone)


@dataclass(frozen=True)
class Winsorised:
    """The mean where ⌊cut·n⌋ records at each end take the value of the nearest that stays."""

    cut: Exact

    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""
        gone = self.cut * n // 1
        if not gone or n == 2 * gone + 1:
            middle = Fraction(2 * gone + 1, max(n, 1))
            return Steps.of([(0, gone), (middle, n - 2 * gone), (0, gone)])
        end, each = Fraction(gone + 1, n), Fraction(1, n)
        return Steps.of([(0, gone), (end, 1), (each, n - 2 * gone - 2), (end, 1), (0, gone)])

    def highest(self, n: int, t: int) -> Fraction:
        """The sum of the t highest weights of n."""
        gone = self.cut * n // 1
        return Fraction(0 if t <= gone else n if t >= n - gone else t, n)


@dataclass(frozen=True)
class Quantiles:
    """A weighted sum of quantiles with linear interpolation: some (q, factor)."""

    parts: tuple[tuple[Exact, Exact], ...]

    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""
        weights: dict[int, Exact] = {}
        for q, factor in self.parts:
            position = q * (n - 1)
            lower, upper = math.floor(position), position - math.floor(position)
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
        if n > MOST_RANKS:
            raise TooLarge(f"weights are listed for at most {MOST_RANKS:,} records, got n={n:,}")
        weights = tuple(2 * (2 * rank - n - 1) for rank in range(1, n + 1))
        return Steps(tuple(range(1, n + 1)), weights, n * (n - 1) or 1)
