"""Every field of the book by its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from sensitivity_book.answers.kinds import Answer

PAGES = """by_hand noise neighbours school vehicle closed_forms clipping tables people audits
published local_and_smooth norms"""


def fields(page: str) -> dict[str, Callable[[], Answer]]:
    """The functions of a page that return an answer and take nothing, each by its field's name."""
    found = vars(import_module(f"sensitivity_book.answers.{page}"))
    made = {f"{page}_{name}": one for name, one in found.items() if is_field(name, one)}
    return {name.replace("_", "-"): one for name, one in made.items()}


def is_field(name: str, one: object) -> bool:
    """Whether a module's name is a public function that says it returns an `Answer`."""
    return not name.startswith("_") and getattr(one, "__annotations__", {}) == {"return": "Answer"}


# Made when they are asked for: a check in the page computes one answer, not all of them.
ANSWERS = {name: make for page in PAGES.split() for name, make in fields(page).items()}
