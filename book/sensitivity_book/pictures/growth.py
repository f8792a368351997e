"""How sensitivities grow with the distance, query by query and world by world."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sensitivity_lab.plotting.style import (
    EXACT,
    INK,
    K_LABEL,
    WIDTH,
    relation_lines,
    styled_figure,
)
from sensitivity_lab.plotting.tables import relation_text


def plot_growth(table: pd.DataFrame) -> Figure:
    """Draw a sweep's table: a row of panels for each query, a panel for each data column.

    >>> from sensitivity_lab import MAX, SUM, Change, Universe, sweep
    >>> ask = {"size": 2, "relations": [Change(1), Change(2)]}
    >>> table = sweep([SUM, MAX], {"values": Universe.value_range([0, 3])}, **ask)
    >>> [panel.get_title(loc="left") for panel in plot_growth(table).axes]
    ['sum', 'max']

    Queries, columns and relations stand in the order of the table.
    """
    queries, columns, families = (
        list(table[name].unique()) for name in ("query", "column", "relation")
    )
    with styled_figure(figsize=(WIDTH, 1.8 + 1.45 * len(queries))) as figure:
        grid = figure.subplots(len(queries), len(columns), sharex="col", squeeze=False)
        for query, row in zip(queries, grid, strict=True):
            for panel, column in zip(row, columns, strict=True):
                rows = table[(table["query"] == query) & (table["column"] == column)]
                _draw_curves(panel, rows, families)
                panel.set_title(query, loc="left", fontweight="bold")
        for panel, column in zip(grid[0], columns, strict=True):
            panel.set_title(column, loc="right")
        for panel in grid[-1]:
            panel.set_xlabel(K_LABEL, fontsize=12)
        figure.supylabel("sensitivity")
        names = [relation_text(family) for family in families]
        keys = [Line2D([], [], color=INK, **line) for line in relation_lines(families).values()]
        figure.legend(keys, names, loc="outside lower center", handlelength=3)
    return figure


def _draw_curves(panel: Axes, rows: pd.DataFrame, families: list[str]) -> None:
    """One curve for each relation, on an axis from zero."""
    for family, line in relation_lines(families).items():
        drawn = rows[rows["relation"] == family]
        panel.plot(drawn["k"], drawn["sensitivity"].astype(float), color=EXACT, **line)
    panel.set(ylim=(0, 1.15 * float(rows["sensitivity"].max())))
    panel.set(xticks=range(1, int(rows["k"].max()) + 1))
    panel.grid(axis="y")
