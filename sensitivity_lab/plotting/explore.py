"""Small panels with sliders, and the pair behind the panel that is picked."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from sensitivity_lab import extension
from sensitivity_lab.catalogue import CONSTANTS, quantile
from sensitivity_lab.numbers.exact import brief, by_name, sequence, whole_number
from sensitivity_lab.numbers.text import dataset_text, value_text
from sensitivity_lab.plotting.curves import plot_sweep, relation_text
from sensitivity_lab.plotting.style import BAND, INK, PALE, STYLE
from sensitivity_lab.plotting.witness import plot_witness
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import AddRemove, Change, Relation
from sensitivity_lab.sensitivity import global_sensitivity
from sensitivity_lab.tables import sweep
from sensitivity_lab.universe import check_universe

NAMES = "MEAN MEDIAN COUNT SUM STD VARIANCE MIN MAX"
TEN = (*map(CONSTANTS.__getitem__, NAMES.split()), quantile(0.25), quantile(0.75))
KS = range(1, 5)
# Typed at a control, "x" would reach JupyterLab, which cuts the cell: what this stands in keeps
# its keys.
KEYS = """<img hidden alt="" src="data:," onerror="requestAnimationFrame(() =>
    this.closest('.widget-vbox').addEventListener('keydown', \
(event) => event.stopPropagation()))">"""


@by_name
def explore(
    universe: Any = None,
    size: Any = None,
    queries: Sequence[Query | Callable[[Any], Any]] | None = None,
    *,
    relations: Sequence[type[Relation]] | None = None,
) -> Any:
    """Show a panel for each query, with sliders for k and the size, and a pair that attains it.

    >>> from sensitivity_lab import Universe
    >>> days = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> k, size, relation, query, said, *_ = explore(days, size=6).children
    >>> k.value, relation.value = 2, "at most k records changed"
    >>> print(said.value)
    mean, datasets of size 6, at most 2 records changed: the
    sensitivity is 16/3 ≈ 5.333. (1, 2, 3, 4, 5, 6) against (3, 4, 5, 6, 15, 20).

    It needs ipywidgets and a running kernel; `explore()` is a form for any question.
    The panels are those of `plot_sweep`, with a ring at
    the k, from 1 to 4, and the kind of neighbours that are chosen; below stands the pair of the
    query that is picked. Without `queries` ten of the catalogue are asked; `relations` are kinds
    without their k, `[AddRemove, Change]` if not given. What cannot be asked is said.
    Cost: a `sweep` at each size that is shown, and a `global_sensitivity` for each pair. Raises
    TypeError for a relation that has its k already, ValueError for two queries of one name.
    """
    try:
        import ipywidgets
    except ModuleNotFoundError as error:
        raise ImportError("explore needs ipywidgets: pip install ipywidgets") from error
    if universe is size is None:
        return extension.room("ask.widgets", "explore()").form()
    kinds = (AddRemove, Change) if relations is None else relations
    asked = _Asked(universe, TEN if queries is None else queries, kinds)
    at = cache(asked.at)
    size = whole_number(size, "size", 1)
    # A range has datasets of any size: the slider goes as far as is quick to see.
    most = max(12, 2 * size) if universe.unlimited else max(size, int(universe.records))
    wide = {"style": {"description_width": "90px"}, "layout": {"width": "420px"}}
    slider = partial(ipywidgets.IntSlider, min=1, continuous_update=False, **wide)
    controls = [
        slider(value=1, max=KS[-1], description="distance k"),
        slider(value=size, max=most, description="size"),
        ipywidgets.Dropdown(options=list(asked.families), description="neighbours", **wide),
        ipywidgets.Dropdown(options=list(asked.queries), description="pair of", **wide),
    ]
    shown = [ipywidgets.HTML(text) for text in at(*(each.value for each in controls))]

    def show(_turned: Any) -> None:
        try:
            texts = at(*(each.value for each in controls))
        except ValueError as error:
            texts = escape(str(error)), "", ""
        for part, text in zip(shown, texts, strict=True):
            part.value = text

    for control in controls:
        control.observe(show, names="value")
    return ipywidgets.VBox([*controls, *shown, ipywidgets.HTML(KEYS)])


class _Asked:
    """What is asked of one universe, and shown; nothing is computed twice."""

    def __init__(self, universe: Any, queries: Any, relations: Any) -> None:
        check_universe(universe)
        asked = [as_query(query) for query in sequence(queries, "queries", "queries")]
        self.queries = {query.name: query for query in asked}
        if len(self.queries) < len(asked):
            raise ValueError(f"queries must have different names, got {brief([*self.queries])}")
        kinds = sequence(relations, "relations", "kinds such as Change")
        for kind in kinds:
            if not (isinstance(kind, type) and issubclass(kind, Relation)):
                raise TypeError(f"relations must be kinds such as Change, got {brief(kind)}")
        if not (asked and kinds):
            raise ValueError("queries and relations must have at least one each")
        self.families = {relation_text(kind.__name__): kind for kind in kinds}
        self.universe, self.table = universe, cache(self._table)

    def _table(self, size: int) -> pd.DataFrame:
        """All curves at a size."""
        asked = [family(k) for family in self.families.values() for k in KS]
        columns = {self.universe.name or "records": self.universe}
        return sweep([*self.queries.values()], columns, size=size, relations=asked)

    def at(self, k: int, size: int, neighbours: str, name: str) -> tuple[str, str, str]:
        """At a setting of the controls: a sentence, the panels, and the pair, as HTML."""
        relation = self.families[neighbours](k)
        text, picture = f"{name}, datasets of size {size}, {relation.description}: ", ""
        try:
            query = self.queries[name]
            found = global_sensitivity(query, self.universe, size=size, relation=relation)
            text += f"the sensitivity is {value_text(found.value)}."
            if self.universe.source.as_tuples:
                text += " {} against {}.".format(*map(dataset_text, found.witness))
            picture = _html(plot_witness(found))
        except ValueError as error:  # no neighbours, or too many records for a picture
            text += f" {error}"
        # The panels, a ring at the chosen relation and k, and the picked one grey.
        table = self.table(size)
        figure = plot_sweep(table)
        chosen = table[(table["relation"] == relation.kind) & (table["k"] == relation.k)]
        pairs = zip(chosen["query"], chosen["sensitivity"], strict=True)
        for panel, (title, value) in zip(figure.axes, pairs, strict=False):
            panel.axvline(relation.k, color=PALE, linewidth=1, zorder=0)
            if value is not None:
                panel.plot(relation.k, float(value), "o", ms=15, mfc="none", c=INK, clip_on=False)
            if title == name:
                panel.set_facecolor(BAND)
        return escape(text), _html(figure), picture


def _html(figure: Figure) -> str:
    """A figure as SVG that is no wider than its cell."""
    file = io.StringIO()
    with plt.rc_context(STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return '<svg style="max-width: 100%; height: auto"' + file.getvalue().partition("<svg")[2]
