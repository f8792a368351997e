"""OpenDP 0.16.0 with Polars: truncation, then a new column, 2 groups each, merged after.

With GROUPS = 3 it is: truncation, then a new column, 3 groups each, merged after.
"""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
GROUPS = 2
schema = {"id": pl.Int64, "g": pl.Int64}
domain = dp.lazyframe_domain([dp.series_domain(name, dp.atom_domain(T="i64")) for name in schema])
space = domain, dp.symmetric_id_distance(identifier=pl.col("id")), dp.max_divergence()
rows = pl.LazyFrame(schema=schema).filter(pl.int_range(pl.len()).over("id", "g") < 1)
rows = rows.filter(pl.struct("g").rank("dense").over("id") < GROUPS + 1)  # one row in each
merged = rows.with_columns(g=pl.lit(0, dtype=pl.Int64)).group_by("g")
DATASETS = [[], [(7, group) for group in range(GROUPS)]]  # one person, id 7


def release(scale):
    count = pl.LazyFrame({"g": [0]}).join(merged.agg(dp.len(scale=scale)), on="g", how="left")
    return dp.m.make_private_lazyframe(*space, count)


def claim():
    return release(1.0).map(1)


def answer(data):
    return release(0.0)(pl.LazyFrame(data, schema, orient="row")).collect()["len"].item()


if __name__ == "__main__":
    print("claimed:", claim(), " moved:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
