"""A sweep as curves, a comparison as curves and points."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sensitivity_lab.numbers.exact import (
    brief,
    exact_number,
    is_finite,
    is_missing,
    is_one_of,
    is_real,
)  # fmt: skip
from sensitivity_lab.numbers.text import number_text, true_minus
from sensitivity_lab.plotting.style import (
    CLAIMED,
    EXACT,
    INK,
    K_LABEL,
    LOOSE,
    NARROW_FORMS,
    PHONE,
    STYLE,
    TOO_SMALL,
    WIDTH,
    check_axes,
    relation_lines,
    styled_figure,
)  # fmt: skip

SWEPT = ["column", "query", "relation", "k", "sensitivity"]
DECIMALS = re.compile(r"-?[0-9]+(\.[0-9]+|(\.[0-9]+)?e[-+]?[0-9]+)")  # as Python writes floats
LARGEST_DRAWN = 10**300  # Matplotlib's margins must be floats
LARGEST_K = 10**15  # floats tell its neighbours apart
HEIGHTS = ("sensitivity", "closed_form", "beside")
WORDS = {
    "Add": "exactly k records added",
    "Remove": "exactly k records removed",
    "AddRemove": "k records added or removed (unbounded)",
    "SymmetricDifference": "at most k records added or removed, mixed",
    "Change": "at most k records changed (bounded)",
}


def plot_sweep(
    table: pd.DataFrame,
    *,
    column: str | None = None,
    formulas: bool = False,
    beside: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> Any:
    """Draw each query's sensitivity against the distance k, one small panel a query.

    >>> table = pd.DataFrame({"column": "age", "query": "mean", "relation": "Change",
    ...                       "k": [1, 2], "sensitivity": [0.5, 1]})
    >>> [panel.get_title(loc="left") for panel in plot_sweep(table).axes]
    ['mean']

    Every panel has its own scale, from zero; a relation is a line style, and a k with no feasible
    neighbour a gap. The title says what `table.attrs` knows, and the scale has the unit that stands
    there: `table.attrs["units"] = {"age": "years"}`.

    :param table: a table of `sweep`; with `formulas`, one of `compare`.
    :param column: the data column to draw; if not given, all are.
    :param formulas: whether each closed form is drawn, pale, in its relation's style.
    :param beside: numbers of somebody else, in the same columns: each is a tick across the curve.
        One that differs by over 1e-9 of itself is thick, and coloured as too small or loose.
    :param ax: axes of your own for one column and one query; they are returned.
    :raises ValueError: for an empty table, missing columns, numbers that cannot be drawn, and
        several columns or queries with `ax`; the same for `beside`.
    :raises TypeError: for what is no table.

    Cost: linear in the tables.
    """
    table = _checked(table, "table", [*SWEPT, "closed_form"] if formulas else SWEPT)
    if not formulas or table["closed_form"].isna().all():
        table = table.drop(columns="closed_form", errors="ignore")
    if beside is not None:
        table = _with_ticks(table, _checked(beside, "beside", SWEPT))
    columns = list(table["column"].unique())
    if column is not None and not is_one_of(column, columns):
        raise ValueError(f"column must be one of {columns}, got column={brief(column)}")
    if column is None and ax is not None and len(columns) > 1:
        raise ValueError(f"column must name one of {columns} to be drawn on ax, got None")
    chosen = columns if column is None else [column]
    panels = _Panels({_title(table, name): table[table["column"] == name] for name in chosen})
    return panels.figure() if ax is None else panels.on(ax)


def plot_compare(table: pd.DataFrame, *, column: str | None = None, ax: Axes | None = None) -> Any:
    """Draw a table of `compare`: `plot_sweep` with `formulas`, whose cost and errors it has.

    >>> from sensitivity_lab import MEAN, Change, Universe, compare
    >>> ages = {"age": Universe.value_range([0, 12])}
    >>> table = compare([MEAN], ages, size=4, relations=[Change(1), Change(2)])
    >>> [line.get_ydata().tolist() for line in plot_compare(table).axes[0].lines]
    [[3.0, 6.0], [3.0, 6.0]]
    """
    return plot_sweep(table, column=column, formulas=True, ax=ax)


MOST_IN_PAIRS = 6  # panels of one column; of more, five stand beside one another
# points, of such panels
SMALL: dict[Any, Any] = {"axes.titlesize": 10.5, "xtick.labelsize": 10, "ytick.labelsize": 10}
# Where a closed form lies below its curve it still is seen on either side.
HALO = [withStroke(linewidth=6, alpha=0.25)]
THIN: dict[str, Any] = {"color": CLAIMED, "linewidth": 1, "path_effects": HALO, "zorder": 2}
TICK: dict[str, Any] = {
    "color": INK, "linestyle": "", "marker": "_", "markersize": 9, "markeredgewidth": 1.4,
    "zorder": 3,
}  # fmt: skip
AGREE = 1e-9  # of itself: floats that printed the same number


@dataclass(frozen=True, eq=False)
class _Panels:
    """Under each title its rows, a panel a query."""

    blocks: dict[str, pd.DataFrame]

    @cached_property
    def keys(self) -> Any:
        """The legend."""
        rows = pd.concat(self.blocks.values())
        lines = relation_lines(rows["relation"].unique())
        handles: list[Any] = [Line2D([], [], **{"color": INK, **line}) for line in lines.values()]
        labels = [*map(relation_text, lines)]
        if "closed_form" in rows:
            styles = [line["linestyle"] for line in lines.values()]
            handles.append(tuple(Line2D([], [], **THIN, linestyle=style) for style in styles))
            labels.append("closed form")
        if "beside" in rows:
            handles.append(Line2D([], [], **TICK))
            labels.append("published")
        both = {tuple: HandlerTuple(ndivide=None, pad=0.5)}
        return {"handles": handles, "labels": labels, "handlelength": 3, "handler_map": both}

    def on(self, axes: Axes) -> Axes:
        """The one panel."""
        check_axes(axes)
        [rows] = self.blocks.values()
        queries = rows["query"].unique()
        if len(queries) > 1:
            got = brief(list(queries))
            raise ValueError(f"table must hold one query to be drawn on ax, got {got}")
        with plt.rc_context(STYLE):
            _draw_panel(axes, rows, rows["relation"].unique())
            _number_k(axes, rows["k"])
            axes.set(xlabel=K_LABEL, ylabel=_height(rows))
            axes.legend(**self.keys)
        return axes

    def figure(self, width: float = WIDTH) -> Figure:
        """Small panels under each title."""
        counts = [rows["query"].nunique() for rows in self.blocks.values()]
        many = max(counts) > MOST_IN_PAIRS or len(counts) > 1
        # Many small panels stand five in a row, few large ones two, as all do on a phone.
        across = min(5 if many and width == WIDTH else 3 if counts == [3] else 2, max(counts))
        down = [-(-count // across) for count in counts]
        labels = self.keys["labels"]
        half = -(-len(labels) // 2)
        columns = 1 + (width == WIDTH and max(map(len, labels[half:]), default=0) < 15)
        lines = half if columns > 1 else len(labels)
        each = 2.5 if sum(down) == 1 else 1.2 if many else 1.65
        height = 0.8 * len(counts) + 0.3 + 0.24 * lines + each * sum(down)
        with styled_figure(figsize=(width, height)) as figure:
            parts = figure.subfigures(len(counts), 1, squeeze=False, height_ratios=down).ravel()
            with plt.rc_context(SMALL if across > 3 else {}):
                for part, (title, rows) in zip(parts, self.blocks.items(), strict=True):
                    queries, relations = rows["query"].unique(), rows["relation"].unique()
                    shape = -(-len(queries) // across), across
                    grid = part.subplots(*shape, sharex=True, squeeze=False).ravel()
                    for i, (panel, query) in enumerate(zip(grid, queries, strict=False)):
                        one = rows[rows["query"] == query]
                        _draw_panel(panel, one, relations, fine=across > 3)
                        _number_k(panel, rows["k"])  # is written below the last of each column
                        panel.tick_params(labelbottom=i + across >= len(queries))
                    for panel in grid[len(queries) :]:
                        panel.remove()
                    part.suptitle(title)
                    part.supxlabel(K_LABEL, fontsize=12)
                    part.supylabel(_height(rows))
            place: Any = f"outside {'upper' if width < WIDTH else 'lower'} center"
            figure.legend(loc=place, ncols=columns, **self.keys)
        if width == WIDTH:
            NARROW_FORMS[figure] = partial(self.figure, PHONE)
        return figure


def _draw_panel(
    panel: Axes, rows: pd.DataFrame, relations: Iterable[str], *, fine: bool = False
) -> None:
    """One query under its name: a line for each relation."""
    lines = relation_lines(relations)
    for line in lines.values() if fine else ():
        line["markersize"] *= 0.7
    step = min(7, 150 / (1 + rows["k"].max() - rows["k"].min()) / len(lines))  # points
    for i, (relation, line) in enumerate(lines.items()):
        # Many stand beside one another; their numbers stay as they are.
        beside = step / 72 * (i - (len(lines) - 1) / 2) * (len(lines) > 3)
        move = ScaledTranslation(beside, 0, panel.figure.dpi_scale_trans)
        draw = partial(panel.plot, clip_on=False, transform=panel.transData + move)
        _draw_curve(draw, rows[rows["relation"] == relation], line)
    known = [y for name in HEIGHTS for y in rows.get(name, ()) if not is_missing(y)]
    # From zero to a little above all; whole numbers where all are whole.
    whole = all(value == int(value) for value in known)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=3, min_n_ticks=2, integer=whole))
    panel.yaxis.set_major_formatter("{x:,.10g}")
    panel.set_ylim(0, 1.12 * float(max(known, default=0)) or 1)
    panel.grid(axis="y")
    weight, start = ("normal", -0.25) if fine else ("bold", 0)  # a long name begins with the ticks
    panel.set_title(rows["query"].iloc[0], fontweight=weight, loc="left", x=start)


def _checked(table: pd.DataFrame, parameter: str, needed: list[str]) -> pd.DataFrame:
    """A table of `sweep` or `compare`, fractions of a file read; or a refusal."""
    maker = "compare" if "closed_form" in needed else "sweep"
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"{parameter} must be a DataFrame, as {maker} returns, got {brief(table)}")
    if missing := [name for name in needed if name not in table]:
        rule = f"{parameter} must have the columns {needed}"
        raise ValueError(f"{rule}, got one without {missing}")
    for name in ("column", "query", "relation"):
        for value in table[name]:
            if not isinstance(value, Hashable):
                raise TypeError(f"{parameter} must hold names as {name}, got {brief(value)}")
    if table.empty:
        raise ValueError(f"{parameter} must have at least one row, got an empty table")
    for k in table["k"]:
        known = isinstance(k, (int, float, np.integer, np.floating))
        if not (known and 0 <= k <= LARGEST_K and k == int(k)):
            rule = f"{parameter} must hold whole k from 0 to {LARGEST_K:,}"
            raise ValueError(f"{rule}, got k={brief(k)}")
    text = {name: table[name].map(_number) for name in HEIGHTS if name in table}
    table = table.assign(**text)
    for name in text:
        for value in table[name]:
            known = is_real(value) and is_finite(value)
            if not (is_missing(value) or (known and 0 <= exact_number(value) <= LARGEST_DRAWN)):
                rule = f"{parameter} must hold numbers from 0 to 1e+300 as {name}"
                raise ValueError(f"{rule} to be drawn, got {brief(value)}")
    return table


def _number(cell: Any) -> Any:
    is_text = isinstance(cell, str) and re.fullmatch(r"\d+(/\d*[1-9]\d*)?", cell)
    return Fraction(cell) if is_text else cell


def _with_ticks(table: pd.DataFrame, beside: pd.DataFrame) -> pd.DataFrame:
    """The table with the others' numbers as the column "beside"."""
    keys = SWEPT[:-1]
    if len(repeated := beside[beside.duplicated(keys)]):
        got = brief(tuple(repeated[keys].iloc[0]))
        raise ValueError(f"beside must hold each number once, got two for {got}")
    others = beside[SWEPT].rename(columns={"sensitivity": "beside"})
    joined = table.merge(others, on=keys, how="left")
    if joined["beside"].isna().all():
        first = brief(tuple(beside[keys].iloc[0]))
        rule = "beside must hold numbers of what table holds"
        raise ValueError(f"{rule}, got none; {first}, say, is not in it")
    joined.attrs = table.attrs
    return joined


