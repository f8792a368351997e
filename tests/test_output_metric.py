"""Answers of any kind, measured by a caller's metric: sets, labels, rankings."""

import random
from collections import Counter

import pandas as pd
import pytest
from conftest import seeds

import sensitivity_lab as sl
from sensitivity_lab.definition import population_pairs, range_pairs

U = sl.Universe.value_range([1, 2, 3])
RELATIONS = [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]


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
    return int(one != other)


CASES = [(set, sl.symmetric_distance), (leader, differ), (ranking, swaps)]


@pytest.mark.parametrize("seed", seeds(30))
def test_any_answer_is_as_far_apart_as_the_definition_says(seed):
    """Catches a pair that is missed, a gap of another metric, and a witness that is none."""
    rng = random.Random(seed)
    answer, metric = rng.choice(CASES)
    relation, k = rng.choice(RELATIONS), rng.randint(1, 2)
    size = rng.choice([1, 2, 3, range(1, 4)])
    if rng.random() < 0.5:
        records = [rng.randint(1, 3) for _ in range(5)]
        universe, pairs = sl.Universe.population(records), population_pairs
    else:
        universe, records, pairs = U, [1, 2, 3], range_pairs
    gaps = {
        (x, y): metric(answer(x), answer(y))
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


def test_a_metric_of_numbers_is_the_norm():
    """Catches another answer of a standard query, of a column, or by group."""
    rows = sl.Universe.product(team=["a", "b"], pay=[0, 3, 5])
    ask = {"size": 2, "relation": sl.Change(1)}
    for query in sl.MEAN.of("pay"), sl.SUM.of("pay").clipped(1, 4):
        own = sl.global_sensitivity(query, rows, output_metric=lambda a, b: abs(a - b), **ask)
        assert own.value == sl.global_sensitivity(query, rows, **ask).value
    by_team = sl.global_sensitivity(
        sl.COUNT.by("team"),
        rows,
        output_metric=lambda a, b: len({*a.labels} ^ {*b.labels}),
        **ask,
    )
    assert by_team.value == 1


def test_a_result_says_what_measured_it_and_shows_the_answers():
    """Catches a card without the sets, and a name that hides the metric."""
    found = sl.global_sensitivity(
        set, U, size=1, relation=sl.Change(1), output_metric=sl.symmetric_distance
    )
    assert found.query.name == "set, measured by symmetric_distance"
    assert "(1) → {1}" in found._repr_html_()
    assert found.query((1, 1, 2)) == {1, 2}


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"output_metric": 3}, TypeError, "output_metric must be callable, got 3"),
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
    with pytest.raises(kind) as refused:
        sl.global_sensitivity(set, U, **ask)
    assert words in str(refused.value)


def test_a_function_of_tables_may_not_depend_on_the_order_of_rows():
    """Catches a list of names, in which the order of rows is told."""
    rows = sl.Universe.population(pd.DataFrame({"who": ["a", "b", "c"]}))
    ask = {"size": 2, "relation": sl.Change(1), "output_metric": differ}
    with pytest.raises(ValueError, match="must not depend on the order of rows"):
        sl.global_sensitivity(lambda table: [*table["who"]], rows, **ask)
    assert sl.global_sensitivity(lambda table: {*table["who"]}, rows, **ask).value == 1


@pytest.mark.parametrize("seed", seeds(20))
def test_ready_metrics_are_metrics_and_say_what_they_say(seed):
    """Catches a distance of 0 between different answers, one that depends on the side, a wrong count."""
    rng = random.Random(seed)
    one, other, third = (rng.sample("abcd", 4) for _ in range(3))
    assert sl.rank_distance(one, other) == swaps(one, other)
    lists = [rng.choices("ab", k=rng.randint(0, 3)) for _ in range(3)]
    dicts = [{key: rng.choice("ab") for key in rng.sample("xyz", rng.randint(0, 3))} for _ in "abc"]
    for metric, (x, y, z) in [
        (sl.rank_distance, (one, other, third)), (sl.labels_that_differ, lists), (sl.labels_that_differ, dicts)
    ]:  # fmt: skip
        assert metric(x, y) == metric(y, x)
        assert (metric(x, y) == 0) == (x == y)
        assert metric(x, z) <= metric(x, y) + metric(y, z)
    assert sl.labels_that_differ(*map(pd.Series, dicts[:2])) == sl.labels_that_differ(*dicts[:2])


def test_ready_metrics_measure_a_leader_and_a_ranking():
    """Catches a label that is taken apart into letters, and rankings of other labels that are compared."""
    ask = {"size": 3, "relation": sl.Change(1)}
    asked = sl.global_sensitivity(leader, U, output_metric=sl.labels_that_differ, **ask)
    assert asked.value == 1
    asked = sl.global_sensitivity(ranking, U, output_metric=sl.rank_distance, **ask)
    assert asked.value == 3
    with pytest.raises(ValueError, match="must have the same labels, each once, got"):
        sl.rank_distance(["a", "b"], ["a", "c"])
