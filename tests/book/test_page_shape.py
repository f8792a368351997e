"""The shape of a page, as `book/template/chapter.md` has it."""

import re
from functools import cache

import pytest
import yaml
from conftest import ROOT
from lab_copies import chapters

CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PARTS = {one["caption"]: re.findall(r"'file': '(.+?)'", str(one)) for one in CONTENTS["parts"]}
PATH = PARTS["The path"]
ROOMS = PARTS["Beside the path"]
PAGES = [CONTENTS["root"], *(page for pages in PARTS.values() for page in pages)]
NOTEBOOKS = [page for page in PAGES if "/chapters/" in page]
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}

OPENS = r"^(?:`{3,}|:{3,}|~{3,})\{"
MARK = re.compile(r"\*(Paper|Code|Proof|Research), ★+, \d+ minutes\.\*")
EXERCISE = re.compile(r"^(`{3,}|:{3,})\{exercise\}.*?^\1$", re.DOTALL | re.MULTILINE)
SOLUTION = re.compile(OPENS + r"solution(?:-start)?\} (\S+)", re.MULTILINE)
HINT = re.compile(OPENS + r"dropdown\} A hint", re.MULTILINE)
CHECK = re.compile(OPENS + r"check\} ", re.MULTILINE)

FORBIDDEN = {
    "from above, from below": r"\bof (?:above|below)\b",
    "minus": r"\b(?:\d|largest|highest|maximum)[\w$]* less (?:\d|the (?:smallest|lowest|minimum))",
    "it differs in size": r"\banother size than\b",
    "it is obtained by": r"\bis had by\b",
    "Gaussian noise": r"\bGauss noise\b",
    "distance k (records that differ)": r"[xy]label=\"[^\"]*Hamming",
    "L1, L2, L∞": "ℓ[₁₂∞]",
    "attacker": r"\badversar(?!y\*)",
    "crude": r"\blazy\b",
    "too small": r"\bunderestimat(?!ed\*)",
    "chapter": r"\brooms? beside\b",
    "spends ε": r"\bcosts? (?:an? )?(?:ε|\$\\varepsilon)",
}


@cache
def cells(page):
    """The cells of a page: their kind, their text and their tags."""
    return [
        (cell.cell_type, cell.source, set(cell.metadata.get("tags", ())))
        for cell in chapters.source(ROOT / f"{page}.md").cells
    ]


def prose(page):
    return "\n\n".join(text for kind, text, _ in cells(page) if kind == "markdown")


def visible_code(page):
    return [text for kind, text, tags in cells(page) if kind == "code" and not tags & FOLDED]


def lines(code):
    return [line for line in code.splitlines() if line.strip()]


def exercises(page):
    """Each exercise of a page, its body, and what stands between it and the next one."""
    text = prose(page)
    found = list(EXERCISE.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)]
    return [(one[0], text[one.end() : end]) for one, end in zip(found, ends, strict=True)]


@pytest.mark.parametrize("page", PATH)
def test_a_page_of_the_path_has_the_shape_of_a_chapter(page):
    """Catches a page that is a listing, drills, or has no answer of one's own."""
    counts = [len(lines(code)) for code in visible_code(page)]
    assert sum(counts) <= 60
    assert max(counts, default=0) <= 10
    assert 3 <= len(exercises(page)) <= 5
    assert len(CHECK.findall(prose(page))) >= 3
    assert "{admonition} Key result\n:class: key\n" in prose(page)


@pytest.mark.parametrize("page", [*PATH, *ROOMS])
def test_imports_are_folded_and_an_exercise_says_what_it_asks(page):
    """Catches imports in the story, an exercise without type, stars and minutes, or a hint."""
    shown = "\n".join(visible_code(page))
    assert re.findall(r"^\s*(?:import|from) .*", shown, re.MULTILINE) == []
    assert exercises(page)
    for body, after in exercises(page):
        title, *rest = body.splitlines()
        asked = next(line for line in rest if line.strip() and not line.startswith(":"))
        assert MARK.match(asked), title
        solution, hint = SOLUTION.search(after), HINT.search(after)
        assert hint, title
        if not asked.startswith("*Research"):  # what nobody has solved has no solution
            assert solution, title
            assert hint.start() < solution.start(), title


def reading(page):
    """The minutes that the head of a page says."""
    return int(re.search(r"Time:\*\* about (\d+) minutes", prose(page))[1])


def asked_minutes(page):
    """The minutes of a page's exercises together."""
    asked = re.findall(r"^\*[\w ]+, ★+, (\d+) minutes\.\*", prose(page), re.MULTILINE)
    return sum(map(int, asked))


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_the_minutes_of_exercises_add_up(page):
    """Catches a page that promises forty minutes of exercises and asks for seventy."""
    said = re.search(r"(\d+) for the exercises", prose(page))
    assert abs((int(said[1]) if said else 0) - asked_minutes(page)) < 5


def test_the_hours_of_the_path_add_up():
    """Catches hours on the page of chapters that the chapters do not say."""
    read, asked = sum(reading(p) for p in PATH if p in NOTEBOOKS), sum(map(asked_minutes, PATH))
    words = ["four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
    hours = [words[round(total / 60 + 0.2) - 4] for total in (read, asked)]  # with the first page
    told = "about {} hours, with pencil and paper, and {} more for all exercises".format(*hours)
    assert told in (ROOT / "book" / "chapters.md").read_text(encoding="utf-8")


def words(page, until="## Exercises"):
    """How many words a reader has on a page: no formulas, code, fields, labels or fences."""
    text = prose(page).split(until)[0]
    for left_out in (
        r"(?ms)^(`{3,}|~{3,}|:{3,})(?:\{(?:answer|raw|dots|eval-rst)\}|\w+$).*?^\1$",
        r"(?s)\$\$.*?\$\$|\$[^$]+\$",
        r"(?m)^(?:`{3,}|~{3,}|:{3,})(?:\{[\w:-]+\})?|^:[\w-]+:.*$|^\([\w-]+\)=$|^ *% = .*$",
    ):
        text = re.sub(left_out, " ", text)
    return sum(any(map(str.isalnum, word)) for word in text.split())


@pytest.mark.parametrize("page", [page for page in [*PATH, *ROOMS] if page in NOTEBOOKS])
def test_the_minutes_of_a_page_are_about_right(page):
    """Catches a page that has grown, or shrunk, and says the minutes that it took before."""
    text = "\n".join(text for _, text, _ in cells(page))
    games = len(re.findall(r"^(?:Dots|TwoTents|Ticks|\w+_explorer)\(", text, re.MULTILINE))
    lines_read = sum(len(lines(code)) for code in visible_code(page))
    assert abs(reading(page) - (words(page) / 100 + lines_read / 6 + 3 * games)) <= 10


def test_the_book_can_be_read():
    """Catches a book that has grown again: what is numbered and printed, exercises and all."""
    book = [CONTENTS["root"], *PATH, *ROOMS, *PARTS["Reference"]]
    assert sum(words(page, until="no such words") for page in book) <= 50_000


@pytest.mark.parametrize("page", PAGES)
def test_words_and_fences_that_the_book_does_without(page):
    """Catches words for which the book has others, and a directive that stays text."""
    text = "\n".join(text for _, text, _ in cells(page))
    found = {instead: re.findall(pattern, text) for instead, pattern in FORBIDDEN.items()}
    assert {instead: words for instead, words in found.items() if words} == {}
    assert re.findall(r"^`{3,}\{\w[\w:-]*\}[^\n]*`.*$", prose(page), re.MULTILINE) == []
