"""A witness as a picture: the dataset and its neighbour as two rows of dots on one number line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sensitivity_lab.plots import (
    ADDED,
    INK,
    PALE,
    REMOVED,
    WIDTH,
    equals_text,
    heading,
    number_text,
    styled_figure,
)
from sensitivity_lab.results import Sensitivity

# All lengths below are points on the page, but for the number line's own places.
MOST_DOTS = 100
BAND = 30  # from the middle of the figure to the first dots of either row
ROOM = 350  # how long the number line is drawn

KINDS: dict[str, dict[str, Any]] = {
    "in both": {"marker": "o", "color": "#777777", "markersize": 0.8},
    "removed": {"marker": "s", "color": REMOVED, "markersize": 0.8, "markerfacecolor": "white"},
    "added": {"marker": "^", "color": ADDED, "markersize": 0.95},
}

Dot = tuple[float, int, str]  # where it stands, how high in its stack, its kind


@dataclass(frozen=True)
class NumberLine:
    """Where a value stands on the page: in proportion, but for long empty stretches.

    >>> line = NumberLine.through([1, 2, 3, 1000], [])
    >>> [line.place(value) for value in (1, 2, 3, 1000)]
    [0.0, 1.0, 2.0, 22.0]

    `values`, ascending, stand at `places`; `breaks` are the middles of the stretches that are
    drawn shorter than they are. A place is in units of the records, a point in those of the page.
    """

    values: np.ndarray
    places: np.ndarray
    breaks: np.ndarray

    @classmethod
    def through(cls, records: Iterable[Any], marks: Iterable[Any]) -> NumberLine:
        """Shorten what is over 20 times the usual step between records; `marks` may lie outside.

        >>> NumberLine.through([1, 2, 3, 1000], marks=[4]).breaks
        array([12.])

        One far outlier then leaves the other records wide enough apart to be told from one
        another. Cost: O(n log n) for n records.
        """
        distinct = sorted({float(record) for record in records})
        outside = {float(m) for m in marks if not distinct[0] <= m <= distinct[-1]}
        values = np.array(sorted({*distinct, *outside}))
        steps = np.diff(values)
        drawn = np.minimum(
            steps, 20 * median_low(np.diff(distinct)) if len(distinct) > 1 else np.inf
        )
        places = np.concatenate([[0.0], np.cumsum(drawn)])
        return cls(values, places, (places[:-1] + drawn / 2)[drawn < steps])

    def place(self, value: Any) -> float:
        """Return where `value` stands.

        >>> NumberLine.through([1, 2, 3, 1000], []).place(501.5)
        12.0

        Cost: O(log n).
        """
        return float(np.interp(float(value), self.values, self.places))

    @property
    def point(self) -> float:
        """How much of the line one point on the page is.

        >>> NumberLine.through([0, 350], []).point
        1.0
        """
        return (float(self.places[-1]) or 1.0) / ROOM


def plot_witness(sensitivity: Sensitivity) -> Figure:
    """Draw the two datasets that attain a sensitivity, on one number line.

    >>> from sensitivity_lab import SUM, Change, Universe, global_sensitivity
    >>> school = Universe.population([1, 2, 3, 10])
    >>> found = global_sensitivity(SUM, school, size=3, relation=Change(1))
    >>> plot_witness(found).get_suptitle()
    'sum under Change(1): at most 1 record changed'

    The dataset stands above and its neighbour hangs below; equal values stack. A thin line
    joins what both hold, an open square is removed, a triangle is added. A tick marks the
    query's answer on each, and the arrow between the ticks is the sensitivity. A vector's
    answers are written, not marked. A stretch without records that is over twenty times the
    usual step is drawn shorter, with a break sign.
    Cost: one evaluation of the query on each of the two datasets.
    Raises ValueError for a dataset of over 100 records, or one with a missing record; TypeError
    for what is no `Sensitivity`.
    Source: def-witness in the book's chapter `by_hand`.
    """
    datasets = _drawable(sensitivity)
    answers = [sensitivity.query(dataset) for dataset in datasets]
    marks = [answer for answer in answers if not isinstance(answer, tuple)]
    line = NumberLine.through([*datasets[0], *datasets[1]], marks)
    rows, dot = _dots(datasets, line)
    ends = [BAND + dot * (1 + max((level for _, level, _ in row), default=0)) for row in rows]
    with styled_figure(figsize=(WIDTH, (sum(ends) + 170) / 72)) as figure:
        axes = figure.subplots()
        _set_out(axes, line, ends)
        _draw_dots(axes, rows, dot)
        _draw_answers(axes, line, answers, ends, sensitivity.query.name)
        _draw_gap(axes, line, marks, equals_text(sensitivity.value).removeprefix("= "))
        figure.suptitle(heading(sensitivity.query, sensitivity.relation))
        figure.legend(handles=_dot_keys(rows), loc="outside lower center", ncols=3)
    return figure


def _drawable(sensitivity: Sensitivity) -> list[tuple[Any, ...]]:
    """The witness's two datasets; refuse what a row of dots cannot show."""
    if not isinstance(sensitivity, Sensitivity):
        raise TypeError(f"sensitivity must be a Sensitivity, got {sensitivity!r}")
    datasets = [tuple(dataset) for dataset in sensitivity.witness]
    longest = max(map(len, datasets))
    if longest > MOST_DOTS:
        raise ValueError(
            f"witness must hold at most {MOST_DOTS} records to be drawn, got {longest}"
        )
    for dataset in datasets:
        if None in dataset:
            raise ValueError(f"witness must hold numbers to be drawn, got None in {dataset}")
    return datasets


