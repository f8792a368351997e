"""How far apart two answers lie, and in which arithmetic: the gap that a sensitivity is the widest of."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from sensitivity_lab.exact import Exact, RootGap, brief, exact_number, is_finite, is_real

Number = int | Fraction | float | Decimal
Answer = Number | tuple[Number, ...]
Norm = float  # 1, 2 or infinity
Gap = Number | RootGap  # exact to compare
LONGEST_INT = 2**52  # the difference of two such ints is a float too


def gap_between(norm: Norm, root: bool) -> Callable[[Answer, Answer], Gap]:
    """Return the function that measures how far apart two answers lie.

    >>> gap_between(1, False)((1, 5), (3, 4)), gap_between(math.inf, False)((1, 5), (3, 4))
    (3, 2)
    >>> float(gap_between(2, False)((0, 0), (3, 4))), float(gap_between(1, True)(4, 9))
    (5.0, 1.0)

    Cost: a gap is linear in the vectors' length. The function raises ValueError for two answers
    whose arithmetics do not meet, such as a Decimal and a float, or that lie further apart than
    the largest float.
    Source: def-norms in the book's chapter on norms.
    """

    def gap(a: Any, b: Any) -> Gap:
        try:
            if root:
                return RootGap(max(a, b), min(a, b))
            if not isinstance(a, tuple):
                found: Gap = abs(a - b)
            else:
                steps = [abs(x - y) for x, y in zip(a, b, strict=True)]
                if norm == 2 and math.inf not in steps:
                    return RootGap(sum(Fraction(step) ** 2 for step in steps), 0)
                found = max(steps, default=0) if norm == math.inf else sum(steps)
        except (TypeError, ArithmeticError) as error:
            raise no_distance(a, b, error) from error
        if found == math.inf:
            raise no_distance(a, b)
        return found

    return gap


def no_distance(a: Any, b: Any, error: Exception | None = None) -> ValueError:
    """Return the refusal of two answers whose difference their arithmetic cannot give.

    >>> raise no_distance(1e308, -1e308)
    Traceback (most recent call last):
    ValueError: query must give answers whose distance its own numbers can hold, got 1e+308 and -1e+308: scale them down, or answer in ints or Fractions
    """
    got = f"got {brief(a)} and {brief(b)}"
    if error is None or isinstance(error, decimal.Overflow):
        return ValueError(
            f"query must give answers whose distance its own numbers can hold, {got}: scale them "
            "down, or answer in ints or Fractions"
        )
    return ValueError(f"query must answer in one arithmetic, {got}: {error}")


def arithmetics(answers: Iterable[Answer]) -> set[str]:
    """Return the arithmetics that answers are in; a short whole number is at home in each.

    >>> arithmetics([0, 0.5]), sorted(arithmetics([2**70, (0, 0.5)]))
    ({'float'}, ['exact', 'float'])

    Within one, a gap grows with the distance of its ends, rounded as it may be. In more than one
    a pair that lies less far apart can have the wider gap. Cost: linear in the numbers.
    """
    found = set()
    for answer in answers:
        for number in answer if isinstance(answer, tuple) else (answer,):
            if not isinstance(number, int) or abs(number) > LONGEST_INT:
                inexact = isinstance(number, (float, Decimal))
                found.add(type(number).__name__ if inexact else "exact")
    return found


def all_rational(numbers: Sequence[Any]) -> TypeGuard[Sequence[Exact]]:
    """Whether all are ints or Fractions.

    >>> all_rational([1, Fraction(1, 2)]), all_rational([1, 0.5]), all_rational([(1, 2)])
    (True, False, False)
    """
    return all(isinstance(number, (int, Fraction)) for number in numbers)


def rational(gap: Gap) -> Exact:
    """Return a gap between rational answers as the rational that it is."""
    assert isinstance(gap, (int, Fraction))
    return gap


def common_denominator(numbers: Sequence[Exact]) -> tuple[list[int], int]:
    """Return rationals as numerators over their least common denominator.

    >>> common_denominator([1, Fraction(1, 2), Fraction(2, 3)])
    ([6, 3, 4], 6)

    Cost: two passes.
    """
    common = math.lcm(*(number.denominator for number in numbers))
    return [number.numerator * (common // number.denominator) for number in numbers], common


def in_units(gap: Gap, denominator: int) -> Gap:
    """Return a gap between numerators as the gap between the numbers.

    >>> in_units(7, 2)
    Fraction(7, 2)
    """
    if denominator == 1:
        return gap
    if isinstance(gap, RootGap):
        return RootGap(Fraction(gap.larger, denominator), Fraction(gap.smaller, denominator))
    return Fraction(rational(gap), denominator)


def same_shape(answer: Any, first: Any, name: str) -> None:
    """Refuse answers of different lengths or labels, and a number here, a vector there.

    >>> same_shape(3, 5, "sum")

    Cost: two lengths, or their labels. Raises ValueError.
    """
    if _shape(first) != _shape(answer):
        raise ValueError(
            f"query {name} must return answers of one shape, got {_shape_in_words(first)} "
            f"and {_shape_in_words(answer)}"
        )


def has_same_shape(answer: Any, other: Any) -> bool:
    """Whether two answers are two numbers, or two vectors of one length and the same labels.

    >>> has_same_shape(3, 5), has_same_shape(3, (5,))
    (True, False)
    """
    return bool(_shape(answer) == _shape(other))


def _shape(answer: Any) -> Any:
    if isinstance(answer, Labelled):
        return answer.labels
    return len(answer) if isinstance(answer, (tuple, np.ndarray)) else None


def _shape_in_words(answer: Any) -> str:
    if isinstance(answer, Labelled):
        return f"a vector with labels {brief(answer.labels)}"
    return "a number" if _shape(answer) is None else f"a vector of length {len(answer)}"


# Two answers with labels are compared label by label, never by position.


class Labelled(tuple[Any, ...]):
    """The numbers of an answer in the order of their labels, which it holds.

    >>> answer = Labelled((1, 2), labels=("a", "b"))
    >>> answer, answer.labels
    ((1, 2), ('a', 'b'))

    It equals the tuple of its numbers, so whoever compares two answers holds them to one shape
    first.
    """

    labels: tuple[Any, ...]

    def __new__(cls, numbers: Iterable[Any], labels: Iterable[Any]) -> Labelled:
        """Hold the numbers, and a label for each."""
        made = super().__new__(cls, numbers)
        made.labels = tuple(labels)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.labels


def in_order_of_labels(numbers: Sequence[Any], labels: Iterable[Any]) -> tuple[Any, ...]:
    """Return numbers in one order of their labels; a plain tuple where these are 0, 1, 2, ….

    >>> in_order_of_labels([6, 3], ["b", "a"]).labels
    ('a', 'b')
    >>> type(in_order_of_labels([6, 3], [1, 0])).__name__
    'tuple'

    Numbers come first, by value; then the rest, by type and text. Missing labels are one label.
    Cost: one sort. Raises ValueError for a label that comes twice.
    """
    known = [
        None if pd.api.types.is_scalar(label) and pd.isna(label) else label for label in labels
    ]
    order = sorted(range(len(known)), key=lambda place: _rank_of_label(known[place]))
    ordered = [known[place] for place in order]
    for label, following in pairwise(ordered):
        if label == following:
            raise ValueError(f"label {brief(label)} comes twice")
    sorted_numbers = [numbers[place] for place in order]
    if ordered == list(range(len(ordered))):
        return tuple(sorted_numbers)
    return Labelled(sorted_numbers, ordered)


def _rank_of_label(label: Any) -> tuple[Any, ...]:
    if is_real(label) and is_finite(label):
        return 0, exact_number(label)
    return 1, type(label).__name__, repr(label)
