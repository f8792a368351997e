"""Explorers on pages that can run Python: any setting, as the package computes it.

Python is this one, behind a stand-in for `window.live`, so that nothing waits for a browser's own to start.
"""

import importlib
import json
import re
from collections.abc import Iterator

import pytest
from conftest import HTML, a_third, turn
from playwright.sync_api import Browser, Locator, Page, expect
from sensitivity_book.live.explorers import frame
from sensitivity_book.stage.explorers import explorer as module
from sensitivity_book.stage.explorers.explorer import Explorer
from sensitivity_book.stage.explorers.formula import formula_explorer
from test_book import (
    FORMULAS,
    LOOKS,
    MACHINE_MADE,
    STRUCTURE,
    WIDE,
    boxes,
    faint_text,
    faults,
    show,
)
from test_explorers import EXPLORERS, PAGES, place

pytestmark = pytest.mark.xdist_group("explorers-live")

BEYOND = {
    "witness-absence-days": {"k": "5"},
    "witness-driving-proficiency": {"k": "6"},
    "formula": {"low": "-4", "size": "2", "k": "6"},
    "derivative": {"zeros": "5", "ones": "4", "twos": "0"},
    "people": {"groups": "100", "rows": "7", "epsilon": "0.3"},
}
# `hold` makes every call wait until `release`; `broken` makes it fail.
LIVE = """() => {
  const asked = [], waiting = [];
  let held = false, broken = null;
  const gate = () => held ? new Promise((resolve, reject) => waiting.push({ resolve, reject })) : null;
  const live = {
    async call(name, argument, told) {
      asked.push(argument);
      told("Running.");
      await gate();
      if (broken) throw new Error(broken);
      const { value, error } = await window.python(name, JSON.stringify(argument));
      if (error) throw new Error(error);
      return JSON.parse(value);
    },
    stop() {
      held = false;
      for (const { reject } of waiting.splice(0)) reject(new Error("Stopped."));
    },
  };
  window.stand = {
    asked,
    hold() { held = true; },
    release() { held = false; for (const { resolve } of waiting.splice(0)) resolve(); },
    break(text) { broken = text; },
  };
  Object.defineProperty(window, "live", { get: () => live, set() {} });
}"""
NONE = "() => Object.defineProperty(window, 'live', { get: () => undefined, set() {} })"


def python(name: str, argument: str) -> dict[str, str]:
    """What a call answers, as the page's own Python would."""
    path, _, function = name.partition(":")
    try:
        answer = getattr(importlib.import_module(path), function)(json.loads(argument))
        return {"value": json.dumps(answer)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def opened(browser: Browser, name: str, live: str = LIVE) -> Page:
    page = browser.new_page(viewport={"width": WIDE, "height": 900})
    page.expose_function("python", python)
    page.add_init_script(f"({live})()")
    page.route(FORMULAS, lambda route: route.abort())
    page.goto(PAGES[name].as_uri(), wait_until="load")
    page.evaluate("css => document.querySelectorAll(css).forEach(e => e.remove())", MACHINE_MADE)
    return page


@pytest.fixture(params=a_third([*BEYOND]))
def started(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Explorer, Page]]:
    yield from begun(browser, request.param)


@pytest.fixture(scope="module")
def opened_once(browser: Browser) -> Iterator[tuple[Explorer, Page]]:
    yield from begun(browser, "formula")


@pytest.fixture
def formula(opened_once: tuple[Explorer, Page]) -> tuple[Explorer, Page]:
    """The formula's explorer, computing, with its typed knobs where it opens, and nothing asked yet."""
    explorer, page = opened_once
    page.evaluate("() => { stand.break(null); stand.release(); }")
    again = place(explorer, page).get_by_role("button", name="Compute any setting")
    if again.is_visible():
        again.click()
    type_in(explorer, page, {knob.argument: knob.first for knob in explorer.knobs if knob.typed})
    status = place(explorer, page).locator("> p[role=status]")
    expect(status).to_have_text(explorer.view().text)
    page.evaluate("() => { stand.asked.length = 0; }")
    return explorer, page


