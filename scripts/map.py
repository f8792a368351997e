"""Draw the book's map again: `python scripts/map.py` writes book/_static/map.svg.

The map is read off the chapters: the title and the line "You need" in the first cell of each
notebook that _toc.yml lists. What a chapter needs is drawn solid, what only helps dashed, and
what follows from other lines is left out.
"""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean
from textwrap import fill

import matplotlib as mpl
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Bow

from sensitivity_lab.plotting.style import COLOURS, INK, styled_figure

ROOT = Path(__file__).parents[1]
CURVE = [Bow.MOVETO, Bow.CURVE4, Bow.CURVE4, Bow.CURVE4]
MAP = ROOT / "book" / "_static" / "map.svg"


@dataclass(frozen=True)
class Chapter:
    """A chapter by its label: title, part of the book, and which labels it needs or is helped by."""

    title: str
    part: str
    needs: frozenset[str]
    helps: frozenset[str]


def chapters() -> dict[str, Chapter]:
    """Every notebook of the table of contents, in its order."""
    found, part = {}, ""
    for line in (ROOT / "_toc.yml").read_text(encoding="utf-8").splitlines():
        if caption := re.search(r"caption: (.*)", line):
            part = caption[1]
        elif file := re.search(r"file: (notebooks/[\w-]+)", line):
            label, chapter = _opening(ROOT / f"{file[1]}.ipynb", part)
            found[label] = chapter
    return found


def _opening(notebook: Path, part: str) -> tuple[str, Chapter]:
    """What the first cell says: its label, its title, and the sentences of "You need"."""
    text = "".join(json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]["source"])
    label, title = re.findall(r"\(([\w-]+)\)=\n# (.*)", text)[0]
    needed = re.findall(r"\*\*You need:?\*\*:?(.*?)\*\*Time", text, re.DOTALL)[0]
    kinds: dict[bool, set[str]] = {False: set(), True: set()}
    for sentence in re.split(r"[.;]\s", needed):
        kinds["help" in sentence].update(re.findall(r"\{ref\}`([\w-]+)`", sentence))
    return label, Chapter(title, part, frozenset(kinds[False]), frozenset(kinds[True]))


def _before(book: dict[str, Chapter], label: str) -> set[str]:
    """All that must be read before a chapter."""
    needs = book[label].needs
    return set(needs).union(*(_before(book, other) for other in needs))


def direct(book: dict[str, Chapter], label: str) -> tuple[set[str], set[str]]:
    """What a chapter needs, and what helps, without all that the other lines imply."""
    needs = set(book[label].needs)
    implied = set().union(*(_before(book, other) for other in needs))
    return needs - implied, set(book[label].helps - needs - implied)


def _layers(book: dict[str, Chapter]) -> list[list[tuple[str, ...]]]:
    """Rows of nodes: chapters below all that they need, and a bend for each line that passes a row."""
    depth: dict[str, int] = {}
    for label in book:
        above = set.union(*direct(book, label))
        depth[label] = 1 + max((depth[other] for other in above), default=-1)
    rows: list[list[tuple[str, ...]]] = [[] for _ in range(1 + max(depth.values()))]
    for label in book:
        rows[depth[label]].append((label,))
        for other in sorted(set.union(*direct(book, label))):
            for row in range(depth[other] + 1, depth[label]):
                rows[row].append((other, label, str(row)))
    return rows


def _neighbours(node: tuple[str, ...], lines: list[tuple[str, str]]) -> set[str]:
    """The chapters that a node is tied to; a bend is tied to both of its ends."""
    if len(node) > 1:
        return set(node[:2])
    return {end for line in lines if node[0] in line for end in line if end != node[0]}


def _positions(book: dict[str, Chapter]) -> dict[tuple[str, ...], tuple[float, float]]:
    """Where each node is drawn: its row, and across by the mean of what it is tied to."""
    rows = _layers(book)
    lines = [(other, label) for label in book for other in set.union(*direct(book, label))]
    across = {node: _spread(len(row), i) for row in rows for i, node in enumerate(row)}
    for _ in range(12):
        for row in rows:
            ends = {
                node: mean(across[(other,)] for other in _neighbours(node, lines)) for node in row
            }
            row.sort(key=lambda node: (ends[node], node))
            across |= {node: _spread(len(row), i) for i, node in enumerate(row)}
    return {node: (across[node], -float(i)) for i, row in enumerate(rows) for node in row}


def _spread(count: int, i: int) -> float:
    return (i + 0.5) / count


def draw(path: Path) -> None:
    """Draw the chapters as boxes, row by row, and a line from each to what builds on it."""
    book, place = chapters(), _positions(chapters())
    parts = list(dict.fromkeys(chapter.part for chapter in book.values()))
    with (
        mpl.rc_context({"svg.hashsalt": "map", "svg.fonttype": "path"}),
        styled_figure(figsize=(6.4, 7.8)) as figure,
    ):
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(-0.03, 1.03), ylim=(min(y for _, y in place.values()) - 0.5, 0.5))
        for label in book:
            needs, helps = direct(book, label)
            for other in sorted(needs | helps):
                bends = [place[node] for node in place if node[:2] == (other, label)]
                bends.sort(key=lambda point: -point[1])
                way = [place[(other,)], *bends, place[(label,)]]
                for (x1, y1), (x2, y2) in pairwise(way):
                    half = (y1 + y2) / 2
                    bow = Bow([(x1, y1), (x1, half), (x2, half), (x2, y2)], CURVE)
                    line = "-" if other in needs else "--"
                    axes.add_patch(PathPatch(bow, fill=False, edgecolor=INK, linestyle=line))
        for label, chapter in book.items():
            colour = COLOURS[parts.index(chapter.part)]
            box = {"facecolor": "white", "edgecolor": colour, "boxstyle": "round,pad=0.3", "lw": 2}
            text = f"{fill(chapter.title.split(':')[0], 14)}\n({chapter.part.lower().removeprefix('the ')})"
            axes.text(*place[(label,)], text, ha="center", va="center", fontsize=10, bbox=box)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw(MAP)
