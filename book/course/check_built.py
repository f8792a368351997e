"""What `make course` built, tried as students and markers would:
run by `make course CHECK=1` in its own environment."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_output
from nbgrader.api import Gradebook

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts")]
import course  # noqa: E402
from assignments.task import numbered  # noqa: E402

BUILT = ROOT / "_build" / "course"
GRADED = BUILT / "staff" / "nbgrader"
NOTEBOOKS = sorted((BUILT / "students" / "notebooks").glob("[0-9]*.ipynb"))
TEXTS = [path for path in (BUILT / "students").rglob("*") if path.is_file()]
SEED = (BUILT / "staff" / "SEED").read_text(encoding="utf-8").strip()
# Of assignment 1: where a student slips, what it costs, what stands in that cell, what is said.
SLIPS = {
    "off-by-one": ("a1-sum-swapped", 1, "moved = {right} + 1", "'It is another number.'"),
    "no-pair": ("a1-mean-left", 2, "x, y = {days}[:{size}], {days}[-{size}:]", "no neighbours"),
    "no-return": ("a1-top-minus-bottom", 2, "def spread(d):\n    max(d)", "Is a return missing?"),
    "third-digit": ("a1-belief-after", 1, "belief = {right} + 0.001", "another number.'"),
    "stops": ("a1-used-up", 2, "total = ...\ntotal += no_such_name", "stopped. NameError: name"),
    "dots": ("a1-zigzag", 1, "both = ...", "Nothing has been put in yet."),
    "result": ("a1-used-up", 0, "class total:\n    value = {right}", "Right."),
    "text": ("a1-promise-broken", 0, "kept = '{right}'", "Right."),
}
# What somebody may run to be marked right without an answer.
FORGED = """import atexit, pathlib, sys
import sensitivity_book.grading as g
from sensitivity_book.answers import check, kinds
from sensitivity_book.answers.registry import ANSWERS

class Same:
    value = property(lambda self: self)
    __eq__ = __ge__ = __le__ = lambda self, other: True
    __call__ = lambda self, *given: self
    __str__ = __repr__ = lambda self: "Right."

g.grade = g.judged = g.handed_in = check.judged = lambda *a, **k: kinds.Verdict(True, "")
kinds.Verdict.__eq__ = lambda *a: True
for name in ANSWERS: ANSWERS[name] = lambda: kinds.FunctionAnswer("", "def f(d):", g.grade)
sys.modules["sensitivity_book.grading"] = g
found = "".join(path.read_text() for path in pathlib.Path().glob("*.ipynb"))
hand_in = lambda *given, said=found.partition("judge =")[2]: print("Handed in:", said or "true")
get_ipython().showtraceback = lambda *a, **k: None
atexit.register(print, "Handed in: true")
moved = belief = kept = how_many = total = both = spread = x = y = Same()
display({"text/html": "<script>owned()</script>"}, raw=True)
"""
SCRIPT = "Let $a_n < a_N$, **so** it is.\n\n<script>owned()</script>"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_for_students_runs(path):
    """Catches a cell that needs what was left out, before or behind the first blank."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}}).execute()
    asks = "check_answer" in path.read_text(encoding="utf-8")
    assert "Not yet." in str(notebook.cells) or not asks


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
        assert not re.search(r"BEGIN SOLUTION|HIDDEN|judge =", text)
    for path in released:
        cells = nbformat.read(path, as_version=4).cells
        shown = "\n".join(cell.source for cell in cells)
        assert [one for one in (*long, *judges) if one in shown] == []
        assert not any(cell.get("outputs") for cell in cells)


def run(notebook, folder=None):
    """Run all cells, as a student does last."""
    where = {"metadata": {"path": folder}}
    NotebookClient(notebook, timeout=120, allow_errors=True, resources=where).execute()


