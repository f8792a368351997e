"""A query of a column or of a function is the query over the image: the same values, other records."""

import math
import random
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import oracle_rows
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import CHECK_ALL, SEED, a_third

import sensitivity_lab as sl

QUERIES = {
    query.name: query
    for query in (
        sl.COUNT, sl.SUM, sl.MEAN, sl.MIN, sl.MAX, sl.MEDIAN, sl.VARIANCE, sl.count_distinct,
    )
}  # fmt: skip
METHODS = ("auto", "walk", "sweep", "solver")
WORDS = ["no", "on", "yes", "perhaps", "", "maybe", "never"]
RELATIONS = oracle_rows.RELATIONS


def fifth(number):
    return Fraction(number * number, 5)


def vowels(word):
    return sum(letter in "aeiou" for letter in word)


def of_pair(row):
    return row[1] - 2 * row[0]


def by_brute_force(name, numbers, pairs):
    """The greatest gap over labelled records, its pairs as the numbers that they say."""
    want = oracle_rows.greatest(
        lambda labels: oracle_rows.plain(name, [numbers[i] for i in labels]),
        pairs,
        smallest=oracle_rows.SMALLEST.get(name, 0),
    )
    if want is None:
        return None
    shown = {tuple(tuple(sorted(numbers[i] for i in side)) for side in pair) for pair in want.pairs}
    return oracle_rows.Worst(want.value, shown)


def ask_all(query, universe, want, said=None, here=None, **ask):
    """Every method that serves, globally or `here`; where nothing is feasible, each must say so."""
    methods, answered = METHODS, 0
    call = partial(sl.global_sensitivity, query, universe)
    if here is not None:
        methods = ("auto", "walk", "solver")
        call = partial(sl.local_sensitivity, query, here, universe)
    for method in methods:
        if want is None:
            with pytest.raises((sl.Infeasible, ValueError)):
                call(method=method, **ask)
            continue
        try:
            found = call(method=method, **ask)
        except sl.NotProved:
            assert method == "solver"
            continue
        assert (found.value, found.check()) == (want.value, True)
        assert (found.query, found.universe) == (query, universe)
        if said is not None:
            numbers = tuple(tuple(sorted(map(said, side))) for side in found.witness)
            assert numbers in want.pairs
        if said is not None and not universe.unlimited:
            copies = Counter(universe.sorted_records.tolist())
            assert not any(Counter(side) - copies for side in found.witness)
        assert here is None or Counter(found.witness[0]) == Counter(here)
        answered += 1
    assert want is None or answered >= len(methods) - 1


