"""Libraries watched elsewhere: what they claimed and what they answered is on record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from sensitivity_board.case import NORMS, Case, strictest
from sensitivity_board.figures import Asked, asked
from sensitivity_lab import Audit, Change, Query, Relation, SymmetricDifference, Universe, audit

NAMES_NONE = "The claim is exact for the other relation, {}; the library's documents name none."


class Seen(Asked):
    """What a tool did in an environment of its own:
    a sensitivity by size or distance, and its answers."""

    def claim(self, number: int) -> float:
        """The sensitivity at a size, or a distance."""
        (claim,) = (c for name, c in self.claims.items() if int(name.split()[-1]) == number)
        return float(claim)

    @property
    def query(self) -> Query:
        """The tool as a function: it answers the datasets that it was watched on."""
        answers = {_bag(dataset): answer for dataset, answer in self.answers.items()}
        return Query(self.function, lambda dataset: answers[_bag(dataset)], takes_missing=True)

    @property
    def universe(self) -> Universe:
        """The records of those datasets, each as often as one of them holds it."""
        most: Counter[Any] = Counter()
        for dataset in self.answers:
            most |= Counter(dataset)
        return Universe.population(list(most.elements()))

    @property
    def sizes(self) -> range:
        """The sizes of those datasets."""
        sizes = list(map(len, self.answers))
        return range(min(sizes), max(sizes) + 1)


def _bag(dataset: Iterable[Any]) -> frozenset[tuple[Any, int]]:
    return frozenset(Counter(dataset).items())


def seen(name: str) -> list[Seen]:
    """Return what a table of figures says, tool by tool: "diffprivlib" or "opendp_polars"."""
    return [Seen(**vars(one)) for one in asked(name)]


def polars_cases() -> list[Case]:
    """Return the cases of OpenDP's sum by group on Polars tables:
    every row of a group may change."""
    cases = []
    for tool in seen("opendp_polars"):
        found = audit(
            tool.query,
            lambda k, tool=tool: tool.claim(k),
            tool.universe,
            sizes_within=tool.sizes,
            relations=[SymmetricDifference(2 * max(tool.sizes))],
        )
        source = "OpenDP", tool.version, tool.function, tool.setting
        answers = tuple(tool.answers.items())
        cases.append(Case(*source, strictest(found.rows), tool.date, answers=answers))
    return cases


def diffprivlib_cases() -> list[Case]:
    """Return the cases of diffprivlib, from its table of figures, under two relations.

    Source: Holohan and others (2019).
    """
    cases = []
    for tool in seen("diffprivlib"):
        norm = math.inf if tool.function.startswith(("median", "quantile")) else 1
        relations: list[Relation] = [Change(1)]
        if not tool.function.startswith(("mean", "var", "std", "nan")):
            relations.append(SymmetricDifference(1))
        source = tool.library, tool.version, tool.function, tool.setting
        answers = tuple(tool.answers.items())
        case = partial(Case, *source, date=tool.date, norm=NORMS[norm], answers=answers)
        found = [case(strictest(audit_seen(tool, each, norm=norm).rows)) for each in relations]
        for one, other in zip(found, found[::-1], strict=True):
            exact = other.verdict == "exact" != one.verdict
            cases.append(replace(one, note=NAMES_NONE.format(other.relation) if exact else ""))
    return cases


def audit_seen(tool: Seen, relation: Relation, *, norm: float = 1) -> Audit:
    """Hold a tool of diffprivlib to the sensitivity that it handed to its mechanism, by size."""
    return audit(
        tool.query,
        lambda size: tool.claim(size),
        tool.universe,
        sizes_within=tool.sizes,
        relations=[relation],
        norm=norm,
    )
