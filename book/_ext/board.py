"""The directive `{board}`: every claim as a card, with filters; and the files that can be checked.

The text that it holds stands between filters and cards.  Beside the pages lie the board, a
certificate for each claim, and what checks them.  `{{ tally }}` are the board's numbers.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sensitivity_board import BOARD, case_files
from sensitivity_board.page import SECTIONS, cards, opening, tally
from sensitivity_board.programs import HERE, LIBRARIES, every_program
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CHECKER = HERE / "check_certificate.py"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("board", Board)
    app.connect("config-inited", tell)
    app.connect("html-page-context", load_script)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def tell(app: Sphinx, config: Any) -> None:
    config.myst_substitutions = {"tally": tally(case_files())}


class Board(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        for file in (BOARD, *(HERE / "data").glob("*.json"), *LIBRARIES.glob("*/programs.toml")):
            self.env.note_dependency(str(file))
        cases, known = case_files(), every_program()
        above = nodes.raw("", opening(cases), format="html"), *self.parse_content_to_nodes()
        return [*above, *(section(verdict, cards(cases, verdict, known)) for verdict in SECTIONS)]


def section(verdict: str, html: str) -> nodes.section:
    """A section of the page, which the contents at its side name too."""
    name = verdict.replace(" ", "-")
    made = nodes.section(ids=[name], names=[name], classes=["verdict-section", name])
    made += nodes.title("", SECTIONS[verdict])
    made += nodes.raw("", html, format="html")
    return made


def load_script(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    if '<form class="board"' in context.get("body", ""):
        app.add_css_file("board.css")
        app.add_js_file("board.js", loading_method="defer")


def write_files(app: Sphinx, failure: Exception | None) -> None:
    """Lay the board, its certificates and their checker beside the pages."""
    if app.builder.format != "html" or failure is not None:
        return
    folder = Path(app.outdir) / "_static" / "board"
    shutil.rmtree(folder, ignore_errors=True)  # no certificate of a claim that is gone
    (folder / "certificates").mkdir(parents=True)
    stored = BOARD.read_text("utf-8")
    (folder / "board.json").write_text(stored, encoding="utf-8")
    shutil.copy(CHECKER, folder)
    for case in json.loads(stored)["cases"]:
        file = folder / "certificates" / f"{case['address']}.json"
        file.write_text(one_a_line(case), encoding="utf-8")


def one_a_line(certificate: dict[str, Any]) -> str:
    """A certificate for people to read too: a line for each of its names."""
    items = ((json.dumps(part, ensure_ascii=False) for part in one) for one in certificate.items())
    return "{\n  " + ",\n  ".join(map(": ".join, items)) + "\n}\n"
