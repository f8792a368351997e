"""Cells that run in their page, from its file or a server in turn; of all with CHECK_ALL=1."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from conftest import CHECK_ALL, HTML, ROOT, in_turn, turn
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route
from sensitivity_book.answers.check import check
from sensitivity_book.answers.kinds import DatasetAnswer, NumberAnswer
from sensitivity_book.answers.registry import ANSWERS
from test_book import ARTICLE, LOOKS, WIDE, WIDEST, boxes, faint_text, faults, show

RUNTIME = HTML / "_static" / "live"
CHAPTER = "book/chapters/by-hand.html"
SLOW = 240_000  # ms: a busy machine starts Python slowly
IDLE = (
    "() => ![...document.querySelectorAll('.live-bar button')].some(one => one.textContent == "
    "'Stop')"
)
RESTORE = "all => all.forEach(one => one.hidden || one.click())"

DAYS, COUNT, RESULT, PICTURE, SPAN = 2, 3, 11, 14, 19  # cells of the chapter

pytestmark = pytest.mark.xdist_group("live")


@dataclass
class Cells:
    """A page whose cells are run, and what happened while they were."""

    page: Page
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # files of the runtime
    early: list[str] = field(default_factory=list)  # those asked for before any press

    def box(self, cell: int) -> Locator:
        return self.page.locator(f"#cell-{cell}")

    def button(self, cell: int, word: str) -> Locator:
        return self.page.get_by_role("button", name=f"{word} cell {cell}", exact=True)

    def field(self, cell: int) -> Locator:
        return self.box(cell).locator("textarea")

    def press(self, cell: int, word: str = "Run") -> None:
        """Press a button, also in a fold that is closed."""
        self.box(cell).locator(f"[aria-label='{word} cell {cell}']").evaluate("one => one.click()")

    def idle(self) -> None:
        self.page.wait_for_function(IDLE, timeout=SLOW)

    def run(self, cell: int, code: str | None = None) -> str:
        """Run a cell, with other code if any is given, and return what it shows."""
        if code is not None:
            if not self.field(cell).count():
                self.press(cell, "Edit")
            self.field(cell).fill(code)
        self.press(cell)
        self.idle()
        return self.shown(cell)

    def shown(self, cell: int) -> str:
        return self.box(cell).locator(".live-output").text_content() or ""

    def status(self, cell: int) -> str:
        return self.box(cell).locator(".live-status").text_content() or ""

    def stored(self, cell: int) -> Locator:
        return self.box(cell).locator(".cell_output:not(.live-output)")


@contextmanager
def opened(context: BrowserContext, address: str, allowed: str = "file:") -> Iterator[Cells]:
    cells = Cells(context.new_page())

    def guard(route: Route) -> None:
        if "/_static/live/" in route.request.url:
            cells.asked.append(route.request.url)
        if route.request.url.startswith((allowed, "data:", "blob:")):
            route.continue_()
        else:
            cells.outside.append(route.request.url)
            route.abort()

    cells.page.route("**/*", guard)
    cells.page.on("pageerror", lambda error: cells.errors.append(str(error)))
    cells.page.on(
        "console", lambda one: cells.errors.append(one.text) if one.type == "error" else None
    )
    cells.page.goto(address, wait_until="load")
    cells.early = [*cells.asked]
    yield cells
    assert cells.outside == []


def present() -> None:
    """Skip where the book was built without Python for its pages."""
    if not RUNTIME.exists():
        missing = "the book was built without `make live`"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    present()
    context = browser.new_context(
        viewport={"width": WIDE, "height": 900}, color_scheme="light", reduced_motion="reduce"
    )
    context.set_default_timeout(SLOW)
    yield context
    context.close()


class Quiet(SimpleHTTPRequestHandler):
    """A server of the folder above the book, so that the book is under a path."""

    def log_message(self, *_: object) -> None:
        pass


FROM = in_turn(["file", "server"])


@pytest.fixture(scope="module", params=FROM)
def started(context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Cells]:
    """The chapter; its tests share one Python."""
    handler = partial(Quiet, directory=HTML.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}/"
        address, allowed = (HTML / CHAPTER).as_uri(), "file:"
        if request.param == "server":
            address, allowed = f"{base}{HTML.name}/{CHAPTER}", base
        with opened(context, address, allowed) as cells:
            yield cells
            assert cells.errors == []
        server.shutdown()


@pytest.fixture
def lab(started: Cells) -> Iterator[Cells]:
    """The chapter as it was stored."""
    yield started
    started.idle()
    started.page.locator(".live-bar [aria-label^=Restore]").evaluate_all(RESTORE)
    show(started.page, WIDE, "light")


def words(locator: Locator) -> str:
    return " ".join(str(locator.evaluate(WORDS)).split())


# Without the buttons that the theme adds to texts.
WORDS = """node => {
  const copy = node.cloneNode(true);
  copy.querySelectorAll("button").forEach(button => button.remove());
  return copy.textContent;
}"""


def test_nothing_is_loaded_before_the_first_run(lab: Cells) -> None:
    """Catches 30 MB that a reader who only reads has to wait for."""
    assert lab.early == []
    assert lab.run(COUNT)
    assert len(lab.asked) > 10


def test_stop_ends_a_start_by_the_key_that_began_it(context: BrowserContext) -> None:
    """Catches a keyboard that loses its place, and a load that no key ends."""
    with opened(context, (HTML / CHAPTER).as_uri()) as cells:
        page, bar = cells.page, cells.box(COUNT).locator(".live-bar")
        page.locator(f"#cell-{DAYS} .live-bar button").nth(1).focus()
        for _ in range(9):
            page.keyboard.press("Tab")
            if bar.locator("button:focus").count():
                break
        assert page.evaluate("document.activeElement.textContent") == "Run"
        page.keyboard.press("Enter")
        assert bar.get_by_role("status").text_content()
        assert re.match("Loading|Starting", cells.status(COUNT))
        assert "computer" in cells.status(COUNT)
        assert page.evaluate("document.activeElement.textContent") == "Stop"
        page.keyboard.press("Enter")
        cells.idle()
        assert cells.status(COUNT) == "Stopped."
        assert page.evaluate("document.activeElement.textContent") == "Run"
        page.wait_for_timeout(2500)
        assert cells.status(COUNT) == "Stopped."  # what was on its way says no more
        assert cells.errors == []
        page.close()


def test_a_run_gives_what_is_stored_and_runs_what_it_needs_alone(lab: Cells) -> None:
    """Catches another answer than the stored one, and a run of every cell above."""
    assert words(lab.stored(SPAN)) == " ".join(lab.run(SPAN).split())
    assert lab.status(SPAN).startswith("Ran in your browser, ")
    assert not lab.stored(SPAN).is_visible()
    assert [lab.status(cell) for cell in (6, 14, 15)] == [""] * 3


def test_a_table_and_a_picture_are_those_of_the_page(lab: Cells) -> None:
    """Catches a picture without words, caption or dark colours, a table set otherwise."""
    lab.run(RESULT)
    out = lab.box(RESULT).locator(".live-output table")
    assert words(out) == words(lab.stored(RESULT).locator("table"))
    lab.run(PICTURE)
    out, stored = lab.box(PICTURE).locator(".live-output"), lab.stored(PICTURE)
    drawings = zip(
        out.locator("svg.drawing").all(), stored.locator("svg.drawing").all(), strict=True
    )
    for one, other in drawings:
        assert words(one) == words(other)
        assert one.get_attribute("aria-label") == other.get_attribute("aria-label")
        assert "var(--" in one.inner_html()
    assert out.locator("svg.drawing:visible").count() == 1
    caption = words(out.locator(".live-caption"))
    assert caption == words(stored.locator("figcaption"))


def test_an_edit_above_changes_what_is_below_until_it_is_restored(lab: Cells) -> None:
    """Catches an answer older than its data, and a Restore that leaves something behind."""
    code = "pre >> nth=0"
    before = lab.box(DAYS).locator(code).text_content(), lab.stored(COUNT).inner_html()
    lab.run(COUNT)
    lab.run(DAYS, 'days = {"Ann": 1, "Bo": 2, "Cy": 3, "Di": 4, "Ed": 5, "Flo": 6, "Gus": 7}')
    assert lab.status(COUNT).startswith("Something above has changed")
    assert lab.run(COUNT).strip() == "7"
    lab.press(DAYS, "Restore")
    lab.press(COUNT, "Restore")
    assert (lab.box(DAYS).locator(code).text_content(), lab.stored(COUNT).inner_html()) == before
    assert lab.stored(COUNT).is_visible()
    assert not lab.box(COUNT).locator(".live-output").is_visible()
    assert not lab.field(DAYS).count()
    assert words(lab.stored(COUNT)) == lab.run(COUNT).strip()


def test_a_field_has_the_keys_of_an_editor(lab: Cells) -> None:
    """Catches a field that traps a keyboard, forgets an indentation or cannot be undone."""
    lab.button(DAYS, "Edit").click()
    field, keys = lab.field(DAYS), lab.page.keyboard
    field.fill("")
    keys.type("for x in (1, 2):")
    keys.press("Enter")
    keys.type("print(x)")
    keys.press("Enter")
    keys.press("Shift+Tab")
    keys.type("print(3)")
    assert field.input_value() == "for x in (1, 2):\n    print(x)\nprint(3)"
    mirror = lab.box(DAYS).locator(".live-editor > pre")
    assert (mirror.text_content() or "").removesuffix("\n") == field.input_value()
    assert mirror.locator(".k").all_inner_texts()[:2] == ["for", "in"]
    field.press("ControlOrMeta+a")
    keys.press("Tab")
    assert field.input_value() == "    for x in (1, 2):\n        print(x)\n    print(3)"
    keys.press("ControlOrMeta+z")
    assert field.input_value() == "for x in (1, 2):\n    print(x)\nprint(3)"
    keys.press("Shift+Enter")
    lab.idle()
    assert lab.shown(DAYS).split() == ["1", "2", "3"]
    keys.press("Escape")
    assert lab.page.evaluate("document.activeElement.textContent") == "Run"


def test_an_error_is_told_where_it_is_and_mended(lab: Cells) -> None:
    """Catches an error without its line, and cells below that never run again."""
    told = lab.run(DAYS, "print('before')\ndays = {}\ndays['Rick']")
    assert told.index("before") < told.index("Traceback")
    assert "line 3" in told
    assert "days['Rick']" in told
    assert "KeyError" in told
    assert lab.status(DAYS) == "Ended with an error."
    assert lab.run(COUNT) == ""
    assert "A cell above" in lab.status(COUNT)
    lab.run(DAYS, "days = dict.fromkeys('abcdefg', 1)")
    assert lab.run(COUNT).strip() == "7"


OUTPUTS = [
    ("for i in range(3): print(i, end='\\r')", "2"),
    ("import sys\nprint('a')\nprint('b', file=sys.stderr)", "a\nb\n"),
    ("display(1)\ndisplay('x')\n2", "1'x'2"),
    ("2;", ""),
    ("", ""),
    ("range(3)[1", "SyntaxError"),
    ("input('Name?')", "input() does not work in a page"),
    ("'x' * 300_000", "… cut here, after 100,000 characters"),
    ("for i in range(20_000): print(i)", "… cut here, after 100,000 characters"),
    ("1 + 1", "2"),
]


@pytest.mark.parametrize(("code", "end"), OUTPUTS)
def test_a_cell_shows_what_a_notebook_would(lab: Cells, code: str, end: str) -> None:
    """Catches progress in many lines, a value that is not shown, and output that stops the page."""
    shown = lab.run(DAYS, code)
    assert end in shown if end.strip() else shown == ""
    assert len(shown) < 101_000
    assert "ast.py" not in shown


def test_what_a_cell_writes_does_nothing(lab: Cells) -> None:
    """Catches markup from a table's cells that runs in the page of whoever looks at it."""
    evil = (
        "<b id=seen onclick='window.ran=1'>x</b><script>window.ran=1</script><iframe srcdoc=x>"
        "</iframe>"
    )
    lab.run(DAYS, f"class Shown:\n    def _repr_html_(self): return {evil!r}\nShown()")
    out = lab.box(DAYS).locator(".live-output")
    out.locator("#seen").click()
    assert out.locator("script, iframe, [onclick]").count() == 0
    assert lab.page.evaluate("window.ran") is None


