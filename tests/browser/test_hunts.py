"""Beat the package: every neighbour that a reader can pull together has the gap that the package says."""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from conftest import CHECK_ALL, ROOT, SEED
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.data.census import census_like
from sensitivity_book.data.scenarios import school_large, school_small, vehicle
from sensitivity_book.palette import stylesheet
from sensitivity_book.stage.dots.bound import BUDGETS, bound_hunt
from sensitivity_book.stage.dots.hunt import QUERIES, beat
from sensitivity_book.stage.dots.local import LARGEST, SMALLEST, local_hunt
from sensitivity_book.stage.dots.page import markup
from sensitivity_book.stage.dots.picture import Picture
from sensitivity_book.stage.words import decimals, text
from sensitivity_book.theory.first_page import pupils

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
    ("school", "median", YEARS, 6, sl.Change(2)),  # the last three as they stand in chapters
    ("by-hand", "median", pupils(), 6, sl.Change(1)),
    ("neighbours", "median", pupils(), 5, sl.AddRemove(1)),
]
SCALES = [
    ("skill", "mean", SKILL, 3, sl.Change(1)),
    ("both", "median", SKILL, 4, sl.Change(2)),
]
TRAYS = [
    ("joined", "median", SKILL, 4, sl.AddRemove(2)),
    ("mixed", "mean", SKILL, 3, sl.SymmetricDifference(2)),
    ("one", "sum", SKILL, 2, sl.Add(1)),
    ("fewer", "median", SKILL, 4, sl.Remove(2)),
]
HUNTS = [*POPULATIONS, *SCALES, *TRAYS]
SCORES, CALM = range(11), [0, 0, 0, 0, 10]
BOUNDS = range(1, 129)

pytestmark = pytest.mark.xdist_group("dots")


def picture(name: str) -> Picture:
    own = next(hunt for hunt in HUNTS if hunt[0] == name)
    _, query, records, size, relation = own
    values = records.values() if isinstance(records, dict) else records
    axis = (0, max(values)) if query != "sum" else (0, 16)
    return beat(name, query, records, size=size, relation=relation, axis=axis)


def local_picture() -> Picture:
    return local_hunt("local", "median", SCORES, size=5, axis=(0, 10), calm=CALM)


