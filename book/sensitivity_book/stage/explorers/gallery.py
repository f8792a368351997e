"""The gallery: every explorer of the book."""

from __future__ import annotations

from sensitivity_book.data.scenarios import UNITS, Scenario, school_large, vehicle
from sensitivity_book.stage.explorers.curves import curves_explorer
from sensitivity_book.stage.explorers.derivative import derivative_explorer
from sensitivity_book.stage.explorers.explorer import Explorer
from sensitivity_book.stage.explorers.formula import formula_explorer
from sensitivity_book.stage.explorers.people import people_explorer
from sensitivity_book.stage.explorers.published import published_explorer
from sensitivity_book.stage.explorers.statements import statement_explorer


def explorers() -> dict[str, Explorer]:
    """Return every explorer of the book, by name."""
    made = [
        *map(_curves, (school_large(), vehicle())),
        formula_explorer(),
        derivative_explorer(),
        people_explorer(),
        statement_explorer(),
        published_explorer(),
    ]
    return {explorer.name: explorer for explorer in made}


def _curves(scenario: Scenario) -> Explorer:
    """The explorer of an experiment's curves, and the numbers that were published."""
    columns, size, ks = scenario.columns, scenario.size, scenario.distances
    published = scenario.published_for(columns, size, ks)
    return curves_explorer(columns, size=size, ks=ks, published=published, units=UNITS)
