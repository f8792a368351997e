"""The three kinds of answers, and the verdict on what a reader typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sensitivity_lab import Relation, Universe
from sensitivity_lab.numbers import Exact


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
    """A number: exact, or the rounded decimal of one that is no fraction."""

    label: str
    right: Exact | float
    ladder: tuple[Rung, ...] = ()
    slips: Mapping[Exact | float, str] = field(default_factory=dict)
    why: str = ""
    unit: str = ""


@dataclass(frozen=True)
class DatasetAnswer:
    """A dataset, or a pair: one field for each, and a judge that is given them as tuples."""

    fields: tuple[str, ...]
    judge: Callable[..., Verdict]
    universe: Universe
    example: tuple[str, ...]
    size: int | None = None
    relation: Relation | None = None
    by: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    told: Mapping[str, tuple[bool, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class FunctionAnswer:
    """A function: `start` opens the field, its `def` names it, a judge calls what was typed."""

    label: str
    start: str
    judge: Callable[[Callable[..., Any]], Verdict]


Answer = NumberAnswer | DatasetAnswer | FunctionAnswer