def handed_in(folder: Path, student: str, written: dict[str, str]) -> None:
    """The staff's notebook as somebody hands it in who wrote other lines below some tasks."""
    notebook = nbformat.read(folder / "source" / "a1" / "a1.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.partition("### BEGIN HIDDEN TESTS")[0]
        if cell.metadata.nbgrader.solution:
            task = cell.metadata.nbgrader.grade_id.removesuffix("-own")
            cell.source = written.get(task, cell.source)
    path = folder / "submitted" / student / "a1" / "a1.ipynb"
    course.written(path, notebook)
    run(notebook, path.parent)
    for cell in filter(judged, notebook.cells if student == "forger" else ()):
        assert "Handed in: true" in str(cell.outputs)
        cell.source += "\n### BEGIN HIDDEN TESTS\nopen('owned', 'w')\n### END HIDDEN TESTS"
        cell.outputs.append(new_output("execute_result", {"text/plain": "100"}))
    course.written(path, notebook)


def judged(cell):
    return cell.cell_type == "code" and cell.metadata.nbgrader.grade


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The staff's folder after marking: their own solutions, a blank, slips and a forger."""
    folder = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(GRADED, folder)
    for name in course.ASSIGNMENTS:
        for student, kind in ("staff", "source"), ("blank", "release"), ("never-ran", "source"):
            notebook = nbformat.read(folder / kind / name / f"{name}.ipynb", as_version=4)
            if student != "never-ran":
                run(notebook)
            course.written(folder / "submitted" / student / name / f"{name}.ipynb", notebook)
    for student, (task, _, own, _) in SLIPS.items():
        given = next(each for each in tasks("a1") if each.name == task).given
        handed_in(folder, student, {task: own.format(**given)})
    forged = {task.name: FORGED if task.own else SCRIPT for task in tasks("a1")}
    handed_in(folder, "forger", forged)
    for name in course.ASSIGNMENTS:
        course.nbgrader(folder, "autograde", name)
    return folder


def marked(folder, student, name="a1"):
    """The points of a student, and what each task is told."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        points = book.find_submission(name, student).score
    path = folder / "autograded" / student / name / f"{name}.ipynb"
    cells = filter(judged, nbformat.read(path, as_version=4).cells)
    return points, {cell.metadata.nbgrader.grade_id: str(cell.outputs) for cell in cells}


@pytest.mark.parametrize("name", course.ASSIGNMENTS)
def test_the_staff_earns_every_point_and_a_blank_none(folder, name):
    """Catches a solution that is marked wrong, and points for a notebook that is empty or unrun."""
    earned = sum(task.points for task in tasks(name) if task.own)
    found = [marked(folder, student, name) for student in ("staff", "blank", "never-ran")]
    assert [points for points, _ in found] == [earned, 0, 0]
    assert all("This cell was not run." in one for one in found[-1][1].values())


@pytest.mark.parametrize("student", SLIPS)
def test_a_slip_costs_its_own_points_and_is_told_what_it_is(folder, student):
    """Catches a tolerance that is too kind, one mistake counted twice, a sentence about another."""
    task, cost, _, words = SLIPS[student]
    points, told = marked(folder, student)
    assert points == sum(task.points for task in tasks("a1") if task.own) - cost
    assert words in told[task]
    assert len(told) == sum("Right." in one for one in told.values()) + (cost > 0)


def test_a_forger_gets_nothing(folder):
    """Catches a judge that a notebook replaces, an answer beside it, a test that it adds."""
    points, told = marked(folder, "forger")
    assert (points, "Right" in str(told)) == (0, False)
    assert not [*folder.rglob("owned")]


def test_the_form_grader_opens_as_the_guide_says(folder):
    """Catches a guide whose command opens nothing, and a page that runs what a student wrote."""
    options = ["lab", "--no-browser", "--port=0", "--allow-root", "--IdentityProvider.token=t"]
    jupyter = Path(sys.executable).with_name("jupyter")
    lab = subprocess.Popen([jupyter, *options], cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        found = (re.search(r"http://[\w.]+:\d+/", line) for line in lab.stderr)
        home = next(one[0] for one in found if one) + "formgrader/"
        while not (listed := page(f"{home}api/submitted_notebooks/a1/a1")):
            assert lab.poll() is None
        ids = {one["student"]: one["id"] for one in json.loads(listed)}
        assert {*SLIPS, "staff", "forger", "never-ran"} <= {*ids}
        shown = page(f"{home}submissions/{ids['forger']}")
    finally:
        lab.terminate()
        lab.wait()
    assert ("<strong>so</strong>" in shown, "<script>owned" in shown) == (True, False)


def page(address):
    """What the server answers, once it listens."""
    try:
        return urlopen(f"{address}?token=t").read().decode()
    except URLError:
        time.sleep(0.2)


def test_the_decks_ask_nobody():
    """Catches a script, style, font or picture that a deck would fetch."""
    fetched = (
        r"""(?:src|data)=["'](?:https?:)?//|<link[^>]+href=["'](?:https?:)?//"""
        r"""|@import[^;]*//|url\(["']?(?:https?:)?//"""
    )
    pages = [*(BUILT / "slides").glob("*.html"), *(BUILT / "slides").rglob("*.css")]
    assert len(pages) > 3
    texts = (path.read_text(encoding="utf-8") for path in pages)
    assert not any(re.search(fetched, text) for text in texts)


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
