"""The search of an audit: what it starts from, what it spends, and that what it finds is a pair."""

import math
import random
import zlib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from conftest import STANDARD, in_turn
from sensitivity_beyond.audit.boundary_values import boundary_positions
from sensitivity_beyond.audit.search import search as stages
from sensitivity_beyond.audit.search.layouts import Layout
from sensitivity_beyond.audit.search.search import SmallSteps, Trials, require_neighbours
from sensitivity_beyond.audit.subject import Subject

import sensitivity_lab as sl
from sensitivity_lab.problem import Problem

TEN = sl.Universe.value_range(range(10))
ONE_CHANGE = sl.Change(1)


def searched(function, universe, size, relation=ONE_CHANGE, **options):
    """The row of one search."""
    asked = {"method": "search", "trials": 400} | options
    return sl.audit(function, 0, universe, sizes=size, relations=[relation], **asked).rows[0]


def trials_of(query, universe, size, relation=ONE_CHANGE, most=5000):
    problem = Problem(query, universe, size, relation, norm=1)
    return Trials(problem, Subject(query, 1, None, universe), most=most)


class Logged:
    """A function that answers the sum, and remembers what it was asked about."""

    def __init__(self):
        self.asked = []

    def __call__(self, dataset):
        self.asked.append(dataset)
        return sum(dataset)


@pytest.mark.parametrize(
    ("values", "positions"),
    [
        ([7], []), (["a", "b"], []), ([1, 2, None], [0, 1, 2]), ([7, None], [0, 1]),
        ([-(10**400), 0, 5, 10**400], [0, 1, 2, 3]),
        ([*range(1000), 2**53 - 1, 2**53, 2**54], [0, 1, 1000, 1001, 1002]),
        (np.linspace(-1, 1, 101), [0, 1, 50, 51, 99, 100]),
    ],
)  # fmt: skip
def test_boundary_positions(values, positions):
    """Catches positions beside the universe; a missing record that is never tried."""
    assert boundary_positions(sl.Universe.value_range(values)) == positions


def steps_in(universe, seed=0):
    own = [np.arange(universe.distinct)]
    return SmallSteps(universe, own, boundary_positions(universe), np.random.default_rng(seed))


@pytest.mark.parametrize("trials", [1, 10, 57])
@pytest.mark.parametrize("relation", [ONE_CHANGE, sl.SymmetricDifference(2), sl.Remove(1)])
def test_a_budget_is_held(trials, relation):
    """Catches a search that asks more often than it may; six calls more are the verdict's."""
    log = Logged()
    row = searched(sl.Query("sum", log, smallest_size=0), TEN, 3, relation, trials=trials)
    assert 2 * math.ceil(0.9 * trials) <= len(log.asked) <= 2 * trials + 6
    assert row.found >= 0


def test_a_search_ends_with_its_time(monkeypatch):
    """Catches a search that never looks at the clock, or has a limit on pairs beside it."""
    clock = iter(range(10**6))
    monkeypatch.setattr(stages.time, "monotonic", lambda: next(clock))
    log, asked = Logged(), {"relations": [ONE_CHANGE], "method": "search"}
    report = sl.audit(log, 0, TEN, sizes=3, seconds=100, **asked)
    assert 100 < len(log.asked) <= 210
    assert "Search: at most 100 seconds and 10,000,000 pairs a row" in report.scope
    assert report.rows[0].verdict == "too small"
    wide = sl.Universe.value_range(range(100))
    assert searched(sl.SUM, wide, 10_000, trials=None, seconds=1e-6).found == 99


def test_the_same_seed_finds_the_same_pairs():
    """Catches a search that depends on more than its seed; a seed that changes nothing."""

    def row(**options):
        odd = lambda dataset: zlib.crc32(repr(dataset).encode()) % 1000  # noqa: E731
        return searched(odd, TEN, 4, trials=150, **options)

    assert row() == row(seed=0) == row(rng=0)
    assert row(rng=3) == row(seed=3) == row(rng=np.random.default_rng(3))
    assert len({row(seed=seed).found for seed in range(12)}) > 1


def random_question(rng):
    """A small universe, a size, a relation, and a function of no rhyme or reason, or a query."""
    values, salt = rng.choices([-3, -1, 0, 1, 2, 5, 8], k=rng.randint(1, 5)), rng.random()
    odd = sl.Query("odd", lambda x: zlib.crc32(repr((salt, x)).encode()) % 100, smallest_size=1)
    query = rng.choice([odd, sl.SUM, sl.STD, sl.MEDIAN, sl.count_distinct, sl.VARIANCE])
    if query is odd and rng.random() < 0.5:
        values = [(value, rng.randint(0, 1)) for value in values]
    universe = rng.choice([sl.Universe.population, sl.Universe.value_range])(values)
    return query, universe, rng.randint(1, 3), rng.choice(STANDARD)(rng.randint(1, 2))


