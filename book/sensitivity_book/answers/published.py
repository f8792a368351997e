"""The fields of *From a table to a published number*: points, small months, planes."""

from __future__ import annotations

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict

CHARGED = range(11)  # kWh of a session
FEWEST, MOST = 5, 20  # drivers of a month that is shown, and what each may bring
FLIGHTS, MILES = 4, 2_500  # of a plane


def points(dataset: tuple[int, ...]) -> int:
    """A session below 3 kWh takes a point, one from 3 to 7 gives two, one above 7 gives none."""
    return sum(-1 if kwh < 3 else 2 if kwh <= 7 else 0 for kwh in dataset)


def values() -> Answer:
    """Two values that show how far one session may move the points."""
    change = sl.Change(1)

    def moved(universe: sl.Universe) -> int:
        return int(sl.global_sensitivity(points, universe, size=1, relation=change).value)

    most = moved(sl.Universe.value_range(CHARGED))

    def judge(given: tuple[int, ...]) -> Verdict:
        if len({*given}) < 2:
            return Verdict(False, "These are not two values.")
        low, high = given
        found = moved(sl.Universe.value_range(list(given)))
        here = f"From {low} to {high} kWh the points move by {found}"
        if found < most:
            return Verdict(False, f"{here}. Two other values show more.")
        return Verdict(True, f"{here}: no two values of the whole scale show more.")

    return DatasetAnswer(
        ("Two values, in kWh, from 0 to 10",),
        judge,
        sl.Universe.value_range(CHARGED),
        ("0, 10",),
        2,
        by=("records",),
    )


def withheld_at() -> Answer:
    """The smallest size at which enumeration sees what a withheld month hides."""
    return NumberAnswer(
        "The smallest size that shows it",
        next(n for n in range(10) if _withheld_moves(n) > MOST),
        slips={
            0: "An empty month is withheld, and so is one with a single driver.",
            3: "A month of three or four drivers is withheld: both answers are 0.",
            FEWEST: (
                "It shows there, too, when one of five leaves. A smaller size shows it already."
            ),
        },
        why="One who joins four makes five, and the month appears.",
    )


def withheld_moved() -> Answer:
    """How far one driver moves a total that is withheld while few drivers came."""
    return NumberAnswer(
        "One driver moves it by at most, in kWh",
        max(map(_withheld_moves, range(FEWEST + 2))),
        slips={
            MOST: "That is what one driver brings. What do the other four do?",
            (FEWEST - 1) * MOST: "The fifth brings something, too.",
        },
        why="The totals of all five appear at once.",
    )


def planes() -> Answer:
    """How far one plane moves the miles of a week."""
    return NumberAnswer(
        "One plane moves the miles by at most",
        FLIGHTS * MILES,
        slips={
            MILES: "That is one flight. A plane may make four.",
            FLIGHTS * 5_000: "Each flight is cut to 2,500 miles.",
        },
        why="Four flights of 2,500 miles each.",
    )


def _withheld_moves(size: int) -> int:
    def withheld(totals: tuple[int, ...]) -> int:
        return sum(totals) if len(totals) >= FEWEST else 0

    brought = sl.Universe.value_range([0, MOST])
    found = sl.global_sensitivity(withheld, brought, size=size, relation=sl.SymmetricDifference(1))
    return int(found.value)
