"""Calls grown from a grammar: numbers of any length, odd containers, functions put together at random.

Unlike the malformed calls of `test_faults`, which pick from a list, these are made up as they go:
most are nearly right. What comes back is judged three ways. An error is a TypeError or a
ValueError that a line of the package raises in so many words; an answer is held to a brute force;
and neither takes long, or much memory. Each of the ten seeds makes a quarter of `FAULT_CASES`
(default 400) calls.
"""

import itertools
import linecache
import math
import os
import random
import struct
import sys
import traceback
from array import array
from collections import deque
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from unittest.mock import MagicMock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from limits import Late, time_limit

import sensitivity_lab as sl
from sensitivity_lab.numbers.exact import exact_number

CASES = int(os.environ.get("FAULT_CASES", "140")) // 4
LONGEST = 20  # seconds for one call
MEMORY = 3 << 30  # bytes that a call may ask for beside what is there
LONGEST_MESSAGE = 2000


# --- numbers and containers ----------------------------------------------------------------


class Euro(float):
    """A float that prints as something else."""

    def __str__(self):
        return f"{float(self):.0f} €"

    __repr__ = __str__


class Count(int):
    """An int that says it is another."""

    def __index__(self):
        return 7

    def __repr__(self):
        return "Count"


class Liar:
    """A sequence whose length is a lie."""

    def __init__(self, items):
        self.items = list(items)

    def __len__(self):
        return 10**9

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, i):
        return self.items[i]


class Rude:
    """Fails at whatever it is asked."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)

    def __repr__(self):
        raise KeyError("repr")

    __str__ = __repr__
    __iter__ = __len__ = __bool__ = __eq__ = __float__ = __index__ = __repr__
    __hash__ = object.__hash__


def digits(rng, most):
    return rng.randrange(1, 10 ** rng.randint(1, most))


def whole(rng):
    return rng.choice([1, -1]) * digits(rng, rng.choice([1, 1, 2, 19, 20, 400, 6000]))


def any_float(rng):
    return struct.unpack("d", rng.randbytes(8))[0]


def any_decimal(rng):
    exponent = rng.choice([0, -2, 3, 400, -400, 10**6, -(10**7), 999_999_999])
    return Decimal((rng.randint(0, 1), tuple(map(int, str(digits(rng, 30)))), exponent))


def any_scalar(rng):
    kind = rng.choice(
        ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "M8[D]", "m8[s]", "c8"]
    )
    return np.frombuffer(rng.randbytes(16), dtype=kind)[0]


def small(rng):
    return rng.randint(-4, 9)


NUMBERS = [
    small, small, small, small, whole, any_float, any_decimal, any_scalar,
    lambda rng: Fraction(whole(rng), digits(rng, rng.choice([1, 2, 30, 3000]))),
    lambda rng: rng.choice([math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.7e308]),
    lambda rng: round(rng.uniform(-9, 9), rng.randint(0, 3)),
    lambda rng: Euro(rng.uniform(0, 9)), lambda rng: Count(small(rng)), lambda rng: bool(small(rng)),
    lambda rng: rng.choice([None, "1", b"2", 1j, pd.NA, pd.NaT, MagicMock(), Rude(), ..., (1,), [2], {3}]),
]  # fmt: skip


def number(rng):
    return rng.choice(NUMBERS)(rng)


def nested(depth):
    inner = []
    for _ in range(depth):
        inner = [inner]
    return inner


def numpy_of(items):
    with np.errstate(all="ignore"):
        return np.array(items)


CONTAINERS = [
    list, list, list, tuple, set, iter, deque, numpy_of, pd.Series, pd.Index, Liar, np.array,
    lambda items: (item for item in items),
    lambda items: array("d", [float(item) for item in items]),
    lambda items: pd.Series(items, index=items[::-1]),
    lambda items: pd.Series(items).astype("category"),
    lambda items: np.ma.array(items, mask=[True] * len(items)),
    lambda items: np.array(items, dtype=np.float16),
    lambda items: np.array(items)[:, None],
    lambda items: pd.DataFrame({"a": items}),
    lambda items: dict.fromkeys(items),
    lambda items: memoryview(bytes(len(items) + 1)),
    lambda items: MagicMock(),
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
            items[place] = number(rng)
    make = list if rng.random() < 0.7 else rng.choice(CONTAINERS + ENDLESS * endless)
    try:
        return make(items)
    except Exception:
        return items


# --- functions -----------------------------------------------------------------------------


def mean(x):
    return sum(x) / len(x)


def spread_of(x):
    return max(x) - min(x)


class Noisy:
    """A function with noise in it, so that one can tell; what it answers is nobody's fault."""

    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(x)


