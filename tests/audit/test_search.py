"""The search of an audit: what it starts from, what it spends, and that what it finds is a pair."""

import math
import zlib
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import sensitivity_lab as sl
from sensitivity_lab.audit.search import pairs as trials_module
from sensitivity_lab.audit.search.pairs import Layout, Spent, Trials, require_neighbours
from sensitivity_lab.audit.search.search import MOST_MOVES, Steps, climb, far_moves, search, shrink
from sensitivity_lab.audit.search.starts import (
    KINDS,
    Line,
    boundary_positions,
    constants,
    orders_of,
)
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.problem import Problem

TEN = sl.Universe.value_range(range(10))
RELATIONS = [
    *(sl.Change(1), sl.Change(2), sl.Add(1), sl.Add(2), sl.Remove(1), sl.AddRemove(1)),
    *(sl.SymmetricDifference(1), sl.SymmetricDifference(2)),
]


def searched(function, universe, size, relation, **options):
    """The row of one search."""
    options = {"trials": 400, **options}
    (row,) = sl.audit(
        function, 0, universe, sizes=size, relations=[relation], method="search", **options
    ).rows
    return row


def problem_of(function, universe, size, relation):
    query = function if isinstance(function, sl.Query) else sl.Query("function", function)
    problem = Problem(query, universe, size, relation, norm=1)
    return problem, Subject.of(query, 1, None, universe)


# --- what is tried ---------------------------------------------------------------------------


class Logged:
    """A function that answers the sum, and remembers what it was asked about."""

    def __init__(self):
        self.asked = []

    def __call__(self, dataset):
        self.asked.append(dataset)
        return sum(dataset)


def test_each_layout_is_tried():
    """Catches a kind of layout that the starts leave out."""
    log = Logged()
    searched(log, TEN, 4, sl.Change(1), trials=2000, seed=5)
    assert {*log.asked} >= {
        *((0, 0, 0, 9), (0, 0, 9, 9), (0, 9, 9, 9)),  # an outlier, two blocks, the other end
        *((4, 4, 4, 9), (0, 4, 4, 4)),  # a run, and an outlier above or below
        *((0, 0, 4, 9), (0, 0, 0, 0)),  # a value between two blocks, one value
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(4, 1, 1), (3, 2, 0), (3, 0, 2), (0, 1, 1), (2, 3, 2)])
@pytest.mark.parametrize(
    "universe",
    [TEN, sl.Universe.population([1, 1, 1, 2, 3, 4, 5, 6, 7, 7]), sl.Universe.value_range([5])],
)
def test_each_number_of_a_layout_makes_a_pair(kind, shape, universe):
    """Catches a number that goes too far: a record twice, or none where one is needed."""
    line = Line.of(universe, np.arange(universe.distinct), sum(shape))
    lay, most = kind(line, shape)
    for numbers in np.ndindex(*(number + 1 for number in most)):
        layout = lay(*numbers)
        assert tuple(map(len, layout)) == shape
        assert layout.fits(universe)


def test_a_run_of_a_range_is_one_value():
    """Catches runs in a range that straddle two values; constants whose value another number chooses."""
    line = Line.of(TEN, np.arange(10), 5)
    for kind in KINDS[1:3]:
        lay, most = kind(line, (3, 1, 1))
        for numbers in np.ndindex(*(number + 1 for number in most)):
            layout = lay(*numbers)
            run = layout.common + layout.added if kind is KINDS[1] else layout.added
            assert len(set(run)) == 1
    assert constants([2, 7], line, (2, 1, 0))[1] == (1, 1, 0)
    assert constants([2, 7], line, (2, 1, 1))[0](0, 1, 0) == Layout((2, 2), (7,), (2,))


def test_a_jump_is_found_by_halving():
    """Catches a search that looks for the step of a quantile by chance: it is one of 400 places."""
    wide = sl.Universe.value_range(range(1000))
    row = searched(sl.quantile(Fraction(7, 10)), wide, 400, sl.Change(1), trials=60)
    exact = sl.global_sensitivity(
        sl.quantile(Fraction(7, 10)), wide, size=400, relation=sl.Change(1), method="solver"
    )
    assert row.found == exact.value


