"""The explorer of formulas beside enumeration: closed forms, and one claim that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Range, View
from sensitivity_book.stage.explorers.stage import NARROW, ring, stage
from sensitivity_book.verdicts import verdict
from sensitivity_lab import (
    MEAN,
    MEDIAN,
    SUM,
    VARIANCE,
    Change,
    Query,
    Relation,
    Sensitivity,
    SymmetricDifference,
    Universe,
    closed_form,
    global_sensitivity,
)
from sensitivity_lab.numbers import Exact, dataset_text, value_text
from sensitivity_lab.plotting import CLAIMED, EXACT, K_LABEL, LOOSE, RELATION_LINES, TOO_SMALL
from sensitivity_lab.plotting.explore import pair_figure

HIGH = 3  # the upper bound
LOWS, SIZES, KS = (-2, -1, 0, 1), (3, 4, 5), (1, 2, 3, 4)
COMPARED: dict[str, type[Relation]] = {
    "at most k changed": Change,
    "at most k added or removed": SymmetricDifference,
}


@dataclass(frozen=True)
class Claim:
    """A formula for a query's sensitivity: its words and value, by lower bound,
    size and relation."""

    query: Query
    said_by: str
    formula: Callable[[int, int, Relation], tuple[str, Exact | float]]


def of_the_book(query: Query) -> Claim:
    """The closed form that the chapter proves."""

    def formula(low: int, size: int, relation: Relation) -> tuple[str, Exact | float]:
        form = closed_form(query, bounds=(low, HIGH), size=size, relation=relation)
        return form.formula.partition(";")[0], form.value

    return Claim(query, "the formula", formula)


def width_times_k(low: int, size: int, relation: Relation) -> tuple[str, Exact]:
    """What a colleague says of the sum: each record moves it by the width R,
    whatever the relation."""
    return "k·R", relation.k * (HIGH - low)


CLAIMS = {
    **{query.name: of_the_book(query) for query in (MEAN, SUM, MEDIAN, VARIANCE)},
    "sum, as a colleague claims": Claim(SUM, "the colleague's formula", width_times_k),
}


def formula_explorer() -> Explorer:
    """Return the explorer of formulas beside enumeration: formula, lower bound, n, k."""
    knobs = [
        Knob("claim", "formula for", CLAIMS, ordered=False),
        Knob(
            "low",
            "lower bound L",
            {str(low): low for low in LOWS},
            start="0",
            typed=Range(-6, HIGH - 1),
        ),
        Knob("size", "records n", {str(n): n for n in SIZES}, start="4", typed=Range(1, 8)),
        Knob("k", "distance k", {str(k): k for k in KS}, typed=Range(1, 8)),
    ]
    return Explorer("formula", formula_view, knobs)


def formula_view(claim: Claim, low: int, size: int, k: int) -> View:
    """Return the formula as lines, enumeration as points, and both at k in words."""
    ks = range(1, max(k, *KS) + 1)
    found = {
        name: [_enumerated(claim.query, low, size, family(j)) for j in ks]
        for name, family in COMPARED.items()
    }
    sentences = [
        f"{claim.query.name} of {size} record{'s' * (size != 1)} in [{low}, {HIGH}], k = {k}."
    ]
    pictures = [_formula_figure(claim, low, size, found, k)]
    for each in (curve[k - 1] for curve in found.values()):
        formula, value = claim.formula(low, size, each.relation)
        words = each.relation.description
        said = verdict(value, each.value)
        sentences.append(
            f"{words[0].upper()}{words[1:]}: {claim.said_by} {formula} gives {value_text(value)}, "
            f"enumeration finds {value_text(each.value)}: {said}."
        )
        if said == "too small":
            dataset, neighbour = map(dataset_text, each.witness)
            sentences.append(f"The pair that refutes it: {dataset} against {neighbour}.")
            pictures.append(pair_figure(each, NARROW))
    alt = (
        "For each relation a line, the formula, and points, the enumerated sensitivity, for k "
        f"from 1 to {ks[-1]}; both points at k = {k} are ringed."
        + " Below, the pair that refutes the formula, as rows of dots."
        * (len(pictures) > 1)
    )
    return View(tuple(pictures), " ".join(sentences), alt)


@lru_cache(maxsize=4096)
def _enumerated(query: Query, low: int, size: int, relation: Relation) -> Sensitivity:
    universe = Universe.value_range(range(low, HIGH + 1))
    return global_sensitivity(query, universe, size=size, relation=relation)


@lru_cache
def _highest(claim: Claim) -> float:
    """The most that a formula, or the chapter's formula for its query, says at any setting."""
    both = (claim, CLAIMS[claim.query.name])
    return max(
        float(each.formula(low, size, family(KS[-1]))[1])
        for each in both
        for low in LOWS
        for size in SIZES
        for family in COMPARED.values()
    )


def _formula_figure(
    claim: Claim, low: int, size: int, found: dict[str, list[Sensitivity]], k: int
) -> Figure:
    """Formulas as lines, a relation a line style; the enumerated points;
    stems where they differ."""
    ks, highest = range(1, len(next(iter(found.values()))) + 1), _highest(claim)
    with stage(3.9, legend=3) as (figure, panel):
        for name, curve in found.items():
            look = RELATION_LINES[COMPARED[name].__name__] | {"marker": ""}
            line = [float(claim.formula(low, size, each.relation)[1]) for each in curve]
            highest = max(highest, *line, *map(float, curve))
            panel.plot(ks, line, color=CLAIMED, label=f"formula: {name}", clip_on=False, **look)
            _draw_stems(panel, line, [float(each) for each in curve])
        for i, curve in enumerate(found.values()):
            points, size_of = [float(each) for each in curve], (8, 5)[i]
            panel.plot(
                ks,
                points,
                "o",
                color=EXACT,
                markersize=size_of,
                label="" if i else "enumeration",
                clip_on=False,
                zorder=3,
            )
            ring(panel, k, points[k - 1])
        panel.set(xlabel=K_LABEL, ylabel="sensitivity", ylim=(0, 1.1 * highest))
        panel.set(xlim=(0.8, ks[-1] + 0.2), xticks=ks)
        figure.legend(loc="lower center", handlelength=3.5)
    return figure


def _draw_stems(panel: Axes, line: list[float], points: list[float]) -> None:
    """A stem from each point to its formula, in the colour of what is wrong with the formula."""
    for j, (formula, point) in enumerate(zip(line, points, strict=True), start=1):
        if abs(formula - point) > 1e-9:
            colour = LOOSE if formula > point else TOO_SMALL
            panel.vlines(j, point, formula, color=colour, linewidth=3)
