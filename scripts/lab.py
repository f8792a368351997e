"""Make working copies of the notebooks for JupyterLab, in the order of the book,
with a page to start from.

A copy is its reader's own: one that has changed since it was made here is never written again.

    python scripts/lab.py            into _build/lab
    python scripts/lab.py FOLDER     into another
"""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import yaml
from ipykernel.ipkernel import IPythonKernel
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "book" / "_ext")]

from plain import START, Book, Cell, details  # noqa: E402

KERNEL = {  # as JupyterLab writes it: a copy that is only opened has nothing to save
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": IPythonKernel.language_info,
}
PAGES = ("proofs", "glossary", "notation", "sources")  # those of text alone that notebooks link to
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}  # tags: their code is folded
UNNAMED = "unnamed"  # a cell that no link leads to: its place is its name
PLAYED = ('class="dots"', 'class="tents"', 'class="explorer"')
WELCOME = """# Sensitivity Lab

How much can one person change an answer? These notebooks are the book's chapters, and the copies
are yours: change what you like, and save. `make lab` never overwrites a copy that you have changed;
delete it to have the book's again.

- <kbd>Shift</kbd>+<kbd>Enter</kbd> runs a cell. *Run All Cells*, in the menu *Run*, runs a chapter.
- Code that only draws or sets up is folded: click the three dots to see it.
- An output that you are asked to predict is shown when you run its cell.
- Change the records: outputs, plays and explorers follow. The words around them still speak of the
  book's own.
- Hints, solutions and the answers of *Check yourself* open at a click.
- Below an exercise stands a cell for your answer: put it in, run the cell, and read whether it is
  right, and why.
- VS Code does not fold code that only draws, and asks once whether it may download the widgets'
  files: say *Ok*.
- In Colab upload a copy, and the three wheels that `make wheels` lays in `_build/wheels`, and first
  run `%pip install *.whl`.

Here are ten pupils, and the days each was absent. Six are in a study, which publishes their mean.
Run the next cell, pull one pupil out and another one in: how far can you make the mean go?
"""
TURN = """## Your turn

{}

Change the records, the size or the function, and run the cell. It says how far the answer can
move, and shows two datasets that are so far apart.
"""
TRY = """from sensitivity_book.stage.dots.games import moving
from sensitivity_book.stage.dots.widget import Dots

Dots(moving())"""


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
    record.write_text(json.dumps(made, indent=1), encoding="utf-8")


def digest(text: str) -> str:
    """What all cells of a notebook hold; JupyterLab writes metadata of its own
    when it is opened."""
    with suppress(ValueError, KeyError):  # what is no notebook is its reader's all the same
        text = json.dumps(json.loads(text)["cells"], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def copies(kind: type[Book] = Book, form: Callable[..., Any] | None = None) -> Iterator[Any]:
    """Every copy by its name, the page to start from first;
    a course has a kind and a form of its own."""
    book, parts = kind(ROOT / "book" / "references.bib"), listed()
    documents = read(book, parts)
    yield START, start(book, parts)
    for document in documents:
        if document.copy:
            yield document.copy, (form or copy)(book, source(document.path), document.path.stem)


def read(book: Book, parts: list[tuple[str, list["Document"]]]) -> list["Document"]:
    """Let a book read every document, so that it knows where links lead."""
    documents = [document for _, part in parts for document in part]
    for document in documents:
        cells = source(document.path).cells
        figures = [figure["name"] for cell in cells if (figure := figure_of(cell))]
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        book.read(text, figures, document.copy, document.number)
    return documents


class Document:
    """A page of the book: where it stands, its number, and the name of its copy if it has one."""

    def __init__(self, file: str, number: int) -> None:
        notebook = ROOT / f"{file}.ipynb"
        self.path = notebook if notebook.exists() else ROOT / f"{file}.md"
        self.number, name = number, self.path.stem
        numbered = f"{number:02}-{name}.ipynb" if number else f"{name}.ipynb"
        self.copy = numbered if notebook.exists() or name in PAGES else None


def listed() -> list[tuple[str, list[Document]]]:
    """The parts of the book, in the order in which they are read."""
    number, parts = 0, []
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]:
        documents = []
        for chapter in part["chapters"]:
            number += 1
            documents.append(Document(chapter["file"], number if "numbered" in part else 0))
            documents += [Document(one["file"], 0) for one in chapter.get("sections", ())]
        parts.append((part["caption"], documents))
    return parts


def source(path: Path) -> Any:
    """A document as a notebook; a page of text is cut before its headings."""
    if path.suffix == ".ipynb":
        return nbformat.read(path, as_version=4)
    return new_notebook(cells=[new_markdown_cell(path.read_text(encoding="utf-8"))])


