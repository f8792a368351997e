"""Measure the neighbouring pairs in the test data of google/differential-privacy.

    git clone https://github.com/google/differential-privacy /tmp/differential-privacy
    python -m sensitivity_board.peers.measure_google_pairs /tmp/differential-privacy

The pairs stay where they are (Apache-2.0, © Google LLC). What is written is how far each of them
moves what its aggregation makes noisy: `book/sensitivity_board/data/google_pairs.csv`, a row a
quantity.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from sensitivity_board.figures import SOURCE

OUT = Path(__file__).parents[1] / "data" / "google_pairs.csv"
COLUMNS = [*SOURCE, "quantity", "value"]
LIBRARY = "google/differential-privacy"
GROUPS = {  # what we call a file's aggregation, and the file's
    "sum": "bounded_sum",
    "sum of whole numbers": "long_bounded_sum",
    "count": "count",
    "mean": "bounded_mean",
    "standard deviation": "bounded_stdv",
    "quantiles": "bounded_quantiles",
    "bounds": "approximate_bounds",
}
ASKED = [
    "noise_type",
    "lower_bound",
    "upper_bound",
    "max_partitions_contributed",
    "max_contributions_per_partition",
    "max_contributions",
    "tree_height",
    "branching_factor",
]
RAW = {"raw_entry", "raw_increment_by"}
NEIGHBOUR = {f"neighbour_{name}" for name in RAW}

Fields = list[tuple[str, Any]]


def fields(text: str) -> Fields:
    """The fields of a message in protocol buffers' text form, in order; a list stays a list."""
    bare = re.sub(r"#[^\n]*", "", text)
    tokens = iter(re.findall(r'"[^"]*"|[{}\[\]]|[^\s{}\[\],:;"]+', bare))
    return _message(tokens)


def _message(tokens: Iterator[str]) -> Fields:
    found: Fields = []
    for name in tokens:
        if name == "}":
            break
        value: Any = next(tokens)
        if value == "{":
            value = _message(tokens)
        elif value == "[":
            value = list(iter(tokens.__next__, "]"))
        found.append((name, value))
    return found


def cases(text: str) -> list[tuple[dict[str, str], list[Fraction], list[Fraction]]]:
    """Of each test case of a file: what it sets, and its two inputs."""
    found = []
    for name, case in fields(text):
        if name.endswith("_dp_test_case"):
            assert isinstance(case, list)
            (drawn,) = (value for key, value in case if key.endswith("sampling_parameters"))
            settings = {key: value for key, value in drawn if key in ASKED}
            found.append((settings, _numbers(drawn, RAW), _numbers(drawn, NEIGHBOUR)))
    return found


def _numbers(drawn: Fields, names: set[str]) -> list[Fraction]:
    """The numbers of the fields of these names, each of which may be a number or a list."""
    listed = [value if isinstance(value, list) else [value] for key, value in drawn if key in names]
    return [Fraction(number) for numbers in listed for number in numbers]


def vectors(
    query: str, settings: Mapping[str, str], entries: Sequence[Fraction]
) -> dict[str, Counter[Any]]:
    """What an aggregation adds noise to, as the library computes it: vectors by their names."""
    if query == "count":
        return {"count": Counter({0: sum(entries)})}
    if query == "bounds":
        return {"bins": Counter(map(_bin, entries))}
    low, high = Fraction(settings["lower_bound"]), Fraction(settings["upper_bound"])
    clamped = [min(max(entry, low), high) for entry in entries]
    if query == "quantiles":
        height, width = int(settings["tree_height"]), int(settings["branching_factor"])
        places = [
            min(int((x - low) / (high - low) * width**height), width**height - 1) for x in clamped
        ]
        nodes = [(level, at // width**level) for at in places for level in range(height)]
        return {"tree": Counter(nodes)}
    if query.startswith("sum"):
        return {"sum": Counter({0: sum(clamped)})}
    middle = (low + high) / 2
    found = {"count": Counter({0: len(clamped)})}
    found["deviations"] = Counter({0: sum(x - middle for x in clamped)})
    if query == "standard deviation":
        found["squares"] = Counter({0: sum((x - middle) ** 2 for x in clamped)})
    return found


def _bin(entry: Fraction) -> tuple[bool, int]:
    """The sign of an entry, and the power of 2 that its absolute value does not exceed:
    at most 16."""
    return entry < 0, next((power for power in range(4) if abs(entry) <= 2**power), 4)


def moved(one: Counter[Any], other: Counter[Any], noise: str) -> Fraction:
    """The squared distance of two vectors: in L1 for Laplace noise, in L2 for Gaussian."""
    gaps = [abs(Fraction(one[key] - other[key])) for key in set(one) | set(other)]
    if noise == "LAPLACE":
        return Fraction(sum(gaps)) ** 2
    return Fraction(sum(gap**2 for gap in gaps))


def rows(query: str, text: str, version: str, today: str) -> Iterator[list[str]]:
    """The rows of one file: a case's number in it and its settings,
    and how far each quantity moves."""
    for number, (settings, raw, neighbour) in enumerate(cases(text), start=1):
        first = vectors(query, settings, raw)
        second = vectors(query, settings, neighbour)
        told = "; ".join(
            [f"case {number}", *(f"{key} {settings[key]}" for key in ASKED if key in settings)]
        )
        for quantity in first:
            square = moved(first[quantity], second[quantity], settings["noise_type"])
            name = f"{quantity}: squared distance"
            yield [LIBRARY, version, today, query, told, name, str(square)]


def main(checkout: str) -> None:
    """Read the files of a clone, and write the table."""

    def git(*asked: str) -> str:
        command = ["git", "-C", checkout, *asked]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    version, today = git("rev-parse", "HEAD")[:12], date.today().isoformat()
    with OUT.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for query, name in GROUPS.items():
            text = git("show", f"HEAD:proto/testing/{name}_dp_test_cases.textproto")
            table.writerows(rows(query, text, version, today))


if __name__ == "__main__":
    main(*sys.argv[1:])
