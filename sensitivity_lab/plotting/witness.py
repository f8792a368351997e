"""A witness as a picture: two rows of dots on one number line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import median_low
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sensitivity_lab import extension
from sensitivity_lab.extension import Lifted
from sensitivity_lab.methods.witness import CompactWitness
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import Exact, brief, exact_number
from sensitivity_lab.numbers.gap import Labelled
from sensitivity_lab.numbers.text import (
    dataset_text,
    equals_text,
    number_text,
    true_minus,
    value_text,
)
from sensitivity_lab.plotting.style import (
    INK,
    KEYS,
    KINDS,
    NARROW_FORMS,
    PALE,
    PAPER,
    PHONE,
    STYLE,
    WIDTH,
    check_axes,
    heading,
    kind_key,
    styled_figure,
)
from sensitivity_lab.results import Sensitivity, answer_texts, answers_on, positions_of

# All lengths below are points on the page.
MOST_DOTS = 100
MOST_TICKS = 12  # a universe of so few values is shown whole
BAND = 30  # from the middle of the figure to the first dots of either row
ANSWER = 24  # room for an answer beyond the last dot
ROOM = 350  # how long the number line is drawn
BESIDE = 72 * WIDTH - ROOM  # the names of the rows, and margins
ROW = 160  # how high a row of dots is at most
MARGIN = 15  # beside it

Dot = tuple[float, int, str]  # where it stands, how high in its stack, its kind


class NumberLine:
    """Where a value stands: in proportion, but for long empty stretches."""

    def __init__(
        self,
        records: Iterable[Any],
        marks: Iterable[Any] = (),
        scale: Iterable[Any] = (),
        room: float = ROOM,
    ) -> None:
        """Reach to all marks."""
        distinct = sorted({exact_number(record) for record in records})
        beside = set(map(exact_number, marks))
        if distinct:
            beside = {m for m in beside if not distinct[0] <= m <= distinct[-1]}
        self.values = sorted({*distinct, *beside, *map(exact_number, scale)}) or [0]
        # A stretch over twenty times the usual step is drawn shorter.
        steps = [right - left for left, right in pairwise(self.values)]
        usual = [right - left for left, right in pairwise(distinct)] or [max(steps, default=1)]
        drawn = [min(step, 20 * median_low(usual)) for step in steps]
        ends = [Fraction(1, 2)]  # where one value stands alone
        if drawn:
            ends = [Fraction(end) / sum(drawn) for end in accumulate(drawn, initial=0)]
        self.room, self.xs = room, [room * float(end) for end in ends]
        middles = [(left + right) / 2 for left, right in pairwise(self.xs)]
        lengths = zip(middles, steps, drawn, strict=True)
        self.breaks = [middle for middle, step, length in lengths if length < step]

    def x_of(self, value: Any) -> float:
        """Return where `value` stands."""
        exact = exact_number(value)
        i = min(max(1, bisect_left(self.values, exact)), len(self.values) - 1)
        if i < 1:
            return self.xs[0]
        part = Fraction(exact - self.values[i - 1]) / (self.values[i] - self.values[i - 1])
        return self.xs[i - 1] + float(part) * (self.xs[i] - self.xs[i - 1])


def plot_witness(sensitivity: Sensitivity, *, ax: Axes | None = None) -> Any:
    """Draw the two datasets that attain a sensitivity: on a number line, or as two tables.

    >>> from sensitivity_lab import SUM, Change, Universe, global_sensitivity
    >>> school = Universe.population([1, 2, 3, 10])
    >>> found = global_sensitivity(SUM, school, size=3, relation=Change(1))
    >>> plot_witness(found).get_suptitle()
    'sum, at most 1 record changed'

    The dataset stands above its neighbour; equal values stack, and a thin line joins what both
    hold. A tick marks the answer on each, and the arrow between is the sensitivity; an answer that
    does not lie among the records is written. A long stretch without records is drawn shorter, with
    a break sign. Where a query is asked of what a record says, those numbers are drawn; other
    records stand in two tables. Axes of your own, `ax`, are filled, and returned.

    Cost: the query on each of the two datasets. Raises ValueError for a dataset of over 100
    records, one with a missing record, or axes that are too small; TypeError for what is no
    `Sensitivity`. Source: def-witness in the book's chapter "By hand".
    """
    if not isinstance(sensitivity, Sensitivity):
        raise TypeError(f"sensitivity must be a Sensitivity, got {brief(sensitivity)}")
    witness = sensitivity.witness  # of which a compact one is not built to be counted
    held = witness.size if isinstance(witness, CompactWitness) else max(map(len, witness))
    if held > MOST_DOTS:
        raise TooLarge(f"witness must hold at most {MOST_DOTS} records to be drawn, got {held:,}")
    picture_of = _on_a_line
    if not (sensitivity.universe.numeric or _said(sensitivity)):
        picture_of = extension.room("tables.witness_rows", "a picture of other records").picture
    if ax is not None:
        return picture_of(sensitivity, WIDTH, ax).on(ax)
    figure = picture_of(sensitivity, WIDTH).figure(WIDTH)
    NARROW_FORMS[figure] = lambda: picture_of(sensitivity, PHONE).figure(PHONE)
    return figure


@dataclass(frozen=True, eq=False)
class Picture:
    """What stands between a title and a legend."""

    title: str
    paint: Callable[[Axes], None]
    height: float  # of a figure whose title has one line
    line: float  # of the title
    keys: list[Line2D]
    columns: int  # of the legend

    def on(self, axes: Axes) -> Axes:
        """On the caller's axes."""
        with plt.rc_context(STYLE):
            self.paint(axes)
            axes.set_title(self.title)
            if self.keys:
                keys: Any = {"handles": self.keys, "ncols": self.columns}
                axes.legend(loc="lower center", borderaxespad=0, **keys)
        return axes

    def figure(self, width: float) -> Figure:
        """On a figure so many inches wide."""
        title = fill(self.title, int(8 * width))
        height = self.height + self.line * title.count("\n")
        with styled_figure(figsize=(width, height / 72)) as figure:
            self.paint(figure.subplots())
            figure.suptitle(title)
            if self.keys:
                keys: Any = {"handles": self.keys, "ncols": self.columns}
                figure.legend(loc="outside lower center", **keys)
        return figure


