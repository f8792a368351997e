"""What is proved of a sum and a count by group, against brute force over labelled records.

`GROUP_CASES=n` asks of n random populations, and of n random ranges, instead of the usual number.
"""

import math
import os
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import chain, combinations_with_replacement, product

import numpy as np
import pytest

import sensitivity_lab as sl
from sensitivity_lab.definition import population_pairs, range_pairs
from sensitivity_lab.numbers.exact import RootGap
from sensitivity_lab.proved.entries.bins import Histogram
from sensitivity_lab.proved.entries.groups import GroupedSum
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import shares, widest

CASES = int(os.environ.get("GROUP_CASES", "60"))
NORMS = [0, 1, 2, math.inf]
RELATIONS = [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]


# -- the other route: records are pairs (group, value), an answer is a dictionary ----------------


def answer(name, dataset):
    """SELECT g, SUM(v) … GROUP BY g, or COUNT(*)."""
    entries = {}
    for group, value in dataset:
        entries[group] = entries.get(group, 0) + (value if name == "sum" else 1)
    return entries


def distances(one, other):
    """How far two answers are apart in every norm; its square in L2."""
    steps = [abs(one.get(g, 0) - other.get(g, 0)) for g in {*one, *other}]
    return {
        0: sum(step != 0 for step in steps),
        1: sum(steps),
        2: sum(step * step for step in steps),
        math.inf: max(steps, default=0),
    }


def furthest(pairs_of_answers):
    """The largest distance of several pairs of answers, by norm."""
    found = dict.fromkeys(NORMS, 0)
    for one, other in pairs_of_answers:
        for norm, apart in distances(one, other).items():
            found[norm] = max(found[norm], apart)
    return found


def furthest_of_population(name, records):
    """By (c, a, b): every record is shared, on one side, on the other, or unused."""
    pairs = {}
    for roles in product("CAB-", repeat=len(records)):
        dataset = [record for record, role in zip(records, roles, strict=True) if role in "CA"]
        neighbour = [record for record, role in zip(records, roles, strict=True) if role in "CB"]
        share = roles.count("C"), roles.count("A"), roles.count("B")
        pairs.setdefault(share, []).append((answer(name, dataset), answer(name, neighbour)))
    return {share: furthest(found) for share, found in pairs.items()}


def furthest_of_range(name, values, most):
    """By (c, a, b) with c ≤ 1 and a, b ≤ most: every multiset of every size."""
    found = {}
    answered = cache(lambda dataset: answer(name, dataset))
    for c, a, b in product(range(2), range(most + 1), range(most + 1)):
        sides = product(*(combinations_with_replacement(values, size) for size in (c, a, b)))
        found[c, a, b] = furthest(
            (answered(shared + mine), answered(shared + theirs)) for shared, mine, theirs in sides
        )
    return found


# -- questions ------------------------------------------------------------------------------------


def random_groups(rng, most_groups, most_values):
    """Lists of values by group: ties, zeros, negative values, fractions, values of one sign."""
    low, high = rng.choice([(-3, 3), (0, 2), (-4, -1), (1, 5), (0, 0), (-1, 1), (-9, 60)])
    unit = rng.choice([1, 1, 2, 6])
    return [
        sorted(Fraction(rng.randint(low, high), unit) for _ in range(rng.randint(1, most_values)))
        for _ in range(rng.randint(1, most_groups))
    ]


def asked_of(rng, groups):
    """What is asked, and of which groups: a count is the sum of records that are all 1."""
    name = rng.choice(["sum", "sum", "count"])
    return name, groups if name == "sum" else [[1] * len(values) for values in groups]


def as_population(groups):
    """Records (group, value) in order, as `SortedRecords` of their places, and the groups' runs."""
    records = [(name, value) for name, values in enumerate(groups) for value in values]
    scale = math.lcm(*(Fraction(value).denominator for _, value in records))
    whole = [int(value * scale) for _, value in records]
    fits = all(abs(number) < 2**63 for number in whole)
    array = np.array(whole, dtype=np.int64 if fits else object)
    stops = np.cumsum([len(values) for values in groups]).tolist()
    runs = list(zip([0, *stops[:-1]], stops, strict=True))
    return records, SortedRecords(np.arange(len(records)), array, scale), runs


def as_number(gap):
    """A gap as the brute force has it: the square of a root."""
    if not isinstance(gap, RootGap):
        return gap
    assert gap.smaller == 0
    return gap.larger


def assert_has_its_gap(name, found, pair, norm):
    assert distances(*(answer(name, side) for side in pair))[norm] == as_number(found.gap)


