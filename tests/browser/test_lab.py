"""JupyterLab, as a reader opens it: one chapter run from the menu to its end."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from places import ROOT
from playwright.sync_api import Browser, Page, expect
from sensitivity_book.explorers.explorer import svg
from sensitivity_book.explorers.gallery import explorers
from test_book import WIDE

CHAPTER = ROOT / "notebooks" / "by-hand.ipynb"
LONGEST_CHAPTER = 300  # seconds
EXPLORERS = explorers()
BUSY = 60_000  # ms


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """A copy without outputs: whatever it holds at the end was computed here."""
    chapter = nbformat.read(CHAPTER, as_version=4)
    for cell in code_cells(chapter):
        cell.outputs, cell.execution_count = [], None
    copy = tmp_path / CHAPTER.name
    nbformat.write(chapter, copy)
    return copy


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves the copy."""
    command = [sys.executable, "-m", "jupyterlab", str(tmp_path), "--no-browser", "--allow-root"]
    options = ["--port=0", "--IdentityProvider.token=", "--LabApp.news_url="]
    folders = {f"JUPYTERLAB_{name}_DIR": str(tmp_path) for name in ("SETTINGS", "WORKSPACES")}
    server = subprocess.Popen(
        command + options, stderr=subprocess.PIPE, encoding="utf-8", env=os.environ | folders
    )
    try:
        assert server.stderr
        yield next(filter(None, map(address, server.stderr)))
    finally:
        server.terminate()
        server.wait(timeout=20)


def test_a_chapter_runs_to_its_end(browser: Browser, lab: str, notebook: Path) -> None:
    """Catches a chapter that works in the build alone: a kernel, file or widget not found."""
    page = browser.new_page()
    page.goto(f"{lab}/tree/{notebook.name}")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    cells = save_until_done(page, notebook)
    page.close()
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


def test_explorers_compute_what_is_chosen(browser: Browser, lab: str, tmp_path: Path) -> None:
    """Catches a live control that is not connected: every explorer's first knob and first box."""
    sources = ["from sensitivity_book.explorers.gallery import explorers\nmade = explorers()"]
    sources += [f"made[{name!r}]" for name in EXPLORERS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, tmp_path / "explorers.ipynb")
    page = browser.new_page(viewport={"width": WIDE, "height": 1600})
    page.goto(f"{lab}/tree/explorers.ipynb")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
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
    page.close()


def save_until_done(page: Page, notebook: Path) -> list[NotebookNode]:
    """Save as a reader would, until the file shows the last cell executed; return its cells."""
    for _ in range(LONGEST_CHAPTER):
        page.wait_for_timeout(1000)
        page.keyboard.press("Control+s")
        cells = code_cells(nbformat.read(notebook, as_version=4))
        failed = [cell.source for cell in cells if any("ename" in out for out in cell.outputs)]
        assert not failed, failed[0]
        if cells[-1].execution_count:
            break
    return cells


def address(line: str) -> str | None:
    found = re.search(r"http://(?:localhost|127\.0\.0\.1):\d+/lab", line)
    return found and found[0]


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
