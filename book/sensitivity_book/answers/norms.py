"""The fields of *Many numbers at once*: a total, and the weights of a count."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.judges import number
from sensitivity_book.answers.kinds import Answer, FunctionAnswer, NumberAnswer, Verdict
from sensitivity_lab.numbers import number_text

BINS = (0, 1, 2)
HIGHEST = 100  # of the ages
AVERAGES = (10, 20, 40, 80)  # at which weights are judged
LARGEST = 1000  # weight that is looked at
NEAR = 1e-3  # relative; a weight this near to the best is right


def total_joined() -> Answer:
    """How far three bins and their total move in L2."""

    def bins_and_total(x: tuple[int, ...]) -> list[int]:
        return [*(x.count(each) for each in BINS), len(x)]

    days, one = sl.Universe.value_range(BINS), sl.SymmetricDifference(1)
    found: Any = sl.global_sensitivity(bins_and_total, days, size=2, relation=one, norm=2)
    return NumberAnswer(
        "If a record joins or leaves, in L2",
        float(found.value),
        slips={
            2: "That is L1.",
            1: "That is L∞, or the histogram alone.",
            math.sqrt(3): "A record is in one bin and in the total.",
        },
        why="One bin and the total move by 1.",
    )


def total_worth() -> Answer:
    """From how many bins on a noisy total is better than a sum of noisy bins."""
    alone = 2 * 2**2  # the variance of Laplace noise of scale 2, and below of scale 1 in each bin
    return NumberAnswer(
        "The total is worth its price from so many bins on",
        next(bins for bins in count(1) if 2 * bins > alone),
        slips={
            4: "There the two are equal.",
            3: "There the sum of the bins has variance 6, and the total 8.",
            8: "8 is the variance of the total. A bin has variance 2.",
        },
        why="Five bins have variance 10, and the total 8.",
    )


def weight_laplace() -> Answer:
    """The best weight of a count beside a sum, for Laplace noise."""
    return FunctionAnswer(
        "The best weight for Laplace noise, for an average a",
        "def laplace_weight(a):\n    return a",
        best_weight(lambda w: (w + HIGHEST) ** 2, lambda a: (HIGHEST * a**2) ** (1 / 3)),
    )


def weight_gaussian() -> Answer:
    """The best weight of a count beside a sum, for Gaussian noise."""
    return FunctionAnswer(
        "The best weight for Gaussian noise, for an average a",
        "def gaussian_weight(a):\n    return a",
        best_weight(lambda w: w**2 + HIGHEST**2, lambda a: math.sqrt(HIGHEST * a)),
    )


def best_weight(
    squared: Callable[[float], float], best: Callable[[float], float]
) -> Callable[[Callable[..., Any]], Verdict]:
    """Return a judge of weights: best for every average, or worse than another that it names."""

    def error(w: float, a: float) -> float:
        return squared(w) * (1 + (a / w) ** 2)

    def judge(function: Callable[..., Any]) -> Verdict:
        for a in AVERAGES:
            own = number(function, (a,))
            here = f"With a = {a} it gives {number_text(own)}"
            if not 0 < own <= LARGEST:
                return Verdict(False, f"{here}. Look between 0 and {LARGEST}.")
            own = float(own)
            if abs(own / best(a) - 1) > NEAR:
                nearer = math.sqrt(own * best(a))
                more = error(own, a) / error(nearer, a) - 1
                words = f"{here}, and {nearer:.4g} is better"
                return Verdict(False, f"{words}: the variance is {_share(more)} lower there.")
        tried = ", ".join(map(str, AVERAGES))
        return Verdict(True, f"No weight is better, at the averages {tried}.")

    return judge


def _share(more: float) -> str:
    """A rise from there as a fall to there, in per cent."""
    fall = 100 * more / (1 + more)
    return f"{fall:.2g} %" if fall >= 0.1 else "less than 0.1 %"
