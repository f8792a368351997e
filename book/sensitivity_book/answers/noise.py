"""The fields of *What does noise buy?*: an ε, the attacker's belief, and a promise to break."""

from __future__ import annotations

import math
from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.answers.judges import belief
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.data import scenarios
from sensitivity_lab.numbers import Exact, number_text

TEN = scenarios.school_large().universes["absence_days"]
SWAP = sl.Change(1)
SCALE = 12  # of the noise on a maximum, in days, for a promise of ε = 1


def label_epsilon() -> Answer:
    """Read an ε off gap and scale."""
    return NumberAnswer(
        "ε is",
        Fraction(4, 10),
        slips={
            Fraction(
                10, 4
            ): "That is scale over gap. A wider scale tells less, so it stands below.",
            40: "The wider the scale, the smaller ε: it does not multiply.",
        },
        why="It is gap over scale.",
    )


def label_belief() -> Answer:
    """How far a belief of 20 % can rise."""
    factor = math.exp(4 / 10)
    return NumberAnswer(
        "Her belief rises to at most",
        belief(factor / 4),
        slips={
            factor / 5: "That multiplies her belief. What is multiplied are her odds, 1 : 4.",
            belief(factor): "That is where she gets from a coin toss. She begins at 1 : 4.",
            factor / 4: "Those are her odds. As a belief they are odds / (1 + odds).",
        },
        why="Her odds of 1 : 4 are multiplied by e to the power 0.4.",
    )


def certain() -> Answer:
    """How often noise with edges makes the attacker certain."""
    gap, width = sl.global_sensitivity(sl.MEAN, TEN, size=6, relation=SWAP).value, 20
    return NumberAnswer(
        "The attacker is certain in this share of all cases",
        Fraction(gap) / width,
        slips={
            Fraction(gap)
            / 10: "From −10 to 10 a box is 20 wide, and it sticks out on one side only.",
            1 - Fraction(gap) / width: "In these cases she is not certain.",
        },
        why="Each box is 20 wide, and sticks out of the other by the gap.",
    )


def guessed() -> Answer:
    """How often the attacker names the right one at ε = 1."""
    return NumberAnswer(
        "She is right with the chance",
        1 - math.exp(-1 / 2) / 2,
        slips={
            belief(math.e): "That is her belief where x speaks most clearly. Not every x does.",
            1
            - math.exp(-1) / 2: "She is wrong beyond the middle: half a gap away, not a whole one.",
            math.exp(-1 / 2) / 2: "That is how often she is wrong.",
        },
        why="She is wrong if the noise carries x over the middle, half a gap away.",
    )


def promise_broken() -> Answer:
    """Two neighbours whose maxima are further apart than the scale allows."""
    most = sl.global_sensitivity(sl.MAX, TEN, size=6, relation=SWAP).value

    def judge(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> Verdict:
        here, there = (Fraction(max(side)) for side in (x, y))
        gap = abs(here - there)
        epsilon = number_text(gap / SCALE)
        kept = (
            f"The largest are {here} and {there}, {gap} apart: "
            f"between these two she keeps ε = {epsilon}"
        )
        if gap <= SCALE:
            return Verdict(False, f"{kept}, and her promise holds.")
        worst = "no pair is worse" if gap == most else "and another pair is worse still"
        return Verdict(True, f"{kept}, more than the 1 that she promised; {worst}.")

    return DatasetAnswer(
        ("A study of six, as days", "The same after one swap"),
        judge,
        TEN,
        ("1, 2, 3, 4, 5, 8", "1, 2, 3, 4, 5, 20"),
        6,
        SWAP,
        by=("maximum",),
    )
