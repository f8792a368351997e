"""A page that shows explorers, dots or tents loads the script by which they live where it runs Python.

It comes after the script that runs Python, whose `window.live` it asks for.
"""

import re
from typing import Any

from sphinx.application import Sphinx

ALIVE = re.compile(r'<div class="(?:explorer|dots|tents)"')


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def load_script(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if ALIVE.search(context.get("body", "")):
        app.add_js_file("explorers.js", loading_method="defer")
