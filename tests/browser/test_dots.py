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
from conftest import ROOT, a_third, seeds
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.data.census import census_like
from sensitivity_book.data.scenarios import school_large, school_small, vehicle
from sensitivity_book.palette import stylesheet
from sensitivity_book.stage.dots.bound import BUDGETS, bound_hunt
from sensitivity_book.stage.dots.games import GAMES
from sensitivity_book.stage.dots.hunt import QUERIES, beat
from sensitivity_book.stage.dots.local import LARGEST, SMALLEST, local_hunt
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
    ("small", "mean", ABSENT, 3, sl.Change(1)),  # records that are known
    ("added", "mean", ABSENT, 2, sl.AddRemove(1)),
    ("sets", "sum", ABSENT, 2, sl.SymmetricDifference(2)),
    ("years", "median", YEARS, 6, sl.Change(1)),
    ("moving", "mean", PUPILS, 6, sl.Change(1)),  # the last four as they stand in chapters
    ("school", "median", YEARS, 6, sl.Change(2)),
    ("by-hand", "median", PUPILS, 6, sl.Change(1)),
    ("neighbours", "median", PUPILS, 5, sl.AddRemove(1)),
    ("skill", "mean", SKILL, 3, sl.Change(1)),  # records on a scale
    ("both", "median", SKILL, 4, sl.Change(2)),
]
SCORES, BOUNDS = range(11), range(1, 129)

pytestmark = pytest.mark.xdist_group("dots")
each_hunt = pytest.mark.parametrize("hunt", HUNTS, ids=lambda hunt: hunt[0])


def is_known(records: Any) -> bool:
    """Whether the records of a hunt are a population, and not a scale."""
    return isinstance(records, dict)


def values_of(records: Any) -> list[int]:
    return list(records.values()) if is_known(records) else records


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
    dial, squares = root.locator("input"), root.locator(".sieve rect")
    dial.press("Home")
    for epsilon in first_page.EPSILONS:
        own = first_page.beliefs(epsilon)
        if math.isinf(epsilon):
            assert said(root) == "1 in 1 for the right six No noise: the attacker is certain."
            assert dial.get_attribute("aria-valuetext") == "no noise"
            assert root.locator(".gap").is_hidden()
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
        opacity = squares.evaluate_all("all => all.map(one => +one.style.fillOpacity)")
        believed = [own[sum(DAYS[i] for i in group)] / max(own.values()) for group in GROUPS]
        assert opacity == pytest.approx([0.06 + 0.94 * one for one in believed], abs=1e-4)
        dial.press("ArrowRight")


def test_the_noisy_number_is_drawn_again(page: Page) -> None:
    """Catches a press that changes nothing, another distribution, a number not shown."""
    root = begun(page, "noisy")
    for chance in (0.1, 0.5, 0.75):
        page.evaluate("chance => { Math.random = () => chance; }", chance)
        root.locator("[data-action=draw]").click()
        quantile = math.log(2 * min(chance, 1 - chance)) * math.copysign(1, 0.5 - chance)
        published = true_minus(f"{3.5 + 19 / 6 * quantile:.2f}")
        assert f"publishes {published} days" in said(root)
        assert root.locator(".mean b").text_content() == (published if quantile else "3.5")
    assert root.locator("input").get_attribute("aria-valuetext") == "ε = 1"


def test_the_keyboard_walks_and_one_stop_is_enough(page: Page) -> None:
    """Catches a dot that the keyboard misses or pulls twice, ten stops where one is enough."""
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
        here = dots.evaluate_all(
            "all => all.map(dot => [dot.tabIndex, dot === document.activeElement])"
        )
        assert here == [[0, True] if i == at else [-1, False] for i in range(10)]


# ---- Beat the package: every neighbour that a reader can pull together -----------------------

# What a hunt says after each game: keys, or clicks, on its dots, from the opening;
# and on the way there.
PLAYED = """(root, games) => games.map(keys => {
  root.querySelector("[data-action=begin]").click();
  const dots = [...root.querySelectorAll(".dot")], way = [];
  for (const [i, key] of keys) {
    if (key === "click") dots[i].click();
    else dots[i].dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    way.push(root.querySelector(".sentence").textContent);
  }
  return {
    way, big: root.querySelector(".big b").textContent, kinds: dots.map(dot => dot.dataset.kind),
    texts: dots.map(dot => dot.getAttribute("aria-valuetext")),
  };
})"""
Keys = list[tuple[int, str]]
Records = list[int | None]  # by dot: who is outside the dataset has no value


