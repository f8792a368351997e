"""The end of a game, which a reader without JavaScript sees, and how its numbers are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sensitivity_book.theory.first_page import Group
from sensitivity_lab.numbers.exact import Exact

BEGIN = {"begin": "Start again"}


@dataclass(frozen=True)
class Picture:
    """The end of a game: what is said, what each dot is, where the answer is, which groups are lit."""

    name: str
    game: str
    label: str
    big: tuple[str, str]
    sentence: str
    names: Sequence[str]
    values: Sequence[int | None]
    axis: tuple[int, int]
    unit: str
    kinds: Sequence[str] = ()
    lanes: tuple[str, str] = ("in the study", "not in it")
    answer: Exact | None = 0
    before: Exact | None = None
    bar: tuple[Exact, Exact] | None = None
    ghosts: Sequence[int] = ()
    tray: bool = False
    drawn: Sequence[str] = ()
    lit: Mapping[Group, float] | None = None
    data: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=lambda: BEGIN)

    def at(self, value: Exact) -> str:
        """Return where a value stands on the line, in percent of its length."""
        low, high = self.axis
        return f"{float(Fraction(value - low) / (high - low) * 100):.5g}"


def decimals(value: Exact) -> str:
    """Write a number in decimals: all of them if there are two at most, else two."""
    if 100 % Fraction(value).denominator == 0:
        return f"{float(value):g}"
    return f"{math.floor(100 * value + Fraction(1, 2)) / 100:.2f}"


def text(value: Exact) -> str:
    """Write a number as a fraction with its decimals, or as decimals if they are exact."""
    if 100 % Fraction(value).denominator == 0:
        return decimals(value)
    return f"{value}\N{NO-BREAK SPACE}≈\N{NO-BREAK SPACE}{decimals(value)}"


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def line(numbers: Iterable[int | None]) -> str:
    """Write numbers as the script reads them; `_` is a record in the tray."""
    return " ".join("_" if number is None else str(number) for number in numbers)


def pair(value: Exact) -> str:
    """Write a fraction as the script reads it: above and below."""
    return f"{Fraction(value).numerator} {Fraction(value).denominator}"
