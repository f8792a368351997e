"""Answers with labels: two of them are compared label by label, never by position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from sensitivity_lab.exact import brief, exact_number, is_finite, is_real


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
    order = sorted(range(len(known)), key=lambda place: _rank(known[place]))
    ordered = [known[place] for place in order]
    for label, following in pairwise(ordered):
        if label == following:
            raise ValueError(f"label {brief(label)} comes twice")
    sorted_numbers = [numbers[place] for place in order]
    if ordered == list(range(len(ordered))):
        return tuple(sorted_numbers)
    return Labelled(sorted_numbers, ordered)


def _rank(label: Any) -> tuple[Any, ...]:
    if is_real(label) and is_finite(label):
        return 0, exact_number(label)
    return 1, type(label).__name__, repr(label)
