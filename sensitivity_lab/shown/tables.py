"""Two datasets as small tables, the rows that leave and those that join marked."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from sensitivity_lab.numbers.exact import is_real
from sensitivity_lab.numbers.text import cell_text, counted
from sensitivity_lab.records.people import PERSON
from sensitivity_lab.records.rows import is_table, rows_of
from sensitivity_lab.records.source import Source

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
SIGNS = {LEAVES: ("■", "−", "213, 94, 0"), JOINS: ("▲", "+", "0, 114, 178")}


@dataclass(frozen=True)
class Part:
    """Some rows of a table: all of them, or of many the first and the last."""

    rows: tuple[tuple[Any, ...], ...]
    hidden: int = 0

    @property
    def lines(self) -> list[Line]:
        """The rows in their order; how many there are instead of those that are left out."""
        half = len(self.rows) // 2
        between = [self.hidden] if self.hidden else []
        return [*self.rows[:half], *between, *self.rows[half:]]

    def __bool__(self) -> bool:
        return bool(self.rows or self.hidden)


@dataclass(frozen=True)
class MarkedTable:
    """The rows of two datasets in one table: which leave, which join, which both share."""

    name: str | None
    columns: tuple[str, ...]
    leaving: Part
    joining: Part
    shared: Part

    def lines(self, signs: str = LEAVES + JOINS + SHARED) -> Iterator[tuple[str, Line]]:
        """The rows under some signs, each with its sign."""
        for sign in signs:
            for line in self._part(sign).lines:
                yield sign, line

    def _part(self, sign: str) -> Part:
        return {LEAVES: self.leaving, JOINS: self.joining, SHARED: self.shared}[sign]

    def line(self, sign: str) -> str:
        """The first few rows under a sign on one line, the cells of each side by side."""
        part = self._part(sign)
        name = "" if self.name is None else f"{self.name}: "
        return f"{name}{rows_on_a_line(part.rows, part.hidden)}" if part else ""


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
        words = [
            f"{f'{n:,}' if n else 'none'} {word if n > 1 else word + 's'}"
            for n, word in zip(apart, ("leave", "join"), strict=True)
            if n or not any(apart)
        ]
        return f"{counted(shared + max(apart), 'record')}: {', '.join(words)}"

    def lines(self) -> tuple[str, str]:
        """The dataset and its neighbour in a line each: what only it has, and how many are shared."""
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
            blocks.append("\n".join([*name, *_text_lines(table)]))
        return "\n".join(blocks)

    def html(self, captions: Sequence[str]) -> str:
        """The dataset and its neighbour side by side, each under its caption; all is escaped."""
        sides = "".join(
            f"<div style='max-width: 100%; overflow-x: auto'><b>{html.escape(caption)}</b>"
            f"{''.join(_html_table(table, signs) for table in self.tables)}</div>"
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
    start = records[0], records[0] + records[1]
    if source.brings:  # nobody shares another's number
        leaving, joining = _numbered_from(leaving, start[0]), _numbered_from(joining, start[1])
    tables = [
        MarkedTable(
            name,
            _columns(frame),
            _part(frame),
            _part(joining[name]),
            Part((), records[0]) if shared is None else _part(shared[name]),
        )
        for name, frame in leaving.items()
    ]
    who = [
        *_who(source, leaving, range(start[0], start[1]), "leaves"),
        *_who(source, joining, range(start[1], start[1] + records[2]), "joins"),
    ]
    return Marked(tuple(tables), tuple(records), tuple(who), source.id is not None)


def _columns(frame: Any) -> tuple[str, ...]:
    """The names of a table's columns."""
    return tuple(map(str, frame.columns)) if isinstance(frame, nw.DataFrame) else ("record",)


def _frames(dataset: Any) -> dict[str | None, Any]:
    """A dataset's tables by name; a tuple of records is a table of one column."""
    given = dataset if isinstance(dataset, Mapping) else {None: dataset}
    return {
        name: nw.from_native(one, eager_only=True) if is_table(one) else tuple(one)
        for name, one in given.items()
    }


def _numbered_from(frames: dict[str | None, Any], start: int) -> dict[str | None, Any]:
    """Tables in which people are numbered from `start`."""
    number = nw.col(PERSON) + start
    return {name: frame.with_columns(number) for name, frame in frames.items()}


def _part(frame: Any) -> Part:
    """A table's rows, or of many the first and the last few."""
    many = len(frame) > LONGEST
    pieces = [frame[:ENDS], frame[len(frame) - ENDS :]] if many else [frame]
    rows = tuple(row for piece in pieces for row in _cells(piece))
    return Part(rows, len(frame) - len(rows))


def _cells(frame: Any) -> list[tuple[Any, ...]]:
    return [*rows_of(frame)] if isinstance(frame, nw.DataFrame) else [(each,) for each in frame]


def _who(source: Source, frames: Mapping[str | None, Any], numbers: range, word: str) -> list[str]:
    """Who leaves, or joins, each with how many rows of which table; nobody where rows are records."""
    id = source.id
    if id is None:
        return []
    held = {
        name: Counter(row[0] for row in rows_of(frame.select(id))) for name, frame in frames.items()
    }
    people = list(numbers) if source.brings else _named(held)
    said = [
        f"{id} {cell_text(person)} {word}, with {_rows_text(person, held)}"
        for person in people[:MOST_NAMED]
    ]
    more = len(people) - len(said)
    return [*said, f"… {more:,} more {word.removesuffix('s')}"] if more else said


