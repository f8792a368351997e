"""Clipped vectors: the set that they lie in, and how far one record moves their sum."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting import (
    ADDED,
    BAND,
    EXACT,
    GREY,
    INK,
    KINDS,
    REMOVED,
    WIDTH,
    styled_figure,
)

Vector = tuple[float, float]


def plot_two_neighbours(radius: float) -> Figure:
    """Draw a record that joins, and one that changes, in the disc of clipped vectors."""
    right, left = (radius, 0.0), (-radius, 0.0)
    with styled_figure(figsize=(WIDTH, 3.6)) as figure:
        joins, changes = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, title in ((joins, "one joins"), (changes, "one changes")):
            _draw_disc(axes, radius)
            axes.set(title=title, aspect="equal", xticks=[-radius, 0, radius])
            axes.set_yticks([-radius, 0, radius])
        _draw_record(joins, right, "added")
        _draw_move(joins, (0.0, 0.0), right, f"moves by {radius:g}")
        _draw_record(changes, left, "removed")
        _draw_record(changes, right, "added")
        _draw_move(changes, left, right, f"moves by {2 * radius:g}")
        _draw_keys(figure)
    return figure


def _draw_disc(axes: Axes, radius: float) -> None:
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.fill(radius * np.cos(turn), radius * np.sin(turn), color=BAND, zorder=0)
    axes.plot(radius * np.cos(turn), radius * np.sin(turn), color=GREY, linewidth=1, zorder=1)
    axes.plot(0, 0, "+", color=INK, markersize=9, zorder=2)
    axes.set(xlim=(-1.25 * radius, 1.25 * radius), ylim=(-1.25 * radius, 1.25 * radius))


def _draw_record(axes: Axes, vector: Vector, kind: str) -> None:
    """A vector as an arrow from 0, with the mark of its kind at its end."""
    colour = ADDED if kind == "added" else REMOVED
    axes.annotate(
        "", vector, (0, 0), arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 2.5}
    )
    look = KINDS[kind] | {"markersize": 13 * KINDS[kind]["markersize"], "linestyle": "none"}
    axes.plot(*vector, **look, zorder=4, clip_on=False)


def _draw_move(axes: Axes, start: Vector, end: Vector, text: str) -> None:
    """A double arrow below the axis, as long as the move, with its length."""
    low = -0.32 * math.dist((0, 0), end)
    arrow = {"arrowstyle": "<->", "color": EXACT, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (end[0], low), (start[0], low), arrowprops=arrow)
    axes.text(0, 1.75 * low, text, color=EXACT, ha="center", va="center", fontsize=12)


def _draw_keys(figure: Figure) -> None:
    axes = figure.axes[0]
    handles = [
        axes.plot([], [], **(KINDS[kind] | {"markersize": 10, "linestyle": "none"}), label=label)[0]
        for kind, label in (("removed", "the vector that goes"), ("added", "the vector that comes"))
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
