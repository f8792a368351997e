"""The graded tasks: staff's solutions earn full points, and a second route knows every number."""

import heapq
import math
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from statistics import mean, median, pvariance

import numpy as np
import pytest
from conftest import ROOT

sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "book" / "course")]
import course  # noqa: E402
from assignments.cells import ASSIGNMENTS  # noqa: E402
from assignments.task import numbered  # noqa: E402
from sensitivity_book.grading import grade, handed_in  # noqa: E402

from sensitivity_lab.definition import population_pairs, range_pairs  # noqa: E402

SEEDS = ["one", "another"]


@cache
def tasks(seed):
    every = (numbered(module.TASKS, name, seed) for name, module in ASSIGNMENTS.items())
    return {task.name: task for each in every for task in each}


def widest(query, pairs):
    return max(abs(query(x) - query(y)) for x, y in pairs)


def ends(low, high, size):
    return [[low] * (size - i) + [high] * i for i in range(size + 1)]


def most_changed(query, low, high, size, k):
    return widest(query, range_pairs([low, high], size, "Change", k))


def exact_mean(d):
    return mean(map(Fraction, d))


def best(ages, epsilon, right):
    bounds, ages = np.arange(1, 101), np.array(ages)
    lost = np.maximum(ages[:, None] - bounds, 0).sum(axis=0)
    return bounds[np.argmin(lost**2.0 + 2 * (bounds / float(epsilon)) ** 2)]


def joined(low, high, size, right):
    rows = [(team, pay) for team in "al" for pay in (low, high)]

    def total(table):
        pairs = product(table, repeat=2)
        return sum(b - a for (one, a), (other, b) in pairs if one == other and a < b)

    few = [x for n in (size - 1, size) for x in combinations_with_replacement(rows, n)]
    return widest(total, [(x, (*x, row)) for x in few for row in rows])


def bounded(rows, most, cap, right):
    brought = {who: sorted(min(p, cap) for one, p in rows if one == who) for who, _ in rows}
    return max(sum(prices[:most]) for prices in brought.values())


def best_rows(rows, one, most, cap):
    prices = [min(price, cap) for who, price in rows if who == one]
    return max(sum(some) for n in range(most + 1) for some in combinations(prices, n))


def odds(percent, factor):
    return percent * factor / (percent * factor + 100 - percent)