def noise(f, rng):
    return lambda x: f(x) + rng.random()


PLAIN = [sum, len, max, mean, spread_of, lambda x: x[0], lambda x: 3]
SPOILERS = [
    lambda f, rng: lambda x: f(x) if len(x) != 2 else 1 / 0,
    lambda f, rng: lambda x: f(x) if len(x) != 1 else math.nan,
    lambda f, rng: lambda x: f(x) * 10**400,
    lambda f, rng: lambda x: f(x) * 1e308,
    lambda f, rng: lambda x: np.int8(f(x) % 100),
    lambda f, rng: lambda x: np.float32(f(x)),
    lambda f, rng: lambda x: Decimal(str(f(x))),
    lambda f, rng: lambda x: (f(x), len(x)),
    lambda f, rng: lambda x: [f(x)] * len(x),
    lambda f, rng: lambda x: pd.Series({record: f(x) for record in x}, dtype=object),
    lambda f, rng: lambda x: pd.Series([f(x), 1], index=["b", "a"] if len(x) % 2 else ["a", "b"]),
    lambda f, rng: lambda x: {"a": f(x)},
    lambda f, rng: lambda x: str(f(x)),
    lambda f, rng: lambda x: Euro(f(x)),
    noise,
    lambda f, rng: lambda x: MagicMock(),
    lambda f, rng: lambda x: nested(20_000),
    lambda f, rng: lambda x: (number for number in x),
    lambda f, rng: lambda x, y: f(x),
]  # fmt: skip
MADE = [
    lambda rng: sl.quantile(rng.choice([0, 0.25, 0.9, Fraction(1, 3), number(rng)])),
    lambda rng: sl.histogram(sorted({small(rng) for _ in range(5)})),
    lambda rng: sl.histogram(records(rng)),
    lambda rng: sl.variance(ddof=rng.choice([0, 1, 2, number(rng)])),
    lambda rng: sl.std(ddof=rng.choice([0, 1, 2])),
    lambda rng: sl.count_where(rng.choice([bool, lambda v: v > 1, lambda v: 1 / v, len])),
    lambda rng: sl.Query("own", rng.choice(PLAIN), smallest_size=rng.choice([0, 1, 2])),
    lambda rng: rng.choice([None, "mean", 3, MagicMock(), Rude(), sl.Change(1), int, sl]),
]
STANDARD = [
    sl.COUNT,
    sl.SUM,
    sl.MEAN,
    sl.MEDIAN,
    sl.MIN,
    sl.MAX,
    sl.VARIANCE,
    sl.STD,
    sl.count_distinct,
]


def function(rng):
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(STANDARD)
    if kind < 0.6:
        return rng.choice(PLAIN)
    if kind < 0.75:
        return rng.choice(MADE)(rng)
    made = rng.choice(PLAIN)
    spoilers = [rng.choice(SPOILERS) for _ in range(rng.choice([1, 1, 2]))]
    for spoil in spoilers:
        made = spoil(made, rng)
    return Noisy(made) if noise in spoilers else made


# --- what else a call takes ----------------------------------------------------------------


def universe(rng):
    if rng.random() < 0.03:
        return rng.choice([None, [1, 2], MagicMock(), Rude(), sl.Universe])
    make = rng.choice([sl.Universe.population, sl.Universe.value_range])
    held = [small(rng) for _ in range(rng.randint(3, 6))] if rng.random() < 0.5 else records(rng)
    return make(held)


