"""Transformations from datasets to datasets: clamp, filter and resize.

`metric` is SYMMETRIC or CHANGE_ONE; another is refused with a ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sensitivity_book.theory.stability.domains import (
    CHANGE_ONE,
    SYMMETRIC,
    Metric,
    Records,
    dataset_metric,
    interval,
)
from sensitivity_book.theory.stability.maps import Transformation
from sensitivity_lab.numbers import Exact


def _row_by_row(domain: Records, metric: Metric) -> Callable[[int], int]:
    """The map of what treats every row by itself and keeps their number."""

    def d_out(d_in: int) -> int:
        changes = domain.changes(metric, d_in)
        if changes is None:
            return d_in
        return changes if metric == CHANGE_ONE else 2 * changes

    return d_out


def make_clamp(
    domain: Records, lower: Any, upper: Any, *, metric: Metric = SYMMETRIC
) -> Transformation:
    """Return the transformation that moves every number to the nearest in [lower, upper].

    >>> clamp = make_clamp(Records(), 0, 12)
    >>> clamp([100, 9, -1]), clamp.map(3)
    ((12, 9, 0), 3)

    Exact. Cost: linear in the rows. Raises ValueError unless lower < upper and the domain's own
    bounds leave room between them. Proof: thm-clipping-stable in chapters/neighbours-in-detail.
    """
    low, high = interval(lower, upper)
    ends = domain.bounds if domain.bounds is not None else (low, high)

    def clamp(number: Exact) -> Exact:
        return min(max(number, low), high)

    kept = clamp(ends[0]), clamp(ends[1])
    if domain.rows == "any" or kept[0] == kept[1]:
        raise ValueError(f"domain must have numbers within [{lower}, {upper}], got '{domain}'")

    return Transformation(
        name=f"clamp to [{low}, {high}]",
        function=lambda rows: tuple(map(clamp, rows)),
        input_domain=domain,
        output_domain=Records(kept, domain.size, domain.rows),
        input_metric=dataset_metric(metric),
        output_metric=metric,
        stability_map=_row_by_row(domain, metric),
    )


def make_filter(
    domain: Records, predicate: Callable[[Any], Any], *, metric: Metric = SYMMETRIC
) -> Transformation:
    """Return the transformation that keeps the rows for which the predicate is true.

    >>> grown = make_filter(Records(), lambda age: age >= 18)
    >>> grown([17, 18, 40]), grown.map(2)
    ((18, 40), 2)

    How many rows are kept is private, so the output is measured in the symmetric distance. An
    upper bound, attained if the predicate keeps some row (two different ones, where the input's
    size is kept). Cost: one call for each row.
    Proof: thm-people-row-by-row in chapters/people-in-detail, with m = 1.
    """
    dataset_metric(metric)

    def d_out(d_in: int) -> int:
        changes = domain.changes(metric, d_in)
        return d_in if changes is None else 2 * changes

    return Transformation(
        name="filter",
        function=lambda rows: tuple(row for row in rows if predicate(row)),
        input_domain=domain,
        output_domain=Records(domain.bounds, None, domain.rows),
        input_metric=metric,
        output_metric=SYMMETRIC,
        stability_map=d_out,
        status="upper bound",
    )


def make_resize(
    domain: Records, size: int, constant: Any, *, metric: Metric = SYMMETRIC
) -> Transformation:
    """Return the transformation that keeps the `size` smallest rows, or fills up with a constant.

    >>> three = make_resize(Records(), 3, 0)
    >>> three([9, 4]), three([9, 4, 5, 7]), three.map(1)
    ((4, 9, 0), (4, 5, 7), 2)

    One row that joins may push another out, hence 2. Exact: 2·min(d, size) where rows come and
    go, and min(changes, size) changes where the size is kept. Cost: one sort. Raises ValueError
    unless the constant is a row of the domain and `size` a whole number of at least 1.
    Proof: as for `DropExcess`, thm-people-truncation in chapters/people-in-detail.
    """
    kept = Records(domain.bounds, size, domain.rows)
    filler = Records(domain.bounds, None, domain.rows).read([constant])

    def d_out(d_in: int) -> int:
        changes = domain.changes(metric, d_in)
        swaps = min(d_in if changes is None else changes, size)
        return swaps if metric == CHANGE_ONE else 2 * swaps

    return Transformation(
        name=f"resize to {size}",
        function=lambda rows: (*sorted(rows)[:size], *filler * (size - len(rows))),
        input_domain=domain,
        output_domain=kept,
        input_metric=dataset_metric(metric),
        output_metric=metric,
        stability_map=d_out,
    )
