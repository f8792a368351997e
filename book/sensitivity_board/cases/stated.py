"""Libraries that state a figure: the truth beside it is enumerated here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
from sensitivity_book.theory.people import DropExcess, DropNonUnique, join_stability, truncate

from sensitivity_board.case import Case, answers_of, strictest
from sensitivity_board.figures import figures
from sensitivity_lab import COUNT, SUM, AuditRow, SymmetricDifference, Universe, audit


def tumult_cases() -> list[Case]:
    """Return the cases of Tumult: counts, sums and private joins, from its table of figures.

    Source: Tumult (2023), whose formula is proved in
        thm-people-join, chapters/people-in-detail.
    """
    table = figures("tumult")
    table = table[table["quantity"].isin(["stability", "geometric parameter at epsilon 1"])]
    cases = []
    for figure in table.to_dict("records"):
        source = "Tumult", figure["version"], figure["query"], figure["parameters"]
        limits, _, rest = figure["parameters"].partition("; ")
        if figure["query"] == "private join":
            if rest == "rows 1 left, 1 right" and set(limits.split(" x ")) <= TRUNCATIONS.keys():
                truncations = limits.split(" x ")
                cases.append(_join(source, truncations, figure["value"], figure["date"]))
        elif figure["query"] in ("count", "sum") and limits.startswith("AddMaxRows"):
            bounds = rest.removeprefix("bounds ") or "0 to 1"
            rows = int(limits[-2])
            cases.append(_aggregate(source, rows, bounds, figure["value"], figure["date"]))
    return cases


TRUNCATIONS: dict[str, DropExcess | DropNonUnique] = {
    "DropExcess(1)": DropExcess(1),
    "DropExcess(2)": DropExcess(2),
    "DropNonUnique": DropNonUnique(),
}


Source = tuple[str, str, str, str]  # library, version, function, setting


def _join(source: Source, truncations: list[str], stated: str, day: str) -> Case:
    left, right = (TRUNCATIONS[name] for name in truncations)
    found = join_stability(left, right, rows_left=1, rows_right=1)
    pair = found.before, found.after
    joined = [
        truncate(side["left"], left, "key").merge(truncate(side["right"], right, "key"), on="key")
        for side in pair
    ]
    one, other = (tuple(_rows_of(table) for table in side.values()) for side in pair)
    answers = _rows_of(joined[0]), _rows_of(joined[1])
    row = AuditRow("EachSide", 1, None, int(stated), found.value, one, other, answers)
    return Case(*source, (row,), day, norm="symmetric distance")


def _rows_of(table: pd.DataFrame) -> tuple[tuple[Any, ...], ...]:
    return tuple(table.itertuples(index=False, name=None))


def _aggregate(source: Source, rows: int, bounds: str, stated: str, day: str) -> Case:
    query = SUM if source[2] == "sum" else COUNT
    universe = Universe.value_range(list(map(int, bounds.split(" to "))))
    sizes = range(4)
    relation = SymmetricDifference(rows)
    found = audit(query, int(stated), universe, sizes_within=sizes, relations=[relation]).rows
    answers = answers_of(query, (d for size in sizes for d in universe.datasets(size=size)))
    return Case(*source, strictest(found), day, answers=answers)


def pipelinedp_cases() -> list[Case]:
    """Return the cases of PipelineDP, from its table of figures.

    Source: PipelineDP (2026); thm-people-contribution in chapters/people.
    """
    cases = []
    for figure in figures("pipelinedp").to_dict("records"):
        limits = dict(limit.rsplit(" ", 1) for limit in figure["parameters"].split("; "))
        norm = figure["quantity"][:2]
        person = max(_vectors(figure["query"], limits), key=lambda one: _length(one, norm))
        found = _length(person, norm)
        stated = float(figure["value"])
        claim = found if float(f"{found:.6g}") == stated else stated
        answers = (0,) * len(person), person
        row = AuditRow("Person", 1, None, claim, found, (), (person,), answers)
        function = f"{figure['query']}, {norm}"
        source = "PipelineDP", figure["version"], function, figure["parameters"]
        cases.append(Case(*source, (row,), figure["date"], norm=norm))
    return cases


def _length(vector: Iterable[int], norm: str) -> float:
    return sum(map(abs, vector)) if norm == "L1" else math.hypot(*vector)


def _vectors(query: str, limits: dict[str, str]) -> Iterator[tuple[int, ...]]:
    partitions = 8
    total = int(limits.get("max_contributions", partitions * 2))
    each = int(limits.get("max_contributions_per_partition", total))
    nonempty = int(limits.get("max_partitions_contributed", partitions))
    ends = [int(limits[end]) for end in ("min_value", "max_value") if end in limits]
    for rows in combinations_with_replacement(range(each + 1), partitions):
        if sum(rows) <= total and np.count_nonzero(rows) <= nonempty:
            if query.startswith("sums"):
                sums = (
                    {sum(part) for part in combinations_with_replacement(ends, n)} for n in rows
                )
                yield from product(*sums)
            else:
                yield tuple(min(n, 1) for n in rows) if query.startswith("people") else rows
