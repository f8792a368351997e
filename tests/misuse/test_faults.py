"""Faults: malformed input, a run that is interrupted, and what a result must not depend on.

`FAULT_CASES` (default 400) sets how many malformed calls each of the ten seeds makes; the slow
check makes ten thousand each.
"""

import inspect
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Real
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import METHODS, smallest_size
from limits import Late, time_limit
from matplotlib.figure import Figure

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.audit.worst_pairs import worst_pairs
from sensitivity_lab.proved.entries.bins import Histogram
from sensitivity_lab.proved.ranks.family import Quantile
from sensitivity_lab.testing import assert_sensitivity

CASES = int(os.environ.get("FAULT_CASES", "140"))
LONGEST = 20  # seconds for one call; a refusal takes milliseconds

# --- malformed calls -----------------------------------------------------------------------


class Unfriendly:
    """Compares with nothing, is neither true nor false, and is no number."""

    def _refuse(self, *_):
        raise RuntimeError("unfriendly")

    __eq__ = __lt__ = __bool__ = __len__ = __float__ = __int__ = _refuse
    __hash__ = object.__hash__

    def __repr__(self):
        return "Unfriendly()"


def span(dataset):
    return dataset[-1] - dataset[0]


def fails(dataset):
    raise StopIteration("enough")


ODD = [
    None, True, False, 0, -1, 1, 2, 2.0, 3.5, -0.0, 1e308, 5e-324, 2**63, -(2**63) - 1, 10**30,
    math.nan, math.inf, -math.inf, 1j, Fraction(1, 2), Fraction(2), Decimal("0.1"), Decimal("NaN"),
    Decimal("sNaN"), Decimal("Infinity"), Decimal(2), np.int8(2), np.uint64(2**64 - 1), np.bool_(True),
    np.float32(0.1), np.float64("nan"), np.longdouble(2), np.datetime64("2020-01-01"),
    np.timedelta64(2, "D"), np.timedelta64("NaT"), pd.NA, pd.NaT, pd.Timestamp(0), pd.Timedelta(2),
    "", "2", "auto", "walk", "mean", b"2", bytearray(b"12"), (), [], {}, set(), [1], [2, 1], (1, 2), (1, 2, 3),
    [1, None], [None], [1, "2"], [[1, 2], [3]], [[1, 2], [3, 4]], ((), ()), {1: 2}, {1, 2},
    frozenset([3]), range(0), range(3), range(1, 3), range(3, 0, -1), np.array(2),
    np.array([1, 2]), np.array([2, 1], dtype=np.uint8), np.array([0.5, 1], dtype=np.float16),
    np.array([]), np.zeros((2, 2)), np.array(["1"]), np.array([1, None], dtype=object),
    np.array([1j]), np.array(["2020-01-01"], dtype="M8[D]"), np.array([1, 2], dtype="m8[D]"),
    np.ma.array([1, 2], mask=[True, False]), pd.Series([1, 2]), pd.Series([1, None]), pd.Series(["a"]),
    pd.Series([1, 2], dtype="Int64"), pd.Series([1, None], dtype="Int64"), pd.Series([1, 2], dtype="category"),
    pd.Index([1, 2]), pd.DataFrame(), pd.DataFrame({"a": [1, 2]}), object(), Unfriendly(), int, object, len, sum, max,
    fails, span, lambda: 1, lambda x: x, lambda x: None, lambda x: math.nan, lambda x: "1", lambda x: [len(x)] * len(x),
    lambda x, y: 0, lambda x, y: -1, sl, sl.Change, sl.Relation, sl.Change(1), sl.Add(2), sl.Change(30),
    sl.SymmetricDifference(15), sl.MEAN, sl.STD, sl.histogram([0, 2]), sl.Query, sl.Universe, math,
    sl.Universe.population([1, 2]), sl.Universe.value_range([3]), sl.Universe.value_range([1, None]), Ellipsis, NotImplemented,
    [sl.Change(1)], [sl.Change], [sl.MEAN], {"a": sl.Universe.value_range([0, 3])}, {"a": [1]}, {1: None},
]  # fmt: skip


# -- what a call must return, if it returns


def exact(number):
    """A number as the Fraction it stands for: floats by their shortest text; others as they are."""
    if not isinstance(number, (Real, Decimal, np.bool_)) or isinstance(number, np.timedelta64):
        return number
    if isinstance(number, (float, np.floating)):
        return Fraction(str(number))
    return Fraction(int(number) if isinstance(number, (np.integer, np.bool_)) else number)


def exactly(records):
    return sorted(map(exact, records))


