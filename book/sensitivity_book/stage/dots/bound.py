"""Beat the package: the clipping bound with the least error, for each ε."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sensitivity_book.stage.dots.picture import BEGIN, Picture

ACTIONS = {"most": "Show the best bound", **BEGIN}
CLAIM = "No bound has a smaller error."
BUDGETS = ("0.0001", "0.001", "0.01", "0.1", "1")
KEY = (
    '<span class="key bias">{unit} lost</span> <span class="key noise">noise</span> '
    '<span class="key error">error</span>'
)


@dataclass(frozen=True)
class Clipped:
    """A sum of records clipped to [0, U] and published with Laplace noise of scale U/ε."""

    people: int
    bias: int
    squared: Fraction
    noise: float

    @property
    def error(self) -> float:
        """The root of the mean squared error."""
        return math.sqrt(self.squared)


def clipped(records: Iterable[int], bound: int, epsilon: str) -> Clipped:
    """Return what a bound costs, if a neighbour has at most one person added or removed."""
    above = [record - bound for record in records if record > bound]
    scale = bound / Fraction(epsilon)
    squared = sum(above) ** 2 + 2 * scale**2
    return Clipped(len(above), sum(above), squared, math.sqrt(2) * float(scale))


def bound_hunt(
    name: str,
    records: Iterable[int],
    *,
    scale: range,
    axis: tuple[int, int],
    start: str = "0.01",
    unit: str = "years",
) -> Picture:
    """Return a hunt for the clipping bound whose noisy sum has the least error,
    for each of `BUDGETS`."""
    if start not in BUDGETS:
        raise ValueError(f"start must be one of {', '.join(BUDGETS)}, got start={start!r}")
    people = sorted(map(int, records))
    errors = {bound: clipped(people, bound, start) for bound in scale}
    best = min(errors, key=lambda bound: errors[bound].squared)
    own, counts = errors[best], Counter(people)
    return Picture(
        name,
        "bounding",
        "Which clipping bound has the least error?",
        (f"{own.error:,.0f}", "is the least error"),
        f"Bound {best} clips {own.people:,} people: {own.bias:,} {unit} lost, noise "
        f"{own.noise:,.0f}, together an error of {own.error:,.0f}. {CLAIM}",
        ["clipping bound"],
        [best],
        axis,
        unit,
        kinds=["in"],
        answer=None,
        drawn=_drawn(counts, errors, best, axis, unit),
        data={
            "scale": [*scale],
            "counts": [counts[age] for age in range(max(counts) + 1)],
            "epsilons": BUDGETS,
            "per": [int(1 / Fraction(epsilon)) for epsilon in BUDGETS],
            "opening": BUDGETS.index(start),
            "claim": CLAIM,
            "unit": unit,
        },
        actions=ACTIONS,
    )


def _drawn(
    counts: Counter[int], errors: dict[int, Clipped], best: int, axis: tuple[int, int], unit: str
) -> Sequence[str]:
    """The errors, and below them the records:
    a bar for each value, those above the bound marked."""
    top = 4 * errors[best].error
    parts: dict[str, Callable[[Clipped], float]] = {
        "bias": lambda one: one.bias,
        "noise": lambda one: one.noise,
        "error": lambda one: one.error,
    }
    curves = "".join(
        (
            f'<path class="{name}" '
            f'd="{_curve({b: 100 * part(one) / top for b, one in errors.items()})}"/>'
        )
        for name, part in parts.items()
    )
    spots = "".join(
        f'<span class="spot {name}" style="--at:{100 * (best - axis[0]) / (axis[1] - axis[0]):.5g};'
        f'--up:{100 * part(errors[best]) / top:.5g}"></span>'
        for name, part in parts.items()
    )
    box = f'viewBox="{axis[0]} 0 {axis[1] - axis[0]} 100" preserveAspectRatio="none"'
    return [
        f'<div class="errors" aria-hidden="true"><svg {box}>{curves}<path class="tries"/>'
        f"</svg>{spots}"
        f'<span class="top">{top:,.0f} {unit}</span><span class="keys">{KEY.format(unit=unit)}'
        "</span></div>",
        f'<svg class="people" {box} aria-hidden="true"><path class="all" d="{_bars(counts, -1)}"/>'
        f'<path class="cut" d="{_bars(counts, best)}"/></svg>',
    ]


def _curve(heights: dict[int, float]) -> str:
    """A line through heights in percent of the frame."""
    points = [f"{x} {100 - height:.1f}" for x, height in heights.items()]
    return f"M{'L'.join(points)}"


def _bars(counts: Counter[int], bound: int) -> str:
    """A bar for each value above the bound, in percent of the largest."""
    largest = max(counts.values())
    return "".join(
        f"M{value - 0.5} 100V{100 - 100 * number / largest:.1f}h1V100z"
        for value, number in sorted(counts.items())
        if value > bound
    )
