"""The fields of *A school*: a mean, the ceiling of a median, and a school to design."""

from __future__ import annotations

from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.answers.ladder import ladder, pairs
from sensitivity_book.data import scenarios
from sensitivity_lab import change_one_distance
from sensitivity_lab.numbers import Exact, counted, number_text

SIZE, FEWEST = 6, 2  # of a study; swaps that reach the ceiling of its median
ALL = 4  # nobody is outside after so many swaps
STRAIGHT = [19, 38, 57, 57]


def mean_swapped() -> Answer:
    """How far two swaps move a mean of school years."""
    years, relation = scenarios.school_large().universes["school_year"], sl.Change(2)
    return NumberAnswer(
        "Two swaps move the mean of the years by at most",
        sl.global_sensitivity(sl.MEAN, years, size=SIZE, relation=relation).value,
        ladder(sl.MEAN, pairs(years, SIZE, relation), "mean"),
        {
            Fraction(8, 3): "That is 8 twice, over 6. But only one pupil is in year 1.",
            Fraction(4, 3): "That is one swap.",
            15: "That is the sum.",
        },
        unit="years",
    )


def ceiling() -> Answer:
    """How far any number of swaps moves a median."""
    relation = sl.Change(ALL)
    return NumberAnswer(
        "Any number of swaps moves the median of the days by at most",
        sl.global_sensitivity(sl.MEDIAN, _days(), size=SIZE, relation=relation).value,
        ladder(sl.MEDIAN, pairs(_days(), SIZE, relation), "median"),
        {Fraction(5, 2): "That is one swap."},
        unit="days",
    )


def ceiling_reached() -> Answer:
    """Two studies with medians as far apart as can be, and few swaps between them."""
    relation = sl.Change(ALL)
    most = sl.global_sensitivity(sl.MEDIAN, _days(), size=SIZE, relation=relation).value

    def judge(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> Verdict:
        swaps, gap = int(change_one_distance(x, y)), abs(sl.MEDIAN(x) - sl.MEDIAN(y))
        here = (
            f"{counted(swaps, 'swap')}, and the medians are "
            f"{number_text(sl.MEDIAN(x))} and {number_text(sl.MEDIAN(y))}, {number_text(gap)} apart"
        )
        if gap < most:
            return Verdict(False, f"{here}. Others are further apart.")
        if swaps > FEWEST:
            return Verdict(False, f"{here}: that is the ceiling. Fewer swaps reach it too.")
        return Verdict(True, f"{here}: no study is further off, and no fewer swaps do it.")

    return DatasetAnswer(
        ("A study of six, as days", "The same after as few swaps as it takes"),
        judge,
        _days(),
        ("1, 2, 3, 4, 5, 6", "5, 6, 7, 8, 15, 20"),
        SIZE,
        relation,
        by=("median", "swaps"),
        shows=("median moved",),
    )


def designed() -> Answer:
    """Ten days of absence with a curve that is straight, then flat."""

    def judge(days: tuple[Exact, ...]) -> Verdict:
        population = sl.Universe.population(days)
        curve = [
            sl.global_sensitivity(sl.SUM, population, size=SIZE, relation=sl.Change(k)).value
            for k in (1, 2, 3, 4)
        ]
        here = f"The curve of the sum is {', '.join(map(number_text, curve))}"
        for k, (own, wanted) in enumerate(zip(curve, STRAIGHT, strict=True), 1):
            if own != wanted:
                return Verdict(False, f"{here}. At k = {k} it should be {wanted}.")
        return Verdict(True, f"{here}: straight up to k = 3, and then flat.")

    return DatasetAnswer(
        ("Ten days of absence",),
        judge,
        sl.Universe.value_range(range(1, 21)),
        ("1, 2, 3, 4, 5, 6, 7, 8, 15, 20",),
        10,
    )


def _days() -> sl.Universe:
    return scenarios.school_large().universes["absence_days"]
