"""Records that are people: what tells them apart, what they bring, and what is refused of them."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import polars as pl
import pytest
from conftest import refused

import sensitivity_lab as sl


def worth(table):
    """A number of one person, or of several: of all rows they bring."""
    return sum(table["price"])


def test_any_people_are_numbered():
    """Catches two people whose rows run together, and an empty-handed one who takes no number."""
    universe = sl.Universe.people(pd.DataFrame({"s": [1, None], "d": ["x", None]}), most_rows=2)
    none, first, second = universe.values[:3]
    given = universe.given(universe.indices([(*first, *second), none, first]))
    assert given["person"].tolist() == [1, 2, 2]
    assert dict(given.drop(columns="person").dtypes) == {"s": "float64", "d": given["d"].dtype}
    for person in universe.values:
        for order in (person, person[::-1]):
            assert universe.values[universe.indices([order])[0]] == person
    frame = pd.DataFrame({"person": [4, 7, 7], "s": [None, 1, None], "d": [None, "x", None]})
    people = Counter(universe.values[i] for i in universe.indices(frame))
    assert people == Counter([second, (*first, *second)])
    known = sl.local_sensitivity(len, frame, universe, relation=sl.Add(1))
    assert known.value == 2


def test_threads_and_audits_of_people():
    """Catches people who are told in rows by a worker or a report."""
    universe = sl.Universe.people(pd.DataFrame({"who": list("aabcc"), "price": range(5)}), id="who")
    ask = {"sizes": 2, "relations": [sl.SymmetricDifference(1)]}
    want = 7  # who has the rows 3 and 4 leaves
    for claim, verdict in ((0, "exact"), (1, "loose"), (-1, "too small")):
        assert sl.audit(worth, want + claim, universe, **ask).rows[0].verdict == verdict
    searched = sl.audit(worth, 0, universe, method="search", trials=200, **ask).rows[0]
    ask = {"size": 2, "relation": sl.SymmetricDifference(1)}
    with ThreadPoolExecutor(2) as pool:
        found = sl.global_sensitivity(worth, universe, executor=pool, **ask)
    assert (searched.found, found.value, found.check()) == (want, want, True)
    here, there = ({*side["who"]} for side in found.witness)
    assert here ^ there == {"c"}
    assert [len(side) for side in found.witness] == [
        sum(who in side for who in "aabcc") for side in (here, there)
    ]


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


SEVERAL = {
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
    universe = sl.Universe.people(SEVERAL, id="who")
    words = ("rows of one table", "orders, visits", "SUM.of(lambda person: len(person['orders']))")
    with refused(ValueError, *words):
        sl.global_sensitivity(query, universe, size=1, relation=sl.Change(1))
    with refused(ValueError, *words):
        sl.local_sensitivity(query, ["x"], universe, relation=sl.Change(1))
    way_out = sl.SUM.of(lambda tables: len(tables["orders"]))
    assert sl.global_sensitivity(way_out, universe, size=1, relation=sl.Change(1)).value == 2
