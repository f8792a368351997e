"""The book's explorers: each a pure function of its settings, and the knobs that turn them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import laplace

from sensitivity_book.census import census_like
from sensitivity_book.explorers.explorer import Explorer, Knob, Own, View
from sensitivity_book.privacy.divergence import probability
from sensitivity_book.privacy.noise import analytic_gaussian_sigma, laplace_deviation
from sensitivity_book.scenarios import scenarios
from sensitivity_lab.closed_forms import closed_form
from sensitivity_lab.derivatives import Gradient, discrete_gradient
from sensitivity_lab.errors import Infeasible
from sensitivity_lab.plots import (
    COLOURS,
    INK,
    K_LABEL,
    PALE,
    WIDTH,
    styled_figure,
)
from sensitivity_lab.queries import MAX, MEAN, MEDIAN, MIN, STD, SUM, VARIANCE, Query, quantile
from sensitivity_lab.relations import AddRemove, Change, Relation, SymmetricDifference
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import global_sensitivity
from sensitivity_lab.text import dataset_text, number_text, value_text
from sensitivity_lab.universe import Universe
from sensitivity_lab.witness_plot import plot_witness

if TYPE_CHECKING:
    from sensitivity_book.case_files import Case

RELATIONS: dict[str, type[Relation]] = {
    "exactly k added or removed": AddRemove,
    "at most k changed": Change,
    "at most k added or removed": SymmetricDifference,
}


# --- the witness ---------------------------------------------------------------------------


def witness_explorer(scenario: str, column: str) -> Explorer:
    """Return the explorer of a scenario's sensitivities: query, relation, k, and your own values.

    >>> witness_explorer("school_large", "absence_days").view(k="2").text
    'mean at k = 2, at most 2 records changed: the sensitivity is 16/3 ≈ 5.33333. (1, 2, 3, 4, 5, 6) against (3, 4, 5, 6, 15, 20).'
    """
    setting = scenarios()[scenario]
    standard = (MEAN, MEDIAN, quantile(0.9), SUM, VARIANCE, STD, MIN, MAX)
    release = (setting.universes[column], setting.size, max(setting.distances))
    knobs = [
        Knob("query", "query", {query.name: query for query in standard}, ordered=False),
        Knob("relation", "neighbours", RELATIONS, start="at most k changed", ordered=False),
        Knob("k", "distance k", {str(k): k for k in setting.distances}),
    ]
    own = Own("release", "your own records", "1, 2, 3, 10", _own_release)

    def view(
        query: Query,
        relation: type[Relation],
        k: int,
        release: tuple[Universe, int, int] = release,
    ) -> View:
        return witness_view(*release, query, relation, k)

    return Explorer(f"witness-{column.replace('_', '-')}", view, knobs, own)


def _own_release(text: str) -> tuple[Universe, int, int]:
    """All records but a third of them released, and as many distances as can be asked."""
    typed = [float(number) for number in text.split(",")]
    universe = Universe.population([int(one) if one.is_integer() else one for one in typed])
    size = max(1, int(universe.records) * 2 // 3)
    return universe, size, max(1, min(4, int(universe.records) - size))


def witness_view(
    universe: Universe, size: int, most: int, query: Query, relation: type[Relation], k: int
) -> View:
    """Return the sensitivity's curve for k up to `most`, and the witness at k.

    Cost: one enumeration for each k. Raises ValueError where no neighbour is feasible.
    """
    curve = [_found(query, universe, size, relation(j)) for j in range(1, most + 1)]
    found = _found(query, universe, size, relation(min(k, most)))
    if found is None:
        raise ValueError(f"no dataset of size {size} has a neighbour under {relation(k)}")
    dataset, neighbour = map(dataset_text, found.witness)
    text = (
        f"{query.name} at k = {found.relation.k}, {found.relation.description}: the sensitivity "
        f"is {value_text(found.value)}. "
        f"{dataset} against {neighbour}."
    )
    heights = ", ".join("none" if each is None else number_text(each.value) for each in curve)
    alt = f"A curve of the sensitivity for k from 1 to {most}: {heights}. Below it the two datasets as rows of dots."
    return View((_curve_figure(curve, found.relation.k), plot_witness(found)), text, alt)


@lru_cache(maxsize=4096)
def _found(query: Query, universe: Universe, size: int, relation: Relation) -> Sensitivity | None:
    try:
        return global_sensitivity(query, universe, size=size, relation=relation)
    except Infeasible:
        return None


def _curve_figure(curve: list[Sensitivity | None], k: int) -> Figure:
    """Sensitivity against k, the chosen k in a ring."""
    known = {j: float(each) for j, each in enumerate(curve, start=1) if each is not None}
    with _stage(2.2) as (figure, panel):
        panel.plot(list(known), list(known.values()), "o-", color=COLOURS[0], clip_on=False)
        _ring(panel, k, known[k])
        panel.set(xlabel=K_LABEL, ylabel="sensitivity")
        panel.set_xlim(0.8, len(curve) + 0.2)
        panel.set_xticks(range(1, len(curve) + 1))
        panel.set_ylim(0, 1.15 * max(known.values()) or 1)
    return figure


# --- a formula -----------------------------------------------------------------------------


def formula_explorer() -> Explorer:
    """Return the explorer of closed forms beside enumeration: query, neighbours, bounds, n, k.

    >>> formula_explorer().view(k="2").text
    'mean, at most 2 records changed, 4 records in [0, 3]: the formula min(k, n)·R/n gives 3/2 = 1.5 (exact). Enumeration finds 3/2 = 1.5.'
    """
    bounds = {f"[{low}, {high}]": (low, high) for low, high in ((0, 3), (-2, 3), (1, 3))}
    queries = {query.name: query for query in (MEAN, SUM, MEDIAN, VARIANCE)}
    relations = {name: RELATIONS[name] for name in list(RELATIONS)[1:]}
    knobs = [
        Knob("query", "query", queries, ordered=False),
        Knob("relation", "neighbours", relations, ordered=False),
        Knob("bounds", "bounds", bounds, ordered=False),
        Knob("size", "records n", {str(n): n for n in (3, 4, 5)}, start="4"),
        Knob("k", "distance k", {str(k): k for k in (1, 2, 3)}),
    ]
    return Explorer("formula", formula_view, knobs)


def formula_view(
    query: Query, relation: type[Relation], bounds: tuple[int, int], size: int, k: int
) -> View:
    """Return the closed form as a line, enumeration as points, and both at k in words.

    Cost: four enumerations of the datasets with whole numbers within the bounds.
    """
    universe = Universe.value_range(range(bounds[0], bounds[1] + 1))
    ks = range(1, 5)
    forms = [closed_form(query, bounds=bounds, size=size, relation=relation(j)) for j in ks]
    found = [_found(query, universe, size, relation(j)) for j in ks]
    form, exact = forms[k - 1], found[k - 1]
    assert exact is not None  # a range never runs out
    formula = form.formula.partition(";")[0]
    text = (
        f"{query.name}, {relation(k).description}, {size} records in [{bounds[0]}, {bounds[1]}]: "
        f"the formula {formula} gives {value_text(form.value)} ({form.status}). "
        f"Enumeration finds {value_text(exact.value)}."
    )
    alt = f"Closed form as a line, enumerated sensitivity as points, for k from 1 to 4; k = {k} is ringed."
    return View((_formula_figure(forms, found, k),), text, alt)


def _formula_figure(forms: list[Any], found: list[Sensitivity | None], k: int) -> Figure:
    ks = range(1, len(forms) + 1)
    line = [float(form) for form in forms]
    points = [float(each) for each in found if each is not None]
    with _stage(2.8, legend=True) as (figure, panel):
        panel.plot(ks, line, "-", color=COLOURS[1], linewidth=3, label="closed form", clip_on=False)
        panel.plot(ks, points, "o", color=COLOURS[0], label="enumeration", clip_on=False)
        _ring(panel, k, points[k - 1])
        panel.set(xlabel=K_LABEL, ylabel="sensitivity")
        panel.set_xlim(0.8, len(forms) + 0.2)
        panel.set_xticks(ks)
        panel.set_ylim(0, 1.15 * max(*line, *points) or 1)
        figure.legend(loc="lower center", ncols=2)
    return figure


LEFT, RIGHT = 0.14, 0.03  # of a figure's width, beside a panel


@contextmanager
def _stage(height: float, *, legend: bool = False) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one panel that stands still while the settings move, and room for a legend."""
    foot, top = (0.9 if legend else 0.6) / height, 0.12 / height
    with styled_figure(figsize=(WIDTH, height), layout="none") as figure:
        yield figure, figure.add_axes((LEFT, foot, 1 - LEFT - RIGHT, 1 - foot - top))


