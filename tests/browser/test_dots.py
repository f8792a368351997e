"""The dots that a reader pulls: in every state, what a game says is the package's."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from conftest import ROOT, drawn, seeds
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.data.census import census_like
from sensitivity_book.data.scenarios import school_large, school_small, vehicle
from sensitivity_book.palette import stylesheet
from sensitivity_book.stage.dots.bound import BUDGETS, bound_hunt
from sensitivity_book.stage.dots.games import GAMES
from sensitivity_book.stage.dots.hunt import QUERIES, beat
from sensitivity_book.stage.dots.local import local_hunt
from sensitivity_book.stage.dots.page import markup
from sensitivity_book.stage.dots.picture import Picture
from sensitivity_book.stage.words import decimals, digits, listed, percent, text
from sensitivity_book.theory import first_page
from test_book import opened

import sensitivity_lab as sl
from sensitivity_lab.numbers.text import true_minus

PUPILS = first_page.pupils()
NAMES, DAYS = list(PUPILS), list(PUPILS.values())
EVERYONE = range(len(DAYS))
GROUPS = first_page.groups()
TRUE_SIX = GROUPS[0]
SMALL, LARGE = school_small().frame, school_large().frame
ABSENT = dict(zip(SMALL["name"], SMALL["absence_days"].tolist(), strict=True))
YEARS = dict(zip(LARGE["name"], LARGE["school_year"].tolist(), strict=True))
SKILL = [int(value) for value in vehicle().universes["driving_proficiency"].values]

HUNTS: list[tuple[str, str, Any, int, sl.Relation]] = [
    ("added", "mean", ABSENT, 2, sl.AddRemove(1)),  # records that are known
    ("sets", "sum", ABSENT, 2, sl.SymmetricDifference(2)),
    ("moving", "mean", PUPILS, 6, sl.Change(1)),  # the last four as they stand in chapters
    ("school", "median", YEARS, 6, sl.Change(2)),
    ("by-hand", "median", PUPILS, 6, sl.Change(1)),
    ("neighbours", "median", PUPILS, 5, sl.AddRemove(1)),
    ("skill", "mean", SKILL, 3, sl.Change(1)),  # records on a scale
    ("both", "median", SKILL, 4, sl.Change(2)),
]
SCORES, BOUNDS = range(11), range(1, 129)

pytestmark = pytest.mark.xdist_group("dots")


def values_of(records: Any) -> list[int]:
    return list(records.values()) if isinstance(records, dict) else records


def picture(name: str, query: str, records: Any, size: int, relation: sl.Relation) -> Picture:
    axis = (0, 16 if query == "sum" else max(values_of(records)))
    return beat(name, query, records, size=size, relation=relation, axis=axis)


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A plain page, from a file, with every game on it."""
    static = ROOT / "book" / "sensitivity_book" / "stage" / "static"
    head = f"<style>{stylesheet()}</style>"
    for style in ("stage.css", "dots.css"):
        head += f'<link rel="stylesheet" href="{(static / style).as_uri()}">'
    for script in ("stage.js", "dots.js"):
        head += f'<script defer src="{(static / script).as_uri()}"></script>'
    shown = [make() for name, make in GAMES.items() if name != "moving"]  # which is a hunt
    shown += [picture(*hunt) for hunt in HUNTS]
    shown.append(local_hunt("local", "median", SCORES, size=5, axis=(0, 10), calm=[0, 0, 0, 0, 10]))
    shown.append(bound_hunt("bound", census_like()["age"], scale=BOUNDS, axis=(0, 128)))
    file = tmp_path_factory.mktemp("dots") / "dots.html"
    games = "".join(map(markup, shown))
    file.write_text(f"<!doctype html><title>Dots</title>{head}{games}", encoding="utf-8")
    with opened(browser, str(file), width=720) as page:
        yield page


def begun(page: Page, name: str) -> Locator:
    root = page.locator(f"#dots-{name}")
    root.locator("[data-action=begin]").click()
    return root


