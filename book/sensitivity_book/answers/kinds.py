"""The three kinds of answers, and the verdict on what a reader typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sensitivity_lab import Relation, Universe
from sensitivity_lab.numbers.exact import Exact


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and what to say of it: sentences that name its witness."""

    right: bool
    words: str


@dataclass(frozen=True)
class Rung:
    """Two neighbours, in words, and how far their answers are apart."""

    gap: Exact
    words: str


@dataclass(frozen=True)
class NumberAnswer:
    """A number: exact, or the rounded decimal of one that is no fraction.

    A sensitivity has a ladder, of ascending gaps up to the right one: who claims too little is shown
    the lowest rung above the claim.  `slips` says of a wrong number why it is a natural one.
    `why` is said with the right number.  `unit` may be typed behind the number.
    """

    label: str
    right: Exact | float
    ladder: tuple[Rung, ...] = ()
    slips: Mapping[Exact | float, str] = field(default_factory=dict)
    why: str = ""
    unit: str = ""


@dataclass(frozen=True)
class DatasetAnswer:
    """A dataset, or a pair: one field for each, and a judge that is given them as tuples.

    Their records come from the universe.  Where a size is given the first has it, and where a relation
    is given the second is a neighbour of the first: whatever else is typed never reaches the judge.
    `example` shows, in the lines for JupyterLab, how such an answer is written; it is not right.
    """

    fields: tuple[str, ...]
    judge: Callable[..., Verdict]
    universe: Universe
    example: tuple[str, ...]
    size: int | None = None
    relation: Relation | None = None


@dataclass(frozen=True)
class FunctionAnswer:
    """A function: the field opens with `start`, whose `def` names it, and a judge calls what was typed."""

    label: str
    start: str
    judge: Callable[[Callable[..., Any]], Verdict]


Answer = NumberAnswer | DatasetAnswer | FunctionAnswer
