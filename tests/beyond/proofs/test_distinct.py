"""The number of distinct values against enumeration, and at a distance from one dataset."""

import os
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pandas as pd
import pytest
from conftest import STANDARD as RELATIONS
from routes import agree
from sensitivity_beyond.proofs import distinct
from sensitivity_beyond.proofs.distinct import DistinctOnPopulation
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords, peak
from sensitivity_book.theory.research import layouts

import sensitivity_lab as sl
from sensitivity_lab.proved.worst_pair import records_in

CASES = int(os.environ.get("SOLVER_CASES", "16"))


@pytest.mark.parametrize("records", range(1, 8))
def test_every_share_of_every_small_population(records):
    """Catches too many values for C ∪ B, copies that A and B both need, a run of wrong records."""
    every_value = combinations_with_replacement(range(records), records)
    for copies in {tuple(sorted(Counter(values).values())) for values in every_value}:
        shuffled = [value for value, times in enumerate(copies) for _ in range(times)]
        every = layouts.widest(sl.count_distinct, tuple(shuffled))
        random.Random(records).shuffle(shuffled)
        find = DistinctOnPopulation(SortedRecords.of(sl.Universe.population(shuffled)))
        for share, expected in every.items():
            pair = find(*share)
            assert pair.gap == expected, (copies, share)
            parts = (pair.common, pair.removed, pair.added)
            assert tuple(map(records_in, parts)) == share
            held = [i for part in parts for start, stop in part for i in range(start, stop)]
            assert len(set(held)) == len(held)
            assert len(set(pair.pair()[0])) - len(set(pair.pair()[1])) == expected


def test_what_vanishes_leaves_room_for_what_joins():
    """Catches a choice that leaves too few spare copies, or one new value too many."""
    rng = random.Random("vanish")
    tables = 0
    for _ in range(CASES * 4):
        few, many = [0, 1, 1, 2, 3], [0, 0, 1, 2, 5]
        held, free = (rng.choices(times, k=6) for times in (few, many))
        own, spare = ([i for i, n in enumerate(of) for _ in range(n)] for of in (held, free))
        r, j = rng.randint(0, min(6, len(own))), rng.randint(0, min(5, len(spare)))
        universe = sl.Universe.population([*own, *spare, 6])
        found = distinct.fewest_values(Pool(universe, universe.indices(own), most_added=j), r, j)
        stays = {frozenset(some) for some in combinations(own, len(own) - r)}
        joins = {frozenset(some) for some in combinations([*spare, 6], j)}
        assert len(found) == len(own) - r + j
        fewest = min(len(stay | join) for stay, join in product(stays, joins))
        assert len({*found}) == fewest, (held, free, r, j)
        greedy = sorted((n, more) for n, more in zip(held, free, strict=True) if n)
        tables += sum(more for _, more in greedy[:r]) > len(spare) - j
    assert tables > CASES // 2


def test_a_table_that_is_too_large_is_not_made(monkeypatch):
    """Catches a question that fills the memory: it is left to the walk."""
    monkeypatch.setattr(distinct, "MOST_CELLS", 1)
    universe = sl.Universe.population([0, 0, 0, 1, 1, 1, 2])
    ask = {"universe": universe, "relation": sl.SymmetricDifference(5)}
    with pytest.raises(sl.NotProved):
        sl.local_sensitivity(sl.count_distinct, (0, 1, 2), method="solver", **ask)
    assert sl.local_sensitivity(sl.count_distinct, (0, 1, 2), **ask).method == "walk"


def test_at_a_distance_it_is_one_wherever_it_can_move():
    """Catches a dataset of copies, of different values or of one record told a wrong number."""
    for dataset in ((0,), (1, 1), (0, Fraction(1, 2), 4), (4, 4, 4)):
        for bounds in ((0, 4), (-1, 5)):
            smooth = sl.smooth_sensitivity(sl.count_distinct, dataset, bounds=bounds, beta=1)
            assert smooth.value == smooth.local == (len(dataset) > 1)
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
    for family, size in product(RELATIONS, range(3)):
        for asked in (size, *list(universe.datasets(size))[:3]):
            agree(sl.count_distinct, universe, asked, family(2))


@pytest.mark.parametrize("column", ["name", "pay"])
def test_a_column_of_names_is_counted(column):
    """Catches a column of text that must be numbers, and a row that is shown for another."""
    rows = pd.DataFrame({"name": ["x", "y", "x", "z", "y"], "pay": [1, 2, 2, 5, 1]})
    universe, query = sl.Universe.population(rows), sl.count_distinct.of(column)
    for family, size in product(RELATIONS, range(5)):
        agree(query, universe, size, family(2), methods=("solver", "sweep"))
    assert query(rows) == 3
    assert sl.count_distinct.of(str.lower)(("no", "NO", "on")) == 2


@pytest.mark.parametrize("n", range(1, 9))
def test_a_peak_is_found_wherever_it_stands(n):
    """Catches a bisection that steps over the top, or takes the last of equals."""
    for top, flat in product(range(n), (0, 1)):
        heights = [i - top if i < top else min(top + flat - i, 0) for i in range(n)]
        assert peak(heights.__getitem__, 0, n - 1) == top