def start(book: Book, parts: list[tuple[str, list[Document]]]) -> Any:
    """The page to start from: what can be done here, and all copies in their order."""
    lines = []
    for caption, documents in parts:
        lines.append(f"\n## {caption}\n")
        titles = {target.file: target.words for target in reversed(book.labels.values())}
        lines += [
            (
                f"{f'{document.number}.' * bool(document.number) or '-'} "
                f"[{titles[document.copy]}]({document.copy})"
            )
            for document in documents
            if document.copy
        ]
    texts = {WELCOME: "markdown", TRY: "code", "\n".join(lines): "markdown"}
    return finished([made(Cell(kind, text.strip())) for text, kind in texts.items()])


def copy(book: Book, notebook: Any, name: str) -> Any:
    """A notebook in plain Markdown, its solutions folded."""
    cells = folded(unfolded(book, notebook, name))
    return finished([each if isinstance(each, dict) else made(each) for each in cells])


def unfolded(book: Book, notebook: Any, name: str) -> list[Any]:
    """The cells of a copy, each solution between its marks;
    on the path the reader's turn comes last."""
    cells: list[Cell | Any] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cells += book.cells(cell.source)
            continue
        cells += [] if checks(cell) else [code(cell)]
        if figure := figure_of(cell):
            shown = f"*{book.labels[figure['name']].words}. {book.words(figure['caption'])}*"
            cells.append(Cell("markdown", shown, figure["name"]))
    turns = (ROOT / "scripts" / "turns.md").read_text(encoding="utf-8")
    if found := re.search(rf"^## {name}\n\n(.*?)\n\n```python\n(.*?)\n```", turns, re.M | re.S):
        cells += [Cell("markdown", TURN.format(found[1])), Cell("code", found[2], "your-turn")]
    return cells


def folded(cells: list[Any]) -> Iterator[Any]:
    """Fold each solution into a `<details>`, its code and what it prints as text:
    no other fold is kept everywhere."""
    inside: list[Any] | None = None
    for cell in cells:
        kind = getattr(cell, "kind", "code")
        if kind == "solution-start":
            inside = []
        elif kind == "solution-end":
            yield Cell("markdown", details("Solution", "\n\n".join(map(written, inside))))
            inside = None
        elif inside is None:
            yield cell
        else:
            inside.append(cell)


def written(cell: Any) -> str:
    """A cell as Markdown: code stands in fences, and its outputs below it."""
    if isinstance(cell, Cell):
        return cell.source
    printed = "".join(out.get("text") or out["data"]["text/plain"] for out in cell.outputs)
    below = f"\n\n```text\n{printed.rstrip()}\n```" if printed else ""
    return f"```python\n{cell.source}\n```{below}"


def made(cell: Cell) -> Any:
    """A cell of the text."""
    make = new_code_cell if cell.kind == "code" else new_markdown_cell
    return make(cell.source, id=cell.label or UNNAMED)


def checks(cell: Any) -> bool:
    """Whether a cell, which no page shows, only holds the text to the book's own data."""
    tags = cell.metadata.get("tags", [])
    return "remove-cell" in tags and bool("assert " in cell.source or cell.outputs)


def code(cell: Any) -> Any:
    """A code cell, folded as on its page; what is played with is not drawn until it runs."""
    tags, outputs = {*cell.metadata.get("tags", [])}, cell.outputs
    metadata: dict[str, Any] = {"scrolled": True} if "hide-cell" in tags else {}  # a long table
    if FOLDED & tags:  # in JupyterLab, and in Colab
        metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
    if any(mark in out.get("data", {}).get("text/html", "") for out in outputs for mark in PLAYED):
        outputs = [new_output("display_data", {"text/plain": "Run this cell to play."})]
    elif tags & {"hide-output", "hide-cell"}:  # JupyterLab shows the first line of what it folds
        outputs = [new_output("display_data", {"text/plain": "Run this cell to see its output."})]
    for drawn in (out["data"] for out in outputs if "image/svg+xml" in out.get("data", {})):
        drawn["text/plain"] = "Run this cell for its picture, or trust the notebook."
    return new_code_cell(cell.source, id=UNNAMED, metadata=metadata, outputs=outputs)


def figure_of(cell: Any) -> Any:
    """What a page writes below the picture of a cell."""
    return cell.metadata.get("mystnb", {}).get("figure")


def finished(cells: list[Any]) -> Any:
    """A notebook of these cells, whose ids do not change from run to run."""
    for place, cell in enumerate(cells, start=1):
        cell.id = f"c{place}" if cell.id == UNNAMED else cell.id
    return new_notebook(cells=cells, metadata=KERNEL)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "lab")
