"""What a page imports is folded at its end: nobody reads it first, and it stands there for whoever
asks.  The cell keeps its place in the notebook, and among the cells that the page can run.
The code of a picture says whose it is."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def fold(app: Sphinx, doctree: nodes.document) -> None:
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("hide_mode") != "input":
            continue
        if any(cell.findall(nodes.figure)):
            name(cell, "the code of this picture")
        elif len(cell) == 1 and cell.astext().startswith(("import ", "from ")):  # it shows nothing
            name(cell, "what this page imports")
            cell.parent.remove(cell)
            next(doctree.findall(nodes.section)).append(cell)  # the page


def name(cell: nodes.container, folded: str) -> None:
    cell["prompt_show"], cell["prompt_hide"] = f"Show {folded}", f"Hide {folded}"
