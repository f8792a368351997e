"""Pictures: tables as curves, a witness as two rows of dots. One style for all."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle
from statistics import median_low
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sensitivity_lab.exact import exact_number, is_one_of
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import (
    Add,
    AddRemove,
    Change,
    Relation,
    Remove,
    SymmetricDifference,
)
from sensitivity_lab.results import Sensitivity

INK, PALE = "#222222", "#b0b0b0"
ADDED, REMOVED = "#0072b2", "#d55e00"

# Told apart by a colour-blind reader and on white paper; 7 colours and 10 markers share no
# factor, so 70 queries pass before a pair of colour and marker comes back.
COLOURS = ["#0072b2", "#d55e00", "#5e4fa2", "#009e73", "#a03060", "#b87800", "#707070"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "p", "<", ">"]

WIDTH = 6.4  # inches: 460 points, so that 12-point text is 9 pixels high on a 340-pixel phone

# Every figure of the book is drawn inside `plt.rc_context(STYLE)`, most by `styled_figure`.
STYLE: dict[Any, Any] = {
    "figure.figsize": (WIDTH, 4.0),
    "figure.facecolor": "white",  # opaque: the figure is a white card on a dark page
    "figure.constrained_layout.use": True,
    "figure.titlesize": 13,
    "figure.labelsize": 13,
    "font.size": 13,
    "axes.titlesize": 13,
    "axes.labelsize": 13,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "grid.color": "#e0e0e0",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "legend.fontsize": 12,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: small files, and a reader can select it
    "svg.hashsalt": "sensitivity-lab",  # the same figure is the same file, byte for byte
}

SWEPT = ["column", "query", "relation", "k", "sensitivity"]

FAMILIES = {
    family.__name__: family for family in (Add, Remove, AddRemove, SymmetricDifference, Change)
}

# Each relation is drawn thinner and hollower than the one before it, so that where two curves
# agree both are seen: a dark dashed line inside a broad coloured one.
LINES: list[dict[str, Any]] = [
    {"linestyle": "-", "linewidth": 3.6, "markersize": 10},
    {
        "linestyle": "--",
        "linewidth": 1.5,
        "markersize": 6,
        "color": INK,
        "markerfacecolor": "white",
    },
    {"linestyle": ":", "linewidth": 1.5, "markersize": 4, "color": INK},
    {
        "linestyle": "-.",
        "linewidth": 1.0,
        "markersize": 3,
        "color": INK,
        "markerfacecolor": "white",
    },
    {"linestyle": "-", "linewidth": 0.8, "markersize": 2, "color": INK},
]


def inline_svg() -> None:
    """Make a notebook show figures as SVG that is the same, byte for byte, on every run.

    >>> inline_svg()  # call it in a notebook's first cell; elsewhere it does nothing

    A notebook draws a figure after the cell has ended, so this is the one place where
    settings outlive a call: `svg.fonttype` and `svg.hashsalt` stay as `STYLE` has them.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    from matplotlib_inline import backend_inline  # only notebooks have it

    plt.rcParams.update({key: STYLE[key] for key in ("svg.fonttype", "svg.hashsalt")})
    backend_inline.set_matplotlib_formats("svg", metadata={"Date": None})  # type: ignore[no-untyped-call]


@contextmanager
def styled_figure(**options: Any) -> Iterator[Figure]:
    """Give a new figure in `STYLE`; when the block ends it is closed, so it is shown once.

    >>> with styled_figure(figsize=(WIDTH, 2)) as figure:
    ...     line = figure.subplots().plot([1, 2, 3])

    A notebook shows every figure that is left open at the end of a cell, and then the figure
    that is the cell's value: closed, it is shown only as the value.
    """
    with plt.rc_context(STYLE):
        figure = plt.figure(**options)
        try:
            yield figure
        finally:
            plt.close(figure)


