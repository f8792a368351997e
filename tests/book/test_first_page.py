"""The numbers of the first page, each by a second route."""

import math
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from scipy.integrate import quad
from sensitivity_book.theory import first_page

DAYS = list(first_page.pupils().values())


def ways(size):
    """How many groups have each sum, by adding one pupil after the other."""
    table = {(0, 0): 1}
    for days in DAYS:
        for (number, total), count in list(table.items()):
            table[number + 1, total + days] = table.get((number + 1, total + days), 0) + count
    return {total: count for (number, total), count in sorted(table.items()) if number == size}


def test_the_groups_of_each_sum_are_as_many_as_a_table_counts():
    """Catches a group that is left out or counted twice, and a study of another size."""
    by_sum = first_page.groups_by_sum()
    assert {total: len(some) for total, some in by_sum.items()} == ways(6)
    assert sum(ways(6).values()) == math.comb(10, 6) == 210
    assert ways(6)[21] == 1


@pytest.mark.parametrize("total", ways(6))
def test_who_is_known_is_who_cannot_be_left_out(total):
    """Catches a pupil who is called certain while a group without him has the same mean."""
    inside, outside = first_page.still_known(total)
    for name, days in first_page.pupils().items():
        others = [other for other in DAYS if other != days]
        without = any(sum(group) == total for group in combinations(others, 6))
        with_him = any(sum(group) == total - days for group in combinations(others, 5))
        assert (name in inside, name in outside) == (not without, not with_him)


def test_no_swap_moves_the_mean_further():
    """Catches a sensitivity that some swap of one pupil exceeds, or that none attains."""
    gaps = {
        Fraction(abs(joins - leaves), 6)
        for group in combinations(DAYS, 6)
        for leaves in group
        for joins in set(DAYS) - set(group)
    }
    assert max(gaps) == first_page.the_most().value == Fraction(19, 6)


def belief_by_quadrature(epsilon):
    """What the attacker believes of the six with the fewest days: Bayes, averaged."""
    counts, scale = ways(6), 19 / 6 / epsilon

    def integrand(answer):
        weights = {total: math.exp(-abs(answer - total / 6) / scale) for total in counts}
        everyone = sum(n * weights[total] for total, n in counts.items())
        return weights[21] / everyone * weights[21] / (2 * scale)

    means = [total / 6 for total in counts]
    pieces = pairwise([means[0] - 40 * scale, *means, means[-1] + 40 * scale])
    return sum(quad(integrand, *piece)[0] for piece in pieces)


@pytest.mark.parametrize("epsilon", [e for e in first_page.EPSILONS if e < 50])
def test_the_belief_in_the_right_six_is_an_integral(epsilon):
    """Catches a posterior that is weighed, averaged or integrated wrongly."""
    own = first_page.beliefs(epsilon)
    assert own[21] == pytest.approx(belief_by_quadrature(epsilon), rel=1e-8)
    assert sum(n * own[total] for total, n in ways(6).items()) == pytest.approx(1)


def test_one_neighbour_is_believed_in_at_most_e_to_the_epsilon_times_more():
    """Catches noise too narrow for the promise: one swap may not change the odds further."""
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        own = first_page.beliefs(epsilon)
        assert own[21] / own[40] <= math.exp(epsilon) * (1 + 1e-9)  # Chris out, Rick in
