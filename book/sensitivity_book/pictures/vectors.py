"""Clipped vectors: the set that they lie in, and how far one record moves their sum."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting.style import (
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
    """Draw a record that joins, and one that is replaced, in the disc of clipped vectors."""
    right, left = (radius, 0.0), (-radius, 0.0)
    with styled_figure(figsize=(WIDTH, 3.6)) as figure:
        joins, replaced = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, title in ((joins, "one joins"), (replaced, "one is replaced")):
            _draw_disc(axes, radius)
            axes.set(title=title, aspect="equal", xticks=[-radius, 0, radius])
            axes.set_yticks([-radius, 0, radius])
        _draw_record(joins, right, "added")
        _draw_move(joins, (0.0, 0.0), right, f"moves by {radius:g}")
        _draw_record(replaced, left, "removed")
        _draw_record(replaced, right, "added")
        _draw_move(replaced, left, right, f"moves by {2 * radius:g}")
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


def plot_telling(curves: Sequence[tuple[str, Sequence[int], Sequence[float]]]) -> Figure:
    """Draw how often two datasets are told apart, against the number of parameters of a model."""
    dashes = ["-", (0, (5, 1.5)), (0, (1, 1.2))]
    with styled_figure(figsize=(WIDTH, 3.3)) as figure:
        axes = figure.subplots()
        for (label, dimensions, chances), dash in zip(curves, dashes, strict=False):
            axes.plot(dimensions, chances, color=INK, linestyle=dash, linewidth=2.4, label=label)
        axes.axhline(0.5, color=GREY, linewidth=1)
        axes.set(xscale="log", xlabel="parameters of the model", ylabel="told apart")
        axes.set(ylim=(0.45, 1.03), yticks=[0.5, 0.75, 1])
        axes.set_yticklabels(["50 %", "75 %", "100 %"])
        axes.grid(axis="y")
        figure.legend(loc="outside lower center", ncols=3)
    return figure
