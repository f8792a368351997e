"""Transformations from datasets to answers: count, sum and mean, whole or by key.

`metric` is SYMMETRIC or CHANGE_ONE; another is refused with a ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any, Literal

from sensitivity_book.theory.stability.domains import (
    ABSOLUTE,
    L1,
    L2,
    SYMMETRIC,
    Answers,
    Metric,
    Records,
    Rows,
    dataset_metric,
    root,
)
from sensitivity_book.theory.stability.maps import Transformation
from sensitivity_lab.numbers.exact import Exact, simplest


def _bounded(domain: Records, name: str, rows: Rows = "number") -> tuple[Exact, Exact]:
    if domain.bounds is None or domain.rows != rows:
        kind = {"number": "numbers", "pair": "pairs (key, number)"}[rows]
        raise ValueError(f"domain of a {name} must hold {kind} with bounds, got '{domain}'")
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


def _distinct(keys: Iterable[Hashable]) -> tuple[Hashable, ...]:
    found = tuple(keys)
    if not found or len(set(found)) < len(found):
        raise ValueError(f"keys must be one or more different keys, got keys={found}")
    return found


def _per_key(
    domain: Records,
    keys: tuple[Hashable, ...],
    norm: Literal[1, 2],
    metric: Metric,
    most: Exact,
    width: Exact,
    parts: dict[str, Any],
) -> Transformation:
    """A group-by: a row joins or leaves with `most`, or changes by `width` within its key."""
    if norm not in (1, 2):
        raise ValueError(f"norm must be 1 or 2, got norm={norm!r}")
    parted = min(len(keys), 2)  # with one key, a row can only leave it for a key that is not asked

    def d_out(d_in: int) -> Any:
        changes = domain.changes(metric, d_in)
        if norm == 1:
            return d_in * most if changes is None else changes * max(width, parted * most)
        if changes is None:
            return root((d_in * most) ** 2)
        return root(changes**2 * max(width**2, parted * most**2))

    return Transformation(
        input_domain=domain,
        input_metric=dataset_metric(metric),
        output_metric=L1 if norm == 1 else L2,
        stability_map=d_out,
        **parts,
    )


def make_count_by(
    domain: Records,
    keys: Iterable[Hashable],
    *,
    norm: Literal[1, 2] = 1,
    metric: Metric = SYMMETRIC,
) -> Transformation:
    """Return the transformation that counts the rows of each key; other keys are not counted.

    The key of a pair is its first part, the key of any other row is the row.

    >>> votes = make_count_by(Records(rows="any"), ["yes", "no"])
    >>> votes(["no", "yes", "no", "?"]), votes.map(1)
    ((1, 2), 1)

    Exact: d in either norm where rows come and go; else 2·changes in L1 and √2·changes in L2
    (changes alone, where there is one key). Cost: linear in the rows. Raises ValueError for keys
    that repeat. Proof: thm-histogram in book/proofs.md.
    """
    found = _distinct(keys)

    def function(rows: tuple[Any, ...]) -> tuple[int, ...]:
        counts = Counter(row[0] if domain.rows == "pair" else row for row in rows)
        return tuple(counts[key] for key in found)

    parts = {
        "name": "count by key",
        "function": function,
        "output_domain": Answers(length=len(found), whole=True),
    }
    return _per_key(domain, found, norm, metric, 1, 0, parts)


def make_sum_by(
    domain: Records,
    keys: Iterable[Hashable],
    *,
    norm: Literal[1, 2] = 1,
    metric: Metric = SYMMETRIC,
) -> Transformation:
    """Return the transformation that adds up the numbers of each key, of pairs (key, number).

    >>> spent = make_sum_by(Records(bounds=(0, 10), rows="pair"), ["food", "rent"])
    >>> spent([("rent", 9), ("food", 2), ("rent", 1)]), spent.map(1)
    ((2, 10), 10)

    With M = max(−L, U), exact: d·M in either norm where rows come and go; else changes·2M in
    L1 and changes·max(U − L, √2·M) in L2 (changes·max(U − L, M), where there is one key).
    Cost: rows × keys. Raises ValueError where pairs or bounds are missing, or keys repeat.
    Proof: thm-norms-groups in notebooks/norms.
    """
    low, high = _bounded(domain, "sum by key", "pair")
    found = _distinct(keys)

    def function(rows: tuple[Any, ...]) -> tuple[Exact, ...]:
        return tuple(sum(number for key, number in rows if key == asked) for asked in found)

    parts = {
        "name": "sum by key",
        "function": function,
        "output_domain": Answers(length=len(found)),
    }
    return _per_key(domain, found, norm, metric, max(-low, high), high - low, parts)
