"""The explorer of people and their rows: what bounds on one person cost in noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import ring, stage
from sensitivity_book.privacy.noise import analytic_gaussian_sigma, laplace_deviation
from sensitivity_lab.plotting.style import COLOURS

DELTA = 1e-6


def people_explorer() -> Explorer:
    """Return the explorer of contribution bounds: groups per person, rows per group, ε.

    >>> people_explorer().view(groups="16", rows="1").text
    'A person is in at most 16 groups with at most 1 row in each: sensitivity 16 in L1, 4 in L2. At ε = 1 Laplace noise deviates by 22.6 in every group, Gaussian noise (δ = 1e-06) by 16.9: the Gaussian is smaller.'
    """
    knobs = [
        Knob("groups", "groups per person", {str(g): g for g in (1, 2, 4, 8, 12, 16, 24, 32)}),
        Knob("rows", "rows per group", {str(r): r for r in (1, 2, 3)}),
        Knob("epsilon", "budget ε", {text: float(text) for text in ("0.1", "1", "2")}, start="1"),
    ]
    return Explorer("people", people_view, knobs)


def people_view(groups: int, rows: int, epsilon: float) -> View:
    """Return the noise that counts by group need, by the bounds on what one person contributes."""
    l1, l2 = groups * rows, math.sqrt(groups) * rows
    tents, bells = _deviations(groups, rows, epsilon)
    smaller = "Laplace noise" if tents < bells else "the Gaussian"
    text = (
        f"A person is in at most {groups} {'group' if groups == 1 else 'groups'} with at most "
        f"{rows} {'row' if rows == 1 else 'rows'} in each: sensitivity {l1} in L1, {l2:.6g} in L2. "
        f"At ε = {epsilon:g} Laplace noise deviates by {tents:.3g} in every group, Gaussian noise "
        f"(δ = {DELTA:g}) by {bells:.3g}: {smaller} is smaller."
    )
    alt = (
        "Noise against groups per person: Laplace in a straight line, Gauss as a root; "
        f"both are ringed at {groups} groups, {tents:.3g} and {bells:.3g}."
    )
    across = np.arange(1, 33)
    curves = np.array([_deviations(int(g), rows, epsilon) for g in across])
    with stage(3.0, legend=True) as (figure, panel):
        panel.plot(across, curves[:, 0], "-", color=COLOURS[1], linewidth=2, label="Laplace")
        panel.plot(across, curves[:, 1], "--", color=COLOURS[0], linewidth=2, label="Gaussian")
        for height in (tents, bells):
            ring(panel, groups, height)
        panel.set(xlabel="groups per person", ylabel="deviation of the noise", xlim=(0, 33))
        panel.set_ylim(0, 1.1 * curves.max())
        figure.legend(loc="lower center", ncols=2)
    return View((figure,), text, alt)


@lru_cache(maxsize=1024)
def _deviations(groups: int, rows: int, epsilon: float) -> tuple[float, float]:
    """The standard deviations of Laplace and of Gaussian noise."""
    tents = laplace_deviation(groups * rows, epsilon)
    return tents, analytic_gaussian_sigma(math.sqrt(groups) * rows, epsilon, DELTA)
