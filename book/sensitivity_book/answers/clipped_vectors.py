"""The fields of *C or 2C*: a floor under a count, and one person in two of three rounds."""

from __future__ import annotations

from fractions import Fraction

from sensitivity_book.answers.kinds import Answer, NumberAnswer
from sensitivity_book.theory.vectors import participation, published_bound

CLIPPED, LEAST = 2, 49  # length, and the number that a sum is divided by at least
OWN = ((1, 1, 1), (1, 0, -1))  # the total of three rounds, and the first minus the third
TWICE = 2  # a person is in so many of them at most


def floor() -> Answer:
    """How far a mean with a floor moves, if one vector is added or removed."""
    return NumberAnswer(
        "(c) The sum over the count, but at least over 49",
        Fraction(2 * CLIPPED, LEAST + 1),
        slips={
            Fraction(CLIPPED, LEAST): "That is below the floor. Above it the divisor moves too.",
            Fraction(CLIPPED, LEAST + 1): "The mean of the others may be the opposite vector.",
            Fraction(2 * CLIPPED, LEAST): "That is for a vector that is changed.",
        },
        why="49 vectors are all opposite to the fiftieth.",
    )


def exact() -> Answer:
    """How far a person moves two numbers, squared, who is in two of three rounds."""
    return NumberAnswer(
        "The square of the exact sensitivity",
        participation(OWN, most=TWICE).squared,
        slips={
            6: "That is the bound. Which two rounds would move it so far?",
            4: "That is the first round and the third. Another two do more.",
            3: "Both entries of X beside the diagonal count.",
        },
        why="A person in the first two rounds moves the total by 2 and the other number by 1.",
    )


def bound() -> Answer:
    """The published bound on the same, squared."""
    return NumberAnswer(
        "The square of the published bound",
        published_bound(OWN, most=TWICE),
        slips={
            5: "That is the exact one. Each row may choose two rounds of its own.",
            8: "That takes all three rows, and at most two are allowed.",
        },
        why="The first row has 2 + 1 and the third 1 + 2.",
    )
