"""One row moves a sum of 0s and 1s by 2 and more. pip install 'opendp[polars]==0.16.0'"""

import opendp.prelude as dp
import polars as pl

DATASETS = [[0.5, 0.5], [2.0, 0.5, 0.5]]  # a row is added in front, in a bin of its own
SCHEMA = {"x": pl.Float64}
dp.enable_features("contrib")


def sum_of_codes(scale):
    columns = [dp.series_domain("x", dp.atom_domain(T=float, nan=False))]
    table = dp.with_margin(dp.lazyframe_domain(columns), dp.polars.Margin(max_length=3))
    codes = pl.col("x").cut([1.0]).to_physical()
    query = pl.LazyFrame(schema=SCHEMA).select(codes.dp.sum((0, 1), scale=scale))
    return dp.m.make_private_lazyframe(table, dp.symmetric_distance(), dp.max_divergence(), query)


def claim():
    return sum_of_codes(scale=1.0).map(1)  # ε of Laplace noise of scale 1: the sensitivity


def answer(dataset):
    return sum_of_codes(scale=0.0)(pl.LazyFrame({"x": dataset}, schema=SCHEMA)).collect().item()


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
