"""The explorer of a divergence: two noisy sums, and a set of outputs."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import laplace

from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import stage
from sensitivity_book.privacy.divergence import probability
from sensitivity_lab.plotting.style import COLOURS

OTHERS = 25  # days of absence of the other four pupils


def divergence_explorer() -> Explorer:
    """Return the explorer of two noisy sums: a pupil's days, the scale, and a set S of outputs.

    >>> divergence_explorer().view().text
    'S = [40, 60]: chance 0.2442 with 12 days more, 0.1511 without; the divergence over S is 0.48. The worst over all sets is 12/25 = 0.48.'
    """
    knobs = [
        Knob("days", "the pupil's days", {str(d): d for d in (0, 4, 12, 25, 50, 100)}, start="12"),
        Knob("scale", "scale of the noise", {str(b): b for b in (10, 25, 50)}, start="25"),
        Knob("low", "S begins at", {str(s): s for s in range(-40, 121, 20)}, start="40"),
    ]
    return Explorer("divergence", divergence_view, knobs)


def divergence_view(days: int, scale: int, low: int, width: int = 20) -> View:
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
        f"Two tents of one shape, with peaks at {centres[0]} and {centres[1]}; over S from {low} "
        f"to {low + width} the areas are {likely} and {unlikely}."
    )
    across = np.arange(-60, 181)
    inside = across[(low <= across) & (across <= low + width)]
    with stage(3.0, legend=True) as (figure, panel):
        looks = ((COLOURS[0], "-", "with the pupil"), (COLOURS[1], "--", "without"))
        for one, (colour, line, name) in zip(noisy, looks, strict=True):
            panel.fill_between(inside, one.pdf(inside), color=colour, alpha=0.25, linewidth=0)
            panel.plot(across, one.pdf(across), line, color=colour, linewidth=2, label=name)
        panel.set(xlabel="published sum (days)", ylabel="density", xlim=(-60, 180), ylim=(0, 0.055))
        figure.legend(loc="lower center", ncols=2)
    return View((figure,), text, alt)


def _chance_text(chance: float) -> str:
    """A chance to four digits that count, without an exponent.

    >>> _chance_text(0.24417), _chance_text(0.000_013_354)
    ('0.2442', '0.00001335')
    """
    return np.format_float_positional(chance, precision=4, unique=False, fractional=False)
