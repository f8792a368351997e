"""The walk beside every other route, and random questions, for the tests of what is proved."""

import copy
import dataclasses
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import sensitivity_lab as sl
from sensitivity_lab.proved.family import Interval
from sensitivity_lab.proved.ranks import Quantile
from sensitivity_lab.proved.scatter import Variance

# Queries that have closed forms, each with the norms it is asked in.
PREDICATE = sl.count_where(lambda value: value > 0)
HISTOGRAM = sl.histogram([-3, -2, 0, 2, 5])  # all intervals reach two bins
FORMULAS = [
    *((query, 1) for query in (sl.COUNT, PREDICATE, sl.SUM, sl.MEAN, sl.MIN, sl.MAX, sl.MEDIAN)),
    *((sl.quantile(q), 1) for q in (0.1, 0.25, Fraction(2, 3))),
    *((query, 1) for query in (sl.VARIANCE, sl.variance(ddof=1), sl.STD, sl.std(ddof=1))),
    *((HISTOGRAM, norm) for norm in (1, 2, math.inf)),
    (sl.count_distinct, 1),
    (sl.RANGE, 1),
]


def clip(x):
    return min(max(x, 0), 1)


def whole_range(end):
    return range(int(end))


def letters(query, n, k, low, high, values):
    """What every letter in a text stands for, written out from what the page says of it."""
    R, proved = Fraction(high - low), query.proved
    q, d = getattr(proved, "q", 0), getattr(proved, "ddof", 0)
    least = query.smallest_size
    moves = [(r, j) for r in range(n + 1) for j in range(k - r + 1) if n - r + j >= least]
    mixes = [(a, b) for b in range(k // 2 + 1) for a in range(max(b, 1), k - b + 1)]
    n, k = Fraction(n), Fraction(k)

    def s(c):
        return Fraction(math.floor(c / 2) * math.ceil(c / 2)) / c

    def v(N):
        i = min(k, math.floor(N / 2))
        return i * (N - i) / (N * (N - d))

    def g(c, a, b):
        t, delta = q * (c + a - 1) + 1, q * a + (1 - q) * b
        return max(clip(t - x) - clip(t - x - delta) for x in range(int(c) + 1))

    def largest(gaps):
        return max(gaps) * (R if isinstance(proved, Quantile) else 1)

    def D(c, a, b):
        gap = proved.on_interval(Interval(low, high), norm=1)(int(c), a, b).gap
        return float(gap) if query.root else gap

    meanings = {"n": n, "m": n, "k": k, "R": R, "L": low, "U": high, "q": q, "d": d, "g": g, "D": D}
    meanings |= {"moves": moves, "mixes": mixes, "largest": largest}
    meanings |= {"ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt}
    meanings |= {"__builtins__": {"max": max, "min": min, "abs": abs, "range": whole_range}}
    meanings |= {
        "v": (values if R else 1) if query is sl.count_distinct else v,
        "w": lambda c: s(c) / (c - d) - s(c) / (c + k - d),
        "u": lambda c: math.sqrt(s(c) / (c - d)) - math.sqrt(s(c) / (c + k - d)),
        "root_v": lambda N: math.sqrt(v(N)),
    }
    if isinstance(proved, Variance):
        half = n // 2
        meanings["h"] = Fraction(1, 4) if d == 0 else half * (n - half) / (n * (n - d))
    return meanings


def random_histogram(rng, universe):
    """Edges at, between and beyond the records; most leave some record in no bin."""
    values = universe.exact_values
    pool = [*values, values[0] - 1, values[-1] + 1, rng.choice(values) + 1, 2**63, -(2**63)]
    edges = sorted(set(rng.sample(pool, min(rng.randint(2, 4), len(set(pool))))))
    return sl.histogram(edges if len(edges) > 1 else [edges[0], edges[0] + 1])


def records_of_a_type(rng, most):
    """A few records of an integer type: its ends and their neighbours, halves, or any."""
    info = np.iinfo(f"{rng.choice(['int', 'uint'])}{rng.choice([8, 16, 32, 64])}")
    low, high = int(info.min), int(info.max)
    ends = [low, low + 1, low // 2, 0, 1, high // 2, high // 2 + 1, high - 1, high]
    picks = [rng.choice([*ends, rng.randint(low, high)]) for _ in range(rng.randint(1, most))]
    return np.array(picks, dtype=info.dtype)


def random_records(rng, most):
    """Ties, outliers, offsets, fractions, decimals, the edges of 64 bits and beyond."""
    if rng.random() < 0.2:
        return records_of_a_type(rng, most)
    spread = rng.choice([1, 2, 4, 9, 30])
    records = [rng.randint(-spread, spread) for _ in range(rng.randint(1, most))]
    if rng.random() < 0.3:
        records[0] = rng.choice([-1000, 60, 10**9, -(10**9), -(2**63), 2**64 - 1, 10**18])
    offset, unit = rng.choice(
        [*[(0, 1)] * 4, (0, 3), (0, 0.1), (1e8, 0.1), (2**63, 1), (10**25, 1), (0, Decimal(8))]
    )
    if isinstance(unit, float):
        return [round(offset + record / 10, 1) for record in records]
    if isinstance(unit, Decimal):
        return [record / unit for record in records]
    return [offset + Fraction(record, unit) for record in records]


def random_universe(rng, most=7):
    """A population of random records; now and then a range."""
    records = random_records(rng, most)
    if rng.random() < 0.25:
        return sl.Universe.value_range(records[:4])
    return sl.Universe.population(records)


def agree(query, universe, asked, relation, norm=1, methods=("solver",)):
    """Hold the methods to the walk, and each witness to its value; whether any of them answers.

    `asked` is a size, or a dataset for its local sensitivity.
    """
    local = isinstance(asked, tuple)
    size = len(asked) if local else asked
    if size < (query.smallest_size or 0):
        return False

    def ask(method):
        given = {"relation": relation, "norm": norm, "method": method}
        if local:
            return sl.local_sensitivity(query, asked, universe, **given)
        return sl.global_sensitivity(query, universe, size=size, **given)

    try:
        walked = ask("walk")
    except sl.Infeasible:
        return False
    answered = 0
    for method in methods:
        try:
            found = ask(method)
        except sl.NotProved:
            continue
        case = method, query.name, universe, asked, relation, norm
        assert found.value == walked.value, case
        assert found.check(), case
        assert len(found.witness[0]) == size, case
        assert not local or found.witness[0] == asked, case
        answered += 1
    return answered > 0


def travels(results):
    """Whether results of two runs are equal by content, and what a pool or a copy makes of them."""
    for found, again in results:
        for other in (again, pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert other == found, found
            assert hash(other) == hash(found), found
        if isinstance(found, sl.Sensitivity):
            assert found == dataclasses.replace(found, witness=found.witness)
            assert found != dataclasses.replace(found, value=found.value + 1)


CHECKED = [sl.MEAN, sl.STD, sl.histogram([0, 0.5, 900]), sl.count_where(bool)]


def checks_find_what_is_false(query, records, method):
    """Hold `check` to false values, pairs and records of two results over so many records."""
    universe, half = sl.Universe.population(np.arange(records) / 4), records // 2
    ask = {"relation": sl.Change(1), "method": method}
    local = sl.local_sensitivity(query, universe.values[:half], universe, **ask)
    for found in (sl.global_sensitivity(query, universe, size=half, **ask), local):
        assert found.check()
        assert not dataclasses.replace(found, value=found.value + 1).check()
        assert not dataclasses.replace(found, witness=(found.witness[0],) * 2).check()
        dataset, neighbour = found.witness
        apart = tuple(sorted(set(universe.values) - set(dataset)))
        far = abs(query(dataset) - query(apart)) if query is sl.MEAN else found.value
        assert not dataclasses.replace(found, witness=(dataset, apart), value=far).check()
        with pytest.raises(ValueError, match=r"values of the universe, got 0\.1"):
            dataclasses.replace(found, witness=(dataset, (*neighbour[1:], 0.1))).check()
