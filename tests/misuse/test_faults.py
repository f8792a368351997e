"""Calls with input that is malformed, or nearly right: refused in words, or answered rightly.

Each call takes valid settings and one or two odd ones: out of a list, or grown from a grammar. An error
is one that a line of the package raises in so many words, by the name of a parameter; an answer is held to
plain loops over all pairs; neither takes long, or much memory. `FAULT_CASES` (default 120) sets how many
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
import struct
import sys
import traceback
from array import array
from collections import Counter, deque
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from numbers import Real
from typing import Any
from unittest.mock import MagicMock

import conftest
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import CHECK_ALL, METHODS, PUBLIC, Euro, nested, seeds
from matplotlib.figure import Figure

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.numbers.exact import exact_number

CASES = int(os.environ.get("FAULT_CASES", "120"))
LONGEST = 20  # seconds for one call; a refusal takes milliseconds
MEMORY = 3 << 30  # bytes that a call may ask for beside what is there
LONGEST_MESSAGE = 2000

# --- odd things, out of a list ---------------------------------------------------------------


class Unfriendly:
    """Compares with nothing, is neither true nor false, and is no number."""

    def _refuse(self, *_):
        raise RuntimeError("unfriendly")

    __eq__ = __lt__ = __bool__ = __len__ = __float__ = __int__ = _refuse
    __hash__ = object.__hash__

    def __repr__(self):
        return "Unfriendly()"


class Rude(Unfriendly):
    """Fails at whatever it is asked, even for its name."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)

    def __repr__(self):
        raise KeyError("repr")

    __str__ = __iter__ = __index__ = __repr__


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
    pd.Index([1, 2]), pd.DataFrame(), pd.DataFrame({"a": [1, 2]}), object(), Unfriendly(), MagicMock(),
    int, object, len, sum, max, fails, span, lambda: 1, lambda x: x, lambda x: None, lambda x: math.nan,
    lambda x: "1", lambda x: [len(x)] * len(x), lambda x, y: 0, lambda x, y: -1, sl, sl.Change, sl.Relation,
    sl.Change(1), sl.Add(2), sl.Change(30), sl.SymmetricDifference(15), sl.MEAN, sl.STD, sl.histogram([0, 2]),
    sl.Query, sl.Universe, math, sl.Universe.population([1, 2]), sl.Universe.value_range([3]),
    sl.Universe.value_range([1, None]), Ellipsis, NotImplemented, [sl.Change(1)], [sl.Change], [sl.MEAN],
    {"a": sl.Universe.value_range([0, 3])}, {"a": [1]}, {1: None},
]  # fmt: skip

# --- and grown from a grammar: numbers of any length, odd containers, functions put together -----


class Count(int):
    """An int that says it is another."""

    def __index__(self):
        return 7

    def __repr__(self):
        return "Count"


class Liar(list):
    """A sequence whose length is a lie."""

    def __len__(self):
        return 10**9


def digits(rng, most):
    return rng.randrange(1, 10 ** rng.randint(1, most))


def whole(rng):
    return rng.choice([1, -1]) * digits(rng, rng.choice([1, 1, 2, 19, 20, 400, 6000]))


def any_decimal(rng):
    exponent = rng.choice([0, -2, 3, 400, -400, 10**6, -(10**7), 999_999_999])
    return Decimal((rng.randint(0, 1), tuple(map(int, str(digits(rng, 30)))), exponent))


KINDS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "M8[D]", "m8[s]", "c8"]


def small(rng):
    return rng.randint(-4, 9)


def number(rng):
    return rng.choice([
        small, small, small, small, whole, any_decimal,
        lambda rng: struct.unpack("d", rng.randbytes(8))[0],
        lambda rng: np.frombuffer(rng.randbytes(16), dtype=rng.choice(KINDS))[0],
        lambda rng: Fraction(whole(rng), digits(rng, rng.choice([1, 2, 30, 3000]))),
        lambda rng: round(rng.uniform(-9, 9), rng.randint(0, 3)),
        lambda rng: Euro(rng.uniform(0, 9)), lambda rng: Count(small(rng)), lambda rng: bool(small(rng)), lambda rng: Rude(),
    ])(rng)  # fmt: skip


