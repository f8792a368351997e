"""People told apart and counted, rows counted, cells that are missing, all people asked at once: beside plain lists."""

import random
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import a_third, refused

import sensitivity_lab as sl
from sensitivity_lab.over_numbers import Added

VISITS = pd.DataFrame({"who": list("zazbzaz"), "minutes": [5, 1, 5, 0, 9, 2, 7]})
NAMED = sl.Universe.people(VISITS, id="who")
SEVERAL = sl.Universe.people({"visits": VISITS, "bills": VISITS[:2]}, id="who")
ANYBODY = sl.Universe.people(sl.Universe.product(minutes=[0, 9]), most_rows=3)
RELATIONS = [sl.Add(1), sl.Remove(2), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Change(1)]


def often(person):
    return len(person) > 2


@pytest.mark.parametrize(
    ("relation", "method"),
    a_third(list(product(RELATIONS, ["auto", "walk", "sweep", "solver"]))),
    ids=str,
)
def test_people_count_once_each(relation, method):
    """Catches rows taken for people: z alone brings four of them."""
    joined = 0 if relation.keeps_size else relation.k
    cases = [(NAMED, 1, sl.count_people, joined), (SEVERAL, 1, sl.count_people, joined)]
    cases += [(ANYBODY, 3, sl.count_people, joined)]
    one = min(1, relation.k)  # z alone comes often, and may leave where people join
    cases += [(NAMED, 1, sl.count_people_where(often), one)]
    cases += [(ANYBODY, 2, sl.count_people_where(often), relation.k)]
    for universe, size, query, want in cases:
        size = max(size, relation.k) if isinstance(relation, sl.Remove) else size
        ask = {"size": size, "relation": relation, "method": method}
        found = sl.global_sensitivity(query, universe, **ask)
        assert (found.value, found.check()) == (want, True)
        assert found.keys == {}
        assert "each person once" in repr(found)
        assert "each person once" in found._repr_html_()


def test_who_cannot_be_counted():
    ask = {"size": 1, "relation": sl.Remove(1)}
    rows = sl.Universe.population(VISITS)
    for query in (sl.count_people, sl.count_people_where(often)):
        with refused(TypeError, query.name, "counts people", "COUNT counts records"):
            sl.global_sensitivity(query, rows, **ask)
        with refused(ValueError, "whose a row is"):
            query(VISITS)
        assert query([VISITS, VISITS[:3]]) == 2
    first = sl.count_people_where(lambda person: person["minutes"].iloc[0] > 1)
    with pytest.raises(ValueError, match="must not depend on the order"):
        sl.global_sensitivity(first, NAMED, **ask)
    with refused(TypeError, "predicate must be callable, got 3"):
        sl.count_people_where(3)


# -- what a missing cell counts as ----------------------------------------------------------------

GAPS = {"team": ["a", "b", "a", "b"], "pay": [5, None, 9, None]}
KINDS = [
    lambda c: pd.DataFrame({**c, "pay": pd.array(c["pay"], "Int64")}),
    pd.DataFrame,
    pl.DataFrame,
    pa.table,
]


@pytest.mark.parametrize("made", KINDS)
def test_a_missing_cell_counts_as_a_number(made):
    """Catches a cell that is left out, and one that is filled before it is cut."""
    table = made(GAPS)
    rows = sl.Universe.population(table)
    people = sl.Universe.people(table, id="team")
    filled = sl.Universe.population([5, 7, 9, 7])
    for query in (sl.SUM, sl.MEAN, sl.MEDIAN, sl.VARIANCE, sl.count_distinct):
        asked = query.of("pay", missing=7)
        assert asked(table) == query((5, 7, 9, 7))
        ask = {"size": 2, "relation": sl.Change(1)}
        found = sl.global_sensitivity(asked, rows, **ask)
        assert (found.value, found.check()) == (
            sl.global_sensitivity(query, filled, **ask).value,
            True,
        )
    total = sl.SUM.of("pay", missing=7)
    ask = {"size": 1, "relation": sl.Remove(1)}
    assert sl.global_sensitivity(total, people, **ask).value == 14
    assert sl.global_sensitivity(total.clipped(0, 6), people, **ask).value == 12
    assert sl.global_sensitivity(total.by("team"), rows, **ask).value == 9
    with pytest.raises((TypeError, ValueError), match="None"):
        sl.global_sensitivity(sl.SUM.of("pay"), rows, **ask)


def test_missing_is_written_and_checked():
    asked = sl.SUM.of("pay", missing=0.5).clipped(0, 9)
    assert asked.name == "sum of pay (missing: 0.5) clipped to [0, 9]"
    rows = sl.Universe.population(pd.DataFrame({"pay": [1, 2]}))
    found = sl.global_sensitivity(asked, rows, size=1, relation=sl.Change(1))
    assert "query = sl.SUM.of('pay', missing=0.5).clipped(0, 9)" in str(found.snippet())
    assert sl.SUM.of(lambda n: None if n > 1 else n, missing=4)((1, 2)) == 5
    with refused(TypeError, "missing must be"):
        sl.SUM.of("pay", missing="none")
    with refused(ValueError, "missing must lie within the bounds, got missing=9"):
        sl.closed_form(sl.SUM.of("pay", missing=9), bounds=(0, 5), size=2, relation=sl.Change(1))
    within = sl.closed_form(
        sl.SUM.of("pay", missing=2), bounds=(0, 5), size=2, relation=sl.Change(1)
    )
    assert within.value == 5


