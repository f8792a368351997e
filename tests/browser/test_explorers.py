"""Every explorer on its built page: turned by mouse and keyboard it says what the package says,
and any setting is computed.

Where a page runs Python, it is this one behind a stand-in for `window.live`:
nothing waits for a browser's own to start.
"""

import importlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from conftest import HTML, in_turn, turn
from playwright.sync_api import Browser, Locator, Page, expect
from sensitivity_book.live.explorers import frame
from sensitivity_book.stage.explorers import explorer as module
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, View
from sensitivity_book.stage.explorers.gallery import explorers
from test_book import LOOKS, MACHINE_MADE, REMOVE, assert_readable, boxes, opened, show

pytestmark = pytest.mark.xdist_group("explorers")

EXPLORERS = explorers()
PAGES = {
    name: f"book/chapters/{page.name}"
    for page in sorted(HTML.glob("book/chapters/*.html"))
    for name in re.findall(r'<div class="explorer" id="explorer-([^"]+)"', page.read_text("utf-8"))
}


TURNS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in in_turn([*EXPLORERS])]


@pytest.fixture(scope="module", params=TURNS)
def turned(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Explorer, Page]]:
    assert request.param in PAGES, f"no built page shows the explorer {request.param}"
    with shown(browser, request.param, live="") as both:
        yield both


def place(explorer: Explorer, page: Page, knob: Knob | None = None) -> Locator:
    whole = page.locator(f"#explorer-{explorer.name}")
    return whole.locator(f"#{explorer.name}-{knob.argument}") if knob else whole


def settle(explorer: Explorer, page: Page) -> None:
    """Bring all knobs back to where the explorer opens."""
    for knob in explorer.knobs:
        control, at = place(explorer, page, knob), str(knob.names.index(knob.first))
        control.evaluate(
            "(knob, at) => { knob.value = at; knob.dispatchEvent(new Event('input')); }", at
        )


def assert_shows(explorer: Explorer, page: Page, expected: View) -> None:
    """The sentence, the words for the picture, and every text in the picture."""
    whole = place(explorer, page)
    assert whole.locator("p[role=status]").text_content() == expected.text
    picture = whole.locator("[role=img]")
    assert picture.get_attribute("aria-label") == expected.alt
    drawn = "".join(module.pictures(expected))
    shapes = re.findall(r"<(path|use|text)\b", drawn)
    assert picture.locator("path, use, text").count() == len(shapes)
    for text, written in zip(
        picture.locator("text").all_text_contents(),
        re.findall(r"<text[^>]*>(.*?)</text>", drawn, re.DOTALL),
        strict=True,
    ):
        assert text.split() == re.sub(r"<[^>]*>|&[a-z]+;", " ", written).split() or "&" in written


def test_the_keyboard_reaches_every_setting(turned: tuple[Explorer, Page]) -> None:
    """Catches a dead control, and a frame that belongs to another setting: of each knob one."""
    explorer, page = turned
    for knob in explorer.knobs:
        settle(explorer, page)
        control = place(explorer, page, knob)
        control.focus()
        page.keyboard.press("Home")
        looked_at = in_turn(knob.names)
        for name in knob.names:
            if name in looked_at:
                assert_shows(explorer, page, explorer.view(**{knob.argument: name}))
            if knob.ordered:
                assert control.get_attribute("aria-valuetext") == name
                assert control.locator("+ output").text_content() == name
            page.keyboard.press("ArrowRight" if knob.ordered else "ArrowDown")
        settle(explorer, page)
    for knob in explorer.knobs:  # and all at once
        place(explorer, page, knob).press("End")
    last = {knob.argument: knob.names[-1] for knob in explorer.knobs}
    assert_shows(explorer, page, explorer.view(**last))


# One box after the other, its column and height; and how many 0s, 1s and 2s there are then.
CLICKS = {(1, 3): "131", (0, 1): "031", (2, 1): "030"}
CLICKED = [pytest.param("derivative", marks=pytest.mark.xdist_group("derivative"))]


