"""Calls with input that is malformed, or nearly right: refused in words, or answered rightly.

Each call takes valid settings and one or two odd ones, out of a list or grown by Hypothesis, which
shrinks what fails. An error is one that a line of the package raises in so many words, by the name
of a parameter; an answer is held to plain loops over all pairs, or to what the same settings give
in plain numbers; neither takes long, or much memory. `FAULT_CASES` (default 120) sets how many
calls each of the ten seeds makes; the slow check makes many more.
"""

import inspect
import itertools
import linecache
import math
import os
import random
import re
import signal
import sys
import traceback
from array import array
from collections import Counter, deque
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from numbers import Real
from unittest.mock import MagicMock

import conftest
import hypothesis.extra.numpy as numpy_strategies
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import CHECK_ALL, METHODS, PUBLIC, Euro, Rude, a_third, nested, seeds
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle

CASES = int(os.environ.get("FAULT_CASES", "120"))
LONGEST = 20  # seconds of a processor for one call; a refusal takes milliseconds
MEMORY = 3 << 30  # bytes that a call may ask for beside what is there
LONGEST_MESSAGE = 2000
KNOWN = sl.Universe.population([0, 1, 1, 4])
FREE = sl.Universe.value_range([0, 2, 3], name="free")

# --- odd things, out of a list ---------------------------------------------------------------


def noisy(dataset):
    """What it answers is nobody's fault."""
    return len(dataset) + random.random()


def span(dataset):
    return dataset[-1] - dataset[0]


ODD = [
    None, True, 0, -1, 2, 2.0, 3.5, 1e308, 5e-324, 2**63, 10**30, math.nan, math.inf, 1j,
    Fraction(1, 2), Fraction(2), Decimal("0.1"), Decimal("sNaN"), Decimal("Infinity"), np.int8(2),
    np.uint64(2**64 - 1), np.longdouble(2), np.timedelta64(2, "D"), np.timedelta64("NaT"), pd.NA,
    pd.NaT, pd.Timestamp(0), pd.Timedelta(2), "", "2", "auto", "walk", "mean", b"2",
    bytearray(b"12"), (), [], {}, set(), [1], [2, 1], (1, 2), (1, 2, 3), [1, None], [None],
    [1, "2"], [[1, 2], [3]], [[1, 2], [3, 4]], ((), ()), {1: 2}, {1, 2}, frozenset([3]), range(0),
    range(3), range(1, 3), range(3, 0, -1), np.array(2), np.array([1, 2]),
    np.array([2, 1], dtype=np.uint8), np.array([]), np.array([0.5, 1], dtype=np.float16),
    np.zeros((2, 2)), np.array(["1"]), np.array([1, None], dtype=object), np.array([1j]),
    np.array(["2020-01-01"], dtype="M8[D]"), np.array([1, 2], dtype="m8[D]"),
    np.ma.array([1, 2], mask=[True, False]), pd.Series([1, None]), pd.Series(["a"]),
    pd.Series([1, 2], dtype="Int64"), pd.Series([1, None], dtype="Int64"),
    pd.Series([1, 2], dtype="category"), pd.DataFrame(), pd.DataFrame({"a": [1, 2]}), object(),
    MagicMock(), int, object, len, sum, max, span, lambda x: next(iter(())), lambda: 1, lambda x: x,
    lambda x: None, lambda x: math.nan, lambda x: "1", lambda x: [len(x)] * len(x), lambda x, y: 0,
    lambda x, y: -1, sl, sl.Change, sl.Relation, sl.Change(1), sl.Add(2), sl.Change(30),
    sl.SymmetricDifference(15), sl.MEAN, sl.STD, sl.histogram([0, 2]), sl.Query, sl.Universe,
    sl.Universe.population([1, 2]), sl.Universe.value_range([3]),
    sl.Universe.value_range([1, None]), Ellipsis, NotImplemented, [sl.Change(1)], [sl.Change],
    [sl.MEAN], {"a": FREE}, {"a": [1]}, {1: None},
]  # fmt: skip

