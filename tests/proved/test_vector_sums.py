"""Sums of several columns, solved: against brute force over labelled records, and over all directions.

`SOLVER_CASES=n` asks n random questions of each kind instead of the usual few, and
`SOLVER_RECORDS=n` goes through all populations of up to n points.
"""

import math
import os
import random
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import STANDARD as RELATIONS
from conftest import random_number, refused
from oracle import population_pairs, range_pairs

import sensitivity_lab as sl
from sensitivity_lab.audit.random_search import search
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.exact import exact_number
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved import clouds
from sensitivity_lab.proved.clouds import Cloud, InThePlane
from sensitivity_lab.proved.points import first_left, runs_of

CASES = int(os.environ.get("SOLVER_CASES", "30"))
RECORDS = int(os.environ.get("SOLVER_RECORDS", "2"))
NORMS = (1, 2, math.inf)


# -- the other route: labelled records, an answer is a tuple of Fractions -------------------------


def sums(dataset, columns):
    return tuple(sum(Fraction(exact_number(r[i])) for r in dataset) for i in range(columns))


def length(one, other, norm):
    """How far two answers are apart; the square of it in L2."""
    steps = [abs(x - y) for x, y in zip(one, other, strict=True)]
    if norm == 2:
        return sum(step * step for step in steps)
    return sum(steps) if norm == 1 else max(steps)


def widest(pairs, columns, norm):
    answers = {side: sums(side, columns) for pair in pairs for side in pair}
    return max(length(answers[x], answers[y], norm) for x, y in pairs)


def assert_solved(found, pairs, columns, norm):
    """The value of a brute force, and a witness among its pairs that has it."""
    expected = widest(pairs, columns, norm)
    value = math.sqrt(expected) if norm == 2 else expected
    assert found.value == (pytest.approx(value, rel=1e-14) if norm == 2 else value)
    assert found.method == "solver"
    dataset, neighbour = (tuple(sorted(side)) for side in found.witness)
    assert (dataset, neighbour) in pairs
    assert length(sums(dataset, columns), sums(neighbour, columns), norm) == expected
    assert found.check()


def random_records(rng, columns, most):
    numbers = [random_number(rng) for _ in range(columns)]
    if rng.random() < 0.5:
        numbers = numbers[:1] * columns
    return [tuple(number() for number in numbers) for _ in range(rng.randint(1, most))]


@pytest.mark.parametrize("kind", ["population", "value_range"])
def test_every_relation_agrees_with_labelled_records(kind):
    """Catches a wrong direction, a share asked from one side only, a record on both sides."""
    rng, asked = random.Random(1), 0
    for _ in range(CASES):
        columns, norm = rng.choice([(1, 2), (1, 1), (2, 1), (2, 2), (2, 2), (2, math.inf), (3, 1)])
        records = random_records(rng, columns, most=5)
        relation, k = rng.choice(RELATIONS), rng.choice([1, 1, 2, 3])
        if kind == "population":
            size, pairs_of = rng.randint(0, len(records)), population_pairs
        else:
            records, size = list(dict.fromkeys(records))[:3], rng.randint(0, 2)
            pairs_of, k = range_pairs, min(k, 2)
        pairs = pairs_of(records, size, relation.__name__, k)
        universe = getattr(sl.Universe, kind)(records)
        options = {"size": size, "relation": relation(k), "norm": norm, "method": "solver"}
        if pairs:
            found = sl.global_sensitivity(sl.vector_sum(range(columns)), universe, **options)
            assert_solved(found, pairs, columns, norm)
            asked += 1
    assert asked > CASES / 2


