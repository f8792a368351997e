"""What the scripts of all libraries share: the table that they store,
and the datasets that they ask about.

A library has a folder with an environment of its own. By hand, in it, with Python 3.11:

    python3.11 -m venv .venv
    .venv/bin/pip install --require-hashes -r requirements.txt
    PYTHONPATH=.. .venv/bin/python figures.py

`requirements.txt` is made from `requirements.in`:

    uv pip compile requirements.in --output-file requirements.txt --universal \
      --python-version 3.11 --generate-hashes --no-header

This runs in every environment, and imports the standard library only. Nothing is copied from a
library's documents or source: it is run, and what it hands to its noise is noted.
"""

import csv
import json
from collections.abc import Iterable
from datetime import date
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"
COLUMNS = ["library", "version", "date", "query", "parameters", "quantity", "value"]
COLUMNS += ["settings", "read_from"]  # of some tables
STATEMENTS = json.loads((DATA / "statements.json").read_text("utf-8"))
NEXT = 1 + 2.0**-52  # the float after 1
SIDE_BY_SIDE = "floats, bounds 1 and the next float"


def store(table: str, figures: dict[str, Iterable[Iterable[Any]]]) -> None:
    """Write a table of what libraries gave, once all have answered:
    rows without the first three columns."""
    rows = [
        [library, version(library), date.today().isoformat(), *row]
        for library, given in figures.items()
        for row in given
    ]
    with (DATA / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS[: len(rows[0])], *rows])


# A dataset is a tuple of records or, where it is long, a list of (records, how often).


def every(*values: Any, sizes: range = range(4)) -> list[Any]:
    """Every dataset of these values, in every order."""
    return [dataset for size in sizes for dataset in product(values, repeat=size)]


def records_of(dataset: Any) -> list[Any]:
    """All records of a dataset."""
    runs = dataset if isinstance(dataset, list) else [(dataset, 1)]
    return [value for values, times in runs for value in list(values) * times]


def narrow(power: int) -> tuple[float, float]:
    """Two floats side by side, for 2 to that power records and one more."""
    lower = (1 + (2.0 ** (power - 53) - 2.0**-52)) * 0.5
    return lower, (1 + 2.0 ** (power - 53)) * 0.5


def one_apart(low: float, high: float, many: int) -> list[Any]:
    """Two long datasets: so many records at the lower bound, and one more at either."""
    return [[((low,), many), ((last,), 1)] for last in (low, high)]


def long_sums(half: int) -> list[Any]:
    """Two datasets of which the second lacks a 1:
    ones, then pairs that each round the total upwards."""
    up, down = (half / 2**52 * sign for sign in (0.5 + 2.0**-52, -(0.5 - 2.0**-52)))
    return [[((1.0,), half - less), ((up, down), half // 2)] for less in (0, 1)]
