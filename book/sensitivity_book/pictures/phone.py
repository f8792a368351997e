"""How a notebook stores a figure, and the form for a phone: narrower, its panels below one another.

Both stand in one SVG, in text of one size. The form for a phone is hidden;
a page shows one of the two.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pickle
import re
import sys
from collections.abc import Callable
from textwrap import fill

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from matplotlib.text import Text
from PIL import Image

from sensitivity_book.pictures.errors import short_errors
from sensitivity_lab.plotting import NARROW_FORMS, PHONE, STYLE

MOST_STACKED = 4  # panels; of more, two stay beside one another
LINE = 0.25  # inches for one more line of text

NO_VERSION = {"Date": None, "Creator": None}  # of Matplotlib, in a stored SVG
COLOURS = 64  # of a PNG: lines and flat areas need few
# Set where a page is made, "all", or compared, "opening": with or without every frame.
# Else nobody waits for them.
PAGE = "SENSITIVITY_BOOK_PAGE"
HIDDEN = '<svg class="phone" style="display: none"'


def inline_svg() -> None:
    """Make a notebook show figures as SVG that is the same, byte for byte, on every run,
    and as PNG where no SVG is shown: on a code host, and by a tool that does not trust the file.

    >>> inline_svg()  # call it in a notebook's first cell; elsewhere it does nothing

    A notebook draws a figure after the cell has ended, so here, and nowhere else, settings
    outlive a call: `svg.fonttype` and `svg.hashsalt` stay as `STYLE` has them. In each SVG stands
    the figure's form for a phone too, hidden until a page shows it. Errors are shown in short.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    from matplotlib_inline import backend_inline  # only notebooks have it

    short_errors(shell)
    shell.register_magic_function(only_in_tests, "cell")
    plt.rcParams.update({key: STYLE[key] for key in ("svg.fonttype", "svg.hashsalt")})
    backend_inline.set_matplotlib_formats("svg", metadata=NO_VERSION)  # type: ignore[no-untyped-call]
    shell.display_formatter.formatters["image/png"].for_type(Figure, as_png)
    formatter = shell.display_formatter.formatters["image/svg+xml"]
    drawn = formatter.for_type(Figure)
    formatter.for_type(Figure, lambda figure: with_phone_form(figure, drawn))


def only_in_tests(_line: str, cell: str) -> None:
    """Run a cell that holds a chapter to its data where it is tested, and nowhere else."""
    if PAGE in os.environ:
        sys.modules["IPython"].get_ipython().run_cell(cell).raise_error()