@pytest.mark.parametrize("kind", ["population", "value_range"])
def test_one_dataset_agrees_with_labelled_records(kind):
    """Catches own and spare records mixed up, and a move that is passed over."""
    rng, asked = random.Random(2), 0
    for _ in range(CASES):
        columns, norm = rng.choice([(1, 2), (2, 1), (2, 2), (2, math.inf), (3, 1)])
        records = random_records(rng, columns, most=5)
        relation, k = rng.choice(RELATIONS), rng.choice([1, 2])
        if kind == "population":
            pairs = population_pairs(records, rng.randint(0, len(records)), relation.__name__, k)
        else:
            records = list(dict.fromkeys(records))[:3]
            pairs = range_pairs(records, rng.randint(0, 2), relation.__name__, k)
        if not pairs:
            continue
        dataset = rng.choice(sorted(pairs))[0]
        found = sl.local_sensitivity(
            sl.vector_sum(range(columns)),
            dataset,
            getattr(sl.Universe, kind)(records),
            relation=relation(k),
            norm=norm,
            method="solver",
        )
        assert_solved(found, {pair for pair in pairs if pair[0] == dataset}, columns, norm)
        asked += 1
    assert asked > CASES / 2


def test_every_small_population_agrees_with_the_walk():
    """Catches a layout of equal points, of points on a line or around one that goes wrong."""
    points = [(0, 0), (0, 1), (1, 0), (2, 1), (2, 2)]
    query = sl.vector_sum([0, 1])
    for m in range(1, RECORDS + 1):
        for records in combinations_with_replacement(points, m):
            universe = sl.Universe.population(records)
            size = len(records) // 2
            for norm, relation in product(NORMS, (sl.Change(2), sl.Add(1))):
                options = {"size": size, "relation": relation, "norm": norm}
                solved, walked = (
                    sl.global_sensitivity(query, universe, method=method, **options)
                    for method in ("solver", "walk")
                )
                assert solved.value == walked.value, (records, size, norm, relation)
                assert solved.check()


# -- all the way round: every direction across two points -----------------------------------------


def random_cloud(rng, most):
    """Whole points: on a grid, on a circle, on a parabola, on a line, in bunches; large or not."""
    unit = rng.choice([1, 1, 1, 10**9, 2**55, 10**18, 10**30])
    kind = rng.randrange(6)

    def point():
        turn, x = 2 * math.pi * rng.random(), rng.randint(-20, 20)
        return [
            (rng.randint(0, 3), rng.randint(0, 3)),
            (round(1000 * math.cos(turn)), round(1000 * math.sin(turn))),
            (round(rng.gauss(0, 100)), round(rng.gauss(0, 1))),
            (x, x * x),
            (x, 3 * x),
            rng.choice([(0, 0), (5, 5), (5, -5), (100, 1)]),
        ][kind]

    return [tuple(unit * x + rng.choice([0, 0, 1]) for x in point()) for _ in range(most)]


def as_cloud(points):
    columns = (list(column) for column in zip(*points, strict=True))
    return Cloud(
        tuple(
            np.array(column, dtype=np.int64 if max(map(abs, column)) < 2**62 else object)
            for column in columns
        )
    )


def longest(plus, minus, a, b):
    """The square of the longest sum, by the directions across any two points and a little beside."""
    turns = {(1, 0), (0, 1), (-1, 0), (0, -1)}
    for points in (plus, minus):
        for (x, y), (z, w) in product(points, repeat=2):
            turns |= {(w - y, x - z)} - {(0, 0)}
    best = 0
    for (u, v), side in product(turns, (1, -1)):

        def far(point, u=u, v=v, side=side):
            x, y = point
            return u * x + v * y, side * (u * y - v * x)

        added, taken = sorted(plus, key=far)[len(plus) - a :], sorted(minus, key=far)[:b]
        x, y = (sum(p[i] for p in added) - sum(p[i] for p in taken) for i in (0, 1))
        best = max(best, x * x + y * y)
    return best