# --- and grown: numbers of any length, odd containers, functions put together ------------------


def tried(make, given, instead):
    """What is made of something odd where it can be."""
    try:
        return make(given)
    except Exception:
        return instead


def of_one(makers, given, instead):
    """A strategy for what one of some makers makes of what is drawn."""
    return st.builds(tried, st.sampled_from(makers), given, st.just(instead))


small = st.integers(-4, 9)
long = st.builds(lambda n, m: n * 10**m + 1, small, st.sampled_from([2, 19, 20, 400, 6000]))
exponents = st.sampled_from([0, -2, 3, 400, -400, 10**6, -(10**7), 999_999_999])
numbers = st.one_of(
    *[small] * 4, st.integers(), long, st.floats(), st.floats(-9, 9).map(lambda x: round(x, 1)),
    st.builds("{}e{}".format, small, exponents).map(Decimal), st.builds(Fraction, long, long),
    numpy_strategies.scalar_dtypes().flatmap(numpy_strategies.from_dtype),
    small.map(Euro), st.builds(Rude),
)  # fmt: skip
CONTAINERS = [
    tuple, set, iter, deque, np.array, pd.Series, pd.Index, dict.fromkeys,
    lambda items: array("d", map(float, items)), lambda items: pd.Series(items, index=items[::-1]),
    lambda items: pd.Series(items).astype("category"),
    lambda items: np.ma.array(items, mask=[True] * len(items)),
    lambda items: np.array(items, dtype=np.float16), lambda items: np.array(items)[:, None],
    lambda items: pd.DataFrame({"a": items}), lambda items: memoryview(bytes(len(items) + 1)),
    lambda items: nested(20_000),
]  # fmt: skip
ENDLESS = [lambda items: range(len(items) * 10**11), lambda items: itertools.count(len(items))]


@st.composite
def containers(draw, endless=True):
    """Of numbers, most of them small; where one cannot be made, the plain list.

    An endless one is not for a function of the caller's, which may well not come back from it.
    """
    stranger = draw(st.sampled_from([small, small, numbers | st.sampled_from(ODD)]))
    items = draw(st.lists(small | stranger, max_size=6))
    make = draw(st.just(list) | st.sampled_from(CONTAINERS + ENDLESS * endless))
    return tried(make, items, items)


