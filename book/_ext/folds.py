"""What a page imports is folded at its end: nobody reads it first, and it stands there for whoever
asks.  The cell keeps its place in the notebook, and among the cells that the page can run."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", put_imports_last)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def put_imports_last(app: Sphinx, doctree: nodes.document) -> None:
    for cell in list(doctree.findall(nodes.container)):
        folded = cell.get("hide_mode") == "input" and len(cell) == 1  # it shows nothing
        if folded and cell.astext().startswith(("import ", "from ")):
            cell["prompt_show"] = "Show what this page imports"
            cell["prompt_hide"] = "Hide what this page imports"
            cell.parent.remove(cell)
            next(doctree.findall(nodes.section)).append(cell)  # the page