CONTAINERS = [
    tuple, set, iter, deque, np.array, pd.Series, pd.Index, Liar, dict.fromkeys,
    lambda items: array("d", [float(item) for item in items]),
    lambda items: pd.Series(items, index=items[::-1]),
    lambda items: pd.Series(items).astype("category"),
    lambda items: np.ma.array(items, mask=[True] * len(items)),
    lambda items: np.array(items, dtype=np.float16),
    lambda items: np.array(items)[:, None],
    lambda items: pd.DataFrame({"a": items}),
    lambda items: memoryview(bytes(len(items) + 1)),
    lambda items: nested(20_000),
]  # fmt: skip
ENDLESS = [lambda items: range(len(items) * 10**11), lambda items: itertools.count(len(items))]


def records(rng, endless=True):
    """A container of numbers, most of them small; where it cannot be made, the plain list.

    An endless one is not for a function of the caller's, which may well not come back from it.
    """
    items = [small(rng) for _ in range(rng.choice([0, 1, 2, 3, 4, 5, 6]))]
    for place in range(len(items) if rng.random() < 0.3 else 0):
        if rng.random() < 0.4:
            items[place] = number(rng) if rng.random() < 0.8 else rng.choice(ODD)
    make = list if rng.random() < 0.6 else rng.choice(CONTAINERS + ENDLESS * endless)
    try:
        return make(items)
    except Exception:
        return items


class Noisy:
    """A function with noise in it, so that one can tell; what it answers is nobody's fault."""

    def __init__(self, function, rng):
        self.function, self.rng = function, rng

    def __call__(self, x):
        return self.function(x) + self.rng.random()


PLAIN = [sum, len, max, span, lambda x: sum(x) / len(x), lambda x: x[0], lambda x: 3]
SPOILT = [
    lambda f: lambda x: f(x) if len(x) != 2 else 1 / 0,
    lambda f: lambda x: f(x) if len(x) != 1 else math.nan,
    lambda f: lambda x: f(x) * 10**400,
    lambda f: lambda x: f(x) * 1e308,
    lambda f: lambda x: np.int8(f(x) % 100),
    lambda f: lambda x: np.float32(f(x)),
    lambda f: lambda x: Decimal(str(f(x))),
    lambda f: lambda x: (f(x), len(x)),
    lambda f: lambda x: [f(x)] * len(x),
    lambda f: lambda x: pd.Series({record: f(x) for record in x}, dtype=object),
    lambda f: lambda x: pd.Series([f(x), 1], index=["b", "a"] if len(x) % 2 else ["a", "b"]),
    lambda f: lambda x: {"a": f(x)},
    lambda f: lambda x: str(f(x)),
    lambda f: lambda x: Euro(f(x)),
    lambda f: lambda x: MagicMock(),
    lambda f: lambda x: nested(20_000),
    lambda f: lambda x: (number for number in x),
    lambda f: lambda x, y: f(x),
]
MADE = [
    lambda rng: sl.quantile(rng.choice([0, 0.25, 0.9, Fraction(1, 3), number(rng)])),
    lambda rng: sl.histogram(sorted({small(rng) for _ in range(5)})),
    lambda rng: sl.histogram(records(rng)),
    lambda rng: sl.variance(ddof=rng.choice([0, 1, 2, number(rng)])),
    lambda rng: sl.std(ddof=rng.choice([0, 1, 2])),
    lambda rng: sl.count_where(rng.choice([bool, lambda v: v > 1, lambda v: 1 / v, len])),
    lambda rng: sl.Query("own", rng.choice(PLAIN), smallest_size=rng.choice([0, 1, 2])),
]


def made_query(rng):
    try:
        return rng.choice(MADE)(rng)
    except (TypeError, ValueError):
        return sl.COUNT


def function(rng):
    kind, made = rng.random(), rng.choice(PLAIN)
    if kind < 0.1:
        return made
    if kind < 0.3:
        return made_query(rng)
    if kind < 0.35:
        return Noisy(made, rng)
    for _ in range(rng.choice([1, 1, 2])):
        made = rng.choice(SPOILT)(made)
    return made


def universe(rng):
    make = rng.choice([sl.Universe.population, sl.Universe.value_range])
    held = [small(rng) for _ in range(rng.randint(3, 6))] if rng.random() < 0.5 else records(rng)
    try:
        return make(held)
    except (TypeError, ValueError):
        return make([1, None, 3])


def size(rng):
    ends = sorted([rng.choice([0, 1, 2, 3, 10**9, 10**12]), rng.choice([1, 2, 3, 4, 10**12])])
    return rng.choice([rng.randint(0, 4), range(*ends), list(range(3)), 10**12, number(rng)])


def relation(rng):
    return rng.choice(conftest.RELATIONS)(rng.choice([1, 2, 3]))


