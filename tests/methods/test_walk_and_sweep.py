"""The package against the labelled-records brute force, over thousands of small universes.

`ORACLE_CASES` (default 14) sets how many random cases each of the 50 seeds draws; a long
fuzzing run raises it.
"""

import math
import os
import random
from decimal import Decimal
from fractions import Fraction

import conftest
import numpy as np
import pytest
from conftest import QUERIES, smallest_size

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.methods.lattice import Evaluations, Lattice, NoArray

CASES = int(os.environ.get("ORACLE_CASES", "14"))
RELATIONS = [relation.__name__ for relation in conftest.RELATIONS]


def exact(number):
    """A caller's number as the Fraction it stands for; floats by their text."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def exactly(dataset):
    return tuple(map(exact, dataset))


def random_values(rng, count):
    """Numbers of one random kind: all the kinds that have tripped float code."""
    kinds = {
        "digits": lambda: small,
        "few": lambda: [rng.randint(0, 2) for _ in range(count)],
        "negative": lambda: [number - 5 for number in small],
        "fractions": lambda: [Fraction(number - 3, rng.choice([2, 3, 7])) for number in small],
        "tenths": lambda: [(number - 3) / 10 for number in small],
        "decimals": lambda: [Decimal(number) / 8 for number in small],
        "outlier": lambda: [*small[1:], rng.choice([-1, 1]) * 10**9],
        "huge": lambda: [10**25 + number for number in small],
    }
    kind = rng.choice([*kinds])
    small = [rng.randint(0, 9) for _ in range(count)]
    return kinds[kind]()


def random_case(rng):
    """A universe, a size or range of sizes, a relation, and all their neighbouring pairs."""
    relation, k = rng.choice(RELATIONS), rng.choice([1, 1, 2, 2, 3])
    if rng.random() < 0.6:
        records = random_values(rng, rng.randint(1, 6))
        universe, most = sl.Universe.population(records), len(records)
        pairs_of = oracle.population_pairs
    else:
        records = random_values(rng, rng.randint(1, 3))
        universe, most = sl.Universe.value_range(records), 3
        pairs_of = oracle.range_pairs
    size = rng.randint(0, most)
    if rng.random() < 0.3:
        size = range(size, rng.randint(size, most) + 1)
    rng.shuffle(records)
    pairs = pairs_of(list(map(exact, records)), size, relation, k)
    return universe, size, getattr(sl, relation)(k), pairs


def random_edges(rng, universe):
    """Edges at the ends and in the middle; sometimes the last is beyond the records."""
    low, high = exact(universe.values[0]), exact(universe.values[-1])
    edges = sorted({low, (low + high) / 2, high, high + rng.choice([0, 1])})
    return edges + [high + 1] * (len(edges) == 1)


def agrees(found, expected, case):
    """The same value, exactly, and the first of all attaining pairs in lexicographic order."""
    if isinstance(expected.value, Decimal):
        assert found.value == float(expected.value), case
    else:
        assert found.value == expected.value, case
        assert not isinstance(found.value, float) or expected.value == 0, case
    dataset, neighbour = found.witness
    assert (exactly(dataset), exactly(neighbour)) == min(expected.witnesses), case


def hold_to_account(query, norm, universe, size, relation, answer, smallest, pairs):
    """Both methods equal the oracle, or refuse where it finds no pair at all.

    Vectors in L2 are the walk's alone, so there "auto" is asked to find that out.
    """
    expected = oracle.greatest(answer, smallest, pairs, norm)
    for method in ("walk", "auto") if norm == 2 else ("walk", "sweep"):
        case = (query, universe, size, relation, norm, method)
        ask = {"size": size, "relation": relation, "norm": norm, "method": method}
        if expected is None:
            with pytest.raises(ValueError, match=r"relation|size|feasible"):
                sl.global_sensitivity(query, universe, **ask)
        else:
            agrees(sl.global_sensitivity(query, universe, **ask), expected, case)


@pytest.mark.parametrize("seed", range(50))
def test_global_equals_brute_force(seed):
    """Catches any wrong value or witness, on any relation, query, norm, kind of number or size."""
    rng = random.Random(seed)
    for _ in range(CASES):
        universe, size, relation, pairs = random_case(rng)
        name = rng.choice([*QUERIES, "histogram"])
        if name == "histogram":
            edges, norm = random_edges(rng, universe), rng.choice(oracle.NORMS)
            asked = sl.histogram(edges), norm, universe, size, relation, oracle.histogram(edges), 0
        else:
            asked = QUERIES[name], 1, universe, size, relation, *oracle.QUERIES[name]
        hold_to_account(*asked, pairs)


@pytest.mark.parametrize("seed", range(20))
def test_local_equals_brute_force(seed):
    """Catches a local sensitivity that looks beyond, or short of, the one dataset's neighbours."""
    rng = random.Random(1000 + seed)
    for _ in range(CASES):
        universe, size, relation, pairs = random_case(rng)
        datasets = sorted({x for x, _ in pairs})
        if not isinstance(size, int) or not datasets:
            continue
        name = rng.choice(list(QUERIES))
        dataset = rng.choice(datasets)
        answer, smallest = oracle.QUERIES[name]
        expected = oracle.local(answer, smallest, dataset, pairs)
        shuffled = rng.sample(dataset, len(dataset))
        if expected is None:
            with pytest.raises(ValueError, match=r"relation|size|feasible|records"):
                sl.local_sensitivity(QUERIES[name], shuffled, universe, relation=relation)
            continue
        found = sl.local_sensitivity(QUERIES[name], shuffled, universe, relation=relation)
        agrees(found, expected, (name, dataset, universe, relation))


