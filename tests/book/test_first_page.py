"""The numbers of the first page, each by a second route."""

import math
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
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


def belief_in_closed_form(epsilon):
    """What the attacker believes of the six with the fewest days: the integral by hand.

    Between two means the weights of all groups add up to A e^(−t) + B e^t, t = answer / scale,
    and the belief times the density is e^(2m) / (2 scale) · e^(−2t) over that, whose integral is
    an arc tangent.
    """
    counts, scale = ways(6), 19 / 6 / epsilon
    at = {total: (total - 21) / 6 / scale for total in counts}  # means in scales, the true one at 0
    left = 1 / sum(n * math.exp(-at[s]) for s, n in counts.items()) / 2
    last = max(at.values())
    right = math.exp(-2 * last) / sum(n * math.exp(at[s] - last) for s, n in counts.items()) / 2

    def between(low, high):
        below = sum(n * math.exp(at[s]) for s, n in counts.items() if at[s] <= low)  # A
        above = sum(n * math.exp(-at[s]) for s, n in counts.items() if at[s] >= high)  # B

        def primitive(t):
            u = math.exp(-t)
            return -(u - math.sqrt(above / below) * math.atan(u * math.sqrt(below / above))) / below

        return (primitive(high) - primitive(low)) / 2

    return left + right + sum(between(low, high) for low, high in pairwise(at.values()))


@pytest.mark.parametrize("epsilon", [e for e in first_page.EPSILONS if e < 50])
def test_the_belief_in_the_right_six_is_an_arc_tangent(epsilon):
    """Catches a posterior that is weighed, averaged or integrated wrongly."""
    own = first_page.beliefs(epsilon)
    assert own[21] == pytest.approx(belief_in_closed_form(epsilon), rel=1e-8)
    assert sum(n * own[total] for total, n in ways(6).items()) == pytest.approx(1)


def test_one_neighbour_is_believed_in_at_most_e_to_the_epsilon_times_more():
    """Catches noise that is too narrow for the promise: one swap may not change the odds further."""
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        own = first_page.beliefs(epsilon)
        assert own[21] / own[40] <= math.exp(epsilon) * (1 + 1e-9)  # Chris out, Rick in