@pytest.mark.parametrize("turned", CLICKED, indirect=True)
def test_the_histogram_is_clicked(turned: tuple[Explorer, Page]) -> None:
    """Catches a box that is covered, too small, or sets another count than the one it stands at."""
    explorer, page = turned
    settle(explorer, page)
    query, *columns = explorer.knobs
    place(explorer, page, query).select_option(label=query.names[-1])
    parts = place(explorer, page).locator("[role=img] [data-choice]")
    for (column, height), counts in CLICKS.items():
        parts.first.scroll_into_view_if_needed()
        found = sorted(boxes(parts), key=lambda box: (round(box["x"]), -box["y"]))
        assert all(min(box["width"], box["height"]) >= 24 for box in found)
        box = found[3 * column + height - 1]  # by where it stands and not by what it says
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        chosen = {knob.argument: count for knob, count in zip(columns, counts, strict=True)}
        assert_shows(explorer, page, explorer.view(query=query.names[-1], **chosen))
        for knob, count in zip(columns, counts, strict=True):
            assert place(explorer, page, knob).get_attribute("aria-valuetext") == count
    settle(explorer, page)


# ---- Any setting, computed ------------------------------------------------------------

BEYOND = {
    "curves-days-of-absence": {"k": "5"},
    "curves-driving-proficiency": {"k": "6"},
    "formula": {"low": "-4", "size": "2", "k": "6"},
    "derivative": {"zeros": "5", "ones": "4", "twos": "0"},
    "people": {"groups": "100", "rows": "7", "epsilon": "0.3"},
}
# Where it is `held` every call waits for the `end`; where it is `broken` it fails so.
LIVE = """{
  const waiting = [];
  const stand = window.stand = {
    asked: [], held: false, broken: null,
    end(error) { stand.held = false; for (const one of waiting.splice(0)) one(error); },
  };
  const live = {
    async call(name, argument, told) {
      stand.asked.push(argument);
      told("Running.");
      const ended =
        stand.held && await new Promise(resolve => waiting.push(resolve)) || stand.broken;
      const { value, error } =
        ended ? { error: ended } : await window.python(name, JSON.stringify(argument));
      if (error) throw new Error(error);
      return JSON.parse(value);
    },
    stop: () => stand.end("Stopped."),
  };
  Object.defineProperty(window, "live", { get: () => live, set() {} });
}"""
NONE = "Object.defineProperty(window, 'live', { get: () => undefined, set() {} })"


