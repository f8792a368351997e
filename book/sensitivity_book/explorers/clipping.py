"""The explorer of clipping: bias against noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sensitivity_book.census import census_like
from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import ring, stage
from sensitivity_lab.plotting.style import COLOURS, INK

HIGHEST_AGE = 125


def clipping_explorer() -> Explorer:
    """Return the explorer of a clipped sum's error: the bound and ε.

    >>> clipping_explorer().view(bound="70").text
    'Ages clipped to [0, 70] at ε = 0.01: clipping loses 4,246 years, the noise deviates by 9,899, together the error is 10,772. The best bound is 72.'
    """
    budgets = {text: float(text) for text in ("0.001", "0.01", "0.1")}
    marked = {*range(20, HIGHEST_AGE + 1, 5), *map(_best_bound, budgets.values())}
    bounds = {str(bound): bound for bound in sorted(marked)}
    knobs = [
        Knob("bound", "bound U (years)", bounds, start="70"),
        Knob("epsilon", "budget ε", budgets, start="0.01"),
    ]
    return Explorer("clipping", clipping_view, knobs)


def clipping_view(bound: int, epsilon: float) -> View:
    """Return bias, noise and error of the noisy sum of ages in the census-like table.

    Neighbours have at most one person added or removed, so the sensitivity is the bound.
    """
    bias, noise, error = _clipping_errors(epsilon)
    best = _best_bound(epsilon)
    text = (
        f"Ages clipped to [0, {bound}] at ε = {epsilon:g}: clipping loses {bias[bound]:,.0f} years, "
        f"the noise deviates by {noise[bound]:,.0f}, together the error is {error[bound]:,.0f}. "
        f"The best bound is {best}."
    )
    alt = (
        f"Against the bound from 20 to {HIGHEST_AGE}: the bias falls, the noise rises, and their "
        f"error is lowest at {best}; the error at {bound} is "
        f"{'ringed' if error[bound] <= 4 * error[best] else 'above the frame'}."
    )
    with stage(3.2, legend=True) as (figure, panel):
        shown = np.arange(20, HIGHEST_AGE + 1)
        for part, name, line, colour in (
            (bias, "bias", "--", COLOURS[1]),
            (noise, "noise", ":", COLOURS[0]),
            (error, "error", "-", INK),
        ):
            panel.plot(shown, part[shown], line, color=colour, linewidth=2, label=name)
        panel.plot(best, error[best], "D", color=INK, markersize=8)
        top = 4 * error[best]  # the frame stands still while the bound moves
        if error[bound] <= top:
            ring(panel, bound, error[bound])
        else:
            panel.plot([bound], [top], "^", markersize=12, color=INK, clip_on=False)
        panel.set(xlabel="clipping bound U (years)", ylabel="thousand years")
        panel.set(xlim=(18, 127), ylim=(0, top))
        panel.yaxis.set_major_formatter(lambda years, _: f"{years / 1000:g}")
        figure.legend(loc="lower center", ncols=3)
    return View((figure,), text, alt)


@lru_cache
def _clipping_errors(epsilon: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What clipping loses, the deviation of Laplace noise, and both, for every bound from 0."""
    ages = census_like()["age"].to_numpy()
    bounds = np.arange(HIGHEST_AGE + 1)
    bias = np.array([int(np.maximum(ages - bound, 0).sum()) for bound in bounds], dtype=float)
    noise = math.sqrt(2) * bounds / epsilon
    return bias, noise, np.hypot(bias, noise)


def _best_bound(epsilon: float) -> int:
    """The whole bound from 1 up with the smallest error."""
    return int(_clipping_errors(epsilon)[2][1:].argmin()) + 1