def brute_force(query, universe, size, relation, norm=1):
    """The greatest gap over all pairs, by the oracle; None where there is no pair."""
    pairs = all_pairs(universe, size, relation)
    found = oracle.greatest(*asked(query), pairs, norm)
    return None if found is None else found.value


def all_pairs(universe, size, relation):
    pairs_of = oracle.range_pairs if universe.unlimited else oracle.population_pairs
    size = size if isinstance(size, range) else int(size)
    return pairs_of(
        exactly(universe.sorted_records), size, type(relation).__name__, int(relation.k)
    )


def asked(query):
    """What the oracle asks in a query's stead, and from which size on."""
    if isinstance(query, sl.Query) and query.name in oracle.QUERIES:
        return oracle.QUERIES[query.name]
    proved = query.proved if isinstance(query, sl.Query) else None
    if isinstance(proved, Histogram):
        return oracle.histogram(proved.edges), 0
    if isinstance(proved, Quantile):
        return oracle.quantile(proved.q), 1
    answer = query.function if isinstance(query, sl.Query) else query
    return (lambda x: vector(answer(tuple(map(int, x))))), smallest_size(answer)


def vector(answer):
    return tuple(answer) if isinstance(answer, (list, np.ndarray)) else answer


def same(found, expected):
    """A returned number is the oracle's; where it is a float, to nine digits."""
    if isinstance(found, float) or isinstance(expected, Decimal):
        assert float(found) == pytest.approx(float(expected), rel=1e-9)
    else:
        assert found == expected


def universe_is(unlimited):
    def judge(found, name=None, **given):
        (records,) = given.values()
        if isinstance(records, np.ma.MaskedArray):
            records = records.tolist()
        if isinstance(records, pd.DataFrame):  # its rows are records
            assert found.values == tuple(records.itertuples(index=False, name=None))
            return
        missing = any(record is None for record in records)
        assert found.has_missing == missing
        if missing:
            return
        records = exactly(records)
        assert exactly(found.values) == sorted(set(records))
        size = min(2, len(records))
        choose = oracle.combinations_with_replacement if unlimited else oracle.combinations
        pool = sorted(set(records)) if unlimited else records
        assert found.count(size) == len(set(choose(pool, size)))

    return judge


def is_global(found, query, universe, size, relation, norm=1, **rest):
    same(found.value, brute_force(query, universe, size, relation, norm))
    assert found.check()


def is_local(found, query, dataset, universe, relation, norm=1, **rest):
    x = tuple(exactly(dataset))
    pairs = {pair for pair in all_pairs(universe, len(x), relation) if pair[0] == x}
    same(found.value, oracle.greatest(*asked(query), pairs, norm).value)


def is_table(found, queries, columns, size, relations, norm=1, **rest):
    questions = [(q, u, r) for u in columns.values() for q in queries for r in relations]
    for value, (query, universe, relation) in zip(found["sensitivity"], questions, strict=True):
        expected = brute_force(query, universe, size, relation, norm)
        assert value is None if expected is None else same(value, expected) is None


def is_closed_form(found, query, bounds, relation, size=None, min_size=None, norm=1, values=None):
    """At least what three values within the bounds bring about, and what its witness shows."""
    low, high = map(exact, bounds)
    few = sl.Universe.value_range({low, (low + high) / 2, high} if values is None else {low, high})
    least = size if min_size is None else range(int(min_size), int(min_size) + 3)
    if max(least if isinstance(least, range) else [least]) <= 5:
        enumerated = brute_force(query, few, least, relation, norm)
        assert enumerated is None or float(found.value) >= float(enumerated) * (1 - 1e-9)
    if found.witness:
        x, y = (asked(query)[0](tuple(map(Fraction, side))) for side in found.witness)
        same(found.value, oracle.gap(x, y, norm))


def is_at_distance(found, query, dataset, bounds, distance):
    """At least the local sensitivity at the dataset, at most the global, on the bounds' ends."""
    x, ends = tuple(exactly(dataset)), list(map(exact, bounds))
    universe = sl.Universe.value_range([*x, *ends])
    pairs = all_pairs(universe, len(x), sl.Change(1))
    local = oracle.greatest(*asked(query), {pair for pair in pairs if pair[0] == x}).value
    assert local <= found
    if distance >= len(x):
        assert found >= oracle.greatest(*asked(query), pairs).value


def is_smooth(found, query, dataset, bounds, beta):
    assert found.check()
    at = sl.sensitivity_at_distance(query, dataset, bounds=bounds, distance=found.distance)
    discount = math.exp(-float(exact(beta)) * found.distance)
    assert found.value == pytest.approx(discount * float(at), rel=1e-9)
    is_at_distance(
        sl.sensitivity_at_distance(query, dataset, bounds=bounds, distance=0),
        query, dataset, bounds, 0,
    )  # fmt: skip


