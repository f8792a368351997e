"""A game as a notebook shows it: alive in JupyterLab, and on the page that is made of it."""

from __future__ import annotations

from sensitivity_book.stage.dots.page import markup
from sensitivity_book.stage.dots.picture import Picture
from sensitivity_book.stage.play import Drawn, script, style


class Dots(Drawn):
    """A game of dots, by the script and the style of the book's pages."""

    _esm = script("Dots")
    _css = style("dots.css")

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        super().__init__(value=markup(picture))

    def __repr__(self) -> str:
        return f"<Dots {self._picture.name}: {self._picture.label}>"
