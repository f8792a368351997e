"""The covariance: its closed form on boxes, one dataset and small populations, against brute force.

`SOLVER_CASES=n` asks n random questions of each kind instead of the usual few.
"""

import math
import os
import random
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import STANDARD as RELATIONS
from conftest import random_number, refused
from oracle import population_pairs, range_pairs

import sensitivity_lab as sl
from sensitivity_lab.audit.random_search import search
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.exact import exact_number
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved import covariance
from sensitivity_lab.proved.covariance import Around
from sensitivity_lab.proved.points import Points

CASES = int(os.environ.get("SOLVER_CASES", "30"))
BOUNDS = ((-1, 2), (3, 5))
AREA = 6


# -- the other route: the mean of products of distances, over labelled records --------------------


def plain(dataset, ddof=0):
    x, y = ([Fraction(exact_number(record[i])) for record in dataset] for i in (0, 1))
    n = len(x)
    products = ((a - sum(x) / n) * (b - sum(y) / n) for a, b in zip(x, y, strict=True))
    return sum(products) / (n - ddof)


def widest(pairs, ddof):
    answers = {side: plain(side, ddof) for pair in pairs for side in pair}
    return max(abs(answers[x] - answers[y]) for x, y in pairs)


def asked_of(pairs, ddof):
    return {pair for pair in pairs if min(map(len, pair)) > ddof}


def test_it_is_numpys():
    """Catches a ddof that counts otherwise, or x and y that are one column."""
    rng = np.random.default_rng(1)
    records = rng.integers(-9, 9, (7, 2))
    for ddof in (0, 1, 3):
        answer = sl.covariance(1, 0, ddof=ddof)([tuple(row) for row in records.tolist()])
        assert float(answer) == pytest.approx(np.cov(records.T, ddof=ddof)[0, 1])


# -- on a box -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ddof", [0, 1, 2, 3])
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_the_closed_form_is_that_of_the_corners_and_no_inner_point_has_more(family, ddof):
    """Catches a wrong formula, a false witness, a grid inside the box that is wider."""
    query = sl.covariance(0, 1, ddof=ddof)
    corners, grid = list(product(*BOUNDS)), list(product((-1, 0, 2), (3, 4, 5)))
    for size in range(ddof + 1, ddof + 4):
        try:
            form = sl.closed_form(query, bounds=BOUNDS, size=size, relation=family(1))
        except sl.Infeasible:
            assert (family, size) == (sl.Remove, ddof + 1)
            continue
        pairs = asked_of(range_pairs(corners, size, family.__name__, 1), ddof)
        assert form.value == widest(pairs, ddof), (size, form)
        assert form.status == "exact"
        dataset, neighbour = form.witness
        assert family(1).are_neighbours(dataset, neighbour)
        assert len(dataset) == size
        assert {*dataset, *neighbour} <= {*corners}
        assert abs(plain(dataset, ddof) - plain(neighbour, ddof)) == form.value
        if size <= 2:
            inner = asked_of(range_pairs(grid, size, family.__name__, 1), ddof)
            assert form.value == widest(inner, ddof)


