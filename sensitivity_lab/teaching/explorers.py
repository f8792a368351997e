"""The book's explorers: each a pure function of its settings, and the knobs that turn them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_lab.closed_forms import closed_form
from sensitivity_lab.plots import (
    COLOURS,
    INK,
    WIDTH,
    equals_text,
    number_text,
    plot_witness,
    styled_figure,
)
from sensitivity_lab.queries import MAX, MEAN, MEDIAN, MIN, STD, SUM, VARIANCE, Query, quantile
from sensitivity_lab.relations import AddRemove, Change, Relation, SymmetricDifference
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import global_sensitivity
from sensitivity_lab.teaching.explorer import Explorer, Knob, Own, View
from sensitivity_lab.teaching.scenarios import scenarios
from sensitivity_lab.universe import Universe

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
    universe = Universe.population([float(number) for number in text.split(",")])
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
    dataset, neighbour = (", ".join(map(number_text, side)) for side in found.witness)
    text = (
        f"{query.name} at k = {found.relation.k}, {found.relation.description}: the sensitivity "
        f"is {_equals(found.value)}. "
        f"({dataset}) against ({neighbour})."
    )
    heights = ", ".join("none" if each is None else number_text(each.value) for each in curve)
    alt = f"A curve of the sensitivity for k from 1 to {most}: {heights}. Below it the two datasets as rows of dots."
    return View((_curve_figure(curve, found.relation.k), plot_witness(found)), text, alt)


@lru_cache(maxsize=4096)
def _found(query: Query, universe: Universe, size: int, relation: Relation) -> Sensitivity | None:
    try:
        return global_sensitivity(query, universe, size=size, relation=relation)
    except ValueError:  # no direction is feasible
        return None


def _curve_figure(curve: list[Sensitivity | None], k: int) -> Figure:
    """Sensitivity against k, the chosen k in a ring."""
    known = {j: float(each) for j, each in enumerate(curve, start=1) if each is not None}
    with styled_figure(figsize=(WIDTH, 2.2)) as figure:
        panel = figure.subplots()
        panel.plot(list(known), list(known.values()), "o-", color=COLOURS[0], clip_on=False)
        _ring(panel, k, known[k])
        panel.set(xlabel="Hamming distance k", ylabel="sensitivity")
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
        f"the formula {formula} gives {_equals(form.value)} ({form.status}). "
        f"Enumeration finds {_equals(exact.value)}."
    )
    alt = f"Closed form as a line, enumerated sensitivity as points, for k from 1 to 4; k = {k} is ringed."
    return View((_formula_figure(forms, found, k),), text, alt)


def _equals(value: Any) -> str:
    return equals_text(value).removeprefix("= ")


def _formula_figure(forms: list[Any], found: list[Sensitivity | None], k: int) -> Figure:
    ks = range(1, len(forms) + 1)
    line = [float(form) for form in forms]
    points = [float(each) for each in found if each is not None]
    with styled_figure(figsize=(WIDTH, 2.8)) as figure:
        panel = figure.subplots()
        panel.plot(ks, line, "-", color=COLOURS[1], linewidth=3, label="closed form", clip_on=False)
        panel.plot(ks, points, "o", color=COLOURS[0], label="enumeration", clip_on=False)
        _ring(panel, k, points[k - 1])
        panel.set(xlabel="Hamming distance k", ylabel="sensitivity")
        panel.set_xlim(0.8, len(forms) + 0.2)
        panel.set_xticks(ks)
        panel.set_ylim(0, 1.15 * max(*line, *points) or 1)
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _ring(panel: Axes, k: int, height: float) -> None:
    """Mark the chosen point."""
    panel.plot([k], [height], "o", markersize=15, fillstyle="none", color=INK, clip_on=False)


def explorers() -> dict[str, Explorer]:
    """Return every explorer of the book, by name.

    >>> "formula" in explorers()
    True
    """
    made = [
        witness_explorer("school_large", "absence_days"),
        witness_explorer("vehicle", "driving_proficiency"),
        formula_explorer(),
    ]
    return {explorer.name: explorer for explorer in made}
