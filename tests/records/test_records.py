"""Records that are text, dates, tuples or objects: every answer is held to labelled records."""

import datetime
import math
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import combinations, pairwise

import oracle_rows
import pandas as pd
import pytest

import sensitivity_lab as sl

METHODS = ("auto", "walk", "sweep")


@dataclass(frozen=True)
class Visit:
    """A record with no order of its own."""

    place: str
    days: int


class Colour(Enum):
    """Records with neither order nor number."""

    RED = 1
    BLUE = 2
    GREEN = 3


POOLS = {
    "text": ["no", "yes", "perhaps", "", "Ω"],
    "dates": [datetime.date(2024, 1, day) for day in (1, 2, 9, 30)],
    "moments": [datetime.datetime(2024, 1, 1, h, tzinfo=datetime.UTC) for h in (0, 5, 6, 23)],
    "tuples": [("law", 3), ("law", 5), ("art", 3), ("art", 0)],
    "objects": [Visit("sea", 2), Visit("sea", 9), Visit("hill", 1), Visit("hill", 4)],
    "members": list(Colour),
    "text and none": ["no", None, "yes", "perhaps"],
    "tuples with none": [("law", None), ("law", 3), (None, None), ("art", 1)],
    "bytes": [b"a", b"bcd", b""],
    "sets": [frozenset(), frozenset({1}), frozenset({1, 2}), frozenset({3})],
}


def weight(record):
    """A whole number that tells most records from each other, whatever they are."""
    return 0 if record is None else sum(map(ord, repr(record))) % 11


def weights(records):
    return sum(map(weight, records))


def mean_weight(records):
    return Fraction(weights(records), len(records)) if records else Fraction(-1)


def how_often(records):
    """For each of three remainders, how many."""
    return tuple(sum(weight(record) % 3 == i for record in records) for i in range(3))


def ratio(records):
    return Fraction(weights(records), 1 + sum(weight(record) % 2 for record in records))


def different(records):
    return len(set(records))


def order_of(records):
    """Tells the order in which the records are given."""
    return sum(i * weight(record) for i, record in enumerate(records))


SCALARS = (weights, mean_weight, ratio, different, len)


def relation_of(name, k):
    return getattr(sl, name)(k)


def shown(records):
    """A dataset whatever its order: sets cannot be sorted, nor can None beside text."""
    return tuple(sorted(map(repr, records)))


def assert_right(found, want, record_of):
    """The value, and a witness that the brute force has, too."""
    assert found.value == want.value
    assert found.check()
    pairs = {tuple(shown(map(record_of, side)) for side in pair) for pair in want.pairs}
    assert tuple(map(shown, found.witness)) in pairs


def a_case(rng, pool, most=5):
    """A few records, a size, a relation and its k."""
    records = [pool[0], *(rng.choice(pool) for _ in range(rng.randint(0, most - 1)))]
    size = rng.randint(0, min(3, len(records)))
    if rng.random() < 0.2:
        size = range(size, min(len(records), size + 2) + 1)
    return records, size, rng.choice(oracle_rows.RELATIONS), rng.randint(1, 2)


def asked(want, function, universe, **ask):
    """Ask; where the brute force finds nothing to compare, the package must say so."""
    if want is not None:
        return sl.global_sensitivity(function, universe, **ask)
    with pytest.raises(sl.Infeasible):
        sl.global_sensitivity(function, universe, **ask)
    return None


@pytest.mark.parametrize("kind", POOLS)
def test_a_population_of_any_records(kind):
    """Catches a record lost, doubled or misplaced, and a method that differs from another."""
    rng = random.Random(kind)
    for _ in range(250):
        records, size, name, k = a_case(rng, POOLS[kind])
        function, norm = rng.choice(SCALARS), 1
        if rng.random() < 0.4:
            function, norm = how_often, rng.choice((1, 2, math.inf))
        pairs = oracle_rows.of_population(len(records), size, name, k)
        answer = oracle_rows.asked_of(function, records)
        want = oracle_rows.greatest(answer, pairs, norm)
        universe = sl.Universe.population(records)
        methods = METHODS if norm != 2 else METHODS[:2]
        for method in methods:
            ask = {"size": size, "relation": relation_of(name, k), "norm": norm, "method": method}
            found = asked(want, function, universe, **ask)
            if found is not None:
                assert_right(found, want, records.__getitem__)


@pytest.mark.parametrize("kind", POOLS)
def test_a_range_of_any_records(kind):
    """Catches copies that run out, and a kind that is named twice and counted twice."""
    rng = random.Random(kind + "range")
    for _ in range(150):
        records, _, name, k = a_case(rng, POOLS[kind], most=3)
        size = rng.choice((0, 1, 2, range(0, 3), range(1, 3)))
        kinds = list(dict.fromkeys(records))
        function = rng.choice(SCALARS)
        pairs = oracle_rows.of_range(len(kinds), size, name, k)
        answer = oracle_rows.asked_of(function, kinds)
        want = oracle_rows.greatest(answer, pairs)
        universe = sl.Universe.value_range(records)
        for method in METHODS:
            ask = {"size": size, "relation": relation_of(name, k), "method": method}
            found = asked(want, function, universe, **ask)
            if found is not None:
                assert_right(found, want, kinds.__getitem__)