def begun(browser: Browser, name: str) -> Iterator[tuple[Explorer, Page]]:
    """An explorer that computes, on its page; no error reaches the browser's console."""
    page = opened(browser, name)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.locator(f"#explorer-{name}").get_by_role("button", name="Compute any setting").click()
    expect(page.locator(f"#explorer-{name} .typed").first).to_be_visible()
    yield EXPLORERS[name], page
    assert errors == []
    page.close()


def field(explorer: Explorer, page: Page, argument: str) -> Locator:
    return page.locator(f".knob:has(#{explorer.name}-{argument}) input[type=number]")


def type_in(explorer: Explorer, page: Page, settings: dict[str, str]) -> None:
    for argument, text in settings.items():
        field(explorer, page, argument).fill(text)
        field(explorer, page, argument).press("Enter")


def assert_frame(explorer: Explorer, page: Page, settings: dict[str, str], own: str = "") -> None:
    """What is shown is what the function answers: sentence, words, marks and their colours."""
    whole = place(explorer, page)
    expected = frame({"explorer": explorer.name, "settings": settings, "own": own})
    expect(whole.locator("> p[role=status]")).to_have_text(expected["text"])
    picture = whole.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", expected["alt"])
    expect(picture).to_be_visible()
    written = picture.evaluate(
        "(picture, text) => { const one = document.createElement('div'); one.innerHTML = text; return one.innerHTML === picture.innerHTML; }",
        expected["picture"],
    )
    assert written


def test_without_python_a_page_is_as_it_was(browser: Browser) -> None:
    """Catches a button that nothing stands behind."""
    page = opened(browser, "formula", NONE)
    assert page.locator("#explorer-formula button, #explorer-formula .compute").count() == 0
    control = place(EXPLORERS["formula"], page, EXPLORERS["formula"].knobs[3])
    control.press("End")
    text = EXPLORERS["formula"].view(k="4").text
    expect(page.locator("#explorer-formula > p[role=status]")).to_have_text(text)
    page.close()


def test_nothing_is_asked_before_the_button_is_pressed(browser: Browser) -> None:
    """Catches a page that starts Python for a reader who only looks, or turns a stored knob."""
    page = opened(browser, "formula")
    place(EXPLORERS["formula"], page, EXPLORERS["formula"].knobs[3]).press("End")
    assert page.evaluate("stand.asked") == []
    page.close()


def test_every_knob_computes(started: tuple[Explorer, Page]) -> None:
    """Catches a stored frame, another knob's field, a lost number; what has no name, is faint, small or off the page."""
    explorer, page = started
    first = f"{explorer.name}-{explorer.knobs[0].argument}"
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
    type_in(explorer, page, BEYOND[explorer.name])
    assert_frame(explorer, page, last | BEYOND[explorer.name])
    for argument, text in BEYOND[explorer.name].items():
        (knob,) = (knob for knob in explorer.knobs if knob.argument == argument)
        control = place(explorer, page, knob)
        assert int(control.input_value()) == sum(float(name) < float(text) for name in knob.names)
        assert control.get_attribute("aria-valuetext") == text
    back = explorer.knobs[-1]  # what is typed is a setting of the slider now
    place(explorer, page, back).press("Home")
    typed = BEYOND[explorer.name].get(back.argument, back.names[0])
    least = min(back.names[0], typed, key=float)
    assert_frame(explorer, page, last | BEYOND[explorer.name] | {back.argument: least})
    page.evaluate("stand.hold()")
    type_in(explorer, page, {next(knob.argument for knob in explorer.knobs if knob.ordered): "11"})
    whole = place(explorer, page)
    expect(whole.get_by_role("button", name="Stop")).to_be_visible()
    for width, scheme in LOOKS:
        show(page, width, scheme)
        for box in boxes(whole.locator("button:visible, .typed input, input[type=text]")):
            assert min(box["width"], box["height"]) >= 24
            assert box["x"] + box["width"] <= width
        assert faint_text(page, f"#explorer-{explorer.name}") == []
        assert faults(page, f"#explorer-{explorer.name}", **STRUCTURE) == {}
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_last_change_wins(formula: tuple[Explorer, Page]) -> None:
    """Catches frames that come in the order in which they were asked, and one that nobody waits for."""
    explorer, page = formula
    page.evaluate("stand.hold()")
    for k in ("5", "6", "7", "8"):
        type_in(explorer, page, {"k": k})
    page.evaluate("stand.release()")
    assert_frame(explorer, page, {"k": "8"})
    assert [one["settings"]["k"] for one in page.evaluate("stand.asked")] == ["5", "8"]


