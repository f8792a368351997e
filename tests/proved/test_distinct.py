"""The number of distinct values against enumeration: populations, ranges, one dataset, at a distance."""

import os
import random
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from conftest import STANDARD as RELATIONS

import sensitivity_lab as sl
from sensitivity_lab.proved import distinct
from sensitivity_lab.proved.distinct import OnPopulation
from sensitivity_lab.proved.pool import Pool
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import records_in

CASES = int(os.environ.get("SOLVER_CASES", "16"))
LARGEST_OF_ALL = int(os.environ.get("SOLVER_RECORDS", "2"))
MOST_SPLIT = 5 + LARGEST_OF_ALL  # records of the populations whose every share is asked


def copies_of(records, most=None):
    """Every way in which so many records can be copies of values, the most copies first."""
    if not records:
        yield ()
    for first in range(min(records, most or records), 0, -1):
        for rest in copies_of(records - first, first):
            yield (first, *rest)


def widest_shares(copies):
    """D of every share: value after value, with every number of its records in C, A and B."""
    best = {(0, 0, 0): 0}
    for m in copies:
        reached = {}
        for share, gap in best.items():
            for c, a, b in product(range(m + 1), repeat=3):
                if c + a + b <= m:
                    key = share[0] + c, share[1] + a, share[2] + b
                    total = gap + (c + a > 0) - (c + b > 0)
                    reached[key] = max(reached.get(key, total), total)
        best = reached
    return best


@pytest.mark.parametrize("records", range(1, MOST_SPLIT + 1))
def test_every_share_of_every_small_population(records):
    """Catches too many values for C ∪ B, copies that A and B both need, a run of the wrong records."""
    for copies in copies_of(records):
        shuffled = [value for value, times in enumerate(copies) for _ in range(times)]
        random.Random(records).shuffle(shuffled)
        find = OnPopulation(SortedRecords.of(sl.Universe.population(shuffled)))
        for share, expected in widest_shares(copies).items():
            pair = find(*share)
            assert pair.gap == expected, (copies, share)
            parts = (pair.common, pair.removed, pair.added)
            assert tuple(map(records_in, parts)) == share
            held = [i for part in parts for start, stop in part for i in range(start, stop)]
            assert len(set(held)) == len(held)
            assert len(set(pair.pair()[0])) - len(set(pair.pair()[1])) == expected


def test_a_copy_that_both_sides_need_is_counted_once():
    """Catches a gap of 1: B fills two of the three pairs, so A cannot have their values, too."""
    find = OnPopulation(SortedRecords.of(sl.Universe.population([0, 0, 1, 1, 2, 2])))
    assert find(1, 2, 3).gap == 0
    ask = {"size": 4, "relation": sl.SymmetricDifference(5)}
    universe = sl.Universe.population([0, 0, 1, 1, 2, 2])
    values = [
        sl.global_sensitivity(sl.count_distinct, universe, method=method, **ask).value
        for method in ("solver", "walk")
    ]
    assert values[0] == values[1]


def random_universe(rng, most=8):
    """Few values of many copies, or many of few."""
    highest = rng.choice([1, 2, 4, 9])
    records = [rng.randint(0, highest) for _ in range(rng.randint(1, most))]
    if rng.random() < 0.3:
        records = [rng.choice([10**18, 2**63, 0.1, Fraction(1, 3)]) + n for n in records]
    make = sl.Universe.value_range if rng.random() < 0.25 else sl.Universe.population
    return make(records[:4] if make == sl.Universe.value_range else records)


def agrees(universe, relation, size=None, dataset=None):
    """Hold the solver to the walk, and its witness to the question; False where none is feasible."""
    ask = {"universe": universe, "relation": relation}
    asked = sl.global_sensitivity if dataset is None else sl.local_sensitivity
    ask |= {"size": size} if dataset is None else {"dataset": dataset}
    try:
        found = asked(sl.count_distinct, method="solver", **ask)
    except sl.Infeasible:
        return False
    walked = asked(sl.count_distinct, method="walk", **ask)
    assert found.value == walked.value, (universe, relation, size, dataset)
    assert found.check(), (universe, relation, size, dataset)
    assert len(found.witness[0]) == (size if dataset is None else len(dataset))
    return True