def _draw_curve(draw: Callable[..., Any], rows: pd.DataFrame, style: dict[str, Any]) -> None:
    """One relation's curve, its closed form, others' ticks."""
    ks, heights = _curve(rows, "sensitivity")
    draw(ks, heights, color=EXACT, **style)
    if "closed_form" in rows:
        draw(*_curve(rows, "closed_form"), **THIN, linestyle=style["linestyle"])
    if "beside" in rows:
        ticks: dict[str, list[tuple[int, float]]] = {}  # by colour
        for k, ours, other in zip(ks, heights, _curve(rows, "beside")[1], strict=True):
            agree = math.isclose(ours, other, rel_tol=AGREE, abs_tol=AGREE)
            colour = INK if agree else TOO_SMALL if other < ours else LOOSE
            if not math.isnan(other):
                ticks.setdefault(colour, []).append((k, other))
        for colour, some in ticks.items():
            thick = {} if colour == INK else {"color": colour, "markeredgewidth": 4}
            draw(*zip(*some, strict=True), **TICK | thick)


def _height(rows: pd.DataFrame) -> str:
    """The name of the vertical scale, with its unit where the table says it."""
    unit = rows.attrs.get("units", {}).get(rows["column"].iloc[0])
    return f"sensitivity ({unit})" if unit else "sensitivity"


