"""Ask OpenDP about five claims that were questioned in 2026, and store them as opendp_2026.csv.

Its environment is made like that of `opendp_polars` beside it, from the lock in this folder: it has
the library's Polars part and its MBI part.

A claim is what the library's map gives at a distance of 1 for noise of scale 1, where ε is the
sensitivity that it calibrates to, or what its stability map gives. With noise of scale 0 the same
query gives its answer as it is, on every small dataset. A threshold's answers, at scale 0, say
which counts stay. Where the library draws, the draws are held to the distribution here, and nothing
of them is stored. "Distance" counts rows; for the truncated tables and the scores it counts people,
and for the noisy maximum it is that of the scores in L∞.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl
from asking import store
from mbi import Domain, LinearMeasurement
from mbi.estimation import mirror_descent
from opendp.extras.mbi import Count, _aim, _mst, _utilities

Figures = Iterator[tuple[str, Any]]  # a quantity and its value
DRAWS = 20_000
DEVIATIONS = 6  # more than these, and a draw was of another distribution

# --- thresholds: which counts stay, and the δ that is claimed -----------------------------------

THRESHOLD, KEYS = 5, dp.atom_domain(T=str)


def counts_with_laplace(scale: float) -> dp.Measurement:
    rows = dp.vector_domain(KEYS), dp.symmetric_distance()
    return dp.t.make_count_by(*rows) >> dp.m.then_laplace_threshold(scale, THRESHOLD)


def table_with_laplace(scale: float) -> dp.Measurement:
    table = dp.map_domain(KEYS, dp.atom_domain(T=float, nan=False))
    metric = dp.l01inf_distance(dp.absolute_distance(T=float))
    return dp.m.make_laplace_threshold(table, metric, scale, float(THRESHOLD))


def table_with_gaussian(scale: float) -> dp.Measurement:
    table = dp.map_domain(KEYS, dp.atom_domain(T=int))
    metric = dp.l02inf_distance(dp.absolute_distance(T=int))
    return dp.m.make_gaussian_threshold(table, metric, scale, THRESHOLD)


def polars_with_threshold(scale: float, measure: dp.Measure) -> dp.Measurement:
    counts = pl.LazyFrame(schema={"key": pl.String}).group_by("key").agg(dp.len(scale=scale))
    domain = dp.with_margin(
        dp.lazyframe_domain([dp.series_domain("key", KEYS)]), dp.polars.Margin(max_length=100)
    )
    noise = dp.approximate(measure)
    return dp.m.make_private_lazyframe(
        domain, dp.symmetric_distance(), noise, counts, threshold=THRESHOLD
    )


def rows_stay(measurement: dp.Measurement, size: int) -> bool:
    return bool(measurement(["a"] * size))


def entry_stays(measurement: dp.Measurement, size: float) -> bool:
    return bool(measurement({"a": size}))


def group_stays(measurement: dp.Measurement, size: int) -> bool:
    table = pl.LazyFrame({"key": ["a"] * size}, schema={"key": pl.String})
    return measurement(table).collect().height > 0


def threshold(
    make: Callable[[float], dp.Measurement],
    stays: Callable[[dp.Measurement, Any], bool],
    one_row: Any = 1,
    kind: type = int,
) -> Figures:
    """Its loss and its δ where one row is moved, and whether counts around the threshold stay."""
    noisy, plain = make(1.0), make(0.0)
    loss, delta = noisy.map(one_row)
    yield "loss at distance 1", loss
    yield "delta at distance 1", delta
    for size in range(THRESHOLD - 1, THRESHOLD + 2):
        yield f"answer to {('a',) * size}", stays(plain, kind(size))


def check_rate() -> None:
    """Hold the share of keys of one row that appear to P(Z ≥ 4), at scale 1."""
    released = len(counts_with_laplace(1.0)([f"person {i}" for i in range(DRAWS)]))
    check("keys of one row", released / DRAWS, math.exp(-4) / (1 + math.exp(-1)))


def check(what: str, rate: float, chance: float) -> None:
    if abs(rate - chance) > DEVIATIONS * math.sqrt(chance * (1 - chance) / DRAWS):
        raise AssertionError(f"{what}: drawn at a rate of {rate}, expected {chance}")


# --- cut and to_physical: datasets of at most three rows, in order -------------------------------

LOW, HIGH = 0.5, 2.0  # below and above the only break
NUMBERS = {"x": pl.Float64}
LABELS = ["(-inf, 1]", "(1, inf]"]
CUT = pl.col("x").cut([1.0])


def numbers(values: Iterable[float]) -> pl.LazyFrame:
    return pl.LazyFrame({"x": list(values)}, schema=NUMBERS)


def total(column: pl.Expr) -> Callable[[float], pl.LazyFrame]:
    return lambda scale: numbers([]).select(column.dp.sum((0, 1), scale=scale))


def counts(column: pl.Expr, keys: pl.Series) -> Callable[[float], pl.LazyFrame]:
    def query(scale: float) -> pl.LazyFrame:
        groups = numbers([]).with_columns(column).group_by("x").agg(dp.len(scale=scale))
        return pl.LazyFrame({"x": keys}).join(groups, on="x", how="left")

    return query


def on_numbers(query: pl.LazyFrame) -> dp.Measurement:
    columns = [dp.series_domain("x", dp.atom_domain(T=float, nan=False))]
    domain = dp.with_margin(dp.lazyframe_domain(columns), dp.polars.Margin(max_length=3))
    return dp.m.make_private_lazyframe(domain, dp.symmetric_distance(), dp.max_divergence(), query)


def cut(query: Callable[[float], pl.LazyFrame]) -> Figures:
    noisy, plain = on_numbers(query(1.0)), on_numbers(query(0.0))
    yield "sensitivity at distance 1", noisy.map(1)
    for size in range(4):
        for values in product((LOW, HIGH), repeat=size):
            table = plain(numbers(values)).collect()
            answer = (
                tuple(count for _, count in sorted(table.rows()))
                if "len" in table
                else table.item()
            )
            yield f"answer to {values}", answer


# --- truncation and a column that is defined anew: datasets of at most two people -----------------

PEOPLE = {"id": pl.Int64, "g": pl.Int64}
MERGED = pl.lit(0, dtype=pl.Int64)


def truncated(table: pl.LazyFrame, groups: int) -> pl.LazyFrame:
    """At most one row for each person and group, and so many groups for each person."""
    return table.filter(pl.int_range(pl.len()).over("id", "g") < 1).filter(
        pl.struct("g").rank("dense").over("id") < groups + 1
    )


def merged_after(groups: int) -> pl.LazyFrame:
    return truncated(pl.LazyFrame(schema=PEOPLE), groups).with_columns(g=MERGED)


def merged_before(groups: int) -> pl.LazyFrame:
    return truncated(pl.LazyFrame(schema=PEOPLE).with_columns(g=MERGED), groups)


def not_merged(groups: int) -> pl.LazyFrame:
    return truncated(pl.LazyFrame(schema=PEOPLE), groups)


def on_people(
    plan: pl.LazyFrame, keys: list[int], scale: float, column: str = "g"
) -> dp.Measurement:
    columns = [dp.series_domain(name, dp.atom_domain(T="i64")) for name in PEOPLE]
    groups = plan.group_by(column).agg(dp.len(scale=scale))
    return dp.m.make_private_lazyframe(
        dp.lazyframe_domain(columns),
        dp.symmetric_id_distance(identifier=pl.col("id")),
        dp.max_divergence(),
        pl.LazyFrame({column: keys}).join(groups, on=column, how="left"),
    )


def truncation(plan: Callable[[int], pl.LazyFrame], groups: int, keys: list[int]) -> Figures:
    noisy, plain = (on_people(plan(groups), keys, scale) for scale in (1.0, 0.0))
    yield "sensitivity at distance 1", noisy.map(1)
    people = some_rows(range(groups), groups)
    for dataset in few(people):
        rows = [(number, group) for number, person in enumerate(dataset) for group in person]
        table = plain(pl.LazyFrame(rows, schema=PEOPLE, orient="row")).collect()
        yield f"answer to {dataset}", tuple(count for _, count in sorted(table.rows()))


def check_refusal() -> None:
    """A merged column of another name is to be refused: the bound is not known for it."""
    plan = truncated(pl.LazyFrame(schema=PEOPLE), 2).with_columns(h=MERGED)
    measurement = on_people(plan, [0], 1.0, column="h")
    try:
        loss = measurement.map(1)
    except dp.OpenDPException:
        return
    raise AssertionError(f"a column of another name has a bound: {loss}")


def some_rows(values: Iterable[Any], most: int) -> list[tuple[Any, ...]]:
    """A person's rows: at least one, and equal ones may be among them."""
    values = list(values)
    sizes = range(1, most + 1)
    return [rows for size in sizes for rows in combinations_with_replacement(values, size)]