def test_a_search_never_passes_enumeration():
    """Catches a pair that is none: of 40 questions none is answered beyond the exact value."""
    rng, exactly = random.Random(20), []
    for seed in range(40):
        query, universe, size, relation = random_question(rng)
        question = {"size": size, "relation": relation, "method": "walk"}
        try:
            exact = float(sl.global_sensitivity(query, universe, **question).value)
        except ValueError:  # nothing is feasible, or no dataset has so many records
            continue
        row = searched(query, universe, size, relation, trials=120, seed=seed)
        assert float(row.found) <= exact + 1e-12, (query, universe, size, relation)
        assert relation.are_neighbours(row.dataset, row.neighbour)
        for side in (row.dataset, row.neighbour):
            universe.indices(side)
        assert len(row.dataset) == size
        exactly.append(float(row.found) >= exact - 1e-12)
    assert len(exactly) > 25
    assert np.mean(exactly) > 0.9


def test_what_is_no_pair_is_refused():
    """Catches a check that lets through what the relation or the population does not have."""
    problem = trials_of(sl.SUM, sl.Universe.population([5, 6, 7, 8]), 3).problem
    require_neighbours(problem, Layout((0, 1), (2,), (3,)))
    other_move, other_size = ((0, 1), (2,), (3, 3)), ((0,), (2,), (3,))
    for none in (other_move, other_size, ((0, 0), (1,), (2,))):  # a record twice
        with pytest.raises(RuntimeError, match="no pair"):
            require_neighbours(problem, Layout(*none))
    shorter = Layout((0,), (3,), (3,))  # both have it: nothing moves
    require_neighbours(trials_of(sl.SUM, TEN, 2).problem, shorter)


@pytest.mark.parametrize("universe", [TEN, sl.Universe.population([*range(10)] * 3)])
@pytest.mark.parametrize("query", [sl.MEDIAN, sl.count_distinct])
def test_the_widest_pair_is_made_plain(universe, query):
    """Catches a witness of more values or records than it needs; a shrunk pair that is none."""
    row = searched(lambda x: x[-1], sl.Universe.value_range(range(100)), 12, trials=1000)
    assert row.found == 99
    assert (Counter(row.dataset), Counter(row.neighbour)) == ({0: 11, 99: 1}, {0: 12})
    asked = trials_of(sl.MAX, TEN, range(2, 10))
    assert asked.ask(Layout((0,) * 8, (9,), (0,))).gap == 9
    stages.shrink(asked)
    assert asked.widest().dataset == (0, 9)
    steps = steps_in(universe, seed=2)
    for _ in range(4):
        asked = trials_of(query, universe, 6, sl.SymmetricDifference(2), most=300)
        first = asked.ask(steps.random(6, (1, 1)))
        stages.shrink(asked)
        require_neighbours(asked.problem, asked.best.layout)
        assert asked.best.gap >= first.gap
        assert len(set(sum(asked.best.layout, ()))) <= len(set(sum(first.layout, ())))


INCOMES = np.rint(np.random.default_rng(1).lognormal(10, 0.8, 300)).astype(np.int64)


LARGE = in_turn([sl.Universe.population(INCOMES), sl.Universe.value_range(range(0, 100_001, 500))])


@pytest.mark.parametrize(
    ("universe", "size", "query", "relation", "trials"),
    [
        *((universe, 25, query, relation, 600) for universe in LARGE for query, relation in (
            (sl.quantile(0.25), sl.SymmetricDifference(2)), (sl.STD, sl.Change(3)),
            (sl.histogram([0, 10_000, 50_000, 100_000]), sl.Change(3)),
            (sl.count_distinct, sl.Change(5)))),
        (sl.Universe.value_range(range(1000)), 400, sl.quantile(Fraction(7, 10)), ONE_CHANGE, 60),
    ],
)  # fmt: skip
def test_a_search_reaches_the_solver(universe, size, query, relation, trials):
    """Catches a search that stops short at a thousand pairs; a quantile's step found by chance."""
    question = {"size": size, "relation": relation}
    exact = sl.global_sensitivity(query, universe, **question, method="solver").value
    found = searched(query, universe, size, relation, trials=trials).found
    assert 0.99 * float(exact) <= float(found) <= float(exact) * (1 + 1e-12)
    assert found == exact or trials == 600


def test_rows_people_and_several_sizes_are_searched():
    """Catches a search that finds less than the walk for people or rows, or stays at one size."""
    rows = sl.Universe.product(team=["a", "b"], pay=[0, 3, 9])
    for universe, trials in ((rows, 400), (sl.Universe.people(rows, most_rows=2), 60)):
        question = {"size": 2, "relation": sl.SymmetricDifference(1)}
        exact = sl.global_sensitivity(sl.SUM.of("pay"), universe, **question)
        row = searched(sl.SUM.of("pay"), universe, *question.values(), trials=trials)
        assert row.found == exact.value
    several = Problem(sl.MEAN, TEN, range(1, 6), ONE_CHANGE, norm=1)
    worst = stages.search(several, Subject(sl.MEAN, 1, None, TEN), trials=400, seed=0)
    assert (worst.gap, len(worst.dataset)) == (9, 1)