def size(rng):
    if rng.random() < 0.85:
        return rng.randint(0, 4)
    ends = sorted([rng.choice([0, 1, 2, 3, 10**9, 10**12]), rng.choice([1, 2, 3, 4, 10**12])])
    return rng.choice([range(*ends), range(*ends), list(range(3)), 10**12, number(rng)])


def relation(rng):
    if rng.random() < 0.04:
        return rng.choice([None, sl.Change, "Change", MagicMock(), Rude(), 1])
    kind = rng.choice([sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change])
    return kind(rng.choice([1, 1, 2, 3]) if rng.random() < 0.95 else number(rng))


def relations(rng):
    asked = [relation(rng) for _ in range(rng.choice([0, 1, 1, 2]))]
    return rng.choice([list, list, tuple, iter])(asked or [sl.Change(1)] * (rng.random() < 0.7))


def rarely(rng, **options):
    """Some of the options, each seldom, from lists or makers."""
    chosen = {key: made for key, made in options.items() if rng.random() < 0.08}
    return {key: made(rng) if callable(made) else rng.choice(made) for key, made in chosen.items()}


def bounds(rng):
    if rng.random() < 0.75:
        return rng.choice([(0, 9), (-4, 9), (-9, 9.5), (-1, 3.5), (0, 1e-3), (2, 2)])
    return rng.choice([(number(rng), number(rng)), records(rng), number(rng)])


def claim(rng):
    return rng.choice([
        number, lambda rng: 1, lambda rng: 1, lambda rng: 2.5, lambda rng: lambda size: 9 - size, small, lambda rng: lambda k: k, lambda rng: lambda size, k: number(rng),
        lambda rng: lambda n: n, lambda rng: lambda: 1, lambda rng: lambda **rest: 2, lambda rng: float,
    ])(rng)  # fmt: skip


OPTIONS = {
    "norm": [0, 1, 2, math.inf, 3, np.float64(2), "2"],
    "method": ["auto", "walk", "sweep", "solver", "search", None, ["walk"]],
    "max_datasets": [1, 10, 1000, 0, 2.5, None],
    "progress": [False, None, 0],
}


def ask_global(rng):
    given = {"size": size(rng), "relation": relation(rng), **rarely(rng, **OPTIONS)}
    asked = function(rng)
    return partial(sl.global_sensitivity, asked, universe(rng), **given), of(asked, is_right)


def place_and_dataset(rng):
    """A universe, and a dataset that mostly lies in it."""
    place = universe(rng)
    if isinstance(place, sl.Universe) and rng.random() < 0.8:
        return place, list(place.values[: rng.randint(0, 3)])
    return place, records(rng)


def ask_local(rng):
    place, dataset = place_and_dataset(rng)
    asked = function(rng)
    given = {"relation": relation(rng), **rarely(rng, **OPTIONS)}
    return partial(sl.local_sensitivity, asked, dataset, place, **given), of(asked, checks)


def ask_table(rng):
    columns = {name: universe(rng) for name in rng.choice(["a", "a", "ab"])}
    if rng.random() < 0.1:
        columns = rng.choice([{**columns, "b": 1}, universe(rng), None])
    given = {"size": size(rng), "relations": relations(rng), **rarely(rng, **OPTIONS)}
    make = rng.choice([sl.sweep, partial(sl.compare, **rarely(rng, bounds=bounds))])
    plot = rng.choice([None, None, sl.plot_sweep if make is sl.sweep else sl.plot_compare])

    queries = [function(rng) for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 2]))]

    def call():
        table = make(queries, columns, **given)
        return table if plot is None or table.empty else plot(table)

    return call, anything


def ask_audit(rng):
    given = {"sizes": size(rng)}
    if rng.random() < 0.2:
        given = {"sizes_within": rng.choice([range(1, 4), range(4), size(rng)])}
    given |= {"relations": relations(rng), "trials": 30, **rarely(rng, **OPTIONS)}
    given |= rarely(
        rng, order=[None, "any", "kept", 3], output_metric=[lambda a, b: 0, lambda a, b: -1, len]
    )
    given |= rarely(rng, seed=number, trials=number)
    asked = function(rng)
    return partial(sl.audit, asked, claim(rng), universe(rng), **given), of(asked, is_shown)


