"""You are here: under the title of each page of the path, its steps, of which one is this page.

The path is the root of the table of contents and its first part.
What a step is called is said here.
"""

from html import escape
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

STEPS = {
    "book/intro": "six names",
    "book/chapters/by-hand": "by hand",
    "book/chapters/noise": "noise",
    "book/chapters/neighbours": "neighbours",
    "book/chapters/school": "a school",
    "book/chapters/vehicle": "a vehicle",
    "book/chapters/closed-forms": "formulas",
    "book/chapters/clipping": "clipping",
    "book/chapters/tables": "tables",
    "book/chapters/people": "people",
    "book/chapters/audits": "audits",
    "book/chapters/published": "published",
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", read_path)
    app.connect("html-page-context", say_where)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def read_path(app: Sphinx) -> None:
    contents = app.config.external_site_map
    pages = [contents.root.docname, *map(str, contents.root.subtrees[0].items)]
    if set(pages) != set(STEPS):
        raise ExtensionError(f"the steps of book/_ext/path.py are not the path: {pages}")
    app.env.path = pages  # type: ignore[attr-defined]


def say_where(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    pages = app.env.path  # type: ignore[attr-defined]
    if name in pages and "body" in context:
        here = steps(pages, name, context["pathto"])
        context["body"] = context["body"].replace("</h1>", f"</h1>\n{here}", 1)


def steps(pages: list[str], here: str, pathto: Any) -> str:
    """Steps that are not beside this one are marked, so that a phone can leave them out."""
    place = pages.index(here)
    items = []
    for count, page in enumerate(pages):
        far = ' class="beyond"' if abs(count - place) > 1 else ""
        said = escape(STEPS[page])
        if page == here:
            items.append(f'<li aria-current="page">{said}</li>')
        else:
            items.append(f'<li{far}><a href="{escape(pathto(page))}">{said}</a></li>')
    return f'<nav class="path" aria-label="The path"><ol>{"".join(items)}</ol></nav>'
