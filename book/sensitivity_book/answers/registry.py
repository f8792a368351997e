"""Every field of the book by its name."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from sensitivity_book.answers import (
    audits,
    by_hand,
    clipping,
    closed_forms,
    local_and_smooth,
    neighbours,
    noise,
    norms,
    people,
    published,
    school,
    tables,
    vehicle,
)
from sensitivity_book.answers.kinds import Answer

PAGES = (
    by_hand,
    noise,
    neighbours,
    school,
    vehicle,
    closed_forms,
    clipping,
    tables,
    people,
    audits,
    published,
    local_and_smooth,
    norms,
)


def fields(page: ModuleType) -> dict[str, Callable[[], Answer]]:
    """The functions of a page that return an answer and take nothing,
    each by the name of its field."""
    prefix = page.__name__.rpartition(".")[2]
    made = {f"{prefix}_{name}": one for name, one in vars(page).items() if is_field(name, one)}
    return {name.replace("_", "-"): one for name, one in made.items()}


def is_field(name: str, one: object) -> bool:
    """Whether a name of a module is a public function that says it returns an `Answer`,
    and takes nothing."""
    return not name.startswith("_") and getattr(one, "__annotations__", {}) == {"return": "Answer"}


# Made when they are asked for: a check in the page computes one answer, not all of them.
ANSWERS = {name: make for page in PAGES for name, make in fields(page).items()}