# -- all people at once ---------------------------------------------------------------------------

COLUMNS = {
    "whole": lambda rng: rng.randint(-9, 9),
    "large": lambda rng: rng.choice([2**62, -(2**62), 1]),
    "float": lambda rng: rng.choice([0.1, 0.25, 1e-7, 3.0, 1e15]),
    "exact": lambda rng: rng.choice([Decimal("0.1"), Decimal("2.75")]),
    "parts": lambda rng: rng.choice([Fraction(1, 3), Fraction(1, 7)]),
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_sums_at_once_are_those_person_by_person(column, made):
    """Catches a row that is added to somebody else, a float that is rounded, a number too long for 64 bits."""
    if column == "parts" and made is not pd.DataFrame:
        pytest.skip("a column of fractions is pandas' alone")
    for seed in range(6):
        rng = random.Random(seed)
        who = [rng.choice("qzabm") for _ in range(30)]
        numbers = [COLUMNS[column](rng) for _ in who]
        people = sl.Universe.people(made({"n": numbers, "who": who}), id="who")
        want = [
            sum((Fraction(str(n)) for n, w in zip(numbers, who, strict=True) if w == one), start=0)
            for one in sorted(set(who))
        ]
        sums = Added(sl.SUM.of("n")).of_all(people)
        assert [Fraction(str(n)) for n in sums] == want
        assert list(Added(sl.COUNT).of_all(people)) == [who.count(one) for one in sorted(set(who))]
        above = Added(sl.count_where(lambda row: row.n > 1)).of_all(people)
        assert list(above) == [
            sum(n > 1 for n, w in zip(numbers, who, strict=True) if w == one)
            for one in sorted(set(who))
        ]


def test_a_long_dataset_of_people_is_solved():
    """Catches a walk over twenty thousand people, and a witness that is not theirs."""
    who = [i * 7919 % 3000 for i in range(9000)]
    table = pd.DataFrame({"who": who, "n": [i % 101 for i in range(9000)]})
    people = sl.Universe.people(table, id="who")
    found = sl.local_sensitivity(sl.SUM.of("n"), table, people, relation=sl.Remove(1))
    totals = table.groupby("who")["n"].sum()
    assert (found.value, found.method, found.check()) == (totals.max(), "solver", True)
    left = set(found.witness[0]["who"]) - set(found.witness[1]["who"])
    assert totals[left.pop()] == totals.max()
    shuffled = table.sample(frac=1, random_state=1)
    assert people.indices(shuffled) == tuple(range(3000))


# -- what tells people apart, and what is refused of them ------------------------------------------


def worth(table):
    """A number of one person, or of several: of all rows they bring."""
    return sum(table["price"])


def test_ids_of_every_kind():
    """Catches ids that are numbers, dates or categories, and two tables whose ids differ in kind."""
    dates, texts = pd.to_datetime(["2024", "2023", "2024"]), pd.Categorical(["b", "a", "b"])
    for ids in ([3, 1, 3], [1.5, 2.5, 1.5], dates, texts):
        frame = pd.DataFrame({"who": ids, "price": [1, 2, 4]})
        universe = sl.Universe.people(frame, id="who")
        found = sl.global_sensitivity(worth, universe, size=1, relation=sl.Change(1))
        assert (universe.distinct, found.value, found.check()) == (2, 3, True)
        assert [dict(side.dtypes) for side in found.witness] == [dict(frame.dtypes)] * 2
    one = pd.DataFrame({"who": [1, 2], "a": [0, 0]})
    other = pl.DataFrame({"who": [2, 3], "b": [0, 0]})
    assert sl.Universe.people({"one": one, "other": other}, id="who").values == (1, 2, 3)


TABLES = {
    "orders": pd.DataFrame({"who": ["x", "y", "x"], "price": [1, 2, 3]}),
    "visits": pd.DataFrame({"who": ["y", "z", "y", "y"], "minutes": [5, 6, 7, 8]}),
}


PRICE = sl.SUM.of("price")


@pytest.mark.parametrize(
    "query",
    [
        sl.COUNT,
        PRICE,
        PRICE.clipped(0, 2),
        sl.COUNT.by("who"),
        sl.count_where(lambda r: r.price > 2),
    ],
    ids=str,
)
def test_a_column_of_several_tables_is_refused_before_any_work(query):
    """Catches a refusal that comes from the walk, with a dataset, and names no way out."""
    universe = sl.Universe.people(TABLES, id="who")
    words = ("rows of one table", "orders, visits", "SUM.of(lambda person: len(person['orders']))")
    with refused(ValueError, *words):
        sl.global_sensitivity(query, universe, size=1, relation=sl.Change(1))
    with refused(ValueError, *words):
        sl.local_sensitivity(query, ["x"], universe, relation=sl.Change(1))
    way_out = sl.SUM.of(lambda tables: len(tables["orders"]))
    assert sl.global_sensitivity(way_out, universe, size=1, relation=sl.Change(1)).value == 2
