"""One row moves two counts by 3 and more. pip install 'opendp[polars]==0.16.0'"""

import opendp.prelude as dp
import polars as pl

DATASETS = [[0.5, 0.5], [2.0, 0.5, 0.5]]  # a row is added in front, in a bin of its own
SCHEMA, KEYS = {"x": pl.Float64}, pl.Series("x", [0, 1], dtype=pl.UInt32)
dp.enable_features("contrib")


def counts_by_code(scale):
    table = dp.lazyframe_domain([dp.series_domain("x", dp.atom_domain(T=float, nan=False))])
    codes = pl.LazyFrame(schema=SCHEMA).with_columns(pl.col("x").cut([1.0]).to_physical())
    counts = codes.group_by("x").agg(dp.len(scale=scale))
    query = pl.LazyFrame([KEYS]).join(counts, on="x", how="left")
    return dp.m.make_private_lazyframe(table, dp.symmetric_distance(), dp.max_divergence(), query)


def claim():
    return counts_by_code(scale=1.0).map(1)  # ε of Laplace noise of scale 1: the sensitivity


def answer(dataset):
    counts = counts_by_code(scale=0.0)(pl.LazyFrame({"x": dataset}, schema=SCHEMA)).collect()
    return counts.sort("x")["len"].to_list()


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x[0] - y[0]) + abs(x[1] - y[1])}")
