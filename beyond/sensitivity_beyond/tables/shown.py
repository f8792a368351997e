"""Two datasets as small tables, the rows that leave and those that join marked."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import narwhals as nw

from sensitivity_beyond.tables.frames import is_table, rows_of
from sensitivity_beyond.tables.people import Persons
from sensitivity_lab.methods.witness import CompactWitness
from sensitivity_lab.numbers.exact import is_real
from sensitivity_lab.numbers.text import cell_text, counted
from sensitivity_lab.plotting.palette import ADDED, REMOVED
from sensitivity_lab.records import Source
from sensitivity_lab.universe import Universe

LEAVES, JOINS, SHARED = "-", "+", " "
LONGEST = 10  # rows that leave, join or are shared: so many are all shown
ENDS = 3  # of more, so many from either end
MOST_NAMED = 10  # people who are named one by one
WIDEST = 100  # letters of a line of text
LEFT_OUT = "…"

Line = tuple[Any, ...] | int  # a row's cells, or how many rows are left out

TABLE = "border-collapse: collapse; color: inherit; margin: 0.3em 0"
CAPTION = "caption-side: top; color: inherit; text-align: left"
CELL = "padding: 0 0.4em"
SIGNS = {LEAVES: ("■", "−", REMOVED), JOINS: ("▲", "+", ADDED)}


@dataclass(frozen=True)
class SomeRows:
    """Some rows of a table: all of them, or of many the first and the last."""

    rows: tuple[tuple[Any, ...], ...]
    hidden: int = 0

    @property
    def lines(self) -> list[Line]:
        """The rows in their order; how many there are instead of those that are left out."""
        half = len(self.rows) // 2
        between = [self.hidden] if self.hidden else []
        return [*self.rows[:half], *between, *self.rows[half:]]


@dataclass(frozen=True)
class MarkedTable:
    """The rows of two datasets in one table, by sign: which leave, which join, which both share."""

    name: str | None
    columns: tuple[str, ...]
    parts: Mapping[str, SomeRows]

    def lines(self, signs: str = LEAVES + JOINS + SHARED) -> Iterator[tuple[str, Line]]:
        """The rows under some signs, each with its sign."""
        return ((sign, line) for sign in signs for line in self.parts[sign].lines)

    def line(self, sign: str) -> str:
        """The first few rows under a sign on one line, the cells of each side by side."""
        part = self.parts[sign]
        name = "" if self.name is None else f"{self.name}: "
        return f"{name}{rows_on_a_line(part.rows, part.hidden)}" if part.lines else ""

    def grid(self, room: float = WIDEST) -> Grid:
        """Where its cells stand, in letters."""
        return Grid(self.columns, [line for _, line in self.lines()], room)

    def text(self) -> list[str]:
        """Its lines of text, the columns aligned, `-` and `+` before the rows that differ."""
        grid = self.grid()
        signed = [(SHARED, grid.line(self.columns)), *((s, grid.line(x)) for s, x in self.lines())]
        lines = [f"{sign}  {line}".rstrip() for sign, line in signed]
        return lines if len(lines) > 1 else [*lines, "   (no rows)"]

    def html(self, signs: str) -> str:
        """The rows of one of the two datasets."""
        sides = ["right" if right else "left" for right in self.grid().to_the_right]
        head = "".join(
            f"<th style='text-align: {side}; {CELL}'>{html.escape(cell_text(name))}</th>"
            for name, side in zip(self.columns, sides, strict=True)
        )
        body = "".join(_html_row(sign, line, sides) for sign, line in self.lines(signs))
        caption = (
            f"<caption style='{CAPTION}'>{html.escape(self.name)}</caption>" if self.name else ""
        )
        return (
            f"<table style='{TABLE}'>{caption}<thead><tr><th></th>{head}</tr></thead>"
            f"<tbody>{body or _html_words('no rows', len(sides))}</tbody></table>"
        )


@dataclass(frozen=True)
class Marked:
    """Two datasets in marked tables; of people, who leaves and who joins."""

    tables: tuple[MarkedTable, ...]
    counts: tuple[int, ...]  # records that both share, that leave, that join
    who: tuple[str, ...] = ()
    of_people: bool = False

    @property
    def summary(self) -> str:
        """How many records there are, leave and join."""
        shared, *apart = self.counts
        told = [(n, word) for n, word in zip(apart, ("leave", "join"), strict=True) if n]
        told = told or [(0, "leave"), (0, "join")]
        words = [f"{f'{n:,}' if n else 'none'} {word}{'s' * (n < 2)}" for n, word in told]
        return f"{counted(shared + max(apart), 'record')}: {', '.join(words)}"

    def lines(self) -> tuple[str, str]:
        """The dataset and its neighbour in a line each: what only it has, how many are shared."""
        shared = f"({self.counts[0]:,} shared)"
        sides = zip("−+", (LEAVES, JOINS), self.counts[1:], strict=True)
        here, there = (f"{self._line(*side)} {shared}".lstrip() for side in sides)
        return here, there

    def _line(self, sign: str, part: str, records: int) -> str:
        """The rows that only one of the two has, of people after how many they are."""
        if not records:
            return ""
        rows = [line for table in self.tables if (line := table.line(part))]
        people = f"{records:,} {'people' if records > 1 else 'person'}: " * self.of_people
        return f"{sign} {people}{'; '.join(rows) or 'no rows'}"

    def text(self) -> str:
        """Who leaves and joins, and each table under its name: `-` leaves, `+` joins."""
        blocks = ["\n".join(self.who)] if self.who else []
        for table in self.tables:
            name = [] if table.name is None else [f"{table.name}:"]
            blocks.append("\n".join([*name, *table.text()]))
        return "\n".join(blocks)

    def html(self, captions: Sequence[str]) -> str:
        """The dataset and its neighbour side by side, each under its caption; all is escaped."""
        sides = "".join(
            f"<div style='max-width: 100%; overflow-x: auto'><b>{html.escape(caption)}</b>"
            f"{''.join(table.html(signs) for table in self.tables)}</div>"
            for caption, signs in zip(captions, (LEAVES + SHARED, JOINS + SHARED), strict=True)
        )
        who = "".join(f"<div>{html.escape(line)}</div>" for line in self.who)
        return f"{who}<div style='display: flex; flex-wrap: wrap; gap: 0.5em 2.5em'>{sides}</div>"


def rows_on_a_line(rows: Sequence[tuple[Any, ...]], hidden: int = 0) -> str:
    """The first few of some rows on one line; `hidden` are not among them."""
    texts = [" ".join(map(cell_text, row)) for row in rows[:ENDS]]
    more = len(rows) + hidden - len(texts)
    return ", ".join([*texts, f"… {more:,} more"] if more else texts)


def marked(source: Source, parts: Sequence[Any], records: Sequence[int]) -> Marked:
    """Two datasets, told as what they share, what leaves and what joins, as tables with marks."""
    shared, leaving, joining = (None if part is None else _frames(part) for part in parts)
    assert leaving is not None
    assert joining is not None
    here, there = records[0], records[0] + records[1]
    if isinstance(source, Persons) and source.brings:  # nobody shares another's number
        for frames, start in (leaving, here), (joining, there):
            frames[None] = frames[None].with_columns(nw.col(source.id) + start)
    tables = []
    for name, frame in leaving.items():
        both = SomeRows((), records[0]) if shared is None else _part(shared[name])
        columns = tuple(map(str, frame.columns)) if isinstance(frame, nw.DataFrame) else ("record",)
        signed = {LEAVES: _part(frame), JOINS: _part(joining[name]), SHARED: both}
        tables.append(MarkedTable(name, columns, signed))
    who = _who(source, leaving, range(here, there), "leaves")
    who += _who(source, joining, range(there, there + records[2]), "joins")
    return Marked(tuple(tables), tuple(records), tuple(who), isinstance(source, Persons))


def _frames(dataset: Any) -> dict[str | None, Any]:
    """A dataset's tables by name; a tuple of records is a table of one column."""
    given = dataset if isinstance(dataset, Mapping) else {None: dataset}
    return {
        name: nw.from_native(one, eager_only=True) if is_table(one) else tuple(one)
        for name, one in given.items()
    }


