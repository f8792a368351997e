"""Figures that libraries gave when they were asked, stored with versions and dates.

Each table is made by a script of `libraries`, in an environment of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

# What was asked; two more columns, quantity and value, say what came back.
SOURCE = ["library", "version", "date", "query", "parameters"]


def figures(name: str) -> pd.DataFrame:
    """Return a stored table as text, as it was written: "tumult" or "pipelinedp", for example.

    >>> figures("tumult").loc[0, ["version", "query", "value"]].tolist()
    ['0.19.1', 'private join', '2']

    Columns: `SOURCE`, quantity and value; of "relations", which tells neighbours, its own. Cost:
    reads one file. Raises FileNotFoundError for a library without a table.
    """
    file = resources.files("sensitivity_board") / "data" / f"{name}.csv"
    with file.open(encoding="utf-8") as text:
        return pd.read_csv(text, dtype=str)


@dataclass(frozen=True)
class Asked:
    """One setting of one function of a library:
    what it claimed, by quantity, and what it answered."""

    library: str
    version: str
    date: str
    function: str
    setting: str
    claims: dict[Any, Any]
    answers: dict[Any, Any]


def asked(name: str, dataset: Callable[[Any], Any] = tuple) -> list[Asked]:
    """Return what a table says, setting by setting;
    `dataset` makes a key of a dataset as it is written."""
    found = []
    for _, rows in figures(name).groupby(SOURCE, sort=False):
        claims, answers = {}, {}
        for quantity, value in zip(rows["quantity"], rows["value"], strict=True):
            told = ast.literal_eval(value)
            if quantity.startswith("answer to "):
                answers[dataset(ast.literal_eval(quantity.removeprefix("answer to ")))] = told
            else:
                claims[quantity] = told
        library, version, day, function, setting = rows.iloc[0][SOURCE]
        found.append(Asked(library, version, day, function, setting, claims, answers))
    return found


def library_figures() -> pd.DataFrame:
    """Return sensitivities and noise parameters that Tumult and PipelineDP gave, with versions.

    >>> found = library_figures()
    >>> list(found.columns)
    ['library', 'version', 'date', 'query', 'parameters', 'quantity', 'value']
    >>> sorted(set(found["library"]))
    ['pipeline-dp', 'tmlt.analytics', 'tmlt.core']

    A value is missing where the library refuses the query. Cost: reads two files.
    Source: Tumult (2023), PipelineDP (2026), asked with the versions that the table gives.
    """
    found = pd.concat([figures("tumult"), figures("pipelinedp")], ignore_index=True)
    return found.assign(value=pd.to_numeric(found["value"]))
