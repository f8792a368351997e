"""Who is a neighbour, and how far two datasets are apart."""

import math
from fractions import Fraction

import numpy as np
import pytest
from conftest import STANDARD

import sensitivity_lab as sl
from sensitivity_lab.relations import count_neighbours_of, neighbours_of


def test_a_count_needs_no_enumeration():
    """Catches a count that builds what it counts: C(500, 10) · C(500, 10) neighbours and more."""
    universe = sl.Universe.population(range(1000))
    count = sl.Change(10).count_neighbours(range(500), universe)
    assert count == sum(math.comb(500, j) ** 2 for j in range(11))
    assert sl.Remove(2).count_neighbours(range(500), universe) == 500 * 499 // 2
    two = sl.Universe.value_range([0, 1])  # so many ones fewer, the same, so many more
    assert sl.Change(700).count_neighbours([0, 1] * 600, two) == 600 + 1 + 600


@pytest.mark.parametrize("relation", STANDARD)
def test_counting_ends_at_enough(relation):
    """Catches a count cut short below what was enough, a refusal after minutes."""
    for universe in (
        sl.Universe.population([1, 1, 2, 3, 3, 3, 4]),
        sl.Universe.value_range([1, 2]),
    ):
        dataset, moves = universe.indices([1, 2]), relation(4).moves
        every = sum(1 for _ in neighbours_of(dataset, universe, moves))
        for enough in range(0, 40, 3):
            found = count_neighbours_of(dataset, universe, moves, enough)
            assert found == every if every <= enough else enough < found <= every
    many = sl.Universe.value_range(range(10))
    with pytest.raises(sl.TooLarge, match="neighbours to walk"):
        sl.local_sensitivity(max, [*range(10)] * 20, many, relation=relation(100))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_are_neighbours_at_the_border(k):
    """Catches off-by-one: k − 1, k and k + 1 records; and a mix of both in the wrong relation."""
    longer = [((1,), (1,) + (2,) * j) for j in (k - 1, k, k + 1)]
    shorter = [(y, x) for x, y in longer]
    changed = [((1,) * 9, (1,) * (9 - j) + (2,) * j) for j in (k - 1, k, k + 1)]
    for relation, pairs, nearer in (
        (sl.Add(k), longer, False), (sl.Remove(k), shorter, False),
        (sl.AddRemove(k), longer, False), (sl.AddRemove(k), shorter, False),
        (sl.SymmetricDifference(k), longer, True), (sl.SymmetricDifference(2 * k), changed, True),
        (sl.Change(k), changed, True),
    ):  # fmt: skip
        assert [relation.are_neighbours(*pair) for pair in pairs] == [nearer, True, False], relation
    assert not sl.AddRemove(2).are_neighbours((1, 2), (1, 3))


@pytest.mark.parametrize("relation", STANDARD)
def test_each_says_exactly_or_at_most(relation):
    """Catches a relation whose reader must guess; the exact ones also warn."""
    kind = "at most" if relation.at_most else "exactly"
    assert f"{kind} k" in relation.__doc__.lower()
    assert kind in relation(3).description
    assert "3" in repr(relation(3))
    if kind == "exactly":
        assert "calibrate noise with an at-most relation" in " ".join(relation.__doc__.split())


class AddOrChange(sl.Relation):
    """At most k records added or changed."""

    at_most = True
    phrase = "added or changed"

    @property
    def moves(self):
        return tuple((r, a) for a in range(self.k + 1) for r in range(a + 1))


class ExactlyChanged(sl.Relation):
    """A relation that forgets the shorter moves."""

    at_most = False
    phrase = "changed"
    moves = ((2, 2),)


@pytest.mark.parametrize("query", [sl.MEAN, sl.MEDIAN, sl.STD, sl.count_distinct], ids=str)
def test_a_relation_of_your_own_gives_one_answer_by_every_method(query):
    """Catches a route that knows the five standard relations only."""
    universe = sl.Universe.population([0, 0, 1, 4, 9])
    found = [
        sl.global_sensitivity(query, universe, size=3, relation=AddOrChange(2), method=method)
        for method in ("walk", "sweep", "auto")
    ]
    assert all(result.check() for result in found)
    assert len({result.value for result in found}) == 1
    with pytest.raises(ValueError, match=r"relation must be a standard one .*AddOrChange\(2\)"):
        sl.closed_form(query, bounds=(0, 9), size=3, relation=AddOrChange(2))
    table = sl.compare([query], {"a": universe}, size=3, relations=[AddOrChange(1), sl.Change(1)])
    assert table["closed_form"].isna().tolist() == [True, False]


def test_moves_that_a_sweep_would_misread_are_refused():
    """Catches a wrong number: the sweep also sees the pairs that differ by less."""
    with pytest.raises(ValueError, match=r"must have the move \(1, 1\) beside \(2, 2\)"):
        sl.global_sensitivity(
            sl.SUM, sl.Universe.value_range([0, 1]), size=2, relation=ExactlyChanged(2)
        )


def test_a_relation_without_moves_is_refused():
    """Catches the base class taken for a relation, and a k whose moves no memory holds."""
    with pytest.raises(TypeError, match=r"relation must be Add\(k\)"):
        sl.Relation(1)
    with pytest.raises(
        ValueError, match="k must be at most 1,000 for SymmetricDifference, got k=1001"
    ):
        sl.SymmetricDifference(1001)


@pytest.mark.parametrize(
    ("x", "y", "distance"),
    [
        ((1, 2, 2), (2, 3, 1), 2),
        ((1, 1, 1), (1,), 2),  # a set expression would say 0
        ((), (5, 5), 2),
        ((0.1, 0.5), (0.1, 0.25), 2),
        ((0.0, 1.0), (-0.0, 1.0), 0),
        ((0.1, 0.5), (Fraction(1, 10), 0.5), 0),
        ((1e23,), (10**23,), 0),
        ((np.float32(0.5),), (0.5,), 0),
        ((np.float32(0.1),), (0.1,), 2),
        ((np.float32(0.1),), (0.10000000149011612,), 0),
        ((np.float32(0.1),) * 2, (np.float32(0.5),), 3),
        ((Fraction(1, 2), True), (1, Fraction(2, 4)), 0),
        ((1.0, True), (1, 1), 0),
        ((None, 1), (1, 1), 2),
    ],
)
def test_distances_between_kinds_of_number(x, y, distance):
    """Catches a short cut for plain ints and floats that takes 0.1 for another number than 1/10."""
    assert sl.symmetric_distance(x, y) == sl.symmetric_distance(y, x) == distance
    for bad in (math.nan, math.inf):
        for sides in (((bad,), x), (x, (bad,)), ((bad, 1.0), (1.0,))):
            with pytest.raises(ValueError, match="record must be finite"):
                sl.symmetric_distance(*sides)
