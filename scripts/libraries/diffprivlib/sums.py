"""Watch diffprivlib add long and narrow numbers: diffprivlib_sums.csv beside the book's data.

The environment is that of `figures.py`, whose wrappers watch here too:

    .venv/bin/python sums.py

The settings are those in which Casacuberta and others (2022) tell the formula of a sum from the sum
that runs: floats between bounds side by side, which are rounded, and ints of 64 bits, which wrap.
For each there is one beside it that is asked in the same way. "sensitivity at size n" is what the
mechanism held for n records, and "answer to …" is what it was to randomise.

A dataset is a tuple of records, or a list of (records, how often), where it is long.
"""

import csv
import warnings
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from itertools import product
from typing import Any

import numpy as np
from diffprivlib import tools
from figures import COLUMNS, DATA, plain, seen, watch

COLUMNS = [*COLUMNS, "settings", "read_from"]
HELD, GIVEN = "what its mechanism holds", "what its mechanism is to randomise"

NEXT = 1 + 2.0**-52  # the float after 1
HALF = 2**19  # copies of 1 in the long dataset, of 2²⁰ records
UP, DOWN = HALF / 2**52 * (0.5 + 2.0**-52), -HALF / 2**52 * (0.5 - 2.0**-52)


def narrow(power: int) -> tuple[float, float]:
    """Two floats side by side, for 2 to that power records and one more."""
    lower = (1 + (2.0 ** (power - 53) - 2.0**-52)) * 0.5
    return lower, (1 + 2.0 ** (power - 53)) * 0.5


def every(*values: Any) -> list[Any]:
    """Every dataset of up to three of these values, in every order."""
    return [dataset for size in (1, 2, 3) for dataset in product(values, repeat=size)]


def asked() -> Iterator[tuple[str, str, dict[str, Any], list[Any]]]:
    """Tool, setting, its arguments and datasets."""
    side_by_side = "floats, bounds 1 and the next float"
    for name in ("sum", "mean", "var"):
        yield name, side_by_side, {"bounds": (1.0, NEXT)}, every(1.0, NEXT)
    yield "sum", "floats, bounds (0.0, 0.1)", {"bounds": (0.0, 0.1)}, every(0.0, 0.1)
    pair = [[((0.0,), 64), ((last,), 1)] for last in (0.0, 1.0)]
    yield "sum", "floats, bounds side by side, 65 records", {"bounds": narrow(6)}, pair
    yield "sum", "floats, bounds (0.0, 1.0), 65 records", {"bounds": (0.0, 1.0)}, pair
    top = 2**62
    ints = {"bounds": (0, top), "dtype": int}
    yield "sum", f"dtype int, bounds (0, {top:,})", ints, every(0, top)
    small = {"bounds": (0, 2**60), "dtype": int}
    yield "sum", f"dtype int, bounds (0, {2**60:,})", small, every(0, 2**60)
    long = [[((1.0,), HALF), ((UP, DOWN), HALF // 2)]]
    long += [[((1.0,), HALF - 1), ((0.0,), 1), ((UP, DOWN), HALF // 2)]]
    yield "sum", f"floats, bounds (-1.0, 1.0), {2 * HALF:,} records", {"bounds": (-1.0, 1.0)}, long


def array(dataset: Any) -> Any:
    runs = dataset if isinstance(dataset, list) else [(dataset, 1)]
    return np.concatenate([np.tile(records, times) for records, times in runs])


def main() -> None:
    warnings.simplefilter("ignore")
    watch()
    source = ["diffprivlib", version("diffprivlib"), date.today().isoformat()]
    with (DATA / "diffprivlib_sums.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for tool, name, arguments, datasets in asked():
            place = [*source, tool, name]
            settings = ", ".join(f"{name}={value}" for name, value in arguments.items())
            told: dict[int, Any] = {}
            for dataset in datasets:
                records = array(dataset)
                seen.clear()
                getattr(tools, tool)(records, **arguments)
                (mechanism,) = seen
                if told.setdefault(records.size, mechanism.sensitivity) != mechanism.sensitivity:
                    raise RuntimeError("the sensitivity is not one number at each size")
                (value,) = mechanism.values
                answer = [f"answer to {dataset}", repr(plain(value)), settings, GIVEN]
                writer.writerow([*place, *answer])
            for size, sensitivity in told.items():
                claim = [f"sensitivity at size {size}", repr(plain(sensitivity)), settings, HELD]
                writer.writerow([*place, *claim])


if __name__ == "__main__":
    main()
