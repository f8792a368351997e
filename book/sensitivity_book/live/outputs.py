"""How a value shows itself on a page: as in a notebook, set as the page sets its outputs."""

import importlib
import io
import sys
from collections.abc import Iterator
from typing import Any

from sensitivity_book.pictures.drawings import inline, named_apart, themed
from sensitivity_book.pictures.table_html import set_for_reading, tidy

LONGEST = 100_000  # characters of a text
CUT = f"\n… cut here, after {LONGEST:,} characters\n"
WIDTH = 79  # of its lines, as in a notebook
# Notebooks lay out values with one module of IPython; a page has that module alone.
LAYOUT = "pretty" if sys.platform == "emscripten" else "IPython.lib.pretty"


def shown(value: object, prefix: str) -> tuple[str, str]:
    """Return the kind, `html` or `text`, in which a value is shown, and the HTML or the text."""
    if (drawn := drawing(value)) is not None:
        return "html", themed(inline('<img alt="">', named_apart(drawn, prefix)))
    bundle = asked(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple):
        bundle = bundle[0]
    offered: dict[str, Any] = bundle or {}
    html = offered.get("text/html") or asked(value, "_repr_html_")
    if html is not None:
        return "html", themed(set_for_reading(tidy(html)))
    if (svg := asked(value, "_repr_svg_")) is not None:
        return "html", themed(inline('<img alt="">', named_apart(svg, prefix)))
    return "text", cut(in_words(value))


def cut(text: str) -> str:
    """A text, or as much of it as a page shows."""
    return text if len(text) <= LONGEST else text[:LONGEST] + CUT


def asked(value: object, method: str) -> Any:
    """What a value answers to one of the methods that notebooks know; None without it."""
    answer = None if isinstance(value, type) else getattr(value, method, None)
    return answer() if callable(answer) else None


def in_words(value: object) -> str:
    """A value as a notebook prints it, over several lines where it is long."""
    layout = importlib.import_module(LAYOUT)
    text: str = layout.pretty(value, max_width=WIDTH)
    return text


def drawing(value: object) -> str | None:
    """A figure as SVG, in it its form for a phone; None for what is no figure."""
    if "matplotlib.figure" not in sys.modules:
        return None
    from matplotlib.figure import Figure

    from sensitivity_book.pictures.phone import with_phone_form

    if not isinstance(value, Figure):
        return None
    return with_phone_form(value, as_notebooks_do)


def as_notebooks_do(figure: Any) -> str:
    """A figure as SVG, cut to what is drawn."""
    from matplotlib import rc_context

    from sensitivity_book.pictures.phone import NO_VERSION
    from sensitivity_lab.plotting import STYLE

    buffer = io.StringIO()
    look = {"facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor()}
    with rc_context({key: STYLE[key] for key in ("svg.fonttype", "svg.hashsalt")}):
        figure.savefig(
            buffer, format="svg", bbox_inches="tight", metadata=NO_VERSION, dpi=figure.dpi, **look
        )
    return buffer.getvalue()


def open_figures() -> Iterator[Any]:
    """The figures that a cell has left open, each once; then none is open."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    try:
        for number in pyplot.get_fignums():
            yield pyplot.figure(number)
    finally:
        close_figures()


def close_figures() -> None:
    """Leave no figure open for the next cell to show."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
