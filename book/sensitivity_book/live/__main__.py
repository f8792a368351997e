"""`python -m sensitivity_book.live FOLDER`: make what pages load to run Python, if need be."""

import hashlib
import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from sensitivity_book.live import duck_files
from sensitivity_book.live.fetch import fetch, lock
from sensitivity_book.live.wrap import classic, wrap

MADE_FROM = "made-from.txt"


def main(folder: Path) -> None:
    """Fill the folder with one script for each file, unless this very code has done so already."""
    if is_made(folder):
        print(f"Python for the pages is in {folder} already.")
        return
    files = fetch() | duck_files.fetch()
    pyodide = classic(
        files.pop("pyodide.mjs").decode("utf-8"), files.pop("pyodide.asm.mjs").decode("utf-8")
    )
    files["pyodide.js"] = pyodide.encode("utf-8")
    files["pyodide-lock.json"] = json.dumps(lock()["packages"], sort_keys=True).encode("utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MADE_FROM).unlink(missing_ok=True)  # first, and written last: half of it is none
    for old in folder.glob("*.js"):
        old.unlink()
    for name, content in files.items():
        (folder / f"{name}.js").write_text(wrap(name, content), encoding="utf-8")
    (folder / MADE_FROM).write_text(json.dumps(content_of(folder), indent=1), encoding="utf-8")
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"Python for the pages: {len(files)} files, {size / 1e6:.1f} MB, in {folder}.")
    print(
        f"It is Pyodide {lock()['pyodide']} with numpy, pandas and matplotlib, and DuckDB; "
        "`make book` takes it along."
    )


def is_made(folder: Path) -> bool:
    """Whether the folder holds what this code makes, byte for byte, and no other script."""
    try:
        made: Any = json.loads((folder / MADE_FROM).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return bool(made == content_of(folder))


def content_of(folder: Path) -> dict[str, Any]:
    """The hash of this code, and those of the scripts that lie in the folder."""
    scripts = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("*.js"))
    }
    return {"recipe": recipe(), "scripts": scripts}


def recipe() -> str:
    """A hash of all that the folder's content depends on."""
    here = resources.files(__package__)
    names = ["runtime.lock", "fetch.py", "wrap.py", "__main__.py"]
    names += ["duck.lock", "duck_files.py"]
    return hashlib.sha256(b"".join(here.joinpath(name).read_bytes() for name in names)).hexdigest()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (OSError, ValueError) as error:
        sys.exit(f"Python for the pages cannot be made: {error}")