def _ring(panel: Axes, k: int, height: float) -> None:
    """Mark the chosen point."""
    panel.plot([k], [height], "o", markersize=15, fillstyle="none", color=INK, clip_on=False)


# --- clipping: bias against noise ------------------------------------------------------------

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
    with _stage(3.2, legend=True) as (figure, panel):
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
            _ring(panel, bound, error[bound])
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


# --- a divergence ----------------------------------------------------------------------------

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
    with _stage(3.0, legend=True) as (figure, panel):
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


# --- a derivative ----------------------------------------------------------------------------

LEVELS = Universe.value_range([0, 1, 2])
MOST_COPIES = 3  # of one value: the boxes of a column


def derivative_explorer() -> Explorer:
    """Return the explorer of discrete gradients: how many 0s, 1s and 2s a dataset has.

    >>> derivative_explorer().view(zeros="1", ones="0", twos="1").text
    'mean of (0, 2) is 1. Forward steps: -1/3, 0, 1/3. Backward steps: -1, none, 1. The norm of both, the local sensitivity, is 1; of the forward steps alone it is 1/3.'
    """
    queries = {query.name: query for query in (MEAN, MEDIAN, VARIANCE, SUM)}
    few = {str(n): n for n in range(MOST_COPIES + 1)}
    knobs = [
        Knob("query", "query", queries, ordered=False),
        Knob("zeros", "how many 0s", few, start="1"),
        Knob("ones", "how many 1s", few, start="0"),
        Knob("twos", "how many 2s", few, start="1"),
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
        f"Forward steps: {forward}. Backward steps: {backward}. The norm of both, the local sensitivity, is {norm}; "
        f"of the forward steps alone it is {number_text(gradient.forward_norm())}."
    )
    alt = (
        f"Boxes for {words}. Below, steps at values 0, 1, 2: forward {forward}; backward "
        f"{backward}; the band reaches to {norm}."
    )
    return View((_gradient_figure(query, counts, gradient),), text, alt)


