"""Where running sums of floats come to a standstill."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting import COLOURS, INK, PAPER, WIDTH, styled_figure


def plot_stalls(sums: Mapping[float, np.ndarray]) -> Figure:
    """Draw running sums of equal records in `float16`, beside the spacing of its numbers.

    >>> ones = np.add.accumulate(np.ones(4000, np.float16))
    >>> figure = plot_stalls({1: ones})
    >>> figure.axes[0].lines[0].get_xydata().tolist()  # the spacing is twice the record
    [[2048.0, 2.0]]
    """
    with styled_figure(figsize=(WIDTH, 3.6)) as figure:
        steps, climbs = figure.subplots(1, 2)
        ends = 2.0 ** np.arange(7, 14)
        spacing = np.spacing(ends[:-1].astype(np.float16))
        steps.stairs(spacing, ends, baseline=None, color=INK, linewidth=1.5)
        for (record, climb), colour, marker in zip(
            sums.items(), COLOURS[: len(sums)], "os^"[: len(sums)], strict=True
        ):
            _draw_stall(steps, climbs, record, climb, {"color": colour, "marker": marker})
        _set_axes(steps, climbs)
    return figure


def _draw_stall(
    steps: Axes, climbs: Axes, record: float, sums: np.ndarray, look: dict[str, Any]
) -> None:
    """A mark where the spacing is twice the record; the running sum, and the true one dashed."""
    n = np.arange(1, len(sums) + 1)
    stall, colour = sums[-1].astype(float), look["color"]
    name = str(Fraction(record))
    steps.plot(stall, 2 * record, look["marker"], color=colour, markersize=9)
    climbs.plot(n, record * n, "--", color=colour, linewidth=1)
    marked = [int(stall / record) - 1, len(sums) - 1]
    climbs.plot(n, sums, linewidth=2.5, markersize=7, markevery=marked, **look)
    steps.annotate(
        name, (stall, 2 * record), (-9, 3), textcoords="offset points", ha="right", color=colour
    )
    climbs.annotate(
        f"records of {name}",
        (len(sums), stall),
        (4, -6),
        textcoords="offset points",
        ha="right",
        va="top",
        color=colour,
        fontsize=12,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5},
    )


def _set_axes(steps: Axes, climbs: Axes) -> None:
    steps.set_xscale("log", base=2)
    steps.set_yscale("log", base=2)
    steps.set_xticks([128, 512, 2048, 8192], ["128", "512", "2,048", "8,192"])
    steps.set_yticks([0.125, 0.25, 0.5, 1, 2, 4], ["1/8", "1/4", "1/2", "1", "2", "4"])
    steps.set(xlabel="size of the number", ylabel="spacing")
    climbs.set(xlabel="records added", ylabel="running sum", ylim=(0, 2900))
    climbs.set_xticks([0, 2000, 4000], ["0", "2,000", "4,000"])
    climbs.yaxis.set_major_formatter("{x:,.0f}")
