"""Splits over bins against one that tries every number in every bin, and against the walk."""

import math
import os
import random
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from conftest import STANDARD as RELATIONS

import sensitivity_lab as sl
from sensitivity_lab.proved.entries import splits
from sensitivity_lab.proved.entries.splits import OUTSIDE, Rooms, Splits

CASES = int(os.environ.get("SOLVER_CASES", "40"))
BINS = int(os.environ.get("SPLIT_BINS", "3"))  # bins of the rooms that are all tried
NORMS = (1, 2, math.inf)


def best_split(rooms, a, b, norm):
    """The best score: bin after bin, every number of the a and of the b that it can hold.

    A room says how many of the a, of the b and of both it holds, and whether it counts.
    """
    states = {(0, 0): 0}
    for most_a, most_b, both, counted in rooms:
        reached = {}
        for (used_a, used_b), score in states.items():
            for x in range(min(a - used_a, most_a) + 1):
                for y in range(min(b - used_b, most_b, both - x) + 1):
                    step = (x - y) ** 2 if norm == 2 else abs(x - y)
                    step = step if counted else 0
                    total = max(score, step) if norm == math.inf else score + step
                    key = used_a + x, used_b + y
                    reached[key] = max(reached.get(key, -1), total)
        states = reached
    return states[a, b]


def holds(rooms, found, a, b, norm):
    """Whether a split has all the a and b, each in a room that is large enough, and its score."""
    score, parts = found
    fits = all(x <= rooms[i].a and y <= rooms[i].b and x + y <= rooms[i].both for i, x, y in parts)
    steps = [abs(x - y) for i, x, y in parts if i != OUTSIDE] or [0]
    length = {1: sum(steps), 2: sum(step**2 for step in steps), math.inf: max(steps)}[norm]
    placed = sum(x for _, x, _ in parts) == a and sum(y for _, _, y in parts) == b
    return fits and placed and length == score and len({i for i, _, _ in parts}) == len(parts)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("bins", range(BINS + 1))
def test_every_split_of_every_small_population(bins, norm):
    """Catches a bin that matters and is left out, and a split that is passed over."""
    for sizes in combinations_with_replacement(range(5), bins):
        for outside in (0, 2):
            rooms = Rooms.shared(np.array(sizes, dtype=np.int64), outside)
            several = Splits(rooms, norm)
            told = [(s, s, s, True) for s in sizes] + [(outside, outside, outside, False)]
            m = sum(sizes) + outside
            for a, b in product(range(m + 1), repeat=2):
                if 0 < a + b <= m:
                    found = several.best(a, b)
                    assert found[0] == best_split(told, a, b, norm), (sizes, outside, a, b)
                    assert holds(rooms, found, a, b, norm), (sizes, outside, a, b)


@pytest.mark.parametrize("norm", NORMS)
def test_random_rooms_of_one_dataset(norm):
    """Catches a bin that matters for the a or for the b alone; few own records beside many spare."""
    rng = random.Random(f"rooms {norm}")
    tables = 0
    for _ in range(CASES * 4):
        own, spare = ([rng.randint(0, rng.choice([1, 3, 6])) for _ in range(5)] for _ in "ab")
        outside = rng.choice([0, 0, 2]), rng.choice([0, 0, 1])
        rooms = Rooms.of_dataset(
            np.array(own, dtype=np.int64), np.array(spare, dtype=np.int64), outside
        )
        told = [(x, y, x + y, True) for x, y in zip(own, spare, strict=True)]
        told.append((*outside, sum(outside), False))
        several = Splits(rooms, norm)
        for _ in range(3):
            a = rng.randint(0, min(7, sum(own) + outside[0]))
            b = rng.randint(0, min(7, sum(spare) + outside[1]))
            found = several.best(a, b)
            assert found[0] == best_split(told, a, b, norm), (own, spare, outside, a, b)
            assert holds(rooms, found, a, b, norm), (own, spare, outside, a, b)
            tables += several._table is not None
    assert tables > CASES


SPLITS = {
    "sizes that no choice adds up to": ([3, 3], 0, (2, 4), {1: 4, 2: 10, math.inf: 3}),
    "the larger of the two is in the smaller bin": ([9, 5], 0, (5, 9), {1: 14, 2: 106, math.inf: 9}),
    "five and three beat four and four": ([5, 4, 4], 9, (8, 0), {1: 8, 2: 34, math.inf: 5}),
    "a bin that holds nearly all": ([90, 1, 1], 3, (40, 55), {1: 22, 2: 402, math.inf: 20}),
    "nothing is counted": ([], 5, (2, 3), {1: 0, 2: 0, math.inf: 0}),
}  # fmt: skip


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SPLITS)
def test_named_splits(name, norm):
    """Catches a plausible split that is not the best: each is worked out by hand or tried in full."""
    sizes, outside, (a, b), expected = SPLITS[name]
    rooms = Rooms.shared(np.array(sizes, dtype=np.int64), outside)
    found = Splits(rooms, norm).best(a, b)
    told = [(s, s, s, True) for s in sizes] + [(outside, outside, outside, False)]
    assert found[0] == best_split(told, a, b, norm) == expected[norm]
    assert holds(rooms, found, a, b, norm)