def _named(held: Mapping[str | None, Counter[Any]]) -> list[Any]:
    """Everybody in some tables, in the order in which they come."""
    return list(dict.fromkeys(person for rows in held.values() for person in rows))


def _rows_text(person: Any, held: Mapping[str | None, Counter[Any]]) -> str:
    """How many rows a person has, in each table."""
    if set(held) == {None}:
        return counted(held[None][person], "row")
    return ", ".join(
        f"{counted(rows[person], 'row')} of {name}" for name, rows in held.items() if rows[person]
    )


def _text_lines(table: MarkedTable) -> list[str]:
    """A table as lines of text, its columns below one another."""
    signed: list[tuple[str, Line]] = [(SHARED, table.columns), *table.lines()]
    grid = Grid.of(table.columns, [line for _, line in signed[1:]], WIDEST)
    lines = [f"{sign}  {grid.line(line)}".rstrip() for sign, line in signed]
    return lines if len(lines) > 1 else [*lines, "   (no rows)"]


def _html_table(table: MarkedTable, signs: str) -> str:
    """The rows of one of the two datasets."""
    sides = _sides([line for _, line in table.lines()], len(table.columns))
    head = "".join(
        f"<th style='text-align: {side}; {CELL}'>{html.escape(cell_text(name))}</th>"
        for name, side in zip(table.columns, sides, strict=True)
    )
    body = "".join(_html_row(sign, line, sides) for sign, line in table.lines(signs))
    name = "" if table.name is None else html.escape(table.name)
    caption = f"<caption style='{CAPTION}'>{name}</caption>" if name else ""
    return (
        f"<table style='{TABLE}'>{caption}<thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{body or _html_words('no rows', len(sides))}</tbody></table>"
    )


def _sides(lines: Sequence[Line], columns: int) -> list[str]:
    """To which side each column is set: numbers to the right, the rest to the left."""
    rows = [line for line in lines if not isinstance(line, int)]
    return ["right" if _holds_numbers([row[i] for row in rows]) else "left" for i in range(columns)]


def _holds_numbers(cells: Sequence[Any]) -> bool:
    """Whether a column has numbers, and nothing else but what is missing."""
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(map(is_real, known))


def _html_words(words: str, columns: int) -> str:
    """A row that has no cells."""
    return f"<tr><td></td><td style='text-align: left' colspan={columns}><i>{words}</i></td></tr>"


def _html_row(sign: str, line: Line, sides: Sequence[str]) -> str:
    """A row with its mark; the tint lets a light and a dark page shine through."""
    if isinstance(line, int):
        return _html_words(more_rows(line), len(sides))
    shape, minus, tint = SIGNS.get(sign, ("", "", ""))
    mark = f"{shape}&nbsp;<b>{minus}</b>" if shape else ""
    ground = f" style='background: rgba({tint}, 0.18)'" if tint else ""
    cells = "".join(
        f"<td style='text-align: {side}; {CELL}'>"
        f"{'<i>NULL</i>' if value is None else html.escape(cell_text(value))}</td>"
        for value, side in zip(line, sides, strict=True)
    )
    return f"<tr{ground}><td style='white-space: nowrap'>{mark}</td>{cells}</tr>"


def more_rows(hidden: int) -> str:
    """How many rows are left out."""
    return f"… {hidden:,} more row{'s' * (hidden != 1)} …"


@dataclass(frozen=True)
class Grid:
    """Where the columns of a table stand, in letters: numbers to the right, the rest to the left."""

    kept: tuple[int | None, ...]
    widths: tuple[int, ...]
    to_the_right: tuple[bool, ...]

    @classmethod
    def of(cls, columns: Sequence[str], lines: Sequence[Line], room: int) -> Grid:
        """The grid of a table whose lines have so many letters of room."""
        rows = [line for line in lines if not isinstance(line, int)]
        widths = [
            max([len(cell_text(name)), *(len(cell_text(row[i])) for row in rows)])
            for i, name in enumerate(columns)
        ]
        numbers = tuple(side == "right" for side in _sides(lines, len(columns)))
        return cls(_kept(widths, room), tuple(widths), numbers)

    @property
    def width(self) -> int:
        """How many letters a line has."""
        return _width(self.widths, self.kept)

    def cells(self, row: Sequence[Any]) -> list[tuple[str, int, bool]]:
        """The kept cells of a row: each text, where its column starts or ends, and which of both."""
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


def _kept(widths: Sequence[int], room: int) -> tuple[int | None, ...]:
    """The columns that fit: all of them, or as many as can be from either end."""
    total = len(widths)
    kept: tuple[int | None, ...] = tuple(range(total))
    for n in range(total - 1, 0, -1):
        if _width(widths, kept) <= room:
            break
        first = (n + 1) // 2
        kept = (*range(first), None, *range(total - n + first, total))
    return kept


def _width(widths: Sequence[int], kept: Sequence[int | None]) -> int:
    shown = [len(LEFT_OUT) if i is None else widths[i] for i in kept]
    return sum(shown) + 2 * max(0, len(shown) - 1)
