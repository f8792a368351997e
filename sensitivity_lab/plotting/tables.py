"""A sweep as curves, a comparison as curves and points."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal
from numbers import Rational
from textwrap import fill
from typing import Any, overload

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sensitivity_lab.numbers.exact import brief, exact_number, is_finite, is_one_of, is_real
from sensitivity_lab.numbers.text import number_text, true_minus
from sensitivity_lab.plotting.style import (
    CLAIMED,
    EXACT,
    INK,
    K_LABEL,
    LOOSE,
    STYLE,
    TOO_SMALL,
    WIDTH,
    check_axes,
    relation_lines,
    styled_figure,
)
from sensitivity_lab.relations import STANDARD

SWEPT = ["column", "query", "relation", "k", "sensitivity"]

DECIMALS = re.compile(r"-?[0-9]+(\.[0-9]+|(\.[0-9]+)?e[-+]?[0-9]+)")  # as Python writes floats

FAMILIES = {family.__name__: family for family in STANDARD}

LARGEST_DRAWN = 10**300  # beyond it Matplotlib's margins pass the largest float
LARGEST_K = 10**15  # beyond it floats leave no room between one k and the next
HEIGHTS = ("sensitivity", "closed_form")


@overload
def plot_sweep(table: pd.DataFrame, *, column: str | None = None, ax: None = None) -> Figure: ...
@overload
def plot_sweep(table: pd.DataFrame, *, column: str | None = None, ax: Axes) -> Axes: ...
def plot_sweep(
    table: pd.DataFrame, *, column: str | None = None, ax: Axes | None = None
) -> Figure | Axes:
    """Draw each query's sensitivity against the distance k, one small panel a query.

    >>> table = pd.DataFrame({"column": "age", "query": "mean", "relation": "Change",
    ...                       "k": [1, 2], "sensitivity": [0.5, 1]})
    >>> [panel.get_title(loc="left") for panel in plot_sweep(table).axes]
    ['mean']

    Every panel has its own vertical scale, from zero, so a steep query does not flatten the
    others. Relations share a panel: each has its line style, the same in every figure, named in
    one legend below (two or three read best; of more, each stands a little beside the last, so
    that none hides where they agree). A k with no feasible neighbour is a gap. The title
    names the universe and the size where `table.attrs` holds them, as the tables of `sweep` do.
    Of a large table draw the two or three queries that tell: `table[table["query"].isin(names)]`.
    A table of one query can be drawn on axes of your own, `ax`, which are then returned.
    Cost: linear in the table.
    Raises ValueError for an empty table, one without the columns of `sweep`, one with a k that is
    not whole or a sensitivity that cannot be drawn (above 1e300, say), several data columns when
    `column` names none of them, and several queries with `ax`; TypeError for what is no table.
    """
    chosen = _chosen_column(table, column, SWEPT)
    return _drawn(table, chosen, _draw_swept, None, ax)


@overload
def plot_compare(table: pd.DataFrame, *, column: str | None = None, ax: None = None) -> Figure: ...
@overload
def plot_compare(table: pd.DataFrame, *, column: str | None = None, ax: Axes) -> Axes: ...
def plot_compare(
    table: pd.DataFrame, *, column: str | None = None, ax: Axes | None = None
) -> Figure | Axes:
    """Draw each query's closed form as a line and its exact sensitivities as points.

    >>> from sensitivity_lab import MEAN, Change, Universe, compare
    >>> table = compare([MEAN], {"age": Universe.value_range([0, 12])}, size=4,
    ...                 relations=[Change(1), Change(2)])
    >>> line, points = plot_compare(table).axes[0].lines
    >>> line.get_ydata().tolist(), points.get_ydata().tolist()
    ([3.0, 6.0], [3.0, 6.0])

    Panels, relations, k and `ax` are as in `plot_sweep`. Where the formula is attained the points
    lie on the line; where it is loose the line runs above them, and a thin stem joins the two.
    Cost and errors: as `plot_sweep`, for a table as `compare` returns.
    """
    chosen = _chosen_column(table, column, [*SWEPT, "closed_form"])
    points = _points_by(table[table["column"] == chosen])
    return _drawn(table, chosen, _draw_compared, f"line: closed form; points: {points}", ax)


def _points_by(rows: pd.DataFrame) -> str:
    """What found the numbers: enumeration, the solver or both, where the table says."""
    methods = set(rows["method"]) - {"infeasible"} if "method" in rows else set()
    if not methods:
        return "exact sensitivity"
    names = ["enumeration"] * bool(methods - {"solver"}) + ["solver"] * ("solver" in methods)
    return " and ".join(names)


Draw = Callable[[Axes, pd.DataFrame, dict[str, Any]], None]  # rows of one query and relation


def _drawn(
    table: pd.DataFrame, column: Any, draw: Draw, legend_title: str | None, axes: Axes | None
) -> Figure | Axes:
    """The panels on a figure of their own, or the one panel on the caller's axes."""
    rows = table[table["column"] == column]
    _check_numbers(rows)
    if axes is None:
        return _small_multiples(rows, _sweep_title(table, column), draw, legend_title)
    check_axes(axes)
    queries, relations = rows["query"].unique(), rows["relation"].unique()
    if len(queries) > 1:
        raise ValueError(f"table must hold one query to be drawn on ax, got {brief(list(queries))}")
    with plt.rc_context(STYLE):
        _draw_panel(axes, rows, relations, draw)
        _number_k(axes, rows["k"])
        axes.set(xlabel=K_LABEL, ylabel="sensitivity")
        axes.legend(handles=_relation_keys(relations), title=legend_title, handlelength=3)
    return axes


