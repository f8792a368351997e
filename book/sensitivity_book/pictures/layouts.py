"""Layouts: which records of a population two datasets share, and which only one of them has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.numbers import Exact, number_text, true_minus
from sensitivity_lab.plotting import ADDED, GREY, GRID, INK, PAPER, REMOVED, WIDTH, styled_figure

# letter of a layout: what it means, marker, face, edge
ROLES = {
    "A": ("A: only the higher side", "^", ADDED, ADDED),
    "B": ("B: only the lower side", "s", REMOVED, REMOVED),
    "C": ("C: both", "o", GREY, GREY),
    ".": ("unused", "o", PAPER, GREY),
}

Row = tuple[str, Exact | float, str]


def plot_layouts(
    records: Sequence[int], panels: Mapping[str, Sequence[Row]], *, trades: bool = False
) -> Figure:
    """Draw layouts of the records, one below the other: a panel for each title.

    >>> rows = [("before", 2, "B.CA"), ("after", Fraction(7, 2), "BC.A")]
    >>> axes = plot_layouts([1, 2, 3, 10], {"A trade": rows}).axes[0]
    >>> [text.get_text() for text in axes.texts]
    ['2', '7/2']
    """
    for _, _, layout in chain.from_iterable(panels.values()):
        if len(layout) != len(records):
            raise ValueError(
                f"layouts must have a letter for each of {len(records)} records, got {layout!r}"
            )
    heights = [len(rows) + 0.6 for rows in panels.values()]
    with styled_figure(figsize=(WIDTH, 0.9 + 0.46 * sum(heights))) as figure:
        grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)
        figure.get_layout_engine().set(hspace=0.1)  # type: ignore[union-attr, call-arg]
        for axes, (title, rows) in zip(grid[:, 0], panels.items(), strict=True):
            _draw_panel(axes, records, rows, _traded(records, rows) if trades else [])
            axes.set_title(title, loc="left")
        grid[0, 0].set_title("gap", loc="right")
        grid[-1, 0].set_xticks(records, map(str, records))
        _draw_keys(figure)
    return figure


def _traded(records: Sequence[int], rows: Sequence[Row]) -> list[int]:
    """The records that have another role in the second row than in the first."""
    both = zip(records, rows[0][2], rows[1][2], strict=True)
    return [record for record, before, after in both if before != after]


def _draw_panel(
    axes: Axes, records: Sequence[int], rows: Sequence[Row], ringed: Collection[int]
) -> None:
    """The rows of one panel, the first at the top, each with its gap at the right."""
    reach = records[-1] - records[0]
    for i, (_, gap, layout) in enumerate(rows):
        _draw_row(axes, records, layout, -i, ringed)
        axes.text(records[-1] + reach / 19, -i, _gap_text(gap), va="center", fontsize=12)
    axes.set_yticks([-i for i in range(len(rows))], [label for label, _, _ in rows])
    axes.set(ylim=(0.6 - len(rows), 0.6), xlim=(records[0] - reach / 24, records[-1] + reach / 5))
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)


def _draw_row(
    axes: Axes, records: Sequence[int], layout: str, height: int, ringed: Collection[int]
) -> None:
    """The records on their number line, each with the marker of its letter."""
    axes.hlines(height, records[0], records[-1], color=GRID, zorder=0)
    for letter, (_, marker, face, edge) in ROLES.items():
        at = [record for record, role in zip(records, layout, strict=True) if role == letter]
        axes.scatter(
            at, [height] * len(at), s=75, marker=marker, facecolor=face, edgecolor=edge, zorder=2
        )
    axes.scatter(
        list(ringed),
        [height] * len(ringed),
        s=290,
        marker="o",
        facecolor="none",
        edgecolor=INK,
        linewidth=1.2,
        zorder=3,
    )


def _gap_text(gap: Exact | float) -> str:
    """The gap as a fraction, or in four digits where the fraction is long."""
    exact = Fraction(gap)
    return true_minus(f"{float(exact):.4g}" if exact.denominator > 20 else number_text(exact))


def _draw_keys(figure: Figure) -> None:
    """One key for all panels, below them."""
    keys = [
        figure.axes[0].scatter(
            [], [], s=75, marker=marker, facecolor=face, edgecolor=edge, label=label
        )
        for label, marker, face, edge in ROLES.values()
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=2)
