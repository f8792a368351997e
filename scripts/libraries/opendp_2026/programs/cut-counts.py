"""OpenDP 0.16.0 with Polars: cut and to_physical, counts by code. How far do they move in L1?"""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
domain = dp.lazyframe_domain([dp.series_domain("x", dp.atom_domain(T=float, nan=False))])
space = domain, dp.symmetric_distance(), dp.max_divergence()
codes = pl.LazyFrame(schema={"x": pl.Float64}).with_columns(pl.col("x").cut([1.0]).to_physical())
keys = pl.LazyFrame({"x": pl.Series([0, 1], dtype=pl.UInt32)})
DATASETS = [[0.5, 0.5], [2.0, 0.5, 0.5]]  # one row added


def release(scale):
    counts = codes.group_by("x").agg(dp.len(scale=scale))
    return dp.m.make_private_lazyframe(*space, keys.join(counts, on="x", how="left"))


def claim():
    return release(1.0).map(1)


def answer(dataset):
    return dict(release(0.0)(pl.LazyFrame({"x": dataset})).collect().rows())


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed:", claim(), " moved:", sum(abs(x[code] - y[code]) for code in (0, 1)))