PLAIN = [sum, len, max, span, lambda x: sum(x) / len(x), lambda x: x[0], lambda x: 3]
SPOILT = [  # the answer a, on the dataset x
    lambda a, x: a if len(x) != 2 else 1 / 0, lambda a, x: a if len(x) != 1 else math.nan,
    lambda a, x: a * 10**400, lambda a, x: a * 1e308, lambda a, x: np.int8(a % 100),
    lambda a, x: np.float32(a), lambda a, x: Decimal(str(a)), lambda a, x: (a, len(x)),
    lambda a, x: [a] * len(x), lambda a, x: pd.Series(dict.fromkeys(x, a), dtype=object),
    lambda a, x: pd.Series([a, 1], index=["b", "a"] if len(x) % 2 else ["a", "b"]),
    lambda a, x: {"a": a}, lambda a, x: str(a), lambda a, x: Euro(a), lambda a, x: MagicMock(),
    lambda a, x: nested(20_000), lambda a, x: iter(x),
]  # fmt: skip
plain = st.sampled_from(PLAIN)
spoilt = st.builds(lambda f, spoil: lambda x: spoil(f(x), x), plain, st.sampled_from(SPOILT))
numbered = [sl.quantile, lambda ddof: sl.variance(ddof=ddof), lambda ddof: sl.std(ddof=ddof)]
options = st.sampled_from([0, 1, 2, 0.25, Fraction(1, 3)])
edges = st.lists(small, min_size=2, unique=True).map(sorted)
functions = st.one_of(
    plain, st.just(noisy), *[spoilt] * 3, of_one(numbered, options | numbers, sl.COUNT),
    of_one([sl.histogram], edges | containers(), sl.COUNT),
    of_one([sl.count_where], st.sampled_from([bool, lambda v: v > 1, lambda v: 1 / v, len]),
        sl.COUNT),
    st.builds(sl.Query, st.just("own"), plain, smallest_size=st.integers(0, 2)),
)  # fmt: skip
universes = of_one(
    [sl.Universe.population, sl.Universe.value_range],
    st.lists(small, min_size=3, max_size=6) | containers(),
    sl.Universe.population([1, None, 3]),
)
relations = st.builds(tried, st.sampled_from(conftest.RELATIONS), st.integers(1, 3), st.just(None))
ends = st.sampled_from([0, 1, 2, 3, 4, 10**9, 10**12])
sizes = st.one_of(
    small, st.builds(range, ends, ends), st.sampled_from([[0, 1, 2], 10**12]), numbers
)
# What grows for a parameter; for any other a number.
GROWN = {
    **dict.fromkeys(("query", "function"), functions), "queries": st.lists(functions, max_size=2),
    "universe": universes, "columns": universes.map(lambda one: {"a": one}),
    **dict.fromkeys(("size", "sizes"), sizes), "relation": relations,
    "relations": of_one([list, tuple, iter], st.lists(relations, max_size=2), ()),
    "bounds": st.sampled_from([(0, 1e-3), (2, 2)]) | st.tuples(numbers, numbers) | containers(),
    "claim": numbers | st.sampled_from([
        2.5, lambda size: 9 - size, lambda k: k, lambda size, k: Decimal(size) / k, lambda n: n,
        lambda: 1,
        lambda **rest: 2, float]),
    "inputs": st.lists(containers(endless=False), max_size=3),
    "input_metric": numbers.map(lambda apart: lambda a, b: 0 if a is b else apart),
    "norm": st.sampled_from([0, 2, math.inf, 3, np.float64(2), "2"]),
    "method": st.sampled_from(["auto", "walk", "sweep", "solver", "search", ["walk"]]),
    **dict.fromkeys(("trials", "executor", "name", "ddof"), small),
    **dict.fromkeys(("records", "values", "dataset", "x", "y", "edges", "distances"), containers()),
}  # fmt: skip

# --- what a call must return, if it returns ----------------------------------------------------


def is_number(thing):
    return isinstance(thing, (Real, Decimal, np.bool_)) and not isinstance(thing, np.timedelta64)


def exact(number):
    """A number as the Fraction it stands for: floats by their shortest text; others as they are."""
    if not is_number(number):
        return number
    if isinstance(number, (float, np.floating)):
        return Fraction(float.__repr__(number) if isinstance(number, float) else str(number))
    return Fraction(number if isinstance(number, (Fraction, Decimal)) else int(number))


def listed(records):
    """The records of a container, of a frame its rows, each number exact, missing as None."""
    if isinstance(records, pd.DataFrame):
        return [*records.itertuples(index=False, name=None)]
    records = records.tolist() if isinstance(records, np.ma.MaskedArray) else records
    return [None if one is pd.NA else whole(exact(one)) for one in records]


def whole(number):
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def same(found, expected):
    """A returned number is the expected one, to nine digits where one of them is a float."""
    assert abs(exact(found) - exact(expected)) <= abs(exact(expected)) * Fraction(1, 10**9)


def at_most(found, expected):
    assert exact(found or 0) <= exact(expected) * (1 + Fraction(1, 10**9))


def answer_of(query, dataset):
    """The answer's numbers by key or place, or None where there is none."""
    try:
        answer = query(dataset)
    except Exception:
        return None
    parts = answer if hasattr(answer, "__len__") else [answer]
    return dict(zip(getattr(answer, "labels", range(len(parts))), map(exact, parts), strict=True))


