"""Where a claim is made, in the library's own words;
why one that is not exact parts from the exact number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from sensitivity_board.case import Case

OTHER = "exact under the other relation"  # the library names neither of the two
PROJECTS = {
    "OpenDP Polars": "OpenDP",
    "Tumult Analytics": "Tumult",
}  # asked as libraries of their own
CAUSES = [
    "formula or map", "arithmetic", "stress of arithmetic", "NaN", "relation not promised",
    "accountant's unit", "weights", "documentation",
]  # fmt: skip
ONE_FLOAT_APART, LARGE = ("next float", "side by side"), f"{2**62:,}"
HAIR = 1e-4  # a ratio as near to 1 as that is made by a setting that strains the arithmetic


@dataclass(frozen=True)
class Place:
    """Lines of a library, found there and in the release that was asked, or in its source.

    Their words give the claim, with what `names` says; without words a run of these lines gave it.
    """

    words: str
    names: dict[str, str]
    file: str
    lines: str
    at: str
    url: str


def place(case: Case) -> Place | None:
    """Return where a claim is made, by the function and by what was asked of it;
    None for a case of no library."""
    told = _first("places", case)
    return Place(*(told[name] for name in Place.__dataclass_fields__)) if told else None


def asked_with(case: Case) -> str:
    """Return what has to be switched on in the library before it can be asked; nothing for most."""
    words: str = _first("asked with", case).get("words", "")
    return words


def newer(case: Case) -> str:
    """Return what is known of a version that is newer than the one that was asked."""
    words: str = _first("newer", case).get("words", "")
    return words


def projects(cases: Iterable[Case]) -> set[str]:
    """Return the projects whose libraries were asked: those of one project are one."""
    return {PROJECTS.get(case.library, case.library) for case in cases}


def standing(case: Case) -> str:
    """Return the verdict, or that the claim is exact under the other relation and
    the library names none.

    A certificate has the verdict that its numbers say. This is what they say of the library: a
    claim is no broken promise under a relation that nobody promised.
    """
    return (
        OTHER if case.note.startswith("The claim is exact for the other relation") else case.verdict
    )


def cause(case: Case) -> str:
    """Return why a claim parts from the exact number, one of `CAUSES`; of an exact one, nothing.

    It is read from what a case knows already. Relation, unit, weights, NaN and documentation are
    named by the function, the setting or the note. Of what is left, settings of floats, ints and
    types are arithmetic if the claim is too small, or loose by an allowance for rounding. They are
    stress if the bounds are one float apart, an int comes near the end of 64 bits, or a claim is
    too small by less than a ten-thousandth. All else is the formula or the map.
    """
    ratio = float(case.row.ratio)
    named = {
        "relation not promised": standing(case) == OTHER,
        "NaN": case.function.startswith("nan"),
        "weights": "weights" in case.setting,
        "documentation": case.function.endswith("by its docstring"),
        "accountant's unit": case.library == "dp-accounting" and ratio < 1,
        "stress of arithmetic": _of_types(case) and _strained(case, ratio),
        "arithmetic": _of_types(case) and ratio < 1 + HAIR,
    }
    if case.verdict == "exact":
        return ""
    return next((name for name, holds in named.items() if holds), "formula or map")


def _of_types(case: Case) -> bool:
    typed = re.search(r"^(\d+ )?(floats|ints|dtype)\b|; dtype", case.setting)
    return bool(typed or re.search(r" of b?float\d", case.function))


def _strained(case: Case, ratio: float) -> bool:
    edge = any(words in case.setting for words in (*ONE_FLOAT_APART, LARGE))
    return edge or 1 - HAIR < ratio < 1


def _first(kind: str, case: Case) -> dict[str, Any]:
    """The first entry of a case's library for its function, or for all, that fits its name."""
    for one in _stored()[kind]:
        functions = one["functions"] or [case.function]
        of_it = one["library"] == case.library and case.function in functions
        if of_it and re.search(one.get("named", ""), case.name):
            return dict(one)
    return {}


@cache
def _stored() -> dict[str, list[dict[str, Any]]]:
    file = resources.files("sensitivity_board") / "data" / "claimed.json"
    found: dict[str, list[dict[str, Any]]] = json.loads(file.read_text("utf-8"))
    return found
