"""The walk and the sweep against the labelled-records brute force,
over thousands of small universes.

`ORACLE_CASES` (default 20) sets how many random cases each of the 50 seeds draws; a long
fuzzing run raises it.
"""

import os
import random
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product

import conftest
import numpy as np
import pytest
from conftest import QUERIES, smallest_size
from routes import random_records

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.methods.sweep import Lattice

CASES = int(os.environ.get("ORACLE_CASES", "20"))
RELATIONS = [relation.__name__ for relation in conftest.RELATIONS]
# Functions of whole numbers that answer in floats, in mixed numbers, or in vectors of either.
OWN = {
    "float": lambda x: float(sum(x)) / 3,
    "mixed": lambda x: len(x) if len(x) % 2 else float(sum(x)) / 7,
    "sizes": lambda x: Fraction(sum(x)) / 3 if len(x) > 2 else float(sum(x)) / 7,
    "floats": lambda x: [float(sum(x)) / 3, float(max(x)) / 7],
    "vector": lambda x: (len(x), sum(x), Fraction(max(x)) / 3),
    "array": lambda x: np.array([len(x), float(sum(x)) / 3]),
    "long": lambda x: [sum(v <= i for v in x) for i in range(8)],
    "constant": lambda x: 0.1,
}


def exact(number):
    """A caller's number as the Fraction it stands for; floats and NumPy's by their text."""
    return Fraction(str(number)) if isinstance(number, float | np.integer) else Fraction(number)


def exactly(dataset):
    return tuple(map(exact, dataset))


def random_case(rng, whole):
    """A universe, a size or range of sizes, a relation, and all their neighbouring pairs."""
    relation, k = rng.choice(RELATIONS), rng.choice([1, 1, 2, 2, 3])
    unlimited = rng.random() < 0.4
    records = random_records(rng, 3 if unlimited else 6)
    if whole:
        records = [rng.randint(-4, 9) for _ in records]
    make = sl.Universe.value_range if unlimited else sl.Universe.population
    pairs_of = oracle.range_pairs if unlimited else oracle.population_pairs
    most = 3 if unlimited else len(records)
    size = rng.randint(0, most)
    if rng.random() < 0.3:
        size = range(size, rng.randint(size, most) + 1)
    pairs = pairs_of(exactly(records), size, relation, k)
    return make(records), size, getattr(sl, relation)(k), pairs


def random_query(rng, name, universe):
    """A query, what it answers in the words of the definition, the smallest size, and a norm."""
    norm = rng.choice(oracle.NORMS)
    if name in OWN:
        own = OWN[name]

        def answer(x):
            found = own(tuple(map(int, x)))
            return tuple(found) if isinstance(found, list | np.ndarray) else found

        return own, answer, smallest_size(answer), norm if norm != 2 else 1
    if name == "histogram":  # edges at the ends and in the middle; sometimes the last is beyond
        low, high = exact(universe.values[0]), exact(universe.values[-1])
        edges = sorted({low, (low + high) / 2, high, high + rng.choice([0, 1])})
        edges += [high + 1] * (len(edges) == 1)
        return sl.histogram(edges), oracle.histogram(edges), 0, norm
    return QUERIES[name], *oracle.QUERIES[name], 1


def agrees(ask, expected):
    """The same value, and the first of all attaining pairs; or a refusal."""
    if expected is None:
        with pytest.raises(ValueError, match=r"relation|size|feasible|records"):
            ask()
        return
    found, value = ask(), expected.value
    assert found.value == (float(value) if isinstance(value, Decimal) else value), ask
    mixed = ask.args[0] in (OWN["mixed"], OWN["sizes"])  # a float may be one end of a whole gap
    rational = isinstance(value, int | Fraction) and value != 0 and not mixed
    assert not (rational and isinstance(found.value, float)), ask
    assert tuple(map(exactly, found.witness)) == min(expected.witnesses), ask
    assert found.check(), ask


@pytest.mark.parametrize("seed", conftest.a_third([*range(50)]))
def test_every_question_equals_brute_force(seed):
    """Catches any wrong value or witness, on any relation, query, norm, number or size."""
    rng = random.Random(seed)
    for _ in range(CASES):
        name = rng.choice([*QUERIES, "histogram", *OWN])
        universe, size, relation, pairs = random_case(rng, whole=name in OWN)
        query, answer, smallest, norm = random_query(rng, name, universe)
        ask = {"relation": relation, "norm": norm}
        expected = oracle.greatest(answer, smallest, pairs, norm)
        # Vectors in L2 are the walk's alone, so there "auto" is asked to find that out.
        for method in ("walk", "auto" if norm == 2 or name in OWN else "sweep"):
            asked = partial(sl.global_sensitivity, query, universe, size=size, method=method)
            agrees(partial(asked, **ask), expected)
        if isinstance(size, int) and pairs:
            dataset, _ = rng.choice(sorted(pairs))
            shuffled = rng.sample(dataset, len(dataset))
            expected = oracle.local(answer, smallest, dataset, pairs, norm)
            agrees(partial(sl.local_sensitivity, query, shuffled, universe, **ask), expected)


def sweep_equals_walk(query, universe, size, relation):
    swept, walked = (
        sl.global_sensitivity(query, universe, size=size, relation=relation, method=method)
        for method in ("sweep", "walk")
    )
    assert (swept.value, swept.witness) == (walked.value, walked.witness)


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
            sweep_equals_walk(query, universe, 3, relation)


ONE = [sl.AddRemove(1), sl.SymmetricDifference(1), sl.Change(1)]
EXTREMES = {
    "ranks that overflow: there are 10²⁰ ways to take half of 70": (
        sl.SUM, [n * n for n in range(70)], [0, 1, 69, 70], ONE
    ),
    "squares beyond the floats, which have no float root": (
        sl.STD, [0, 10**160, 3 * 10**160, 7 * 10**160], [2], ONE
    ),
    "gaps of roots that floats hardly tell apart": (
        sl.STD, [-(10**9), 0, 7, 7, 8], [3], [sl.AddRemove(2)]
    ),
    "a rise and a fall of roots beyond 2^500, scaled apart": (
        sl.std(ddof=1), [-1.7e308, -9.9e299, -1e-300, 0.0, 9.9e299], [4],
        [sl.SymmetricDifference(3)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXTREMES)
def test_a_sweep_of_extremes(name):
    """Catches a sweep whose numbers, or ranks, are too large for its arrays."""
    query, records, sizes, relations = EXTREMES[name]
    for size, relation in product(sizes, relations):
        sweep_equals_walk(query, sl.Universe.population(records), size, relation)


SQUARE_OF = {(0, 1): 3, (2, 3): 27}
TIES = {  # a query, the size, and the first of the widest pairs
    "10¹⁶ + 3 and 10¹⁶ + 4 are one float": (
        lambda x: [-1e16, 3.0, 4.0, 0.0][x[0]], 1, ((0,), (1,))
    ),
    "√12 − √3 = √27 − √12, but not in doubles": (
        sl.Query("root", lambda x: SQUARE_OF.get(x, 12), exact=True, root=True), 2, ((0, 1), (0, 2))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TIES)
@pytest.mark.parametrize("method", ["walk", "sweep"])
def test_gaps_that_tie(name, method):
    """Catches a walk that looks at extreme answers only, a search that trusts float roots."""
    query, size, witness = TIES[name]
    universe = sl.Universe.population([0, 1, 2, 3])
    ask = {"size": size, "relation": sl.Change(1), "method": method}
    assert sl.global_sensitivity(query, universe, **ask).witness == witness
