"""What a reader plays with: the directives `{answer}` and `{dots}`, and the scripts of pages.

`{answer}` is a field under an exercise, one of `sensitivity_book.answers.registry.ANSWERS`.  Its
content is for readers in JupyterLab, who see the directive as text: how to have the answer checked
there.  `{dots}` is a game of dots that can be pulled, one of
`sensitivity_book.stage.dots.games.GAMES`, computed when the page is built.

A page loads the scripts and styles of what it shows, and does without the others.
"""

import re
from typing import Any

from docutils import nodes
from sensitivity_book.answers import page as field
from sensitivity_book.answers.registry import ANSWERS
from sensitivity_book.stage.dots import page as game
from sensitivity_book.stage.dots.games import GAMES
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

LATER = {"loading_method": "defer"}
SHARED = {"loading_method": "defer", "priority": 400}  # before the rest
PLAY = 'class="(?:explorer|dots|tents|answer|ask|board)"'
LOADED: dict[str, tuple[tuple[str, ...], str, dict[str, Any]]] = {
    PLAY + '|class="cell_input': (("stage.css",), "stage.js", SHARED),
    'class="answer"': (("answers.css",), "answers.js", LATER),
    'class="ask"': (("ask.css",), "ask.js", LATER),
    'class="cell_input': ((), "code.js", {}),  # in the head: what is hidden is never seen to go
    'class="dots"': (("dots.css",), "dots.js", LATER),
    'class="tents"': (("tents.css",), "tents.js", LATER),
    'class="explorer"': ((), "explorers.js", LATER),
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("answer", Answer)
    app.add_directive("dots", Dots)
    app.connect("html-page-context", load_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Dots(SphinxDirective):
    required_arguments = 1
    known, markup = GAMES, staticmethod(lambda name, made: game.markup(made))

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in self.known:
            raise self.error(f"{self.name} must be one of {', '.join(self.known)}, got {name}")
        return [nodes.raw("", self.markup(name, self.known[name]()), format="html")]


class Answer(Dots):
    has_content = True
    known, markup = ANSWERS, staticmethod(field.markup)


def load_scripts(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    for shown, (styles, script, how) in LOADED.items():
        if re.search(shown, context.get("body", "")):
            for style in styles:
                app.add_css_file(style)
            app.add_js_file(script, **how)
