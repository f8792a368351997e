"""The explorer of a derivative: a histogram, and the steps to its neighbours."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Range, View
from sensitivity_book.stage.explorers.stage import LEFT, RIGHT, stage
from sensitivity_book.theory.gradient import Gradient, discrete_gradient
from sensitivity_lab import (
    MEAN,
    MEDIAN,
    SUM,
    VARIANCE,
    Query,
    SymmetricDifference,
    Universe,
    global_sensitivity,
)
from sensitivity_lab.numbers import dataset_text, number_text
from sensitivity_lab.plotting import ADDED, INK, PALE, PAPER, REMOVED

LEVELS = Universe.value_range([0, 1, 2])
MOST_COPIES = 3  # of one value: the boxes of a column, unless more are typed


def derivative_explorer() -> Explorer:
    """Return the explorer of discrete gradients: how many 0s, 1s and 2s a dataset has."""
    queries = {query.name: query for query in (MEAN, MEDIAN, VARIANCE, SUM)}
    few = {str(n): n for n in range(MOST_COPIES + 1)}
    most = Range(0, 9)
    knobs = [
        Knob("query", "query", queries, ordered=False),
        Knob("zeros", "how many 0s", few, start="1", typed=most),
        Knob("ones", "how many 1s", few, start="0", typed=most),
        Knob("twos", "how many 2s", few, start="1", typed=most),
    ]
    return Explorer("derivative", derivative_view, knobs)


def derivative_view(query: Query, zeros: int, ones: int, twos: int) -> View:
    """Return a dataset's histogram, and the steps to its neighbours with a record more or fewer."""
    dataset = (0,) * zeros + (1,) * ones + (2,) * twos
    counts = {"zeros": zeros, "ones": ones, "twos": twos}
    words = ", ".join(f"{n} {name if n != 1 else name[:-1]}" for name, n in counts.items())
    if len(dataset) < (query.smallest_size or 0):
        text = f"{query.name} has no answer on the empty dataset, so there is no gradient."
        return View((_gradient_figure(query, counts, None),), text, f"{words}; no steps.")
    gradient = discrete_gradient(query, dataset, LEVELS)
    forward, backward = (
        ", ".join("none" if step is None else number_text(step) for step in steps)
        for steps in (gradient.forward, gradient.backward)
    )
    norm = number_text(gradient.norm())
    text = (
        f"{query.name} of {dataset_text(dataset)} is {number_text(query(dataset))}. "
        f"Forward steps: {forward}. Backward steps: {backward}. The norm of both, the local "
        f"sensitivity, is {norm}; of the forward steps alone it is "
        f"{number_text(gradient.forward_norm())}."
    )
    alt = (
        f"Boxes for {words}. Below, steps at values 0, 1, 2: forward {forward}; backward "
        f"{backward}; the band reaches to {norm}."
    )
    return View((_gradient_figure(query, counts, gradient),), text, alt)


def _gradient_figure(query: Query, counts: dict[str, int], gradient: Gradient | None) -> Figure:
    """The histogram above; below, its steps in a band as high as their norm."""
    tallest = max(MOST_COPIES, *counts.values())
    sizes = range(query.smallest_size or 0, tallest * len(counts) + 2)
    longest = global_sensitivity(query, LEVELS, size=sizes, relation=SymmetricDifference(1))
    boxes = 1.75 * tallest / MOST_COPIES  # inches
    height, width = 3.25 + boxes, 1 - LEFT - RIGHT
    with stage(height, legend=2) as (figure, below):
        below.set_position((LEFT, 1.2 / height, width, 1.75 / height))
        above = figure.add_axes((LEFT, 3.15 / height, width, boxes / height), sharex=below)
        above.tick_params(labelbottom=False)
        _draw_boxes(above, counts, tallest)
        _draw_steps(below, gradient)
        above.set(ylabel="records", yticks=range(tallest + 1))
        below.set(xlabel="value", ylabel="step of the answer", xticks=range(3), xlim=(-0.4, 3.3))
        below.set_ylim(-1.1 * longest.value, 1.1 * longest.value)
        figure.legend(loc="lower center")
    return figure


def _draw_boxes(panel: Axes, counts: dict[str, int], tallest: int) -> None:
    """A column of boxes for each value, with a little air between them."""
    for value, (argument, count) in enumerate(counts.items()):
        for height in range(1, tallest + 1):
            full = height <= count
            panel.bar(
                value,
                0.92,
                bottom=height - 0.96,
                width=0.5,
                color=PALE if full else PAPER,
                edgecolor=INK,
                linestyle="-" if full else "--",
                gid=f"{argument}={height - full}",
            )


def _draw_steps(panel: Axes, gradient: Gradient | None) -> None:
    """Each value's steps as two marks beside one another."""
    forward, backward = (gradient.forward, gradient.backward) if gradient else ((), ())
    marks = (
        (forward, -0.08, "^", ADDED, "one more: f(x + e) − f(x)", "full"),
        (backward, 0.08, "s", REMOVED, "one fewer: f(x) − f(x − e)", "none"),
    )
    for steps, shift, marker, colour, name, fill in marks:
        known = [(i + shift, float(step)) for i, step in enumerate(steps) if step is not None]
        style: dict[str, Any] = {"color": colour, "fillstyle": fill, "markersize": 10}
        panel.plot(*zip(*known, strict=True), marker, **style) if known else None
        panel.plot([], [], marker, label=name, **style)
    panel.axhline(0, color=INK, linewidth=0.8)
    if gradient:
        norm = gradient.norm()
        panel.axhspan(-norm, norm, color=PALE, alpha=0.3, linewidth=0)
        panel.text(3.25, norm, f"norm {number_text(norm)}", ha="right", va="bottom")