def is_audit(found, function, claim, universe, sizes, relations, norm=1, **rest):
    assert found.check()
    if rest.get("order") or rest.get("output_metric"):
        return
    for row in found.rows:
        relation = getattr(sl, row.relation)(row.k)
        expected = brute_force(function, universe, row.size, relation, norm)
        if row.searched:
            assert float(row.found) <= float(expected) * (1 + 1e-9)
        elif row.verdict != "infeasible":
            same(row.found, expected)


def is_map_audit(found, function, claim, inputs, distances, input_metric, output_metric, **rest):
    inputs = list(inputs)
    if not all(isinstance(x, tuple) for x in inputs):
        return
    for row in found.rows:
        gaps = [
            output_metric(function(x), function(y))
            for x in inputs
            for y in inputs
            if input_metric(x, y) <= row.k
        ]
        assert row.found == max(gaps, default=0)


def oracle_signs(n):
    return [()] if n == 0 else [(s, *rest) for s in (1, -1) for rest in oracle_signs(n - 1)]


def is_distance(found, x, y):
    def records(side):
        if isinstance(side, pd.DataFrame):  # whose rows these are, not the names of its columns
            return side.itertuples(index=False, name=None)
        return (None if r is None else exact(r) for r in side)

    x, y = (Counter(records(side)) for side in (x, y))
    assert found in ((x - y).total() + (y - x).total(), (x - y).total(), math.inf)


def is_number_of(name):
    """A query made of one option answers as the oracle's does on a few records."""

    def judge(found, **option):
        (option,) = option.values()
        x = (Fraction(0), Fraction(1), Fraction(4), Fraction(5))
        made = {
            "quantile": lambda: oracle.quantile(exact(option)),
            "variance": lambda: oracle.variance(int(option)),
            "std": lambda: lambda x: oracle.root(oracle.variance(int(option))(x)),
            "histogram": lambda: oracle.histogram(list(map(exact, option))),
            "count_where": lambda: lambda x: sum(bool(option(value)) for value in x),
        }[name]()
        if len(x) < found.smallest_size:
            return
        try:
            expected = made(x)
        except Exception:
            with pytest.raises(ValueError, match="failed on dataset"):
                found(x)
            return
        same(found(x), expected) if not isinstance(expected, tuple) else found(x) == expected

    return judge


def are_breaking(found, bounds, dtype=float, outside=False, missing=False):
    numbers = [value for value in found if value is not None]
    assert numbers == sorted(numbers)
    assert outside or all(bounds[0] <= value <= bounds[1] for value in numbers)


def has_k(found, k):
    assert found.k == exact(k) >= 1


def is_figure(found, **given):
    assert isinstance(found, Figure)
    plt.close(found)


def is_answer(name):
    def judge(found, dataset):
        same(found, oracle.QUERIES[name][0](tuple(exactly(dataset))))

    return judge


def are_distinct(found, dataset):
    """As many as Python tells apart, numbers by how large they are."""
    same(found, len(set(map(exact, dataset))))


def is_anything(found, **given):
    """Made, and nothing computed yet."""


# -- the calls: what they are named, and what is valid for each parameter

KNOWN = sl.Universe.population([0, 1, 1, 4])
FREE = sl.Universe.value_range([0, 2, 3], name="free")
TABLE = sl.compare([sl.MEAN], {"a": FREE}, size=2, relations=[sl.Change(1), sl.Change(2)])
WITNESS = sl.global_sensitivity(sl.MEAN, KNOWN, size=2, relation=sl.Change(1))


QUERIES = [sl.MEAN, sl.MEDIAN, sl.STD, sl.SUM, sl.COUNT, sl.variance(ddof=1), span]
UNIVERSES = [KNOWN, FREE]
RELATIONS = [sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Add(1), sl.Remove(1)]
NORMS = [0, 1, 2, math.inf]
SIZES = [2, 1, range(1, 4)]
DATASETS = [(0, 3), [2], (0, 2, 3)]
STANDARD = [sl.MEAN, sl.MEDIAN, sl.SUM, sl.VARIANCE, sl.COUNT, sl.quantile(0.3)]
BOUNDS = [(0, 12), (-1, 3.5), (0, 0)]
EDGES = [[0, 1, 5], (0, 2)]
LISTS = {
    "queries": [QUERIES[:2]],
    "columns": [{"a": KNOWN, "b": FREE}],
    "relations": [RELATIONS[:3]],
}
METRICS = {"input_metric": [sl.symmetric_distance], "output_metric": [sl.symmetric_distance]}


def twice(dataset):
    return (*dataset, *dataset)


