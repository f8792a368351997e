"""The fields of *Clipping*: bounds shifted, doubled, read off counts, or below everybody."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

import sensitivity_lab as sl
from sensitivity_book.answers.judges import agrees
from sensitivity_book.answers.kinds import (
    Answer,
    DatasetAnswer,
    FunctionAnswer,
    NumberAnswer,
    Verdict,
)
from sensitivity_book.stage.dots.bound import clipped
from sensitivity_lab.numbers import number_text

ALL = 5  # people for whom a bound below everybody is wanted
POWERS = [2**i for i in range(31)]
PEOPLE, EPSILON = 2_000, Fraction("0.01")  # on whom the rule of thumb is tried


def shifted() -> Answer:
    """What records between 1 and 3 cost once 2 is taken from each."""
    raw = sl.Universe.value_range([value - 2 for value in (-1000, 0, 1, 2, 3, 1000)])
    found = sl.global_sensitivity(
        sl.SUM.clipped(-1, 1), raw, size=range(4), relation=sl.SymmetricDifference(1)
    )
    return NumberAnswer(
        "The shifted sum moves by at most",
        found.value,
        slips={
            3: "That is what it was before. How far from 0 do the new bounds lie?",
            2: "That is U − L, for a record that changes. Here it joins or leaves.",
        },
        why="No record is further from 0 now.",
    )


def quantile() -> Answer:
    """The quantile that the rule of thumb takes of two thousand people."""
    people = range(1, PEOPLE + 1)
    bound = next(U for U in people if clipped(people, U, "1").people <= 1 / EPSILON)
    above = PEOPLE - bound
    return NumberAnswer(
        "Of 2,000 people at ε = 0.01 it takes the quantile",
        Fraction(bound, PEOPLE),
        slips={
            Fraction(above, PEOPLE): "That is the share of those above the bound.",
            above: "So many people lie above it. A quantile is a share, of those at or below.",
            bound: "So many people lie at or below it. A quantile is a share.",
            Fraction(1, 2): "That is the median. It leaves a thousand above it.",
            1 - EPSILON: "ε alone does not say it: how many people there are counts too.",
        },
        why=f"It leaves {above} above it, of {PEOPLE:,}.",
    )


BEST = "The best bound is {1}, with an error² of {2}"
CLIPS = {
    **{str(n): (False, f"{BEST}. It clips {n or 'none'} of the five.") for n in range(ALL)},
    str(ALL): (True, f"{BEST}, and clips all five. At {{3}} it would be {{4}}."),
}


def below_all() -> Answer:
    """Five ages, and a best bound that clips every one of them."""

    def judge(ages: tuple[int, ...]) -> Verdict:
        tried = {bound: clipped(ages, bound, "1") for bound in range(max(ages) + 1)}
        best = min(tried, key=lambda bound: tried[bound].squared)
        numbers = (best, tried[best].squared, min(ages), tried[min(ages)].squared)
        right, words = CLIPS[str(tried[best].people)]
        return Verdict(right, words.format(ALL, *map(number_text, numbers)))

    return DatasetAnswer(
        ("Five ages, from 1 to 100",),
        judge,
        sl.Universe.value_range(range(1, 101)),
        ("20, 30, 40, 50, 60",),
        ALL,
        by=("best bound",),
        told=CLIPS,
    )


def doubled() -> Answer:
    """What a search over all powers of two costs."""
    return NumberAnswer(
        "The search spends an ε of",
        len(POWERS) * EPSILON,
        slips={
            EPSILON: "That is one answer. Their ε add up.",
            30 * EPSILON: "Count 2⁰ as well.",
            1: "A hundred answers cost that. How many bounds are there here?",
        },
        why="It is 0.01 for each of 31 answers.",
    )


def power() -> Answer:
    """The best power of two for incomes with one rich person."""
    people = incomes()
    best = min(POWERS, key=lambda bound: clipped(people, bound, "0.1").squared)
    return NumberAnswer(
        "The best power of two at ε = 0.1 is",
        best,
        slips={
            21: "That is its exponent. Write the bound.",
            2**17: (
                "There the search stops. Double it: the bias falls by more than the noise grows."
            ),
            2**29: "That includes everybody. Everybody's noise is then scaled to one person.",
            2**20: "Close. Double it once more: the bias falls by more than the noise grows.",
            2**22: "Close. Halve it: the noise falls by more than the bias grows.",
        },
        why="It gives most of the one large income up.",
    )


def incomes() -> list[int]:
    """Draw ten thousand incomes, and add one of 500 million."""
    drawn = np.rint(np.random.default_rng(8).lognormal(10.3, 0.7, 10_000))
    return [*map(int, drawn), 500_000_000]


def smallest_bound(bins: list[int], most: int) -> int:
    """Return the smallest bound with at most so many people above it."""
    return next(bound for bound in range(len(bins)) if sum(bins[bound + 1 :]) <= most)


def counted() -> Answer:
    """A bound read off noisy bins, in Python."""

    def cases() -> Iterator[tuple[list[int], int]]:
        for length, most in product((1, 2, 3), (0, 1, 2)):
            for bins in product((0, 1, 3, -1), repeat=length):  # noise makes negative counts too
                yield [*bins], most

    return FunctionAnswer(
        "The bound as a function of noisy bins, from 0 years up, and how many may lie above",
        "def smallest_bound(bins, most):\n    ",
        agrees(smallest_bound, cases),
    )