def _dots(datasets: Sequence[tuple[Any, ...]], line: NumberLine) -> tuple[list[list[Dot]], float]:
    """Both rows of dots, and a dot's size: smaller where values are close or stacks are tall."""
    first, second = map(Counter, datasets)
    common = first & second
    step = min(np.diff(line.places), default=np.inf) / line.point
    width = min(12.0, max(7.0, step))
    rows = [
        _stacked([(common, "in both"), (first - common, "removed")], line, width),
        _stacked([(common, "in both"), (second - common, "added")], line, width),
    ]
    tallest = max(level for row in rows for _, level, _ in row) + 1
    return rows, min(width, 160 / tallest)


def _stacked(
    parts: Sequence[tuple[Counter[Any], str]], line: NumberLine, width: float
) -> list[Dot]:
    """Each record on the lowest level where it covers no dot; shared ones are innermost."""
    records = sorted(
        (line.place(value), order, kind)
        for order, (part, kind) in enumerate(parts)
        for value in part.elements()
    )
    apart = 0.99 * width * line.point
    ends: list[float] = []  # the last place taken on each level
    dots = []
    for place, _, kind in records:
        level = next((i for i, end in enumerate(ends) if place - end >= apart), len(ends))
        ends[level : level + 1] = [place]
        dots.append((place, level, kind))
    return dots


def _set_out(axes: Axes, line: NumberLine, ends: Sequence[float]) -> None:
    """The empty stage: two base lines, the values under them, signs where it is shortened."""
    top, foot = ends[0] + 24, -ends[1] - 24  # room for the answers
    margin = 15 * line.point
    axes.set_xlim(-margin, line.places[-1] + margin)
    axes.set_ylim(foot, top)
    axes.set_yticks([BAND, -BAND], ["dataset", "neighbour"])
    axes.tick_params(axis="y", length=0, labelsize=13)
    axes.spines["left"].set_visible(False)
    bases = (BAND - 8, 8 - BAND)
    for base in bases:
        axes.axhline(base, color=PALE, linewidth=1, zorder=0)
    shown = _roomy(line)
    axes.set_xticks([line.place(value) for value in shown], [_tick_text(value) for value in shown])
    for middle in line.breaks:
        for height in (foot, *bases):
            axes.text(middle, height, "//", ha="center", va="center", backgroundcolor="white")