def list_datasets(size):
    return list(FREE.datasets(size))


def is_how_many(found, size):
    """The datasets of three values in any number of copies, or their number."""
    same(found if isinstance(found, int) else len(found), math.comb(2 + int(size), 2))


def is_related(found, x, y):
    same(found, sl.change_one_distance(x, y) <= 1)


def list_neighbours(dataset, universe):
    return list(sl.Change(1).neighbours(dataset, universe))


def are_neighbours(found, dataset, universe):
    same(len(found), sl.Change(1).count_neighbours(dataset, universe))


def is_how_many_to_add(found, dataset, universe):
    x = tuple(exactly(dataset))
    pairs = all_pairs(universe, len(dataset), sl.Add(1))
    same(found, len({pair for pair in pairs if pair[0] == x}))


def is_more_than_one(value):
    return value > 1


def doubles(distance):
    return 2 * distance


@dataclass(frozen=True)
class Call:
    """A function, the judge of what it returns, and valid settings of each of its parameters."""

    function: Callable[..., Any]
    judge: Callable[..., None]
    valid: dict[str, list[Any]]


RUN = {"max_datasets": [1000], "progress": [False], "executor": [None]}
AT_ONE_DATASET = {
    "query": STANDARD,
    "dataset": [(1, 2), (0, 3, 3)],
    "bounds": [(0, 9), (-1, 3.5)],
}
EQUAL = [1].__mul__  # weights of n records

