"""Fetch DuckDB for the browser, every file of it known by its hash, as `duck.lock` names them.

The engine and its script are those of a release of `duckdb-wasm`, byte for byte; the JSON extension
is DuckDB's own for that engine.  One wheel carries all three; it is only how they travel.  The
script becomes a function, so that Python and DuckDB share one worker: what it would take from there
it is given, so it reads nothing but the files that it is handed, and asks nobody for anything.
"""

import json
import re
from importlib import resources
from typing import Any

from sensitivity_book.live.fetch import carried

SCRIPT = "duckdb-browser-eh.worker.js"
GIVEN = "globalThis, self, console, XMLHttpRequest, fetch, process, require, module, exports"


def lock() -> dict[str, Any]:
    """What DuckDB consists of in a page, and the wheel that carries it."""
    text = resources.files(__package__).joinpath("duck.lock").read_text(encoding="utf-8")
    return dict(json.loads(text))


def fetch() -> dict[str, bytes]:
    """Download DuckDB with pip, and return what a page loads, by name."""
    named = {name: (one["path"], one["sha256"]) for name, one in lock()["files"].items()}
    files = carried(lock()["carrier"], named)
    return files | {"duckdb.js": classic(files.pop(SCRIPT).decode("utf-8")).encode("utf-8")}


def classic(script: str) -> str:
    """Return a classic script that makes of DuckDB's script a function, `duckdb`."""
    if not script.startswith('"use strict";var duckdb='):
        raise ValueError("DuckDB's script must define duckdb")
    for name in ("globalThis.onmessage", "globalThis.postMessage"):
        if (found := script.count(name)) != 1:
            raise ValueError(f"DuckDB's script must have {name} once, got {found}")
    body = re.sub(r"//# sourceMappingURL=.*", "", script)
    return f"const duckdb = ({GIVEN}) => {{\n{body}\n}};\n"
