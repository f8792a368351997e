"""Counts and sums by entry: bins, predicates and groups, against brute force and the walk.

`SOLVER_CASES=n` and `GROUP_CASES=n` ask so many random questions instead of the usual number.
"""

import math
import os
import random
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from conftest import a_third, in_turn
from sensitivity_beyond.proofs.entries import splits
from sensitivity_beyond.proofs.entries.bins import Bins
from sensitivity_beyond.proofs.entries.splits import Groups, Splits, of_population
from sensitivity_beyond.proofs.sorted_records import SortedRecords

import sensitivity_lab as sl
from sensitivity_lab.numbers.exact import RootGap

CASES = int(os.environ.get("SOLVER_CASES", "16"))
GROUP_CASES = int(os.environ.get("GROUP_CASES", "20"))
BINS = int(os.environ.get("SPLIT_BINS", "3"))  # bins of the rooms that are all tried
NORMS = [0, 1, 2, math.inf]


def length(steps, norm):
    """How long a vector is: in L2 its square, in L0 how many entries are not 0."""
    steps = [abs(step) for step in steps] or [0]
    if norm == 0:
        return sum(step != 0 for step in steps)
    return {1: sum(steps), 2: sum(step * step for step in steps), math.inf: max(steps)}[norm]


def as_number(found):
    """A gap as the brute force has it: the square of a root."""
    if not isinstance(found, RootGap):
        return found
    assert found.smaller == 0
    return found.larger


def best_of(rooms, a, b, norm):
    """The best split of a and b; a room says how far apart x and y of them are, or None."""

    @cache
    def best(place, a, b):
        if place == len(rooms):
            return 0 if a == b == 0 else None
        found = []
        for x, y in product(range(a + 1), range(b + 1)):
            apart, rest = rooms[place](x, y), best(place + 1, a - x, b - y)
            if apart is not None and rest is not None:
                score = length([apart], norm)
                found.append(max(score, rest) if norm == math.inf else score + rest)
        return max(found, default=None)

    return best(0, a, b)


def counted(most_a, most_b, both, counts):
    """A room that holds so many of the a, of the b and of both; the last counts nothing."""

    def apart(x, y):
        if x <= most_a and y <= most_b and x + y <= both:
            return (x - y) * counts
        return None

    return apart


def bins_of(rooms):
    return Bins(*(np.array(column, dtype=np.int64) for column in zip(*rooms, strict=True)))


def assert_best(rooms, several, a, b, norm):
    """The score is the best, and every one of the a and b is in a room that has it."""
    score, parts = several.best(a, b)
    kept = [counted(*room, i < len(rooms)) for i, room in enumerate(rooms, 1)]
    assert score == best_of(kept, a, b, norm), (rooms, a, b, norm)
    assert all(x <= rooms[i][0] and y <= rooms[i][1] and x + y <= rooms[i][2] for i, x, y in parts)
    assert length([x - y for i, x, y in parts if i < len(rooms) - 1], norm) == score
    assert (sum(x for _, x, _ in parts), sum(y for _, _, y in parts)) == (a, b)
    assert len({i for i, _, _ in parts}) == len(parts)


@pytest.mark.parametrize(
    ("bins", "norm"), [*product(range(BINS), NORMS), *product([BINS], in_turn(NORMS))]
)
def test_every_split_of_every_small_population(bins, norm):
    """Catches a bin that matters and is left out, and a split that is passed over."""
    for sizes in a_third([*combinations_with_replacement(range(5), bins)]):
        for outside in (0, 2):
            rooms = [(s, s, s) for s in (*sizes, outside)]
            several, m = Splits(bins_of(rooms), norm), sum(sizes) + outside
            for a, b in product(range(m + 1), repeat=2):
                if 0 < a + b <= m:
                    assert_best(rooms, several, a, b, norm)


@pytest.mark.parametrize("norm", NORMS)
def test_random_rooms(norm):
    """Catches a bin that matters for the a or the b alone; few own records beside many spare."""
    rng = random.Random(f"rooms {norm}")
    for case in range(CASES * 2):
        number, most = rng.choice([(5, 6), (5, 6), (9, 3), (14, 1)])
        own, spare = ([rng.randint(0, rng.choice([1, most])) for _ in range(number)] for _ in "ab")
        own, spare = [*own, rng.choice([0, 0, 2])], [*spare, rng.choice([0, 0, 1])]
        rooms = [(x, y, x + y) for x, y in zip(own, spare, strict=True)]
        if case % 3 == 0:
            rooms = [(x, x, x) for x in own]
        several = Splits(bins_of(rooms), norm)
        for _ in range(3):
            a = rng.randint(0, min(7, sum(own)))
            b = rng.randint(0, min(7, sum(own) - a if case % 3 == 0 else sum(spare)))
            assert_best(rooms, several, a, b, norm)


