"""Bounds on people, held to a few lines over lists of dicts that know nothing of the package.

A person is a list of rows, a row a dict; what is missing is None. Rows come shuffled, with ties, with
cells missing, with ids out of order, in tables of each of the three libraries.
"""

import pickle
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import oracle_rows
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import a_third, in_turn, refused

import sensitivity_lab as sl

COLUMNS = ("who", "shop", "price", "day")
IDS, SHOPS, PRICES, DAYS = ("z", "a", "m", "b"), ("x", "y", None), (-5, 0, 3, 400, None), (1, 2, 3)
BOUNDS = {
    "rows": [1, 2, 5],
    "groups": [("shop", 1), ("shop", 2), ("price", 1), ("day", 2)],
    "clip": [{"price": (0, 100)}, {"price": (0, 1), "day": (2, 2)}],
}


# -- the same, in plain words --------------------------------------------------------------------


def by_cells(row, keep):
    first = [] if keep is None else [row[keep]]
    cells = [*first, *(row[c] for c in COLUMNS if c in row)]
    return [(cell is None, 0 if cell is None else cell) for cell in cells]


def bounded(rows, steps, keep):
    """One person's rows after each bound, and how many rows and cells each cost."""
    costs = []
    for name, what in steps.items():
        before = rows
        rows = sorted(rows, key=lambda row: by_cells(row, keep))
        cells = 0
        if name == "rows":
            rows = rows[:what]
        elif name == "groups":
            column, most = what
            first = list(dict.fromkeys(row[column] for row in rows))[:most]
            rows = [row for row in rows if row[column] in first]
        else:
            cut = [
                {c: v if v is None or c not in what else min(max(v, what[c][0]), what[c][1])
                 for c, v in row.items()}
                for row in rows
            ]  # fmt: skip
            cells = sum(a[c] != b[c] for a, b in zip(rows, cut, strict=True) for c in a)
            rows = cut
        costs.append((len(before) - len(rows), cells))
    return rows, costs


def multiset(rows):
    return Counter(tuple(row.items()) for row in rows)


def brought(rows):
    people = {}
    for row in rows:
        people.setdefault(row["who"], []).append(row)
    return people


# -- tables ----------------------------------------------------------------------------------------


def pandas_table(rows):
    columns = {c: [row[c] for row in rows] for c in COLUMNS}
    return pd.DataFrame({**columns, "price": pd.array(columns["price"], "Int64")})


def polars_table(rows):
    schema = {"who": pl.String, "shop": pl.String, "price": pl.Int16, "day": pl.UInt8}
    return pl.DataFrame({c: [row[c] for row in rows] for c in COLUMNS}, schema=schema)


def arrow_table(rows):
    kinds = [pa.string(), pa.string(), pa.int32(), pa.int8()]
    return pa.table(
        {c: pa.array([row[c] for row in rows], k) for c, k in zip(COLUMNS, kinds, strict=True)}
    )


def dicts(table):
    if isinstance(table, pd.DataFrame):
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return [{c: row[c] for c in table} for row in rows]
    return table.to_dicts() if isinstance(table, pl.DataFrame) else table.to_pylist()


TABLES = [pandas_table, polars_table, arrow_table]


def drawn(rng):
    rows = [
        dict(zip(COLUMNS, map(rng.choice, (IDS, SHOPS, PRICES, DAYS)), strict=True))
        for _ in range(rng.randint(1, 14))
    ]
    names = rng.sample(list(BOUNDS), rng.randint(1, 3))
    return (
        rows,
        {name: rng.choice(BOUNDS[name]) for name in names},
        rng.choice([None, "day", "price"]),
    )


@pytest.mark.parametrize("made", TABLES)
@pytest.mark.parametrize("seed", range(30))
def test_a_table_is_bounded_as_plain_words_have_it(seed, made):
    """Catches any wrong row: ties, missing cells, bounds in another order than was written."""
    rng = random.Random(seed)
    rows, steps, keep = drawn(rng)
    table = made(rows)
    universe = sl.Universe.people(table, id="who").truncated(**steps, keep=keep)
    found = universe.apply(table)
    people = brought(rows)
    want = {who: bounded(held, steps, keep) for who, held in people.items()}
    left = [row for held, _ in want.values() for row in held]
    assert type(found.table) is type(table)
    assert multiset(dicts(found.table)) == multiset(left)
    assert (found.rows, found.people) == (len(rows), len(people))
    costs = list(zip(*(each for _, each in want.values()), strict=True))
    for cost, each in zip(found.lost.itertuples(index=False), costs, strict=True):
        assert tuple(cost) == (*map(sum, zip(*each, strict=True)), sum(map(any, each)))
    # it lies in the universe, where every person has these rows and no others
    assert universe.indices(found.table) == tuple(range(len(people)))
    for i, who in enumerate(universe.values):
        assert multiset(dicts(universe.given([i]))) == multiset(want[who][0])
    # rows in another order are bounded to the same, and a person who leaves takes their own rows alone
    again = universe.apply(made(rng.sample(rows, len(rows)))).table
    assert multiset(dicts(again)) == multiset(left)
    gone = rng.choice(sorted(people))
    rest = universe.apply(made([row for row in rows if row["who"] != gone])).table
    assert multiset(left) - multiset(dicts(rest)) == multiset(want[gone][0])