# fmt: off
# ruff: disable[E501]
NUMBERS = {  # by task, what its numbers come to
    "a1-sum-swapped": lambda days, size, right: widest(sum, population_pairs(days, size, "Change", 1)),
    "a1-mean-left": lambda days, size, right: widest(exact_mean, population_pairs(days, size, "AddRemove", 1)),
    "a1-belief-after": lambda apart, scale, percent, right: odds(percent, math.e ** (apart / scale)),
    "a1-promise-broken": lambda days, size, epsilon, claim, right: widest(max, population_pairs(days, size, "Change", 1)) * Fraction(epsilon) / claim,
    "a1-neighbours-counted": lambda everyone, size, right: sum(len({*range(size)} - {*y}) <= 2 for y in combinations(range(everyone), size)),
    "a1-used-up": lambda years, size, right: sum(widest(sum, population_pairs(years, size, "Change", k)) for k in (1, 2, 3)),
    "a1-zigzag": lambda low, high, size, right: sum(most_changed(median, low, high, n, 1) for n in (size, size + 1)),
    "a2-both-formulas": lambda low, high, k, right: most_changed(sum, low, high, 5, k) + max(abs(sum(x)) for n in range(k + 1) for x in ends(low, high, n)),
    "a2-mean-of-many": lambda low, high, m, right: widest(exact_mean, [(x, [*x, one]) for x in ends(low, high, m) for one in (low, high)]),
    "a2-spread-of-some": lambda size, high, k, right: most_changed(lambda d: pvariance(map(Fraction, d)), 0, high, size, k),
    "a2-ends-miss-it": lambda start, top, right: widest(lambda d: min(max(sum(d), start), start + top), range_pairs(range(top + 1), 3, "Change", 1)),
    "a2-best-bound": best,
    "a3-join-moves": joined,
    "a3-classes-taken": lambda days, most, right: math.dist([0] * days, [most] * days),
    "a3-bounded-person": bounded,
    "a3-person-changed": lambda back, fine, most, right: max(x - y for x in (-back, fine) for y in (-back, fine)) * most,
    "a3-guesses-right": lambda times, epsilon, right: odds(50, math.e ** float(Fraction(times) * Fraction(epsilon))),
    "a3-trimmed-breaks": lambda low, high, size, right: widest(lambda d: Fraction(sum(d) - min(d) - max(d), size - 2), range_pairs(range(low, high + 1), size, "Change", 1)),
}
FUNCTIONS = {  # by task, another way to write it, and what it is called with
    "a1-top-minus-bottom": (lambda given: lambda d: sum(heapq.nlargest(given["most"], d)) - given["most"] * min(d), [[3], [5, 1], [4, 4, 9, 1]]),
    "a2-clipped-total": (lambda given: lambda d: int(np.clip(d, given["low"], given["high"]).sum()), [[-9, 20, 0], [3], [1, 2, 8]]),
    "a3-kept-rows": (lambda given: lambda rows: sum(best_rows(rows, one, **given) for one in "ab"), [[("a", 4), ("b", 30), ("a", 8), ("a", 1), ("a", 5)], [("b", 2)]]),
    "a3-claim-mended": (lambda given: lambda n: widest(lambda d: Fraction(min(d) + max(d), 2), range_pairs((0, given["width"] // 2, given["width"]), n, "Change", 1)), [1, 2, 3]),
}
PAIRS = {  # by task, whether its two datasets are as far apart as is asked for
    "a2-mix-refutes": lambda x, y, given: abs(exact_mean(x) - exact_mean(y)) > given["claim"] and (Counter(x) - Counter(y) + (Counter(y) - Counter(x))).total() <= given["k"],
    "a3-above-average": lambda x, y, given: abs(sum(one > mean(x) for one in x) - sum(one > mean(y) for one in y)) == given["size"] == len(x),
}
# ruff: enable[E501]
# fmt: on


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_route_knows_the_answer_of_every_variant(seed):
    """Catches a task whose numbers have another answer than the one that is marked right."""
    marked = {name for name, task in tasks(seed).items() if task.own}
    assert marked == {*NUMBERS, *FUNCTIONS, *PAIRS}
    for name, route in NUMBERS.items():
        given = tasks(seed)[name].given
        assert route(**given) == pytest.approx(given["right"], rel=1e-12), name


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_staff_earns_every_point_and_a_blank_none(name, capsys):
    """Catches a solution that fails its own test, and a blank that passes it."""
    filled, blank = {}, {}
    for cell in (one for one in course.assignment(name, SEEDS[0]).cells if one.cell_type == "code"):
        exec(cell.source, filled)
        staff = handed_in(capsys.readouterr().out)
        exec(cell.source.split("### BEGIN SOLUTION")[0], blank)
        nobody = handed_in(capsys.readouterr().out)
        if task := tasks(SEEDS[0]).get(cell.metadata["nbgrader"]["grade_id"]):
            assert [grade(filled["judge"], one).right for one in (staff, nobody)] == [True, False]
            checked(task, filled)


def checked(task, filled):
    """What the staff wrote, by the second route."""
    if task.name in FUNCTIONS:
        other, cases = FUNCTIONS[task.name]
        mine = eval(task.own, filled)
        assert [mine(case) for case in cases] == [*map(other(task.given), cases)], task.name
    if task.name in PAIRS:
        x, y = eval(task.own, filled)
        assert PAIRS[task.name](x, y, task.given), task.name


def test_numbers_are_the_seeds():
    """Catches a task that is the same for every lecturer, and one that is not the same twice."""
    one, other = tasks(SEEDS[0]), tasks(SEEDS[1])
    differ = [name for name, task in one.items() if task.given and task.given != other[name].given]
    assert len(differ) >= len(one) / 2
    again = [*numbered(ASSIGNMENTS["a1"].TASKS, "a1", SEEDS[0])]
    assert again == [one[task.name] for task in again]