def apart(a, b, norm):
    if norm == 0:
        return sum(key not in a or key not in b or a[key] != b[key] for key in {*a, *b})
    steps = [abs(a.get(key, 0) - b.get(key, 0)) for key in {*a, *b}]
    if norm == 2 and len(steps) > 1:
        return math.sqrt(sum(step**2 for step in steps))
    return max(steps, default=0) if norm == math.inf else sum(steps)


def pairs_of(universe, size, relation, at=None):
    """All neighbours as places among the values, or of one dataset; `TooLarge` beyond that."""
    values = [None if value is None else exact(value) for value in universe.exact_values]
    size = size if isinstance(size, range) else int(size)
    most, places, pairs = largest(size) + int(relation.k), range(len(values)), oracle.range_pairs
    if not universe.unlimited:
        places = [values.index(record) for record in listed(universe.sorted_records.tolist())]
        pairs = oracle.population_pairs
    if most > 6 or len(places) > 7 or math.comb(len(values) + most, most) > 150:
        raise sl.TooLarge
    own = None if at is None else tuple(sorted(map(values.index, listed(at))))
    found = pairs(places, size, relation.kind, int(relation.k))
    return [(x, y) for x, y in found if own in (None, x)]


def widest(query, universe, size, relation, norm=1, at=None):
    """The widest gap of all pairs, or of those of one dataset; None where there is no pair."""
    query = query if isinstance(query, sl.Query) else sl.Query("f", query)
    answer = cache(lambda x: answer_of(query, tuple(universe.values[i] for i in x)))
    gaps = [
        apart(answer(x), answer(y), norm)
        for x, y in pairs_of(universe, size, relation, at)
        if min(len(x), len(y)) >= (query.smallest_size or 0)
        if answer(x) is not None and answer(y) is not None
    ]
    return max(gaps, default=None)


def largest(size):
    return max(size) if isinstance(size, range) else size


def shown(found, **given):
    """Shown without an error; Python itself shows no int of over 4,300 digits."""
    if not isinstance(found, (int, Fraction, tuple)):
        assert isinstance(repr(found), str)
    if hasattr(found, "_repr_html_"):
        found._repr_html_()


def is_widest(found, dataset=None, **given):
    """A sensitivity: its witness, asked again, has its value, and no pair has more."""
    shown(found)
    try:
        assert found.check()
    except sl.TooLarge:
        assert largest(found.size) + found.relation.k > 20_000_000
    asked = {key: getattr(found, key) for key in ("query", "universe", "size", "relation", "norm")}
    same(found.value, widest(**asked, at=dataset))


def is_table(found, queries, columns, size, relations, norm=1, **rest):
    shown(found)
    asked = [relations] if isinstance(relations, sl.Relation) else relations
    questions = [(q, u, size, r) for u in columns.values() for q in queries for r in asked]
    for value, question in zip(found["sensitivity"], questions, strict=True):
        expected = widest(*question, norm)
        assert (value is None) == (expected is None)
        same(value or 0, expected or 0)


def as_plain(function):
    """What comes of the same settings in plain numbers, which other tests hold."""

    def judge(found, **given):
        sequences = {"bounds", "dataset", "edges"} & set(given)
        numbers = {key for key in given if is_number(given[key])} - {"norm", "dtype"}
        plain = {key: listed(given[key]) for key in sequences}
        plain |= {key: listed([given[key]])[0] for key in numbers}
        again = function(**given | plain)
        assert value_of(found) == value_of(again)

    return judge


def value_of(found):
    """The value of a result; of a query, whose name says the numbers as given, what it answers."""
    asked = isinstance(found, sl.Query)
    return answer_of(found, (0, 1, 4, 5)) if asked else getattr(found, "value", found)


