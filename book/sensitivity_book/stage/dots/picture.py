"""The end of a game, which a reader without JavaScript sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sensitivity_book.theory.first_page import Group
from sensitivity_lab.numbers import Exact

BEGIN = {"begin": "Start again"}


@dataclass(frozen=True)
class Picture:
    """The end of a game: what is said, what each dot is, where the answer is,
    which groups are lit."""

    name: str
    game: str
    label: str
    big: tuple[str, str]
    sentence: str
    names: Sequence[str]
    values: Sequence[int]
    axis: tuple[int, int]
    unit: str
    kinds: Sequence[str] = ()
    lanes: tuple[str, str] = ("in the study", "not in it")
    answer: Exact | None = 0
    before: Exact | None = None
    bar: tuple[Exact, Exact] | None = None
    ghosts: Sequence[int] = ()
    drawn: Sequence[str] = ()
    lit: Mapping[Group, float] | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=lambda: BEGIN)

    def at(self, value: Exact) -> str:
        """Return where a value stands on the line, in percent of its length."""
        low, high = self.axis
        return f"{float(Fraction(value - low) / (high - low) * 100):.5g}"


def pair(value: Exact) -> tuple[int, int]:
    """Write a fraction as the script reads it: above and below."""
    return Fraction(value).as_integer_ratio()
