"""Draw the pictures that pages show as files:
`python scripts/cover.py` writes them to book/_static."""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from sensitivity_book.data import scenarios

import sensitivity_lab as sl
from sensitivity_lab.plotting import NARROW_FORMS

STATIC = Path(__file__).parents[1] / "book" / "_static"


def cover() -> Figure:
    """The witness of the mean: six pupils, one of them swapped for another."""
    absences = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    return sl.plot_witness(sl.global_sensitivity(sl.MEAN, absences, size=6, relation=sl.Change(1)))


def school() -> Figure:
    """The days of absence of the school, small."""
    return _small(scenarios.school_large(), "days of absence")


def vehicle() -> Figure:
    """The driving proficiency of the vehicle, small."""
    return _small(scenarios.vehicle(), "driving proficiency")


def _small(scenario: scenarios.Scenario, column: str) -> Figure:
    """The curves of an experiment with closed forms and published numbers, as a phone has them."""
    columns, size, ks = scenario.columns, scenario.size, scenario.distances
    asked = {column: columns[column]}
    table = sl.compare(scenarios.QUERIES, asked, size=size, relations=scenario.relations)
    table.attrs["units"] = scenarios.UNITS
    published = scenario.published_for(columns, size, ks)
    draw = NARROW_FORMS[sl.plot_sweep(table, formulas=True, beside=published)]
    assert draw is not None
    return draw()


PICTURES: dict[str, Callable[[], Figure]] = {"cover": cover, "school": school, "vehicle": vehicle}


def draw(name: str, path: Path) -> None:
    """Draw one of them, the same on every day."""
    text = "path" if name == "cover" else "none"  # what stands in a page has the page's letters
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": text}):
        PICTURES[name]().savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    for name in PICTURES:
        draw(name, STATIC / f"{name}.svg")
    cover().savefig(STATIC / "cover.png", dpi=200, metadata={"Software": None})  # for sharing
