"""What all plays of the book have in common, on their built pages: each hand pulls them, all can
read them, and without a script they stand finished."""

from contextlib import AbstractContextManager
from dataclasses import asdict
from itertools import groupby, product

import pytest
from conftest import drawn, in_turn
from playwright.sync_api import Browser, Page
from sensitivity_book.stage.dots.games import GAMES
from sensitivity_book.stage.tents import Tents, big, facts, sentence
from sensitivity_book.stage.words import decimals
from test_book import ARTICLE, LOOKS, PHONE, WIDE, assert_readable, opened, show
from test_dots import said
from test_explorers import EXPLORERS, PAGES

INTRO, VEHICLE = "book/intro.html", "book/chapters/vehicle.html"
WITNESS = EXPLORERS["curves-driving-proficiency"]
# The page, the play, the part that is pulled, the key that pulls it, and what is said then.
PULLED = [
    (INTRO, "#dots-naming", ".dot", "ArrowUp", "Yes: without Chris the mean would be at least"),
    (INTRO, "#dots-hiding", ".dot", "ArrowUp", "10 groups fit"),
    (INTRO, "#dots-moving", ".dot", "ArrowDown", "Chris out. Now pull another one in."),
    (VEHICLE, "#dots-changed", ".dot", "End", "1 to 3: the "),
    (VEHICLE, ".explorer", "[type=range]", "End", WITNESS.view(k=WITNESS.knobs[-1].names[-1]).text),
    ("book/chapters/local-and-smooth.html", "#dots-local", ".dot", "End", "The median is 6."),
    ("book/chapters/clipping.html", "#dots-bound", ".dot", "Home", "Bound 1 clips"),
    ("book/chapters/noise.html", ".tents", ".dot.other", "Home", "gap 3.5 days"),
    ("book/chapters/noise.html", ".tents", ".published", "End", "puts 73.1"),
]  # fmt: skip
# Where a hand takes the part, and to where it pulls: beyond the line, as the key would.
WAY = """([play, part, key]) => {
  const root = document.querySelector(play), dot = root.querySelector(part);
  dot.scrollIntoView({ block: "center", behavior: "instant" });
  const way = root.querySelector(".line") ?? root.querySelector(".stage") ?? dot;
  const line = way.getBoundingClientRect(), box = dot.getBoundingClientRect();
  const x = box.left + Math.min(box.width, 26) / 2, y = box.top + box.height / 3;
  return [[x, y], {
    Home: [line.left + 1, y], End: [line.right - 1, y],
    ArrowUp: [x, line.top - 20], ArrowDown: [x, line.bottom + 60],
  }[key]];
}"""
HANDS = [("keys", WIDE), ("mouse", WIDE), ("mouse", PHONE), ("touch", PHONE)]

pytestmark = pytest.mark.xdist_group("dots")


def pull(page: Page, hand: str, start: list[float], end: list[float]) -> None:
    """Pull from here to there, in eight steps, by mouse or finger."""
    if hand == "mouse":
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=8)
        page.mouse.up()
        return
    session = page.context.new_cdp_session(page)
    for step in range(9):
        x, y = (a + (b - a) * step / 8 for a, b in zip(start, end, strict=True))
        touch = {"type": "touchMove" if step else "touchStart", "touchPoints": [{"x": x, "y": y}]}
        session.send("Input.dispatchTouchEvent", touch)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize(("hand", "width"), in_turn(HANDS))
def test_a_hand_pulls_each_play(browser: Browser, hand: str, width: int) -> None:
    """Catches a part not held, on the wrong side or counted twice; a page that scrolls away."""
    for name, rows in groupby(PULLED, lambda row: row[0]):
        with opened(browser, name, width, has_touch=hand == "touch") as page:
            for _, play, part, key, told in rows:
                start, end = page.evaluate(WAY, [play, part, key])
                scrolled = page.evaluate("scrollY")
                if hand == "keys":
                    page.locator(play).locator(part).first.press(key)
                else:
                    pull(page, hand, start, end)
                    page.wait_for_timeout(50)  # for a click that may follow
                    assert page.evaluate("scrollY") == scrolled
                statuses = page.locator(f"{play} :is([role=status], .facts)").all_inner_texts()
                assert told in " ".join(statuses), (play, part)


