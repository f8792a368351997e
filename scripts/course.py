"""Build what people teach from, out of `book/course/` and the notebooks, into `_build/course`.

    .venv-course/bin/python scripts/course.py       with the seed of staff/SEED, or a new one
    .venv-course/bin/python scripts/course.py SEED  with another, which is kept there

`students/` may be handed out. `staff/` holds the sources of the assignments with their solutions,
the seed, the guide and the exams. `slides/` opens in a browser, without a network.
"""

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parents[1]
COURSE, BUILT = ROOT / "book" / "course", ROOT / "_build" / "course"
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "book" / "_ext"), str(COURSE)]

import chapters  # noqa: E402
import matrix  # noqa: E402
from assignments.cells import ASSIGNMENTS, assignment  # noqa: E402
from matrix import PLAN  # noqa: E402
from plain import Block, Book, Cell, blocks, boxed  # noqa: E402

START = """# Sensitivity Lab: notebooks of the course

These are the book's chapters to work in. Run each cell with <kbd>Shift</kbd>+<kbd>Enter</kbd>.
Where you are asked to predict, predict first. Hints open at a click; solutions are not here. Below
an exercise stands a cell for your answer: run it, and read what it says.

Here are ten pupils, and the days each was absent. Six are in a study, which publishes their mean.
Run the next cell, pull one pupil out and another one in: how far can you make the mean go?
"""


def main(seed: str | None) -> None:
    staff, students = BUILT / "staff", BUILT / "students"
    seed = kept_seed(staff / "SEED", seed)
    shutil.rmtree(students, ignore_errors=True)
    for name, notebook in student_notebooks():
        written(students / "notebooks" / name, notebook)
    for name in ASSIGNMENTS:
        written(staff / "nbgrader" / "source" / name / f"{name}.ipynb", assignment(name, seed))
    released(staff / "nbgrader", students / "assignments")
    for path in COURSE.glob("*.md"):
        written(staff / path.name, path.read_text(encoding="utf-8"))
    written(staff / "matrix.md", matrix.table())
    slides(BUILT / "slides")
    print(f"\nFor students: {students}\nFor you: {staff}, with your seed\nDecks: {BUILT}/slides")


def kept_seed(path: Path, seed: str | None) -> str:
    """The seed of the graded numbers: what was asked for, what was kept,
    or one that nobody can guess."""
    seed = seed or (path.read_text(encoding="utf-8").strip() if path.exists() else "")
    written(path, (seed or secrets.token_hex(16)) + "\n")
    return path.read_text(encoding="utf-8").strip()


