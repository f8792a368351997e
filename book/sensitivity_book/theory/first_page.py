"""What one published mean says about six of ten pupils: the numbers of the book's first page."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

import sensitivity_lab as sl
from sensitivity_book.data.scenarios import school_large

SIZE = 6
EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, math.inf)

Group = tuple[int, ...]  # positions of pupils, in order
Floats = NDArray[np.float64]


def pupils() -> dict[str, int]:
    """Return the days of absence by name, fewest first."""
    frame = school_large().frame
    return dict(zip(frame["name"], (int(days) for days in frame["absence_days"]), strict=True))


def groups() -> list[Group]:
    """Return every group of six of the ten."""
    return list(combinations(range(len(pupils())), SIZE))


def groups_by_sum() -> dict[int, list[Group]]:
    """Return the groups by the sum of their days: those of one sum have one mean."""
    days, by_sum = list(pupils().values()), defaultdict(list)
    for group in groups():
        by_sum[sum(days[i] for i in group)].append(group)
    return dict(sorted(by_sum.items()))


def still_known(total: int) -> tuple[list[str], list[str]]:
    """Return who is in every group with this sum, and who is in none."""
    names, fitting = list(pupils()), [set(group) for group in groups_by_sum()[total]]
    everywhere, somewhere = set.intersection(*fitting), set.union(*fitting)
    inside = [name for i, name in enumerate(names) if i in everywhere]
    return inside, [name for i, name in enumerate(names) if i not in somewhere]


def the_most() -> sl.Sensitivity:
    """Return how far one swap can move the mean, with two studies that prove it."""
    absences = sl.Universe.population(list(pupils().values()))
    return sl.global_sensitivity(sl.MEAN, absences, size=SIZE, relation=sl.Change(1))


def draws() -> dict[float, float]:
    """Return a draw of the noise of scale 1 for each ε."""
    drawn = np.random.default_rng(SIZE).laplace(size=len(EPSILONS)).round(2)
    return {e: 0.0 if math.isinf(e) else float(one) for e, one in zip(EPSILONS, drawn, strict=True)}


def published(epsilon: float) -> float:
    """Return the mean of the first game with that draw of its noise."""
    return min(groups_by_sum()) / SIZE + float(the_most().value) / epsilon * draws()[epsilon]


def beliefs(epsilon: float) -> dict[int, float]:
    """Return what an attacker believes of a group, by its sum, on average over the noise."""
    counts = {total: len(some) for total, some in groups_by_sum().items()}
    if math.isinf(epsilon):
        return {total: float(total == min(counts)) for total in counts}
    means, scale = np.array(list(counts), dtype=float) / SIZE, float(the_most().value) / epsilon
    number = np.array(list(counts.values()), dtype=float)

    def weighed(answers: Floats) -> Floats:
        """One group's share of all weights: a row for each answer, a column for each mean."""
        away = np.abs(answers[:, np.newaxis] - means)
        weight = np.exp(-(away - away.min(axis=1, keepdims=True)) / scale)
        return np.asarray(weight / (weight @ number)[:, np.newaxis])

    answers, widths = _nodes(means, scale)
    drawn = widths * np.exp(-(answers - means[0]) / scale) / (2 * scale)
    lowest, highest = weighed(means[[0, -1]])  # outside, the shares stay the same
    beyond = math.exp(-(means[-1] - means[0]) / scale) / 2  # the chance of answers above all means
    mean = lowest / 2 + highest * beyond + drawn @ weighed(answers)
    return dict(zip(counts, mean.tolist(), strict=True))


def _nodes(ends: Floats, longest: float) -> tuple[Floats, Floats]:
    """Where to ask a function that is smooth between some ends, and the weight of each answer."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    pieces = [np.linspace(a, b, math.ceil((b - a) / longest) + 1) for a, b in pairwise(ends)]
    starts, halves = (
        np.concatenate([part[:-1] for part in pieces]),
        np.concatenate([np.diff(part) / 2 for part in pieces]),
    )
    asked = starts[:, np.newaxis] + halves[:, np.newaxis] * (nodes + 1)
    return asked.ravel(), (halves[:, np.newaxis] * weights).ravel()