def test_values_that_break_arithmetic_are_tried():
    """Catches a search that never meets the floats without a successor."""

    def total(dataset):
        return sum(dataset, start=0.0)

    universe = sl.Universe.value_range([*range(1000), 2**53 - 1, 2**53, 2**54])
    assert boundary_positions(universe) == [0, 1, 1000, 1001, 1002]
    log = []
    searched(lambda x: log.append(x) or total(x), universe, 3, sl.Change(1), trials=2000)
    assert any(x.count(2**53) >= 2 and x[0] < 2 for x in log)


def test_boundary_positions():
    """Catches positions beside the universe; a missing record that is never tried."""
    for values, positions in (
        ([7], []),
        (["a", "b"], []),
        ([1, 2, None], [0, 1, 2]),
        ([7, None], [0, 1]),
        ([-(10**400), 0, 5, 10**400], [0, 1, 2, 3]),
    ):
        assert boundary_positions(sl.Universe.value_range(values)) == positions
    wide = boundary_positions(sl.Universe.value_range(np.linspace(-1, 1, 101)))
    assert {0, 1, 50, 99, 100} <= set(wide)


ROWS = [("a", 3, -1), ("b", 1, -2), ("c", 2, -3)]


@pytest.mark.parametrize(
    ("universe", "orders"),
    [
        (TEN, [list(range(10))]),
        (sl.Universe.population(ROWS), [[0, 1, 2], [1, 2, 0]]),
        (sl.Universe.population(pd.DataFrame(ROWS, columns=list("xyz"))), [[0, 1, 2], [1, 2, 0]]),
        (sl.Universe.value_range([(1,), (2, 0)]), [[0, 1]]),
        (sl.Universe.value_range([(3, 1), (4,)]), [[0, 1]]),
        (sl.Universe.value_range([(3, 1), (4,), (5, 0, 0)]), [[0, 1, 2], [1, 0, 2]]),
        (sl.Universe.value_range(["x", "y"]), [[0, 1]]),
    ],
)
def test_records_stand_in_the_order_of_each_column(universe, orders):
    """Catches rows tried in one order alone, in one twice, or not in that which the query reads."""
    subject = Subject.of(sl.Query("size", len), 1, None, universe)
    found = [order.tolist() for order in orders_of(universe, subject)]
    assert found[0] == orders[0]
    assert all(order in orders or order[::-1] in orders for order in found)
    assert len(found) == len(orders)
    staff = sl.Universe.product(team=["a", "b"], pay=[5, 1, 3])
    by_pay = orders_of(staff, Subject.of(sl.MEAN.of("pay"), 1, None, staff))[0]
    assert [staff.values[i][1] for i in by_pay] == [1, 1, 3, 3, 5, 5]


def test_of_many_moves_a_few_are_started_from():
    """Catches a start for each of half a million moves; the widest must be among the few."""
    problem, _ = problem_of(sl.SUM, TEN, 500, sl.SymmetricDifference(400))
    moves = far_moves(problem)
    assert len(moves) <= MOST_MOVES
    assert sum(moves[0][1]) == 400
    few, _ = problem_of(sl.SUM, TEN, 4, sl.SymmetricDifference(1))
    assert far_moves(few) == [(4, (0, 1)), (4, (1, 0))]
    none, _ = problem_of(sl.COUNT, TEN, 0, sl.Change(1))
    assert far_moves(none) == [(0, (0, 0))]


