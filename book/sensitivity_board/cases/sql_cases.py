"""Systems that answer SQL as cases: what each claims of a statement, beside the exact values.

The claims are those of `systems_table`. A case is one statement, asked of one system within one set
of limits; its rows are the parts that are noised, in each norm that the system was asked about.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from sensitivity_board.case import Case
from sensitivity_board.cases.systems import (
    SYSTEMS,
    Limits,
    exact_part,
    parts,
    stated_claims,
    statements,
    systems_table,
)
from sensitivity_lab import AuditRow, Sensitivity
from sensitivity_lab.numbers import Labelled, number_text

Records = tuple[Any, ...]
Answers = tuple[Any, Any]

WHY = {
    ("PipelineDP", "variance of gains"): (
        "Gains lie between −50 and 50 and are taken about the middle, 0, so their squares reach"
        " 2,500. The noise is for half the length of the interval of the squares, from 0 to 2,500."
    ),
    ("PipelineDP", "variance"): (
        "Salaries are taken about the middle, 50, so the squares of what is left reach 2,500. The"
        " noise is for half the length of the interval of the squares, from 0 to 10,000."
    ),
    ("Qrlew", "sum of a polynomial"): (
        "The claim is the product of the bounds of both factors. salary × (100 − salary) reaches"
        " a quarter of it, at 50."
    ),
    ("Qrlew", "variance of gains"): (
        "Gains change sign, and the claim for their squares is the largest float there is."
    ),
    ("SmartNoise SQL", "sum where"): (
        "The claim is the bound of the column. The statement keeps salaries up to 50 only."
    ),
}
DISTINCT = "A person is counted once; the claim allows for each of the rows."
CHANGED = "A changed row is counted as one that goes and one that comes."


def sql_cases(*statements: str) -> list[Case]:
    """Return a case for each system, statement and set of limits that has a claim;
    or for some statements."""
    return [
        _case(name, str(statement), str(limits), rows)
        for name in SYSTEMS
        for (statement, limits), rows in _claims(name, statements).groupby(
            ["statement", "limits"], sort=False
        )
    ]


def told(limits: str) -> str:
    """Return limits as a card says them."""
    within = Limits.read(limits)
    rows = f"{within.rows} row" + "s" * (within.rows > 1)
    if within.unit == "person":
        return f"a person; {rows} " + (
            f"in each of {within.groups} groups" if within.groups else "each"
        )
    if within.unit == "change":
        return f"{rows} changes" if within.rows == 1 else f"{rows} change"
    return f"{rows} comes or goes" if within.rows == 1 else f"{rows} come or go"


@cache
def _claims(name: str, statements: tuple[str, ...] = ()) -> pd.DataFrame:
    """The rows of a system's table that have a claim."""
    table = systems_table(name, statements=statements)
    return table[~table["verdict"].isin(["not offered", "not comparable"])]


def _case(name: str, statement: str, limits: str, claims: pd.DataFrame) -> Case:
    rows = tuple(_row(limits, claim) for claim in claims.to_dict("records"))
    first = claims.iloc[0]
    case = Case(
        library=SYSTEMS[name],
        version=str(first["version"]),
        function=statement,
        setting=told(limits),
        rows=rows,
        date=str(stated_claims(name)["date"].max()),
        scope=_scope(statement, limits, list(dict.fromkeys(claims["part"]))),
        note=_note(SYSTEMS[name], statement, claims),
    )
    (at,) = [place for place, row in enumerate(rows) if row is case.row]
    part, norm = claims.iloc[at][["part", "norm"]]
    return replace(case, quantity=f"{norm} sensitivity of {part}", norm=str(norm))


def _row(limits: str, claim: dict[Hashable, Any]) -> AuditRow:
    """A claim and its exact value, with the witness as records."""
    found, dataset, neighbour, answers = _witness(claim["part"], limits, claim["norm"])
    relation, k = _relation(Limits.read(limits))
    return AuditRow(
        relation,
        k,
        None,
        claimed=found if claim["claim"] == claim["exact"] else claim["claim"],
        found=found,
        dataset=dataset,
        neighbour=neighbour,
        answers=answers,
    )