CALLS = {
    # universes
    "population": Call(
        sl.Universe.population,
        universe_is(unlimited=False),
        {"records": [[1, 2, 2]], "name": [None, "x"]},
    ),
    "value_range": Call(
        sl.Universe.value_range,
        universe_is(unlimited=True),
        {"values": [[1, 2, 2]], "name": [None]},
    ),
    "count": Call(FREE.count, is_how_many, {"size": SIZES[:2]}),
    "datasets": Call(list_datasets, is_how_many, {"size": [2]}),
    # relations
    "Add": Call(sl.Add, has_k, {"k": [1]}),
    "Remove": Call(sl.Remove, has_k, {"k": [1]}),
    "AddRemove": Call(sl.AddRemove, has_k, {"k": [1]}),
    "SymmetricDifference": Call(sl.SymmetricDifference, has_k, {"k": [1]}),
    "Change": Call(sl.Change, has_k, {"k": [1]}),
    "are_neighbours": Call(sl.Change(1).are_neighbours, is_related, {"x": DATASETS, "y": DATASETS}),
    "neighbours": Call(list_neighbours, are_neighbours, {"dataset": DATASETS, "universe": [FREE]}),
    "count_neighbours": Call(
        sl.Add(1).count_neighbours, is_how_many_to_add, {"dataset": DATASETS, "universe": [FREE]}
    ),
    "symmetric_distance": Call(sl.symmetric_distance, is_distance, {"x": DATASETS, "y": DATASETS}),
    "change_one_distance": Call(
        sl.change_one_distance, is_distance, {"x": DATASETS, "y": DATASETS}
    ),
    # queries
    "Query": Call(
        sl.Query, is_anything, {"name": ["f"], "function": [len], "smallest_size": [0, 1]}
    ),
    "MEAN": Call(sl.MEAN, is_answer("mean"), {"dataset": DATASETS}),
    "STD": Call(sl.STD, is_answer("std"), {"dataset": DATASETS}),
    "quantile": Call(sl.quantile, is_number_of("quantile"), {"q": [0.5, 1]}),
    "variance": Call(sl.variance, is_number_of("variance"), {"ddof": [0, 1]}),
    "std": Call(sl.std, is_number_of("std"), {"ddof": [0, 1]}),
    "histogram": Call(sl.histogram, is_number_of("histogram"), {"edges": EDGES}),
    "count_where": Call(
        sl.count_where, is_number_of("count_where"), {"predicate": [is_more_than_one]}
    ),
    "l_statistic": Call(sl.l_statistic, is_anything, {"weights": [EQUAL], "name": [None, "x"]}),
    "trimmed_mean": Call(sl.trimmed_mean, is_anything, {"cut": [0, 0.25]}),
    "winsorised_mean": Call(sl.winsorised_mean, is_anything, {"cut": [0, 0.25]}),
    "sql": Call(
        sl.sql,
        is_anything,
        {
            "statement": ["SELECT COUNT(*) FROM staff"],
            "keys": [None, "d", ["d"]],
            "connection": [None],
        },
    ),
    "count_distinct": Call(sl.count_distinct, are_distinct, {"dataset": DATASETS}),
    # sensitivities
    "global_sensitivity": Call(
        sl.global_sensitivity,
        is_global,
        {
            "query": QUERIES,
            "universe": UNIVERSES,
            "size": SIZES,
            "relation": RELATIONS,
            "norm": NORMS,
            "method": METHODS,
            **RUN,
        },
    ),
    "a vector's": Call(
        sl.global_sensitivity,
        is_global,
        {
            "query": [sl.histogram([0, 1, 4])],
            "universe": UNIVERSES,
            "size": SIZES,
            "relation": RELATIONS,
            "norm": NORMS,
            "method": ["auto", "walk"],
        },
    ),
    "local_sensitivity": Call(
        sl.local_sensitivity,
        is_local,
        {
            "query": QUERIES,
            "dataset": DATASETS,
            "universe": [FREE],
            "relation": RELATIONS,
            "norm": NORMS,
            "method": ["auto", "walk"],
            **RUN,
        },
    ),
    "sweep": Call(
        sl.sweep, is_table, {**LISTS, "size": SIZES, "norm": NORMS, "method": METHODS, **RUN}
    ),
    "compare": Call(
        sl.compare, is_table, {**LISTS, "size": SIZES, "norm": NORMS, "bounds": [(0, 4), None]}
    ),
    "closed_form": Call(
        sl.closed_form,
        is_closed_form,
        {
            "query": STANDARD,
            "bounds": BOUNDS,
            "relation": RELATIONS,
            "size": [3, 2, range(2, 4)],
            "norm": NORMS,
        },
    ),
    "at least": Call(
        sl.closed_form,
        is_closed_form,
        {
            "query": STANDARD,
            "bounds": BOUNDS,
            "relation": RELATIONS,
            "min_size": [3, 2],
            "values": [None, 4],
        },
    ),
    "sensitivity_at_distance": Call(
        sl.sensitivity_at_distance, is_at_distance, {**AT_ONE_DATASET, "distance": [0, 1]}
    ),
    "smooth_sensitivity": Call(
        sl.smooth_sensitivity, is_smooth, {**AT_ONE_DATASET, "beta": [0.1, 1]}
    ),
    # audits
    "audit": Call(
        sl.audit,
        is_audit,
        {
            "function": QUERIES,
            "claim": [1, 0.5],
            "universe": UNIVERSES,
            "sizes": [2, [1, 2], range(1, 3)],
            "relations": [RELATIONS[:2]],
            "norm": NORMS,
            "output_metric": [None],
            "order": [None, "any", "kept"],
            "method": ["auto", "walk"],
            "max_datasets": [1000],
        },
    ),
    "a search": Call(
        partial(sl.audit, trials=20),
        is_audit,
        {
            "function": QUERIES,
            "claim": [1],
            "universe": UNIVERSES,
            "sizes": [2],
            "relations": [RELATIONS[:2]],
            "method": ["search"],
            "seed": [0, 3],
        },
    ),
    "audit_map": Call(
        sl.audit_map,
        is_map_audit,
        {
            "function": [twice],
            "claim": [1, doubles],
            "inputs": [[(), (1,), (1, 2)]],
            "distances": [[1, 2]],
            **METRICS,
            "max_pairs": [10],
        },
    ),
    "breaking_values": Call(
        sl.breaking_values,
        are_breaking,
        {"bounds": [(0, 100), (-1, 1)], "dtype": [float, np.int8, np.float32]},
    ),
    # pictures
    "plot_sweep": Call(
        sl.plot_sweep, is_figure, {"table": [TABLE], "column": [None, "a"], "ax": [None]}
    ),
    "plot_compare": Call(
        sl.plot_compare, is_figure, {"table": [TABLE], "column": [None, "a"], "ax": [None]}
    ),
    "plot_witness": Call(sl.plot_witness, is_figure, {"sensitivity": [WITNESS], "ax": [None]}),
}


NOUNS = {"query", "record", "relation", "size", "universe"}  # what parameters are made of


def named_parameters(function):
    return set(inspect.signature(function).parameters) | NOUNS


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_malformed_calls_are_refused_clearly_or_answered_rightly(seed):
    """Catches a wrong number, a hang, and any error that is not about a parameter by its name."""
    rng = random.Random(seed)
    for _ in range(CASES):
        name = rng.choice(list(CALLS))
        call = CALLS[name]
        given = {key: rng.choice(values) for key, values in call.valid.items()}
        for key in rng.sample(list(given), rng.choice([1, 1, 1, min(2, len(given))])):
            given[key] = rng.choice(ODD)
        one_call(name, call, given)


