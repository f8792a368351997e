"""The formula sheet: all closed forms on two pages,
typeset in the book and in a PDF from one source.

The formulas are the texts of `Query.proved`; here they become TeX, in the part of it that both
MathJax and Matplotlib know.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from math import inf
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import sensitivity_lab as sl
from sensitivity_book.palette import MIDDLE
from sensitivity_book.theory.formulas import formula_table

# ---- from a text to TeX --------------------------------------------------------------------------

SIGNS = {"·": "*", "−": "-", "²": "**2", "≥": ">=", "≤": "<="}
FENCES = {"⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")"}
LARGEST = ("max", "min")
COMPARED = {ast.Lt: "<", ast.Gt: ">", ast.LtE: r"\leq", ast.GtE: r"\geq", ast.Eq: "="}


def tex_lines(text: str) -> list[str]:
    r"""Return a printed formula in TeX, a line for each of its cases."""
    if text == "the larger of Add(k)'s and Remove(k)'s":
        return [r"\max(\mathrm{Add},\ \mathrm{Remove})"]
    if over := re.fullmatch(r"(?:(R)·max of|the largest) (.*) over (.*)", text):
        return [_over(*over.groups(default=""))]
    return [line for case in text.split("; ") for line in _case(case)]


def _over(factor: str, of: str, where: str) -> str:
    """The largest of some calls over a condition."""
    below = rf"\max_{{{_tex(where)}}}"
    calls = _texs(of)
    each = calls[0] if len(calls) == 1 else _call("max", calls)
    return f"{factor} {below} {each}".strip()


def _case(text: str) -> Iterator[str]:
    """The lines of "A", "A if p" or "A if p, else B"."""
    formula, _, rest = text.partition(" if ")
    condition, _, other = rest.partition(", else ")
    yield _tex(formula) + (rf"\ \ \mathrm{{if}}\ {_tex(condition)}" if condition else "")
    if other:
        yield rf"{_tex(other)}\ \ \mathrm{{else}}"


def _tex(text: str) -> str:
    """One formula or condition in TeX."""
    (tex,) = _texs(text)
    return tex


def _texs(text: str) -> list[str]:
    """Formulas between commas, each in TeX."""
    for sign, python in (SIGNS | FENCES).items():
        text = text.replace(sign, python)
    text = re.sub(r"\|(\w)\|", r"abs(\1)", text)
    text = re.sub(r"√(\w(?:\([^()]*\))?)", r"sqrt(\1)", text).replace("√", "sqrt")
    text = re.sub(r"(?<![<>=])=(?!=)", "==", text)
    parsed = ast.parse(f"[{text.strip()}]", mode="eval").body
    assert isinstance(parsed, ast.List)
    return [_node(formula) for formula in parsed.elts]


def _node(node: ast.expr) -> str:
    """A parsed formula in TeX."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=value):
            return str(value)
        case ast.Call(func=ast.Name(id=name), args=parts):
            return _call(name, [_node(part) for part in parts])
        case ast.BinOp(left=left, op=sign, right=right):
            return _operation(sign, left, right)
        case ast.Compare(left=left, ops=signs, comparators=others):
            sides = [
                f"{COMPARED[type(sign)]} {_node(x)}" for sign, x in zip(signs, others, strict=True)
            ]
            return " ".join([_node(left), *sides])
        case ast.BoolOp(values=parts):
            return r"\ \mathrm{or}\ ".join(map(_node, parts))
    raise SyntaxError(f"a formula has no {type(node).__name__}")


def _call(name: str, parts: Sequence[str]) -> str:
    """A function of its arguments."""
    inside = r",\, ".join(parts)
    fences = {
        "floor": rf"\lfloor {inside} \rfloor",
        "ceil": rf"\lceil {inside} \rceil",
        "abs": rf"|{inside}|",
        "sqrt": rf"\sqrt{{{inside}}}",
    }
    if name in fences:
        return fences[name]
    opened, closed = (r"\left(", r"\right)") if "frac" in inside else ("(", ")")
    return rf"\{name}{opened}{inside}{closed}" if name in LARGEST else f"{name}({inside})"


def _operation(sign: ast.operator, left: ast.expr, right: ast.expr) -> str:
    """Two formulas and what stands between them."""
    if isinstance(sign, ast.Div):
        if isinstance(left, (ast.Name, ast.Constant)) and isinstance(right, ast.Constant):
            return f"{_node(left)}/{_node(right)}"
        return rf"\dfrac{{{_node(left)}}}{{{_node(right)}}}"
    if isinstance(sign, ast.Pow):
        return f"{_node(left)}^{{{_node(right)}}}"
    if isinstance(sign, ast.Mult):
        first, then = (right, left) if _is_largest(left) else (left, right)
        between = r"\, " if _is_largest(then) else ""
        return f"{_factor(first)} {between}{_factor(then)}"
    return f"{_node(left)} {'+' if isinstance(sign, ast.Add) else '-'} {_node(right)}"


