"""Cases as they are stored: a certificate each, which can be checked without this package."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sensitivity_book.case_files.case import Answers, Case
from sensitivity_book.case_files.written import read, written
from sensitivity_lab.audit.report import AuditRow

FORMAT = 1


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
        "universe": _universe(case.answers),
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


def _universe(answers: Answers) -> dict[str, Any] | str:
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