def _part(frame: Any) -> SomeRows:
    """A table's rows, or of many the first and the last few."""
    many = len(frame) > LONGEST
    pieces = [frame[:ENDS], frame[len(frame) - ENDS :]] if many else [frame]
    rows_in = rows_of if isinstance(frame, nw.DataFrame) else partial(zip, strict=True)
    rows: Any = tuple(row for piece in pieces for row in rows_in(piece))
    return SomeRows(rows, len(frame) - len(rows))


def _who(source: Source, frames: Mapping[str | None, Any], numbers: range, word: str) -> list[str]:
    """Who leaves, or joins, each with how many rows of which table;
    nobody where rows are records."""
    if not isinstance(source, Persons):
        return []
    id = source.id
    ids = {name: (row[0] for row in rows_of(frame.select(id))) for name, frame in frames.items()}
    held = {"" if name is None else f" of {name}": Counter(of) for name, of in ids.items()}
    people = numbers if source.brings else list(dict.fromkeys(chain(*held.values())))
    said = []
    for person in people[:MOST_NAMED]:
        rows = [
            counted(of[person], "row") + name for name, of in held.items() if of[person] or not name
        ]
        said.append(f"{id} {cell_text(person)} {word}, with {', '.join(rows)}")
    more = len(people) - len(said)
    return [*said, f"… {more:,} more {word.removesuffix('s')}"] if more else said