def few(people: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Datasets of at most two people."""
    for size in range(3):
        yield from combinations_with_replacement(people, size)


# --- scores of a pair of columns under a model: datasets of at most two people --------------------

PAIR = ("a", "b")
CELLS = list(product(range(2), repeat=2))
TRUNCATED = [  # a person has at most two rows, in two cells
    dp.polars.Bound(by=list(PAIR), per_group=1, num_groups=2),
    dp.polars.Bound(by=[], per_group=2),
]
ROWS = [dp.polars.Bound(by=[], per_group=2)]  # a person has at most two rows, anywhere
METRICS = {"L1": dp.l1_distance(T="u32"), "L2": dp.l2_distance(T="u32")}


def scores(name: str, norm: str, bounds: list[Any]) -> Figures:
    """What MST or AIM makes of the counts of two columns beside a model of one even row."""
    columns = [dp.series_domain(c, dp.atom_domain(bounds=(0, 1), T=int)) for c in PAIR]
    domain = dp.lazyframe_domain(columns)
    for column in PAIR:
        margin = dp.polars.Margin(by=[column], max_groups=2, invariant="keys")
        domain = dp.with_margin(domain, margin)
    rows = dp.frame_distance(dp.symmetric_distance())
    tables = _utilities.make_stable_marginals(domain, rows, METRICS[norm], [PAIR])
    even = LinearMeasurement(np.array([0.5, 0.5]), PAIR[:1])
    model = mirror_descent(Domain(PAIR, [2, 2]), [even])
    if name == "MST scores":
        step = _mst._make_mst_scores(*tables.output_space, [PAIR], model)
    else:
        step = _aim._make_aim_scores(*tables.output_space, [Count(by=PAIR)], {PAIR: 0.0}, model)
    yield "sensitivity at distance 1", step.map(tables.map(bounds))
    if bounds == TRUNCATED:
        people = [rows for size in (1, 2) for rows in combinations(CELLS, size)]
    else:
        people = some_rows(CELLS, 2)
    score = tables >> step
    for dataset in few(people):
        rows = [row for person in dataset for row in person]
        table = pl.LazyFrame(rows, schema=dict.fromkeys(PAIR, pl.Int64), orient="row")
        yield f"answer to {dataset}", score(table)[0]


# --- the noisy maximum: its draws are held to a distribution --------------------------------------


def noisy_max(measure: dp.Measure, scale: float) -> dp.Measurement:
    scores = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    return dp.m.make_noisy_max(*scores, measure, scale=scale)


def maximum(measure: dp.Measure, scale: float, chance: float) -> Figures:
    chosen = noisy_max(measure, scale)
    first = sum(chosen([1.0, -1.0]) == 0 for _ in range(DRAWS))
    check(f"the first of (1, -1), {measure}", first / DRAWS, chance)
    yield "loss at distance 1", chosen.map(1.0)


def asked() -> Iterator[tuple[str, str, Figures]]:
    """What is asked: the function, its settings and the figures."""
    name, at = "count-by with a threshold", f"threshold {THRESHOLD}, scale 1"
    yield name, f"Laplace, {at}", threshold(counts_with_laplace, rows_stay)
    name = "table with a threshold"  # one row is one key, 1 in L1 or L2 and 1 in L∞
    laplace = threshold(table_with_laplace, entry_stays, (1, 1.0, 1.0), float)
    yield name, f"Laplace on floats, {at}", laplace
    gaussian = threshold(table_with_gaussian, entry_stays, (1, 1, 1))
    yield name, f"Gaussian on ints, {at}", gaussian
    name = "Polars count by group with a threshold"
    for noise, measure in (
        ("Laplace", dp.max_divergence()),
        ("Gaussian", dp.zero_concentrated_divergence()),
    ):
        make = lambda s, m=measure: polars_with_threshold(s, m)  # noqa: E731
        yield name, f"{noise}, {at}", threshold(make, group_stays)

    codes = pl.Series([0, 1], dtype=pl.UInt32)
    texts, labels = pl.Series(LABELS), pl.Series(LABELS, dtype=pl.Categorical)
    name = "cut and to_physical"
    yield name, "sum of the codes", cut(total(CUT.to_physical()))
    yield name, "counts by code", cut(counts(CUT.to_physical(), codes))
    name = "cut"
    yield name, "counts by category", cut(counts(CUT, labels))
    yield name, "counts by label as text", cut(counts(CUT.cast(pl.String), texts))
    yield "sum of a comparison", "x > 1", cut(total((pl.col("x") > 1.0).cast(pl.Int64)))

    name = "truncation, then a new column"
    for groups in (2, 3):
        at = f"{groups} groups each"
        yield name, f"{at}, merged after", truncation(merged_after, groups, [0])
    name = "truncation"
    yield name, "2 groups each, merged before", truncation(merged_before, 2, [0])
    yield name, "2 groups each", truncation(not_merged, 2, [0, 1])

    for name in ("MST scores", "AIM scores"):
        for norm, bounds, words in (
            ("L2", TRUNCATED, "two rows in two cells"),
            ("L1", TRUNCATED, "two rows in two cells"),
            ("L2", ROWS, "two rows anywhere"),
        ):
            yield name, f"counts in {norm}, {words}", scores(name, norm, bounds)

    concentrated, pure = dp.zero_concentrated_divergence(), dp.max_divergence()
    for scale in (1.0, 10.0):
        chance = 1 / (1 + math.exp(-2 / scale))
        at = f"zero-concentrated, scale {scale:g}"
        yield "noisy max", at, maximum(concentrated, scale, chance)
    yield "noisy max", "max divergence, scale 1", maximum(pure, 1.0, 1 - math.exp(-2) / 2)


def main() -> None:
    dp.enable_features("contrib", "honest-but-curious")
    warnings.simplefilter("ignore", FutureWarning)  # counts below 0 are given as 0, so far
    check_rate()
    check_refusal()
    rows = ([name, setting, *figure] for name, setting, figures in asked() for figure in figures)
    store("opendp_2026", {"opendp": rows})


if __name__ == "__main__":
    main()
