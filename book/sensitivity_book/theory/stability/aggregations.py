"""Transformations from datasets to answers: count, sum and mean.

`metric` is SYMMETRIC or CHANGE_ONE; another is refused with a ValueError.
"""

from __future__ import annotations

from fractions import Fraction

from sensitivity_book.theory.stability.domains import (
    ABSOLUTE,
    SYMMETRIC,
    Answers,
    Metric,
    Records,
    dataset_metric,
)
from sensitivity_book.theory.stability.maps import Transformation
from sensitivity_lab.numbers import Exact, simplest


def _bounded(domain: Records, name: str) -> tuple[Exact, Exact]:
    if domain.bounds is None:
        raise ValueError(f"domain of a {name} must hold numbers with bounds, got '{domain}'")
    return domain.bounds


def make_count(domain: Records, *, metric: Metric = SYMMETRIC) -> Transformation:
    """Return the transformation that counts rows.

    >>> make_count(Records()).map(3), make_count(Records(size=5)).map(3)
    (3, 0)

    Exact: `d_in` where rows come and go, else 0. Cost: linear in the rows.
    Proof: thm-count in book/proofs.md.
    """
    return Transformation(
        name="count",
        function=len,
        input_domain=domain,
        output_domain=Answers(whole=True),
        input_metric=dataset_metric(metric),
        output_metric=ABSOLUTE,
        stability_map=lambda d_in: d_in if domain.changes(metric, d_in) is None else 0,
    )


def make_sum(domain: Records, *, metric: Metric = SYMMETRIC) -> Transformation:
    """Return the transformation that adds up rows within [L, U].

    >>> make_sum(Records(bounds=(1, 3))).map(2), make_sum(Records(bounds=(1, 3), size=5)).map(2)
    (6, 2)

    Exact: d·M, M = max(−L, U), where rows come and go; else changes·(U − L). Cost: linear in the
    rows. Raises ValueError where the domain has no bounds. Proof: thm-sum in book/proofs.md.
    """
    low, high = _bounded(domain, "sum")

    def d_out(d_in: int) -> Exact:
        changes = domain.changes(metric, d_in)
        return d_in * max(-low, high) if changes is None else changes * (high - low)

    return Transformation(
        name="sum",
        function=sum,
        input_domain=domain,
        output_domain=Answers(),
        input_metric=dataset_metric(metric),
        output_metric=ABSOLUTE,
        stability_map=d_out,
    )


def make_mean(domain: Records, *, metric: Metric = SYMMETRIC) -> Transformation:
    """Return the transformation that takes the mean of n rows within [L, U], n known.

    >>> mean = make_mean(Records(bounds=(0, 3), size=5))
    >>> [mean.map(d_in) for d_in in (1, 2, 3, 4)]
    [0, Fraction(3, 5), Fraction(3, 5), Fraction(6, 5)]

    Exact: changes·(U − L)/n. Cost: linear in the rows. Raises ValueError where bounds or size are
    unknown. Proof: thm-mean in book/proofs.md.
    """
    low, high = _bounded(domain, "mean")
    if domain.size is None:
        raise ValueError(f"domain of a mean must have a known size, got '{domain}'")
    size = domain.size

    def d_out(d_in: int) -> Exact:
        changes = domain.changes(metric, d_in)
        assert changes is not None  # the size is known
        return simplest(Fraction(changes) * (high - low) / size)

    return Transformation(
        name="mean",
        function=lambda rows: simplest(Fraction(sum(rows)) / size),
        input_domain=domain,
        output_domain=Answers(),
        input_metric=dataset_metric(metric),
        output_metric=ABSOLUTE,
        stability_map=d_out,
    )
