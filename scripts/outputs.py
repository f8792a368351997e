"""Run notebooks and store their outputs in one clean form.

Running it again changes nothing unless a result changed:

    python scripts/outputs.py                              every chapter
    python scripts/outputs.py notebooks/by-hand.ipynb      one
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from sensitivity_book.stage.explorers.explorer import PAGE

ROOT = Path(__file__).resolve().parents[1]
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main(names: list[str]) -> None:
    paths = [Path(name) for name in names] or sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in paths:
        print(path, flush=True)
        notebook = nbformat.read(path, as_version=4)
        run(notebook, path.parent)
        clean(notebook)
        store(notebook, path)


def run(notebook: Any, folder: Path) -> None:
    """Execute every cell; the first error stops the run, and the file stays as it was."""
    os.environ[PAGE] = "all"
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()


def store(notebook: Any, path: Path) -> None:
    """Write a notebook aside and rename it: a full disk leaves the old one whole."""
    aside = path.with_suffix(".new")
    try:
        nbformat.write(notebook, aside)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def clean(notebook: Any) -> None:
    """Leave out whatever changes from run to run, or from machine to machine."""
    notebook.metadata = nbformat.from_dict(KERNEL)
    notebook.nbformat_minor = 5
    for position, cell in enumerate(notebook.cells, start=1):
        cell.id = f"c{position:02d}"
        for output in cell.get("outputs", []):
            clean_output(output)


def clean_output(output: Any) -> None:
    if "text" in output:
        output.text = ADDRESS.sub("at 0x0", output.text)
    data = output.get("data", {})
    data.pop(WIDGET_VIEW, None)  # a page without a kernel cannot show it
    for kind, content in data.items():
        if isinstance(content, str) and kind.startswith("text/"):
            data[kind] = ADDRESS.sub("at 0x0", content)


if __name__ == "__main__":
    main(sys.argv[1:])