def as_png(*figures: Figure) -> tuple[str, dict[str, int]]:
    """Figures below one another as one PNG for a fine screen, in base64, and its size on a page."""
    drawn = []
    for figure in figures:
        buffer = io.BytesIO()
        paper = figure.get_facecolor()
        figure.savefig(buffer, format="png", dpi=144, bbox_inches="tight", facecolor=paper)
        drawn.append(Image.open(buffer).convert("RGB"))
    whole = (max(each.width for each in drawn), sum(each.height for each in drawn))
    sheet, y = Image.new("RGB", whole, "white"), 0
    for each in drawn:
        sheet.paste(each, (0, y))
        y += each.height
    sheet.quantize(COLOURS).save(buffer := io.BytesIO(), "png", optimize=True)
    size = {"width": whole[0] * 2 // 3, "height": whole[1] * 2 // 3}  # 96 pixels an inch
    return base64.b64encode(buffer.getvalue()).decode("ascii"), size


def set_phone_form(figure: Figure, draw: Callable[[], Figure] | None) -> None:
    """Say how a figure is drawn for a phone; None leaves it with one form.

    >>> from sensitivity_lab.plotting import styled_figure
    >>> with styled_figure() as figure:
    ...     set_phone_form(figure, None)
    >>> phone_form(figure) is None
    True
    """
    NARROW_FORMS[figure] = draw


def phone_form(figure: Figure) -> Figure | None:
    """Return a figure's form for a phone: its own, or a narrow copy; None where it needs none."""
    if figure in NARROW_FORMS:
        draw = NARROW_FORMS[figure]
        return draw() if draw else None
    if figure.get_figwidth() <= PHONE:
        return None
    copy: Figure = pickle.loads(pickle.dumps(figure))
    with plt.rc_context(STYLE):
        copy.set_figwidth(PHONE)
        _stack(copy)
        _fit(copy)
    plt.close(copy)
    return copy


def _stack(figure: Figure) -> None:
    """Put the panels of a wide grid below one another."""
    panels = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
    grids = {id(axes.get_subplotspec().get_gridspec()) for axes in panels}  # type: ignore[union-attr]
    if len(grids) != 1:
        return
    grid = panels[0].get_subplotspec().get_gridspec()  # type: ignore[union-attr]
    if grid.ncols == 1:
        return
    across = 1 if len(panels) <= MOST_STACKED else 2
    if grid.ncols == across:
        return
    down = -(-len(panels) // across)
    row = (figure.get_figheight() - 1) / grid.nrows  # an inch for what stands around the panels
    _name_below(panels, grid.ncols, across)
    stacked = GridSpec(down, across, figure=figure)
    for i, axes in enumerate(panels):
        spec = axes.get_subplotspec()
        assert spec is not None
        first = spec.colspan.start == 0
        if not first and not any(label.get_visible() for label in axes.get_yticklabels()):
            axes.tick_params(labelleft=True)  # it was written on the first panel of the row
        axes.set_subplotspec(stacked[i // across, i % across])
    figure.set_figheight(1 + down * max(1.5, row * (0.9 if across == 1 else 1)))


def _name_below(panels: list[Axes], before: int, across: int) -> None:
    """Write the name of an axis that all panels share below the last of each column."""
    names = [axes.get_xlabel() for axes in panels]
    if any(names[:-before]) or len({*names} - {""}) != 1:
        return
    for i, axes in enumerate(panels):
        axes.set_xlabel(max(names) if i >= len(panels) - across else "")


def _fit(figure: Figure) -> None:
    """Break what is too long, and make room for it."""
    figure.set_dpi(72)
    figure.draw_without_rendering()
    room, added = 72 * PHONE, 0
    for text in (figure._suptitle, figure._supxlabel):  # type: ignore[attr-defined]
        added += _break(text, room) if text is not None else 0
    for axes in figure.axes:
        left, right = axes.get_position().x0 * room, axes.get_position().x1 * room
        for text in (axes.title, axes._left_title, axes.xaxis.label):  # type: ignore[attr-defined]
            added += _break(
                text, room - left if text is not axes.xaxis.label else right - left + 15
            )
        _thin_out(axes)
        legend = axes.get_legend()
        if legend is not None:
            _narrow(legend, 0.95 * (right - left))
    for legend in figure.legends:
        added += _narrow(legend, room)
    figure.set_figheight(figure.get_figheight() + LINE * added)


def _break(text: Text, room: float) -> int:
    """Break a text into lines that have room, and return how many more they are."""
    words = text.get_text()
    width = text.get_window_extent().width
    if not words or width <= room or "\n" in words:
        return 0
    text.set_text(fill(words, max(12, int(len(words) * room / width) - 1)))
    return text.get_text().count("\n")


def _thin_out(axes: Axes) -> None:
    """Leave out the labels below the axis that would touch the one before."""
    end = -1e9
    for label in axes.get_xticklabels():
        box = label.get_window_extent()
        if label.get_text() and label.get_visible():
            if box.x0 < end + 3:
                label.set_alpha(0)
            else:
                end = box.x1


def _narrow(legend: Legend, room: float) -> int:
    """Give a legend as many columns as have room, and return how many lines that adds."""
    columns: int = legend._ncols  # type: ignore[attr-defined]
    entries = len(legend.get_texts())
    before = -(-entries // columns)
    while columns > 1 and legend.get_window_extent().width > room:
        columns -= 1
        legend.set_ncols(columns)
        legend.figure.draw_without_rendering()  # type: ignore[union-attr]
    for text in legend.get_texts():
        box = legend.get_window_extent()
        spare = room - (box.width - text.get_window_extent().width)
        _break(text, spare)
    lines = sum(1 + text.get_text().count("\n") for text in legend.get_texts())
    return -(-lines // columns) - before


def with_phone_form(figure: Figure, drawn: Callable[[Figure], str]) -> str:
    """Return a figure's SVG, as `drawn` writes it, with its form for a phone in it, hidden."""
    name_panels(figure)
    wide = _clips_named_as_written(drawn(figure))
    narrow = phone_form(figure)
    if narrow is None:
        return wide
    name_panels(narrow)
    svg = _clips_named_as_written(drawn(narrow))
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'(\sid="|["(]#)', r"\1phone-", svg).replace("<svg", HIDDEN, 1)
    head, _, tail = wide.rpartition("</svg>")
    return f"{head}{svg.strip()}\n</svg>{tail}"


def name_panels(figure: Figure) -> None:
    """Name each panel of a sweep by its column and query: a page's explorer opens there."""
    for part in figure.subfigs:
        column = part.get_suptitle().splitlines()[0].partition(", datasets")[0]
        for panel in part.axes:
            panel.set_gid(f"column={column};query={panel.get_title(loc='left')}")


def _clips_named_as_written(svg: str) -> str:
    """Name each clip path by the rectangle that is written."""
    for name, rectangle in re.findall(r'<clipPath id="(.*?)">(.*?)</clipPath>', svg, re.DOTALL):
        svg = svg.replace(name, "p" + hashlib.sha256(rectangle.encode()).hexdigest()[:10])
    return svg
