"""A sweep as curves, a comparison as curves and points."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
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

from sensitivity_lab.numbers.exact import (
    brief,
    exact_number,
    is_finite,
    is_missing,
    is_one_of,
    is_real,
)
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
)
from sensitivity_lab.relations import STANDARD

SWEPT = ["column", "query", "relation", "k", "sensitivity"]
DECIMALS = re.compile(r"-?[0-9]+(\.[0-9]+|(\.[0-9]+)?e[-+]?[0-9]+)")  # as Python writes floats
LARGEST_DRAWN = 10**300  # beyond it Matplotlib's margins pass the largest float
LARGEST_K = 10**15  # beyond it floats leave no room between one k and the next
HEIGHTS = ("sensitivity", "closed_form", "beside")


@overload
def plot_sweep(
    table: pd.DataFrame, *, column: str | None = None, formulas: bool = False,
    beside: pd.DataFrame | None = None, ax: None = None,
) -> Figure: ...  # fmt: skip
@overload
def plot_sweep(
    table: pd.DataFrame, *, column: str | None = None, formulas: bool = False,
    beside: pd.DataFrame | None = None, ax: Axes,
) -> Axes: ...  # fmt: skip
def plot_sweep(
    table: pd.DataFrame,
    *,
    column: str | None = None,
    formulas: bool = False,
    beside: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> Figure | Axes:
    """Draw each query's sensitivity against the distance k, one small panel a query.

    >>> table = pd.DataFrame({"column": "age", "query": "mean", "relation": "Change",
    ...                       "k": [1, 2], "sensitivity": [0.5, 1]})
    >>> [panel.get_title(loc="left") for panel in plot_sweep(table).axes]
    ['mean']

    Every panel has its own vertical scale, from zero. Relations share a panel: each has its line
    style, the same in every figure. A k with no feasible neighbour is a gap. The title names the
    universe and the size where `table.attrs` holds them, as the tables of `sweep` do.

    Other numbers stand beside these:

    >>> printed = table.assign(sensitivity=[0.5, 0.9])
    >>> known = table.assign(closed_form=[0.5, 1])
    >>> panel = plot_sweep(known, formulas=True, beside=printed).axes[0]
    >>> [line.get_ydata().tolist() for line in panel.lines]
    [[0.5, 1.0], [0.5, 1.0], [0.5], [0.9]]

    :param table: a table of `sweep`; with `formulas`, one of `compare`.
    :param column: the data column to draw; if not given, all are, one below the other.
    :param formulas: whether each closed form is drawn, as a thin line.
    :param beside: numbers of somebody else, in the columns "column", "query", "relation", "k" and
        "sensitivity": each is a tick across the curve. One that differs by more than 1e-9 of
        itself is thick, and has the colour of a claim that is too small or loose.
    :param ax: axes of your own for a table of one column and one query; they are returned.
    :raises ValueError: for an empty table, one without the columns of `sweep`, numbers that cannot
        be drawn, and several columns or queries with `ax`; the same for `beside`.
    :raises TypeError: for what is no table.

    Cost: linear in the tables.
    """
    table = _checked(table, "table", [*SWEPT, "closed_form"] if formulas else SWEPT)
    if not formulas:
        table = table.drop(columns="closed_form", errors="ignore")
    if beside is not None:
        table = _with_ticks(table, _checked(beside, "beside", SWEPT))
    columns = list(table["column"].unique())
    if column is not None and not is_one_of(column, columns):
        raise ValueError(f"column must be one of {columns}, got column={brief(column)}")
    if column is None and ax is not None and len(columns) > 1:
        raise ValueError(f"column must name one of {columns} to be drawn on ax, got None")
    chosen = columns if column is None else [column]
    by_title = {_sweep_title(table, name): table[table["column"] == name] for name in chosen}
    panels = _Panels(by_title)
    return panels.figure() if ax is None else panels.on(ax)


@overload
def plot_compare(table: pd.DataFrame, *, column: str | None = None, ax: None = None) -> Figure: ...
@overload
def plot_compare(table: pd.DataFrame, *, column: str | None = None, ax: Axes) -> Axes: ...
def plot_compare(
    table: pd.DataFrame, *, column: str | None = None, ax: Axes | None = None
) -> Figure | Axes:
    """Draw a table of `compare`: `plot_sweep` with `formulas`.

    >>> from sensitivity_lab import MEAN, Change, Universe, compare
    >>> table = compare([MEAN], {"age": Universe.value_range([0, 12])}, size=4,
    ...                 relations=[Change(1), Change(2)])
    >>> exact, form = plot_compare(table).axes[0].lines
    >>> exact.get_ydata().tolist(), form.get_ydata().tolist()
    ([3.0, 6.0], [3.0, 6.0])

    Where the formula is attained its thin line runs through the points; where it is loose it runs
    above them. Cost and errors: as `plot_sweep`.
    """
    return plot_sweep(table, column=column, formulas=True, ax=ax)


MOST_IN_PAIRS = 6  # panels of one column; of more, five stand beside one another
# points, of such panels
SMALL: dict[Any, Any] = {"axes.titlesize": 11, "xtick.labelsize": 10, "ytick.labelsize": 10}
THIN: dict[str, Any] = {"color": CLAIMED, "linewidth": 1, "zorder": 2.8}
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
    def keys(self) -> list[Line2D]:
        """The legend: one line a relation in words, and what stands beside the curves."""
        rows = pd.concat(self.blocks.values())
        keys = [
            Line2D([], [], **{"color": INK, **line}, label=relation_text(relation))
            for relation, line in relation_lines(rows["relation"].unique()).items()
        ]
        if "closed_form" in rows:
            keys.append(Line2D([], [], **THIN, label="closed form"))
        if "beside" in rows:
            keys.append(Line2D([], [], **TICK, label="published"))
        return keys

    def on(self, axes: Axes) -> Axes:
        """The one panel, with its own labels and legend."""
        check_axes(axes)
        [rows] = self.blocks.values()
        queries = rows["query"].unique()
        if len(queries) > 1:
            got = brief(list(queries))
            raise ValueError(f"table must hold one query to be drawn on ax, got {got}")
        with plt.rc_context(STYLE):
            _draw_panel(axes, rows, rows["relation"].unique())
            _number_k(axes, rows["k"])
            axes.set(xlabel=K_LABEL, ylabel="sensitivity")
            axes.legend(handles=self.keys, handlelength=3)
        return axes

    def figure(self, width: float = WIDTH) -> Figure:
        """A grid of small panels under each title."""
        counts = [rows["query"].nunique() for rows in self.blocks.values()]
        many = max(counts) > MOST_IN_PAIRS or len(counts) > 1
        across = min(5 if many and width == WIDTH else 3 if counts == [3] else 2, max(counts))
        # Many small panels stand five in a row, few large ones two; a phone has two in any case.
        down = [-(-count // across) for count in counts]
        lines, labels = len(self.keys), [len(str(key.get_label())) for key in self.keys]
        half = -(-lines // 2)
        beside = across > 3 and max(labels[:half]) + max(labels[half:], default=0) <= 50  # letters
        lines = half if beside else lines
        each = 2.5 if sum(down) == 1 else 1.2 if many else 1.65
        height = (0.6 if many else 0.9) * len(counts) + 0.4 + 0.24 * lines + each * sum(down)
        with styled_figure(figsize=(width, height)) as figure:
            parts: list[Any] = [figure]
            if many:  # the name of k then stands above the legend
                grid = figure.subfigures(len(counts), 1, squeeze=False, height_ratios=down)
                parts = grid.ravel().tolist()
            with plt.rc_context(SMALL if across > 3 else {}):
                for part, (title, rows) in zip(parts, self.blocks.items(), strict=True):
                    queries, relations = rows["query"].unique(), rows["relation"].unique()
                    shape = -(-len(queries) // across), across
                    grid = part.subplots(*shape, sharex=True, squeeze=False).ravel().tolist()
                    for panel, query in zip(grid, queries, strict=False):
                        one = rows[rows["query"] == query]
                        _draw_panel(panel, one, relations, fine=across > 3)
                    used = len(queries)
                    for panel in grid[used:]:
                        panel.remove()
                    for i, panel in enumerate(grid[:used]):
                        _number_k(panel, rows["k"])
                        last = i + across >= used  # of its column: there k is written
                        panel.tick_params(labelbottom=last)
                        named = last and (across < 3 or i % across == 1) and used <= MOST_IN_PAIRS
                        panel.set_xlabel(K_LABEL if named else "", fontsize=12)
                    if len(grid) > MOST_IN_PAIRS:
                        part.supxlabel(K_LABEL, fontsize=12)
                    part.suptitle(title)
                    part.supylabel("sensitivity")
            options = {"handlelength": 3, "ncols": 1 + beside}
            figure.legend(handles=self.keys, loc="outside lower center", **options)
        if many and width == WIDTH:
            NARROW_FORMS[figure] = partial(self.figure, PHONE)
        return figure


def _draw_panel(
    panel: Axes, rows: pd.DataFrame, relations: Iterable[str], *, fine: bool = False
) -> None:
    """One query under its name: a line for each relation, finer where many stand together."""
    lines = relation_lines(relations)
    for line in lines.values() if fine else ():
        line.update({name: 0.7 * line[name] for name in ("linewidth", "markersize")})
    step = min(7, 150 / (1 + rows["k"].max() - rows["k"].min()) / len(lines))  # points
    for i, (relation, line) in enumerate(lines.items()):
        before = set(panel.get_children())
        _draw_curve(panel, rows[rows["relation"] == relation], line)
        if len(lines) > 3:
            beside = step * (i - (len(lines) - 1) / 2)
            for artist in set(panel.get_children()) - before:  # its numbers stay as they are
                move = ScaledTranslation(beside / 72, 0, panel.figure.dpi_scale_trans)
                artist.set_transform(artist.get_transform() + move)
    drawn = [value for name in HEIGHTS for value in rows.get(name, ())]
    known = [value for value in drawn if not is_missing(value)]
    # From zero to a little above all that is drawn; whole numbers where all of it is whole.
    whole = all(value == int(value) for value in known)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=3, min_n_ticks=2, integer=whole))
    panel.yaxis.set_major_formatter("{x:,.10g}")
    panel.set_ylim(0, 1.12 * float(max(known, default=0)) or 1)
    panel.grid(axis="y")
    weight, start = ("normal", -0.25) if fine else ("bold", 0)  # a long name begins with the ticks
    panel.set_title(rows["query"].iloc[0], fontweight=weight, loc="left", x=start)


def _checked(table: pd.DataFrame, parameter: str, needed: list[str]) -> pd.DataFrame:
    """A table of `sweep` or `compare`, fractions as a file writes them read; or a refusal."""
    maker = "compare" if "closed_form" in needed else "sweep"
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"{parameter} must be a DataFrame, as {maker} returns, got {brief(table)}")
    missing = [name for name in needed if name not in table]
    if missing:
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
            most = f"{LARGEST_K:,}"
            raise ValueError(f"{parameter} must hold whole k from 0 to {most}, got k={brief(k)}")
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
    """The table with the other numbers beside its own, as the column "beside"."""
    keys = SWEPT[:-1]
    repeated = beside[beside.duplicated(keys)]
    if len(repeated):
        got = brief(tuple(repeated[keys].iloc[0]))
        raise ValueError(f"beside must hold each number once, got two for {got}")
    others = beside[SWEPT].rename(columns={"sensitivity": "beside"})
    joined = table.merge(others, on=keys, how="left")
    if joined["beside"].isna().all():
        first = brief(tuple(beside[keys].iloc[0]))
        raise ValueError(
            f"beside must hold numbers of what table holds, got none; {first}, say, is not in it"
        )
    joined.attrs = table.attrs
    return joined


def _draw_curve(panel: Axes, rows: pd.DataFrame, style: dict[str, Any]) -> None:
    """One relation's curve, its closed form, others' ticks."""
    ks, heights = _curve(rows, "sensitivity")
    panel.plot(ks, heights, color=EXACT, **style, clip_on=False)
    if "closed_form" in rows:
        thin = {"linestyle": style["linestyle"], **THIN}
        panel.plot(*_curve(rows, "closed_form"), **thin, clip_on=False)
    if "beside" in rows:
        # Others' numbers by colour: black where they agree, else as a claim that misses.
        ticks: dict[str, list[tuple[int, float]]] = {}  # by colour: they agree, or miss
        for k, ours, other in zip(ks, heights, _curve(rows, "beside")[1], strict=True):
            agree = math.isclose(ours, other, rel_tol=AGREE, abs_tol=AGREE)
            colour = INK if agree else TOO_SMALL if other < ours else LOOSE
            if not math.isnan(other):
                ticks.setdefault(colour, []).append((k, other))
        for colour, some in ticks.items():
            thick = {} if colour == INK else {"color": colour, "markeredgewidth": 4}
            panel.plot(*zip(*some, strict=True), **TICK | thick, clip_on=False)


def _curve(rows: pd.DataFrame, name: str) -> tuple[list[int], list[float]]:
    """Every k that is known and the number there; NaN in each gap."""
    known = {int(k): value for k, value in zip(rows["k"], rows[name], strict=True)}
    ks = sorted({*known, *(k + 1 for k in known if k < max(known))})
    heights: list[Any] = [known.get(k) for k in ks]
    return ks, [math.nan if is_missing(height) else float(height) for height in heights]


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
            universe = f"{KINDS_OF_UNIVERSES[kind]}: {NEGATIVE.sub(true_minus('-'), values)}"
            universe += f" ({count})" if count else ""
        short = DECIMALS.sub(lambda found: number_text(float(found[0])), universe)  # to six digits
        lines.append(fill(short.removeprefix("Universe."), width=56))
    return "\n".join(lines)


def relation_text(relation: str) -> str:
    """Say in words what a relation's k counts."""
    for family in STANDARD:
        if family.__name__ == str(relation).partition("(")[0]:
            return f"{'at most' if family.at_most else 'exactly'} k records {family.phrase}"
    return str(relation)
