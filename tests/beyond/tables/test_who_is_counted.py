"""People beside the random ones: who is counted, what is refused, what is solved."""

import math
from fractions import Fraction
from itertools import product

import pandas as pd
import pytest
from conftest import refused

import sensitivity_lab as sl

VISITS = pd.DataFrame({"id": list("aabbccddz"), "price": [5, 5, 0, 9, 7, 7, 1, 2, 4]})
NAMED = sl.Universe.people(VISITS, id="id")
ANYBODY = sl.Universe.people(pd.DataFrame({"price": [0, 5, 9]}), most_rows=2)
SEVERAL = sl.Universe.people({"orders": VISITS, "visits": VISITS[:3]}, id="id")
PRICE = sl.SUM.of("price")
ONE = {"size": 1, "relation": sl.Change(1)}
LEAVES = {"size": 2, "relation": sl.Remove(1)}


def asked(query, universe, **ask):
    return sl.global_sensitivity(query, universe, **ask)


@pytest.mark.parametrize("size", [2, 10**6])
def test_a_query_that_needs_a_row_is_refused_in_one_way(size):
    """Catches a solver that forgets who brings nothing, or says that such a walk is too long."""
    ask = {"size": size, "relation": sl.SymmetricDifference(1)}
    for query in (sl.MEAN, sl.VARIANCE, sl.RANGE):
        for method in ("auto", "solver"):
            with pytest.raises(ValueError, match=r"needs at least .* no rows: people may bring"):
                asked(query.of("price"), ANYBODY, method=method, **ask)
    for query in (sl.count_distinct, sl.histogram([0, 3, 9])):
        assert asked(query.of("price"), ANYBODY, **ask).value == 2


def test_a_column_that_says_no_number_is_left_to_the_walk():
    """Catches a solver that answers where a dataset has no answer, or reads another column."""
    query, ask = sl.count_distinct.of("x"), {"size": 2, "relation": sl.Change(1)}
    for cells in ([1, None], [1, "a"], ["a", None]):
        rows = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
        universe = sl.Universe.people(rows, most_rows=1)
        with pytest.raises(ValueError, match="count_distinct of x failed on dataset"):
            asked(query, universe, **ask)
        with pytest.raises(sl.NotProved):
            asked(query, universe, method="solver", **ask)