def _curve(rows: pd.DataFrame, name: str) -> tuple[list[int], list[float]]:
    """Every known k and the number there; NaN in each gap."""
    known = {int(k): value for k, value in zip(rows["k"], rows[name], strict=True)}
    ks = sorted({*known, *(k + 1 for k in known if k < max(known))})
    heights: list[Any] = [known.get(k) for k in ks]
    return ks, [math.nan if is_missing(height) else float(height) for height in heights]


def _number_k(panel: Axes, ks: pd.Series) -> None:
    """At most nine whole numbers on the axis of k."""
    low, high = int(ks.min()), int(ks.max())
    panel.set_xlim(low - 0.3, high + 0.3)
    panel.set_xticks(range(low, high + 1, 1 + (high - low) // 8))


NEGATIVE = re.compile(r"(?<!\w)-(?=\d)")
RECORDS = re.compile(r"Universe\.(population|value_range)\(\[(.*?)\](?:, (\d\S* values))?\)")


def _title(table: pd.DataFrame, column: Any) -> str:
    """The column, the size, the universe, as far as the table says."""
    size, universes = table.attrs.get("size"), table.attrs.get("universes", {})
    name = str(column).replace("_", " ")
    lines = [name if size is None else f"{name}, datasets of size {size}"]
    if column in universes:
        universe = str(universes[column]).replace(f", name={column!r}", "")
        if known := RECORDS.fullmatch(universe):
            kind, values, count = known.groups()
            universe = "all records: " if kind == "population" else "possible values: "
            universe += NEGATIVE.sub(true_minus("-"), values) + (f" ({count})" if count else "")
        short = DECIMALS.sub(lambda found: number_text(float(found[0])), universe)  # to six digits
        lines.append(fill(short.removeprefix("Universe."), width=56))
    return "\n".join(lines)


def relation_text(relation: str) -> str:
    """What a relation's k counts, in words."""
    return WORDS.get(str(relation).partition("(")[0], str(relation))
