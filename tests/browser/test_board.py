"""The board of claims, found by filter and by address, from a file and with the network cut off."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from conftest import HTML, in_turn
from playwright.sync_api import Browser, Locator, Page
from sensitivity_board import Case, case_files
from sensitivity_board.claimed import cause, standing
from test_book import opened

PAGE = HTML / "book" / "board.html"
CASES = case_files()
ALL = [case.address for case in CASES]
# What each filter goes by, read from the cases themselves.
OF: dict[str, Callable[[Case], str]] = {
    "library": lambda case: case.library, "verdict": standing,
    "relation": lambda case: case.kind, "cause": lambda case: cause(case) or "none",
}  # fmt: skip

pytestmark = pytest.mark.xdist_group("board")


@pytest.fixture(scope="module")
def opened_once(browser: Browser) -> Iterator[Page]:
    with opened(browser, "book/board.html") as page:
        yield page


@pytest.fixture
def page(opened_once: Page) -> Page:
    """The board with all of its filters open."""
    at(opened_once, "")
    opened_once.get_by_role("button", name="Show all").click()
    opened_once.wait_for_function("!location.hash")
    return opened_once


def at(page: Page, part: str) -> None:
    """Open the page anew at a part of its address."""
    page.goto("about:blank")
    page.goto(f"{PAGE.as_uri()}{f'#{part}' if part else ''}")


def seen(page: Page) -> list[str]:
    """The addresses of the cards that are shown."""
    shown = "all => all.filter(one => one.checkVisibility()).map(one => one.id)"
    found: list[str] = page.locator(".claim").evaluate_all(shown)
    return found


def said(page: Page) -> str:
    return page.locator("form.board").get_by_role("status").inner_text()


def field(page: Page, name: str) -> Locator:
    return page.locator("form.board").get_by_label(re.compile(f"^{name}", re.IGNORECASE))


def fitting(**choices: str) -> set[str]:
    return {case.address for case in CASES if all(OF[n](case) == c for n, c in choices.items())}


def in_view(card: Locator) -> bool:
    top = float(card.evaluate("one => one.getBoundingClientRect().top / innerHeight"))
    return 0 <= top < 1


@pytest.mark.parametrize("name", in_turn(list(OF)))
def test_a_filter_shows_what_it_names_and_says_how_many(page: Page, name: str) -> None:
    """Catches a card that hides behind its own filter, and a count that is not what is seen."""
    assert sorted(seen(page)) == sorted(ALL)
    assert said(page) == f"{len(ALL):,} claims"
    for choice in sorted({OF[name](case) for case in CASES}):
        field(page, name).select_option(choice)
        assert set(seen(page)) == fitting(**{name: choice})
        assert said(page) == f"{len(seen(page)):,} of {len(ALL):,} claims"
    field(page, name).select_option("all")
    assert len(seen(page)) == len(ALL)


def test_filters_hold_together_and_their_address_shows_them_again(page: Page) -> None:
    """Catches filters that add up, a heading over nothing, a view that cannot be linked to."""
    chosen = {"library": "diffprivlib", "verdict": "too small", "relation": "changed"}
    for name, choice in chosen.items():
        field(page, name).select_option(choice)
    assert set(seen(page)) == fitting(**chosen)
    assert 0 < len(seen(page)) < len(fitting(library="diffprivlib"))
    heads = page.locator(".verdict-section :is(h2, h3):visible").all_inner_texts()
    assert [head for head in heads if not head.startswith("diffprivlib")] == ["Too small"]
    page.get_by_role("button", name="Show all").click()
    assert len(seen(page)) == len(ALL)
    assert field(page, "library").input_value() == ""
    field(page, "verdict").select_option("too small")
    field(page, "text").fill("sum int8 & 100%")
    field(page, "text").fill("sum int8")
    before, part = seen(page), page.evaluate("location.hash.slice(1)")
    assert part == urlencode({"verdict": "too small", "text": "sum int8"})
    assert 0 < len(before) < len(fitting(verdict="too small"))
    at(page, part)
    assert seen(page) == before
    assert field(page, "verdict").input_value() == "too small"
    assert field(page, "text").input_value() == "sum int8"


def test_a_card_that_a_filter_hides_is_shown_by_its_address(page: Page) -> None:
    """Catches a link that leads to nothing, because of what the reader had chosen before."""
    address = next(iter(fitting(library="Tumult", verdict="exact")))
    field(page, "library").select_option("diffprivlib")
    assert address not in seen(page)
    page.evaluate("address => { location.hash = address; }", address)
    page.wait_for_function("address => document.getElementById(address).open", arg=address)
    assert set(seen(page)) == fitting(library="diffprivlib") | {address}
    assert in_view(page.locator(f"[id='{address}']"))
    assert said(page).endswith("claims, and the one linked to")
    field(page, "library").select_option("OpenDP")
    assert set(seen(page)) == fitting(library="OpenDP")


def test_a_link_on_a_card_leads_to_that_card_and_its_file_is_there(page: Page) -> None:
    """Catches a certificate, a board or a checker that the page links to and the build lacks."""
    card = page.locator(".claim[data-verdict='too small']").nth(3)
    card.get_by_role("link", name="this card").click()
    assert page.url == f"{PAGE.as_uri()}#{card.get_attribute('id')}"
    links = page.locator("a[href*='_static/board/']").evaluate_all("all => all.map(a => a.href)")
    assert len(links) == len(ALL) + 2
    files = {re.sub("^.*/_static/", "", link) for link in links}
    assert {"board/board.json", "board/check_certificate.py"} < files
    assert [name for name in files if not (HTML / "_static" / name).exists()] == []


def test_all_is_done_from_the_keyboard(page: Page) -> None:
    """Catches a field out of order, an Enter that leaves the page, and a row that does not open."""
    field(page, "library").focus()
    order = []
    for _ in range(6):
        order.append(page.evaluate("document.activeElement.name || document.activeElement.type"))
        page.keyboard.press("Tab")
    assert order == ["library", "verdict", "relation", "cause", "text", "button"]
    field(page, "library").focus()
    page.keyboard.type("Tum")
    assert set(seen(page)) == fitting(library="Tumult")
    field(page, "text").focus()
    page.keyboard.type("sum")
    page.keyboard.press("Enter")
    assert 0 < len(seen(page)) < len(fitting(library="Tumult"))
    row = page.locator("details.claim:visible").first
    row.locator("> summary").focus()
    page.keyboard.press("Enter")
    assert row.locator("dl").is_visible()
    page.keyboard.press("Tab")
    place = page.evaluate("document.activeElement.href")
    assert place.startswith("https://github.com/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "this card"
