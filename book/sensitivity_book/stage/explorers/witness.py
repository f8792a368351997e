"""The explorer of a scenario's sensitivities: the curve, and the witness."""

from __future__ import annotations

from matplotlib.figure import Figure

from sensitivity_book.data.scenarios import QUERIES
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Own, Range, View
from sensitivity_book.stage.explorers.questions import RELATIONS, if_feasible
from sensitivity_book.stage.explorers.stage import NARROW, ring, stage
from sensitivity_lab import Query, Relation, Sensitivity, Universe, plot_witness
from sensitivity_lab.numbers import dataset_text, number_text, value_text
from sensitivity_lab.plotting import EXACT, K_LABEL, KEYS, RELATION_LINES, styled_figure


def witness_explorer(universes: dict[str, Universe], *, size: int, start: str) -> Explorer:
    """Return the explorer of some columns: column, query, relation, k, and your own values."""
    usual = max(1, min(4, size - 1))
    columns = {name.replace("_", " "): universe for name, universe in universes.items()}
    knobs = [
        Knob("column", "column", columns, start=start.replace("_", " "), ordered=False),
        Knob("query", "query", {query.name: query for query in QUERIES}, ordered=False),
        Knob("relation", "neighbours", RELATIONS, start="at most k changed", ordered=False),
        Knob("k", "distance k", {str(k): k for k in range(1, usual + 1)}, typed=Range(1, 12)),
    ]
    own = Own("release", "your own records", "1, 2, 3, 10", _own_release)

    def view(
        column: Universe,
        query: Query,
        relation: type[Relation],
        k: int,
        release: tuple[Universe, int, int] | None = None,
    ) -> View:
        records, n, most = release or (column, size, usual)
        return witness_view(records, n, k if k > usual else most, query, relation, k)

    return Explorer(f"witness-{start.replace('_', '-')}", view, knobs, own)


def _own_release(text: str) -> tuple[Universe, int, int]:
    """All records but a third of them released, and as many distances as can be asked."""
    try:
        typed = [float(number) for number in text.split(",")]
    except ValueError:
        raise ValueError(f"your own records must be numbers, got {text}") from None
    universe = Universe.population([int(one) if one.is_integer() else one for one in typed])
    size = max(1, int(universe.records) * 2 // 3)
    return universe, size, max(1, min(4, int(universe.records) - size))


def witness_view(
    universe: Universe, size: int, most: int, query: Query, relation: type[Relation], k: int
) -> View:
    """Return the sensitivity's curves for k up to `most`, a relation a line,
    and the witness at k."""
    curves = {
        name: [if_feasible(query, universe, size, family(j)) for j in range(1, most + 1)]
        for name, family in RELATIONS.items()
    }
    found = if_feasible(query, universe, size, relation(min(k, most)))
    if found is None:
        raise ValueError(f"no dataset of size {size} has a neighbour under {relation(k)}")
    dataset, neighbour = map(dataset_text, found.witness)
    text = (
        f"{query.name} at k = {found.relation.k}, {found.relation.description}: the sensitivity "
        f"is {value_text(found.value)}. "
        f"{dataset} against {neighbour}."
    )
    heights = "; ".join(f"{name}: {_heights(curve)}" for name, curve in curves.items())
    alt = (
        f"Curves of the sensitivity for k from 1 to {most}. {heights}. "
        "Below them the two datasets as rows of dots."
    )
    return View((_curve_figure(curves, found), witness_figure(found)), text, alt)


def _heights(curve: list[Sensitivity | None]) -> str:
    return ", ".join("none" if each is None else number_text(each.value) for each in curve)


def _curve_figure(curves: dict[str, list[Sensitivity | None]], found: Sensitivity) -> Figure:
    """Sensitivity against k, a relation a line style, the chosen point in a ring."""
    most, highest = 0, 0.0
    with stage(3.3, legend=len(curves)) as (figure, panel):
        for name, curve in curves.items():
            known = {j: float(each) for j, each in enumerate(curve, start=1) if each is not None}
            look = RELATION_LINES[RELATIONS[name].__name__]
            panel.plot(*_xy(known), color=EXACT, label=name, clip_on=False, **look)
            most, highest = len(curve), max(highest, *known.values(), 0)
        ring(panel, found.relation.k, float(found))
        panel.set(xlabel=K_LABEL, ylabel="sensitivity", ylim=(0, 1.15 * highest or 1))
        panel.set(xlim=(0.8, most + 0.2), xticks=range(1, most + 1))
        figure.legend(loc="lower center", handlelength=3.5)
    return figure


def _xy(known: dict[int, float]) -> tuple[list[int], list[float]]:
    return list(known), list(known.values())


def witness_figure(found: Sensitivity) -> Figure:
    """The pair as rows of dots, narrow, without the title that the explorer's sentence repeats."""
    height, foot, room = 3.6, 0.85, KEYS / 72  # inches
    with styled_figure(figsize=(NARROW, height), layout="none") as figure:
        panel = figure.add_axes((0.25, (foot - room) / height, 0.72, 1 - (foot - room) / height))
        plot_witness(found, ax=panel)
        legend = panel.get_legend()
        assert legend is not None
        words = [text.get_text() for text in legend.get_texts()]
        handles = [handle for handle in legend.legend_handles if handle is not None]
        figure.legend(handles, words, loc="lower center", ncols=2)
        legend.remove()
        low, high = panel.get_ylim()
        panel.set(title="", ylim=(low + KEYS, high))
        panel.set_position((0.25, foot / height, 0.72, 1 - foot / height))
    return figure
