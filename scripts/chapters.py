"""The book's documents, the text of its chapters, and the notebook of each in plain Markdown.

The one text of a chapter is `book/chapters/NAME.md`, which MyST-NB reads.  `plain_notebook` turns
it into what `scripts/outputs.py` runs and stores in `notebooks/`, and `chapter` reads the text
with the outputs that are stored there.
"""

import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import yaml
from ipykernel.ipkernel import IPythonKernel
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))

from parts import LETTERS  # noqa: E402
from plain import START, Book, Cell, details  # noqa: E402, F401

NOTEBOOKS = ROOT / "notebooks"
KERNEL = {  # as JupyterLab writes it: a notebook that is only opened has nothing to save
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": IPythonKernel.language_info,
}
PAGES = ("proofs", "glossary", "sources")  # those of text alone that notebooks link to
STUDY = "book/template/study"  # no page of the book: a notebook to begin one's own with
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}  # tags: their code is folded
KEPT = {"parameters"}  # tags that other tools know
FIRST = "The output:\n"  # as in `nbval.cfg`
UNNAMED = "unnamed"  # a cell that no link leads to: its place is its name
TIE = re.compile(r"(?<=\n) *% = (.*?)(?: +#.*)?(?:\n|\Z)")  # as in `ties.py`
HELD = "held"  # the cell behind which a chapter is held to its text
ONLY_IN_TESTS = "%%only_in_tests"
POINTER = (
    "*A chapter of Sensitivity Lab: [all chapters](00-start.ipynb). `make lab` opens a copy that "
    "is yours to change.*"
)
WELCOME = """# Sensitivity Lab

How much can one person change an answer? These notebooks are the book's chapters. `make lab` opens
copies that are yours: change what you like, and save. It never overwrites a copy that you have
changed; delete it to have the book's again.

- <kbd>Shift</kbd>+<kbd>Enter</kbd> runs a cell. *Run All Cells*, in the menu *Run*, runs a chapter.
- Code that only draws or sets up is folded: click the three dots to see it. VS Code shows it.
- An output that you are asked to predict is folded, or shown when you run its cell.
- Change the records: outputs, plays and explorers follow. The words around them still speak of the
  book's own.
- Hints, solutions and the answers of *Check yourself* open at a click.
- Below an exercise stands a cell for your answer: put it in, run the cell, and read whether it is
  right, and why.
- The notebooks need `pip install . ./beyond ./book` in the project's folder. In Colab upload one,
  and the three wheels that `make wheels` lays in `_build/wheels`, and first run
  `%pip install *.whl`.
- VS Code asks once whether it may download the widgets' files: say *Ok*.

Here are ten pupils, and the days each was absent. Six are in a study, which publishes their mean.
Run the next cell, pull one pupil out and another one in: how far can you make the mean go?
"""
OWN = """
## Your own study

[Your own study](study.ipynb) begins with a table in a file: what may vary, what is asked, a picture
and a table to keep.
"""
TURN = """## Your turn

{}

Change the records, the size or the function, and run the cell. It says how far the answer can
move, and shows two datasets that are so far apart.
"""
CHECKS = """## Checks

The cells below do nothing here. The book's own tests run in them the code of the solutions, and
hold the chapter's words to its data.
"""
TRY = """from sensitivity_book.stage.dots.games import moving
from sensitivity_book.stage.dots.widget import Dots

Dots(moving())"""


class Document:
    """A page of the book: where it stands, its number, and the name of its notebook, if any."""

    def __init__(self, file: str, number: int = 0, letter: str = "") -> None:
        self.path = ROOT / f"{file}.md"
        self.number, self.letter, self.name = number, letter, self.path.stem
        self.runs = self.path.parent.name in ("chapters", "template")
        numbered = f"{number:02}-{self.name}.ipynb" if number else f"{self.name}.ipynb"
        self.copy = numbered if self.runs or self.name in PAGES else None


def listed() -> list[tuple[str, list[Document]]]:
    """The parts of the book, in the order in which they are read."""
    number, parts = 0, []
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]:
        documents = []
        for listed_one in part["chapters"]:
            number += 1
            order = number if "numbered" in part else 0
            documents.append(Document(listed_one["file"], order, LETTERS.get(part["caption"], "")))
            documents += [Document(one["file"]) for one in listed_one.get("sections", ())]
        parts.append((part["caption"], documents))
    return parts


def noted() -> list[Document]:
    """The documents that have a notebook, in their order."""
    return [one for _, part in listed() for one in part if one.copy] + [Document(STUDY)]


