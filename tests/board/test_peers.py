"""Other people's benchmarks by second routes: pairs, a sampler, annotations, faults and noise."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from conftest import a_third
from scipy import stats
from sensitivity_board.peers import google_pairs, noisy, recorder, sampler, senscheck
from sensitivity_board.peers import measure_google_pairs as script

from sensitivity_lab.definition import related

BOUNDS = {"lower_bound": "-3", "upper_bound": "5.5", "tree_height": "2", "branching_factor": "3"}


def brute_square(query, quantity, settings, partitions, entries):
    """The furthest that one person moves a quantity, over all that she may add."""
    low, high = Fraction(settings["lower_bound"]), Fraction(settings["upper_bound"])
    values = [low - 1, low, (low + high) / 2, (low + 2 * high) / 3, high]
    held = [x for n in range(entries + 1) for x in combinations_with_replacement(values, n)]
    far = 0
    for parts in product(held, repeat=partitions):
        vector = Counter()
        for number, part in enumerate(parts):
            found = script.vectors(query, settings, list(part))[quantity]
            vector.update({(number, key): value for key, value in found.items()})
        far = max(far, script.moved(vector, Counter(), settings["noise_type"]))
    return far


QUANTITIES = [
    ("sum", "sum"), ("mean", "count"), ("mean", "deviations"), ("standard deviation", "squares"),
    ("quantiles", "tree"),
]  # fmt: skip


@pytest.mark.parametrize("noise", ["LAPLACE", "GAUSSIAN"])
@pytest.mark.parametrize(("partitions", "entries"), [(1, 1), (1, 4), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize(("query", "quantity"), a_third(QUANTITIES))
def test_the_exact_value_is_of_all_a_person_may_add(query, quantity, partitions, entries, noise):
    """Catches a formula that forgets a partition, an entry, a level of the tree or the norm."""
    limits = ("max_partitions_contributed", "max_contributions_per_partition")
    told = dict(zip(limits, (str(partitions), str(entries)), strict=True))
    settings = {**BOUNDS, **told, "noise_type": noise}
    found = google_pairs.exact_square(quantity, settings)
    assert found == brute_square(query, quantity, settings, partitions, entries)


def test_exact_values_are_those_of_the_formulas():
    """Catches a solver asked about another universe, size or relation."""
    n, top = 25, 100
    deviation = top * math.sqrt(n - 1) / n
    formulas = [1, 2, top, top / n, (n - 1) * top**2 / n**2, deviation, top, top, top, 60, top]
    assert [sampler.exact(name) for name in sampler.QUERIES] == pytest.approx(formulas, rel=1e-12)


STATED = {
    "solo_double1": (lambda a: a + a, [0]), "solo_plus1": (np.add, [0]),
    "solo_plus2": (np.multiply, [0, 1]), "add_pair_solo1": (np.add, [0]),
    "add_pair_solo2": (np.multiply, [0, 1]), "add_dependently_typed_matrix_solo1": (np.add, [1]),
}  # fmt: skip


def claimed_and_found(name, x, y):
    """What a type states of two calls, and how far the answers lie apart."""
    function, stated = STATED[name]
    here, there = ([np.array(part, dtype=np.float64) for part in call] for call in (x, y))
    claimed = sum(np.linalg.norm(here[i] - there[i]) for i in stated)
    return claimed, np.linalg.norm(function(*here) - function(*there))


@pytest.mark.parametrize("annotation", senscheck.ANNOTATIONS, ids=lambda one: one.name)
def test_a_wrong_annotation_by_every_pair_of_calls(annotation):
    """Catches a witness that is none or not the smallest, and a factor of the witness alone."""
    row, ask = senscheck.smallest(annotation), claimed_and_found
    asked = ask(annotation.name, row.dataset, row.neighbour)
    assert (row.claimed, row.found) == pytest.approx(asked)
    assert row.found > row.claimed + 0.5
    for most in range(2, 4 if sum(annotation.entries) < 4 else 3):  # to 3 would be 32,640 pairs
        calls = product(*(product(range(most + 1), repeat=n) for n in annotation.entries))
        pairs = {pair: ask(annotation.name, *pair) for pair in combinations(calls, 2)}
        totals = [np.sum(pair) for pair, (c, f) in pairs.items() if f > c + 1e-9]
        assert np.sum([row.dataset, row.neighbour]) == min(totals)
        widest = max(f / c if c else math.inf for c, f in pairs.values() if f)
        assert senscheck.factor(annotation, most) == pytest.approx(widest)


REDUCED = {
    "test_sensitivity_miscalibration": lambda x: [x.sum()],
    "test_nan_injection": lambda x: [np.clip(x, -5, 5).sum()],
    "test_noise_miscalibration": lambda x: [x.sum()],
    "test_buggy_private_mean": lambda x: [x.size],
    "test_domain_inference": lambda x: [np.unique(x).size],
    "test_double_spending": lambda x: [x.sum(), x.size],
    "test_correct_mechanism": lambda x: [(x == 1).sum()],
}


def gap(reduced, *pair):
    """How far the answers lie apart in L1, NaN read as infinity, as dp-recorder does."""
    arrays = (np.array([math.nan if v is None else v for v in x], dtype=np.float64) for x in pair)
    one, other = (np.array(REDUCED[reduced.test](x), dtype=np.float64) for x in arrays)
    return float(np.nan_to_num(np.abs(one - other).sum(), nan=math.inf))


def is_related(reduced, one, other):
    left, joined = Counter(one) - Counter(other), Counter(other) - Counter(one)
    return related(type(reduced.relation).__name__, 1, left.total(), joined.total())


def neighbours(reduced, values, sizes, others):
    every = (
        [x for n in ns for x in combinations_with_replacement(values, n)] for ns in (sizes, others)
    )
    return (pair for pair in product(*every) if is_related(reduced, *pair))


@pytest.mark.parametrize("reduced", recorder.REDUCED, ids=lambda one: one.test)
def test_each_fault_is_found_by_the_smallest_numbers(reduced):
    """Catches a witness that is no pair of neighbours, and one where smaller numbers have one."""
    row = recorder.smallest(reduced)
    assert is_related(reduced, row.dataset, row.neighbour)
    assert gap(reduced, row.dataset, row.neighbour) == row.found > reduced.claimed
    largest = max((one for one in (*row.dataset, *row.neighbour) if one is not None), default=0)
    fewer = [*range(largest), *([None] if reduced.missing and largest else [])]
    sizes = range(reduced.smallest_size, 4)
    pairs = neighbours(reduced, fewer, sizes, sizes)
    assert all(gap(reduced, *pair) <= reduced.claimed for pair in pairs)


@pytest.mark.parametrize("reduced", [*recorder.REDUCED, recorder.RIGHT], ids=lambda one: one.test)
def test_what_is_exact_there_is_the_widest_pair_of_its_values_and_size(reduced):
    """Catches a pair copied wrongly or held to another relation, values or sizes than its own."""
    assert is_related(reduced, *reduced.pair)
    assert recorder.their_gap(reduced) == gap(reduced, *reduced.pair)
    size = len(reduced.pair[0])
    others = range(max(size - 1, reduced.smallest_size), size + 2)
    pairs = neighbours(reduced, reduced.values, [size], others)
    assert recorder.exact_there(reduced) == max(gap(reduced, *pair) for pair in pairs)


def steps_of(length, neighbours):
    """Every way in which neighbours may differ, as rows of −1, 0 and 1."""
    steps = np.array(list(product((-1, 0, 1), repeat=length)), dtype=np.int64)
    few = np.count_nonzero(steps, axis=1) <= (1 if neighbours is noisy.one_entry else length)
    return steps[few]


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(7, 10), Fraction(3, 2)])
@pytest.mark.parametrize("mechanism", noisy.MECHANISMS, ids=lambda m: f"{m.name}, {m.relation}")
def test_the_kept_epsilon_is_the_widest_ratio_of_densities(mechanism, epsilon):
    """Catches an ε that some output exceeds, or none reaches: far from all, and anywhere."""
    steps = np.tile(steps_of(mechanism.length, mechanism.neighbours), mechanism.copies)
    width, scale = mechanism.length * mechanism.copies, float(mechanism.scale(epsilon))
    anywhere = np.random.default_rng(3).uniform(-4, 4, (20, width))
    losses = [
        stats.laplace.logpdf(output, steps, scale).sum(axis=1).max()
        - stats.laplace.logpdf(output, 0, scale).sum()
        for output in (np.full(width, 50), np.full(width, -50), *anywhere)
    ]
    kept = float(mechanism.kept(epsilon))
    assert max(losses) == pytest.approx(kept)
    assert max(losses[2:]) <= kept + 1e-9
