"""The fields under exercises: the script compares as fractions do, and tells why."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from conftest import ROOT, a_third
from playwright.sync_api import Browser, Locator, Page
from sensitivity_book.answers import compare
from sensitivity_book.answers.check import verdict
from sensitivity_book.answers.kinds import (
    Answer,
    DatasetAnswer,
    FunctionAnswer,
    NumberAnswer,
    Rung,
    Verdict,
)
from sensitivity_book.answers.on_paper import _submissions, tells, told_on_paper
from sensitivity_book.answers.page import markup, told
from sensitivity_book.answers.reading import MisreadError
from sensitivity_book.answers.registry import ANSWERS
from test_book import opened, reopen

import sensitivity_lab as sl

SCRIPTS = (
    ROOT / "book" / "sensitivity_book" / "stage" / "static" / "stage.js",
    ROOT / "book" / "_static" / "answers.js",
)
STYLE = ROOT / "book" / "_static" / "answers.css"
MEAN = NumberAnswer(
    "The mean moves by at most",
    Fraction(19, 6),
    (Rung(1, "(1) has the mean 1, (2) has 2: a gap of 1."), Rung(Fraction(19, 6), "the widest.")),
    {Fraction(17, 6): "That is one who leaves."},
    why="Now you know.",
    unit="days",
)
BELIEF = NumberAnswer("Her belief", 0.27161491, slips={0.88079708: "That is ε = 2."})


def judge(*_: object) -> Verdict:
    raise AssertionError("a page asks Python, not the test")


PAIR = DatasetAnswer(("One", "Other"), judge, sl.Universe.value_range([1, 2]), ("1", "2"))
CODE = FunctionAnswer("Your query", "def query(dataset):\n    ", judge)
FIELDS: dict[str, Answer] = {"mean": MEAN, "belief": BELIEF, "pair": PAIR, "code": CODE}
# A stand-in for the Python of a page: it notes what it is asked, and answers when it is told to.
LIVE = """window.live = {
  call: (name, argument, told) => new Promise((resolve, reject) =>
    Object.assign(window, { name, argument, told, resolve, reject })),
  stop: () => window.reject(new Error("Stopped.")),
};"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    fields = "".join(markup(name, answer) for name, answer in FIELDS.items())
    scripts = "".join(f'<script src="{script.as_uri()}" defer></script>' for script in SCRIPTS)
    path = tmp_path_factory.mktemp("answers") / "page.html"
    path.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Fields</title>'
        f'<link rel="stylesheet" href="{STYLE.as_uri()}"><main>{fields}</main>{scripts}',
        encoding="utf-8",
    )
    return str(path)


