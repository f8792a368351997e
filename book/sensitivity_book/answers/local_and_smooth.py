"""The fields of *Local and smooth*: a smooth sensitivity by hand, and two neighbours."""

from __future__ import annotations

import math
from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_lab.numbers import Exact, dataset_text, number_text

SCORES = (0, 10)
FIVE = (0, 4, 5, 6, 10)
SHOWN = {(0, 0, 0, 0, 10), (0, 0, 0, 10, 10)}  # the pair of the page


def five() -> Answer:
    """The smooth sensitivity of the median at five scores."""
    found = sl.smooth_sensitivity(sl.MEDIAN, FIVE, bounds=SCORES, beta=math.log(2))
    gaps = [
        sl.sensitivity_at_distance(sl.MEDIAN, FIVE, bounds=SCORES, distance=t) for t in range(4)
    ]
    slips: dict[Exact | float, str] = {
        Fraction(gap) / 2**t: f"That is what t = {t} leaves, and another t leaves more."
        for t, gap in enumerate(gaps)
        if t != found.distance
    }
    return NumberAnswer(
        "The smooth sensitivity is",
        Fraction(found.value).limit_denominator(1000),
        slips=slips
        | {
            gaps[1]: "That is the sensitivity at distance 1, and a step costs one half.",
            10: "That is the global one.",
        },
        why=f"It is decided at t = {found.distance}.",
    )


def _local(x: tuple[int, ...]) -> Exact:
    value: Exact = sl.sensitivity_at_distance(sl.MEDIAN, x, bounds=SCORES, distance=0)
    return value


def jumped() -> Answer:
    """Two neighbours whose local sensitivities are as far apart as can be."""
    most = SCORES[1] - SCORES[0]

    def judge(x: tuple[int, ...], y: tuple[int, ...]) -> Verdict:
        one, other = Fraction(_local(x)), Fraction(_local(y))
        gap = abs(one - other)
        here = (
            f"{dataset_text(x)} has the local sensitivity {number_text(one)}, "
            f"{dataset_text(y)} has {number_text(other)}: {number_text(gap)} apart"
        )
        if gap < most:
            return Verdict(False, f"{here}. Others are further apart.")
        if {x, y} == SHOWN:
            return Verdict(False, f"{here}. These are quiet and loud. There are two others.")
        return Verdict(True, f"{here}, the whole range.")

    return DatasetAnswer(
        ("Five scores from 0 to 10", "The same after one change"),
        judge,
        sl.Universe.value_range(range(SCORES[0], SCORES[1] + 1)),
        ("0, 4, 5, 6, 10", "0, 4, 5, 10, 10"),
        len(FIVE),
        sl.Change(1),
    )


def bimodal() -> Answer:
    """How many more records make a median between two humps smooth."""

    def smooth(more: int) -> float:
        records = [20] * (501 + 2 * more) + [180] * 500
        return sl.smooth_sensitivity(sl.MEDIAN, records, bounds=(0, 200), beta=0.5).value

    more = next(more for more in range(100) if smooth(more) < 1)
    return NumberAnswer(
        "Records to be added at 20",
        2 * more,
        slips={
            more: "Those are pairs: two records more are one change more.",
            2 * more - 2: f"Then it is still {smooth(more - 1):.2f}.",
            2 * more - 1: "They come two at a time.",
        },
        why=f"They make it {smooth(more):.3f}.",
    )
