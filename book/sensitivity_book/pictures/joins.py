"""How many times the exact sensitivity two bounds on counting joins are,
over all small datasets."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from sensitivity_lab.plotting import INK, LOOSE, PAPER, WIDTH, styled_figure

BOUNDS = {"residual": ("o", "-", -0.14), "elastic": ("D", ":", 0.14)}
TICKS = [1, 2, 3, 5, 10, 20]


def plot_looseness(table: pd.DataFrame) -> Figure:
    """Draw `looseness`: a line of each bound for each join,
    from its median to its largest ratio."""
    with styled_figure(figsize=(WIDTH, 1.2 + 0.42 * len(table))) as figure:
        axes = figure.subplots()
        axes.axvline(1, color=INK, linewidth=1.5)
        for bound, (marker, dashes, down) in BOUNDS.items():
            middle, most = table[f"{bound} median"], table[f"{bound} largest"]
            places = [i + down for i in range(len(table))]
            axes.hlines(places, middle, most, color=LOOSE, linestyle=dashes, linewidth=2)
            axes.plot(middle, places, marker, color=LOOSE, label=f"{bound}: median")
            hollow: dict[str, Any] = {
                "color": LOOSE,
                "markerfacecolor": PAPER,
                "label": f"{bound}: largest",
            }
            axes.plot(most, places, marker, **hollow)
        axes.set(xscale="log", xlabel="bound / exact local sensitivity", xlim=(0.9, None))
        axes.xaxis.set_major_locator(FixedLocator(TICKS))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(TICKS, [f"{tick} ×" for tick in TICKS])
        axes.set_xlim(0.9, 1.15 * float(table.filter(like="largest").to_numpy().max()))
        axes.set_yticks(range(len(table)), [str(name) for name in table.index])
        axes.invert_yaxis()
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure
