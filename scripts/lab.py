"""Make working copies of the notebooks for JupyterLab.

A copy is its reader's own: one that has changed since it was made here is never written again.

    python scripts/lab.py            into _build/lab
    python scripts/lab.py FOLDER     into another
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from chapters import HELD, KERNEL, NOTEBOOKS, POINTER, ROOT, START, noted, to_run
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_output
from sensitivity_book.stage.explorers.explorer import PAGE_FORM


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / ".made.json"
    made = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    for name, notebook in list(copies()):
        path, text = folder / name, nbformat.writes(notebook) + "\n"
        if path.exists() and digest(path.read_text(encoding="utf-8")) != made.get(name):
            print(f"{name} is yours, and stays as it is.")
            continue
        path.write_text(text, encoding="utf-8")
        made[name] = digest(text)
        NotebookNotary().sign(notebook)  # trusted: its pictures are shown before it is run
    for path in NOTEBOOKS.glob("*.csv"):
        if not (folder / path.name).exists():
            shutil.copy(path, folder)
    record.write_text(json.dumps(made, indent=1), encoding="utf-8")


def digest(text: str) -> str:
    """What all cells of a notebook hold; JupyterLab writes metadata of its own
    when it is opened."""
    with suppress(ValueError, KeyError):  # what is no notebook is its reader's all the same
        text = json.dumps(json.loads(text)["cells"], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def copies() -> Iterator[tuple[str, Any]]:
    """Every copy by its name, the page to start from first."""
    for name in [START, *(str(document.copy) for document in noted())]:
        yield name, copy(nbformat.read(NOTEBOOKS / name, as_version=4))


def copy(notebook: Any) -> Any:
    """A notebook to work in: nothing that is predicted or played is told before it is run,
    and nothing stops whose data are others."""
    cells = []
    for cell in notebook.cells:
        if cell.id == HELD or HELD in cell.metadata.get("tags", ()):
            continue
        cells.append(cell)
        cell.source = cell.source.replace(f"\n\n{POINTER}", "")
        if cell.cell_type == "code":
            cell.outputs = [*shown(cell)]
            to_run(cell)
    notebook.cells, notebook.metadata = cells, nbformat.from_dict(KERNEL)
    return notebook


def shown(cell: Any) -> Iterator[Any]:
    """What a copy shows below a cell before it is run."""
    words = ""
    if cell.id.startswith("answer-") or cell.id == "your-turn":
        return
    if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
        words = "Run this cell to see its output."
    elif any(PAGE_FORM in output.get("data", {}) for output in cell.outputs):
        words = "Run this cell to play."
    if words:
        yield new_output("display_data", {"text/plain": words})
        return
    for output in cell.outputs:
        if "image/svg+xml" in output.get("data", {}):
            output["data"]["text/plain"] = "Run this cell for its picture, or trust the notebook."
        if "execution_count" in output:
            output["execution_count"] = None
        yield output


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "lab")
