"""The formula sheet on paper: the build writes it, and the role `pdf` leads to it."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sensitivity_book.pictures.sheet import write_pdf
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

FILE = "formulas.pdf"  # beside the other static files of the build


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("pdf", Sheet())
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Sheet(SphinxRole):
    """A link to the PDF, of the words given: {pdf}`on two pages`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        depth = self.env.docname.count("/")
        return [nodes.reference("", self.text, refuri=f"{'../' * depth}_static/{FILE}")], []


def write(app: Sphinx, failure: Exception | None) -> None:
    if app.builder.format == "html" and failure is None:
        write_pdf(Path(app.outdir) / "_static" / FILE)
