"""Queries that weigh the sorted records by rank:
closed forms and solvers, each against a second route.

`SOLVER_CASES=n` asks n random questions instead of the usual number.
"""

import os
import random
from itertools import combinations

import numpy as np
import pytest
from conftest import MONOTONE, SPREADS
from conftest import STANDARD as RELATIONS
from sensitivity_book.theory.research import layouts

import sensitivity_lab as sl
from sensitivity_lab.proved.ranks.one_dataset import widest_and_narrowest
from sensitivity_lab.proved.sorted_records import Pool, SortedRecords

CASES = int(os.environ.get("SOLVER_CASES", "40"))
RANKS = [*MONOTONE[1:], sl.RANGE]  # without the count
# --- on an interval ------------------------------------------------------------------------------


@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_with_at_least_m_records_no_known_size_has_a_wider_range(family):
    """Catches a larger size that was not asked about; some known size attains the value."""
    for least in (1, 5):
        for k in (1, 3):
            asked = {"bounds": (0, 1), "relation": family(k)}
            form = sl.closed_form(sl.RANGE, min_size=least, **asked)
            sizes = sl.closed_form(sl.RANGE, size=range(least, least + 22 + 2 * k), **asked)
            assert (form.value, form.status) == (sizes.value, "exact"), (least, k)
            assert min(map(len, form.witness)) >= least
            assert abs(sl.RANGE(form.witness[0]) - sl.RANGE(form.witness[1])) == form.value


def test_a_size_of_a_million_million_needs_no_list():
    """Catches work in proportion to the size, where the weights have few steps."""
    values = sl.Universe.value_range(range(101))
    for query in RANKS:
        ask = {"size": 10**12, "relation": sl.Change(3)}
        form = sl.closed_form(query, bounds=(0, 100), **ask)
        assert sl.global_sensitivity(query, values, **ask).value == form.value


# --- on a population -----------------------------------------------------------------------------


@pytest.mark.parametrize("query", RANKS, ids=str)
def test_every_share_of_a_population_equals_a_brute_force(query):
    """Catches a layout that the shifts or the range's runs pass over: all 4^m are tried."""
    rng = random.Random(f"shares {query}")
    for _ in range(CASES // 20):
        records = tuple(sorted(rng.choices(range(rng.choice([3, 9, 100])), k=rng.randint(3, 6))))
        d = query.proved.on_population(SortedRecords.of(sl.Universe.population(records)), 1)
        for (c, a, b), widest in layouts.widest(query, records).items():
            if min(c + a, c + b) < query.smallest_size:
                continue
            pair = d(c, a, b)  # the range says nothing where the gap is not positive
            assert pair.gap == widest or (query is sl.RANGE and pair.gap <= widest <= 0)
            answers = [query(side) for side in pair.pair()]
            assert answers[0] - answers[1] == pair.gap
            assert [*map(len, pair.pair())] == [c + a, c + b]
            runs = [*pair.common, *pair.removed, *pair.added]
            held = [i for start, stop in runs for i in range(start, stop)]
            assert len(held) == len(set(held)) == a + b + c


@pytest.mark.parametrize("query", MONOTONE[1:], ids=str)
def test_of_sixty_records_some_of_the_shared_are_low_and_the_others_high(query):
    """Catches a turn at another rank: there are many, and room to move."""
    rng = random.Random(f"sixty {query}")
    for _ in range(CASES):
        records = sorted(rng.choices(range(99), k=60))
        c, a, b = rng.randint(5, 20), rng.randint(0, 4), rng.randint(0, 4)
        d = query.proved.on_population(SortedRecords.of(sl.Universe.population(records)), 1)
        between = records[b : 60 - a]
        shared = [between[:low] + between[len(between) - (c - low) :] for low in range(c + 1)]
        gaps = [query(part + records[60 - a :]) - query(records[:b] + part) for part in shared]
        assert d(c, a, b).gap == max(gaps)


@pytest.mark.parametrize("query", [*SPREADS[:2], sl.MEAN, *RANKS[4:]], ids=str)
@pytest.mark.parametrize("factor", [2**20, 2**25, 2**50, 2**90])
def test_records_that_are_scaled_have_a_gap_that_is(query, factor):
    """Catches sums and squares that wrap: in 64 bits, in two halves of 31 bits,
    and as Python ints."""
    plain = np.random.default_rng(3).integers(0, 1000, 40).tolist()
    for relation in (sl.Change(2), sl.AddRemove(1)):
        ask = {"size": 20, "relation": relation, "method": "solver"}
        small, large = (
            sl.global_sensitivity(query, sl.Universe.population(records), **ask)
            for records in (plain, [(record + 7) * factor for record in plain])
        )
        assert large.value == small.value * factor ** (2 if query is sl.VARIANCE else 1)
        assert large.check()


# --- of one dataset ------------------------------------------------------------------------------


def neighbours_of(pool, removed, added):
    """Every neighbour by a move, with what changes, the highest first,
    each own record before spare ones."""
    own, spare = pool.own.tolist(), pool.spare.tolist()
    places = sorted(
        [(at, 0, i) for i, at in enumerate(own)] + [(at, 1, i) for i, at in enumerate(spare)]
    )
    leave = [place for place in places if not place[1]]
    join = [place for place in places if place[1]]
    for gone in combinations(leave, removed):
        for new in combinations(join, added):
            stay = [place for place in leave if place not in gone]
            yield tuple(sorted(at for at, *_ in [*stay, *new])), sorted([*gone, *new], reverse=True)


@pytest.mark.parametrize("seed", range(4))
def test_the_widest_and_the_narrowest_neighbour_equal_a_brute_force(seed):
    """Catches an end that is not kept, a window that is not tried,
    and another one of equal ones."""
    rng = random.Random(f"one dataset {seed}")
    for _ in range(2 * CASES):
        records = rng.choices([*range(rng.choice([2, 4, 30])), *[2**70] * (seed == 3)], k=7)
        universe = sl.Universe.population(records)
        if rng.random() < 0.5:
            universe = sl.Universe.value_range(records[:3])
        size, added = rng.randint(1, 4), rng.randint(0, 3)
        datasets = [*universe.datasets(size)]
        dataset = universe.indices(rng.choice(datasets))
        pool = Pool(universe, dataset, added)
        removed = rng.randint(0, size)
        if size - removed + added < 2 or added > len(pool.spare):
            continue
        every = [*neighbours_of(pool, removed, added)]
        x = universe.scaled[0]
        for sign, found in zip((-1, 1), widest_and_narrowest(pool, (removed, added)), strict=True):
            best = min(
                every, key=lambda one: (sign * (int(x[one[0][-1]]) - int(x[one[0][0]])), one[1])
            )
            assert found == best[0]
