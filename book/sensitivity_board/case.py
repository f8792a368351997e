"""A case: one function of one library, held to one claim."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from sensitivity_lab import AuditRow

Answers = tuple[tuple[Any, Any], ...]
RELATIONS = {  # by the name of a row's relation: what may happen to so many records, or people
    "Change": "changed",
    "SymmetricDifference": "added or removed",
    "EachSide": "added or removed on each side",
    "Person": "person added or removed",
    "Zeroed": "zeroed out",
    "ReplaceSpecial": "replaced by a special record",
}
NORMS = {1: "L1", 2: "L2", math.inf: "L∞"}


@dataclass(frozen=True)
class Case:
    """One function of one library, held to what it claims for one relation.

    Source: def-audits-verdict in chapters/audits.
    """

    library: str
    version: str
    function: str
    setting: str
    rows: tuple[AuditRow, ...]
    date: str = ""
    quantity: str = "sensitivity"
    scope: str = ""
    note: str = ""
    loss: str = ""
    norm: str = "L1"
    answers: Answers = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The case in words: library, function, setting and relation."""
        setting = "" if self.setting == "none" else self.setting
        asked = ", ".join(filter(None, [self.function, setting, self.relation]))
        return f"{self.library}: {asked}"

    @property
    def address(self) -> str:
        """The case as the end of an address: its name in small letters, figures and hyphens."""
        signs = {"α": "alpha", "δ": "delta", "ε": "epsilon", "ρ": "rho", "∞": "infinity"}
        told = re.sub(r"-(?=\d)", "minus ", self.name)
        told = "".join(signs.get(letter, letter) for letter in told)
        plain = unicodedata.normalize("NFKD", told).encode("ascii", "replace").decode().lower()
        return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")

    @property
    def relation(self) -> str:
        """The relation of that row, in words."""
        words = RELATIONS.get(self.row.relation)
        return f"{self.row.k} {words}" if words else f"{self.row.relation} {self.row.k}"

    @property
    def kind(self) -> str:
        """The relation without its number, so that cases can be found by it."""
        return RELATIONS.get(self.row.relation, self.row.relation)

    @property
    def row(self) -> AuditRow:
        """The row that tells most: the worst if too small, else the loosest and largest."""
        worst = min(self.rows, key=lambda row: row.ratio)
        return (
            worst if worst.ratio < 1 else max(self.rows, key=lambda row: (row.ratio, row.size or 0))
        )

    @property
    def verdict(self) -> str:
        """The verdict of that row: "too small", "exact" or "loose"."""
        return self.row.verdict


def answers_of(function: Callable[[Any], Any], datasets: Iterable[Any]) -> Answers:
    """Return a function's answer on each of some datasets."""
    return tuple((dataset, function(dataset)) for dataset in datasets)


def strictest(rows: Iterable[AuditRow]) -> tuple[AuditRow, ...]:
    """Return, of rows with one claim for several sizes, the one that asks most of it."""
    rows = tuple(rows)
    kept: dict[Any, AuditRow] = {}
    for row in rows:
        claim = row.k, row.claimed
        if claim not in kept or row.ratio < kept[claim].ratio:
            kept[claim] = row
    claims = Counter(k for k, _ in kept)
    sizes = {k: {row.size for row in rows if row.k == k} for k in claims}
    return tuple(
        replace(row, size=None) if claims[k] == 1 and len(sizes[k]) > 1 else row
        for (k, _), row in kept.items()
    )