def ask_map_audit(rng):
    inputs = [records(rng, endless=False) for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 4]))]
    given = {"distances": rng.choice([[1, 2], [1, 2], [3], records(rng)])}
    apart = number(rng)
    given["input_metric"] = rng.choice([
        sl.symmetric_distance, sl.symmetric_distance, lambda a, b: abs(len(a) - len(b)),
        lambda a, b: 0 if a is b else apart, lambda a, b: 1,
    ])  # fmt: skip
    given["output_metric"] = rng.choice([lambda a, b: abs(a - b), lambda a, b: 0])
    asked = function(rng)
    return partial(
        sl.audit_map, asked, rng.choice([1, lambda d: d, claim(rng)]), inputs, **given
    ), of(asked, is_shown)


def ask_closed(rng):
    given = {"bounds": bounds(rng), "relation": relation(rng)}
    given |= {
        rng.choice(["size", "min_size"]): size(rng),
        **rarely(rng, norm=OPTIONS["norm"], values=number),
    }
    return partial(sl.closed_form, standard(rng), **given), anything


def standard(rng):
    """Mostly a query with a formula."""
    made = rng.choice([*STANDARD, sl.quantile(0.25), sl.variance(ddof=1), sl.histogram([0, 2, 5])])
    return made if rng.random() < 0.8 else function(rng)


def dataset_in_bounds(rng):
    if rng.random() < 0.5:
        return [small(rng) for _ in range(rng.randint(0, 6))], rng.choice([(-4, 9), (-4.5, 10)])
    return records(rng), bounds(rng)


def ask_smooth(rng):
    dataset, within = dataset_in_bounds(rng)
    given = {"bounds": within, "beta": rng.choice([1, 0.1, number(rng)])}
    return partial(sl.smooth_sensitivity, standard(rng), dataset, **given), is_smooth


def ask_distance(rng):
    dataset, within = dataset_in_bounds(rng)
    given = {"bounds": within, "distance": rng.choice([0, 1, number(rng)])}
    return partial(sl.sensitivity_at_distance, standard(rng), dataset, **given), anything


def ask_distances(rng):
    return partial(
        rng.choice([sl.symmetric_distance, sl.change_one_distance]), records(rng), records(rng)
    ), anything


def ask_universe(rng):
    place = universe(rng)
    method = rng.choice(
        ["count", "copies", "datasets", "indices", "checked_size", "count_at_least"]
    )
    extra = [number(rng)] if method == "count_at_least" else []
    argument = records(rng) if method == "indices" else size(rng)

    def call():
        found = getattr(place, method)(argument, *extra)
        return next(iter(found), None) if method == "datasets" else found

    return (call if isinstance(place, sl.Universe) else partial(repr, 1)), anything


def ask_breaking(rng):
    given = rarely(
        rng,
        dtype=[float, np.int8, "f2", "M8", "x", None],
        outside=[True, np.array([1, 2])],
        missing=[True],
    )
    return partial(sl.breaking_values, bounds(rng), **given), anything


ASKED = [
    ask_global, ask_global, ask_global, ask_local, ask_local, ask_table, ask_audit, ask_audit, ask_map_audit,
    ask_closed, ask_smooth, ask_distance, ask_distances, ask_universe, ask_breaking,
]  # fmt: skip


# --- what comes back -----------------------------------------------------------------------


def of(function, judge):
    """The judge of a function's answers; of one with noise in it they need only be shown."""
    return anything if type(function) is Noisy else judge


def anything(found):
    """Shown without an error; Python itself shows no int of over 4,300 digits."""
    if not isinstance(found, (int, Fraction, tuple)):
        assert isinstance(repr(found), str)


def checks(found):
    """Its witness, asked again, has its value."""
    anything(found)
    found._repr_html_()
    try:
        assert found.check()
    except ValueError as error:
        if not (is_spoken(error) and isinstance(error, sl.TooLarge)):
            raise
        assert largest(found.size) + found.relation.k > 20_000_000


