"""Some cells of a person's rows change: held to people written out by hand, who share no code with it."""

import random
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from statistics import median

import pandas as pd
import pytest
from conftest import CHECK_ALL, SEED, a_third

import sensitivity_lab as sl
from sensitivity_lab import definition

PRODUCT = [(s, p) for s in "ab" for p in (0, 5, 9)]
RAGGED = [("a", 0), ("a", 7), ("b", 5), ("c", -3), ("c", 0), ("c", 1)]  # no shop has every price
LOOSE = [
    ("a", 0),
    ("b", 0),
    ("b", 7),
    ("c", 7),
    ("d", 3),
    ("b", 3),
]  # b has every price, a and d one
SHAPES = {
    "product": PRODUCT,
    "ragged": RAGGED,
    "loose": LOOSE,
    "missing": [("a", 1), (None, 1), (None, 4)],
}
COLUMNS = (["price"], ["shop"], ["price", "shop"])
CASES = 15 if CHECK_ALL else 2  # others at the next commit
BOUNDS = [(0, 1), (0, 2), (1, 2), (2, 2), (1, 3)]
NAMES = ("shop", "price")


def people_of(rows, least, most):
    """Everybody who may be, as a sorted tuple of the numbers of their rows."""
    return [
        p
        for n in range(least, most + 1)
        for p in combinations_with_replacement(range(len(rows)), n)
    ]


def others_of(person, rows, columns):
    """Whoever this person may turn into: each row, one by one, gets other cells in the columns."""
    keep = [i for i, name in enumerate(NAMES) if name not in columns]
    ways = [
        [j for j, to in enumerate(rows) if all(to[i] == rows[at][i] for i in keep)] for at in person
    ]
    return {tuple(sorted(way)) for way in product(*ways)}


def widest(rows, bounds, columns, k, n, say):
    """The largest gap, over any n people of whom any k or fewer turn into others."""
    people = people_of(rows, *bounds)
    turned = {person: others_of(person, rows, columns) for person in people}
    best = 0
    for dataset in combinations_with_replacement(people, n):
        here = say([[rows[i] for i in person] for person in dataset])
        for who in combinations(range(n), min(k, n)):
            for into in product(*(turned[dataset[i]] for i in who)):
                other = list(dataset)
                for i, person in zip(who, into, strict=True):
                    other[i] = person
                there = say([[rows[i] for i in person] for person in other])
                best = max(best, definition.gap(here, there, 1))
    return best


def prices(people):
    return [price for person in people for _, price in person]


def in_a(table):
    return int(table.loc[table["shop"] == "a", "price"].sum())


def most_of_one(table):
    return int(table.groupby("person")["price"].sum().max()) if len(table) else 0


ASKED = {  # the query, what it says by hand, the rows that it needs
    "sum": (sl.SUM.of("price"), lambda people: sum(prices(people)), 0),
    "clipped": (sl.SUM.of("price").clipped(0, 5), lambda people: sum(min(5, max(0, p)) for p in prices(people)), 0),
    "mean": (sl.MEAN.of("price"), lambda people: Fraction(sum(prices(people)), len(prices(people))), 1),
    "median": (sl.MEDIAN.of("price"), lambda people: Fraction(median(map(Fraction, prices(people)))), 1),
    "max": (sl.MAX.of("price"), lambda people: max(prices(people)), 1),
    "distinct": (sl.count_distinct.of("price"), lambda people: len(set(prices(people))), 0),
    "variance": (sl.VARIANCE.of("price"), lambda people: definition.variance(0)(tuple(prices(people))), 1),
    "range": (sl.RANGE.of("price"), lambda people: max(prices(people)) - min(prices(people)), 1),
    "histogram": (sl.histogram([0, 1, 6, 10]).of("price"), lambda people: definition.histogram([0, 1, 6, 10])(prices(people)), 0),
    "count": (sl.COUNT, lambda people: len(prices(people)), 0),
    "where": (sl.count_where(lambda row: row.price > 2), lambda people: sum(p > 2 for p in prices(people)), 0),
    "people where": (
        sl.count_people_where(lambda person: person["price"].sum() > 6),
        lambda people: sum(sum(p for _, p in person) > 6 for person in people), 0,
    ),
    "of a person": (
        sl.MAX.of(lambda person: int(person["price"].sum()) * len(person)),
        lambda people: max(sum(p for _, p in person) * len(person) for person in people),
        0,
    ),
    "in a": (in_a, lambda people: sum(p for person in people for s, p in person if s == "a"), 0),
    "most": (most_of_one, lambda people: max((sum(p for _, p in q) for q in people if q), default=0), 0),
}  # fmt: skip


