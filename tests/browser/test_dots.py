"""The dots of the first page, pulled by mouse, finger and keyboard: every number is the package's."""

import math
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import pytest
from conftest import HTML, in_turn, seeds
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.stage.dots.games import GAMES
from sensitivity_book.stage.words import decimals, digits, listed, percent, text
from sensitivity_book.theory import first_page
from test_book import LOOKS, PHONE, STRUCTURE, WIDE, faint_text, faults, quietly, show

import sensitivity_lab as sl
from sensitivity_lab.numbers.text import true_minus

PAGE = HTML / "book" / "intro.html"
NAMES, DAYS = list(first_page.pupils()), list(first_page.pupils().values())
EVERYONE = range(len(DAYS))
GROUPS = first_page.groups()
TRUE_SIX = GROUPS[0]
SQUARES = "all => all.map(square => square.getAttribute('class') || '')"

pytestmark = pytest.mark.xdist_group("dots")


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    yield from quietly(browser, PAGE)


def game(page: Page, name: str) -> Locator:
    """A game, begun again."""
    root = page.locator(f"#dots-{name}")
    for button in root.locator("[data-action=begin]").all():
        button.click()
    return root


def dot(root: Locator, i: int) -> Locator:
    return root.locator(".dot").nth(i)


def said(root: Locator) -> str:
    """What a screen reader is told: the number and the sentence."""
    status = root.locator("[role=status][aria-live=polite]")
    return re.sub(" +", " ", status.text_content() or "").strip()


def inside(root: Locator) -> tuple[int, ...]:
    pressed = root.locator(".dot").evaluate_all("all => all.map(dot => dot.ariaPressed)")
    return tuple(i for i, one in enumerate(pressed) if one == "true")


def lit(root: Locator, kind: str) -> list[first_page.Group]:
    kinds = root.locator(".sieve rect").evaluate_all(SQUARES)
    return [group for group, own in zip(GROUPS, kinds, strict=True) if own == kind]


def total(group: tuple[int, ...]) -> int:
    return sum(DAYS[i] for i in group)


def mean(group: tuple[int, ...]) -> Fraction:
    return Fraction(total(group), len(group))


def marked(root: Locator) -> float:
    """Where the mean stands on the line, in days."""
    at = root.locator(".mean").evaluate("mark => mark.style.getPropertyValue('--at')")
    return float(at) * 20 / 100


# ---- The script's own functions, in all their states ----------------------------------------


def test_the_script_writes_numbers_as_the_package_does(page: Page) -> None:
    """Catches a fraction that is not reduced, a wrong rounding, and an = where ≈ is right."""
    pairs = [[above, below] for above in range(0, 61) for below in range(1, 13)]
    written = page.evaluate("pairs => pairs.map(Stage.text)", pairs)
    assert written == [text(Fraction(*pair)) for pair in pairs]
    numbers = [
        sign * lead * 10.0**power
        for sign in (1, -1)
        for lead in (1, 1.005, 3.14159, 9.996)
        for power in range(-5, 9)
    ]
    assert page.evaluate("all => all.map(Stage.digits)", numbers) == [*map(digits, numbers)]
    shares = [0, 0.0009, 0.001, 0.0123456, 0.2719, 0.5, 0.99, 0.999, 0.9991, 1]
    assert page.evaluate("all => all.map(Stage.percent)", shares) == [*map(percent, shares)]


QUERIES = {
    "mean": sl.MEAN,
    "median": sl.MEDIAN,
    "sum": sl.SUM,
    "minimum": sl.MIN,
    "maximum": sl.MAX,
    "count": sl.COUNT,
}


@pytest.mark.parametrize("query", QUERIES)
def test_the_script_answers_queries_as_the_package_does(page: Page, query: str) -> None:
    """Catches a query of the script that another chapter would show wrongly: all groups of all sizes."""
    datasets = [
        [DAYS[i] for i in group] for size in range(1, 11) for group in combinations(EVERYONE, size)
    ]
    answers = page.evaluate("([query, all]) => all.map(Stage.QUERIES[query])", [query, datasets])
    for dataset, (above, below) in zip(datasets, answers, strict=True):
        assert Fraction(above, below) == QUERIES[query](tuple(dataset))


# ---- A published mean names six --------------------------------------------------------------

SIX_NAMES = listed([NAMES[i] for i in TRUE_SIX])


