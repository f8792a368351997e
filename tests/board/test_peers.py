"""Other people's benchmarks: Google's neighbouring pairs, and the sensitivity sampler."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from sensitivity_board.peers import google_pairs, sampler
from sensitivity_board.peers import measure_google_pairs as script

# --- Google's pairs ----------------------------------------------------------------------------

SETTINGS = {
    "noise_type": "LAPLACE",
    "lower_bound": "-3",
    "upper_bound": "5.5",
    "tree_height": "2",
    "branching_factor": "3",
}


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


# --- the sampler -------------------------------------------------------------------------------


def test_the_plan_is_that_of_the_readme_and_no_other_needs_fewer_pairs():
    """Catches a plan that is not theirs, m = 285 and k = 285 for γ = 0.1, and a root of another equation."""
    assert (sampler.plan(0.1).m, sampler.plan(0.1).k) == (285, 285)
    for gamma in (0.02, 0.33, 0.9):
        tried = (gamma * i / 2000 for i in range(1, 2000))
        fewest = min(math.ceil(-math.log(rho) / (2 * (gamma - rho) ** 2)) for rho in tried)
        assert sampler.plan(gamma).m <= fewest


def test_exact_values_are_those_of_the_formulas():
    """Catches a solver asked about another universe, size or relation."""
    n, top = 25, 100
    deviation = top * math.sqrt(n - 1) / n
    formulas = [1, 2, top, top / n, (n - 1) * top**2 / n**2, deviation, top, top, top, 60, top]
    assert [sampler.exact(name) for name in sampler.QUERIES] == pytest.approx(formulas, rel=1e-12)
