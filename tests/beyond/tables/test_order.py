"""A function of tables whose answer depends on the order of rows is refused, however it depends."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import pairwise, product
from multiprocessing import get_context

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import in_turn
from sensitivity_beyond.audit.worst_pairs import worst_pairs
from sensitivity_beyond.tables.order import OrderMatters

import sensitivity_lab as sl

PAY = [0, 50, 100]
ROWS = sl.Universe.product(pay=PAY)
ONE = sl.Change(1)
AUDITED = {"relations": [ONE], "sizes": 3}
OF_THREE = {"size": 3, "relation": ONE}


def cells(table):
    return table["pay"].to_pylist() if isinstance(table, pa.Table) else table["pay"].to_list()


def spread(*numbers):
    return sum(abs(a - b) for a, b in pairwise(numbers))


def first(table):
    return next(iter(cells(table)), 0)


def total(table):
    return sum(cells(table))


def steps(table):
    """The same when the rows are reversed."""
    return spread(*cells(table))


def ring(table):
    """The same when the rows are reversed or turned by one."""
    return spread(*cells(table), *cells(table)[:1])


def at_size_three(table):
    return steps(table) if len(cells(table)) == 3 else sum(cells(table))


def on_one_dataset(table):
    return first(table) if sorted(cells(table)) == PAY else 0


def ties_first(table):
    return cells(table).index(max(cells(table), default=0)) if cells(table) else 0


def windows(table):
    return max((a + b for a, b in pairwise(cells(table))), default=0)


def turns(table):
    """The same when the rows are turned by one."""
    return int(tuple(cells(table)) in {(0, 50, 100), (50, 100, 0), (100, 0, 50)})


DEPENDENT = [first, steps, at_size_three, on_one_dataset, ties_first, windows, turns]


def metric(a, b):
    return float(np.sum(np.abs(a - b)))


ENTRANCES = {
    "global": lambda f, u: sl.global_sensitivity(f, u, **OF_THREE),
    "walk": lambda f, u: sl.global_sensitivity(f, u, **OF_THREE, method="walk"),
    "local": lambda f, u: sl.local_sensitivity(f, u.given((0, 1, 2)), u, relation=ONE),
    "audit": lambda f, u: sl.audit(f, 10**9, u, **AUDITED),
    "metric": lambda f, u: sl.audit(f, 10**9, u, **AUDITED, output_metric=metric),
    "search": lambda f, u: sl.audit(f, 10**9, u, **AUDITED, method="search", trials=200),
    "table": lambda f, u: sl.sweep([f], {"all": u}, size=3, relations=[ONE]),
    "pairs": lambda f, u: list(worst_pairs(f, u, **OF_THREE)),
}


@pytest.mark.parametrize("asked", ENTRANCES.values(), ids=ENTRANCES)
@pytest.mark.parametrize("function", DEPENDENT, ids=lambda function: function.__name__)
def test_a_function_that_depends_on_the_order_is_refused(function, asked):
    """Catches 100 where 200 is true: only one order was asked, or only it and its reverse."""
    with pytest.raises(OrderMatters, match="must not depend on the order of rows"):
        asked(function, ROWS)


@pytest.mark.parametrize("size", [4, 5])
def test_a_ring_of_rows_is_refused(size):
    """Catches orders that are all the reverse or a rotation: of three rows no other is a ring's."""
    with pytest.raises(OrderMatters):
        sl.global_sensitivity(ring, ROWS, size=size, relation=ONE)
    assert sl.global_sensitivity(ring, ROWS, **OF_THREE).value == 200


def test_the_refusal_says_the_dataset_both_answers_and_the_way_out():
    """Catches a message from which nobody can reproduce the two answers."""
    with pytest.raises(ValueError, match="order of rows") as refused:
        sl.global_sensitivity(first, ROWS, size=2, relation=ONE)
    text = str(refused.value)
    for part in ("query first", "order='any'", "'kept'", "got 0 on dataset", "and 100 on", "pay"):
        assert part in text


@pytest.mark.parametrize(
    ("table", "workers"),
    [
        *product([pd.DataFrame, pl.DataFrame, pa.table], [None, "threads"]),
        *product(in_turn([pl.DataFrame, pa.table]), ["processes"]),  # a new one takes seconds
    ],
)
def test_tables_of_any_library_are_asked_in_other_orders(table, workers):
    """Catches polars and pyarrow asked in one order, and workers that are not told of others."""
    universe = sl.Universe.population(table({"pay": [1, 5, 9, 9]}))
    pools = {
        None: nullcontext,
        "threads": partial(ThreadPoolExecutor, 2),
        "processes": partial(ProcessPoolExecutor, 1, mp_context=get_context("spawn")),
    }
    with pools[workers]() as pool:
        with pytest.raises(OrderMatters):
            sl.global_sensitivity(steps, universe, **OF_THREE, executor=pool)
        assert sl.global_sensitivity(total, universe, **OF_THREE, executor=pool).value == 8


@pytest.mark.parametrize(
    "function",
    [
        lambda t: float(t.pay.std(ddof=0)),
        lambda t: t.sort_values("pay").pay.diff().abs().sum(),
        lambda t: t.groupby("pay", sort=False).pay.sum().to_dict(),
        lambda t: t.pay.value_counts(),
        lambda t: float((t.pay / 7).sum() + (t.pay / 3).mean()),
    ],
)
def test_a_function_that_sorts_or_adds_is_answered_as_before(function):
    """Catches a false alarm: another order of keys, or a float that is rounded otherwise."""
    found = sl.global_sensitivity(function, ROWS, **OF_THREE)
    report = sl.audit(function, 0, ROWS, **AUDITED, order="any")
    assert float(found.value) == pytest.approx(float(report.rows[0].found))
    assert found.check()


def test_noise_is_told_from_order():
    """Catches a random function that is told to sort."""
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="must be deterministic"):
        sl.global_sensitivity(lambda t: rng.random(), ROWS, **OF_THREE)


ORDERS = pd.DataFrame({"id": ["a", "b", "a", "c"], "paid": [1, 5, 3, 7]})
VISITS = pd.DataFrame({"id": ["b", "c", "c"], "minutes": [2, 4, 8]})
PEOPLE = sl.Universe.people({"orders": ORDERS, "visits": VISITS}, id="id")
ANYBODY = sl.Universe.people(pd.DataFrame({"paid": [1, 5, 9]}), most_rows=2)
OF_TWO = {"size": 2, "relation": sl.SymmetricDifference(1)}


@pytest.mark.parametrize(
    ("function", "universe"),
    [
        (lambda t: int(t["visits"].minutes.head(1).sum()), PEOPLE),
        (lambda t: int(t["orders"].groupby("id").paid.first().sum()), PEOPLE),
        (lambda t: float((t["orders"].paid - t["visits"].minutes).abs().sum()), PEOPLE),
        (lambda t: int(t.groupby("person").paid.first().sum()), ANYBODY),
        (lambda t: int(t.paid.head(1).sum()), ANYBODY),
    ],
    ids=["across", "within", "two tables", "within any", "across any"],
)
def test_people_are_asked_in_other_orders(function, universe):
    """Catches an order within a person, across people, or of one table beside another."""
    with pytest.raises(OrderMatters):
        sl.global_sensitivity(function, universe, **OF_TWO)
