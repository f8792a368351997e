"""Dots on a line that can be pulled: a game as a finished picture, which book/_static/dots.js brings to life.

Without JavaScript a reader sees the end of the game, and its sentence.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sensitivity_book import first_page
from sensitivity_book.first_page import SIZE, Group
from sensitivity_lab.exact import Exact

AXIS = (0, 20)
BEGIN = {"begin": "Start again"}
STATES = {
    "open": "not pulled in",
    "in": "in the study",
    "out": "certainly not in the study",
    "removed": "pulled out",
    "added": "pulled in",
}
NO_SCRIPT = (
    "<noscript><p><em>The dots need JavaScript, which is switched off. "
    "The picture shows how it ends.</em></p></noscript>"
)


@dataclass(frozen=True)
class Picture:
    """The end of a game: what is said, what each dot is, where the mean is, which groups are lit.

    `lit` has a strength from 0 to 1 for each group, or none if no groups are drawn.
    """

    game: str
    label: str
    big: tuple[str, str]
    sentence: str
    kinds: Sequence[str] = ()
    mean: Exact = 0
    before: Exact | None = None
    lit: Mapping[Group, float] | None = None
    data: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=lambda: BEGIN)


def decimals(value: Exact) -> str:
    """Write a number in decimals: all of them if there are two at most, else two.

    >>> decimals(Fraction(7, 2)), decimals(Fraction(19, 6))
    ('3.5', '3.17')
    """
    if 100 % Fraction(value).denominator == 0:
        return f"{float(value):g}"
    return f"{math.floor(100 * value + Fraction(1, 2)) / 100:.2f}"


def text(value: Exact) -> str:
    """Write a number as a fraction with its decimals, or as decimals if they are exact.

    >>> text(Fraction(7, 2)), text(Fraction(19, 6))
    ('3.5', '19/6\xa0≈\xa03.17')
    """
    short = 100 % Fraction(value).denominator == 0
    return (
        decimals(value)
        if short
        else f"{value}\N{NO-BREAK SPACE}≈\N{NO-BREAK SPACE}{decimals(value)}"
    )


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence.

    >>> listed(["Chris", "Kelly", "Rick"])
    'Chris, Kelly and Rick'
    """
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _names(group: Iterable[int]) -> list[str]:
    names = list(first_page.pupils())
    return [names[i] for i in group]


def naming() -> Picture:
    """Return the game in which a published mean names six pupils."""
    total, fitting = next(iter(first_page.groups_by_sum().items()))
    (six,) = fitting
    return Picture(
        "naming",
        "Who is in the study?",
        ("1", "group left"),
        f"Of the {len(first_page.groups())} groups of six, one has the mean "
        f"{text(Fraction(total, SIZE))}: {listed(_names(six))}.",
        ["in" if i in six else "out" for i in range(len(first_page.pupils()))],
        Fraction(total, SIZE),
        lit={group: float(group == six) for group in first_page.groups()},
        data={"published": str(total)},
    )


def hiding() -> Picture:
    """Return the game in which any six may be chosen: who is known by their mean?"""
    by_sum = first_page.groups_by_sum()
    total = next(total for total, some in by_sum.items() if len(some) == 3)
    chosen = by_sum[total][0]
    inside, outside = first_page.still_known(total)
    names = list(first_page.pupils())
    kinds = ["in" if i in chosen else "out" if names[i] in outside else "open" for i in range(10)]
    return Picture(
        "hiding",
        "Which other groups have this mean?",
        (str(len(by_sum[total])), "groups fit"),
        f"The mean is {text(Fraction(total, SIZE))}. In every one of the {len(by_sum[total])}: "
        f"{listed(inside)}. In none: {listed(outside)}.",
        kinds,
        Fraction(total, SIZE),
        lit={group: float(group in by_sum[total]) for group in first_page.groups()},
        data={"opening": _line(min(first_page.groups()))},
    )


