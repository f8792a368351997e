"""Docstrings, as the page of the package shows them: a label of the book leads to what it names."""

import re
from typing import Any

from sphinx.application import Sphinx

LABEL = re.compile(r"(?<![\w`-])(?:thm|def)-[a-z0-9-]*[a-z0-9]\b")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", link_labels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def link_labels(
    _app: Sphinx, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]
) -> None:
    lines[:] = [LABEL.sub(r":prf:ref:`\g<0>`", line) for line in lines]
