"""A witness of records that are no numbers as a picture: two small tables, what differs marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes

from sensitivity_beyond.tables import shown
from sensitivity_lab.numbers.text import true_minus, value_text
from sensitivity_lab.plotting.style import INK, KEYS, KINDS, PALE, WORDS, heading, kind_key
from sensitivity_lab.plotting.witness import MARGIN, Picture, space_of
from sensitivity_lab.results import Sensitivity, captions

# All lengths below are points on the page.
FONT = 12
LETTER = 0.602 * FONT  # of Matplotlib's own monospaced font
ROW = 18
MARK = 4 * LETTER  # room for a row's mark
GAP = 28  # between the two tables
MARKS = {shown.LEAVES: ("removed", "−"), shown.JOINS: ("added", "+")}

Side = tuple[
    str, list[tuple[shown.MarkedTable, shown.Grid]]
]  # the signs of a dataset's rows; its tables


@dataclass
class Sheet:
    """What is written and drawn, by where it stands: to the right, and down."""

    width: float = 0
    height: float = 0
    texts: list[tuple[float, float, str, dict[str, Any]]] = field(default_factory=list)
    marks: list[tuple[float, float, str]] = field(default_factory=list)
    grounds: list[tuple[float, float, float, str]] = field(default_factory=list)
    rules: list[tuple[float, float, float]] = field(default_factory=list)

    def write(self, x: float, y: float, text: str, **style: Any) -> None:
        """Write a text in the middle of the row that begins at y."""
        self.texts.append((x, y + ROW / 2, text, style))

    def paint(self, axes: Axes, room: tuple[float, float]) -> None:
        """Draw it in the middle of the axes, smaller where there is too little room."""
        scale = min(1.0, room[0] / self.width, room[1] / self.height)
        wide, high = room[0] / scale, room[1] / scale
        left, top = (self.width - wide) / 2, (self.height - high) / 2
        axes.set_axis_off()
        axes.set_xlim(left, left + wide)
        axes.set_ylim(top + high, top)
        for x, y, width, colour in self.grounds:
            axes.fill_between([x, x + width], y, y + ROW, color=colour, alpha=0.15, linewidth=0)
        for x, y, width in self.rules:
            axes.plot([x, x + width], [y, y], color=PALE, linewidth=1)
        for x, y, kind in self.marks:
            look = KINDS[kind] | {"markersize": 9 * scale * KINDS[kind]["markersize"]}
            axes.plot([x], [y], linestyle="", markeredgewidth=1.5 * scale, **look)
        for x, y, text, style in self.texts:
            plain: dict[str, Any] = {"family": "monospace", "fontsize": FONT * scale, "color": INK}
            plain["parse_math"] = False  # a record's dollars are dollars
            plain["in_layout"] = False  # the axes are as wide as the text, and stay so
            axes.text(x, y, text, va="center", **plain | style)


def sheet_of(marked: shown.Marked, captions: Sequence[str], value: str, room: float) -> Sheet:
    """Two tables, beside one another where there is room, else below one another."""
    letters = int((room - MARK) / LETTER)
    grids = [(one, one.grid(letters)) for one in marked.tables]  # alike on both sides
    sides: list[Side] = [(sign + shown.SHARED, grids) for sign in (shown.LEAVES, shown.JOINS)]
    wide = ([grid.width * LETTER + MARK for _, grid in side[1]] for side in sides)
    widths = [min(room, max([room * 0.4, *of])) for of in wide]  # a caption has half a page
    beside = sum(widths) + GAP <= room
    sheet = Sheet(width=sum(widths) + GAP if beside else max(widths))
    for line in (part for who in marked.who for part in wrap(who, int(room / LETTER))):
        sheet.write(0, sheet.height, line)
        sheet.width = max(sheet.width, len(line) * LETTER)
        sheet.height += ROW
    top = sheet.height
    for i, (side, caption) in enumerate(zip(sides, captions, strict=True)):
        x, y = (i * (widths[0] + GAP), top) if beside else (0, sheet.height)
        end = _write_side(sheet, side, caption, x, y, max(widths[i], sheet.width * (not beside)))
        sheet.height = max(sheet.height, end + ROW / 2)
    for line in wrap(f"sensitivity {value}", int(room / LETTER)):
        sheet.write(sheet.width / 2, sheet.height, line, ha="center", fontweight="bold")
        sheet.width = max(sheet.width, len(line) * LETTER)
        sheet.height += ROW
    return sheet


def _write_side(sheet: Sheet, side: Side, caption: str, x: float, y: float, width: float) -> float:
    """Write a dataset under its caption, and return where it ends."""
    signs, tables = side
    for line in wrap(_true_minuses(caption), max(10, int(width / LETTER))):
        sheet.write(x, y, line, fontweight="bold")
        y += ROW
    for table, grid in tables:
        if table.name is not None:
            sheet.write(x, y, f"{table.name}:")
            y += ROW
        y = _write_table(sheet, [*table.lines(signs)], table.columns, grid, x, y, width)
    return y


def _write_table(
    sheet: Sheet,
    lines: Sequence[tuple[str, shown.Line]],
    columns: Sequence[str],
    grid: shown.Grid,
    x: float,
    y: float,
    width: float,
) -> float:
    """Write a table's head, a rule and its rows with their marks, and return where it ends."""
    _write_cells(sheet, grid, columns, x, y)
    sheet.rules.append((x, y + ROW, width))
    for i, (sign, line) in enumerate(lines, start=1):
        here = y + i * ROW
        if sign in MARKS:
            kind, minus = MARKS[sign]
            sheet.grounds.append((x, here, width, KINDS[kind]["color"]))
            sheet.marks.append((x + LETTER, here + ROW / 2, kind))
            sheet.write(x + 2 * LETTER, here, minus, fontweight="bold")
        if isinstance(line, int):
            sheet.write(x + MARK, here, grid.line(line), color=WORDS)
        else:
            _write_cells(sheet, grid, line, x, here)
    if not lines:
        sheet.write(x + MARK, y + ROW, "no rows", color=WORDS)
    return y + (1 + max(1, len(lines))) * ROW


def _write_cells(sheet: Sheet, grid: shown.Grid, row: Sequence[Any], x: float, y: float) -> None:
    for text, edge, right in grid.cells(row):
        written, side = (_true_minuses(text), "right") if right else (text, "left")
        sheet.write(x + MARK + edge * LETTER, y, written, ha=side)


def _true_minuses(text: str) -> str:
    """A text whose negative numbers have true minuses; a date keeps its hyphens."""
    return re.sub(r"(?<![\w-])-(?=\d)", true_minus("-"), text)


def picture(sensitivity: Sensitivity, width: float, ax: Axes | None = None) -> Picture:
    """Two tables, with marks before the rows that differ."""
    marked = shown.marked_witness(sensitivity.universe, sensitivity.witness)
    title, value = heading(sensitivity.query, sensitivity.relation), value_text(sensitivity.value)
    sheet = sheet_of(marked, captions(sensitivity), true_minus(value), 72 * width - 2 * MARGIN)
    legend = zip(("removed", "added"), sensitivity.relation.sides, marked.counts[1:], strict=True)
    keys = [kind_key(kind, word) for kind, word, n in legend if n]
    height = sheet.height + 40 + KEYS * bool(keys)  # title, legend, margins
    room = 72 * width - MARGIN, sheet.height
    if ax is not None:
        room = space_of(ax)
        sheet.height += KEYS
    return Picture(title, partial(sheet.paint, room=room), height, 18, keys, 2)