def source(path: Path) -> Any:
    """A text as a notebook without outputs, of which a caller may make what it likes."""
    return deepcopy(parsed(path))


@cache
def parsed(path: Path) -> Any:
    """A text as a notebook; a page that runs nothing is one cell."""
    text = path.read_text(encoding="utf-8")
    if not is_myst_markdown_notebook(text):
        return new_notebook(cells=[new_markdown_cell(text)])
    notebook = read_myst_markdown_notebook(text, path=path)
    for place, cell in enumerate(code_cells(notebook), start=1):
        cell.id = f"code-{place}"  # by which its outputs are found
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def chapter(document: Document) -> Any:
    """The text of a document with the outputs that its notebook has stored."""
    notebook, path = source(document.path), NOTEBOOKS / str(document.copy)
    if path.exists():
        fill(notebook, nbformat.read(path, as_version=4))
    return notebook


def fill(notebook: Any, ran: Any) -> None:
    """Give code cells the outputs, and the values of ties, that those of the same id have."""
    ran = deepcopy(ran)
    begin_folded(ran, "")
    by_id = {cell.id: cell for cell in code_cells(ran)}
    for cell in code_cells(notebook):
        one = by_id.get(cell.id, new_code_cell())
        cell.outputs, cell.execution_count = one.outputs, one.execution_count
        for tie in cell.metadata.get("ties", ()):
            cell.metadata["ties"][tie] = one.metadata.get("ties", {}).get(tie, "")


def begin_folded(notebook: Any, first: str = FIRST) -> None:
    """Begin what is folded with a line that tells nothing, or without it:
    JupyterLab shows the first line of what it folds."""
    for cell in code_cells(notebook):
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            for output in cell.outputs:
                there, key = (output, "text") if "text" in output else (output.data, "text/plain")
                there[key] = first + there[key].removeprefix(FIRST)


def read(book: Book, documents: list[Document]) -> None:
    """Let a book read every document, so that it knows where links lead."""
    for document in documents:
        cells = source(document.path).cells
        figures = [figure["name"] for cell in cells if (figure := figure_of(cell))]
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        book.read(text, figures, document.copy, document.number or document.letter)


def opened(kind: type[Book] = Book) -> tuple[Book, list[tuple[str, list[Document]]]]:
    """A book that has read all, and its parts."""
    book, parts = kind(ROOT / "book" / "references.bib"), listed()
    read(book, [one for _, part in parts for one in part])
    return book, parts


def start(book: Book, parts: list[tuple[str, list[Document]]], welcome: str, own: str = "") -> Any:
    """The page to start from: what can be done here, and all notebooks in their order."""
    lines = []
    titles = {target.file: target.words for target in reversed(book.labels.values())}
    for caption, documents in parts:
        lines.append(f"\n## {caption}\n")
        lines += [
            (
                f"{f'{document.number}.' * bool(document.number) or '-'} "
                f"[{titles[document.copy]}]({document.copy})"
            )
            for document in documents
            if document.copy
        ]
    texts = {welcome: "markdown", TRY: "code", own + "\n".join(lines): "markdown"}
    return finished([Cell(kind, text.strip()) for text, kind in texts.items()])


def plain_notebook(book: Book, notebook: Any, name: str) -> Any:
    """A chapter in plain Markdown: solutions folded; what only the tests run before the turn."""
    cells = list(unfolded(book, notebook, name, checked=True))
    held = [nbformat.from_dict(each) for each in held_cells(cells)]
    cells = [each for each in folded(cells) if not is_held(each)]
    cells[0].source = re.sub(r"\A(# .*)", rf"\1\n\n{POINTER}", cells[0].source)
    if held:
        head = made(Cell("markdown", CHECKS.strip(), HELD))
        head.metadata["jp-MarkdownHeadingCollapsed"] = True
        held.insert(0, head)
    for cell in held[1:]:
        cell.source = f"{ONLY_IN_TESTS}\n{cell.source}"
        hidden = {"outputs_hidden": True, "source_hidden": True}
        tied = {key: each for key, each in cell.metadata.items() if key == "ties"}
        cell.metadata = {"collapsed": True, "jupyter": hidden, "tags": [HELD], **tied}
    turn = next(
        (i for i, each in enumerate(cells) if getattr(each, "label", "") == "turn"), len(cells)
    )
    cells[turn:turn] = held
    return finished(cells)


