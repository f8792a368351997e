"""Every explorer, turned by mouse and by keyboard on its built page, says what the package says."""

import re
from collections.abc import Iterator

import pytest
from conftest import HTML, a_third, in_turn
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, View, svg
from sensitivity_book.stage.explorers.gallery import explorers
from test_book import LOOKS, MACHINE_MADE, STRUCTURE, WIDE, faint_text, faults, show

EXPLORERS = explorers()
PAGES = {
    name: page
    for page in sorted(HTML.glob("notebooks/*.html"))
    for name in re.findall(r'<div class="explorer" id="explorer-([^"]+)"', page.read_text("utf-8"))
}


TURNS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in a_third([*EXPLORERS])]


@pytest.fixture(scope="module", params=TURNS)
def turned(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Explorer, Page]]:
    assert request.param in PAGES, f"no built page shows the explorer {request.param}"
    page = browser.new_page(viewport={"width": WIDE, "height": 900})
    requests: list[str] = []
    page.on("request", lambda sent: requests.append(sent.url))
    page.goto(PAGES[request.param].as_uri(), wait_until="load")
    page.evaluate("css => document.querySelectorAll(css).forEach(e => e.remove())", MACHINE_MADE)
    yield EXPLORERS[request.param], page
    assert [url for url in requests if not url.startswith("file:")] == []
    page.close()


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
    drawn = "".join(map(svg, expected.figures))
    shapes = re.findall(r"<(path|use|text)\b", drawn)
    assert picture.locator("path, use, text").count() == len(shapes)
    for text, written in zip(
        picture.locator("text").all_text_contents(),
        re.findall(r"<text[^>]*>(.*?)</text>", drawn, re.DOTALL),
        strict=True,
    ):
        assert text.split() == re.sub(r"<[^>]*>|&[a-z]+;", " ", written).split() or "&" in written


def test_the_keyboard_reaches_every_setting(turned: tuple[Explorer, Page]) -> None:
    """Catches a dead control, and a frame that belongs to another setting: all, of every knob."""
    explorer, page = turned
    for knob in explorer.knobs:
        settle(explorer, page)
        control = place(explorer, page, knob)
        control.focus()
        page.keyboard.press("Home")
        for name in knob.names:
            assert_shows(explorer, page, explorer.view(**{knob.argument: name}))
            if knob.ordered:
                assert control.get_attribute("aria-valuetext") == name
                assert control.locator("+ output").text_content() == name
            page.keyboard.press("ArrowRight" if knob.ordered else "ArrowDown")
        settle(explorer, page)


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
def test_mouse_and_keyboard_turn_it(turned: tuple[Explorer, Page], width: int, scheme: str) -> None:
    """Catches a control that is covered, too small or off the page, and faint text."""
    explorer, page = turned
    show(page, width, scheme)
    settle(explorer, page)
    chosen = {}
    for knob in explorer.knobs:
        control = place(explorer, page, knob)
        control.scroll_into_view_if_needed()
        if knob.ordered:
            box = control.bounding_box()
            assert box
            assert box["height"] >= 16
            assert box["x"] + box["width"] <= width
            page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
        else:
            control.select_option(label=knob.names[-1])
        chosen[knob.argument] = knob.names[-1]
    assert_shows(explorer, page, explorer.view(**chosen))
    first = explorer.knobs[0]
    place(explorer, page, first).press("Home")
    assert_shows(explorer, page, explorer.view(**chosen | {first.argument: first.names[0]}))
    assert faint_text(page, f"#explorer-{explorer.name}") == []
    assert faults(page, f"#explorer-{explorer.name}", **STRUCTURE) == {}
    settle(explorer, page)


CLICKS = [(1, 3), (1, 3), (0, 1), (2, 3), (2, 2), (2, 1), (1, 1)]  # column and height of a box
CLICKED = [pytest.param("derivative", marks=pytest.mark.xdist_group("derivative"))]


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
@pytest.mark.parametrize("turned", CLICKED, indirect=True)
def test_the_histogram_is_clicked(turned: tuple[Explorer, Page], width: int, scheme: str) -> None:
    """Catches a box that is covered, too small, or sets another count than the one it stands at."""
    explorer, page = turned
    show(page, width, scheme)
    settle(explorer, page)
    columns = explorer.knobs[1:]
    counts = {knob.argument: int(knob.first) for knob in columns}
    for column, height in CLICKS:
        click_box(explorer, page, column, height)
        knob = columns[column]
        full = height <= counts[knob.argument]
        counts[knob.argument] = height - 1 if full else height
        chosen = {argument: str(count) for argument, count in counts.items()}
        assert_shows(explorer, page, explorer.view(**chosen))
        control = place(explorer, page, knob)
        assert control.input_value() == chosen[knob.argument]
        assert control.get_attribute("aria-valuetext") == chosen[knob.argument]
        assert control.locator("+ output").text_content() == chosen[knob.argument]
    assert counts == {"zeros": 0, "ones": 0, "twos": 0}
    query = explorer.knobs[0]
    place(explorer, page, query).select_option(label="sum")
    click_box(explorer, page, 2, 2)
    assert_shows(explorer, page, explorer.view(query="sum", zeros="0", ones="0", twos="2"))
    assert faint_text(page, f"#explorer-{explorer.name}") == []
    assert faults(page, f"#explorer-{explorer.name}", **STRUCTURE) == {}
    settle(explorer, page)


def click_box(explorer: Explorer, page: Page, column: int, height: int) -> None:
    """Click the middle of a box, found by where it stands and not by what it says."""
    picture = place(explorer, page).locator("[role=img]")
    picture.scroll_into_view_if_needed()
    boxes = [part.bounding_box() for part in picture.locator("[data-choice]").all()]
    assert all(box and min(box["width"], box["height"]) >= 24 for box in boxes)
    box = sorted(boxes, key=lambda box: (round(box["x"]), -box["y"]))[3 * column + height - 1]
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