# --- steps -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "universe", [TEN, sl.Universe.population([1, 1, 2, 3, 3, 3, 8, 9]), sl.Universe.population([4])]
)
def test_each_step_is_a_pair_of_the_same_move(universe):
    """Catches a step that loses a record, or takes one that a population has no more of."""
    rng = np.random.default_rng(0)
    own = np.arange(universe.distinct)
    steps = Steps(universe, [own], boundary_positions(universe), rng)
    most = int(min(universe.records, 6))
    for size, move in ((most, (0, 0)), (most - 1, (0, 1)), (most // 2, (0, most // 2))):
        layout = steps.random(size, move)
        met = set()
        for _ in range(300):
            layout = steps.beside(layout)
            assert (layout.size, layout.move) == (size, move)
            assert layout.fits(universe)
            met.add(layout)
        assert len(met) > 20 or most == 1


def test_a_climb_ends():
    """Catches a climb that goes on where no step is wider, or stops at the first that is not."""
    problem, subject = problem_of(sl.SUM, TEN, 2, sl.Change(1))
    asked = Trials(problem, subject, most=5000)
    steps = Steps(TEN, [np.arange(10)], [], np.random.default_rng(0))
    climb(asked, steps, Layout((0,), (4,), (5,)))
    assert asked.best.gap == 9
    assert asked.asked < 5000


# --- what is spent ---------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [1, 2, 3, 10, 57, 300])
@pytest.mark.parametrize("relation", [sl.Change(1), sl.SymmetricDifference(2), sl.Remove(1)])
def test_a_budget_is_held(trials, relation):
    """Catches a search that asks more often than it may; six calls more are the verdict's."""
    log = Logged()
    function = sl.Query("sum", log, smallest_size=0)
    row = searched(function, TEN, 3, relation, trials=trials)
    assert 2 * math.ceil(0.9 * trials) <= len(log.asked) <= 2 * trials + 6
    assert row.found >= 0


def test_a_search_ends_with_its_time(monkeypatch):
    """Catches a search that does not look at the clock."""
    clock = iter(range(10**6))
    monkeypatch.setattr(trials_module.time, "monotonic", lambda: next(clock))
    log = Logged()
    report = sl.audit(
        log, 0, TEN, sizes=3, relations=[sl.Change(1)], method="search", seconds=100
    )  # fmt: skip
    assert 100 < len(log.asked) <= 210
    assert "Search: at most 100 seconds and 10,000,000 pairs a row" in report.scope
    with_both = sl.audit(
        log, 0, TEN, sizes=3, relations=[sl.Change(1)], method="search", seconds=500, trials=30
    )
    assert "at most 500 seconds and 30 pairs" in with_both.scope
    assert report.rows[0].verdict == "too small"


def test_a_stage_ends_at_its_share():
    """Catches a stage that uses what the next one needs."""
    problem, subject = problem_of(sl.SUM, TEN, 2, sl.Change(1))
    asked = Trials(problem, subject, most=10)
    asked.until = 0.5
    for _ in range(5):
        asked.ask(Layout((0,), (1,), (2,)))
    with pytest.raises(Spent):
        asked.ask(Layout((0,), (1,), (2,)))
    asked.until = 1.0
    assert asked.ask(Layout((0,), (1,), (9,))).gap == asked.best.gap == 8


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"trials": 0}, ValueError, "trials"),
        ({"trials": 2.5}, ValueError, "trials"),
        ({"seconds": 0}, ValueError, "seconds must be above 0"),
        ({"seconds": math.inf}, ValueError, "seconds must be above 0"),
        ({"seconds": "9"}, TypeError, "seconds must be a number"),
        ({"rng": -1}, ValueError, "rng"),
        ({"rng": "seed"}, TypeError, "rng"),
        ({"rng": 1, "seed": 2}, ValueError, "either seed or rng"),
        ({"seed": -1}, ValueError, "seed"),
    ],
)
def test_a_budget_or_a_seed_that_is_none_is_refused(options, error, words):
    """Catches an option that is passed on unchecked."""
    with pytest.raises(error, match=words):
        searched(sl.SUM, TEN, 2, sl.Change(1), **options)


def test_a_timed_search_of_much_is_not_refused():
    """Catches a limit on pairs where the clock is the limit."""
    wide = sl.Universe.value_range(range(100))
    row = searched(sl.SUM, wide, 10_000, sl.Change(1), trials=None, seconds=1e-6)
    assert row.found == 99


# --- the same pairs again --------------------------------------------------------------------


def test_the_same_seed_finds_the_same_pairs():
    """Catches a search that depends on more than its seed; a seed that changes nothing."""

    def odd(dataset):
        return zlib.crc32(repr(dataset).encode()) % 1000

    def row(**options):
        return searched(odd, TEN, 4, sl.Change(1), trials=150, **options)

    assert row() == row(seed=0) == row(rng=0)
    assert row(rng=3) == row(seed=3) == row(rng=np.random.default_rng(3))
    assert len({row(seed=seed).found for seed in range(12)}) > 1
    source = np.random.default_rng(3)
    assert {row(rng=source).found for _ in range(12)} != {row(rng=3).found}


# --- what is found ---------------------------------------------------------------------------