def bound_picture() -> Picture:
    return bound_hunt("bound", census_like()["age"], scale=BOUNDS, axis=(0, 128))


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A plain page, from a file, with every hunt on it."""
    static = ROOT / "book" / "sensitivity_book" / "stage" / "static"
    head = f"<style>{stylesheet()}</style>"
    for style in ("stage.css", "dots.css"):
        head += f'<link rel="stylesheet" href="{(static / style).as_uri()}">'
    for script in ("stage.js", "dots.js"):
        head += f'<script defer src="{(static / script).as_uri()}"></script>'
    shown = [*(picture(name) for name, *_ in HUNTS), local_picture(), bound_picture()]
    hunts = "".join(map(markup, shown))
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


# What a hunt says after each game: keys, or clicks, on its dots, from the opening.
PLAYED = """(root, games) => games.map(keys => {
  root.querySelector("[data-action=begin]").click();
  const dots = root.querySelectorAll(".dot");
  for (const [i, key] of keys) {
    if (key === "click") dots[i].click();
    else dots[i].dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
  return {
    big: root.querySelector(".big b").textContent, sentence: root.querySelector(".sentence").textContent,
    at: [...dots].map(dot => dot.getAttribute("aria-valuetext")), ghosts: root.querySelectorAll(".ghost").length,
  };
})"""
Keys = list[tuple[int, str]]


def pulled(i: int, place: int) -> Keys:
    """The keys that pull a record along its scale."""
    return [(i, "Home"), *[(i, "ArrowRight")] * place]


def opened(hunt: Any) -> list[Any]:
    """The records that are in at the opening."""
    _, _, records, size, _ = hunt
    if isinstance(records, dict):
        return list(records.values())[:size]
    return [records[i * len(records) // size] for i in range(size)]


def games(hunt: Any) -> Iterator[tuple[Keys, list[Any] | None]]:
    """The keys to every neighbour that can be pulled, and its records by dot; no records where more must be pulled."""
    _, _, records, size, relation = hunt
    opening = opened(hunt)
    if isinstance(records, dict):
        values = list(records.values())
        for pulls in (set_ for k in (1, 2) for set_ in combinations(range(len(values)), k)):
            inside = {*range(size)} ^ {*pulls}
            out = sum(i < size for i in pulls)
            move = out, len(pulls) - out
            if inside and any(r >= move[0] and a >= move[1] for r, a in relation.moves):
                after = [value if i in inside else None for i, value in enumerate(values)]
                yield [(i, "click") for i in pulls], after if move in relation.moves else None
        return
    if isinstance(relation, sl.Change):
        for after in map(list, product(records, repeat=size)):
            differ = [i for i in range(size) if after[i] != opening[i]]
            if 0 < len(differ) <= relation.k:
                yield [key for i in differ for key in pulled(i, records.index(after[i]))], after
        return
    spare = max(a for _, a in relation.moves)
    for out, into in relation.moves:
        for gone in combinations(range(size), out):
            for new in product(records, repeat=into) if out + into else ():
                after = [None if i in gone else value for i, value in enumerate(opening)]
                keys = [(i, "ArrowDown") for i in gone]
                for i, value in enumerate(new, start=size):
                    keys += [(i, "ArrowUp"), *pulled(i, records.index(value))]
                yield keys, [*after, *new, *[None] * (spare - into)]


@pytest.mark.parametrize("hunt", HUNTS, ids=lambda hunt: hunt[0])
def test_every_neighbour_has_its_gap_or_more_is_asked_for(page: Page, hunt: Any) -> None:
    """Catches a wrong gap or record, a pair that is no neighbour, a neighbour that cannot be pulled together."""
    name, query, records, size, _ = hunt
    every = list(games(hunt))
    assert len(every) > 2
    for (_, after), told in zip(
        every,
        page.locator(f"#dots-{name}").evaluate(PLAYED, [keys for keys, _ in every]),
        strict=True,
    ):
        if after is None:
            assert "Now pull another one" in told["sentence"]
            continue
        neighbour = [value for value in after if value is not None]
        gap, end = moved(query, opened(hunt), neighbour)
        assert told["sentence"].endswith(end)
        assert Fraction(told["big"]) >= Fraction(decimals(gap))
        if not isinstance(records, dict):
            lying = [text.startswith("in the tray") for text in told["at"]]
            assert lying == [value is None for value in after]
            shown = [int(text.split(",")[0]) for text in told["at"] if not text.startswith("in")]
            assert shown == neighbour
            changed = sum(one != other for one, other in zip(opened(hunt), after, strict=False))
            assert len(after) > size or told["ghosts"] == changed


def pull(dot: Locator, scale: list[int], value: int) -> None:
    for _, key in pulled(0, scale.index(value)):
        dot.press(key)


@pytest.mark.parametrize("name", [hunt[0] for hunt in HUNTS])
def test_the_most_is_the_packages_and_no_record(page: Page, name: str) -> None:
    """Catches a witness that does not attain the value, and a record that the reader did not pull."""
    _, query, records, size, relation = next(hunt for hunt in HUNTS if hunt[0] == name)
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
        "all => all.map(dot => [dot.dataset.kind, parseInt(dot.querySelector('.days').textContent)])"
    )
    inside = [value for kind, value in shown if kind in ("in", "added")]
    assert Counter(inside) == Counter(most.witness[1])


def said_of(dot: Locator) -> str:
    return dot.get_attribute("aria-valuetext") or ""


def test_the_script_knows_the_local_sensitivity_of_every_dataset(page: Page) -> None:
    """Catches a wrong local sensitivity, or a neighbour that does not attain it: a third of 3,003 datasets in turn."""
    universe = sl.Universe.value_range(list(SCORES))
    datasets = [list(x) for x in universe.datasets(size=5)]
    datasets = datasets if CHECK_ALL else datasets[SEED % 3 :: 3]
    told = page.evaluate(
        "([all, scale]) => all.map(x => Dots.farthest('median', x, scale))",
        [datasets, list(SCORES)],
    )
    for dataset, best in zip(datasets, told, strict=True):
        here = sl.local_sensitivity(sl.MEDIAN, dataset, universe, relation=sl.Change(1)).value
        neighbour = list(dataset)
        neighbour[best["record"]] = best["to"]
        assert Fraction(*best["gap"]) == here
        assert abs(sl.MEDIAN(tuple(sorted(neighbour))) - sl.MEDIAN(tuple(dataset))) == here


def test_the_local_hunt_tells_when_it_is_asked(page: Page) -> None:
    """Catches a value that is given away, a range that is not the reader's, wrong ends."""
    root = begun(page, "local")
    dots = root.locator(".dot")
    for i, value in enumerate((0, 4, 5, 6, 10)):
        pull(dots.nth(i), list(SCORES), value)
    assert said(root) == (
        "?",
        "The median is 5. Pull the records; then ask how far one changed record could move it.",
    )
    root.locator("[data-action=ask]").click()
    big, sentence = said(root)
    assert big == "1"
    assert sentence.endswith("by 1. Yours went from 1 to 1.")
    for action, value, claim in (("most", "10", LARGEST), ("least", "0", SMALLEST)):
        root.locator(f"[data-action={action}]").click()
        big, sentence = said(root)
        assert big == value
        assert sentence.endswith(f" {claim} Yours went from 1 to 1.")


def costs(ages: Counter[int], bound: int, epsilon: str) -> tuple[int, int, Fraction]:
    """People clipped, years lost and the squared error, by a route of its own."""
    lost = sum((age - bound) * people for age, people in ages.items() if age > bound)
    noise = 2 * (Fraction(bound) / Fraction(epsilon)) ** 2
    clipped = sum(people for age, people in ages.items() if age > bound)
    return clipped, lost, lost**2 + noise


# What the page says at every bound, from the last to the first, as the key would pull it there.
PULLED = """(root, steps) => Array.from({length: steps}, () => {
  const told = [root.querySelector(".big b").textContent, root.querySelector(".sentence").textContent];
  const key = new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true, cancelable: true});
  root.querySelector(".dot").dispatchEvent(key);
  return told;
})"""


def test_every_bound_has_its_error_at_every_epsilon(page: Page) -> None:
    """Catches a wrong number in the sentence or a wrong best bound: all 640 states."""
    ages = Counter(census_like()["age"].tolist())
    for epsilon in BUDGETS:
        root = begun(page, "bound")
        root.locator("input").evaluate(
            "(dial, to) => { dial.value = to; dial.dispatchEvent(new Event('input')); }",
            BUDGETS.index(epsilon),
        )
        own = {bound: costs(ages, bound, epsilon) for bound in BOUNDS}
        least = math.inf
        told = root.evaluate(PULLED, len(BOUNDS))
        for bound, (big, sentence) in zip(reversed(BOUNDS), told, strict=True):
            people, lost, squared = own[bound]
            least = min(least, math.sqrt(squared))
            noise = math.sqrt(2) * bound / float(epsilon)
            assert big == f"{least:,.0f}"
            assert sentence == (
                f"Bound {bound} clips {people:,} people: {lost:,} years lost, noise {noise:,.0f}, "
                f"together an error of {math.sqrt(squared):,.0f}."
            )
        best = min(own, key=lambda bound: own[bound][2])
        root.locator("[data-action=most]").click()
        big, sentence = said(root)
        assert big == f"{math.sqrt(own[best][2]):,.0f}"
        assert sentence.startswith(f"Bound {best} clips")
        assert sentence.endswith("No bound has a smaller error. You had it, with 128 bounds tried.")


@pytest.mark.parametrize(
    ("name", "at", "begins"),
    [("one", -1, "3 in: the sum moves"), ("skill", 0, "1 to 3: the mean moves")],
)
def test_a_mouse_pulls_a_record(page: Page, name: str, at: int, begins: str) -> None:
    """Catches a tray that a mouse cannot reach, a record that lands beside the value it was let go at."""
    root = begun(page, name)
    root.scroll_into_view_if_needed()
    dot, line = root.locator(".dot").nth(at), root.locator(".line").bounding_box()
    box = dot.bounding_box()
    assert line
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(line["x"] + line["width"] - 6, box["y"] if at == 0 else line["y"] - 12, steps=6)
    page.mouse.up()
    assert said_of(dot) == "3, pulled" if at else dot.get_attribute("aria-valuenow") == "3"
    assert said(root)[1].startswith(begins)