@cache
def _witness(part: str, limits: str, norm: str) -> tuple[Any, Records, Records, Answers]:
    """The exact value, the two databases as records, and what the part's statement says of them."""
    found = exact_part(part, limits, norm)
    person = Limits.read(limits).unit == "person"
    sides: list[Any] = list(found.witness)
    dataset, neighbour = (_people(side) if person else _rows(side) for side in sides)
    return found.value, dataset, neighbour, _answers(found)


def _relation(within: Limits) -> tuple[str, int]:
    if within.unit == "person":
        return "Person", 1
    return ("Change" if within.unit == "change" else "SymmetricDifference"), within.rows


def _rows(table: pd.DataFrame) -> Records:
    """The rows of a table; those of one column are the values in it."""
    rows = table.astype(object).itertuples(index=False, name=None)
    return tuple(row[0] if len(row) == 1 else row for row in rows)


def _people(tables: dict[str, pd.DataFrame]) -> Records:
    """Everybody in a database, each by the rows that are theirs: the table, the id and the rest."""
    owned: dict[Any, list[tuple[Any, ...]]] = {}
    for name, table in tables.items():
        for row in table.astype(object).itertuples(index=False, name=None):
            owned.setdefault(row[0], []).append((name, *row))
    return tuple(map(tuple, owned.values()))


def _answers(found: Sensitivity) -> Answers:
    """What the part's statement says of the two: a number, or a number for each group of either."""
    here, there = (found.query(side) for side in found.witness)
    if not isinstance(here, Labelled):
        return here, there
    sides = [dict(zip(side.labels, side, strict=True)) for side in (here, there)]
    groups = dict.fromkeys([*sides[0], *sides[1]])
    first, second = (tuple(side.get(group, 0) for group in groups) for side in sides)
    return first, second


def _scope(statement: str, limits: str, names: list[str]) -> str:
    said = "; ".join(f"{name}: {parts()[name]}" for name in names)
    people = (
        " A person is told by their rows: the table, the id, and the columns that are read."
        if limits.startswith("person")
        else ""
    )
    return (
        f"Asked: {statements()[statement]}. Noised: {said}. "
        f"{_first_capital(Limits.read(limits).words)}; every value is an end of its bounds or the "
        f"middle.{people}"
    )


def _first_capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _note(system: str, statement: str, claims: pd.DataFrame) -> str:
    """Why a claim and the exact value part, where it is known, and where the claim is read."""
    reasons = [] if claims["verdict"].eq("exact").all() else _reasons(system, statement, claims)
    return " ".join([*reasons, f"Read from: {'; '.join(dict.fromkeys(claims['read_from']))}."])


def _reasons(system: str, statement: str, claims: pd.DataFrame) -> list[str]:
    """Why a claim is too small or loose, and the numbers of all parts where there are several."""
    why = WHY.get((system, statement), "")
    if not why and claims["limits"].iloc[0].startswith("change"):
        why = CHANGED
    elif not why and statement == "count distinct people":
        why = DISTINCT
    numbers = _numbers(claims)
    listed = f"Claimed of exact: {', '.join(numbers)}." if len(numbers) > 1 else ""
    return [*filter(None, [why, listed])]


def _numbers(claims: pd.DataFrame) -> list[str]:
    """Claimed and exact numbers by part; the norm is named where the numbers differ by it."""
    found = []
    for part, rows in claims.groupby("part", sort=False):
        numbers = zip(rows["claim"], rows["exact"], strict=True)
        told = [f"{number_text(claim)} of {number_text(exact)}" for claim, exact in numbers]
        if len(set(told)) == 1:
            found.append(f"{part} {told[0]}")
        else:
            found += [
                f"{part} ({norm}) {text}" for norm, text in zip(rows["norm"], told, strict=True)
            ]
    return found
