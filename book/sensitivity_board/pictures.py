"""What became of claims: verdicts on an axis of ratios, tables of cases,
and how far others reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pandas.io.formats.style import Styler

from sensitivity_board.case import Case
from sensitivity_lab.plotting import (
    COLOURS,
    EXACT,
    GRID,
    INK,
    LOOSE,
    PALE,
    TOO_SMALL,
    WIDTH,
    styled_figure,
)

LOOKS = {"too small": ("X", TOO_SMALL), "exact": ("o", EXACT), "loose": ("^", LOOSE)}
MARKERS = "os^DvPXp<>"  # by which libraries are told apart on grey paper, too
LEFT, RIGHT = 1 / 1200, 12  # where the ratios 0 and ∞ are drawn
HEIGHTS = {"loose": -0.2, "exact": 0, "too small": 0.2}  # within a lane
COUNTS = {"loose": (0, 11), "exact": (14, 0), "too small": (0, -12)}  # points from the mark


def _ratio_axis(
    panel: Axes,
    ticks: Mapping[float, str],
    lanes: Iterable[str],
    label: str = "claimed / exact",
    top: float = -0.5,
) -> None:
    """A logarithmic axis of ratios across, and a named lane for each entry, downwards."""
    names = list(lanes)
    panel.set_xscale("log")
    panel.set_xticks(list(ticks), list(ticks.values()))
    panel.minorticks_off()
    panel.set_yticks(range(len(names)), names)
    panel.set(xlabel=label, ylim=(len(names) - 0.5, top))


def plot_lanes(lanes: Mapping[str, Sequence[Case]]) -> Figure:
    """Draw cases as marks at claimed / exact, in lanes; of equal marks one, with their number.

    >>> from sensitivity_lab import AuditRow
    >>> rows = (AuditRow("Change", 1, 5, claimed=4, found=2),)
    >>> twice = [Case("a library", "1.0", name, "none", rows) for name in ("sum", "mean")]
    >>> [text.get_text() for text in plot_lanes({"a library": twice}).axes[0].texts]
    ['2']

    Ratios of 0 and ∞ stand at the ends of the axis.
    """
    ticks = {LEFT: "0", 1 / 255: "1/255", 1 / 20: "1/20", 1 / 6: "1/6", 1 / 2: "1/2", 1: "1"}
    with styled_figure(figsize=(WIDTH, 2 + 0.55 * len(lanes))) as figure:
        panel = figure.subplots()
        panel.axvline(1, color=PALE, zorder=0)
        handles: dict[str, Line2D] = {}
        for lane, cases in enumerate(lanes.values()):
            handles |= _draw_lane(panel, lane, cases)
            if lane:
                panel.axhline(lane - 0.5, color=GRID, linewidth=0.8, zorder=0)
        _ratio_axis(panel, {**ticks, 2: "2", RIGHT: "∞"}, lanes)
        panel.set_xlim(LEFT / 1.6, RIGHT * 1.6)
        shown = [verdict for verdict in LOOKS if verdict in handles]
        figure.legend([handles[v] for v in shown], shown, loc="outside upper center", ncols=3)
    return figure


def _draw_lane(panel: Axes, lane: int, cases: Sequence[Case]) -> dict[str, Line2D]:
    """The marks of one lane, verdict by verdict a little apart; the last mark of each verdict."""
    handles = {}
    marks: dict[tuple[str, int], list[float]] = {}
    for case in cases:
        x = min(max(float(f"{float(case.row.ratio):.2g}"), LEFT), RIGHT)
        marks.setdefault((case.verdict, round(6 * math.log(x))), []).append(x)
    for (verdict, _), places in marks.items():
        marker, colour = LOOKS[verdict]
        x, y = max(places, key=lambda x: abs(math.log(x))), lane + HEIGHTS[verdict]
        (handles[verdict],) = panel.plot(x, y, marker, color=colour, markersize=8, linestyle="none")
        if len(places) > 1:
            _count(panel, len(places), (x, y), COUNTS[verdict])
    return handles


def _count(panel: Axes, count: int, mark: tuple[float, float], beside: tuple[int, int]) -> None:
    """How many cases a mark stands for, so many points beside it."""
    middle: Any = {"ha": "center", "va": "center", "textcoords": "offset points"}
    panel.annotate(f"{count}", mark, beside, fontsize=12, **middle)


def listed(table: pd.DataFrame, name: str, digits: int = 6) -> Styler:
    """Return a table of cases without its row numbers, the setting beside the function.

    >>> row = {"function": "sum", "setting": "bounds (0, 2)", "claimed": 4.0}
    >>> "sum: bounds (0, 2)" in listed(pd.DataFrame([row]), "one").to_html()
    True

    `name` is what the HTML calls the table; numbers have so many digits.
    """
    shown = table.copy()
    settings = shown.pop("setting").replace("none", "")
    shown["function"] += [f": {setting}" if setting else "" for setting in settings]
    numbers = shown.columns.intersection(["claimed", "exact", "ratio"])

    def written(value: Any) -> str:
        return f"{float(value):.{digits}g}"

    style = Styler(shown, uuid=name, cell_ids=False).hide()
    return style.format(written, subset=numbers)


# --- how far other people's pairs of datasets reach, beside the exact sensitivity ----------------

NOTHING = 1 / 10  # where a ratio of 0 is drawn
REACHED = {"falls short": ("v", INK), "attains it": ("o", EXACT), "goes beyond": ("^", INK)}


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
        for verdict, (marker, colour) in REACHED.items():
            panel.plot([], [], marker, color=colour, markersize=8, label=verdict)
        ticks = {NOTHING: "0", 0.2: "1/5", 0.5: "1/2", 1: "1", 2: "2", 5: "5"}
        _ratio_axis(panel, ticks, groups, "reached by the pair / exact", -0.6)
        panel.set_xlim(NOTHING / 1.3, 5 * 1.5)
        figure.legend(loc="outside upper center", ncols=3, handlelength=1)
    return figure


def _mark(panel: Axes, ratio: float, lane: int, count: int) -> None:
    """One mark and how many pairs it stands for; one that falls short is a little lower."""
    verdict = "attains it" if ratio == 1 else "falls short" if ratio < 1 else "goes beyond"
    marker, colour = REACHED[verdict]
    short = verdict == "falls short"
    x, y = max(ratio, NOTHING), lane + 0.18 * short
    panel.plot(x, y, marker, color=colour, markersize=8)
    _count(panel, count, (x, y), (0, -12) if short else (16, 0))


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
        _ratio_axis(panel, ticks, queries, "sampled number / exact sensitivity", -0.6)
        figure.legend(loc="outside upper center", ncols=3, handlelength=1)
    return figure
