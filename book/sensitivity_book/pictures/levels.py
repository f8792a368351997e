"""How answers travel between levels in the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting import EXACT, INK, PALE, PAPER, WIDTH, styled_figure

Two = tuple[int, int]


def plot_shrink_and_grow(school: Sequence[int], path: tuple[Two, int, Two]) -> Figure:
    """Draw the sweep of the sum of two under `Change(1)`: datasets, their cores, datasets again.

    >>> axes = plot_shrink_and_grow((1, 2, 3, 10), ((2, 10), 2, (1, 2))).axes[0]
    >>> [text.get_text() for text in axes.texts[6:10]]
    ['1\\n3…11', '2\\n3…12', '3\\n4…13', '10\\n11…13']
    """
    top = list(combinations(school, 2))
    across = {pair: i for i, pair in enumerate(top)}
    middle = {record: 1 + i for i, record in enumerate(school)}
    with styled_figure(figsize=(WIDTH, 4.4)) as figure:
        axes = figure.subplots()
        _draw_lines(axes, across, middle, path)
        _draw_boxes(axes, across, middle)
        for y, text in ((1.5, "shrink"), (0.5, "grow")):
            axes.text(-0.55, y, text, ha="left", va="center", fontsize=13, style="italic")
        axes.set(xlim=(-0.6, 5.6), ylim=(-0.35, 2.35))
        axes.set_axis_off()
    return figure


def _draw_lines(
    axes: Axes, across: dict[Two, int], middle: dict[int, int], path: tuple[Two, int, Two]
) -> None:
    """From each dataset a line to each of its cores, and from each core to its datasets."""
    start, core, goal = path
    for pair, x in across.items():
        for record in pair:
            for y, end in ((2, start), (0, goal)):
                thick = pair == end and record == core
                axes.plot(
                    [x, middle[record]],
                    [y, 1],
                    color=EXACT if thick else PALE,
                    linewidth=4 if thick else 1,
                    zorder=thick,
                )


def _draw_boxes(axes: Axes, across: dict[Two, int], middle: dict[int, int]) -> None:
    """The datasets with their sums, the cores and the datasets with what reaches them."""
    cores = {core: [sum(pair) for pair in across if core in pair] for core in middle}
    reach = {pair: cores[pair[0]] + cores[pair[1]] for pair in across}
    boxes = [(x, 2, f"{pair}\n{sum(pair)}") for pair, x in across.items()]
    boxes += [(middle[core], 1, f"{core}\n{_span(sums)}") for core, sums in cores.items()]
    boxes += [(across[pair], 0, f"{pair}\n{_span(sums)}") for pair, sums in reach.items()]
    for x, y, text in boxes:
        axes.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            fontsize=12,
            zorder=3,
            bbox={"facecolor": PAPER, "edgecolor": INK, "boxstyle": "round"},
        )


def _span(sums: Sequence[int]) -> str:
    return f"{min(sums)}…{max(sums)}"