def reason(i: int) -> str:
    """Why a pupil is in or out: the least mean of the other groups, by adding the fewest days."""
    others = sorted(days for days in DAYS if days != DAYS[i])
    if i in TRUE_SIX:
        return f"without {NAMES[i]} the mean would be at least {text(Fraction(sum(others[:6]), 6))}"
    least = Fraction(sum(others[:5]) + DAYS[i], 6)
    return f"with {NAMES[i]} the mean would be at least {text(least)}"


@pytest.mark.parametrize("seed", seeds(3))
def test_any_order_of_clicks_sieves_210_down_to_one(page: Page, seed: int) -> None:
    """Catches a wrong count on the way, a wrong reason, and an end with other names."""
    root, order, settled = game(page, "naming"), list(EVERYONE), set()
    assert said(root).startswith("210 groups left")
    random.Random(seed).shuffle(order)
    for i in order:
        dot(root, i).click()
        settled.add(i)
        left = math.comb(10 - len(settled), 6 - len(settled & set(TRUE_SIX)))
        answer = "Yes" if i in TRUE_SIX else "No"
        where = "in" if i in TRUE_SIX else "out"
        sentence = (
            f"{left} group{'s' * (left > 1)} left {answer}: {reason(i)}. {NAMES[i]} is {where}."
        )
        if left > 1:
            assert said(root) == sentence
            assert len(lit(root, "")) == left
            assert inside(root) == tuple(sorted(settled & set(TRUE_SIX)))
        else:
            assert said(root) == f"{sentence} One group is left: {SIX_NAMES}."
            assert lit(root, "hit") == [TRUE_SIX]
            assert inside(root) == TRUE_SIX
            break
    dot(root, 0).click()
    assert said(root) == f"1 group left Chris is settled: {reason(0)}."


# ---- Any other six -----------------------------------------------------------------------------


# Every group is clicked together, and what the page then says and marks is kept.
EVERY_GROUP = """(root, groups) => groups.map(group => {
  root.querySelectorAll(".dot").forEach((dot, i) => {
    if ((dot.ariaPressed === "true") !== group.includes(i)) dot.click();
  });
  return {
    said: root.querySelector("[role=status][aria-live=polite]").textContent,
    hits: [...root.querySelectorAll(".sieve rect")].map(square => square.classList.contains("hit")),
    at: root.querySelector(".mean").style.getPropertyValue("--at"),
  };
})"""


def test_every_group_says_how_many_share_its_mean(page: Page) -> None:
    """Catches a wrong number, name or mark in any of the 210 states."""
    told = game(page, "hiding").evaluate(EVERY_GROUP, GROUPS)
    for group, state in zip(GROUPS, told, strict=True):
        same = first_page.groups_by_sum()[total(group)]
        start = f"The mean is {text(mean(group))}."
        if len(same) == 1:
            expected = f"1 group fits {start} No other group has it: all six are named."
        else:
            everywhere, nowhere = first_page.still_known(total(group))
            certain = [f"In every one of the {len(same)}: {listed(everywhere)}."] * bool(everywhere)
            certain += [f"In none: {listed(nowhere)}."] * bool(nowhere)
            nobody = "Nobody is certain to be in, and nobody to be out."
            expected = " ".join([f"{len(same)} groups fit {start}", *(certain or [nobody])])
        assert re.sub(" +", " ", state["said"]).strip() == expected
        hits = [one for one, hit in zip(GROUPS, state["hits"], strict=True) if hit]
        assert sorted(hits) == sorted(same)
        assert float(state["at"]) * 20 / 100 == pytest.approx(float(mean(group)))


# ---- One swap ------------------------------------------------------------------------------------


def test_every_swap_moves_the_mean_as_far_as_the_package_says(page: Page) -> None:
    """Catches a wrong mean, gap or record, in all 24 swaps; and the record falls short of the most."""
    root, record = game(page, "moving"), Fraction(0)
    most = first_page.the_most().value
    assert said(root) == "0 is your record The mean is 3.5. Pull one out and another in."
    for out in TRUE_SIX:
        for into in sorted(set(EVERYONE) - set(TRUE_SIX)):
            dot(root, out).evaluate("dot => dot.click()")
            if into == 6:
                assert f"{NAMES[out]} out. Now pull another one in." in said(root)
            dot(root, into).evaluate("dot => dot.click()")
            neighbour = tuple(sorted({*TRUE_SIX, into} - {out}))
            gap = abs(mean(neighbour) - mean(TRUE_SIX))
            record = max(record, gap)
            assert said(root) == (
                f"{decimals(record)} is your record {NAMES[out]} out, {NAMES[into]} in: the mean moves from "
                f"3.5 to {text(mean(neighbour))}, by {text(gap)}."
            )
            assert marked(root) == pytest.approx(float(mean(neighbour)))
            assert inside(root) == neighbour
            assert dot(root, out).get_attribute("data-kind") == "removed"
            assert dot(root, into).get_attribute("data-kind") == "added"
            for i in (out, into):
                dot(root, i).evaluate("dot => dot.click()")
            assert inside(root) == TRUE_SIX
    assert record == most