def is_closed_form(found, query, bounds, relation, size=None, min_size=None, norm=1, values=None):
    """At least what three values within the bounds bring about, and what its witness shows."""
    shown(found)
    if query.name.startswith("count_where"):
        return  # no formula asks its predicate, which may well fail
    if found.witness:
        x, y = (answer_of(query, tuple(map(Fraction, side))) for side in found.witness)
        same(found.value, apart(x, y, norm))
    low, high = listed(bounds)
    few = {low, high} if values is not None else {low, Fraction(low + high) / 2, high}
    least = size if min_size is None else range(int(min_size), int(min_size) + 3)
    at_most(widest(query, sl.Universe.value_range(few), least, relation, norm), found.value)


def is_at_distance(found, query, dataset, bounds, distance):
    """At least the local sensitivity at the dataset; from its size on, at least the global."""
    x = listed(dataset)
    around = {"universe": sl.Universe.value_range([*x, *listed(bounds)]), "size": len(x)}
    asked = {"query": query, "relation": sl.Change(1), **around}
    at_most(widest(**asked, at=None if distance >= len(x) else x), found)


def is_smooth(found, query, dataset, bounds, beta):
    """What the sensitivity at its distance comes to there."""
    shown(found)
    assert found.check()
    there = sl.sensitivity_at_distance(query, dataset, bounds=bounds, distance=found.distance)
    discount = math.exp(-float(exact(beta)) * found.distance)
    assert found.value == pytest.approx(discount * float(there), rel=1e-9)


def is_audit(found, function, universe, norm=1, order=None, output_metric=None, **rest):
    shown(found)
    found.to_frame()
    assert found.check()
    asked = [] if order is not None or output_metric is not None else found.rows
    for row in asked:
        if row.found is not None:  # feasible, and large enough to be asked
            expected = widest(function, universe, row.size, getattr(sl, row.relation)(row.k), norm)
            (at_most if row.searched else same)(row.found, expected)


def is_map_audit(found, function, inputs, input_metric, output_metric, **rest):
    shown(found)
    assert found.check()
    if all(isinstance(x, tuple) for x in inputs):
        pairs = list(itertools.product(inputs, repeat=2))
        for row in found.rows:
            near = [(function(x), function(y)) for x, y in pairs if input_metric(x, y) <= row.k]
            assert row.found == max((output_metric(a, b) for a, b in near), default=0)


def is_distance(found, x, y):
    x, y = Counter(listed(x)), Counter(listed(y))
    assert found in ((x - y).total() + (y - x).total(), (x - y).total(), math.inf)


def is_universe(found, name=None, **given):
    (records,) = map(listed, given.values())
    values = [tuple(it) if isinstance(it, tuple) else it for it in listed(found.values)]  # rows
    assert found.has_missing == (None in records)
    if not all(map(is_number, records)):
        told = [{it if is_number(it) else written(it) for it in side} for side in (values, records)]
        assert told[0] == told[1]
        return
    assert sorted(values) == sorted({*records})
    choose, pool = itertools.combinations, sorted(records)
    if found.unlimited:
        choose, pool = itertools.combinations_with_replacement, values
    size = min(2, len(records))
    assert found.count(size) == len({*choose(pool, size)})


def is_answer(meaning):
    return lambda found, dataset: same(found, meaning(tuple(sorted(listed(dataset)))))


# --- the calls: what they are named, and what is valid for each parameter ------------------------

