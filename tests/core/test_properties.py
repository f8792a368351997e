"""Laws that hold on every universe, with examples sought by Hypothesis."""

from itertools import chain

from conftest import STANDARD
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl

numbers = st.one_of(
    st.integers(-20, 20),
    st.fractions(-5, 5, max_denominator=6),
    st.decimals(-9, 9, places=1),
    st.integers(-40, 40).map(lambda n: n / 4),
)
records = st.lists(numbers, min_size=2, max_size=6)
relations = st.sampled_from([relation(k) for relation in STANDARD for k in (1, 2, 3)])
universes = st.one_of(
    records.map(sl.Universe.population),
    st.lists(numbers, min_size=1, max_size=3).map(sl.Universe.value_range),
)


@settings(max_examples=60)
@given(universes, relations, st.integers(0, 3), st.data())
def test_neighbours_are_those_that_are_neighbours(universe, relation, size, data):
    """Catches neighbours that are missed, repeated, out of order, or wrongly counted."""
    assume(size <= universe.records)
    dataset = data.draw(st.sampled_from([*universe.datasets(size)]))
    listed = list(relation.neighbours(dataset, universe))
    largest = min(size + relation.k, universe.records)
    others = chain(*(universe.datasets(n) for n in range(largest + 1)))
    expected = [other for other in others if relation.are_neighbours(dataset, other)]
    assert listed == sorted(expected)
    assert relation.count_neighbours(dataset, universe) == len(expected)


datasets = st.lists(st.integers(0, 3), max_size=6)


@given(datasets, datasets, datasets)
def test_distances_are_metrics(x, y, z):
    """Catches a distance that ignores multiplicity, is no metric, or mends sizes by changes."""
    for distance in (sl.symmetric_distance, sl.change_one_distance):
        assert distance(x, x) == 0
        assert (distance(x, y) == 0) == (sorted(x) == sorted(y))
        assert distance(x, y) == distance(y, x)
        assert distance(x, z) <= distance(x, y) + distance(y, z)
    changes = sl.symmetric_distance(x, y) / 2 if len(x) == len(y) else float("inf")
    assert sl.change_one_distance(x, y) == changes