ROWS = [
    {"shop": shop, "price": price}
    for shop, price in (("x", 0), ("x", 7), ("y", 7), (None, 2), ("y", 2))
]


STEPS = [
    {"rows": 1}, {"rows": 2}, {"rows": 9}, {"groups": ("shop", 1)}, {"groups": ("shop", 3)},
    {"clip": {"price": (1, 5)}}, {"rows": 2, "groups": ("shop", 1)}, {"clip": {"price": (2, 2)}, "rows": 1},
    {"groups": ("shop", 1), "rows": 2}, {"groups": ("price", 1), "clip": {"price": (0, 3)}},
]  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "least", "keep"),
    a_third(list(product(STEPS, [0, 1, 3], in_turn([None, "price"])))),
    ids=str,
)
def test_anybody_bounded_is_whoever_can_be_left(steps, least, keep):
    """Catches people whom no bound leaves, and a solver that deals them any mix of rows."""
    rows = pd.DataFrame(ROWS)
    anybody = sl.Universe.people(rows, most_rows=3, least_rows=least)
    universe = anybody.truncated(**steps, keep=keep)
    everybody = [who for who in oracle_rows.anybody(ROWS, 3) if len(who) >= least]
    left = [bounded(who, steps, keep)[0] for who in everybody]
    want = {frozenset(multiset(who).items()) for who in left}
    found = [
        frozenset(Counter(tuple(zip(rows, row, strict=True)) for row in who).items())
        for who in universe.values
    ]
    assert len(set(found)) == len(found)
    assert set(found) == want
    # the same rows as a table lie in it
    one = [{"person": 4, **row} for row in everybody[-1]] + [
        {"person": 1, **row} for row in ROWS[:3]
    ]
    table = pd.DataFrame(one, columns=["person", "shop", "price"])
    assert len(universe.indices(universe.apply(table).table)) == table["person"].nunique()
    # and what two neighbours can differ by
    totals, sizes = [sum(row["price"] for row in who) for who in left], list(map(len, left))
    ask = {"universe": universe, "size": 2, "relation": sl.Change(1)}
    found = sl.global_sensitivity(sl.SUM.of("price"), **ask)
    assert (found.value, found.check()) == (max(totals) - min(totals), True)
    assert sl.global_sensitivity(sl.COUNT, **ask).value == max(sizes) - min(sizes)


@pytest.mark.parametrize(
    "steps", [{"rows": 2}, {"groups": ("shop", 1)}, {"clip": {"price": (1, 5)}}]
)
def test_solvers_serve_any_mix_of_rows_alone(steps):
    """Catches a solver that deals people rows of two shops, who are bounded to one."""
    anybody = sl.Universe.people(pd.DataFrame(ROWS), most_rows=2, least_rows=1)
    ask = {"universe": anybody.truncated(**steps), "size": 2, "relation": sl.Change(1)}
    walked = sl.global_sensitivity(sl.MEDIAN.of("price"), **ask, method="walk")
    if "groups" in steps:
        with pytest.raises(sl.NotProved):
            sl.global_sensitivity(sl.MEDIAN.of("price"), **ask, method="solver")
    else:
        found = sl.global_sensitivity(sl.MEDIAN.of("price"), **ask, method="solver")
        assert (found.value, found.check()) == (walked.value, True)


def test_a_real_table_may_have_the_column_that_comes_first():
    """Catches a schema of one column that cannot bound a table of many, and one that forgets a bound."""
    anybody = sl.Universe.people(sl.Universe.product(kwh=[0, 50]), most_rows=3)
    bounded = anybody.truncated(rows=2, keep="day").truncated(clip={"kwh": (0, 9)})
    assert bounded == sl.Universe.people(sl.Universe.product(kwh=[0, 9]), most_rows=2)
    table = pd.DataFrame({"kwh": [50, 5, 0, 7], "day": [2, 1, 3, 1], "who": [4, 4, 4, 1]})
    assert bounded.apply(table, id="who").table["kwh"].tolist() == [9, 5, 7]
    brings_some = sl.Universe.people(sl.Universe.product(kwh=[0, 50]), most_rows=3, least_rows=1)
    with refused(ValueError, "bounds must name one of kwh, got 'day'"):
        brings_some.truncated(groups=("kwh", 1), keep="day")
    one = sl.Universe.product(kwh=[50])
    long = sl.Universe.people(one, most_rows=1_200)
    assert long.truncated(rows=2) == sl.Universe.people(one, most_rows=2)


