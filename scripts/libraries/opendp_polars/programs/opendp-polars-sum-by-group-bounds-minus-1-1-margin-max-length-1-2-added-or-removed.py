"""A group of 1 row has noise for 1; its sum can move by 2. pip install 'opendp[polars]==0.16.0'"""

import opendp.prelude as dp
import polars as pl

DATASETS = [[-1], [1]]  # 1 row removed and 1 added, of values from -1 to 1
SCHEMA = {"key": pl.String, "value": pl.Int32}
dp.enable_features("contrib")


def grouped_sum(scale):
    columns = [dp.series_domain(n, dp.atom_domain(T=t)) for n, t in (("key", str), ("value", int))]
    margin = dp.polars.Margin(by=["key"], max_length=1, max_groups=1, invariant="keys")
    table = dp.with_margin(dp.lazyframe_domain(columns), margin)
    query = pl.LazyFrame(schema=SCHEMA).group_by("key").agg(pl.col("value").dp.sum((-1, 1), scale))
    return dp.m.make_private_lazyframe(table, dp.symmetric_distance(), dp.max_divergence(), query)


def claim():
    return grouped_sum(scale=1.0).map(2)  # ε of Laplace noise of scale 1: the sensitivity


def answer(dataset):
    rows = pl.LazyFrame({"key": ["a"] * len(dataset), "value": dataset}, schema=SCHEMA)
    return grouped_sum(scale=0.0)(rows).collect()["value"].item()


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
