"""Ask OpenDP as it was in December 2021: opendp_2021.csv beside the book's data.

It has an environment of its own. With Python 3.11, here:

    python3.11 -m venv .venv
    .venv/bin/pip install --require-hashes -r requirements.txt
    .venv/bin/python figures.py

`requirements.txt` is made from `requirements.in`:

    uv pip compile requirements.in --output-file requirements.txt --universal \
      --python-version 3.11 --generate-hashes --no-header

Version 0.4.0 is the one of December 2021, the month on which Casacuberta and others (2022) base
their look at libraries. It has relations, and no maps: a claim is a bound that its relation
confirms. "sensitivity" is the ideal one, for one record changed where the size is known, for one
added or removed where it is not; it is stored only if the relation confirms it, within the rounding
of one float, and refuses one that is a ten-thousandth smaller.

A dataset is a tuple of records, or a list of (records, how often), where it is long.
"""

import csv
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from opendp.mod import enable_features
from opendp.trans import make_bounded_sum, make_sized_bounded_sum

DATA = Path(__file__).resolve().parents[3] / "book" / "sensitivity_book" / "data"
COLUMNS = ["library", "version", "date", "query", "parameters", "quantity", "value"]
NEXT = 1 + 2.0**-52  # the float after 1


def narrow(power: int) -> tuple[float, float]:
    """Two floats side by side, for 2 to that power records and one more."""
    lower = (1 + (2.0 ** (power - 53) - 2.0**-52)) * 0.5
    return lower, (1 + 2.0 ** (power - 53)) * 0.5


def asked() -> Iterator[tuple[str, str, int | None, tuple[Any, Any], list[Any]]]:
    """Query, setting, size if it is known, bounds and datasets."""
    sized = "sum, size known"
    for size in (1, 2, 3):
        every = list(product((1.0, NEXT), repeat=size))
        yield sized, "floats, bounds 1 and the next float", size, (1.0, NEXT), every
    for power in (4, 6):
        lower, upper = narrow(power)
        pair = [[((lower,), 2**power), ((last,), 1)] for last in (lower, upper)]
        name = f"floats, bounds side by side, {2**power + 1} records"
        yield sized, name, 2**power + 1, (lower, upper), pair
    tenths = [dataset for size in range(4) for dataset in product((0.0, 0.1), repeat=size)]
    yield "sum", "floats, bounds (0.0, 0.1)", None, (0.0, 0.1), tenths
    top = 2**30
    for size in (1, 2, 3):
        every = list(product((0, top), repeat=size))
        yield sized, f"ints of 32 bits, bounds (0, {top:,})", size, (0, top), every
    every = [dataset for size in range(1, 4) for dataset in product((0, top), repeat=size)]
    yield "sum", f"ints of 32 bits, bounds (0, {top:,})", None, (0, top), every


def claimed(tool: Any, size: int | None, bounds: tuple[Any, Any]) -> Any:
    """The ideal sensitivity, if the tool's relation confirms it and nothing much smaller."""
    lower, upper = bounds
    far = 1 if size is None else 2  # a change is a removal and an addition
    ideal = max(abs(lower), abs(upper)) if size is None else upper - lower
    if not tool.check(far, ideal * (1 + 2.0**-52) if isinstance(ideal, float) else ideal):
        raise RuntimeError("the relation does not confirm the ideal sensitivity")
    if tool.check(far, ideal * 0.9999 if isinstance(ideal, float) else ideal - ideal // 10_000):
        raise RuntimeError("the relation confirms less than the ideal sensitivity")
    return ideal


def long(dataset: Any) -> list[Any]:
    """The records of a dataset that may be written with how often they occur."""
    runs = dataset if isinstance(dataset, list) else [(dataset, 1)]
    return [record for records, times in runs for record in list(records) * times]


def main() -> None:
    enable_features("contrib")
    source = ["opendp", version("opendp"), date.today().isoformat()]
    with (DATA / "opendp_2021.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for query, name, size, bounds, datasets in asked():
            known = size is not None
            tool = make_sized_bounded_sum(size, bounds) if known else make_bounded_sum(bounds)
            place = [*source, query, name]
            at = f" at size {size}" if known else ""
            writer.writerow([*place, f"sensitivity{at}", repr(claimed(tool, size, bounds))])
            for dataset in datasets:
                answer = tool.invoke(long(dataset)) if dataset else type(bounds[0])()
                writer.writerow([*place, f"answer to {dataset}", repr(answer)])


if __name__ == "__main__":
    main()
