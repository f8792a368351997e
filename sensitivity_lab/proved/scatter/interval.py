"""D(c, a, b) for variances and standard deviations on an interval of values (thm-variance, thm-std)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.numbers.gap import rational
from sensitivity_lab.proved.family import Interval
from sensitivity_lab.proved.worst_pair import D, WorstPair


def variance_on_interval(interval: Interval, ddof: int) -> D:
    """Either the lower side is constant (a ≥ b), or its own records sit at the shared mean."""
    low, high, width = interval.low, interval.high, Fraction(interval.width)

    def d(c: int, a: int, b: int) -> WorstPair:
        if a >= b:
            i = min(a, (c + a) // 2)
            gap = width**2 * Fraction(i * (c + a - i), (c + a) * (c + a - ddof))
            return WorstPair.of_copies(gap, ((low, c),), ((high, i), (low, a - i)), ((low, b),))
        gap, i, j = max(_with_b_at_the_mean(c, a, b, ddof))
        mean = low + width * Fraction(j, c) if c else low
        common = ((high, j), (low, c - j))
        return WorstPair.of_copies(width**2 * gap, common, ((high, i), (low, a - i)), ((mean, b),))

    return d


def _with_b_at_the_mean(c: int, a: int, b: int, ddof: int) -> Iterator[tuple[Fraction, int, int]]:
    """On [0, 1] with a < b: gaps for i of the a, and j of the c, at 1, the rest at 0."""
    upper, lower = (c + a) * (c + a - ddof), c * (c + b - ddof)
    for i in range(a + 1):
        ends = {0, c}
        curvature = Fraction(1, lower) - Fraction(1, upper) if c else Fraction(0)
        if curvature < 0:
            slope = Fraction(c + a - 2 * i, upper) - Fraction(c, lower)
            vertex = math.floor(-slope / (2 * curvature))
            ends |= {min(max(vertex + step, 0), c) for step in (0, 1)}
        for j in ends:
            lower_variance = Fraction(j * (c - j), lower) if c else Fraction(0)
            yield Fraction((i + j) * (c + a - i - j), upper) - lower_variance, i, j


def deviation_on_interval(interval: Interval, ddof: int) -> D:
    """The root of the variance's gap if the lower side is constant or has all the extra (thm-std)."""
    low, high, width = interval.low, interval.high, Fraction(interval.width)
    variance = variance_on_interval(interval, ddof)

    def d(c: int, a: int, b: int) -> WorstPair:
        if a == 0 and b > 0:
            squares = Fraction((c // 2) * (c - c // 2), c) * width**2
            gap = RootGap(squares / (c - ddof), squares / (c + b - ddof))
            middle = low + width * Fraction(c // 2, c)
            return WorstPair.of_copies(gap, ((high, c // 2), (low, c - c // 2)), (), ((middle, b),))
        of_variance = variance(c, a, b)
        assert of_variance
        shared = {value for value, times in of_variance.common if times}
        constant = a >= b or len(shared) < 2  # then the lower side does not vary at all
        return replace(of_variance, gap=RootGap(rational(of_variance.gap), 0), attained=constant)

    return d


def half_and_half(size: int, ddof: int) -> Fraction:
    """The largest variance of `size` records on [0, 1]: half at either end."""
    return Fraction((size // 2) * (size - size // 2), size * (size - ddof))
