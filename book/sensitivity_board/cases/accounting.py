"""dp-accounting: what its accountants say of an event, beside the exact ε of the same event."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, pairwise, permutations
from typing import Any

import numpy as np
from sensitivity_book.theory.privacy.noise import chance_below
from sensitivity_book.theory.stability.domains import CHANGE_ONE

from sensitivity_board.case import Case
from sensitivity_board.figures import figures
from sensitivity_lab import AuditRow

Mixture = tuple[tuple[float, float], ...]  # of unit normals: a chance and a centre each
Loss = tuple[float, float, float]  # ε, and the logarithms of an event's two chances

DELTA = 1e-5
FAR = 20  # beyond it no event here has a chance that matters
GRID = 4001
MOST = 100.0  # no ε here is larger


# --- the exact ε -------------------------------------------------------------------------------


def likelier(p: Mixture, q: Mixture, epsilon: float) -> tuple[float, float]:
    """Return the chances of all numbers that are more than e^ε times as likely under
    p as under q."""

    def excess(x: Any) -> Any:
        return _log_density(p, x) - _log_density(q, x) - epsilon

    grid = np.linspace(-FAR, FAR, GRID, dtype=np.float64)
    above = excess(grid) > 0
    changes = np.flatnonzero(above[1:] != above[:-1])
    ends = [-math.inf, *(_root(excess, grid[i], grid[i + 1]) for i in changes), math.inf]
    first = 0 if above[0] else 1  # whether the numbers far below are among them
    chosen = list(pairwise(ends))[first::2]
    here, there = (sum(_chance(m, a, b) for a, b in chosen) for m in (p, q))
    return here, there


def _log_density(mixture: Mixture, x: Any) -> Any:
    parts = [math.log(chance) - (x - centre) ** 2 / 2 for chance, centre in mixture]
    return np.logaddexp.reduce(np.array(parts, dtype=np.float64), axis=0)


def _root(function: Callable[[float], Any], low: float, high: float) -> float:
    rises = function(high) > 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if (function(middle) > 0) == rises else (middle, high)
    return high


def _chance(mixture: Mixture, low: float, high: float) -> float:
    """The chance of an interval: of its mirror image where that keeps the digits of a far tail."""
    total = 0.0
    for chance, centre in mixture:
        a, b = low - centre, high - centre
        a, b = (-b, -a) if a > 0 else (a, b)
        total += chance * (chance_below(b) - chance_below(a))
    return total


def normal_loss(p: Mixture, q: Mixture) -> Loss:
    """Return the least ε at which p and q are (ε, 10⁻⁵)-close, with the event that needs it.

    Source: Balle and Wang (2018), theorem 5.
    """

    def suffices(epsilon: float) -> bool:
        here, there = likelier(p, q, epsilon)
        return here - math.exp(epsilon) * there <= DELTA

    low, high = 0.0, MOST
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    here, there = likelier(p, q, high)
    return high, math.log(here - DELTA), math.log(there)


def laplace_loss(gap: float) -> Loss:
    """Return the same for Laplace noise of scale 1 around two centres: gap + 2 ln(1 − δ).

    Source: Balle, Barthe and Gaboardi (2018).
    """
    epsilon = gap + 2 * math.log1p(-DELTA)
    edge = (gap + epsilon) / 2
    here, there = 1 - math.exp(edge - gap) / 2, math.exp(-edge) / 2
    return epsilon, math.log(here - DELTA), math.log(there)


def discrete_loss(p: dict[int, float], q: dict[int, float]) -> Loss:
    """Return the same for two distributions of two outcomes."""
    outcome = max(p, key=lambda o: p[o] - q[o])
    here, there = math.log(p[outcome] - DELTA), math.log(q[outcome])
    return here - there, here, there


# --- the pairs of datasets ---------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two neighbouring datasets and what the event makes of them."""

    loss: Loss
    dataset: tuple[Any, ...]
    neighbour: tuple[Any, ...]


ZERO, ONE, LESS = 0.0, 1.0, -1.0  # records, whose absolute value is at most C = 1
RECORDS = {  # of the two relations under which a record comes or goes, and of replacing one
    "ADD_OR_REMOVE_ONE": ((ONE,), ()),
    "REPLACE_SPECIAL": ((ONE,), (ZERO,)),
    "REPLACE_ONE": ((ONE,), (LESS,)),
}


def _normal(sample: float, times: float) -> Callable[[str], Iterator[Pair]]:
    """Sums of records with normal noise, each of them in the sample with a chance,
    some times over."""

    def pairs(relation: str) -> Iterator[Pair]:
        for x, y in permutations(RECORDS[relation]):
            p, q = (_sampled(sum(data) * math.sqrt(times), sample) for data in (x, y))
            yield Pair(normal_loss(p, q), x, y)

    return pairs


def _sampled(centre: float, sample: float) -> Mixture:
    if centre == 0 or sample == 1:
        return ((1.0, centre),)
    return (1 - sample, 0.0), (sample, centre)


def _one_of_two(relation: str) -> Iterator[Pair]:
    """One of two records drawn, with normal noise: all of five values, one replaced."""
    values = [step / 2 for step in range(-2, 3)]
    datasets = list(combinations_with_replacement(values, 2))
    for x, y in permutations(datasets, 2):
        if CHANGE_ONE(x, y) == 1:
            p, q = (tuple((0.5, float(record)) for record in data) for data in (x, y))
            yield Pair(normal_loss(p, q), x, y)


def _laplace(relation: str) -> Iterator[Pair]:
    x, y = RECORDS[relation]
    yield Pair(laplace_loss(sum(x) - sum(y)), x, y)


