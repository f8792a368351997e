"""Marks for numbers, datasets and functions:
the pages' judges, their tolerance and their sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sensitivity_book.answers.check import judged
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.answers.registry import ANSWERS
from sensitivity_lab import Relation, Universe
from sensitivity_lab.numbers import Exact, number_text

BLANK = Verdict(False, "Nothing has been put in yet.")


def grade(asked: str | Answer, given: Any) -> Verdict:
    """Judge what was handed in under the name of a field of the book, or for an answer of your own.

    >>> grade("by-hand-sum-swapped", 20).words
    'Rick takes 20 days with him, but whoever replaces him brings some back.
     No two neighbours are 20 apart: that is too much.'
    >>> grade("by-hand-both-widest", ([1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 20])).right
    False
    """
    answer = ANSWERS[asked]() if isinstance(asked, str) else asked
    if given is ... or given is None:
        return BLANK
    if not isinstance(answer, DatasetAnswer):
        return judged(answer, given)
    parts = given if len(answer.fields) > 1 and not isinstance(given, str) else [given]
    lists = isinstance(parts, Iterable) and all(isinstance(one, Iterable) for one in parts)
    if not lists or any(one is ... for part in parts for one in part):
        return BLANK if lists else Verdict(False, "Put in a list of records for each dataset.")
    return judged(answer, *parts)


def number(right: Exact | float, label: str = "Your number") -> NumberAnswer:
    """Return the answer that is this number; a float may be rounded to three digits."""
    return NumberAnswer(label, right)


def pair(
    query: Callable[..., Any], universe: Universe, size: int | None, relation: Relation, least: Any
) -> DatasetAnswer:
    """Return the answer that is any two neighbours whose answers are at least so far apart."""

    def judge(x: tuple[Any, ...], y: tuple[Any, ...]) -> Verdict:
        gap = abs(query(x) - query(y))
        words = f"These two are {number_text(gap)} apart"
        return Verdict(gap >= least, f"{words}{'.' if gap >= least else ': not far enough.'}")

    fields = ("A dataset", "Its neighbour")
    return DatasetAnswer(fields, judge, universe, ("", ""), size, relation)
