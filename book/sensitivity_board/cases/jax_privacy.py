"""JAX Privacy: sums of clipped vectors, and matrix mechanisms that one person takes part in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from sensitivity_book.theory.vectors import (
    Participation,
    fixed_epochs,
    gram,
    identity,
    length,
    prefix_sums,
    square_root,
    three_rounds,
    worst,
)
from sensitivity_book.theory.vectors import patterns as all_patterns

from sensitivity_board.case import Case, strictest
from sensitivity_board.figures import Asked, asked, figures
from sensitivity_lab import AuditRow, Change, Query, SymmetricDifference, Universe, audit
from sensitivity_lab.numbers import Exact

NAME = "jax-privacy"
CLAIMS = {
    "SymmetricDifference": "sensitivity under ADD_OR_REMOVE_ONE",
    "Change": "sensitivity under REPLACE_ONE",
    "Zeroed": "sensitivity under REPLACE_SPECIAL",
}
THREE_ROUNDS = [[2, 0, 0], [-2, 2, 0], [-1, -1, 2]]
# The worst contributions to these rounds: two vectors, and the opposite of their sum's direction.
IN_A_PLANE = ((1 / 3, math.sqrt(8) / 3), (1 / 3, -math.sqrt(8) / 3), (-1.0, 0.0))
ENCODERS: dict[str, list[list[Exact]]] = {
    "each round": identity(8),
    "all totals": prefix_sums(8),
    "square root": square_root(8),
    "square root, 3 bands": square_root(8, bands=3),
}

GUIDE = "The library's guide says to sum in float32 at least, by dtype."
NOTES = {  # by function and setting
    ("clipped_fun of float32", "l2_clip_norm 1"): "In float32 a clipped vector can be a hair too "
    "long: the square of this one's length is 1 + 8.9e-8.",
    ("clipped_fun of float32", "l2_clip_norm 1, normalize_by 3"): "The sensitivity is computed in "
    "float64, the sum in float32, where a third is a hair more.",
    ("clipped_fun of bfloat16", "l2_clip_norm 1"): "The batch is summed in its own type unless "
    "dtype is set. From 256 on bfloat16 has only even numbers: 257 ones make 256, 258 make 258. "
    f"{GUIDE}",
    ("clipped_fun of bfloat16", "l2_clip_norm 1, dtype float32"): "The docstring recommends dtype "
    "where a batch of low precision is large.",
    ("clipped_fun of float16", "l2_clip_norm 2**-13"): "The norm is computed in the vector's type "
    "unless dtype is set. In float16 the square of 2**-13 is 0, "
    "so the vector is taken for 0 and is "
    "not clipped. A vector of 2**20 such entries has length 2**-3, and stays that long at an "
    f"l2_clip_norm of 2**-4. {GUIDE}",
    ("clipped_fun of float16", "l2_clip_norm 2**-13, dtype float32"): "With dtype the norm is "
    "computed in float32.",
}
LOSSES = {
    "l2_clip_norm 1": "a hair: 4.4e-8 of the length",
    "l2_clip_norm 1, normalize_by 3": "a hair: 3.0e-8 of the length",
}
DOCSTRING = (
    "The docstring says that the sensitivity is l2_clip_norm, or 1 if rescaled; .sensitivity() "
    "divides by normalize_by, and is right. The sentence has been mended since."
)
OWN_PATTERN = (
    "An upper bound, by its name: each row of the Gram matrix may choose a pattern of its own."
)
SIGNS = (
    "The Gram matrix has negative entries, of which the absolute values are added up. The exact "
    "number is for vectors of length at most 1 in two dimensions or more."
)


def jax_privacy_cases() -> list[Case]:
    """Return the cases of JAX Privacy, from its table of figures.

    Source: thm-clipped-set, chapters/norms,
    and thm-clipped-participation, chapters/participation.
    """
    return [*_clipping_cases(), *_participation_cases()]


# --- sums of clipped vectors ------------------------------------------------------------------


def clipping_asked() -> list[Asked]:
    """Return what the table says of clipped_fun, setting by setting."""
    found = asked("jax_privacy", _batch)
    return [one for one in found if one.function.startswith("clipped_fun") and one.answers]


def _batch(runs: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(vector) for vector, copies in runs for _ in range(copies))


def _vectors(one: Asked) -> tuple[Any, ...]:
    """The vectors of the batches, each once."""
    return tuple(dict.fromkeys(vector for batch in one.answers for vector in batch))


def _clipping_cases() -> Iterator[Case]:
    for one in clipping_asked():
        note = NOTES.get((one.function, one.setting), "")
        relations = ["SymmetricDifference"] if note else list(CLAIMS)
        for relation in relations:
            claim = one.claims[CLAIMS[relation]]
            yield _clipping_case(one.function, one, relation, claim, note)
        if "sensitivity by its docstring" in one.claims:
            claim = one.claims["sensitivity by its docstring"]
            yield _clipping_case(
                "clipped_fun by its docstring", one, "SymmetricDifference", claim, DOCSTRING
            )


def _clipping_case(function: str, one: Asked, relation: str, claim: float, note: str) -> Case:
    rows = (
        (zeroed_out(one, claim),)
        if relation == "Zeroed"
        else strictest(_audited(one, relation, claim))
    )
    return Case(
        NAME,
        one.version,
        function,
        one.setting,
        rows,
        one.date,
        scope=_scope(one),
        note=note,
        norm="L2",
        # The checker knows no relation that zeroes a vector: of it the witness alone is stored.
        answers=() if relation == "Zeroed" else tuple(one.answers.items()),
        loss=LOSSES.get(one.setting, "") if function == "clipped_fun of float32" else "",
    )


def _scope(one: Asked) -> str:
    sizes = list(map(len, one.answers))
    vectors = "vector" if len(_vectors(one)) == 1 else "vectors"
    return f"batches of {min(sizes)} to {max(sizes)} of {len(_vectors(one))} {vectors}"


def _audited(one: Asked, relation: str, claim: float) -> tuple[AuditRow, ...]:
    answers = {tuple(sorted(batch)): answer for batch, answer in one.answers.items()}
    sizes = [len(batch) for batch in answers]
    found = audit(
        Query("sum of clipped vectors", lambda batch: answers[tuple(sorted(batch))]),
        claim,
        Universe.value_range(list(_vectors(one))),
        sizes_within=range(min(sizes), max(sizes) + 1),
        relations=[Change(1) if relation == "Change" else SymmetricDifference(1)],
        norm=2,
    )
    return found.rows


def zeroed_out(one: Asked, claim: float) -> AuditRow:
    """Return the row of the widest pair in which one vector of a batch becomes 0."""
    answers = {tuple(sorted(batch)): (batch, answer) for batch, answer in one.answers.items()}
    nothing = (0,) * len(_vectors(one)[0])
    pairs = []
    for batch, answer in answers.values():
        for i in range(len(batch)):
            blanked, there = answers[tuple(sorted((*batch[:i], nothing, *batch[i + 1 :])))]
            moved = length([a - b for a, b in zip(answer, there, strict=True)])
            pairs.append((moved, blanked, batch, (there, answer)))
    found, dataset, neighbour, both = max(pairs, key=lambda pair: pair[0])
    return AuditRow("Zeroed", 1, None, claim, found, dataset, neighbour, both)


# --- matrix mechanisms ------------------------------------------------------------------------


def _participation_cases() -> Iterator[Case]:
    table = figures("jax_privacy")
    for figure in table[table["quantity"].isin(["sensitivity", "its root"])].to_dict("records"):
        name, *limits = figure["parameters"].split("; ")
        asked = dict(limit.rsplit(" ", 1) for limit in limits)
        row, note = _taking_part(name, asked, figure["value"])
        if row.ratio > 1 and not note:
            note = OWN_PATTERN
        yield Case(
            NAME,
            figure["version"],
            figure["query"],
            figure["parameters"],
            (row,),
            figure["date"],
            scope="contributions of length at most 1, every way to take part",
            note=note,
            norm="L2",
        )


def _taking_part(name: str, asked: dict[str, str], value: str) -> tuple[AuditRow, str]:
    """The row of a figure, and what there is to say of it."""
    if name == "three rounds":
        found = math.sqrt(three_rounds(gram(THREE_ROUNDS)))
        claimed = _claimed(value, found)
        return AuditRow("Person", 1, None, claimed, found, (), (IN_A_PLANE,), _turned()), SIGNS
    encoder = ENCODERS[name]
    person = worst(encoder, ways(asked))
    there = _contributions(person, int(asked["rounds"]))
    before = (0,) * len(encoder)
    after = tuple(float(sum(c * u for c, u in zip(row, there, strict=True))) for row in encoder)
    claimed = _claimed(value, person.value)
    return AuditRow("Person", 1, None, claimed, person.value, (), (there,), (before, after)), ""


def _turned() -> tuple[Any, Any]:
    """What is published without the person in a plane, and with them: two numbers for each row."""
    moved = tuple(
        sum(c * u[i] for c, u in zip(row, IN_A_PLANE, strict=True))
        for row in THREE_ROUNDS
        for i in range(2)
    )
    return (0,) * len(moved), moved


def ways(asked: dict[str, str]) -> Iterable[tuple[int, ...]]:
    """The patterns that limits allow: epochs, or a separation and a largest number."""
    rounds = int(asked["rounds"])
    if "epochs" in asked:
        return fixed_epochs(rounds, int(asked["epochs"]))
    most = None if asked["most"] == "any" else int(asked["most"])
    return all_patterns(rounds, int(asked["min_sep"]), most)


def _contributions(person: Participation, rounds: int) -> tuple[int, ...]:
    signs = dict(zip(person.rounds, person.signs, strict=True))
    return tuple(signs.get(i, 0) for i in range(rounds))


def _claimed(value: str, found: float) -> float:
    """What was answered in float32 and kept to six digits:
    the exact number, if it agrees to those."""
    return found if f"{found:.6g}" == value else float(value)
