"""Pictures stand in the page itself, and follow its theme.

A drawing that is an SVG file would stay as it is drawn, on white.  Here it moves into the page, its
colours become variables, named by the colour on a light page, and the style sheet of
`sensitivity_book.palette` says what each is in the dark.  On paper all are as on a light page.  The
explorers' pictures, which are in the page already, follow in the same way.
"""

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sensitivity_book.palette import stylesheet
from sensitivity_book.pictures.drawings import inline, themed
from sphinx.application import Sphinx

IMAGE = re.compile(r'<img\s[^>]*?src="(?:\.\./)*_images/([^"]+\.svg)"[^>]*>')
COLOURS = "palette.css"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_css_file(COLOURS)
    app.connect(
        "html-page-context", place_pictures, priority=400
    )  # before their ids are told apart
    app.connect("build-finished", write_colours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def place_pictures(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if "body" not in context:
        return
    files = {file: Path(app.srcdir) / uri for uri, file in app.builder.images.items()}

    def placed(image: re.Match[str]) -> str:
        file = files.get(unquote(image[1]))
        return inline(image[0], file.read_text(encoding="utf-8")) if file else image[0]

    context["body"] = themed(IMAGE.sub(placed, context["body"]))


def write_colours(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / COLOURS).write_text(stylesheet(), encoding="utf-8")
