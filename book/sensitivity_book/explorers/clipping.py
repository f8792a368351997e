"""The explorer of clipping: bias against noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sensitivity_book.census import census_like
from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import ring, stage
from sensitivity_lab.plotting.style import INK

LOWEST, HIGHEST_AGE = 20, 125
TOP = 4  # of the frame, in smallest errors


def clipping_explorer() -> Explorer:
    """Return the explorer of a clipped sum's error: the bound and ε.

    >>> clipping_explorer().view(bound="70").text
    'Ages clipped to [0, 70] at ε = 0.01: clipping loses 4,246 years, the noise deviates by 9,899, together the error is 10,772. The best bound is 72.'
    """
    budgets = {text: float(text) for text in ("0.0001", "0.001", "0.01", "0.1", "1")}
    marked = {*range(LOWEST, HIGHEST_AGE + 1, 5), *map(_best_bound, budgets.values())}
    bounds = {str(bound): bound for bound in sorted(marked)}
    knobs = [
        Knob("bound", "bound U (years)", bounds, start="70"),
        Knob("epsilon", "budget ε", budgets, start="0.01"),
    ]
    return Explorer("clipping", clipping_view, knobs)


def clipping_view(bound: int, epsilon: float) -> View:
    """Return bias, noise and error of the noisy sum of ages in the census-like table.

    They are drawn in units of the smallest error: one frame shows the bowl of every ε.

    Neighbours have at most one person added or removed, so the sensitivity is the bound.
    """
    bias, noise, error = _clipping_errors(epsilon)
    best = _best_bound(epsilon)
    text = (
        f"Ages clipped to [0, {bound}] at ε = {epsilon:g}: clipping loses {bias[bound]:,.0f} years, "
        f"the noise deviates by {noise[bound]:,.0f}, together the error is {error[bound]:,.0f}. "
        f"The best bound is {best}."
    )
    least = error[best]
    inside = error[bound] <= TOP * least
    alt = (
        f"Against the bound from {LOWEST} to {HIGHEST_AGE}: the bias falls, the noise rises, and their "
        f"error is lowest at {best}; the error at {bound} is {'ringed' if inside else 'above the frame'}."
    )
    with stage(3.6, legend=1) as (figure, panel):
        shown = np.arange(LOWEST, HIGHEST_AGE + 1)
        for part, name, line, width in (
            (bias, "bias", "--", 1.6),
            (noise, "noise", ":", 2.4),
            (error, "error", "-", 3),
        ):
            panel.plot(shown, part[shown] / least, line, color=INK, linewidth=width, label=name)
        panel.plot(best, 1, "D", color=INK, markersize=8)
        if inside:
            ring(panel, bound, error[bound] / least)
        else:
            panel.plot([bound], [TOP], "^", markersize=12, color=INK, clip_on=False)
        panel.set(xlabel="clipping bound U (years)", ylabel="times the smallest error")
        panel.set(xlim=(18, 127), ylim=(0, TOP), yticks=range(TOP + 1))
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