CASES = {
    "text": (WORDS, len),
    "text, few numbers": (WORDS, vowels),
    "numbers": ([3, -1, 2, 0, -3], fifth),
    "tuples": ([(0, 1), (1, 3), (1, 0), (2, 5), (0, 0)], of_pair),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("asked", ["population", "value_range", "local"])
def test_of_a_function(kind, asked):
    """Catches a witness with a record twice or with one that is spent, records of one number that are
    taken for one, a range whose numbers run out."""
    pool, said = CASES[kind]
    rng = random.Random(kind + asked)
    for turn in range(80):
        records = sorted(rng.choice(pool) for _ in range(rng.randint(1, 5)))
        name, relation, k = rng.choice(list(QUERIES)), rng.choice(RELATIONS), rng.randint(1, 2)
        size, here = rng.randint(0, len(records)), None
        pairs_of, make = oracle_rows.of_population, sl.Universe.population
        if asked == "value_range":
            records, size = list(dict.fromkeys(records)), min(size, 3)
            pairs_of, make = oracle_rows.of_range, sl.Universe.value_range
        if asked != "local" and rng.random() < 0.25:
            size = range(size, size + 2 if asked == "value_range" else len(records) + 1)
        pairs = pairs_of(len(records), size, relation, k)
        ask = {"relation": getattr(sl, relation)(k)}
        if asked == "local":
            here = rng.sample(records, size)
            shown = sorted(here)
            pairs = [pair for pair in pairs if sorted(records[i] for i in pair[0]) == shown]
        else:
            ask["size"] = size
        if turn % 3 != SEED % 3 and not CHECK_ALL:
            continue
        want = by_brute_force(name, list(map(said, records)), pairs)
        ask_all(QUERIES[name].of(said), make(records), want, said, here, **ask)


STAFF = [("law", 3), ("art", 1), ("law", 3), ("art", 0), ("law", 2)]


def is_law(record):
    return (record["team"] if not isinstance(record, str) else record) == "law"


def table_of(records):
    return pd.DataFrame(records, columns=["team", "pay"])


def test_counts_of_a_dataset_as_it_is():
    """Catches a count of columns or of the tables of a dict, and a predicate asked of the columns."""
    frame = table_of(STAFF)
    assert (sl.COUNT(frame), sl.count_where(is_law)(frame)) == (5, 3)
    assert sl.COUNT(("no", "yes")) == sl.count_where(bool)([0, "x", True]) == 2
    with pytest.raises(ValueError, match="several tables"):
        sl.COUNT({"orders": frame, "visits": frame})
    universe = sl.Universe.product(team=["law", "art"], pay=[0, 1])
    for columns, want in ((["pay"], 0), (["team"], 1), (["team", "pay"], 1)):
        ask = {"size": 2, "relation": sl.Change(1, columns=columns)}
        found = sl.global_sensitivity(sl.count_where(is_law), universe, **ask)
        assert (found.value, found.check()) == (want, True)


def test_long_datasets_of_few_kinds_go_to_the_solver():
    """Catches an enumeration of a few datasets of thousands of records, minutes long."""
    universe = sl.Universe.population(table_of([("law", 0)] * 30_000 + [("art", 0)] * 10_001))
    relation = sl.SymmetricDifference(2)
    for query in (sl.COUNT, sl.count_where(is_law)):
        found = sl.global_sensitivity(query, universe, size=20_000, relation=relation)
        assert (found.value, found.method, found.check()) == (2, "solver", True)
        table = sl.compare([query], {"staff": universe}, size=20_000, relations=[relation])
        assert table.closed_form[0] == 2


def cutting(low, high):
    return lambda x: min(Fraction(high), max(Fraction(low), Fraction(x)))


def test_clipped_numbers():
    """Catches bounds that are not inclusive, in another order, or put on the answer."""
    rng = random.Random(6)
    for _ in range(80):
        numbers = [rng.choice([-3, 0, 0.5, 2, 7, 100]) for _ in range(rng.randint(1, 5))]
        low, high = sorted(rng.sample([-1, 0, Fraction(1, 3), 0.25, 2, 50], 2))
        said, size = cutting(low, high), rng.randint(0, len(numbers))
        name, relation = rng.choice(list(QUERIES)), rng.choice(RELATIONS)
        pairs = oracle_rows.of_population(len(numbers), size, relation, 1)
        want = by_brute_force(name, list(map(said, numbers)), pairs)
        ask = {"size": size, "relation": getattr(sl, relation)(1)}
        query = QUERIES[name].clipped(low, high)
        for given in (numbers, np.array(numbers)):
            ask_all(query, sl.Universe.population(given), want, said, **ask)
        rows = sl.Universe.population(pd.DataFrame({"x": numbers}))
        ask_all(QUERIES[name].of("x").clipped(low, high), rows, want, **ask)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_of_a_column(make):
    """Catches a column read in another order than the rows, or of another kind."""
    columns = {
        "i": [5, 1, 1, 9, -2],
        "f": [0.5, 0.25, 0.5, 3.0, 1.0],
        "b": [True, False, True, True, False],
        "d": ["x", "y", "x", "x", "z"],
    }
    frame = make(columns)
    for name, column in product(QUERIES, "ifb"):
        once = list(dict.fromkeys(columns[column]))
        for universe, pairs_of, numbers in (
            (sl.Universe.population(frame), oracle_rows.of_population, columns[column]),
            (sl.Universe.value_range(frame), oracle_rows.of_range, once),
        ):
            pairs = pairs_of(len(numbers), 2, "SymmetricDifference", 1)
            want = by_brute_force(name, numbers, pairs)
            ask = {"size": 2, "relation": sl.SymmetricDifference(1)}
            for of in (column, lambda row, c=column: row[c]):
                found = sl.global_sensitivity(QUERIES[name].of(of), universe, **ask)
                assert (found.value, found.check()) == (want.value, True)
                assert type(found.witness[0]) is type(frame)


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
        said = found.witness.removed[column].tolist(), found.witness.added[column].tolist()
        assert tuple(map(sorted, said)) == tuple(
            sorted(side) for side in (want.witness.removed, want.witness.added)
        )
        assert dict(found.witness.removed.dtypes) == dict(frame.dtypes)
    clipped = sl.global_sensitivity(
        sl.SUM.of("i").clipped(10, 20), universe, size=n - 1, relation=sl.Change(1)
    )
    assert clipped.value == 10
    frame.loc[7, "f"] = math.nan
    with pytest.raises((TypeError, ValueError), match="mean of f is asked of must be a number for"):
        sl.global_sensitivity(
            sl.MEAN.of("f"), sl.Universe.population(frame), size=5, relation=sl.Change(1)
        )


def test_a_query_of_ones_own_gets_numbers_in_order():
    """Catches numbers given in the order of the records, which a function of sorted ones misreads."""

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
    for query in QUERIES.values():
        found, want = (sl.closed_form(q, **ask, values=13) for q in (query.of("age"), query))
        assert (found.value, found.formula, found.status) == (want.value, want.formula, want.status)
    ages = sl.Universe.product(age=[0, 6, 12], place=["x", "y"])
    table = sl.compare(
        [sl.SUM.of("age"), sl.MEAN.of("age"), sl.SUM.of(lambda row: row.age - 6)],
        {"who": ages},
        size=4,
        relations=[sl.Change(1), sl.AddRemove(1)],
    )
    assert table["sensitivity"].tolist() == [12, 12, 3, 3, 12, 6]
    assert table["closed_form"].tolist() == table["sensitivity"].tolist()
    frame = pd.DataFrame({"a": [1, 5, 2], "b": [1.5, 1.5, 9.5]})
    swept = sl.sweep(
        [sl.SUM.of("a"), sl.SUM.of("b"), sl.MAX.of("a").clipped(0, 2), len],
        {"rows": sl.Universe.population(frame), "range": sl.Universe.value_range(frame)},
        size=1,
        relations=[sl.Change(1), sl.Add(5)],
    )
    assert swept["sensitivity"].tolist()[::2] == [4, 8, 1, 0, 4, 8, 1, 0]
    assert swept["sensitivity"].tolist()[1::2] == [None] * 4 + [25, Fraction(95, 2), 1, 5]
    assert swept.loc[0, ["dataset", "neighbour"]].tolist() == [
        "− 1 1.5 (0 shared)",
        "+ 5 1.5 (0 shared)",
    ]


def test_of_says_what_it_was_given():
    """Catches equal queries that differ, and a name that hides what is asked."""
    assert sl.MEAN.of("salary") == sl.MEAN.of("salary") != sl.MEAN.of("age")
    assert hash(sl.MEAN.of(len).clipped(0, 5)) == hash(sl.MEAN.of(len).clipped(0, 5))
    assert sl.MEAN.of("salary").name == "mean of salary"
    for wrong in (3, None, ["a"]):
        with pytest.raises(
            TypeError, match="of must be a column's name, as 'pay', or a function of a record"
        ):
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
        pairs = oracle_rows.of_range(11, 2, "Change", 1)
        name = query.inner.name
        want = by_brute_force(name, [said(x) for x in range(11)], pairs)
        assert found.value == want.value
        numbers = sl.Universe.value_range(range(11))
        assert sl.global_sensitivity(query, numbers, **ask).value == want.value
        at_last = sl.sensitivity_at_distance(query, (1, 9), bounds=(0, 10), distance=2)
        assert at_last == want.value
        assert sl.smooth_sensitivity(query, (1, 9), bounds=(0, 10), beta=1).check()
    by_place = sl.closed_form(sl.SUM.of("s").clipped(0, 1), bounds=(-9, 9), **ask)
    assert by_place.value == 1
    mapped = sl.smooth_sensitivity(sl.MEDIAN.of(len), ("a", "bbb", "cc"), bounds=(0, 9), beta=1)
    assert mapped.value == sl.smooth_sensitivity(sl.MEDIAN, (1, 3, 2), bounds=(0, 9), beta=1).value


@pytest.mark.parametrize("relation", [sl.Add(2), sl.Remove(1), sl.Change(1)], ids=str)
@pytest.mark.parametrize("limit", [2, 3, 5])
def test_a_proof_that_sorts_by_something_else_has_a_witness_all_the_same(relation, limit):
    """Catches runs of the true and the false that are read as runs of ascending numbers."""
    rows = pd.DataFrame({"name": list("fbacde"), "x": [6, 2, 1, 3, 4, 5]})
    few = sl.count_where(lambda number: number < limit).of("x")
    ask = {"size": 3, "relation": relation}
    solved, walked = (
        sl.global_sensitivity(few, sl.Universe.population(rows), **ask, method=method)
        for method in ("solver", "walk")
    )
    assert solved.value == walked.value
    assert solved.check()
    here, there = map(few, solved.witness)
    assert abs(here - there) == solved.value
