"""The built book in Firefox, opened from its files: every third page of the path (all pages with
CHECK_ALL=1), each kind of script, Python in the page."""

import json
import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from conftest import CHECK_ALL, HTML, ROOT
from firefox import Page, firefox
from test_book import ARTICLE, PAGES, PHONE, WIDE, WIDEST
from test_plays import PULLED

CONTENTS = (ROOT / "_toc.yml").read_text(encoding="utf-8").partition("Rooms")[0]
PATH = [f"{name}.html" for name in re.findall(r"(?:root|file): (\S+)", CONTENTS)][::3]

pytestmark = pytest.mark.xdist_group("firefox")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with firefox(tmp_path_factory.mktemp("firefox")) as page:
        yield page


@pytest.fixture
def page(running: Page) -> Iterator[Page]:
    """A wide page, which must raise nothing and ask nobody for anything."""
    running.size(WIDE, 900)
    yield running
    assert running.faults() == []


def book(page: Page, name: str) -> None:
    page.visit((HTML / name).as_uri())


def texts(page: Page, css: str) -> list[str]:
    """The text of each element, whether it is seen or not, with single spaces."""
    each = "part => part.textContent.replace(/\\s+/g, ' ').trim()"
    found: list[str] = page.evaluate(f"[...document.querySelectorAll(`{css}`)].map({each})")
    return found


def seen(page: Page, css: str) -> list[bool]:
    look = "part => part.checkVisibility({ visibilityProperty: true })"
    found: list[bool] = page.evaluate(f"[...document.querySelectorAll(`{css}`)].map({look})")
    return found


LEAK = """<script>
  new Image().src = "http://image.invalid/";
  setTimeout(() => null.nothing);
</script>"""


def test_what_leaves_and_what_fails_is_seen(running: Page, tmp_path: Path) -> None:
    """Catches a client that is blind to a request or to an error."""
    (tmp_path / "leak.html").write_text(LEAK, encoding="utf-8")
    running.visit((tmp_path / "leak.html").as_uri())
    running.evaluate("new Promise((resolve) => setTimeout(() => resolve(0), 100))")
    assert any("TypeError" in fault for fault in running.faults())
    assert any("image.invalid" in url for url in running.requests)


@pytest.mark.parametrize("name", PAGES if CHECK_ALL else PATH)
def test_a_page_opens_from_its_file(page: Page, name: str) -> None:
    """Catches a script that only Chromium knows: formulas as TeX, a page wider than a phone."""
    page.size(PHONE, 900)
    book(page, name)
    page.evaluate("window.MathJax?.startup?.promise.then(() => 0)")
    formulas = f"document.querySelectorAll('{ARTICLE} .math')"
    assert page.evaluate(f"[...{formulas}].every(one => one.querySelector('mjx-container'))")
    page.wait_for(f"{WIDEST} <= {PHONE}")


def test_a_choice_shows_its_reason_and_closes_the_one_before(page: Page) -> None:
    """Catches choices that stay open side by side, or do not open."""
    book(page, "book/chapters/by-hand.html")
    check = ".check:has(#check-1)"
    for choice in range(3):
        page.click(f"{check} summary", choice)
        assert seen(page, f"{check} .reason") == [i == choice for i in range(3)]


KEYS = {"Home": "\ue011", "End": "\ue010", "ArrowUp": "\ue013", "ArrowDown": "\ue015"}


def test_a_key_pulls_each_play(page: Page) -> None:
    """Catches a play that Firefox's keys do not move, or move otherwise."""
    for name, rows in groupby(PULLED, lambda row: row[0]):
        book(page, name)
        for _, play, part, key, told in rows:
            page.evaluate(f"document.querySelector('{play} {part}').focus()")
            page.press(KEYS[key])
            said = " ".join(texts(page, f"{play} :is([role=status], .facts)"))
            assert " ".join(told.split()) in said, (play, part)


@pytest.fixture
def by_hand(page: Page) -> Page:
    """A page whose cells run; a reader's build may lack what they need, that of CI may not."""
    book(page, "book/chapters/by-hand.html")
    if not seen(page, ".live-bar"):
        missing = "no Python in the pages: `make live` and `make book` put it there"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    return page


def cell(page: Page, code: str) -> str:
    """The selector of the first cell with this code."""
    cells = "JSON.parse(document.getElementById('live-cells').textContent)"
    at = page.evaluate(f"{cells}.findIndex(cell => cell.source.includes({json.dumps(code)}))")
    return f"#cell-{at + 1}"


def run(page: Page, css: str) -> None:
    """Press Run, and wait until Python has started and the cell has ended."""
    page.click(f"{css} .live-bar button")
    status = f"document.querySelector('{css} .live-status').textContent"
    page.wait_for(f"/^(Ran|Ended|Stopped|Python)/.test({status})", seconds=300)


def test_a_cell_gives_what_is_stored(by_hand: Page) -> None:
    """Catches Python that does not start in Firefox from a file, outputs that differ."""
    shows = {"len(studies)": "pre", "result = ": "td", "sl.plot_witness(result)": "svg.wide text"}
    for code, part in shows.items():
        css = cell(by_hand, code)
        run(by_hand, css)
        stored = texts(by_hand, f"{css} .cell_output:not(.live-output) {part}")
        assert texts(by_hand, f"{css} .live-output {part}") == stored != []
        assert any(seen(by_hand, f"{css} .live-output {part}"))
        assert not any(seen(by_hand, f"{css} .cell_output:not(.live-output)"))
