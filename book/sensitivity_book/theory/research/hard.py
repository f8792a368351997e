"""A query for which no quick route is known: a ratio of sums."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sensitivity_lab.numbers import Exact

Pair = tuple[Exact, Exact]  # what a record adds to the numerator and to the denominator


def ratio_of_sums(dataset: Sequence[Pair]) -> Fraction:
    """Return Σx/Σy over records (x, y) whose y is positive.

    >>> ratio_of_sums([(1, 2), (3, 5)])
    Fraction(4, 7)
    """
    return Fraction(sum(x for x, _ in dataset)) / sum(y for _, y in dataset)


def subset_sum_population(
    weights: Sequence[int], count: int, target: int, large: int
) -> tuple[list[Pair], Fraction]:
    """Return a population, and the gap that its ratio reaches if `count` weights sum to `target`.

    >>> records, gap = subset_sum_population([1, 2, 4, 7], count=3, target=12, large=10_000)
    >>> len(records), float(gap) > 0
    (5, True)

    The last record is the special one. Source: thm-open-ratio on the book's page of open questions.
    """
    special = 3 * max(weights)
    reached = count * large + target
    weight = Fraction(count * (2 * reached + special), reached**2)
    records: list[Pair] = [(1, large + w) for w in weights]
    return [*records, (weight * special, special)], Fraction(special * count, reached**2)
