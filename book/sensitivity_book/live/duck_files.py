"""Fetch DuckDB for the browser, every file of it known by its hash.

`duck.lock` names the files.  The engine and its script are those of the `duckdb-wasm` release that it
names, byte for byte; the JSON extension is DuckDB's own for that engine.  One wheel on the package index
carries all three; it is only how they travel, and nothing else of it is kept.
"""

import json
from importlib import resources
from typing import Any

from sensitivity_book.live.duck_script import classic
from sensitivity_book.live.fetch import carried

SCRIPT = "duckdb-browser-eh.worker.js"


def lock() -> dict[str, Any]:
    """What DuckDB consists of in a page, and the wheel that carries it."""
    text = resources.files(__package__).joinpath("duck.lock").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def fetch() -> dict[str, bytes]:
    """Download DuckDB with pip, and return what a page loads, by name."""
    files = carried(
        lock()["carrier"],
        {name: (one["path"], one["sha256"]) for name, one in lock()["files"].items()},
    )
    files["duckdb.js"] = classic(files.pop(SCRIPT).decode("utf-8")).encode("utf-8")
    return files