def one_call(name, call, given):
    note = f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
    refusal = None
    with time_limit(LONGEST):
        try:
            found = call.function(**given)
        except (TypeError, ValueError) as error:
            refusal = error
        except (Exception, Late) as error:
            raise AssertionError(f"{note}: {error!r}") from error
    if refusal is not None:
        words = set(re.findall(r"\w+", str(refusal)))
        assert words & named_parameters(call.function), f"{note}: {refusal!r}"
        return
    try:
        call.judge(found, **given)
    except Exception as error:
        raise AssertionError(f"{note} returned {found!r}: {error!r}") from error


def test_what_the_malformed_calls_once_found():
    """Catches the return of a wrong number, a hang or a bare error that was found and mended."""
    masked = sl.Universe.population(np.ma.array([1, 2, 9], mask=[False, False, True]))
    assert masked.values == (1, 2, None)  # the 9 was laid bare
    span = np.timedelta64(2, "D")
    assert sl.Universe.population([span]).values == (span,)  # was 2
    with pytest.raises(TypeError, match="mean is asked of numbers, got records such as"):
        sl.global_sensitivity(
            sl.MEAN, sl.Universe.population([span] * 3), size=2, relation=sl.Change(1)
        )
    assert sl.Universe.population([Decimal("1e400"), 1]).values[-1] == Decimal("1e400")
    huge = sl.closed_form(sl.MEAN, bounds=(0, 1), size=10**30, relation=sl.Change(1))
    assert (huge.value, huge.witness) == (Fraction(1, 10**30), None)  # listed every record
    with pytest.raises(ValueError, match="size must name at least one size"):
        sl.closed_form(sl.MEAN, bounds=(0, 1), size=range(0), relation=sl.Change(1))
    tiny = sl.smooth_sensitivity(sl.MEDIAN, (0, 3, 3), bounds=(0, 9), beta=5e-324)
    assert tiny.local == 9
    with pytest.raises(ValueError, match="query twice failed on dataset"):
        sl.audit_map(  # was int()'s own TypeError
            twice, 1, [np.timedelta64(2, "D")], distances=[1], input_metric=max, output_metric=max
        )
    empty = sl.audit(
        sl.COUNT, 0, FREE, sizes=0, relations=[sl.Change(1)], method="search", trials=9
    )
    assert empty.rows[0].found == 0


def test_every_public_function_is_called_with_malformed_input():
    """Catches a new function that the malformed calls pass over."""
    made = {"Audit", "AuditRow", "ClosedForm", "Gradient", "Sensitivity", "SmoothSensitivity"}
    elsewhere = {"Relation", "Universe", "inline_svg"}  # by its five, by its makers, no parameter
    failures = {"Infeasible", "NotProved", "TooLarge"}
    functions = {
        name
        for name in sl.__all__
        if callable(getattr(sl, name)) and not isinstance(getattr(sl, name), sl.Query)
    }
    assert functions - made - elsewhere - failures <= set(CALLS)


# --- a run that is interrupted -------------------------------------------------------------

LONG_RUN = """
import os
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import sensitivity_lab as sl
from sensitivity_lab.proved.entries.bins import Histogram
from sensitivity_lab.proved.ranks.family import Quantile


def slow(dataset):
    time.sleep(0.01)
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        print(os.getpid(), file=log)
    return dataset[-1] - dataset[0]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    universe = sl.Universe.population(range(13))
    with ProcessPoolExecutor(2) as pool:
        sl.global_sensitivity(slow, universe, size=6, relation=sl.Change(1), executor=pool)
"""
DATASETS_ASKED = math.comb(13, 6)
NUMBERS = sl.Universe.value_range([0, 1, 2])
PAY = sl.Universe.product(pay=[0, 1, 2])


def interrupted_pool(function, universe):
    with ThreadPoolExecutor(2) as pool:
        sl.global_sensitivity(function, universe, size=2, relation=sl.Change(1), executor=pool)


def searched(function, universe):
    return sl.audit(
        function, 0, universe, sizes=2, relations=[sl.Change(1)], method="search", trials=20
    )


ONE, ADDED = {"size": 2, "relation": sl.Change(1)}, {"size": 1, "relation": sl.AddRemove(1)}
ROWS_OF = {"sizes": 2, "relations": [sl.Change(1)]}
ENTRANCES = {
    "sweep": lambda f, u: sl.global_sensitivity(f, u, **ONE),
    "walk": lambda f, u: sl.global_sensitivity(f, u, **ONE, method="walk"),
    "local": lambda f, u: sl.local_sensitivity(f, u.given((0, 1)), u, relation=sl.Change(1)),
    "audit": lambda f, u: sl.audit(f, 0, u, **ROWS_OF),
    "any order": lambda f, u: sl.audit(f, 0, u, **ROWS_OF, order="any"),
    "metric": lambda f, u: sl.audit(f, 0, u, **ROWS_OF, output_metric=lambda a, b: abs(a - b)),
    "search": searched,
    "table": lambda f, u: sl.sweep([f], {"all": u}, size=2, relations=[sl.Change(1)]),
    "worst pairs": lambda f, u: list(worst_pairs(f, u, **ONE)),
    "test": lambda f, u: assert_sensitivity(f, 9, u, **ROWS_OF),
    "threads": interrupted_pool,
    "nobody": lambda f, u: sl.global_sensitivity(f, u, **ADDED),
}


