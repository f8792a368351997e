"""What enumeration suggests and nobody has proved, each as a claim that a search can refute.

A claim takes a world (a population, a dataset, a pair of numbers) and yields its cases, each with a
left and a right side; it says that no left side exceeds its right one. `search.search` goes through
worlds until one does. Variances and quantiles are compared exactly, standard deviations as floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_book.theory.research.layouts import Pick, Share, widest
from sensitivity_book.theory.research.search import Case, Claim
from sensitivity_book.theory.research.worlds import Records
from sensitivity_lab import Query

DATA = Path(__file__).parents[2] / "data" / "open_questions.csv"


def _one_sided(d: dict[Share, Any], n: int, k: int, records: int) -> list[Any]:
    """The gaps of AddRemove(k) at size n: removals, and additions where records are left."""
    moves = [(n - k, k, 0), (n - k, 0, k)] if k <= n else []
    moves += [(n, k, 0), (n, 0, k)] if n + k <= records else []
    return [d[move] for move in moves if move in d]


def falls(query: Query, left: int = 2, both: bool = False) -> Claim:
    """Claim: AddRemove(k) is at most AddRemove(k + 1), while at least `left` records would be left.

    >>> from sensitivity_book.theory.research.search import search
    >>> from sensitivity_book.theory.research.worlds import small_populations
    >>> from sensitivity_lab import MEDIAN
    >>> search(falls(MEDIAN, left=1), small_populations(5, 2))
    none found: 30 searched, 116 cases
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        d, m = widest(query, records), len(records)
        for n in range(left + 2, m + 1):
            for k in range(1, n - left):
                if n + k < m or not both:
                    yield (n, k), max(_one_sided(d, n, k, m)), max(_one_sided(d, n, k + 1, m))

    return claim


def mixes(query: Query) -> Claim:
    """Claim: where k can be removed and k added, no mix beats the best pure move of at most k.

    >>> from sensitivity_book.theory.research.search import search
    >>> from sensitivity_book.theory.research.worlds import small_populations
    >>> from sensitivity_lab import MEDIAN
    >>> search(mixes(MEDIAN), small_populations(5, 2))
    none found: 30 searched, 14 cases
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        d, m = widest(query, records), len(records)
        for n in range(1, m + 1):
            for k in range(2, min(n - (query.smallest_size or 0), m - n) + 1):
                pure = max(max(_one_sided(d, n, j, m)) for j in range(1, k + 1))
                mixed = max(
                    max(d[n - out, out, new], d[n - out, new, out])
                    for out in range(1, k)
                    for new in range(1, k - out + 1)
                )
                yield (n, k), mixed, pure

    return claim


def places(query: Query, shares: Callable[[int, int], bool], pick: Pick) -> Claim:
    """Claim: for the shares (a, b) that are asked about, a picked layout is as wide as any.

    >>> from sensitivity_book.theory.research.layouts import lower_side_is_a_run
    >>> from sensitivity_book.theory.research.search import search
    >>> from sensitivity_lab import VARIANCE
    >>> runs = places(VARIANCE, lambda a, b: a >= b, lower_side_is_a_run)
    >>> search(runs, [(-46, -3, -2, -2, 2, 3, 3, 3)])
    refuted: 1 searched, 45 cases
      (-46, -3, -2, -2, 2, 3, 3, 3), case (4, 2, 2)
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        best = widest(query, records, pick)
        for (c, a, b), gap in widest(query, records).items():
            if a and b and gap > 0 and shares(a, b):
                yield (c, a, b), gap, best.get((c, a, b), 0)

    return claim


def half_and_some(size: int, ones: int, ddof: int) -> Fraction:
    """Return the widest variance of `size` records, up to `ones` of them 1 and the others 0.

    >>> half_and_some(4, ones=1, ddof=0)
    Fraction(3, 16)

    Source: v of thm-variance in book/proofs.md.
    """
    i = min(ones, size // 2)
    return Fraction(i * (size - i), size * (size - ddof))


def variance_at_least(k: int, least: int, ddof: int) -> Fraction:
    """Return the variance's sensitivity under SymmetricDifference(k), `least` records or more.

    >>> variance_at_least(2, least=4, ddof=0)
    Fraction(2, 9)

    For values in [0, 1]: exact up to ddof 3 (but for k = 1 at 3), too small for some beyond.
    Cost: 2k fractions. Source: thm-sizes-mixed in book/proofs.md.
    """
    return max(
        half_and_some(max(0, least - min(a, k - a)) + a + more, a, ddof)
        for a in range(1, k + 1)
        for more in (0, 1)
    )


def std_at_distance(t: int, top: int) -> Claim:
    """Claim: the standard deviation at distance t, on whole numbers 0..top, is met by tidy pairs.

    >>> from sensitivity_book.theory.research.search import search
    >>> search(std_at_distance(1, top=4), [(0, 1, 4), (0, 0, 2, 3)])
    none found: 2 searched, 2 cases
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        best = {False: 0.0, True: 0.0}
        for kept in set(combinations(records, len(records) - t)):
            for new in combinations_with_replacement(range(top + 1), t):
                for tidy, gap in _last_changes(records, kept, new, top):
                    best[tidy] = max(best[tidy], gap)
        yield (t,), max(best.values()), best[True]

    return claim


def _last_changes(
    records: Records, kept: Records, new: Records, top: int
) -> Iterator[tuple[bool, float]]:
    """Each last change of one record: whether the pair is tidy, and how far the answer moves."""
    everyone = (*kept, *new)
    before = float(np.std(everyone))
    for i, old in enumerate(everyone):
        stay = everyone[:i] + everyone[i + 1 :]
        after = np.std([(*stay, value) for value in range(top + 1)], axis=1)
        mine, others = list(kept), list(new)
        dataset = list(records)
        if i < len(kept):
            mine.remove(old)
            dataset.remove(old)
        else:
            others.remove(old)
        runs = range(len(dataset) - len(mine) + 1)
        tidy = len(set(others)) <= 1 and any(dataset[j : j + len(mine)] == mine for j in runs)
        yield tidy, float(np.abs(after - before).max())


def wider(question: str) -> pd.DataFrame:
    """Return the stored results of a wider search, a row for each query.

    >>> print(*wider("falls").loc["std"])
    5784 59930 none
    """
    table = pd.read_csv(DATA, dtype={"worlds": "int64", "cases": "int64"})
    return table[table["question"] == question].drop(columns="question").set_index("query")