def written(path: Path, what: Any) -> None:
    """Write a text or a notebook, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = what if isinstance(what, str) else nbformat.writes(what) + "\n"
    path.write_text(text, encoding="utf-8")


class StudentBook(Book):
    """The book without what gives an answer away: hints stay folded,
    reasons and solutions are left out."""

    def plain(self, block: Block) -> str:
        """A hint opens; a question to answer from memory keeps its question;
        what was found is left out."""
        title = self.words(block.title)
        if block.name == "dropdown" and title.startswith("From memory"):
            return boxed(f"**{title}**")
        hidden = block.name == "dropdown" and not re.match("A hint|.*[Pp]roof", title)
        return "" if hidden or block.name == "solution" else super().plain(block)

    def choices(self, body: str) -> Iterator[str]:
        """The choices of a check, without verdict and reason."""
        for choice in re.findall(r"^- (?:yes|no): *(.*)", body, re.MULTILINE):
            yield f"- {self.words(choice)}"


def student_notebooks() -> Iterator[tuple[str, Any]]:
    """The copies of `make lab`, without solutions, and without outputs but some figures."""
    book, parts = chapters.opened(StudentBook)
    yield chapters.START, chapters.start(book, parts, START)
    for document in (one for _, part in parts for one in part if one.copy):
        yield str(document.copy), student(book, chapters.chapter(document), document.name)


def student(book: Book, notebook: Any, name: str) -> Any:
    """A chapter as students get it."""
    cells = list(unsolved(chapters.unfolded(book, notebook, name)))
    for cell, below in zip(cells, [*cells[1:], None], strict=True):
        if isinstance(cell, dict):
            chapters.to_run(cell)
            if getattr(below, "label", "") not in PLAN["figures"]["kept"]:
                cell.outputs = []
    return chapters.finished(cells)


def unsolved(cells: list[Any]) -> Iterator[Any]:
    """Leave out each solution, and give an exercise without a field a place to write."""
    solution, answered = False, True
    for cell in cells:
        kind, label = getattr(cell, "kind", "code"), getattr(cell, "label", "")
        answered = label.startswith("answer-") or (answered and not label.startswith("ex-"))
        if kind == "solution-start" and not answered:
            yield Cell("markdown", "*Write your answer here.*")
        solution = kind == "solution-start" or (solution and kind != "solution-end")
        if not solution and kind != "solution-end":
            yield cell


def released(course: Path, to: Path) -> None:
    """Let nbgrader take out the solutions and the hidden tests."""
    shutil.copy(COURSE / "nbgrader_config.py", course)
    for name in ASSIGNMENTS:
        nbgrader(course, "generate_assignment", name, "--force")
        shutil.copytree(course / "release" / name, to / name)


def nbgrader(course: Path, *asked: str) -> None:
    """Run nbgrader in its folder, and show what it says if it fails."""
    command = [sys.executable, "-m", "nbgrader", *asked]
    found = subprocess.run(command, cwd=course, capture_output=True, text=True, encoding="utf-8")
    if found.returncode:
        sys.exit(found.stderr)


class SlideBook(Book):
    """The book for a deck: links become words, and citations stay."""

    def role(self, found: re.Match[str]) -> str:
        return found[0] if found[1].startswith(("cite:", "math")) else super().role(found)


def deck_parts() -> dict[str, str]:
    """What a deck takes from the book by its label: theorems, definitions, figures as SVG."""
    (book, listed), parts = chapters.opened(SlideBook), {}
    book.labels = {name: target._replace(file=None) for name, target in book.labels.items()}
    texts = (chapters.chapter(one) for _, part in listed for one in part)
    for cell in (cell for text in texts for cell in text.cells):
        if (figure := chapters.figure_of(cell)) and (svg := drawing(cell)):
            name, caption = figure["name"], book.words(figure["caption"])
            written(BUILT / "deck-sources" / f"{name}.svg", svg)
            shown = f"```{{image}} {name}.svg\n:alt: {figure['caption']}\n```"
            parts[name] = f"{shown}\n\n*{book.labels[name].words}. {caption}*"
        for block in blocks(cell.source) if cell.cell_type == "markdown" else ():
            if block.name in ("prf:theorem", "prf:definition"):
                label = block.options["label"]
                title = f"{book.labels[label].words}. {book.words(block.title)}".removesuffix(". ")
                parts[label] = (
                    f"````{{admonition}} {title}\n:class: said\n{book.text(block.body)}\n````"
                )
    return parts


def drawing(cell: Any) -> str:
    """The picture that a cell drew, if it is one of lines."""
    drawn = [
        out.data["image/svg+xml"] for out in cell.outputs if "image/svg+xml" in out.get("data", {})
    ]
    return "".join(drawn[:1])


def slides(to: Path) -> None:
    """The decks: MyST, in which a line such as `@thm-noise-scale` stands for
    the book's own words."""
    sources = BUILT / "deck-sources"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(COURSE / "slides", sources)
    shutil.copy(ROOT / "book" / "references.bib", sources)
    parts = deck_parts()
    for deck in sources.glob("*.md"):
        text = deck.read_text(encoding="utf-8")
        text = re.sub(r"^@([\w-]+)$", lambda found: parts[found[1]], text, flags=re.MULTILINE)
        written(deck, text)
    command = ["-m", "sphinx", "-b", "revealjs", "-W", "--keep-going", "-q", str(sources), str(to)]
    own = {**os.environ, "PYTHONPATH": str(ROOT / "book" / "_ext")}
    subprocess.run([sys.executable, *command], check=True, env=own)
    for theme in (to / "_static" / "revealjs" / "dist" / "theme").glob("*.css"):
        if theme.name != "white.css":
            theme.unlink()  # some of them would fetch fonts


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
