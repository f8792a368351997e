"""The one function that a page calls, and the same for JupyterLab."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sensitivity_book.answers.kinds import DatasetAnswer, FunctionAnswer, Verdict
from sensitivity_book.answers.reading import MisreadError, read_datasets, read_function
from sensitivity_book.answers.registry import ANSWERS


def check(asked: dict[str, str]) -> dict[str, Any]:
    """Judge the text that a page sends under the name of a field; a pair comes in two lines."""
    return asdict(verdict(asked["name"], asked["text"]))


def verdict(name: str, text: str) -> Verdict:
    """Judge a dataset or a function."""
    own = ANSWERS[name]()
    try:
        if isinstance(own, DatasetAnswer):
            return own.judge(*read_datasets(own, text))
        if isinstance(own, FunctionAnswer):
            return own.judge(read_function(own, text))
    except MisreadError as error:
        return Verdict(False, str(error))
    raise ValueError(f"{name} is a number, which its page compares")


def answer(name: str, *parts: str) -> str:
    """Say whether a dataset, a pair in two texts, or the text of a function is right, and why."""
    said = verdict(name, "\n".join(parts))
    return f"{'Right.' if said.right else 'Not yet.'} {said.words}"