def random_question(rng):
    """A small universe, a size, a relation, and a function of no rhyme or reason, or a query."""
    values = rng.choice([-3, -1, 0, 1, 2, 5, 8], size=int(rng.integers(1, 6))).tolist()
    made = [sl.Universe.population, sl.Universe.value_range][int(rng.integers(2))]
    if rng.random() < 0.3:
        values = [(value, int(rng.integers(2))) for value in values]
    universe = made(values)
    size = int(rng.integers(1, 4))
    relation = RELATIONS[int(rng.integers(len(RELATIONS)))]
    salt = int(rng.integers(10**6))
    queries = [sl.SUM, sl.STD, sl.MEDIAN, sl.count_distinct, sl.VARIANCE]

    def odd(dataset):
        return zlib.crc32(repr((salt, dataset)).encode()) % 100

    query = sl.Query("odd", odd, smallest_size=1)
    if universe.numeric and rng.random() < 0.5:
        query = queries[int(rng.integers(len(queries)))]
    return query, universe, size, relation


def test_a_search_never_passes_enumeration():
    """Catches a pair that is none: of 300 questions none is answered beyond the exact value."""
    rng, exactly, asked = np.random.default_rng(20), 0, 0
    for seed in range(300):
        query, universe, size, relation = random_question(rng)
        if size > universe.records:
            continue
        question = {"size": size, "relation": relation}
        try:
            exact = sl.global_sensitivity(query, universe, **question, method="walk").value
        except sl.Infeasible:
            continue
        row = searched(query, universe, size, relation, trials=120, seed=seed)
        assert float(row.found) <= float(exact) + 1e-12, (query, universe, size, relation)
        assert relation.are_neighbours(row.dataset, row.neighbour)
        universe.indices(row.dataset)
        universe.indices(row.neighbour)
        assert len(row.dataset) == size
        asked, exactly = asked + 1, exactly + (float(row.found) >= float(exact) - 1e-12)
    assert asked > 200
    assert exactly > 0.9 * asked


def test_what_is_no_pair_is_refused():
    """Catches a check that lets through what the relation or the population does not have."""
    problem, _ = problem_of(sl.SUM, sl.Universe.population([5, 6, 7, 8]), 3, sl.Change(1))
    require_neighbours(problem, Layout((0, 1), (2,), (3,)))
    for none in (
        Layout((0, 1), (2,), (3, 3)),  # no move of the relation
        Layout((0,), (2,), (3,)),  # another size
        Layout((0, 0), (1,), (2,)),  # a record twice
    ):
        with pytest.raises(RuntimeError, match="no pair"):
            require_neighbours(problem, none)
    problem, _ = problem_of(sl.SUM, TEN, 2, sl.Change(1))
    require_neighbours(problem, Layout((0,), (3,), (3,)))  # both have it: a shorter move


def test_people_and_rows_are_searched():
    """Catches a search for people or rows that finds less than the walk."""
    rows = sl.Universe.product(team=["a", "b"], pay=[0, 3, 9])
    for universe in (rows, sl.Universe.people(rows, most_rows=2)):
        question = {"size": 2, "relation": sl.SymmetricDifference(1)}
        exact = sl.global_sensitivity(sl.SUM.of("pay"), universe, **question)
        row = searched(sl.SUM.of("pay"), universe, 2, sl.SymmetricDifference(1))
        assert row.found == exact.value


# --- the pair made plain ---------------------------------------------------------------------


def test_the_widest_pair_is_made_plain():
    """Catches a witness of many values where few show the same."""

    def last(dataset):
        return dataset[-1]

    wide = sl.Universe.value_range(range(100))
    row = searched(last, wide, 12, sl.Change(1), trials=1000)
    assert row.found == 99
    assert Counter(row.dataset) == {0: 11, 99: 1}
    assert Counter(row.neighbour) == {0: 12}


@pytest.mark.parametrize("universe", [TEN, sl.Universe.population([*range(10)] * 3)])
def test_a_pair_is_made_plainer_and_no_narrower(universe):
    """Catches a shrunk pair with more values, with another gap, or of records there are not."""
    rng = np.random.default_rng(2)
    for query in (sl.MEDIAN, sl.MAX, sl.count_distinct):
        problem, subject = problem_of(query, universe, 6, sl.SymmetricDifference(2))
        own = Steps(universe, [np.arange(10)], [], rng)
        for _ in range(20):
            asked = Trials(problem, subject, most=300)
            first = asked.ask(own.random(6, (1, 1)))
            shrink(asked)
            require_neighbours(problem, asked.best.layout)
            assert asked.best.gap >= first.gap
            assert len(set(sum(asked.best.layout, ()))) <= len(set(sum(first.layout, ())))


