"""Draw the book's map again: `python scripts/map.py` writes book/_static/map.svg.

The map is read off the chapters: the title and the line "You need" at the head of each that
_toc.yml lists. The path runs downwards; a room stands beside the last step of the
path that it needs, whether itself or by way of other rooms.
"""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[1]
MAP = ROOT / "book" / "_static" / "map.svg"
PATH, ROOMS = "The path", "Beside the path"


@dataclass(frozen=True)
class Chapter:
    """A chapter by its label: title, page, part of the book, and which labels it needs."""

    title: str
    page: str
    part: str
    needs: frozenset[str]


FIRST = Chapter("One number, six names", "book/intro", PATH, frozenset())


def chapters() -> dict[str, Chapter]:
    """Every chapter of the table of contents, in its order."""
    book, part = {}, ""
    for line in (ROOT / "_toc.yml").read_text(encoding="utf-8").splitlines():
        if caption := re.search(r"caption: (.*)", line):
            part = caption[1]
        elif file := re.search(r"file: (book/chapters/[\w-]+)", line):
            label, chapter = _opening(file[1], part)
            book[label] = chapter
    return book


def _opening(page: str, part: str) -> tuple[str, Chapter]:
    """What the head says: its label, its title, and the sentences of "You need"."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    label, title = re.findall(r"\(([\w-]+)\)=\n# (.*)", text)[0]
    needed = re.findall(r"\*\*You need:?\*\*:?(.*?)\*\*Time", text, re.DOTALL)[0]
    sentences = [one for one in re.split(r"[.;]\s", needed) if "help" not in one]
    needs = re.findall(r"\{ref\}`([\w-]+)`", " ".join(sentences))
    return label, Chapter(title, page, part, frozenset(needs))


def _before(book: dict[str, Chapter], label: str) -> set[str]:
    """All that must be read before a chapter."""
    needs = book[label].needs
    return set(needs).union(*(_before(book, other) for other in needs))


def beside(book: dict[str, Chapter]) -> dict[str, list[str]]:
    """The steps of the path, and for each the rooms of which it is the last that they need."""
    steps = [label for label, chapter in book.items() if chapter.part == PATH]
    hung: dict[str, list[str]] = {step: [] for step in steps}
    for label in book:
        if label not in hung:
            hung[max(_before(book, label) & hung.keys(), key=steps.index)].append(label)
    return hung


# ---- drawn: sizes in the picture's own units, of which a phone shows 400 across ------------------

WIDTH, ROW, TALL = 402, 50, 40
STEP, ROOM = (0, 172), (200, 202)  # where boxes begin, and how wide they are


def draw(path: Path) -> None:
    """Write the map: boxes that lead to their pages, in the colours of the page that shows it."""
    book, y, boxes, lines = chapters(), 4, [_box(FIRST, STEP, 4)], []
    middle = STEP[1] // 2
    for step, rooms in beside(book).items():
        above, y = y, y + ROW
        lines.append(f"M{middle},{above + TALL}V{y}")
        boxes.append(_box(book[step], STEP, y))
        for i, room in enumerate(rooms):
            there = y + i * ROW
            bow = f"H{ROOM[0]}" if i == 0 else f"h22V{there + TALL // 2}H{ROOM[0]}"
            lines.append(f"M{STEP[1]},{y + TALL // 2}{bow}")
            boxes.append(_box(book[room], ROOM, there))
        following = y + max(0, len(rooms) - 1) * ROW
        if following > y:
            lines.append(f"M{middle},{y + TALL}V{following + TALL}")
        y = following
    drawn = "".join(f'<path d="{line}"/>' for line in lines)
    path.write_text(
        f'<svg class="map" viewBox="-2 0 {WIDTH + 4} {y + TALL + 6}" '
        'xmlns="http://www.w3.org/2000/svg">'
        f"{drawn}{''.join(boxes)}</svg>\n",
        encoding="utf-8",
    )


def _box(chapter: Chapter, column: tuple[int, int], y: int) -> str:
    """A box that leads to its page: the title in one line or two."""
    x, width = column
    kind = {PATH: "step", ROOMS: "room"}.get(chapter.part, "behind")
    lines = wrap(chapter.title, 21 if kind == "step" else 25, max_lines=2, placeholder=" …")
    top = y + TALL / 2 + 4.5 - 7.5 * (len(lines) - 1)
    words = "".join(
        f'<tspan x="{x + width / 2:g}" y="{top + 15 * i:g}">{escape(line)}</tspan> '
        for i, line in enumerate(lines)
    )
    return (
        f'<a class="{kind}" href="../{chapter.page}.html">'
        f'<rect x="{x}" y="{y}" width="{width}" height="{TALL}" rx="6"/><text>{words}</text></a>'
    )


if __name__ == "__main__":
    draw(MAP)
