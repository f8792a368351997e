"""Watch SmartNoise SQL add long and narrow numbers: smartnoise_sums.csv beside the book's data.

The environment is that of `statements.py`:

    .venv/bin/python sums.py

The settings are those in which Casacuberta and others (2022) tell the formula of a sum from the sum
that runs: floats between bounds side by side, and a long column, which are rounded as SQLite adds
them one after another. The table is a frame of pandas, which the library hands to SQLite; each row
is a unit, `row_privacy: True`. The mechanisms' `release` is wrapped: at ε = 1 the scale of Laplace
noise is noted as the sensitivity, and the value that is to be randomised is given back as it is.

SQLite is that of Python itself. From version 3.43 on it adds floats with a correction for what is
rounded off, so the version is part of the settings.

A dataset is a tuple of records, or a list of (records, how often), where it is long.
"""

import csv
import sqlite3
import warnings
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import snsql
from snsql.sql._mechanisms.laplace import Laplace

DATA = Path(__file__).resolve().parents[3] / "book" / "sensitivity_book" / "data"
COLUMNS = ["library", "version", "date", "query", "parameters", "quantity", "value"]
COLUMNS += ["settings", "read_from"]
SETTINGS = "row_privacy: True; censor_dims: False"
HELD = "scale of the aggregate's Laplace mechanism x epsilon"
GIVEN = "what that mechanism is to randomise"
NEXT = 1 + 2.0**-52  # the float after 1
HALF = 2**19  # copies of 1 in the long dataset, of 2²⁰ records
UP, DOWN = HALF / 2**52 * (0.5 + 2.0**-52), -HALF / 2**52 * (0.5 - 2.0**-52)

noised: list[tuple[float, Any]] = []


def watch() -> None:
    def release(mechanism: Any, values: list[Any]) -> list[Any]:
        noised.append((mechanism.scale * mechanism.epsilon, values[0]))
        return values

    Laplace.release = release


def every(*values: Any) -> list[Any]:
    """Every dataset of up to three of these values, in every order."""
    return [dataset for size in range(4) for dataset in product(values, repeat=size)]


def asked() -> Iterator[tuple[str, str, str, tuple[Any, Any], list[Any]]]:
    """Query, setting, type of the column, bounds and datasets."""
    for bounds in ((0.0, 3.0), (0.0, 0.1)):
        yield "SUM", f"floats, bounds {bounds}", "float", bounds, every(*bounds)
    yield "SUM", "floats, bounds 1 and the next float", "float", (1.0, NEXT), every(1.0, NEXT)
    yield "SUM", "ints, bounds (0, 3)", "int", (0, 3), every(0, 3)
    long = [[((1.0,), HALF - less), ((UP, DOWN), HALF // 2)] for less in (0, 1)]
    name = f"floats, bounds (-1.0, 1.0), {2 * HALF:,} records"
    yield "SUM", name, "float", (-1.0, 1.0), long


def answer(query: str, kind: str, bounds: tuple[Any, Any], dataset: Any) -> tuple[float, Any]:
    """The scale at ε = 1, and the number that the library is about to randomise."""
    runs = dataset if isinstance(dataset, list) else [(dataset, 1)]
    records = [value for values, times in runs for value in list(values) * times]
    column = {"type": kind, "lower": bounds[0], "upper": bounds[1]}
    table = {"row_privacy": True, "censor_dims": False, "v": column}
    reader = snsql.from_df(
        {"db.t": pd.DataFrame({"v": records})},
        privacy=snsql.Privacy(epsilon=1.0, delta=1e-6),
        metadata={"": {"db": {"t": table}}},
    )
    noised.clear()
    reader.execute(f"SELECT {query}(v) AS a FROM db.t")
    ((sensitivity, value),) = noised
    return sensitivity, value


def main() -> None:
    warnings.simplefilter("ignore")
    watch()
    source = ["smartnoise-sql", version("smartnoise-sql"), date.today().isoformat()]
    with (DATA / "smartnoise_sums.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for query, name, kind, bounds, datasets in asked():
            place = [*source, query, f"{name}; SQLite {sqlite3.sqlite_version}"]
            sensitivities = set()
            for dataset in datasets:
                sensitivity, value = answer(query, kind, bounds, dataset)
                sensitivities.add(f"{sensitivity:.12g}")  # found by a search
                told = [f"answer to {dataset}", repr(value), SETTINGS, GIVEN]
                writer.writerow([*place, *told])
            (shown,) = sensitivities
            writer.writerow([*place, "sensitivity", shown, SETTINGS, HELD])


if __name__ == "__main__":
    main()
