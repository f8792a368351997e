"""Pictures stand in the page itself, and follow its theme.

A drawing that is an SVG file would stay as it is drawn, on white.  Here it moves into the page, its colours
become variables, named by the colour on a light page, and a style sheet says what each is in the dark:
`DARK` of the package's style.  On paper all are as on a light page.  The explorers' pictures, which are in
the page already, follow in the same way.

Where a picture has a form for a phone, hidden in it, the two stand side by side, and the style sheet shows
one of them; the other is not there for a screen reader either.
"""

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sensitivity_book.explorers.explorer import lean
from sphinx.application import Sphinx

from sensitivity_lab.plotting.phone import HIDDEN
from sensitivity_lab.plotting.style import DARK

IMAGE = re.compile(r'<img\s[^>]*?src="(?:\.\./)*_images/([^"]+\.svg)"[^>]*>')
COLOUR = re.compile(r"\b(fill|stroke): ?(#[0-9a-f]{6})\b")
THEMED = "figures.css"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_css_file(THEMED)
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


def inline(image: str, svg: str) -> str:
    """A drawing, and its form for a phone, in the place of its image, with its words."""
    wide, hidden, narrow = svg.partition(HIDDEN)
    if not hidden:
        return drawing(image, wide, "")
    narrow = narrow[: narrow.rindex("</svg>")]
    return drawing(image, wide + "</svg>", "wide") + drawing(image, "<svg" + narrow, "phone")


def drawing(image: str, svg: str, form: str) -> str:
    """A drawing as a part of a page, named by the words and of the look that its image has."""
    has = dict(re.findall(r'(alt|class|style)="([^"]*)"', image))
    classes = " ".join(filter(None, ["drawing", form, has.get("class", "")]))
    look = f' style="{has["style"]}"' if "style" in has else ""
    told = f'role="img" aria-label="{has["alt"]}"' if has.get("alt") else 'aria-hidden="true"'
    return lean(svg).replace("<svg", f'<svg {told} class="{classes}"{look}', 1)


def themed(body: str) -> str:
    """Colours of the style become variables; without a style sheet they are what they were."""

    def variable(found: re.Match[str]) -> str:
        name, colour = found.groups()
        return f"{name}: var(--fig-{colour[1:]}, {colour})" if colour in DARK else found[0]

    return COLOUR.sub(variable, body)


def colours() -> str:
    """What each colour is on a dark page."""
    dark = "".join(f"    --fig-{light[1:]}: {dark};\n" for light, dark in DARK.items())
    return f'@media screen {{\n  html[data-theme="dark"] {{\n{dark}  }}\n}}\n'


def write_colours(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / THEMED).write_text(colours(), encoding="utf-8")
