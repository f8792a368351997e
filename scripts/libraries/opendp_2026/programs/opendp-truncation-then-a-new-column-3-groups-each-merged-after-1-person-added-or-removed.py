"""One person moves a count by 3 after a truncation to 1. pip install 'opendp[polars]==0.16.0'"""

import opendp.prelude as dp
import polars as pl

DATASETS = [[], [(0, 1, 2)]]  # a person with a row in each of 3 groups, which become one
SCHEMA, KEYS = {"id": pl.Int64, "g": pl.Int64}, pl.LazyFrame({"g": [0]})
dp.enable_features("contrib")


def merged_count(scale):
    table = dp.lazyframe_domain([dp.series_domain(c, dp.atom_domain(T="i64")) for c in SCHEMA])
    rows = pl.LazyFrame(schema=SCHEMA).filter(pl.int_range(pl.len()).over("id", "g") < 1)
    rows = rows.filter(pl.struct("g").rank("dense").over("id") < 4).with_columns(g=0 * pl.col("g"))
    query = KEYS.join(rows.group_by("g").agg(dp.len(scale=scale)), on="g", how="left")
    metric = dp.symmetric_id_distance(identifier=pl.col("id"))
    return dp.m.make_private_lazyframe(table, metric, dp.max_divergence(), query)


def claim():
    return merged_count(scale=1.0).map(1)  # ε of Laplace noise of scale 1: the sensitivity


def answer(dataset):
    rows = [(number, group) for number, groups in enumerate(dataset) for group in groups]
    return merged_count(scale=0.0)(pl.LazyFrame(rows, SCHEMA, orient="row")).collect()["len"].item()


if __name__ == "__main__":
    print(f"claimed {claim()}, answers {answer(DATASETS[0])} and {answer(DATASETS[1])}")