@pytest.mark.parametrize("asked", ENTRANCES.values(), ids=ENTRANCES)
@pytest.mark.parametrize("universe", [NUMBERS, PAY], ids=["numbers", "rows"])
def test_an_interrupt_ends_every_call(asked, universe):
    """Catches Ctrl-C taken for a function that fails, or that has no value on the empty dataset."""

    def interrupted(dataset):
        raise KeyboardInterrupt

    def interrupted_later(dataset):
        if len(dataset) == 0 or np.max(np.asarray(dataset)) > 1:
            raise KeyboardInterrupt
        return len(dataset)

    for function in (interrupted, interrupted_later):
        with pytest.raises(KeyboardInterrupt):
            asked(function, universe)


def test_an_interrupt_ends_what_asks_no_function_of_a_dataset():
    """Catches Ctrl-C taken for a bad record, claim, metric or answer."""

    def interrupted(*_):
        raise KeyboardInterrupt

    class Answer(float):
        __add__ = __sub__ = __rsub__ = __float__ = __eq__ = __hash__ = interrupted

    for asked in (
        lambda: sl.smooth_sensitivity(sl.MEDIAN, map(interrupted, [1]), bounds=(0, 1), beta=1),
        lambda: sl.global_sensitivity(sl.SUM.of(interrupted), NUMBERS, **ONE),
        lambda: sl.global_sensitivity(sl.COUNT.by(interrupted), NUMBERS, **ONE),
        lambda: sl.audit(sl.SUM, lambda k: interrupted(), NUMBERS, **ROWS_OF),
        lambda: sl.audit(sl.SUM, 1, NUMBERS, **ROWS_OF, output_metric=interrupted),
        lambda: sl.global_sensitivity(lambda x: Answer(1), NUMBERS, **ONE),
    ):
        with pytest.raises(KeyboardInterrupt):
            asked()


STOPPED = """
import signal, sys, time
from concurrent.futures import ThreadPoolExecutor
import sensitivity_lab as sl

def slow(dataset):
    print("asked", flush=True)
    time.sleep(60 if len(dataset) == empty else 0)
    return len(dataset)

signal.signal(signal.SIGINT, signal.default_int_handler)
universe, empty = sl.Universe.product(pay=range(9)), 0 if sys.argv[1] == "nobody" else 2
change = {"sizes": 2, "relations": [sl.Change(1)]}
if sys.argv[1] == "nobody":
    sl.audit(slow, 9, universe, sizes=1, relations=[sl.AddRemove(1)])
elif sys.argv[1] == "search":
    sl.audit(slow, 9, universe, **change, method="search")
else:
    sl.audit(slow, 9, universe, **change)
"""