def _on_a_line(sensitivity: Sensitivity, width: float, ax: Axes | None = None) -> Picture:
    """Two rows of dots on one number line."""
    universe, query, said = sensitivity.universe, sensitivity.query, _said(sensitivity)
    if said is None:
        datasets = [tuple(dataset) for dataset in sensitivity.witness]
        if unsaid := [dataset_text(dataset) for dataset in datasets if None in dataset]:
            raise ValueError(f"witness must hold numbers to be drawn, got None in {unsaid[0]}")
    else:
        datasets = [said.dataset(at.tolist()) for at in positions_of(sensitivity)]
    room, tall = 72 * width - BESIDE, float(ROW)
    if ax is not None:
        wide, high = space_of(ax)
        room, tall = wide - 2 * MARGIN, (high - KEYS) / 2 - BAND - ANSWER
    answers = answers_on(sensitivity)
    scale: Sequence[Any] = ()  # all values of a small universe
    if universe.distinct <= MOST_TICKS:
        scale = universe.values if said is None else said.dataset(range(universe.distinct))
        scale = [value for value in scale if value is not None]
    # Answers are marked where they are one number each, among the records.
    span = [*map(exact_number, [*sum(datasets, ()), *scale])]
    apart = query.proved and not query.proved.among_records
    apart = apart or any(isinstance(answer, tuple) for answer in answers)
    inside = not apart and all(min(span) <= exact_number(one) <= max(span) for one in answers)
    marks = answers if inside else []
    line = NumberLine([*datasets[0], *datasets[1]], marks, scale, room)
    rows, dot = _dots(datasets, line, tall)
    ends = [BAND + dot * (1 + max((level for _, level, _ in row), default=0)) for row in rows]
    above, below = (0.0, 0.0) if ax is None else (BAND + tall - sum(ends) / 2, KEYS)

    told = answer_texts(*answers) if any(isinstance(a, Labelled) for a in answers) else ("", "")

    def paint(axes: Axes) -> None:
        axes.set_ylim(-ends[1] - ANSWER - above - below, ends[0] + ANSWER + above)
        _set_out(axes, line)
        for row, side in zip(rows, (1, -1), strict=True):
            for x, level, kind in row:
                style = KINDS[kind] | {"markersize": KINDS[kind]["markersize"] * dot}
                axes.plot(x, side * (BAND + dot * level), markeredgewidth=0.15 * dot, **style)
        shared = [{x: y for x, y, kind in reversed(row) if kind == "in both"} for row in rows]
        for x, level in shared[0].items():
            joined = [BAND + dot * level, -BAND - dot * shared[1][x]]
            axes.plot([x, x], joined, color=PALE, linewidth=0.8, zorder=0)
        for answer, end, side, keyed in zip(answers, ends, (1, -1), told, strict=True):
            x = line.x_of(answer) if marks else line.room / 2
            if marks:
                axes.plot([x, x], [0, side * end], color=INK, linewidth=2, zorder=1)
            vector = isinstance(answer, tuple)
            text = true_minus(number_text(answer) if vector else equals_text(answer))
            text = keyed or (text if vector else f"{query.name} {text}")
            half = 4 * len(text)
            at = max(min(x, line.room - half), half), side * (end + 3)  # text stays on the page
            axes.text(*at, text, ha="center", va="bottom" if side > 0 else "top")
        _draw_gap(axes, line, marks, true_minus(value_text(sensitivity.value)))

    title = heading(sensitivity.query, sensitivity.relation)
    # Each kind of dot that is drawn, in the words of the relation.
    present = {kind for row in rows for *_, kind in row}
    words = dict(zip(("removed", "added"), sensitivity.relation.sides, strict=True))
    keys = [kind_key(kind, words.get(kind, kind)) for kind in KINDS if kind in present]
    return Picture(title, paint, sum(ends) + 170, 16, keys, 3 if width == WIDTH else 2)


