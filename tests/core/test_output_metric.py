"""Answers of any kind, measured by a caller's metric: sets, labels, rankings."""

import random
from collections import Counter

import pytest
from conftest import STANDARD, refused, seeds

import sensitivity_lab as sl
from sensitivity_lab.definition import population_pairs, range_pairs

U = sl.Universe.value_range([1, 2, 3])


def leader(dataset):
    """The value that is there most often, a label; the smallest of several."""
    counted = Counter(dataset)
    return f"no. {min(counted, key=lambda v: (-counted[v], v))}"


def ranking(dataset):
    counted = Counter(dataset)
    return sorted(U.values, key=lambda v: (-counted[v], v))


def swaps(one, other):
    """Kendall's distance: pairs that stand the other way round."""
    pairs = [(a, b) for i, a in enumerate(one) for b in one[i + 1 :]]
    return sum(other.index(a) > other.index(b) for a, b in pairs)


def differ(one, other):
    """Of two labels."""
    return int(one != other)


CASES = [
    (set, sl.symmetric_distance, lambda one, other: len(one ^ other)),
    (leader, differ, differ),
    (ranking, swaps, swaps),
]


@pytest.mark.parametrize("seed", seeds(30))
def test_any_answer_is_as_far_apart_as_the_definition_says(seed):
    """Catches a pair that is missed, a gap of another metric, and a witness that is none."""
    rng = random.Random(seed)
    answer, metric, plain = rng.choice(CASES)
    relation, k = rng.choice(STANDARD), rng.randint(1, 2)
    size = rng.choice([1, 2, 3, range(1, 4)])
    if rng.random() < 0.5:
        records = [rng.randint(1, 3) for _ in range(5)]
        universe, pairs = sl.Universe.population(records), population_pairs
    else:
        universe, records, pairs = U, [1, 2, 3], range_pairs
    gaps = {
        (x, y): plain(answer(x), answer(y))
        for x, y in pairs(records, size, relation.__name__, k)
        if answer is not leader or (x and y)
    }
    ask = {"relation": relation(k), "output_metric": metric}
    if not gaps:
        return
    found = sl.global_sensitivity(answer, universe, size=size, **ask)
    assert (found.value, found.method) == (max(gaps.values()), "walk")
    assert gaps[found.witness] == found.value
    assert found.check()
    x = rng.choice(sorted(gaps))[0]
    here = sl.local_sensitivity(answer, x, universe, **ask)
    if size != range(1, 4):
        assert here.value == max(gap for pair, gap in gaps.items() if pair[0] == x)
    assert here.check()


def test_a_result_says_what_measured_it_and_shows_the_answers():
    """Catches a card without the sets, and a name that hides the metric."""
    ask = {"size": 1, "relation": sl.Change(1), "output_metric": sl.symmetric_distance}
    found = sl.global_sensitivity(set, U, **ask)
    assert found.query.name == "set, measured by symmetric_distance"
    assert "(1) → {1}" in found._repr_html_()


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"norm": 2}, ValueError, "norm must be left out where output_metric is given, got 2"),
        ({"method": "solver"}, ValueError, "method must be auto or walk with an output_metric"),
        ({"output_metric": lambda a, b: -1}, ValueError, "must be a number of at least 0, got -1"),
        ({"output_metric": lambda a, b: "x"}, TypeError, "must be a number of at least 0, got 'x'"),
        ({"output_metric": lambda a, b: a.b}, ValueError, "output_metric failed on {1} and {1}"),
    ],
)
def test_what_is_no_metric_is_refused(options, kind, words):
    """Catches a number that no distance is, and a norm that nobody asks."""
    ask = {"size": 1, "relation": sl.Change(1), "output_metric": sl.symmetric_distance} | options
    with refused(kind, words):
        sl.global_sensitivity(set, U, **ask)