def bounds(rng):
    return rng.choice([(0, 1e-3), (2, 2), (number(rng), number(rng)), records(rng), number(rng)])


def claim(rng):
    return rng.choice([
        number(rng), 2.5, lambda size: 9 - size, lambda k: k, lambda size, k: number(rng),
        lambda n: n, lambda: 1, lambda **rest: 2, float,
    ])  # fmt: skip


def input_metric(rng):
    apart = number(rng)
    return rng.choice([lambda a, b: abs(len(a) - len(b)), lambda a, b: 0 if a is b else apart])


# What grows for a parameter; for any other a number.
GROWN = {
    "query": function, "function": function, "universe": universe, "size": size, "sizes": size, "bounds": bounds,
    "queries": lambda rng: [function(rng) for _ in range(rng.choice([0, 1, 1, 2]))],
    "columns": lambda rng: {"a": universe(rng)}, "relation": relation,
    "relations": lambda rng: rng.choice([list, tuple, iter])([relation(rng) for _ in range(rng.choice([0, 1, 2]))]),
    "claim": claim, "inputs": lambda rng: [records(rng, endless=False) for _ in range(rng.choice([0, 1, 2, 3]))],
    "input_metric": input_metric, "norm": lambda rng: rng.choice([0, 2, math.inf, 3, np.float64(2), "2"]),
    "method": lambda rng: rng.choice(["auto", "walk", "sweep", "solver", "search", ["walk"]]),
    **dict.fromkeys(("trials", "executor", "name", "ddof"), small),
    **dict.fromkeys(("records", "values", "dataset", "x", "y", "edges", "distances"), records),
}  # fmt: skip


def odd(rng, parameter):
    return rng.choice(ODD) if rng.random() < 0.6 else GROWN.get(parameter, number)(rng)


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


def exactly(records):
    return sorted(map(exact, records))


def same(found, expected):
    """A returned number is the expected one, to nine digits where one of them is a float."""
    found, expected = exact_number(found), exact_number(expected)
    assert abs(found - expected) <= abs(expected) * Fraction(1, 10**9)


def answer_of(query, dataset):
    """The answer's numbers by key or place, or None where there is none on the empty dataset."""
    try:
        answer = query(dataset)
    except Exception:
        assert not dataset
        return None
    if hasattr(answer, "labels"):
        return dict(zip(answer.labels, answer, strict=True))
    return dict(enumerate(answer if hasattr(answer, "__len__") else [answer]))


def apart(a, b, norm):
    if norm == 0:
        return sum(key not in a or key not in b or a[key] != b[key] for key in {*a, *b})
    steps = [abs(a.get(key, 0) - b.get(key, 0)) for key in {*a, *b}]
    if norm == 2 and len(steps) > 1:
        return math.sqrt(sum(Fraction(step) ** 2 for step in steps))
    return max(steps, default=0) if norm == math.inf else sum(steps)


def as_query(function):
    return function if isinstance(function, sl.Query) else sl.Query("f", function)


def widest(query, pool, size, relation, norm=1, at=None):
    """The widest gap of all pairs, or of those of one dataset, as the definition has it.

    None where there is no pair; `TooLarge` where there are too many for it.
    """
    exact = [None if value is None else exact_number(value) for value in pool.exact_values]
    size = size if isinstance(size, range) else int(size)
    most, places = largest(size) + int(relation.k), range(len(exact))
    if most > 6 or sum(math.comb(len(exact) + n - 1, n) for n in range(most + 1)) > 150:
        raise sl.TooLarge
    pairs = oracle.range_pairs
    if not pool.unlimited:
        held = [None if r is None else exact_number(r) for r in pool.sorted_records.tolist()]
        places, pairs = [exact.index(value) for value in held], oracle.population_pairs
        if len(places) > 7:
            raise sl.TooLarge
    own = None if at is None else tuple(sorted(exact.index(exact_number(one)) for one in at))

    @cache
    def answer(x):
        return answer_of(query, tuple(pool.values[i] for i in x))

    gaps = [
        apart(answer(x), answer(y), norm)
        for x, y in pairs(places, size, relation.kind, int(relation.k))
        if own in (None, x) and min(len(x), len(y)) >= (query.smallest_size or 0)
        if answer(x) is not None and answer(y) is not None
    ]
    return max(gaps, default=None)


def anything(found, **given):
    """Shown without an error; Python itself shows no int of over 4,300 digits."""
    if not isinstance(found, (int, Fraction, tuple)):
        assert isinstance(repr(found), str)
    if hasattr(found, "_repr_html_"):
        found._repr_html_()


