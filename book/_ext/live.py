"""Cells that run in the page, if Python for the browser is there: `make live` fetches it.

Each page gets the code of its cells, and the names of the runtime's files; the scripts do the rest.
A build without the runtime has pages as they were, and says so.  What the runtime lacks, the
package and the book's own tools, is packed anew with each book.

A cell that cannot run in a browser has a tag, one of `NEEDS`: it gets no button, but a word why.
"""

import json
import re
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

from docutils import nodes
from sensitivity_book.live.__main__ import MADE_FROM, is_made
from sensitivity_book.live.fetch import lock
from sensitivity_book.live.pack import pack
from sensitivity_book.live.wrap import wrap
from sphinx.application import Sphinx
from sphinx.util import logging

RUNTIME = Path("_build", "live")
HERE = resources.files("sensitivity_book.live")
ABOUT = "book/running"
NEEDS = {
    "needs-opendp": "it asks OpenDP, which has no build for browsers.",
    "needs-processes": "it starts other processes, which a page cannot.",
}
DUCKDB = {"duckdb.js", "duck.js", "duckdb-eh.wasm", "json.duckdb_extension.wasm"}
ASKS_DUCKDB = re.compile(r"\bduckdb\b|\bsl\.sql\(|\bsystems_")  # such a page loads DuckDB too
NO_SCRIPT = (
    "<noscript><p><em>The cells of this page run only with JavaScript, which is switched off."
    " Their stored outputs are shown.</em></p></noscript>\n"
)

log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", prepare)
    app.connect("doctree-resolved", name_cells)
    app.connect("html-page-context", add_cells)
    app.connect("build-finished", add_runtime)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def prepare(app: Sphinx) -> None:
    """Find the runtime, and wrap what goes with it."""
    app.live_files = {}  # type: ignore[attr-defined]
    runtime = Path(app.srcdir) / RUNTIME
    if app.builder.format != "html" or not (runtime / MADE_FROM).exists():
        log.info("No Python for the pages: their cells will not run. `make live` fetches it.")
        return
    if not is_made(runtime):
        log.warning(
            "%s is not what `make live` makes, so no cell of the pages will run: make it again.",
            RUNTIME,
        )
        return
    worker = HERE.joinpath("worker.js").read_bytes()
    ours = {"worker.js": wrap("worker.js", worker), "lab.zip": wrap("lab.zip", pack())}
    ours["duck.js"] = wrap("duck.js", HERE.joinpath("duck.js").read_bytes())
    app.live_ours = ours  # type: ignore[attr-defined]
    sizes = {file.name.removesuffix(".js"): file.stat().st_size for file in runtime.glob("*.js")}
    app.live_files = sizes | {name: len(text) for name, text in ours.items()}  # type: ignore[attr-defined]


def name_cells(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give each cell that is shown an id: its place among the code cells of its page."""
    places = {index: place for place, (index, _) in enumerate(code_cells(app, page), 1)}
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code" and node["cell_index"] in places:
            node["ids"].append(f"cell-{places[node['cell_index']]}")


def code_cells(app: Sphinx, page: str) -> list[tuple[int, dict[str, Any]]]:
    """The code cells of a page, each with its place among all cells."""
    path = Path(app.outdir).parent / "jupyter_execute" / f"{page}.ipynb"
    if not path.exists():
        return []
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(i, cell) for i, cell in enumerate(cells) if cell["cell_type"] == "code"]


def add_cells(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    files = dict(app.live_files)  # type: ignore[attr-defined]
    body = context.get("body", "")
    cells = [told(cell) for _, cell in code_cells(app, page)] if doctree is not None else []
    if not files or not (cells or re.search('class="(?:answer|explorer|ask)"', body)):
        return
    if 'class="ask"' not in body and not any(ASKS_DUCKDB.search(cell["source"]) for cell in cells):
        files = {name: size for name, size in files.items() if name not in DUCKDB}
    packages = sorted(lock()["packages"]["packages"])
    app.add_css_file("live.css")
    app.add_js_file("live.js", loading_method="defer")
    stored = store("live-files", {"files": files, "packages": packages})
    if cells:
        if 'class="cell_input' in body:  # else all code is hidden
            app.add_js_file("prism.js", loading_method="defer")
            app.add_js_file("cells.js", loading_method="defer")
        stored += store("live-cells", cells, f' data-about="{context["pathto"](ABOUT)}"')
        body = NO_SCRIPT + body
    context["body"] = body + stored


def told(cell: dict[str, Any]) -> dict[str, str]:
    """What the page is told of a cell: its code, and why it does not run there if so."""
    tags = cell["metadata"].get("tags", [])
    why = next((NEEDS[tag] for tag in tags if tag in NEEDS), "")
    source = cell["source"]
    return {"source": source if isinstance(source, str) else "".join(source), "elsewhere": why}


def store(name: str, content: Any, attributes: str = "") -> str:
    """A piece of JSON that stands in the page."""
    text = json.dumps(content, ensure_ascii=False).replace("</", "<\\/")
    return f'<script type="application/json" id="{name}"{attributes}>{text}</script>\n'


def add_runtime(app: Sphinx, exception: Exception | None) -> None:
    """Lay the runtime beside the pages."""
    if exception is not None or not app.live_files:  # type: ignore[attr-defined]
        return
    folder = Path(app.outdir) / "_static" / "live"
    folder.mkdir(exist_ok=True)
    ours: dict[str, str] = app.live_ours  # type: ignore[attr-defined]
    for name in app.live_files.keys() - ours:  # type: ignore[attr-defined]
        shutil.copy(Path(app.srcdir) / RUNTIME / f"{name}.js", folder)
    for name, text in ours.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    (folder / "NOTICE.txt").write_bytes(HERE.joinpath("NOTICE").read_bytes())