def moving() -> Picture:
    """Return the game in which one swap moves the mean: your record, and the most there is."""
    most = first_page.the_most()
    first, second = (tuple(_positions(side)) for side in most.witness)
    kinds = [
        {(1, 1): "in", (1, 0): "removed", (0, 1): "added", (0, 0): "open"}[i in first, i in second]
        for i in range(len(first_page.pupils()))
    ]
    before, after = (Fraction(sum(side), SIZE) for side in most.witness)
    out, into = _names(set(first) - set(second)), _names(set(second) - set(first))
    return Picture(
        "moving",
        "How far can one swap move the mean?",
        (decimals(most.value), "is the most there is"),
        f"{listed(out)} out, {listed(into)} in: the mean moves from {text(before)} to "
        f"{text(after)}, by {text(most.value)}. "
        f"No swap in any study of {SIZE} moves it further.",
        kinds,
        after,
        before,
        data={
            "query": "mean",
            "relation": "Change",
            "k": "1",
            "most": _pair(most.value),
            "witness": f"{_line(first)}|{_line(second)}",
            "opening": _line(first),
        },
        actions={
            "on": "Go on from here",
            "most": "Show the most that is possible",
            **BEGIN,
        },
    )


def noisy(epsilon: float = 1.0) -> Picture:
    """Return the dial that adds noise to the published mean."""
    by_sum, most = first_page.groups_by_sum(), first_page.the_most().value
    total, own = min(by_sum), first_page.beliefs(epsilon)
    share, half = own[total], float(most) / epsilon * math.log(2)
    strongest = max(own.values())
    return Picture(
        "noisy",
        "What does noise leave of it?",
        (f"1 in {1 / share:.0f}", "for the right six"),
        f"The attacker believes in the right six with {100 * share:.3g}\N{NO-BREAK SPACE}%. "
        f"Half of the answers lie within {half:.3g} days of the true mean.",
        mean=Fraction(total, SIZE),
        lit={group: own[sum_] / strongest for sum_, some in by_sum.items() for group in some},
        data={
            "published": str(total),
            "most": _pair(most),
            "epsilons": " ".join(
                "Infinity" if math.isinf(one) else f"{one:g}" for one in first_page.EPSILONS
            ),
        },
        actions={},
    )


GAMES = {game.__name__: game for game in (naming, hiding, moving, noisy)}


def markup(picture: Picture) -> str:
    """Return a picture as a piece of a page.

    >>> markup(naming()).splitlines()[0][:42]
    '<div class="dots" id="dots-naming" role="g'
    """
    pupils = first_page.pupils()
    data = {
        "game": picture.game,
        "names": " ".join(pupils),
        "values": _line(pupils.values()),
        "size": str(SIZE),
        "axis": _line(AXIS),
        **picture.data,
    }
    said = "".join(f' data-{key}="{html.escape(value)}"' for key, value in data.items())
    big, what = picture.big
    parts = [
        f'<div class="dots" id="dots-{picture.game}" role="group" '
        f'aria-label="{html.escape(picture.label)}"{said}>',
        NO_SCRIPT,
        f'<p class="says" role="status" aria-live="polite"><span class="big"><b>{big}</b>'
        f'<span> {what}</span></span> <span class="sentence">{html.escape(picture.sentence)}</span></p>',
        *(_dial(picture) if picture.game == "noisy" else ()),
        *_stage(picture),
        *_sieve(picture),
        *_buttons(picture),
        "</div>",
    ]
    return "\n".join(parts)


