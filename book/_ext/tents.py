"""A page that shows the two tents loads their script and their style; the others do without."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def load_script(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if '<div class="tents"' in context.get("body", ""):
        app.add_css_file("tents.css")
        app.add_js_file("tents.js", loading_method="defer")
