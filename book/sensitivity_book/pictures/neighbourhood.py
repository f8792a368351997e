"""A neighbourhood whole: every dataset of a school, and lines between neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from sensitivity_lab.numbers.text import dataset_text, number_text, true_minus, value_text
from sensitivity_lab.plotting.style import (
    EXACT,
    INK,
    PALE,
    PAPER,
    WIDTH,
    heading,
    styled_figure,
)
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import global_sensitivity
from sensitivity_lab.universe import Dataset, Universe

MOST_NODES = 15

Point = tuple[float, float]
Pair = tuple[Dataset, Dataset]


def plot_neighbourhood(
    query: Query | Callable[[Any], Any], universe: Universe, *, size: int, relation: Relation
) -> Figure:
    """Draw every dataset of `size` and its neighbours as boxes, neighbouring pairs as lines.

    Each box holds a dataset and the query's answer; larger datasets stand higher, datasets
    of one size alone stand in a ring. The pair that attains the global sensitivity is thick,
    and its label is the sensitivity; where all neighbours agree there is none.

    >>> from sensitivity_lab import MEAN, AddRemove
    >>> school = Universe.population([1, 2, 3, 10])
    >>> figure = plot_neighbourhood(MEAN, school, size=3, relation=AddRemove(1))
    >>> len(figure.axes[0].texts)  # six pairs, four triples, one of four; and the label
    12

    Cost: one evaluation for each dataset drawn, and what `global_sensitivity` costs.
    Raises ValueError for over 15 datasets, and as `global_sensitivity`.
    Source: def-global-sensitivity in notebooks/by-hand.
    """
    query = as_query(query)
    _check_few(query, universe, size, relation)
    found = global_sensitivity(query, universe, size=size, relation=relation)
    pairs = _neighbouring_pairs(found, universe, size, relation)
    drawn = {dataset for pair in pairs for dataset in pair} | set(universe.datasets(size))
    places = _places(sorted(drawn))
    with styled_figure(figsize=(WIDTH, 4.6)) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(-0.06, 1.06), ylim=(-0.1, 1.1))
        winner = _pair(*found.witness) if found.value else ()
        _draw_pairs(axes, pairs, places, winner)
        _draw_boxes(axes, query, places, winner)
        if winner:
            _label_winner(axes, [places[dataset] for dataset in winner], found.value)
        figure.suptitle(heading(query, relation))
        figure.supxlabel(f"In each box: a dataset, and its {query.name} below")
    return figure


def _check_few(query: Query, universe: Universe, size: int, relation: Relation) -> None:
    sizes = {size - removed + added for removed, added in relation.moves} | {size}
    possible = (n for n in sizes if (query.smallest_size or 0) <= n <= universe.records)
    count = sum(universe.count(n) for n in possible)
    if count > MOST_NODES:
        raise ValueError(
            f"universe must give at most {MOST_NODES} datasets to be drawn, got {count}"
        )


def _pair(one: Dataset, other: Dataset) -> Pair:
    return (one, other) if one < other else (other, one)


def _neighbouring_pairs(
    found: Sensitivity, universe: Universe, size: int, relation: Relation
) -> set[Pair]:
    """Each pair of two different neighbours once, where the query answers both."""
    least = 1 if found.not_asked else found.query.smallest_size or 0
    return {
        _pair(dataset, neighbour)
        for dataset in universe.datasets(size)
        for neighbour in relation.neighbours(dataset, universe)
        if neighbour != dataset and len(neighbour) >= least
    }


def _places(datasets: Sequence[Dataset]) -> dict[Dataset, Point]:
    """A row for each size, the smallest lowest; a ring where there is one size only."""
    in_row = Counter(map(len, datasets))
    if len(in_row) == 1:
        return dict(zip(datasets, _ring(len(datasets)), strict=True))
    places, taken = {}, Counter[int]()
    for dataset in datasets:
        row = sorted(in_row).index(len(dataset))
        i, n = taken[row], in_row[len(dataset)]
        stagger = 0.11 * (i % 2) if n > 6 else 0.0
        places[dataset] = ((i + 0.5) / n, row / (len(in_row) - 1) + stagger)
        taken[row] += 1
    return places


def _ring(n: int) -> list[Point]:
    """n points on a circle, clockwise from the top left."""
    angles = [pi * (0.5 + 1 / n - 2 * i / n) for i in range(n)]
    return [(0.5 + 0.5 * cos(angle), 0.5 + 0.5 * sin(angle)) for angle in angles]


def _draw_pairs(
    axes: Axes, pairs: set[Pair], places: dict[Dataset, Point], winner: Pair | tuple[()]
) -> None:
    """A line for each pair; between two of one row, a bow that clears the boxes between."""
    in_rows = len({*map(len, places)}) > 1
    for one, other in sorted(pairs):
        bow = 0.35 if in_rows and len(one) == len(other) else 0.0
        won = (one, other) == winner
        line = FancyArrowPatch(
            places[one],
            places[other],
            arrowstyle="-",
            connectionstyle=f"arc3,rad={bow}",
            color=EXACT if won else PALE,
            linewidth=4.5 if won else 1.2,
            zorder=2 if won else 1,
        )
        axes.add_patch(line)


def _draw_boxes(
    axes: Axes, query: Query, places: dict[Dataset, Point], winner: Pair | tuple[()]
) -> None:
    """A box for each dataset: its records above, the query's answer below."""
    for dataset, place in places.items():
        box: dict[str, Any] = {"boxstyle": "round,pad=0.3", "facecolor": PAPER, "edgecolor": INK}
        if dataset in winner:
            box |= {"edgecolor": EXACT, "linewidth": 2.5}
        text = true_minus(f"{dataset_text(dataset)[1:-1]}\n{number_text(query(dataset))}")
        axes.text(*place, text, ha="center", va="center", bbox=box, zorder=3, fontsize=12)


def _label_winner(axes: Axes, ends: Sequence[Point], sensitivity: Any) -> None:
    """The sensitivity, written on the middle of the winning line."""
    (x1, y1), (x2, y2) = ends
    box: dict[str, Any] = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
    axes.text(
        (x1 + x2) / 2,
        (y1 + y2) / 2,
        true_minus(value_text(sensitivity)),
        ha="center",
        va="center",
        bbox=box,
        color=EXACT,
        fontweight="bold",
        zorder=4,
    )