def number_text(value: Any) -> str:
    """Write a number shortly: a fraction as it is, unless it is long; else six digits.

    >>> number_text(4), number_text(Fraction(19, 6)), number_text((1, 2**0.5))
    ('4', '19/6', '(1, 1.41421)')
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(number_text, value))})"
    if isinstance(value, Fraction) and len(str(value)) <= 9:
        return str(value)
    exact = exact_number(value)
    return f"{exact:,}" if isinstance(exact, int) else f"{float(exact):.6g}"


def equals_text(value: Any) -> str:
    """Say what a number equals: exactly, and to six digits.

    >>> equals_text(4), equals_text(Fraction(19, 6)), equals_text(2**0.5)
    ('= 4', '= 19/6 ≈ 3.16667', '≈ 1.41421')
    """
    exact, short = exact_number(value), number_text(value)
    if isinstance(exact, int):
        return f"= {short}"
    rounded = f"{float(exact):.6g}"
    nearly = f"{'=' if Fraction(rounded) == exact else '≈'} {rounded}"
    return nearly if short == rounded else f"= {short} {nearly}"


def heading(query: Query, relation: Relation) -> str:
    """Write what was asked as a title, on two lines where one is too short.

    >>> heading(Query("mean", sum), Change(1))
    'mean under Change(1): at most 1 record changed'
    """
    asked, words = f"{query.name} under {relation}", relation.description
    return f"{asked}: {words}" if len(asked + words) < 58 else f"{fill(asked, 56)}\n{words}"


# --- a sweep as curves, a comparison as curves and points --------------------------------


def plot_sweep(table: pd.DataFrame, *, column: str | None = None) -> Figure:
    """Draw each query's sensitivity against the Hamming distance k, one small panel a query.

    Every panel has its own vertical scale, from zero, so a steep query does not flatten the
    others. Relations share a panel as lines of different weight, dash and filling, named in
    one legend below (two or three read best). A k with no feasible neighbour is a gap.

    >>> table = pd.DataFrame({"column": "age", "query": "mean", "relation": "Change",
    ...                       "k": [1, 2], "sensitivity": [Fraction(1, 2), 1]})
    >>> [panel.get_title(loc="left") for panel in plot_sweep(table).axes]
    ['mean']

    The title names the universe and the size where `table.attrs` holds them, as the tables
    of `sweep` do. Raises ValueError for an empty table, one without the columns of `sweep`,
    or several data columns when `column` names none of them. Cost: linear in the table.
    """
    chosen = _chosen_column(table, column, SWEPT)
    return _small_multiples(table, chosen, _draw_swept)


def plot_compare(table: pd.DataFrame, *, column: str | None = None) -> Figure:
    """Draw each query's closed form as a line and its enumerated sensitivities as points.

    Panels, relations and k are as in `plot_sweep`. Where the formula is attained the points lie
    on the line; where it is loose the line runs above them, and a thin stem joins the two.

    >>> from sensitivity_lab import MEAN, Change, Universe, compare
    >>> table = compare([MEAN], {"age": Universe.value_range([0, 12])}, size=4,
    ...                 relations=[Change(1), Change(2)])
    >>> line, points = plot_compare(table).axes[0].lines
    >>> line.get_ydata().tolist(), points.get_ydata().tolist()
    ([3.0, 6.0], [3.0, 6.0])

    Errors and cost: as `plot_sweep`, for a table as `compare` returns.
    """
    chosen = _chosen_column(table, column, [*SWEPT, "closed_form"])
    return _small_multiples(table, chosen, _draw_compared, "line: closed form; points: enumeration")


Draw = Callable[[Axes, pd.DataFrame, dict[str, Any]], None]  # rows of one query and relation


def _small_multiples(
    table: pd.DataFrame, column: str, draw: Draw, legend_title: str | None = None
) -> Figure:
    """A panel for each query of a column, a line style for each relation, one legend below."""
    rows = table[table["column"] == column]
    queries, relations = rows["query"].unique(), rows["relation"].unique()
    across = min(2, len(queries))
    down = -(-len(queries) // across)
    keys = len(relations) + (legend_title is not None)
    height = 1.3 + 0.24 * keys + (1.65 * down if across == 2 else 2.5)
    with styled_figure(figsize=(WIDTH, height)) as figure:
        panels = figure.subplots(down, across, sharex=True, squeeze=False).ravel().tolist()
        for i, (panel, query) in enumerate(zip(panels, queries, strict=False)):
            look = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}
            asked = rows[rows["query"] == query]
            for relation, line in zip(relations, cycle(LINES)):
                draw(panel, asked[asked["relation"] == relation], {**look, **line})
            _scale_from_zero(panel, asked)
            panel.set_title(query, color=look["color"], fontweight="bold", loc="left")
        _finish_grid(panels, len(queries), across, rows["k"])
        figure.suptitle(_sweep_title(table, column))
        figure.supylabel("sensitivity")
        handles = _relation_keys(relations)
        figure.legend(handles=handles, loc="outside lower center", title=legend_title)
    return figure


def _chosen_column(table: pd.DataFrame, column: str | None, needed: list[str]) -> str:
    """The one data column to draw; refuse a table that leaves a choice or holds nothing."""
    maker = "compare" if "closed_form" in needed else "sweep"
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame, as {maker} returns, got {table!r}")
    missing = [name for name in needed if name not in table]
    if missing:
        raise ValueError(f"table must have the columns {needed}, got one without {missing}")
    columns = list(table["column"].unique())
    if not columns:
        raise ValueError("table must have at least one row, got an empty table")
    if column is None and len(columns) > 1:
        raise ValueError(f"column must name one of {columns} where table has several, got None")
    if column is not None and not is_one_of(column, columns):
        raise ValueError(f"column must be one of {columns}, got column={column!r}")
    return str(columns[0] if column is None else column)


def _draw_swept(panel: Axes, rows: pd.DataFrame, style: dict[str, Any]) -> None:
    """One relation's sensitivities as a curve, with gaps where a k has no answer."""
    panel.plot(*_curve(rows, "sensitivity"), **style, clip_on=False)