def _stage(picture: Picture) -> Iterable[str]:
    """The line with its ticks and its mean, and the pupils above and below it."""
    low, high = AXIS
    yield f'<div class="stage{"" if picture.kinds else " bare"}">'
    if picture.kinds:
        below = "not known" if picture.game == "naming" else "not in it"
        yield '<span class="lane up">in the study</span>'
        yield f'<span class="lane down">{below}</span>'
    yield '<div class="line" aria-hidden="true">'
    for tick in range(low, high + 1, 5):
        days = f"{tick} days" if 2 * tick == low + high else tick
        yield f'<span class="tick" style="--at:{_at(tick)}">{days}</span>'
    ends = sorted(_at(end) for end in (picture.mean, picture.before) if end is not None)
    hidden = "" if picture.before is not None else " hidden"
    yield f'<span class="gap" style="--from:{ends[0]};--to:{ends[-1]}"{hidden}></span>'
    yield f'<span class="before" style="--at:{_at(picture.before or picture.mean)}"{hidden}></span>'
    yield (
        f'<span class="mean" style="--at:{_at(picture.mean)}">'
        f"mean <b>{decimals(picture.mean)}</b></span>"
    )
    yield "</div>"
    if picture.kinds:
        yield '<div class="pupils" role="toolbar" aria-label="Pupils: up pulls in, down pulls out">'
        yield from map(_dot, range(len(picture.kinds)), first_page.pupils().items(), picture.kinds)
        yield "</div>"
    yield "</div>"


def _dot(i: int, pupil: tuple[str, int], kind: str) -> str:
    name, days = pupil
    label = f"{name}, {days} day{'' if days == 1 else 's'}"
    pressed = str(kind in ("in", "added")).lower()
    return (
        f'<button type="button" class="dot" data-kind="{kind}" aria-pressed="{pressed}" '
        f'data-label="{label}" aria-label="{label}: {STATES[kind]}" disabled '
        f'style="--at:{_at(days)};--two:{i % 2};--three:{i % 3}">'
        f'<span class="days">{days}</span><span class="name">{name}</span></button>'
    )


def _sieve(picture: Picture) -> Iterable[str]:
    """One square for each group, in the order of `first_page.groups`, stacked by their means."""
    if picture.lit is None:
        return
    days, by_sum = list(first_page.pupils().values()), first_page.groups_by_sum()
    low, high = min(by_sum), max(by_sum)
    tallest = max(map(len, by_sum.values()))
    yield (
        f'<svg class="sieve" viewBox="0 0 {10 * (high - low + 1)} {10 * tallest}" role="img" '
        'aria-label="The 210 groups of six as squares, stacked by their means.">'
    )
    for group in first_page.groups():
        total = sum(days[i] for i in group)
        x, y = total - low, tallest - 1 - by_sum[total].index(group)
        yield _square(10 * x, 10 * y, picture.lit[group], shaded=picture.game == "noisy")
    yield "</svg>"
    ends = (decimals(Fraction(end, SIZE)) for end in (low, high))
    yield '<p class="ends"><span>{}</span><span>the 210 groups, by their mean</span><span>{}</span></p>'.format(
        *ends
    )


def _square(x: int, y: int, lit: float, *, shaded: bool) -> str:
    look = (
        f' style="fill-opacity:{0.06 + 0.94 * lit:.3g}"' if shaded else ' class="hit"' * (lit == 1)
    )
    return f'<rect x="{x}" y="{y}"{look}/>'


def _dial(picture: Picture) -> Iterable[str]:
    """The dial for ε, which a page without JavaScript shows at its one setting."""
    names = picture.data["epsilons"].split()
    at = names.index("1")
    yield (
        f'<div class="dial"><label for="dots-{picture.game}-dial">privacy dial ε</label>'
        f'<input id="dots-{picture.game}-dial" type="range" min="0" max="{len(names) - 1}" step="1" '
        f'value="{at}" aria-valuetext="ε = 1" disabled>'
        f'<output for="dots-{picture.game}-dial">1</output></div>'
    )


def _buttons(picture: Picture) -> Iterable[str]:
    if picture.actions:
        yield '<p class="actions">'
        for action, label in picture.actions.items():
            yield f'<button type="button" data-action="{action}" disabled>{label}</button>'
        yield "</p>"


def _positions(values: Iterable[int]) -> Iterable[int]:
    days = list(first_page.pupils().values())
    return (days.index(value) for value in values)


def _line(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _pair(value: Exact) -> str:
    return f"{Fraction(value).numerator} {Fraction(value).denominator}"


def _at(value: Exact) -> str:
    """Where a value stands on the line, in percent of its length."""
    low, high = AXIS
    return f"{float(Fraction(value - low) / (high - low) * 100):.5g}"
