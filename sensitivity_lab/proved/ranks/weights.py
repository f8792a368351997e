"""What each of n sorted records weighs, by its rank:
exact numbers, in steps of ranks that weigh the same."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

import numpy as np

from sensitivity_lab.numbers.exact import Exact

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
        held = [(weight, count) for weight, count in blocks if count]
        unit = math.lcm(*(weight.denominator for weight, _ in held))
        ends = tuple(accumulate(count for _, count in held))
        return cls(ends, tuple(int(weight * unit) for weight, _ in held), unit)

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
        """What the t highest ranks weigh, times `unit`."""
        rank = self.ends[-1] - t
        i = bisect_left(self.ends, rank)
        return self.sums[-1] - self.sums[i + 1] + (self.ends[i] - rank) * self.weights[i]

    def listed(self) -> np.ndarray:
        """Every rank's weight times `unit`, as Python's ints."""
        return np.repeat(np.array(self.weights, dtype=object), np.diff(self.ends, prepend=0))


class Weights(Protocol):
    """What gives the weights of n sorted records."""

    def steps(self, n: int) -> Steps:
        """The weights of n ranks."""


@dataclass(frozen=True)
class OfSum:
    """The weight 1 for every rank."""

    def steps(self, n: int) -> Steps:
        return Steps((n,), (1,), 1)


@dataclass(frozen=True)
class OfMean:
    """The weight 1/n for every rank."""

    def steps(self, n: int) -> Steps:
        return Steps((n,), (1,), n)


@dataclass(frozen=True)
class OfQuantile:
    """Linear interpolation: of the rank at q(n − 1), or of the two next to it."""

    q: Exact

    def steps(self, n: int) -> Steps:
        position = self.q * (n - 1)
        lower = position // 1
        upper = position - lower
        read = 2 if upper else 1
        pair = ((1 - upper, 1), (upper, read - 1))
        return Steps.of([(0, lower), *pair, (0, n - lower - read)])


@dataclass(frozen=True)
class OfRange:
    """1 for the highest record, −1 for the lowest."""

    def steps(self, n: int) -> Steps:
        return Steps.of([(-1, 1), (0, n - 2), (1, 1)] if n > 1 else [(0, 1)])