def own_arithmetic(kind):
    """Callables that answer in floats, in mixed numbers, or in vectors of either."""
    return {
        "float": lambda x: float(sum(x)) / 3,
        "mixed": lambda x: len(x) if len(x) % 2 else float(sum(x)) / 7,
        "sizes": lambda x: Fraction(sum(x)) / 3 if len(x) > 2 else float(sum(x)) / 7,
        "floats": lambda x: [float(sum(x)) / 3, float(max(x)) / 7],
        "vector": lambda x: (len(x), sum(x), Fraction(max(x)) / 3),
        "array": lambda x: np.array([len(x), float(sum(x)) / 3]),
        "long": lambda x: [sum(v <= i for v in x) for i in range(8)],
        "constant": lambda x: 0.1,
    }[kind]


@pytest.mark.parametrize("norm", [1, math.inf])
@pytest.mark.parametrize(
    "kind", ["float", "mixed", "sizes", "floats", "vector", "array", "long", "constant"]
)
def test_callables_equal_brute_force(kind, norm):
    """Catches a callable whose own arithmetic is changed on the way, in value or witness."""
    rng = random.Random(kind)
    query = own_arithmetic(kind)

    def answer(x):
        found = query(tuple(int(v) for v in x))
        return tuple(found) if isinstance(found, list | np.ndarray) else found

    for _ in range(CASES):
        records = [rng.randint(-4, 9) for _ in range(rng.randint(1, 5))]
        relation, k, size = rng.choice(RELATIONS), rng.randint(1, 3), rng.randint(1, len(records))
        pairs = oracle.population_pairs(list(map(Fraction, records)), size, relation, k)
        expected = oracle.greatest(answer, smallest_size(answer), pairs, norm)
        if expected is None:
            continue
        for method in ("walk", "auto"):
            ask = {"size": size, "relation": getattr(sl, relation)(k), "norm": norm}
            r = sl.global_sensitivity(query, sl.Universe.population(records), **ask, method=method)
            assert r.value == expected.value, (kind, records, ask, method)
            assert tuple(map(exactly, r.witness)) == min(expected.witnesses)
            assert r.check()


