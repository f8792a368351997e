"""The explorer of curves: the panel of a query, large, and below it the pair behind a point.

What is asked, said and drawn is `sl.explore`'s; a page has columns, published numbers, units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import pandas as pd
from matplotlib.figure import Figure

import sensitivity_lab as sl
from sensitivity_book.data.scenarios import QUERIES
from sensitivity_book.pictures.drawings import lean
from sensitivity_book.stage.explorers.explorer import Explorer, Knob, Own, Range, View
from sensitivity_lab.numbers import number_text
from sensitivity_lab.plotting import NARROW_FORMS, PHONE
from sensitivity_lab.plotting.explore import Asked, pair_figure, relation_text, with_marks

KINDS = {
    relation_text(kind.__name__): kind for kind in (sl.AddRemove, sl.Change, sl.SymmetricDifference)
}


def curves_explorer(
    universes: Mapping[str, sl.Universe],
    *,
    size: int,
    ks: Sequence[int],
    published: pd.DataFrame | None = None,
    units: Mapping[str, str] | None = None,
    start: str | None = None,
) -> Explorer:
    """Return the explorer of some columns: column, query, relation, k, and your own records."""
    columns = {
        name: Curves(universe, size, max(ks), published, (units or {}).get(name))
        for name, universe in universes.items()
    }
    start = start or [*columns][-1]
    knobs = [
        Knob("column", "column", columns, ordered=False, start=start),
        Knob("query", "query", {query.name: query for query in QUERIES}, ordered=False),
        Knob("relation", "neighbours", KINDS, start=relation_text("Change"), ordered=False),
        Knob("k", "distance k", {str(k): k for k in range(1, max(ks) + 1)}, typed=Range(1, 12)),
    ]
    own = Own("release", "your own records", "1, 2, 3, 10", _own)
    return Explorer(f"curves-{start.replace(' ', '-')}", curves_view, knobs, own)


class Curves:
    """A universe at a size: its panels, each drawn once, and its pairs."""

    def __init__(
        self, universe: sl.Universe, size: int, most: int, published: pd.DataFrame | None = None,
        unit: str | None = None,
    ) -> None:  # fmt: skip
        self.asked, self.size, self.most = Asked(universe, QUERIES, [*KINDS.values()]), size, most
        self.asked.width = PHONE  # a pair has one form, for a page and for a phone
        self.published, self.unit, self.panel = published, unit, lru_cache(64)(self._panel)

    def rows(self, query: str, k: int) -> pd.DataFrame:
        """The curves of a query, at least as far as k."""
        table = self.asked.table(self.size, max(k, self.most))
        table.attrs["units"] = dict.fromkeys(table["column"], self.unit)
        return table[table["query"] == query]

    def figure(self, query: str, k: int) -> Figure:
        """The panel of a query."""
        figure: Figure = sl.plot_sweep(self.rows(query, k), formulas=True, beside=self.published)
        return figure

    def _panel(self, query: str, k: int, form: str) -> str:
        """It as a page has it, with hidden marks."""
        figure = self.figure(query, k)
        narrow = NARROW_FORMS[figure] if form == "phone" else None
        marked = with_marks(narrow() if narrow else figure, self.rows(query, k))
        return in_form(marked.replace('id="at-', 'data-at="'), form)

    def figures(self, query: sl.Query, relation: sl.Relation) -> tuple[Figure, ...]:
        """The panel of a query, and the two datasets, if there are any."""
        universe, size, panel = self.asked.universe, self.size, self.figure(query.name, relation.k)
        try:
            found = sl.global_sensitivity(query, universe, size=size, relation=relation)
        except sl.Infeasible:
            return (panel,)
        return panel, pair_figure(found, PHONE)


@lru_cache(16)
def _own(text: str) -> Curves:
    """All records but a third of them released."""
    try:
        typed = [float(number) for number in text.split(",")]
    except ValueError:
        raise ValueError(f"your own records must be numbers, got {text}") from None
    universe = sl.Universe.population([int(one) if one.is_integer() else one for one in typed])
    return Curves(universe, max(1, int(universe.records) * 2 // 3), 4)


def curves_view(
    column: Curves,
    query: sl.Query,
    relation: type[sl.Relation],
    k: int,
    release: Curves | None = None,
) -> View:
    """Return a query's panel with a ring at k, and the pair that attains what is said."""
    shown, asked = release or column, relation(k)
    most = max(k, shown.most)
    text, pair = shown.asked.pair(k, shown.size, relation_text(relation.__name__), query.name)

    def panel(form: str) -> str:
        mark = f'" data-at="{asked.kind}-{k}"'
        return shown.panel(query.name, most, form).replace(f"hidden{mark}", f"visible{mark}")

    rows = shown.rows(query.name, most).groupby("relation")["sensitivity"]
    heights = (
        f"{words}: {', '.join('none' if value is None else number_text(value) for value in values)}"
        for words, kind in KINDS.items()
        for values in [rows.get_group(kind.__name__)]
    )
    alt = f"Curves of the sensitivity for k from 1 to {most}. {'; '.join(heights)}."
    return View(
        (panel("wide"), *(in_form(one, "both") for one in [pair] if one)),
        text,
        alt + " Below them the two datasets as rows of dots." * bool(pair),
        phone=lambda: (panel("phone"),),
        of_svg=lambda: shown.figures(query, asked),
    )


def in_form(picture: str, form: str) -> str:
    """A picture as a part of a page, seen where there is room for its form."""
    look = f'class="drawing {form}"' + ' style="display: none"' * (form == "phone")
    return re.sub('style="max[^"]*"', look, lean(picture), count=1)