def test_the_way_round_passes_over_no_corner(monkeypatch):
    """Catches an arc that is dropped, a point that is pruned and needed, a rounding that decides."""
    monkeypatch.setattr(clouds, "FEW", 4)
    rng = random.Random(3)
    for _ in range(CASES):
        plus = random_cloud(rng, rng.randint(2, 16))
        minus = plus if rng.random() < 0.6 else random_cloud(rng, rng.randint(1, 16))
        a, b = rng.randint(0, len(plus) // 2), rng.randint(0, len(minus) // 2)
        upper = as_cloud(plus)
        lower = upper if minus is plus else as_cloud(minus)
        square, one, other = InThePlane(upper, lower).furthest(a, b)
        assert square == longest(plus, minus, a, b), (plus, minus, a, b)
        assert (len({*one.tolist()}), len({*other.tolist()})) == (a, b)
        assert minus is not plus or not {*one.tolist()} & {*other.tolist()}
        x, y = (sum(plus[i][n] for i in one) - sum(minus[i][n] for i in other) for n in (0, 1))
        assert x * x + y * y == square


def test_thousands_of_points_are_pruned_to_those_that_matter():
    """Catches pruning that keeps too few for a share: the same with every point kept."""
    rng = np.random.default_rng(4)
    skewed = np.rint(rng.lognormal(8, 1, 3000)).astype(np.int64), rng.integers(-50, 50, 3000)
    cloud = Cloud(skewed)
    for a, b in [(1, 0), (1, 1), (9, 2), (40, 40)]:
        few, everything = InThePlane(cloud, cloud), clouds.Round(cloud, cloud, a, b)
        assert few.furthest(a, b)[0] == everything.longest()[0]
    assert len(clouds.pruned(cloud, 8)) < 600


def test_a_search_finds_no_more_at_three_hundred_records():
    """Catches a value that is too small: a search that finds more is a proof of it."""
    rng = np.random.default_rng(5)
    points = zip(*(rng.integers(-99, high, 300).tolist() for high in (99, 9)), strict=True)
    universe, query = sl.Universe.population(points), sl.vector_sum([0, 1])
    for norm in NORMS:
        problem = Problem(query, universe, 150, sl.SymmetricDifference(2), norm)
        solved = sl.global_sensitivity(
            query, universe, size=150, relation=sl.SymmetricDifference(2), norm=norm
        )
        assert solved.method == "solver"
        searched = search(problem, Subject.of(query, norm, None), trials=150, seed=1)
        assert float(solved) / 3 < float(searched.gap) <= float(solved)


# -- what records may be ----------------------------------------------------------------------------

ROWS = [(30, 0.5), (50, 0.25), (40, -1.0), (40, 2.0)]
FRAME = pd.DataFrame(ROWS, columns=["pay", "bonus"])
FORMS = {
    "pandas": (FRAME, ["pay", "bonus"]),
    "polars": (pl.from_pandas(FRAME), ["pay", "bonus"]),
    "pyarrow": (pa.Table.from_pandas(FRAME), ["pay", "bonus"]),
    "tuples": (ROWS, [0, 1]),
    "functions": (ROWS, [min, lambda record: record[1]]),
    "functions of rows": (FRAME, [lambda row: row["pay"], "bonus"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_records_may_be_rows_tuples_or_anything_with_a_function(form):
    """Catches a form of records that has another answer, or cannot be asked."""
    records, columns = FORMS[form]
    query = sl.vector_sum(columns)
    if form == "functions":
        query = sl.vector_sum([max, lambda record: record[1]])
    universe = sl.Universe.population(records)
    for method in ("solver", "walk", "auto"):
        found = sl.global_sensitivity(
            query, universe, size=2, relation=sl.Change(1), norm=1, method=method
        )
        assert found.value == 20 + Fraction(1, 4)  # from (30, 0.5) to (50, 0.25)
        assert found.check()
    assert query(records) == (160, Fraction(7, 4))
    local = sl.local_sensitivity(
        query, universe.given((0, 1)), universe, relation=sl.Remove(1), method="solver"
    )
    assert local.check()


def test_a_product_is_asked_at_its_ends():
    """Catches a range of rows whose records are told wrongly."""
    anyone = sl.Universe.product(pay=[-10, 0, 50], days=[0, 7])
    ask = {"size": 3, "relation": sl.SymmetricDifference(2)}
    for norm, value in [(1, 114), (math.inf, 100), (2, math.hypot(100, 14))]:
        found = sl.global_sensitivity(
            sl.vector_sum(["pay", "days"]), anyone, norm=norm, method="solver", **ask
        )
        assert found.value == pytest.approx(value, rel=1e-15)
        assert found.check()


def test_a_persons_rows_add_up():
    """Catches people whose rows count one by one, or a function that is asked of all of them."""
    rows = pd.DataFrame({"who": [1, 1, 2, 3], "x": [1, 2, 5, 0], "y": [4, 4, 0, 1]})
    people = sl.Universe.people(rows, id="who")
    ask = {"size": 2, "relation": sl.SymmetricDifference(1), "norm": 1}
    values = {
        method: sl.global_sensitivity(sl.vector_sum(["x", "y"]), people, method=method, **ask)
        for method in ("solver", "walk")
    }
    assert {method: found.value for method, found in values.items()} == {"solver": 11, "walk": 11}
    assert all(found.check() for found in values.values())
    with refused(TypeError, "columns must be names where people bring rows"):
        sl.global_sensitivity(sl.vector_sum([len]), people, **ask)


BOX = ((-2, 5), (0, 3), (-4, -1))


@pytest.mark.parametrize("norm", [1, 2, math.inf])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_closed_form_on_a_box_is_the_walk_on_its_corners(relation, norm):
    """Catches a column whose sums are longest the other way round, and a corner that is not met."""
    for columns, k, size in product((1, 2, 3), (1, 2), (1, 3)):
        query, box = sl.vector_sum(range(columns)), BOX[:columns]
        if relation is sl.Remove and k > size:
            continue
        form = sl.closed_form(query, bounds=box, relation=relation(k), size=size, norm=norm)
        walked = sl.global_sensitivity(
            query,
            sl.Universe.value_range(list(product(*box))),
            size=size,
            relation=relation(k),
            norm=norm,
            method="walk",
        )
        assert (form.value, form.status) == (walked.value, "exact")
        assert form.value == normed(by_letters(form.formula, box, k, size), norm)
        one, other = form.witness
        moved = [abs(x - y) for x, y in zip(query(one), query(other), strict=True)]
        assert form.value == normed(moved, norm)


def by_letters(formula, box, k, size):
    """The vector that a formula's text names: so many times M, or R."""
    times = {"k": k, "min(k, n)": min(k, size)}[formula.split("·")[0]]
    if "‖M‖" in formula.split(";")[0]:
        return [times * max(abs(low), abs(high)) for low, high in box]
    return [times * (high - low) for low, high in box]


def normed(vector, norm):
    """A norm, in floats where there is a root."""
    if norm == 2:
        return math.sqrt(sum(entry * entry for entry in vector))
    return sum(vector) if norm == 1 else max(vector)


def test_with_at_least_m_records_a_box_has_the_same_sums():
    """Catches a bound on the size that narrows a sum, and bounds for too few columns."""
    query = sl.vector_sum(["x", "y"])
    form = sl.closed_form(query, bounds=BOX[:2], relation=sl.Change(2), min_size=1, norm=1)
    assert (form.value, form.formula.split(";")[0]) == (20, "k·‖R‖")
    with refused(TypeError, "bounds must be a pair"):
        sl.closed_form(query, bounds=(0, 1, 2), relation=sl.Change(1), size=1)


def test_what_is_no_number_is_refused_as_for_a_sum_of_a_column():
    """Catches a refusal that comes late, or is another than that of SUM.of."""
    table = pd.DataFrame({"x": [1, 2], "gap": [1.0, None], "t": ["a", "b"], "inf": [1, math.inf]})
    for records, column in [
        (table, "gap"),
        (table, "t"),
        (table, "inf"),
        (table, "no"),
        ([1], "x"),
    ]:
        universe = sl.Universe.population(records)
        raised = []
        for query in (sl.SUM.of(column), sl.vector_sum([column])):
            with pytest.raises((TypeError, ValueError)) as error:
                sl.global_sensitivity(query, universe, size=1, relation=sl.Change(1))
            raised.append((error.type, str(error.value).replace(query.name, "the query")))
        assert raised[0] == raised[1]


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ([], ValueError, "at least one"),
        ("xy", TypeError, "must be a sequence"),
        ([1.5], TypeError, "got 1.5"),
        ([True], TypeError, "got True"),
        ([-1], ValueError, "at least 0"),
    ],
)
def test_columns_that_are_none_are_refused(columns, error, words):
    """Catches a column that is taken for what it is not."""
    with refused(error, words):
        sl.vector_sum(columns)
    with refused(ValueError, "names its columns already"):
        sl.vector_sum(["x"]).of("y")


# -- what is not solved, and what is too large ------------------------------------------------------


def test_in_three_columns_l2_is_solved_for_one_record_alone():
    """Catches a share that has no proof and is answered."""
    universe = sl.Universe.population([(1, 2, 2), (0, 3, 0), (4, 4, 2), (-3, 0, 0)])
    query, ask = sl.vector_sum([0, 1, 2]), {"size": 2, "norm": 2, "method": "solver"}
    assert sl.global_sensitivity(query, universe, relation=sl.AddRemove(1), **ask).value == 6
    with refused(sl.NotProved, "no proof for vector_sum(0, 1, 2)"):
        sl.global_sensitivity(query, universe, relation=sl.Change(1), **ask)
    with refused(sl.NotProved, "no proof"):
        sl.global_sensitivity(query, universe, relation=sl.Change(1), **ask | {"norm": 0})
    copies = sl.Universe.value_range([(1, 2, 2), (0, 3, 0), (4, 4, 2)])
    assert sl.global_sensitivity(query, copies, relation=sl.Add(3), **ask).value == 18


def test_too_many_patterns_of_signs_and_too_many_corners_are_refused(monkeypatch):
    """Catches a question that never ends: before it is begun in L1, and after a limit in L2."""
    wide = sl.Universe.population([tuple(range(i, i + 40)) for i in range(3)])
    ask = {"size": 1, "relation": sl.Change(1), "method": "solver"}
    with refused(sl.TooLarge, "40 columns in L1", "exceed the limit"):
        sl.global_sensitivity(sl.vector_sum(range(40)), wide, norm=1, **ask)
    assert sl.global_sensitivity(sl.vector_sum(range(40)), wide, norm=math.inf, **ask).value == 2
    monkeypatch.setattr(clouds, "MOST_PROJECTED", 100_000)
    turns = [2 * math.pi * i / 99 for i in range(99)]
    circle = [(round(10**6 * math.cos(t)), round(10**6 * math.sin(t))) for t in turns]
    with refused(sl.TooLarge, "have so many corners"):
        sl.global_sensitivity(sl.vector_sum([0, 1]), sl.Universe.population(circle), norm=2, **ask)


def test_places_become_runs_and_the_first_left_are_found():
    """Catches a shared record that is also on one side."""
    rng = random.Random(6)
    for _ in range(50):
        taken = np.array(rng.sample(range(12), rng.randint(0, 6)), dtype=np.intp)
        assert [i for run in runs_of(taken) for i in range(*run)] == sorted(taken.tolist())
        count = rng.randint(0, 6)
        left = [i for run in first_left(taken, count) for i in range(*run)]
        assert left == [i for i in range(20) if i not in taken][:count]


def test_queries_are_equal_by_their_columns_and_say_how_they_are_made():
    """Catches a snippet that makes another query."""
    query = sl.vector_sum(["pay", 2])
    assert query == sl.vector_sum(["pay", 2]) != sl.vector_sum(["pay", 1])
    found = sl.global_sensitivity(
        sl.vector_sum([0, 1]), sl.Universe.population(ROWS), size=2, relation=sl.Change(1)
    )
    assert "query = sl.vector_sum([0, 1])" in str(found.snippet())


@pytest.mark.parametrize(
    ("records", "move"),
    [
        ([(0, 1e-19), (0, 2e-19)], sl.Change(1)),
        ([(0, Fraction(1, 2**63)), (0, Fraction(3, 2**63))], sl.Change(1)),
        ([(0.0, 1e-20), (0.0, 5e-20)], sl.Remove(1)),
    ],
)
def test_a_column_of_zeros_beside_a_fine_scale(records, move):
    """Catches a factor beyond 64 bits that is put into them since the column's numbers are 0."""
    universe, query = sl.Universe.population(records), sl.vector_sum([0, 1])
    ask = {"relation": move, "norm": 1}
    found = sl.global_sensitivity(query, universe, size=1, method="solver", **ask)
    walked = sl.global_sensitivity(query, universe, size=1, method="walk", **ask)
    assert found.value == walked.value > 0
    wide = sl.Universe.population([(1, 1e-19)])
    nothing = sl.local_sensitivity(query, [], wide, relation=sl.Add(1), method="solver")
    assert nothing.value == 1 + Fraction(1, 10**19)
