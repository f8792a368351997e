"""The fields of *Is the formula right?*: a square, and a pair that refutes a formula."""

from __future__ import annotations

from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_lab.numbers import Exact, number_text

LEAST, K = 2, 3  # records in both datasets, and how many may come or go
CLAIMED = Fraction(3 * K, LEAST + K)  # kR/(m + k), with R = 3


def square() -> Answer:
    """How far x·x moves from 10 if x changes by 1."""
    return NumberAnswer(
        "From 10, the square moves by up to",
        11**2 - 10**2,
        slips={
            19: "That is from 9 to 10. From 10 to 11 it is further.",
            20: "2x is the derivative. A step of 1 moves the square by 2x + 1.",
        },
        why="From 10 to 11 it goes from 100 to 121.",
    )


def mixed() -> Answer:
    """Two datasets of at least two records whose means are further apart than kR/(m + k)."""

    def judge(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> Verdict:
        if min(len(x), len(y)) < LEAST:
            return Verdict(False, f"Both need at least {LEAST} records.")
        here, there = sl.MEAN(x), sl.MEAN(y)
        gap = abs(here - there)
        words = (
            f"The means are {number_text(here)} and {number_text(there)}, {number_text(gap)} apart"
        )
        if gap <= CLAIMED:
            return Verdict(False, f"{words}. The formula allows {number_text(CLAIMED)}.")
        return Verdict(True, f"{words}: more than {number_text(CLAIMED)}. The formula is refuted.")

    return DatasetAnswer(
        ("A dataset", "Its neighbour"),
        judge,
        sl.Universe.value_range(range(4)),
        ("3, 3", "0, 0, 0, 3, 3"),
        relation=sl.SymmetricDifference(K),
        by=("mean",),
        shows=("mean moved",),
        sizes=(2, 3, 4, 5),
    )
