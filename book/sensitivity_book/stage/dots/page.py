"""A game as a piece of a page, which static/dots.js brings to life."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from sensitivity_book.stage.dots.games import DAYS
from sensitivity_book.stage.dots.picture import Picture
from sensitivity_book.stage.play import buttons, dial, no_script, says, slider
from sensitivity_book.stage.words import decimals
from sensitivity_book.theory import first_page
from sensitivity_book.theory.first_page import SIZE
from sensitivity_lab.numbers import Exact

STATES = {
    "open": "not pulled in",
    "in": "inside",
    "out": "certainly not inside",
    "removed": "pulled out",
    "added": "pulled in",
}
NO_SCRIPT = no_script(
    "The dots need JavaScript, which is switched off. The picture shows how it ends."
)
DRAWN_ROWS = 7  # how high a line with drawings stands
SLIDING = {"sliding", "local", "bounding"}
WIDE, NARROW = 8.0, 14.5  # percent of the line that a name needs, on a page and on a phone


def markup(picture: Picture) -> str:
    """Return a picture as a piece of a page."""
    known = {key: getattr(picture, key) for key in ("game", "names", "values", "axis")}
    told = {**known, **picture.data}
    given = json.dumps(told, default=int, ensure_ascii=False, separators=(",", ":"))
    quoted = html.escape(given, quote=False).replace("'", "&#39;")
    parts = [
        f'<div class="dots" id="dots-{picture.name}" role="group" '
        f"aria-label=\"{html.escape(picture.label)}\" data-given='{quoted}'>",
        NO_SCRIPT,
        says(*picture.big, picture.sentence),
        *(_dial(picture) if "epsilons" in picture.data else ()),
        *_stage(picture),
        *_sieve(picture),
        *_actions(picture),
        "</div>",
    ]
    return "\n".join(parts)


def _stage(picture: Picture) -> Iterable[str]:
    """The line with its ticks and the answer, and the dots above and below it."""
    if picture.game in SLIDING:
        (kind, wide, narrow), dots = _on_scale(picture)
    elif picture.kinds:
        (kind, wide, narrow), dots = _above_and_below(picture)
    else:
        (kind, wide, narrow), dots = ("bare", 1, 1), ()
    yield f'<div class="stage {kind}" style="--wide:{wide};--narrow:{narrow}">'
    if kind == "lanes":
        yield f'<span class="lane up">{picture.lanes[0]}</span>'
        yield f'<span class="lane down">{picture.lanes[1]}</span>'
    yield from picture.drawn
    yield from _axis(picture)
    yield from dots
    yield "</div>"


def _axis(picture: Picture) -> Iterable[str]:
    low, high = picture.axis
    step = max(1, (high - low) // 4)
    yield '<div class="line" aria-hidden="true">'
    for tick in range(low, high + 1, step):
        unit = f" {picture.unit}" if tick == low + 2 * step and picture.unit else ""
        yield f'<span class="tick" style="--at:{picture.at(tick)}">{tick}{unit}</span>'
    if picture.answer is not None:
        yield from _answer(picture, picture.answer)
    yield "</div>"


def _answer(picture: Picture, answer: Exact) -> Iterable[str]:
    """The answer on the line, the one before it, and a bar between them or of its own."""
    before = answer if picture.before is None else picture.before
    low_end, high_end = (picture.at(end) for end in picture.bar or sorted((answer, before)))
    hidden = " hidden" if picture.before is None else ""
    yield f'<span class="gap" style="--from:{low_end};--to:{high_end}"{hidden}></span>'
    yield f'<span class="before" style="--at:{picture.at(before)}"{hidden}></span>'
    query = picture.data.get("query", "mean")
    yield (
        f'<span class="mean" style="--at:{picture.at(answer)}">'
        f"{query} <b>{decimals(answer)}</b></span>"
    )


Stage = tuple[tuple[str, int, int], Iterable[str]]  # kind, levels on a page and on a phone; dots


def _above_and_below(picture: Picture) -> Stage:
    """Known records, in a dataset above the line and outside below it."""
    wide, narrow = (_levels(picture, room) for room in (WIDE, NARROW))
    dots = [
        '<div class="pupils" role="toolbar" aria-label="Records: up pulls in, down pulls out">',
        *map(_dot, [picture] * len(picture.kinds), range(len(picture.kinds)), wide, narrow),
        "</div>",
    ]
    return ("lanes", max(wide) + 1, max(narrow) + 1), dots


def _levels(picture: Picture, room: float) -> list[int]:
    """How far from the line each dot stands, so that no name covers another."""
    last: list[float] = []  # where the last dot of each level stands
    levels = []
    for value in (one for one in picture.values if one is not None):
        at = float(picture.at(value))
        free = (level for level, other in enumerate(last) if at - other >= room)
        level = next(free, len(last))
        last[level : level + 1] = [at]
        levels.append(level)
    return levels


def _dot(picture: Picture, i: int, wide: int, narrow: int) -> str:
    name, kind = picture.names[i], picture.kinds[i]
    value = picture.values[i]
    unit = picture.unit.removesuffix("s") if value == 1 else picture.unit
    label = html.escape(f"{name}, {value} {unit}".strip())
    return (
        f'<button type="button" class="dot" data-kind="{kind}" disabled '
        f'aria-pressed="{str(kind in ("in", "added")).lower()}" '
        f'data-label="{label}" aria-label="{label}: {STATES[kind]}" '
        f'style="--at:{picture.at(value)};--w:{wide};--n:{narrow}">'
        f'<span class="days">{value}</span><span class="name">{html.escape(name)}</span></button>'
    )


def _on_scale(picture: Picture) -> Stage:
    """Records that are pulled along the line, copies of a value stacked, and where they were."""
    seen: Counter[int] = Counter()
    dots = ['<div class="pupils">']
    for name, value, kind in zip(picture.names, picture.values, picture.kinds, strict=True):
        dots.append(_slider(picture, name, kind, value, picture.at(value), seen[value]))
        seen[value] += 1
    for value in picture.ghosts:
        style = f"--at:{picture.at(value)};--row:{seen[value]}"
        dots.append(f'<span class="ghost" style="{style}">{value}</span>')
        seen[value] += 1
    rows = DRAWN_ROWS if picture.drawn else len(picture.names) + 1
    return ("scale", rows, rows), [*dots, "</div>"]


def _slider(picture: Picture, name: str, kind: str, shown: int, at: str, row: int) -> str:
    """A record that is pulled along the line."""
    days, said = (
        f'<span class="days">{shown}</span>',
        f' data-kind="{kind}" aria-valuetext="{shown}"',
    )
    return slider("dot", name, picture.axis, str(shown), f"--at:{at};--row:{row}", days, said)


def _sieve(picture: Picture) -> Iterable[str]:
    """One square for each group, in the order of `first_page.groups`, stacked by their means."""
    if picture.lit is None:
        return
    by_sum = first_page.groups_by_sum()
    low, high = min(by_sum), max(by_sum)
    tallest = max(map(len, by_sum.values()))
    yield (
        f'<svg class="sieve" viewBox="0 0 {10 * (high - low + 1)} {10 * tallest}" role="img" '
        'aria-label="The 210 groups of six as squares, stacked by their means.">'
    )
    for group in first_page.groups():
        total = sum(DAYS[i] for i in group)
        x, y = total - low, tallest - 1 - by_sum[total].index(group)
        yield _square(10 * x, 10 * y, picture.lit[group], shaded=picture.game == "noisy")
    yield "</svg>"
    ends = (decimals(Fraction(end, SIZE)) for end in (low, high))
    words = "<span>{}</span><span>the 210 groups, by their mean</span><span>{}</span>"
    yield f'<p class="ends">{words.format(*ends)}</p>'


def _square(x: int, y: int, lit: float, *, shaded: bool) -> str:
    if shaded:
        look = f' style="fill-opacity:{0.06 + 0.94 * lit:.3g}"'
    else:
        look = ' class="hit"' if lit else ""
    return f'<rect x="{x}" y="{y}"{look}/>'


def _dial(picture: Picture) -> Iterable[str]:
    names, at = picture.data["epsilons"], picture.data["opening"]
    ends = ("0", str(len(names) - 1), "1")
    yield dial(f"dots-{picture.name}-dial", ends, str(at), names[at], f"ε = {names[at]}")


def _actions(picture: Picture) -> Iterable[str]:
    if picture.actions:
        yield f'<p class="actions">\n{buttons(picture.actions)}\n</p>'
