"""The two tents, on their page and in a notebook: what they say and show is Python's."""

import math
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product

import pytest
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.stage.tents import Tents, TwoTents, at, big, facts, lengths, markup, sentence
from sensitivity_book.stage.words import digits
from test_book import boxes, opened
from test_dots import said

pytestmark = pytest.mark.xdist_group("tents")


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with opened(browser, "book/chapters/noise.html") as page:
        yield page


@pytest.fixture
def tents(page: Page) -> Locator:
    """The picture, begun again."""
    root = page.locator(".tents")
    root.locator("[data-action=begin]").click()
    return root


def placed(root: Locator, css: str, name: str = "--at") -> list[float]:
    get = "(all, name) => all.map(one => Number(one.style.getPropertyValue(name)))"
    values: list[float] = root.locator(css).evaluate_all(get, name)
    return values


def holds(root: Locator, state: Tents, rel: float = 1e-9) -> None:
    """Everything that the picture says and shows is what Python says of this state."""
    drawn = markup(state)
    assert said(root) == " ".join([*big(state), sentence(state)])
    assert root.locator(".facts").text_content() == facts(state)
    assert placed(root, ".dot") == pytest.approx([float(at(c)) for c in state.centres], abs=0.01)
    assert placed(root, ".published:visible") == pytest.approx(
        [float(at(x)) for x in (state.x, state.end) if x is not None], abs=0.01
    )
    assert placed(root, ".bar", "--long") == pytest.approx(lengths(state), rel=rel)
    assert placed(root, ".least") == pytest.approx([100 * math.exp(-state.epsilon)] * 2, rel=rel)
    assert placed(root, ".belief") == pytest.approx([100 * (1 - state.belief)], rel=rel)
    assert (root.get_attribute("data-kept") == "no") == (not state.is_kept)
    names = root.locator(".dot b, .published:visible b").all_text_contents()
    if state.end is None:
        assert names == re.findall(r"<b>((?:x =|Chris|Rick)[^<]*)</b>", drawn)
        highs = [float(high) for high in re.findall(r"--high:([\d.]+)", drawn)]
        assert placed(root, ".pole", "--high") == pytest.approx(highs, abs=0.01)
        assert placed(root, ".pole") == pytest.approx([float(at(state.x))] * 2, abs=0.01)
    else:
        ends = [digits(end) for end in sorted((state.x, state.end))]
        assert sorted(names[:2]) == [f"from {ends[0]}", f"to {ends[1]}"]
    numbers = root.locator(".bars :is(.one, .other) b").all_text_contents()
    assert [float(number) for number in numbers] == pytest.approx(state.sizes, rel=0.006)
    now = root.locator("[role=slider]:not(.end)").evaluate_all(
        "all => all.map(one => one.ariaValueNow)"
    )
    assert now == [f"{value:.3g}" for value in (state.x, *state.centres)]


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


def test_the_script_computes_and_says_what_python_does(page: Page) -> None:
    """Catches a height, ratio, bound, belief, name or promise told otherwise in 3840 states."""
    told = page.evaluate(
        """all => all.map(state => {
          const of = Tents.numbers(state);
          const told = [of.distance, of.assumed, of.scale, of.loss, of.belief, ...of.sizes];
          return [Tents.words(state), told];
        })""",
        [asdict(state) | {"madeFor": state.made_for} for state in GRID],
    )
    for state, (words, numbers) in zip(GRID, told, strict=True):
        truth = [state.distance, state.assumed, state.scale, state.loss, state.belief]
        assert numbers == pytest.approx([*truth, *state.sizes], rel=1e-9, abs=1e-14), state
        assert (words["big"], words["what"]) == big(state)
        assert words["sentence"] == sentence(state)
        assert words["facts"] == facts(state)


X, END = ".published >> nth=0", ".published.end"
# What is pressed on which part, one after the other, and what changes.
PRESSED = [
    (".dot.one", "ArrowLeft ArrowDown PageDown", {"one": 13}),
    (".dot.one", "Home ArrowLeft", {"one": 0}),
    (".dot.other", "End ArrowUp", {"other": 60}),
    (X, "Home ArrowRight PageUp", {"x": -3.9}),
    ("input[type=range]", "ArrowRight", {"epsilon": 1.05}),
    (X, "End", {"x": 15}),
    ("[name=stretch]", "Space", {"end": 12}),
    (END, "PageDown ArrowLeft", {"end": 10.9}),
    (X, "Home", {"x": -5}),
    (END, "Home PageUp", {"end": -4}),
    (X, "PageUp PageUp", {"x": -3}),  # the ends cross
    ("[name=follows]", "Space", {"made_for": 60}),
    (".dot.other", "Home", {"other": 0}),
    ("[name=follows]", "Space", {"made_for": None}),
    ("[name=stretch]", "Space", {"end": None}),
]


def test_keys_move_everything(tents: Locator) -> None:
    """Catches a knob that keys miss or that leaves its line, bars that are still heights."""
    state = Tents(x=5)
    holds(tents, state)
    for css, keys, changes in PRESSED:
        for key in keys.split():
            tents.locator(css).press(key)
        state = replace(state, **changes)
        holds(tents, state)
        dial = tents.locator("input[type=range]")
        assert dial.get_attribute("aria-valuetext") == f"ε = {digits(state.epsilon)}"
        assert tents.locator(".pole:visible").count() == (2 if state.end is None else 0)
        for area in tents.locator(".area").all():
            drawn = area.get_attribute("d") or ""
            low, high = sorted(10 * (x + 5) for x in (state.x, state.end or state.x))
            ends = drawn.startswith(f"M{low:g} 100L"), drawn.endswith(f"L{high:g} 100Z")
            assert ends == (True, True) if state.end is not None else drawn == ""


def test_a_mouse_pulls_the_answers_and_the_number(page: Page, tents: Locator) -> None:
    """Catches a dot that jumps or does not follow, an end that cannot be taken."""
    tents.scroll_into_view_if_needed()
    state = Tents(x=5)
    day = tents.locator(".stage").evaluate("stage => stage.getBoundingClientRect().width") / 20
    for css, days, changes in (
        (".dot.one", -2, {"one": 9}),
        (".dot.other", 3, {"other": 58}),
        (X, 2, {"x": 7}),
    ):
        [box] = boxes(tents.locator(css))
        x, y = box["x"] + min(box["width"], 26) / 2 - 3, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + days * day, y, steps=2)
        page.mouse.up()
        page.mouse.move(x, y)
        state = replace(state, **changes)
        holds(tents, state)
    [box] = boxes(tents.locator("svg"))
    for ends, share, changes in (((), 0.5, {"x": 5}), (("Space",), 0.2, {"x": -1, "end": 8})):
        for key in ends:
            tents.locator("[name=stretch]").press(key)
        page.mouse.click(box["x"] + share * box["width"], box["y"] + 40)
        holds(tents, replace(state, **changes))


def test_the_widget_of_a_notebook_is_alive(browser: Browser) -> None:
    """Catches a picture that is dead in a notebook, a script that only a page can load."""
    page = browser.new_page()
    page.set_content("<main></main>")
    page.evaluate(
        """async ([script, html]) => {
          const blob = new Blob([script], { type: "text/javascript" });
          const module = await import(URL.createObjectURL(blob));
          module.default.render({ model: { get: () => html }, el: document.querySelector("main") });
        }""",
        [str(TwoTents._esm), markup(Tents())],
    )
    root = page.locator(".tents")
    holds(root, Tents(x=5))
    root.locator(".dot.one").press("ArrowRight")
    holds(root, Tents(one=22, x=5))
    page.close()