@pytest.mark.parametrize("chunk", [1, 5, 7])
@pytest.mark.parametrize("query", [sl.MEAN, sl.STD, sl.MEDIAN, sl.histogram([0, 3, 9])], ids=str)
def test_the_lattice_in_small_pieces(monkeypatch, chunk, query):
    """Catches a dataset lost, or counted twice, where one piece of the lattice meets the next."""
    monkeypatch.setattr(Lattice, "chunk", chunk)
    for universe in (
        sl.Universe.population([0, 0, 1, 3, 3, 7, 9]),
        sl.Universe.value_range([0, 2, 9]),
    ):
        for relation in (sl.AddRemove(2), sl.SymmetricDifference(2), sl.Change(2)):
            ask = {"size": 3, "relation": relation}
            swept = sl.global_sensitivity(query, universe, **ask, method="sweep")
            walked = sl.global_sensitivity(query, universe, **ask, method="walk")
            assert (swept.value, swept.witness) == (walked.value, walked.witness)


@pytest.mark.parametrize("size", [0, 1, 69, 70])
@pytest.mark.parametrize("relation", [sl.AddRemove(1), sl.SymmetricDifference(1), sl.Change(1)])
def test_nearly_empty_and_nearly_whole_populations(size, relation):
    """Catches ranks that overflow: there are 10²⁰ ways to take half of 70."""
    universe = sl.Universe.population([n * n for n in range(70)])
    ask = {"size": size, "relation": relation}
    swept = sl.global_sensitivity(sl.SUM, universe, **ask, method="sweep")
    walked = sl.global_sensitivity(sl.SUM, universe, **ask, method="walk")
    assert (swept.value, swept.witness) == (walked.value, walked.witness)


def test_floats_that_tie_by_rounding():
    """Catches a walk that looks at the extreme answers only: 10¹⁶ + 3 and 10¹⁶ + 4 are one float."""
    answers = {0: -1e16, 1: 3.0, 2: 4.0}
    universe = sl.Universe.population([0, 1, 2])
    for method in ("walk", "sweep"):
        r = sl.global_sensitivity(
            lambda x: answers[x[0]], universe, size=1, relation=sl.Change(1), method=method
        )
        assert r.witness == ((0,), (1,))


def test_roots_that_tie_where_floats_do_not():
    """Catches a search that trusts float roots: √12 − √3 = √27 − √12, but not in doubles."""
    squares = {(0, 1): 3, (2, 3): 27}
    query = sl.Query("root", lambda x: squares.get(x, 12), exact=True, root=True)
    universe = sl.Universe.population([0, 1, 2, 3])
    for method in ("walk", "sweep"):
        r = sl.global_sensitivity(query, universe, size=2, relation=sl.Change(1), method=method)
        assert r.value == math.sqrt(3)
        assert r.witness == ((0, 1), (0, 2))


def test_more_than_six_keys_end_a_sweep_at_once():
    """Catches sizes that are answered for a table of columns that is already given up; six are not."""
    asked = []

    def counts(dataset):
        asked.append(dataset)
        return dict.fromkeys(dataset, 1)

    query = sl.Query("counts", counts)
    many = Evaluations(query, sl.Universe.value_range(range(7)), Lattice([2] * 7, largest=2))
    with pytest.raises(NoArray):
        many.of(1)
    asked.clear()
    with pytest.raises(NoArray):
        many.of(2)
    assert not asked
    six = Evaluations(query, sl.Universe.value_range(range(6)), Lattice([2] * 6, largest=2))
    assert [six.of(size)[0].shape for size in (1, 2)] == [(6, 6), (21, 6)]


def test_a_sweep_of_squares_beyond_the_floats():
    """Catches float roots of squares above 10^308, which have none: the sweep must scale them."""
    records = [0, 10**160, 3 * 10**160, 7 * 10**160]
    for relation in (sl.Change(1), sl.AddRemove(1)):
        ask = {"size": 2, "relation": relation}
        universe = sl.Universe.population(records)
        swept = sl.global_sensitivity(sl.STD, universe, method="sweep", **ask)
        small = sl.global_sensitivity(
            sl.STD, sl.Universe.population([0, 1, 3, 7]), method="walk", **ask
        )
        assert swept.value == pytest.approx(float(small) * 1e160, rel=1e-12)
        assert swept.check()
