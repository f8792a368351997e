"""Numbers in a chapter's sentences are those of the cells beside them, or are computed here."""

import math
import re
from fractions import Fraction
from html import unescape
from itertools import pairwise, product

import pytest
from conftest import in_turn
from lab_copies import CHAPTERS, read, ties

from sensitivity_lab.definition import QUERIES, greatest, population_pairs

# Where every number of a sentence is held: by a cell, or by a tie below its paragraph.
HELD = [page for page in CHAPTERS if "\n% = " in page.read_text(encoding="utf-8")]
# What no cell of another has: how to compute it, after "=", or in words why it needs no cell.
ELSEWHERE = """
a-blog-checked: 520 = 320 + 200; 200 the sequel's, compared below; 256 counted below
arithmetic: 172 = 72 + 100; 173 = 100 + 73; 65,504 = (2 - 2**-10) * 2**15; 1.11 = exp(0.1)
arithmetic: 90,071,992 = 2**53 // 10**8; 0.01 a cent; 3.12 a version
joins: 4,096 = 2**12; 100 part of a statement; 1.284 = exp(0.25)
local-and-smooth: 10.2 = 2 * log(160)
neighbours-in-detail: 365 days; 876 = 0.1 * 24 * 365
norms: 1.25 a constant of the source; 120 = 360 / 3
peers: 50000 a record of theirs; 4.605 = log(100)
privacy-maps: 125 = 25 + 100; 160,000 = exp(12) // 10_000 * 10_000
"""
EXCEPTIONS = [
    (page, *re.fullmatch(r"(\S+) (= )?(.*)", entry).groups())
    for page, entries in (line.split(": ") for line in ELSEWHERE.split("\n")[1:-1])
    for entry in entries.split("; ")
]

NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|\.\d)")
GOES = re.compile(
    r"\b(falls?|drops?|shrinks?|rises?|grows?)\b[^.]{0,30}? from \$?([\d.,/]*\d)\$?"
    r"[^.]{0,20}? to (?:\$?([\d.,/]*\d)|nothing)"
)


def plain(text):
    """Prose without fences, code, roles and links; numbers as people write them."""
    text = re.sub(r"(?ms)^```(?:python|text)$.*?^```$", " ", text)
    text = re.sub(r"^(?:`{3,}|:{3,}|~{3,}).*$|^:\w.*$|^ *% = .*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"\[(?:[Ii]ssue|pull request) \d+\]\([^)]*\)|\]\([^)]*\)", " ", text)
    text = re.sub(r"\{[\w:]+\}`[^`]*`|`[^`\n]*`", " ", text).replace("{,}", ",")
    text = re.sub(r"(\d) million\b", r"\1,000,000", text)
    return re.sub(r"\\frac\{?(\d+)\}?\{?(\d+)\}?", r" \1/\2 ", text)


def shown(output):
    """What a reader sees of an output: its text, and a table's; no picture and no script."""
    data = output.get("data", {})
    table = re.sub(r"(?s)<(script|svg|style).*?</\1>", " ", "".join(data.get("text/html", "")))
    table = unescape(re.sub(r"<[^>]*>", " ", table))
    return "\n".join(["".join(output.get("text", "")), "".join(data.get("text/plain", "")), table])


def cells(page):
    """The cells of a chapter: kind, source, and what its outputs show."""
    for cell in read(page.stem).cells:
        texts = [shown(output) for output in cell.get("outputs", ())]
        yield cell["cell_type"], "".join(cell["source"]), "\n".join(texts)


def values(text):
    """All numbers in a text, without signs; of a fraction the whole and its parts."""
    text = re.sub(r"Fraction\(-?(\d+), (\d+)\)", r"\1/\2", text).replace("_", "")
    found = re.findall(r"\d+/[1-9]\d*|\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", text)
    return {Fraction(each.replace(",", "")) for each in found + re.findall(r"\d+", text)}


def says(number, known, scale=1):
    """Whether a written number is one of the known, rounded to the digits that it shows."""
    text = number.replace(",", "")
    if "/" in text:
        return Fraction(text) in known
    zeros = len(text) - max(2, len(text.rstrip("0")))
    unit = Fraction(10) ** (-len(text.split(".")[1]) if "." in text else max(0, zeros))
    return any(2 * abs(value * scale - Fraction(text)) <= unit for value in known)


