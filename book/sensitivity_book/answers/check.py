"""The one function that a page calls, and the one for JupyterLab."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from typing import Any

from sensitivity_book.answers import compare
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.answers.reading import MisreadError, read_datasets, read_function
from sensitivity_book.answers.registry import ANSWERS


def check(asked: dict[str, str]) -> dict[str, Any]:
    """Judge the text that a page sends under the name of a field; a pair comes in two lines."""
    return asdict(verdict(asked["name"], *asked["text"].split("\n")))


def verdict(name: str, *given: object) -> Verdict:
    """Judge a number, one or two datasets, or a function: each itself, or its text."""
    return judged(ANSWERS[name](), *given)


def judged(own: Answer, *given: object) -> Verdict:
    """Judge what was given for an answer; what cannot be read is not right, and is told why."""
    try:
        if isinstance(own, DatasetAnswer):
            return own.judge(*read_datasets(own, [*map(_line, given)]))
        if isinstance(own, NumberAnswer):
            return compare.judge(own, given[0] if given else "")
        return own.judge(read_function(own, given))
    except MisreadError as error:
        return Verdict(False, str(error))


def _line(dataset: Any) -> str:
    """Write a dataset as it is typed."""
    return dataset if isinstance(dataset, str) else ", ".join(map(str, dataset))


def check_answer(name: str, *given: object) -> None:
    """Print whether an answer is right, and why:
    a number, one or two datasets, a function, or their text.

    >>> check_answer("by-hand-sum-swapped", 20)
    Not yet. Rick takes 20 days with him, but whoever replaces him brings some back.
    No two neighbours are 20 apart: that is too much.
    """
    if name not in ANSWERS:
        near = get_close_matches(name, ANSWERS, n=1)
        raise ValueError(f"no field is called {name!r}" + (f": is it {near[0]!r}?" if near else ""))
    said = verdict(name, *given)
    print("Right." if said.right else "Not yet.", said.words)