def unfolded(book: Book, notebook: Any, name: str, checked: bool = False) -> Iterator[Any]:
    """The cells of a chapter, each solution between its marks;
    on the path the reader's turn comes last."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from book.cells(TIE.sub("", cell.source))
            continue
        if checked or not checks(cell):
            yield code(cell, ties(notebook.cells) if checked else {})
        if figure := figure_of(cell):
            shown = f"*{book.labels[figure['name']].words}. {book.words(figure['caption'])}*"
            yield Cell("markdown", shown, figure["name"])
    turns = (ROOT / "scripts" / "turns.md").read_text(encoding="utf-8")
    if found := re.search(rf"^## {name}\n\n(.*?)\n\n```python\n(.*?)\n```", turns, re.M | re.S):
        yield Cell("markdown", TURN.format(found[1]), "turn")
        yield Cell("code", found[2], "your-turn")


def held_cells(cells: list[Any]) -> Iterator[Any]:
    """The code of solutions, which a notebook shows as text, and of checks, which it does not."""
    inside = False
    for cell in cells:
        kind = getattr(cell, "kind", "code")
        inside = kind == "solution-start" or (inside and kind != "solution-end")
        if isinstance(cell, dict) and (inside or is_held(cell)):
            yield cell


def is_held(cell: Any) -> bool:
    return isinstance(cell, dict) and HELD in cell.metadata.get("tags", ())


def folded(cells: list[Any]) -> Iterator[Any]:
    """Fold each solution into a `<details>`, its code and what it prints as text:
    no other fold is kept everywhere."""
    inside: list[Any] | None = None
    for cell in cells:
        kind = getattr(cell, "kind", "code")
        if kind == "solution-start":
            inside = []
        elif kind == "solution-end":
            shown = [written(each) for each in inside if not is_held(each)]
            yield Cell("markdown", details("Solution", "\n\n".join(shown)))
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
    """Whether a cell of a text, which no page shows, only holds it to the book's own data."""
    tags = cell.metadata.get("tags", [])
    return "remove-cell" in tags and bool("assert " in cell.source or "print(" in cell.source)


def tied(cells: list[Any]) -> Iterator[tuple[Any, str]]:
    """Each cell, and the code cell behind which its ties are evaluated: the last that a page runs,
    or the first."""
    runs = {cell.id: cell for cell in cells if cell.cell_type == "code" and not checks(cell)}
    place = next(iter(runs), "")
    for cell in cells:
        place = cell.id if cell.id in runs else place
        yield cell, place


def ties(cells: list[Any]) -> dict[str, dict[str, str]]:
    """What holds the numbers of a text: expressions to evaluate behind a code cell."""
    found: dict[str, dict[str, str]] = {}
    for cell, place in tied(cells):
        if cell.cell_type == "markdown" and (here := TIE.findall(cell.source)):
            found.setdefault(place, {}).update(dict.fromkeys(here, ""))
    return found


def code(cell: Any, ties: dict[str, dict[str, str]]) -> Any:
    """A code cell, folded as on its page."""
    tags = {*cell.metadata.get("tags", [])}
    metadata: dict[str, Any] = {"scrolled": True} if "hide-cell" in tags else {}  # a long table
    hidden = {"source_hidden": True} if FOLDED & tags else {}
    if tags & {"hide-output", "hide-cell"}:
        hidden["outputs_hidden"] = metadata["collapsed"] = True  # JupyterLab writes both
    if hidden:
        metadata["jupyter"] = hidden
    if FOLDED & tags:
        metadata["cellView"] = "form"  # which is how Colab folds
    if kept := [*(KEPT & tags), *([HELD] if checks(cell) else [])]:
        metadata["tags"] = kept
    if cell.id in ties:
        metadata["ties"] = ties[cell.id]
    return new_code_cell(
        cell.source,
        id=cell.id,
        metadata=metadata,
        outputs=cell.outputs,
        execution_count=cell.execution_count,
    )


def figure_of(cell: Any) -> Any:
    """What a page writes below the picture of a cell."""
    return cell.metadata.get("mystnb", {}).get("figure")


def to_run(cell: Any) -> None:
    """Let a cell wait to be run, and show its output when it is."""
    cell.execution_count = None
    cell.metadata.pop("collapsed", None)
    cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
    cell.metadata = {key: value for key, value in cell.metadata.items() if value}


def finished(cells: list[Any]) -> Any:
    """A notebook of these cells, whose ids do not change from run to run."""
    cells = [each if isinstance(each, dict) else made(each) for each in cells]
    for place, cell in enumerate(cells, start=1):
        cell.id = f"c{place}" if cell.id == UNNAMED else cell.id
    return new_notebook(cells=cells, metadata=KERNEL)
