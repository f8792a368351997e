"""A query of a column or a function is the query over the image: other records alone."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import a_third, turn

import sensitivity_lab as sl
from sensitivity_lab import definition

QUERIES = {
    query.name: query
    for query in (
        sl.COUNT, sl.SUM, sl.MEAN, sl.MIN, sl.MAX, sl.MEDIAN, sl.VARIANCE, sl.count_distinct,
    )
}  # fmt: skip
STAFF = [("law", 3), ("art", 1), ("law", 3), ("art", 0), ("law", 2)]


def is_law(record):
    return (record["team"] if not isinstance(record, str) else record) == "law"


def table_of(records):
    return pd.DataFrame(records, columns=["team", "pay"])


def test_counts_of_a_dataset_as_it_is():
    """Catches a count of columns or of the tables of a dict, a predicate asked of the columns."""
    frame = table_of(STAFF)
    assert (sl.COUNT(frame), sl.count_where(is_law)(frame)) == (5, 3)
    assert sl.COUNT(("no", "yes")) == sl.count_where(bool)([0, "x", True]) == 2
    with pytest.raises(ValueError, match="several tables"):
        sl.COUNT({"orders": frame, "visits": frame})


def test_long_datasets_of_few_kinds_go_to_the_solver():
    """Catches an enumeration of a few datasets of thousands of records, minutes long."""
    universe = sl.Universe.population(table_of([("law", 0)] * 12_000 + [("art", 0)] * 4_001))
    relation = sl.SymmetricDifference(2)
    for query in (sl.COUNT, sl.count_where(is_law)):
        found = sl.global_sensitivity(query, universe, size=8_000, relation=relation)
        assert (found.value, found.method, found.check()) == (2, "solver", True)


@turn(1, 2)
def test_a_million_rows():
    """Catches a list of a million rows where a column will do; ints, floats and duplicates."""
    n = 1_000_000
    rng = np.random.default_rng(2)
    cells = {"i": rng.integers(0, 1000, n), "f": np.round(rng.random(n), 3)}
    frame = pd.DataFrame(cells | {"d": rng.choice(["a", "b"], n)})
    universe = sl.Universe.population(frame)
    numbers = {column: sl.Universe.population(frame[column].to_numpy()) for column in "if"}
    asked = [("sum", "i"), ("mean", "f"), ("median", "i"), ("variance", "f")]
    for (name, column), relation in a_third([*product(asked, [sl.Change(1), sl.Remove(2)])]):
        ask = {"size": n // 2, "relation": relation}
        found = sl.global_sensitivity(QUERIES[name].of(column), universe, **ask)
        want = sl.global_sensitivity(QUERIES[name], numbers[column], **ask)
        assert found.value == want.value
        assert found.method == "solver"
        assert len(found.witness.removed) == relation.k
        for side in ("removed", "added"):
            told = getattr(found.witness, side)[column].tolist()
            assert sorted(told) == sorted(getattr(want.witness, side))
        assert dict(found.witness.removed.dtypes) == dict(frame.dtypes)
    clipped, ask = sl.SUM.of("i").clipped(10, 20), {"size": n - 1, "relation": sl.Change(1)}
    assert sl.global_sensitivity(clipped, universe, **ask).value == 10


def test_a_query_of_ones_own_gets_numbers_in_order():
    """Catches numbers in the order of the records, which a function of sorted ones misreads."""

    def span(numbers):
        return numbers[-1] - numbers[0] if numbers else 0

    query, words = sl.Query("span", span).of(len), ["aaaaaa", "b", "cc", "ddd"]
    universe, ask = sl.Universe.population(words), {"size": 3, "relation": sl.Change(1)}
    for method in ("auto", "walk", "sweep"):
        found = sl.global_sensitivity(query, universe, method=method, **ask)
        assert (found.value, found.check()) == (4 - 1, True)
    assert query(words) == 5
    report = sl.audit(query, 3, universe, sizes=3, relations=[sl.Change(1)])
    assert report.rows[0].verdict == "exact"


def test_closed_forms_and_tables():
    """Catches a formula asked of records, and a table that confuses the columns of one frame."""
    ask = {"bounds": (0, 12), "size": 4, "relation": sl.Change(2)}
    for query in {*QUERIES.values()} - {sl.COUNT}:  # of a column what is there is counted
        found, want = (sl.closed_form(q, **ask, values=13) for q in (query.of("age"), query))
        assert (found.value, found.formula, found.status) == (want.value, want.formula, want.status)
    ages = sl.Universe.product(age=[0, 6, 12], place=["x", "y"])
    queries = [sl.SUM.of("age"), sl.MEAN.of("age"), sl.SUM.of(lambda row: row.age - 6)]
    relations = [sl.Change(1), sl.AddRemove(1)]
    table = sl.compare(queries, {"who": ages}, size=4, relations=relations)
    assert table["sensitivity"].tolist() == [12, 12, 3, 3, 12, 6]
    assert table["closed_form"].tolist() == table["sensitivity"].tolist()
    frame = pd.DataFrame({"a": [1, 5, 2], "b": [1.5, 1.5, 9.5]})
    columns = {"rows": sl.Universe.population(frame), "range": sl.Universe.value_range(frame)}
    queries = [sl.SUM.of("a"), sl.SUM.of("b"), sl.MAX.of("a").clipped(0, 2), len]
    swept = sl.sweep(queries, columns, size=1, relations=[sl.Change(1), sl.Add(5)])
    assert swept["sensitivity"].tolist()[::2] == [4, 8, 1, 0, 4, 8, 1, 0]
    assert swept["sensitivity"].tolist()[1::2] == [None] * 4 + [25, Fraction(95, 2), 1, 5]


def test_of_says_what_it_was_given():
    """Catches equal queries that differ, and a name that hides what is asked."""
    assert sl.MEAN.of("salary") == sl.MEAN.of("salary") != sl.MEAN.of("age")
    assert hash(sl.MEAN.of(len).clipped(0, 5)) == hash(sl.MEAN.of(len).clipped(0, 5))
    assert sl.MEAN.of("salary").name == "mean of salary"
    for wrong in (3, None, ["a"]):
        with pytest.raises(TypeError, match="of must be a column's name, as 'pay', or a function"):
            sl.MEAN.of(wrong)
    with pytest.raises(ValueError, match="query mean of a is asked of something already"):
        sl.MEAN.of("a").of("b")
    with pytest.raises(ValueError, match="bounds"):
        sl.MEAN.clipped(5, 1)


def test_bounds_of_clipped_numbers():
    """Catches a formula that forgets the clipping: exact in its words, and ten times too large."""
    for query, said in (
        (sl.SUM.clipped(0, 1), lambda x: min(1, max(0, x))),
        (sl.SUM.clipped(2, 8).clipped(0, 5), lambda x: min(5, max(2, x))),
        (sl.MEDIAN.clipped(-3, 4), lambda x: min(4, max(-3, x))),
    ):
        ask = {"size": 2, "relation": sl.Change(1)}
        found = sl.closed_form(query, bounds=(0, 10), **ask)
        pairs = definition.range_pairs({said(x) for x in range(11)}, 2, "Change", 1)
        want = definition.greatest(definition.QUERIES[query.function.query.name][0], 0, pairs)
        assert found.value == want.value
        numbers = sl.Universe.value_range(range(11))
        assert sl.global_sensitivity(query, numbers, **ask).value == want.value
        at_last = sl.sensitivity_at_distance(query, (1, 9), bounds=(0, 10), distance=2)
        assert at_last == want.value
    by_place = sl.closed_form(sl.SUM.of("s").clipped(0, 1), bounds=(-9, 9), **ask)
    assert by_place.value == 1
    mapped = sl.smooth_sensitivity(sl.MEDIAN.of(len), ("a", "bbb", "cc"), bounds=(0, 9), beta=1)
    assert mapped.value == sl.smooth_sensitivity(sl.MEDIAN, (1, 3, 2), bounds=(0, 9), beta=1).value


def test_a_proof_that_sorts_by_something_else_has_a_witness_all_the_same():
    """Catches runs of the true and the false that are read as runs of ascending numbers."""
    rows = pd.DataFrame({"name": list("fbacde"), "x": [6, 2, 1, 3, 4, 5]})
    few = sl.count_where(lambda number: number < 3).of("x")
    for relation in (sl.Add(2), sl.Remove(1), sl.Change(1)):
        ask = {"universe": sl.Universe.population(rows), "size": 3, "relation": relation}
        solved = sl.global_sensitivity(few, **ask, method="solver")
        here, there = map(few, solved.witness)
        assert solved.value == abs(here - there)
        assert solved.value == sl.global_sensitivity(few, **ask, method="walk").value
