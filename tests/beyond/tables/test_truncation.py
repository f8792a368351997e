"""Bounds on people, held to a few lines over lists of rows (`worlds.bounded`)."""

import pickle
import random
from collections import Counter
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import a_third, refused
from worlds import Anybody, Named, as_pandas, people_of, schema

import sensitivity_lab as sl


@pytest.mark.parametrize("seed", a_third([*range(60)]))
def test_a_table_is_bounded_as_plain_words_have_it(seed):
    """Catches any wrong row: ties, missing cells, bounds in another order than was written."""
    rng = random.Random(seed)
    named = Named(rng)
    costs = named.bound(rng)
    universe, people = named.universe, len(named.people)
    found = universe.apply(named.table)
    assert schema(found.table) == schema(named.table)
    assert named.read(found.table) == Counter(named.everybody)
    assert (found.rows, found.people) == (len(named.frame), people)
    lost = found.lost.itertuples(index=False)
    for cost, each in zip(lost, zip(*costs, strict=True), strict=True):
        assert tuple(cost) == (*map(sum, zip(*each, strict=True)), sum(map(any, each)))
    gaps = as_pandas(found.table).isna().sum().to_dict()
    assert [found.missing, f"{found}".count("g: SUM")] == [gaps, sum(map(bool, gaps.values()))]
    # it lies in the universe, where every person has these rows and no others
    assert universe.indices(found.table) == tuple(range(people))
    for i, who in enumerate(universe.values):
        assert named.read(universe.given([i])) == {who: 1}
    # rows in another order are bounded to the same,
    # and a person who leaves takes their own rows alone
    shuffled = named.frame.sample(frac=1, random_state=seed)
    rest = shuffled[shuffled["who"] != named.everybody[0]]
    for rows in (shuffled, rest):
        table = universe.apply(named.tables(rng, rows)).table
        assert len(universe.indices(table)) == rows["who"].nunique()


@pytest.mark.parametrize("seed", a_third([*range(30)]))
def test_anybody_bounded_is_whoever_can_be_left(seed):
    """Catches people whom no bound leaves, one who is missed, and one who is listed twice."""
    rng = random.Random(seed)
    anybody = Anybody(rng)
    bounds = [(before, after) for before, after in anybody.bound(rng) if before][:9]
    listed = [anybody.read(anybody.universe.given([i])) for i in range(anybody.universe.distinct)]
    found = [next(iter(one), ()) for one in listed]
    assert sorted(found) == sorted(anybody.everybody)
    # the same rows as a table lie in it
    if bounds:
        before, after = zip(*bounds, strict=True)
        table = anybody.universe.apply(anybody.numbered(before, rng)).table
        assert len(anybody.universe.indices(table)) == len(after)
        assert people_of(table) == Counter(after)


def test_a_real_table_may_have_the_column_that_comes_first():
    """Catches a schema of one column that bounds no table of many, and a forgotten bound."""
    anybody = sl.Universe.people(sl.Universe.product(kwh=[0, 50]), most_rows=3)
    bounded = anybody.truncated(rows=2, keep="day").truncated(clip={"kwh": (0, 9)})
    assert bounded == sl.Universe.people(sl.Universe.product(kwh=[0, 9]), most_rows=2)
    table = pd.DataFrame({"kwh": [50, 5, 0, 7], "day": [2, 1, 3, 1], "who": [4, 4, 4, 1]})
    assert bounded.apply(table, id="who").table["kwh"].tolist() == [9, 5, 7]
    brings_some = sl.Universe.people(sl.Universe.product(kwh=[0, 50]), most_rows=3, least_rows=1)
    with refused(ValueError, "bounds must name one of kwh, got 'day'"):
        brings_some.truncated(groups=("kwh", 1), keep="day")