def _is_largest(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LARGEST
    )


def _factor(node: ast.expr) -> str:
    """A factor, in brackets if it is a sum."""
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
    return f"({_node(node)})" if is_sum else _node(node)


# ---- the two tables ------------------------------------------------------------------------------

BINS = sl.histogram([2, 8, 14])
QUERIES: list[tuple[str, sl.Query, float]] = [
    ("count", sl.COUNT, 1),
    ("count of a condition", sl.count_where(lambda value: value > 8), 1),
    ("sum", sl.SUM, 1),
    ("mean", sl.MEAN, 1),
    ("minimum, maximum", sl.MIN, 1),
    ("quantile q (median: q = ½)", sl.quantile(0.25), 1),
    ("variance, ddof d", sl.variance(ddof=1), 1),
    ("standard deviation, ddof d", sl.std(ddof=1), 1),
    ("histogram in L1", BINS, 1),
    ("histogram in L2", BINS, 2),
    ("histogram in L∞", BINS, inf),
    ("v distinct values", sl.count_distinct, 1),
]
KNOWN, LEAST = "size n", "at least m"


@dataclass(frozen=True)
class Table:
    """A table of formulas: columns by relation and by what is known of the size."""

    title: str
    columns: dict[tuple[str, str], tuple[str, str]]  # heading: row of `formula_table`
    widths: tuple[float, ...]  # of the names and of each column, on paper

    def cells(self, query: sl.Query, norm: float) -> list[list[str]]:
        """One query's formulas: for each column its lines, in TeX."""
        table = _formulas(query, norm)
        return [tex_lines(str(table.loc[key, "formula"])) for key in self.columns.values()]


@cache
def _formulas(query: sl.Query, norm: float) -> pd.DataFrame:
    return formula_table(query, norm=norm)


MAIN = Table(
    "The sensitivity of a query whose records lie between L and U",
    {
        ("at most k changed", KNOWN): ("n", "Change"),
        ("at most k changed", LEAST): ("≥ m", "Change"),
        ("at most k added or removed", KNOWN): ("n", "SymmetricDifference"),
        ("at most k added or removed", LEAST): ("≥ m", "SymmetricDifference"),
    },
    (0.165, 0.165, 0.17, 0.235, 0.265),
)
REST = Table(
    "Exactly k records added, or exactly k removed",
    {
        ("k added", KNOWN): ("n", "Add"),
        ("k removed", KNOWN): ("n", "Remove"),
        ("k added or k removed", LEAST): ("≥ m", "AddRemove"),
    },
    (0.17, 0.27, 0.27, 0.29),
)
TABLES = (MAIN, REST)

# What each letter stands for: (letters, meaning in words and TeX between dollars).
LETTERS = [
    ("L, U, R", "every record lies between $L$ and $U$, in any number of copies, and $R = U - L$"),
    ("k", "the distance: how many records differ"),
    ("n; m", "the size, if it is public; else a least size $m$ of both datasets"),
    (
        "g(c, a, b)",
        r"the largest $\mathrm{clip}(t - l) - \mathrm{clip}(t - l - \delta)$ over whole $l$ from "
        r"0 to $c$, where "
        r"$t = q(c + a - 1) + 1$, $\delta = qa + (1 - q)b$, and clip cuts to $[0, 1]$",
    ),
    ("v(N)", r"$\frac{i(N - i)}{N(N - d)}$ with $i = \min(k,\ \lfloor N/2 \rfloor)$"),
    (
        "w(c), u(c)",
        r"$w = \frac{s}{c - d} - \frac{s}{c + k - d}$ and $u = \sqrt{\frac{s}{c - d}} - "
        r"\sqrt{\frac{s}{c + k - d}}$, "
        r"where $s = \lfloor c/2 \rfloor \lceil c/2 \rceil / c$",
    ),
    ("d", "ddof, here at most 2: a variance divides by the size minus $d$"),
    (
        "D(c, a, b)",
        r"of a variance: $R^{2} v$ of $N = c + a$ records with $k = a$ if $a \geq b$, "
        r"else $R^{2}$ times the largest "
        r"$\frac{(i + j)(c + a - i - j)}{(c + a)(c + a - d)} - \frac{j(c - j)}{c(c + b - d)}$ "
        r"over whole $i \leq a$, $j \leq c$; "
        "of a standard deviation: see the proofs",
    ),
    ("a population", "of known records: there all formulas are upper bounds"),
    (
        "k added or removed",
        "at a known size exactly $k$ added or exactly $k$ removed: the larger of the two",
    ),
]


# ---- on the page ---------------------------------------------------------------------------------