def _draw_compared(panel: Axes, rows: pd.DataFrame, style: dict[str, Any]) -> None:
    """One relation's closed form as a line, its enumeration as points, stems between the two."""
    (ks, formula), (_, found) = _curve(rows, "closed_form"), _curve(rows, "sensitivity")
    panel.plot(ks, formula, **style | {"marker": ""}, clip_on=False)
    panel.plot(ks, found, **style | {"linestyle": "", "zorder": 3}, clip_on=False)
    panel.vlines(ks, found, formula, color=style["color"], linewidth=1)


def _scale_from_zero(panel: Axes, rows: pd.DataFrame) -> None:
    """A vertical scale from zero to a little above all that is drawn, whole where that is whole."""
    drawn = [rows[name].dropna() for name in ("sensitivity", "closed_form") if name in rows]
    known = [value for values in drawn for value in values]
    whole = all(value == int(value) for value in known)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=3, min_n_ticks=2, integer=whole))
    panel.yaxis.set_major_formatter("{x:,.10g}")
    panel.set_ylim(0, 1.12 * float(max(known, default=0)) or 1)
    panel.grid(axis="y")


def _curve(rows: pd.DataFrame, name: str) -> tuple[list[int], list[float]]:
    """Every k from the first to the last, and the number there: NaN where it is missing."""
    known = {int(k): value for k, value in zip(rows["k"], rows[name], strict=True)}
    ks = list(range(min(known), max(known) + 1)) if known else []
    heights = [known.get(k) for k in ks]
    return ks, [
        math.nan if height is None or height != height else float(height) for height in heights
    ]


