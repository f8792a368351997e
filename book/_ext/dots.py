"""The directive `{dots}`: a game of dots that can be pulled, computed when the page is built.

Its argument names one of `sensitivity_book.stage.dots.games.GAMES`.  A page that has a game loads the script
and the style of the dots; the others do without.
"""

from typing import Any

from docutils import nodes
from sensitivity_book.stage.dots.games import GAMES
from sensitivity_book.stage.dots.page import markup
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("dots", Dots)
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Dots(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in GAMES:
            raise self.error(f"game must be one of {', '.join(GAMES)}, got {name}")
        return [nodes.raw("", markup(GAMES[name]()), format="html")]


def load_script(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if '<div class="dots"' in context.get("body", ""):
        app.add_css_file("dots.css")
        app.add_js_file("dots.js", loading_method="defer")