@pytest.mark.parametrize("relation", [sl.Change(2), sl.SymmetricDifference(3)], ids=str)
def test_the_corners_are_enough_for_any_distance(relation):
    """Catches a middle value that moves a covariance further than all ends do, where two records differ."""
    found = [
        sl.global_sensitivity(
            sl.covariance(0, 1),
            sl.Universe.value_range(list(product(side, side))),
            size=3,
            relation=relation,
            method="sweep",
        ).value
        for side in ((0, 1, 2), (0, 2))
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("ddof", [0, 1, 2, 3])
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_at_least_m_records_is_the_worst_of_all_larger_sizes(family, ddof):
    """Catches a size beyond the smallest that is worse, such as two records where m is 1."""
    query, ask = sl.covariance(0, 1, ddof=ddof), {"bounds": BOUNDS, "relation": family(1)}
    for least in range(ddof + 1, ddof + 6):
        form = sl.closed_form(query, min_size=least, **ask)
        sizes = [
            sl.closed_form(query, size=range(least, most + 1), **ask).value
            for most in (least + 3, least + 30)
        ]
        assert [form.value] * 2 == sizes


@pytest.mark.parametrize("ddof", [0, 1, 2, 3])
def test_the_printed_formulas_give_the_value(ddof):
    """Catches a misprint: the texts are evaluated as they stand."""
    query = sl.covariance(0, 1, ddof=ddof)
    letters = str.maketrans({"·": "*", "−": "-", "⌊": "floor(", "⌋": ")", "⌈": "ceil(", "⌉": ")"})
    for family, known, n in product(RELATIONS, ("size", "min_size"), range(ddof + 1, ddof + 7)):
        try:
            form = sl.closed_form(query, bounds=BOUNDS, relation=family(1), **{known: n})
        except sl.Infeasible:
            continue
        text, *_, meaning = form.formula.split("; ")
        step = re.search(r"e\(c\) = (.*)$", meaning)[1].translate(letters)
        names = {"floor": math.floor, "ceil": math.ceil, "max": max, "d": ddof}

        def e(c, step=step, names=names):
            return eval(step, {}, names | {"c": Fraction(c)})

        names |= {"n": Fraction(n), "m": Fraction(n), "R": Fraction(AREA), "e": e}
        assert eval(text.translate(letters).replace(", else", " else"), {}, names) == form.value


def test_a_product_with_its_ends_is_a_box():
    """Catches a range whose corner is missing and is solved all the same."""
    query, ask = sl.covariance("x", "y"), {"size": 4, "method": "solver"}
    rows = sl.Universe.product(x=[-1, 0.5, 2], y=[3, 5])
    for relation in (sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(1)):
        found = sl.global_sensitivity(query, rows, relation=relation, **ask)
        form = sl.closed_form(sl.covariance(0, 1), bounds=BOUNDS, size=4, relation=relation)
        assert found.value == form.value
        assert found.check()
    with refused(sl.NotProved, "no proof for covariance(x, y)"):
        sl.global_sensitivity(query, rows, relation=sl.Change(2), **ask)
    three = sl.Universe.value_range([(0, 0), (0, 1), (1, 0)])
    with refused(sl.NotProved, "no proof"):
        sl.global_sensitivity(sl.covariance(0, 1), three, relation=sl.Change(1), **ask)


def test_what_has_no_closed_form_is_refused():
    """Catches a bound that is called a formula, and one pair of bounds taken for two."""
    query = sl.covariance(0, 1)
    for relation in (sl.Change(2), sl.SymmetricDifference(2), sl.Remove(3)):
        with refused(sl.NotProved, "covariance(0, 1) has a closed form for one record", "k = 1"):
            sl.closed_form(query, bounds=BOUNDS, size=5, relation=relation)
    with refused(TypeError, "a pair (L, U) for each of 2 columns"):
        sl.closed_form(query, bounds=(0, 1, 2), size=5, relation=sl.Change(1))
    with refused(TypeError, "bounds must be a pair"):
        sl.closed_form(query, bounds=(0, 1), size=5, relation=sl.Change(1))
    with refused(ValueError, "bounds must rise"):
        sl.closed_form(query, bounds=((0, 1), (2, 1)), size=5, relation=sl.Change(1))
    with refused(TypeError, "bounds must be a pair"):
        sl.closed_form(sl.vector_sum([0, 1]), bounds=(0, 1), size=5, relation=sl.Change(1))
    with refused(ValueError, "ddof"):
        sl.covariance(0, 1, ddof=-1)


# -- known records --------------------------------------------------------------------------------------


def any_number(rng):
    """As `random_number`, and numbers beyond all floats."""
    return random_number(rng, lambda: rng.choice([10**400, -(10**400), 10**400 + 1, 5]))


@pytest.mark.parametrize("local", [False, True])
def test_a_population_agrees_with_labelled_records(local):
    """Catches a record that is shared and exchanged, a mean of the wrong records, a rounding."""
    rng, asked = random.Random(2), 0
    for _ in range(CASES):
        one, other, ddof = (
            any_number(rng),
            any_number(rng),
            rng.choice([0, 0, 1, 2]),
        )
        records = [(one(), other()) for _ in range(rng.randint(1, 6))]
        relation = rng.choice(RELATIONS) if local else sl.Change
        size = rng.randint(0, len(records))
        pairs = asked_of(population_pairs(records, size, relation.__name__, 1), ddof)
        if not pairs:
            continue
        query, universe = sl.covariance(0, 1, ddof=ddof), sl.Universe.population(records)
        options = {"relation": relation(1), "method": "solver"}
        if local:
            dataset = rng.choice(sorted(pairs))[0]
            pairs = {pair for pair in pairs if pair[0] == dataset}
            found = sl.local_sensitivity(query, dataset, universe, **options)
        else:
            found = sl.global_sensitivity(query, universe, size=size, **options)
        assert found.value == widest(pairs, ddof), (records, size, relation, ddof)
        assert tuple(tuple(sorted(side)) for side in found.witness) in pairs
        assert found.check()
        asked += 1
    assert asked > CASES / 3


def test_a_range_is_solved_for_one_dataset():
    """Catches copies of a value that are taken to have run out."""
    rng = random.Random(3)
    for _ in range(CASES // 3):
        values = list({(rng.randint(0, 3), rng.randint(-2, 2)) for _ in range(4)})
        relation = rng.choice(RELATIONS)
        pairs = asked_of(range_pairs(values, 2, relation.__name__, 1), 0)
        dataset = rng.choice(sorted(pairs))[0]
        found = sl.local_sensitivity(
            sl.covariance(0, 1), dataset, sl.Universe.value_range(values),
            relation=relation(1), method="solver",
        )  # fmt: skip
        assert found.value == widest({pair for pair in pairs if pair[0] == dataset}, 0)


@pytest.mark.parametrize("unit", [1, 10**9, 10**30])
def test_no_pair_is_passed_over_where_most_are_left_out(unit):
    """Catches a bound that leaves out a record of the widest pair: every pair is asked here."""
    rng = random.Random(4)
    for case in range(12):
        spread = rng.choice([1, 3, 100])
        n, m = rng.choice([(2, 90), (40, 60), (120, 30)])

        def point(spread=spread, case=case):
            x, y = rng.gauss(0, spread), rng.gauss(5, 1)
            on_axes = case % 4 == 0 and rng.random() < 0.8
            return (round(9 * x) * unit, 0) if on_axes else (round(9 * x) * unit, round(9 * y))

        own, spare = ([point() for _ in range(count)] for count in (n, m))
        columns = (
            Points(tuple(np.array(c, dtype=object) for c in zip(*side, strict=True)), (1, 1))
            for side in (own, spare)
        )
        gap, leave, join = Around.of(*columns, 0).furthest((1, 1))
        sx, sy, sxy = (sum(f(p) for p in own) for f in (min_x, min_y, both))
        rises = {}
        for i, (x, y) in enumerate(own):
            for j, (z, w) in enumerate(spare):
                moved = n * (sxy - x * y + z * w) - (sx - x + z) * (sy - y + w)
                rises[i, j] = abs(moved - n * sxy + sx * sy)
        assert gap * n * n == max(rises.values()) == rises[int(leave[0]), int(join[0])]


def min_x(point):
    return point[0]


def min_y(point):
    return point[1]


def both(point):
    return point[0] * point[1]


def test_a_search_finds_no_more_at_two_hundred_records():
    """Catches a value that is too small: a search that finds more is a proof of it."""
    rng = np.random.default_rng(5)
    points = zip(*(rng.integers(-99, high, 200).tolist() for high in (99, 9)), strict=True)
    universe, query = sl.Universe.population(points), sl.covariance(0, 1)
    solved = sl.global_sensitivity(query, universe, size=20, relation=sl.Change(1))
    assert solved.method == "solver"
    problem = Problem(query, universe, 20, sl.Change(1), 1)
    searched = search(problem, Subject.of(query, 1, None), trials=200, seed=1)
    assert solved.value / 4 < searched.gap <= solved.value


def test_too_many_pairs_are_refused(monkeypatch):
    """Catches a question that never ends, and a trivial one that is refused."""
    monkeypatch.setattr(covariance, "MOST_PAIRS", 50)
    records = [(i, 100 // i) for i in range(1, 40)] + [(-i, -100 // i) for i in range(1, 40)]
    universe = sl.Universe.population(records)
    ask = {"relation": sl.Change(1), "method": "solver"}
    with refused(sl.TooLarge, "exceed the limit of 50 pairs"):
        sl.local_sensitivity(sl.covariance(0, 1), records[::2], universe, **ask)
    flat = sl.Universe.population([(i, 5) for i in range(40)])
    found = sl.local_sensitivity(sl.covariance(0, 1), [(i, 5) for i in range(20)], flat, **ask)
    assert found.value == 0


def test_what_is_not_proved_is_enumerated():
    """Catches a population's other relations, answered by the solver."""
    records = [(0, 1), (4, 2), (1, 9), (3, 3)]
    universe, query = sl.Universe.population(records), sl.covariance(0, 1)
    for relation in (sl.Add(1), sl.Remove(1), sl.SymmetricDifference(1), sl.Change(2)):
        found = sl.global_sensitivity(query, universe, size=3, relation=relation)
        assert found.method == "sweep"
        pairs = population_pairs(records, 3, type(relation).__name__, relation.k)
        assert found.value == widest(asked_of(pairs, 0), 0)
        if relation.k == 1:
            with refused(sl.NotProved, "no proof"):
                sl.global_sensitivity(query, universe, size=3, relation=relation, method="solver")


def test_all_rows_of_people_count():
    """Catches the rows of a person taken for one record: the covariance is that of all rows."""
    rows = pd.DataFrame({"who": [1, 1, 2, 3], "x": [1, 2, 5, 0], "y": [4, 4, 0, 1]})
    people = sl.Universe.people(rows, id="who")
    query, ask = sl.covariance("x", "y"), {"size": 2, "relation": sl.SymmetricDifference(1)}
    found = sl.global_sensitivity(query, people, **ask)
    pairs = [
        ({1, 2}, {1}),
        ({1, 2}, {2}),
        ({1, 3}, {1}),
        ({1, 3}, {3}),
        ({2, 3}, {2}),
        ({2, 3}, {3}),
    ]
    pairs += [(pair, {1, 2, 3}) for pair in ({1, 2}, {1, 3}, {2, 3})]
    records = rows.to_dict("records")
    sides = (
        [[(row["x"], row["y"]) for row in records if row["who"] in side] for side in pair]
        for pair in pairs
    )
    assert found.value == max(abs(plain(one) - plain(other)) for one, other in sides)
    assert found.check()
    with refused(sl.NotProved, "no proof"):
        sl.global_sensitivity(query, people, method="solver", **ask)
