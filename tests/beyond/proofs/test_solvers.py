"""The solvers against enumeration: on small universes of every shape, and by name.

`SOLVER_CASES=n` asks n random questions of each family instead of the usual number;
`SOLVER_RECORDS=5` asks every question of every universe over {0, …, 4} with at most 5 records.
"""

import math
import os
import random
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from statistics import pvariance
from unittest.mock import Mock

import numpy as np
import pytest
from conftest import MONOTONE, SPREADS, in_turn
from conftest import STANDARD as RELATIONS
from routes import CHECKED, agree, checks_find_what_is_false, random_histogram, random_universe
from sensitivity_beyond.proofs.scatter import filtered_maximum
from sensitivity_beyond.proofs.scatter.on_population import ScatterOnPopulation
from sensitivity_beyond.proofs.solver import widest_gaps
from sensitivity_beyond.proofs.sorted_records import SortedRecords

import sensitivity_lab as sl
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.scatter import Deviation

CASES = int(os.environ.get("SOLVER_CASES", "40"))
LARGEST_OF_ALL = int(os.environ.get("SOLVER_RECORDS", "5"))
K = [1, 1, 2, 2, 3, 4, 5, 6]
PREDICATE = sl.count_where(lambda v: v > 1)
SPREADS = [*SPREADS, sl.variance(ddof=2)]
FAMILIES = {
    "monotone": lambda rng, universe: rng.choice(MONOTONE),
    "counts": lambda rng, universe: rng.choice([PREDICATE, random_histogram(rng, universe)]),
    "distinct": lambda rng, universe: sl.count_distinct,
    "spreads": lambda rng, universe: rng.choice(SPREADS),
    "range": lambda rng, universe: sl.RANGE,
}
EVERY = [*MONOTONE, *SPREADS, sl.RANGE, PREDICATE, sl.histogram([0, 2, 4, 9]), sl.count_distinct]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", in_turn([*range(4)]))
def test_random_questions_equal_the_walk(family, seed):
    """Catches a dropped case, a swapped bound, an index off by one, a false witness."""
    rng = random.Random(f"{family} {seed}")
    solved = local = 0
    for _ in range(CASES):
        universe = random_universe(rng)
        query = FAMILIES[family](rng, universe)
        most = 4 if universe.unlimited else universe.records
        size = rng.randint(min(query.smallest_size, most), most)
        relation, norm = rng.choice(RELATIONS)(rng.choice(K)), rng.choice([1, 2, math.inf])
        solved += agree(query, universe, size, relation, norm)
        dataset = rng.choice(list(universe.datasets(size)))
        local += agree(query, universe, dataset, relation, norm)
    assert min(solved, local) > CASES // 5


@pytest.mark.skipif("SOLVER_RECORDS" not in os.environ, reason="takes long: in check-all")
@pytest.mark.parametrize("query", EVERY, ids=str)
def test_every_small_universe(query):
    """Catches a corner: every universe over {0, …, 4}, size, relation and k, and every dataset."""
    for records in range(1, LARGEST_OF_ALL + 1):
        for values in combinations_with_replacement(range(5), records):
            universe = sl.Universe.population(values)
            for family, size, k in product(RELATIONS, range(records + 1), range(1, 5)):
                for asked in (size, *universe.datasets(size)):
                    agree(query, universe, asked, family(k))