def test_the_package_counts_exactly_where_integers_are_short(lab: Cells) -> None:
    """Catches a number that overflows in a browser, and a warning that is not true."""
    short = "import numpy as np\nprint(np.array([2**31 - 1]) + 1)"
    assert lab.run(COUNT, short).split() == ["[-2147483648]"]
    wide = (ROOT / "tests" / "width.py").read_text(encoding="utf-8")
    assert lab.run(COUNT, f"{wide}\nprint(disagreements())").split() == ["[]"]


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
def test_everybody_can_read_it(lab: Cells, width: int, scheme: str) -> None:
    """Catches a page that scrolls sideways, needles for buttons, faint words, unnamed controls."""
    show(lab.page, width, scheme)
    lab.run(RESULT)
    lab.run(PICTURE)
    lab.run(DAYS, f'for x in range(3):  # to see\n    print({"9" * 200!r}, "a", 1.5, True)\n1 / 0')
    assert lab.page.evaluate(WIDEST) <= width
    for box in boxes(lab.page.locator(".live-bar button:visible")):
        assert min(box["width"], box["height"]) >= 24
    assert faint_text(lab.page) == []
    for cell in (DAYS, PICTURE):
        assert faults(lab.page, f"#cell-{cell}") == {}


def test_without_webassembly_the_page_is_as_it_was(browser: Browser) -> None:
    """Catches a button that does nothing, and a reader who is not told why there is none."""
    present()
    page = browser.new_page()
    page.add_init_script("Object.defineProperty(window, 'WebAssembly', { value: undefined })")
    page.goto((HTML / CHAPTER).as_uri())
    assert page.locator(".live-bar").count() == 0
    assert "This browser cannot run Python" in (page.locator(ARTICLE).text_content() or "")
    assert page.locator(f"#cell-{COUNT} .cell_output").is_visible()
    page.close()


