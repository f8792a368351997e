"""What a reader typed, as datasets or as a function, or one sentence on why it is neither."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from traceback import extract_tb
from typing import Any

from sensitivity_book.answers.kinds import DatasetAnswer, FunctionAnswer
from sensitivity_lab import Universe
from sensitivity_lab.numbers import Exact, counted, dataset_text, number_text, simplest

TYPED, CELL = "your function", "ipykernel_"  # as a traceback names what was typed, and a cell
MANY = 20  # values; of more not all are named


class MisreadError(Exception):
    """What was typed is no answer yet: the sentence says why."""


def read_datasets(answer: DatasetAnswer, lines: list[str]) -> list[tuple[Any, ...]]:
    """Read one line for each field, and hold the datasets to universe, size and relation."""
    if len(lines) != len(answer.fields):
        raise MisreadError(f"Write {counted(len(answer.fields), 'line')}, one for each dataset.")
    read = [_dataset(line, answer.universe) for line in lines]
    if answer.size is not None and len(read[0]) != answer.size:
        raise MisreadError(
            f"{records_text(read[0])} has {counted(len(read[0]), 'record')}, not {answer.size}."
        )
    if answer.relation and not answer.relation.are_neighbours(*read):
        x, y = map(records_text, read)
        raise MisreadError(f"{x} and {y} are no neighbours: {answer.relation.description}.")
    return read


def _dataset(line: str, universe: Universe) -> tuple[Any, ...]:
    """Read records that the universe has, sorted: numbers, or rows."""
    read = _rows if isinstance(universe.values[0], tuple) else _numbers
    records = read(line, universe)
    most = dict(zip(universe.values, universe.copies(len(records)), strict=True))
    for record, copies in Counter(records).items():
        if record not in most:
            there = known(universe)
            raise MisreadError(f"{_record_text(record)} is not in the universe: {there}.")
        if copies > most[record]:
            there = counted(most[record], "record")
            raise MisreadError(
                f"Of {_record_text(record)} there is only {there}, and you use {copies}."
            )
    return tuple(sorted(records))


def known(universe: Universe) -> str:
    """Write what a universe has: of many values the first three and the last."""
    texts = [*map(_record_text, universe.values)]
    return ", ".join(texts if len(texts) <= MANY else [*texts[:3], "…", texts[-1]])


def _numbers(line: str, universe: Universe) -> list[Any]:
    """Read numbers between commas or blanks; brackets around them do no harm."""
    parts = re.split(r"[,\s]+", line.strip().strip("()[]{}"))
    found = [_number(part) for part in parts if part]
    if not found:
        raise MisreadError("Write numbers, with commas between them.")
    return found


def _rows(line: str, universe: Universe) -> list[Any]:
    """Read rows, cell after cell; what stands between the cells is up to the reader."""
    cells = re.findall(r"[^\s,;:()\[\]{}'\"]+", line.lower())
    wide, such = len(universe.values[0]), _record_text(universe.values[-1])
    if not cells:
        raise MisreadError(f"Write rows such as {such}, with commas between them.")
    if len(cells) % wide:
        raise MisreadError(f"Write {counted(wide, 'cell')} for each row, such as {such}.")
    known = {tuple(str(cell).lower() for cell in row): row for row in universe.values}
    rows = [tuple(cells[at : at + wide]) for at in range(0, len(cells), wide)]
    return [known.get(row, row) for row in rows]


def records_text(records: tuple[Any, ...]) -> str:
    """Write a dataset of numbers, or of rows as they are typed."""
    if records and isinstance(records[0], tuple):
        return ", ".join(map(_record_text, records))
    return dataset_text(records)


def _record_text(record: Any) -> str:
    return " ".join(map(str, record)) if isinstance(record, tuple) else number_text(record)


def _number(text: str) -> Exact:
    try:
        if re.search(r"e[+-]?\d{4}", text.lower()):  # its digits would not end
            raise ValueError(text)
        return simplest(Fraction(text.replace("−", "-")))
    except (ValueError, ZeroDivisionError):
        raise MisreadError(f"{text!r} is no number.") from None


def read_function(answer: FunctionAnswer, parts: tuple[Any, ...]) -> Callable[..., Any]:
    """Take a function, or run the lines of one; its errors become sentences."""
    own = parts[0] if parts and callable(parts[0]) else None
    function = own or _ran(called(answer), "\n".join(map(str, parts)))

    def asked(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (Exception, SystemExit) as error:
            raise MisreadError(f"With {given(arguments)} it stops. {_told(error)}.") from None

    return asked


def _ran(name: str, text: str) -> Callable[..., Any]:
    """Run what was typed with Fraction alone; return the function of that name."""
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
    return function  # type: ignore[no-any-return]


def called(answer: FunctionAnswer) -> str:
    """Return the name that the first line gives."""
    found = re.match(r"def (\w+)\(", answer.start)
    if not found:
        raise ValueError(f"start must begin with a def, got {answer.start!r}")
    return found[1]


def given(arguments: tuple[Any, ...]) -> str:
    """Write arguments as the reader's function got them."""
    return " and ".join(map(str, arguments))


def _told(error: BaseException) -> str:
    """The line in what was typed, and the error in one line."""
    lines = [
        frame.lineno
        for frame in extract_tb(error.__traceback__)
        if frame.filename == TYPED or CELL in frame.filename
    ]
    where = f"Line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}".rstrip(".: ")
