"""A query of a column over people is asked of all rows of all of them: no solver takes them for rows."""

import math
from fractions import Fraction
from functools import partial

import pandas as pd
import pytest

import sensitivity_lab as sl

FEW = pd.DataFrame({"id": list("aabbccdd"), "price": [5, 5, 0, 9, 7, 7, 1, 2]})
MANY = pd.DataFrame({"id": [i // 2 for i in range(80)], "price": [(i * i) % 71 for i in range(80)]})
NAMED = sl.Universe.people(FEW, id="id")
ANYBODY = sl.Universe.people(pd.DataFrame({"price": [0, 5, 9]}), most_rows=2)
TWO = sl.Universe.people({"orders": FEW, "returns": FEW}, id="id")
PRICES = [0, 3, 9]
OF_COLUMN = [
    query.of("price")
    for query in (
        sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.MIN, sl.MAX, sl.VARIANCE, sl.std(ddof=1), sl.RANGE,
        sl.INTERQUARTILE_RANGE, sl.MIDHINGE, sl.GINI_MEAN_DIFFERENCE, sl.trimmed_mean(0.1),
        sl.winsorised_mean(0.1), sl.count_distinct, sl.histogram(PRICES),
    )
]  # fmt: skip
ENUMERATED = [
    *OF_COLUMN,
    *(query.clipped(1, 6) for query in OF_COLUMN),
    sl.MEAN.of("price").by("price"),
    sl.SUM.of("price").by("price"),
]


@pytest.mark.parametrize("query", ENUMERATED, ids=str)
def test_no_solver_takes_people_for_rows(query):
    """Catches positions of people taken for sorted numbers, and a refusal that says what was done."""
    ask = {"relation": sl.Change(1), "method": "solver"}
    for universe, what in ((NAMED, "no proof"), (ANYBODY, "no proof"), (TWO, "got several")):
        here = [universe.values[i] for i in (1, 2, 3)]
        refused = sl.NotProved if universe is not TWO else (ValueError, TypeError)
        with pytest.raises(refused, match=what):
            sl.local_sensitivity(query, here, universe, **ask)
        if universe is not ANYBODY:
            with pytest.raises(refused, match=what):
                sl.global_sensitivity(query, universe, size=3, **ask)


@pytest.mark.parametrize("query", OF_COLUMN, ids=str)
@pytest.mark.parametrize("size", [2, 10**6])
def test_a_query_that_needs_a_row_is_refused_in_one_way(query, size):
    """Catches a solver that forgets who brings nothing, or says that such a walk is too long."""
    ask = {"size": size, "relation": sl.SymmetricDifference(1)}
    if not query.smallest_size:
        assert sl.global_sensitivity(query, ANYBODY, **ask).value == 2
        return
    for method in ("auto", "solver"):
        with pytest.raises(ValueError, match=r"needs at least .* and no rows: people may bring no"):
            sl.global_sensitivity(query, ANYBODY, method=method, **ask)


def test_anybody_of_any_number():
    """Catches a cost that grows with the people, and copies of rows that run out."""
    universe = sl.Universe.people(sl.Universe.product(x=[0, 1]), most_rows=50)
    ask = {"size": 10**9, "relation": sl.Change(7)}
    bins = sl.histogram([0, 1, 2]).of("x")
    for query, norm, want in (
        (bins, 1, 700),
        (bins, 2, 350 * math.sqrt(2)),
        (bins, math.inf, 350),
        (bins.clipped(0, 0.5), 1, 350),
        (sl.count_distinct.of("x"), 1, 2),
        (sl.count_distinct.of("x").clipped(-1, 0), 1, 1),
    ):
        found = sl.global_sensitivity(query, universe, norm=norm, **ask)
        assert (found.value, found.method) == (want, "solver")
        assert max(map(len, (found.witness.removed, found.witness.added))) <= 350


def test_a_column_that_says_no_number_is_left_to_the_walk():
    """Catches a solver that answers where a dataset has no answer, or reads another column."""
    for cells in ([1, None], [1, "a"], ["a", None]):
        frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
        universe = sl.Universe.people(frame, most_rows=1)
        ask = {"size": 2, "relation": sl.Change(1)}
        with pytest.raises(ValueError, match="count_distinct of x failed on dataset"):
            sl.global_sensitivity(sl.count_distinct.of("x"), universe, **ask)
        with pytest.raises(sl.NotProved):
            sl.global_sensitivity(sl.count_distinct.of("x"), universe, method="solver", **ask)


def test_what_is_too_large_says_so():
    """Catches 4 for 6.15 of the default method, and a TypeError that asks for what was asked."""
    universe = sl.Universe.people(MANY, id="id")
    for query in (sl.MEAN, sl.MAX, sl.VARIANCE, sl.RANGE, sl.histogram(PRICES)):
        of_prices = query.of("price")
        with pytest.raises(sl.TooLarge, match="no proved solver covers"):
            sl.global_sensitivity(of_prices, universe, size=20, relation=sl.Remove(1))
        local = partial(sl.local_sensitivity, of_prices, range(20), universe)
        with pytest.raises(sl.TooLarge):
            local(relation=sl.Change(9))
        with pytest.raises(sl.NotProved):
            local(relation=sl.Change(3), method="solver")
    table = {"prices": universe}
    with pytest.raises(sl.NotProved):
        sl.sweep([sl.MEAN.of("price")], table, size=20, relations=[sl.Change(1)], method="solver")


def test_no_closed_form_stands_beside_a_column_of_people():
    """Catches a formula for rows, with the people's ids as its bounds: 3/2 beside 4."""
    frame = pd.DataFrame({"id": [1, 1, 2, 3, 4, 4], "price": [0, 1, 5, 7, 2, 2]})
    ask = {"size": 2, "relations": [sl.Change(1)]}
    queries = [sl.MEAN.of("price"), sl.MAX.of("price").clipped(0, 3), sl.SUM.of("price")]
    universe = sl.Universe.people(frame, id="id")
    for bounds in (None, (0, 7)):
        table = sl.compare(queries, {"price": universe}, bounds=bounds, **ask)
        assert [form is None for form in table["closed_form"]] == [True, True, False]


@pytest.mark.parametrize("universe", [NAMED, ANYBODY], ids=["named", "anybody"])
@pytest.mark.parametrize(
    "query",
    [
        sl.count_where(lambda person: len(person) > 3),
        sl.count_where(bool),
        sl.COUNT.by(lambda person: len(person)),
        sl.MEAN.of("price").by(len),
    ],
    ids=str,
)
def test_a_row_is_not_taken_for_a_person(universe, query):
    """Catches 0 users of more than three orders, for the rows have three columns."""
    ask = {"size": 2, "relation": sl.Remove(1)}
    message = (
        r"is a function of a row here: len .* SUM.of\(lambda person: int\(len\(person\) > 3\)\)"
    )
    with pytest.raises(TypeError, match=message):
        sl.global_sensitivity(query, universe, **ask)
    with pytest.raises(TypeError, match=message):
        sl.local_sensitivity(query, universe.values[1:3], universe, relation=sl.Remove(1))
    rows = sl.Universe.population(FEW)
    assert sl.global_sensitivity(sl.count_where(lambda row: len(row) == 2), rows, **ask).value == 1
    later = sl.count_where(lambda person: person["price"] == 2 and len(person) > 3)
    for method in ("auto", "walk", "sweep", "solver"):
        with pytest.raises(ValueError, match="len of a row does not count a person's rows"):
            sl.global_sensitivity(later, NAMED, method=method, **ask)


def test_people_are_counted_by_a_function_of_a_person():
    """Catches rows counted as people, and a result that does not say which it counts."""
    frame = pd.DataFrame({"id": list("abbbb"), "price": range(5)})
    universe = sl.Universe.people(frame, id="id")
    ask = {"size": 2, "relation": sl.Remove(1)}
    rows = sl.global_sensitivity(sl.COUNT, universe, **ask)
    people = sl.global_sensitivity(sl.SUM.of(lambda person: int(len(person) > 3)), universe, **ask)
    assert (rows.value, people.value) == (4, 1)
    for shown in (repr(rows), rows._repr_html_()):
        assert "count, of all their rows" in shown
    for query in (sl.MEAN.of("price"), sl.COUNT.by("price")):
        assert "of all their rows" in repr(sl.global_sensitivity(query, universe, **ask))
    assert "their rows" not in repr(people)
    rows = sl.global_sensitivity(sl.COUNT, sl.Universe.population(frame), **ask)
    assert "their rows" not in repr(rows)


def test_the_number_of_a_person_is_one_in_a_dataset():
    """Catches 0 for 2: the sum of the numbers that each person has alone, where all are 0."""
    ask = {"size": 2, "relation": sl.SymmetricDifference(1)}
    universe = sl.Universe.people(pd.DataFrame({"x": [1, 2]}), most_rows=1)
    for query in (sl.SUM.of("person"), sl.SUM.of("person").clipped(0, 5)):
        assert sl.global_sensitivity(query, universe, **ask).value == 2  # of the persons 0, 1 and 2
        with pytest.raises(sl.NotProved):
            sl.global_sensitivity(query, universe, method="solver", **ask)
        here, one = universe.values[1:3], ask["relation"]
        with pytest.raises(sl.NotProved):
            sl.local_sensitivity(query, here, universe, method="solver", relation=one)
    assert sl.global_sensitivity(sl.count_distinct.of("person"), universe, **ask).value == 1
    with pytest.raises(ValueError, match="numbers the people of a dataset"):
        sl.global_sensitivity(sl.count_where(lambda row: row.person > 0), universe, **ask)
    named = sl.Universe.people(pd.DataFrame({"person": [3, 3, 9]}), id="person")
    assert sl.global_sensitivity(sl.SUM.of("person"), named, **ask).value == 9


# -- everybody brings from so many to so many rows ------------------------------------------------


@pytest.mark.parametrize("query", [sl.variance(ddof=1), sl.GINI_MEAN_DIFFERENCE], ids=str)
def test_somebody_may_bring_neither_the_least_nor_the_most(query):
    """Catches 2/7: who joins three rows with two or three others moves a variance most."""
    universe = sl.Universe.people(sl.Universe.product(x=[0, 1]), most_rows=4, least_rows=1)
    ask = {"size": 3, "relation": sl.Add(1), "method": "solver"}
    found = sl.global_sensitivity(query.of("x"), universe, **ask)
    want = Fraction(3, 10) * (2 if query is sl.GINI_MEAN_DIFFERENCE else 1)  # by every four people
    assert (found.value, found.check()) == (want, True)


def test_what_would_take_too_long_says_so():
    """Catches a standard deviation that is solved for hours, of a person in a million."""
    universe = sl.Universe.people(sl.Universe.product(x=[0, 1]), most_rows=3, least_rows=1)
    ask = {"universe": universe, "size": 10**6, "relation": sl.Change(1)}
    with pytest.raises(sl.TooLarge, match="no proved solver covers std of x"):
        sl.global_sensitivity(sl.STD.of("x"), **ask)
    with pytest.raises(sl.NotProved):
        sl.global_sensitivity(sl.STD.of("x"), method="solver", **ask)
    for query in (sl.MEDIAN, sl.MIN, sl.MAX, sl.RANGE, sl.trimmed_mean(0.1)):
        assert sl.global_sensitivity(query.of("x"), **ask).method == "solver"