def histograms(rng, universe):
    """Edges at, between and beyond the records; most leave some record in no bin."""
    values = universe.exact_values
    pool = [*values, values[0] - 1, values[-1] + 1, rng.choice(values) + 1, 2**63, -(2**63)]
    edges = sorted(set(rng.sample(pool, min(rng.randint(2, 4), len(set(pool))))))
    return sl.histogram(edges if len(edges) > 1 else [edges[0], edges[0] + 1])


@pytest.mark.parametrize("seed", range(3))
def test_random_histograms_equal_the_walk(seed):
    """Catches a record on an edge, one in no bin, and a k above what bins hold; globally and locally."""
    rng = random.Random(f"histograms {seed}")
    solved = 0
    for _ in range(CASES):
        highest = rng.choice([2, 5, 9])
        offset = rng.choice([0, 0, 10**18, 2**63 - 4, -(2**63)])
        universe = sl.Universe.population(
            [offset + rng.randint(0, highest) for _ in range(rng.randint(1, 8))]
        )
        query, norm = histograms(rng, universe), rng.choice(NORMS)
        relation = rng.choice(RELATIONS)(rng.randint(1, 6))
        dataset = rng.choice(list(universe.datasets(rng.randint(0, universe.records))))
        ask = {"relation": relation, "norm": norm}
        try:
            found, walked = (
                sl.global_sensitivity(query, universe, size=len(dataset), method=method, **ask)
                for method in ("solver", "walk")
            )
        except sl.Infeasible:
            continue
        assert (found.value, found.check()) == (walked.value, True), (query, universe, ask)
        found, walked = (
            sl.local_sensitivity(query, dataset, universe, method=method, **ask)
            for method in ("solver", "walk")
        )
        assert (found.value, found.check()) == (walked.value, True), (query, universe, dataset, ask)
        solved += 1
    assert solved > CASES // 2


def test_a_search_of_a_few_hundred_records_finds_no_more():
    """Catches a split that is too small where nothing can be enumerated."""
    rng = np.random.default_rng(3)
    universe = sl.Universe.population(rng.integers(0, 100, 300))
    query = sl.histogram([0, 1, 3, 4, 8, 90])
    for norm in NORMS:
        solved = sl.global_sensitivity(
            query, universe, size=150, relation=sl.Change(9), norm=norm, method="solver"
        ).value
        searched = sl.audit(
            query, 1, universe, sizes=150, relations=[sl.Change(9)], norm=norm,
            method="search", trials=200,
        )  # fmt: skip
        assert float(searched.worst.found) <= float(solved) * (1 + 1e-15)


def test_a_table_that_is_too_large_is_not_made(monkeypatch):
    """Catches a question that fills the memory: of two large bins it needs no table."""
    monkeypatch.setattr(splits, "MOST_CELLS", 100)
    few = Splits(Rooms.shared(np.array([1] * 60), 0), 2)
    assert few.best(30, 30) is None
    universe = sl.Universe.population(range(60))
    ask = {"relation": sl.Change(30), "norm": 2, "method": "solver"}
    with pytest.raises(sl.NotProved):
        sl.global_sensitivity(sl.histogram(range(61)), universe, size=30, **ask)
    with pytest.raises(sl.NotProved):
        sl.local_sensitivity(sl.histogram(range(61)), tuple(range(30)), universe, **ask)
    many = sl.global_sensitivity(sl.histogram([0, 30, 60]), universe, size=30, **ask)
    assert float(many.value) == math.sqrt(1800)


def test_a_predicate_of_one_bin_has_no_table():
    """Catches work that grows with k where all the a and none of the b can count."""
    universe = sl.Universe.population(range(100_000))
    query = sl.count_where(lambda n: n >= 50_000)
    found = sl.global_sensitivity(query, universe, size=50_000, relation=sl.Change(20_000))
    assert (found.value, found.method, found.check()) == (20_000, "solver", True)
    dataset, neighbour = found.witness
    assert list(dataset) == sorted(dataset)
    assert list(neighbour) == sorted(neighbour)


@pytest.mark.parametrize("smaller", [lambda n: n < 3, lambda n: n % 2 == 0])
def test_a_witness_of_a_predicate_is_in_ascending_order(smaller):
    """Catches records in the order of the predicate, the false ones first."""
    universe = sl.Universe.population([0, 1, 2, 3, 4, 5])
    ask = {"size": 3, "relation": sl.Change(1), "method": "solver"}
    for side in sl.global_sensitivity(sl.count_where(smaller), universe, **ask).witness:
        assert list(side) == sorted(side)
