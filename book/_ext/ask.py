"""The directive `{ask}`: a form that a script sets, and an example, answered by the build."""

import json
from dataclasses import asdict
from html import escape
from typing import Any

from docutils import nodes
from sensitivity_beyond.ask import EXAMPLES, MOST_BYTES, PARTS, answer, curve
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PAGE = """<div class="ask" data-form="{told}"><div class="found"><p class="which">
An example, {name}: its answer was stored when the book was made.</p>{found}</div>
<section class="curve"><h3>At every distance k</h3><div>{curve}</div></section></div>"""


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("ask", Ask)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Ask(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        parts = {title: [asdict(field) for field in fields] for title, fields in PARTS.items()}
        told = escape(json.dumps({"parts": parts, "examples": EXAMPLES, "most": MOST_BYTES}))
        name, form = next(iter(EXAMPLES.items()))
        shown = {"found": answer(form)["html"], "curve": curve()["html"]}
        html = PAGE.format(told=told, name=name, **shown)
        return [nodes.raw("", html, format="html")]