def said(root: Locator) -> str:
    """What a screen reader is told: the number and the sentence."""
    status = root.locator("[role=status][aria-live=polite]")
    return re.sub(" +", " ", status.text_content() or "").strip()


# ---- The script's own functions --------------------------------------------------------------


def test_the_script_writes_numbers_as_the_package_does(page: Page) -> None:
    """Catches a fraction that is not reduced, a wrong rounding, and an = where ≈ is right."""
    pairs = list(product(range(61), range(1, 13)))
    numbers = [
        lead * 10.0**power
        for lead, power in product((1, 1.005, 3.14159, 9.996, -1, -1.005), range(-5, 9))
    ]
    shares = [0, 0.0009, 0.001, 0.0123456, 0.2719, 0.5, 0.99, 0.999, 0.9991, 1]
    for name, given, expected in (
        ("text", pairs, [text(Fraction(*pair)) for pair in pairs]),
        ("digits", numbers, [*map(digits, numbers)]),
        ("percent", shares, [*map(percent, shares)]),
    ):
        assert page.evaluate(f"all => all.map(Stage.{name})", given) == expected


@pytest.mark.parametrize("query", QUERIES)
def test_the_script_answers_queries_as_the_package_does(page: Page, query: str) -> None:
    """Catches a query of the script that some page would show wrongly: all groups of all sizes."""
    datasets = [list(some) for size in range(1, 11) for some in combinations(DAYS, size)]
    answers = page.evaluate("([query, all]) => all.map(Stage.QUERIES[query])", [query, datasets])
    assert [Fraction(*one) for one in answers] == [QUERIES[query](tuple(x)) for x in datasets]


# ---- A published mean names six, any other six, and noise on it ------------------------------


def reason(i: int) -> str:
    """Why a pupil is in or out: the least mean of the other groups, by adding the fewest days."""
    others = sorted(days for days in DAYS if days != DAYS[i])
    least, how = (
        (sum(others[:6]), "without") if i in TRUE_SIX else (sum(others[:5]) + DAYS[i], "with")
    )
    return f"{how} {NAMES[i]} the mean would be at least {text(Fraction(least, 6))}"


@pytest.mark.parametrize("seed", seeds(3))
def test_any_order_of_clicks_sieves_210_down_to_one(page: Page, seed: int) -> None:
    """Catches a wrong count on the way, a wrong reason, and an end with other names."""
    root, order = begun(page, "naming"), list(EVERYONE)
    dots, squares = root.locator(".dot"), root.locator(".sieve rect")
    assert said(root).startswith("210 groups left")
    random.Random(seed).shuffle(order)
    left = 210
    for done, i in enumerate(order, start=1):
        dots.nth(i).click()
        found = {*order[:done]} & {*TRUE_SIX}
        left = math.comb(10 - done, 6 - len(found))
        answer, where = ("Yes", "in") if i in TRUE_SIX else ("No", "out")
        groups = "1 group" if left == 1 else f"{left} groups"
        sentence = f"{groups} left {answer}: {reason(i)}. {NAMES[i]} is {where}."
        if left == 1:
            break
        assert said(root) == sentence
        assert squares.evaluate_all("all => all.filter(one => !one.classList[0]).length") == left
        assert pressed(root) == sorted(found)
    six = listed([NAMES[i] for i in TRUE_SIX])
    assert said(root) == f"{sentence} One group is left: {six}."
    assert squares.evaluate_all(HITS) == [group == TRUE_SIX for group in GROUPS]
    assert pressed(root) == [*TRUE_SIX]
    dots.first.click()
    assert said(root) == f"1 group left Chris is settled: {reason(0)}."


HITS = "all => all.map(square => square.classList.contains('hit'))"


def pressed(root: Locator) -> list[int]:
    dots = root.locator(".dot").evaluate_all("all => all.map(dot => dot.ariaPressed)")
    return [i for i, one in enumerate(dots) if one == "true"]