def checks(found):
    """Shown, and its witness, asked again, has its value."""
    anything(found)
    try:
        assert found.check()
    except sl.TooLarge:
        assert largest(found.size) + found.relation.k > 20_000_000


def largest(size):
    return max(size) if isinstance(size, range) else size


def is_global(found, **given):
    checks(found)
    same(found.value, widest(found.query, found.universe, found.size, found.relation, found.norm))


def is_of_groups(found, **given):
    """Of a size of each group: by all datasets of these sizes, and all changes of x alone."""
    checks(found)
    if not isinstance(found.size, dict):
        return
    rows = [[row for row in found.universe.values if row.g == group] for group in found.size]
    of_each = map(itertools.combinations_with_replacement, rows, found.size.values())
    datasets = [sum(parts, ()) for parts in itertools.product(*of_each)]
    answers = {x: dict(zip((of := found.query(x)).labels, of, strict=True)) for x in datasets}
    near = [
        apart(answers[x], answers[y], found.norm)
        for x, y in itertools.product(datasets, repeat=2)
        if (Counter(x) - Counter(y)).total() <= found.relation.k
    ]
    same(found.value, max(near))


def is_local(found, dataset, **given):
    checks(found)
    at, size = list(dataset), found.size
    same(found.value, widest(found.query, found.universe, size, found.relation, found.norm, at))


def is_table(found, queries, columns, size, relations, norm=1, **rest):
    anything(found)
    listed = [relations] if isinstance(relations, sl.Relation) else relations
    questions = [(q, u, r) for u in columns.values() for q in queries for r in listed]
    for value, (query, universe, relation) in zip(found["sensitivity"], questions, strict=True):
        expected = widest(as_query(query), universe, size, relation, norm)
        assert value is None if expected is None else same(value, expected) is None


def is_conjecture(found, query, **given):
    assert found.status in ("conjecture", "refuted", "none")
    for universe, size, relation, value, _ in found.cases:
        assert same(value, widest(as_query(query), universe, size, relation, 1)) is None


def is_closed_form(found, query, bounds, relation, size=None, min_size=None, norm=1, values=None):
    """At least what three values within the bounds bring about, and what its witness shows."""
    anything(found)
    low, high = map(exact, bounds)
    few = sl.Universe.value_range({low, (low + high) / 2, high} if values is None else {low, high})
    least = size if min_size is None else range(int(min_size), int(min_size) + 3)
    if query.name.startswith("count_where"):
        return  # no formula asks its predicate, which may well fail
    if found.witness:
        x, y = (answer_of(query, tuple(map(Fraction, side))) for side in found.witness)
        same(found.value, apart(x, y, norm))
    enumerated = widest(query, few, least, relation, norm)
    value, slack = exact_number(found.value), 1 + Fraction(1, 10**9)
    assert enumerated is None or exact_number(enumerated) <= value * slack


def is_at_distance(found, query, dataset, bounds, distance):
    """At least the local sensitivity at the dataset, at most the global, on the bounds' ends."""
    x, ends = exactly(dataset), list(map(exact, bounds))
    pool = sl.Universe.value_range([*x, *ends])
    slack = 1 + Fraction(1, 10**9)
    local = widest(query, pool, len(x), sl.Change(1), at=x)
    assert exact_number(local or 0) <= exact_number(found) * slack
    if distance >= len(x):
        everywhere = widest(query, pool, len(x), sl.Change(1))
        assert exact_number(everywhere or 0) <= exact_number(found) * slack


def is_smooth(found, query, dataset, bounds, beta):
    anything(found)
    assert found.check()
    at = sl.sensitivity_at_distance(query, dataset, bounds=bounds, distance=found.distance)
    discount = math.exp(-float(exact(beta)) * found.distance)
    assert found.value == pytest.approx(discount * float(at), rel=1e-9)


def is_audit(found, function, universe, norm=1, order=None, output_metric=None, **rest):
    anything(found)
    found.to_frame()
    assert found.check()
    if order is not None or output_metric is not None:
        return
    for row in found.rows:
        if row.found is None:  # infeasible, or too small to be asked
            continue
        relation = getattr(sl, row.relation)(row.k)
        expected = widest(as_query(function), universe, row.size, relation, norm)
        if row.searched:
            assert exact_number(row.found) <= exact_number(expected) * (1 + Fraction(1, 10**9))
        else:
            same(row.found, expected)


