"""Each query against numpy, a second route, and against its vectorised form."""

import copy
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
from conftest import QUERY_TEXTS, query_of
from hypothesis import given
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.queries import answers_at

whole = st.lists(st.integers(-1000, 1000), min_size=1, max_size=12)
several = st.lists(st.integers(-1000, 1000), min_size=2, max_size=6, unique=True).map(sorted)


@given(whole, st.integers(0, 100), st.integers(0, 3), several)
def test_as_numpy(x, percent, ddof, edges):
    """Catches a formula that means something else than numpy's of the same name: another
    interpolation or rank, a divisor of n where n − ddof is asked for, a bin edge on the wrong side,
    above all the last."""
    q = percent / 100
    for query, plain in (
        (sl.COUNT, len), (sl.SUM, np.sum), (sl.MEAN, np.mean), (sl.MEDIAN, np.median),
        (sl.MIN, np.min), (sl.MAX, np.max), (sl.VARIANCE, np.var), (sl.STD, np.std),
        (sl.count_distinct, lambda x: len(np.unique(x))),
        (sl.variance(ddof=ddof), partial(np.var, ddof=ddof)),
        (sl.std(ddof=ddof), partial(np.std, ddof=ddof)),
        (sl.quantile(q), partial(np.quantile, q=q)),
        (sl.count_where(lambda v: v > edges[0]), lambda x: (x > edges[0]).sum()),
    ):  # fmt: skip
        if len(x) >= query.smallest_size:
            found = float(query(x))
            assert found == pytest.approx(float(plain(np.array(x))), rel=1e-12, abs=1e-9), query
    for held in (x, edges):
        assert list(sl.histogram(edges)(held)) == np.histogram(held, edges)[0].tolist()


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("query", "x", "expected"),
    [
        *((sl.SUM, x, total) for x, total in (
            ([0.1] * 10, 1), ([10**30, Decimal("0.5"), Fraction(1, 2)], 10**30 + 1), ([], 0),
            (np.array([1, 2], dtype=np.int8), 3), (np.array([100, 100], dtype=np.int8), 200))),
        (sl.MEAN, [0.1, 0.2], Fraction(3, 20)), (sl.MEAN, pd.Series([1, 2]), Fraction(3, 2)),
        (sl.VARIANCE, [1e8 + 0.1, 1e8 + 0.3], Fraction(1, 100)), (sl.STD, [0, 0, 0, 1], math.sqrt(3) / 4),
        *((sl.STD, x, float(oracle.root(sl.VARIANCE(x)))) for x in ([1, 2, 4], [0.1, 0.2, 0.4], [10**15, 10**15 + 3])),
        (sl.quantile(0.1), [0, 1], Fraction(1, 10)), (sl.quantile(Fraction(1, 3)), [0, 1], Fraction(1, 3)),
        (sl.quantile(0), [3, 1, 2], 1), (sl.quantile(1), [3, 1, 2], 3), (sl.MEDIAN, [4], 4),
        (sl.COUNT, [], 0), (sl.count_distinct, [1, 1.0, True], 1),
        (sl.histogram([0, 0.1, 0.3]), [0.1, 0.3, Fraction(1, 20)], (1, 2)),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_exact_answers(query, x, expected):
    """Catches rounding, twice that of a root, overflow, unsorted input; a whole one is an int."""
    answer = query(x)
    assert answer == expected
    if isinstance(expected, int):
        assert type(answer) is int


@pytest.mark.parametrize(
    ("query", "name", "smallest"),
    [
        (sl.COUNT, "count", 0), (sl.SUM, "sum", 0), (sl.MEAN, "mean", 1), (sl.MEDIAN, "median", 1),
        (sl.VARIANCE, "variance", 1), (sl.STD, "std", 1), (sl.MIN, "min", 1), (sl.MAX, "max", 1),
        (sl.variance(ddof=1), "variance(ddof=1)", 2), (sl.std(ddof=1), "std(ddof=1)", 2),
        (sl.quantile(0.25), "quantile(0.25)", 1),
        (sl.quantile(Fraction(1, 4)), "quantile(0.25)", 1),
        (sl.quantile(Fraction(1, 3)), "quantile(1/3)", 1),
        (sl.histogram([0, 5]), "histogram([0, 5])", 0), (sl.count_distinct, "count_distinct", 0),
        (sl.count_where(bool), "count_where(bool)", 0),
    ],
)  # fmt: skip
def test_name_and_smallest_size(query, name, smallest):
    """Catches tables whose rows cannot be told apart, and a mean of nothing."""
    assert (query.name, query.smallest_size) == (name, smallest)
    if smallest == 0:
        query([])
    else:
        with pytest.raises(ValueError, match=f"at least {smallest}"):
            query(range(smallest - 1))


def sums(x):
    return [2**36 * sum(x)] * 6


@pytest.mark.parametrize(
    "query", [sl.VARIANCE, sl.STD, sl.MEAN, sums], ids=["variance", "std", "mean", "own"]
)
@pytest.mark.parametrize("largest", [10**7, 10**8, 10**9, 10**10])
def test_no_answer_wraps_around(query, largest):
    """Catches an overflow over a common denominator, and in an L1 norm, in the sweep."""
    universe = sl.Universe.value_range([-largest, 1, largest])
    ask = {"universe": universe, "size": 5, "relation": sl.AddRemove(2)}
    for norm in (1, math.inf):
        fast, slow = (
            sl.global_sensitivity(query, **ask, norm=norm, method=m) for m in ("sweep", "walk")
        )
        assert (fast.value, fast.witness) == (slow.value, slow.witness)


@pytest.mark.parametrize("text", QUERY_TEXTS)
def test_equal_queries_are_equal_and_travel(text):
    """Catches a query with a closure in it, that no process pool takes and no other equals."""
    query = query_of(text)
    again = pickle.loads(pickle.dumps(query))
    assert query == again == query_of(text) == copy.deepcopy(query)
    assert len({query, again, query_of(text)}) == 1
    assert again((1, 2, 8)) == query((1, 2, 8))
    assert all(query != query_of(other) for other in QUERY_TEXTS if other != text)


def test_a_quantile_of_many_digits_has_a_short_name():
    """Catches thousands of digits in a name."""
    assert len(sl.quantile(Fraction(1, 10**5000)).name) < 100


def test_edges_of_numpy_are_those_of_python():
    """Catches a histogram that is called np.int64(0), np.int64(1), and equals no other."""
    assert sl.histogram(np.arange(3)) == sl.histogram([0, 1, 2])
    assert sl.histogram(np.arange(2) / 4).name == "histogram([0.0, 0.25])"
    assert sl.histogram(np.float32([0, 0.1]))((0.1, 0.1)) == (2,)


@pytest.mark.parametrize("exact", [True, False])
def test_a_users_query_of_a_standard_name_is_not_standard(exact):
    """Catches a query that is known by its name."""
    for name in ("mean", "sum", "median", "count_distinct", "quantile(0.25)"):
        query = sl.Query(name, first_record, exact=exact)
        assert query.is_own is not exact


def first_record(x):
    return x[0]


@pytest.mark.parametrize("text", QUERY_TEXTS)
@pytest.mark.parametrize(
    "values",
    [
        [-1, 0, 2, 5], [0.1, 0.5, 5.0], [Fraction(1, 3), 10**30], [2.0**60, 1 / 3],
        [-(2**31), 2**31 - 1, 5], [2**62, 2**62 + 1, -(2**62)], [2**63 - 1, -(2**63)],
        [0.1, 1e15, -1e-15], [Fraction(1, 10**9 + 7), Fraction(1, 998244353), 0],
        [5e-324, 1.7976931348623157e308],
    ],
    ids=str,
)  # fmt: skip
def test_answers_at_equal_the_function(text, values):
    """Catches a vectorised form that differs: a bin's edge, a root, a silent wrap."""
    query, universe = query_of(text), sl.Universe.value_range(values)
    for size in (query.smallest_size, 2, 3, 5):
        rows = list(combinations_with_replacement(range(len(values)), size))
        numbers = universe.exact_values if query.exact else universe.values
        expected = [query.answer(tuple(numbers[i] for i in row)) for row in rows]
        found = answers_at(query, universe, np.array(rows, dtype=np.int64).reshape(len(rows), size))
        assert found == expected
        assert list(map(type, found)) == list(map(type, expected))


def test_rows_that_do_not_answer_as_the_function_are_refused():
    """Catches a vectorised form that lies, and with it every answer of the sweep."""

    def rows_of(factor):
        return lambda rows, universe: (factor * np.array(universe.values)[rows].sum(axis=1), 1)

    universe, ask = sl.Universe.population([1, 2, 4]), {"size": 2, "relation": sl.Change(1)}
    assert sl.global_sensitivity(sl.Query("sum", sum, rows=rows_of(1)), universe, **ask).value == 3
    for exact in (True, False):
        lying = sl.Query("sum", sum, rows=rows_of(0), exact=exact)
        with pytest.raises(ValueError, match="rows of query sum must answer as its function, got"):
            sl.global_sensitivity(lying, universe, **ask)
    assert "(N, n)" in sl.Query.__doc__
    assert "universe" in sl.Query.__doc__.split("`rows`")[1]