@pytest.mark.parametrize("seed", range(3))
def test_random_universes_equal_the_walk(seed):
    """Catches a share that is answered wrongly, and a witness outside the universe."""
    rng = random.Random(f"distinct {seed}")
    solved = 0
    for _ in range(CASES):
        universe = random_universe(rng)
        size = rng.randint(0, 4 if universe.unlimited else universe.records)
        solved += agrees(universe, rng.choice(RELATIONS)(rng.randint(1, 5)), size)
    assert solved > CASES // 2


@pytest.mark.parametrize("seed", range(3))
def test_one_dataset_equals_the_walk(seed):
    """Catches a value that vanishes although what joins needs it, and a new one too many."""
    rng = random.Random(f"one dataset {seed}")
    solved = 0
    for _ in range(CASES):
        universe = random_universe(rng)
        most = 4 if universe.unlimited else universe.records
        dataset = rng.choice(list(universe.datasets(rng.randint(0, most))))
        relation = rng.choice(RELATIONS)(rng.randint(1, 5))
        solved += agrees(universe, relation, dataset=dataset)
    assert solved > CASES // 3


@pytest.mark.parametrize("records", range(1, LARGEST_OF_ALL + 1))
def test_every_small_universe(records):
    """Every universe over {0, …, 4} with so many records, every size, dataset, relation and k."""
    for values in combinations_with_replacement(range(5), records):
        universe = sl.Universe.population(values)
        for family, size, k in product(RELATIONS, range(records + 1), range(1, 5)):
            agrees(universe, family(k), size)
            for dataset in universe.datasets(size):
                agrees(universe, family(k), dataset=dataset)


def fewest_by_trial(held, free, r, j):
    """The fewest values that are left: every choice of what leaves and what joins."""
    best = {(0, 0): 0}
    for own, spare in zip(held, free, strict=True):
        reached = {}
        for (out, into), values in best.items():
            for x, y in product(range(min(own, r - out) + 1), range(min(spare, j - into) + 1)):
                total = values + (own - x + y > 0)
                key = out + x, into + y
                reached[key] = min(reached.get(key, total), total)
        best = reached
    return best[r, j]


def test_what_vanishes_leaves_room_for_what_joins():
    """Catches a choice of what vanishes that leaves too few spare copies, or one new value too many.

    The dataset has values of few copies, of which there are many spare ones.
    """
    rng = random.Random("vanish")
    tables = 0
    for _ in range(CASES * 5):
        v = rng.randint(1, 6)
        held = [rng.choice([0, 1, 1, 2, 3]) for _ in range(v)]
        free = [rng.choice([0, 0, 1, 2, 5]) for _ in range(v)]
        universe = sl.Universe.population(
            [i for i, (own, spare) in enumerate(zip(held, free, strict=True)) for _ in range(own + spare)] or [0]
        )  # fmt: skip
        values = [i for i in range(v) if held[i] + free[i]]
        if not values or not sum(held):
            continue
        held, free = [held[i] for i in values], [free[i] for i in values]
        r, j = rng.randint(0, sum(held)), rng.randint(0, sum(free))
        dataset = tuple(i for i, own in enumerate(held) for _ in range(own))
        pool = Pool(universe, dataset, most_added=j)
        found = distinct.fewest_values(pool, r, j)
        assert len(found) == sum(held) - r + j
        assert len(set(found)) == fewest_by_trial(held, free, r, j), (held, free, r, j)
        greedy = sorted(zip(held, free, strict=True))
        tables += sum(spare for _, spare in greedy[:r]) > sum(free) - j
    assert tables > CASES // 2


def test_a_table_that_is_too_large_is_not_made(monkeypatch):
    """Catches a question that fills the memory: it is left to the walk."""
    monkeypatch.setattr(distinct, "MOST_CELLS", 1)
    universe = sl.Universe.population([0, 0, 0, 1, 1, 1, 2])
    ask = {"universe": universe, "relation": sl.SymmetricDifference(5)}
    with pytest.raises(sl.NotProved):
        sl.local_sensitivity(sl.count_distinct, (0, 1, 2), method="solver", **ask)
    assert sl.local_sensitivity(sl.count_distinct, (0, 1, 2), **ask).method == "walk"