def test_what_is_refused_is_said(formula: tuple[Explorer, Page]) -> None:
    """Catches a picture of another setting below an error, and an explorer that an error ends."""
    explorer, page = formula
    knob = next(knob for knob in explorer.knobs if knob.typed)
    type_in(explorer, page, {knob.argument: "-20"})
    whole = place(explorer, page)
    expect(whole.locator("> p[role=status]")).to_have_text(
        f"{knob.label} must be a {knob.typed.words}, got -20"
    )
    expect(whole.locator("[role=img]")).to_be_hidden()
    type_in(explorer, page, {knob.argument: knob.names[-1]})
    assert_frame(explorer, page, {knob.argument: knob.names[-1]})


def test_own_records(browser: Browser) -> None:
    """Catches a field for own records that a page has not, or that is not sent."""
    name = "witness-absence-days"
    for explorer, page in begun(browser, name):
        own = page.locator(f"#explorer-{name}").get_by_label("your own records")
        own.fill("1, 2, 3, 10")
        own.press("Enter")
        assert_frame(explorer, page, {}, "1, 2, 3, 10")
        own.fill("1, 2, many")
        own.press("Enter")
        expect(page.locator(f"#explorer-{name} > p[role=status]")).to_contain_text("got 1, 2, many")
        own.fill("")
        own.press("Enter")
        assert_frame(explorer, page, {})


def test_a_box_beyond_the_slider_is_clicked(browser: Browser) -> None:
    """Catches a click that the explorer's own script answers with a stored frame."""
    for explorer, page in begun(browser, "derivative"):
        type_in(explorer, page, {"zeros": "6"})
        assert_frame(explorer, page, {"zeros": "6"})
        for box in boxes(page.locator("#explorer-derivative [data-choice]")):
            assert min(box["width"], box["height"]) >= 24
        page.locator("#explorer-derivative [data-choice='ones=5']").click()
        assert_frame(explorer, page, {"zeros": "6", "ones": "5"})
        expect(field(explorer, page, "ones")).to_have_value("5")


def stored_again(explorer: Explorer, page: Page) -> None:
    """The stored form: no fields, the button, and knobs that ask nobody."""
    whole = place(explorer, page)
    expect(whole.get_by_role("button", name="Compute any setting")).to_be_visible()
    expect(whole.get_by_role("button", name="Stop")).to_be_hidden()
    assert whole.locator("input:not([type=range])").count() == 0
    asked = len(page.evaluate("stand.asked"))
    for knob in explorer.knobs:
        for name in (knob.names[-1], knob.first):
            at = str(knob.names.index(name))
            place(explorer, page, knob).evaluate(
                "(knob, at) => { knob.value = at; knob.dispatchEvent(new Event('input', { bubbles: true })); }",
                at,
            )
    expect(whole.locator("> p[role=status]")).to_have_text(explorer.view().text)
    assert len(page.evaluate("stand.asked")) == asked


def test_a_reader_stops_it(formula: tuple[Explorer, Page]) -> None:
    """Catches a computation that nobody can end, and an explorer that is dead after it."""
    explorer, page = formula
    page.evaluate("stand.hold()")
    type_in(explorer, page, {"low": "-6", "k": "8"})
    line = place(explorer, page).locator(".compute [role=status]")
    expect(line).to_have_text("Running.")
    place(explorer, page).get_by_role("button", name="Stop").click()
    expect(line).to_have_text("Stopped. The stored settings are here.")
    shown = explorer.view(low="-2", k="4")  # the nearest that is stored
    expect(place(explorer, page).locator("> p[role=status]")).to_have_text(shown.text)
    stored_again(explorer, page)
    place(explorer, page).get_by_role("button", name="Compute any setting").click()
    type_in(explorer, page, {"k": "8"})
    assert_frame(explorer, page, {"k": "8"})