@pytest.mark.parametrize("kind", POOLS)
def test_one_dataset_of_any_records(kind):
    """Catches a neighbour of one dataset missed, in whatever order the dataset is given."""
    rng = random.Random(kind + "local")
    for _ in range(150):
        records, size, name, k = a_case(rng, POOLS[kind])
        size = size if isinstance(size, int) else size[0]
        dataset = tuple(rng.sample(range(len(records)), size))
        function = rng.choice(SCALARS)
        pairs = oracle_rows.of_population(len(records), size, name, k)
        here = shown(records[label] for label in dataset)
        pairs = [pair for pair in pairs if shown(records[label] for label in pair[0]) == here]
        answer = oracle_rows.asked_of(function, records)
        want = oracle_rows.greatest(answer, pairs)
        universe = sl.Universe.population(records)
        given = [records[label] for label in dataset]
        if want is None:
            with pytest.raises(sl.Infeasible):
                sl.local_sensitivity(function, given, universe, relation=relation_of(name, k))
        else:
            found = sl.local_sensitivity(function, given, universe, relation=relation_of(name, k))
            assert_right(found, want, records.__getitem__)


@pytest.mark.parametrize("kind", POOLS)
def test_datasets_and_neighbours_are_listed(kind):
    """Catches a dataset listed twice, left out, or with more copies than there are."""
    pool = POOLS[kind]
    records = [*pool, pool[0], pool[-1]]
    universe = sl.Universe.population(records)
    for size in range(4):
        every = {shown(chosen) for chosen in combinations(records, size)}
        listed = [shown(dataset) for dataset in universe.datasets(size)]
        assert sorted(listed) == sorted(every)
        assert universe.count(size) == len(every)
    relation = sl.SymmetricDifference(1)
    dataset = records[:2]
    held, everybody = Counter(dataset), Counter(records)
    joined = [[*dataset, r] for r in everybody if held[r] < everybody[r]]
    left = [[r for j, r in enumerate(dataset) if j != i] for i in range(2)]
    neighbours = {shown(dataset), *map(shown, joined), *map(shown, left)}
    listed = [shown(n) for n in relation.neighbours(dataset, universe)]
    assert sorted(listed) == sorted(neighbours)
    assert relation.count_neighbours(dataset, universe) == len(neighbours)
    assert all(relation.are_neighbours(dataset, n) for n in joined)
    assert not relation.are_neighbours(dataset, [*dataset, pool[0], pool[1]])


def test_records_are_given_in_one_order():
    """Catches datasets that reach a function in the order in which they were enumerated."""
    for pool in POOLS.values():
        universe = sl.Universe.population(pool)
        places = {record: i for i, record in enumerate(universe.values)}
        for dataset in universe.datasets(3 if len(pool) > 2 else 2):
            found = [places[record] for record in dataset]
            assert all(a <= b for a, b in pairwise(found))
        for method in METHODS:
            ask = {"size": 2, "relation": sl.Change(1), "method": method}
            first = sl.global_sensitivity(order_of, universe, **ask)
            assert first.check()


@pytest.mark.parametrize("kind", ["text", "tuples", "objects", "text and none"])
def test_threads_give_the_same(kind):
    """Catches blocks of datasets that come back from the threads in another order."""
    universe = sl.Universe.population(POOLS[kind] * 2)
    with ThreadPoolExecutor(2) as pool:
        for function in (weights, ratio):
            ask = {"size": 3, "relation": sl.SymmetricDifference(2)}
            alone = sl.global_sensitivity(function, universe, **ask)
            assert sl.global_sensitivity(function, universe, executor=pool, **ask) == alone


@pytest.mark.parametrize("kind", POOLS)
def test_an_audit_of_records(kind):
    """Catches a verdict that the brute force does not share; a search that finds what is not there."""
    records = POOLS[kind] + POOLS[kind][:1]
    universe = sl.Universe.population(records)
    pairs = oracle_rows.of_population(len(records), 2, "SymmetricDifference", 1)
    answer = oracle_rows.asked_of(weights, records)
    want = oracle_rows.greatest(answer, pairs)
    assert want.value > 0
    ask = {"sizes": [2], "relations": [sl.SymmetricDifference(1)]}
    for claim, verdict in (
        (want.value, "exact"),
        (want.value + 1, "loose"),
        (want.value - 1, "too small"),
    ):
        (row,) = sl.audit(weights, claim, universe, **ask).rows
        assert row.verdict == verdict
    searched = sl.audit(weights, 0, universe, method="search", trials=300, **ask).rows[0]
    assert searched.found <= want.value
    assert searched.verdict == "too small"
    related = {tuple(shown(records[i] for i in side) for side in pair) for pair in pairs}
    assert tuple(map(shown, (searched.dataset, searched.neighbour))) in related


def test_numbers_are_still_numbers():
    """Catches Decimals, Fractions and truth values taken for records of another kind."""
    for numbers in ([Decimal("0.5"), 2], [True, False], [Fraction(1, 2), 1], [1, None]):
        assert sl.Universe.population(numbers).numeric
    for records in (["1", "2"], [(1,), (2,)], [1j, 2j], [None, "a"]):
        assert not sl.Universe.population(records).numeric


def test_a_clip_whose_low_end_is_no_float_still_cuts():
    """Catches a column of floats that is cut at the high end alone: 1/3 is no float."""
    universe = sl.Universe.value_range(pd.DataFrame({"a": [0.0, 0.5, 2.0]}))
    for low, high in ((Fraction(1, 3), 1), (0, Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))):
        ask = {"size": 1, "relation": sl.Change(1)}
        found = sl.global_sensitivity(sl.SUM.of("a").clipped(low, high), universe, **ask)
        assert found.value == high - low