@turn(1, 3)
def test_stop_ends_an_endless_loop(lab: Cells) -> None:
    """Catches a loop that holds the page, and a page that runs nothing after it."""
    lab.run(COUNT)
    lab.press(DAYS, "Edit")
    lab.field(DAYS).fill("print('going')\nwhile True: pass")
    lab.press(DAYS)
    lab.box(DAYS).locator(".live-output", has_text="going").wait_for(timeout=SLOW)
    lab.press(DAYS, "Stop")
    lab.idle()
    assert lab.status(DAYS) == "Stopped."
    lab.press(DAYS, "Restore")
    assert words(lab.stored(COUNT)) == lab.run(COUNT).strip()


# A cell's stored output and that of its run, as a reader meets them: words of pictures too.
SHOWN = """(bar) => {
    const out = bar.parentElement.querySelector(".live-output"), box = bar.closest(".cell");
    const words = (node) => {
        const copy = node.cloneNode(true);
        const silent = "style, script, noscript, figcaption, summary, .live-caption, .copybtn";
        copy.querySelectorAll(`${silent}, button.sort`).forEach(
            part => part.matches(".sort") ? part.replaceWith(...part.childNodes) : part.remove());
        return copy.textContent.split(/\\s+/).filter(word => word).join(" ");
    };
    const stored = [...box.querySelectorAll(".cell_output")].filter(node => node !== out);
    const drawn = (node) => node.querySelectorAll("svg.drawing").length;
    const count = (nodes) => nodes.reduce((sum, node) => sum + drawn(node), 0);
    return {
        cell: box.id, status: bar.querySelector(".live-status").textContent,
        explorer: stored.some(node => node.querySelector(".explorer")),
        stored: stored.map(words).join(" ").trim(), live: words(out),
        drawings: [count(stored), count([out])],
    };
}"""