@pytest.fixture
def page(browser: Browser, path: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The fields, after what a test does to the page before its scripts."""
    with opened(browser, path, before=getattr(request, "param", "")) as page:
        yield page


@pytest.fixture(scope="module")
def script(browser: Browser, path: str) -> Iterator[Page]:
    """A page of which only the script's functions are asked."""
    with opened(browser, path) as page:
        yield page


def field(page: Page, name: str) -> Locator:
    return page.locator(f"#answer-{name}")


def said(root: Locator) -> str:
    return (root.get_by_role("status").text_content() or "").strip()


def submit(root: Locator, *texts: str) -> str:
    for box, text in zip(root.get_by_role("textbox").all(), texts, strict=True):
        box.fill(text)
    root.get_by_role("button", name="Check").click()
    return said(root)


def verdicts(script: Page, answer: NumberAnswer, texts: list[str]) -> list[tuple[str, str]]:
    """What the script says of each text, which JupyterLab says in the same words."""
    asked = "([answer, texts]) => texts.map(text => Answers.judge(answer, text))"
    found = script.evaluate(asked, [told("name", answer), texts])
    for text, one in zip(texts, found, strict=True):
        try:
            own = compare.judge(answer, text)
        except MisreadError as error:
            own = Verdict(False, str(error))
        assert own == Verdict(one["verdict"] == "right", one["words"]), text
    return [(one["verdict"], one["words"]) for one in found]


# ---- Datasets on paper ---------------------------------------------------------------------------

BOOK = {name: make() for name, make in ANSWERS.items()}
ON_PAPER = {name: made for name, made in BOOK.items() if getattr(made, "by", ())}
TRIED = [
    ["1, 2, 3, 4, 5, 6", "2, 3, 4, 5, 6, 20"],
    ["(20, 3, 4, 5, 2, 6)", "[6, 5, 4, 3, 2, 1]"],
    ["1 2  3", "2, 3, 4"],
    ["1, 2, 3, 4, 5, 21", "1"],
    ["1, 2, 3, 4, 5, 1/2", "1, 2, 3, 4, 5, x"],
    ["", "1, 2, 3, 4, 5, 6"],
    ["1, 1, 2, 3, 4, 5", "1, 2, 3, 4, 5, 6"],
    ["1, 2, 3, 4, 5, 6", "5, 6, 7, 8, 15, 20"],
    ["0, 0", "0, 0, 3, 3"],
    ["3, 3", "0, 0, 0, 3"],
    ["2, 2, 2, 2, 1, 0, 0", "−1"],
]


@pytest.mark.parametrize("name", a_third([*ON_PAPER]))
def test_on_paper_a_dataset_is_judged_as_python_judges_it(script: Page, name: str) -> None:
    """Catches a reading, a check or a verdict that is another one with Python."""
    answer = ON_PAPER[name]
    every = [*_submissions(answer, answer.sizes or (answer.size,))] if not answer.told else []
    if every:
        paper = told_on_paper(answer)
        said = {name: paper["words"][at][0] for name, at in paper["said"].items()}
        right = [own for own in every if said[" | ".join(tells(answer.by, own))]]
        assert 0 < len(right) < len(every)
        every = [*right[:40], *every[:: max(1, len(every) // 150)]]
    else:
        steps = product(range(1, 50), range(0, 12, 3))
        every = [(tuple(low + step * i for i in range(5)),) for low, step in steps]
    tried = [texts[: len(answer.fields)] for texts in TRIED]
    tried += [[", ".join(map(str, own)) for own in datasets] for datasets in every]
    look = "([answer, all]) => all.map(lines => Answers.lookUp(answer, lines))"
    for lines, one in zip(tried, script.evaluate(look, [told(name, answer), tried]), strict=True):
        if one["verdict"] == "open":
            assert any(len(line.split(",")) not in answer.sizes for line in lines)
        else:
            assert verdict(name, *lines) == Verdict(one["verdict"] == "right", one["words"]), lines


# ---- The script's own functions ------------------------------------------------------------------

READ = {
    Fraction(19, 6): ["19/6", " 19 / 6 ", "38/12", "3 1/6", "= 19/6", "19/6 days"],
    Fraction(-19, 6): ["-3 1/6", "−19/6"],
    Fraction(1): ["1 day"],
    Fraction(3): ["3"],
    Fraction(7): ["+7", "007"],
    Fraction("3.5"): ["3.50"],
    Fraction(".25"): [".25"],
    Fraction(0): ["0.000"],
    Fraction(12, 100): ["12%"],
    Fraction("0.272"): ["27.2 %"],
    Fraction("3.16"): ["3.16…"],
    Fraction("3.17"): ["≈ 3.17", "3.17days"],
    Fraction("3.1666"): ["3.1666..."],
    Fraction(5040): ["5,040"],
    Fraction(34_901_442_000): ["34,901,442,000"],
    Fraction("1234.5"): ["1,234.5"],
    Fraction(123456789012345678901, 3): ["123456789012345678901/3"],
}
NONE = [
    "", " ", "x", "3,5", "1/0", "1/2/3", "19/6 years", ".", "%", "1e3", "3 19", "1.5/2", "--1",
    "days", "3…", "0x10", "1,23", "∞",
]  # fmt: skip


def test_a_number_is_read_as_python_reads_it_and_nothing_else(script: Page) -> None:
    """Catches a number misread or rounded, a comma read as a point, a word that passes."""
    ask = (
        "texts => texts.map(text => { const { n, d } = Answers.read(text, 'days'); "
        "return [`${n}`, `${d}`]; })"
    )
    for number, texts in READ.items():
        for text, parts in zip(texts, script.evaluate(ask, texts), strict=True):
            assert Fraction(*map(int, parts)) == number, text
    for text, (kind, words) in zip(NONE, verdicts(script, MEAN, NONE), strict=True):
        assert kind == "open", text
        assert words.startswith("Write a number")


def test_no_field_on_paper_needs_python() -> None:
    """Catches an exercise for a pencil whose field says that Python cannot run."""
    pencil = re.compile(r"\*Paper, ★[^{]*?\{answer\} ([\w-]+)")
    for path in sorted((ROOT / "book" / "chapters").glob("*.md")):
        for name in pencil.findall(path.read_text(encoding="utf-8")):
            assert isinstance(BOOK[name], NumberAnswer) or BOOK[name].by, name


RIGHTS = [
    Fraction(19, 6), Fraction(5, 2), Fraction(-7, 3), Fraction(1, 1024), Fraction(40),
    Fraction(2, 3),
]  # fmt: skip


@pytest.mark.parametrize("right", RIGHTS)
def test_a_decimal_is_compared_as_a_fraction(script: Page, right: Fraction) -> None:
    """Catches a rounded decimal refused, one a digit off accepted, three digits miscounted."""
    texts = [
        f"{Decimal(round(right * 10**places) + off).scaleb(-places):.{places}f}"
        for places, off in product(range(1, 7), range(-2, 3))  # the nearest and its neighbours
    ]
    for text, (kind, _) in zip(
        texts, verdicts(script, NumberAnswer("A number", right), texts), strict=True
    ):
        places, digits = len(text.partition(".")[2]), len(text.replace(".", "").lstrip("-0"))
        within = abs(Fraction(text) - right) <= Fraction(1, 2 * 10**places)
        is_right = Fraction(text) == right or (within and digits >= 3)
        assert kind == ("right" if is_right else "open" if within else "wrong"), text


NUMBERED = {name: made for name, made in BOOK.items() if isinstance(made, NumberAnswer)}


@pytest.mark.parametrize("name", a_third(list(NUMBERED)))
def test_every_number_of_the_book_is_answered(script: Page, name: str) -> None:
    """Catches a right number refused, a slip without its words, a rung below a claim."""
    answer, below = NUMBERED[name], Fraction(0)
    data = told(name, answer)
    asked = [(f"{data['right']} {answer.unit}", "right", "")]
    asked += [(wrong, "wrong", words) for wrong, words in data["slips"]]
    for rung in answer.ladder:
        gap = Fraction(rung.gap)
        for claim in (below, gap - (gap - below) / 1000):
            words = f"Two neighbours are further apart: {rung.words}"
            asked.append((str(claim), "wrong", words))
        below = gap
    if answer.ladder:
        asked.append((str(below + Fraction(1, 1000)), "wrong", " apart: that is too much."))
    found = verdicts(script, answer, [text for text, _, _ in asked])
    for (_, expected, part), (kind, words) in zip(asked, found, strict=True):
        assert kind == expected
        assert part in words


# ---- A field on its page -------------------------------------------------------------------------


def test_a_number_is_answered_by_enter_and_said_to_everyone(page: Page) -> None:
    """Catches a field without a label, a dead Enter, and a verdict that only a colour tells."""
    root = field(page, "mean")
    box = root.get_by_label("The mean moves by at most")
    box.fill("0.5")
    box.press("Enter")
    assert said(root) == (
        "✗ Not yet. Two neighbours are further apart: (1) has the mean 1, (2) has 2: a gap of 1."
    )
    for text, words in (
        (
            "17/6",
            "✗ Not yet. That is one who leaves. Two neighbours are further apart: the widest.",
        ),
        ("4", "✗ Not yet. No two neighbours are 4 apart: that is too much."),
        (
            "3.167",
            (
                "✓ Right. It is 19/6, rounded. the widest. No neighbours are further apart. "
                "Now you know."
            ),
        ),
    ):
        assert submit(root, text) == words
    box.press("End")
    box.type("1")
    assert said(root) == ""
    assert submit(root, " ") == "Write your answer first."


REFUSED = "Object.defineProperty(window, 'localStorage', { get() { throw Error('refused'); } });"


@pytest.mark.parametrize("page", ["", REFUSED], indirect=True, ids=["", "and storage"])
def test_without_python_a_field_says_where_it_can_be_answered(page: Page) -> None:
    """Catches a dead field, also where a browser refuses storage to files."""
    for name in ("pair", "code"):
        root = field(page, name)
        assert root.get_by_role("textbox").count() == root.get_by_role("button").count() == 0
        assert "make lab" in root.inner_text()
        assert told(name, FIELDS[name])["elsewhere"] in root.inner_text()
    assert submit(field(page, "mean"), "19/6").startswith("✓ Right.")


@pytest.mark.parametrize("page", [LIVE], indirect=True)
def test_python_is_asked_and_its_verdict_is_kept(page: Page) -> None:
    """Catches a pair sent as one dataset, progress not told, a verdict lost on the way."""
    root = field(page, "pair")
    assert submit(root, "1, 2", "1") == "Checking …"
    asked = {"name": "pair", "text": "1, 2\n1"}
    assert page.evaluate("[name, argument]") == ["sensitivity_book.answers.check:check", asked]
    assert root.get_by_role("button", name="Check").is_disabled()
    page.evaluate("told('Starting Python …')")
    assert root.locator(".news").inner_text() == "Starting Python …"
    assert said(root) == "Checking …"
    page.evaluate("resolve({ right: false, words: 'They are 2 < 3 apart.' })")
    assert said(root) == "✗ Not yet. They are 2 < 3 apart."
    assert not root.get_by_role("button", name="Stop").is_visible()
    assert not root.locator(".news").is_visible()
    reopen(page)
    assert said(field(page, "pair")) == "✗ Not yet. They are 2 < 3 apart."
    assert field(page, "pair").get_by_role("textbox").nth(1).input_value() == "1"


@pytest.mark.parametrize("page", [LIVE], indirect=True)
def test_a_function_can_be_stopped(page: Page) -> None:
    """Catches a loop that nobody can end, an Enter that submits half a function, lost focus."""
    root = field(page, "code")
    box = root.get_by_label("Your query")
    assert box.input_value() == "def query(dataset):\n    "
    box.press("Control+End")
    box.type("while 1:")
    box.press("Enter")
    assert said(root) == ""
    box.press("Control+Enter")
    assert said(root) == "Checking …"
    assert page.evaluate("argument.text") == "def query(dataset):\n    while 1:\n"
    stop = root.get_by_role("button", name="Stop")
    stop.focus()
    stop.press("Enter")
    assert said(root) == "Stopped."
    assert not stop.is_visible()
    assert box.evaluate("box => box === document.activeElement")
    assert root.get_by_role("button", name="Check").is_enabled()
