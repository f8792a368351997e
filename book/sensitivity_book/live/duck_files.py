"""Fetch DuckDB for the browser, every file of it known by its hash.

`duck.lock` names the files.  The engine and its script are those of the `duckdb-wasm` release that it
names, byte for byte; the JSON extension is DuckDB's own for that engine.  One wheel on the package index
carries all three; it is only how they travel, and nothing else of it is kept.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from importlib import resources
from pathlib import Path
from typing import Any

from sensitivity_book.live.duck_script import classic

SCRIPT = "duckdb-browser-eh.worker.js"


def lock() -> dict[str, Any]:
    """What DuckDB consists of in a page, and the wheel that carries it.

    >>> sorted(lock()["files"])
    ['duckdb-browser-eh.worker.js', 'duckdb-eh.wasm', 'json.duckdb_extension.wasm']
    """
    text = resources.files(__package__).joinpath("duck.lock").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def fetch() -> dict[str, bytes]:
    """Download DuckDB with pip, and return what a page loads, by name.

    Raises ValueError if a file is not the one that the lock names.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = unpack(download(Path(folder)))
    files["duckdb.js"] = classic(files.pop(SCRIPT).decode("utf-8")).encode("utf-8")
    return files


def download(folder: Path) -> Path:
    """Let pip fetch the wheel that carries DuckDB, and check its hash."""
    carrier = lock()["carrier"]
    asked = folder / "asked.txt"
    asked.write_text(f"{carrier['requirement']} --hash=sha256:{carrier['sha256']}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    only = ["--no-deps", "--only-binary=:all:", "--python-version=3.12", "--require-hashes"]
    subprocess.run([*pip, *only, "-r", str(asked), "-d", str(folder)], check=True)
    return next(folder.glob("*.whl"))


def unpack(wheel: Path) -> dict[str, bytes]:
    """Return DuckDB's files, each checked by its hash."""
    folder = lock()["carrier"]["folder"]
    files = {}
    with zipfile.ZipFile(wheel) as archive:
        for name, one in lock()["files"].items():
            files[name] = archive.read(folder + one["path"])
            found = hashlib.sha256(files[name]).hexdigest()
            if found != one["sha256"]:
                raise ValueError(f"{name} must have the SHA-256 {one['sha256']}, got {found}")
    return files