# --- what a cell shows when it is run in the page ------------------------------------------------

RUN = """([stored, html]) => {
  const output = stored.closest(".cell_output") ?? stored.parentElement;
  output.hidden = true;
  const shown = document.createElement("div");
  output.after(shown);
  shown.innerHTML = html;
  shown.dispatchEvent(new CustomEvent("live:shown", { bubbles: true }));
}"""


def test_python_does_not_start(browser: Browser) -> None:
    """Catches a button that is gone after a start that failed."""
    explorer, page = EXPLORERS["formula"], opened(browser, "formula")
    page.evaluate("stand.break('Python did not start: lab.zip is missing.')")
    place(explorer, page).get_by_role("button", name="Compute any setting").click()
    expect(place(explorer, page).locator(".compute [role=status]")).to_have_text(
        "Python did not start: lab.zip is missing. The stored settings are here."
    )
    stored_again(explorer, page)
    page.close()


def test_a_cell_that_is_run_shows_an_explorer_that_works(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches a dead text in place of an explorer, and labels that name the controls of the stored one."""
    monkeypatch.setattr(module, "IN_PAGE", True)
    page = opened(browser, "formula")
    html = formula_explorer()._repr_mimebundle_()["text/html"]
    stored = page.locator("#explorer-formula").element_handle()
    page.evaluate(RUN, [stored, html])
    whole = page.locator(".explorer:visible")
    expect(whole.locator(".typed")).to_have_count(3)
    k = whole.get_by_role("slider", name="distance k")
    n = whole.get_by_role("spinbutton", name="records n any from 1 to 8")
    whole.get_by_label("formula for").select_option(label="sum")
    k.press("End")
    n.fill("2")
    n.press("Enter")
    text = formula_explorer().typed({"claim": "sum", "k": "4", "size": "2"}).text
    expect(whole.locator("> p[role=status]")).to_have_text(text)
    page.evaluate("stand.break('Stopped.')")
    k.press("Home")
    expect(whole.locator(".compute [role=status]")).to_have_text("Stopped.")
    page.evaluate("stand.break(null)")
    k.press("ArrowRight")
    text = formula_explorer().typed({"claim": "sum", "k": "2", "size": "2"}).text
    expect(whole.locator("> p[role=status]")).to_have_text(text)
    ids = "() => [...document.querySelectorAll('article .explorer [id], article .explorer[id]')].map(node => node.id)"
    found = page.evaluate(ids)
    assert len(found) == len(set(found))
    page.close()


RUNTIME = HTML / "_static" / "live" / "lab.zip.js"
SLOWLY = 180_000  # ms: Python starts in 8 seconds, and on a busy machine in a minute


@turn(1, 3)
@pytest.mark.skipif(not RUNTIME.exists(), reason="the book was built without Python for its pages")
def test_the_page_itself_computes(browser: Browser) -> None:
    """Catches an explorer that the browser's own Python cannot import, and a cell that shows its name."""
    name = "witness-driving-proficiency"
    explorer = EXPLORERS[name]
    page = browser.new_page(viewport={"width": WIDE, "height": 900})
    page.goto(PAGES[name].as_uri(), wait_until="load")
    stored = page.locator(f"#explorer-{name}")
    stored.get_by_role("button", name="Compute any setting").click()
    expect(stored.locator(".typed")).to_have_count(1, timeout=SLOWLY)
    type_in(explorer, page, {"k": "6"})
    expect(stored.locator("> p[role=status]")).to_have_text(
        explorer.typed({"k": "6"}).text, timeout=SLOWLY
    )
    assert stored.locator("[role=img] svg").count() == 2
    cell = page.locator("div.cell", has=stored)
    cell.get_by_role("button", name=re.compile("^Run cell")).click()
    again = cell.locator(".live-output .explorer")
    again.get_by_role("spinbutton").fill("5", timeout=SLOWLY)
    again.get_by_role("spinbutton").press("Enter")
    expect(again.locator("> p[role=status]")).to_have_text(
        explorer.typed({"k": "5"}).text, timeout=SLOWLY
    )
    expect(stored).to_be_hidden()
    page.close()
