"""Every field of the book by its name."""

from __future__ import annotations

from collections.abc import Callable

from sensitivity_book.answers import (
    audits,
    by_hand,
    clipped_vectors,
    clipping,
    closed_forms,
    local_and_smooth,
    neighbours,
    noise,
    norms,
    people,
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
    local_and_smooth,
    norms,
    clipped_vectors,
)

# Made when they are asked for: a check in the page computes one answer, not all of them.
ANSWERS: dict[str, Callable[[], Answer]] = {
    name: make for page in PAGES for name, make in page.ANSWERS.items()
}