def test_what_is_too_large_says_so():
    """Catches 4 for 6.15 of the default method, a standard deviation solved for hours."""
    many = {"id": [i // 2 for i in range(80)], "price": [i * i % 71 for i in range(80)]}
    universe = sl.Universe.people(pd.DataFrame(many), id="id")
    for query in (sl.MEAN.of("price"), sl.histogram([0, 3, 9]).of("price")):
        with pytest.raises(sl.TooLarge, match="no proved solver covers"):
            asked(query, universe, size=20, relation=sl.Remove(1))
        with pytest.raises(sl.TooLarge):
            sl.local_sensitivity(query, range(20), universe, relation=sl.Change(9))
        with pytest.raises(sl.NotProved):
            sl.local_sensitivity(query, range(20), universe, relation=sl.Change(3), method="solver")
    anybody = sl.Universe.people(sl.Universe.product(x=[0, 1]), most_rows=3, least_rows=1)
    ask = {"size": 10**6, "relation": sl.Change(1)}
    with pytest.raises(sl.TooLarge, match="no proved solver covers std of x"):
        asked(sl.STD.of("x"), anybody, **ask)
    for query in (sl.MEDIAN, sl.MIN, sl.RANGE):
        assert asked(query.of("x"), anybody, **ask).method == "solver"


@pytest.mark.parametrize("universe", [NAMED, ANYBODY], ids=["named", "anybody"])
@pytest.mark.parametrize(
    "query",
    [sl.count_where(lambda person: len(person) > 3), sl.COUNT.by(lambda person: len(person)),
        sl.MEAN.of("price").by(len)],
    ids=str,
)  # fmt: skip
def test_a_row_is_not_taken_for_a_person(universe, query):
    """Catches 0 users of more than three orders, for the rows have three columns."""
    message = r"is a function of a row here: len .* SUM.of\(lambda person: int\(len"
    with pytest.raises(TypeError, match=message):
        asked(query, universe, **LEAVES)
    with pytest.raises(TypeError, match=message):
        sl.local_sensitivity(query, universe.values[1:3], universe, relation=sl.Remove(1))
    later = sl.count_where(lambda person: person["price"] == 2 and len(person) > 3)
    for method, one in product(("auto", "walk", "sweep", "solver"), (later, later.by("id"))):
        with pytest.raises((ValueError, TypeError), match="len of a row does not count a person's"):
            asked(one, NAMED, method=method, **LEAVES)
    with pytest.raises(ValueError, match="'person' numbers the people of a dataset"):
        asked(sl.COUNT.by(["person", "price"]), ANYBODY, **ONE)


@pytest.mark.parametrize("query", [sl.COUNT.by("id"), PRICE.clipped(0, 2)], ids=str)
def test_a_column_of_several_tables_is_refused_before_any_work(query):
    """Catches a refusal that comes from the walk, with a dataset, and names no way out."""
    words = ("rows of one table", "orders, visits", "SUM.of(lambda person: len(person['orders']))")
    with refused(ValueError, *words):
        asked(query, SEVERAL, **ONE)
    with refused(ValueError, *words):
        sl.local_sensitivity(query, ["a"], SEVERAL, relation=sl.Change(1))
    assert asked(sl.SUM.of(lambda tables: len(tables["orders"])), SEVERAL, **ONE).value == 1


def test_who_cannot_be_counted():
    """Catches rows counted as people, and a predicate that minds the order of a person's rows."""
    rows = sl.Universe.population(VISITS)
    for query in (sl.count_people, sl.count_people_where(lambda person: len(person) > 2)):
        with refused(TypeError, query.name, "counts people", "COUNT counts records"):
            asked(query, rows, **ONE)
        with refused(ValueError, "whose a row is"):
            query(VISITS)
        assert query([VISITS, VISITS[:3]]) == 2
    first = sl.count_people_where(lambda person: person["price"].iloc[0] > 4)
    with pytest.raises(ValueError, match="must not depend on the order"):
        asked(first, sl.Universe.people(VISITS[1:].assign(id="b"), id="id"), **ONE)
    with refused(TypeError, "predicate must be callable, got 3"):
        sl.count_people_where(3)


def test_a_result_says_whether_it_counts_rows_or_people():
    """Catches rows counted as people, and a result that does not say which it counts."""
    universe = sl.Universe.people(pd.DataFrame({"id": list("abbbb"), "price": range(5)}), id="id")
    often = sl.SUM.of(lambda person: int(len(person) > 3))
    for query, value, words in (
        (sl.COUNT, 4, "count, of all their rows"),
        (PRICE, 10, "of all their rows"),
        (sl.COUNT.by("price"), 4, "of all their rows"),
        (often, 1, ""),
        (sl.count_people, 1, "each person once"),
        (sl.count_people_where(lambda person: len(person) > 3), 1, "each person once"),
    ):
        found = asked(query, universe, **LEAVES)
        assert (found.value, found.check()) == (value, True)
        assert bool(found.keys) is ("by" in found.query.name)
        for shown in (repr(found), found._repr_html_()):
            assert words in shown
            assert ("their rows" in shown) is ("their rows" in words)
    assert "their rows" not in repr(asked(sl.COUNT, sl.Universe.population(VISITS), **LEAVES))


def test_the_number_of_a_person_is_one_in_a_dataset():
    """Catches 0 for 2: the sum of the numbers that each person has alone, where all are 0."""
    ask = {"size": 2, "relation": sl.SymmetricDifference(1)}
    universe = sl.Universe.people(pd.DataFrame({"x": [1, 2]}), most_rows=1)
    for query in (sl.SUM.of("person"), sl.SUM.of("person").clipped(0, 5)):
        assert asked(query, universe, **ask).value == 2  # of the persons 0, 1 and 2
        with pytest.raises(sl.NotProved):
            asked(query, universe, method="solver", **ask)
    assert asked(sl.count_distinct.of("person"), universe, **ask).value == 1
    with pytest.raises(ValueError, match="numbers the people of a dataset"):
        asked(sl.count_where(lambda row: row.person > 0), universe, **ask)
    named = sl.Universe.people(pd.DataFrame({"person": [3, 3, 9]}), id="person")
    assert asked(sl.SUM.of("person"), named, **ask).value == 9


def test_missing_is_written_and_checked():
    """Catches a number for what is missing that is lost, is none, or lies beyond the bounds."""
    query = sl.SUM.of("pay", missing=0.5).clipped(0, 9)
    assert query.name == "sum of pay (missing: 0.5) clipped to [0, 9]"
    found = asked(query, sl.Universe.population(pd.DataFrame({"pay": [1, 2]})), **ONE)
    assert "query = sl.SUM.of('pay', missing=0.5).clipped(0, 9)" in str(found.snippet())
    assert sl.SUM.of(lambda n: None if n > 1 else n, missing=4)((1, 2)) == 5
    with refused(TypeError, "missing must be"):
        sl.SUM.of("pay", missing="none")
    with refused(ValueError, "missing must lie within the bounds, got missing=9"):
        sl.closed_form(sl.SUM.of("pay", missing=9), bounds=(0, 5), **ONE)
    assert sl.closed_form(sl.SUM.of("pay", missing=2), bounds=(0, 5), **ONE).value == 5


def test_no_closed_form_stands_beside_a_column_of_people():
    """Catches a formula for rows, with the people's ids as its bounds: 3/2 beside 4."""
    queries = [sl.MEAN.of("price"), sl.MAX.of("price").clipped(0, 3), PRICE]
    for bounds in (None, (0, 7)):
        ask = {"size": 2, "relations": [sl.Change(1)], "bounds": bounds}
        table = sl.compare(queries, {"price": sl.Universe.people(VISITS[:6], id="id")}, **ask)
        assert [form is None for form in table["closed_form"]] == [True, True, False]


def test_anybody_of_any_number():
    """Catches a cost that grows with the people, and copies of rows that run out."""
    universe = sl.Universe.people(sl.Universe.product(x=[0, 1]), most_rows=50)
    ask = {"size": 10**9, "relation": sl.Change(7)}
    bins = sl.histogram([0, 1, 2]).of("x")
    for query, norm, want in (
        (bins, 2, 350 * math.sqrt(2)), (bins, math.inf, 350), (bins.clipped(0, 0.5), 1, 350),
        (sl.count_distinct.of("x"), 1, 2), (sl.count_distinct.of("x").clipped(-1, 0), 1, 1),
    ):  # fmt: skip
        found = asked(query, universe, norm=norm, **ask)
        assert (found.value, found.method) == (want, "solver")
        assert max(map(len, (found.witness.removed, found.witness.added))) <= 350


def test_somebody_may_bring_neither_the_least_nor_the_most():
    """Catches 2/7: who joins three rows with two or three others moves a variance most."""
    universe = sl.Universe.people(sl.Universe.product(x=[0, 1]), most_rows=4, least_rows=1)
    query = sl.variance(ddof=1).of("x")
    found = asked(query, universe, size=3, relation=sl.Add(1), method="solver")
    assert (found.value, found.check()) == (Fraction(3, 10), True)  # by every four people


def test_a_long_dataset_of_people_is_solved():
    """Catches a walk over thousands of people, and a witness that is not theirs."""
    who = [i * 7919 % 3000 for i in range(9000)]
    table = pd.DataFrame({"who": who, "n": [i % 101 for i in range(9000)]})
    people = sl.Universe.people(table, id="who")
    found = sl.local_sensitivity(sl.SUM.of("n"), table, people, relation=sl.Remove(1))
    totals = table.groupby("who")["n"].sum()
    assert (found.value, found.method, found.check()) == (totals.max(), "solver", True)
    left = set(found.witness[0]["who"]) - set(found.witness[1]["who"])
    assert totals[left.pop()] == totals.max()
    assert people.indices(table.sample(frac=1, random_state=1)) == tuple(range(3000))
