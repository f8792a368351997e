"""The explorer of a scenario's sensitivities: the curve, and the witness."""

from __future__ import annotations

from matplotlib.figure import Figure

from sensitivity_book.explorers.explorer import Explorer, Knob, Own, View
from sensitivity_book.explorers.questions import RELATIONS, if_feasible
from sensitivity_book.explorers.stage import ring, stage
from sensitivity_book.scenarios import scenarios
from sensitivity_lab.plotting.style import COLOURS, K_LABEL
from sensitivity_lab.plotting.witness import plot_witness
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.standard import MAX, MEAN, MEDIAN, MIN, STD, SUM, VARIANCE, quantile
from sensitivity_lab.text import dataset_text, number_text, value_text
from sensitivity_lab.universe import Universe


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
    curve = [if_feasible(query, universe, size, relation(j)) for j in range(1, most + 1)]
    found = if_feasible(query, universe, size, relation(min(k, most)))
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


def _curve_figure(curve: list[Sensitivity | None], k: int) -> Figure:
    """Sensitivity against k, the chosen k in a ring."""
    known = {j: float(each) for j, each in enumerate(curve, start=1) if each is not None}
    with stage(2.2) as (figure, panel):
        panel.plot(list(known), list(known.values()), "o-", color=COLOURS[0], clip_on=False)
        ring(panel, k, known[k])
        panel.set(xlabel=K_LABEL, ylabel="sensitivity")
        panel.set_xlim(0.8, len(curve) + 0.2)
        panel.set_xticks(range(1, len(curve) + 1))
        panel.set_ylim(0, 1.15 * max(known.values()) or 1)
    return figure
