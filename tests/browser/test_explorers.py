"""Every explorer, turned by mouse and by keyboard on its built page, says what the package says."""

import re
from collections.abc import Iterator

import pytest
from conftest import HTML, a_third, in_turn
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, View, svg
from sensitivity_book.stage.explorers.gallery import explorers
from test_book import LOOKS, MACHINE_MADE, REMOVE, boxes, opened, show

EXPLORERS = explorers()
PAGES = {
    name: f"notebooks/{page.name}"
    for page in sorted(HTML.glob("notebooks/*.html"))
    for name in re.findall(r'<div class="explorer" id="explorer-([^"]+)"', page.read_text("utf-8"))
}


TURNS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in a_third([*EXPLORERS])]


@pytest.fixture(scope="module", params=TURNS)
def turned(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Explorer, Page]]:
    assert request.param in PAGES, f"no built page shows the explorer {request.param}"
    with opened(browser, PAGES[request.param]) as page:
        page.evaluate(REMOVE, MACHINE_MADE)
        yield EXPLORERS[request.param], page


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
    for knob in explorer.knobs:  # and all at once
        place(explorer, page, knob).press("End")
    last = {knob.argument: knob.names[-1] for knob in explorer.knobs}
    assert_shows(explorer, page, explorer.view(**last))


# One box after the other, its column and height; and how many 0s, 1s and 2s there are then.
CLICKS = {(1, 3): "131", (1, 2): "111", (0, 1): "011", (2, 3): "013", (2, 1): "010", (1, 1): "000"}
CLICKED = [pytest.param("derivative", marks=pytest.mark.xdist_group("derivative"))]


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
@pytest.mark.parametrize("turned", CLICKED, indirect=True)
def test_the_histogram_is_clicked(turned: tuple[Explorer, Page], width: int, scheme: str) -> None:
    """Catches a box that is covered, too small, or sets another count than the one it stands at."""
    explorer, page = turned
    show(page, width, scheme)
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
            control = place(explorer, page, knob)
            assert control.input_value() == count
            assert control.get_attribute("aria-valuetext") == count
            assert control.locator("+ output").text_content() == count
    settle(explorer, page)
