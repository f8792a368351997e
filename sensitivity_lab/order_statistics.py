"""L-statistics, queries that weigh the sorted records by rank: each with its function, its `rows` and what is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import (
    Exact,
    brief,
    exact_number,
    name_of,
    number_as_float,
    simplest,
)
from sensitivity_lab.numbers.text import dataset_text, number_repr
from sensitivity_lab.proved.ranks.family import (
    Central,
    GiniMeanDifference,
    InterquartileRange,
    LStatistic,
    Midhinge,
    Range,
)
from sensitivity_lab.proved.ranks.weights import Given, Trimmed, Weights, Winsorised
from sensitivity_lab.queries import OnRows, Query
from sensitivity_lab.universe import Dataset, Universe


@dataclass(frozen=True)
class Weighed:
    """The sum of the sorted records, each times the weight of its rank.

    >>> RANGE((1, 2, 8)), GINI_MEAN_DIFFERENCE((1, 2, 8))
    (7, Fraction(14, 3))
    """

    weights: Weights

    def __call__(self, x: Dataset) -> Exact:
        """The sum over one dataset."""
        steps = self.weights.steps(len(x))
        total: Any = sum(weight * sum(x[start:stop]) for start, stop, weight in steps if weight)
        return simplest(Fraction(total) / steps.unit)

    def rows(self, rows: np.ndarray, universe: Universe) -> tuple[np.ndarray, int]:
        """The same over many datasets at once: whole numbers, and what they are over."""
        values, scale = universe.scaled
        steps = self.weights.steps(rows.shape[1])
        largest = max(abs(int(values[0])), abs(int(values[-1])), 1)
        dtype = np.dtype(np.int64 if max(steps.magnitude, 1) * largest < 2**62 else object)
        weights = steps.over(steps.unit)
        read = np.flatnonzero(weights)
        x = values.astype(dtype)[rows[:, read]]
        total: np.ndarray = (x * weights[read].astype(dtype)).sum(axis=1, dtype=dtype)
        return total, scale * steps.unit


def of_ranks(
    name: str,
    proved: LStatistic,
    smallest_size: int = 1,
    function: Callable[[Dataset], Exact] | None = None,
    made: partial[Query] | None = None,
) -> Query:
    """The query that weighs sorted records so; `function` is the same, where it is quicker alone."""
    weighed = Weighed(proved.weights)
    known: dict[str, Any] = {"rows": OnRows(weighed), "proved": proved, "made": made}
    return Query(name, function or weighed, smallest_size, exact=True, **known)


def l_statistic(weights: Callable[[int], Any], *, name: str | None = None) -> Query:
    """Return the sum of the sorted records, each times a weight of its rank: an L-statistic.

    >>> from sensitivity_lab import Change, Universe, global_sensitivity
    >>> midrange = l_statistic(lambda n: [0.5, *[0] * (n - 2), 0.5] if n > 1 else [1])
    >>> midrange((1, 2, 8))
    Fraction(9, 2)
    >>> school = Universe.population([1, 2, 3, 10])
    >>> global_sensitivity(midrange, school, size=3, relation=Change(1)).value
    4

    `weights(n)` gives the n weights for n records, the lowest record's first; a float stands for its
    shortest decimal text, so give Fractions where 1/n is meant. It needs at least one record, whatever
    the weights. `name` is by default made of the function's.

    Cost: an answer calls `weights` once, and is O(n) exact arithmetic. A sensitivity on a range of
    values is O(n); on a population O(m) in NumPy for each step of the weights where none is
    negative, else a program of O(m²·(a + 1)·(b + 1)) cells for a records that leave and b that join, which is
    refused beyond ten billion cells. One dataset is O(m) for each (a, b).
    Raises TypeError for weights that cannot be called and for a name that is no text, ValueError, when
    it is asked, for what are not n numbers. Source: David and Nagaraja (2003), "Order Statistics", chapter 6;
    thm-l-interval, thm-l-shifts, thm-l-program and thm-l-local on the book's page of proofs.
    """
    if not callable(weights):
        raise TypeError(f"weights must be callable, got {brief(weights)}")
    if not (name is None or isinstance(name, str)):
        raise TypeError(f"name must be text, got {brief(name)}")
    return of_ranks(
        f"l_statistic({name_of(weights)})" if name is None else name, LStatistic(Given(weights))
    )


def trimmed_mean(cut: Any) -> Query:
    """Return the mean without the ⌊cut·n⌋ lowest and highest records, as `scipy.stats.trim_mean`.

    >>> trimmed_mean(0.25)((1, 2, 3, 40))
    Fraction(5, 2)

    Where SciPy multiplies in floats the exact product is rounded down here: a tenth of 10 is 1.

    Cost: an answer is O(n). A sensitivity by formula is O(1) for each move; on a population, one pass
    over the sorted records. Raises ValueError for a cut outside [0, 1/2).
    Source: `scipy.stats.trim_mean`; thm-l-central on the book's page of proofs.
    """
    return _central(trimmed_mean, Trimmed, cut)


def winsorised_mean(cut: Any) -> Query:
    """Return the mean where the ⌊cut·n⌋ lowest and highest records are replaced by the nearest that stays.

    >>> winsorised_mean(0.25)((1, 2, 3, 40))
    Fraction(5, 2)

    They are counted as `scipy.stats.mstats.winsorize` does, with the exact product rounded down.

    Cost and errors: as `trimmed_mean`. Source: `scipy.stats.mstats.winsorize`; thm-l-central on the
    book's page of proofs.
    """
    return _central(winsorised_mean, Winsorised, cut)


def _central(
    maker: Callable[[Any], Query], weights: type[Trimmed] | type[Winsorised], cut: Any
) -> Query:
    exact = exact_number(cut, "cut")
    if not 0 <= exact < Fraction(1, 2):
        raise ValueError(f"cut must be at least 0 and below 1/2, got cut={dataset_text(cut)}")
    kind, made = maker.__name__, partial(maker, exact)
    return of_ranks(f"{kind}({short_text(exact)})", Central(weights(exact)), made=made)


def short_text(exact: Exact) -> str:
    """A number as a float where that means it, else as a quotient; of too many digits in short."""
    near = number_as_float(exact)
    if near is None and exact.denominator < 10**300:
        return str(exact)
    return number_repr(exact if near is None else near)


RANGE = of_ranks("range", Range())
INTERQUARTILE_RANGE = of_ranks("interquartile_range", InterquartileRange())
MIDHINGE = of_ranks("midhinge", Midhinge())
GINI_MEAN_DIFFERENCE = of_ranks("gini_mean_difference", GiniMeanDifference(), 2)
