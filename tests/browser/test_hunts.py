"""Beat the package: every neighbour that a reader can pull together has the gap that the package says."""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pytest
from conftest import ROOT
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.dots.hunt import QUERIES, beat
from sensitivity_book.dots.page import markup
from sensitivity_book.dots.picture import Picture, decimals, text
from sensitivity_book.scenarios import school_large, school_small, vehicle

import sensitivity_lab as sl

SMALL, LARGE = school_small().frame, school_large().frame
ABSENT = dict(zip(SMALL["name"], SMALL["absence_days"].tolist(), strict=True))
YEARS = dict(zip(LARGE["name"], LARGE["school_year"].tolist(), strict=True))
SKILL = [int(value) for value in vehicle().universes["driving_proficiency"].values]

POPULATIONS = [
    ("small", "mean", ABSENT, 3, sl.Change(1)),
    ("added", "mean", ABSENT, 2, sl.AddRemove(1)),
    ("sets", "sum", ABSENT, 2, sl.SymmetricDifference(2)),
    ("years", "median", YEARS, 6, sl.Change(1)),
]
SCALES = [
    ("skill", "mean", SKILL, 3, sl.Change(1)),
    ("both", "median", SKILL, 4, sl.Change(2)),
]

pytestmark = pytest.mark.xdist_group("dots")


