"""Every cell that runs in the page shows there what is stored: one chapter here, all with CHECK_ALL=1."""

import os
import re

import pytest
from conftest import CHECK_ALL, ROOT
from playwright.sync_api import Browser, Page

PAGES = ROOT / "_build" / "html"
QUICK = ["notebooks/by-hand"]
ALL = sorted(
    str(path.relative_to(PAGES).with_suffix(""))
    for folder in ("notebooks", "book")
    for path in (PAGES / folder).glob("*.html")
    if 'class="cell_input ' in path.read_text(encoding="utf-8")
)
CHAPTERS = ALL if CHECK_ALL else QUICK
IDLE = """() => ![...document.querySelectorAll(".live-bar button")].some(button => button.textContent === "Stop")"""
LONGEST = 240_000  # ms

# What differs in a browser, and why.
DIFFERENT: dict[tuple[str, int], str] = {}

# A cell's stored output and that of its run, as a reader meets them: words of pictures too.
SHOWN = """(bar) => {
    const out = bar.parentElement.querySelector(".live-output"), box = bar.closest(".cell");
    const words = (node) => {
        const copy = node.cloneNode(true);
        copy.querySelectorAll("style, script, figcaption, summary, .live-caption, .copybtn, button.sort").forEach(
            part => part.matches(".sort") ? part.replaceWith(...part.childNodes) : part.remove());
        return copy.textContent;
    };
    const stored = [...box.querySelectorAll(".cell_output")].filter(node => node !== out);
    const count = (nodes) => nodes.reduce((sum, node) => sum + node.querySelectorAll("svg.drawing").length, 0);
    return {
        cell: Number(box.id.split("-")[1]), status: bar.querySelector(".live-status").textContent,
        explorer: stored.some(node => node.querySelector(".explorer")),
        stored: stored.map(words).join("\\n"), live: words(out), drawings: [count(stored), count([out])],
    };
}"""


def plain(text: str) -> str:
    return " ".join(text.split())


def runs(page: Page, chapter: str) -> list[dict[str, object]]:
    """Press every Run of a chapter, from the top, and return what was and is shown."""
    page.goto((PAGES / f"{chapter}.html").as_uri())
    seen = []
    for bar in page.locator(".live-bar").all():
        bar.locator("button").first.evaluate("button => button.click()")
        page.wait_for_function(IDLE, timeout=LONGEST)
        seen.append(bar.evaluate(SHOWN))
    return seen


@pytest.mark.xdist_group("live")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_cells_show_in_the_page_what_is_stored(browser: Browser, chapter: str) -> None:
    """Catches a cell that fails in a browser, or shows another number there."""
    if not (PAGES / "_static" / "live").exists():
        assert not os.environ.get("CI"), "the book was built without `make live`"
        pytest.skip("the book was built without `make live`")
    context = browser.new_context(offline=True)
    seen = runs(context.new_page(), chapter)
    context.close()
    assert seen
    wrong = []
    for run in seen:
        cell, status = int(str(run["cell"])), str(run["status"])
        same = plain(str(run["live"])) == plain(str(run["stored"])) and len({*run["drawings"]}) == 1  # type: ignore[misc]
        if run["explorer"]:
            same = bool(str(run["live"]))
        if not re.match("Ran in your browser", status) or same == ((chapter, cell) in DIFFERENT):
            wrong.append((cell, status, plain(str(run["stored"]))[:300], plain(str(run["live"]))[-300:]))  # fmt: skip
    assert not wrong
