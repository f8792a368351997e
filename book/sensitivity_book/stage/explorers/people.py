"""The explorer of people and their rows: what bounds on one person cost in noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure

from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Range, View
from sensitivity_book.stage.explorers.stage import ring, stage
from sensitivity_book.stage.words import digits
from sensitivity_book.theory.privacy.noise import analytic_gaussian_sigma, laplace_deviation
from sensitivity_lab.plotting import INK

DELTA = 1e-6
GROUPS = (1, 2, 4, 8, 16, 32, 64)
EPSILONS = ("0.1", "0.2", "0.5", "1", "2")


def people_explorer() -> Explorer:
    """Return the explorer of contribution bounds: groups per person, rows per group, ε."""
    knobs = [
        Knob("groups", "groups per person", {str(g): g for g in GROUPS}, typed=Range(1, 1000)),
        Knob("rows", "rows per group", {str(r): r for r in (1, 2, 3)}, typed=Range(1, 100)),
        Knob(
            "epsilon",
            "budget ε",
            {text: float(text) for text in EPSILONS},
            start="1",
            typed=Range(0.01, 10, whole=False),
        ),
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
        f"At ε = {epsilon:g} Laplace noise deviates by {digits(tents)} in every group, Gaussian "
        f"noise (δ = {DELTA:g}) by {digits(bells)}: {smaller} is smaller."
    )
    alt = (
        "Noise against groups per person, both axes by powers: Laplace the steeper line, the "
        f"Gaussian the flatter; both are ringed, {digits(tents)} and {digits(bells)}."
    )
    return View((_noise_figure(groups, rows, epsilon),), text, alt)


def _noise_figure(groups: int, rows: int, epsilon: float) -> Figure:
    """Both deviations against the groups, the chosen ones in a ring."""
    across = list(GROUPS)
    while across[-1] < groups:
        across.append(2 * across[-1])
    curves = np.array([_deviations(each, rows, epsilon) for each in across])
    low, high = min(0.5, 0.8 * curves.min()), max(4000.0, 1.25 * curves.max())
    with stage(3.6, legend=1) as (figure, panel):
        panel.plot(across, curves[:, 0], "-", color=INK, linewidth=3, label="Laplace")
        panel.plot(across, curves[:, 1], "--", color=INK, linewidth=1.6, label="Gaussian")
        for height in _deviations(groups, rows, epsilon):
            ring(panel, groups, height)
        panel.set(xlabel="groups per person", ylabel="deviation of the noise")
        panel.set(xscale="log", yscale="log", xlim=(0.85, 76 / 64 * across[-1]), ylim=(low, high))
        named = across if across == list(GROUPS) else across[::2]
        panel.set_xticks(named, map(str, named), minor=False)
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        panel.set_yticks([10.0**power for power in powers], map(_power_of_ten, powers))
        panel.minorticks_off()
        figure.legend(loc="lower center", ncols=2)
    return figure


def _power_of_ten(power: int) -> str:
    """A power of ten, short enough to stand beside an axis."""
    return f"{10.0**power:g}" if power < 4 else f"10{'⁴⁵⁶⁷⁸⁹'[power - 4]}"


@lru_cache(maxsize=1024)
def _deviations(groups: int, rows: int, epsilon: float) -> tuple[float, float]:
    """The standard deviations of Laplace and of Gaussian noise."""
    tents = laplace_deviation(groups * rows, epsilon)
    return tents, analytic_gaussian_sigma(math.sqrt(groups) * rows, epsilon, DELTA)