def _small_multiples(
    rows: pd.DataFrame, title: str, draw: Draw, legend_title: str | None
) -> Figure:
    """A panel for each query of a column, a line style for each relation, one legend below."""
    queries, relations = rows["query"].unique(), rows["relation"].unique()
    across = min(3 if len(queries) == 3 else 2, len(queries))
    down = -(-len(queries) // across)
    keys = len(relations) + (legend_title is not None)
    height = 1.3 + 0.24 * keys + (2.5 if down == 1 else 1.65 * down)
    with styled_figure(figsize=(WIDTH, height)) as figure:
        panels = figure.subplots(down, across, sharex=True, squeeze=False).ravel().tolist()
        for panel, query in zip(panels, queries, strict=False):
            _draw_panel(panel, rows[rows["query"] == query], relations, draw)
        _finish_grid(panels, len(queries), across, rows["k"])
        figure.suptitle(title)
        figure.supylabel("sensitivity")
        handles = _relation_keys(relations)
        figure.legend(
            handles=handles, loc="outside lower center", title=legend_title, handlelength=3
        )
    return figure


def _draw_panel(panel: Axes, rows: pd.DataFrame, relations: Iterable[str], draw: Draw) -> None:
    """One query: a line for each relation, under the query's name."""
    lines = relation_lines(relations)
    step = min(7, 150 / (1 + rows["k"].max() - rows["k"].min()) / len(lines))  # points
    for i, (relation, line) in enumerate(lines.items()):
        before = set(panel.get_children())
        draw(panel, rows[rows["relation"] == relation], line)
        if len(lines) > 3:
            beside = step * (i - (len(lines) - 1) / 2)
            _put_beside(set(panel.get_children()) - before, beside)
    _scale_from_zero(panel, rows)
    panel.set_title(rows["query"].iloc[0], fontweight="bold", loc="left")


def _chosen_column(table: pd.DataFrame, column: str | None, needed: list[str]) -> Any:
    """The one data column to draw; refuse a table that leaves a choice or holds nothing to draw."""
    maker = "compare" if "closed_form" in needed else "sweep"
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame, as {maker} returns, got {brief(table)}")
    missing = [name for name in needed if name not in table]
    if missing:
        raise ValueError(f"table must have the columns {needed}, got one without {missing}")
    for name in ("column", "query", "relation"):
        for value in table[name]:
            if not isinstance(value, Hashable):
                raise TypeError(f"table must hold names as {name}, got {brief(value)}")
    columns = list(table["column"].unique())
    if not columns:
        raise ValueError("table must have at least one row, got an empty table")
    if column is None and len(columns) > 1:
        raise ValueError(f"column must name one of {columns} where table has several, got None")
    if column is not None and not is_one_of(column, columns):
        raise ValueError(f"column must be one of {columns}, got column={brief(column)}")
    return columns[0] if column is None else column


def _check_numbers(rows: pd.DataFrame) -> None:
    """Refuse a k that is not whole, and what has no height on a scale from zero."""
    for k in rows["k"]:
        known = isinstance(k, (int, float, np.integer, np.floating))
        if not (known and 0 <= k <= LARGEST_K and k == int(k)):
            most = f"{LARGEST_K:,}"
            raise ValueError(f"table must hold whole k from 0 to {most}, got k={brief(k)}")
    for name in HEIGHTS:
        for value in rows.get(name, ()):
            if not (_is_gap(value) or _has_height(value)):
                rule = f"table must hold numbers from 0 to 1e+300 as {name}"
                raise ValueError(f"{rule} to be drawn, got {brief(value)}")


def _has_height(value: Any) -> bool:
    """Whether a number stands on a scale from zero."""
    known = is_real(value) and (isinstance(value, Rational) or is_finite(value))
    return known and 0 <= exact_number(value) <= LARGEST_DRAWN


def _is_gap(value: Any) -> bool:
    """Whether there is no answer: None or not a number, of any kind."""
    if isinstance(value, Decimal):
        return value.is_nan()
    floating = isinstance(value, (float, np.floating))
    return value is None or value is pd.NA or (floating and math.isnan(value))


def _draw_swept(panel: Axes, rows: pd.DataFrame, style: dict[str, Any]) -> None:
    """One relation's sensitivities as a curve, with gaps where a k has no answer."""
    panel.plot(*_curve(rows, "sensitivity"), color=EXACT, **style, clip_on=False)


def _draw_compared(panel: Axes, rows: pd.DataFrame, style: dict[str, Any]) -> None:
    """One relation's closed form as a line, its enumeration as points, stems between the two."""
    (ks, formula), (_, exact) = _curve(rows, "closed_form"), _curve(rows, "sensitivity")
    panel.plot(ks, formula, color=CLAIMED, **style | {"marker": ""}, clip_on=False)
    points = style | {"linestyle": "", "zorder": style.get("zorder", 2) + 1}
    panel.plot(ks, exact, color=EXACT, **points, clip_on=False)
    wrong = [LOOSE if one > other else TOO_SMALL for one, other in zip(formula, exact, strict=True)]
    panel.vlines(ks, exact, formula, color=wrong, linewidth=2)


def _scale_from_zero(panel: Axes, rows: pd.DataFrame) -> None:
    """A vertical scale from zero to a little above all that is drawn, whole where that is whole."""
    drawn = [value for name in HEIGHTS for value in rows.get(name, ())]
    known = [value for value in drawn if not _is_gap(value)]
    whole = all(value == int(value) for value in known)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=3, min_n_ticks=2, integer=whole))
    panel.yaxis.set_major_formatter("{x:,.10g}")
    panel.set_ylim(0, 1.12 * float(max(known, default=0)) or 1)
    panel.grid(axis="y")