@pytest.mark.parametrize("asked", ["nobody", "search", "rows"])
def test_a_signal_ends_an_audit(asked):
    """Catches a verdict, or a failure of the function, where there was a Ctrl-C."""
    run = subprocess.Popen(
        [sys.executable, "-c", STOPPED, asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert run.stdout.readline() == "asked\n"
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=30)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert run.returncode != 0


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("send", [os.kill, getattr(os, "killpg", None)], ids=["alone", "group"])
def test_an_interrupted_run_leaves_no_process(tmp_path, send):
    """Catches workers that go on, or wait for ever, after Ctrl-C or a notebook's stop button."""
    psutil = pytest.importorskip("psutil")
    script, log = tmp_path / "long_run.py", tmp_path / "log"
    script.write_text(LONG_RUN, encoding="utf-8")
    run = subprocess.Popen(
        [sys.executable, str(script), str(log)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    log.touch()
    while len(set(log.read_bytes().split()) - {b"%d" % run.pid}) < 2:  # until both are at it
        assert run.poll() is None, run.stderr.read()
        time.sleep(0.01)
    children = psutil.Process(run.pid).children(recursive=True)
    send(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert run.returncode != 0
    assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not [child for child in alive if child.status() != psutil.STATUS_ZOMBIE]
    assert len(log.read_bytes().split()) < DATASETS_ASKED  # blocks that had not begun were dropped


# --- what a result must not depend on ------------------------------------------------------

RESULTS = """
import hashlib, io, locale, time
import matplotlib
import sensitivity_lab as sl
from sensitivity_lab.proved.entries.bins import Histogram
from sensitivity_lab.proved.ranks.family import Quantile

matplotlib.rcParams["svg.hashsalt"] = "one"
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass  # not installed here
time.tzset()
known = sl.Universe.population([1, 2.5, 2, "7".__len__(), 9, 9], name="days")
free = sl.Universe.value_range({0.5, 3, 8})
relations = [sl.Change(1), sl.SymmetricDifference(2), sl.AddRemove(1)]
queries = [sl.MEAN, sl.MEDIAN, sl.STD, sl.count_distinct, sl.histogram([0, 2, 9]), max]
table = sl.compare(queries[:4], {"a": known, "b": free}, size=3, relations=relations)
print(ascii(table.to_csv()))
for query in queries:
    print(ascii(repr(sl.global_sensitivity(query, known, size=3, relation=relations[1]))))
print(ascii(str(sl.audit(max, 1, free, sizes=[2, 3], relations=relations))))
print(ascii(str(sl.audit(max, 1, known, sizes=3, relations=relations, method="search", trials=99))))
print(sl.smooth_sensitivity(sl.MEDIAN, (1, 2, 9), bounds=(0, 10), beta="0.1".__len__()))
print(sl.local_sensitivity(sl.STD, (1, 2), known, relation=relations[0]))
picture = io.BytesIO()
sl.plot_sweep(table, column="a").savefig(picture, format="svg", metadata={"Date": None})
print(hashlib.sha256(picture.getvalue()).hexdigest())
"""
MACHINES = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
    {"PYTHONHASHSEED": "99", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati"},
]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="needs time zones that can be set")
def test_results_do_not_depend_on_hash_seed_locale_or_time_zone():
    """Catches an answer, a text or a picture made in the order of a set, or in a locale's digits."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RESULTS],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, **machine, "MPLBACKEND": "agg"},
        )
        for machine in MACHINES
    ]
    printed = [run.communicate(timeout=120)[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * len(runs)
    assert len(printed[0].splitlines()) == 12
    assert set(printed) == {printed[0]}


@pytest.mark.parametrize("seed", range(5))
def test_results_do_not_depend_on_the_order_of_the_input(seed):
    """Catches a result that holds to the order in which records, queries or relations came."""
    rng = random.Random(seed)
    records, values = [rng.randint(0, 9) for _ in range(6)], [0, 1, 4]
    queries = [sl.MEAN, sl.STD, sl.MAX, sl.histogram([0, 3, 9]), span]

    def ask():
        columns = [("a", sl.Universe.population(records)), ("b", sl.Universe.value_range(values))]
        table = sl.sweep(
            rng.sample(queries, 5), dict(rng.sample(columns, 2)), size=3,
            relations=rng.sample(RELATIONS, 5),
        )  # fmt: skip
        return sorted(map(repr, table.itertuples(index=False)))

    first = ask()
    for _ in range(3):
        rng.shuffle(records)
        rng.shuffle(values)
        assert ask() == first
    dataset = records[:3]
    asked = {
        repr(sl.local_sensitivity(
            sl.MEDIAN, rng.sample(dataset, 3), sl.Universe.population(records), relation=RELATIONS[2]
        ))
        for _ in range(4)
    }  # fmt: skip
    assert len(asked) == 1


# --- what an import brings -----------------------------------------------------------------

HEAVY = {"matplotlib", "ipywidgets", "scipy", "IPython", "opendp", "dask", "distributed", "tqdm"}


def test_importing_the_package_loads_no_heavy_module():
    """Catches an import at the top of a module that only a picture, a bar or the book needs."""
    ask = "sl.global_sensitivity(sl.SUM, sl.Universe.value_range([0, 1]), size=2, relation=sl.Change(1))"
    for then, late in (("", HEAVY | {"numpy", "pandas"}), (ask, HEAVY | {"pandas"})):
        script = f"import sys, sensitivity_lab as sl; {then}; print(*sys.modules)".replace(
            "; ;", ";"
        )
        loaded = subprocess.run(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, encoding="utf-8", check=True
        ).stdout.split()
        assert ("numpy" in loaded) == bool(then)
        assert not late & {name.split(".")[0] for name in loaded}


def test_a_picture_without_matplotlib_says_what_to_install():
    """Catches a light installation that fails at import, or with a bare error."""
    script = "import sys; sys.modules['matplotlib'] = None; import sensitivity_lab; sensitivity_lab.plot_sweep"
    failed = subprocess.run(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert failed.stderr.splitlines()[-1] == (
        "ImportError: plot_sweep needs matplotlib: install 'sensitivity-lab[plot]'"
    )