def telling(number):
    """Two decimals or three digits: enough not to stand on the page by chance; and no year."""
    digits = number.replace(",", "").replace(".", "").lstrip("0")
    two = len(number.partition(".")[2]) >= 2
    return (two or len(digits) >= 3) and not re.fullmatch(r"(?:19|20)\d\d", number)


def strange(read):
    """The telling numbers of a page's prose that no cell, up to three below, holds or prints."""
    code = [values(source + "\n" + told) for kind, source, told in read if kind == "code"]
    above = 0
    for kind, source, _ in read:
        above += kind == "code"
        known, text = set().union(*code[: above + 3]), plain(source)
        for found in NUMBER.finditer(text) if kind == "markdown" else ():
            scales = (1, 100) if re.match(r"\s*\\?%", text[found.end() :]) else (1,)
            if telling(found[0]) and not any(says(found[0], known, scale) for scale in scales):
                yield found[0]


def ways_denied(read):
    """Sentences in which a column goes from one number to another, and it does not."""
    printed = [(place, told) for place, (kind, _, told) in enumerate(read) if kind == "code"]
    for place, (kind, source, _) in enumerate(read):
        near = [told for at, told in printed if at < place][-1:]
        near += [told for at, told in printed if at > place][:1]
        parts = re.split(r"[.;:!?](?:\s|$)|\n\n|\|", plain(source))
        found = filter(None, (GOES.search(" ".join(part.split())) for part in parts))
        for way, told in product(found, near) if kind == "markdown" else ():
            keys, ends = values(way.string[: way.start()]), (way[2], way[3] or "0")
            sign = 1 if way[1][0] in "rg" else -1
            lines = [re.findall(r"\d+(?:\.\d+)?", line) for line in told.splitlines()]
            lines = [[Fraction(each) for each in line] for line in lines if line]
            column = [line[-1] for line in lines if keys <= {*line}]
            places = ([at for at, x in enumerate(column) if says(end, {x})] for end in ends)
            runs = [pairwise(column[i : j + 1]) for i, j in product(*places) if i < j]
            if runs and not any(all(sign * (y - x) >= 0 for x, y in run) for run in runs):
                yield way.string


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_sentences_say_what_their_cells_say(page):
    """Catches a number that no cell has, and a column that goes another way."""
    read = list(cells(page))
    if page not in HELD:
        known = {number for name, number, *_ in EXCEPTIONS if name == page.stem}
        assert set(strange(read)) == known
    assert list(ways_denied(read)) == []


@pytest.mark.parametrize(("page", "number", "made", "how"), [e for e in EXCEPTIONS if e[2]])
def test_a_number_that_no_cell_has_is_right(page, number, made, how):
    """Catches a number that was typed and never computed."""
    assert says(number, {Fraction(eval(how, vars(math)))})


@pytest.mark.parametrize("page", HELD, ids=lambda page: page.stem)
def test_every_number_is_held_by_a_cell_or_a_tie(page):
    """Catches a number of a sentence that its cells deny, or that nothing holds."""
    assert [*ties.faults(page.stem)] == []


def test_a_slip_by_one_is_noticed():
    """Catches a rule by which a number is held that lets its neighbours pass."""
    drawn = [*ties.slipped(200, [page.stem for page in HELD])]
    assert sum(seen for _, seen in drawn) >= 195


def test_the_schools_picture_is_told_as_it_is_drawn():
    """Catches an alternative text, which no cell prints, whose last numbers are another curve's."""
    shown = [cell["metadata"].get("mystnb", {}) for cell in read("school").cells]
    [bend] = [one for one in shown if one.get("figure", {}).get("name") == "fig-school-bend"]
    days = [1, 2, 3, 4, 5, 6, 7, 8, 15, 20]
    for k in in_turn([3, 4]):
        pairs = population_pairs(days, 6, "Change", k)
        assert re.search(rf"\b{greatest(*QUERIES['sum'], pairs).value}\b", bend["image"]["alt"])


def test_the_reader_sees_what_it_is_there_for():
    """Catches a guard that lets pass what it was made for."""
    days = "(70, 80) 12 days: 0.48\n(70, 80) 48 days: 1.88\n(70, 80) 100 days: 0.00\n"
    falls = "Over $[70, 80]$ it falls from 0.48 to nothing"

    def after(text):
        return [("code", "", days), ("markdown", text + ".", "")]

    assert list(ways_denied(after(falls))) == [falls]
    assert list(ways_denied(after(falls.replace("0.48", "1.88")))) == []
    assert list(strange(after("By 1.9, 1.88 or 1.89, by 188 % or 1,000"))) == ["1.89", "1,000"]
