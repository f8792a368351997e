"""The one style of all pictures: colours, markers, line styles, and figures drawn in them."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab import text
from sensitivity_lab.exact import brief
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation

INK, PALE = "#222222", "#b0b0b0"
ADDED, REMOVED = text.ADDED, text.REMOVED

# A record of a witness: in both datasets, in the first alone, in the second alone.
KINDS: dict[str, dict[str, Any]] = {
    "in both": {"marker": "o", "color": "#777777", "markersize": 0.8},
    "removed": {"marker": "s", "color": REMOVED, "markersize": 0.8, "markerfacecolor": "white"},
    "added": {"marker": "^", "color": ADDED, "markersize": 0.95},
}

# What is said of a sensitivity: the claim, the exact number, and the two ways in which a claim misses
# it. None of them is a kind of record's colour.
CLAIMED, EXACT, LOOSE, TOO_SMALL = "#5e4fa2", "#008a64", "#b87800", "#a03060"

# Told apart by a colour-blind reader and on white paper; 7 colours and 10 markers share no
# factor, so 70 queries pass before a pair of colour and marker comes back.
COLOURS = ["#0072b2", "#d55e00", "#5e4fa2", "#009e73", "#a03060", "#b87800", "#707070"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "p", "<", ">"]

WIDTH = 6.4  # inches: 460 points, so that 12-point text is 9 pixels high on a 340-pixel phone

# Every figure of the book is drawn inside `plt.rc_context(STYLE)`, most by `styled_figure`.
STYLE: dict[Any, Any] = {
    "figure.figsize": (WIDTH, 4.0),
    "figure.facecolor": "white",  # opaque: the figure is a white card on a dark page
    "figure.constrained_layout.use": True,
    "figure.titlesize": 13,
    "figure.labelsize": 13,
    "font.size": 13,
    "axes.titlesize": 13,
    "axes.labelsize": 13,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "grid.color": "#e0e0e0",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "legend.fontsize": 12,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: small files, and a reader can select it
    "svg.hashsalt": "sensitivity-lab",  # the same figure is the same file, byte for byte
}

K_LABEL = "distance k (records that differ)"

# Each relation is drawn thinner and hollower than the one before it, so that where two curves
# agree both are seen: a dark dashed line inside a broad coloured one.
LINES: list[dict[str, Any]] = [
    {"linestyle": "-", "linewidth": 3.6, "markersize": 10},
    {
        "linestyle": "--",
        "linewidth": 1.5,
        "markersize": 6,
        "color": INK,
        "markerfacecolor": "white",
    },
    {"linestyle": ":", "linewidth": 1.5, "markersize": 5, "color": INK},
    {
        "linestyle": "-.",
        "linewidth": 1.0,
        "markersize": 5,
        "color": INK,
        "markerfacecolor": "white",
    },
    {"linestyle": "-", "linewidth": 0.8, "markersize": 3, "color": INK},
]


def inline_svg() -> None:
    """Make a notebook show figures as SVG that is the same, byte for byte, on every run.

    >>> inline_svg()  # call it in a notebook's first cell; elsewhere it does nothing

    A notebook draws a figure after the cell has ended, so here, and nowhere else, settings
    outlive a call: `svg.fonttype` and `svg.hashsalt` stay as `STYLE` has them.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    from matplotlib_inline import backend_inline  # only notebooks have it

    plt.rcParams.update({key: STYLE[key] for key in ("svg.fonttype", "svg.hashsalt")})
    backend_inline.set_matplotlib_formats("svg", metadata={"Date": None})  # type: ignore[no-untyped-call]
    formatter = shell.display_formatter.formatters["image/svg+xml"]
    drawn = formatter.for_type(Figure)
    formatter.for_type(Figure, lambda figure: _clips_named_as_written(drawn(figure)))


def _clips_named_as_written(svg: str) -> str:
    """Name each clip path by the rectangle that is written.

    Matplotlib's name is a hash of its floats, whose last bits depend on the processor.
    """
    for name, rectangle in re.findall(r'<clipPath id="(.*?)">(.*?)</clipPath>', svg, re.DOTALL):
        svg = svg.replace(name, "p" + hashlib.sha256(rectangle.encode()).hexdigest()[:10])
    return svg


# A relation is a line style. Where two of one colour agree both are seen: a dark line in a pale, broad
# one, dots that stand out of dashes.
RELATION_LINES: dict[str, dict[str, Any]] = {
    "AddRemove": {"linestyle": ":", "linewidth": 3.6, "marker": "o", "markersize": 3.6},
    "Change": {"linestyle": "-", "linewidth": 7, "alpha": 0.35, "marker": "o", "markersize": 11},
    "SymmetricDifference": {
        "linestyle": "--",
        "linewidth": 1.4,
        "marker": "o",
        "markersize": 6,
        "markerfacecolor": "white",
    },
}


@contextmanager
def styled_figure(**options: Any) -> Iterator[Figure]:
    """Give a new figure in `STYLE`; when the block ends it is closed, so it is shown once.

    >>> with styled_figure(figsize=(WIDTH, 2)) as figure:
    ...     line = figure.subplots().plot([1, 2, 3])

    A notebook shows every figure that is left open at the end of a cell, and then the figure
    that is the cell's value: closed, it is shown only as the value.
    """
    with plt.rc_context(STYLE):
        figure = plt.figure(**options)
        try:
            yield figure
        finally:
            plt.close(figure)


def heading(query: Query, relation: Relation) -> str:
    """Write what was asked as a title, on two lines where one is too short.

    >>> from sensitivity_lab import MEAN, Change
    >>> heading(MEAN, Change(1))
    'mean under Change(1): at most 1 record changed'
    """
    asked, words = f"{query.name} under {relation}", relation.description
    return f"{asked}: {words}" if len(asked + words) < 58 else f"{fill(asked, 56)}\n{words}"


def check_axes(ax: Any) -> None:
    """Refuse what is not Matplotlib's axes.

    >>> check_axes(plt.Figure().subplots())

    Raises TypeError.
    """
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be Matplotlib axes, got {brief(ax)}")
