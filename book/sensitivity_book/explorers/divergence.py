"""The explorer of a divergence: two noisy sums, and a set of outputs."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from scipy.stats import laplace

from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import stage
from sensitivity_book.privacy.divergence import probability
from sensitivity_lab.plotting.style import ADDED, INK, REMOVED

OTHERS = 25  # days of absence of the other four pupils
LEFT, RIGHT, TOP = -60, 180, 0.055  # the frame, which stands still


def divergence_explorer() -> Explorer:
    """Return the explorer of two noisy sums: a pupil's days, the scale, and a set S of outputs.

    >>> divergence_explorer().view().text
    'S = [40, 60]: chance 0.2442 with 12 days more, 0.1511 without; the divergence over S is 0.48. The worst over all sets is 12/25 = 0.48.'
    """
    knobs = [
        Knob("days", "the pupil's days", {str(d): d for d in (0, 12, 25, 50, 100)}, start="12"),
        Knob("scale", "scale of the noise", {str(b): b for b in (10, 25, 50)}, start="25"),
        Knob("low", "S begins at", {str(s): s for s in range(LEFT, RIGHT, 20)}, start="40"),
        Knob("width", "width of S", {str(w): w for w in (20, 60)}, start="20"),
    ]
    return Explorer("divergence", divergence_view, knobs)


def divergence_view(days: int, scale: int, low: int, width: int) -> View:
    """Return what may be published with the pupil and without, and how S tells them apart."""
    centres = (OTHERS + days, OTHERS)
    noisy = [laplace(centre, scale) for centre in centres]
    chances = [probability(one, low, low + width) for one in noisy]
    over_s = abs(math.log(chances[0] / chances[1]))
    likely, unlikely = map(_chance_text, chances)
    text = (
        f"S = [{low}, {low + width}]: chance {likely} with {days} days more, "
        f"{unlikely} without; the divergence over S is {over_s:.4g}. "
        f"The worst over all sets is {days}/{scale} = {days / scale:.4g}."
    )
    alt = (
        f"Two tents of one shape, with peaks at {centres[0]} and {centres[1]}; the areas below "
        f"them from {low} to {low + width} are shaded."
    )
    with stage(3.4, legend=1) as (figure, panel):
        looks = ((ADDED, "-", "with the pupil"), (REMOVED, "--", "without"))
        for centre, (colour, line, name) in zip(centres, looks, strict=True):
            _draw_tent(panel, centre, scale, (low, low + width), (colour, line, name))
        panel.plot([low, min(low + width, RIGHT)], [0, 0], color=INK, linewidth=6, label="S")
        panel.set(xlabel="published sum (days)", ylabel="density", yticks=(0, 0.02, 0.04))
        panel.set(xlim=(LEFT, RIGHT), xticks=range(LEFT, RIGHT + 1, 60), ylim=(0, TOP))
        figure.legend(loc="lower center", ncols=3, columnspacing=1.2)
    return View((figure,), text, alt)


def _draw_tent(
    panel: Axes, centre: int, scale: int, s: tuple[int, int], look: tuple[str, str, str]
) -> None:
    """A density, and the area below it over S: the whole area, of which a window shows a part."""
    colour, line, name = look
    across = np.arange(LEFT, RIGHT + 1)
    heights = laplace(centre, scale).pdf(across)
    few = (across - centre) % 2 == 0  # the peak among them
    area = panel.fill_between(across[few], heights[few], color=colour, alpha=0.25, linewidth=0)
    low, high = s[0], min(s[1], RIGHT)
    area.set_clip_path(Rectangle((low, 0), high - low, TOP, transform=panel.transData))
    panel.plot(across, heights, line, color=colour, linewidth=2, label=name)


def _chance_text(chance: float) -> str:
    """A chance to four digits that count, without an exponent.

    >>> _chance_text(0.24417), _chance_text(0.000_013_354)
    ('0.2442', '0.00001335')
    """
    return np.format_float_positional(chance, precision=4, unique=False, fractional=False)