def _put_beside(artists: Iterable[Any], points: float) -> None:
    """Move what was drawn a few points sideways; its numbers stay as they are."""
    for artist in artists:
        beside = ScaledTranslation(points / 72, 0, artist.get_figure().dpi_scale_trans)
        artist.set_transform(artist.get_transform() + beside)


def _curve(rows: pd.DataFrame, name: str) -> tuple[list[int], list[float]]:
    """Every k that is known and the number there, NaN where it is missing; a NaN in each gap."""
    known = {int(k): value for k, value in zip(rows["k"], rows[name], strict=True)}
    ks = sorted({*known, *(k + 1 for k in known if k < max(known))})
    heights: list[Any] = [known.get(k) for k in ks]
    return ks, [math.nan if _is_gap(height) else float(height) for height in heights]


def _finish_grid(panels: Sequence[Axes], used: int, across: int, ks: pd.Series) -> None:
    """Whole numbers on the shared k axis, written under the last panel of each column."""
    for panel in panels[used:]:
        panel.remove()
    for i, panel in enumerate(panels[:used]):
        _number_k(panel, ks)
        last = i + across >= used
        panel.tick_params(labelbottom=last)
        named = last and (across < 3 or i % across == 1)  # two names fit side by side, three do not
        panel.set_xlabel(K_LABEL if named else "", fontsize=12)


def _number_k(panel: Axes, ks: pd.Series) -> None:
    """At most nine whole numbers on the axis of k, from the first to the last."""
    low, high = int(ks.min()), int(ks.max())
    panel.set_xlim(low - 0.3, high + 0.3)
    panel.set_xticks(range(low, high + 1, 1 + (high - low) // 8))


UNIVERSE = re.compile(r"Universe\.(population|value_range)\(\[(.*?)\](?:, (\d\S* values))?\)")
NEGATIVE = re.compile(r"(?<!\w)-(?=\d)")
KINDS_OF_UNIVERSES = {"population": "all records", "value_range": "possible values"}


def _sweep_title(table: pd.DataFrame, column: Any) -> str:
    """What was swept: the column, the size, the universe, as far as the table says."""
    size, universes = table.attrs.get("size"), table.attrs.get("universes", {})
    lines = [str(column) if size is None else f"{column}, datasets of size {size}"]
    if column in universes:
        universe = str(universes[column]).replace(f", name={column!r}", "")
        known = UNIVERSE.fullmatch(universe)
        if known:
            kind, values, count = known.groups()
            many = f" ({count})" if count else ""
            values = NEGATIVE.sub(true_minus("-"), values)
            universe = f"{KINDS_OF_UNIVERSES[kind]}: {values}{many}"
        lines.append(fill(DECIMALS.sub(_shorter, universe.removeprefix("Universe.")), width=56))
    return "\n".join(lines)


def _shorter(match: re.Match[str]) -> str:
    """A decimal number in a text, to six digits."""
    return number_text(float(match[0]))


def _relation_keys(relations: Iterable[str]) -> list[Line2D]:
    """One legend line a relation, in words."""
    return [
        Line2D([], [], **{"color": INK, **line}, label=relation_text(relation))
        for relation, line in relation_lines(relations).items()
    ]


def relation_text(relation: str) -> str:
    """Say in words what a relation's k counts."""
    name = str(relation).partition("(")[0]
    if name not in FAMILIES:
        return str(relation)
    family = FAMILIES[name]
    return f"{'at most' if family.at_most else 'exactly'} k records {family.phrase}"