QUERIES = [
    sl.MEAN, sl.MEDIAN, sl.STD, sl.SUM, sl.COUNT, sl.variance(ddof=1), span,
    sl.histogram([0, 1, 4]),
]  # fmt: skip
STANDARD = [sl.MEAN, sl.MEDIAN, sl.SUM, sl.VARIANCE, sl.COUNT, sl.quantile(0.3)]
RELATIONS = [sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Add(1), sl.Remove(1)]
DATASETS = [(0, 3), [2], (0, 2, 3)]
MORE = {"predicate": [lambda value: value > 1]}
WITHIN = {"query": STANDARD, "bounds": [(0, 9), (-1, 3.5), (0, 0)]}
AT_ONE = {**WITHIN, "bounds": [(0, 9), (-1, 3.5)], "dataset": [(1, 2), (0, 3, 3)]}
TABLE = sl.compare([sl.MEAN], {"a": FREE}, size=2, relations=[sl.Change(1), sl.Change(2)])
WITNESS = sl.global_sensitivity(sl.MEAN, KNOWN, size=2, relation=sl.Change(1))
VALID = {  # where a call below says nothing else
    "query": QUERIES, "function": QUERIES, "queries": [QUERIES[:2]], "universe": [KNOWN, FREE],
    "columns": [{"a": KNOWN, "b": FREE}], "relation": RELATIONS, "relations": [RELATIONS[:3]],
    "size": [2, 1, range(1, 4)], "sizes": [2, [1, 2], range(1, 3)], "norm": [0, 1, 2, math.inf],
    "method": METHODS, "max_datasets": [1000], "progress": [False], "executor": [None],
    "output_metric": [None], "dataset": DATASETS, "x": DATASETS, "y": DATASETS,
    "records": [[1, 2, 2]], "values": [[1, 2, 2]], "name": [None], "k": [1], "table": [TABLE],
    "column": [None, "a"], "ax": [None],
}  # fmt: skip


def twice(dataset):
    return (*dataset, *dataset)


def are_neighbours(found, dataset, universe):
    assert found == len(pairs_of(universe, len(listed(dataset)), sl.Add(1), dataset))


def judged(judge, *makers):
    """Calls of one judge, by the names of their functions."""
    return {made.__name__: (made, judge(made), own) for made, own in makers}


# A name: the function, the judge of what it returns, and what is valid for parameters of its own.
# ruff: disable[E501]
CALLS = {
    # universes
    "population": (sl.Universe.population, is_universe, {}),
    "value_range": (sl.Universe.value_range, is_universe, {}),
    "count": (FREE.count, lambda found, size: same(found, math.comb(2 + int(size), 2)), {"size": [2, 1]}),
    # relations
    **judged(lambda made: lambda found, k: same(found.k, k), *((made, {"columns": []}) for made in conftest.RELATIONS)),
    "are_neighbours": (
        sl.Change(1).are_neighbours, lambda found, x, y: same(found, sl.change_one_distance(x, y) <= 1), {}),
    "count_neighbours": (sl.Add(1).count_neighbours, are_neighbours, {"universe": [FREE]}),
    "symmetric_distance": (sl.symmetric_distance, is_distance, {}),
    "change_one_distance": (sl.change_one_distance, is_distance, {}),
    # queries
    "MEAN": (sl.MEAN, is_answer(oracle.mean), {}),
    "STD": (sl.STD, is_answer(oracle.QUERIES["std"][0]), {}),
    "count_distinct": (sl.count_distinct, is_answer(lambda x: len(set(x))), {}),
    # what is the same as for plain numbers
    **judged(
        as_plain, (sl.quantile, {"q": [0.5, 1]}), (sl.variance, {"ddof": [0, 1]}), (sl.std, {"ddof": [0, 1]}),
        (sl.histogram, {"edges": [[0, 1, 5], (0, 2)]}),
        (sl.breaking_values, {"bounds": [(0, 100), (-1, 1)], "dtype": [float, np.int8, np.float32]})),
    # what an interval gives
    "closed_form": (sl.closed_form, is_closed_form, {**WITHIN, "size": [3, 2, range(2, 4)], "values": []}),
    "sensitivity_at_distance": (sl.sensitivity_at_distance, is_at_distance, {**AT_ONE, "distance": [0, 1]}),
    "smooth_sensitivity": (sl.smooth_sensitivity, is_smooth, {**AT_ONE, "beta": [0.1, 1]}),
    "at least": (sl.closed_form, is_closed_form, {**WITHIN, "min_size": [3, 2], "size": [], "norm": [], "values": [None, 4]}),
    # what is made and shown
    **judged(
        lambda made: shown, (sl.Query, {"name": ["f"], "function": [len], "smallest_size": [0, 1]}), (sl.count_where, MORE),
        (sl.count_people_where, MORE),
        (sl.sql, {"statement": ["SELECT COUNT(*) FROM staff"], "keys": [None, "d", ["d"]], "connection": [None]}),
        (sl.plot_sweep, {}), (sl.plot_compare, {}), (sl.plot_witness, {"sensitivity": [WITNESS]}),
        (sl.explore, {"universe": [FREE], "size": [2], "queries": [[sl.MEAN]], "relations": [[sl.Change]]})),
    # sensitivities
    "global_sensitivity": (sl.global_sensitivity, is_widest, {}),
    "local_sensitivity": (sl.local_sensitivity, is_widest, {"universe": [FREE], "method": ["auto", "walk"]}),
    "sweep": (sl.sweep, is_table, {}),
    "compare": (sl.compare, is_table, {"bounds": [(0, 4), None]}),
    # audits
    "audit": (
        partial(sl.audit, trials=20), is_audit,
        {"claim": [1, 0.5], "order": [None, "any", "kept"], "method": ["auto", "walk"]}),
    "a search": (
        sl.audit, is_audit, {"claim": [1], "method": ["search"], "seed": [0, 3], "trials": [20], "norm": [], "max_datasets": []}),
    "audit_map": (
        sl.audit_map, is_map_audit,
        {"function": [twice], "claim": [1, lambda distance: 2 * distance], "inputs": [[(), (1,), (1, 2)]],
         "distances": [[1, 2]], "input_metric": [sl.symmetric_distance], "output_metric": [sl.symmetric_distance],
         "max_pairs": [10]}),
}  # fmt: skip
# ruff: enable[E501]

