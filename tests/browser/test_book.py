"""Every built page, opened from its file with the network cut off."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from places import HTML, SCREENSHOTS
from playwright.sync_api import Browser, ConsoleMessage, Page, Route

ARTICLE = "article.bd-article"
WIDE, PHONE = 1280, 375
WIDEST = """Math.max(...[...document.querySelectorAll('html, .bd-article-container, .bd-article')]
  .map(part => part.scrollWidth))"""
# axe-core is slow, so it looks once at each width and each scheme; structure is the same in both.
AXE_LOOKS = {(WIDE, "light"): {"runOnly": ["color-contrast"]}, (PHONE, "dark"): {}}
# Code and formulas are most of a page, and alike on all: axe-core sees them on these two.
MACHINE_MADE = ".highlight, mjx-container"
SEEN_WHOLE = {"notebooks/by_hand.html", "book/formulas.html"}
TALLEST = 60_000  # pixels: a picture of a taller page would be an empty file
THEME_DELAY = 400  # ms: the theme adapts to a new width 300 ms after the change
PAGES = sorted(
    str(path.relative_to(HTML))
    for pattern in ("*.html", "book/**/*.html", "notebooks/**/*.html")
    for path in HTML.glob(pattern)
    if path.name not in {"index.html", "search.html"}  # one leads on, one is asked below
)

# What axe-core finds in markup that is not ours to write: the rule, the elements, and whose.
NOT_OURS = {
    "aria-allowed-role": "[role=doc-biblioentry]",  # docutils: an entry of a bibliography
    "aria-deprecated-role": "[role=doc-biblioentry]",  # the same
    "aria-required-children": ".citation-list",  # docutils: the list of those entries
    "definition-list": ".sig > dl",  # Sphinx: a signature with a line for each parameter
}


@dataclass
class Visit:
    """A page that was opened once, and what happened while it loaded."""

    name: str
    page: Page
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def block(self, route: Route) -> None:
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.requests.append(route.request.url)
            route.abort()

    def note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)


# One worker visits a page for all its tests.
VISITS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in PAGES]


@pytest.fixture(scope="module", params=VISITS)
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    page = browser.new_page(viewport={"width": WIDE, "height": 900}, color_scheme="light")
    visit = Visit(request.param, page)
    page.route("**/*", visit.block)
    page.on("console", visit.note)
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.goto((HTML / visit.name).as_uri(), wait_until="load")
    page.evaluate("window.MathJax?.startup?.promise")
    yield visit
    page.close()


def test_the_book_is_built() -> None:
    """Catches a run before `make book`, which would look at no page at all."""
    assert PAGES, "no built page found: run `make book` first"
    assert "intro.html" in (HTML / "index.html").read_text("utf-8")


def test_no_request_leaves_the_machine(visit: Visit) -> None:
    """Catches a font, script or image that is fetched from somewhere else."""
    assert visit.requests == []


def test_no_console_error(visit: Visit) -> None:
    """Catches a script that fails: search, theme switch and copy buttons hang on them."""
    assert visit.errors == []


def test_formulas_are_rendered(visit: Visit) -> None:
    """Catches a formula left as TeX, one that MathJax could not read, and stray dollars."""
    formulas = visit.page.locator(f"{ARTICLE} .math")
    rendered = visit.page.locator(f"{ARTICLE} .math:has(mjx-container)")
    assert rendered.count() == formulas.count()
    assert visit.page.locator("mjx-merror").count() == 0
    assert visit.page.locator(f"{ARTICLE} :not(pre, code) > :text('$$')").count() == 0


def test_one_title_and_no_level_left_out(visit: Visit) -> None:
    """Catches a page with two titles, and headings that a screen reader cannot follow."""
    headings = visit.page.locator(f"{ARTICLE} :is(h1, h2, h3, h4, h5, h6)")
    levels = [int(tag[1]) for tag in headings.evaluate_all("all => all.map(h => h.tagName)")]
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_images_say_what_they_show(visit: Visit) -> None:
    """Catches a figure without alt text: the builder then puts the file's path there."""
    images = visit.page.locator(f"{ARTICLE} img")
    for alt in images.evaluate_all("all => all.map(image => image.getAttribute('alt'))"):
        assert alt, "an image has no alt text"
        assert not Path(alt).suffix or " " in alt, f"alt text is a path: {alt}"


