"""Numbers in a chapter's sentences are those of its cells, or of the ties below them."""

import re
from fractions import Fraction
from html import unescape
from itertools import pairwise, product

import pytest
from conftest import in_turn
from lab_copies import CHAPTERS, read, ties

from sensitivity_lab.definition import QUERIES, greatest, population_pairs

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


def says(number, known):
    """Whether a written number is one of the known, rounded to the digits that it shows."""
    text = number.replace(",", "")
    if "/" in text:
        return Fraction(text) in known
    zeros = len(text) - max(2, len(text.rstrip("0")))
    unit = Fraction(10) ** (-len(text.split(".")[1]) if "." in text else max(0, zeros))
    return any(2 * abs(value - Fraction(text)) <= unit for value in known)


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
def test_every_number_is_held_by_a_cell_or_a_tie(page):
    """Catches a number of a sentence that its cells deny, or that nothing holds."""
    assert [*ties.faults(page.stem)] == []


def test_a_slip_by_one_is_noticed():
    """Catches a rule by which a number is held that lets its neighbours pass."""
    drawn = [*ties.slipped(200, [page.stem for page in CHAPTERS])]
    assert sum(seen for _, seen in drawn) >= 195


def test_a_tie_holds_the_number_that_it_gives_and_no_other():
    """Catches a tie that failed, or was not run since it changed, and holds all the same."""
    for given in (["4"], ["not run"], ["name 'x' is not defined"], [], ["3", "3"]):
        assert ties.fault(["3"], set(), set(), given)
    assert not ties.fault(["3.14", "1/3"], set(), set(), ["3.14159", "1/3"])


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_columns_go_as_sentences_say(page):
    """Catches a column that goes another way."""
    assert list(ways_denied(list(cells(page)))) == []


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
