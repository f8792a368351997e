"""Draw the pictures that pages show as files:
`python scripts/cover.py` writes them to book/_static."""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from sensitivity_book.data import scenarios

import sensitivity_lab as sl

STATIC = Path(__file__).parents[1] / "book" / "_static"


def cover() -> Figure:
    """The witness of the mean: six pupils, one of them swapped for another."""
    absences = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    return sl.plot_witness(sl.global_sensitivity(sl.MEAN, absences, size=6, relation=sl.Change(1)))


def school() -> Figure:
    """The days of absence of the school, small."""
    return _small(scenarios.school_large(), "absence_days")


def vehicle() -> Figure:
    """The driving proficiency of the vehicle, small."""
    return _small(scenarios.vehicle(), "driving_proficiency")


def _small(scenario: scenarios.Scenario, column: str) -> Figure:
    """The curves of an experiment, and the published numbers, without a word."""
    universe = {column: scenario.universes[column]}
    table = sl.sweep(scenarios.QUERIES, universe, size=scenario.size, relations=scenario.relations)
    figure = sl.plot_sweep(table, beside=scenario.published)
    figure.set_size_inches(5, 2.4)
    for part in figure.subfigs or [figure]:
        part.suptitle("")
        part.supxlabel("")
        part.supylabel("")
    for legend in figure.legends:
        legend.remove()
    for panel in figure.axes:
        panel.set(xticklabels=[], yticklabels=[], xlabel="", ylabel="")
        panel.set_title("", loc="left")
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {"cover": cover, "school": school, "vehicle": vehicle}


def draw(name: str, path: Path) -> None:
    """Draw one of them, the same on every day."""
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        PICTURES[name]().savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    for name in PICTURES:
        draw(name, STATIC / f"{name}.svg")
    cover().savefig(STATIC / "cover.png", dpi=200, metadata={"Software": None})  # for sharing