# --- calling --------------------------------------------------------------------------------------

# What parameters are made of.
NOUNS = {"function", "query", "record", "records", "relation", "size", "universe"}


class Late(BaseException):
    """No Exception, so that nobody takes it for a failure of the function."""


@contextmanager
def limits():
    """`Late` in a block that takes long, and no memory beyond a limit, where the system can."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    def late(*_):
        raise Late

    with open("/proc/self/statm", encoding="ascii") as held:
        used = int(held.read().split()[0]) * resource.getpagesize()
    before, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGPROF, late)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def written(thing):
    try:
        return f"{thing!r:.300}"
    except Exception:
        return type(thing).__name__


def is_spoken(error, function):
    """Whether the package itself raised it, of a parameter by its name, and at no great length."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    source = linecache.getline(frame.f_code.co_filename, line)
    own = frame.f_globals.get("__name__", "").startswith(("sensitivity_lab", "sensitivity_beyond"))
    named = {*re.findall(r"\w+", str(error))} & {*inspect.signature(function).parameters, *NOUNS}
    raised = own and source.lstrip().startswith("raise")
    short = len(str(error)) < LONGEST_MESSAGE
    return raised and isinstance(error, (TypeError, ValueError)) and bool(named) and short


def is_spent(value):
    """Whether the judge would find another value than the call did."""
    if isinstance(value, list):
        return any(map(is_spent, value))
    return value is noisy or hasattr(type(value), "__next__")


class Call:
    """A function by its name among `CALLS`, and what it is given."""

    def __init__(self, name, given):
        self.name, self.given = name, given

    def __repr__(self):
        return f"{self.name}({', '.join(f'{key}={written(it)}' for key, it in self.given.items())})"

    def fault(self):
        """What is wrong with the call, as text; nothing where all is well."""
        function, judge, _ = CALLS[self.name]
        found = Late
        try:
            with limits(), np.errstate(all="ignore"):
                found = function(**self.given)
                spent = any(map(is_spent, self.given.values()))
                (shown if spent else judge)(found, **self.given)
        except Late:
            raise Late(f"{self} took longer than {LONGEST} s") from None
        except Exception as error:
            if found is Late:
                return None if is_spoken(error, function) else written(error)
            too_many = isinstance(error, sl.TooLarge)  # for the plain loops
            return None if too_many else f"judged: {written(error)}"
        finally:
            plt.close("all")


