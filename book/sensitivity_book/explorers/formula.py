"""The explorer of a closed form beside enumeration."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.questions import RELATIONS, if_feasible
from sensitivity_book.explorers.stage import ring, stage
from sensitivity_lab.closed_form import closed_form
from sensitivity_lab.plotting.style import COLOURS, K_LABEL
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.standard import MEAN, MEDIAN, SUM, VARIANCE
from sensitivity_lab.text import value_text
from sensitivity_lab.universe import Universe


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
    found = [if_feasible(query, universe, size, relation(j)) for j in ks]
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
    with stage(2.8, legend=True) as (figure, panel):
        panel.plot(ks, line, "-", color=COLOURS[1], linewidth=3, label="closed form", clip_on=False)
        panel.plot(ks, points, "o", color=COLOURS[0], label="enumeration", clip_on=False)
        ring(panel, k, points[k - 1])
        panel.set(xlabel=K_LABEL, ylabel="sensitivity")
        panel.set_xlim(0.8, len(forms) + 0.2)
        panel.set_xticks(ks)
        panel.set_ylim(0, 1.15 * max(*line, *points) or 1)
        figure.legend(loc="lower center", ncols=2)
    return figure
