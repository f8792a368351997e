"""The outermost records around a run: how many of them are the lowest, for the most scatter.

Of the records that are not in the run T, A is the i lowest and the a − i highest. As one letter for
each record, ascending:

    A..A . . T....T . . . A..A        a = 3, i = 2:  AA..TTT...A
    A..A T....T A..A . . . . A        where T starts below i:  ATTTA...A

The best i is thm-split on the book's page of proofs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sensitivity_lab.proved.scatter.filtered_maximum import Centred, Runs, first_true, ordered


def outermost(m: int, n: Any, a: Any, s: Any, i: Any) -> Runs:
    """The runs of A around n of m records that start at s: whole numbers, or `(N,)` of them."""
    rest = m - n
    return [*ordered(n, s, 0, i), *ordered(n, s, rest - (a - i), rest)]


def best_below(centred: Centred, n: Any, a: Any, s: np.ndarray) -> np.ndarray:
    """The least i with the largest sum of squares of T ∪ A, for each of `(N,)` starts of T."""
    return first_true(
        lambda i: _bracket(centred, n, a, s, i) >= 0, np.zeros_like(s), np.zeros_like(s) + a
    )


def first_starts(centred: Centred, n: int, a: int) -> np.ndarray:
    """For each i below a, the first start of T from which on more than i are best: `(a,)`, ascending."""
    i = np.arange(a, dtype=np.intp)
    last = np.full_like(i, centred.count - n)
    return first_true(lambda s: _bracket(centred, n, a, s, i) < 0, np.zeros_like(i), last + 1)


def _bracket(centred: Centred, n: Any, a: Any, s: np.ndarray, i: np.ndarray) -> Any:
    """N(l + h) − σ − σ′, exact: its sign says whether i below are better than i + 1 (thm-split)."""
    m, numbers, sums = centred.count, centred.numbers, centred.sums
    places = i, m - n - a + i  # of l and of h, in the order of what is not in T
    low, high = (numbers[np.minimum(at + n * (at >= s), m - 1)] for at in places)
    both = sum(sums.whole(*run) for run in [(s, s + n), *outermost(m, n, a, s, i)])
    return (n + a) * (low + high) - 2 * both - (low - high)