def test_a_table_that_is_too_large_is_not_made(monkeypatch):
    """Catches a question that fills the memory: of two large bins it needs no table."""
    monkeypatch.setattr(splits, "MOST_CELLS", 100)
    assert Splits(bins_of([(1, 1, 1)] * 60 + [(0, 0, 0)]), 2).best(30, 30) is None
    universe = sl.Universe.population(range(60))
    ask = {"relation": sl.Change(30), "norm": 2, "method": "solver"}
    with pytest.raises(sl.NotProved):
        sl.global_sensitivity(sl.histogram(range(61)), universe, size=30, **ask)
    with pytest.raises(sl.NotProved):
        sl.local_sensitivity(sl.histogram(range(61)), tuple(range(30)), universe, **ask)
    many = sl.global_sensitivity(sl.histogram([0, 30, 60]), universe, size=30, **ask)
    assert float(many.value) == math.sqrt(1800)


def test_a_predicate_of_one_bin_has_no_table():
    """Catches work that grows with k; a witness in the predicate's order."""
    universe = sl.Universe.population(range(20_000))
    query = sl.count_where(lambda n: n >= 10_000)
    found = sl.global_sensitivity(query, universe, size=10_000, relation=sl.Change(4_000))
    assert (found.value, found.method, found.check()) == (4_000, "solver", True)
    assert all(list(side) == sorted(side) for side in found.witness)


def sums_of(groups, norm):
    """D of a population of groups, each with its whole numbers in order."""
    numbers = [number for values in groups for number in values]
    fits = all(abs(number) < 2**63 for number in numbers)
    whole = np.array(numbers, dtype=np.int64 if fits else object)
    records = SortedRecords(np.arange(len(numbers)), whole, 1)
    stops = np.cumsum([len(values) for values in groups])
    runs = np.column_stack([[0, *stops[:-1]], stops])
    return of_population(records, Groups(records, runs), norm)


def summed(values):
    """A group: the widest difference of the sums of x and y of its records, None if fewer."""
    falling = values[::-1]

    def apart(x, y):
        if x + y <= len(values):
            return max(sum(falling[:x]) - sum(values[:y]), sum(falling[:y]) - sum(values[:x]))
        return None

    return apart


def test_the_groups_left_out_are_not_needed():
    """Catches too few groups kept for a split: many groups with equal or nearly equal sums."""
    rng = random.Random(5)
    for _ in range(GROUP_CASES // 3):
        spread = rng.choice([0, 1, 3, 50])
        groups = [
            sorted(rng.randint(-spread, spread) + rng.choice([0, 2]) for _ in range(size))
            for size in rng.choices([1, 2, 3, 6], k=rng.randint(2, 14))
        ]
        total = sum(map(len, groups))
        for norm in NORMS:
            d = sums_of(groups, norm)
            for a, b in [(1, 0), (2, 2), (0, 4), (5, 1), (3, 3)]:
                if a + b <= total:
                    expected = best_of([*map(summed, groups)], a, b, norm)
                    assert as_number(d(0, a, b).gap) == expected, (groups, a, b, norm)


@pytest.mark.parametrize("unit", [1, 2**29, 2**40, 2**61, 2**63 - 1, 10**30])
def test_whole_numbers_of_any_length_stay_exact(unit):
    """Catches sums and squares that overflow: the largest record is inside, where groups meet."""
    large = [[0, 1, 5 * unit // 7, unit - 1, unit], [-unit, -unit + 2, -1, 0], [1, 2, 3]]
    groups = [sorted(values) for values in large]
    for norm, (a, b) in product(NORMS, [(1, 0), (2, 2), (4, 1), (6, 6), (0, 12)]):
        found = sums_of(groups, norm)(0, a, b)
        assert as_number(found.gap) == best_of([*map(summed, groups)], a, b, norm)


@pytest.mark.parametrize("k", in_turn([20, 40]))
def test_counts_and_sums_by_many_groups_end_at_once(k):
    """Catches a count by group that does not end: its splits are those of a histogram."""
    codes = np.random.default_rng(1).integers(0, 50, 20_000)
    universe = sl.Universe.population(pd.DataFrame({"g": codes, "x": codes % 7}))
    for norm, value in ((0, min(2 * k, 50)), (1, 2 * k), (2, math.sqrt(2) * k), (math.inf, k)):
        ask = {"size": 5_000, "relation": sl.Change(k), "norm": norm}
        found = sl.global_sensitivity(sl.COUNT.by("g"), universe, **ask)
        assert found.method == "solver"
        assert float(found.value) == pytest.approx(value, rel=1e-15)
    found = sl.global_sensitivity(sl.SUM.of("x").by("g"), universe, **ask | {"norm": 1})
    assert found.value == 6 * 2 * k
