"""Ask on its built page, by keys alone, from a file: a question of a reader's own, what is refused,
and what a page must not do with what is pasted."""

from collections.abc import Iterator

import pytest
from conftest import HTML, in_turn
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sensitivity_beyond.ask import EXAMPLES, answer, curve
from test_book import LOOKS, WIDE, WIDEST, boxes, faint_text, faults, show
from test_live import SLOW, opened, present

PAGE = "book/ask.html"
EVIL = "<img src=x onerror='window.ran=1'>"

pytestmark = pytest.mark.xdist_group("live")


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    present()
    context = browser.new_context(viewport={"width": WIDE, "height": 900}, accept_downloads=True)
    context.set_default_timeout(SLOW)
    yield context
    context.close()


@pytest.fixture(scope="module")
def asked(context: BrowserContext) -> Iterator[Page]:
    """The page from its file; its tests share one Python."""
    with opened(context, (HTML / PAGE).as_uri()) as cells:
        assert cells.early == []  # nothing is loaded before the first press
        yield cells.page
        assert cells.errors == []


def settled(page: Page) -> None:
    go = page.locator(".go [type=submit]")
    expect(go).not_to_have_attribute("aria-disabled", "true", timeout=SLOW)


def tab_to(page: Page, name: str) -> None:
    """Go to a field by the key that leads through the form."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.name") == name:
            return
    raise AssertionError(f"no key leads to {name}")


def write(page: Page, name: str, text: str) -> None:
    tab_to(page, name)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)


def test_a_question_is_put_by_keys_alone(asked: Page) -> None:
    """Catches a field that no key reaches, and a number that is not the package's."""
    stored = asked.locator(".found h3").first.text_content()
    assert f"{stored}<" in answer(next(iter(EXAMPLES.values())))["html"]  # of the build
    asked.locator(".tries button").last.focus()
    write(asked, "pasted", f"team;pay\n{EVIL};1.000,50\nb;3\nb;=2\n")
    asked.keyboard.press("Tab")  # it is read
    settled(asked)
    expect(asked.locator(".read")).to_contain_text("1 cell with =")
    asked.locator("[name=pasted]").focus()
    asked.keyboard.press("ControlOrMeta+a")
    asked.keyboard.type(f"team;pay\n{EVIL};1.000,50\nb;3\nb;2\n")
    asked.keyboard.press("Tab")
    settled(asked)
    expect(asked.locator(".read")).to_contain_text("“.” parts thousands, “,” parts decimals.")
    tab_to(asked, "query")
    asked.keyboard.type("su")  # sum
    tab_to(asked, "column")
    asked.keyboard.press("p")  # pay
    tab_to(asked, "k")
    asked.keyboard.press("Enter")
    settled(asked)
    assert asked.evaluate("() => document.activeElement.name") == "size"  # it was refused there
    expect(asked.locator("#ask-size-said b")).to_contain_text("must be a whole number")
    asked.keyboard.type("2")
    asked.keyboard.press("Enter")
    expect(asked.locator(".found h3").first).to_be_focused(timeout=SLOW)
    assert asked.locator(".found h3").first.text_content() == "The answer: 2001/2 = 1000.5"
    settled(asked)
    assert asked.locator(".ask img").count() == 0
    assert asked.evaluate("() => window.ran") is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_one_press_away(asked: Page, name: str) -> None:
    """Catches an example that a page answers otherwise than a desk, words and curve."""
    asked.get_by_role("button", name=name, exact=True).press("Enter")
    settled(asked)
    expected = answer(EXAMPLES[name])["html"]
    assert f"{asked.locator('.found h3').first.text_content()}<" in expected
    words = asked.locator(".curve p").text_content()
    assert words
    assert f"<p>{words}</p>" in curve()["html"]
    dial = asked.locator("[type=range]")
    dial.press("End")
    assert dial.get_attribute("aria-valuetext") == "10"
    assert "At ε = 10 " in (asked.locator(".frame:visible").text_content() or "")


def test_a_picture_is_saved_and_nothing_is_sent(asked: Page) -> None:
    """Catches a picture that is no file, and a function that asks another computer."""
    with asked.expect_download() as download:
        asked.get_by_role("button", name="Save the picture").press("Enter")
    assert download.value.suggested_filename == "sensitivity.svg"
    asked.get_by_role("button", name="A vehicle").press("Enter")
    settled(asked)
    asked.get_by_label("a function in Python").check()
    sends = "import js\n    js.XMLHttpRequest.new().open('GET', 'http://127.0.0.1:9/')"
    asked.get_by_label("Function", exact=True).fill(f"def f(data):\n    {sends}.send()")
    asked.get_by_role("button", name="Ask", exact=True).press("Enter")
    settled(asked)
    expect(asked.locator("#ask-function-said b")).to_contain_text("failed on dataset")


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
def test_everybody_can_read_it(asked: Page, width: int, scheme: str) -> None:
    """Catches a page that scrolls sideways, needles for buttons, faint words, unnamed controls."""
    show(asked, width, scheme)
    assert asked.evaluate(WIDEST) <= width
    for box in boxes(asked.locator(".ask button:visible")):
        assert min(box["width"], box["height"]) >= 24
    assert faint_text(asked) == []
    assert faults(asked, ".ask") == {}
