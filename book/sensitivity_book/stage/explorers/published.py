"""The explorer of a number to be published: what two bounds on each driver cost,
in energy and in noise."""

from __future__ import annotations

import math
from functools import lru_cache

from matplotlib.figure import Figure

from sensitivity_book.data.real import workplace_charging
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Range, View
from sensitivity_book.stage.explorers.stage import ring, stage
from sensitivity_lab.plotting import ADDED, INK, REMOVED

SESSIONS = (1, 2, 4, 8, 12, 16, 22, 31)
TOPS = (2, 4, 6, 8, 10, 15, 20)
EPSILONS = ("0.1", "0.5", "1", "2")
LOW, HIGH = 2, 10_000  # of the picture, in kWh


def published_explorer() -> Explorer:
    """Return the explorer of a month's energy: sessions a driver, kWh a session, ε."""
    knobs = [
        Knob(
            "sessions",
            "sessions a driver",
            {str(n): n for n in SESSIONS},
            start="22",
            typed=Range(1, 31),
        ),
        Knob("top", "kWh a session", {str(n): n for n in TOPS}, start="10", typed=Range(1, 20)),
        Knob(
            "epsilon",
            "budget ε",
            {text: float(text) for text in EPSILONS},
            start="1",
            typed=Range(0.1, 2, whole=False),
        ),
    ]
    return Explorer("published", published_view, knobs)


def published_view(sessions: int, top: int, epsilon: float) -> View:
    """Return what the bounds cut off, the noise that they need,
    and how far both put the total off on average."""
    dropped, cut, lost = _cost(sessions, top)
    noise, off = sessions * top / epsilon, _off(sessions, top, epsilon)
    text = (
        f"{_several(dropped, 'session')} dropped, {_several(cut, 'session')} cut: {lost:,.0f} kWh "
        f"lost. One driver moves the total by {sessions} × {top} = {sessions * top} kWh. "
        f"On average the noise is {noise:,.0f} kWh, and the published total is {off:,.0f} kWh off."
    )
    alt = (
        "Energy lost, average noise and average error against the bound on a session, where a "
        f"driver keeps {sessions}: noise rises, what is lost falls. Ringed at {top} kWh: "
        f"{off:,.0f} kWh off."
    )
    return View((_curves(sessions, top, epsilon),), text, alt)


def _several(many: int, what: str) -> str:
    return f"{many} {what}{'s' * (many != 1)}"


@lru_cache(maxsize=1024)
def _cost(sessions: int, top: int) -> tuple[int, int, float]:
    """The sessions of September 2015 that bounds drop, those that they cut,
    and the energy that both lose: of each driver the largest sessions are kept."""
    month = workplace_charging().read().query("month == '2015-09'").sort_values("kwh")
    kept = month.groupby("driver")["kwh"].tail(sessions)
    lost = month["kwh"].sum() - kept.clip(0, top).sum()
    return len(month) - len(kept), int((kept > top).sum()), float(lost)


def _off(sessions: int, top: int, epsilon: float) -> float:
    """How far a total is off on average that has lost so much, with Laplace noise of this scale."""
    lost, scale = _cost(sessions, top)[2], sessions * top / epsilon
    return lost + scale * math.exp(-lost / scale)


def _curves(sessions: int, top: int, epsilon: float) -> Figure:
    lost = [max(LOW, _cost(sessions, each)[2]) for each in TOPS]
    noise = [max(LOW, sessions * each / epsilon) for each in TOPS]
    off = [_off(sessions, each, epsilon) for each in TOPS]
    with stage(3.6, legend=1, left=0.21) as (figure, panel):
        panel.plot(TOPS, lost, "s:", color=REMOVED, label="lost")
        panel.plot(TOPS, noise, "^--", color=ADDED, label="noise")
        panel.plot(TOPS, off, "-", color=INK, linewidth=3, label="off")
        ring(panel, top, _off(sessions, top, epsilon))
        panel.set(xlabel="at most so many kWh a session", ylabel="kWh, on average", yscale="log")
        panel.set(xlim=(1, 21), ylim=(LOW, HIGH), xticks=[2, 6, 10, 15, 20])
        panel.set_yticks([10, 100, 1_000, 10_000], ["10", "100", "1,000", "10,000"], minor=False)
        panel.minorticks_off()
        figure.legend(loc="lower center", ncols=3)
    return figure
