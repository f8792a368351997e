"""The gallery: every explorer of the book."""

from __future__ import annotations

from sensitivity_book.data.scenarios import school_large, vehicle
from sensitivity_book.stage.explorers.derivative import derivative_explorer
from sensitivity_book.stage.explorers.explorer import Explorer
from sensitivity_book.stage.explorers.formula import formula_explorer
from sensitivity_book.stage.explorers.people import people_explorer
from sensitivity_book.stage.explorers.published import published_explorer
from sensitivity_book.stage.explorers.statements import statement_explorer
from sensitivity_book.stage.explorers.witness import witness_explorer


def explorers() -> dict[str, Explorer]:
    """Return every explorer of the book, by name."""
    made = [
        witness_explorer(school_large().universes, size=6, start="absence_days"),
        witness_explorer(vehicle().universes, size=4, start="driving_proficiency"),
        formula_explorer(),
        derivative_explorer(),
        people_explorer(),
        statement_explorer(),
        published_explorer(),
    ]
    return {explorer.name: explorer for explorer in made}
