"""Watch SmartNoise SQL add long and narrow numbers: smartnoise_sums.csv.

The settings are those in which Casacuberta and others (2022) tell the formula of a sum from the sum
that runs: floats between bounds side by side, and a long column, which are rounded as SQLite adds
them one after another. The table is a frame of pandas, which the library hands to SQLite; each row
is a unit, `row_privacy: True`. The mechanisms' `release` is wrapped: at ε = 1 the scale of Laplace
noise is noted as the sensitivity, and the value that is to be randomised is given back as it is.

SQLite is that of Python itself. From version 3.43 on it adds floats with a correction for what is
rounded off, so the version is part of the settings.
"""

import sqlite3
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
import snsql
from asking import NEXT, SIDE_BY_SIDE, every, long_sums, records_of, store
from snsql.sql._mechanisms.laplace import Laplace

SETTINGS = "row_privacy: True; censor_dims: False"
HELD = "scale of the aggregate's Laplace mechanism x epsilon"
GIVEN = "what that mechanism is to randomise"
HALF = 2**19  # copies of 1 in the long dataset, of 2²⁰ records

noised: list[tuple[float, Any]] = []


def watch() -> None:
    def release(mechanism: Any, values: list[Any]) -> list[Any]:
        noised.append((mechanism.scale * mechanism.epsilon, values[0]))
        return values

    Laplace.release = release


def asked() -> Iterator[tuple[str, str, str, tuple[Any, Any], list[Any]]]:
    """Query, setting, type of the column, bounds and datasets."""
    for bounds in ((0.0, 3.0), (0.0, 0.1)):
        yield "SUM", f"floats, bounds {bounds}", "float", bounds, every(*bounds)
    yield "SUM", SIDE_BY_SIDE, "float", (1.0, NEXT), every(1.0, NEXT)
    yield "SUM", "ints, bounds (0, 3)", "int", (0, 3), every(0, 3)
    name = f"floats, bounds (-1.0, 1.0), {2 * HALF:,} records"
    yield "SUM", name, "float", (-1.0, 1.0), long_sums(HALF)


def answer(query: str, kind: str, bounds: tuple[Any, Any], dataset: Any) -> tuple[float, Any]:
    """The scale at ε = 1, and the number that the library is about to randomise."""
    column = {"type": kind, "lower": bounds[0], "upper": bounds[1]}
    table = {"row_privacy": True, "censor_dims": False, "v": column}
    reader = snsql.from_df(
        {"db.t": pd.DataFrame({"v": records_of(dataset)})},
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
    store("smartnoise_sums", {"smartnoise-sql": rows()})


def rows() -> Iterator[list[str]]:
    for query, name, kind, bounds, datasets in asked():
        place, sensitivities = [query, f"{name}; SQLite {sqlite3.sqlite_version}"], set()
        for dataset in datasets:
            sensitivity, value = answer(query, kind, bounds, dataset)
            sensitivities.add(f"{sensitivity:.12g}")  # found by a search
            yield [*place, f"answer to {dataset}", repr(value), SETTINGS, GIVEN]
        (shown,) = sensitivities
        yield [*place, "sensitivity", shown, SETTINGS, HELD]


if __name__ == "__main__":
    main()
