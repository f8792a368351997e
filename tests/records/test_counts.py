"""Counts of anything: records that are no numbers, and rows."""

import random

import oracle_rows
import pandas as pd
import pytest

import sensitivity_lab as sl

METHODS = ("auto", "walk", "sweep", "solver")
ROWS = [
    {"team": "law", "pay": 3},
    {"team": "art", "pay": 1},
    {"team": "law", "pay": 3},
    {"team": "art", "pay": 0},
    {"team": "law", "pay": 2},
]


def is_law(record):
    return (record["team"] if not isinstance(record, str) else record) == "law"


def held_to(query, universe, want, **ask):
    """Every method that serves, at the brute force's value, with a witness that has it."""
    methods = []
    for method in METHODS:
        try:
            found = sl.global_sensitivity(query, universe, method=method, **ask)
        except sl.NotProved:
            assert method == "solver"
            continue
        except sl.Infeasible:
            assert want is None
            continue
        assert found.value == want.value
        assert found.check()
        assert found.query == query
        methods.append(found.method)
    assert want is None or "solver" in methods


@pytest.mark.parametrize("kind", ["rows", "words"])
def test_counts_of_records_that_are_no_numbers(kind):
    """Catches a count that asks for numbers, and a record that counts twice or not at all."""
    rng = random.Random(kind)
    for _ in range(40):
        records = [rng.choice(ROWS) for _ in range(rng.randint(1, 5))]
        given = pd.DataFrame(records) if kind == "rows" else [row["team"] for row in records]
        name, k, size = (
            rng.choice(oracle_rows.RELATIONS),
            rng.randint(1, 2),
            rng.randint(0, len(records)),
        )
        ask = {"size": size, "relation": getattr(sl, name)(k)}
        pairs = oracle_rows.of_population(len(records), size, name, k)
        for query, said in (
            (sl.COUNT, lambda row: 1),
            (sl.count_where(is_law), lambda row: row["team"] == "law"),
        ):
            want = oracle_rows.greatest(
                lambda labels: sum(said(records[i]) for i in labels),  # noqa: B023
                pairs,
            )
            held_to(query, sl.Universe.population(given), want, **ask)


def test_counts_of_a_dataset_as_it_is():
    """Catches a count of columns, or of the tables of a dict."""
    frame = pd.DataFrame(ROWS)
    assert (sl.COUNT(frame), sl.count_where(is_law)(frame)) == (5, 3)
    assert sl.COUNT(("no", "yes")) == sl.count_where(bool)([0, "x", True]) == 2
    with pytest.raises(ValueError, match="several tables"):
        sl.COUNT({"orders": frame, "visits": frame})


def test_a_count_where_some_columns_may_change():
    """Catches a predicate that is asked of the columns of a table."""
    universe = sl.Universe.product(team=["law", "art"], pay=[0, 1])
    for columns, want in ((["pay"], 0), (["team"], 1), (["team", "pay"], 1)):
        found = sl.global_sensitivity(
            sl.count_where(is_law), universe, size=2, relation=sl.Change(1, columns=columns)
        )
        assert found.value == want
        assert found.check()


def test_long_datasets_of_few_kinds_go_to_the_solver():
    """Catches an enumeration of a few datasets of thousands of records, minutes long."""
    rows = pd.DataFrame({"team": ["law"] * 30_000 + ["art"] * 10_001})
    universe = sl.Universe.population(rows)
    for query, want in ((sl.COUNT, 2), (sl.count_where(is_law), 2)):
        found = sl.global_sensitivity(
            query, universe, size=20_000, relation=sl.SymmetricDifference(2)
        )
        assert (found.value, found.method) == (want, "solver")
        assert found.check()
        assert (
            sl.compare(
                [query], {"staff": universe}, size=20_000, relations=[sl.Add(2)]
            ).closed_form[0]
            == 2
        )
