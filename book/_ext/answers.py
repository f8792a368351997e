"""The directive `{answer}`: a field under an exercise, for a number, a dataset or a function.

Its argument names one of `sensitivity_book.answers.registry.ANSWERS`.  Its content is for readers in
JupyterLab, who see the directive as text: how to have the answer checked there.  A page that has a
field loads the script and the style of the fields; the others do without.
"""

from typing import Any

from docutils import nodes
from sensitivity_book.answers.page import markup
from sensitivity_book.answers.registry import ANSWERS
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("answer", Answer)
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Answer(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in ANSWERS:
            raise self.error(f"answer must be one of {', '.join(ANSWERS)}, got {name}")
        return [nodes.raw("", markup(name, ANSWERS[name]()), format="html")]


def load_script(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if '<div class="answer"' in context.get("body", ""):
        app.add_css_file("answers.css")
        app.add_js_file("answers.js", loading_method="defer")
