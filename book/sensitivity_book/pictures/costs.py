"""What a claim that is too small costs: outputs that tell a dataset from its neighbour."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_book.verdicts import price_text
from sensitivity_lab import AuditRow
from sensitivity_lab.plotting import ADDED, REMOVED, WIDTH, styled_figure

AWAY = np.linspace(0, 6, 49)
STEPS = np.concatenate([-AWAY[:0:-1], AWAY])  # noise scales from a peak

# name of the budget, the density at STEPS, and the power of exact / claimed that is spent
Noise = tuple[str, np.ndarray, int]
LAPLACE: Noise = ("ε", np.exp(-np.abs(STEPS)), 1)
GAUSSIAN: Noise = ("ρ", np.exp(-(STEPS**2)), 2)  # σ² is half of the claim squared


def plot_costs(cases: Mapping[str, AuditRow], noise: Noise = LAPLACE) -> Figure:
    """Draw the densities of the outputs on a dataset and on its neighbour, a panel a case.

    >>> row = AuditRow("Change", 1, 5, claimed=1, found=2)
    >>> plot_costs({"sum": row}).axes[0].get_title(loc="left")
    'sum: ε = 2'
    """
    budget, density, power = noise
    with styled_figure(figsize=(WIDTH, 0.95 * len(cases) + 0.7)) as figure:
        panels = np.atleast_1d(figure.subplots(len(cases)))
        for panel, (name, row) in zip(panels, cases.items(), strict=True):
            _draw_cost(panel, row, density)
            panel.set_title(f"{name}: {budget} = {price_text(row, power)}", loc="left")
        figure.supxlabel("output, from the dataset's answer towards its neighbour's")
    return figure


def _draw_cost(panel: Axes, row: AuditRow, density: np.ndarray) -> None:
    """Two peaks as far apart as the answers, each as wide as the claim makes the noise."""
    claimed, apart = float(row.claimed), float(row.exact)
    for answer, style, colour in ((0.0, "-", ADDED), (apart, "--", REMOVED)):
        panel.plot(answer + claimed * STEPS, density, style, color=colour, linewidth=2)
    margin = 6 * claimed or 0.02 * apart
    panel.set(xlim=(-margin, apart + margin), ylim=0, yticks=[])
    panel.set_xticks([0, apart], ["", ""])
    panel.spines["left"].set_visible(False)
