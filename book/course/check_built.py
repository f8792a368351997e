"""What `make course` built, tried as students and markers would:
run by `make course CHECK=1` in its own environment."""

import re
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts")]
import course  # noqa: E402
from assignments.task import numbered  # noqa: E402

BUILT = ROOT / "_build" / "course"
GRADED = BUILT / "staff" / "nbgrader"
NOTEBOOKS = sorted((BUILT / "students" / "notebooks").glob("[0-9]*.ipynb"))
TEXTS = [path for path in (BUILT / "students").rglob("*") if path.is_file()]
SEED = (BUILT / "staff" / "SEED").read_text(encoding="utf-8").strip()
# Of assignment 1: what each of five wrong submissions loses, and what stands in its cell.
POINTS = {
    "off-by-one": ("a1-sum-swapped", 1, "moved = {right} + 1"),
    "no-neighbours": ("a1-mean-left", 2, "x, y = {days}[:{size}], {days}[-{size}:]"),
    "no-return": ("a1-top-minus-bottom", 2, "def spread(d):\n    max(d)"),
    "two-digits": ("a1-belief-after", 1, "belief = round({right}, 2) + 0.01"),
    "stops": ("a1-used-up", 2, "total = no_such_name"),
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_for_students_runs(path):
    """Catches a cell that needs what was left out, before or behind the first blank."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}}).execute()
    assert "Not yet." in str(notebook.cells) or "check_answer" not in path.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", course.ASSIGNMENTS)
def test_an_assignment_runs_up_to_its_first_blank(name):
    """Catches a released notebook that stops before, and one that passes unfilled."""
    path = BUILT / "students" / "assignments" / name / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    with pytest.raises(Exception, match=r"Nothing has been put in yet\."):
        NotebookClient(notebook, timeout=120).execute()
    ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.execution_count]
    assert ran[-1].metadata.nbgrader.grade_id == next(t.name for t in tasks(name) if t.own)


def tasks(name):
    return [*numbered(course.ASSIGNMENTS[name].TASKS, name, SEED)]


def test_students_get_neither_the_seed_nor_an_answer():
    """Catches a hidden test, a solution, an output or the seed in what is handed out."""
    released = [path for path in TEXTS if "assignments" in path.parts]
    solutions = [
        line for name in course.ASSIGNMENTS for t in tasks(name) for line in t.solution.splitlines()
    ]
    judges = [task.judge for name in course.ASSIGNMENTS for task in tasks(name) if task.judge]
    long = [line for line in solutions if len(line) > 20 and "import" not in line]
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        assert SEED not in text
        assert not re.search(r"BEGIN SOLUTION|HIDDEN|sensitivity_book\.grading", text)
    for path in released:
        cells = nbformat.read(path, as_version=4).cells
        shown = "\n".join(cell.source for cell in cells)
        assert [one for one in (*long, *judges) if one in shown] == []
        assert not any(cell.get("outputs") for cell in cells)


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory):
    """Marks of the staff's own solutions, a blank, and five wrong submissions, by nbgrader."""
    from nbgrader.api import Gradebook

    folder = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(GRADED, folder)
    for name in course.ASSIGNMENTS:
        source, blank = folder / "source" / name, folder / "release" / name
        shutil.copytree(source, folder / "submitted" / "staff" / name)
        shutil.copytree(blank, folder / "submitted" / "blank" / name)
    for student, (task, _, own) in POINTS.items():
        handed_in(folder, student, task, own)
    for name in course.ASSIGNMENTS:
        course.nbgrader(folder, "autograde", name)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        yield book


def handed_in(folder: Path, student: str, task: str, own: str) -> None:
    """The staff's notebook with one cell as a student may have it."""
    about = next(each for each in tasks("a1") if each.name == task)
    notebook = nbformat.read(folder / "source" / "a1" / "a1.ipynb", as_version=4)
    cell = next(c for c in notebook.cells if c.metadata.nbgrader.grade_id == f"{task}-own")
    cell.source = own.format(**about.given)
    course.written(folder / "submitted" / student / "a1" / "a1.ipynb", notebook)


@pytest.mark.parametrize("name", course.ASSIGNMENTS)
def test_the_staff_earns_every_point_and_a_blank_none(gradebook, name):
    """Catches a solution that is marked wrong, and points for an empty notebook."""
    earned = sum(task.points for task in tasks(name) if task.own)
    assert gradebook.find_submission(name, "staff").score == earned
    assert gradebook.find_submission(name, "blank").score == 0
    assert gradebook.find_submission(name, "staff").max_score == sum(t.points for t in tasks(name))


@pytest.mark.parametrize("student", POINTS)
def test_a_wrong_answer_loses_its_own_points(gradebook, student):
    """Catches a tolerance that is too kind, and one mistake that is counted twice."""
    earned = sum(task.points for task in tasks("a1") if task.own)
    assert gradebook.find_submission("a1", student).score == earned - POINTS[student][1]


def test_the_decks_ask_nobody():
    """Catches a script, style, font or picture that a deck would fetch."""
    fetched = (
        r"""(?:src|data)=["'](?:https?:)?//|<link[^>]+href=["'](?:https?:)?//"""
        r"""|@import[^;]*//|url\(["']?(?:https?:)?//"""
    )
    pages = [*(BUILT / "slides").glob("*.html"), *(BUILT / "slides").rglob("*.css")]
    assert len(pages) > 3
    assert [
        path.name for path in pages if re.search(fetched, path.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium here")
def test_a_browser_asks_nobody_for_a_deck():
    """Catches an address that a script puts together;
    and a slide that is higher than the screen."""
    from playwright.sync_api import sync_playwright

    asked, wrong = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        for deck in sorted((BUILT / "slides").glob("lecture-*.html")):
            page.goto(deck.as_uri())
            page.wait_for_function("Reveal.isReady() && !!window.MathJax?.startup")
            page.wait_for_timeout(1500)
            for slide in range(page.evaluate("Reveal.getTotalSlides()")):
                high, wide = page.evaluate(
                    "[Reveal.getCurrentSlide().scrollHeight, Reveal.getCurrentSlide().scrollWidth]"
                )
                if high > 700 or wide > 1260:
                    wrong.append((deck.stem, slide, high, wide))
                page.evaluate("Reveal.next()")
        browser.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith("file:")] == []
