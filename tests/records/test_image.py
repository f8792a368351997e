"""A query of a column or of a function is the query over the image: the same values, other records."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import oracle_rows
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

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


def has_right_numbers(found, want, said):
    """Whether the value is right, and the witness's numbers are a pair of the brute force's."""
    assert found.value == want.value
    assert found.check()
    numbers = tuple(tuple(sorted(map(said, side))) for side in found.witness)
    assert numbers in want.pairs


def by_brute_force(name, numbers, pairs, said=None):
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


def ask_all(query, universe, want, said, **ask):
    """Every method that serves; where nothing is feasible, each must say so."""
    answered = 0
    for method in METHODS:
        if want is None:
            with pytest.raises((sl.Infeasible, ValueError)):
                sl.global_sensitivity(query, universe, method=method, **ask)
            continue
        try:
            found = sl.global_sensitivity(query, universe, method=method, **ask)
        except sl.NotProved:
            assert method == "solver"
            continue
        has_right_numbers(found, want, said)
        assert found.query == query
        assert found.universe == universe
        answered += 1
    assert want is None or answered >= 3


CASES = {
    "text": (WORDS, len),
    "text, few numbers": (WORDS, vowels),
    "numbers": ([3, -1, 2, 0, -3], fifth),
    "tuples": ([(0, 1), (1, 3), (1, 0), (2, 5), (0, 0)], of_pair),
}


@pytest.mark.parametrize("kind", CASES)
def test_of_a_function_of_known_records(kind):
    """Catches a witness with a record twice, and two records of one number taken for one."""
    pool, said = CASES[kind]
    rng = random.Random(kind)
    for _ in range(110):
        records = [rng.choice(pool) for _ in range(rng.randint(1, 5))]
        name, relation, k = rng.choice(list(QUERIES)), rng.choice(RELATIONS), rng.randint(1, 2)
        size = rng.randint(0, len(records))
        if rng.random() < 0.25:
            size = range(size, min(len(records), size + 2) + 1)
        pairs = oracle_rows.of_population(len(records), size, relation, k)
        want = by_brute_force(name, [said(record) for record in records], pairs)
        universe = sl.Universe.population(records)
        ask = {"size": size, "relation": getattr(sl, relation)(k)}
        ask_all(QUERIES[name].of(said), universe, want, said, **ask)
        if want is not None:
            found = sl.global_sensitivity(QUERIES[name].of(said), universe, **ask)
            assert not any(Counter(side) - Counter(records) for side in found.witness)


@pytest.mark.parametrize("kind", CASES)
def test_of_a_function_of_a_range(kind):
    """Catches a range whose numbers run out, or one whose image is a population."""
    pool, said = CASES[kind]
    rng = random.Random(kind + "range")
    for _ in range(60):
        kinds = list(dict.fromkeys(rng.choice(pool) for _ in range(rng.randint(1, 4))))
        name, relation, k = rng.choice(list(QUERIES)), rng.choice(RELATIONS), rng.randint(1, 2)
        size = rng.choice((0, 1, 2, 3, range(1, 4)))
        pairs = oracle_rows.of_range(len(kinds), size, relation, k)
        want = by_brute_force(name, [said(record) for record in kinds], pairs)
        universe = sl.Universe.value_range(kinds)
        ask_all(
            QUERIES[name].of(said),
            universe,
            want,
            said,
            size=size,
            relation=getattr(sl, relation)(k),
        )


@pytest.mark.parametrize("kind", CASES)
def test_of_a_function_at_one_dataset(kind):
    """Catches a neighbour told in records that the dataset does not have, or that are spent."""
    pool, said = CASES[kind]
    rng = random.Random(kind + "local")
    for _ in range(70):
        records = sorted(rng.choice(pool) for _ in range(rng.randint(1, 6)))
        size, k, relation = rng.randint(0, len(records)), rng.randint(1, 2), rng.choice(RELATIONS)
        labels = rng.sample(range(len(records)), size)
        dataset = [records[i] for i in labels]
        here = tuple(sorted(dataset))
        pairs = [
            pair
            for pair in oracle_rows.of_population(len(records), size, relation, k)
            if tuple(sorted(records[i] for i in pair[0])) == here
        ]
        name = rng.choice(list(QUERIES))
        want = by_brute_force(name, [said(record) for record in records], pairs)
        universe, query = sl.Universe.population(records), QUERIES[name].of(said)
        for method in ("auto", "walk", "solver"):
            ask = {"relation": getattr(sl, relation)(k), "method": method}
            if want is None:
                with pytest.raises(ValueError, match=r"feasible|at least"):
                    sl.local_sensitivity(query, dataset, universe, **ask)
                continue
            try:
                found = sl.local_sensitivity(query, dataset, universe, **ask)
            except sl.NotProved:
                continue
            has_right_numbers(found, want, said)
            assert tuple(sorted(found.witness[0])) == here
            assert not any(Counter(side) - Counter(records) for side in found.witness)


def cutting(low, high):
    return lambda x: oracle_rows.cut(Fraction(x), Fraction(low), Fraction(high))


def test_clipped_numbers():
    """Catches bounds that are not inclusive, in another order, or put on the answer."""
    rng = random.Random(6)
    for _ in range(120):
        numbers = [rng.choice([-3, 0, 0.5, 2, 7, 100]) for _ in range(rng.randint(1, 5))]
        low, high = sorted(rng.sample([-1, 0, Fraction(1, 3), 0.25, 2, 50], 2))
        said = cutting(low, high)
        name, relation = rng.choice(list(QUERIES)), rng.choice(RELATIONS)
        size = rng.randint(0, len(numbers))
        pairs = oracle_rows.of_population(len(numbers), size, relation, 1)
        want = by_brute_force(name, list(map(said, numbers)), pairs)
        ask = {"size": size, "relation": getattr(sl, relation)(1)}
        query = QUERIES[name].clipped(low, high)
        for given in (numbers, np.array(numbers)):
            ask_all(query, sl.Universe.population(given), want, said, **ask)
        frame = pd.DataFrame({"x": numbers})
        if want is not None:
            universe = sl.Universe.population(frame)
            found = sl.global_sensitivity(QUERIES[name].of("x").clipped(low, high), universe, **ask)
            assert found.value == want.value
            assert found.check()


def test_clipped_of_a_function_and_twice():
    """Catches bounds put before the function, or the second bounds in place of the first."""
    words = sl.Universe.population(WORDS)
    ask = {"size": 3, "relation": sl.SymmetricDifference(2)}
    for query, said in (
        (sl.SUM.of(len).clipped(1, 4), lambda w: min(4, max(1, len(w)))),
        (sl.SUM.of(len).clipped(1, 6).clipped(0, 4), lambda w: min(4, max(1, len(w)))),
        (sl.SUM.of(len).clipped(0, 4).clipped(1, 6), lambda w: max(1, min(4, len(w)))),
    ):
        pairs = oracle_rows.of_population(len(WORDS), 3, "SymmetricDifference", 2)
        ask_all(query, words, by_brute_force("sum", list(map(said, WORDS)), pairs), said, **ask)
        assert query(WORDS) == sum(map(said, WORDS))
    assert sl.SUM.of(len).clipped(1, 4).name == "sum of len clipped to [1, 4]"


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
    universes = (sl.Universe.population(frame), sl.Universe.value_range(frame))
    for name, column in product(QUERIES, "ifb"):
        query = QUERIES[name].of(column)
        for universe, pairs_of, numbers in (
            (universes[0], oracle_rows.of_population, columns[column]),
            (universes[1], oracle_rows.of_range, list(dict.fromkeys(columns[column]))),
        ):
            pairs = pairs_of(len(numbers), 2, "SymmetricDifference", 1)
            want = by_brute_force(name, numbers, pairs)
            for method in ("auto", "walk", "solver"):
                ask = {"size": 2, "relation": sl.SymmetricDifference(1), "method": method}
                try:
                    found = sl.global_sensitivity(query, universe, **ask)
                except sl.NotProved:
                    continue
                assert found.value == want.value
                assert found.check()
                assert type(found.witness[0]) is type(frame)
                again = QUERIES[name].of(lambda row, c=column: row[c])
                assert sl.global_sensitivity(again, universe, **ask).value == want.value


def test_a_million_rows():
    """Catches a list of a million rows where a column will do; ints, floats and duplicates."""
    n = 1_000_000
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "i": rng.integers(0, 1000, n),
            "f": np.round(rng.random(n), 3),
            "d": rng.choice(["a", "b"], n),
        }
    )
    universe = sl.Universe.population(frame)
    numbers = {column: sl.Universe.population(frame[column].to_numpy()) for column in "if"}
    for (name, column), relation in product(
        [("sum", "i"), ("mean", "f"), ("median", "i"), ("variance", "f")],
        [sl.Change(1), sl.Remove(2)],
    ):
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

    query = sl.Query("span", span).of(len)
    words = ["aaaaaa", "b", "cc", "ddd"]
    want = sl.global_sensitivity(
        span, sl.Universe.population([6, 1, 2, 3]), size=3, relation=sl.Change(1)
    )
    universe = sl.Universe.population(words)
    for method in ("auto", "walk", "sweep"):
        found = sl.global_sensitivity(query, universe, size=3, relation=sl.Change(1), method=method)
        assert found.value == want.value == 4 - 1
        assert found.check()
    assert query(words) == 5
    assert (
        sl.audit(query, 3, universe, sizes=3, relations=[sl.Change(1)]).rows[0].verdict == "exact"
    )


def test_vectors_of_what_records_say():
    """Catches a histogram of a function that is asked of the records themselves."""
    edges = [0, 2, 4, 8]
    bins = lambda word: sum(len(word) >= edge for edge in edges[1:3])  # noqa: E731
    for norm in (1, 2, math.inf):
        answer = lambda labels: tuple(  # noqa: E731
            sum(bins(WORDS[i]) == b for i in labels) for b in range(3)
        )
        pairs = oracle_rows.of_population(len(WORDS), 3, "SymmetricDifference", 2)
        want = oracle_rows.greatest(answer, pairs, norm)
        query = sl.histogram(edges).of(len)
        for method in ("auto", "walk", "solver"):
            ask = {"size": 3, "relation": sl.SymmetricDifference(2), "method": method, "norm": norm}
            found = sl.global_sensitivity(query, sl.Universe.population(WORDS), **ask)
            assert found.value == want.value
            assert found.check()
    assert sl.STD.of(len)(("a", "bbb")) == 1.0
    root = sl.global_sensitivity(
        sl.STD.of(len), sl.Universe.population(WORDS), size=2, relation=sl.Change(1)
    )
    assert root.check()
    lengths = sl.Universe.population(list(map(len, WORDS)))
    assert root.value == sl.global_sensitivity(sl.STD, lengths, size=2, relation=sl.Change(1)).value


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
        with pytest.raises(TypeError, match="of must be a column's name or a function of a record"):
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