def valid_of(name):
    """The valid settings of each parameter of a call, by `VALID` and by what is its own."""
    function, _, own = CALLS[name]
    known = {key: own.get(key, VALID.get(key)) for key in inspect.signature(function).parameters}
    return {key: values for key, values in known.items() if values}


@st.composite
def odd_calls(draw):
    """A call of valid settings, of which one or two are odd."""
    name = draw(st.sampled_from([*CALLS]))
    valid = valid_of(name)
    given = {key: draw(st.sampled_from(values)) for key, values in valid.items()}
    for key in {draw(st.sampled_from([*valid])) for _ in range(draw(st.integers(1, 2)))}:
        grown = GROWN.get(key, numbers)
        given[key] = draw(st.sampled_from(ODD) if draw(st.booleans()) else grown)
    return Call(name, given)


DRAWN = seeds(10) if CHECK_ALL or "SEED" in os.environ else a_third([*range(10)])


@pytest.mark.parametrize("seed", DRAWN)
@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::UserWarning", "ignore::FutureWarning"
)
def test_odd_calls_are_refused_clearly_or_answered_rightly(seed):
    """Catches a wrong number, a hang, memory without a budget, an error without its parameter."""

    @seeded(seed)
    @settings(
        max_examples=CASES, database=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip
    @given(odd_calls())
    def ask(call):
        assert call.fault() is None

    ask()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_fails_at_everything_is_refused_in_our_words(name):
    """Catches the bare error of a value that cannot be listed, compared or written."""
    valid = {key: values[0] for key, values in valid_of(name).items()}
    checked = {*valid} - {"executor", "name"}  # asked for what they can, or never
    calls = [Call(name, {**valid, key: Rude()}) for key in checked]
    assert {fault: call for call in calls if (fault := call.fault())} == {}


DAYS = np.timedelta64(2, "D")
ONCE = [  # a wrong number, a hang or a bare error that was found and mended
    # the 9 was laid bare
    ("population", {"records": np.ma.array([1, 2, 9], mask=[False, False, True])}),
    ("population", {"records": [DAYS]}),  # was 2
    ("population", {"records": [Decimal("1e400"), 1]}),
    ("global_sensitivity", {"universe": sl.Universe.population([DAYS] * 3)}),
    ("closed_form", {"size": 10**30}),  # listed every record
    ("closed_form", {"size": range(0)}),
    ("smooth_sensitivity", {"query": sl.MEDIAN, "dataset": (0, 3, 3), "beta": 5e-324}),
    ("audit_map", {"inputs": [DAYS], "input_metric": max, "output_metric": max}),
    ("a search", {"function": sl.COUNT, "sizes": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "odd"), ONCE)
def test_what_odd_calls_once_found(name, odd):
    """Catches the return of a fault."""
    valid = {key: values[0] for key, values in valid_of(name).items()}
    assert Call(name, valid | odd).fault() is None


def test_every_public_function_is_called_with_odd_input():
    """Catches a new function that the odd calls pass over."""
    made = {"Audit", "AuditRow", "ClosedForm", "Sensitivity", "SmoothSensitivity"}
    elsewhere = {"Relation", "Universe"}  # by its five, by its makers
    failures = {"Infeasible", "NotProved", "TooLarge"}
    found = {name: getattr(sl, name) for name in PUBLIC}
    functions = {n for n, it in found.items() if callable(it) and not isinstance(it, sl.Query)}
    assert functions - made - elsewhere - failures <= set(CALLS)
