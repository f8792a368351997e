"""The one style of all pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle
from textwrap import fill
from typing import Any
from weakref import WeakKeyDictionary

import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sensitivity_lab.numbers.exact import brief
from sensitivity_lab.plotting.palette import *  # each is a colour of the style
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation

# Records of a witness.
KINDS: dict[str, dict[str, Any]] = {
    "in both": {"marker": "o", "color": GREY, "markersize": 0.8},
    "removed": {"marker": "s", "color": REMOVED, "markersize": 0.8, "markerfacecolor": PAPER},
    "added": {"marker": "^", "color": ADDED, "markersize": 0.95},
}

KEYS = 26  # room for the legend, on the caller's axes
WIDTH = 6.4  # inches, on a page
PHONE = 4.4  # inches: 325 points with its margin; 12-point text is 11 pixels high on 300 pixels
# How some figures are drawn so narrow, for pages with two forms; None: one has no other.
NARROW_FORMS: WeakKeyDictionary[Figure, Callable[[], Figure] | None] = WeakKeyDictionary()

# Every figure is drawn inside `plt.rc_context(STYLE)`.
STYLE: dict[Any, Any] = {
    "figure.figsize": (WIDTH, 4.0),
    "figure.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    **dict.fromkeys(("font.size", "figure.titlesize", "figure.labelsize"), 13),
    **dict.fromkeys(("axes.titlesize", "axes.labelsize"), 13),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 12),
    **dict.fromkeys(("text.color", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "axes.titlecolor"), INK),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "grid.color": GRID,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: small files, and a reader can select it
    "svg.hashsalt": "sensitivity-lab",  # the same figure is the same file, byte for byte
}

K_LABEL = "distance k (Hamming)"


def _line(dashes: Any, width: float, marker: str, size: float, **more: Any) -> dict[str, Any]:
    return {"linestyle": dashes, "linewidth": width, "marker": marker, "markersize": size, **more}


# Where curves agree all are seen: a line through thick dashes, through thicker dots.
RELATION_LINES = {
    "AddRemove": _line("-", 1.8, "o", 5, zorder=2.5),
    "Change": _line((0, (2.2, 1.6)), 4, "o", 9, zorder=2.3, markerfacecolor=PAPER),
    "SymmetricDifference": _line(
        (0, (0.01, 1.7)), 6.5, "D", 11, zorder=2.1, markerfacecolor=PAPER, dash_capstyle="round"
    ),
    "Add": _line((0, (6, 1.5, 1, 1.5)), 2.4, "P", 7, zorder=2.4),
    "Remove": _line((0, (6, 1.5, 1, 1.5, 1, 1.5)), 2.4, "X", 7, zorder=2.2),
}
# Relations of one's own, in the order of the table.
OTHER_LINES = [
    _line((0, (1, 1)), 2, "v", 6), _line((0, (8, 2)), 2, "p", 6), _line("-", 0.9, "h", 6)
]  # fmt: skip


def relation_lines(relations: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The line style of each relation."""
    others = cycle(OTHER_LINES)
    known = {name: RELATION_LINES.get(str(name).partition("(")[0]) for name in relations}
    return {name: dict(line or next(others)) for name, line in known.items()}


def kind_key(kind: str, word: str) -> Line2D:
    """A legend's entry for a kind of record."""
    return Line2D([], [], linestyle="", label=word, **KINDS[kind] | {"markersize": 10})


@contextmanager
def styled_figure(**options: Any) -> Iterator[Figure]:
    """Give a new figure in `STYLE`, closed when the block ends: it is shown once."""
    with plt.rc_context(STYLE):
        figure = plt.figure(**options)
        try:
            yield figure
        finally:
            plt.close(figure)


def heading(query: Query, relation: Relation) -> str:
    """What was asked, as a title."""
    return fill(f"{query.name}, {relation.description}", 56)


def check_axes(ax: Any) -> None:
    """Refuse what is not Matplotlib's axes."""
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be Matplotlib axes, got {brief(ax)}")
