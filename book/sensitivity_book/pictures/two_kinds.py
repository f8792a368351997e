"""Two kinds of neighbours of one dataset: records more or less, and records changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting import ADDED, GRID, INK, PAPER, RELATION_LINES, REMOVED, styled_figure

Dataset = tuple[Any, ...]

Point = tuple[float, float]

THREE = (1, 2, 3)
COLOURS_OF_SIGNS = {"−": REMOVED, "+": ADDED}

# Where the picture has each dataset: the more records, the higher.
AROUND_THREE: dict[Dataset, Point] = {
    (1, 2, 3): (0, 1.5),
    (1, 2, 3, 4): (0, 3.15),
    (2, 3): (-1.7, 0),
    (1, 3): (0, 0),
    (1, 2): (1.7, 0),
    (2, 3, 4): (-2.8, 1.5),
    (1, 3, 4): (2.8, 1.95),
    (1, 2, 4): (2.8, 1.05),
}
LEVELS = ((2.7, "4 records"), (0.42, "3 records"), (-0.45, "2 records"))


def plot_two_kinds(moved: Iterable[Dataset], changed: Iterable[Dataset]) -> Figure:
    """Draw the datasets near (1, 2, 3) in {1, 2, 3, 4}, with lines to two kinds of neighbours.

    >>> from sensitivity_lab import AddRemove, Change, Universe
    >>> school = Universe.population([1, 2, 3, 4])
    >>> one, other = (set(near(1).neighbours(THREE, school)) for near in (AddRemove, Change))
    >>> [text.get_text() for text in plot_two_kinds(one, other).axes[0].texts[3:7]]
    ['− 3', '+ 4', '− 2', '− 1']
    """
    kinds = {"AddRemove": sorted(moved), "Change": sorted({*changed} - {THREE})}
    _check_placed(neighbour for near in kinds.values() for neighbour in near)
    with styled_figure(figsize=(5.4, 3.9)) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(-3.5, 3.5), ylim=(-0.5, 3.55))
        for bottom, label in LEVELS:
            axes.axhline(bottom, color=GRID, linewidth=1, zorder=0)
            axes.text(-3.5, bottom + 0.08, label, fontsize=12, va="bottom")
        for relation, near in kinds.items():
            for neighbour in near:
                _draw_step(axes, neighbour, relation)
        _draw_placed(axes)
    return figure


def _check_placed(neighbours: Iterable[Dataset]) -> None:
    strangers = [neighbour for neighbour in neighbours if neighbour not in AROUND_THREE]
    if strangers:
        raise ValueError(
            f"neighbours must be datasets near {THREE} in {{1, 2, 3, 4}}, got {strangers[0]}"
        )


def _what_happened(before: Dataset, after: Dataset) -> str:
    """The records that left and those that joined: "1 → 4", "− 1" or "+ 4"."""
    gone, come = (
        "".join(map(str, sorted((Counter(one) - Counter(other)).elements())))
        for one, other in ((before, after), (after, before))
    )
    if gone and come:
        return f"{gone} → {come}"
    return f"− {gone}" if gone else f"+ {come}"


def _draw_step(axes: Axes, neighbour: Dataset, relation: str) -> None:
    """A line from (1, 2, 3) to a neighbour, and what happened in the middle of it."""
    (x1, y1), (x2, y2) = AROUND_THREE[THREE], AROUND_THREE[neighbour]
    look: dict[str, Any] = {"color": INK, "linewidth": 2.2, "zorder": 1}
    axes.plot([x1, x2], [y1, y2], linestyle=RELATION_LINES[relation]["linestyle"], **look)
    words = _what_happened(THREE, neighbour)
    axes.text(
        x1 + 0.55 * (x2 - x1),
        y1 + 0.55 * (y2 - y1),
        words,
        color=COLOURS_OF_SIGNS.get(words[0], INK),
        ha="center",
        va="center",
        fontweight="bold",
        zorder=2,
        fontsize=13,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5},
    )


def _draw_placed(axes: Axes) -> None:
    """A box for each dataset; that of (1, 2, 3) is bold."""
    for dataset, place in AROUND_THREE.items():
        asked = dataset == THREE
        axes.text(
            *place,
            ", ".join(map(str, dataset)),
            ha="center",
            va="center",
            zorder=3,
            fontsize=13,
            fontweight="bold" if asked else "normal",
            bbox={
                "facecolor": PAPER,
                "edgecolor": INK,
                "boxstyle": "round,pad=0.4",
                "linewidth": 2.5 if asked else 1,
            },
        )
