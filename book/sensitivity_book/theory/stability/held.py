"""Every kind of transformation, each on a small domain, with its map held to all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import pandas as pd

from sensitivity_book.theory.stability.aggregations import (
    make_count,
    make_count_by,
    make_mean,
    make_sum,
    make_sum_by,
)
from sensitivity_book.theory.stability.domains import CHANGE_ONE, Records
from sensitivity_book.theory.stability.maps import Transformation, audit_stability
from sensitivity_book.theory.stability.transformations import (
    make_clamp,
    make_filter,
    make_flat_map,
    make_map,
    make_resize,
)

DISTANCES = 1, 2, 3, 4


def held_maps() -> pd.DataFrame:
    """Return a table of twelve transformations: the map at distances 1 to 4, and the verdict.

    Source: def-audits-verdict in notebooks/audits.
    """
    audited = {}
    for step, values in _small():
        domain = step.input_domain
        known = domain.size if isinstance(domain, Records) else None
        inputs = _datasets(values, range(5) if known is None else [known])
        report = audit_stability(step, inputs, DISTANCES)
        metric = str(step.input_metric).removesuffix(" distance")
        claims = [str(row.claimed) for row in report.rows]
        audited[step.name, str(known or "any"), metric] = [*claims, report.headline]
    index = pd.MultiIndex.from_tuples(audited, names=["transformation", "size", "metric"])
    return pd.DataFrame(list(audited.values()), index, [*map(str, DISTANCES), "verdict"])


def _small() -> list[tuple[Transformation, Sequence[Any]]]:
    """The transformations, and for each the rows that a dataset may hold."""
    known, sized = Records((-2, 3)), Records((-2, 3), size=4)
    rows, pairs = Records(rows="any"), Records((-2, 3), rows="pair")
    numbers, keyed = (-2, 0, 3), list(product("ab", (-2, 3)))
    return [
        (make_clamp(Records(), -2, 3), (-9, -2, 3, 8)),
        (make_map(Records(), lambda d: d * d), numbers),
        (make_filter(Records(), lambda d: d > 0), (0, 1, 2)),
        (make_flat_map(Records(), lambda d: [d] * 9, 3), (1, 2)),
        (make_resize(known, 3, 0), numbers),
        (make_count(known), numbers),
        (make_sum(known), numbers),
        (make_mean(sized), numbers),
        (make_count_by(rows, ["a", "b"]), "abc"),
        (make_sum_by(pairs, ["a", "b"]), keyed),
        (make_sum(sized), numbers),
        (make_sum(sized, metric=CHANGE_ONE), numbers),
    ]


def _datasets(values: Sequence[Any], sizes: Sequence[int]) -> list[tuple[Any, ...]]:
    """All datasets of such sizes, as multisets of the values."""
    return [z for size in sizes for z in combinations_with_replacement(values, size)]
