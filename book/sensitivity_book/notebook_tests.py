"""How nbval compares the notebooks: pytest loads this wherever the book's tools are installed.

A number, a word or a table must be the same, to the last digit.  So must the words of a picture,
and what it consists of; its points may lie elsewhere by as much as another Matplotlib puts them.
"""

import os
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

PAGE = "SENSITIVITY_BOOK_PAGE"  # as in `pictures.phone`, which brings Matplotlib
SLACK = 6.0  # points
LONG = 24  # points of a curve, of which Matplotlib leaves out what makes no difference
DRAWN = re.compile(
    r"\b(?:d|x|y|x\d|y\d|width|height|viewBox|transform|points)=\"[^\"]*\""  # where it lies
    r"|\b(?:style|id)=\"[^\"]*\"|url\(#[^)]*\)|href=\"#[^\"]*\""  # names are made of that
)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def pytest_configure(config: Any) -> None:
    """Compare as `nbval.cfg` says, unless the caller has rules of his own."""
    asked = vars(config.option)
    if asked.get("nbval") or asked.get("nbval_lax"):
        os.environ.setdefault(PAGE, "opening")
        os.environ.setdefault("TQDM_DELAY", "9999")  # no bar, however slow the machine
        rules = resources.files("sensitivity_book") / "nbval.cfg"
        config.option.nbval_sanitize_with = asked["nbval_sanitize_with"] or str(rules)


def pytest_itemcollected(item: Any) -> None:
    """Let a cell of a notebook compare its pictures by what they show."""
    if whole := getattr(item, "compare_outputs", None):
        item.compare_outputs = lambda test, ref, *more: whole([*stilled(test, ref)], ref, *more)


def stilled(test: list[Any], ref: list[Any]) -> Iterator[Any]:
    """What a cell answers, with each picture that shows what the stored one does in its place."""
    for at, output in enumerate(test):
        stored = ref[at].get("data", {}) if at < len(ref) else {}
        for kind, drawn in output.get("data", {}).items():
            if "<svg" in str(drawn) and kind in stored and alike(drawn, stored[kind]):
                output["data"][kind] = stored[kind]
        yield output


def alike(one: str, other: str) -> bool:
    """Whether two pictures say the same, and no point of one is far from that of the other.

    >>> alike('<svg x="1.2"><text>19</text></svg>', '<svg x="1.3"><text>19</text></svg>')
    True
    >>> alike('<svg x="1.2"><text>19</text></svg>', '<svg x="1.2"><text>20</text></svg>')
    False
    >>> alike('<svg d="M 0 0 L 9 9"></svg>', '<svg d="M 0 0 L 9 19"></svg>')
    False
    """
    (words, places), (others, theirs) = taken_apart(one), taken_apart(other)
    near = (abs(x - y) <= SLACK for x, y in zip(places, theirs, strict=False))
    return words == others and len(places) == len(theirs) and all(near)


def taken_apart(drawn: str) -> tuple[str, list[float]]:
    """What a picture says and consists of, and where that lies."""
    drawn = re.sub(r'<script type="application/json">.*', "", drawn)  # frames, which wait
    places: list[float] = []

    def kept(found: re.Match[str]) -> str:
        if found[0].startswith(("id", "url", "href")):
            return ""
        if found[0].startswith("style"):  # one writes `font: 12px …`, another `font-size: 12px; …`
            declared = found[0][7:-1].split(";")
            return "; ".join(sorted(one.strip() for one in declared if "font" not in one))
        numbers = [*map(float, NUMBER.findall(found[0]))]
        if len(numbers) <= 2 * LONG:
            places.extend(numbers)
            return NUMBER.sub("", found[0])
        for side in numbers[::2], numbers[1::2]:
            places.extend((side[0], side[-1], min(side), max(side)))
        return "".join(sorted({*re.sub(NUMBER, "", found[0])}))

    return " ".join(DRAWN.sub(kept, drawn).split()), places