# What is pressed on a page before it is looked at:
# a play that says all that it can, verdicts, cards that are open.
# ruff: disable[E501]
LOOKED_AT = {
    INTRO: (".dots", [("#dots-naming .dot >> nth=9", "Enter"), ("#dots-naming .dot >> nth=0", "Enter"), ("#dots-moving [data-action=most]", "Enter")]),
    "book/chapters/noise.html": (".tents", [("[name=follows]", "Space"), ("[name=stretch]", "Space"), (".tents .dot.one", "Home"), (".tents .dot.other", "End"), (".tents .published >> nth=0", "End")]),
    "book/chapters/by-hand.html": (".answer", [(f"#answer-by-hand-sum-{field} input", key) for field in ("moved", "swapped") for key in ("2", "0", "Enter")]),
    "book/board.html": ("form.board, .claim:first-of-type", []),
}  # fmt: skip
# ruff: enable[E501]
for name in in_turn(list(EXPLORERS)):
    last = [(f"#{name}-{knob.argument}", "End") for knob in EXPLORERS[name].knobs]
    LOOKED_AT[PAGES[name]] = f"#explorer-{name}", last


@pytest.mark.parametrize("name", drawn([*LOOKED_AT], 4))
@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
def test_everybody_can_read_and_hit_it(
    browser: Browser, name: str, width: int, scheme: str
) -> None:
    """Catches faint or small text, overlaps, small targets, unnamed controls, a wide page."""
    css, pressed = LOOKED_AT[name]
    with opened(browser, name) as page:
        show(page, width, scheme)
        for part, key in pressed:
            page.locator(part).press(key)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        for part in css.split(", "):
            assert_readable(page, part, width)


def still(browser: Browser, name: str) -> AbstractContextManager[Page]:
    """A page on a phone, where scripts are switched off."""
    return opened(browser, name, PHONE, java_script_enabled=False)


def test_without_a_script_every_game_stands_finished(browser: Browser) -> None:
    """Catches an empty box: the picture, its sentence and no dead control, at both ends."""
    with still(browser, INTRO) as page:
        for name, make in GAMES.items():
            root, picture = page.locator(f"#dots-{name}"), make()
            assert said(root) == f"{picture.big[0]} {picture.big[1]} {picture.sentence}"
            assert (root.locator("noscript em").bounding_box() or {"height": 0})["height"] > 20
            assert root.locator("button:enabled, input:enabled").count() == 0
            answer = f"{picture.data.get('query', 'mean')} {decimals(picture.answer)}"
            assert root.locator(".mean").text_content() == answer
            kinds = [one.get_attribute("data-kind") for one in root.locator(".dot").all()]
            assert kinds == list(picture.kinds)


def test_without_a_script_the_tents_stand(browser: Browser) -> None:
    """Catches a picture without JavaScript that tells another story, or shows dead knobs."""
    with still(browser, "book/chapters/noise.html") as page:
        root = page.locator(".tents")
        assert said(root) == " ".join([*big(Tents()), sentence(Tents())])
        assert root.locator(".facts").text_content() == facts(Tents())
        assert root.locator(".dial, button").locator("visible=true").count() == 0


def test_without_a_script_every_card_is_there(browser: Browser) -> None:
    """Catches a card that only a script shows, and filters that do nothing."""
    with still(browser, "book/board.html") as page:
        assert page.locator(".claim:visible").count() == page.locator(".claim").count() > 0
        assert not page.locator("form.board").is_visible()
        row = page.locator("details.claim").first
        row.locator("> summary").click()
        assert row.locator("dl").is_visible()


def test_without_a_script_no_field_is_dead(browser: Browser) -> None:
    """Catches an empty box, a Run that starts nothing, a reader who is not told why."""
    with still(browser, "book/chapters/by-hand.html") as page:
        assert page.locator(".answer").count() > 3
        assert page.locator(".answer:visible, .live-bar").count() == 0
        assert "only with JavaScript" in (page.locator(ARTICLE).text_content() or "")


GRID = [
    Tents(*state)
    for state in product(
        (0, 20, 21, 60),
        (0, 22, 40, 60),
        (0.1, 0.55, 1.0, 2.0),
        (-5, 0.3, 3, 5.1, 15),
        (None, 3, 19),
        (None, -5, 5.1, 9.7),
    )
]


TOLD = """all => all.map(state => {
  const of = Tents.numbers(state);
  const told = [of.distance, of.assumed, of.scale, of.loss, of.belief, ...of.sizes];
  return [Tents.words(state), told];
})"""


def test_the_script_of_the_tents_says_what_python_does(browser: Browser) -> None:
    """Catches a height, ratio, bound, belief, name or promise told otherwise in 3840 states."""
    states = [asdict(state) | {"madeFor": state.made_for} for state in GRID]
    with opened(browser, "book/chapters/noise.html") as page:
        told = page.evaluate(TOLD, states)
    for state, (words, numbers) in zip(GRID, told, strict=True):
        truth = [state.distance, state.assumed, state.scale, state.loss, state.belief]
        assert numbers == pytest.approx([*truth, *state.sizes], rel=1e-9, abs=1e-14), state
        assert (words["big"], words["what"]) == big(state)
        assert words["sentence"] == sentence(state)
        assert words["facts"] == facts(state)
