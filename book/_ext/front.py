"""What the site shows to those who come from outside:
its first page, the one for no page, and what each says of itself.

`html: baseurl` of `_config.yml` is the one address of the pages.  While it is the placeholder,
which is nobody's, no page names an address.  What is named here is asked for by whoever shares a
page, and never by the page.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from policy import told
from sphinx.application import Sphinx

LONGEST = 200  # characters of a description
EDGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">{policy}<title>{title}</title>
<link rel="icon" href="{base}_static/favicon.svg">{more}</head>
<body><main><h1>{title}</h1><a href="{base}book/intro.html">Go to the first page</a></main></body>
</html>
"""
LEADS_ON = '<meta http-equiv="refresh" content="0; url=book/intro.html">'


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", forget_the_placeholder)
    app.connect("html-page-context", describe)
    app.connect("build-finished", lay_down, priority=900)  # in place of Jupyter Book's first page
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def forget_the_placeholder(app: Sphinx, config: Any) -> None:
    if "example.org" in config.html_baseurl:
        config.html_baseurl = ""


def first_words(tree: nodes.document) -> str:
    """The first sentences of a page that stand in no box, as many as fit."""
    for paragraph in tree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if isinstance(paragraph.parent, nodes.section) and len(text) > 40:
            return text if len(text) <= LONGEST else re.sub(r"\s\S*$", " …", text[:LONGEST])
    return ""


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    if tree is None or not (says := first_words(tree)):
        return
    tags, base = {'name="description"': says}, app.config.html_baseurl
    if base:
        title = re.sub("<.*?>", "", context["title"])
        shared = {"title": title, "description": says, "type": "article"}
        shared |= {"url": f"{base}{page}.html", "image": f"{base}_static/cover.png"}
        tags |= {f'property="og:{name}"': content for name, content in shared.items()}
    lines = (f'<meta {name} content="{escape(content)}">\n' for name, content in tags.items())
    context["metatags"] = context.get("metatags", "") + "".join(lines)


def lay_down(app: Sphinx, failure: Exception | None) -> None:
    if app.builder.format != "html" or failure is not None:
        return
    out, base = Path(app.outdir), app.config.html_baseurl
    for name, title, start, more in (
        ("index", app.config.html_title, "", LEADS_ON),
        ("404", "There is no such page", base, ""),
    ):
        page = EDGE.format(policy=told(name), title=title, base=start, more=more)
        (out / f"{name}.html").write_text(page, encoding="utf-8")
    if base:
        pages = "\n".join(f"{base}{page}.html" for page in sorted(app.env.found_docs))
        (out / "sitemap.txt").write_text(pages + "\n", encoding="utf-8")