def _html_words(words: str, columns: int) -> str:
    """A row that has no cells."""
    return f"<tr><td></td><td style='text-align: left' colspan={columns}><i>{words}</i></td></tr>"


def see_through(colour: str, share: float) -> str:
    """A colour through which a light and a dark page shine."""
    return f"rgba({', '.join(map(str, bytes.fromhex(colour[1:])))}, {share})"


def _html_row(sign: str, line: Line, sides: Sequence[str]) -> str:
    """A row with its mark, on a tint."""
    if isinstance(line, int):
        return _html_words(more_rows(line), len(sides))
    shape, minus, tint = SIGNS.get(sign, ("", "", ""))
    mark = f"{shape}&nbsp;<b>{minus}</b>" if shape else ""
    ground = f" style='background: {see_through(tint, 0.18)}'" if tint else ""
    cells = "".join(
        f"<td style='text-align: {side}; {CELL}'>"
        f"{'<i>NULL</i>' if value is None else html.escape(cell_text(value))}</td>"
        for value, side in zip(line, sides, strict=True)
    )
    return f"<tr{ground}><td style='white-space: nowrap'>{mark}</td>{cells}</tr>"


def more_rows(hidden: int) -> str:
    """How many rows are left out."""
    return f"… {hidden:,} more row{'s' * (hidden != 1)} …"


class Grid:
    """Where the columns of a table stand, in letters: numbers right, the rest left."""

    def __init__(self, columns: Sequence[str], lines: Sequence[Line], room: float) -> None:
        """Keep of some columns those that fit: all, or as many as can be from either end."""
        rows = [line for line in lines if not isinstance(line, int)]
        cells = [[row[i] for row in rows] for i in range(len(columns))]
        texts = (list(map(cell_text, (name, *of))) for name, of in zip(columns, cells, strict=True))
        self.widths = [max(map(len, of)) for of in texts]
        known = ([cell for cell in of if cell is not None] for of in cells)
        self.to_the_right = [bool(of) and all(map(is_real, of)) for of in known]
        total = len(columns)
        self.kept: list[int | None] = [*range(total)]
        for n in range(total - 1, 0, -1):
            if self.width <= room:
                break
            first = (n + 1) // 2
            self.kept = [*range(first), None, *range(total - n + first, total)]

    @property
    def width(self) -> int:
        """How many letters a line has."""
        shown = [len(LEFT_OUT) if i is None else self.widths[i] for i in self.kept]
        return sum(shown) + 2 * max(0, len(shown) - 1)

    def cells(self, row: Sequence[Any]) -> list[tuple[str, int, bool]]:
        """The kept cells of a row: each text, where its column starts or ends, and which."""
        cells, start = [], 0
        for i in self.kept:
            wide = len(LEFT_OUT) if i is None else self.widths[i]
            right = i is not None and self.to_the_right[i]
            text = LEFT_OUT if i is None else cell_text(row[i])
            cells.append((text, start + wide if right else start, right))
            start += wide + 2
        return cells

    def line(self, line: Line) -> str:
        """A row as text, or how many are left out."""
        if isinstance(line, int):
            return more_rows(line)
        text = ""
        for cell, edge, right in self.cells(line):
            text = text.ljust(edge - len(cell) if right else edge) + cell
        return text


def marked_witness(universe: Universe, witness: Sequence[Any]) -> Marked:
    """Two datasets of records that are no numbers as tables in which those
    that differ are marked."""
    if isinstance(witness, CompactWitness):
        return marked(universe.source, *witness.in_parts())
    here, there = (universe.positions(side).tolist() for side in witness)
    return marked_at(universe, here, there)


def marked_at(universe: Universe, here: Iterable[int], there: Iterable[int]) -> Marked:
    """As `marked_witness`, of the positions of both datasets' records."""
    one, other = Counter(here), Counter(there)
    positions = [sorted(part.elements()) for part in (one & other, one - other, other - one)]
    return marked(universe.source, [*map(universe.given, positions)], [*map(len, positions)])