def is_map_audit(found, function, inputs, input_metric, output_metric, **rest):
    anything(found)
    assert found.check()
    inputs = list(inputs)
    if all(isinstance(x, tuple) for x in inputs):
        pairs = list(itertools.product(inputs, repeat=2))
        for row in found.rows:
            near = [(function(x), function(y)) for x, y in pairs if input_metric(x, y) <= row.k]
            assert row.found == max((output_metric(a, b) for a, b in near), default=0)


def is_distance(found, x, y):
    def counted(side):  # of a frame the rows, not the names of its columns
        side = side.itertuples(index=False, name=None) if isinstance(side, pd.DataFrame) else side
        return Counter(None if r is None else exact(r) for r in side)

    x, y = counted(x), counted(y)
    assert found in ((x - y).total() + (y - x).total(), (x - y).total(), math.inf)


def universe_is(unlimited):
    def judge(found, name=None, **given):
        (records,) = given.values()
        if isinstance(records, np.ma.MaskedArray):
            records = records.tolist()
        if isinstance(records, pd.DataFrame):  # its rows are records
            rows = {*records.itertuples(index=False, name=None)}
            assert {tuple(row) for row in found.values} == rows
            return
        missing = any(record is None or record is pd.NA for record in records)
        assert found.has_missing == missing
        if missing or not all(map(is_number, records)):
            return
        exact = sorted(map(exact_number, records))
        assert sorted(map(exact_number, found.values)) == sorted(set(exact))
        size, pool = min(2, len(exact)), sorted(set(exact)) if unlimited else exact
        choose = itertools.combinations_with_replacement if unlimited else itertools.combinations
        assert found.count(size) == len(set(choose(pool, size)))

    return judge


def is_number_of(meaning):
    """A query made of one option answers as the oracle's does on a few records."""

    def judge(found, **option):
        (option,) = option.values()
        x = tuple(map(Fraction, (0, 1, 4, 5)))
        if len(x) < found.smallest_size:
            return
        try:
            expected = meaning(option)(x)
        except Exception:
            with pytest.raises(ValueError, match="failed on dataset"):
                found(x)
            return
        answers = answer_of(found, x), answer_of(lambda _: expected, x)
        for one, other in zip(*(answer.values() for answer in answers), strict=True):
            same(one, other)

    return judge


def are_breaking(found, bounds, dtype=float):
    numbers = [value for value in found if value is not None]
    assert numbers == sorted(numbers)
    low, high = map(float, bounds)  # as which they are given
    assert all(low <= value <= high for value in numbers)


def has_k(found, k):
    assert found.k == exact(k) >= 1


def is_figure(found, **given):
    assert isinstance(found, Figure)


def is_answer(meaning):
    def judge(found, dataset):
        same(found, meaning(tuple(exactly(dataset))))

    return judge


def is_how_many_to_add(found, dataset, universe):
    """Each value that is left once the dataset's records have left."""
    left = Counter(universe.sorted_records.tolist()) - Counter(list(dataset))
    same(found, len(universe.values if universe.unlimited else left))


def is_how_many(found, size):
    """The datasets of three values in any number of copies, up to 99 of them, or their number."""
    number = math.comb(2 + int(size), 2)
    same(*((found, number) if isinstance(found, int) else (len(found), min(99, number))))


# --- the calls: what they are named, and what is valid for each parameter ------------------------

KNOWN = sl.Universe.population([0, 1, 1, 4])
FREE = sl.Universe.value_range([0, 2, 3], name="free")
GROUPED = sl.Universe.product(g=["a", "b"], x=[0, 2, 3])
TABLE = sl.compare([sl.MEAN], {"a": FREE}, size=2, relations=[sl.Change(1), sl.Change(2)])
WITNESS = sl.global_sensitivity(sl.MEAN, KNOWN, size=2, relation=sl.Change(1))

QUERIES = [sl.MEAN, sl.MEDIAN, sl.STD, sl.SUM, sl.COUNT, sl.variance(ddof=1), span]
STANDARD = [sl.MEAN, sl.MEDIAN, sl.SUM, sl.VARIANCE, sl.COUNT, sl.quantile(0.3)]
RELATIONS = [sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Add(1), sl.Remove(1)]
NORMS = {"norm": [0, 1, 2, math.inf]}
SIZES = [2, 1, range(1, 4)]
DATASETS = [(0, 3), [2], (0, 2, 3)]
X_AND_Y = {"x": DATASETS, "y": DATASETS}
LISTS = {
    "queries": [QUERIES[:2]], "columns": [{"a": KNOWN, "b": FREE}], "relations": [RELATIONS[:3]], "size": SIZES, **NORMS,
}  # fmt: skip
RUN = {"max_datasets": [1000], "progress": [False], "executor": [None]}
ASKED = {"query": QUERIES, "relation": RELATIONS, **NORMS}
GLOBALLY = {**ASKED, "universe": [KNOWN, FREE], "size": SIZES}
AUDITED = {
    "function": QUERIES, "universe": [KNOWN, FREE], "relations": [RELATIONS[:2]], "sizes": [2, [1, 2], range(1, 3)],
}  # fmt: skip
WITHIN = {"query": STANDARD, "bounds": [(0, 12), (-1, 3.5), (0, 0)]}
AT_ONE = {**WITHIN, "bounds": [(0, 9), (-1, 3.5)], "dataset": [(1, 2), (0, 3, 3)]}


