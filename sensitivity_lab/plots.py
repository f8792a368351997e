"""Tables as pictures: a sweep as curves, a comparison as curves and points. One style for all."""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import cycle
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sensitivity_lab.exact import exact_number, is_one_of
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import STANDARD, Relation

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

FAMILIES = {family.__name__: family for family in STANDARD}

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
    formatter = shell.display_formatter.formatters["image/svg+xml"]
    drawn = formatter.for_type(Figure)
    formatter.for_type(Figure, lambda figure: _clips_named_as_written(drawn(figure)))


def _clips_named_as_written(svg: str) -> str:
    """Name each clip path by the rectangle that is written.

    Matplotlib's name is a hash of its floats, whose last bits depend on the processor.
    """
    for name, rectangle in re.findall(r'<clipPath id="(.*?)">(.*?)</clipPath>', svg, re.DOTALL):
        svg = svg.replace(name, "p" + hashlib.sha256(rectangle.encode()).hexdigest()[:10])
    return svg


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

    Cost: linear in a vector's length. Raises ValueError or TypeError for what is no finite number.
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

    >>> from sensitivity_lab import MEAN, Change
    >>> heading(MEAN, Change(1))
    'mean under Change(1): at most 1 record changed'
    """
    asked, words = f"{query.name} under {relation}", relation.description
    return f"{asked}: {words}" if len(asked + words) < 58 else f"{fill(asked, 56)}\n{words}"


# --- a sweep as curves, a comparison as curves and points --------------------------------


def plot_sweep(table: pd.DataFrame, *, column: str | None = None) -> Figure:
    """Draw each query's sensitivity against the Hamming distance k, one small panel a query.

    >>> table = pd.DataFrame({"column": "age", "query": "mean", "relation": "Change",
    ...                       "k": [1, 2], "sensitivity": [Fraction(1, 2), 1]})
    >>> [panel.get_title(loc="left") for panel in plot_sweep(table).axes]
    ['mean']

    Every panel has its own vertical scale, from zero, so a steep query does not flatten the
    others. Relations share a panel as lines of different weight, dash and filling, named in
    one legend below (two or three read best). A k with no feasible neighbour is a gap. The title
    names the universe and the size where `table.attrs` holds them, as the tables of `sweep` do.
    Cost: linear in the table.
    Raises ValueError for an empty table, one without the columns of `sweep`, or several data
    columns when `column` names none of them; TypeError for what is no table.
    """
    chosen = _chosen_column(table, column, SWEPT)
    return _small_multiples(table, chosen, _draw_swept)


def plot_compare(table: pd.DataFrame, *, column: str | None = None) -> Figure:
    """Draw each query's closed form as a line and its enumerated sensitivities as points.

    >>> from sensitivity_lab import MEAN, Change, Universe, compare
    >>> table = compare([MEAN], {"age": Universe.value_range([0, 12])}, size=4,
    ...                 relations=[Change(1), Change(2)])
    >>> line, points = plot_compare(table).axes[0].lines
    >>> line.get_ydata().tolist(), points.get_ydata().tolist()
    ([3.0, 6.0], [3.0, 6.0])

    Panels, relations and k are as in `plot_sweep`. Where the formula is attained the points lie
    on the line; where it is loose the line runs above them, and a thin stem joins the two.
    Cost and errors: as `plot_sweep`, for a table as `compare` returns.
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
