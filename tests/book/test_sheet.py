"""The formula sheet: its TeX says what the texts say, and its two pages hold it."""

import math
import re
from itertools import chain, combinations

import matplotlib as mpl
import pytest
from conftest import a_third
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox
from routes import letters
from sensitivity_book.pictures import sheet

import sensitivity_lab as sl

TABLES = (sheet.MAIN, sheet.REST)


def python_of(tex: str) -> str:
    """A formula in TeX as a Python expression, read without the module that wrote it."""
    tex = re.sub(r"\s*\\,\s*", " ", tex).replace(r"\left", "").replace(r"\right", "")
    words = {r"\lfloor": " floor(", r"\lceil": " ceil(", r"\rfloor": ")", r"\rceil": ")"}
    words |= {r"\leq": "<=", r"\geq": ">=", r"\max": "max", r"\min": "min", "^{2}": "**2"}
    for word, python in words.items():
        tex = tex.replace(word, python)
    while r"\dfrac" in tex or r"\sqrt" in tex:  # the innermost first
        tex = re.sub(r"\\dfrac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", tex)
        tex = re.sub(r"\\sqrt\{([^{}]*)\}", r" sqrt(\1)", tex)
    tex = re.sub(r"\|(\w)\|", r"abs(\1)", tex)
    tex = re.sub(r"(?<=[\w)])\s+(?=[\w(])", "*", tex.strip())  # what stands side by side
    return re.sub(r"(?<=\))(?=[(])|(?<=\d)(?=[a-z(])|(?<=\b[Rk])(?=\()", "*", tex)


def value(lines, letters):
    """What the lines of a cell say: the first whose condition holds."""
    for line in lines:
        formula, _, condition = line.replace(r"\leq\ ", "").partition(r"\ \ \mathrm{")
        if condition.startswith("if}"):
            asked = re.sub(r"(?<![<>])=", "==", python_of(condition.removeprefix(r"if}\ ")))
            if not eval(asked.replace(r"\ \mathrm{or}\ ", " or "), dict(letters)):
                continue
        return eval(python_of(formula), dict(letters))
    raise AssertionError(lines)


@pytest.mark.parametrize("name", a_third([name for name, *_ in sheet.QUERIES]))
@pytest.mark.parametrize("table", TABLES, ids=["main", "rest"])
def test_every_cell_of_the_sheet_gives_the_closed_form(table, name):
    """Catches a formula that the way to TeX changed: the TeX itself is evaluated."""
    [(query, norm)] = [(query, norm) for known, query, norm in sheet.QUERIES if known == name]
    checked = 0
    columns = table.columns.values()
    for (known, relation), lines in zip(columns, table.cells(query, norm), strict=True):
        if any(r"\max_" in line for line in lines):  # over all moves: read by eye, and below
            continue
        for n in range(2, 7):
            for k in range(1, n + 2):
                if (relation, known) == ("Remove", "n") and n - k < query.smallest_size:
                    continue
                size = {"n": "size", "≥ m": "min_size"}[known]
                form = sl.closed_form(
                    query, bounds=(2, 14), relation=getattr(sl, relation)(k), norm=norm, **{size: n}
                )
                shown = value(lines, letters(query, n, k, 2, 14, math.inf))
                assert shown == pytest.approx(form.value, rel=1e-12), (lines, n, k)
                checked += 1
    assert checked >= 30


def test_what_is_drawn_stays_on_its_page_and_apart():
    """Catches a formula that runs over its neighbour or over the edge of the paper."""
    with mpl.rc_context(sheet.LOOK):
        drawn = sheet.pages()
        assert len(drawn) == 2
        for page in drawn:
            renderer = FigureCanvasAgg(page).get_renderer()
            boxes = {text: text.get_window_extent(renderer) for text in page.texts}
            assert all(
                page.bbox.contains(*end) for box in boxes.values() for end in (box.min, box.max)
            )
            both = {
                pair: Bbox.intersection(*map(boxes.get, pair)) for pair in combinations(boxes, 2)
            }
            close = [pair for pair, box in both.items() if box and box.width > 0 and box.height > 2]
            assert [[text.get_text() for text in pair] for pair in close] == []


def test_every_letter_of_the_sheet_is_explained():
    """Catches a formula with a letter that a reader cannot know."""
    explained = " ".join(term for term, _ in sheet.LETTERS)
    for table in TABLES:
        for name, query, norm in sheet.QUERIES:
            for line in chain(*table.cells(query, norm)):
                used = {*re.findall(r"(?<![\\a-zA-Z])([A-Za-z])(?![a-zA-Z])", line)}
                known = {*re.findall(r"[A-Za-z]", explained)} | {*"jrqdv"}
                assert used <= known, (name, line)