def python(name: str, argument: str) -> dict[str, str]:
    """What a call answers, as the page's own Python would."""
    path, _, function = name.partition(":")
    try:
        answer = getattr(importlib.import_module(path), function)(json.loads(argument))
        return {"value": json.dumps(answer)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


@contextmanager
def shown(browser: Browser, name: str, live: str = LIVE) -> Iterator[tuple[Explorer, Page]]:
    """An explorer on its page, where it stands as it is stored."""
    with opened(browser, PAGES[name], before=live) as page:
        page.expose_function("python", python)
        page.evaluate(REMOVE, MACHINE_MADE)
        yield EXPLORERS[name], page


@contextmanager
def computing(browser: Browser, name: str) -> Iterator[tuple[Explorer, Page]]:
    """An explorer that computes, on its page."""
    with shown(browser, name) as (explorer, page):
        compute(explorer, page)
        expect(place(explorer, page).locator(".typed").first).to_be_visible()
        yield explorer, page


def compute(explorer: Explorer, page: Page) -> None:
    place(explorer, page).get_by_role("button", name="Compute any setting").click()


def says(explorer: Explorer, page: Page, text: str | re.Pattern[str]) -> None:
    expect(place(explorer, page).locator("> p[role=status]")).to_have_text(text)


def field(explorer: Explorer, page: Page, argument: str) -> Locator:
    return page.locator(f".knob:has(#{explorer.name}-{argument}) input[type=number]")


def type_in(explorer: Explorer, page: Page, settings: dict[str, str]) -> None:
    for argument, text in settings.items():
        field(explorer, page, argument).fill(text)
        field(explorer, page, argument).press("Enter")


def assert_frame(explorer: Explorer, page: Page, settings: dict[str, str], own: str = "") -> None:
    """What is shown is what the function answers: sentence, words, marks and their colours."""
    expected = frame({"explorer": explorer.name, "settings": settings, "own": own})
    says(explorer, page, expected["text"])
    picture = place(explorer, page).locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", expected["alt"])
    expect(picture).to_be_visible()
    written = (
        "(picture, text) => { const one = document.createElement('div'); one.innerHTML = text; "
        "return one.innerHTML === picture.innerHTML; }"
    )
    assert picture.evaluate(written, expected["picture"])


@pytest.mark.parametrize("live", in_turn([NONE, LIVE]), ids=lambda live: str(len(live)))
def test_a_page_is_as_it_was_until_python_is_asked(browser: Browser, live: str) -> None:
    """Catches a button without Python, and Python started for a stored knob."""
    with shown(browser, "formula", live) as (explorer, page):
        place(explorer, page, explorer.knobs[3]).press("End")
        says(explorer, page, explorer.view(k="4").text)
        assert place(explorer, page).locator("button").count() == (0 if live == NONE else 2)
        assert not page.evaluate("window.stand?.asked.length")


@pytest.mark.parametrize("name", in_turn([*BEYOND]))
def test_every_knob_computes(browser: Browser, name: str) -> None:
    """Catches another frame or field, a lost number; what is unnamed, faint or off the page."""
    with computing(browser, name) as (explorer, page):
        first = f"{name}-{explorer.knobs[0].argument}"
        assert page.evaluate("document.activeElement.id") == first  # when the button has gone
        for knob in explorer.knobs:
            control = place(explorer, page, knob)
            if knob.ordered:
                control.press("End")
                expect(field(explorer, page, knob.argument)).to_have_value(knob.names[-1])
                assert control.get_attribute("aria-valuetext") == knob.names[-1]
            else:
                control.select_option(label=knob.names[-1])
        last = {knob.argument: knob.names[-1] for knob in explorer.knobs}
        assert_frame(explorer, page, last)
        beyond = BEYOND[name]
        type_in(explorer, page, beyond)
        assert_frame(explorer, page, last | beyond)
        for knob in (knob for knob in explorer.knobs if knob.argument in beyond):
            text, control = beyond[knob.argument], place(explorer, page, knob)
            assert int(control.input_value()) == sum(float(one) < float(text) for one in knob.names)
            assert control.get_attribute("aria-valuetext") == text
        back = explorer.knobs[-1]  # what is typed is a setting of the slider now
        place(explorer, page, back).press("Home")
        least = min(back.names[0], beyond.get(back.argument, back.names[0]), key=float)
        assert_frame(explorer, page, last | beyond | {back.argument: least})
        own = place(explorer, page).get_by_label("your own records")
        assert own.count() == (explorer.own is not None)
        if explorer.own is not None:
            own.fill("1, 2, 3, 10")
            own.press("Enter")
            assert_frame(explorer, page, last | {back.argument: least}, "1, 2, 3, 10")
        page.evaluate("stand.held = true")
        type_in(
            explorer, page, {next(knob.argument for knob in explorer.knobs if knob.ordered): "11"}
        )
        expect(place(explorer, page).get_by_role("button", name="Stop")).to_be_visible()
        for width, scheme in LOOKS:  # while it waits, with its fields and the button that ends it
            show(page, width, scheme)
            assert_readable(page, f"#explorer-{name}", width)
        page.evaluate("stand.end()")


def test_the_last_change_wins_and_what_is_refused_is_said(browser: Browser) -> None:
    """Catches frames in the order in which they were asked, and one that nobody waits for; a
    picture of another setting below an error, and an explorer that an error ends."""
    with computing(browser, "formula") as (explorer, page):
        page.evaluate("stand.held = true; stand.asked.length = 0")
        for k in ("5", "6", "7", "8"):
            type_in(explorer, page, {"k": k})
        page.evaluate("stand.end()")
        assert_frame(explorer, page, {"k": "8"})
        assert [one["settings"]["k"] for one in page.evaluate("stand.asked")] == ["5", "8"]
        knob = next(knob for knob in explorer.knobs if knob.typed)
        type_in(explorer, page, {knob.argument: "-20"})
        says(explorer, page, f"{knob.label} must be a {knob.typed.words}, got -20")
        expect(place(explorer, page).locator("[role=img]")).to_be_hidden()
        type_in(explorer, page, {knob.argument: knob.names[-1]})
        assert_frame(explorer, page, {"k": "8", knob.argument: knob.names[-1]})


def stored_again(explorer: Explorer, page: Page, why: str) -> None:
    """The stored form, and the reason: no fields, the button, and knobs that ask nobody."""
    whole = place(explorer, page)
    expect(whole.locator(".compute [role=status]")).to_have_text(
        f"{why} The stored settings are here."
    )
    expect(whole.get_by_role("button", name="Compute any setting")).to_be_visible()
    expect(whole.get_by_role("button", name="Stop")).to_be_hidden()
    assert whole.locator("input:not([type=range])").count() == 0
    asked = page.evaluate("stand.asked.length")
    chosen = {knob.argument: knob.names[-1] for knob in explorer.knobs}
    for knob in explorer.knobs:
        control = place(explorer, page, knob)
        control.press("End") if knob.ordered else control.select_option(label=knob.names[-1])
    says(explorer, page, explorer.view(**chosen).text)
    assert page.evaluate("stand.asked.length") == asked


def test_a_reader_stops_it(browser: Browser) -> None:
    """Catches a computation that nobody can end, an explorer that is dead after it, a button that
    is gone after a start that failed."""
    with computing(browser, "formula") as (explorer, page):
        page.evaluate("stand.held = true")
        type_in(explorer, page, {"low": "-6", "k": "8"})
        expect(place(explorer, page).locator(".compute [role=status]")).to_have_text("Running.")
        place(explorer, page).get_by_role("button", name="Stop").click()
        says(explorer, page, explorer.view(low="-2", k="4").text)  # the nearest that is stored
        stored_again(explorer, page, "Stopped.")
        page.evaluate("stand.broken = 'Python did not start: lab.zip is missing.'")
        compute(explorer, page)
        stored_again(explorer, page, "Python did not start: lab.zip is missing.")
        page.evaluate("stand.broken = null")
        compute(explorer, page)
        settings = {knob.argument: knob.names[-1] for knob in explorer.knobs} | {"k": "8"}
        type_in(explorer, page, {"k": "8"})
        assert_frame(explorer, page, settings)


RUNTIME = HTML / "_static" / "live" / "lab.zip.js"
SLOWLY = 180_000  # ms: Python starts in 8 seconds, and on a busy machine in a minute


@turn(0, 4)
@pytest.mark.skipif(not RUNTIME.exists(), reason="the book was built without Python for its pages")
def test_the_page_itself_computes(browser: Browser) -> None:
    """Catches an explorer that the page's Python cannot import, a cell that shows its name."""
    explorer = EXPLORERS["curves-driving-proficiency"]
    with opened(browser, PAGES[explorer.name]) as page:
        stored = page.locator(f"#explorer-{explorer.name}")
        cell = page.locator("div.cell", has=stored)
        again = cell.locator(".live-output .explorer")
        cell.locator("summary").click()  # its code is folded, and the buttons with it
        for whole, button, k in (
            (stored, stored.get_by_role("button", name="Compute any setting"), "6"),
            (again, cell.get_by_role("button", name=re.compile("^Run cell")), "5"),
        ):
            button.click()
            whole.get_by_role("spinbutton").fill(k, timeout=SLOWLY)
            whole.get_by_role("spinbutton").press("Enter")
            text = explorer.typed({"k": k}).text
            expect(whole.locator("> p[role=status]")).to_have_text(text, timeout=SLOWLY)
            assert whole.locator("[role=img] svg").count() == 3
        expect(stored).to_be_hidden()
