"""A panel that stands still while the settings move, and a ring for the chosen point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting.style import INK, WIDTH, styled_figure

LEFT, RIGHT = 0.14, 0.03  # of a figure's width, beside a panel


@contextmanager
def stage(height: float, *, legend: bool = False) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one panel that stands still while the settings move, and room for a legend."""
    foot, top = (0.9 if legend else 0.6) / height, 0.12 / height
    with styled_figure(figsize=(WIDTH, height), layout="none") as figure:
        yield figure, figure.add_axes((LEFT, foot, 1 - LEFT - RIGHT, 1 - foot - top))


def ring(panel: Axes, k: int, height: float) -> None:
    """Mark the chosen point."""
    panel.plot([k], [height], "o", markersize=15, fillstyle="none", color=INK, clip_on=False)