def twice(dataset):
    return (*dataset, *dataset)


def list_datasets(size):
    return list(itertools.islice(FREE.datasets(size), 99))


def list_neighbours(dataset, universe):
    return list(sl.Change(1).neighbours(dataset, universe))


def is_more_than_one(value):
    return value > 1


@dataclass(frozen=True)
class Call:
    """A function, the judge of what it returns, and valid settings of each of its parameters."""

    function: Callable[..., Any]
    judge: Callable[..., None]
    valid: dict[str, list[Any]]


CALLS = {
    # universes
    "population": Call(sl.Universe.population, universe_is(False), {"records": [[1, 2, 2]], "name": [None, "x"]}),
    "value_range": Call(sl.Universe.value_range, universe_is(True), {"values": [[1, 2, 2]], "name": [None]}),
    "count": Call(FREE.count, is_how_many, {"size": SIZES[:2]}),
    "datasets": Call(list_datasets, is_how_many, {"size": [2]}),
    # relations
    **{made.__name__: Call(made, has_k, {"k": [1]}) for made in conftest.RELATIONS},
    "are_neighbours": Call(
        sl.Change(1).are_neighbours, lambda found, x, y: same(found, sl.change_one_distance(x, y) <= 1), X_AND_Y),
    "neighbours": Call(
        list_neighbours, lambda found, **given: same(len(found), sl.Change(1).count_neighbours(**given)),
        {"dataset": DATASETS, "universe": [FREE]}),
    "count_neighbours": Call(
        sl.Add(1).count_neighbours, is_how_many_to_add, {"dataset": DATASETS, "universe": [FREE]}),
    "symmetric_distance": Call(sl.symmetric_distance, is_distance, X_AND_Y),
    "change_one_distance": Call(sl.change_one_distance, is_distance, X_AND_Y),
    # queries
    "Query": Call(sl.Query, anything, {"name": ["f"], "function": [len], "smallest_size": [0, 1]}),
    "MEAN": Call(sl.MEAN, is_answer(oracle.mean), {"dataset": DATASETS}),
    "STD": Call(sl.STD, is_answer(oracle.QUERIES["std"][0]), {"dataset": DATASETS}),
    "count_distinct": Call(sl.count_distinct, is_answer(lambda x: len(set(x))), {"dataset": DATASETS}),
    "quantile": Call(sl.quantile, is_number_of(lambda q: oracle.quantile(exact(q))), {"q": [0.5, 1]}),
    "variance": Call(sl.variance, is_number_of(lambda ddof: oracle.variance(int(ddof))), {"ddof": [0, 1]}),
    "std": Call(
        sl.std, is_number_of(lambda ddof: lambda x: oracle.root(oracle.variance(int(ddof))(x))), {"ddof": [0, 1]}),
    "histogram": Call(
        sl.histogram, is_number_of(lambda edges: oracle.histogram(list(map(exact, edges)))), {"edges": [[0, 1, 5], (0, 2)]}),
    "count_where": Call(
        sl.count_where, is_number_of(lambda where: lambda x: sum(bool(where(value)) for value in x)),
        {"predicate": [is_more_than_one]}),
    "count_people_where": Call(
        sl.count_people_where, is_number_of(lambda where: lambda x: sum(bool(where(value)) for value in x)),
        {"predicate": [is_more_than_one]}),
    "l_statistic": Call(sl.l_statistic, anything, {"weights": [[1].__mul__], "name": [None, "x"]}),
    "trimmed_mean": Call(sl.trimmed_mean, anything, {"cut": [0, 0.25]}),
    "winsorised_mean": Call(sl.winsorised_mean, anything, {"cut": [0, 0.25]}),
    "sql": Call(
        sl.sql, anything,
        {"statement": ["SELECT COUNT(*) FROM staff"], "keys": [None, "d", ["d"]], "connection": [None]}),
    # sensitivities
    "global_sensitivity": Call(sl.global_sensitivity, is_global, {**GLOBALLY, "method": METHODS, **RUN}),
    "of groups": Call(
        sl.global_sensitivity, is_of_groups,
        {"query": [query.of("x").by("g") for query in QUERIES if query is not span], "universe": [GROUPED],
         "size": [{"a": 2, "b": 1}, {"b": 0, "a": 1}], "relation": [sl.Change(k, columns=["x"]) for k in (1, 2)],
         "method": METHODS, **NORMS, **RUN}),
    "a vector's": Call(
        sl.global_sensitivity, is_global, {**GLOBALLY, "query": [sl.histogram([0, 1, 4])], "method": ["auto", "walk"]}),
    "local_sensitivity": Call(
        sl.local_sensitivity, is_local,
        {**ASKED, "dataset": DATASETS, "universe": [FREE], "method": ["auto", "walk"], **RUN}),
    "sweep": Call(sl.sweep, is_table, {**LISTS, "method": METHODS, **RUN}),
    "compare": Call(sl.compare, is_table, {**LISTS, "bounds": [(0, 4), None]}),
    "closed_form": Call(
        sl.closed_form, is_closed_form, {**WITHIN, "relation": RELATIONS, "size": [3, 2, range(2, 4)], **NORMS}),
    "at least": Call(
        sl.closed_form, is_closed_form, {**WITHIN, "relation": RELATIONS, "min_size": [3, 2], "values": [None, 4]}),
    "sensitivity_at_distance": Call(sl.sensitivity_at_distance, is_at_distance, {**AT_ONE, "distance": [0, 1]}),
    "smooth_sensitivity": Call(sl.smooth_sensitivity, is_smooth, {**AT_ONE, "beta": [0.1, 1]}),
    # audits
    "audit": Call(
        partial(sl.audit, trials=20), is_audit,
        {**AUDITED, **NORMS, "claim": [1, 0.5], "output_metric": [None], "order": [None, "any", "kept"],
         "method": ["auto", "walk"], "max_datasets": [1000]}),
    "a search": Call(
        sl.audit, is_audit, {**AUDITED, "claim": [1], "method": ["search"], "seed": [0, 3], "trials": [20]}),
    "audit_map": Call(
        sl.audit_map, is_map_audit,
        {"function": [twice], "claim": [1, lambda distance: 2 * distance], "inputs": [[(), (1,), (1, 2)]],
         "distances": [[1, 2]], "input_metric": [sl.symmetric_distance], "output_metric": [sl.symmetric_distance],
         "max_pairs": [10]}),
    "breaking_values": Call(
        sl.breaking_values, are_breaking, {"bounds": [(0, 100), (-1, 1)], "dtype": [float, np.int8, np.float32]}),
    "conjecture": Call(
        sl.conjecture, is_conjecture,
        {"query": [sl.MEAN, sl.SUM], "universes": [[FREE, sl.Universe.value_range([0, 2])]], "sizes": [[1, 2, 3]],
         "relations": [[sl.Change(1), sl.Change(2)]]}),
    # pictures
    "plot_sweep": Call(sl.plot_sweep, is_figure, {"table": [TABLE], "column": [None, "a"], "ax": [None]}),
    "plot_compare": Call(sl.plot_compare, is_figure, {"table": [TABLE], "column": [None, "a"], "ax": [None]}),
    "plot_witness": Call(sl.plot_witness, is_figure, {"sensitivity": [WITNESS], "ax": [None]}),
    "explore": Call(
        sl.explore, lambda box, **given: box.children, {"universe": [FREE], "size": [2], "queries": [[sl.MEAN]], "relations": [[sl.Change]]}),
}  # fmt: skip


