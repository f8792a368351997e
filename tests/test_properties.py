"""Laws that hold on every universe, with examples sought by Hypothesis."""

from fractions import Fraction
from itertools import pairwise

import pytest
from conftest import METHODS, RELATIONS
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle

numbers = st.one_of(
    st.integers(-20, 20),
    st.fractions(-5, 5, max_denominator=6),
    st.decimals(-9, 9, places=1),
    st.integers(-40, 40).map(lambda n: n / 4),
)
records = st.lists(numbers, min_size=2, max_size=6)
queries = st.sampled_from(
    [
        sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.quantile(0.9), sl.VARIANCE,
        sl.variance(ddof=1), sl.STD, sl.MIN, sl.MAX, sl.count_distinct, sl.histogram([-5, 0, 5]),
    ]
)  # fmt: skip
relations = st.builds(
    lambda relation, k: relation(k), st.sampled_from(RELATIONS), st.integers(1, 3)
)
methods = st.sampled_from(METHODS)
universes = st.one_of(
    records.map(sl.Universe.population),
    st.lists(numbers, min_size=1, max_size=3).map(sl.Universe.value_range),
)
quick = settings(max_examples=60, deadline=None)


def asked(query, universe, **options):
    """The sensitivity, or None where the query or the relation needs more records."""
    if isinstance(options["size"], int) and options["size"] < query.smallest_size:
        return None
    try:
        return sl.global_sensitivity(query, universe, **options)
    except sl.Infeasible:
        return None


def dataset_of(data, universe, size):
    return data.draw(st.sampled_from(list(universe.datasets(size))))


@quick
@given(
    universes, queries, relations, st.integers(1, 3), methods, st.sampled_from([1, 2, float("inf")])
)
def test_witness_is_a_neighbouring_pair_that_attains_the_value(
    universe, query, relation, size, method, norm
):
    """Catches a value without a proof: the witness is evaluated anew, by the query alone."""
    assume(size <= universe.records)
    assume(method != "sweep" or norm != 2)  # the sweep refuses roots of vectors
    r = asked(query, universe, size=size, relation=relation, method=method, norm=norm)
    assume(r is not None)
    dataset, neighbour = r.witness
    assert relation.are_neighbours(dataset, neighbour)
    assert len(dataset) == size
    for found in r.witness:
        assert tuple(found) in set(universe.datasets(len(found)))
    measured = oracle.gap(query(dataset), query(neighbour), norm)
    assert float(r) == pytest.approx(float(measured), rel=1e-12, abs=1e-12)
    assert r.check()


# how a sensitivity grows when all records are multiplied by c
POWER = {"sum": 1, "variance": 2, "variance(ddof=1)": 2, "count": 0, "count_distinct": 0}


@quick
@given(
    universes, queries, relations, st.integers(1, 3), st.fractions(-9, 9, max_denominator=4),
    st.sampled_from([-3, -1, Fraction(1, 4), 1, 4]),
)  # fmt: skip
def test_shift_and_scale_laws(universe, query, relation, size, shift, factor):
    """Catches a sensitivity that a shift changes, or that does not grow as the query: by c, or c²."""
    # a quantile other than the median turns into another one when the sign flips
    assume(factor > 0 or not query.name.startswith(("quantile", "min", "max")))
    assume(not query.name.startswith("histogram"))
    assume(size <= universe.records)
    shift = 0 if query is sl.SUM else shift
    moved = [Fraction(value) * factor + shift for value in all_values(universe)]
    options = {"size": size, "relation": relation}
    one, other = asked(query, universe, **options), asked(query, like(universe, moved), **options)
    assume(one is not None)
    expected = one.value * abs(factor) ** POWER.get(query.name, 1)
    if query.name.startswith("std"):
        assert other.value == pytest.approx(float(expected), rel=1e-14)
    else:
        assert other.value == expected


def all_values(universe):
    if universe.unlimited:
        return universe.values
    return next(universe.datasets(universe.records))


def like(universe, values):
    return (sl.Universe.value_range if universe.unlimited else sl.Universe.population)(values)


@quick
@given(
    universes,
    queries,
    st.sampled_from([sl.SymmetricDifference, sl.Change]),
    st.one_of(st.integers(1, 3), st.just(range(1, 4))),
    methods,
)
def test_a_larger_at_most_relation_never_lowers_the_sensitivity(
    universe, query, relation, size, method
):
    """Catches "at most k" that means "exactly k"."""
    assume((size if isinstance(size, int) else 3) <= universe.records)
    found = [
        asked(query, universe, size=size, relation=relation(k), method=method) for k in (1, 2, 3)
    ]
    assume(None not in found)
    assert all(float(smaller) <= float(larger) for smaller, larger in pairwise(found))


def test_exactly_k_can_fall():
    """The other half of the law above: (0, 0, 0, 1), n = 2, mean: 1/2, then 1/4."""
    universe = sl.Universe.population([0, 0, 0, 1])
    found = [
        sl.global_sensitivity(sl.MEAN, universe, size=2, relation=sl.AddRemove(k)).value
        for k in (1, 2)
    ]
    assert found == [Fraction(1, 2), Fraction(1, 4)]


@quick
@given(universes, relations, st.integers(0, 3), st.data())
def test_neighbours_are_those_that_are_neighbours(universe, relation, size, data):
    """Catches neighbours that are missed, repeated, out of order, or wrongly counted."""
    assume(size <= universe.records)
    dataset = dataset_of(data, universe, size)
    listed = list(relation.neighbours(dataset, universe))
    largest = min(size + relation.k, universe.records)
    expected = [
        other
        for n in range(largest + 1)
        for other in universe.datasets(n)
        if relation.are_neighbours(dataset, other)
    ]
    assert listed == sorted(expected)
    assert relation.count_neighbours(dataset, universe) == len(expected)


datasets = st.lists(st.integers(0, 3), max_size=6)


@given(datasets, datasets, datasets)
def test_distances_are_metrics(x, y, z):
    """Catches a distance that ignores multiplicity, or is not symmetric, or breaks the triangle."""
    for distance in (sl.symmetric_distance, sl.change_one_distance):
        assert distance(x, x) == 0
        assert (distance(x, y) == 0) == (sorted(x) == sorted(y))
        assert distance(x, y) == distance(y, x)
        assert distance(x, z) <= distance(x, y) + distance(y, z)


@given(datasets, datasets)
def test_distances_against_each_other(x, y):
    """A change is one removal and one addition, and sizes that differ cannot be mended by changes."""
    if len(x) == len(y):
        assert 2 * sl.change_one_distance(x, y) == sl.symmetric_distance(x, y)
    else:
        assert sl.change_one_distance(x, y) == float("inf")
        assert sl.symmetric_distance(x, y) >= abs(len(x) - len(y))
