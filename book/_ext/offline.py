"""What a page needs to work from a file, for everyone.

Jupyter Book always loads Thebe, which runs cells on a public server.  This book has no
such server: every page would name one, and declare its address twice, which is an error
in the browser.  So Thebe's part in the build is taken out again.

Where a notebook made widgets, MyST-NB adds their state to the page, and scripts from a content
network that bring them to life.  Our explorers live without either, and the state has random
names, which would make two builds differ.

What a cell prints may reach MyST-NB in pieces, at times of one line, and it would end a line after
each: two builds would differ.  So the pieces are joined first.

Every exercise, solution and proof of a page bears the same id, which is taken away: nothing leads
there.  The link in a solution's title begins with a space, which moves out of it.  Matplotlib names
a marker by its shape: a second picture that draws it gets names of its own.

A browser may end a line between a formula and the comma behind it: the two are kept together.

Without JavaScript formulas stay TeX, and a page that has some says so.
"""

import re
from typing import Any

from docutils import nodes
from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from sensitivity_book.pictures import table_html as tables
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", unplug_thebe)
    app.connect("doctree-read", tidy_tables)
    app.connect("env-updated", leave_widgets_out)
    app.connect("html-page-context", explain_raw_formulas)
    app.connect("html-page-context", mend_boxes)
    render.coalesce_streams = join_pieces
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def unplug_thebe(app: Sphinx, config: object) -> None:
    for event, listeners in app.events.listeners.items():
        app.events.listeners[event] = [
            listener for listener in listeners if listener.handler.__module__ != "sphinx_thebe"
        ]
    app.registry.css_files[:] = [
        file for file in app.registry.css_files if file[0] != "sphinx-thebe.css"
    ]


def tidy_tables(app: Sphinx, doctree: nodes.document) -> None:
    for html in doctree.findall(nodes.raw):
        html.children = [nodes.Text(tables.tidy(html.astext()))]


def leave_widgets_out(app: Sphinx, env: Any) -> None:
    for metadata in getattr(env, "nb_metadata", {}).values():
        files = metadata.get("js_files", {})
        metadata["js_files"] = {
            key: file for key, file in files.items() if not key.startswith("ipywidgets")
        }


def explain_raw_formulas(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if 'class="math' in context.get("body", ""):
        note = "Formulas on this page stay TeX, because JavaScript is switched off."
        context["body"] = f"<noscript><p><em>{note}</em></p></noscript>\n{context['body']}"


BOXES = r'(<(?:section|div)[^>]*) id="(?:proof|(?:proof|exercise|solution)-content)"'


def mend_boxes(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if "body" in context:
        body = re.sub(BOXES, r"\1", context["body"])
        body = re.sub(r">Solution to(<a [^>]*>) ", r">Solution to \1", body)
        context["body"] = named_once(keep_points(in_plain_words(body)))


def in_plain_words(body: str) -> str:
    """Say what a folded cell holds as a reader would: its code, its output, or both."""
    for theirs, ours in ("source", "code"), ("outputs", "output"), ("content", "cell"):
        body = re.sub(rf"(>(?:Show|Hide) the ){theirs}<", rf"\1{ours}<", body)
    return body


def keep_points(body: str) -> str:
    """Keep a formula on one line with the comma or the full stop behind it."""
    formula = r'(<span class="math notranslate nohighlight">[^<]*</span>[.,;:!?)’”]+)'
    return re.sub(formula, r'<span class="together">\1</span>', body)


def named_once(body: str) -> str:
    """Add a number to the ids of a picture that an earlier one has, and to what refers to them."""
    pictures: dict[str, int] = {}  # how many have had an id so far

    def picture(found: re.Match[str]) -> str:
        svg = found[0]
        if svg.startswith("<script"):  # an explorer's pictures, of which one is shown at a time
            return svg
        for name in dict.fromkeys(re.findall(r'\sid="([^"]+)"', svg)):
            pictures[name] = pictures.get(name, 0) + 1
            if pictures[name] > 1:
                own = f"{name}-{pictures[name]}"
                svg = re.sub(rf'(\sid="|["(]#){re.escape(name)}(?=[")])', rf"\g<1>{own}", svg)
        return svg

    return re.sub(r"<script.*?</script>|<svg.*?</svg>", picture, body, flags=re.DOTALL)


def join_pieces(outputs: list[Any]) -> list[Any]:
    first: dict[str, Any] = {}
    joined = []
    for output in outputs:
        name = output["name"] if output["output_type"] == "stream" else None
        if name in first:
            first[name]["text"] += output["text"]
            continue
        if name is not None:
            first[name] = output
        joined.append(output)
    merged: list[Any] = coalesce_streams(joined)
    return merged
