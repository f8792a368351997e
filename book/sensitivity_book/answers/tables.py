"""The fields of *Tables*: an office of two teams, in which people earn 0, 50 or 100."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.answers.ladder import ladder, pairs

TEAMS, SALARIES = ("art", "law"), (0, 50, 100)
STAFF = sl.Universe.product(team=TEAMS, salary=SALARIES)
SIZE = 3  # of the table whose second largest salary is asked for
CLAIM, LARGEST = 3, 4  # of a colleague: the pair count moves by so much, in tables of so many

Row = tuple[str, int]


def second_largest(salaries: tuple[int, ...]) -> int:
    """Return the second largest salary."""
    return sorted(salaries)[-2]


def second() -> Answer:
    """How far one person moves the second largest of three salaries."""
    earned, one = sl.Universe.value_range(SALARIES), sl.SymmetricDifference(1)
    found = sl.global_sensitivity(second_largest, earned, size=SIZE, relation=one)
    return NumberAnswer(
        "One person moves the second largest of three by at most",
        found.value,
        ladder(second_largest, pairs(earned, SIZE, one), "second largest"),
    )


def refuted() -> Answer:
    """A table, and somebody who joins it, against a claim for a pair count."""

    def judge(table: tuple[Row, ...], joining: tuple[Row, ...]) -> Verdict:
        if len(joining) != 1:
            return Verdict(False, f"One person joins, and you name {len(joining)}.")
        if len(table) > LARGEST:
            return Verdict(
                False,
                f"The claim is about at most {LARGEST} people, and your table has {len(table)}.",
            )
        before, after = couples(table), couples((*table, *joining))
        here = f"The count goes from {before} to {after}, by {after - before}"
        if after - before <= CLAIM:
            return Verdict(False, f"{here}: here the claim holds.")
        return Verdict(True, f"{here}, more than the {CLAIM} that were claimed.")

    return DatasetAnswer(
        ("At most four people, each as art\u00a050", "Who joins it"),
        judge,
        STAFF,
        ("art 0, law 50", "art 100"),
    )


def couples(table: tuple[Row, ...]) -> int:
    """Count the pairs of one team in which one earns less than the other."""
    return sum(one[0] == other[0] and one[1] < other[1] for one in table for other in table)


def share() -> Answer:
    """How far one who joins moves the teams' shares of the payroll, in L1."""
    x = (("art", 50),)
    apart = [
        sum(abs(one - other) for one, other in zip(shares(x), shares(y), strict=True))
        for y in map(_rows, sl.Add(1).neighbours(x, STAFF))
    ]
    return NumberAnswer(
        "In L1 the two shares move by at most",
        max(apart),
        slips={
            Fraction(2, 3): "Each of the two moves so far. In L1 both count.",
            Fraction(1, 3): "That is what one team has in the end. How far did both move?",
            1: "A newcomer in law who earns 50 does that. Another does more.",
            2: "Then art would keep no share at all. But somebody there still earns 50.",
            100: "A sum moves so far. A share is a part of 1.",
        },
        why="Art falls from 1 to 1/3, and law rises from 0 to 2/3.",
    )


def shares(table: tuple[Row, ...]) -> list[Fraction]:
    """Return each team's part of all that is earned."""
    everything = sum(salary for _, salary in table)
    return [
        Fraction(sum(salary for name, salary in table if name == team), everything)
        for team in TEAMS
    ]


def _rows(table: Any) -> tuple[Row, ...]:
    return tuple(table.itertuples(index=False, name=None))