def test_a_population_agrees_with_every_choice_of_labelled_records():
    """Catches a wrong extreme within a group, a wrong split, a side that is not fully placed."""
    rng = random.Random(1)
    for case in range(CASES):
        groups = random_groups(rng, most_groups=4, most_values=rng.choice([1, 2, 4]))
        most = 6 if case % 10 == 0 else 5
        while sum(map(len, groups)) > most:
            groups.remove(max(groups, key=len))
        name, groups = asked_of(rng, groups)
        records, by_group, runs = as_population(groups)
        for share, expected in furthest_of_population(name, records).items():
            for norm in NORMS:
                found = GroupedSum().on_groups(by_group, runs, norm)(*share)
                assert as_number(found.gap) == expected[norm], (name, groups, share, norm)
                places = found.pair()
                c, a, b = share
                assert (len(places[0]), len(places[1])) == (c + a, c + b)
                assert len({*places[0]} & {*places[1]}) == c
                assert len({*places[0], *places[1]}) == a + b + c
                pair = [[records[place] for place in side] for side in places]
                assert_has_its_gap(name, found, pair, norm)


def test_a_range_agrees_with_every_multiset():
    """Catches an end that does not matter, a zero taken for a difference, one side too few."""
    rng = random.Random(2)
    for _ in range(CASES):
        name, groups = asked_of(rng, random_groups(rng, 3, most_values=rng.choice([1, 2, 3])))
        values = sorted({(g, value) for g, held in enumerate(groups) for value in held})
        ends = [(held[0], held[-1]) for held in groups]
        most = 4 if len(values) < 4 else 3 if len(values) < 6 else 2
        for share, expected in furthest_of_range(name, values, most).items():
            for norm in NORMS:
                found = GroupedSum().on_group_values(ends, norm)(*share)
                assert as_number(found.gap) == expected[norm], (name, groups, share, norm)
                c, a, b = share
                pair = found.pair()
                assert (len(pair[0]), len(pair[1])) == (c + a, c + b)
                assert (Counter(pair[0]) & Counter(pair[1])).total() >= c
                assert {*pair[0], *pair[1]} <= {*values}
                assert_has_its_gap(name, found, pair, norm)


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_on_a_population(relation):
    """Catches a share asked from one side only, or a move with too few records left."""
    rng = random.Random(3)
    asked = 0
    for _ in range(CASES):
        name, groups = asked_of(rng, random_groups(rng, most_groups=3, most_values=2))
        records, by_group, runs = as_population(groups)
        size, k, m = rng.randint(0, len(records)), rng.randint(1, 3), len(records)
        moves = [(size, r, j) for r, j in relation(k).moves if r <= size and size + j <= m]
        if not moves:
            continue
        pairs = population_pairs(records, size, relation.__name__, k)
        expected = furthest((answer(name, x), answer(name, y)) for x, y in pairs)
        for norm in NORMS:
            d = GroupedSum().on_groups(by_group, runs, norm)
            found = widest(d, shares(moves))
            assert as_number(found.gap) == expected[norm], (name, groups, size, k, norm)
            asked += 1
    assert asked > CASES


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_on_a_range(relation):
    """Catches a widest share whose two sides have records in common, under "exactly k"."""
    rng = random.Random(4)
    asked = 0
    for _ in range(CASES // 2):
        name, groups = asked_of(rng, random_groups(rng, most_groups=2, most_values=2))
        values = sorted({(g, value) for g, held in enumerate(groups) for value in held})
        size, k = rng.randint(0, 2), rng.randint(1, 2)
        moves = [(size, r, j) for r, j in relation(k).moves if r <= size]
        if not moves:
            continue
        pairs = range_pairs(values, size, relation.__name__, k)
        expected = furthest((answer(name, x), answer(name, y)) for x, y in pairs)
        for norm in NORMS:
            d = GroupedSum().on_group_values([(held[0], held[-1]) for held in groups], norm)
            found = widest(d, shares(moves))
            assert as_number(found.gap) == expected[norm], (name, groups, size, k, norm)
            asked += 1
    assert asked > CASES // 2


# -- many groups: nothing is left out, and whole numbers of any length stay exact -----------------


def furthest_apart(values, x, y):
    """The widest difference of the sums of x and y records of one group, None if it has fewer."""
    if x + y > len(values):
        return None
    falling = values[::-1]
    return max(sum(falling[:x]) - sum(values[:y]), sum(falling[:y]) - sum(values[:x]))


def without_leaving_out(groups, a, b, norm):
    """The best split of a and b, group after group, with every group and every split of it."""

    @cache
    def best(place, a, b):
        if place == len(groups):
            return 0 if a == b == 0 else None
        found = []
        for x, y in product(range(a + 1), range(b + 1)):
            apart, rest = furthest_apart(groups[place], x, y), best(place + 1, a - x, b - y)
            if apart is not None and rest is not None:
                score = {0: int(apart != 0), 1: apart, 2: apart**2, math.inf: apart}[norm]
                found.append(max(score, rest) if norm == math.inf else score + rest)
        return max(found, default=None)

    return best(0, a, b)


def test_the_groups_left_out_are_not_needed():
    """Catches too few groups kept for a split: many groups with equal or nearly equal sums."""
    rng = random.Random(5)
    for _ in range(CASES // 3):
        spread = rng.choice([0, 1, 3, 50])
        groups = [
            sorted(rng.randint(-spread, spread) + rng.choice([0, 2]) for _ in range(size))
            for size in rng.choices([1, 2, 3, 6], k=rng.randint(2, 14))
        ]
        _, by_group, runs = as_population(groups)
        total = sum(map(len, groups))
        for norm in NORMS:
            d = GroupedSum().on_groups(by_group, runs, norm)
            for a, b in [(1, 0), (2, 2), (0, 4), (5, 1), (3, 3)]:
                if a + b <= total:
                    expected = without_leaving_out(groups, a, b, norm)
                    assert as_number(d(0, a, b).gap) == expected, (groups, a, b, norm)


def test_a_range_is_a_population_with_enough_copies():
    """Catches a group that is passed over on a range: many groups, none best for every split."""
    rng = random.Random(7)
    for _ in range(CASES // 2):
        groups = [sorted(rng.choices(range(-9, 10), k=2)) for _ in range(rng.randint(1, 12))]
        _, by_group, runs = as_population([[low] * 6 + [high] * 6 for low, high in groups])
        for norm, (a, b) in product(NORMS, [(1, 0), (2, 2), (3, 1), (1, 4), (3, 3), (0, 6)]):
            found = GroupedSum().on_group_values(groups, norm)(2, a, b)
            assert found.gap == GroupedSum().on_groups(by_group, runs, norm)(0, a, b).gap


@pytest.mark.parametrize("unit", [1, 2**40, 2**61, 2**63 - 1, 10**30])
def test_whole_numbers_of_any_length_stay_exact(unit):
    """Catches sums that overflow: the largest record is inside, where groups meet."""
    large = [[0, 1, 5 * unit // 7, unit - 1, unit], [-unit, -unit + 2, -1, 0], [1, 2, 3]]
    groups = [sorted(values) for values in large]
    _, by_group, runs = as_population(groups)
    for norm, (a, b) in product(NORMS, [(1, 0), (2, 2), (4, 1), (6, 6), (0, 12)]):
        found = GroupedSum().on_groups(by_group, runs, norm)(0, a, b)
        assert as_number(found.gap) == without_leaving_out(groups, a, b, norm)


def test_groups_may_be_an_array_and_values_be_unsorted_across_groups():
    """Catches a population of many small groups that only lists of pairs can describe."""
    numbers = np.arange(2000)[::-1].copy()
    runs = np.column_stack([np.arange(2000), np.arange(1, 2001)])
    found = GroupedSum().on_groups(SortedRecords(numbers, numbers, 1), runs, 1)(1000, 2, 1)
    assert found.gap == 1999 + 1998 + 1997
    assert tuple(map(len, found.pair())) == (1002, 1001)


def test_all_records_have_a_place_where_that_gains_nothing():
    """Catches a side that is cut short: one group, values that are 0 or cancel."""
    sums = GroupedSum().on_group_values([(5, 5)], 0)
    assert [sums(0, 2, 2).gap, sums(0, 2, 1).gap, sums(3, 0, 2).gap] == [0, 1, 1]
    beside_zero = GroupedSum().on_group_values([(0, 0), (5, 5)], 0)
    assert [beside_zero(0, 2, 2).gap, beside_zero(0, 0, 9).gap] == [1, 1]
    assert GroupedSum().on_group_values([(0, 0)], 1)(1, 3, 2).gap == 0
    _, records, runs = as_population([[1, 2, 9]])
    assert GroupedSum().on_groups(records, runs, 1)(0, 1, 2).gap == 2 + 9 - 1
    assert GroupedSum().on_groups(records, runs, 1)(0, 2, 1).gap == 2 + 9 - 1
    assert GroupedSum().on_groups(records, runs, 1)(3, 0, 0).gap == 0


def test_a_count_by_group_is_a_histogram_whose_bins_are_the_groups():
    """Catches a count that differs from the histogram's, which is proved and coded elsewhere."""
    rng = random.Random(6)
    for _ in range(CASES):
        sizes = rng.choices(range(1, 5), k=rng.randint(2, 4))
        groups = [[1] * size for size in sizes]
        _, records, runs = as_population(groups)
        bins = list(chain.from_iterable([g] * size for g, size in enumerate(sizes)))
        by_bin = SortedRecords(np.arange(len(bins)), np.array(bins), 1)
        histogram = Histogram(tuple(range(len(sizes) + 1)))
        for norm in NORMS[1:]:
            counted = GroupedSum().on_groups(records, runs, norm)
            binned = histogram.on_population(by_bin, norm)
            reached = GroupedSum().on_group_values([(1, 1)] * len(sizes), norm)
            all_bins = histogram.on_values(range(len(sizes)), norm)
            for a, b in product(range(5), repeat=2):
                assert reached(1, a, b).gap == all_bins(1, a, b).gap
                if a + b <= len(bins):
                    assert counted(0, a, b).gap == binned(0, a, b).gap