def space_of(axes: Axes) -> tuple[float, float]:
    """The caller's axes in points."""
    check_axes(axes)
    box, point = axes.get_window_extent(), axes.figure.dpi / 72
    wide, high = box.width / point, box.height / point
    if wide < 150 or high < 150:
        raise ValueError(f"ax must be at least 150 by 150 points, got {wide:.0f} by {high:.0f}")
    return wide, high


def _said(sensitivity: Sensitivity) -> Lifted | None:
    """What the query says of each record."""
    lifted = extension.lift(sensitivity.query, sensitivity.universe)
    return lifted if lifted and lifted.named else None


def _dots(
    datasets: Sequence[tuple[Any, ...]], line: NumberLine, tall: float
) -> tuple[list[list[Dot]], float]:
    """Rows of dots, and a dot's size."""
    first, second = map(Counter, datasets)
    common = first & second
    taken = sorted({line.x_of(value) for value in first | second})
    step = min((right - left for left, right in pairwise(taken)), default=12.0)
    width = min(12.0, max(7.0, step))
    own = (first - common, "removed"), (second - common, "added")
    rows = [_stacked([(common, "in both"), apart], line, width) for apart in own]
    tallest = max((level for row in rows for _, level, _ in row), default=0) + 1
    return rows, min(width, tall / tallest)


def _stacked(
    parts: Sequence[tuple[Counter[Any], str]], line: NumberLine, width: float
) -> list[Dot]:
    """Each record on the lowest level where it covers none; shared ones first."""
    each = ((i, kind, value) for i, (part, kind) in enumerate(parts) for value in part.elements())
    ends: list[float] = []  # the last x taken on each level
    dots = []
    for x, _, kind in sorted((line.x_of(value), i, kind) for i, kind, value in each):
        level = next((i for i, end in enumerate(ends) if x - end >= 0.99 * width), len(ends))
        ends[level : level + 1] = [x]
        dots.append((x, level, kind))
    return dots


def _set_out(axes: Axes, line: NumberLine) -> None:
    """The empty stage: two base lines, values, signs where it is shortened."""
    foot, _ = axes.get_ylim()
    axes.set_xlim(-MARGIN, line.room + MARGIN)
    axes.set_yticks([BAND, -BAND], ["dataset", "neighbour"])
    axes.tick_params(axis="y", length=0, labelsize=13)
    axes.spines[["left", "top", "right"]].set_visible(False)
    bases = (BAND - 8, 8 - BAND)
    for base in bases:
        axes.axhline(base, color=PALE, linewidth=1, zorder=0)

    def touch(left: Exact, right: Exact) -> bool:
        letters = len(_tick_text(left)) + len(_tick_text(right)) + 1
        return line.x_of(right) - line.x_of(left) < 4.2 * letters

    # Values that can be written without touching, and both ends.
    rest, shown = line.values[1:], line.values[:1]
    for value in rest:
        if not touch(shown[-1], value) and (value == rest[-1] or not touch(value, rest[-1])):
            shown.append(value)
    if rest and shown[-1] != rest[-1]:
        shown[-1:] = [rest[-1]]
    axes.set_xticks([line.x_of(value) for value in shown], [_tick_text(value) for value in shown])
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0}  # a wider one would cut the ticks
    for middle in line.breaks:
        for height in (foot, *bases):
            axes.text(middle, height, "//", ha="center", va="center", bbox=paper)


def _tick_text(value: Exact) -> str:
    """A value to ten digits, beyond the floats to six."""
    inside = value == 0 or Fraction(1, 10**300) < abs(Fraction(value)) < 10**300
    return true_minus(f"{float(value):,.10g}" if inside else number_text(value))


def _draw_gap(axes: Axes, line: NumberLine, marks: Sequence[Any], value: str) -> None:
    """The arrow between the answers, and its length."""
    low, high = sorted(map(line.x_of, marks)) or [line.room / 2] * 2
    if high - low > 24:
        arrow = {"arrowstyle": "<->", "color": INK, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (low, 0), (high, 0), arrowprops=arrow)
    elif marks:  # too short for arrow heads
        axes.plot([low, high], [0, 0], color=INK, linewidth=4, solid_capstyle="butt")
    wide = 8.5 * max(len("sensitivity"), len(value))
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 1}
    style: dict[str, Any] = {"bbox": paper, "fontsize": 12, "fontweight": "bold"}
    text = f"sensitivity\n{value}"
    if not marks:
        axes.text(line.room / 2, 0, text, ha="center", va="center", **style)
    elif high + wide < line.room:
        axes.text(high + 6, 0, text, ha="left", va="center", **style)
    elif low - wide > 0:
        axes.text(low - 6, 0, text, ha="right", va="center", **style)
    else:  # on either side of the arrow, which it would cover
        middle = max(min((low + high) / 2, line.room - wide / 2), wide / 2)
        axes.text(middle, 4, "sensitivity", ha="center", va="bottom", **style)
        axes.text(middle, -4, value, ha="center", va="top", **style)