def test_search_finds_a_chapter(browser: Browser) -> None:
    """Catches a search that needs a server: a reader opens the book from a file."""
    page = browser.new_page()
    page.goto((HTML / "search.html").as_uri() + "?q=neighbour")
    page.locator("#search-results a[href*='notebooks/']").first.wait_for(timeout=15_000)
    page.close()


@pytest.mark.parametrize(
    ("entry", "leads_to"),
    [
        ("witness", "book/glossary.html#term-witness"),
        ("Witness (definition)", "notebooks/by_hand.html#def-witness"),
        ("Maps chain (theorem)", "notebooks/privacy.html#thm-privacy-chaining"),
        ("Public joins", "notebooks/people_and_rows.html#public-joins"),
    ],
)
def test_the_index_has_more_than_names(entry: str, leads_to: str) -> None:
    """Catches an index without definitions, theorems and sections."""
    index = (HTML / "genindex.html").read_text("utf-8")
    assert re.search(rf'href="{leads_to}">(<strong>)?{re.escape(entry)}<', index)


def test_the_index_has_what_a_term_is_also_called() -> None:
    """Catches an index in which a reader who knows another word finds nothing."""
    index = re.sub(r"<.*?>|\s+", " ", (HTML / "genindex.html").read_text("utf-8"))
    assert re.search(r"clamping +see +clipping", index)


def test_docstrings_lead_to_the_proofs_they_name() -> None:
    """Catches a label that is shown as it is written, and a first line read as a type."""
    page = (HTML / "book" / "api.html").read_text("utf-8")
    assert re.search(r'href="proofs.html#thm-share"[^>]*>.*?Theorem \d+', page)
    assert re.findall(r">[^<]*\b(?:thm|def)-[a-z][^<]*<", page) == []
    assert ">Type<" not in page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_how_it_looks(visit: Visit, width: int, scheme: str) -> None:
    """Catches sideways scrolling, faint text, unnamed controls, broken tables.

    Keeps two pictures of each page, for a person to look at.
    """
    show(visit.page, width, scheme)
    name = visit.name.removesuffix(".html").replace("/", "-")
    assert visit.page.evaluate(WIDEST) <= width
    if (width, scheme) in AXE_LOOKS:
        if not os.environ.get("CI"):  # nobody would look at it there
            picture = SCREENSHOTS / f"{name}-{width}-{scheme}.jpeg"
            height = min(visit.page.evaluate("document.documentElement.scrollHeight"), TALLEST)
            whole = {"x": 0, "y": 0, "width": width, "height": height}
            visit.page.screenshot(path=picture, full_page=True, clip=whole, type="jpeg", quality=80)
        with without(visit.page, "" if visit.name in SEEN_WHOLE else MACHINE_MADE):
            assert faults(visit.page, **AXE_LOOKS[width, scheme]) == {}


def show(page: Page, width: int, scheme: str) -> None:
    """Show the page at a width and in a scheme, and let the theme's scripts follow."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function("scheme => document.documentElement.dataset.theme == scheme", arg=scheme)
    page.wait_for_timeout(THEME_DELAY)


@contextmanager
def without(page: Page, css: str) -> Iterator[None]:
    """Take some elements out of the page for a while."""
    taken = "[...document.querySelectorAll(css)].filter(part => !part.parentElement.closest(css))"
    swap = "part => { const mark = document.createComment(''); part.replaceWith(mark); return [mark, part]; }"
    page.evaluate(f"css => {{ window.taken = css ? {taken}.map({swap}) : []; }}", css)
    try:
        yield
    finally:
        page.evaluate("window.taken.forEach(([mark, part]) => mark.replaceWith(part))")


def faults(page: Page, context: str = ARTICLE, **options: Any) -> dict[str, list[str]]:
    """What axe-core finds in our content: the rule, and where it is broken."""
    options = {"resultTypes": ["violations"], "preload": False, **options}
    found = Axe().run(page, context=context, options=options)
    ours: dict[str, list[str]] = {}
    for fault in found.response["violations"]:
        for node in fault["nodes"]:
            if not not_ours(page, fault["id"], node["target"][0]):
                ours.setdefault(fault["id"], []).append(node["html"])
    return ours


def not_ours(page: Page, rule: str, place: str) -> bool:
    if rule not in NOT_OURS:
        return False
    element = page.locator(place).first
    return bool(element.evaluate("(element, css) => element.matches(css)", NOT_OURS[rule]))
