"""The fields of *Who is a neighbour?*: neighbours counted, listed and told apart."""

from __future__ import annotations

from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.answers.ladder import ladder, pairs
from sensitivity_book.data import scenarios
from sensitivity_lab import change_one_distance
from sensitivity_lab.numbers import Exact, dataset_text, number_text

TEN = scenarios.school_large().universes["absence_days"]
FIVE = sl.Universe.population([1, 2, 3, 4, 5])
YEARS = (2, 2, 5, 5, 1)


def changed_counted() -> Answer:
    """How many neighbours {1, 2} has among five under one change."""
    return NumberAnswer(
        "Under Change(1)",
        sl.Change(1).count_neighbours((1, 2), FIVE),
        slips={
            6: "Those are the six swaps. At most one change may also be none.",
            3: "Three can join, but for each of two who may leave.",
        },
        why="Six swaps, and none.",
    )


def near_counted() -> Answer:
    """How many neighbours {1, 2} has among five within symmetric distance 2."""
    return NumberAnswer(
        "Under SymmetricDifference(2)",
        sl.SymmetricDifference(2).count_neighbours((1, 2), FIVE),
        slips={
            10: (
                "Either the swaps are missing, at distance 2, or all that is nearer: "
                "at most 2 holds both."
            ),
            15: "One is missing: at distance 0 there is {1, 2} itself.",
            9: (
                "One leaves and another joins: that is at distance 2 too. "
                "And {1, 2} itself is at distance 0."
            ),
        },
        why="One is at distance 0, five are at distance 1 and ten at distance 2.",
    )


def listed() -> Answer:
    """How many neighbours three of five pupils have, two of whom look alike."""
    population = sl.Universe.population(YEARS)
    return NumberAnswer(
        "Neighbours under AddRemove(1)",
        sl.AddRemove(1).count_neighbours((2, 2, 5), population),
        slips={5: "Five pupils can leave or join, but two of them leave the same dataset behind."},
        why="The two in year 2 leave the same dataset behind.",
    )


def not_possible() -> Answer:
    """The change that only a range of values allows."""
    population = sl.Universe.population(YEARS)
    x = (2, 2, 5)

    def judge(y: tuple[Exact, ...]) -> Verdict:
        if y == x:
            return Verdict(False, "Nothing has changed.")
        changes = int(change_one_distance(x, y))
        if changes > 1:
            return Verdict(False, f"{dataset_text(y)} is {changes} changes away.")
        if y in set(sl.Change(1).neighbours(x, population)):
            return Verdict(False, f"{dataset_text(y)} is possible: there are pupils enough for it.")
        return Verdict(True, "Two pupils are in year 2, and both take part already.")

    return DatasetAnswer(
        ("The years after a change that is not possible",),
        judge,
        sl.Universe.value_range([1, 2, 5]),
        ("2, 5, 5",),
        3,
    )


def fallen() -> Answer:
    """The median with exactly three added or removed."""
    relation = sl.AddRemove(3)
    return NumberAnswer(
        "With exactly three the median moves by at most",
        sl.global_sensitivity(sl.MEDIAN, TEN, size=1, relation=relation).value,
        ladder(sl.MEDIAN, pairs(TEN, 1, relation), "median"),
        {18: "That is exactly two. With three added the median lies halfway between two records."},
        unit="days",
    )


def bridged() -> Answer:
    """Two datasets within distance 2 whose sums no swap could set so far apart."""
    swap = sl.global_sensitivity(sl.SUM, TEN, size=6, relation=sl.Change(1)).value

    def judge(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> Verdict:
        one, other = (Fraction(sum(side)) for side in (x, y))
        gap = abs(one - other)
        here = f"The sums are {one} and {other}, {number_text(gap)} apart"
        if gap <= swap:
            return Verdict(False, f"{here}. A swap can do that: it moves a sum by up to {swap}.")
        return Verdict(True, f"{here}, and no swap moves a sum by more than {swap}.")

    return DatasetAnswer(
        ("A study of six, as days", "At most two added or removed"),
        judge,
        TEN,
        ("1, 2, 3, 4, 5, 6", "1, 2, 3, 4, 5, 20"),
        6,
        sl.SymmetricDifference(2),
    )
