"""A game as a notebook shows it: alive in JupyterLab, and on the page that is made of it."""

from __future__ import annotations

import os
from importlib import resources
from typing import Any

import traitlets
from anywidget import AnyWidget

from sensitivity_book.palette import stylesheet
from sensitivity_book.stage.dots.page import markup
from sensitivity_book.stage.dots.picture import Picture
from sensitivity_book.stage.explorers.explorer import IN_PAGE, PAGE

STATIC = resources.files("sensitivity_book.stage") / "static"
RUN = "<p><em>Run this cell to play.</em></p>"
RENDER = """
export default {
  render({ model, el }) {
    el.innerHTML = model.get("value");
    el.addEventListener("keydown", (event) => event.stopPropagation());  // JupyterLab's keys act on the cell
    globalThis.NAME.start(el.firstElementChild);
  },
};
"""


def static(name: str) -> str:
    """A script or a style of the book's pages; where a page runs Python, the page has it already."""
    return "" if IN_PAGE else (STATIC / name).read_text(encoding="utf-8")


def style(name: str) -> str:
    """The style of a picture, and the colours that it takes."""
    return "" if IN_PAGE else stylesheet() + static(name)


def script(name: str) -> str:
    """The script of a picture, started where the picture is shown."""
    return static(f"{name.lower()}.js") + RENDER.replace("NAME", name)


class Drawn(AnyWidget):
    """A picture by its own script and style: alive in a session, its HTML on a page made of it."""

    value = traitlets.Unicode().tag(sync=True)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**(data or {}), "text/plain": repr(self)}
        data["text/html"] = self.value if IN_PAGE or PAGE in os.environ else RUN
        return data, metadata


class Dots(Drawn):
    """A game of dots, by the script and the style of the book's pages."""

    _esm = script("Dots")
    _css = style("dots.css")

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        super().__init__(value=markup(picture))

    def __repr__(self) -> str:
        return f"<Dots {self._picture.name}: {self._picture.label}>"
