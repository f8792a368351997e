"""Other people's benchmarks: Google's neighbouring pairs, and the sensitivity sampler."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from sensitivity_board.peers import google_pairs, sampler
from sensitivity_board.peers import measure_google_pairs as script

# --- Google's pairs ----------------------------------------------------------------------------

TEXT = """
validity_parameters { distance_specificity: 1.2 }
count_dp_test_case {
  name: "a [name] with { marks }"  # and a comment with } in it
  count_sampling_parameters {
    noise_type: GAUSSIAN
    max_partitions_contributed: 9;
    raw_increment_by: []
    neighbour_raw_increment_by: 2
    neighbour_raw_increment_by: [3, 4]
  }
}
"""
SETTINGS = {
    "noise_type": "LAPLACE",
    "lower_bound": "-3",
    "upper_bound": "5.5",
    "tree_height": "2",
    "branching_factor": "3",
}


def test_the_text_form_is_read_with_its_lists_and_comments():
    """Catches entries lost where a field is given twice, and braces read in a comment or a name."""
    [(settings, raw, neighbour)] = script.cases(TEXT)
    assert settings == {"noise_type": "GAUSSIAN", "max_partitions_contributed": "9"}
    assert (raw, neighbour) == ([], [2, 3, 4])
    [row] = script.rows("count", TEXT, "v", "today")
    assert row[-2:] == ["count: squared distance", "81"]


def test_entries_are_clamped_and_counted_as_the_library_does():
    """Catches sums of what was never clamped, and an entry that a level of the tree misses."""
    entries = [Fraction(-1000), Fraction(2), Fraction(1000)]
    assert script.vectors("sum", SETTINGS, entries) == {"sum": Counter({0: Fraction(9, 2)})}
    deviation = script.vectors("standard deviation", SETTINGS, entries)
    middle, spread = Fraction(5, 4), Fraction(17, 4)
    assert deviation["deviations"][0] == 2 - middle
    assert deviation["squares"][0] == 2 * spread**2 + (2 - middle) ** 2
    tree = script.vectors("quantiles", SETTINGS, entries)["tree"]
    assert tree == {(0, 0): 1, (0, 5): 1, (0, 8): 1, (1, 0): 1, (1, 1): 1, (1, 2): 1}
    bins = script.vectors("bounds", {}, [Fraction(v) for v in (-5, 0, 1, 13, 1000)])["bins"]
    assert bins == {(True, 3): 1, (False, 0): 2, (False, 4): 2}


def brute_square(query, quantity, settings, partitions, entries):
    """The furthest that one person moves a quantity, over all that she may add to each partition."""
    low, high = Fraction(settings["lower_bound"]), Fraction(settings["upper_bound"])
    values = [low - 1, low, (low + high) / 2, (low + 2 * high) / 3, high]
    held = [
        pick
        for count in range(entries + 1)
        for pick in combinations_with_replacement(values, count)
    ]
    far = 0
    for parts in product(held, repeat=partitions):
        vector = Counter()
        for number, part in enumerate(parts):
            found = script.vectors(query, settings, list(part))[quantity]
            vector.update({(number, key): value for key, value in found.items()})
        far = max(far, script.moved(vector, Counter(), settings["noise_type"]))
    return far


@pytest.mark.parametrize("noise", ["LAPLACE", "GAUSSIAN"])
@pytest.mark.parametrize(("partitions", "entries"), [(1, 1), (1, 4), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize(
    ("query", "quantity"),
    [
        ("sum", "sum"),
        ("mean", "count"),
        ("mean", "deviations"),
        ("standard deviation", "squares"),
        ("quantiles", "tree"),
    ],
)
def test_the_exact_value_is_that_of_all_a_person_may_add(
    query, quantity, partitions, entries, noise
):
    """Catches a formula that forgets a partition, an entry, a level of the tree or the norm."""
    settings = SETTINGS | {
        "noise_type": noise,
        "max_partitions_contributed": str(partitions),
        "max_contributions_per_partition": str(entries),
    }
    found = google_pairs.exact_square(quantity, settings)
    assert found == brute_square(query, quantity, settings, partitions, entries)


def test_no_whole_number_of_counts_comes_closer():
    """Catches a word about counts that fall short: √2 and √250 are no whole numbers."""
    short = [one for one in google_pairs.moved() if one.group == "count" and one.ratio < 1]
    assert [int(one.reached) for one in short] == [math.isqrt(int(one.exact)) ** 2 for one in short]
    assert {int(one.exact) for one in short} == {2, 250}


# --- the sampler -------------------------------------------------------------------------------


def test_the_plan_is_that_of_the_readme_and_no_other_needs_fewer_pairs():
    """Catches a plan that is not theirs, m = 285 and k = 285 for γ = 0.1, and a root of another equation."""
    assert (sampler.plan(0.1).m, sampler.plan(0.1).k) == (285, 285)
    for gamma in (0.02, 0.33, 0.9):
        tried = (gamma * i / 2000 for i in range(1, 2000))
        fewest = min(math.ceil(-math.log(rho) / (2 * (gamma - rho) ** 2)) for rho in tried)
        assert sampler.plan(gamma).m <= fewest


@pytest.mark.parametrize("name", sampler.QUERIES)
def test_answers_at_once_are_those_of_the_query(name):
    """Catches a fast answer to another question."""
    query, rows = sampler.QUERIES[name]
    datasets = np.sort(sampler.POPULATIONS["uniform"](np.random.default_rng(1), (8, 25)))
    datasets[0, :13] = 50  # ties, and a record on the edge of a bin
    datasets[0, 13:] = 100
    slow = [query(tuple(map(int, row))) for row in datasets]
    assert np.allclose(rows(datasets), np.array(slow, dtype=float), rtol=1e-12)


def test_exact_values_are_those_of_the_formulas():
    """Catches a solver asked about another universe, size or relation."""
    n, top = 25, 100
    deviation = top * math.sqrt(n - 1) / n
    formulas = [1, 2, top, top / n, (n - 1) * top**2 / n**2, deviation, top, top, top, 60, top]
    assert [sampler.exact(name) for name in sampler.QUERIES] == pytest.approx(formulas, rel=1e-12)


def test_pairs_differ_in_one_record_and_one_seed_draws_them_once():
    """Catches pairs that share too little, and a draw that cannot be repeated."""
    one, again, other = (sampler.gaps("normal", 200, seed) for seed in (3, 3, 4))
    assert all(np.array_equal(one[name], again[name]) for name in sampler.QUERIES)
    assert not np.array_equal(one["sum"], other["sum"])
    assert one["count where ≥ 50"].max() == 1
    assert set(one["histogram, 4 bins"].tolist()) == {0, 2}
    assert np.allclose(one["sum"], 25 * one["mean"])


@pytest.fixture(scope="module")
def runs():
    return sampler.sampled(runs=40)


def test_a_sampled_number_is_never_too_large(runs):
    """Catches an exact number that a random pair exceeds."""
    assert runs["ratio"].max() <= 1 + 1e-12


def test_the_sampler_keeps_its_promise(runs):
    """Catches a promise said to be broken: no run leaves out a tenth of the pairs."""
    assert runs["left out"].max() < sampler.GAMMA
    assert runs["left out"].mean() < 1 / 286


def test_the_score_counts_runs_that_are_exact(runs):
    """Catches a score of something else than the table."""
    score = sampler.scored(runs)
    assert score.asked == 40 * 33
    assert score.found == sum(abs(ratio - 1) < 1e-9 for ratio in runs["ratio"])
