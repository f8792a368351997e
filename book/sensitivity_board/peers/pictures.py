"""How far other people's pairs of datasets reach, beside the exact sensitivity."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting.style import (
    COLOURS,
    EXACT,
    GRID,
    INK,
    MARKERS,
    PALE,
    WIDTH,
    styled_figure,
)

NOTHING = 1 / 10  # where a ratio of 0 is drawn
LOOKS = {"falls short": ("v", INK), "attains it": ("o", EXACT), "goes beyond": ("^", INK)}


def plot_reached(ratios: pd.DataFrame) -> Figure:
    """Draw what each pair reaches, over the exact value, a row a group; of equal ones one mark."""
    groups = list(ratios["group"].unique())
    with styled_figure(figsize=(WIDTH, 1.6 + 0.5 * len(groups))) as figure:
        panel = figure.subplots()
        panel.axvline(1, color=PALE, zorder=0)
        for lane, group in enumerate(groups):
            marks = ratios.loc[ratios["group"] == group, "ratio"].value_counts(sort=False)
            for ratio, count in marks.items():
                _mark(panel, float(str(ratio)), lane, int(count))
        for verdict, (marker, colour) in LOOKS.items():
            panel.plot([], [], marker, color=colour, markersize=8, label=verdict)
        ticks = {NOTHING: "0", 0.2: "1/5", 0.5: "1/2", 1: "1", 2: "2", 5: "5"}
        _lanes(panel, groups, ticks, "reached by the pair / exact")
        panel.set_xlim(NOTHING / 1.3, 5 * 1.5)
        figure.legend(loc="outside upper center", ncols=3, handlelength=1)
    return figure


def _mark(panel: Axes, ratio: float, lane: int, count: int) -> None:
    """One mark and how many pairs it stands for; one that falls short is a little lower."""
    verdict = "attains it" if ratio == 1 else "falls short" if ratio < 1 else "goes beyond"
    marker, colour = LOOKS[verdict]
    short = verdict == "falls short"
    x, y = max(ratio, NOTHING), lane + 0.18 * short
    panel.plot(x, y, marker, color=colour, markersize=8)
    panel.annotate(
        f"{count}",
        (x, y),
        (0, -12) if short else (16, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=12,
    )


def plot_sampled(table: pd.DataFrame) -> Figure:
    """Draw what a sampler finds over the exact value: a row a query, a line a population."""
    queries, populations = (list(table[name].unique()) for name in ("query", "population"))
    with styled_figure(figsize=(WIDTH, 1.6 + 0.52 * len(queries))) as figure:
        panel = figure.subplots()
        panel.axvline(1, color=EXACT, linewidth=1.6, zorder=0)
        for i, (population, colour, marker) in enumerate(
            zip(populations, COLOURS, MARKERS, strict=False)
        ):
            drawn = table[table["population"] == population]
            for lane, query in enumerate(queries):
                ratios = drawn.loc[drawn["query"] == query, "ratio"]
                at = lane + 0.24 * (i - (len(populations) - 1) / 2)
                ends = [float(ratios.min()), float(ratios.max())]
                panel.plot(ends, [at, at], color=colour, linewidth=1.6)
                panel.plot([float(ratios.median())], [at], marker, color=colour, markersize=6)
            panel.plot([], [], marker, color=colour, label=population)
        for lane in range(1, len(queries)):
            panel.axhline(lane - 0.5, color=GRID, linewidth=0.8, zorder=0)
        ticks = {0.02: "1/50", 0.1: "1/10", 0.2: "1/5", 0.5: "1/2", 1: "1"}
        _lanes(panel, queries, ticks, "sampled number / exact sensitivity")
        figure.legend(loc="outside upper center", ncols=3, handlelength=1)
    return figure


def _lanes(panel: Axes, names: list[str], ticks: dict[float, str], label: str) -> None:
    """A logarithmic axis across, and a named lane for each entry, downwards."""
    panel.set_xscale("log")
    panel.set_xticks(list(ticks), list(ticks.values()))
    panel.minorticks_off()
    panel.set_yticks(range(len(names)), names)
    panel.set(xlabel=label, ylim=(len(names) - 0.5, -0.6))
