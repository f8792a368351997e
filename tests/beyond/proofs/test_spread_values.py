"""Spreads where records take any of a few values: D of each share, by all datasets."""

from fractions import Fraction
from itertools import combinations_with_replacement as multisets
from itertools import product

import pytest
from sensitivity_beyond.proofs import solver  # noqa: F401 — registers its routes
from sensitivity_beyond.proofs.routes import on_values

import sensitivity_lab as sl
from sensitivity_lab.numbers.exact import RootGap


def variance(numbers, ddof):
    n, total = len(numbers), sum(numbers)
    return Fraction(n * sum(x * x for x in numbers) - total * total, n * (n - ddof))


@pytest.mark.parametrize("values", [[0, 1], [0, 1, 4], [0, 2, 3, 12]], ids=str)
@pytest.mark.parametrize("ddof", [0, 1])
def test_a_share_of_few_values_is_that_of_all_datasets(values, ddof):
    """Catches a search from one end alone, or that starts beside the best, and stops there."""
    d, d_root = (on_values(of(ddof=ddof).proved, values, 1) for of in (sl.variance, sl.std))
    for c, a, more in [*product(range(1, 4), range(4), range(1, 4)), (5, 1, 4)]:
        if c + a > ddof:
            shared, higher, lower = (list(multisets(values, n)) for n in (c, a, a + more))
            ends = [
                (
                    max(variance(x + y, ddof) for y in higher),
                    min(variance(x + y, ddof) for y in lower),
                )
                for x in shared
            ]
            assert d(c, a, a + more).gap == max(high - low for high, low in ends)
            found, widest = d_root(c, a, a + more), max(RootGap(*end) for end in ends)
            assert found.gap == widest or (found.gap > widest and a and not found.attained)
