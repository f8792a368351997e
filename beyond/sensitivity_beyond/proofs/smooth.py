"""Smooth sensitivity: how far a dataset is from those at which one record moves the answer much.

The sensitivity at distance t, A⁽ᵗ⁾(x), is the largest local sensitivity within t changed records
of x. Discounted by e^(−βt), the largest of them is the smooth sensitivity of Nissim, Raskhodnikova
and Smith (2007): near x it changes slowly, so noise in proportion to it gives nothing away.
Records lie anywhere in an interval [L, U], and a change replaces one record by another. The
formulas for A⁽ᵗ⁾ are proved on the book's page of proofs, "At a distance from one dataset".
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from sensitivity_beyond.proofs import solver  # noqa: F401 — families register their routes
from sensitivity_beyond.proofs.at_distance import AtDistance, Bounded
from sensitivity_beyond.proofs.routes import at_distance
from sensitivity_beyond.tables.asking import inner, of_what
from sensitivity_beyond.tables.columns import numbers_of
from sensitivity_lab.numbers import exact
from sensitivity_lab.numbers.errors import NotProved
from sensitivity_lab.numbers.gap import rational
from sensitivity_lab.numbers.text import fields_repr, value_text
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import change_one_distance
from sensitivity_lab.results import html_table
from sensitivity_lab.universe import Dataset, Universe

DIGITS = Context(prec=50, Emin=MIN_EMIN)
LARGEST = Fraction(sys.float_info.max)
# Of β beyond these the floats need to know no more: all distances count alike, or 0 alone.
MILDEST, HARSHEST = Fraction(1, 10**300), 10**300


@dataclass(frozen=True, eq=False)
class SmoothSensitivity(exact.AsNumber):
    """The smooth sensitivity of a query at one dataset, and what attains it.

    >>> from sensitivity_lab import MEDIAN
    >>> smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1)
    SmoothSensitivity(value=2.207276647028654, distance=1, local=6, bounds=(0, 10), beta=1)

    `local` is the exact sensitivity at distance `distance`; `value` is e^(−β·distance) times it,
    rounded up to a float, so that noise is never too small: no distance has more. `witness` is a
    dataset that many changes away, and its neighbour, whose answers are `local` apart; both in
    exact numbers.

    Source: Nissim, Raskhodnikova and Smith (2007).
    """

    value: float
    distance: int
    local: exact.Exact
    query: Query = field(repr=False)
    bounds: tuple[exact.Exact, exact.Exact]
    beta: exact.Exact
    _dataset: Bounded = field(repr=False)
    _pair: WorstPair = field(repr=False)
    _margin: float = field(default=0.0, repr=False)

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return html_table(
            {
                "smooth sensitivity": value_text(self.value),
                "query": self.query.name,
                "local sensitivity": f"{value_text(self.local)}, at distance {self.distance}",
                "bounds": ", ".join(map(value_text, self.bounds)),
                "beta": value_text(self.beta),
            }
        )

    @cached_property
    def witness(self) -> tuple[Dataset, Dataset]:
        """A dataset at this distance, and its neighbour one change further.

        >>> from sensitivity_lab import MEDIAN
        >>> smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1).witness
        ((1, 2, 3, 9, 10), (2, 3, 9, 10, 10))

        Cost: O(n log n), once.
        """
        return self._pair.pair()

    def check(self) -> bool:
        """Return whether the witness, asked again, lies within the bounds and has these values.

        >>> from sensitivity_lab import MEDIAN
        >>> smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1).check()
        True

        Cost: two evaluations of the query. That no other distance has more, it takes on trust.
        """
        near, far = self.witness
        low, high = self.bounds
        return (
            all(low <= side[0] and side[-1] <= high for side in self.witness)
            and change_one_distance(self._dataset.dataset(), near) <= self.distance
            and change_one_distance(near, far) <= 1
            and abs(self.query(near) - self.query(far)) == self.local
            and self.value == _rounded_up(self.local, self.beta * self.distance, self._margin)
        )


@exact.by_name
def smooth_sensitivity(
    query: Query, dataset: Iterable[Any], *, bounds: tuple[Any, Any], beta: Any
) -> SmoothSensitivity:
    """Return the largest local sensitivity around a dataset, discounted by e^(−β·distance).

    >>> from sensitivity_lab import MEDIAN
    >>> smooth = smooth_sensitivity(MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1)
    >>> smooth.value, smooth.distance, smooth.local
    (2.207276647028654, 1, 6)
    >>> smooth.witness
    ((1, 2, 3, 9, 10), (2, 3, 9, 10, 10))

    Of a query of a column or a function (`MEDIAN.of("salary")`) it is that of the numbers, in which
    the witness is shown. Serves count, count_distinct, sum, mean, variance, min, max, median and
    every quantile, on all datasets of this size with real records in `bounds`, where at most one
    record changes. The variance may need a value between whole numbers, which the witness shows.
    What comes near the largest in floats is settled exactly. In a quantile that can be too much:
    the value is then (1 + 10⁻¹²) times the largest of some, and no distance has more.

    Cost: O(n log n) for n records, which may be a NumPy array; O(n) for each row near the largest.
    Raises ValueError for records outside the bounds, bounds out of order, a β that is not above
    0, a query whose formula is not proved, and a value above the largest float.
    Source: Nissim, Raskhodnikova and Smith (2007); thm-at-distance-sum, thm-at-distance-quantile,
    thm-at-distance-variance and thm-at-distance-monotone on the book's page of proofs.
    """
    query, asked = _asked(query, dataset, bounds)
    discount = exact.exact_number(beta, "beta")
    if discount <= 0:
        raise ValueError(f"beta must be above 0, got beta={exact.brief(beta)}")
    in_floats = float(min(max(discount, MILDEST), HARSHEST))
    candidates, margin = asked.nearly_widest(in_floats)

    def discounted(candidate: tuple[int, WorstPair]) -> tuple[Fraction, bool, int]:
        t, pair = candidate
        gap = rational(pair.gap)
        return _discounted(gap, discount * t), gap > 0, -t

    # e^(−βt) is irrational, so only equal distances can tie
    distance, pair = max(candidates, key=discounted)
    local = rational(pair.gap)
    return SmoothSensitivity(
        value=_rounded_up(local, discount * distance, margin),
        distance=distance,
        local=local,
        query=query,
        bounds=asked.dataset.bounds,
        beta=discount,
        _dataset=asked.dataset,
        _pair=pair,
        _margin=margin,
    )


@exact.by_name
def sensitivity_at_distance(
    query: Query, dataset: Iterable[Any], *, bounds: tuple[Any, Any], distance: int
) -> exact.Exact:
    """Return the largest local sensitivity within `distance` changed records of a dataset.

    >>> from sensitivity_lab import MEDIAN
    >>> ask = {"dataset": (1, 2, 3, 4, 9), "bounds": (0, 10)}
    >>> [sensitivity_at_distance(MEDIAN, **ask, distance=t) for t in range(6)]
    [1, 6, 7, 8, 9, 10]

    At distance 0 it is the local sensitivity; from distance n on, the global one.
    Cost: O(n log n) for the sort, then O(min(distance, n)) at the most. Queries and errors: as
    `smooth_sensitivity`. Source: Nissim, Raskhodnikova and Smith (2007); proofs: as
    `smooth_sensitivity`.
    """
    _, asked = _asked(query, dataset, bounds)
    exact.whole_number(distance, "distance", 0)
    return rational(asked.widest(min(distance, len(asked.dataset))).gap)


def _asked(query: Any, dataset: Iterable[Any], bounds: Any) -> tuple[Query, AtDistance]:
    """Check what is asked, and sort the dataset; of what records say it is asked of the numbers."""
    ends = exact.checked_bounds(bounds)
    if isinstance(query, Query) and (of_numbers := inner(query)) is not None:
        ends = query.bounds_of(*ends)
        dataset = numbers_of(Universe.population(dataset), of_what(query))
        query = of_numbers
    proved: Family | None = query.proved if isinstance(query, Query) else None
    route = at_distance(proved) if proved else None
    if route is None:
        got = query if isinstance(query, Query) else exact.brief(query)
        raise NotProved(
            "query must be count, count_distinct, sum, mean, variance, min, max, median or a "
            f"quantile, whose sensitivity at a distance is proved, got {got}"
        )
    universe = Universe.of(dataset, "dataset", unlimited=False)
    if universe.has_missing:
        raise ValueError("dataset must hold numbers, got None")
    size = len(universe.sorted_records)
    if size < (need := query.smallest_size or 0):
        raise ValueError(f"dataset must have at least {need} records for {query.name}, got {size}")
    return query, route(Bounded(universe, ends))


def _discounted(gap: exact.Exact, exponent: exact.Exact) -> Fraction:
    """e^(−exponent) · gap, to 50 digits; exact where the exponent is 0."""
    ratio = Fraction(exponent)
    power = DIGITS.divide(Decimal(-ratio.numerator), Decimal(ratio.denominator))
    return gap * Fraction(DIGITS.exp(power))


def _rounded_up(gap: exact.Exact, exponent: exact.Exact, margin: float) -> float:
    """(1 + margin) · e^(−exponent) · gap as a float that is not below it."""
    value = _discounted(gap, exponent) * (1 + Fraction(margin))
    if value > LARGEST:
        raise ValueError(
            f"the smooth sensitivity must be at most {sys.float_info.max}, the largest float: "
            "scale the records and the bounds down"
        )
    nearest = float(value)
    above_zero = nearest > 0 or gap == 0  # e^(−exponent) itself may be below the smallest Decimal
    return nearest if nearest >= value and above_zero else math.nextafter(nearest, math.inf)
