"""Small panels with sliders, and the picked panel, large, with its pair."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from html import escape
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from sensitivity_lab import extension
from sensitivity_lab.catalogue import CONSTANTS, quantile
from sensitivity_lab.numbers.exact import brief, by_name, is_missing, sequence
from sensitivity_lab.numbers.text import dataset_text, value_text
from sensitivity_lab.plotting.curves import SWEPT, plot_sweep, relation_text
from sensitivity_lab.plotting.style import BAND, INK, STYLE, WIDTH, styled_figure  # fmt: skip
from sensitivity_lab.plotting.witness import plot_witness
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import AddRemove, Change, Relation
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import global_sensitivity
from sensitivity_lab.tables import compare
from sensitivity_lab.universe import check_universe

__all__ = ["Asked", "explore", "pair_figure", "relation_text", "with_marks"]
NAMES = "MEAN MEDIAN COUNT SUM STD VARIANCE MIN MAX"
TEN = (*map(CONSTANTS.__getitem__, NAMES.split()), quantile(0.25), quantile(0.75))
MOST = 4  # the largest k
PRESSED = '<g tabindex="0" role="button" id="axes'
CANNOT = (ValueError, TypeError, ImportError)
# Typed at a control, "x" would cut JupyterLab's cell: this keeps its keys. A panel that is pressed
# is picked in the second menu.
KEYS = """<img hidden alt="" src="data:," onerror="requestAnimationFrame(() => {
    const box = this.closest('.widget-vbox');
    box.onclick = box.onkeydown = (event) => {
        if (event.key) event.stopPropagation();
        const at = event.target.closest('[tabindex]'), menu = box.querySelectorAll('select')[1];
        if (!/^axes/.test(at?.id) || (event.key ?? 'Enter') != 'Enter') return;
        menu.selectedIndex = at.id.slice(5) - 1;
        menu.dispatchEvent(new Event('change'));
        menu.focus();
    };
})">"""


@by_name
def explore(
    universe: Any = None,
    size: Any = None,
    queries: Sequence[Query | Callable[[Any], Any]] | Callable[[Any], Any] | None = None,
    *,
    relations: Sequence[type[Relation]] | None = None,
) -> Any:
    """Show a panel for each query, sliders for k and the size, and a pair that attains it.

    >>> from sensitivity_lab import Universe
    >>> days = Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    >>> k, size, relation, query, said, *_ = explore(days, size=6).children
    >>> k.value, relation.value = 2, "at most k records changed (bounded)"
    >>> print(said.value)
    mean, datasets of size 6, at most 2 records changed: the
    sensitivity is 16/3 ≈ 5.333. (1, 2, 3, 4, 5, 6) against (3, 4, 5, 6, 15, 20).

    It needs ipywidgets and a kernel; `explore()` is a form for any question. The panels are those
    of `plot_sweep`, a ring at the chosen k and neighbours; the one picked or pressed stands large
    above its pair. Without `queries` ten are asked; `relations` are kinds without k,
    `[AddRemove, Change]` if not given. What cannot be asked is a gap. Cost: a `compare`
    for each size, a `global_sensitivity` for each pair. Raises TypeError for a relation with its k,
    ValueError for two queries of one name, and for none.
    """
    try:
        import ipywidgets
    except ModuleNotFoundError as error:
        raise ImportError("explore needs ipywidgets: pip install ipywidgets") from error
    if universe is size is None:
        return extension.room("ask.widgets", "explore()").form()
    kinds = (AddRemove, Change) if relations is None else relations
    asked = Asked(universe, TEN if queries is None else queries, kinds)
    size = universe.checked_size(size)
    most = max(12, 2 * size) if universe.unlimited else max(size, int(universe.records))
    wide = {"style": {"description_width": "90px"}, "layout": {"width": "440px"}}
    slider = partial(ipywidgets.IntSlider, min=1, continuous_update=False, **wide)
    menu = partial(ipywidgets.Dropdown, **wide)
    controls = [
        slider(value=1, max=MOST, description="distance k"),
        slider(value=size, max=most, description="size"),
        menu(options=list(asked.families), description="neighbours"),
        menu(options=list(asked.queries), description="pair of"),
    ]
    shown = [ipywidgets.HTML() for _ in range(3)]

    def show(_turned: Any) -> None:
        for part, text in zip(shown, asked.at(*(each.value for each in controls)), strict=True):
            part.value = text

    for control in controls:
        control.observe(show, names="value")
    show(None)
    return ipywidgets.VBox([*controls, *shown, ipywidgets.HTML(KEYS)])


