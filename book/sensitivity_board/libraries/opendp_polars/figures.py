"""Ask OpenDP's Polars part for a sensitivity, and store it as opendp_polars.csv.

The query is a sum by group, of one group whose key is public. The library's privacy map gives ε
for Laplace noise of scale 1, which is the sensitivity that it calibrates to. With noise of scale 0
the same query gives its answer as it is, on every small dataset of two values.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import opendp.prelude as dp
import polars as pl
from asking import store

SCHEMA = {"key": pl.String, "value": pl.Int32}
BOUNDS = [(0, 1), (-1, 1)]
LENGTHS = [1, 3]
DISTANCES = range(1, 7)


def grouped_sum(bounds: tuple[int, int], max_length: int, scale: float) -> dp.Measurement:
    total = pl.col("value").dp.sum(bounds, scale=scale)
    columns = [
        dp.series_domain("key", dp.atom_domain(T=str)),
        dp.series_domain("value", dp.atom_domain(T=int)),
    ]
    margin = dp.polars.Margin(by=["key"], max_length=max_length, max_groups=1, invariant="keys")
    return dp.m.make_private_lazyframe(
        dp.with_margin(dp.lazyframe_domain(columns), margin),
        dp.symmetric_distance(),
        dp.max_divergence(),
        pl.LazyFrame(schema=SCHEMA).group_by("key").agg(total),
    )


def figures(bounds: tuple[int, int], max_length: int) -> Iterator[tuple[str, Any]]:
    noisy, plain = (grouped_sum(bounds, max_length, scale) for scale in (1.0, 0.0))
    for distance in DISTANCES:
        yield f"sensitivity at distance {distance}", noisy.map(distance)
    for size in range(1, max_length + 1):
        for dataset in combinations_with_replacement(bounds, size):
            rows = {"key": ["a"] * size, "value": dataset}
            table = plain(pl.LazyFrame(rows, schema=SCHEMA)).collect()
            yield f"answer to {dataset}", table["value"].item()


def main() -> None:
    dp.enable_features("contrib")
    rows = (
        ["Polars sum by group", f"bounds {bounds}; Margin(max_length={most})", *figure]
        for bounds in BOUNDS
        for most in LENGTHS
        for figure in figures(bounds, most)
    )
    store("opendp_polars", {"opendp": rows})


if __name__ == "__main__":
    main()
