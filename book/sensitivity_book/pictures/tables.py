"""Tables before and after a change, with the rows that join and the rows that leave."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sensitivity_lab.plotting import ADDED, REMOVED

Row = tuple[Any, ...]


def see_through(colour: str, share: float) -> str:
    """A colour through which a light and a dark page shine."""
    return f"rgba({', '.join(map(str, bytes.fromhex(colour[1:])))}, {share})"


# A mark and a tint for each fate of a row; the tints let a light and a dark page shine through.
FATES = {"": "", "+ joins": see_through(ADDED, 0.22), "− leaves": see_through(REMOVED, 0.22)}


@dataclass(frozen=True)
class ChangedTables:
    """Tables side by side; in each, the rows that join and the rows that leave are marked.

    >>> people = pd.DataFrame({"name": ["Ann"]})
    >>> ChangedTables((("People", people, people[:0]),))
    People
              name
    − leaves  Ann
    """

    tables: tuple[tuple[str, pd.DataFrame, pd.DataFrame], ...]

    def __repr__(self) -> str:
        return "\n\n".join(
            "\n".join([caption, *_lines([("", (*before,)), *_fates(before, after)])])
            for caption, before, after in self.tables
        )

    def _repr_html_(self) -> str:
        cards = "".join(_html_table(*table) for table in self.tables)
        return f'<div style="display: flex; flex-wrap: wrap; gap: 0 2.5rem">{cards}</div>'


def show_change(tables: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]]) -> ChangedTables:
    """Show tables before and after a change, under their captions, in one picture.

    >>> people = pd.DataFrame({"name": ["Ann", "Bob"]})
    >>> show_change({"People": (people[:1], people)})
    People
             name
             Ann
    + joins  Bob
    """
    return ChangedTables(tuple((caption, *pair) for caption, pair in tables.items()))


def _fates(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[tuple[str, Row]]:
    """Each row of either table, sorted, with what becomes of it."""
    held, wanted = (Counter(t.itertuples(index=False, name=None)) for t in (before, after))
    for row in sorted(held | wanted):
        yield from [("", row)] * (held & wanted)[row]
        yield from [("− leaves", row)] * (held - wanted)[row]
        yield from [("+ joins", row)] * (wanted - held)[row]


def _lines(rows: Sequence[tuple[str, Row]]) -> list[str]:
    """Rows as text in columns."""
    cells = [[mark, *map(str, row)] for mark, row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(map(str.ljust, line, widths)) for line in cells)
    return [line.rstrip() for line in lines]


def _html_table(caption: str, before: pd.DataFrame, after: pd.DataFrame) -> str:
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in before)
    body = "".join(
        f'<tr style="background: {FATES[mark] or "none"}"><td>{mark}</td>'
        + "".join(f"<td>{html.escape(str(value))}</td>" for value in row)
        + "</tr>"
        for mark, row in _fates(before, after)
    )
    return (
        '<div style="overflow-x: auto; max-width: 100%"><table class="dataframe">'
        f'<caption style="caption-side: top; color: inherit">{html.escape(caption)}</caption>'
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