FAR_BELOW = [-689, 28, 38, 48, 48, 48, 48, 52, 100, 101, 102, 102, 102, 102, 102]
SHARES = {
    "B among the records of A that lie below C": (FAR_BELOW, (7, 3, 4), sl.VARIANCE),
    "B among those above": ([-x for x in FAR_BELOW], (7, 3, 4), sl.VARIANCE),
    "B inside C, the rest of C far above": (
        [225, 259, 788, 852, 972, 983, 2000], (3, 1, 2), sl.variance(ddof=1)
    ),
    "B inside the upper part": ([0, 0, 1, 1, 2, 2, 2, 2, 2], (5, 1, 2), sl.variance(ddof=1)),
    "B is not the run nearest to the mean": ([-10, -5, 0, 0, 2, 9, 9], (1, 1, 3), sl.VARIANCE),
    "C inside the unused, for fewer of A": ([-150, 0, 0, 1, 2, 2, 15], (2, 1, 2), sl.STD),
    "unused records on both sides of C, and between B and C": (
        [-108, -96, -49, -37, -31, -16, 10, 10, 10, 10, 54, 91, 94, 94, 103, 104, 105],
        (1, 8, 4), sl.VARIANCE
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHARES)
def test_named_shares(name):
    """Catches a family of places that random small populations need not have."""
    records, (c, a, b), query = SHARES[name]
    ddof, root = query.proved.ddof, query is sl.STD
    whole = SortedRecords.of(sl.Universe.population(records))
    found = ScatterOnPopulation(whole, ddof, root)(c, a, b)
    assert found.attained
    assert float(found.gap) == pytest.approx(widest_gap(records, (c, a, b), ddof, root), rel=1e-12)


def widest_gap(records, share, ddof, root):
    """D(c, a, b), with every B and C; for these, the lowest and highest others are A."""
    c, a, b = share
    places = range(len(records) - b)
    shared = np.array(list(combinations(places, c)))
    others = np.array([[i for i in places if i not in chosen] for chosen in shared.tolist()])

    def spread_of(columns):
        squares = np.var(columns.astype(float), axis=1, ddof=ddof)
        return np.sqrt(squares) if root else squares

    best = -math.inf
    for lower in combinations(range(len(records)), b):
        rest = np.delete(np.array(records), lower)
        below = np.array(records)[list(lower)] + 0 * shared[:, :1]
        low = spread_of(np.hstack([rest[shared], below]))
        for i in range(a + 1):
            outer = np.hstack([others[:, :i], others[:, others.shape[1] - (a - i) :]])
            best = max(best, (spread_of(rest[np.hstack([shared, outer])]) - low).max())
    return best


FAR_BINS = sl.histogram([2**60 + 1, 2**63, 2**64])
NAMED = {
    "the window that is not one": ([-100, -3, -2, -2, 3, 3, 3, 3], 6, sl.Change(2), sl.VARIANCE),
    "all change, to anywhere": ([-5, -3, 0, 0, 2, 3], 2, sl.Change(2), sl.VARIANCE),
    "more than half change": ([0, 0, 0, 0, 1, 2], 4, sl.Change(3), sl.VARIANCE),
    "at exactly j the variance falls": ([0, 0, 0, 0, 1, 2], 4, sl.Change(2), sl.VARIANCE),
    "the root's outer family fails": ([-1, 0, 0, 0, 0, 1, 2], 4, sl.AddRemove(2), sl.STD),
    "ten records that fall": ([-3, -3, -2, 3, 3, 4, 4, 4, 10, 10], 9, sl.Remove(6), sl.VARIANCE),
    "one order is not enough": ([0, 0, 0, 2, 2, 2, 2, 2], 5, sl.Remove(3), sl.quantile(0.25)),
    "mixed signs": ([-1, -1, -1, -1, 3], 3, sl.AddRemove(1), sl.SUM),
    "two at the low end of 64 bits": ([-(2**63), -(2**63), 2**62], 2, sl.Change(1), sl.STD),
    "both ends": ([-(2**63), 0, 2**63 - 1], 2, sl.AddRemove(1), sl.VARIANCE),
    "unsigned": ([0, 2**63, 2**64 - 1, 2**64 - 1], 3, sl.Change(1), sl.variance(ddof=1)),
    "a range": ([-(2**63), 3, 5, 2**62, 2**63 - 1], 3, sl.SymmetricDifference(2), sl.RANGE),
    "bins far beyond the records": ([2**60] * 5, 2, sl.SymmetricDifference(2), FAR_BINS),
    "a record in one of them": ([2**60] * 3 + [2**60 + 2], 2, sl.Change(2), FAR_BINS),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_counterexamples(name):
    """Catches a plausible but false structure, which gives too little, and a wrap."""
    records, size, relation, query = NAMED[name]
    universe = sl.Universe.population(records)
    assert agree(query, universe, size, relation, methods=("solver", "auto", "sweep"))


def test_what_is_not_proved_is_not_answered():
    """The one mix that may lie elsewhere: enumerated while small, refused beyond."""
    small = sl.Universe.population([0, 5, 6, 8, 8, 9])
    question = {"size": 5, "relation": sl.SymmetricDifference(5)}
    beyond = "where each dataset has records of its own and the smaller has the larger answer"
    assert sl.global_sensitivity(sl.STD, small, **question).method == "sweep"
    with pytest.raises(ValueError, match=rf"no proof for std under .* {beyond}"):
        sl.global_sensitivity(sl.STD, small, method="solver", **question)
    with pytest.raises(ValueError, match=rf"\(no proved solver covers std {beyond}\) exceed"):
        sl.global_sensitivity(sl.STD, small, max_datasets=1, **question)
    assert agree(sl.VARIANCE, small, 5, question["relation"])


@pytest.mark.parametrize("query", [sl.SUM, sl.MEDIAN, *SPREADS[:2]], ids=str)
def test_a_large_dataset_is_solved_when_it_has_too_many_neighbours(query):
    """Mixes of the spreads are proved for one dataset."""
    records = np.random.default_rng(2).integers(0, 1000, 1000)
    universe = sl.Universe.population(records)
    relation = sl.SymmetricDifference(4)
    found = sl.local_sensitivity(query, records[:500].tolist(), universe, relation=relation)
    assert found.method == "solver"
    assert found.check()


def test_a_large_witness_is_held_compactly():
    """It unpacks like a pair, and says what left and what joined without building the pair."""
    universe = sl.Universe.population(np.arange(5000))
    found = sl.global_sensitivity(sl.MEAN, universe, size=2500, relation=sl.Change(2))
    assert found.witness.removed == (4998, 4999)
    assert found.witness.added == (0, 1)
    assert "_pair" not in vars(found.witness)
    assert "removed (4998, 4999), added (0, 1)" in repr(found)
    assert ">changed from</th>" in found._repr_html_()
    dataset, neighbour = found.witness
    assert sorted(found.witness.common + found.witness.removed) == list(dataset)
    assert sorted(found.witness.common + found.witness.added) == list(neighbour)
    assert found.witness == (dataset, neighbour)
    assert len(found.witness) == 2
    added = sl.global_sensitivity(sl.SUM, universe, size=2500, relation=sl.Add(1))
    assert (added.witness.removed, added.witness.added) == ((), (4999,))


def test_offsets_near_the_largest_int_stay_in_64_bits():
    """Catches a million close records that are summed one by one because they lie far out."""
    whole = SortedRecords.of(sl.Universe.population([2**63 - 9, 2**63 - 1]))
    centred = filtered_maximum.Centred.of(whole)
    assert centred.numbers.dtype == np.int64
    assert centred.numbers.tolist() == [-8, 0]


ZEROS = [
    (sl.STD, [0, 1], range(1, 24), sl.AddRemove(1), 0.5),  # of one size all answers are 0
    (sl.VARIANCE, [0, 1], 3, sl.SymmetricDifference(22), Fraction(1, 4)),
    (sl.MEAN, [0], range(1, 50), sl.AddRemove(1), 0),
    (sl.quantile(Fraction(1, 10**20)), [0], 2, sl.AddRemove(1), 0),
]


@pytest.mark.parametrize(("query", "values", "size", "relation", "expected"), ZEROS)
def test_zeros_over_a_denominator_of_more_than_64_bits(query, values, size, relation, expected):
    """Catches a factor that only fits because what it multiplies is 0."""
    universe = sl.Universe.value_range(values)
    found = sl.global_sensitivity(query, universe, size=size, relation=relation, method="sweep")
    assert (found.value, found.check()) == (expected, True)


@pytest.mark.parametrize("query", SPREADS, ids=str)
@pytest.mark.parametrize("values", [[1, 2, 3], [0, 1, 5, 7], range(1000)], ids=str)
def test_a_spread_on_a_range_needs_no_list_of_its_layouts(query, values):
    """Catches work or memory in proportion to the size: these have 10^12 records."""
    n = 10**12
    universe = sl.Universe.value_range(values)
    for relation in (sl.Remove(2), sl.SymmetricDifference(4)):
        ask = {"size": n, "relation": relation}
        try:
            found = sl.global_sensitivity(query, universe, **ask, method="solver")
        except sl.NotProved:
            assert isinstance(query.proved, Deviation)
            continue
        form = sl.closed_form(query, bounds=(values[0], values[-1]), **ask)
        assert 0 < float(found.value) <= float(form.value) * (1 + 1e-15)


def test_a_value_off_the_middle_at_a_large_size():
    """Catches a search that stops early: by hand x = 2 is best, 5/16 of the shared at the top."""
    c, b, values = 10**12, 2, [1, 2, 9]
    question = Problem(sl.VARIANCE, sl.Universe.value_range(values), c + b, sl.Remove(b), norm=1)

    def gap(j, x):
        shared, mean = Fraction(64 * j * (c - j), c), 1 + Fraction(8 * j, c)
        return shared / c - (shared + Fraction(c * b, c + b) * (x - mean) ** 2) / (c + b)

    near = [gap(5 * c // 16 + step, 2) for step in range(-9, 10)]
    assert widest_gaps(question)(c, 0, b).gap == max(near)
    assert max(near) > max(near[0], near[-1], gap(c // 4, 1), gap(3 * c // 4, 9))


def test_the_rows_that_anybody_shares_need_not_be_the_fewest():
    """Catches a widest pair that is sought among those with the fewest shared rows alone."""
    anybody = sl.Universe.people(sl.Universe.product(x=[0, 3]), most_rows=2, least_rows=1)
    question = Problem(sl.VARIANCE.of("x"), anybody, 2, sl.Change(1), norm=1)
    brought = [rows for n in (1, 2) for rows in combinations_with_replacement([0, 3], n)]
    gaps = {
        n: [pvariance(c) - pvariance(c + b) for c in brought if len(c) == n for b in brought]
        for n in (1, 2)
    }
    assert widest_gaps(question)(1, 0, 1).gap == Fraction(9, 16) == max(gaps[2]) > max(gaps[1])


def test_a_solver_that_wraps_is_found_out(monkeypatch):
    """Catches a wrong value that is handed on although its own witness does not have it."""

    def wrapping(records):
        return filtered_maximum.Centred(records, records.whole - records[len(records) // 2])

    monkeypatch.setattr(filtered_maximum.Centred, "of", wrapping)
    universe = sl.Universe.population([-(2**63), -(2**63), 2**62])
    for query in (sl.STD, sl.VARIANCE):
        with pytest.raises(ArithmeticError, match=r"witness for .* does not have the value found"):
            sl.global_sensitivity(query, universe, size=2, relation=sl.Change(1), method="solver")


@pytest.mark.parametrize("query", SPREADS[:4], ids=str)
def test_places_that_floats_cannot_tell_apart(query):
    """Catches a wrong winner among those near the top: they differ in the seventeenth digit.

    The highest record is moved until another pair wins; just before and just after, both are
    nearly as wide.
    """
    rng = random.Random(f"near {query}")
    for _ in range(CASES // 12):
        records = [rng.randint(-(10**17), 10**17) for _ in range(6)]
        size, relation = rng.randint(3, 4), rng.choice([sl.Add, sl.Remove, sl.Change])(1)

        def universe(top, records=records):
            return sl.Universe.population([*records, top])

        def winner(top, universe=universe, size=size, relation=relation):
            ask = {"size": size, "relation": relation, "method": "sweep"}
            drawn = universe(top)
            found = sl.global_sensitivity(query, drawn, **ask)
            return [drawn.indices(side) for side in found.witness]

        low, high = max(records) + 1, 10**18
        first = winner(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if winner(middle) == first else (low, middle)
        for top in (low, high):
            assert agree(query, universe(top), size, relation)


def test_gaps_of_roots_that_tie_in_floats_are_settled_exactly():
    """Catches a sum of roots that weighs the two sizes wrongly: it drops the wider of these.

    A pair whose lower side is constant, and one whose lower side is not; one step of the record
    x decides which is wider.
    """
    y, z, w = 10**17, 2 * 10**17 + 7, 10**18
    three, two = (math.isqrt(sl.VARIANCE(x) * 2**200 // 1) for x in ((y, z, w), (y, z)))
    tie = (three - two) * 3 // math.isqrt(2 << 200)  # √V = x·√2/3 for 0, 0 and x
    shared, alone = (np.array([0, 2]), np.array([2, 4])), (np.array([4, 5]), np.array([5, 6]))
    for x, wider in ((tie, [y, z, w]), (tie + 1, [0, 0, tie + 1])):
        whole = SortedRecords.of(sl.Universe.population([0, 0, y, z, x, w]))
        centred = filtered_maximum.Centred.of(whole)
        maximum = filtered_maximum.FilteredMaximum(centred, (2, 1, 0), ddof=0, root=True)
        maximum.enter(filtered_maximum.Layouts([shared], [alone], []))
        assert list(maximum.widest().pair()[0]) == wider


def test_a_witness_too_long_to_build_is_refused():
    """Catches memory that runs out where a result of a million million records is looked at."""
    ask = {"size": 10**12, "relation": sl.Change(1), "method": "solver"}
    found = sl.global_sensitivity(sl.MEAN, sl.Universe.value_range([0, 1]), **ask)
    assert found.value == Fraction(1, 10**12)
    reason = "built up to 20,000,000 records, got 1,000,000,000,000; its `removed` and `added` show"
    for look in (found.check, found.snippet, lambda: found.witness[0], lambda: list(found.witness)):
        with pytest.raises(ValueError, match=reason):
            look()
    with pytest.raises(ValueError, match="records, got 999,999,999,999; its"):
        _ = found.witness.common
    assert {found.witness.removed, found.witness.added} == {(0,), (1,)}
    assert "1,000,000,000,000 records" in repr(found)
    assert "(1)" in found._repr_html_()


# --- what a proof spares, and how it is answered ---------------------------------------------


PAIR, ONE = sl.Universe.value_range([0, 1]), sl.Change(1)


def by_proof(query, universe, size, relation=ONE, method="solver"):
    return sl.global_sensitivity(query, universe, size=size, relation=relation, method=method)


def test_what_cannot_be_enumerated_is_solved_without_being_told_to():
    """Catches half a minute for a proved number: few datasets at both ends, many between them; a
    step of NumPy for every place of one; and a budget of datasets that stops an answer which asks
    none."""
    many, few = sl.Universe.population(range(20_000)), sl.Universe.value_range([-2, 0, 4, 9])
    for query, universe, size, relation, value in (
        (sl.MEAN, few, 4, sl.Add(116), Fraction(319, 30)),
        (sl.MAX, sl.Universe.value_range([7]), 250_000, sl.Remove(2), 0),
        (sl.SUM, many, 20_000, sl.Remove(1), 19_999),
        (sl.SUM, PAIR, 900_000, sl.Change(2), 2),
    ):
        found = by_proof(query, universe, size, relation, "auto")
        assert (found.value, found.method) == (value, "solver")
    ask = {"universe": sl.Universe.population(range(10_010)), "relation": ONE}
    assert sl.local_sensitivity(sl.MAX, range(10_000), **ask).value == 10


def test_what_no_proof_covers_is_refused_unasked():
    """Catches a function that is asked before it is known that nothing is proved of it."""
    own = Mock(spec=[], side_effect=sum, __name__="own")
    for ask in (
        lambda: by_proof(own, PAIR, 2),
        lambda: sl.local_sensitivity(own, (0, 1), PAIR, relation=ONE, method="solver"),
    ):
        with pytest.raises(ValueError, match="no proof for own"):
            ask()
    own.assert_not_called()
    with pytest.raises(ValueError, match="predicate failed on 0: ZeroDivisionError"):
        by_proof(sl.count_where(lambda v: 1 / v), PAIR, 2)


@pytest.mark.parametrize("query", CHECKED, ids=str)
def test_check_finds_a_false_witness_of_a_proof(query):
    """Catches a check that is quick because it believes."""
    checks_find_what_is_false(query, records=4000, method="solver")


LARGEST = [0.5, Decimal("0.5"), np.float32(19.99), 10**5000]


@pytest.mark.parametrize("largest", LARGEST, ids=range(4))
def test_a_proof_gives_the_callers_own_numbers(largest, capsys):
    """Catches a witness in Fractions, and a result that cannot be printed, or prints progress."""
    kind = type(largest)
    found = by_proof(sl.SUM, sl.Universe.population([kind(0), largest]), 1)
    dataset, neighbour = found.witness
    assert sorted(dataset + neighbour) == [0, largest]
    assert {*map(type, dataset + neighbour)} == {kind}
    assert len(repr(found)) < 1200
    assert capsys.readouterr() == ("", "")


def test_a_long_witness_is_no_picture_and_no_table():
    """Catches 10**12 records that are built to be counted."""
    with pytest.raises(ValueError, match=r"at most 100 records .* got 1,000,000,000,000"):
        sl.plot_witness(by_proof(sl.SUM, PAIR, 10**12))
    assert by_proof(sl.SUM, sl.Universe.population(range(5000)), 2000).witness._repr_html_() is None
