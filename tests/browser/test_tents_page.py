"""The two tents on their page: in every state, what they say and show is Python's."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product

import pytest
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.stage.tents import Tents, big, facts, markup, sentence
from sensitivity_book.stage.words import digits
from test_book import opened
from test_dots import said

pytestmark = pytest.mark.xdist_group("tents")


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with opened(browser, "book/chapters/noise.html") as page:
        yield page


def holds(root: Locator, state: Tents) -> None:
    """Everything that the picture says and shows is what Python says of this state."""
    drawn = markup(state)
    assert said(root) == " ".join([*big(state), sentence(state)])
    assert root.locator(".facts").text_content() == facts(state)
    assert (root.get_attribute("data-kept") == "no") == (not state.is_kept)
    names = root.locator(".dot b, .published:visible b").all_text_contents()
    if state.end is None:
        assert names == re.findall(r"<b>((?:x =|Chris|Rick)[^<]*)</b>", drawn)
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
