"""Every built page, opened from its file with the network cut off."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import CHECK_ALL, HTML, SCREENSHOTS, drawn, in_turn
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.pictures.sheet import write_pdf

ARTICLE = "article.bd-article"
WIDE, PHONE = 1280, 375
WIDEST = """Math.max(...[...document.querySelectorAll('html, .bd-article-container, .bd-article')]
  .map(part => part.scrollWidth))"""
# Each width and each scheme once; what does not depend on them is the same in both looks.
LOOKS = [(WIDE, "light"), (PHONE, "dark")]
# Code and formulas are most of a page, and alike on all: axe-core sees their structure on two.
MACHINE_MADE = ".highlight, mjx-container"
REMOVE = "css => document.querySelectorAll(css).forEach(part => part.remove())"
SEEN_WHOLE = {"book/chapters/by-hand.html", "book/formulas.html"}
# What axe-core knows of colours is slow: it looks on two pages, and `faint_text` on all.
SLOW = ["color-contrast", "link-in-text-block"]
STRUCTURE = {"rules": {rule: {"enabled": False} for rule in SLOW}}
TALLEST = 60_000  # pixels: a picture of a taller page would be an empty file
BUSY = 120_000  # ms: a busy machine opens the longest page slowly
STORED = 1_000  # ms: what a page stores crosses to another process of the browser
THEME_DELAY = 400  # ms: the theme adapts to a new width 300 ms after the change
PAGES = sorted(
    str(path.relative_to(HTML))
    for pattern in ("*.html", "book/**/*.html")
    for path in HTML.glob(pattern)
    if path.name not in {"404.html", "index.html", "search.html"}  # two lead on, one is asked below
    and 'http-equiv="refresh"' not in path.read_text("utf-8")
)

# What axe-core finds in markup that is not ours to write: the rule, the elements, and whose.
NOT_OURS = {
    "aria-allowed-role": "[role=doc-biblioentry]",  # docutils: an entry of a bibliography
    "aria-deprecated-role": "[role=doc-biblioentry]",  # the same
    "aria-required-children": ".citation-list",  # docutils: the list of those entries
    "definition-list": ".sig > dl",  # Sphinx: a signature with a line for each parameter
}


ON_PATH = [name for name in PAGES if '<nav class="path"' in (HTML / name).read_text("utf-8")]
# On a phone, in the dark: of the path, and of a page of each other kind; all with CHECK_ALL=1.
KINDS = ["api", "api/answer", "board", "chapters", "formulas", "glossary", "proofs"]
OF_KINDS = [*ON_PATH, *(f"book/{kind}.html" for kind in KINDS), "genindex.html"]
OF_KINDS += [f"book/chapters/{name}.html" for name in ("case-files", "norms", "people-in-detail")]
# Some in turn with the commit, of the kinds on a phone, too.
NARROW = PAGES if CHECK_ALL else drawn(OF_KINDS, 4)
VISITED = PAGES if CHECK_ALL else sorted({*NARROW, *drawn(PAGES, 5)})


def test_the_book_is_built() -> None:
    """Catches a run before `make book`, which would look at no page at all."""
    assert len(ON_PATH) > 8
    assert set(OF_KINDS) <= set(PAGES)
    assert PAGES, "no built page found: run `make book` first"
    assert "intro.html" in (HTML / "index.html").read_text("utf-8")


# What does not depend on width and scheme: formulas that are not set, stray dollars,
# headings, words for pictures.
READ = """css => {
  const article = document.querySelector(css), all = css => [...article.querySelectorAll(css)];
  const own = (part, text) =>
    [...part.childNodes].some(node => node.nodeType == 3 && node.data.includes(text));
  return {
    raw: [...all(".math:not(:has(mjx-container)), mjx-merror"),
      ...all(":not(pre, code, script)").filter(part => own(part, "$$"))]
      .map(part => part.outerHTML.slice(0, 80)),
    levels: all("h1, h2, h3, h4, h5, h6").map(heading => Number(heading.tagName[1])),
    pictures: all("img, .drawing")
      .map(image => image.getAttribute("alt") ?? image.closest("[aria-label]")?.ariaLabel),
  };
}"""
# The form of each drawing, whether it is seen, its ground, and how high its smallest words are.
FORMS = """all => all.map(svg => {
  const scale = ({ a, b }) => Math.hypot(a, b);
  const sizes = [...svg.querySelectorAll("text")]
    .map(text => parseFloat(getComputedStyle(text).fontSize) * scale(text.getScreenCTM()));
  const ground = svg.querySelector("path, rect");
  return {
    form: svg.getAttribute("class"),
    shown: getComputedStyle(svg).display !== "none",
    ground: ground && getComputedStyle(ground).fill,
    smallest: sizes.length ? Math.min(...sizes) : null,
  };
})"""


@pytest.mark.parametrize("name", VISITED)
def test_a_page(browser: Browser, name: str) -> None:
    """Catches what asks for something from elsewhere, fails, is left as TeX,
    or cannot be read by eye or ear.

    `make screenshots` keeps its two pictures of each page, for a person to look at.
    """
    with opened(browser, name, formulas=True, reduced_motion=None) as page:
        read = page.evaluate(READ, ARTICLE)
        assert read["raw"] == []
        assert read["levels"].count(1) == 1
        assert all(below <= above + 1 for above, below in pairwise(read["levels"]))
        for alt in read["pictures"]:  # the builder puts a file's path where there is none
            assert alt
            assert not Path(alt).suffix or " " in alt
        if name in ON_PATH:
            height = page.locator(ARTICLE).evaluate("part => part.clientHeight")
            assert height <= 15_000  # what a reader goes through in one sitting
        for width, scheme in LOOKS if name in NARROW else LOOKS[:1]:
            show(page, width, scheme)
            assert page.evaluate(WIDEST) <= width
            if "SCREENSHOTS" in os.environ:
                take_picture(page, name, width, scheme)
            assert faint_text(page) == []
            check_drawings(page, width, scheme)
            if name in ON_PATH:
                check_steps(page)
        if name in SEEN_WHOLE and name in NARROW:
            assert faults(page) == {}
        elif name in NARROW:
            page.evaluate(REMOVE, MACHINE_MADE)
            assert faults(page, **STRUCTURE) == {}


def check_drawings(page: Page, width: int, scheme: str) -> None:
    """Each has one form, that of the width, follows the theme, and is read on a phone."""
    drawings = page.locator(f"{ARTICLE} .drawing").evaluate_all(FORMS)
    wide, phone = (
        [each for each in drawings if form in each["form"]] for form in ("wide", "phone")
    )
    for one, other in zip(wide, phone, strict=True):
        assert one["shown"] != other["shown"]
    for each in filter(lambda each: each["shown"], drawings):
        assert scheme == "light" or each["ground"] != "rgb(255, 255, 255)", each
        assert each["smallest"] is None or each["smallest"] >= 11 or "phone" not in each["form"]


def check_steps(page: Page) -> None:
    """A reader sees where she is on the path, in two lines at most."""
    steps = page.locator("nav.path")
    assert steps.count() > 0
    assert steps.locator("[aria-current=page]").count() == steps.count()
    assert all(box["height"] <= 45 for box in boxes(steps))


def take_picture(page: Page, name: str, width: int, scheme: str) -> None:
    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    whole = {"x": 0, "y": 0, "width": width, "height": height}
    picture = SCREENSHOTS / f"{name.removesuffix('.html').replace('/', '-')}-{width}-{scheme}.jpeg"
    page.screenshot(path=picture, full_page=True, clip=whole, type="jpeg", quality=80)


# What a browser refuses a page, and a worker of its own:
# by a policy, and not for want of a network.
REFUSED = """async () => {
    const forbidden = [], note = ({ data }) => forbidden.push(data ?? null);
    document.addEventListener("securitypolicyviolation",
        event => forbidden.push(event.effectiveDirective));
    const code = `self.addEventListener("securitypolicyviolation",
        event => postMessage("worker " + event.effectiveDirective));
        fetch("http://127.0.0.1:9/").catch(() => {});`;
    const worker = new Worker(URL.createObjectURL(new Blob([code])));
    worker.onmessage = note;
    fetch("http://127.0.0.1:9/").catch(() => {});
    navigator.sendBeacon("http://127.0.0.1:9/", "typed");
    new Image().src = "http://127.0.0.1:9/?typed";
    for (let wait = 0; wait < 100 && forbidden.length < 4; wait++)
        await new Promise(done => setTimeout(done, 50));
    worker.terminate();
    return forbidden.sort();
}"""


def test_the_browser_itself_refuses_to_connect(browser: Browser) -> None:
    """Catches a page whose scripts, or whose Python, could tell another machine what was typed."""
    for name in [*PAGES, "search.html"]:
        head = (HTML / name).read_text("utf-8").partition("<script")[0]
        assert "Content-Security-Policy" in head, name
    page = browser.new_page()
    page.goto((HTML / "book/chapters/by-hand.html").as_uri())
    assert page.evaluate(REFUSED) == ["connect-src", "connect-src", "img-src", "worker connect-src"]
    page.close()


def test_search_finds_a_chapter(browser: Browser) -> None:
    """Catches a search that needs a server: a reader opens the book from a file."""
    page = browser.new_page()
    page.goto((HTML / "search.html").as_uri() + "?q=neighbour")
    page.locator("#search-results a[href*='book/chapters/']").first.wait_for(timeout=15_000)
    page.close()


def test_a_tick_shows_its_relation_and_no_other(browser: Browser) -> None:
    """Catches an answer that is seen before the reader has said one, or never."""
    with opened(browser, "book/chapters/neighbours.html") as page:
        table = page.locator(".ticks")
        assert table.locator("td b:visible").count() == 0
        for column in range(table.locator("input").count()):
            table.locator("input").nth(column).check()
            assert table.locator(f"td.tick{column} b:visible").count() == 6
            assert table.locator("td b:visible").count() == 6 * (column + 1)
        assert table.locator("td i:visible").count() == 0


def test_docstrings_lead_to_the_proofs_they_name() -> None:
    """Catches a label that is shown as it is written, and a first line read as a type."""
    page = (HTML / "book" / "api" / "answer.html").read_text("utf-8")
    assert re.search(r'href="../proofs.html#thm-share"[^>]*>.*?Theorem P\.\d+', page)
    assert re.findall(r">[^<]*\b(?:thm|def)-[a-z][^<]*<", page) == []
    assert ">Type<" not in page


def test_a_term_shows_what_it_means_within_the_window(browser: Browser) -> None:
    """Catches a definition that a mouse or a keyboard does not reach, or a phone cuts off."""
    with opened(browser, "book/glossary.html") as page:
        for width in (WIDE, PHONE):
            show(page, width, "light")
            term = page.locator(f"{ARTICLE} .defined").first
            told, link = term.locator(".definition"), term.locator("> a")
            assert not told.is_visible()
            link.focus()
            assert told.is_visible()
            assert link.get_attribute("aria-describedby") == told.get_attribute("id")
            [box] = boxes(told)
            assert box["left"] >= 0
            assert box["right"] <= width
            link.blur()
            link.hover()
            assert told.is_visible()
            page.mouse.move(0, 0)


def reopen(page: Page) -> None:
    """Open it again once the browser, which writes a moment later, has what the page stored."""
    page.wait_for_timeout(STORED)
    page.reload()


def test_the_switch_hides_the_code_and_is_remembered(browser: Browser) -> None:
    """Catches a switch that hides what the code said, or forgets."""
    with opened(browser, "book/chapters/noise.html") as page:
        shown, outputs = page.locator(".cell_input:visible"), page.locator(".cell_output:visible")
        before = outputs.count()
        assert shown.count() > 0
        page.locator(".code-switch").press("Enter")
        assert shown.count() == 0
        assert outputs.count() == before
        reopen(page)
        assert shown.count() == 0
        assert page.locator(".code-switch").get_attribute("aria-pressed") == "false"
        page.locator(".code-switch").press("Space")
        assert shown.count() > 0


GREYS = """<article class="bd-article"><p style="color: #767676">4.54 on white</p>
<p style="color: #777">4.48</p><p style="color: #777; font-size: 24px">3 is enough</p>
<div style="background: #000"><p style="color: #777">4.69</p><p style="color: #fff8">6.1</p></div>
<div style="background: #0008"><p style="color: #555">1.9</p></div></article>"""


def test_faint_text_is_found_as_axe_core_finds_it(browser: Browser) -> None:
    """Catches a reckoning of our own that lets through what axe-core would not."""
    page = browser.new_page()
    page.set_content(GREYS)
    ours = [text.partition(": ")[2] for text in faint_text(page)]
    assert faults(page, runOnly=["color-contrast"]) == {"color-contrast": ours}
    assert len(ours) == 2
    page.close()


def test_no_id_stands_twice() -> None:
    """Catches tables, boxes and pictures that share ids: a link or a style then finds the first."""
    for name in PAGES:
        text = re.sub(r"<script.*?</script>", "", (HTML / name).read_text("utf-8"), flags=re.DOTALL)
        ids = re.findall(r'<\w[^>]*\sid="([^"]+)"', text)
        assert [one for one, times in Counter(ids).items() if times > 1] == [], name


FORMULAS = re.compile("mathjax|searchindex")  # half the time that a page takes to open


@contextmanager
def opened(
    browser: Browser,
    name: str,
    width: int = WIDE,
    *,
    formulas: bool = False,
    before: str = "",
    **options: Any,
) -> Iterator[Page]:
    """A page without motion and formulas; it asks for nothing and raises nothing."""
    options = {"reduced_motion": "reduce", "color_scheme": "light", **options}
    page = browser.new_page(viewport={"width": width, "height": 900}, **options)
    page.set_default_timeout(BUSY)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    if not formulas:
        page.route(FORMULAS, lambda route: route.abort("aborted"))
    page.add_init_script(before)
    page.goto((HTML / name).as_uri(), wait_until="load")
    if formulas:
        page.evaluate("window.MathJax?.startup?.promise.then(() => 0)")
    yield page
    assert [url for url in sent if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.page_errors() == []
    told = [one.text for one in page.console_messages() if one.type == "error"]
    assert [text for text in told if "ERR_ABORTED" not in text] == []
    page.close()


SHEET = "book/formulas.html"


def test_it_prints_on_two_pages_and_leads_to_the_pdf_of_this_build(
    browser: Browser, tmp_path: Path
) -> None:
    """Catches a sheet that grew, examples that are printed with it, and a PDF that an older build
    left."""
    with opened(browser, SHEET, formulas=True) as page:
        paper = page.pdf(prefer_css_page_size=True)
        address = page.locator("a[href$='formulas.pdf']").get_attribute("href") or "none"
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 2
    assert b"/MediaBox [0 0 842" in paper or b"/MediaBox [0 0 841" in paper  # A4 across
    write_pdf(made := tmp_path / "formulas.pdf")
    assert (HTML / SHEET).parent.joinpath(address).read_bytes() == made.read_bytes()


@pytest.mark.parametrize("name", in_turn(["book/glossary.html", "book/chapters/by-hand.html"]))
def test_paper_is_black_on_white(browser: Browser, name: str) -> None:
    """Catches a dark scheme's pale text on white paper, and links that are not seen."""
    with opened(browser, name, formulas=True, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert faint_text(page) == []
        assert page.evaluate(COLOURS_OF_TEXT) == ["rgb(0, 0, 0)"]
        links = page.locator(f"{ARTICLE} p a:visible")
        drawn = links.evaluate_all("all => all.map(a => getComputedStyle(a).textDecorationLine)")
        assert set(drawn) == {"underline"}


COLOURS_OF_TEXT = f"""[...new Set(
  [...document.querySelectorAll('{ARTICLE} :is(p, code, span, a, td, th)')]
  .filter(part => !part.closest('.dots, .tents'))
  .map(part => getComputedStyle(part).color))]"""  # a play keeps its marks


def test_nothing_moves_for_a_reader_who_asked_for_no_motion(browser: Browser) -> None:
    """Catches a transition of the theme or of a plug-in that stays."""
    moving = """[...document.querySelectorAll('*')].map(part => getComputedStyle(part))
      .filter(style => style.transitionDuration != '0s' || style.animationName != 'none').length"""
    with opened(browser, "book/chapters/by-hand.html", formulas=True) as page:
        assert page.evaluate(moving) == 0


def test_a_solution_opens_wherever_its_bar_is_clicked(browser: Browser) -> None:
    """Catches a link in the way, a title that runs into the button, bars of many heights."""
    with opened(browser, "book/chapters/norms.html") as page:
        bars = page.locator(f"{ARTICLE} div.solution").all()
        assert len(bars) == 2  # the last has a title of two lines
        for bar in bars:
            title = bar.locator("> .admonition-title")
            title.scroll_into_view_if_needed()
            [box], [button], [link] = (
                boxes(part) for part in (title, title.locator("button"), title.locator("a"))
            )
            assert link["right"] <= button["left"]
            assert button["bottom"] <= box["bottom"]
            assert bar.evaluate("bar => bar.clientHeight") - box["height"] < 30  # its padding
            for share in (0.3, 0.6):
                assert is_closed(bar)
                page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
                assert not is_closed(bar)
                title.locator("button").press("Enter")
        assert "#" not in page.url


def is_closed(bar: Locator) -> bool:
    return "toggle-hidden" in str(bar.get_attribute("class"))


def boxes(parts: Locator) -> list[dict[str, float]]:
    """Where each of these parts is that has a place in the window, all asked in one go."""
    found: list[dict[str, float]] = parts.evaluate_all(
        "all => all.map(part => part.getBoundingClientRect().toJSON()).filter(box => box.width "
        "&& box.height)"
    )
    return found


def show(page: Page, width: int, scheme: str) -> None:
    """Show the page at a width and in a scheme, and let the theme's scripts follow."""
    other = (page.viewport_size or {}).get("width") != width
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function("scheme => document.documentElement.dataset.theme == scheme", arg=scheme)
    if other:
        page.wait_for_timeout(THEME_DELAY)


# Letters that are too small, parts that stand beyond their play, names that run into one another.
UNREADABLE = """css => {
  const plays = [...document.querySelectorAll(css)], box = part => part.getBoundingClientRect();
  const all = css =>
    plays.flatMap(play => [...play.querySelectorAll(css)]).filter(part => box(part).width);
  const beyond = part => {
    const { left, right } = box(part), play = box(part.closest(css));
    return left < play.left - 1 || right > play.right + 1;
  };
  const meet = (one, other) => one !== other && one.closest(css) === other.closest(css)
    && box(one).left < box(other).right && box(other).left < box(one).right
    && Math.abs(box(one).top - box(other).top) < 12;
  const names = all(".name");
  return [
    ...all("p, span, b, button").filter(part => parseFloat(getComputedStyle(part).fontSize) < 11),
    ...all("b, span, p, label").filter(part => !part.closest("pre") && beyond(part)),
    ...names.filter(one => names.some(other => meet(one, other))),
  ].map(part => part.outerHTML);
}"""
HIT = ":is(button, select, textarea, input:not([type=checkbox]), summary, .dot)"


def assert_readable(page: Page, css: str, width: int) -> None:
    """Nothing of these parts is faint, small, unnamed, off the page or on another."""
    assert page.evaluate(WIDEST) <= width
    assert page.evaluate(UNREADABLE, css) == []
    assert faint_text(page) == []
    assert faults(page, css, **STRUCTURE) == {}
    hit = page.locator(css).locator(HIT)
    sliders = boxes(page.locator(css).locator("[type=range]"))
    assert hit.count() > 0
    for box in boxes(hit):
        assert min(box["width"], box["height"]) >= (16 if box in sliders else 24)
        assert box["left"] >= 0
        assert box["right"] <= width


def faint_text(page: Page, context: str = ARTICLE) -> list[str]:
    """Every text with less contrast than WCAG's AA asks, a hundred times as fast as axe-core."""
    found: list[str] = page.evaluate(FAINT, context)
    return found


FAINT = """context => {
  const parsed = colour => {
    if (!colour.startsWith("rgb")) throw new Error(`cannot read the colour ${colour}`);
    const [red, green, blue, alpha = 1] = colour.match(/[0-9.]+/g).map(Number);
    return [[red, green, blue], alpha];
  };
  const laid = (colour, alpha, ground) =>
    colour.map((part, i) => part * alpha + ground[i] * (1 - alpha));
  const luminance = colour => {
    const [red, green, blue] = colour.map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // The ground and opacity that a child finds.
  const under = new Map([[null, [[255, 255, 255], 1]]]);
  const ground = part => {
    if (!under.has(part)) {
      const style = getComputedStyle(part), [below, opacity] = ground(part.parentElement);
      under.set(part, [laid(...parsed(style.backgroundColor), below), opacity * style.opacity]);
    }
    return under.get(part);
  };
  const faint = [];
  for (const part of document.querySelectorAll(`${context} *`)) {
    if (![...part.childNodes].some(child => child.nodeType == 3 && child.data.trim())) continue;
    if (part.closest("svg, :disabled") || part.getBoundingClientRect().width < 2) continue;
    if (!part.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(part), [below, opacity] = ground(part);
    const [colour, alpha] = parsed(color);
    const lights = [luminance(laid(colour, alpha * opacity, below)), luminance(below)];
    const contrast = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
    const large = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
    if (contrast >= (large ? 3 : 4.5)) continue;
    faint.push(`${contrast.toFixed(2)}: ${part.outerHTML.slice(0, 80)}`);
  }
  return faint;
}"""


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