@pytest.mark.parametrize(
    "records",
    [
        np.array([-(2**63), 2**63 - 1, 0, 0], dtype=np.int64),
        np.array([0, 2**64 - 1, 2**64 - 1, 2**63], dtype=np.uint64),
        [2**63, -(2**63), 2**64, 2**64],
        np.array([0, 255, 255, 1], dtype=np.uint8),
        [2**53, 2**53 + 1, 0.5, 0.5],
    ],
    ids=["int64", "uint64", "beyond", "uint8", "halves"],
)
def test_values_at_the_edges_of_their_types(records):
    """Catches two values that are one as floats."""
    universe = sl.Universe.population(records)
    for family, size in product(RELATIONS, range(5)):
        agrees(universe, family(2), size)


def test_a_search_of_a_few_hundred_records_finds_no_more():
    """Catches a solver that is too small where nothing can be enumerated."""
    rng = np.random.default_rng(5)
    for values in (40, 150):
        universe = sl.Universe.population(rng.integers(0, values, 300))
        for relation in (sl.Change(8), sl.SymmetricDifference(6)):
            ask = {"sizes": 12, "relations": [relation], "trials": 300}
            solved = sl.global_sensitivity(
                sl.count_distinct, universe, size=12, relation=relation, method="solver"
            ).value
            searched = sl.audit(sl.count_distinct, 1, universe, method="search", **ask)
            assert searched.worst.found <= solved


def test_at_a_distance_it_is_one_wherever_it_can_move():
    """Catches a dataset of copies, of different values or of one record that is told a wrong number."""
    for size in range(1, 4):
        for dataset in combinations_with_replacement([0, Fraction(1, 2), 1, 4], size):
            for bounds in ((0, 4), (-1, 5)):
                smooth = sl.smooth_sensitivity(sl.count_distinct, dataset, bounds=bounds, beta=1)
                assert smooth.value == smooth.local == (size > 1)
                assert smooth.check()
    same = sl.smooth_sensitivity(sl.count_distinct, (2, 2), bounds=(2, 2), beta=1)
    assert (same.value, same.check()) == (0, True)


NAMED = {
    "text": ["no", "yes", "yes", "on"],
    "pairs": [(1, "a"), (1, "a"), (2, "a"), (1, "b")],
    "text beside a pair": ["no", ("no",), ("no",), b"no"],
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("kind", [sl.Universe.population, sl.Universe.value_range])
def test_records_that_are_no_numbers_are_told_apart(name, kind):
    """Catches text that is refused, and records whose numbers are mixed up when they are shown."""
    universe = kind(NAMED[name])
    for family, size in product(RELATIONS, range(4)):
        agrees(universe, family(2), size)
        for dataset in list(universe.datasets(size))[:5]:
            agrees(universe, family(2), dataset=dataset)


@pytest.mark.parametrize("column", ["name", "pay"])
def test_a_column_of_names_is_counted(column):
    """Catches a column of text that must be numbers, and a row that is shown for another."""
    rows = pd.DataFrame({"name": ["x", "y", "x", "z", "y"], "pay": [1, 2, 2, 5, 1]})
    universe, query = sl.Universe.population(rows), sl.count_distinct.of(column)
    for family, size in product(RELATIONS, range(5)):
        ask = {"size": size, "relation": family(2)}
        try:
            values = [
                (found := sl.global_sensitivity(query, universe, method=method, **ask)).value
                for method in ("solver", "walk", "sweep")
            ]
        except sl.Infeasible:
            continue
        assert len(set(values)) == 1
        assert found.check()
    assert query(rows) == 3
    assert sl.count_distinct.of(str.lower)(("no", "NO", "on")) == 2


def test_what_is_missing_is_not_counted_as_a_value():
    """Catches a null that is one value more: SQL leaves it out, so it is refused."""
    rows = pd.DataFrame({"name": ["x", None, "z"]})
    with pytest.raises(TypeError, match="must be there, got None"):
        sl.global_sensitivity(
            sl.count_distinct.of("name"),
            sl.Universe.population(rows),
            size=1,
            relation=sl.Change(1),
        )


def test_numbers_are_told_apart_by_how_large_they_are():
    """Catches a float and a fraction of one number that count as two."""
    assert sl.count_distinct((0.1, Fraction(1, 10), np.float32(0.1), 1, 1.0, True)) == 2
