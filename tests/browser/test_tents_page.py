"""The two tents, pulled by mouse, finger and keyboard: every number is Python's."""

import math
import re
from collections.abc import Iterator
from itertools import product

import pytest
from conftest import HTML, in_turn
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.stage.tents import (
    Tents,
    TwoTents,
    at,
    big,
    facts,
    lengths,
    markup,
    sentence,
)
from sensitivity_book.stage.words import digits
from test_book import LOOKS, PHONE, STRUCTURE, faint_text, faults, quietly, show

PAGE = HTML / "notebooks" / "noise.html"

pytestmark = pytest.mark.xdist_group("tents")


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    yield from quietly(browser, PAGE)


@pytest.fixture
def tents(page: Page) -> Locator:
    """The picture, begun again."""
    root = page.locator(".tents")
    root.locator("[data-action=begin]").click()
    return root


def said(root: Locator) -> str:
    """What a screen reader is told: the number and the sentence."""
    status = root.locator("[role=status][aria-live=polite]")
    return re.sub(r" +", " ", status.text_content() or "").strip()


def words(state: Tents) -> str:
    return " ".join([*big(state), sentence(state)])


def placed(root: Locator, css: str, name: str = "--at") -> list[float]:
    get = "(all, name) => all.map(one => Number(one.style.getPropertyValue(name)))"
    values: list[float] = root.locator(css).evaluate_all(get, name)
    return values


def holds(root: Locator, state: Tents) -> None:
    """Everything that the picture says and shows is what Python says of this state."""
    assert said(root) == words(state)
    assert root.locator(".facts").text_content() == facts(state)
    assert placed(root, ".dot") == pytest.approx([float(at(c)) for c in state.centres], abs=0.01)
    assert placed(root, ".published:visible") == pytest.approx(
        [float(at(x)) for x in (state.x, state.end) if x is not None], abs=0.01
    )
    assert placed(root, ".bar", "--long") == pytest.approx(lengths(state), rel=1e-9)
    assert placed(root, ".least") == pytest.approx([100 * math.exp(-state.epsilon)] * 2)
    assert placed(root, ".belief") == pytest.approx([100 * (1 - state.belief)], rel=1e-9)
    assert root.get_attribute("data-kept") == ("yes" if state.is_kept else "no")
    names = root.locator(".dot b, .published:visible b").all_text_contents()
    if state.end is None:
        assert names == re.findall(r"<b>((?:x =|Chris|Rick)[^<]*)</b>", markup(state))
    else:
        ends = [digits(end) for end in sorted((state.x, state.end))]
        assert sorted(names[:2]) == [f"from {ends[0]}", f"to {ends[1]}"]
    numbers = root.locator(".bars :is(.one, .other) b").all_text_contents()
    assert [float(number) for number in numbers] == pytest.approx(state.sizes, rel=0.006)
    now = root.locator("[role=slider]:not(.end)").evaluate_all(
        "all => all.map(one => one.ariaValueNow)"
    )
    assert now == [f"{value:.3g}" for value in (state.x, *state.centres)]


# ---- The script's own functions --------------------------------------------------------------

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


def as_script(state: Tents) -> dict[str, float | None]:
    return {
        "one": state.one,
        "other": state.other,
        "epsilon": state.epsilon,
        "x": state.x,
        "madeFor": state.made_for,
        "end": state.end,
    }


def test_the_script_computes_what_python_computes(page: Page) -> None:
    """Catches a height, ratio, bound or belief of the script that is another one, in 3840 states."""
    own = page.evaluate(
        """all => all.map(state => {
          const of = Tents.numbers(state);
          return [of.distance, of.assumed, of.scale, of.loss, of.belief, ...of.sizes];
        })""",
        [as_script(state) for state in GRID],
    )
    for state, numbers in zip(GRID, own, strict=True):
        truth = [state.distance, state.assumed, state.scale, state.loss, state.belief]
        expected = [*truth, *state.sizes]
        assert numbers == pytest.approx(expected, rel=1e-9, abs=1e-14), state


def test_the_script_says_what_python_says(page: Page) -> None:
    """Catches a rounding, a name or a broken promise that the script tells otherwise."""
    own = page.evaluate("all => all.map(Tents.words)", [as_script(state) for state in GRID])
    for state, said_ in zip(GRID, own, strict=True):
        assert (said_["big"], said_["what"]) == big(state)
        assert said_["sentence"] == sentence(state)
        assert said_["facts"] == facts(state)


# ---- Hands --------------------------------------------------------------------------------------


def test_it_is_what_stands_without_a_script(browser: Browser, tents: Locator) -> None:
    """Catches a picture without JavaScript that tells another story, or shows dead knobs."""
    holds(tents, Tents(x=5))
    tents.locator(".published").first.focus()
    for _ in range(2):
        tents.page.keyboard.press("PageDown")
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(PAGE.as_uri(), wait_until="load")
    root = still.locator(".tents")
    assert said(root) == said(tents)
    assert root.locator(".facts").text_content() == tents.locator(".facts").text_content()
    for css, name in ((".pole", "--high"), (".pole", "--at"), (".bar", "--long"), (".dot", "--at")):
        assert placed(root, css, name) == pytest.approx(placed(tents, css, name), abs=0.02)
    assert root.locator(".dial").is_hidden()
    assert root.locator("button").first.is_hidden()
    context.close()


