"""Hold the numbers of the chapters' sentences to their cells.

    .venv/bin/python scripts/ties.py by-hand    what nothing holds, paragraph by paragraph
    .venv/bin/python scripts/ties.py 200        how many of 200 slips by one are noticed

A number is held where it stands in a cell of its section, and neither the one before nor the one
after does, which a slip would hit. For what is left in a paragraph a comment, which no page shows,
has an expression each, in their order; `# words` behind them say where no cell can have it:

    One swap moves the mean by $19/6$ of a day: the 19 days are shared among six.
    % = days["Rick"] - days["Chris"]

`make outputs` evaluates it behind the code cell above, and stores its values in that cell.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from typing import Any

import nbformat
from chapters import NOTEBOOKS, TIE, chapter, code_cells, noted, tied

NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?!\w|\.\d)")
BLOCK = re.compile(r"(?ms)^ *(`{3,})(?:\{answer\}|\w+$).*?^ *\1$")  # code that only stands there
SILENT = (  # what is no statement about the data: the marks of the text, names and dates
    r"^ *(?:`{3,}|:{3,}|~{3,})(?:\{[\w:-]+\})?|^ *:\w.*$|^\(.*\)=$|^ *% .*$"
    r"|\[(?:[Ii]ssue|pull request) \d+\]\([^)]*\)|\]\([^)]*\)|\{[\w:]+\}`[^`]*`|`[^`\n]*`"
    r"|\b\d{1,2} (?:(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Sept|Nov|Dec)ember"
    r"|October)"
    r"|\b\d+ minutes|\b\d+ for the exercises|(?<![\w.,])(?:19|20)\d\d(?!\w|[.,]\d)|^ *\d\. "
    r"|(?:[Aa]lgorithm|[Aa]ppendix|[Cc]hapter|Claim|[Cc]orollary|[Dd]efinition|[Ee]quation"
    r"|[Ff]igure|[Ii]ssue|[Ll]emma|[Pp]ages?|[Pp]roposition|Python|[Ss]ection|[Tt]able|[Tt]heorem"
    r"|[Vv]ersion) \(?\d[\d.]*\)?"
)
UNSEEN = r"(?s)<(script|svg|style).*?</\1>|<[^>]*>"
FORMULA = re.compile(  # an index, an exponent, and what is added to a letter
    r"(?<=[A-Za-z)}])(?:[_^]\{?(?:\w ?= ?)?-?\d+\b\}?|\s*[-+]\s*\d+\b(?![./{]))"
    r"|\b\d+\s*[-+]\s*(?=[A-Za-z])"
)


def numbers(paragraph: str) -> list[str]:
    """The numbers that a paragraph states."""
    said = re.sub(SILENT, " ", paragraph, flags=re.MULTILINE).replace("{,}", ",")
    said = re.sub(r"\$+[^$]+\$+", lambda formula: FORMULA.sub(" ", formula[0]), said)
    said = re.sub(r"\\[dt]?frac\{?(\d+)\}?\{?(\d+)\}?", r" \1/\2 ", said)
    return NUMBER.findall(said)


def value(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def is_one(number: str, found: Fraction) -> bool:
    """Whether a written number is one that was found, rounded to the decimals that it shows."""
    unit = Fraction("/" not in number, 10 ** len(number.partition(".")[2]))
    return 2 * abs(abs(found) - value(number)) <= unit


def stated(cell: Any) -> set[Fraction]:
    """Every number in the code and the outputs of a cell."""
    data = [out.get("data", {}) for out in cell.outputs]
    pages = [re.sub(UNSEEN, " ", each.get("text/html", "")) for each in data]
    parts = [cell.source, *(out.get("text", "") for out in cell.outputs)]
    parts += [each.get("text/plain", "") for each in data] + [*map(unescape, pages)]
    shown = re.sub(r"Fraction\(-?(\d+), (\d+)\)", r"\1/\2", "\n".join(parts)).replace("_", "")
    found = re.findall(r"\d+/[1-9]\d*|\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?", shown)
    return {value(one) for one in found}


def slips(number: str) -> list[str]:
    """What a slip makes of a number: one more, and one less, of its last whole part."""
    above, bar, below = number.replace(",", "").partition("/")
    whole, point, rest = above.partition(".")
    return [f"{abs(int(whole) + step)}{point}{rest}{bar}{below}" for step in (-1, 1)]


def is_held(number: str, near: set[Fraction], known: set[Fraction]) -> bool:
    """Whether a cell has a number, and none a slip of it: of the section, or of the chapter where
    four digits, or a fraction in lowest terms, are nobody's by chance."""
    others = slips(number)
    if "/" in number:
        others = [one for one in others if str(value(one)) == one]
    long = "/" in number or len(re.sub(r"\D", "", number).lstrip("0")) >= 4
    where = known if long else near
    if "." in number:
        where = {round(one, len(number.partition(".")[2])) for one in where}
    return value(number) in where and not {*map(value, others)} & where


