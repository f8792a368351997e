"""Write `notebooks/` from the text of the chapters: run each once, and store what it answers.

Running it again changes nothing unless a result changed:

    python scripts/outputs.py                              every notebook
    python scripts/outputs.py book/chapters/by-hand.md     one
    python scripts/outputs.py stored                       new words; code runs that has changed

A number after these says how many run at once.
"""

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from chapters import (
    KERNEL,
    NOTEBOOKS,
    OWN,
    START,
    WELCOME,
    Book,
    Document,
    begin_folded,
    code_cells,
    fill,
    noted,
    opened,
    plain_notebook,
    source,
    start,
)
from nbclient import NotebookClient
from sensitivity_book.pictures.phone import PAGE

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
TIED = (  # the values of expressions, in a chapter's names and those of `math` and `fractions`
    "', '.join(map(str, eval({!r}, vars(__import__('math')) | vars(__import__('fractions'))"
    " | globals())))"
)
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")


def main(asked: list[str]) -> None:
    os.environ[PAGE] = "all"
    os.environ["TQDM_DELAY"] = "9999"  # no bar, however slow the machine
    stored = "stored" in asked
    wanted = {Path(name).stem for name in asked if name.endswith((".md", ".ipynb"))}
    at_once = next((int(word) for word in asked if word.isdigit()), os.cpu_count() or 1)
    book, parts = opened()
    documents = [one for one in noted() if not wanted or {one.name, Path(one.copy).stem} & wanted]
    makers = {one.copy: lambda ran, one=one: made_of(book, one, ran) for one in documents}
    if not wanted or Path(START).stem in wanted:
        makers[START] = lambda ran: filled(start(book, parts, WELCOME, OWN), ran)
    with ThreadPoolExecutor(at_once) as pool:
        for name in pool.map(lambda name: make(name, makers[name], stored), makers):
            print(name, flush=True)
    if not wanted:
        for path in NOTEBOOKS.glob("*.ipynb"):
            if path.name not in makers:
                path.unlink()


def make(name: str, maker: Any, stored: bool) -> str:
    """Write one notebook; `maker` makes it of what its cells have answered."""
    path, notebook = NOTEBOOKS / name, maker(None)
    before = nbformat.read(path, as_version=4) if path.exists() else None
    if not (stored and before and same_code(notebook, before)):
        run(notebook)
    else:
        fill(notebook, before)
    notebook = maker(notebook)
    if before and is_patch(before.metadata, notebook.metadata):
        notebook.metadata = before.metadata
    store(notebook, path)
    return name


def made_of(book: Book, document: Document, ran: Any = None) -> Any:
    """The notebook of a document, with the outputs of one that ran."""
    if not document.runs:
        return plain_notebook(book, source(document.path), document.name)
    text = source(document.path)
    if ran:
        fill(text, ran)
    return filled(plain_notebook(book, text, document.name), ran)


def filled(notebook: Any, ran: Any) -> Any:
    if ran:
        fill(notebook, ran)
        begin_folded(notebook)
    return notebook


def same_code(one: Any, other: Any) -> bool:
    """Whether two notebooks run the same cells, and evaluate the same ties."""
    ran = (
        [(cell.id, cell.source, {*cell.metadata.get("ties", ())}) for cell in code_cells(each)]
        for each in (one, other)
    )
    return next(ran) == next(ran)


def is_patch(before: Any, now: Any) -> bool:
    """Whether two notebooks ran in Pythons that answer alike: only the patch differs."""
    plain = (re.sub(r"('version': '3)[.\d]*", r"\1", str(dict(one))) for one in (before, now))
    return next(plain) == next(plain)


def run(notebook: Any) -> None:
    """Execute every cell; the first error stops the run, and the file stays as it was."""
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.on_cell_executed = lambda cell, **_: evaluate(cell, client.kc)
    client.execute()
    clean(notebook)


async def evaluate(cell: Any, kernel: Any) -> None:
    """Evaluate the ties of a cell that ran; of one that fails, store what it says."""
    ties = cell.metadata.get("ties", {})
    asked = {tie: TIED.format(f"({tie},)") for tie in ties}
    reply = await kernel.execute_interactive(
        "", store_history=False, user_expressions=asked, output_hook=lambda _: None
    )
    for tie, one in reply["content"]["user_expressions"].items():
        ties[tie] = one["data"]["text/plain"][1:-1] if one["status"] == "ok" else one["evalue"]


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
    for output in (output for cell in code_cells(notebook) for output in cell.outputs):
        if "text" in output:
            output.text = ADDRESS.sub("at 0x0", output.text)
        data = output.get("data", {})
        data.pop(WIDGET_VIEW, None)  # nothing can show it without a kernel
        for kind, content in data.items():
            if isinstance(content, str) and kind.startswith("text/"):
                data[kind] = ADDRESS.sub("at 0x0", content)


if __name__ == "__main__":
    main(sys.argv[1:])