def _tick_text(value: float) -> str:
    return f"{value:,.10g}"


def _roomy(line: NumberLine) -> list[float]:
    """The values that can be written under the line without touching; both ends always are."""

    def touch(left: float, right: float) -> bool:
        letters = len(_tick_text(left)) + len(_tick_text(right)) + 1
        return line.place(right) - line.place(left) < 4.2 * letters * line.point

    first, *rest = line.values.tolist()
    shown = [first]
    for value in rest:
        if not touch(shown[-1], value) and (value == rest[-1] or not touch(value, rest[-1])):
            shown.append(value)
    return shown if not rest or shown[-1] == rest[-1] else [*shown[:-1], rest[-1]]


def _draw_dots(axes: Axes, rows: Sequence[Sequence[Dot]], dot: float) -> None:
    """Both rows: the first grows upwards, the second downwards; shared records are joined."""
    for row, side in zip(rows, (1, -1), strict=True):
        for place, level, kind in row:
            style = KINDS[kind] | {"markersize": KINDS[kind]["markersize"] * dot}
            axes.plot(place, side * (BAND + dot * level), markeredgewidth=0.15 * dot, **style)
    above, below = (
        {place: level for place, level, kind in reversed(row) if kind == "in both"} for row in rows
    )
    for place in above:
        ends = [BAND + dot * above[place], -BAND - dot * below[place]]
        axes.plot([place, place], ends, color=PALE, linewidth=0.8, zorder=0)


def _draw_answers(
    axes: Axes, line: NumberLine, answers: Sequence[Any], ends: Sequence[float], name: str
) -> None:
    """The query's answer on each row: a tick through the row, and the number at its end."""
    for answer, end, side in zip(answers, ends, (1, -1), strict=True):
        if isinstance(answer, tuple):
            place, text = line.places[-1] / 2, number_text(answer)
        else:
            place, text = line.place(answer), f"{name} {equals_text(answer)}"
            axes.plot([place, place], [0, side * end], color=INK, linewidth=2, zorder=1)
        half = 4 * len(text) * line.point
        inside = max(min(place, line.places[-1] - half), half)  # text stays on the page
        axes.text(inside, side * (end + 3), text, ha="center", va="bottom" if side > 0 else "top")


def _draw_gap(axes: Axes, line: NumberLine, marks: Sequence[Any], value: str) -> None:
    """The arrow from one answer to the other, and its length beside it, where there is room."""
    low, high = sorted(map(line.place, marks)) or [line.places[-1] / 2] * 2
    if high - low > 24 * line.point:
        arrow = {"arrowstyle": "<->", "color": INK, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (low, 0), (high, 0), arrowprops=arrow)
    else:  # too short for arrow heads
        axes.plot([low, high], [0, 0], color=INK, linewidth=4, solid_capstyle="butt")
    wide = 8.5 * max(len("sensitivity"), len(value)) * line.point
    if high + wide < line.places[-1]:
        place, side = high + 6 * line.point, "left"
    elif low - wide > 0:
        place, side = low - 6 * line.point, "right"
    else:
        place, side = (low + high) / 2, "center"
    text, box = f"sensitivity\n{value}", {"facecolor": "white", "edgecolor": "none", "pad": 1}
    axes.text(place, 0, text, ha=side, va="center", bbox=box, fontsize=12, fontweight="bold")


def _dot_keys(rows: Sequence[Sequence[Dot]]) -> list[Line2D]:
    """One legend entry for each kind of dot that is drawn."""
    present = {kind for row in rows for *_, kind in row}
    return [
        Line2D([], [], linestyle="", label=kind, **KINDS[kind] | {"markersize": 10})
        for kind in KINDS
        if kind in present
    ]
