"""Marks for numbers, datasets and functions:
the pages' judges, their tolerance and their sentences.

A notebook hands an answer in as a printed line. A marker reads that line, and runs nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from sensitivity_book.answers import kinds
from sensitivity_book.answers.check import judged
from sensitivity_book.answers.judges import agrees
from sensitivity_book.answers.kinds import Answer, Verdict
from sensitivity_book.answers.registry import ANSWERS
from sensitivity_lab import Relation, Universe
from sensitivity_lab.numbers import Exact, number_text

BLANK = Verdict(False, "Nothing has been put in yet.")
HANDED, LONGEST = "Handed in: ", 50_000
Inputs = Iterable[tuple[Any, ...]]


def hand_in(given: Any, inputs: Inputs | None = None) -> None:
    """Print an answer for the marker: of a function, what it gives for each of these inputs.

    >>> hand_in(Fraction(19, 6))
    Handed in: "19/6"
    >>> hand_in(lambda d: 6 / len(d), [([1, 4],), ([],)])
    Handed in: [3.0, "ZeroDivisionError: division by zero"]
    """
    if inputs is not None:
        given = [_called(given, arguments) for arguments in inputs]
    elif hasattr(given, "value"):
        given = given.value
        print("You gave a whole result. Its value is handed in.")
    line = json.dumps(_plain(given), ensure_ascii=False)
    blank = inputs is None and not line.strip("[nul, ]")
    print("Nothing is handed in yet." if blank else HANDED + line)


def _called(function: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"


def _plain(given: Any) -> Any:
    """Numbers and texts as JSON has them, dots as nothing, and what holds others as a list."""
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, Iterable) and not isinstance(given, str):
        return [_plain(one) for one in given]
    given = None if given is ... else given
    return given if isinstance(given, (int, float, str, type(None))) else str(given)


def handed_in(printed: str) -> Any:
    """Return what the last line of `hand_in` says, as plain data; `None` where there is none."""
    lines = [line[len(HANDED) :] for line in printed.splitlines() if line.startswith(HANDED)]
    try:
        return json.loads(lines[-1][:LONGEST]) if lines else None
    except (ValueError, RecursionError):
        return None


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
    if isinstance(answer, kinds.FunctionAnswer):
        return judged(answer, _recorded(given) if isinstance(given, list) else given)
    if isinstance(answer, kinds.NumberAnswer):
        said, hint = judged(answer, given), " The hint may help." * (answer is asked)
        if isinstance(given, float) and given == float(f"{given:.3g}") and not said.right:
            padded = judged(answer, f"{given:#.3g}")  # a float has lost the 0 of 0.330
            said = padded if padded.right else said
        return Verdict(said.right, said.words.removesuffix(hint))
    parts = given if len(answer.fields) > 1 and not isinstance(given, str) else [given]
    lists = isinstance(parts, Iterable) and all(isinstance(one, Iterable) for one in parts)
    if not lists or any(one is ... or one is None for part in parts for one in part):
        return BLANK if lists else Verdict(False, "Put in a list of records for each dataset.")
    return judged(answer, *parts)


def _recorded(outputs: list[Any]) -> Callable[..., Any]:
    """A function that gives these, one after the other, and then nothing."""
    fraction = re.compile(r"-?\d+(/[1-9]\d*)?").fullmatch
    exact = (Fraction(one) if isinstance(one, str) and fraction(one) else one for one in outputs)
    return lambda *_: next(exact, None)


def number(right: Exact | float, label: str = "Your number") -> kinds.NumberAnswer:
    """Return the answer that is this number; a float may be rounded to three digits."""
    return kinds.NumberAnswer(label, right)


def function(right: Callable[..., Any], inputs: Inputs) -> kinds.FunctionAnswer:
    """Return the answer that is any function with the values of this one."""
    return kinds.FunctionAnswer("Your function", "def answer(d):", agrees(right, lambda: inputs))


def pair(
    query: Callable[..., Any], universe: Universe, size: int | None, relation: Relation, least: Any
) -> kinds.DatasetAnswer:
    """Return the answer that is any two neighbours whose answers are at least so far apart."""

    def judge(x: tuple[Any, ...], y: tuple[Any, ...]) -> Verdict:
        gap = abs(query(x) - query(y))
        words = f"These two are {number_text(gap)} apart"
        return Verdict(gap >= least, f"{words}{'.' if gap >= least else ': not far enough.'}")

    fields = ("A dataset", "Its neighbour")
    return kinds.DatasetAnswer(fields, judge, universe, ("", ""), size, relation)