class Asked:
    """What is asked of one universe, and shown; nothing is computed or drawn twice."""

    width = WIDTH  # of a pair

    def __init__(self, universe: Any, queries: Any, relations: Any) -> None:
        check_universe(universe)
        queries = [queries] if callable(queries) else sequence(queries, "queries", "queries")
        self.queries = {query.name: query for query in map(as_query, queries)}
        if len(self.queries) < len(queries):
            raise ValueError(f"queries must have different names, got {brief([*self.queries])}")
        kinds = sequence(relations, "relations", "kinds such as Change")
        for kind in kinds:
            if not (isinstance(kind, type) and issubclass(kind, Relation)):
                raise TypeError(f"relations must be kinds such as Change, got {brief(kind)}")
        if not (queries and kinds):
            raise ValueError("queries and relations must have at least one each")
        self.families = {relation_text(kind.__name__): kind for kind in kinds}
        self.universe = universe
        self.table, self.panels = lru_cache(32)(self._table), lru_cache(64)(self._panels)
        self.pair = lru_cache(256)(self._pair)

    def _table(self, size: int, most: int = MOST) -> pd.DataFrame:
        """All curves at a size; what cannot be asked is a gap in them."""
        columns = {self.universe.name or "records": self.universe}

        def asked(queries: list[Query], relations: list[Relation]) -> pd.DataFrame:
            try:
                return compare(queries, columns, size=size, relations=relations)
            except CANNOT:
                if (many := len(queries) * len(relations)) == 0:
                    raise
            if many == 1:
                gap = [*columns, queries[0].name, relations[0].kind, relations[0].k, None, None]
                return pd.DataFrame([gap], columns=[*SWEPT, "closed_form"], dtype=object)
            table = pd.concat([asked([one], [other]) for one in queries for other in relations])
            table.attrs = {"size": size, "universes": columns}
            return table

        relations = [kind(k) for kind in self.families.values() for k in range(1, most + 1)]
        return asked([*self.queries.values()], relations)

    def _panels(self, size: int, *names: str) -> str:
        """The panels of some queries."""
        table = self.table(size)
        table = table[table["query"].isin(names)]
        return with_marks(plot_sweep(table, formulas=True), table)

    def _pair(self, k: int, size: int, neighbours: str, name: str) -> tuple[str, str]:
        """What is said, and the pair."""
        query, relation, pair = self.queries[name], self.families[neighbours](k), ""
        text = f"{name}, datasets of size {size}, {relation.description}: "
        try:
            found = global_sensitivity(query, self.universe, size=size, relation=relation)
            text += f"the sensitivity is {value_text(found.value)}."
            if self.universe.source.as_tuples:
                text += " {} against {}.".format(*map(dataset_text, found.witness))
            pair = svg(pair_figure(found, self.width))
        except CANNOT as error:
            text = f"{text.rstrip()} {error}"
        return text, pair

    def at(self, k: int, size: int, neighbours: str, name: str) -> tuple[str, str, str]:
        """As HTML: a sentence; all panels; if there are more, the picked one large; its pair."""
        text, pair = self.pair(k, size, neighbours, name)
        names, mark = [*self.queries], f"{self.families[neighbours].__name__}-{k}"
        every = marked(self.panels(size, *names), mark)
        if len(names) > 1:
            every = marked(every, names.index(name)).replace('<g id="axes', PRESSED)
            pair = marked(self.panels(size, name), mark) + pair
        return escape(text), every, pair


def with_marks(figure: Figure, table: pd.DataFrame) -> str:
    """Panels as SVG in which the marks of all settings are hidden: grey, a line, a ring."""
    each = zip(figure.axes, table["query"].unique(), strict=True)
    for i, (panel, name) in enumerate(each):
        panel.axvspan(*panel.get_xlim(), color=BAND, zorder=-1, gid=f"at-{i}")
        rows = table[table["query"] == name]
        for kind, k, value in zip(*(rows[key] for key in SWEPT[2:]), strict=True):
            mark: Any = {"gid": f"at-{kind}-{k}", "color": INK}
            panel.axvline(k, linewidth=0.3, **mark)
            height = float("nan" if is_missing(value) else value)
            panel.plot(k, height, "o", ms=15, mfc="none", clip_on=False, **mark)
    return svg(figure).replace('<g id="at-', '<g visibility="hidden" id="at-')


def marked(panels: str, mark: Any) -> str:
    """Panels in which a mark is seen."""
    return panels.replace(f'visibility="hidden" id="at-{mark}"', f'id="at-{mark}"')


def pair_figure(found: Sensitivity, width: float = WIDTH) -> Figure:
    """A witness without its title; on a line it is set out by hand, in half the time."""
    if not found.universe.numeric:
        return plot_witness(found)  # type: ignore[no-any-return]
    with styled_figure(figsize=(width, 3.2), layout="none") as figure:
        axes = figure.add_axes((1.1 / width, 0.1, 0.99 - 1.1 / width, 0.89))
        plot_witness(found, ax=axes).set_title("")
    return figure


def svg(figure: Figure) -> str:
    """A figure as SVG that is no wider than its cell."""
    file = io.StringIO()
    with plt.rc_context(STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return '<svg style="max-width: 100%; height: auto"' + file.getvalue().partition("<svg")[2]