# Every group is clicked together, and what the page then says and marks is kept.
EVERY_GROUP = f"""(root, groups) => groups.map(group => {{
  root.querySelectorAll(".dot").forEach((dot, i) => {{
    if ((dot.ariaPressed === "true") !== group.includes(i)) dot.click();
  }});
  return [
    root.querySelector(".big b").textContent + root.querySelector(".big span").textContent,
    root.querySelector(".sentence").textContent,
    ({HITS})([...root.querySelectorAll(".sieve rect")]),
  ];
}})"""


def test_every_group_says_how_many_share_its_mean(page: Page) -> None:
    """Catches a wrong number, name or mark in any of the 210 states."""
    told = begun(page, "hiding").evaluate(EVERY_GROUP, GROUPS)
    for group, (big, sentence, hits) in zip(GROUPS, told, strict=True):
        total = sum(DAYS[i] for i in group)
        same, mean = first_page.groups_by_sum()[total], Fraction(total, 6)
        if len(same) == 1:
            fit, known = "1 group fits", " No other group has it: all six are named."
        else:
            fit, (everywhere, nowhere) = f"{len(same)} groups fit", first_page.still_known(total)
            known = f" In every one of the {len(same)}: {listed(everywhere)}." if everywhere else ""
            known += f" In none: {listed(nowhere)}." if nowhere else ""
            known = known or " Nobody is certain to be in, and nobody to be out."
        assert (big, sentence) == (fit, f"The mean is {text(mean)}.{known}")
        assert hits == [other in same for other in GROUPS]


def test_every_stop_of_the_dial_says_the_attackers_chance(page: Page) -> None:
    """Catches a stop with another stop's number, a sieve that does not blur, a band that lies."""
    root = begun(page, "noisy")
    dial = root.locator("input")
    dial.press("Home")
    for epsilon in first_page.EPSILONS:
        own = first_page.beliefs(epsilon)
        if math.isinf(epsilon):
            assert said(root) == "1 in 1 for the right six No noise: the attacker is certain."
            assert dial.get_attribute("aria-valuetext") == "no noise"
        else:
            share, half = own[21], 19 / 6 / epsilon * math.log(2)
            published = 21 / 6 + 19 / 6 / epsilon * first_page.draws()[epsilon]
            odds = f"{1 / share:.{int(1 / share < 9.95)}f}".removesuffix(".0")
            assert said(root) == (
                f"1 in {odds} for the right six The school publishes "
                f"{true_minus(f'{published:.2f}')} days. To the attacker the right six have a "
                f"chance of {100 * share:.3g}\N{NO-BREAK SPACE}%. Half of all draws fall within "
                f"{half:.3g} days of the true mean: the bar."
            )
            assert dial.get_attribute("aria-valuetext") == f"ε = {epsilon:g}"
        dial.press("ArrowRight")


def test_the_keyboard_walks_and_one_stop_is_enough(page: Page) -> None:
    """Catches a dot that the keyboard misses or pulls twice, ten stops where one is enough, a wrong
    gap of the pair that was pulled."""
    dots, keys = begun(page, "moving").locator(".dot"), page.keyboard
    dots.first.focus()
    for key, at, inside in (
        ("ArrowDown", 0, [1, 2, 3, 4, 5]),
        ("ArrowDown", 0, [1, 2, 3, 4, 5]),
        ("End", 9, [1, 2, 3, 4, 5]),
        ("ArrowUp", 9, [1, 2, 3, 4, 5, 9]),
        ("ArrowLeft", 8, [1, 2, 3, 4, 5, 9]),
        ("Enter", 8, [1, 2, 3, 4, 5, 8]),
        ("Space", 8, [1, 2, 3, 4, 5]),
        ("Home", 0, [1, 2, 3, 4, 5]),
        ("ArrowUp", 0, [*TRUE_SIX]),
    ):
        keys.press(key)
        assert pressed(page.locator("#dots-moving")) == inside
        told = "Now pull another one in."
        if len(inside) == 6 and inside != [*TRUE_SIX]:
            now = Fraction(sum(DAYS[i] for i in inside), 6)
            told = f"the mean moves from 3.5 to {text(now)}, by {text(now - Fraction(7, 2))}."
        assert told in said(page.locator("#dots-moving")) or inside == [*TRUE_SIX]
        here = dots.evaluate_all(
            "all => all.map(dot => [dot.tabIndex, dot === document.activeElement])"
        )
        assert here == [[0, True] if i == at else [-1, False] for i in range(10)]


