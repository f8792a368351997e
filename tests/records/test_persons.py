"""Records that are people: what tells them apart, what they bring, and what is refused of them."""

import pandas as pd
import polars as pl
import pytest
from conftest import refused

import sensitivity_lab as sl


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
