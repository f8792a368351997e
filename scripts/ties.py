"""Hold the numbers of a chapter's sentences to its cells.

    .venv/bin/python scripts/ties.py by-hand        what no cell holds, paragraph by paragraph
    .venv/bin/python scripts/ties.py by-hand 200    how many of 200 slips by one it sees

A paragraph is held where each of its numbers stands in a cell of its section, and neither the one
before nor the one after does, which a slip would hit. Else a comment below it, which no page
shows, has an expression for each of its numbers, in their order; it is evaluated in the chapter's
own names, at that place:

    One swap moves the mean by $19/6$ of a day: the 19 days are shared among six.
    % = gap(mean, widest), 20 - 1
"""

import contextlib
import io
import math
import random
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from chapters import chapter, noted

TIE = re.compile(r"^ *% = (.*)$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?!\w|\.\d)")
SILENT = (  # what is no statement about the data
    r"(?s)`{3,}\{answer\}.*?`{3,}|(?-s:^(?:`{3,}|:{3,}|~{3,}).*$|^:\w.*$|^#.*$|^\(.*\)=$|^ *% .*$)"
    r"|\]\([^)]*\)|\{[\w:]+\}`[^`]*`|`[^`\n]*`|\b\d+ minutes|\b\d+ for the exercises"
)


def numbers(paragraph: str) -> list[str]:
    """The numbers that a paragraph states."""
    said = re.sub(SILENT, " ", paragraph, flags=re.MULTILINE).replace("{,}", ",")
    return NUMBER.findall(said)


def value(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def stated(source: str) -> set[Fraction]:
    """Every number in the code and the outputs of a cell."""
    source = re.sub(r"Fraction\(-?(\d+), (\d+)\)", r"\1/\2", source).replace("_", "")
    return {
        value(one) for one in re.findall(r"\d+/[1-9]\d*|\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?", source)
    }


def sections(cells: list[Any]) -> Iterator[tuple[list[Any], set[Fraction]]]:
    """Runs of cells below one heading, with the numbers that the code among them has."""
    run: list[Any] = []
    for cell in [*cells, None]:
        if cell is None or (cell.cell_type == "markdown" and re.search(r"^#", cell.source, re.M)):
            if run:
                code = (one for one in run if one.cell_type == "code")
                yield run, set().union(*(stated(shown(one)) for one in code))
            run = []
        if cell is not None:
            run.append(cell)


def shown(cell: Any) -> str:
    data = [out.get("data", {}) for out in cell.outputs]
    return "\n".join(
        [cell.source, *(out.get("text", "") for out in cell.outputs)]
        + [one.get("text/plain", "") for one in data]
    )


def slips(number: str) -> list[str]:
    """What a slip makes of a number: one more, and one less, of its last whole part."""
    above, bar, below = number.replace(",", "").partition("/")
    whole, point, rest = above.partition(".")
    return [f"{int(whole) + step}{point}{rest}{bar}{below}" for step in (-1, 1)]


def is_held(number: str, near: set[Fraction], known: set[Fraction]) -> bool:
    """Whether a cell has a number, and none a slip of it: of the section, or of the chapter where
    it is a fraction, which in lowest terms is nobody's by chance."""
    if "/" in number:
        others = [one for one in slips(number) if str(value(one)) == one]
        return value(number) in known and not {*map(value, others)} & known
    return value(number) in near and not {*map(value, slips(number))} & near


def paragraphs(
    cells: list[Any], name: str
) -> Iterator[tuple[str, set[Fraction], set[Fraction], Any]]:
    """Each paragraph, the numbers of its section's cells and of all, and what its comment has."""
    every = set().union(*(known for _, known in sections(cells)))
    names: dict[str, Any] = {**vars(math)}
    for run, known in sections(cells):
        for cell in run:
            if cell.cell_type == "code":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(cell.source, name, "exec"), names)
                continue
            for paragraph in re.split(r"\n\s*\n", cell.source):
                tied = TIE.findall(paragraph)
                yield (
                    paragraph,
                    known,
                    every,
                    eval(f"({', '.join(tied)},)", names) if tied else None,
                )


def fault(written: list[str], near: set[Fraction], known: set[Fraction], tied: Any) -> str:
    """What is wrong with a paragraph's numbers; nothing where all are held."""
    if tied is not None:
        wrong = [*map(value, written)] != [Fraction(str(one)) for one in tied]
        return f"{', '.join(written)}: the cells have {', '.join(map(str, tied))}" if wrong else ""
    loose = [one for one in written if not is_held(one, near, known)]
    return f"{', '.join(loose)}: no cell holds them" if loose else ""


def read(name: str) -> list[Any]:
    document = next(one for one in noted() if one.name == name)
    return [*paragraphs(chapter(document).cells, name)]


def faults(name: str) -> Iterator[str]:
    """What is wrong with the numbers of a chapter's sentences."""
    for paragraph, *asked in read(name):
        if said := fault(numbers(paragraph), *asked):
            yield f"{said}\n    {paragraph.strip()[:96]!r}"


def main(name: str, draws: int = 0) -> None:
    print(*faults(name), sep="\n")
    found = read(name)
    rng, noticed = random.Random(name), 0
    places = [(i, j) for i, (one, *_) in enumerate(found) for j in range(len(numbers(one)))]
    for i, j in rng.choices(places, k=draws):
        paragraph, *asked = found[i]
        written = numbers(paragraph)
        before = fault(written, *asked)
        written[j] = rng.choice(slips(written[j]))
        noticed += not before and bool(fault(written, *asked))
    print(f"{noticed} of {draws} slips are noticed")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
