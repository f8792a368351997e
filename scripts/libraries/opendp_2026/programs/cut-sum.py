"""OpenDP 0.16.0 with Polars: cut and to_physical, sum of the codes. How far does it move?"""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
columns = [dp.series_domain("x", dp.atom_domain(T=float, nan=False))]
domain = dp.with_margin(dp.lazyframe_domain(columns), dp.polars.Margin(max_length=3))
space = domain, dp.symmetric_distance(), dp.max_divergence()
codes = pl.col("x").cut([1.0]).to_physical()
DATASETS = [[0.5, 0.5], [2.0, 0.5, 0.5]]  # one row added


def release(scale):
    plan = pl.LazyFrame(schema={"x": pl.Float64}).select(codes.dp.sum((0, 1), scale=scale))
    return dp.m.make_private_lazyframe(*space, plan)


def claim():
    return release(1.0).map(1)


def answer(dataset):
    return release(0.0)(pl.LazyFrame({"x": dataset})).collect().item()


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed:", claim(), " moved:", abs(x - y))
