"""Queries that weigh the sorted records by rank: closed forms and solvers, by a second route.

`SOLVER_CASES=n` asks n random questions instead of the usual number.
"""

import os
import random
from itertools import combinations
from operator import itemgetter

import numpy as np
import pytest
import sensitivity_beyond.proofs.solver  # noqa: F401 — families register their routes
from conftest import MONOTONE, SPREADS
from sensitivity_beyond.proofs.ranks import widest_and_narrowest
from sensitivity_beyond.proofs.routes import on_population
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords
from sensitivity_book.theory.research import layouts

import sensitivity_lab as sl

CASES = int(os.environ.get("SOLVER_CASES", "40"))
RANKS = [*MONOTONE[1:], sl.RANGE]  # without the count


@pytest.mark.parametrize("query", RANKS, ids=str)
def test_every_share_of_a_population_equals_a_brute_force(query):
    """Catches a layout that the shifts or the range's runs pass over: all 4^m are tried."""
    rng = random.Random(f"shares {query}")
    for _ in range(CASES // 20):
        records = tuple(sorted(rng.choices(range(rng.choice([3, 9, 100])), k=rng.randint(3, 6))))
        d = on_population(query.proved, SortedRecords.of(sl.Universe.population(records)), 1)
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


@pytest.mark.parametrize("query", [*SPREADS[:2], sl.MEAN, *RANKS[4:]], ids=str)
@pytest.mark.parametrize("factor", [2**20, 2**25, 2**50, 2**90])
def test_records_that_are_scaled_have_a_gap_that_is(query, factor):
    """Catches sums and squares that wrap: in 64 bits, in two halves of 31, and as Python ints."""
    plain = np.random.default_rng(3).integers(0, 1000, 40).tolist()
    for relation in (sl.Change(2), sl.AddRemove(1)):
        ask = {"size": 20, "relation": relation, "method": "solver"}
        small, large = (
            sl.global_sensitivity(query, sl.Universe.population(records), **ask)
            for records in (plain, [(record + 7) * factor for record in plain])
        )
        assert large.value == small.value * factor ** (2 if query is sl.VARIANCE else 1)
        assert large.check()


def neighbours_of(pool, removed, added):
    """Every neighbour by a move, and what changes: the highest first, spare before own."""
    parts = enumerate((pool.own.tolist(), pool.spare.tolist()))
    leave, join = ([(at, kind, i) for i, at in enumerate(part)] for kind, part in parts)
    for gone in combinations(leave, removed):
        for new in combinations(join, added):
            stay = [place for place in leave if place not in gone]
            yield tuple(sorted(at for at, *_ in [*stay, *new])), sorted([*gone, *new], reverse=True)


@pytest.mark.parametrize("seed", range(4))
def test_the_widest_and_the_narrowest_neighbour_equal_a_brute_force(seed):
    """Catches an end that is not kept, a window that is not tried, and the wrong one of equals."""
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
        pair = widest_and_narrowest(None, pool, (removed, added), 1)
        for sign, found in zip((-1, 1), pair, strict=True):
            ranges = [sign * (int(x[n[-1]]) - int(x[n[0]])) for n, _ in every]
            tied = [one for one, width in zip(every, ranges, strict=True) if width == min(ranges)]
            assert found == min(tied, key=itemgetter(1))[0]


def test_a_size_of_a_million_million_needs_no_list():
    """Catches work in proportion to the size, where the weights have few steps."""
    values = sl.Universe.value_range(range(101))
    for query in RANKS:
        ask = {"size": 10**12, "relation": sl.Change(3)}
        form = sl.closed_form(query, bounds=(0, 100), **ask)
        assert sl.global_sensitivity(query, values, **ask).value == form.value