def paragraphs(name: str) -> Iterator[tuple[str, set[Fraction], set[Fraction], list[str]]]:
    """Each paragraph, the numbers of its section's cells and of all, and what its ties gave."""
    document = next(one for one in noted() if one.name == name)
    ran = nbformat.read(NOTEBOOKS / str(document.copy), as_version=4)
    stored = {cell.id: cell.metadata.get("ties", {}) for cell in code_cells(ran)}
    sections: list[tuple[list[Any], set[Fraction]]] = [([], set())]
    for cell, place in tied(chapter(document).cells):
        if cell.cell_type == "code":
            sections[-1][1].update(stated(cell))
            continue
        for paragraph in re.split(r"\n\s*\n(?! *% = )", BLOCK.sub("", cell.source)):
            if re.search(r"^(?:#|`{3,}\{exercise\})", paragraph, re.MULTILINE):
                sections.append(([], set()))
            given = [stored[place].get(one, "not run") for one in TIE.findall(paragraph)]
            sections[-1][0].append((paragraph, given))
    every = set().union(*(known for _, known in sections))
    for run, known in sections:
        for paragraph, given in run:
            yield paragraph, known, every, [one for each in given for one in each.split(", ")]


def fault(written: list[str], near: set[Fraction], known: set[Fraction], given: list[str]) -> str:
    """What is wrong with a paragraph's numbers; nothing where all are held."""
    loose = [one for one in written if not is_held(one, near, known)]
    try:
        found = [Fraction(one) for one in given]
        if len(loose) == len(found) and all(map(is_one, loose, found)):
            return ""
    except ValueError:
        pass
    return f"{', '.join(loose)}: no cell holds them; tied: {', '.join(given)}"


def faults(name: str) -> Iterator[str]:
    """What is wrong with the numbers of a chapter's sentences."""
    for paragraph, *asked in paragraphs(name):
        if said := fault(numbers(paragraph), *asked):
            yield f"{said}\n    {paragraph.strip()[:96]!r}"


def slipped(draws: int, names: list[str]) -> Iterator[tuple[str, bool]]:
    """Of which chapter slips are that a seed draws, and whether they are noticed."""
    rng = random.Random("ties")
    found = [(name, *one) for name in names for one in paragraphs(name)]
    places = [(i, j) for i, one in enumerate(found) for j in range(len(numbers(one[1])))]
    for i, j in rng.choices(places, k=draws):
        name, paragraph, *asked = found[i]
        written = numbers(paragraph)
        before = fault(written, *asked)
        written[j] = rng.choice(slips(written[j]))
        yield name, not before and bool(fault(written, *asked))


def main(asked: str) -> None:
    if not asked.isdigit():
        print(*faults(asked), sep="\n")
        return
    names = [one.name for one in noted() if one.path.parent.name == "chapters"]
    drawn = [*slipped(int(asked), names)]
    noticed = Counter(name for name, seen in drawn if seen)
    every = Counter(name for name, _ in drawn)
    print(*(f"{name}: {noticed[name]} of {every[name]}" for name in names), sep="\n")
    print(f"{noticed.total()} of {asked} slips are noticed")


if __name__ == "__main__":
    main(sys.argv[1])
