"""Queries for which no quick route is known: a ratio of sums, and what still works for it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sensitivity_lab.numbers.exact import Exact

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


def highest_ratio(
    dataset: Sequence[Pair], others: Sequence[Pair], removed: int, added: int
) -> tuple[Fraction, int]:
    """Return the highest Σx/Σy of one dataset after a move, and in how many rounds it was found.

    >>> highest_ratio([(1, 2), (3, 5)], [(9, 1), (5, 5)], removed=1, added=1)
    (Fraction(10, 3), 2)

    With λ a ratio that is reached, the best records by x − λy reach one at least as high; where
    none is higher, λ is the highest. Cost: a few rounds, a sort each. Errors: ZeroDivisionError
    where nothing is left. Source: Dinkelbach (1967), doi.org/10.1287/mnsc.13.7.492.
    """
    ratio, rounds = None, 0
    kept, joined = list(dataset[removed:]), list(others[:added])
    while ratio is None or ratio_of_sums([*kept, *joined]) > ratio:
        ratio, rounds = ratio_of_sums([*kept, *joined]), rounds + 1

        def gain(record: Pair, at: Fraction = ratio) -> Fraction:
            return record[0] - at * record[1]

        kept = sorted(dataset, key=gain)[removed:]
        joined = sorted(others, key=gain)[len(others) - added :]
    return ratio, rounds