# ---- Noise -------------------------------------------------------------------------------------------


def test_every_stop_of_the_dial_says_the_attackers_chance(page: Page) -> None:
    """Catches a stop with another stop's number, a sieve that does not blur, a band that lies."""
    root = game(page, "noisy")
    dial = root.locator("input")
    dial.focus()
    page.keyboard.press("Home")
    for epsilon in first_page.EPSILONS:
        own = first_page.beliefs(epsilon)
        if math.isinf(epsilon):
            assert said(root) == "1 in 1 for the right six No noise: the attacker is certain."
            assert dial.get_attribute("aria-valuetext") == "no noise"
            assert root.locator(".gap").is_hidden()
        else:
            share, half = own[21], 19 / 6 / epsilon * math.log(2)
            published = 21 / 6 + 19 / 6 / epsilon * first_page.draws()[epsilon]
            at = float(root.locator(".mean").evaluate("one => one.style.getPropertyValue('--at')"))
            assert at == pytest.approx(5 * min(max(published, 0), 20))
            odds = f"{1 / share:.{int(1 / share < 9.95)}f}".removesuffix(".0")
            assert said(root) == (
                f"1 in {odds} for the right six The school publishes {true_minus(f'{published:.2f}')} days. "
                f"To the attacker the right six have a chance of {100 * share:.3g}\N{NO-BREAK SPACE}%. "
                f"Half of all draws fall within {half:.3g} days of the true mean: the bar."
            )
            assert dial.get_attribute("aria-valuetext") == f"ε = {epsilon:g}"
        rects = root.locator(".sieve rect")
        opacity = rects.evaluate_all("all => all.map(one => +one.style.fillOpacity)")
        believed = [0.06 + 0.94 * own[total(group)] / max(own.values()) for group in GROUPS]
        assert opacity == pytest.approx(believed, abs=1e-4)
        page.keyboard.press("ArrowRight")


# ---- Hands -------------------------------------------------------------------------------------------


def test_the_noisy_number_is_drawn_again(page: Page) -> None:
    """Catches a press that changes nothing, a draw of another distribution, and a number that is not shown."""
    root = game(page, "noisy")
    page.evaluate("window.chance = Math.random")
    for chance in (0.1, 0.5, 0.75):
        page.evaluate("chance => { Math.random = () => chance; }", chance)
        root.locator("[data-action=draw]").click()
        quantile = math.log(2 * min(chance, 1 - chance)) * math.copysign(1, 0.5 - chance)
        published = true_minus(f"{3.5 + 19 / 6 * quantile:.2f}")
        assert f"publishes {published} days" in said(root)
        assert root.locator(".mean b").text_content() == (published if quantile else "3.5")
    page.evaluate("() => { Math.random = window.chance; }")
    assert root.locator("input").get_attribute("aria-valuetext") == "ε = 1"


def centre(part: Locator) -> tuple[float, float]:
    box = part.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 3


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_a_mouse_pulls_a_pupil_across_the_line(page: Page, width: int) -> None:
    """Catches a dot that cannot be held, that falls at the wrong side, or that counts twice."""
    show(page, width, "light")
    root = game(page, "moving")
    root.scroll_into_view_if_needed()
    line = root.locator(".line").bounding_box()
    assert line
    for i, up in ((0, False), (9, True)):
        x, y = centre(dot(root, i))
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, line["y"] + (-20 if up else 60), steps=8)
        assert (i in inside(root)) == up  # the mean slides while the dot is held
        page.mouse.up()
    page.wait_for_timeout(50)
    assert inside(root) == (1, 2, 3, 4, 5, 9)
    assert marked(root) == pytest.approx(20 / 3)
    assert "by 19/6" in said(root)
    naming = game(page, "naming")
    naming.scroll_into_view_if_needed()
    x, y = centre(dot(naming, 9))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 150, steps=8)
    page.mouse.up()
    assert said(naming).startswith("84 groups left No: with Rick")
    show(page, WIDE, "light")


