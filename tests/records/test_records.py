"""Records that are text, dates, tuples, objects or rows: every answer is held to labelled records."""

import datetime
import math
import random
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import combinations

import oracle_rows
import pandas as pd
import pytest
import test_rows as of_rows
from conftest import CHECK_ALL, SEED

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


SCALARS = (weights, mean_weight, ratio, different, len)


class Pool:
    """Records of any kind, which functions receive as tuples."""

    functions, vector, cases = SCALARS, staticmethod(how_often), 120

    def __init__(self, kind):
        self.records = POOLS[kind]

    def drawn(self, rng, most):
        others = rng.choices(self.records, k=rng.randint(0, most - 1))
        return [self.records[0], *others]

    def made(self, records):
        return list(records)

    def forms(self, records):
        """A dataset as a caller may give it."""
        return [list(records)]

    def asked(self, function):
        return function

    def read(self, dataset):
        return dataset

    def is_like(self, side, given):
        return isinstance(side, tuple)


class Table:
    """Rows as dicts, which functions receive as tables of a library."""

    functions, vector, cases = of_rows.SCALARS, staticmethod(of_rows.by_department), 36

    def __init__(self, library):
        self.made = of_rows.LIBRARIES[library]
        self.records = of_rows.some_rows(random.Random(8), 5)

    def drawn(self, rng, most):
        return of_rows.some_rows(rng, most)

    def forms(self, records):
        tuples = [tuple(row.values()) for row in records]
        return [tuples, *(make(records) for make in of_rows.LIBRARIES.values())]

    def asked(self, function):
        return partial(of_rows.of_table, function)

    def read(self, dataset):
        rows = dataset if isinstance(dataset, list) else of_rows.dicts(dataset)
        return [{name: of_rows.plain(cell) for name, cell in row.items()} for row in rows]

    def is_like(self, side, given):
        return type(side) is type(given) and of_rows.schema(side) == of_rows.schema(given)


KINDS = {name: partial(Pool, name) for name in POOLS} | {
    name: partial(Table, name) for name in of_rows.LIBRARIES
}


def shown(records):
    """A dataset whatever its order: sets cannot be sorted, nor can None beside text."""
    return tuple(sorted(map(repr, records)))


def held_to(want, kind, records, given, ask):
    """The value, and a witness that the brute force has, too; or that there is nothing to compare."""
    if want is None:
        with pytest.raises(sl.Infeasible):
            ask()
        return
    found = ask()
    assert (found.value, found.check()) == (want.value, True)
    pairs = {tuple(shown(records[i] for i in side) for side in pair) for pair in want.pairs}
    assert tuple(shown(kind.read(side)) for side in found.witness) in pairs
    assert all(kind.is_like(side, given) for side in found.witness)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("make", ["population", "value_range"])
def test_any_records(name, make):
    """Catches a record lost, doubled or misplaced, copies that run out, a dtype that does not return."""
    rng, kind = random.Random(name + make), KINDS[name]()
    of_range = make == "value_range"
    for turn in range(kind.cases // (2 if of_range else 1)):
        drawn = kind.drawn(rng, 3 if of_range else 4)
        given, records = kind.made(drawn), kind.read(drawn)
        size, relation, k = rng.randint(0, 2), rng.choice(oracle_rows.RELATIONS), rng.randint(1, 2)
        size = size if of_range else min(size, len(records))
        if rng.random() < 0.2:
            size = range(size, (size if of_range else min(len(records) - 1, size)) + 2)
        function, norm = rng.choice(kind.functions), 1
        if rng.random() < 0.4:
            function, norm = kind.vector, rng.choice((1, 2, math.inf))
        if of_range:
            records = [one for i, one in enumerate(records) if one not in records[:i]]
            pairs = oracle_rows.of_range(len(records), size, relation, k)
        else:
            pairs = oracle_rows.of_population(len(records), size, relation, k)
        methods = METHODS if norm != 2 else METHODS[:2]
        one = rng.choice(methods)
        if turn % 3 != SEED % 3 and not CHECK_ALL:
            continue
        want = oracle_rows.greatest(oracle_rows.asked_of(function, records), pairs, norm)
        universe = getattr(sl.Universe, make)(given)
        ask = {"size": size, "relation": getattr(sl, relation)(k), "norm": norm}
        asked = partial(sl.global_sensitivity, kind.asked(function), universe, **ask)
        for method in methods if isinstance(kind, Pool) else [one]:
            held_to(want, kind, records, given, partial(asked, method=method))


@pytest.mark.parametrize("name", KINDS)
def test_one_dataset_of_any_records(name):
    """Catches a neighbour missed, and a dataset found in its universe's order and library alone."""
    rng, kind = random.Random(name + "local"), KINDS[name]()
    for _ in range(kind.cases // 2):
        drawn = kind.drawn(rng, 4)
        given, records = kind.made(drawn), kind.read(drawn)
        relation, k = rng.choice(oracle_rows.RELATIONS), rng.randint(1, 2)
        labels = rng.sample(range(len(records)), rng.randint(0, min(3, len(records))))
        here = shown(records[label] for label in labels)
        pairs = oracle_rows.of_population(len(records), len(labels), relation, k)
        pairs = [pair for pair in pairs if shown(records[label] for label in pair[0]) == here]
        function = rng.choice(kind.functions)
        want = oracle_rows.greatest(oracle_rows.asked_of(function, records), pairs)
        universe = sl.Universe.population(given)
        forms = kind.forms([drawn[label] for label in labels])
        assert len({universe.indices(dataset) for dataset in forms}) == 1
        for dataset in forms:
            query, one = kind.asked(function), getattr(sl, relation)(k)
            asked = partial(sl.local_sensitivity, query, dataset, universe, relation=one)
            held_to(want, kind, records, given, asked)


@pytest.mark.parametrize("kind", POOLS)
def test_datasets_and_neighbours_are_listed(kind):
    """Catches a dataset listed twice, left out, or with more copies than there are."""
    records = [*POOLS[kind], POOLS[kind][0], POOLS[kind][-1]]
    universe, relation = sl.Universe.population(records), sl.SymmetricDifference(1)
    for size in range(4):
        every = {shown(chosen) for chosen in combinations(records, size)}
        assert sorted(map(shown, universe.datasets(size))) == sorted(every)
        assert universe.count(size) == len(every)
    pairs = oracle_rows.of_population(len(records), 2, "SymmetricDifference", 1)
    dataset = records[:2]
    neighbours = {shown(records[i] for i in y) for x, y in pairs if x == (0, 1)}
    listed = list(relation.neighbours(dataset, universe))
    assert sorted(map(shown, listed)) == sorted(neighbours)
    assert relation.count_neighbours(dataset, universe) == len(neighbours)
    assert all(relation.are_neighbours(dataset, near) for near in listed)
    assert not relation.are_neighbours(dataset, [*dataset, *records[:2]])


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