def opening(records: Any, size: int) -> Records:
    """What is in where a hunt opens: the first, or an even share of a scale."""
    values = values_of(records)
    if is_known(records):
        return [*values[:size], *[None] * (len(values) - size)]
    return [values[i * len(values) // size] for i in range(size)]


def pulled(i: int, records: Any, after: int | None) -> Keys:
    """What pulls a record: a click where it is known; else keys along its scale."""
    along = [] if is_known(records) else [(i, "ArrowRight")] * records.index(after)
    return [(i, "click")] if is_known(records) else [(i, "Home"), *along]


def games(
    _name: str, _query: str, records: Any, size: int, relation: sl.Relation
) -> Iterator[tuple[Keys, Records, bool]]:
    """Every pull that leads to a neighbour, or on to one: keys, records, whether it is one."""
    values, start = values_of(records), opening(records, size)
    known = is_known(records)
    for after in product(*([(v, None) for v in values] if known else [values] * len(start))):
        changed = [i for i in range(len(start)) if after[i] != start[i]]
        out, into = (sum(side[i] is not None for i in changed) for side in (start, after))
        leads = any(r >= out and a >= into for r, a in relation.moves)
        if changed and leads and any(value is not None for value in after):
            keys = [key for i in changed for key in pulled(i, records, after[i])]
            yield keys, [*after], (out, into) in relation.moves


def kind(before: int | None, after: int | None) -> str:
    """What a dot shows of its record: shared, pulled out, pulled in or along, or never there."""
    if after is None:
        return "open" if before is None else "removed"
    return "in" if before == after else "added"


@each_hunt
def test_every_neighbour_has_its_gap_or_more_is_asked_for(page: Page, hunt: Any) -> None:
    """Catches a wrong gap, record or mark, a pair that is no neighbour, an unreachable one."""
    name, query, records, size, _ = hunt
    every, start = list(games(*hunt)), opening(records, size)
    before = answer(query, start)
    assert len(every) > 2
    told = page.locator(f"#dots-{name}").evaluate(PLAYED, [keys for keys, _, _ in every])
    for (_, now, is_neighbour), one in zip(every, told, strict=True):
        if not is_neighbour:
            assert "Now pull another one" in one["way"][-1]
            continue
        after = answer(query, now)
        gap = text(abs(after - before))
        end = f"the {query} moves from {text(before)} to {text(after)}, by {gap}."
        assert one["way"][-1].endswith(end)
        passed = [re.search(r", by .*?([\d.]+)\.$", sentence) for sentence in one["way"]]
        assert Fraction(one["big"]) == max(Fraction(gap[1]) for gap in passed if gap)
        assert one["kinds"] == [*map(kind, start, now)]
        if not is_known(records):
            assert [int(text.split(",")[0]) for text in one["texts"]] == now


def answer(query: str, records: Records) -> Fraction:
    return Fraction(QUERIES[query](tuple(sorted(value for value in records if value is not None))))


@each_hunt
def test_the_most_is_the_packages_and_no_record(page: Page, hunt: Any) -> None:
    """Catches a witness that does not attain the value, a record that is not the reader's."""
    name, query, records, size, relation = hunt
    root, own = begun(page, name), picture(*hunt)
    make = sl.Universe.population if is_known(records) else sl.Universe.value_range
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
    datasets = a_third([list(x) for x in universe.datasets(size=5)])
    farthest = "([all, scale]) => all.map(x => Dots.farthest('median', x, scale))"
    told = page.evaluate(farthest, [datasets, list(SCORES)])
    for dataset, best in zip(datasets, told, strict=True):
        here = sl.local_sensitivity(sl.MEDIAN, dataset, universe, relation=sl.Change(1)).value
        neighbour = list(dataset)
        neighbour[best["record"]] = best["to"]
        assert Fraction(*best["gap"]) == here
        assert abs(sl.MEDIAN(tuple(sorted(neighbour))) - sl.MEDIAN(tuple(dataset))) == here


def test_the_local_hunt_tells_when_it_is_asked(page: Page) -> None:
    """Catches a value that is given away, a range that is not the reader's, wrong ends."""
    root = begun(page, "local")
    for i, value in enumerate((0, 4, 5, 6, 10)):
        for _, key in pulled(i, [*SCORES], value):
            root.locator(".dot").nth(i).press(key)
    what = "is the local sensitivity"
    assert said(root) == (
        f"? {what} The median is 5. Pull the records; "
        "then ask how far one changed record could move it."
    )
    for action, value, end in (("ask", 1, "by 1."), ("most", 10, LARGEST), ("least", 0, SMALLEST)):
        root.locator(f"[data-action={action}]").click()
        assert said(root).startswith(f"{value} {what} ")
        assert said(root).endswith(f" {end} Yours went from 1 to 1.")


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
