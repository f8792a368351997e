"""Systems that answer SQL as cases: what each claims of a statement, beside the exact values.

The claims are those of `systems_table`. A case is one statement, asked of one system within one set
of limits; its rows are the parts that are noised, in each norm that the system was asked about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from sensitivity_book.case_files.case import Case
from sensitivity_book.case_files.systems import (
    COLUMNS,
    SYSTEMS,
    Limits,
    exact_part,
    parts,
    stated_claims,
    statements,
    systems_table,
)
from sensitivity_lab.audit.report import AuditRow
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.text import number_text

Tables = dict[str, list[list[Any]]]

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


def sql_cases() -> list[Case]:
    """Return a case for each system, statement and set of limits that has a claim.

    >>> case = next(case for case in sql_cases() if case.verdict == "too small")
    >>> print(case.name)
    PipelineDP: variance of gains, a person; 1 row each, 1 person added or removed
    >>> case.quantity, case.row.claimed, case.row.exact, case.row.sides
    ('L1 sensitivity of squared gains', 1250.0, 2500.0, ('no rows', 'staff: p0 -50'))

    Tables of claims have six digits, so exact values are rounded to six. `quantity` names the part
    and the norm of the row that tells most, `scope` all parts; `asked_parts` names those of every
    row. What has no claim is in `not_asked`. Cost: as `systems_table`.
    """
    return [
        _case(name, str(statement), str(limits), rows)
        for name in SYSTEMS
        for (statement, limits), rows in _claims(name).groupby(["statement", "limits"], sort=False)
    ]


def asked_parts(case: Case) -> list[tuple[str, str]]:
    """Return the part and the norm of each row of a case of `sql_cases`, in the order of its rows.

    >>> asked_parts(sql_cases()[0])
    [('rows', 'L1')]

    Cost: reads one table. Raises KeyError for a case of another library.
    """
    name = {system: name for name, system in SYSTEMS.items()}[case.library]
    claims = _claims(name)
    own = claims[
        claims["statement"].eq(case.function) & claims["limits"].map(told).eq(case.setting)
    ]
    return list(zip(own["part"], own["norm"], strict=True))


def not_asked() -> pd.DataFrame:
    """Return how many statements, each within its limits, have no claim to compare.

    >>> not_asked().loc["SmartNoise SQL"].tolist()
    [27, 0]

    A row for each system: "not offered", where the system refuses or has no such answer, and "not
    comparable", where its noise is not scaled to a sensitivity of these parts. Cost: as
    `systems_table`.
    """
    kinds = ["not offered", "not comparable"]
    counts = {SYSTEMS[name]: Counter(systems_table(name)["verdict"]) for name in SYSTEMS}
    return pd.DataFrame(
        [[found[kind] for kind in kinds] for found in counts.values()], list(counts), kinds
    )


def told(limits: str) -> str:
    """Return limits as a card says them.

    >>> told("person; groups 2; rows per group 1"), told("person; rows 2")
    ('a person; 1 row in each of 2 groups', 'a person; 2 rows each')
    >>> told("row; rows 2"), told("change; rows 1")
    ('2 rows come or go', '1 row changes')
    """
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
def _claims(name: str) -> pd.DataFrame:
    """The rows of a system's table that have a claim."""
    return systems_table(name).dropna(subset=["ratio"])


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
    return replace(case, quantity=f"{norm} sensitivity of {part}")


def _row(limits: str, claim: dict[Hashable, Any]) -> AuditRow:
    """A claim and its exact value, with the witness as rows of tables."""
    dataset, neighbour, answers = _witness(claim["part"], limits, claim["norm"])
    relation, k = _relation(Limits.read(limits))
    return AuditRow(
        relation,
        k,
        None,
        claimed=claim["claim"],
        found=claim["exact"],
        dataset=dataset,
        neighbour=neighbour,
        answers=answers,
        lines=(_line(dataset), _line(neighbour)),
    )


@cache
def _witness(part: str, limits: str, norm: str) -> tuple[Tables, Tables, tuple[Any, Any]]:
    """The two databases, and what the part's statement says of them."""
    found = exact_part(part, limits, norm)
    words = set(re.findall(r"\w+", parts()[part]))
    only = next(table for table in COLUMNS if table in words)
    sides: list[Any] = list(found.witness)
    dataset, neighbour = (
        _plain(side if isinstance(side, dict) else {only: side}) for side in sides
    )
    return dataset, neighbour, _answers(found)


def _relation(within: Limits) -> tuple[str, int]:
    if within.unit == "person":
        return "Person", 1
    return ("Change" if within.unit == "change" else "SymmetricDifference"), within.rows


def _plain(database: dict[str, pd.DataFrame]) -> Tables:
    """A database as lists of rows by table."""
    return {name: table.astype(object).to_numpy().tolist() for name, table in database.items()}


def _line(database: Tables) -> str:
    """The rows of a database in a line."""
    told = [
        f"{table}: {', '.join(' '.join(map(str, row)) for row in rows)}"
        for table, rows in database.items()
        if rows
    ]
    return "; ".join(told) or "no rows"


def _answers(found: Sensitivity) -> tuple[Any, Any]:
    """What the part's statement says of the two: a number, or numbers by group."""
    here, there = (found.query(side) for side in found.witness)
    if isinstance(here, dict):
        return {**here}, {**there}
    return here, there


def _scope(statement: str, limits: str, names: list[str]) -> str:
    said = "; ".join(f"{name}: {parts()[name]}" for name in names)
    return (
        f"Asked: {statements()[statement]}. Noised: {said}. {Limits.read(limits).words.capitalize()};"
        " every value at an end of its bounds or in the middle."
    )


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
    numbers = [
        f"{row['part']} ({row['norm']}) {number_text(row['claim'])} of {number_text(row['exact'])}"
        for row in claims.to_dict("records")
    ]
    listed = f"Claimed of exact: {', '.join(numbers)}." if len(numbers) > 1 else ""
    return [*filter(None, [why, listed])]
