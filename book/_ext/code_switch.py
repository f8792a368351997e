"""A page that shows code has a switch in its header that hides the code; the others do without."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def load_script(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if 'class="cell_input' in context.get("body", ""):
        app.add_js_file("code.js")  # in the head: what is hidden is never seen to go