# ---- Beat the package: every neighbour that a reader can pull together -----------------------


@pytest.mark.parametrize("hunt", HUNTS, ids=lambda hunt: hunt[0])
def test_the_most_is_the_packages_and_no_record(page: Page, hunt: Any) -> None:
    """Catches a witness that does not attain the value, a record that is not the reader's."""
    name, query, records, size, relation = hunt
    root, own = begun(page, name), picture(*hunt)
    make = sl.Universe.population if isinstance(records, dict) else sl.Universe.value_range
    universe = make(values_of(records))
    most = sl.global_sensitivity(QUERIES[query], universe, size=size, relation=relation)
    root.locator("[data-action=most]").click()
    assert own.big[0] == decimals(most.value)
    assert said(root) == f"{' '.join(own.big)} {own.sentence} Your record is 0."
    shown = root.locator(".dot").evaluate_all(
        "all => all.map(dot => [dot.dataset.kind, "
        "parseInt(dot.querySelector('.days').textContent)])"
    )
    inside = [value for kind, value in shown if kind in ("in", "added")]
    assert Counter(inside) == Counter(most.witness[1])


def test_the_script_knows_the_local_sensitivity_of_every_dataset(page: Page) -> None:
    """Catches a wrong local sensitivity, or a neighbour that does not attain it."""
    universe = sl.Universe.value_range(list(SCORES))
    datasets = drawn([list(x) for x in universe.datasets(size=5)], 20)
    farthest = "([all, scale]) => all.map(x => Dots.farthest('median', x, scale))"
    told = page.evaluate(farthest, [datasets, list(SCORES)])
    for dataset, best in zip(datasets, told, strict=True):
        here = sl.local_sensitivity(sl.MEDIAN, dataset, universe, relation=sl.Change(1)).value
        neighbour = list(dataset)
        neighbour[best["record"]] = best["to"]
        assert Fraction(*best["gap"]) == here
        assert abs(sl.MEDIAN(tuple(sorted(neighbour))) - sl.MEDIAN(tuple(dataset))) == here


# What the page says at every bound, from the last to the first, as the key would pull it there.
PULLED = """(root, steps) => Array.from({length: steps}, () => {
  const told = [".big b", ".sentence"].map(css => root.querySelector(css).textContent);
  const key = new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true, cancelable: true});
  root.querySelector(".dot").dispatchEvent(key);
  return told;
})"""


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_every_bound_has_its_error(page: Page, epsilon: str) -> None:
    """Catches a wrong number in the sentence or a wrong best bound: all 640 states."""
    root, ages = begun(page, "bound"), census_like()["age"]
    root.locator("input").fill(str(BUDGETS.index(epsilon)))
    errors = {}
    for bound, told in zip(reversed(BOUNDS), root.evaluate(PULLED, len(BOUNDS)), strict=True):
        above, noise = ages[ages > bound] - bound, math.sqrt(2) * bound / float(epsilon)
        errors[bound] = math.hypot(above.sum(), noise)
        assert told == [
            f"{min(errors.values()):,.0f}",
            f"Bound {bound} clips {len(above):,} people: {above.sum():,} years lost, noise "
            f"{noise:,.0f}, together an error of {errors[bound]:,.0f}.",
        ]
    best = min(errors, key=errors.__getitem__)
    root.locator("[data-action=most]").click()
    assert said(root).startswith(f"{errors[best]:,.0f} is the least error Bound {best} clips")
    assert said(root).endswith("No bound has a smaller error. You had it, with 128 bounds tried.")
