"""Old addresses lead on: a page that moved or was joined to another leaves a small one that
sends its reader there."""

from pathlib import Path
from typing import Any

from policy import told
from sphinx.application import Sphinx

MOVED = {
    "notebooks/clipped-vectors": "book/chapters/norms",
    "notebooks/clipping-in-detail": "book/chapters/clipping",
    "book/notation": "book/glossary",
    "book/api/book": "book/api",
}
CHAPTERS = "book/chapters/"  # which stood in notebooks/
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">{policy}<title>This page has moved</title>
<meta http-equiv="refresh" content="0; url={there}"></head>
<body><p>This page has moved: <a href="{there}">go on</a>.</p></body></html>
"""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", leave)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def leave(app: Sphinx, failure: Exception | None) -> None:
    if app.builder.format == "html" and failure is None:
        pages = app.env.found_docs
        moved = {one.replace(CHAPTERS, "notebooks/"): one for one in pages if CHAPTERS in one}
        assert pages.isdisjoint(moved | MOVED), "a page that has moved is there"
        (Path(app.outdir) / "notebooks").mkdir(exist_ok=True)
        for page, there in (moved | MOVED).items():
            text = PAGE.format(policy=told(page), there=f"{'../' * page.count('/')}{there}.html")
            (Path(app.outdir) / f"{page}.html").write_text(text, encoding="utf-8")