def total_of(universe, size, k, *columns):
    """The sensitivity of the sum of all prices, where so many people change in some columns."""
    relation = sl.Change(k, columns=columns)
    return sl.global_sensitivity(sl.SUM.of("price"), universe, size=size, relation=relation)


def universe_of(rows, bounds):
    table = pd.DataFrame({"shop": [s for s, _ in rows], "price": [p for _, p in rows]})
    return sl.Universe.people(table, most_rows=bounds[1], least_rows=bounds[0])


@pytest.mark.parametrize(("shape", "name"), a_third([*product(SHAPES, ASKED)]))
def test_the_widest_gap_is_that_of_people_written_out(shape, name):
    """Catches a cell that is kept or freed by mistake, rows that come or go, and a class taken for all."""
    (query, say, needed), rows = ASKED[name], SHAPES[shape]
    cases = [*product(COLUMNS, BOUNDS, [(1, 1), (1, 2), (2, 2)])]
    for columns, bounds, (k, n) in random.Random(f"{SEED} {shape} {name}").sample(cases, CASES):
        if bounds[0] < needed or (len(rows) > 4 and bounds[1] * n > 2 and bounds[1] * k > 2):
            continue
        want = widest(rows, bounds, columns, k, n, say)
        ask = {"size": n, "relation": sl.Change(k, columns=columns)}
        universe = universe_of(rows, bounds)
        found = sl.global_sensitivity(query, universe, **ask)
        assert (found.value, found.method, found.check()) == (want, "walk", True), (
            columns,
            bounds,
            k,
            n,
        )
        try:
            solved = sl.global_sensitivity(query, universe, method="solver", **ask)
        except sl.NotProved:
            continue
        assert (solved.value, solved.check()) == (want, True), (columns, bounds, k, n)


def test_a_hundred_people_change_their_prices():
    """Catches a proof that is not used, and one used where shops have prices of their own."""
    free, tied = universe_of(PRODUCT, (1, 2)), universe_of(RAGGED, (1, 2))
    found = total_of(free, 100, 3, "price")
    assert (found.value, found.method, found.check()) == (3 * 2 * 9, "solver", True)
    ask = {"size": 100, "relation": sl.Change(3, columns=["price"])}
    mean = sl.global_sensitivity(sl.MEAN.of("price"), free, **ask)
    assert mean.value == Fraction(9 * 2 * 3, 97 + 6)
    for universe, column in ((tied, "price"), (free, "shop")):  # a shop that changes moves no price
        with pytest.raises(sl.TooLarge):
            total_of(universe, 100, 3, column)


def test_one_person_with_their_neighbours():
    """Catches neighbours who bring other rows, and a relation that does not know its own."""
    universe, relation = universe_of(PRODUCT, (0, 2)), sl.Change(1, columns=["price"])
    for person, value in (((("a", 0), ("b", 5)), 13), ((), 0)):
        found = sl.local_sensitivity(sl.SUM.of("price"), [person], universe, relation=relation)
        assert (found.value, found.check()) == (value, True)
    assert relation.count_neighbours([(("a", 0), ("b", 5))], universe) == 9  # with itself
    assert relation.are_neighbours([universe.values[1]], [universe.values[2]])
    assert not relation.are_neighbours([universe.values[0]], [universe.values[1]])


def test_audits_of_columns_of_people():
    """Catches an audit that asks of whole people."""
    asked = {"sizes": [1], "relations": [sl.Change(1, columns=["price"])]}
    report = sl.audit(sl.SUM.of("price"), 18, universe_of(PRODUCT, (0, 2)), **asked)
    assert report.rows[0].verdict == "exact"


@pytest.mark.parametrize(
    ("universe", "columns", "said"),
    [
        (sl.Universe.people(pd.DataFrame({"id": [1, 2], "price": [3, 4]}), id="id"), ["price"], "people are known"),
        (universe_of(PRODUCT, (0, 3)).truncated(rows=2), ["price"], "bounds drop rows"),
        (universe_of(PRODUCT, (0, 3)).truncated(groups=("shop", 1)), ["price", "shop"], "bounds drop rows"),
        (universe_of(PRODUCT, (0, 2)), ["person"], "columns must be columns of the records"),
    ],
)  # fmt: skip
def test_what_is_unclear_is_refused(universe, columns, said):
    """Catches other cells that known people are given, and rows that bounds keep only after a change."""
    with pytest.raises(ValueError, match=said):
        total_of(universe, 1, 1, *columns)


def test_bounds_that_change_nothing_of_it():
    """Catches a refusal where numbers are cut alone, or rows are alike but for what changes."""
    clipped = universe_of(PRODUCT, (0, 2)).truncated(clip={"price": (0, 5)})
    assert total_of(clipped, 1, 1, "price").value == 10
    alone = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=5).truncated(rows=2)
    assert total_of(alone, 3, 2, "price").value == 36