def test_universes_are_written_and_kept():
    orders = pl.DataFrame({"who": ["b", "a", "b"], "price": [3, 5, 4]})
    bounds = {"rows": 1, "clip": {"price": (0, 4)}}
    people = sl.Universe.people(orders, id="who").truncated(**bounds, keep="price")
    words = ".truncated(rows=1, clip={'price': (0, 4)}, keep='price')"
    assert repr(people) == f"Universe.people(['a', 'b'], id='who'){words}"
    assert repr(people.truncated(rows=1)) == f"{people}.truncated(rows=1)"
    some = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2, id="who")
    anybody = some.truncated(groups=("price", 1))
    assert repr(anybody).endswith("], id='who').truncated(groups=('price', 1))")
    for universe in (people, anybody):
        again = pickle.loads(pickle.dumps(universe))
        assert (again, hash(again), repr(again)) == (universe, hash(universe), repr(universe))
    assert some not in (anybody, sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2))


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_are_cut_in_their_own_type(made):
    """Catches floats made of whole numbers, and bounds beyond what a column can hold."""
    table = made({"who": [1, 1, 2], "x": [0.25, 0.5, 7.0], "n": [1, 200, 3]})
    people = sl.Universe.people(table, id="who")
    cut = people.truncated(clip={"x": (Fraction(1, 3), 1.5), "n": (-(10**30), 100)}).apply(table)
    assert cut.table.schema == table.schema if not isinstance(table, pd.DataFrame) else True
    assert [*map(int, cut.table["n"])] == [1, 100, 3]
    assert [*map(float, cut.table["x"])] == [1 / 3, 0.5, 1.5]
    with refused(ValueError, "column n must be whole, within Int64", "got 0 and Fraction(1, 2)"):
        people.truncated(clip={"n": (0, 0.5)})


ORDERS = pd.DataFrame({"who": [1, 1, 2], "x": [1, 1, 2], "odd": [1, "a", 2]})


@pytest.mark.parametrize(
    ("bounds", "error", "words"),
    [
        ({}, ValueError, ["at least one of rows, groups and clip"]),
        ({"row": 2}, TypeError, ["must be rows=2, groups=", "got row=2"]),
        ({"rows": 0}, ValueError, ["rows must be a whole number of at least 1, got rows=0"]),
        ({"groups": "x"}, TypeError, ["groups=('shop', 1)", "got groups='x'"]),
        ({"clip": (0, 5)}, TypeError, ["clip={'price': (0, 100)}, got clip=(0, 5)"]),
        ({"clip": {"x": (5, 0)}}, ValueError, ["bounds must rise"]),
        ({"clip": {"odd": (0, 5)}}, TypeError, ["columns of numbers, got odd"]),
        ({"clip": {"who": (0, 5)}}, ValueError, ["must name one of x, odd, got 'who'"]),
        ({"groups": ("who", 1)}, ValueError, ["must name one of x, odd, got 'who'"]),
        ({"rows": 1, "keep": "y"}, ValueError, ["must name one of x, odd, got 'y'"]),
        ({"rows": 1}, TypeError, ["column odd must have an order", "or keep name one"]),
    ],
    ids=str,
)
def test_what_is_no_bound_is_refused(bounds, error, words):
    with refused(error, *words):
        sl.Universe.people(ORDERS, id="who").truncated(**bounds)


def test_bounds_are_of_people_and_of_one_table():
    both = sl.Universe.people({"orders": ORDERS, "visits": ORDERS}, id="who")
    with refused(ValueError, "of one table, got orders, visits: bound and `apply` each"):
        both.truncated(rows=1)
    with refused(TypeError, "universe must hold people", "got Universe.population([1, 2])"):
        sl.Universe.population([1, 2]).truncated(rows=1)
    people = sl.Universe.people(ORDERS.drop(columns="odd"), id="who").truncated(rows=1)
    with refused(ValueError, "must hold all rows of each of its people", "apply the bounds to it"):
        people.indices(ORDERS.drop(columns="odd"))