OTHERS = sorted(
    str(path.relative_to(HTML))
    for path in HTML.glob("book/**/*.html")
    if 'class="cell_input ' in path.read_text(encoding="utf-8")
)


def check_every_cell(page: Page) -> None:
    """Press every Run, from the top: each shows what is stored; an explorer its own place."""
    wrong = []
    for bar in page.locator(".live-bar").all():
        bar.locator("button").first.evaluate("button => button.click()")
        page.wait_for_function(IDLE, timeout=SLOW)
        run: dict[str, Any] = bar.evaluate(SHOWN)
        same = run["live"] == run["stored"] and len({*run["drawings"]}) == 1
        if not run["status"].startswith("Ran in your browser") or not (
            run["live"] if run["explorer"] else same
        ):
            wrong.append({name: str(told)[-300:] for name, told in run.items()})
    assert wrong == []


@turn(2, 3)
@pytest.mark.parametrize("chapter", OTHERS if CHECK_ALL else [CHAPTER])
def test_every_cell_shows_what_is_stored(lab: Cells, chapter: str) -> None:
    """Catches a cell that fails in a browser, or shows another number there."""
    if chapter == CHAPTER:
        check_every_cell(lab.page)
    else:
        with opened(lab.page.context, (HTML / chapter).as_uri()) as cells:
            check_every_cell(cells.page)
            cells.page.close()


@turn(2, 3)
def test_python_in_the_page_judges_as_python_does(lab: Cells) -> None:
    """Catches a judge of an exercise that needs what the Python of a page does not have."""
    made = {name: make() for name, make in ANSWERS.items()}
    asked = [
        {
            "name": name,
            "text": "\n".join(one.example)
            if isinstance(one, DatasetAnswer)
            else f"{one.start}\n    pass",
        }
        for name, one in made.items()
        if not isinstance(one, NumberAnswer) and (CHECK_ALL or name.startswith("by-hand"))
    ]
    assert len(asked) > 1
    ask = "asked => live.call('sensitivity_book.answers.check:check', asked, () => {})"
    assert [lab.page.evaluate(ask, one) for one in asked] == [check(one) for one in asked]
