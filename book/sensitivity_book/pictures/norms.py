"""Vectors of counts: where the moves of a histogram lie, and a tree of counts."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting import COLOURS, INK, PALE, PAPER, WIDTH, styled_figure

Node = tuple[int, int]


def plot_moves(panels: Mapping[str, Collection[tuple[int, int]]]) -> Figure:
    """Draw moves of two counts as dots, with the smallest L1 and L2 ball that hold them.

    >>> figure = plot_moves({"one changed": {(0, 0), (1, -1), (-1, 1)}})
    >>> figure.axes[0].get_xlabel()
    'L1 2, L2 1.414'
    """
    with styled_figure(figsize=(WIDTH, 3.5)) as figure:
        grid = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
        for axes, (title, moves) in zip(grid, panels.items(), strict=True):
            _draw_moves(axes, np.array(sorted(moves)))
            axes.set(title=title, aspect="equal", xticks=range(-2, 3), yticks=range(-2, 3))
            axes.grid()
        figure.supylabel("second bin moves by")
        figure.supxlabel("first bin moves by")
        handles, labels = grid[-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def _draw_moves(axes: Axes, dots: np.ndarray) -> None:
    """The two balls, the dots, and the two radii below."""
    turn = np.linspace(0, 2 * np.pi, 200)
    l1 = np.abs(dots).sum(axis=1).max()
    l2 = np.sqrt((dots**2).sum(axis=1).max())
    corners = l1 * np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]])
    axes.plot(*corners.T, "--", color=COLOURS[0], label="L1 ball")
    axes.plot(l2 * np.cos(turn), l2 * np.sin(turn), color=COLOURS[1], label="L2 ball")
    axes.plot(*dots.T, "o", color=INK, markersize=7, label="a move")
    axes.set_xlabel(f"L1 {l1}, L2 {l2:.4g}")


def plot_tree(path: Collection[Node], ringed: Collection[Node]) -> Figure:
    """Draw the tree of counts over eight days: nodes on a path filled, others ringed.

    >>> figure = plot_tree({(3, 1), (2, 2), (0, 4), (0, 8)}, {(1, 1), (2, 2)})
    >>> sum(line.get_marker() == "s" for line in figure.axes[0].lines)  # and one for the key
    3
    """
    with styled_figure(figsize=(WIDTH, 3.4)) as figure:
        axes = figure.subplots()
        for width in (8, 4, 2, 1):
            for first in range(0, 8, width):
                _draw_node(axes, (first, width), (first, width) in path, (first, width) in ringed)
        _draw_keys(axes)
        axes.set(xlabel="day", xticks=range(8), ylim=(-0.5, 3.4), yticks=range(4))
        axes.set_yticklabels(["leaves", "pairs", "fours", "root"])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def _draw_node(axes: Axes, node: Node, filled: bool, ringed: bool) -> None:
    """A node on its level, in the middle of its leaves, with lines to its two children."""
    first, width = node
    x, y = first + width / 2 - 0.5, math.log2(width)
    if width > 1:
        for child in (first, first + width // 2):
            axes.plot([x, child + width / 4 - 0.5], [y, y - 1], color=PALE, zorder=0)
    colour = COLOURS[0] if filled else PAPER
    axes.plot(x, y, "o", markersize=13, color=colour, markeredgecolor=INK)
    if ringed:
        axes.plot(x, y, "s", markersize=24, fillstyle="none", color=COLOURS[1], markeredgewidth=2.5)


def _draw_keys(axes: Axes) -> None:
    axes.plot(
        [], [], "o", color=COLOURS[0], markeredgecolor=INK, markersize=12, label="counts day 3"
    )
    axes.plot(
        [],
        [],
        "s",
        color=COLOURS[1],
        fillstyle="none",
        markeredgewidth=2.5,
        markersize=14,
        label="make up days 1 to 6",
    )