def is_smooth(found):
    """Shown, and its pair has its distance."""
    anything(found)
    found._repr_html_()
    assert found.check()


def largest(size):
    return max(size) if isinstance(size, range) else size


def is_right(found):
    """The widest gap of all pairs, found by plain loops over what the universe holds."""
    checks(found)
    places = range(len(found.universe.values))
    pool = found.universe
    if pool.unlimited:
        held = [10**9 for _ in places]
    else:
        exact = [None if r is None else exact_number(r) for r in pool.sorted_records.tolist()]
        held = [exact.count(value) for value in pool.exact_values]
    sizes = found.size if isinstance(found.size, range) else [found.size]
    if len(places) > 5 or len(sizes) > 5 or max(sizes) + found.relation.k > 6:
        return
    within = found.size if isinstance(found.size, range) else range(10**6)
    least = found.query.smallest_size or 0
    sets = {
        n: [
            m
            for m in itertools.combinations_with_replacement(places, n)
            if all(m.count(i) <= held[i] for i in set(m))
        ]
        for n in range(least, max(sizes) + found.relation.k + 1)
    }
    if sum(map(len, sets.values())) > 150:
        return

    @cache
    def answer(m):
        return answer_of(found.query, tuple(pool.values[i] for i in m))

    widest = 0
    for n in sizes:
        for x, y in itertools.product(sets.get(n, []), itertools.chain(*sets.values())):
            asked = len(y) in within and moved(x, y) in found.relation.moves
            if asked and None not in (answer(x), answer(y)):
                widest = max(widest, apart(answer(x), answer(y), found.norm))
    value, widest = exact_number(found.value), exact_number(widest)
    assert abs(value - widest) <= abs(widest) * Fraction(1, 10**9)


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


def moved(x, y):
    gone = sum(max(x.count(i) - y.count(i), 0) for i in set(x))
    joined = sum(max(y.count(i) - x.count(i), 0) for i in set(y))
    return gone, joined


def apart(a, b, norm):
    if norm == 0:
        return sum(key not in a or key not in b or a[key] != b[key] for key in {*a, *b})
    steps = [abs(a.get(key, 0) - b.get(key, 0)) for key in {*a, *b}]
    if norm == 2 and len(steps) > 1:
        return math.sqrt(sum(Fraction(step) ** 2 for step in steps))
    return max(steps, default=0) if norm == math.inf else sum(steps)


def is_shown(found):
    anything(found)
    found._repr_html_()
    found.to_frame()
    assert found.check()


def is_spoken(error):
    """Whether the package itself raised it, in its own words, and at no great length."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    module = frame.f_globals.get("__name__", "")
    source = linecache.getline(frame.f_code.co_filename, line)
    own = module.startswith("sensitivity_lab") and source.lstrip().startswith("raise")
    return own and isinstance(error, (TypeError, ValueError)) and len(str(error)) < LONGEST_MESSAGE


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


def one_call(seed):
    """What is wrong with one call, as text; nothing where all is well."""
    rng = random.Random(seed)
    ask = rng.choice(ASKED)
    try:
        with time_limit(LONGEST), memory_limit(MEMORY), np.errstate(all="ignore"):
            return asked_and_judged(ask, rng)
    except Late:
        return f"{ask.__name__}: took longer than {LONGEST} s"
    finally:
        plt.close("all")


def asked_and_judged(ask, rng):
    try:
        call, judge = ask(rng)
        found = call()
    except Exception as error:
        return None if is_spoken(error) else f"{ask.__name__}: {short(error)}"
    try:
        judge(found)
    except Exception as error:
        return f"{ask.__name__}, judged: {short(error)}"
    return None


def short(error):
    try:
        return f"{type(error).__name__}: {error!s:.300}"
    except Exception:
        return type(error).__name__


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::UserWarning", "ignore::FutureWarning"
)
def test_what_is_nearly_right_is_answered_rightly_or_refused_in_words(seed):
    """Catches a wrong number, a bare error, a hang, and memory without a budget."""
    asked = range(seed * 10**6, seed * 10**6 + CASES)
    assert {case: fault for case in asked if (fault := one_call(case))} == {}
