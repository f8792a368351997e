"""`python -m sensitivity_book.live FOLDER`: make what the pages load to run Python, if it is not there."""

import hashlib
import json
import sys
from importlib import resources
from pathlib import Path

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
    for old in folder.glob("*.js"):
        old.unlink()
    for name, content in files.items():
        (folder / f"{name}.js").write_text(wrap(name, content), encoding="utf-8")
    (folder / MADE_FROM).write_text(recipe(), encoding="utf-8")
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"Python for the pages: {len(files)} files, {size / 1e6:.1f} MB, in {folder}.")
    print(
        f"It is Pyodide {lock()['pyodide']} with numpy, pandas and matplotlib, and DuckDB; `make book` takes it along."
    )


def is_made(folder: Path) -> bool:
    """Whether the folder holds what this code makes."""
    made_from = folder / MADE_FROM
    return made_from.exists() and made_from.read_text(encoding="utf-8") == recipe()


def recipe() -> str:
    """A hash of all that the folder's content depends on."""
    here = resources.files(__package__)
    names = ["runtime.lock", "fetch.py", "wrap.py", "__main__.py"]
    names += ["duck.lock", "duck_files.py", "duck_script.py"]
    return hashlib.sha256(b"".join(here.joinpath(name).read_bytes() for name in names)).hexdigest()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
