"""The page of formulas: one table a query, made from the closed forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from sensitivity_book.palette import MIDDLE
from sensitivity_lab import (
    Add,
    AddRemove,
    Change,
    Query,
    Relation,
    Remove,
    SymmetricDifference,
    closed_form,
)
from sensitivity_lab.numbers import dataset_text, number_text

# The page's example: L = 2, U = 14, so R = 12 and max(|L|, |U|) = 14; four records, known or least.
BOUNDS, SIZE, DISTANCES = (2, 14), 4, (1, 2)
FAMILIES: tuple[type[Relation], ...] = (Change, SymmetricDifference, AddRemove, Add, Remove)
SIZES = {"size": "n", "min_size": "≥ m"}  # known, or at least so many


def formula_table(query: Query, *, norm: float = 1) -> pd.DataFrame:
    """Return a query's formulas, each with its example: a row for each size and relation.

    Source: book/proofs.md.
    """
    words = _words(query, norm)
    rows = list(_rows(query, words, norm))
    table = pd.DataFrame(rows).set_index(["size", "relation"])
    table.attrs = {"conditions": words.conditions}
    name = query.name if norm == 1 else f"{query.name} L{norm}"
    table.attrs["name"] = re.sub(r"\W+", "-", name).strip("-")
    table.attrs["where"] = words.where
    return table


def _words(query: Query, norm: float) -> Any:
    """What is proved of a standard query, in words."""
    if query.proved is None:
        raise ValueError(f"query must be a standard query, got {query}: no formula is known")
    return query.proved.words(norm)


def _rows(query: Query, words: Any, norm: float) -> Iterator[dict[str, Any]]:
    for keyword, size in SIZES.items():
        for family in FAMILIES:
            forms = [
                closed_form(query, bounds=BOUNDS, relation=family(k), norm=norm, **{keyword: SIZE})
                for k in DISTANCES
            ]
            row: dict[str, Any] = {"size": size, "relation": family.__name__}
            row["formula"] = words.text(family(1), pinned=keyword == "size")
            row |= {f"k = {k}": form.value for k, form in zip(DISTANCES, forms, strict=True)}
            one, two = (form.status for form in forms)
            row["status"] = one if one == two else f"{one} at k = 1, then {two}"
            yield row | {"witness": forms[0].witness}


def printed(table: pd.DataFrame) -> Styler:
    """Return the table as it is printed: equal rows as one, short witnesses, conditions below."""
    conditions = table.attrs["conditions"]
    notes = [f"Holds if {conditions}." if conditions != "none" else "Holds always."]
    if table.attrs["where"]:
        notes.append("Here " + table.attrs["where"] + ".")
    texts: dict[Any, Any] = dict.fromkeys(("k = 1", "k = 2"), number_text)
    texts["witness at k = 1"] = witness_text
    style = _merged(table).style.format(texts).hide(axis="index").set_caption(" ".join(notes))
    return style.set_table_styles(LOOK).set_uuid(table.attrs["name"])


def _merged(table: pd.DataFrame) -> pd.DataFrame:
    rows = table.reset_index().rename(columns={"witness": "witness at k = 1"})
    alike = ["size", "formula", "k = 1", "k = 2", "status"]
    groups = rows.groupby(alike, sort=False, as_index=False)
    merged = groups.agg({"relation": ", ".join, "witness at k = 1": "first"})
    return merged[["size", "relation", *alike[1:], "witness at k = 1"]]


LOOK: list[Any] = [
    {"selector": "", "props": "font-size: 0.85rem; width: 100%; min-width: 40rem;"},
    {"selector": "caption", "props": "caption-side: bottom; text-align: left; max-width: 85vw;"},
    {"selector": "th, td", "props": "text-align: left; font-weight: 400; padding: 0.2rem 0.5rem;"},
    {"selector": "th, td:first-child", "props": "white-space: nowrap;"},
    {"selector": "tr", "props": f"background: none; border-bottom: 1px solid {MIDDLE}4;"},
]


def witness_text(witness: Any) -> str:
    """Write a pair of datasets shortly: of more than four records equal ones are counted."""
    if witness is None:
        return "–"
    return " → ".join(dataset_text(dataset, longest=4) for dataset in witness)