def picture(name: str) -> Picture:
    own = next(hunt for hunt in [*POPULATIONS, *SCALES] if hunt[0] == name)
    _, query, records, size, relation = own
    values = records.values() if isinstance(records, dict) else records
    axis = (0, max(values)) if query != "sum" else (0, 16)
    return beat(name, query, records, size=size, relation=relation, axis=axis)


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A plain page, from a file, with every hunt on it."""
    static = ROOT / "book" / "_static"
    head = f'<link rel="stylesheet" href="{(static / "dots.css").as_uri()}">'
    head += f'<script defer src="{(static / "dots.js").as_uri()}"></script>'
    hunts = "".join(markup(picture(name)) for name, *_ in [*POPULATIONS, *SCALES])
    file: Path = tmp_path_factory.mktemp("hunts") / "hunts.html"
    file.write_text(f"<!doctype html><title>Hunts</title>{head}{hunts}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 720, "height": 900}, reduced_motion="reduce")
    page.goto(file.as_uri(), wait_until="load")
    yield page
    page.close()


def begun(page: Page, name: str) -> Locator:
    root = page.locator(f"#dots-{name}")
    root.locator("[data-action=begin]").click()
    return root


def said(root: Locator) -> tuple[str, str]:
    return root.locator(".big b").inner_text(), root.locator(".sentence").text_content() or ""


def moved(query: str, first: list[int], second: list[int]) -> tuple[Fraction, str]:
    """How far apart the answers are, and how the sentence ends."""
    before, after = (Fraction(QUERIES[query](tuple(sorted(side)))) for side in (first, second))
    gap = abs(after - before)
    return gap, f"the {query} moves from {text(before)} to {text(after)}, by {text(gap)}."


@pytest.mark.parametrize(("name", "query", "records", "size", "relation"), POPULATIONS)
def test_every_set_of_pulls_is_a_neighbour_or_asks_for_more(
    page: Page, name: str, query: str, records: dict[str, int], size: int, relation: sl.Relation
) -> None:
    """Catches a wrong gap, a pair that is no neighbour, and a neighbour that is not told."""
    root, values, record = begun(page, name), list(records.values()), Fraction(0)
    opening = set(range(size))
    for pulls in (set_ for k in range(1, 3) for set_ in combinations(range(len(values)), k)):
        out, into = opening & set(pulls), set(pulls) - opening
        possible = any(r >= len(out) and a >= len(into) for r, a in relation.moves)
        neighbour = sorted(opening ^ set(pulls))
        if not possible or not neighbour:
            continue
        for i in pulls:
            root.locator(".dot").nth(i).evaluate("dot => dot.click()")
        gap, end = moved(query, [values[i] for i in opening], [values[i] for i in neighbour])
        big, sentence = said(root)
        if (len(out), len(into)) in relation.moves:
            record = max(record, gap)
            assert sentence.endswith(end)
        else:
            assert "Now pull another one" in sentence
        assert big == decimals(record)
        for i in pulls:
            root.locator(".dot").nth(i).evaluate("dot => dot.click()")


@pytest.mark.parametrize(("name", "query", "scale", "size", "relation"), SCALES)
def test_every_pull_along_a_scale_has_its_gap(
    page: Page, name: str, query: str, scale: list[int], size: int, relation: sl.Relation
) -> None:
    """Catches a wrong gap or record, from the keyboard, for all datasets within reach."""
    root = begun(page, name)
    dots = root.locator(".dot")
    opening = [int(dot.get_attribute("aria-valuenow") or 0) for dot in dots.all()]
    assert opening == [scale[i * len(scale) // size] for i in range(size)]
    for values in product(scale, repeat=size):
        differ = [i for i in range(size) if values[i] != opening[i]]
        if not 0 < len(differ) <= relation.k:
            continue
        for i in range(size):  # those that stay are brought back before others are pulled
            if i not in differ:
                pull(dots.nth(i), scale, opening[i])
        for i in differ:
            pull(dots.nth(i), scale, values[i])
        gap, end = moved(query, opening, list(values))
        big, sentence = said(root)
        assert sentence.endswith(end)
        assert Fraction(big) >= Fraction(decimals(gap))
        for i, value in enumerate(values):
            assert dots.nth(i).get_attribute("aria-valuenow") == str(value)
        assert root.locator(".ghost").count() == len(differ)


def pull(dot: Locator, scale: list[int], value: int) -> None:
    dot.press("Home")
    for _ in range(scale.index(value)):
        dot.press("ArrowRight")


@pytest.mark.parametrize("name", [hunt[0] for hunt in [*POPULATIONS, *SCALES]])
def test_the_most_is_the_packages_and_no_record(page: Page, name: str) -> None:
    """Catches a witness that does not attain the value, and a record that the reader did not pull."""
    _, query, records, size, relation = next(
        hunt for hunt in [*POPULATIONS, *SCALES] if hunt[0] == name
    )
    root, own = begun(page, name), picture(name)
    values = list(records.values()) if isinstance(records, dict) else records
    universe = (sl.Universe.population if isinstance(records, dict) else sl.Universe.value_range)(
        values
    )
    most = sl.global_sensitivity(QUERIES[query], universe, size=size, relation=relation)
    root.locator("[data-action=most]").click()
    big, sentence = said(root)
    assert big == decimals(most.value) == own.big[0]
    assert sentence == f"{own.sentence} Your record is 0."
    shown = root.locator(".dot").evaluate_all(
        "all => all.map(dot => [dot.dataset.kind, +dot.querySelector('.days').textContent])"
    )
    inside = [value for kind, value in shown if kind in ("in", "added")]
    assert Counter(inside) == Counter(most.witness[1])


def test_a_mouse_pulls_along_the_scale(page: Page) -> None:
    """Catches a record that lands beside the value it was let go at."""
    root = begun(page, "skill")
    root.scroll_into_view_if_needed()
    line, box = root.locator(".line").bounding_box(), root.locator(".dot").first.bounding_box()
    assert line
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(line["x"] + line["width"] - 8, box["y"], steps=6)
    page.mouse.up()
    assert root.locator(".dot").first.get_attribute("aria-valuenow") == "3"
    assert re.match(r"1 to 3: the mean moves", said(root)[1])


def test_nothing_slides_for_a_reader_who_asked_for_no_motion(page: Page) -> None:
    """Catches a dot or an answer that glides where the book's own style is not there to stop it."""
    moving = "all => all.filter(part => getComputedStyle(part).transitionDuration !== '0s').length"
    assert page.locator(".dots *").evaluate_all(moving) == 0


def test_what_is_no_hunt_is_refused() -> None:
    """Catches a query that the script does not know, and records added on a scale."""
    with pytest.raises(ValueError, match="query must be one of count, sum, mean"):
        beat("x", "variance", SKILL, size=3, relation=sl.Change(1), axis=(0, 3))
    with pytest.raises(ValueError, match="relation must be Change on a scale"):
        beat("x", "mean", SKILL, size=3, relation=sl.AddRemove(1), axis=(0, 3))