def test_a_pair_has_few_records_where_sizes_are_free():
    """Catches a witness of nine records where the sizes asked about go down to two."""
    problem = Problem(sl.MAX, TEN, range(2, 10), sl.Change(1), norm=1)
    asked = Trials(problem, Subject.of(sl.MAX, 1, None, TEN), most=500)
    assert asked.ask(Layout((0,) * 8, (9,), (0,))).gap == 9
    shrink(asked)
    assert asked.widest().dataset == (0, 9)


# --- how much is found -----------------------------------------------------------------------

INCOMES = np.rint(np.random.default_rng(1).lognormal(10, 0.8, 300)).astype(np.int64)


@pytest.mark.parametrize(
    ("query", "relation"),
    [
        (sl.MEAN, sl.Change(1)),
        (sl.MEDIAN, sl.Change(1)),
        (sl.quantile(0.9), sl.Add(1)),
        (sl.quantile(0.25), sl.SymmetricDifference(2)),
        (sl.STD, sl.Remove(1)),
        (sl.VARIANCE, sl.Add(1)),
        (sl.STD, sl.Change(3)),
        (sl.histogram([0, 10_000, 50_000, 100_000]), sl.Change(3)),
        (sl.MAX, sl.SymmetricDifference(1)),
        (sl.count_distinct, sl.Change(5)),
    ],
)
@pytest.mark.parametrize(
    "universe", [sl.Universe.population(INCOMES), sl.Universe.value_range(range(0, 100_001, 500))]
)
def test_a_search_reaches_the_solver(query, relation, universe):
    """Catches a search that stops short where enumeration ends, at a thousand pairs."""
    question = {"size": 25, "relation": relation}
    exact = sl.global_sensitivity(query, universe, **question, method="solver").value
    found = searched(query, universe, 25, relation, trials=1000).found
    assert 0.99 * float(exact) <= float(found) <= float(exact) * (1 + 1e-12)


def far_from_the_middle(dataset):
    """The median of the distances from the median."""
    middle = dataset[len(dataset) // 2]
    return sorted(abs(value - middle) for value in dataset)[len(dataset) // 2]


def widest_step(dataset):
    """The most that a record exceeds the one before it."""
    return max((b - a for a, b in pairwise(dataset)), default=0)


def commonest(dataset):
    """The value that most records have, the highest of several."""
    return max(set(dataset), key=lambda value: (dataset.count(value), value))


def above_a_threshold(dataset):
    """By how much a sum exceeds 30, up to 8."""
    return max(0, min(sum(dataset) - 30, 8))


def without_its_ends(dataset):
    """The sum of all but the lowest and the highest record."""
    return sum(dataset[1:-1])


@pytest.mark.parametrize(
    "function",
    [far_from_the_middle, widest_step, commonest, above_a_threshold, without_its_ends],
)
@pytest.mark.parametrize("relation", [sl.Change(1), sl.SymmetricDifference(2)])
@pytest.mark.parametrize(
    ("universe", "size"),
    [
        (sl.Universe.value_range([0, 1, 4, 9, 20, 50]), 6),
        (sl.Universe.population([0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 90, 91]), 7),
    ],
)
def test_a_search_reaches_the_walk(function, relation, universe, size):
    """Catches a search that is good at the solved queries alone."""
    query = sl.Query(function.__name__, function, smallest_size=1)
    exact = sl.global_sensitivity(query, universe, size=size, relation=relation, method="walk")
    found = searched(query, universe, size, relation, trials=1500).found
    assert 0.95 * exact.value <= found <= exact.value


def test_a_search_of_several_sizes():
    """Catches a search that stays at one size of many."""
    problem, subject = problem_of(sl.MEAN, TEN, range(1, 6), sl.Change(1))
    worst = search(problem, subject, trials=400, seed=0)
    assert (worst.gap, len(worst.dataset)) == (9, 1)
