"""What is typed first and got wrong: every refusal ends in what to type instead."""

import datetime as dt
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from mistakes import (
    ASK,
    ASK_A_METRIC,
    LOCAL,
    MAKERS,
    MANY,
    ONE,
    ONE_RELATION,
    RELATIONS,
    SIZE,
    SOME,
    UNIT,
    asked,
    told_what_to_type,
)

import sensitivity_lab as sl

# ruff: disable[E501]
WAYS_OUT = [
    (partial(LOCAL, sl.MEAN, (1, 2), [1, 2, 3], relation=ONE), MAKERS),
    (partial(sl.Universe.population, 1, 2, 3), "records=[1, 2, 3]"),
    (partial(sl.Universe.population, 100), "a list, as [1, 2, 3]"),
    (partial(sl.Universe.population, "data.csv"), "pandas.read_csv(file)"),
    (partial(sl.Universe.population, [[1], [2]]), "make a tuple of a list"),
    *((partial(sl.Universe.population, it), "DataFrame of dicts or a structured array") for it in ([{"a": 1}], np.zeros(2, [("pay", "i4")]))),
    (partial(sl.Universe.population, [1.0, math.nan]), "drop it, as by .dropna(), or give None"),
    (partial(sl.Universe.value_range, 0, 100), "values=[0, 50, 100]"),
    (lambda: ASK(sl.MEAN, SOME, 2, ONE), f"{SIZE}, {ONE_RELATION}"),
    (lambda: ASK(sl.MEAN, SOME, sizes=2, relation=ONE), f"takes size, not sizes: {SIZE}"),
    (lambda: ASK(sl.MEAN, SOME), f"needs size and relation: {SIZE}, {ONE_RELATION}"),
    (lambda: ASK(sl.MEAN, SOME, n=2, relation=ONE), f"takes size, not n: {SIZE}"),
    (lambda: LOCAL(sl.MEAN, (1, 2), SOME, size=2, relation=ONE), "takes no size: it takes query, dataset, universe"),
    (lambda: sl.sweep([sl.MEAN], {"a": SOME}, size=2, relation=ONE), RELATIONS),
    (lambda: sl.sweep(sl.MEAN, {"a": SOME}, size=2, relations=ONE), "as [sl.MEAN]"),
    (lambda: sl.compare([sl.MEAN], SOME, size=2, relations=ONE), "as {'a': sl.Universe…}"),
    (lambda: sl.closed_form(sl.MEAN, (0, 1), size=3, relation=ONE), "bounds=(0, 100)"),
    (lambda: asked(relation=[ONE]), "sl.sweep and sl.audit take several"),
    (lambda: asked(relation=sl.Change), "Change(k)"),
    *((partial(asked, size=size), "or a range as range(2, 5)") for size in ([2, 3], np.arange(1, 3))),
    (lambda: asked(metric=sl.symmetric_distance), ASK_A_METRIC),
    (lambda: asked(method="sweeep"), "auto, sweep, walk, solver"),
    (lambda: asked(method="search"), "sl.audit(..., method='search')"),
    (lambda: asked(norm="l2"), "0, 1, 2 or infinity (math.inf)"),
    (lambda: asked("mean"), "there is sl.MEAN"),
    (lambda: asked(sl.quantile), "as sl.quantile(0.9), got quantile itself"),
    (lambda: sl.count_where("x > 3"), "lambda row: row['pay'] > 3"),
    (lambda: sl.histogram(5), "as [0, 10, 20]"),
    (lambda: sl.SUM("pay"), "sum.of('pay')"),
    *((partial(asked, lambda x, answer=answer: answer), words) for answer, words in (
        ("hi", ASK_A_METRIC), ({1, 2}, ASK_A_METRIC), (["a"], ASK_A_METRIC),
        (None, "None is what a function without a return gives"), (iter([1]), "list what it yields"),
        (dt.date(2024, 1, 1), UNIT), (dt.timedelta(2), UNIT), (np.timedelta64(2, "D"), UNIT), (math.nan, "finite"), (math.inf, "say what it answers there, as 0"),
        (np.ones((2, 2)), "as numpy.ravel makes of a table"))),
    (lambda: asked(lambda x: sum(x), MANY, size=20), "sl.audit(..., method='search')"),
    *((partial(asked, function), words) for function, words in (
        (lambda x: np.random.default_rng().random(), "function must be deterministic"), (lambda x: x.mean(), "numpy.array(dataset))"))),
    (lambda: asked(set, output_metric="jaccard"), "output_metric must be callable"),
    *((partial(make), "k: k=1") for make in (sl.Change, sl.AddRemove, sl.SymmetricDifference)),
    *((partial(getattr, of, name), words) for of, name, words in (
        (asked(), "sensitivity", "found.value"), (asked(), "pair", "found.witness"), (asked(), "plot", "sl.plot_witness"),
        (sl.SUM, "clip", "clipped(0, 100)"), (sl, "IQR", "sl.Query, of your own function"), (sl.SUM, "group_by", "by('team')"), (sl.SUM, "where", "sl.count_where("),
        (sl.Universe, "from_df", "sl.Universe.population(frame)"), (sl.Universe, "from_pandas", "sl.Universe.population(frame)"))),
    (lambda: asked(executor=SimpleNamespace(get_executor=print)), "client.get_executor()"),
    (lambda: sl.Universe.population(np.zeros((2, 2))), "or a DataFrame, got (2, 2)"),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("call", "way_out"), WAYS_OUT)
def test_a_mistake_of_numbers_is_told_what_to_type(call, way_out):
    """Catches a refusal that says not what to type; or a mistake that is answered."""
    told_what_to_type(call, way_out)