def _gradient_figure(query: Query, counts: dict[str, int], gradient: Gradient | None) -> Figure:
    """The histogram above; below, its steps in a band as high as their norm.

    The lower panel is as high as the norm can be on any dataset of the explorer.
    """
    sizes = range(query.smallest_size or 0, MOST_COPIES * len(counts) + 2)
    longest = global_sensitivity(query, LEVELS, size=sizes, relation=SymmetricDifference(1))
    with _stage(4.8, legend=True) as (figure, below):
        below.set_position((LEFT, 0.19, 1 - LEFT - RIGHT, 0.37))
        above = figure.add_axes((LEFT, 0.6, 1 - LEFT - RIGHT, 0.38), sharex=below)
        above.tick_params(labelbottom=False)
        _draw_boxes(above, counts)
        _draw_steps(below, gradient)
        above.set(ylabel="records", yticks=range(MOST_COPIES + 1))
        below.set(xlabel="value", ylabel="step of the answer", xticks=range(3), xlim=(-0.4, 3))
        below.set_ylim(-1.1 * longest.value, 1.1 * longest.value)
        figure.legend(loc="lower center", ncols=2)
    return figure


def _draw_boxes(panel: Axes, counts: dict[str, int]) -> None:
    """A column of boxes for each value, with a little air between them.

    A click on an empty box fills the column up to it; on a full one it empties that box and those
    above.
    """
    for value, (argument, count) in enumerate(counts.items()):
        for height in range(1, MOST_COPIES + 1):
            full = height <= count
            panel.bar(
                value,
                0.92,
                bottom=height - 0.96,
                width=0.5,
                color=PALE if full else "white",
                edgecolor=INK,
                linestyle="-" if full else "--",
                gid=f"{argument}={height - full}",
            )


