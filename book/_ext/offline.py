"""What a page needs to work from a file, for everyone.

Jupyter Book always loads Thebe, which runs cells on a public server.  This book has no
such server: every page would name one, and declare its address twice, which is an error
in the browser.  So Thebe's part in the build is taken out again.

Where a notebook made widgets, MyST-NB adds their state to the page, and scripts from a content
network that bring them to life.  Our explorers live without either, and the state has random
names, which would make two builds differ.

What a cell prints may reach MyST-NB in pieces, at times of one line, and it would end a line after
each: two builds would differ.  So the pieces are joined first.

pandas leaves the corner of a table an empty heading, which a screen reader announces as
a heading without a name.  It becomes a plain cell.
"""

import re
from typing import Any

from docutils import nodes
from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", unplug_thebe)
    app.connect("doctree-read", clear_empty_headings)
    app.connect("env-updated", leave_widgets_out)
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


def clear_empty_headings(app: Sphinx, doctree: nodes.document) -> None:
    for html in doctree.findall(nodes.raw):
        html.children = [nodes.Text(re.sub(r"<th([^>]*)></th>", r"<td\1></td>", html.astext()))]


def leave_widgets_out(app: Sphinx, env: Any) -> None:
    for metadata in getattr(env, "nb_metadata", {}).values():
        files = metadata.get("js_files", {})
        metadata["js_files"] = {
            key: file for key, file in files.items() if not key.startswith("ipywidgets")
        }


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
