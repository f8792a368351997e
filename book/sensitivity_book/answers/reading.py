"""What a reader typed, as datasets or as a function; what cannot be read is said in one sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from traceback import extract_tb
from typing import Any

from sensitivity_book.answers.kinds import DatasetAnswer, FunctionAnswer
from sensitivity_lab import Universe
from sensitivity_lab.exact import Exact, simplest
from sensitivity_lab.text import counted, dataset_text, number_text

TYPED = "your function"


class MisreadError(Exception):
    """What was typed is no answer yet: the sentence says why."""


def read_datasets(answer: DatasetAnswer, text: str) -> list[tuple[Exact, ...]]:
    """Read one line for each field, and hold the datasets to universe, size and relation."""
    lines = text.split("\n")
    if len(lines) != len(answer.fields):
        raise MisreadError(f"Write {counted(len(answer.fields), 'line')}, one for each dataset.")
    read = [_dataset(line, answer.universe) for line in lines]
    if answer.size is not None and len(read[0]) != answer.size:
        raise MisreadError(
            f"{dataset_text(read[0])} has {len(read[0])} records, not {answer.size}."
        )
    if answer.relation and not answer.relation.are_neighbours(*read):
        x, y = map(dataset_text, read)
        raise MisreadError(f"{x} and {y} are no neighbours: {answer.relation.description}.")
    return read


def _dataset(line: str, universe: Universe) -> tuple[Exact, ...]:
    """Read numbers between commas, sorted; brackets around them do no harm.

    >>> _dataset("{3, 1/2, 1}", Universe.value_range([Fraction(1, 2), 1, 3]))
    (Fraction(1, 2), 1, 3)
    """
    parts = [part.strip() for part in line.strip().strip("()[]{}").split(",")]
    records = sorted(_number(part) for part in parts if part)
    if not records:
        raise MisreadError("Write numbers, with commas between them.")
    known = ", ".join(map(number_text, universe.values))
    most = dict(zip(universe.values, universe.copies(len(records)), strict=True))
    for record, copies in Counter(records).items():
        if record not in most:
            raise MisreadError(f"{number_text(record)} is not in the universe: {known}.")
        if copies > most[record]:
            there = counted(most[record], "record")
            raise MisreadError(
                f"Of {number_text(record)} there is only {there}, and you use {copies}."
            )
    return tuple(records)


def _number(text: str) -> Exact:
    try:
        return simplest(Fraction(text.replace("−", "-")))
    except (ValueError, ZeroDivisionError):
        raise MisreadError(f"{text!r} is no number.") from None


def read_function(answer: FunctionAnswer, text: str) -> Callable[..., Any]:
    """Run what was typed in a namespace that has Fraction alone; return its function, whose errors are sentences."""
    name = called(answer)
    namespace: dict[str, Any] = {"__name__": TYPED, "Fraction": Fraction}
    try:
        exec(compile(text, TYPED, "exec"), namespace)
    except SyntaxError as error:
        raise MisreadError(f"Line {error.lineno} is no Python: {error.msg}.") from None
    except (Exception, SystemExit) as error:
        raise MisreadError(f"{_told(error)}.") from None
    function = namespace.get(name)
    if not callable(function):
        raise MisreadError(f"There is no function {name}.")

    def asked(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (Exception, SystemExit) as error:
            raise MisreadError(f"With {given(arguments)} it stops. {_told(error)}.") from None

    return asked


def called(answer: FunctionAnswer) -> str:
    """Return the name that the first line gives."""
    found = re.match(r"def (\w+)\(", answer.start)
    if not found:
        raise ValueError(f"start must begin with a def, got {answer.start!r}")
    return found[1]


def given(arguments: tuple[Any, ...]) -> str:
    """Write arguments as the reader's function got them.

    >>> given(([1, 2], 3))
    '[1, 2] and 3'
    """
    return " and ".join(map(str, arguments))


def _told(error: BaseException) -> str:
    """The line in what was typed, and the error in one line."""
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == TYPED]
    where = f"Line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}".rstrip(".: ")
