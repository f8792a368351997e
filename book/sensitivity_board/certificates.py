"""Cases as they are stored: a certificate each, which can be checked without this package."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_board.case import Answers, Case
from sensitivity_lab import AuditRow

FORMAT = 1
RUNS = 20  # a longer dataset is written as runs of equal records


def certificate(case: Case) -> dict[str, Any]:
    """Return a case as a certificate: claim, exact number, witness, and the answers there are."""
    row = case.row
    answers = [[written(dataset), written(answer)] for dataset, answer in case.answers]
    return {
        "format": FORMAT,
        "address": case.address,
        "library": case.library,
        "version": case.version,
        "asked": case.date,
        "function": case.function,
        "setting": case.setting,
        "quantity": case.quantity,
        "relation": {"name": row.relation, "k": written(row.k), "words": case.relation},
        "size": row.size,
        "norm": case.norm,
        "claimed": written(row.claimed),
        "exact": written(row.found),
        "proved": "at least" if row.searched else "exact",
        "verdict": case.verdict,
        "witness": _witness(row),
        "scope": case.scope,
        "note": case.note,
        "loss": case.loss,
        "universe": universe_of(case.answers),
        "answers": answers,
    }


def _witness(row: AuditRow) -> dict[str, Any] | None:
    if row.answers is None:
        return None
    pair = {"dataset": row.dataset, "neighbour": row.neighbour, "answers": list(row.answers)}
    return {name: written(value) for name, value in pair.items()}


def case_of(stored: Mapping[str, Any]) -> Case:
    """Return the case that a certificate holds, with its one row."""
    more = {name: stored[name] for name in ("quantity", "scope", "note", "loss", "norm")}
    answers = tuple((read(dataset), read(answer)) for dataset, answer in stored["answers"])
    return Case(
        stored["library"],
        stored["version"],
        stored["function"],
        stored["setting"],
        (_row(stored),),
        stored["asked"],
        answers=answers,
        **more,
    )


def _row(stored: Mapping[str, Any]) -> AuditRow:
    relation, witness = stored["relation"], stored["witness"] or {}
    answers = read(witness["answers"]) if witness else None
    if answers and stored["norm"] == "symmetric distance":
        answers = list(answers[0]), list(answers[1])  # datasets, as the function gave them
    return AuditRow(
        relation["name"],
        read(relation["k"]),
        stored["size"],
        claimed=read(stored["claimed"]),
        found=read(stored["exact"]),
        dataset=read(witness.get("dataset")),
        neighbour=read(witness.get("neighbour")),
        answers=answers,
        searched=stored["proved"] == "at least",
    )


def universe_of(answers: Answers) -> dict[str, Any] | str:
    """Return the values and sizes of which these are all datasets,
    or in words that they are not."""
    if not answers:
        return "not stored"
    datasets = [dataset for dataset, _ in answers]
    values = list(dict.fromkeys(record for dataset in datasets for record in dataset))
    sizes = sorted(set(map(len, datasets)))
    bags = {frozenset((value, dataset.count(value)) for value in values) for dataset in datasets}
    every = sum(math.comb(len(values) + size - 1, size) for size in sizes)
    if len(bags) == len(datasets) == every and sizes == list(range(sizes[0], sizes[-1] + 1)):
        return {"values": [written(value) for value in values], "sizes": [sizes[0], sizes[-1]]}
    return "those listed"


# --- numbers and datasets as JSON, exactly, and read again ----------------------------------------


def written(value: Any) -> Any:
    """Return a number, text, dataset or table as what JSON can hold."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, pd.DataFrame):
        rows = [written(tuple(row)) for row in value.itertuples(index=False)]
        return {"columns": list(value.columns), "rows": rows}
    if isinstance(value, dict):
        return {"tables": {name: written(table) for name, table in value.items()}}
    if isinstance(value, (tuple, list, np.ndarray)):
        return _sequence([written(part) for part in value])
    return _number(value)


def _sequence(parts: list[Any]) -> Any:
    if len(parts) <= RUNS:
        return parts
    return {"runs": [[part, len(list(run))] for part, run in groupby(parts)]}


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (float, Fraction, Decimal)):
        return {"number": str(value)}
    raise TypeError(f"value must be a number, text, dataset or table, got {value!r}")


def read(stored: Any) -> Any:
    """Return what `written` wrote: sequences as tuples, tables as frames."""
    if isinstance(stored, list):
        return tuple(map(read, stored))
    if not isinstance(stored, dict):
        return stored
    if "number" in stored:
        return _read_number(stored["number"])
    if "runs" in stored:
        return tuple(one for part, copies in stored["runs"] for one in [read(part)] * copies)
    if "tables" in stored:
        return {name: read(table) for name, table in stored["tables"].items()}
    return pd.DataFrame([read(row) for row in stored["rows"]], columns=stored["columns"])


def _read_number(text: str) -> Any:
    if "/" in text:
        return Fraction(text)
    return float(text) if text in ("inf", "-inf", "nan") else Decimal(text)
