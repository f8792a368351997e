"""Every page tells the browser what it may load, and that it may connect to nobody.

So "nothing leaves your computer" is no matter of trust in the scripts: a browser refuses every
connection that a page, or Python in it, would make.  A page from a file loads scripts as one from a
server does; Python runs in a worker that is made in the page (`blob:`), and WebAssembly is all that
it compiles.  The page of the search alone reads other pages, to show some words of them, where a
server has it.
"""

from typing import Any

from sphinx.application import Sphinx

POLICY = {
    "default-src": "'none'",
    "script-src": "'self' file: blob: 'unsafe-inline' 'wasm-unsafe-eval'",
    "worker-src": "blob:",
    "style-src": "'self' file: 'unsafe-inline'",
    "img-src": "'self' file: data: blob:",
    "font-src": "'self' file: data:",
    "connect-src": "'none'",
    "form-action": "'self' file:",
    "base-uri": "'none'",
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", add_policy, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def told(page: str) -> str:
    """The policy of a page, as the tag that stands before all that it loads."""
    parts = POLICY | ({"connect-src": "'self'"} if page == "search" else {})
    content = "; ".join(f"{name} {value}" for name, value in parts.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">\n'


def add_policy(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    context["metatags"] = told(page) + context.get("metatags", "")
