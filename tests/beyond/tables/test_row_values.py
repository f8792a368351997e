"""Universes, queries and results over rows are equal by content, hashable, and travel."""

import copy
import pickle

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import a_third, in_turn

import sensitivity_lab as sl

COLUMNS = {"d": ["law", "art", "law", None], "s": [1, 2, 1, 7]}
ORDERS = {"who": ["b", "a", "b"], "price": [3, 5, 4]}
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def universes():
    """One of each kind, made anew."""
    made = {
        "text": sl.Universe.population(["no", "yes", "no"]),
        "text and none": sl.Universe.population(["no", None]),
        "range of tuples": sl.Universe.value_range([(1, "a"), (2, "b")], name="pairs"),
        "product": sl.Universe.product(d=["law", "art"], s=[0, 50]),
        "any people": sl.Universe.people(sl.Universe.product(s=[0, 50]), most_rows=2),
    }
    for library, make in MAKERS.items():
        made[library] = sl.Universe.population(make(COLUMNS))
        made[f"range of {library}"] = sl.Universe.value_range(make(COLUMNS))
        made[f"people of {library}"] = sl.Universe.people(make(ORDERS), id="who")
        made[f"people of two {library}"] = sl.Universe.people(
            {"orders": make(ORDERS), "visits": make({"who": ["c"], "t": [1.5]})}, id="who"
        )
    return made


def rows(dataset):
    """How many rows or records: at the top of a module, so that it can be pickled."""
    return sum(map(len, dataset.values())) if isinstance(dataset, dict) else len(dataset)


def size_of(record):
    return len(str(record)) % 7


def test_people_whose_rows_come_in_another_order_are_others():
    """Catches equality that forgets what functions see: the order of a person's rows."""
    frame = pd.DataFrame(ORDERS)
    universe = sl.Universe.people(frame, id="who")
    assert universe != sl.Universe.people(frame.iloc[::-1], id="who")
    assert universe == sl.Universe.people(frame.iloc[[1, 0, 2]], id="who")
    other = frame.assign(price=[3, 5, 9])
    assert universe != sl.Universe.people(other, id="who")
    assert universe != sl.Universe.people(frame.rename(columns={"who": "id"}), id="id")


@pytest.mark.parametrize("kind", a_third(list(universes())))
@pytest.mark.parametrize("query", in_turn([rows, sl.COUNT.of(size_of), sl.SUM.of(size_of)]))
def test_results_are_values(kind, query):
    """Catches a result over tables that cannot be compared, hashed, pickled or copied."""
    ask = {"size": 1, "relation": sl.SymmetricDifference(1)}
    found, again = (sl.global_sensitivity(query, universes()[kind], **ask) for _ in range(2))
    for other in (again, pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert (found, hash(found), repr(found)) == (other, hash(other), repr(other))
        assert [str(side) for side in found.witness] == [str(side) for side in other.witness]
        assert other.check()
    assert found != sl.global_sensitivity(query, universes()[kind], size=1, relation=sl.Add(1))
    assert found._repr_html_()
