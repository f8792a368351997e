"""What an engineer types first and gets wrong: every refusal ends in what to type instead."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from mistakes import LOCAL, MAKERS, ONE, SIZES, SOME, asked, told_what_to_type

import sensitivity_lab as sl
from sensitivity_lab import testing

PAY = pd.DataFrame({"team": ["a", "a", "b"], "pay": [5, 9, 3]})
STAFF = sl.Universe.population(PAY)
ORDERS = pd.DataFrame({"customer": ["a", "b", "b"], "price": [3, 2, 5], "shop": ["x", "y", "x"]})
BUYERS = sl.Universe.people(ORDERS, id="customer")
HOLES = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64"), "t": ["a", "b", None]})
LEVELS = pd.DataFrame([[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([("x", "a"), ("x", "b")]))
DAYS = pd.DataFrame({"d": pd.to_datetime(["2024-01-01", "2024-02-01", "2024-05-01"])})
ROWS = sl.Universe.product(x=[1, 2], g=["a", "b"], name="t")
LONG = sl.Universe.population(pd.DataFrame({"x": range(300), "g": ["a", "b", "c"] * 100}))


def audited(query=sl.MEAN, claim=1, universe=SOME, **options):
    return sl.audit(query, claim, universe, **{"sizes": 2, "relations": [ONE]} | options)


AUDIT = sl.audit
# ruff: disable[E501]
WAYS_OUT = [
    # universes
    *((partial(sl.Universe, *given), MAKERS) for given in ([], [[1, 2, 3]], [PAY])),
    *((partial(asked, universe=given), MAKERS) for given in (
        [1, 2, 3], PAY, PAY["pay"], pl.DataFrame({"pay": [1]}), np.arange(3), range(3), (0, 100), {"a": [1]})),
    (partial(sl.explore, [1, 2, 3], size=2), MAKERS),
    (partial(sl.Universe.population, pl.LazyFrame({"a": [1]})), "collect it first"),
    (partial(sl.Universe.product, {"x": [1]}), "salary=[0, 50, 100]"),
    (partial(sl.Universe.people, ORDERS, "customer"), "id='customer'"),
    (partial(sl.Universe.people, ORDERS, id="customer", max_rows=2), "takes most_rows, not max_rows: most_rows=2"),
    (partial(BUYERS.truncated, max_rows=2), "rows=2, groups=('shop', 1) or clip={'price': (0, 100)}"),
    (partial(BUYERS.truncated, clip={"prize": (0, 10)}), "one of price, shop"),
    (partial(STAFF.truncated, rows=2), "Universe.people(...)"),
    # one spelling, and places
    (lambda: AUDIT(sl.MEAN, SOME, sizes=2, relations=[ONE]), "universe=sl.Universe.population(records)"),
    (lambda: sl.smooth_sensitivity(sl.MEDIAN, (1, 2), bounds=(0, 9), epsilon=0.1), "takes beta, not epsilon: beta=0.1"),
    (lambda: testing.assert_sensitivity(sl.MEAN, 1, SOME, size=2, relations=ONE), SIZES),
    *((partial(asked, given), words) for given, words in (
        (PAY, "the query comes first"), ([sl.SUM, sl.MEAN], "sl.sweep([sl.SUM, sl.MEAN], ...)"), (sl.MEAN([1, 2]), "as sl.MEAN, not its answer"))),
    (lambda: audited(claim=lambda n: 1 / n), "lambda k, size: k / size"),
    (lambda: audited(claim=lambda d_in: d_in), "lambda k: f(k) where that is the distance"),
    (lambda: sl.audit_map(max, 1, SOME, distances=[1]), "input_metric=sl.symmetric_distance"),
    # queries
    (lambda: asked("SELECT COUNT(*) FROM t", ROWS), "sl.sql('SELECT …')"),
    (lambda: sl.SUM.of(["pay", "x"]), "lambda row: (row['team'], row['city'])"),
    (lambda: sl.SUM.by("team").of("pay"), "of comes before by"),
    (lambda: sl.COUNT.by("team").clipped(0, 1), "clipped comes before by"),
    (lambda: sl.SUM.clipped((0, 10)), "clipped(0, 100)"),
    *((partial(asked, sl.STD, given, size=1), ".of(") for given in (STAFF, BUYERS, sl.Universe.value_range(["a"]))),
    (lambda: asked(sl.SUM.of("pai"), STAFF), "one of team, pay"),
    (lambda: asked(sl.SUM.of("pay").by("taem"), STAFF), "by must name a column, one of team, pay"),
    *((partial(asked, query.by("shop"), BUYERS, size=1), "of must name a column where people are asked by group")
      for query in (sl.SUM.of(len), sl.SUM.of(len).clipped(0, 1))),
    *((partial(asked, query, STAFF, method=method), f"{name} failed on record") for method in ("walk", "solver")
      for query, name in ((sl.SUM.of("pay").by(lambda row: 1 / 0), "by"), (sl.SUM.of(lambda row: 1 / 0), "of"))),
    (lambda: asked(sl.SUM.of("pay").by("team"), sl.Universe.population(PAY.set_index("team"))), "frame.reset_index()"),
    (lambda: asked(sl.SUM.of("x"), sl.Universe.population(LEVELS), size=1), "frame.columns = ['_'.join("),
    (lambda: asked(sl.SUM.of("team"), STAFF), "SUM.of(lambda row: float(row['pay']))"),
    (lambda: asked(sl.SUM.of("d"), sl.Universe.population(DAYS)), "row['day'].toordinal()"),
    (lambda: asked(sl.SUM.of("n"), sl.Universe.population(HOLES)), "SUM.of('pay', missing=0)"),
    (lambda: asked(sl.count_distinct.of("t"), sl.Universe.population(HOLES)), "must be there, got None"),
    (lambda: asked(sl.SUM, sl.Universe.population(HOLES["n"])), "SUM.of(lambda x: x, missing=0)"),
    *((partial(ask, sl.MEAN.of("pay"), universe=sl.Universe.people(PAY, most_rows=1)), "needs at least 1 row, got a table")
      for ask in (asked, audited)),
    (lambda: sl.std(ddof=1).of("pay")(PAY.head(1)), "needs at least 2 rows, got a table with the columns team, pay and 1 row"),
    (lambda: asked(sl.sql("SELECT SUM(y) FROM t"), ROWS), "Candidate bindings"),
    (lambda: asked(sl.sql("SELECT COUNT(*) FROM t"), SOME), "Universe.product(salary=[0, 50])"),
    # a size of each group
    (lambda: asked(sl.MEAN.of("x").by("g"), LONG, size=90), "ask each alone: under one change the largest is the answer"),
    *((call, "ask of each alone") for call in (
        lambda: asked(sl.MEAN.of("pay").by("team"), STAFF, size={"a": 1, "b": 1}), lambda: asked(size=PAY["team"].value_counts()),
        lambda: audited(sizes={"a": 1}), lambda: audited(sizes={2: 1}), lambda: SOME.count({"a": 1}),
        lambda: sl.sweep([sl.MEAN], {"a": SOME}, size={"a": 1}, relations=ONE), lambda: sl.compare([sl.MEAN], {"a": SOME}, size={"a": 1}, relations=ONE),
        lambda: testing.neighbouring_pairs(SOME, size={"a": 1}, relation=ONE), lambda: testing.worst_pairs(sl.MEAN, SOME, size={"a": 1}, relation=ONE),
        lambda: testing.assert_sensitivity(sl.MEAN, 1, SOME, sizes=[{"a": 1}], relations=ONE))),
    # answers
    (lambda: asked(lambda x: pl.DataFrame({"d": ["a"]} | {str(v): [9] for v in x}), sl.Universe.value_range([1, 2])), "one shape, got a vector with labels"),
    (lambda: asked(lambda t: t["pai"].sum(), STAFF), "KeyError: 'pai'"),
    (lambda: asked(lambda t: t.groupby(level="team")["pay"].sum(), sl.Universe.population(PAY)), "numbered from 0"),
    # places, and the words of other libraries
    *((partial(make, *given, **named), words) for make, given, named, words in (
        (sl.Change, [], {"distance": 2}, "takes k, not distance: k=1"), (sl.AddRemove, [], {"add": 1}, "takes no add: it takes k"),
        (sl.Change, [1], {"columns": ["pay"]}, "takes no columns: it takes k"), (sl.quantile, [], {"p": 0.9}, "takes q, not p: q=0.9"),
        (sl.histogram, [], {"bins": [0, 1]}, "takes edges, not bins: edges=[0, 10, 20]"), (sl.histogram, [0, 10], {}, "edges=[0, 10, 20]"),
        (sl.SUM.clipped, [], {"lower": 0, "upper": 9}, "low=0; clipped takes high, not upper: clipped(0, 100)"),
        (sl.SUM.of, ["pay", "team"], {}, "of('pay')"), (sl.COUNT.by, ["team", "city"], {}, "by('team')"),
        (sl.COUNT.by, ["team"], {"key": ["a"]}, "takes keys, not key: keys=['law', 'art']"))),
    (lambda: asked(sl.SUM.of("pay")), "a record is 1"),
    (lambda: LOCAL(len, PAY[["pay", "team"]], STAFF, relation=ONE), "team, pay in this order"),
    (lambda: sl.Universe.people(ORDERS, id="customer", most_rows=2), "id='customer').truncated(rows=2)"),
    # names
    *((lambda name=name: getattr(sl, name), "its scale is found / epsilon, with norm=2 for Gaussian noise") for name in ("noise_scale", "laplace")),
    *((lambda name=name: getattr(sl, name), f"there is {words}") for name, words in {
        "assert_sensitivity": "sl.testing.assert_sensitivity", "mean": "sl.MEAN", "AVG": "sl.MEAN", "Hamming": "sl.Change(1)",
        "count_if": "sl.count_where(", "noise": "no noise here", "Dataset": "no class for it", "global_sensitivty": "sl.global_sensitivity",
        "symmetricdifference": "sl.SymmetricDifference", "groupby": "sl.SUM.of('pay').by('team')", "iqr": "sl.Query, of your own function",
    }.items()),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("call", "way_out"), WAYS_OUT)
def test_a_mistake_is_told_what_to_type(call, way_out):
    """Catches a refusal that says not what to type; or a mistake that is answered."""
    told_what_to_type(call, way_out)


def test_groups_that_are_not_solved_are_refused_before_the_rows_are_read():
    """Catches 14 seconds before a refusal: rows told apart, to count its datasets."""
    rows = {"x": np.arange(30_000) % 50, "g": ["a", "b", "c"] * 10_000}
    universe = sl.Universe.population(pd.DataFrame(rows))
    for query in (sl.MEAN, sl.MEDIAN, sl.quantile(0.9)):
        with pytest.raises(sl.TooLarge, match="counts and sums alone are solved"):
            asked(query.of("x").by("g"), universe, size=15_000)
    assert "_held" not in vars(universe.source)
    assert asked(sl.SUM.of("x").by("g"), universe, size=15_000).value == 98


PAY_OF_ARROW = sl.Universe.population(pa.table({"pay": [1, 2, 5]}))
SPAN = sl.Universe.population(DAYS)
# ruff: disable[E501]
TAKEN = [  # what is a number in another library: alone, in a vector, and as a distance
    *((PAY_OF_ARROW, lambda t, f=f: f(t["pay"]), value, {}) for f, value in ((pc.sum, 4), (pc.mean, 2), (pc.max, 3))),
    *((PAY_OF_ARROW, lambda t, of=of: of(pc.sum(t["pay"])), 4, {})
      for of in (lambda a: [a, 1], lambda a: {"a": a}, lambda a: pa.array([a.as_py(), 1]))),
    (PAY_OF_ARROW, lambda t: pc.sum(t["pay"]), 4, {"output_metric": lambda a, b: pc.abs(pc.subtract(a, b))}),
    *((SPAN, lambda t, of=of: of(t["d"].max() - t["d"].min()), 90, {})
      for of in (lambda s: s.days, lambda s: s / pd.Timedelta(days=1), lambda s: s.to_timedelta64() / np.timedelta64(1, "D"))),
    (SPAN, lambda t: t["d"].max(), 90 * 24, {"output_metric": lambda a, b: abs(a - b) / pd.Timedelta(hours=1)}),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("universe", "function", "value", "options"), TAKEN)
def test_what_another_library_computes_is_a_number(universe, function, value, options):
    """Catches `as_py` that a caller would have to find, and spans of time that are refused."""
    assert asked(function, universe, **options).value == value
