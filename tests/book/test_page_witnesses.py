"""Every witness that a chapter prints is recomputed from the printed text, and from nothing else.

Standard queries and relations are those of the definition (`definition.py`), which shares no code with
the package; a function that a chapter defines is taken from the chapter.
"""

import ast
import json
import re
from collections import Counter
from fractions import Fraction
from html import unescape
from math import isclose
from typing import NamedTuple

import nbformat
import numpy as np
import pytest
from conftest import ROOT

from sensitivity_lab.definition import QUERIES, gap, quantile, related

# The other names, and the other quantile, that explorers ask about.
NAMED = QUERIES | {"quantile(0.5)": QUERIES["median"], "quantile(0.75)": (quantile("3/4"), 1)}
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SAFE = {"collections", "fractions", "itertools", "math", "numpy", "pandas"}  # imports of chapters

ENTRY = r"(?:-?\d[\d./]*(?:e[-+]?\d+)?|None)(?: ×\d+)?"
SHOWN = rf"\((?:{ENTRY}(?:, {ENTRY})*)?\)"  # as people write it: (1, 2), (1) or ()
PYTHON = rf"\((?:{ENTRY},|{ENTRY}(?:, {ENTRY})+)?\)"  # as Python does: (1, 2), (1,) or ()
FRACTION = re.compile(r"Fraction\((-?\d+), (\d+)\)")
PAIR = re.compile(rf"\(?(?P<x>{PYTHON})[ ,]+(?P<y>{PYTHON})\)?")
RELATION = re.compile(r"\b(AddRemove|SymmetricDifference|Change|Add|Remove)\((\d+)\)")
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:/\d+|\.\d+)?(?:e[-+]?\d+)?(?![\w(])")
ASKED = re.compile(r"(?:global|local)_sensitivity\(\s*([\w.]+)")
AUDITED = re.compile(r"sl\.audit(?:_map)?\(\s*(\w+)")


class Printed(NamedTuple):
    """One output: the chapter, its functions so far, the cell's source, the text."""

    chapter: str
    functions: dict
    source: str
    text: str


def printed():
    """All stored outputs, in the order of the book's files."""
    for path in CHAPTERS:
        functions = {}
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type != "code":
                continue
            learn(cell.source, functions)
            for output in cell.outputs:
                data = output.get("data", {})
                texts = [
                    output.get("text", ""),
                    data.get("text/plain", ""),
                    data.get("text/html", ""),
                ]
                for text in filter(None, texts):
                    yield Printed(path.stem, dict(functions), cell.source, text)


def learn(source, functions):
    """Take over what a cell imports and the functions that it defines; run nothing else."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            wanted = all(name.name.split(".")[0] in SAFE for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            wanted = node.module in SAFE
        else:
            wanted = isinstance(node, ast.FunctionDef) and not node.decorator_list
        if wanted:
            try:
                exec(compile(ast.Module([node], []), "<chapter>", "exec"), functions)
            except NameError:  # a default that names something of the chapter
                continue


@pytest.fixture(scope="module")
def outputs():
    return list(printed())


def read(text):
    """A printed dataset: (1, 2.5, 1/3), None for a gap, 1 ×127 for equal records."""
    records = []
    for entry in filter(None, text.strip("()").split(", ")):
        value, _, times = entry.strip(",").partition(" ×")
        records += [None if value == "None" else number(value)] * int(times or 1)
    return tuple(records)


def number(text):
    value = Fraction(text.replace(",", ""))
    return int(value) if value.denominator == 1 else value


def says(text, value):
    """Whether a printed number is the value: exactly, or to the digits that a decimal shows."""
    if "." in text or "e" in text:
        four_digits = len(text.replace(".", "").lstrip("0-")) == 4  # as beside a fraction
        return isclose(number(text), value, rel_tol=5e-4 if four_digits else 1e-5)
    return number(text) == value


def assert_neighbours(kind, k, x, y):
    x, y = Counter(x), Counter(y)
    assert related(kind, int(k), (x - y).total(), (y - x).total())


def test_printed_results_say_what_their_witness_shows(outputs):
    """Catches a stored `Sensitivity(…)` whose two datasets are not that far apart."""
    result = re.compile(
        r"Sensitivity\(value=(.*), (witness=.*), method=.*query='(.*)', relation=(\w+\(\d+\))"
    )
    checked = 0
    for output in outputs:
        for value, witness, name, relation in result.findall(output.text):
            pair = PAIR.search(witness)
            x, y = read(pair["x"]), read(pair["y"])
            answer = QUERIES[name][0]
            assert says(FRACTION.sub(r"\1/\2", value), gap(answer(x), answer(y), 1))
            assert_neighbours(*RELATION.match(relation).groups(), x, y)
            checked += 1
    assert checked >= 3


def test_tables_of_results_say_what_their_witness_shows(outputs):
    """Catches a result's table with a dataset, an answer or a sensitivity of another."""
    cell = re.compile(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>")
    checked = 0
    for output in outputs:
        card = dict(cell.findall(unescape(output.text)))
        if not {"query", "neighbour"} <= card.keys():
            continue
        answer = QUERIES[card["query"]][0]
        sides = [card[side].split(" → ") for side in ("dataset", "neighbour")]
        x, y = (read(dataset) for dataset, _ in sides)
        values = answer(x), answer(y), gap(answer(x), answer(y), 1)
        texts = *(shown for _, shown in sides), card["sensitivity"]
        for text, value in zip(texts, values, strict=True):
            assert all(says(part, value) for part in NUMBER.findall(text))
        assert_neighbours(*RELATION.match(card["relation"]).groups(), x, y)
        checked += 1
    assert checked >= 3


def test_every_setting_of_the_witness_explorers_says_what_its_pair_shows(outputs):
    """Catches a frame whose two datasets are no neighbours, or not that far apart."""
    sentence = re.compile(
        r"(?P<query>.+) at k = (?P<k>\d+), (?P<phrase>.+?): the sensitivity is (?P<value>.+)\. "
        rf"(?P<x>{SHOWN}) against (?P<y>{SHOWN})\."
    )
    checked = 0
    for output in outputs:
        for data in re.findall(
            r'<script type="application/json">(.*?)</script>', output.text, re.DOTALL
        ):
            for text, alt, *_ in json.loads(data)["frames"]:
                if not (found := sentence.fullmatch(text)):
                    continue
                k, x, y = int(found["k"]), read(found["x"]), read(found["y"])
                answer = NAMED[found["query"]][0]
                distance = gap(answer(x), answer(y), 1)
                numbers = NUMBER.findall(found["value"])
                relation = relation_of(found["phrase"])
                curves = dict(part.split(": ") for part in alt.split(". ")[1].split("; "))
                numbers.append(curves[CURVES[relation]].split(", ")[k - 1])
                assert all(says(part, distance) for part in numbers), text
                assert_neighbours(relation, k, x, y)
                checked += 1
    assert checked >= 100


CURVES = {
    "AddRemove": "exactly k added or removed",
    "Change": "at most k changed",
    "SymmetricDifference": "at most k added or removed",
}


def relation_of(phrase):
    """The relation that a phrase such as "at most 2 records changed" describes."""
    if "changed" in phrase:
        return "Change"
    return "AddRemove" if phrase.startswith("exactly") else "SymmetricDifference"


def test_printed_pairs_are_as_far_apart_as_their_line_says(outputs):
    """Catches a printed witness that does not witness the number beside it."""
    checked, named = Counter(), 0
    for output in outputs:
        answer = asked(output)
        # A line that opens with "((" is one dataset of vectors: tests/book/test_vectors.py has those.
        lines = [line for line in output.text.splitlines() if not line.startswith("((")]
        pairs = [(line, pair) for line in lines if (pair := PAIR.search(line))]
        if answer is None or "Sensitivity(" in output.text or "<" in output.text:
            continue
        for line, pair in pairs:
            x, y = read(pair["x"]), read(pair["y"])
            answers = answered(answer, x), answered(answer, y)
            if None in answers:
                continue
            distance = gap(*answers, 1)
            rest = FRACTION.sub(r"\1/\2", line.replace(pair[0], " "))
            assert any(says(part, distance) for part in NUMBER.findall(rest)), (
                output.chapter,
                line,
            )
            checked[output.chapter] += 1
            relations = set(RELATION.findall(line)) or set(RELATION.findall(output.source))
            if len(relations) == 1:
                assert_neighbours(*relations.pop(), x, y)
                named += 1
    assert len(checked) >= 6
    assert checked.total() >= 20
    assert named >= 20


def asked(output):
    """The one query that a cell asks, if it is a standard one or a function of the chapter."""
    names = set(ASKED.findall(output.source))
    if len(names) != 1:
        return None
    name = names.pop()
    if name.startswith("sl."):
        return QUERIES.get(name.removeprefix("sl.").lower(), [None])[0]
    return output.functions.get(name)


def test_printed_audits_can_be_checked(outputs):
    """Catches a report whose pair is none, or whose function does not answer what it says."""
    row = re.compile(
        rf"^(?P<head>.*(?:exact|found) (?P<value>\S+))\n  (?P<x>{SHOWN}) → (?P<a>.+)\n"
        rf"  (?P<y>{SHOWN}) → (?P<b>.+)$",
        re.MULTILINE,
    )
    rows = sides = 0
    for output in outputs:
        for found in row.finditer(output.text):
            x, y = read(found["x"]), read(found["y"])
            if relation := RELATION.search(found["head"]):
                assert_neighbours(*relation.groups(), x, y)
                if all(re.fullmatch(NUMBER, found[side]) for side in "ab"):
                    assert says(found["value"], abs(number(found["a"]) - number(found["b"])))
                rows += 1
            heading = re.search(r"^(\w+): too small", output.text, re.MULTILINE)
            name = (heading or AUDITED.search(output.source) or [None, None])[1]
            narrow = re.search(r"np[.](u?int\d+)", output.text)  # the report names its universe
            for dataset, shown in ((x, found["a"]), (y, found["b"])):
                records = tuple(map(getattr(np, narrow[1]), dataset)) if narrow else dataset
                answer = answered(output.functions.get(name), records)
                if answer is not None:
                    told = [number(part) for part in NUMBER.findall(shown)]
                    assert told == list(np.atleast_1d(answer)), (output.chapter, found[0])
                    sides += 1
    assert rows >= 8
    assert sides >= 22


def answered(function, dataset):
    """A function's answer, or None where it needs more of its chapter than functions."""
    try:
        return function(dataset) if function else None
    except NameError:
        return None
