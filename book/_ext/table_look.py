"""Tables: numbers stand on the right and have true minuses; a table that is marked can be sorted.

A table is marked where the cell that shows it has the tag `sortable`, or where it stands in
`````{div} sortable````` or has that class itself.  Its headings become buttons by a script,
`sort.js`; without the script the table stays as it is.
"""

import re
from typing import Any

from sensitivity_book.pictures.table_html import set_for_reading
from sphinx.application import Sphinx

SORTABLE = re.compile(r'class="[^"]*\b(?:tag_)?sortable\b')


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", set_tables, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def set_tables(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    body = context.get("body", "")
    if "<table" in body:
        context["body"] = set_for_reading(body)
    if SORTABLE.search(body):
        app.add_js_file("sort.js", loading_method="defer")
