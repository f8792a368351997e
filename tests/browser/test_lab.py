"""JupyterLab, as a reader opens it: a copy of one chapter run from the menu to its end."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import lab_copies
import nbformat
import pytest
from conftest import ROOT, in_turn, turn
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page, expect
from sensitivity_book.stage.explorers.explorer import svg
from sensitivity_book.stage.explorers.gallery import explorers
from test_book import WIDE

pytestmark = pytest.mark.xdist_group("lab")
CHAPTER = "01-by-hand.ipynb"
FIRST, *OTHERS = explorers().items()
EXPLORERS = dict([FIRST, *in_turn(OTHERS)])
BUSY, LONGEST_CHAPTER = 120_000, 300_000  # ms: a busy machine starts slowly
HAS_ENDED = """() => {
    const widgets = window.jupyterapp.shell.currentWidget.content.widgets;
    const cells = widgets.map(cell => cell.model).filter(model => model.type === "code");
    const failed = cell => cell.outputs.toJSON().some(output => output.output_type === "error");
    const done = cell => cell.executionCount || !cell.sharedModel.getSource().trim();
    return cells.some(failed) || cells.every(done);
}"""
COUNT = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves the folder."""
    command = [sys.executable, "-m", "jupyterlab", str(folder), "--no-browser", "--allow-root"]
    options = ["--port=0", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"]
    folders = {f"JUPYTERLAB_{name}_DIR": str(folder) for name in ("SETTINGS", "WORKSPACES")}
    folders |= dict.fromkeys(("JUPYTER_CONFIG_PATH", "JUPYTER_PATH"), str(ROOT / "scripts"))
    log = folder / "server.log"  # a pipe that nobody reads would fill up and stop the server
    with log.open("w", encoding="utf-8") as stderr:
        server = subprocess.Popen(command + options, stderr=stderr, env=os.environ | folders)
    try:
        yield address(server, log)
    finally:
        server.terminate()
        server.wait(timeout=BUSY / 1000)


@turn(1, 4)
def test_a_chapter_runs_to_its_end(browser: Browser, lab: str, folder: Path) -> None:
    """Catches a chapter that works in the build alone: a kernel, file or widget not found."""
    chapter = next(notebook for name, notebook in lab_copies.lab.copies() if name == CHAPTER)
    for cell in code_cells(chapter):  # whatever it holds at the end was computed here
        cell.outputs, cell.execution_count = [], None
    nbformat.write(chapter, folder / CHAPTER)
    page = opened(browser, f"{lab}/tree/{CHAPTER}")
    asked_in_words(page, chapter)
    run_all(page)
    page.wait_for_function(HAS_ENDED, timeout=LONGEST_CHAPTER)
    page.evaluate(SAVE)
    page.close()
    cells = code_cells(nbformat.read(folder / CHAPTER, as_version=4))
    assert [cell.source for cell in cells if any("ename" in out for out in cell.outputs)] == []
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


def asked_in_words(page: Page, chapter: NotebookNode) -> None:
    """A check's question is there, its reasons are folded, and nothing is left raw."""
    place = next(i for i, cell in enumerate(chapter.cells) if "Check yourself" in cell.source)
    cell = page.locator(f'.jp-Notebook [data-windowed-list-index="{place}"] .jp-RenderedMarkdown')
    cell.scroll_into_view_if_needed()
    expect(cell.get_by_text("How many of the 5,040 pairs have this widest gap?")).to_be_visible()
    reason = cell.get_by_text("Chris and Rick are fixed")
    expect(reason).to_be_hidden()
    cell.get_by_text("1", exact=True).click()
    expect(reason).to_be_visible()
    assert not lab_copies.RAW.search(
        "\n".join(page.locator(".jp-RenderedMarkdown").all_inner_texts())
    )


MAKING = """from sensitivity_book.stage.dots.games import moving
from sensitivity_book.stage.dots.widget import Dots
from sensitivity_book.stage.explorers.gallery import explorers
made = explorers()"""
AT_ONCE = """() => new MutationObserver((_, watch) => {
    const list = document.querySelector(".jp-OutputArea select");
    const key = new KeyboardEvent("keydown", {code: "KeyX", keyCode: 88, bubbles: true});
    if (list) watch.disconnect(), list.focus(), list.dispatchEvent(key);
}).observe(document.body, {childList: true, subtree: true})"""
PUBLIC = "import sensitivity_lab as sl; sl.explore(sl.Universe.population(range(4)), 2, [sl.MEAN])"


@turn(3, 4)
def test_explorers_and_dots_are_alive(browser: Browser, lab: str, folder: Path) -> None:
    """Catches a dead control, a game without its script, a key that cuts the cell, a loss."""
    sources = [MAKING, *(f"made[{name!r}]" for name in EXPLORERS), "Dots(moving())", PUBLIC]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "explorers.ipynb")
    page = opened(browser, f"{lab}/tree/explorers.ipynb")
    page.evaluate(AT_ONCE)  # "x", the moment that a list of choices is there
    run_all(page)
    for place, explorer in enumerate(EXPLORERS.values(), start=1):
        knob = explorer.knobs[0]
        cell = page.locator(f'.jp-Notebook [data-windowed-list-index="{place}"]')
        cell.scroll_into_view_if_needed()
        sentence = cell.locator(".widget-html-content p")
        expect(sentence).to_have_text(explorer.view().text, timeout=BUSY)
        if knob.ordered:
            cell.locator(".noUi-handle").first.press("End")
        else:
            cell.locator("select").first.select_option(label=knob.names[-1])
        turned = explorer.view(**{knob.argument: knob.names[-1]})
        expect(sentence).to_have_text(turned.text, timeout=BUSY)
        drawn = "".join(map(svg, turned.figures))
        expect(cell.locator(".jp-OutputArea svg text")).to_have_count(drawn.count("<text"))
        choices = re.findall(r'data-choice="([^"=]*)=([^"]*)"', drawn)
        for argument, name in choices[:1]:
            cell.locator("[data-choice]").first.click()
            clicked = explorer.view(**{knob.argument: knob.names[-1], argument: name})
            expect(sentence).to_have_text(clicked.text, timeout=BUSY)
    cell = page.locator(f'.jp-Notebook [data-windowed-list-index="{len(sources) - 2}"]')
    cell.scroll_into_view_if_needed()
    root = cell.locator(".dots")
    expect(root.locator(".big b")).to_have_text("0", timeout=BUSY)
    for i in (0, 9):
        root.locator(".dot").nth(i).click()
    expect(root.locator(".big b")).to_have_text("3.17")
    position = root.locator(".stage").evaluate("stage => getComputedStyle(stage).position")
    assert position == "relative"
    root.locator(".dot").first.press("x")  # which cuts a cell that has the focus
    for place in (len(sources) - 1, 1):
        cell = page.locator(f'.jp-Notebook [data-windowed-list-index="{place}"]')
        cell.scroll_into_view_if_needed()
        cell.locator("select").first.press("x")
        assert page.evaluate(COUNT) == len(sources), place
    said = cell.locator(".widget-html-content p").inner_text()
    page.evaluate(SAVE)
    page.evaluate(RESTART)
    page.close()
    page = opened(browser, f"{lab}/tree/explorers.ipynb")
    cell = page.locator('.jp-Notebook [data-windowed-list-index="1"]')
    cell.scroll_into_view_if_needed()
    expect(cell.locator(".widget-html-content p")).to_have_text(said, timeout=BUSY)
    page.close()


def opened(browser: Browser, address: str) -> Page:
    """A page with a notebook whose kernel is ready."""
    page = browser.new_page(viewport={"width": WIDE, "height": 1600})
    page.set_default_timeout(BUSY)
    page.goto(f"{address}?reset")  # without the notebooks of another test
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    return page


def run_all(page: Page) -> None:
    """Run all cells as a reader would, from the menu."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def address(server: subprocess.Popen[bytes], log: Path) -> str:
    """Where the server answers, once it says so."""
    for _ in range(BUSY // 100):
        said = log.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"http://(?:localhost|127\.0\.0\.1):\d+/lab", said):
            return found[0]
        assert server.poll() is None, said
        time.sleep(0.1)
    raise AssertionError(said)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
