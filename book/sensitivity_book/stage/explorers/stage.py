"""A panel that stands still while the settings move, and a ring for the chosen point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.plotting import INK, styled_figure

NARROW = 4.6  # inches: 331 points, so that 12-point text is 11 pixels high on a 306-pixel picture
LEFT, RIGHT = 0.17, 0.04  # of a figure's width, beside a panel


@contextmanager
def stage(height: float, *, legend: int = 0, left: float = LEFT) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one panel that stands still while the settings move, and room for a legend."""
    foot, top = (0.6 + 0.27 * legend) / height, 0.2 / height
    with styled_figure(figsize=(NARROW, height), layout="none") as figure:
        yield figure, figure.add_axes((left, foot, 1 - left - RIGHT, 1 - foot - top))


def ring(panel: Axes, k: int, height: float) -> None:
    """Mark the chosen point."""
    look: dict[str, Any] = {"markersize": 15, "fillstyle": "none", "color": INK, "zorder": 4}
    panel.plot([k], [height], "o", clip_on=False, **look)
