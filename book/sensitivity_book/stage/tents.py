"""Two tents: Laplace noise on two neighbouring answers, as a picture that a reader can pull."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sensitivity_book.stage.play import Drawn, buttons, dial, no_script, says, script, slider, style
from sensitivity_book.stage.words import digits, percent

LOW, HIGH = -5, 15  # days, the ends of the line
TALLEST = 0.34  # density per day, the top of the picture
LEAST, MOST = 0, 60  # sixths of a day, the ends for an answer
NARROWEST = 3  # sixths of a day, the least distance that noise is made for
NAMES = ("Chris", "Rick")
NO_SCRIPT = no_script(
    "To pull the dots you need JavaScript, which is switched off. The picture shows one setting."
)


@dataclass(frozen=True)
class Tents:
    """Where the two answers stand, how much noise there is, and which number was published."""

    one: int = 21
    other: int = 40
    epsilon: float = 1.0
    x: float = 3.0
    made_for: int | None = None
    end: float | None = None

    @property
    def centres(self) -> tuple[float, float]:
        """Both answers, in days."""
        return self.one / 6, self.other / 6

    @property
    def distance(self) -> float:
        """How far apart the two answers are, in days."""
        return abs(self.one - self.other) / 6

    @property
    def assumed(self) -> float:
        """The distance that the noise is made for, in days."""
        gap = abs(self.one - self.other) if self.made_for is None else self.made_for
        return max(gap, NARROWEST) / 6

    @property
    def scale(self) -> float:
        """The scale of the noise, in days."""
        return self.assumed / self.epsilon

    def heights(self, x: float) -> tuple[float, float]:
        """Both tents at x: densities per day."""
        one, other = (
            math.exp(-abs(x - centre) / self.scale) / (2 * self.scale) for centre in self.centres
        )
        return one, other

    @property
    def stretch(self) -> tuple[float, float] | None:
        """Both ends, the lower one first; none if one number was published."""
        if self.end is None or self.end == self.x:
            return None
        return min(self.x, self.end), max(self.x, self.end)

    @property
    def sizes(self) -> tuple[float, float]:
        """How high both tents are at x, or how large their areas are over the stretch."""
        if self.stretch is None:
            return self.heights(self.x)
        one, other = (
            _chance(*((z - centre) / self.scale for z in self.stretch)) for centre in self.centres
        )
        return one, other

    @property
    def loss(self) -> float:
        """The logarithm of how many times as large the first of both sizes is."""
        if self.stretch is not None:
            return math.log(self.sizes[0] / self.sizes[1])
        to_one, to_other = (abs(self.x - centre) for centre in self.centres)
        return (to_other - to_one) / self.scale

    @property
    def belief(self) -> float:
        """How likely the first is to an attacker who began at 50 : 50."""
        return 1 / (1 + math.exp(-self.loss))

    @property
    def is_kept(self) -> bool:
        """Whether the two tents keep the promise, which is for every number."""
        return self.most_loss <= self.epsilon * (1 + 1e-9)

    @property
    def holds_here(self) -> bool:
        """Whether the promise is kept at this number, or over this stretch."""
        return abs(self.loss) <= self.epsilon * (1 + 1e-9)

    @property
    def most_loss(self) -> float:
        """The largest loss, that of every number outside both answers."""
        return self.distance / self.scale


def _chance(start: float, end: float) -> float:
    """The area of a tent of scale 1 over a stretch."""
    if start >= 0:
        return (math.exp(-start) - math.exp(-end)) / 2
    if end <= 0:
        return (math.exp(end) - math.exp(start)) / 2
    return 1 - (math.exp(start) + math.exp(-end)) / 2


# ---- What is said --------------------------------------------------------------------------------


def times(logarithm: float) -> str:
    """Write a factor by its logarithm."""
    return digits(math.exp(logarithm)) if logarithm < math.log(999) else "over 999"


def big(state: Tents) -> tuple[str, str]:
    """Return the number that is said first, and what it counts."""
    if times(abs(state.loss)) == "1":
        return "1", "time as likely: no difference"
    return times(abs(state.loss)), f"times as likely with {NAMES[state.loss < 0]}"


def sentence(state: Tents) -> str:
    """Return what the picture shows."""
    stretch = ""
    if state.stretch is not None:
        start, end = map(digits, state.stretch)
        one, other = map(percent, state.sizes)
        stretch = (
            f"A number from {start} to {end} has the chance {one} with Chris, {other} with Rick. "
        )
    most = 1 / (1 + math.exp(-state.epsilon))
    likelier = NAMES[state.belief < 0.5]
    given = percent(max(state.belief, 1 - state.belief))
    limit, belief = times(state.epsilon), f"puts {given} on {likelier}"
    if state.is_kept:
        return (
            f"{stretch}At most {limit} times is allowed, at every number. An attacker who began "
            f"at 50 : 50 now {belief}; the promise caps her at {percent(most)}."
        )
    if state.holds_here:
        return (
            f"{stretch}Broken, though not here: at most {limit} times was promised, and outside "
            f"both answers it is {times(state.most_loss)}. Here the attacker {belief}."
        )
    return (
        f"{stretch}Broken: at most {limit} times was promised. The attacker {belief}, "
        f"where {percent(most)} was to be the most."
    )


def facts(state: Tents) -> str:
    """Return the three numbers behind the tents."""
    return (
        f"gap {digits(state.distance)} days · noise made for a gap of {digits(state.assumed)}: "
        f"scale {digits(state.assumed)} / {digits(state.epsilon)} = {digits(state.scale)} days"
    )


# ---- The piece of a page -------------------------------------------------------------------------


def at(x: float) -> str:
    """Where a number stands on the line, in percent."""
    return f"{(x - LOW) / (HIGH - LOW) * 100:.5g}"


def outline(state: Tents, which: int) -> str:
    """The path of a tent, in a picture 200 wide and 100 high."""
    grid = {LOW + i / 4 for i in range(4 * (HIGH - LOW) + 1)} | {state.centres[which]}
    points = (f"{10 * (x - LOW):.2f} {_down(state.heights(x)[which]):.2f}" for x in sorted(grid))
    return f"M0.00 100.00L{'L'.join(points)}L200.00 100.00Z"


def _down(height: float) -> float:
    return 100 * (1 - min(height / TALLEST, 4))


def markup(state: Tents) -> str:
    """Return the picture as a piece of a page, which static/tents.js brings to life."""
    return "\n".join(
        [
            '<div class="tents" role="group" aria-label="Two tents of noise over two answers">',
            NO_SCRIPT,
            says(*big(state), sentence(state)),
            dial("tents-dial", ("0.1", "2", "0.05"), f"{state.epsilon:g}", f"{state.epsilon:g}"),
            *_stage(state),
            *_bars(state),
            f'<p class="facts">{facts(state)}</p>',
            '<p class="actions"><label><input type="checkbox" name="follows" checked disabled> '
            "the noise follows the gap</label>"
            '<label><input type="checkbox" name="stretch" disabled> a stretch S, '
            "not one number</label>"
            f"{buttons({'draw': 'Publish one with Chris', 'begin': 'Start again'})}</p>",
            "</div>",
        ]
    )


def _stage(state: Tents) -> Iterable[str]:
    """Both tents, the published number above them, the line, and the two answers below it."""
    yield '<div class="stage">'
    yield (
        '<svg class="no-card" viewBox="0 0 200 100" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="tent one" d="{outline(state, 0)}"/>'
        f'<path class="tent other" d="{outline(state, 1)}"/>'
        '<path class="area one" d=""/><path class="area other" d=""/>'
        '<path class="rug" d=""/></svg>'
    )
    for which, height in zip(("one", "other"), state.heights(state.x), strict=True):
        shown = 100 - max(_down(height), 0)
        yield f'<span class="pole {which}" style="--at:{at(state.x)};--high:{shown:.5g}"></span>'
    text = f"<b>x = {digits(state.x)}</b>"
    yield _slider("published", "published number, in days", state.x, (LOW, HIGH), text)
    label = "other end of the stretch, in days"
    yield _slider("published end", label, state.x, (LOW, HIGH), "<b></b>", " hidden")
    yield '<div class="line" aria-hidden="true">'
    for tick in range(LOW, HIGH + 1, 5):
        unit = " days" if tick == 5 else ""
        yield f'<span class="tick" style="--at:{at(tick)}">{digits(tick)}{unit}</span>'
    low, high = (at(end) for end in sorted(state.centres))
    yield f'<span class="gap" style="--from:{low};--to:{high}"></span></div>'
    for which, name, value in zip(("one", "other"), NAMES, state.centres, strict=True):
        label = f"mean with {name}, in days"
        text = f"<i></i><b>{name} {digits(value)}</b>"
        yield _slider(f"dot {which}", label, value, (LEAST / 6, MOST / 6), text)
    yield "</div>"


def _slider(
    kind: str, label: str, value: float, ends: tuple[float, float], content: str, more: str = ""
) -> str:
    return slider(kind, label, ends, f"{value:.3g}", f"--at:{at(value)}", content, more)


def _bars(state: Tents) -> Iterable[str]:
    """The two heights at x, the longer one drawn full; and what the attacker believes."""
    heights, least = state.heights(state.x), 100 * math.exp(-state.epsilon)
    yield '<div class="bars" aria-hidden="true">'
    for which, name, long, height in zip(
        ("one", "other"), NAMES, lengths(state), heights, strict=True
    ):
        yield (
            f'<p class="{which}"><span>with {name}</span><span class="track">'
            f'<span class="bar" style="--long:{long:.5g}"></span>'
            f'<span class="least" style="--at:{least:.5g}"></span></span><b>{digits(height)}</b>'
            "</p>"
        )
    edge = 100 / (1 + math.exp(-state.epsilon))
    yield (
        f'<p class="odds"><span>attacker</span><span class="track">'
        f'<span class="allowed" style="--from:{100 - edge:.5g};--to:{edge:.5g}"></span>'
        '<span class="half"></span><span class="belief" '
        f'style="--at:{100 * (1 - state.belief):.5g}"></span>'
        '</span><b></b></p><p class="ends"><span></span><span class="words">'
        "<span>Chris for certain</span>"
        "<span>½</span><span>Rick for certain</span></span><b></b></p></div>"
    )


def lengths(state: Tents) -> tuple[float, float]:
    """How long both bars are, in percent of the longer one."""
    return 100 * math.exp(min(state.loss, 0)), 100 * math.exp(min(-state.loss, 0))


class TwoTents(Drawn):
    """The two tents, by the script and the style of the book's pages."""

    _esm = script("Tents")
    _css = style("tents.css")

    def __init__(self) -> None:
        super().__init__(value=markup(Tents()))

    def __repr__(self) -> str:
        return "<TwoTents: pull the answers, turn ε, move the published number>"