def test_universes_are_written_and_kept():
    orders = pl.DataFrame({"who": ["b", "a", "b"], "price": [3, 5, 4]})
    bounds = {"rows": 1, "clip": {"price": (0, 4)}}
    people = sl.Universe.people(orders, id="who").truncated(**bounds, keep="price")
    words = ".truncated(rows=1, clip={'price': (0, 4)}, keep='price')"
    assert repr(people) == f"Universe.people(['a', 'b'], id='who'){words}"
    assert (
        repr(people.truncated(rows=1))
        == f"Universe.people(['a', 'b'], id='who'){words}.truncated(rows=1)"
    )
    anybody = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2).truncated(
        groups=("price", 1)
    )
    for universe in (people, anybody):
        again = pickle.loads(pickle.dumps(universe))
        assert (again, hash(again), repr(again)) == (universe, hash(universe), repr(universe))
    assert len(anybody.values) == 5
    assert anybody != sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2)


def test_several_tables_are_bounded_one_by_one():
    orders = pd.DataFrame({"who": ["x", "y", "x"], "price": [1, 2, 3]})
    both = sl.Universe.people({"orders": orders, "visits": orders}, id="who")
    with refused(ValueError, "of one table, got orders, visits: bound and `apply` each"):
        both.truncated(rows=1)
    with refused(TypeError, "must be a table of pandas, polars or pyarrow"):
        sl.Universe.people(orders, id="who").truncated(rows=1).apply({"orders": orders})


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, lambda c: pa.table(c)])
def test_numbers_are_cut_in_their_own_type(made):
    """Catches floats made of whole numbers, and bounds beyond what a column can hold."""
    table = made({"who": [1, 1, 2], "x": [0.25, 0.5, 7.0], "n": [1, 200, 3]})
    people = sl.Universe.people(table, id="who")
    cut = people.truncated(clip={"x": (Fraction(1, 3), 1.5), "n": (-(10**30), 100)}).apply(table)
    assert cut.table.schema == table.schema if not isinstance(table, pd.DataFrame) else True
    assert [row["n"] for row in dicts(cut.table)] == [1, 100, 3]
    assert [row["x"] for row in dicts(cut.table)] == [1 / 3, 0.5, 1.5]
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
        ({"groups": ("x", 0)}, ValueError, ["groups must be a whole number of at least 1"]),
        ({"clip": (0, 5)}, TypeError, ["clip={'price': (0, 100)}, got clip=(0, 5)"]),
        ({"clip": {"x": (5, 0)}}, ValueError, ["bounds must rise"]),
        ({"clip": {"odd": (0, 5)}}, TypeError, ["columns of numbers, got odd"]),
        ({"clip": {"who": (0, 5)}}, ValueError, ["must name one of x, odd, got 'who'"]),
        ({"groups": ("who", 1)}, ValueError, ["must name one of x, odd, got 'who'"]),
        ({"rows": 1, "keep": "y"}, ValueError, ["must name one of x, odd, got 'y'"]),
        ({"rows": 1, "keep": 3}, ValueError, ["must name one of x, odd, got 3"]),
        (
            {"rows": 1},
            TypeError,
            ["column odd must have an order", "or keep name one"],
        ),
        ({"rows": 1, "table": "t"}, TypeError, ["got table='t'"]),
    ],
    ids=str,
)
def test_what_is_no_bound_is_refused(bounds, error, words):
    with refused(error, *words):
        sl.Universe.people(ORDERS, id="who").truncated(**bounds)


def test_bounds_are_of_people():
    with refused(TypeError, "universe must hold people", "got Universe.population([1, 2])"):
        sl.Universe.population([1, 2]).truncated(rows=1)
    with refused(TypeError, "universe must hold people"):
        sl.Universe.population([1, 2]).apply(ORDERS)
    people = sl.Universe.people(ORDERS.drop(columns="odd"), id="who").truncated(rows=1)
    with refused(ValueError, "must hold all rows of each of its people", "apply the bounds to it"):
        people.indices(ORDERS.drop(columns="odd"))