def _finish_grid(panels: Sequence[Axes], used: int, across: int, ks: pd.Series) -> None:
    """Whole numbers on the shared k axis, written under the last panel of each column."""
    for panel in panels[used:]:
        panel.remove()
    low, high = int(ks.min()), int(ks.max())
    for i, panel in enumerate(panels[:used]):
        last = i + across >= used
        panel.set_xlim(low - 0.3, high + 0.3)
        panel.set_xticks(range(low, high + 1, 1 + (high - low) // 8))
        panel.tick_params(labelbottom=last)
        panel.set_xlabel("Hamming distance k" if last else "")


def _sweep_title(table: pd.DataFrame, column: str) -> str:
    """What was swept: the column, the size, the universe, as far as the table says."""
    size, universes = table.attrs.get("size"), table.attrs.get("universes", {})
    lines = [column if size is None else f"{column}, datasets of size {size}"]
    if column in universes:
        universe = str(universes[column]).removeprefix("Universe.")
        lines.append(fill(universe.replace(f", name={column!r}", ""), width=56))
    return "\n".join(lines)


def _relation_keys(relations: Iterable[str]) -> list[Line2D]:
    """One legend line a relation, with its exact words."""
    return [
        Line2D([], [], **{"color": INK, "marker": "o", **line}, label=relation_text(relation))
        for relation, line in zip(relations, cycle(LINES))
    ]


def relation_text(relation: str) -> str:
    """Say in words what a relation's k counts.

    >>> relation_text("Change")
    'Change: at most k changed'
    """
    name = str(relation).partition("(")[0]
    if name not in FAMILIES:
        return str(relation)
    family = FAMILIES[name]
    return f"{name}: {'at most' if family.at_most else 'exactly'} k {family.phrase}"


# --- a witness as two rows of dots -------------------------------------------------------

# All lengths below are points on the page, but for the number line's own places.
MOST_DOTS = 100
BAND = 30  # from the middle of the figure to the first dots of either row
ROOM = 350  # how long the number line is drawn

KINDS: dict[str, dict[str, Any]] = {
    "in both": {"marker": "o", "color": "#777777", "markersize": 0.8},
    "removed": {"marker": "s", "color": REMOVED, "markersize": 0.8, "markerfacecolor": "white"},
    "added": {"marker": "^", "color": ADDED, "markersize": 0.95},
}

Dot = tuple[float, int, str]  # where it stands, how high in its stack, its kind


@dataclass(frozen=True)
class NumberLine:
    """Where a value stands on the page: in proportion, but for long empty stretches.

    >>> line = NumberLine.through([1, 2, 3, 1000], [])
    >>> [line.place(value) for value in (1, 2, 3, 1000)]
    [0.0, 1.0, 2.0, 22.0]
    """

    values: np.ndarray
    places: np.ndarray
    breaks: np.ndarray  # the middles of the stretches that are drawn shorter than they are

    @classmethod
    def through(cls, records: Iterable[Any], marks: Iterable[Any]) -> NumberLine:
        """Shorten what is over 20 times the usual step between records; `marks` may lie outside.

        One far outlier then leaves the other records wide enough apart to be told from one
        another.
        """
        distinct = sorted({float(record) for record in records})
        outside = {float(m) for m in marks if not distinct[0] <= m <= distinct[-1]}
        values = np.array(sorted({*distinct, *outside}))
        steps = np.diff(values)
        drawn = np.minimum(
            steps, 20 * median_low(np.diff(distinct)) if len(distinct) > 1 else np.inf
        )
        places = np.concatenate([[0.0], np.cumsum(drawn)])
        return cls(values, places, (places[:-1] + drawn / 2)[drawn < steps])

    def place(self, value: Any) -> float:
        """Return where `value` stands."""
        return float(np.interp(float(value), self.values, self.places))

    @property
    def point(self) -> float:
        """How much of the line one point on the page is."""
        return (float(self.places[-1]) or 1.0) / ROOM


def plot_witness(sensitivity: Sensitivity) -> Figure:
    """Draw the two datasets that attain a sensitivity, on one number line.

    The dataset stands above and its neighbour hangs below; equal values stack. A thin line
    joins what both hold, an open square is removed, a triangle is added. A tick marks the
    query's answer on each, and the arrow between the ticks is the sensitivity. A vector's
    answers are written, not marked. A stretch without records that is over twenty times the
    usual step is drawn shorter, with a break sign.

    >>> from sensitivity_lab import SUM, Universe, global_sensitivity
    >>> school = Universe.population([1, 2, 3, 10])
    >>> found = global_sensitivity(SUM, school, size=3, relation=Change(1))
    >>> plot_witness(found).get_suptitle()
    'sum under Change(1): at most 1 record changed'

    Cost: one evaluation of the query on each of the two datasets.
    Raises ValueError for a dataset of over 100 records, or one with a missing record.
    """
    datasets = _drawable(sensitivity)
    answers = [sensitivity.query(dataset) for dataset in datasets]
    marks = [answer for answer in answers if not isinstance(answer, tuple)]
    line = NumberLine.through([*datasets[0], *datasets[1]], marks)
    rows, dot = _dots(datasets, line)
    ends = [BAND + dot * (1 + max((level for _, level, _ in row), default=0)) for row in rows]
    with styled_figure(figsize=(WIDTH, (sum(ends) + 170) / 72)) as figure:
        axes = figure.subplots()
        _set_out(axes, line, ends)
        _draw_dots(axes, rows, dot)
        _draw_answers(axes, line, answers, ends, sensitivity.query.name)
        _draw_gap(axes, line, marks, equals_text(sensitivity.value).removeprefix("= "))
        figure.suptitle(heading(sensitivity.query, sensitivity.relation))
        figure.legend(handles=_dot_keys(rows), loc="outside lower center", ncols=3)
    return figure


def _drawable(sensitivity: Sensitivity) -> list[tuple[Any, ...]]:
    """The witness's two datasets; refuse what a row of dots cannot show."""
    if not isinstance(sensitivity, Sensitivity):
        raise TypeError(f"sensitivity must be a Sensitivity, got {sensitivity!r}")
    datasets = [tuple(dataset) for dataset in sensitivity.witness]
    longest = max(map(len, datasets))
    if longest > MOST_DOTS:
        raise ValueError(
            f"witness must hold at most {MOST_DOTS} records to be drawn, got {longest}"
        )
    for dataset in datasets:
        if None in dataset:
            raise ValueError(f"witness must hold numbers to be drawn, got None in {dataset}")
    return datasets


def _dots(datasets: Sequence[tuple[Any, ...]], line: NumberLine) -> tuple[list[list[Dot]], float]:
    """Both rows of dots, and a dot's size: smaller where values are close or stacks are tall."""
    first, second = map(Counter, datasets)
    common = first & second
    step = min(np.diff(line.places), default=np.inf) / line.point
    width = min(12.0, max(7.0, step))
    rows = [
        _stacked([(common, "in both"), (first - common, "removed")], line, width),
        _stacked([(common, "in both"), (second - common, "added")], line, width),
    ]
    tallest = max(level for row in rows for _, level, _ in row) + 1
    return rows, min(width, 160 / tallest)


def _stacked(
    parts: Sequence[tuple[Counter[Any], str]], line: NumberLine, width: float
) -> list[Dot]:
    """Each record on the lowest level where it covers no dot; shared ones are innermost."""
    records = sorted(
        (line.place(value), order, kind)
        for order, (part, kind) in enumerate(parts)
        for value in part.elements()
    )
    apart = 0.99 * width * line.point
    ends: list[float] = []  # the last place taken on each level
    dots = []
    for place, _, kind in records:
        level = next((i for i, end in enumerate(ends) if place - end >= apart), len(ends))
        ends[level : level + 1] = [place]
        dots.append((place, level, kind))
    return dots


def _set_out(axes: Axes, line: NumberLine, ends: Sequence[float]) -> None:
    """The empty stage: two base lines, the values under them, signs where it is shortened."""
    top, foot = ends[0] + 24, -ends[1] - 24  # room for the answers
    margin = 15 * line.point
    axes.set_xlim(-margin, line.places[-1] + margin)
    axes.set_ylim(foot, top)
    axes.set_yticks([BAND, -BAND], ["dataset", "neighbour"])
    axes.tick_params(axis="y", length=0, labelsize=13)
    axes.spines["left"].set_visible(False)
    bases = (BAND - 8, 8 - BAND)
    for base in bases:
        axes.axhline(base, color=PALE, linewidth=1, zorder=0)
    shown = _roomy(line)
    axes.set_xticks([line.place(value) for value in shown], [_tick_text(value) for value in shown])
    for middle in line.breaks:
        for height in (foot, *bases):
            axes.text(middle, height, "//", ha="center", va="center", backgroundcolor="white")


def _tick_text(value: float) -> str:
    return f"{value:,.10g}"


def _roomy(line: NumberLine) -> list[float]:
    """The values that can be written under the line without touching; both ends always are."""

    def touch(left: float, right: float) -> bool:
        letters = len(_tick_text(left)) + len(_tick_text(right)) + 1
        return line.place(right) - line.place(left) < 4.2 * letters * line.point

    first, *rest = line.values.tolist()
    shown = [first]
    for value in rest:
        if not touch(shown[-1], value) and (value == rest[-1] or not touch(value, rest[-1])):
            shown.append(value)
    return shown if not rest or shown[-1] == rest[-1] else [*shown[:-1], rest[-1]]


def _draw_dots(axes: Axes, rows: Sequence[Sequence[Dot]], dot: float) -> None:
    """Both rows: the first grows upwards, the second downwards; shared records are joined."""
    for row, side in zip(rows, (1, -1), strict=True):
        for place, level, kind in row:
            style = KINDS[kind] | {"markersize": KINDS[kind]["markersize"] * dot}
            axes.plot(place, side * (BAND + dot * level), markeredgewidth=0.15 * dot, **style)
    above, below = (
        {place: level for place, level, kind in reversed(row) if kind == "in both"} for row in rows
    )
    for place in above:
        ends = [BAND + dot * above[place], -BAND - dot * below[place]]
        axes.plot([place, place], ends, color=PALE, linewidth=0.8, zorder=0)


def _draw_answers(
    axes: Axes, line: NumberLine, answers: Sequence[Any], ends: Sequence[float], name: str
) -> None:
    """The query's answer on each row: a tick through the row, and the number at its end."""
    for answer, end, side in zip(answers, ends, (1, -1), strict=True):
        if isinstance(answer, tuple):
            place, text = line.places[-1] / 2, number_text(answer)
        else:
            place, text = line.place(answer), f"{name} {equals_text(answer)}"
            axes.plot([place, place], [0, side * end], color=INK, linewidth=2, zorder=1)
        half = 4 * len(text) * line.point
        inside = max(min(place, line.places[-1] - half), half)  # text stays on the page
        axes.text(inside, side * (end + 3), text, ha="center", va="bottom" if side > 0 else "top")


def _draw_gap(axes: Axes, line: NumberLine, marks: Sequence[Any], value: str) -> None:
    """The arrow from one answer to the other, and its length beside it, where there is room."""
    low, high = sorted(map(line.place, marks)) or [line.places[-1] / 2] * 2
    if high - low > 24 * line.point:
        arrow = {"arrowstyle": "<->", "color": INK, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (low, 0), (high, 0), arrowprops=arrow)
    else:  # too short for arrow heads
        axes.plot([low, high], [0, 0], color=INK, linewidth=4, solid_capstyle="butt")
    wide = 8.5 * max(len("sensitivity"), len(value)) * line.point
    if high + wide < line.places[-1]:
        place, side = high + 6 * line.point, "left"
    elif low - wide > 0:
        place, side = low - 6 * line.point, "right"
    else:
        place, side = (low + high) / 2, "center"
    text, box = f"sensitivity\n{value}", {"facecolor": "white", "edgecolor": "none", "pad": 1}
    axes.text(place, 0, text, ha=side, va="center", bbox=box, fontsize=12, fontweight="bold")


def _dot_keys(rows: Sequence[Sequence[Dot]]) -> list[Line2D]:
    """One legend entry for each kind of dot that is drawn."""
    present = {kind for row in rows for *_, kind in row}
    return [
        Line2D([], [], linestyle="", label=kind, **KINDS[kind] | {"markersize": 10})
        for kind in KINDS
        if kind in present
    ]