# --- calling --------------------------------------------------------------------------------------

NOUNS = {
    "query",
    "record",
    "records",
    "relation",
    "size",
    "universe",
}  # what parameters are made of


def is_spoken(error, call):
    """Whether the package itself raised it, of a parameter by its name, and at no great length."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    module = frame.f_globals.get("__name__", "")
    source = linecache.getline(frame.f_code.co_filename, line)
    own = module.startswith("sensitivity_lab") and source.lstrip().startswith("raise")
    named = {*re.findall(r"\w+", str(error))} & {*inspect.signature(call).parameters, *NOUNS}
    kind = isinstance(error, (TypeError, ValueError))
    return own and kind and bool(named) and len(str(error)) < LONGEST_MESSAGE


class Late(BaseException):
    """No Exception, so that nobody takes it for a failure of the function that was asked."""


@contextmanager
def time_limit(seconds):
    """Raise `Late` in a block that takes longer, where the system has alarms."""

    def late(*_):
        raise Late

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def memory_limit(extra):
    """Let the block ask for so many bytes and no more, where the system can say so."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as held:
        used = int(held.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def is_spent(value):
    """Whether the judge would find another value than the call did."""
    if isinstance(value, list):
        return any(map(is_spent, value))
    return type(value) is Noisy or hasattr(type(value), "__next__")


def fault_of(name, given):
    """What is wrong with one call, as text; nothing where all is well."""
    call = CALLS[name]
    try:
        with time_limit(LONGEST), memory_limit(MEMORY), np.errstate(all="ignore"):
            try:
                found = call.function(**given)
            except Exception as error:
                return None if is_spoken(error, call.function) else written(error)
            (anything if any(map(is_spent, given.values())) else call.judge)(found, **given)
    except sl.TooLarge:
        return None  # for the plain loops
    except Late:
        return f"took longer than {LONGEST} s"
    except Exception as error:
        return f"judged: {written(error)}"
    finally:
        plt.close("all")
    return None


def written(thing):
    try:
        return f"{thing!r:.300}"
    except Exception:
        return type(thing).__name__


@pytest.mark.parametrize("seed", seeds(10) if CHECK_ALL or "SEED" in os.environ else range(10))
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning", "ignore::FutureWarning")  # fmt: skip
def test_odd_calls_are_refused_clearly_or_answered_rightly(seed):
    """Catches a wrong number, a hang, memory without a budget, and an error that names no parameter."""
    rng, faults = random.Random(seed), {}
    for _ in range(CASES):
        name = rng.choice(list(CALLS))
        given = {key: rng.choice(values) for key, values in CALLS[name].valid.items()}
        for key in rng.sample(list(given), rng.choice([1, 1, 1, min(2, len(given))])):
            given[key] = odd(rng, key)
        if fault := fault_of(name, given):
            faults[f"{name}({', '.join(f'{key}={written(given[key])}' for key in given)})"] = fault
    assert faults == {}


def test_what_odd_calls_once_found():
    """Catches the return of a wrong number, a hang or a bare error that was found and mended."""
    masked = sl.Universe.population(np.ma.array([1, 2, 9], mask=[False, False, True]))
    assert masked.values == (1, 2, None)  # the 9 was laid bare
    days = np.timedelta64(2, "D")
    assert sl.Universe.population([days]).values == (days,)  # was 2
    with pytest.raises(TypeError, match="mean is asked of numbers, got records such as"):
        sl.global_sensitivity(
            sl.MEAN, sl.Universe.population([days] * 3), size=2, relation=sl.Change(1)
        )
    assert sl.Universe.population([Decimal("1e400"), 1]).values[-1] == Decimal("1e400")
    huge = sl.closed_form(sl.MEAN, bounds=(0, 1), size=10**30, relation=sl.Change(1))
    assert (huge.value, huge.witness) == (Fraction(1, 10**30), None)  # listed every record
    with pytest.raises(ValueError, match="size must name at least one size"):
        sl.closed_form(sl.MEAN, bounds=(0, 1), size=range(0), relation=sl.Change(1))
    tiny = sl.smooth_sensitivity(sl.MEDIAN, (0, 3, 3), bounds=(0, 9), beta=5e-324)
    assert tiny.local == 9
    with pytest.raises(ValueError, match="query twice failed on dataset"):
        sl.audit_map(twice, 1, [days], distances=[1], input_metric=max, output_metric=max)
    found = sl.audit(
        sl.COUNT, 0, FREE, sizes=0, relations=[sl.Change(1)], method="search", trials=9
    )
    assert found.rows[0].found == 0


def test_every_public_function_is_called_with_odd_input():
    """Catches a new function that the odd calls pass over."""
    made = {"Audit", "AuditRow", "ClosedForm", "Sensitivity", "SmoothSensitivity"}
    elsewhere = {"Relation", "Universe"}  # by its five, by its makers
    failures = {"Infeasible", "NotProved", "TooLarge"}
    metrics = {"labels_that_differ", "rank_distance"}  # of two answers, which may be anything
    found = {name: getattr(sl, name) for name in PUBLIC}
    functions = {n for n, it in found.items() if callable(it) and not isinstance(it, sl.Query)}
    assert functions - made - elsewhere - failures - metrics <= set(CALLS)
