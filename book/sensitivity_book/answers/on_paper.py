"""Verdicts on small datasets, made with the page:
a reader on paper needs no Python, whose words these are.

What can be typed falls into classes, told apart by a few numbers (`by`) that
book/_static/answers.js computes, too. The judge is asked once for each class. In its words `{0}`
stands for the first of those numbers and those of `shows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import DatasetAnswer
from sensitivity_book.answers.reading import known

Records = tuple[Any, ...]
TELLS = {"mean": sl.MEAN, "median": sl.MEDIAN, "maximum": sl.MAX}


def told_on_paper(answer: DatasetAnswer) -> dict[str, Any]:
    """Return what the script reads, checks and says, for an answer that has `by`."""
    sizes = answer.sizes or (answer.size,)
    said = dict(answer.told or _verdicts(answer, sizes))
    words = sorted({*said.values()})
    few, many = (answer.universe.copies(n) for n in (10, 11))
    return {
        "by": answer.by,
        "shows": answer.shows,
        "values": [*answer.universe.values],
        "copies": [*few] if few == many else None,
        "known": known(answer.universe),
        "sizes": sizes,
        "size": answer.size,
        "moves": sorted(answer.relation.moves) if answer.relation else None,
        "neighbours": answer.relation.description if answer.relation else "",
        "said": {name: words.index(verdict) for name, verdict in said.items()},
        "words": words,
    }


def tells(names: tuple[str, ...], datasets: tuple[Records, ...]) -> list[str]:
    """Tell what was typed by numbers of these names."""
    parts = []
    for name in names:
        if name == "records":
            parts += [" ".join(map(str, x)) for x in datasets]
        elif name == "swaps":
            parts.append(str(_moved(*datasets)[0]))
        else:
            answers = [_answer(name.removesuffix(" moved"), x) for x in datasets]
            apart = name.endswith(" moved")
            parts += map(str, [abs(answers[0] - answers[1])] if apart else answers)
    return parts


@cache
def _answer(name: str, x: Records) -> Fraction:
    return Fraction(TELLS[name](x))


def _verdicts(answer: DatasetAnswer, sizes: tuple[Any, ...]) -> dict[str, tuple[bool, str]]:
    """By class, what is said of it: its numbers are the same for all,
    so any of them may be asked."""
    members = {" | ".join(tells(answer.by, own)): own for own in _submissions(answer, sizes)}
    return {name: _slotted(answer, own) for name, own in members.items()}


def _slotted(answer: DatasetAnswer, datasets: tuple[Records, ...]) -> tuple[bool, str]:
    """The verdict, with a slot for each number."""
    said = answer.judge(*datasets)
    slots = {part: f"{{{i}}}" for i, part in enumerate(tells(answer.by + answer.shows, datasets))}
    words = re.sub(
        r"(?<![\w/])\d+(?:/\d+)?(?![\w/])", lambda own: slots.get(own[0], own[0]), said.words
    )
    return said.right, words


def _submissions(answer: DatasetAnswer, sizes: tuple[Any, ...]) -> Iterator[tuple[Records, ...]]:
    """Everything that can be typed: a dataset, or two neighbours."""
    every = [tuple(x) for size in sizes for x in answer.universe.datasets(size)]
    if answer.relation is None:
        yield from ((x,) for x in every)
        return
    moves = set(answer.relation.moves)
    yield from ((x, y) for x in every for y in every if _moved(x, y) in moves)


def _moved(x: Records, y: Records) -> tuple[int, int]:
    """How many records leave x, and how many join, on the way to y."""
    shared = sum(min(x.count(one), y.count(one)) for one in {*x})
    return len(x) - shared, len(y) - shared