def _responses(relation: str) -> Iterator[Pair]:
    """One person's bit, kept with a chance of a half, else drawn anew; or a bit that is drawn."""
    told = {0: {0: 0.75, 1: 0.25}, 1: {0: 0.25, 1: 0.75}, "drawn": {0: 0.5, 1: 0.5}}
    for x, y in permutations([0, 1 if relation == "REPLACE_ONE" else "drawn"]):
        yield Pair(discrete_loss(told[x], told[y]), (x,), (y,))


@dataclass(frozen=True)
class Event:
    """An event: its pairs of neighbours by relation, and what a card says of it."""

    pairs: Callable[[str], Iterator[Pair]]
    name: str
    setting: str
    scope: str


ONE_SUM = "sums of numbers from −1 to 1 with normal noise of deviation 1"
DRAWN = "two numbers, each −1, −1/2, 0, 1/2 or 1, of which one is drawn and gets normal noise"
EVENTS = {
    "Gaussian": Event(_normal(1, 1), "Gaussian event", "multiplier 1", ONE_SUM),
    "Gaussian, multiplier halved": Event(
        _normal(1, 1), "Gaussian event", "multiplier s/2C", ONE_SUM
    ),
    "10 Gaussians": Event(
        _normal(1, 10), "10 Gaussian events", "multiplier 1",
        "ten sums of numbers from −1 to 1, each with normal noise of deviation 1",
    ),
    "Gaussian, Poisson sample of 1/10": Event(
        _normal(0.1, 1), "sampled Gaussian event", "1/10, multiplier 1",
        ONE_SUM.replace("sums of", "sums of a sample of"),
    ),
    "Gaussian, 1 of 2 drawn": Event(
        _one_of_two, "drawn Gaussian event", "1 of 2, multiplier 1", DRAWN
    ),
    "Laplace": Event(
        _laplace, "Laplace event", "multiplier 1",
        "sums of numbers from −1 to 1 with Laplace noise of scale 1",
    ),
    "randomized response": Event(
        _responses, "randomized response", "parameter 1/2, 2 buckets",
        "one bit, which with a chance of a half is drawn anew",
    ),
}  # fmt: skip


@cache
def worst(event: str, relation: str) -> Pair:
    """Return the pair of neighbours that needs the largest ε, with that ε."""
    return max(EVENTS[event].pairs(relation), key=lambda pair: pair.loss[0])


# --- the cases ---------------------------------------------------------------------------------

RELATIONS = {
    "ADD_OR_REMOVE_ONE": "SymmetricDifference",
    "REPLACE_SPECIAL": "ReplaceSpecial",
    "REPLACE_ONE": "Change",
}
EVENT = "an answer is the logarithm of the chance of the worst event, with δ taken off the first"
BOUNDED = (
    "The event's docstring defines the multiplier as s/C, the noise by the bound on each record. "
    "Where a record is replaced, a sum moves by up to 2C. "
)
NOTES = {  # where a record is replaced
    ("RDP accountant", "Gaussian"): BOUNDED
    + "This accountant's ε is the same for all three relations. Its own formula names the "
    "multiplier as the noise by the L2 sensitivity; read so, s/2C here, it is an upper bound. "
    "The PLD accountant counts 2C.",
    ("RDP accountant", "10 Gaussians"): BOUNDED
    + "Ten events with multiplier 1 are one with 1/√10.",
    ("RDP accountant", "Laplace"): BOUNDED
    + "The PLD accountant refuses a Laplace event under this relation.",
    ("RDP accountant", "Gaussian, 1 of 2 drawn"): BOUNDED
    + "The PLD accountant refuses such an event.",
    ("RDP accountant", "Gaussian, multiplier halved"): (
        "The multiplier given as s/2C, the noise by what a sum moves where a record is replaced."
    ),
    ("PLD accountant", "Gaussian"): BOUNDED
    + "This accountant counts 2C. Whoever gives it s/2C has it counted twice: ε = {twice:.4g}.",
    ("PLD accountant", "10 Gaussians"): BOUNDED + "This accountant counts 2C.",
}
MISREAD = "PLD accountant", "Gaussian, multiplier halved; REPLACE_ONE"
HOW = {
    "RDP accountant": "An ε from Rényi divergences of several orders is an upper bound.",
    "PLD accountant": "Losses are rounded up to multiples of 1e-5.",
}


def accounting_cases() -> list[Case]:
    """Return the cases of dp-accounting: ε at δ = 10⁻⁵ of some events, by both its accountants.

    Source: dp-accounting (2026), asked by `libraries/dp_accounting/figures.py`.
    """
    stored = figures("dp_accounting").astype(str).to_dict("records")
    answers = {(one["query"], one["parameters"]): one for one in stored}
    twice = float(answers.pop(MISREAD)["value"])  # a caller's mistake, no claim: for a note
    return [_case(one, twice) for one in answers.values() if one["value"] != "refused"]


def _case(figure: dict[Any, str], twice: float) -> Case:
    event, relation = figure["parameters"].split("; ")
    accountant, claimed, pair = figure["query"], float(figure["value"]), worst(event, relation)
    exact, here, there = pair.loss
    asked = EVENTS[event]
    row = AuditRow(
        RELATIONS[relation], 1, None, claimed, exact, pair.dataset, pair.neighbour, (here, there)
    )
    loss = "" if row.verdict == "exact" else f"told ε = {claimed:.4g}, spent ε = {exact:.4g}"
    return Case(
        "dp-accounting",
        figure["version"],
        f"{accountant}, {asked.name}",
        asked.setting,
        (row,),
        figure["date"],
        quantity="ε at δ = 1e-5",
        scope=f"{asked.scope}; {EVENT}",
        note=NOTES.get(
            (accountant, event) if relation == "REPLACE_ONE" else ("", ""), HOW[accountant]
        ).format(twice=twice),
        loss=loss,
    )
