"""What a universe takes in, how it counts, what it gives out."""

import tracemalloc
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

import sensitivity_lab as sl


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 2], (3, 1, 2), {1, 2, 3}, range(1, 4), iter([3, 1, 2]), np.array([3, 1, 2]),
        np.array([3, 1, 2], dtype=np.uint8), np.array([3.0, 1, 2]), np.array([3, 1, 2], dtype=object),
        np.array([1, 2, 3], dtype=np.float32), pd.Series([3, 1, 2]), pd.Series([3, 1, 2], dtype="Int64"),
        pd.Index([3, 1, 2]), [Decimal(3), Fraction(1), 2.0], [np.float64(3), np.int8(1), 2],
    ],
    ids=lambda values: type(values).__name__,
)  # fmt: skip
def test_takes_any_sequence_of_numbers(values):
    """Catches a container or a kind of number that is not understood."""
    universe = sl.Universe.population(values)
    assert list(universe.datasets(size=2)) == [(1, 2), (1, 3), (2, 3)]
    r = sl.global_sensitivity(sl.MEAN, universe, size=2, relation=sl.Change(1))
    assert r.value == 1


def test_a_float_is_its_shortest_decimal_text():
    """Catches 0.1 taken for the binary fraction next to it."""
    ask = {"size": 1, "relation": sl.Change(1)}
    for tenths in ([0.1, 0.3], np.array([0.1, 0.3]), np.array([0.1, 0.3], dtype=np.float32)):
        r = sl.global_sensitivity(sl.SUM, sl.Universe.population(tenths), **ask)
        assert r.value == Fraction(1, 5)
    assert sl.quantile(0.1)((0, 1)) == Fraction(1, 10)
    assert sl.SUM((0.1, 0.2)) == Fraction(3, 10)


@pytest.mark.parametrize(
    "tiny", [5e-324, 1e-300, 1.7976931348623157e308, 0.1 + 0.2, 1e16, 123456789.12345678]
)
def test_floats_of_every_magnitude(tiny):
    """Catches a decimal scaling that overflows, or that mistakes one float for its neighbour."""
    universe = sl.Universe.population(np.array([0.0, tiny]))
    r = sl.global_sensitivity(sl.SUM, universe, size=1, relation=sl.Change(1))
    assert r.value == Fraction(str(tiny))


def test_one_value_in_three_guises():
    """Catches 1, 1.0 and True counted as three values."""
    assert sl.Universe.value_range([1, 1.0, True, Fraction(1), Decimal("1.00")]).count(size=3) == 1
    assert sl.Universe.population([1, 1.0, True]).count(size=2) == 1
    assert list(sl.Universe.population([1, 1.0, True]).datasets(size=2)) == [(1, 1)]


def test_a_value_named_twice_is_one_value_in_a_range_and_two_records_in_a_population():
    """Catches the two kinds of universe confused."""
    assert sl.Universe.value_range([1, 1, 2]).count(size=2) == 3
    assert list(sl.Universe.population([1, 1, 2]).datasets(size=2)) == [(1, 1), (1, 2)]


@pytest.mark.parametrize("records", [[1, 2, 3, 4], [1, 1, 1, 2, 2, 3], [5] * 4, [1, 1, 2, 2, 3, 3]])
def test_population_datasets_are_those_of_labelled_records(records):
    """Catches a dataset that needs more copies than there are, or one that is missed."""
    universe = sl.Universe.population(records)
    for size in range(len(records) + 1):
        expected = sorted({tuple(sorted(chosen)) for chosen in combinations(records, size)})
        assert list(universe.datasets(size)) == expected
        assert universe.count(size) == len(expected)


def test_range_datasets():
    """Catches a range whose copies run out, or whose values are out of order."""
    universe = sl.Universe.value_range([7, 5, 6])
    for size in range(5):
        expected = list(combinations_with_replacement([5, 6, 7], size))
        assert list(universe.datasets(size)) == expected
        assert universe.count(size) == len(expected)


def test_counts_need_no_enumeration():
    """Catches a count that builds what it counts: these would not end."""
    assert sl.Universe.population(range(100)).count(size=50) == 100891344545564193334812497256
    assert sl.Universe.value_range(range(1000)).count(size=3) == 167167000
    copies = [value for value in range(20) for _ in range(value % 4 + 1)]
    ways = [1]
    for limit in Counter(copies).values():  # the generating function, term by term
        longer = [0] * (len(ways) + limit)
        for (i, way), extra in product(enumerate(ways), range(limit + 1)):
            longer[i + extra] += way
        ways = longer
    universe = sl.Universe.population(copies)
    assert [universe.count(size) for size in range(0, 51, 10)] == ways[::10]


def test_a_million_records_stay_an_array():
    """Catches a universe that makes a Python object of each record on the way in."""
    records = np.arange(1_000_000) % 1000
    tracemalloc.start()
    universe = sl.Universe.population(records)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # a copy takes 8 MB; a list of a million ints, 36 MB
    assert len(universe.values) == 1000
    assert universe.count(size=2) == 1000 * 1001 // 2
    assert len(repr(universe)) < 120


def test_the_given_array_may_change_afterwards():
    """Catches a universe that follows later changes to the caller's array."""
    records = np.array([1, 2, 3])
    universe = sl.Universe.population(records)
    records[0] = 99
    assert universe.values == (1, 2, 3)


def test_repr():
    """Catches a repr that hides which kind of universe it is, or that runs to pages."""
    assert repr(sl.Universe.population([2, 1, 2])) == "Universe.population([1, 2, 2])"
    years = pd.Series([1, 2], name="school_year")
    assert repr(sl.Universe.population(years)) == "Universe.population([1, 2], name='school_year')"
    assert repr(sl.Universe.value_range([0.5, 1])) == "Universe.value_range([0.5, 1])"
    long = repr(sl.Universe.population(range(100_000)))
    assert "100,000" in long
    assert len(long) < 120


def test_name():
    """Catches a Series whose name is lost, or that overrides the given one."""
    years = pd.Series([1, 2], name="school_year")
    assert sl.Universe.population(years).name == "school_year"
    assert sl.Universe.population(years, name="year").name == "year"
    assert sl.Universe.population([1, 2]).name is None


def test_values_come_back_as_the_caller_gave_them():
    """Catches a witness in Fractions where the caller spoke floats or Decimals."""
    for given in ([0.5, 1.5], [Decimal("0.5"), Decimal("1.5")], [Fraction(1, 2), Fraction(3, 2)]):
        values = sl.Universe.population(given).values
        assert list(values) == given
        assert set(map(type, values)) == {type(given[0])}


def test_numpy_scalars_do_not_leak():
    """Catches np.int64(1) in a witness, which prints badly and overflows silently."""
    (dataset,) = sl.Universe.population(np.array([1, 2])).datasets(size=2)
    assert set(map(type, dataset)) == {int}
