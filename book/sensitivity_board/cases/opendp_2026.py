"""OpenDP, asked about five claims of 2026: thresholds, codes, truncations, scores and a maximum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
from sensitivity_book.theory.privacy.divergence import worst_ratio
from sensitivity_book.theory.stability.domains import L1, SYMMETRIC

from sensitivity_board.case import Case
from sensitivity_board.figures import Asked, asked
from sensitivity_lab import AuditRow, audit_map

SENSITIVITY, DELTA, LOSS = (f"{name} at distance 1" for name in ("sensitivity", "delta", "loss"))
SCALE = 1  # of the noise behind every threshold
FARTHEST = 60  # a discrete Gaussian of that scale has no chance beyond it that a float can hold


def opendp_2026_cases() -> list[Case]:
    """Return the cases of OpenDP that were asked about in August and September 2026.

    Source: OpenDP (2026), and the threads that `issues` names.
    """
    cases = []
    for one in asked("opendp_2026"):
        if DELTA in one.claims:
            cases.append(_threshold(one))
        elif SENSITIVITY in one.claims:
            cases.append(_enumerated(one))
        elif one.setting.startswith("max divergence"):  # of a ρ no exact number is proved
            cases.append(_noisy_max(one))
    return cases


def _case(one: Asked, row: AuditRow, **more: Any) -> Case:
    return Case("OpenDP", one.version, one.function, one.setting, (row,), one.date, **more)


# --- thresholds ------------------------------------------------------------------------------


def laplace_reaches(least: int) -> float:
    """Return the chance that discrete Laplace noise of scale 1 is at least so large, above 0.

    Source: Ghosh, Roughgarden and Sundararajan (2012).
    """
    return math.exp(-least / SCALE) / (1 + math.exp(-1 / SCALE))


def gaussian_reaches(least: int) -> float:
    """Return the chance that discrete Gaussian noise of scale 1 is at least so large."""
    weights = [math.exp(-((step / SCALE) ** 2) / 2) for step in range(FARTHEST)]
    return sum(weights[least:]) / (2 * sum(weights) - weights[0])


def float_laplace_reaches(least: float) -> float:
    """Return the chance that Laplace noise of scale 1 is at least so large, above 0."""
    return math.exp(-least / SCALE) / 2


NOISES: dict[str, Callable[[int], float]] = {
    "Laplace on floats": float_laplace_reaches,
    "Laplace": laplace_reaches,
    "Gaussian on ints": gaussian_reaches,
    "Gaussian": gaussian_reaches,
}
STAYS = "A noisy count of 5 stays. "
MORE = "Groups of more than 5 stay, so a key of one row needs noise of at least 5. "
THRESHOLDS = {
    ("count-by with a threshold", "Laplace"): (
        'The docstring says "Exclude counts that are less than this minimum value": '
        "a noisy count of 5 "
        "stays. The δ is the chance of noise above 4, but noise of 4 is enough. At every threshold "
        "the two are e^(1/scale) apart."
    ),
    ("table with a threshold", "Laplace on floats"): STAYS
    + "The δ is the chance of noise above 4; for floats that is the chance of 4 or more.",
    ("table with a threshold", "Gaussian on ints"): STAYS
    + "The δ is the chance of a normal number above 4. That bounds the chance that a discrete one "
    "is 5 or more, but 4 is enough.",
    ("Polars count by group with a threshold", "Laplace"): MORE + "The δ is the chance of that.",
    ("Polars count by group with a threshold", "Gaussian"): MORE
    + "The δ is the chance of a normal number above 4, which is larger.",
}


def _threshold(one: Asked) -> Case:
    """One row of a new key: the chance that the key is seen, which without the row it never is."""
    noise = one.setting.partition(",")[0]
    least = min(len(rows) for rows, stays in one.answers.items() if stays)
    chance = NOISES[noise](least - 1)  # one row is there already
    row = AuditRow(
        "SymmetricDifference", 1, None, one.claims[DELTA], chance, (), ("a",), (0, chance)
    )
    budget = "ρ" if "Gaussian" in noise else "ε"
    told, true = (f"{number:.3g}" for number in (row.claimed, row.found))
    loss = f"somebody whose key nobody else has is seen with a chance of {true}, not {told}"
    return _case(
        one,
        row,
        quantity=f"δ at {budget} = {one.claims[LOSS]:g}",
        scope="datasets of rows with a key; an answer is the chance that any key is released",
        note=THRESHOLDS[one.function, noise],
        loss="" if row.verdict == "exact" else loss,
    )


# --- answers that are enumerated --------------------------------------------------------------

NUMBERS = "datasets of at most three numbers, each 0.5 or 2, in every order"
PEOPLE = "datasets of at most two people; a person is written as the groups of their rows"
CELLS = (
    "datasets of at most two people; a person is written as their rows, "
    "each a cell of a 2 × 2 table"
)
CODES = (
    'The user guide says that the codes of a cut are "bin indices", and allows only an encoding '
    "that is data-independent. Polars numbers the bins as they appear: the same three rows in "
    "another order can give another answer. "
)
SCORES = (
    "A score is how far counts are from a model: {how}. It moves as far as the counts in L1. "
    "The step takes counts whose distance is in L1 or in L2, and passes that distance on. "
)
KEPT = (
    "Truncation bounds a person's rows in each group of g. Where g is then defined anew, the bound "
    "is kept, though groups have merged: one group holds all of a person's rows. A column of "
    "another name is refused. With n groups each the count moves by n, the claim stays 1."
)
NOTES = {
    ("cut and to_physical", "sum of the codes"): CODES + "With n rows the gap is n, the claim 1.",
    ("cut and to_physical", "counts by code"): CODES
    + "With n rows the gap is 2n − 1 in L1, the claim 1.",
    (
        "cut",
        "counts by category",
    ): "The categories keep their names, in whatever order they appear.",
    ("cut", "counts by label as text"): "A label as text depends on its own row only.",
    ("sum of a comparison", "x > 1"): "The same 0 and 1 as the codes of a cut, row by row.",
    ("truncation, then a new column", "2 groups each, merged after"): KEPT,
    ("truncation, then a new column", "3 groups each, merged after"): KEPT,
    ("truncation", "2 groups each, merged before"): "The same merge before the truncation.",
    ("truncation", "2 groups each"): "No merge: a count for each group.",
}
LOSSES = {
    ("cut and to_physical", "sum of the codes"): "promised ε = 1; with n rows, kept ε = n",
    ("cut and to_physical", "counts by code"): "promised ε = 1; with n rows, kept ε = 2n − 1",
    ("truncation, then a new column", ""): "promised ε = 1; with n groups each, kept ε = n",
    ("MST scores", ""): "promised ρ = 1 for the choice; with k rows of a person, kept ρ = k",
    ("AIM scores", ""): "promised ρ = 1 for the choice; with k rows of a person, kept ρ = k",
}
NORMS_OF_SCORES = {"MST scores": "the largest column sum of the absolute gaps"}
ROOT = "With k rows in k cells of a column the claim is √k, and the score moves by k."


def _enumerated(one: Asked) -> Case:
    """The widest pair of neighbours, of all datasets that the library answered."""
    of_people = one.function.startswith("truncation") or one.function.endswith("scores")
    answers = {dataset: _number_or_vector(answer) for dataset, answer in one.answers.items()}
    (row,) = audit_map(
        answers.__getitem__,
        one.claims[SENSITIVITY],
        list(answers),
        distances=[1],
        input_metric=SYMMETRIC,
        output_metric=lambda a, b: L1(np.ravel(a).tolist(), np.ravel(b).tolist()),
    ).rows
    row = replace(row, relation="Person" if of_people else "SymmetricDifference", related=None)
    return _case(
        one,
        row,
        scope=_scope(one.function),
        note=_note(one),
        loss=_loss(one) if row.verdict == "too small" else "",
        answers=tuple(answers.items()),
    )


def _loss(one: Asked) -> str:
    own = LOSSES.get((one.function, one.setting))
    return own or LOSSES[one.function, ""]


def _number_or_vector(answer: Any) -> Any:
    return answer[0] if isinstance(answer, tuple) and len(answer) == 1 else answer


def _scope(function: str) -> str:
    if function.startswith("truncation"):
        return PEOPLE
    return CELLS if function.endswith("scores") else NUMBERS


def _note(one: Asked) -> str:
    if not one.function.endswith("scores"):
        return NOTES[one.function, one.setting]
    how = NORMS_OF_SCORES.get(one.function, "the sum of the absolute gaps")
    more = ROOT if one.setting.startswith("counts in L2, two rows in") else ""
    return (SCORES.format(how=how) + more).strip()


# --- the noisy maximum -----------------------------------------------------------------------


def permute_and_flip(scores: tuple[int, ...]) -> dict[int, float]:
    """Return how likely permute-and-flip of scale 1 is to choose each position.

    Source: arXiv 2010.12603, on permute-and-flip.
    """
    best, orders = max(scores), list(permutations(range(len(scores))))
    chances = dict.fromkeys(range(len(scores)), 0.0)
    for order in orders:
        left = 1 / len(orders)
        for position in order:
            kept = math.exp((scores[position] - best) / SCALE)
            chances[position] += left * kept
            left *= 1 - kept
    return chances


def _noisy_max(one: Asked) -> Case:
    """All vectors of two or three scores, each −1, 0 or 1, with all that are 1 apart."""
    vectors = [scores for size in (2, 3) for scores in product((-1, 0, 1), repeat=size)]
    worst, x, y = max(
        (
            (worst_ratio(permute_and_flip(x), permute_and_flip(y)), x, y)
            for x, y in product(vectors, repeat=2)
            if len(x) == len(y) and max(abs(a - b) for a, b in zip(x, y, strict=True)) == 1
        ),
        key=lambda found: round(found[0].value, 9),
    )
    (position, *_) = worst.event
    here, there = (math.log(permute_and_flip(scores)[position]) for scores in (x, y))
    row = AuditRow("L∞ distance", 1, None, one.claims[LOSS], abs(here - there), x, y, (here, there))
    return _case(
        one,
        row,
        quantity="ε",
        scope=(
            "two or three scores, each −1, 0 or 1; an answer is the logarithm of the chance that "
            f"number {position + 1} is chosen"
        ),
        note=(
            "Draws of 0.16.0 follow permute-and-flip, for which 2/scale is exact. The thread is "
            "about zero-concentrated divergence, where they follow the exponential mechanism, and "
            "the claim is the known bound ε²/8. No exact ρ is proved here, so that claim has no "
            "card."
        ),
    )
