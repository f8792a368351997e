"""The explorer of a number to be published: what two bounds on each driver cost,
in energy and in noise."""

from __future__ import annotations

import math
from functools import lru_cache

from matplotlib.figure import Figure

from sensitivity_book.data.real import workplace_charging
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Range, View
from sensitivity_book.stage.explorers.stage import ring, stage
from sensitivity_book.stage.words import digits
from sensitivity_lab import Universe
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
    and how far both put the total off."""
    dropped, cut, lost = _cost(sessions, top)
    noise, error = _noise(sessions, top, epsilon), _error(sessions, top, epsilon)
    text = (
        f"{_several(dropped, 'session')} dropped, {_several(cut, 'session')} cut: {lost:,.0f} kWh "
        f"lost. One driver moves the total by {sessions} × {top} = {sessions * top} kWh; noise "
        f"{digits(noise)}, error {digits(error)} kWh."
    )
    alt = (
        "Energy lost, noise and error against the bound on a session, where a driver keeps "
        f"{sessions}: noise rises, what is lost falls. Ringed at {top} kWh: an error of "
        f"{digits(error)} kWh."
    )
    return View((_curves(sessions, top, epsilon),), text, alt)


def _several(many: int, what: str) -> str:
    return f"{many} {what}{'s' * (many != 1)}"


@lru_cache(maxsize=1)
def _month() -> tuple[Universe, object]:
    """Anybody who charges, and the sessions of September 2015."""
    drivers = Universe.people(Universe.product(kwh=[0, 100]), most_rows=31)
    return drivers, workplace_charging().read().query("month == '2015-09'")


@lru_cache(maxsize=1024)
def _cost(sessions: int, top: int) -> tuple[int, int, float]:
    """The sessions that bounds drop, those that they cut, and the energy that both lose."""
    drivers, month = _month()
    kept = drivers.truncated(rows=sessions, clip={"kwh": (0, top)}).apply(month, id="driver")
    (_, dropped, *_), (_, _, cut, _) = kept.costs
    return dropped, cut, float(month["kwh"].sum() - kept.table["kwh"].sum())  # type: ignore[index]


def _noise(sessions: int, top: int, epsilon: float) -> float:
    """The standard deviation of Laplace noise."""
    return math.sqrt(2) * sessions * top / epsilon


def _error(sessions: int, top: int, epsilon: float) -> float:
    """The root of the mean squared error: of what is lost, and of the noise."""
    return math.hypot(_cost(sessions, top)[2], _noise(sessions, top, epsilon))


def _curves(sessions: int, top: int, epsilon: float) -> Figure:
    lost = [max(LOW, _cost(sessions, each)[2]) for each in TOPS]
    noise = [max(LOW, _noise(sessions, each, epsilon)) for each in TOPS]
    error = [_error(sessions, each, epsilon) for each in TOPS]
    with stage(3.6, legend=1, left=0.21) as (figure, panel):
        panel.plot(TOPS, lost, "s:", color=REMOVED, label="lost")
        panel.plot(TOPS, noise, "^--", color=ADDED, label="noise")
        panel.plot(TOPS, error, "-", color=INK, linewidth=3, label="error")
        ring(panel, top, _error(sessions, top, epsilon))
        panel.set(xlabel="at most so many kWh a session", ylabel="kWh", yscale="log")
        panel.set(xlim=(1, 21), ylim=(LOW, HIGH), xticks=[2, 6, 10, 15, 20])
        panel.set_yticks([10, 100, 1_000, 10_000], ["10", "100", "1,000", "10,000"], minor=False)
        panel.minorticks_off()
        figure.legend(loc="lower center", ncols=3)
    return figure