def page_table(table: Table) -> Html:
    """Return one of the two tables for the page; MathJax sets its formulas."""
    relations = list(dict.fromkeys(relation for relation, _ in table.columns))
    spans = [sum(relation == name for name, _ in table.columns) for relation in relations]
    top = "".join(
        f'<th colspan="{n}" scope="colgroup">{r}</th>'
        for r, n in zip(relations, spans, strict=True)
    )
    sizes = "".join(f'<th scope="col">{_inline(size)}</th>' for _, size in table.columns)
    rows = "".join(_row(name, table.cells(query, norm)) for name, query, norm in QUERIES)
    return Html(
        f'<table class="sheet"><caption>{table.title}</caption>'
        f'<thead><tr><th rowspan="2" scope="col">query</th>{top}</tr><tr>{sizes}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def page_letters() -> Html:
    """Return what the letters mean, as a list of terms."""
    items = "".join(f"<dt>{escape(term)}</dt><dd>{_inline(text)}</dd>" for term, text in LETTERS)
    return Html(f'<dl class="sheet">{items}</dl>')


@dataclass(frozen=True)
class Html:
    """Something that a notebook shows as it is."""

    text: str

    def _repr_html_(self) -> str:
        return self.text


def _row(name: str, cells: Sequence[Sequence[str]]) -> str:
    shown = "".join(f"<td>{'<br>'.join(map(_math, lines))}</td>" for lines in cells)
    return f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>'


def _math(formula: str) -> str:
    return rf'<span class="math notranslate nohighlight">\({escape(formula)}\)</span>'


def _inline(text: str) -> str:
    """Words, with formulas between dollars."""
    pieces = text.split("$")
    return "".join(_math(piece) if i % 2 else escape(piece) for i, piece in enumerate(pieces))


# ---- on paper ------------------------------------------------------------------------------------

A4 = 11.69, 8.27  # inches, landscape
MARGIN, LINE = 0.035, 0.034  # shares of the width and of the height
LOOK: dict[Any, Any] = {"font.family": "DejaVu Sans", "mathtext.fontset": "cm"}


def write_pdf(path: Path) -> None:
    """Write the sheet on two A4 pages, landscape:
    the first table, then the second and the letters."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        mpl.rc_context(LOOK),
        PdfPages(path, metadata={"CreationDate": None, "Title": "Formulas"}) as pdf,
    ):
        for page in pages():
            pdf.savefig(page)


def pages() -> list[Figure]:
    """The two pages as figures."""
    first, second = (Figure(figsize=A4) for _ in range(2))
    _heading(first, 0.96, MAIN.title)
    _draw(first, MAIN, 0.92, tall=1.12)
    _heading(second, 0.96, REST.title)
    below = _draw(second, REST, 0.92, tall=0.82)
    for term, text in LETTERS:
        lines = _wrapped(text, 190)
        second.text(MARGIN, below, term, fontsize=8.5, weight="bold", va="top")
        for line in lines:
            second.text(0.17, below, line, fontsize=8.5, va="top")
            below -= 0.032 if "frac" in line else 0.022
    return [first, second]


def _heading(page: Figure, y: float, words: str) -> None:
    page.text(MARGIN, y, words, fontsize=14, weight="bold", va="top")


def _draw(page: Figure, table: Table, top: float, tall: float) -> float:
    """Draw a table from `top` downwards, and return where it ends; `tall` stretches its lines."""
    starts = [MARGIN + (1 - 2 * MARGIN) * sum(table.widths[:i]) for i in range(len(table.widths))]
    for x, (relation, size) in zip(starts[1:], table.columns, strict=True):
        words = (
            f"{relation}\n"
            f"{size.replace('n', '$n$') if size == KNOWN else size.replace(' m', ' $m$')}"
        )
        page.text(x, top, words, fontsize=9, weight="bold", va="top", linespacing=1.4)
    y = top - 0.058
    for name, query, norm in QUERIES:
        page.add_artist(Line2D([MARGIN, 1 - MARGIN], [y, y], linewidth=0.4, color=MIDDLE))
        cells = table.cells(query, norm)
        height = max(sum(_height(line) for line in cell) for cell in cells) * tall
        page.text(MARGIN, y - height / 2, name, fontsize=9, va="center")
        for x, cell in zip(starts[1:], cells, strict=True):
            _stack(page, x, y - height / 2, cell, tall)
        y -= height
    return y - 0.02


def _stack(page: Figure, x: float, middle: float, lines: Sequence[str], tall: float) -> None:
    """Lines below one another, centred about `middle`."""
    heights = [_height(line) * tall for line in lines]
    y = middle + sum(heights) / 2
    for line, height in zip(lines, heights, strict=True):
        page.text(x, y - height / 2, f"${line}$", fontsize=10, va="center")
        y -= height


def _height(line: str) -> float:
    """What a line takes of the page: a fraction takes more."""
    return 0.062 if "frac" in line else 0.044 if "_{" in line else 0.031


def _wrapped(text: str, most: int) -> list[str]:
    """Lines of words and formulas of about `most` characters; a formula is not broken."""
    lines = [""]
    for word in re.findall(r"(?:[^\s$]|\$[^$]*\$)+", text):
        if len(lines[-1]) + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