def test_a_finger_pulls_and_taps(browser: Browser) -> None:
    """Catches a page that scrolls away under the finger, and a tap that does nothing."""
    context = browser.new_context(
        viewport={"width": PHONE, "height": 800}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(PAGE.as_uri(), wait_until="load")
    root = page.locator("#dots-moving")
    root.evaluate("root => root.scrollIntoView({ block: 'center', behavior: 'instant' })")
    page.wait_for_timeout(300)
    scrolled = page.evaluate("scrollY")
    x, y = centre(dot(root, 0))
    line = root.locator(".line").bounding_box()
    assert line
    hand = context.new_cdp_session(page)
    touch = [{"x": x, "y": y}]
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
    for step in range(1, 9):
        point = {"x": x, "y": y + (line["y"] + 60 - y) * step / 8}
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)
    assert inside(root) == (1, 2, 3, 4, 5)
    assert page.evaluate("scrollY") == scrolled
    dot(root, 9).tap()
    assert inside(root) == (1, 2, 3, 4, 5, 9)
    context.close()


def test_the_keyboard_walks_and_pulls(page: Page) -> None:
    """Catches a dot that the keyboard does not reach, and ten stops where one is enough."""
    root = game(page, "moving")
    dot(root, 0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert inside(root) == (1, 2, 3, 4, 5)
    page.keyboard.press("End")
    assert dot(root, 9).evaluate("dot => dot === document.activeElement")
    page.keyboard.press("ArrowUp")
    assert inside(root) == (1, 2, 3, 4, 5, 9)
    page.keyboard.press("ArrowLeft")
    assert dot(root, 8).evaluate("dot => dot === document.activeElement")
    page.keyboard.press("Enter")
    assert inside(root) == (1, 2, 3, 4, 5, 8)
    page.keyboard.press("Space")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    assert inside(root) == TRUE_SIX
    stops = root.locator(".dot").evaluate_all("all => all.map(dot => dot.tabIndex)")
    assert sorted(stops) == [-1] * 9 + [0]
    naming = game(page, "naming")
    dot(naming, 9).focus()
    page.keyboard.press("ArrowDown")
    assert said(naming).startswith("84 groups left Yes: with Rick")


# ---- Looks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), in_turn(LOOKS))
def test_the_games_can_be_read_and_hit(page: Page, width: int, scheme: str) -> None:
    """Catches faint text, letters below 11 px, dots that overlap or leave the page, faulty roles."""
    show(page, width, scheme)
    for name in GAMES:
        root = game(page, name)
        if name == "moving":
            root.locator("[data-action=most]").click()
        if name == "naming":
            for i in (9, 0):
                dot(root, i).click()
        assert faint_text(page, f"#dots-{name}") == []
        assert faults(page, f"#dots-{name}", **STRUCTURE) == {}
        sizes = root.locator(":is(p, span, b, button)").evaluate_all(
            "all => all.map(part => parseFloat(getComputedStyle(part).fontSize))"
        )
        assert min(sizes) >= 11
        boxes = [one.bounding_box() for one in root.locator(".dot").all()]
        for box in filter(None, boxes):
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert min(box["width"], box["height"]) >= 24
        names = [one.bounding_box() for one in root.locator(".name").all()]
        for one, other in combinations(filter(None, names), 2):
            across = (
                one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            )
            assert across or abs(one["y"] - other["y"]) >= 12
    show(page, WIDE, "light")


def test_without_javascript_every_game_stands_finished(browser: Browser) -> None:
    """Catches an empty box: the picture, its sentence and no dead control, at both ends of the page."""
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": PHONE, "height": 800}
    )
    page = context.new_page()
    page.goto(PAGE.as_uri(), wait_until="load")
    for name, make in GAMES.items():
        root, picture = page.locator(f"#dots-{name}"), make()
        assert said(root) == f"{picture.big[0]} {picture.big[1]} {picture.sentence}"
        assert (root.locator("noscript em").bounding_box() or {"height": 0})["height"] > 20
        assert root.locator("button:enabled, input:enabled").count() == 0
        assert (
            root.locator(".mean").text_content()
            == f"{picture.data.get('query', 'mean')} {decimals(picture.answer)}"
        )
        kinds = [one.get_attribute("data-kind") for one in root.locator(".dot").all()]
        assert kinds == list(picture.kinds)
    context.close()