def _draw_steps(panel: Axes, gradient: Gradient | None) -> None:
    """Each value's steps as two marks beside one another."""
    forward, backward = (gradient.forward, gradient.backward) if gradient else ((), ())
    marks = (
        (forward, -0.08, "^", COLOURS[0], "one more: f(x + e) − f(x)", "full"),
        (backward, 0.08, "v", COLOURS[1], "one fewer: f(x) − f(x − e)", "none"),
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
        panel.text(2.95, norm, f"norm {number_text(norm)}", ha="right", va="bottom")


# --- people and their rows --------------------------------------------------------------------

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
    with _stage(3.0, legend=True) as (figure, panel):
        panel.plot(across, curves[:, 0], "-", color=COLOURS[1], linewidth=2, label="Laplace")
        panel.plot(across, curves[:, 1], "--", color=COLOURS[0], linewidth=2, label="Gaussian")
        for height in (tents, bells):
            _ring(panel, groups, height)
        panel.set(xlabel="groups per person", ylabel="deviation of the noise", xlim=(0, 33))
        panel.set_ylim(0, 1.1 * curves.max())
        figure.legend(loc="lower center", ncols=2)
    return View((figure,), text, alt)


@lru_cache(maxsize=1024)
def _deviations(groups: int, rows: int, epsilon: float) -> tuple[float, float]:
    """The standard deviations of Laplace and of Gaussian noise."""
    tents = laplace_deviation(groups * rows, epsilon)
    return tents, analytic_gaussian_sigma(math.sqrt(groups) * rows, epsilon, DELTA)


# --- an audit ---------------------------------------------------------------------------------


def audit_explorer() -> Explorer:
    """Return the explorer of the case files: a function of a library, its claim, the witness.

    >>> audit_explorer().view(case="diffprivlib: sum, bounds (1, 3), 1 added or removed").text
    'diffprivlib: sum, bounds (1, 3), 1 added or removed. Version 0.6.6 claims 2; the exact number is 3: too small by ×1.5. Witness: (1) → 1; (1, 3) → 4.'

    Cost: about a second, to ask OpenDP and read the tables of the others.
    """
    from sensitivity_book.case_files import case_files  # loads OpenDP

    named = {case.name: case for case in case_files()}
    first = next(name for name, case in named.items() if case.verdict == "too small")
    knob = Knob("case", "function", named, start=first, ordered=False)
    return Explorer("audit", audit_view, [knob])


def audit_view(case: Case) -> View:
    """Return a claim beside the exact number, and the pair that attains the exact one."""
    row = case.row
    headline, *pair = str(row).splitlines()
    verdict = headline.partition(": ")[2].partition(",")[0]
    witness = f" Witness: {'; '.join(side.strip() for side in pair)}." if pair else ""
    text = (
        f"{case.name}. Version {case.version} claims {number_text(row.claimed)}; the exact number is "
        f"{number_text(row.exact)}: {verdict}.{witness}"
    )
    heights = [float(row.claimed), float(row.exact)]
    with _stage(1.6) as (figure, panel):
        panel.barh([1, 0], heights, color=[COLOURS[1], COLOURS[0]], height=0.6)
        panel.set_yticks([1, 0], ["claimed", "exact"])
        panel.set(xlabel="sensitivity", xlim=(0, 1.1 * max(heights) or 1))
    return View((figure,), text, f"Two bars: claimed {heights[0]:.6g}, exact {heights[1]:.6g}.")


def explorers() -> dict[str, Explorer]:
    """Return every explorer of the book, by name.

    >>> "formula" in explorers()
    True
    """
    made = [
        witness_explorer("school_large", "absence_days"),
        witness_explorer("vehicle", "driving_proficiency"),
        formula_explorer(),
        clipping_explorer(),
        divergence_explorer(),
        derivative_explorer(),
        people_explorer(),
        audit_explorer(),
    ]
    return {explorer.name: explorer for explorer in made}