def test_keys_move_everything(page: Page, tents: Locator) -> None:
    """Catches a knob that the keyboard does not reach, or that leaves its line."""
    one, other, x = (
        tents.locator(css) for css in (".dot.one", ".dot.other", ".published >> nth=0")
    )
    one.focus()
    for key in ("ArrowLeft", "ArrowDown", "PageDown"):
        page.keyboard.press(key)
    holds(tents, Tents(one=13, x=5))
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    holds(tents, Tents(one=0, x=5))
    other.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    holds(tents, Tents(one=0, other=60, x=5))
    x.focus()
    for key in ("Home", "ArrowRight", "PageUp"):
        page.keyboard.press(key)
    holds(tents, Tents(one=0, other=60, x=-3.9))
    dial = tents.locator("input[type=range]")
    dial.focus()
    page.keyboard.press("ArrowRight")
    holds(tents, Tents(one=0, other=60, x=-3.9, epsilon=1.05))
    assert dial.get_attribute("aria-valuetext") == "ε = 1.05"


def test_both_ends_of_a_stretch_are_pulled(page: Page, tents: Locator) -> None:
    """Catches bars that are still heights, an end that cannot be taken, and ends that may not cross."""
    tents.locator("[name=stretch]").check()
    x, end = tents.locator(".published").all()
    holds(tents, Tents(x=5, end=8))
    assert tents.locator(".pole:visible").count() == 0
    end.focus()
    page.keyboard.press("Home")
    holds(tents, Tents(x=5, end=-5))
    x.focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    holds(tents, Tents(x=3, end=-5))
    for part in (0, 1):
        area = tents.locator(".area").nth(part).get_attribute("d") or ""
        assert area.startswith("M0 100L")
        assert area.endswith("L80 100Z")
    box = tents.locator("svg").bounding_box()
    assert box
    page.mouse.click(box["x"] + 0.2 * box["width"], box["y"] + 60)
    holds(tents, Tents(x=3, end=-1))
    tents.locator("[name=stretch]").uncheck()
    holds(tents, Tents(x=3))


def middle(part: Locator) -> tuple[float, float]:
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    assert box
    return box["x"] + min(box["width"], 26) / 2, box["y"] + box["height"] / 2


def test_a_mouse_pulls_the_answers_and_the_number(page: Page, tents: Locator) -> None:
    """Catches a dot that jumps when it is taken, or does not follow."""
    tents.scroll_into_view_if_needed()
    wide = tents.locator(".stage").evaluate("stage => stage.getBoundingClientRect().width")
    day = wide / 20
    for css, days, state in (
        (".dot.one", -2, Tents(one=9, x=5)),
        (".dot.other", 3, Tents(one=9, other=58, x=5)),
        (".published >> nth=0", 2, Tents(one=9, other=58, x=7)),
    ):
        x, y = middle(tents.locator(css))
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + days * day / 2, y)
        page.mouse.move(x + days * day, y)
        page.mouse.up()
        page.mouse.move(x, y)
        holds(tents, state)
    box = tents.locator("svg").bounding_box()
    assert box
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 40)
    holds(tents, Tents(one=9, other=58, x=5))


def test_a_finger_pulls_too(browser: Browser) -> None:
    """Catches a dot that only a mouse can pull, on a phone."""
    context = browser.new_context(viewport={"width": PHONE, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(PAGE.as_uri(), wait_until="load")
    root = page.locator(".tents")
    dot = root.locator(".dot.other")
    x, y = middle(dot)
    day = root.locator(".stage").evaluate("stage => stage.getBoundingClientRect().width") / 20
    assert dot.evaluate("dot => getComputedStyle(dot).touchAction") == "none"
    touch = context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + day, "y": y + 8}]),
        ("touchMove", [{"x": x + 2 * day, "y": y + 8}]),
        ("touchEnd", []),
    ):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    holds(root, Tents(other=52, x=5))
    context.close()


def test_the_widget_of_a_notebook_is_alive(browser: Browser) -> None:
    """Catches a notebook in which the same picture is dead, or a script that only a page can load."""
    page = browser.new_page()
    page.set_content("<main></main>")
    page.evaluate(
        """async ([script, html]) => {
          const module = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
          module.default.render({ model: { get: () => html }, el: document.querySelector("main") });
        }""",
        [str(TwoTents._esm), markup(Tents())],
    )
    root = page.locator(".tents")
    holds(root, Tents(x=5))
    root.locator(".dot.one").press("ArrowRight")
    holds(root, Tents(one=22, x=5))
    page.close()


# ---- Looks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
def test_how_the_tents_look(browser: Browser, width: int, scheme: str) -> None:
    """Catches sideways scrolling, faint text and unnamed controls while the promise is broken."""
    page = browser.new_page()
    page.goto(PAGE.as_uri(), wait_until="load")
    show(page, width, scheme)
    root = page.locator(".tents")
    root.locator("[name=follows]").uncheck()
    root.locator("[name=stretch]").check()
    for css, key in ((".dot.one", "Home"), (".dot.other", "End"), (".published >> nth=0", "End")):
        root.locator(css).focus()
        page.keyboard.press(key)
    assert root.get_attribute("data-kept") == "no"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inside = root.evaluate(
        """root => { const { left, right } = root.getBoundingClientRect();
        return [...root.querySelectorAll("b, span, p, label")].filter(part => {
          const box = part.getBoundingClientRect();
          return box.width && (box.left < left - 1 || box.right > right + 1);
        }).map(part => part.className || part.textContent); }"""
    )
    assert inside == []
    assert faint_text(page, ".tents") == []
    assert faults(page, ".tents", **STRUCTURE) == {}
    page.close()
