"""The formula sheet: its TeX says what the texts say, and its two pages hold it."""

import math
import re
from fractions import Fraction
from itertools import chain, combinations

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox
from sensitivity_book.pictures import sheet
from sensitivity_book.theory.formulas import formula_table

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


def letters(query, n, k, low, high):
    """The letters of the sheet, in words of our own."""
    d, q = getattr(query.proved, "ddof", 0), Fraction(1, 4)

    def clip(x):
        return min(max(x, 0), 1)

    def g(c, a, b):
        t, delta = q * (c + a - 1) + 1, q * a + (1 - q) * b
        return max(clip(t - x) - clip(t - x - delta) for x in range(int(c) + 1))

    def v(size):
        i = min(k, size // 2)
        return Fraction(i * (size - i), size * (size - d))

    def s(c):
        return Fraction((c // 2) * (c - c // 2), c)

    return {
        "R": high - low, "L": low, "U": high, "n": n, "m": n, "k": k, "d": d, "q": q, "g": g,
        "v": math.inf if query is sl.count_distinct else v,
        "w": lambda c: s(c) / (c - d) - s(c) / (c + k - d),
        "u": lambda c: math.sqrt(s(c) / (c - d)) - math.sqrt(s(c) / (c + k - d)),
        "floor": math.floor, "ceil": math.ceil, "sqrt": math.sqrt,
        "max": max, "min": min, "abs": abs,
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name, *_ in sheet.QUERIES])
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
                shown = value(lines, letters(query, n, k, 2, 14))
                assert shown == pytest.approx(form.value, rel=1e-12), (lines, n, k)
                checked += 1
    assert checked >= 30


@pytest.mark.parametrize(("name", "query", "norm"), sheet.QUERIES, ids=lambda x: str(x)[:12])
def test_the_larger_of_the_two_is_what_the_sheet_says_of_both(name, query, norm):
    """Catches the last line of the letters: k added or removed, at a known size."""
    table = formula_table(query, norm=norm)
    for column in ("k = 1", "k = 2"):
        added, removed, both = (table.loc[("n", r), column] for r in ("Add", "Remove", "AddRemove"))
        assert both == max(added, removed)


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
